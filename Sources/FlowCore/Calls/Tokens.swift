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
        /// It has not ended; so many calls by the same token wait with it.
        case waiting(with: [RequestID])
    }

    /// The outcome, and of which call it is.
    private struct Entry {
        var outcome: Outcome
        /// nil: the call has ended.
        let request: RequestID?
        let at: Instant
        /// Names its record.
        let number: UInt64
        /// Whether there is such a record.
        var isSaved = false
    }

    private var entries: [Key: Entry] = [:]
    private var counts: [Client: Int] = [:]
    /// In the order they came, from `oldest` on.
    private var order: [(key: Key, at: Instant)] = []
    private var oldest = 0
    private var lastNumber: UInt64 = 0
    /// Those whose records are out of date.
    private(set) var unsaved: Set<Key> = []
    /// Records of those that were forgotten.
    private(set) var forgotten: [UInt64] = []

    var count: Int { entries.count }
    /// How many calls of each client wait with others.
    var waitingCounts: [Client: Int] {
        entries.reduce(into: [:]) { counts, entry in
            if case .waiting(let others) = entry.value.outcome { counts[entry.key.client, default: 0] += others.count }
        }
    }

    func outcome(of key: Key) -> Outcome? { entries[key]?.outcome }

    /// Whether calls by this token wait with this one.
    func haveWait(_ key: Key, with request: RequestID) -> Bool {
        guard let entry = entries[key], entry.request == request, case .waiting = entry.outcome else { return false }
        return true
    }

    /// Whether a call may be remembered by this token.
    func check(_ key: Key, in accounting: Accounting) throws(FlowError) {
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
                .limitExceeded, "\(count) tokens\(who()) were used in the last \(seconds) s, of at most \(most)")
        }
        let quota = accounting.quotas.tokens
        try checkCount(counts[key.client] ?? 0, of: " of '\(key.client.name)'", quota.perClient)
        if let user = accounting.user(of: key.client) {
            let all = accounting.clients(of: user).reduce(0) { $0 + (counts[$1] ?? 0) }
            try checkCount(all, of: " of the clients of user '\(user)'", quota.share)
        }
        try checkCount(count, of: " in total", quota.total)
    }

    /// Forgets what a client remembers that is gone, as nobody can ask by that; but for calls that have not ended.
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
            if entry.isSaved { forgotten.append(entry.number) }
            unsaved.remove(key)
            return true
        }
        counts[client] = left > 0 ? left : nil
    }

    /// Remembers an outcome; the call is given where it has not ended, for ``conclude(_:_:of:)``.
    mutating func remember(_ outcome: Outcome, of key: Key, at now: Instant, for request: RequestID? = nil) {
        lastNumber += 1
        entries[key] = Entry(outcome: outcome, request: request, at: now, number: lastNumber)
        unsaved.insert(key)
        counts[key.client, default: 0] += 1
        order.append((key, now))
    }

    /// Lets another call wait with the one that has not ended.
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

    /// A call that was remembered as waiting ended, or is answered before its end; gives those that waited with it.
    mutating func conclude(_ key: Key, _ outcome: Outcome, of request: RequestID) -> [RequestID] {
        // Its time may be over, and the token another call's.
        guard let before = entries[key], before.request == request else { return [] }
        entries[key]?.outcome = outcome
        unsaved.insert(key)
        if case .waiting(let others) = before.outcome { return others }
        return []
    }

    /// Forgets those whose time is over; not while calls wait with one, which happens when the timer is that late.
    mutating func expire(at now: Instant) {
        while oldest < order.count, order[oldest].at.advanced(by: Limits.tokenLifetime) <= now {
            let key = order[oldest].key
            if case .waiting? = entries[key]?.outcome { break }
            if let entry = entries.removeValue(forKey: key), entry.isSaved { forgotten.append(entry.number) }
            unsaved.remove(key)
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

// MARK: - Records

extension Tokens {
    /// Records of those that changed since they were last taken, and of those that were forgotten.
    mutating func takeRecords() -> [Record] {
        if unsaved.isEmpty, forgotten.isEmpty { return [] }
        var records = forgotten.map { Record(RecordKey(.token, $0), nil) }
        for key in unsaved {
            guard let record = record(of: key) else { continue }
            entries[key]?.isSaved = true
            records.append(record)
        }
        (unsaved, forgotten) = ([], [])
        return records.sorted { $0.key < $1.key }
    }

    /// Has the next ``takeRecords()`` give all.
    mutating func touchAll() { unsaved.formUnion(entries.keys) }

    var allRecords: [Record] { entries.keys.compactMap(record(of:)) }

    private func record(of key: Key) -> Record? {
        guard let entry = entries[key] else { return nil }
        let outcome: TokenRecord.Outcome =
            switch (entry.outcome, entry.request) {
            // The call goes on after a restart, and its outcome is to be the token's.
            case (.reply(.verdict(.pending, _)), let request?): .pending(request: request.number)
            case (.reply(let answer), _): .reply(answer)
            case (.fail(let error), _): .fail(error)
            case (.waiting, let request): .waiting(request: request?.number ?? 0)
            }
        return Record(RecordKey(.token, entry.number), TokenRecord(key: key, at: entry.at, outcome: outcome).bytes)
    }

    /// Takes back what an earlier process remembered; in the order of their numbers.
    mutating func restore(_ record: TokenRecord, _ number: UInt64) {
        let (outcome, request): (Outcome, RequestID?) =
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
        unsaved.insert(record.key)
    }
}
