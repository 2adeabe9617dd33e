public import FlowCore
public import SdBus

extension BodyWriter {
    /// Appends an object path; `/` stands for none.
    @inlinable
    package func append(path: String?) throws(SdError) {
        if let path { try appendObjectPath(path) } else { try appendObjectPath("/" as StaticString) }
    }

    /// Appends object paths as `ao`.
    @inlinable
    package func append(paths: [String]) throws(SdError) {
        try openContainer(.array, "o")
        for path in paths { try appendObjectPath(path) }
        try closeContainer()
    }

    /// Appends texts as `as`.
    @inlinable
    package func append(_ texts: [String]) throws(SdError) {
        try openContainer(.array, "s")
        for text in texts { try append(text) }
        try closeContainer()
    }

    /// Appends declarations as `a{sa{ss}}`: each step's arguments and their types, with `?` after an optional one.
    @inlinable
    package func append(_ steps: [StepDeclaration]) throws(SdError) {
        try openContainer(.array, "{sa{ss}}")
        for step in steps {
            try openContainer(.dictEntry, "sa{ss}")
            try append(step.name)
            try openContainer(.array, "{ss}")
            for parameter in step.parameters {
                try openContainer(.dictEntry, "ss")
                try append(parameter.name)
                try append(parameter.type.signature + (parameter.isOptional ? "?" : ""))
                try closeContainer()
            }
            try closeContainer()
            try closeContainer()
        }
        try closeContainer()
    }

    /// Appends an entry of an `a{sv}`: its name, and this value with its type.
    @inlinable
    package func appendEntry(_ name: String, _ value: Value) throws(SdError) {
        switch value.shape {
        case .fixed(let type, let bits): try appendEntry(name, of: type.rawValue, bits: bits)
        case .stringLike(let type, let text): try appendEntry(name, of: type.rawValue, text)
        case .variant, .bytes, .array, .structure, .entry:
            try openContainer(.dictEntry, "sv")
            try append(name)
            try appendVariant(value)
            try closeContainer()
        }
    }

    /// Appends arguments as `a{sv}`, each value with its type.
    @inlinable
    package func append(_ arguments: Arguments) throws(SdError) {
        try openContainer(.array, "{sv}")
        for argument in arguments { try appendEntry(argument.name, argument.value) }
        try closeContainer()
    }

    /// Appends a value inside a variant.
    @inlinable
    package func appendVariant(_ value: Value) throws(SdError) {
        try openVariant(of: value)
        try append(value)
        try closeContainer()
    }

    @inlinable
    func openVariant(of value: Value) throws(SdError) {
        switch value.shape {
        // The letter of a basic type is not made a string.
        case .fixed(let type, _): try openVariant(of: type.rawValue)
        case .stringLike(let type, _): try openVariant(of: type.rawValue)
        case .variant, .bytes, .array, .structure, .entry: try openContainer(.variant, value.signature)
        }
    }

    /// Appends a value. An ``FlowCore/Value/entry(key:value:)`` fits into an array alone.
    @inlinable
    package func append(_ value: Value) throws(SdError) {
        switch value.shape {
        case .fixed(let type, let bits): try append(type.rawValue, bits: bits)
        case .stringLike(let type, let text): try append(type.rawValue, text)
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
