import FlowCore
import SdBus

extension MessageWriter {
    /// Appends an object path; `/` stands for none.
    func append(path: String?) throws {
        if let path { try appendObjectPath(path) } else { try appendObjectPath(("/" as StaticString).cString) }
    }

    /// Appends texts as `as`.
    func append(_ texts: [String]) throws {
        try openContainer(.array, "s")
        for text in texts { try append(text) }
        try closeContainer()
    }

    /// Appends an entry of an `a{sv}`: its name, and a value of this type.
    func appendEntry(
        _ name: StaticString, _ type: StaticString, _ value: (MessageWriter) throws -> Void
    ) throws {
        try openContainer(.dictEntry, "sv")
        try append(name.cString)
        try openContainer(.variant, type)
        try value(self)
        try closeContainer()
        try closeContainer()
    }

    /// Appends arguments as `a{sv}`, each value with the type it came with.
    func append(_ arguments: Arguments) throws {
        try openContainer(.array, "{sv}")
        for argument in arguments {
            try openContainer(.dictEntry, "sv")
            try append(argument.name)
            try appendVariant(argument.value)
            try closeContainer()
        }
        try closeContainer()
    }

    /// Appends a value inside a variant.
    func appendVariant(_ value: Value) throws {
        try openVariant(of: value)
        try append(value)
        try closeContainer()
    }

    private func openVariant(of value: Value) throws {
        switch value {
        // The usual ones make no text of their type.
        case .string: try openContainer(.variant, "s")
        case .int64: try openContainer(.variant, "x")
        case .int32: try openContainer(.variant, "i")
        case .uint32: try openContainer(.variant, "u")
        case .uint64: try openContainer(.variant, "t")
        case .bool: try openContainer(.variant, "b")
        case .double: try openContainer(.variant, "d")
        default: try openContainer(.variant, value.signature)
        }
    }

    /// Appends a value as it is.
    func append(_ value: Value) throws {
        switch value {
        case .bool(let value): try append(value)
        case .byte(let value): try append(value)
        case .int16(let value): try append(value)
        case .uint16(let value): try append(value)
        case .int32(let value): try append(value)
        case .uint32(let value): try append(value)
        case .int64(let value): try append(value)
        case .uint64(let value): try append(value)
        case .double(let value): try append(value)
        case .string(let text): try append(text)
        case .objectPath(let text): try appendObjectPath(text)
        case .signature(let text): try appendSignature(text)
        case .variant(let value): try appendVariant(value)
        case .bytes(let bytes): try append(bytes)
        case .array(let element, let elements):
            try openContainer(.array, element)
            for element in elements { try append(element) }
            try closeContainer()
        case .structure(let members):
            try openContainer(.structure, members.map(\.signature).joined())
            for member in members { try append(member) }
            try closeContainer()
        case .entry(let key, let value):
            try openContainer(.dictEntry, key.signature + value.signature)
            try append(key)
            try append(value)
            try closeContainer()
        }
    }
}
