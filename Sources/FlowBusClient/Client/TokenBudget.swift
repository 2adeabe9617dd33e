internal import FlowBus
/// Generates tokens for calls, at most as many as the service accepts from one client (S-33).
@FlowActor
struct TokenBudget {
    /// The number of tokens in use at a time. The service allows 16,384; some are left for tokens that the program
    /// chooses itself.
    private let count: Int
    /// How long the service remembers a token, with some margin, in µs.
    private static var lifetime: UInt64 { 65_000_000 }

    private let prefix = String(UInt64.random(in: .min ... .max), radix: 36) + "-"
    private var last: UInt64 = 0
    /// The times at which the tokens that count were generated, from index `oldest` on.
    private var times: [UInt64] = []
    private var oldest = 0

    init(count: Int = 12_288) { self.count = count }

    /// Returns a unique token; nil if too many are in use.
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
