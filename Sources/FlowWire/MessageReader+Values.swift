public import FlowCore
internal import Glibc
public import SdBus

// Only the bus limits what is read here: messages to 128 MiB, and nesting to 128 levels. The service, which keeps values of
// others, counts while it reads instead.

extension MessageReader {
    /// Reads the next value, of any type.
    ///
    /// - Throws: ``SdBus/SdError``; EBADMSG at the end, and for a file descriptor, which no value can hold.
    package func readValue() throws(SdError) -> Value {
        guard let (type, contents) = try peekType() else { throw .noValue }
        if let value = try readFixed(type) { return value }
        if let text = Value.StringLikeType(rawValue: type) { return Value(text, String(cString: try readText(type))) }
        guard let contents else { throw .noValue }
        switch type {
        case UInt8(ascii: "v"):
            guard let value = try readMembers(.variant, contents).first else { throw .noValue }
            return .variant(value)
        case UInt8(ascii: "a"):
            // Reading on invalidates the contents.
            let element = String(cString: contents)
            if element == "y" { return .bytes(try readBytes()) }
            return .array(element: element, try readMembers(.array, contents))
        case UInt8(ascii: "r"): return .structure(try readMembers(.structure, contents))
        case UInt8(ascii: "e"):
            let both = try readMembers(.dictEntry, contents)
            guard both.count == 2 else { throw .noValue }
            return .entry(key: both[0], value: both[1])
        default: throw .noValue
        }
    }

    /// Reads the remaining values of the message, or of the container that was entered.
    package func readValues() throws(SdError) -> [Value] {
        var values: [Value] = []
        while try !isAtEnd() { values.append(try readValue()) }
        return values
    }

    /// Reads the next value, an `a{sv}`, as arguments in their order.
    ///
    /// - Throws: ``SdBus/SdError``; ENXIO for another type, EBADMSG for a file descriptor.
    package func readArguments() throws(SdError) -> Arguments {
        var arguments: Arguments = []
        guard try enterContainer(.array, "{sv}") else { return arguments }
        while try enterContainer(.dictEntry, "sv") {
            let name = String(cString: try readString())
            // The outer variant belongs to the entry; an inner one to the value.
            guard case .variant(let value) = try readValue() else { throw .noValue }
            arguments.append(Argument(name, value))
            try exitContainer()
        }
        try exitContainer()
        return arguments
    }

    /// Reads the next value if its type is a fixed one; nil for any other type, of which nothing is read.
    ///
    /// - Parameter type: the letter of the next type, from ``SdBus/MessageReader/peekType()``.
    @inlinable
    package func readFixed(_ type: UInt8) throws(SdError) -> Value? {
        guard let fixed = Value.FixedType(rawValue: type) else { return nil }
        return Value(fixed, bits: try readBits(type))
    }

    private func readMembers(_ type: Container, _ contents: UnsafePointer<CChar>) throws(SdError) -> [Value] {
        guard try enterContainer(type, contents) else { return [] }
        let values = try readValues()
        try exitContainer()
        return values
    }
}

extension SdError {
    /// There is no next value, or it has a type that values can't have.
    fileprivate static var noValue: SdError { SdError("sd_bus_message_peek_type", errno: EBADMSG) }
}
