import Input

/// The generator of `FlowCoreTests`; with ``Input/Input/marker`` it takes the bytes of the input.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        if state == Input.marker { return Input.current.upper() }
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 32
    }
}
