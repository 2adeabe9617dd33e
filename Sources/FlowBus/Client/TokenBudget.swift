/// Gives tokens for calls, as many as the service takes of one client: more in its time would be refused (S-33).
@MainActor
struct TokenBudget {
    /// How many there may be at a time. The service allows 16,384; some are left for those that the program gives itself.
    private let count: Int
    /// How long it remembers them, and some more, in µs.
    private static var lifetime: UInt64 { 65_000_000 }

    private let prefix = String(UInt64.random(in: .min ... .max), radix: 36) + "-"
    private var last: UInt64 = 0
    /// When those were given that count, from `oldest` on.
    private var times: [UInt64] = []
    private var oldest = 0

    init(count: Int = 12_288) { self.count = count }

    /// A token that no other call has; nil: too many have one.
    mutating func next(at now: UInt64) -> String? {
        while oldest < times.count, times[oldest] + Self.lifetime <= now { oldest += 1 }
        if oldest > times.count / 2 {
            times.removeFirst(oldest)
            oldest = 0
        }
        guard times.count - oldest < count else { return nil }
        times.append(now)
        last += 1
        return prefix + String(last, radix: 36)
    }
}
