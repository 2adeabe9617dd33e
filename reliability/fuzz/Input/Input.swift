/// The bytes that decide what happens, in place of random numbers: so a change of a byte changes one decision.
public struct Input {
    /// The seed of generators that take their numbers from ``current``; others are random.
    public static let marker: UInt64 = 0xf1_0b_05_f1_0b_05
    /// The input that is being played. libFuzzer plays one at a time.
    nonisolated(unsafe) public static var current = Input([])

    private let bytes: [UInt8]
    private var place = 0
    /// How many numbers were taken after the last byte; they are as good as random, so that no generator waits for another one
    /// for ever.
    private var taken: UInt64 = 0

    /// Plays these bytes.
    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Whether all bytes are used.
    public var isOver: Bool { place >= bytes.count }

    /// The next byte; 0 after the last one.
    public mutating func byte() -> UInt8 {
        guard place < bytes.count else { return 0 }
        defer { place += 1 }
        return bytes[place]
    }

    /// A number whose upper bits the next byte decides, for `Int.random(in:using:)`.
    public mutating func upper() -> UInt64 {
        guard !isOver else { return further() }
        let byte = UInt64(byte())
        return byte << 56 | Self.mixed(byte) >> 8
    }

    /// A number whose remainders the next byte decides: for each bound up to 40, and for 100, that of the byte itself.
    public mutating func remainder() -> UInt64 {
        guard !isOver else { return further() }
        // One more than the least common multiple of 1 to 40.
        return UInt64(byte()) &* 5_342_931_457_063_201
    }

    private mutating func further() -> UInt64 {
        taken += 1
        return Self.mixed(taken)
    }

    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = (number &+ 1) &* 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
