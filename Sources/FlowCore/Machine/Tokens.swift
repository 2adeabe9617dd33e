/// The first outcomes of calls that their callers gave a name, for a time: a call that is made again by that name gets
/// the same answer, and nothing else happens.
struct Tokens: Sendable {
    /// What kind of call has the token; each has tokens of its own, as their answers differ.
    enum Kind: Sendable {
        case emission
        case coordination
    }

    struct Key: Hashable, Sendable {
        var client: Client
        var kind: Kind
        var token: String
    }

    /// How a call ended.
    enum Outcome: Equatable, Sendable {
        case reply(Answer)
        case fail(FlowError)
    }

    private var outcomes: [Key: Outcome] = [:]
    private var counts: [Client: Int] = [:]
    /// In the order they came, from `oldest` on.
    private var order: [(key: Key, at: Instant)] = []
    private var oldest = 0

    var count: Int { outcomes.count }

    func outcome(of key: Key) -> Outcome? { outcomes[key] }

    /// Whether a call may be remembered by this token.
    func check(_ key: Key) throws(FlowError) {
        let length = key.token.utf8.count
        guard length > 0, length <= Limits.tokenLength else {
            throw FlowError(
                .invalidArguments,
                "a token of \(length) bytes; it has to have at least 1 and at most \(Limits.tokenLength)")
        }
        guard counts[key.client] ?? 0 < Limits.tokensPerClient, count < Limits.tokens else {
            let seconds = Limits.tokenLifetime / 1_000_000
            throw FlowError(
                .limitExceeded,
                "\(counts[key.client] ?? 0) tokens of '\(key.client.name)', \(count) in total, were used in the last "
                    + "\(seconds) s, of at most \(Limits.tokensPerClient) and \(Limits.tokens)")
        }
    }

    mutating func remember(_ outcome: Outcome, of key: Key, at now: Instant) {
        outcomes[key] = outcome
        counts[key.client, default: 0] += 1
        order.append((key, now))
    }

    /// Forgets those whose time is over.
    mutating func expire(at now: Instant) {
        while oldest < order.count, order[oldest].at.advanced(by: Limits.tokenLifetime) <= now {
            let key = order[oldest].key
            outcomes[key] = nil
            let left = (counts[key.client] ?? 1) - 1
            counts[key.client] = left > 0 ? left : nil
            oldest += 1
        }
        // What is done with is given back when it is most of the list.
        if oldest > order.count / 2 {
            order.removeFirst(oldest)
            oldest = 0
        }
    }
}
