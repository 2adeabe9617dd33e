/// Steps that are not decided yet, and who waits for that: StepConcluded tells it.
///
/// A step is known by the token of its call. The service remembers tokens for a minute, and only so many of them
/// (``TokenBudget``); a step that has none is known by where it was emitted: steps emitted on one presentable are taken by
/// one flow, in the order in which they came (S-6), and all of them are told.
@MainActor
struct PendingSteps {
    private enum Key: Hashable {
        case token(String)
        case path(NodePath)
    }

    private var waiting: [Key: [Done<Outcome>]] = [:]
    /// In the order in which they came, so that they end in it.
    private var order: [Key] = []

    /// A step was answered with `pending`.
    mutating func add(_ emission: Emission, _ done: @escaping Done<Outcome>) {
        let key = emission.token.map(Key.token) ?? .path(emission.path)
        waiting[key, default: []].append(done)
        order.append(key)
    }

    /// A step has ended; gives who waits for it.
    mutating func conclude(_ token: String, on path: NodePath) -> [Done<Outcome>] {
        let key = token.isEmpty ? Key.path(path) : .token(token)
        guard var steps = waiting.removeValue(forKey: key), !steps.isEmpty else { return [] }
        // Calls by one token are one step.
        let done = token.isEmpty ? [steps.removeFirst()] : steps
        if token.isEmpty, !steps.isEmpty { waiting[key] = steps }
        for _ in done { if let place = order.firstIndex(of: key) { order.remove(at: place) } }
        return done
    }

    /// Nobody will tell what became of any; gives who waits, in the order in which they began.
    mutating func takeAll() -> [Done<Outcome>] {
        var left = waiting
        let all = order.compactMap { key in left[key]?.isEmpty == false ? left[key]?.removeFirst() : nil }
        (waiting, order) = ([:], [])
        return all
    }
}

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
