internal import Glibc
import SdBus

// Comparing texts with C strings of messages, of which no `String` is made.

extension String {
    /// Whether this C string has the same bytes.
    func isSpelled(_ bytes: UnsafePointer<CChar>) -> Bool {
        let count = strlen(bytes)
        guard utf8.count == count else { return false }
        return utf8.withContiguousStorageIfAvailable { utf8 in
            guard let start = utf8.baseAddress else { return true }
            return memcmp(start, bytes, count) == 0
        } ?? false
    }
}

extension StaticString {
    /// Whether a C string has these bytes.
    func isSpelled(_ text: UnsafePointer<CChar>) -> Bool { compare(text) == 0 }

    /// Whether a C string begins with these bytes and a slash.
    func begins(_ text: UnsafePointer<CChar>) -> Bool { compare(text) == UInt8(ascii: "/") }

    /// The byte of a C string at the end of the literal (0: the string ends there, too); nil where they differ before.
    private func compare(_ text: UnsafePointer<CChar>) -> UInt8? {
        strncmp(cString, text, utf8CodeUnitCount) == 0 ? UInt8(bitPattern: text[utf8CodeUnitCount]) : nil
    }
}
