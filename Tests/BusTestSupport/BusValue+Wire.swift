import SdBus

extension BusValue {
    /// Appends the value to a message.
    func write(to body: MessageWriter) throws(SdError) {
        switch self {
        case .byte(let value): try body.append(value)
        case .bool(let value): try body.append(value)
        case .int16(let value): try body.append(value)
        case .uint16(let value): try body.append(value)
        case .int32(let value): try body.append(value)
        case .uint32(let value): try body.append(value)
        case .int64(let value): try body.append(value)
        case .uint64(let value): try body.append(value)
        case .double(let value): try body.append(value)
        case .string(let value): try body.append(value)
        case .objectPath(let value): try body.appendObjectPath(value)
        case .signature(let value): try body.appendSignature(value)
        case .fileDescriptor(let value): try body.appendFileDescriptor(value)
        case .array(let element, let values):
            try Self.write(values, in: .array, contents: element, to: body)
        case .structure(let fields):
            try Self.write(fields, in: .structure, contents: fields.map(\.type).joined(), to: body)
        case .dictEntry(let key, let value):
            try Self.write([key, value], in: .dictEntry, contents: key.type + value.type, to: body)
        case .variant(let value):
            try Self.write([value], in: .variant, contents: value.type, to: body)
        }
    }

    private static func write(
        _ values: [BusValue], in container: Container, contents: String, to body: MessageWriter
    ) throws(SdError) {
        try body.openContainer(container, contents)
        for value in values { try value.write(to: body) }
        try body.closeContainer()
    }

    /// Reads everything up to the end of the message or of the container.
    static func readAll(_ reader: MessageReader) throws(SdError) -> [BusValue] {
        var values: [BusValue] = []
        while let next = try reader.peekType() {
            values.append(try read(reader, next.type, next.contents.map { String(cString: $0) } ?? ""))
        }
        return values
    }

    private static func read(_ reader: MessageReader, _ type: UInt8, _ contents: String) throws(SdError) -> BusValue {
        switch type {
        case UInt8(ascii: "y"): return .byte(try reader.readByte())
        case UInt8(ascii: "b"): return .bool(try reader.readBool())
        case UInt8(ascii: "n"): return .int16(try reader.readInt16())
        case UInt8(ascii: "q"): return .uint16(try reader.readUInt16())
        case UInt8(ascii: "i"): return .int32(try reader.readInt32())
        case UInt8(ascii: "u"): return .uint32(try reader.readUInt32())
        case UInt8(ascii: "x"): return .int64(try reader.readInt64())
        case UInt8(ascii: "t"): return .uint64(try reader.readUInt64())
        case UInt8(ascii: "d"): return .double(try reader.readDouble())
        case UInt8(ascii: "s"): return .string(String(cString: try reader.readString()))
        case UInt8(ascii: "o"): return .objectPath(String(cString: try reader.readObjectPath()))
        case UInt8(ascii: "g"): return .signature(String(cString: try reader.readSignature()))
        case UInt8(ascii: "h"): return .fileDescriptor(try reader.readFileDescriptor())
        case UInt8(ascii: "a"): return .array(of: contents, try inside(reader, .array, contents))
        case UInt8(ascii: "r"): return .structure(try inside(reader, .structure, contents))
        case UInt8(ascii: "e"):
            let both = try inside(reader, .dictEntry, contents)
            guard both.count == 2 else { throw SdError("sd_bus_message_read_basic", errno: 74) }
            return .dictEntry(both[0], both[1])
        case UInt8(ascii: "v"):
            guard let value = try inside(reader, .variant, contents).first else {
                throw SdError("sd_bus_message_read_basic", errno: 74)
            }
            return .variant(value)
        default: throw SdError("sd_bus_message_peek_type", errno: 74)
        }
    }

    private static func inside(_ reader: MessageReader, _ container: Container, _ contents: String) throws(SdError)
        -> [BusValue]
    {
        guard try reader.enterContainer(container, contents) else { return [] }
        let values = try readAll(reader)
        try reader.exitContainer()
        return values
    }
}
