internal import CSdBus
internal import Glibc

extension Marshaller {
    /// A text does not have the syntax of its type.
    @usableFromInline static var invalidText: SdError { SdError("Marshaller.append", errno: EINVAL) }
    /// A message, an array, or the nesting of containers is beyond what D-Bus allows.
    @usableFromInline static var tooLarge: SdError { SdError("Marshaller.append", errno: EMSGSIZE) }
    /// What a signature takes at the most; D-Bus specification, "Valid Signatures".
    static let mostSignatureBytes = 255
    /// A container was closed that is not open, or left open.
    @usableFromInline static var unbalanced: SdError { SdError("Marshaller.closeContainer", errno: EINVAL) }

    /// Whether UTF-8 has the syntax of a string-like type. The bus ends the connection of a sender that does not keep to it.
    @inlinable @inline(__always)
    static func isValid(_ utf8: UnsafeBufferPointer<UInt8>, _ type: UInt8) -> Bool {
        type == UInt8(ascii: "s") ? isText(utf8) : isRareType(utf8, type)
    }

    @usableFromInline
    static func isRareType(_ utf8: UnsafeBufferPointer<UInt8>, _ type: UInt8) -> Bool {
        let text = String(decoding: utf8, as: UTF8.self)
        // libsystemd has no function for a signature; none of other letters comes from a definition or a message.
        guard !utf8.contains(0) else { return false }
        return type == UInt8(ascii: "o") ? sd_bus_object_path_is_valid(text) > 0 : utf8.count <= mostSignatureBytes
    }

    /// Whether UTF-8 is a text for sd-bus: it has no NUL, and no noncharacter of Unicode, with which sd-bus ends the connection,
    /// too.
    @inlinable
    static func isText(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(utf8)
        var place = 0
        // Eight bytes at a time: none is 0, and none begins or continues a character beyond ASCII.
        while place + 8 <= bytes.count {
            if isRare(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) { return isRareText(utf8) }
            place += 8
        }
        if place == bytes.count { return true }
        // The last ones overlap those before.
        if place > 0 {
            let isRare = isRare(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
            return !isRare || isRareText(utf8)
        }
        while place < bytes.count {
            if bytes[place] == 0 || bytes[place] >= 0x80 { return isRareText(utf8) }
            place += 1
        }
        return true
    }

    /// Whether one of eight bytes is 0 or beyond ASCII.
    @inlinable @inline(__always)
    static func isRare(_ word: UInt64) -> Bool {
        ((word &- 0x0101_0101_0101_0101) & ~word | word) & 0x8080_8080_8080_8080 != 0
    }

    @usableFromInline
    static func isRareText(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        // The noncharacters begin with these bytes, and few other characters do.
        guard utf8.contains(where: { $0 == 0 || $0 >= 0xef }) else { return true }
        // It is the UTF-8 of a string, so the bytes of a character are complete.
        return String(decoding: utf8, as: UTF8.self).unicodeScalars.allSatisfy { scalar in
            scalar != "\0" && scalar.value & 0xfffe != 0xfffe && !(0xfdd0...0xfdef).contains(scalar.value)
        }
    }
}

#if DEBUG
    /// Follows the signature of a message while its values are appended. In debug builds alone, which all tests use.
    @usableFromInline
    struct SignatureCheck {
        private struct Level {
            let types: [UInt8]
            var next = 0
            let isArray: Bool
        }

        private var levels: [Level] = []

        @usableFromInline init() {}

        /// Begins a message, or elements of an array.
        mutating func begin(_ signature: StaticString, isArray: Bool = false) {
            levels = [Level(types: Array("\(signature)".utf8), isArray: isArray)]
        }

        /// Ends a message, which has to be complete.
        mutating func end() throws(SdError) {
            guard levels.count == 1, levels[0].next == levels[0].types.count else { throw Marshaller.unbalanced }
        }

        /// Appends a complete type.
        @usableFromInline
        mutating func take(_ type: [UInt8]) throws(SdError) {
            guard let last = levels.indices.last, levels[last].types[levels[last].next...].starts(with: type) else {
                throw SdError("Marshaller.append", errno: ENXIO)
            }
            levels[last].next += type.count
            if levels[last].isArray, levels[last].next == levels[last].types.count { levels[last].next = 0 }
        }

        @usableFromInline
        mutating func open(_ type: Container, _ contents: [UInt8]) throws(SdError) {
            switch type {
            case .array: try take([UInt8(ascii: "a")] + contents)
            case .structure: try take([UInt8(ascii: "(")] + contents + [UInt8(ascii: ")")])
            case .dictEntry: try take([UInt8(ascii: "{")] + contents + [UInt8(ascii: "}")])
            case .variant: try take([UInt8(ascii: "v")])
            }
            levels.append(Level(types: contents, isArray: type == .array))
        }

        /// Appends an entry of an `a{sv}`.
        mutating func takeEntry() throws(SdError) { try take(Array("{sv}".utf8)) }

        /// Opens an entry of an `a{sv}`, and the variant in it.
        @usableFromInline
        mutating func openEntry(_ type: StaticString) throws(SdError) {
            try open(.dictEntry, Array("sv".utf8))
            try take([UInt8(ascii: "s")])
            try open(.variant, Array("\(type)".utf8))
        }

        @usableFromInline
        mutating func closeEntry() throws(SdError) {
            try close()
            try close()
        }

        @usableFromInline
        mutating func close() throws(SdError) {
            guard levels.count > 1, let level = levels.popLast(), level.next == (level.isArray ? 0 : level.types.count)
            else { throw Marshaller.unbalanced }
        }
    }
#endif
