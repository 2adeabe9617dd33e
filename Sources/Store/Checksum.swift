/// A hash of 64 bits over bytes. A change within eight aligned bytes is always detected, any other with a probability of
/// 1 - 2⁻⁶⁴: each step is one to one, in the bytes and in the state before.
enum Checksum {
    private static let factor: UInt64 = 0x9e37_79b9_7f4a_7c15

    /// The hash of these bytes; another seed gives another hash.
    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var hash = mix(seed, UInt64(bytes.count))
        var place = 0
        while place &+ 8 <= bytes.count {
            hash = mix(hash, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
            place &+= 8
        }
        if place < bytes.count {
            var rest: UInt64 = 0
            for byte in bytes[place...] { rest = rest << 8 | UInt64(byte) }
            hash = mix(hash, rest)
        }
        return mix(hash, 0)
    }

    /// The hash of an array.
    static func of(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { of($0, seed: seed) }
    }

    /// Combines two numbers.
    static func mix(_ hash: UInt64, _ number: UInt64) -> UInt64 {
        let product = (hash ^ number) &* factor
        return product ^ product >> 29
    }
}
