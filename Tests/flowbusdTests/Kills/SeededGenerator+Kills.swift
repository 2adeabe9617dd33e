import BusTestSupport
import Foundation

extension SeededGenerator {
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Returns true with a probability in percent.
    mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }

    /// Returns a time up to this one.
    mutating func time(upTo milliseconds: Int) -> Duration { .microseconds(number(0...milliseconds * 1000)) }

    /// The seed in `FLOWBUS_SEED`, or a random one.
    static var given: UInt64 {
        ProcessInfo.processInfo.environment["FLOWBUS_SEED"].flatMap(UInt64.init) ?? .random(in: 1...999_999)
    }
}
