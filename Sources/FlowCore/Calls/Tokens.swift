/// The outcomes of calls with a token, for a time: a repeated call with the same token gets the same answer, and has no
/// other effect.
struct Tokens: Sendable {
    /// The kind of call. Each kind has its own tokens, because the answers differ.
    /// The raw values are part of the format of records.
    enum CallKind: UInt8, Sendable {
        case emission = 0
        case coordination = 1
        case back = 2
    }

    struct Key: Hashable, Sendable {
        var client: Client
        var kind: CallKind
        var token: String
    }

    /// The outcome of a call.
    enum CallState: Equatable, Sendable {
        case reply(Answer)
        case fail(FlowError)
        /// The call has not ended; these repeated calls wait with it.
        case waiting(with: [RequestID])
    }

    /// The outcome of a call.
    private struct Entry {
        var outcome: CallState
        /// nil if the call has ended.
        let request: RequestID?
        let at: Instant
        /// The number of its record.
        let number: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var counts: [Client: Int] = [:]
    /// In the order in which the calls came, from `oldest` on.
    private var order: [(key: Key, at: Instant)] = []
    private var oldest = 0
    private var lastNumber: UInt64 = 0
    private(set) var book = RecordBook<Key>(.token)

    var count: Int { entries.count }
    /// How many repeated calls of each client wait.
    var waitingCounts: [Client: Int] {
        entries.reduce(into: [:]) { counts, entry in
            if case .waiting(let others) = entry.value.outcome { counts[entry.key.client, default: 0] += others.count }
        }
    }

    func outcome(of key: Key) -> CallState? { entries[key]?.outcome }

    /// Makes repeated calls wait with this request.
    func haveWait(_ key: Key, with request: RequestID) -> Bool {
        guard let entry = entries[key], entry.request == request, case .waiting = entry.outcome else { return false }
        return true
    }

    /// Whether a call may be remembered by this token, beside those of these asks.
    func check(_ key: Key, in accounting: Accounting, besides asks: Asks = Asks()) throws(FlowError) {
        let length = key.token.utf8.count
        guard length > 0, length <= Limits.tokenLength else {
            throw FlowError(
                .invalidArguments,
                "a token of \(length) bytes; it has to have at least 1 and at most \(Limits.tokenLength)")
        }
        func checkCount(_ count: Int, of who: @autoclosure () -> String, _ most: Int) throws(FlowError) {
            if count < most { return }
            let seconds = Limits.tokenLifetime / 1_000_000
            throw FlowError(
                .limitExceeded,
                "\(count) tokens\(who()) were used in the last \(seconds) s"
                    + (asks.isEmpty ? "" : ", or are those of asks") + ", of at most \(most)")
        }
        let quota = accounting.quotas.tokens
        func used(by client: Client) -> Int { (counts[client] ?? 0) + (asks.counts[client] ?? 0) }
        try checkCount(used(by: key.client), of: " of '\(key.client.name)'", quota.perClient)
        if let user = accounting.user(of: key.client) {
            let all = accounting.clients(of: user).reduce(0) { $0 + used(by: $1) }
            try checkCount(all, of: " of the clients of user '\(user)'", quota.share)
        }
        try checkCount(entries.count + asks.countOfConnected, of: " in total", quota.total)
    }

    /// Removes the tokens of a client that is gone, except for calls that have not ended: no client can use them.
    mutating func forget(_ client: Client) {
        guard counts[client] != nil else { return }
        order.removeFirst(oldest)
        oldest = 0
        var left = 0
        order.removeAll { key, _ in
            guard key.client == client, let entry = entries[key] else { return false }
            if case .waiting = entry.outcome {
                left += 1
                return false
            }
            entries[key] = nil
            book.remove(key, entry.number)
            return true
        }
        counts[client] = left > 0 ? left : nil
    }

    /// Remembers an outcome; with the request if the call has not ended, for ``conclude(_:_:of:)``.
    mutating func remember(_ outcome: CallState, of key: Key, at now: Instant, for request: RequestID? = nil) {
        lastNumber += 1
        entries[key] = Entry(outcome: outcome, request: request, at: now, number: lastNumber)
        book.touch(key)
        counts[key.client, default: 0] += 1
        order.append((key, now))
    }

    /// Remembers another outcome of a call from now on, or one of a call that was forgotten.
    mutating func renew(_ outcome: CallState, of key: Key, at now: Instant) {
        if let before = entries.removeValue(forKey: key) {
            book.remove(key, before.number)
            counts[key.client, default: 1] -= 1
        }
        remember(outcome, of: key, at: now)
    }

    /// Makes a repeated call wait with the first one.
    mutating func wait(_ request: RequestID, with key: Key) throws(FlowError) {
        guard case .waiting(let others)? = entries[key]?.outcome else { return }
        guard others.count < Limits.callsPerToken else {
            throw FlowError(
                .limitExceeded,
                "\(others.count) calls by the token '\(Names.escaped(key.token))' wait, of at most "
                    + "\(Limits.callsPerToken)")
        }
        entries[key]?.outcome = .waiting(with: others + [request])
    }

    /// The first call has ended, or is answered before its end. Returns the calls that waited with it.
    mutating func conclude(_ key: Key, _ outcome: CallState, of request: RequestID) -> [RequestID] {
        // The token may have expired, and belong to another call now.
        guard let before = entries[key], before.request == request else { return [] }
        entries[key]?.outcome = outcome
        book.touch(key)
        if case .waiting(let others) = before.outcome { return others }
        return []
    }

    /// Removes expired tokens, except those with waiting calls, which the timer answers soon.
    mutating func expire(at now: Instant) {
        while oldest < order.count, order[oldest].at.advanced(by: Limits.tokenLifetime) <= now {
            let (key, at) = order[oldest]
            guard entries[key]?.at == at else {
                // It was renewed.
                oldest += 1
                continue
            }
            if case .waiting? = entries[key]?.outcome { break }
            book.remove(key, entries.removeValue(forKey: key)?.number)
            let left = (counts[key.client] ?? 1) - 1
            counts[key.client] = left > 0 ? left : nil
            oldest += 1
        }
        // Frees the expired part of the list when it is most of it.
        if oldest > order.count / 2 {
            order.removeFirst(oldest)
            oldest = 0
        }
    }
}

// MARK: - Records

extension Tokens {
    /// Takes the records of changed and removed tokens, or all.
    mutating func takeRecords(all: Bool = false) -> [Record] {
        book.take(all: all ? Array(entries.keys) : []) { [entries] key in
            guard let entry = entries[key] else { return nil }
            let outcome: TokenRecord.CallState =
                switch (entry.outcome, entry.request) {
                // The call continues after a restart, and its outcome will be the token's.
                case (.reply(.verdict(.pending, _)), let request?): .pending(request: request.number)
                case (.reply(let answer), _): .reply(answer)
                case (.fail(let error), _): .fail(error)
                case (.waiting, let request): .waiting(request: request?.number ?? 0)
                }
            return Record(.token, entry.number, TokenRecord(key: key, at: entry.at, outcome: outcome))
        }
    }

    /// Restores a token; in the order of the records' numbers.
    mutating func restore(_ record: TokenRecord, _ number: UInt64) {
        let (outcome, request): (CallState, RequestID?) =
            switch record.outcome {
            case .reply(let answer): (.reply(answer), nil)
            case .fail(let error): (.fail(error), nil)
            case .waiting(let request): (.waiting(with: []), RequestID(request))
            case .pending(let request): (.reply(.verdict(.pending, serial: 0)), RequestID(request))
            }
        guard entries[record.key] == nil else { return }
        lastNumber = max(lastNumber, number)
        entries[record.key] = Entry(outcome: outcome, request: request, at: record.at, number: number)
        counts[record.key.client, default: 0] += 1
        order.append((record.key, record.at))
        book.touch(record.key)
    }
}
