/// The numbers of a seed, for the random definitions of `FlowCoreTests`.
struct Seeded: RandomNumberGenerator {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 0x1234_5678) }

    mutating func next() -> UInt64 { numbers.next() }
}
