import FlowCore
import SdBus

extension MessageReader {
    /// Reads the value that is next, of whatever type it is.
    ///
    /// - Throws: ``SdError``; EBADMSG where nothing is left, or for a file descriptor, which nobody sends us.
    func readValue() throws(SdError) -> Value {
        guard let (type, contents) = try peekType() else { throw SdError("sd_bus_message_peek_type", errno: 74) }
        let inside = contents.map { String(cString: $0) } ?? ""
        switch type {
        case UInt8(ascii: "b"): return .bool(try readBool())
        case UInt8(ascii: "y"): return .byte(try readByte())
        case UInt8(ascii: "n"): return .int16(try readInt16())
        case UInt8(ascii: "q"): return .uint16(try readUInt16())
        case UInt8(ascii: "i"): return .int32(try readInt32())
        case UInt8(ascii: "u"): return .uint32(try readUInt32())
        case UInt8(ascii: "x"): return .int64(try readInt64())
        case UInt8(ascii: "t"): return .uint64(try readUInt64())
        case UInt8(ascii: "d"): return .double(try readDouble())
        case UInt8(ascii: "s"): return .string(String(cString: try readString()))
        case UInt8(ascii: "o"): return .objectPath(String(cString: try readObjectPath()))
        case UInt8(ascii: "g"): return .signature(String(cString: try readSignature()))
        case UInt8(ascii: "a"):
            let values = try members(.array, inside)
            guard inside == "y" else { return .array(element: inside, values) }
            return .bytes(values.compactMap { if case .byte(let byte) = $0 { byte } else { nil } })
        case UInt8(ascii: "r"): return .structure(try members(.structure, inside))
        case UInt8(ascii: "e"):
            let both = try members(.dictEntry, inside)
            guard both.count == 2 else { break }
            return .entry(key: both[0], value: both[1])
        case UInt8(ascii: "v"):
            guard let value = try members(.variant, inside).first else { break }
            return .variant(value)
        default: break
        }
        throw SdError("sd_bus_message_peek_type", errno: 74)
    }

    /// Reads all values that are left.
    func readValues() throws(SdError) -> [Value] {
        var values: [Value] = []
        while try !isAtEnd() { values.append(try readValue()) }
        return values
    }

    private func members(_ type: Container, _ contents: String) throws(SdError) -> [Value] {
        var isEntered = false
        // The closure can't pass the typed error on: bring it out instead.
        let result = contents.withCString { contents in
            Result { () throws(SdError) in isEntered = try enterContainer(type, contents) }
        }
        try result.get()
        guard isEntered else { return [] }
        let values = try readValues()
        try exitContainer()
        return values
    }
}

extension MessageWriter {
    /// Appends a value as it is.
    func append(_ value: Value) throws(SdError) {
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
        case .bytes(let bytes): try append(bytes)
        case .variant(let value): try append([value], in: .variant, value.signature)
        case .array(let element, let elements): try append(elements, in: .array, element)
        case .structure(let members):
            try append(members, in: .structure, members.map(\.signature).joined())
        case .entry(let key, let value):
            try append([key, value], in: .dictEntry, key.signature + value.signature)
        }
    }

    private func append(_ values: [Value], in type: Container, _ contents: String) throws(SdError) {
        let result = contents.withCString { contents in
            Result { () throws(SdError) in try openContainer(type, contents) }
        }
        try result.get()
        for value in values { try append(value) }
        try closeContainer()
    }
}

// MARK: Making and taking apart

extension Value {
    /// An `a{sv}` in this order.
    static func dictionary(_ entries: [(name: String, value: Value)]) -> Value {
        .array(
            element: "{sv}", entries.map { .entry(key: .string($0.name), value: .variant($0.value)) })
    }

    /// The value without variants around it.
    var bare: Value {
        if case .variant(let value) = self { return value.bare }
        return self
    }

    /// The text of a string, a path or a signature.
    var text: String? {
        switch bare {
        case .string(let text), .objectPath(let text), .signature(let text): text
        default: nil
        }
    }

    /// Whether it is true; nil for what is no `b`.
    var truth: Bool? {
        if case .bool(let truth) = bare { return truth }
        return nil
    }

    /// The number of an integer type, where it is not negative.
    var number: UInt64? { bare.integer.flatMap { UInt64(exactly: $0) } }

    /// What an array or a structure holds.
    var elements: [Value] {
        switch bare {
        case .array(_, let elements), .structure(let elements): elements
        default: []
        }
    }

    /// A dictionary's entries whose keys are texts.
    var entries: [(name: String, value: Value)] {
        elements.compactMap { element in
            guard case .entry(let key, let value) = element, let name = key.text else { return nil }
            return (name, value.bare)
        }
    }

    /// A dictionary's value for a key.
    subscript(name: String) -> Value? { entries.first { $0.name == name }?.value }
}
