/// The asks: steps whose emitter wants to know the result of what they bring (S-45).
///
/// An ask follows the chain of its step, by the origin, until that makes or reuses a presentable with a result. What becomes
/// of that presentable is the answer. An ask belongs to a presentable, whoever owns that, or to a connection.
struct Asks: Sendable {
    /// To whom an ask belongs.
    enum Asker: Hashable, Sendable {
        case client(Client)
        /// A presentable, by its instance.
        case presentable(UInt64)
    }

    struct Key: Hashable, Sendable {
        var asker: Asker
        var token: String
    }

    enum State: Equatable, Sendable {
        /// It follows its chain, or is about the presentable with this instance.
        case open(about: UInt64?)
        /// There is an answer.
        case answered(AskOutcome, Arguments)
        /// The answer was acknowledged, or nobody wants it any more; only the verdict is remembered.
        case closed
    }

    struct Ask: Equatable, Sendable {
        var key: Key
        /// The client that called last with the token, for which the ask counts, and the path of that call.
        var client: Client
        var path: String
        /// Whether that client has left the bus.
        var isLeft = false
        /// The origin of the step.
        var origin: UInt64
        /// What the caller was told of the step; nil if nothing yet.
        var verdict: Verdict?
        var serial: UInt64 = 0
        var state = State.open(about: nil)
        /// Since when it is answered or closed.
        var since = Instant(microseconds: 0)
        /// Whether the present owner of its presentable got the answer.
        var isTold = false

        var isOpen: Bool { if case .open = state { true } else { false } }
        var isClosed: Bool { state == .closed }
        var answer: AskAnswer? {
            guard case .answered(let outcome, let result) = state else { return nil }
            return AskAnswer(token: key.token, outcome: outcome, result: result)
        }
        /// What it counts for (S-33). As an answer is never refused, there is room for the largest one.
        var usage: Accounting.Usage {
            let bytes =
                switch state {
                case .open: Limits.argumentBytes
                case .answered(_, let result): result.byteCount
                case .closed: 0
                }
            return Accounting.Usage(bytes: key.token.utf8.count + bytes)
        }
        /// Whether it is forgotten after a time.
        fileprivate var expires: Bool {
            switch (state, key.asker) {
            case (.open, _), (.answered, .presentable): false
            case (.closed, _), (.answered, .client): true
            }
        }
    }

    /// The chain of a step, as long as its steps wait or are handled.
    private struct Chain: Sendable {
        let ask: UInt64
        var steps: Int
        /// The call, until it is decided.
        var request: RequestID?
    }

    /// The asks of a presentable.
    private struct Owned: Sendable {
        /// Those that are open, or answered and not acknowledged, in the order of the calls.
        var pending: [UInt64] = []
        /// Those of which only the verdict is remembered: there may be thousands.
        var closed: Set<UInt64> = []
    }

    /// By number, in the order of the calls.
    private var all: [UInt64: Ask] = [:]
    private var numbers: [Key: UInt64] = [:]
    /// Open asks, by the instance that they are about.
    private var subjects: [UInt64: [UInt64]] = [:]
    /// By the instance that they belong to.
    private var askers: [UInt64: Owned] = [:]
    /// By origin.
    private var chains: [UInt64: Chain] = [:]
    /// The asks whose step waits for its verdict, by the call.
    private var undecided: [RequestID: UInt64] = [:]
    /// How many each connected client has.
    private(set) var counts: [Client: Int] = [:]
    /// In the order of the times; some may be gone or open by now.
    private var expiring: [(number: UInt64, at: Instant)] = []
    private var lastNumber: UInt64 = 0

    private(set) var book = RecordBook<UInt64>(.ask)

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }
    /// Whether chains are followed.
    var isFollowing: Bool { !chains.isEmpty }

    subscript(number: UInt64) -> Ask? { all[number] }

    /// All asks, in the order of the calls.
    var asks: [(number: UInt64, ask: Ask)] { all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    func find(_ key: Key) -> UInt64? { numbers[key] }
    /// The open asks about a presentable.
    func about(_ instance: UInt64) -> [UInt64] { subjects[instance] ?? [] }
    /// The presentables that are asked.
    var asked: [UInt64] { subjects.keys.sorted() }
    /// All asks of a presentable, in the order of the calls.
    func asks(of instance: UInt64) -> [UInt64] {
        guard let owned = askers[instance] else { return [] }
        return (owned.pending + owned.closed).sorted()
    }
    /// The asks of a presentable that are open, or answered and not acknowledged.
    func pending(of instance: UInt64) -> [UInt64] { askers[instance]?.pending ?? [] }
    func pendingCount(of instance: UInt64) -> Int { askers[instance]?.pending.count ?? 0 }
    /// The answers for a presentable that were not acknowledged.
    func answers(for instance: UInt64) -> [AskAnswer] {
        all.isEmpty ? [] : pending(of: instance).compactMap { all[$0]?.answer }
    }
    /// What the asks of a presentable count for whose clients have left the bus: they are forgotten when it goes.
    func leftUsage(of instance: UInt64) -> Accounting.Usage {
        var usage = Accounting.Usage()
        guard let owned = askers[instance] else { return usage }
        func add(_ number: UInt64) {
            if let ask = all[number], ask.isLeft { usage += ask.usage }
        }
        owned.pending.forEach(add)
        owned.closed.forEach(add)
        return usage
    }
    /// How many connected clients' asks there are.
    var countOfConnected: Int { counts.values.reduce(0, +) }

    // MARK: Asking

    /// A client asks: its step begins a chain. The call is decided later.
    mutating func begin(
        _ key: Key, by client: Client, at path: String, origin: UInt64, of request: RequestID
    ) -> UInt64 {
        lastNumber += 1
        insert(Ask(key: key, client: client, path: path, origin: origin), lastNumber)
        chains[origin] = Chain(ask: lastNumber, steps: 1, request: request)
        undecided[request] = lastNumber
        book.touch(lastNumber)
        return lastNumber
    }

    private mutating func insert(_ ask: Ask, _ number: UInt64) {
        all[number] = ask
        numbers[ask.key] = number
        if !ask.isLeft { counts[ask.client, default: 0] += 1 }
        if case .presentable(let instance) = ask.key.asker {
            if ask.isClosed {
                askers[instance, default: Owned()].closed.insert(number)
            } else {
                askers[instance, default: Owned()].pending.append(number)
            }
        }
        if case .open(let subject?) = ask.state { subjects[subject, default: []].append(number) }
        if ask.expires { expiring.append((number, ask.since)) }
    }

    /// Forgets an ask. Returns it.
    @discardableResult
    mutating func forget(_ number: UInt64) -> Ask? {
        guard let ask = all.removeValue(forKey: number) else { return nil }
        if numbers[ask.key] == number { numbers[ask.key] = nil }
        leaveAsker(ask.key.asker, number)
        leaveSubject(ask.state, number)
        if !ask.isLeft { uncount(ask.client) }
        if let chain = chains[ask.origin], chain.ask == number {
            chains[ask.origin] = nil
            if let request = chain.request { undecided[request] = nil }
        }
        book.remove(number, number)
        return ask
    }

    private mutating func leaveSubject(_ state: State, _ number: UInt64) {
        guard case .open(let subject?) = state else { return }
        subjects[subject]?.removeAll { $0 == number }
        if subjects[subject]?.isEmpty == true { subjects[subject] = nil }
    }

    private mutating func leaveAsker(_ asker: Asker, _ number: UInt64) {
        guard case .presentable(let instance) = asker else { return }
        // Not many are pending.
        if askers[instance]?.closed.remove(number) == nil { askers[instance]?.pending.removeAll { $0 == number } }
        if let owned = askers[instance], owned.pending.isEmpty, owned.closed.isEmpty { askers[instance] = nil }
    }

    private mutating func uncount(_ client: Client) {
        let left = (counts[client] ?? 1) - 1
        counts[client] = left > 0 ? left : nil
    }

    private mutating func update(_ number: UInt64, _ change: (inout Ask) -> Void) {
        guard let before = all[number] else { return }
        var ask = before
        change(&ask)
        if ask == before { return }
        all[number] = ask
        book.touch(number)
    }

    // MARK: Verdicts

    /// Takes the ask of a call that is decided now.
    mutating func takeUndecided(_ request: RequestID) -> UInt64? {
        undecided.isEmpty ? nil : undecided.removeValue(forKey: request)
    }

    /// The ask of a call that is not decided.
    func undecided(_ request: RequestID) -> UInt64? { undecided[request] }

    /// What the caller is told of its step.
    mutating func setVerdict(_ verdict: Verdict, serial: UInt64 = 0, of number: UInt64) {
        update(number) { ($0.verdict, $0.serial) = (verdict, serial) }
    }

    // MARK: The chain

    /// One more step of a chain waits or is handled.
    mutating func addStep(_ origin: UInt64) { chains[origin]?.steps += 1 }

    /// A step of a chain has ended, or waits for its screen.
    ///
    /// - Returns: the ask whose chain has ended now.
    mutating func endStep(_ origin: UInt64) -> UInt64? {
        guard var chain = chains[origin] else { return nil }
        chain.steps -= 1
        chains[origin] = chain.steps > 0 ? chain : nil
        return chain.steps > 0 ? nil : chain.ask
    }

    /// The ask that follows a chain, if that has led to nothing yet.
    func searching(_ origin: UInt64) -> UInt64? {
        guard let chain = chains[origin], all[chain.ask]?.state == .open(about: nil) else { return nil }
        return chain.ask
    }

    /// An ask is about this presentable.
    mutating func setSubject(_ instance: UInt64, of number: UInt64) {
        update(number) { $0.state = .open(about: instance) }
        subjects[instance, default: []].append(number)
    }

    // MARK: Answers

    /// An open ask is answered.
    mutating func answer(_ number: UInt64, _ outcome: AskOutcome, _ result: Arguments, at now: Instant) {
        end(number, .answered(outcome, result), at: now)
    }

    /// The answer is not wanted any more. The verdict is remembered for a time.
    mutating func close(_ number: UInt64, at now: Instant) { end(number, .closed, at: now) }

    private mutating func end(_ number: UInt64, _ state: State, at now: Instant) {
        guard let ask = all[number] else { return }
        leaveSubject(ask.state, number)
        update(number) { ask in
            ask.state = state
            ask.since = now
        }
        if state == .closed, case .presentable(let instance) = ask.key.asker {
            askers[instance]?.pending.removeAll { $0 == number }
            askers[instance]?.closed.insert(number)
        }
        if all[number]?.expires == true { expiring.append((number, now)) }
    }

    /// Whether the owner of its presentable got the answer.
    mutating func setTold(_ isTold: Bool, _ number: UInt64) { all[number]?.isTold = isTold }

    /// A `Present` has the answers for its screen.
    mutating func notePresented(_ instance: UInt64) {
        if all.isEmpty { return }
        for number in pending(of: instance) where all[number]?.answer != nil { setTold(true, number) }
    }

    // MARK: Askers

    /// A client repeats the call of an ask of a presentable, and counts for it from now on.
    mutating func setClient(_ client: Client, at path: String, of number: UInt64) {
        guard let ask = all[number] else { return }
        if ask.client != client || ask.isLeft {
            if !ask.isLeft { uncount(ask.client) }
            counts[client, default: 0] += 1
        }
        update(number) { ask in
            (ask.client, ask.path) = (client, path)
            ask.isLeft = false
        }
    }

    /// The presentable that asked is gone: from now on the ask belongs to the client that called.
    ///
    /// - Returns: false if that client has such an ask by the same token.
    mutating func moveToClient(_ number: UInt64) -> Bool {
        guard let ask = all[number] else { return false }
        let key = Key(asker: .client(ask.client), token: ask.key.token)
        guard numbers[key] == nil else { return false }
        numbers[ask.key] = nil
        numbers[key] = number
        leaveAsker(ask.key.asker, number)
        update(number) { $0.key = key }
        return true
    }

    /// A client has left the bus.
    ///
    /// - Returns: the asks that belonged to its connection, and are to be forgotten.
    mutating func leave(_ client: Client) -> [UInt64] {
        guard counts.removeValue(forKey: client) != nil else { return [] }
        var own: [UInt64] = []
        for (number, ask) in all where ask.client == client && !ask.isLeft {
            update(number) { $0.isLeft = true }
            if case .client = ask.key.asker { own.append(number) }
        }
        return own.sorted()
    }

    // MARK: Time

    /// Takes the asks that are to be forgotten by now.
    mutating func takeExpired(at now: Instant) -> [UInt64] {
        guard let first = expiring.first, first.at.advanced(by: Limits.tokenLifetime) <= now else { return [] }
        let count = expiring.firstIndex { $0.at.advanced(by: Limits.tokenLifetime) > now } ?? expiring.count
        let due = expiring[..<count]
        expiring.removeFirst(count)
        return due.compactMap { number, at in
            guard let ask = all[number], ask.expires, ask.since == at else { return nil }
            return number
        }
    }
}

// MARK: - Records

extension Asks {
    /// Takes the records of changed and forgotten asks, or all.
    mutating func takeRecords(all isWhole: Bool = false) -> [Record] {
        book.take(all: isWhole ? Array(all.keys) : []) { [all] number in all[number].map { Record(.ask, number, $0) } }
    }

    /// Restores an ask. Its chain has no step yet.
    mutating func restore(_ ask: Ask, _ number: UInt64) {
        lastNumber = max(lastNumber, number)
        guard numbers[ask.key] == nil else { return }
        insert(ask, number)
        expiring.sort { $0.at < $1.at }
        if ask.isOpen { chains[ask.origin] = Chain(ask: number, steps: 0) }
        book.touch(number)
    }

    /// A step of a chain was restored; with its call if it is the first one and waits.
    mutating func restoreStep(_ origin: UInt64, of request: RequestID?) {
        guard let chain = chains[origin] else { return }
        addStep(origin)
        guard let request else { return }
        undecided[request] = chain.ask
        chains[origin]?.request = request
    }

    /// Ends the chains of which no step was restored. Returns their asks.
    mutating func takeEndedChains() -> [UInt64] {
        let ended = chains.filter { $0.value.steps == 0 }
        for origin in ended.keys { chains[origin] = nil }
        return ended.values.map(\.ask).sorted()
    }
}
