import Foundation

/// Numbers by chance that a seed gives again (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True in so many of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }

    /// A time up to this one.
    mutating func time(upTo milliseconds: Int) -> Duration { .microseconds(number(0...milliseconds * 1000)) }

    /// `FLOWBUS_SEED`, or another each time.
    static var given: UInt64 {
        ProcessInfo.processInfo.environment["FLOWBUS_SEED"].flatMap(UInt64.init) ?? .random(in: 1...999_999)
    }
}
