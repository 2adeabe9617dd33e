/// The record of an ask (S-45).
struct AskRecord: RecordBody, Equatable, Sendable {
    /// The instance of the presentable that it belongs to; 0 for the connection of the client.
    var asker: UInt64 = 0
    var token = ""
    var client = Client.daemon
    /// Whether that client has left the bus.
    var isLeft = false
    var path = ""
    var origin: UInt64 = 0
    var verdict: Verdict?
    var serial: UInt64 = 0
    var state = Asks.State.open(about: nil)
    /// Since when it is answered or closed.
    var since = Instant.unread

    static var unread: AskRecord { AskRecord() }
    var expectedByteCount: Int {
        if case .answered(_, let result) = state { 64 + result.byteCount } else { 64 }
    }

    init() {}

    init(_ ask: Asks.Ask) {
        if case .presentable(let instance) = ask.key.asker { asker = instance }
        (token, client, isLeft, path) = (ask.key.token, ask.client, ask.isLeft, ask.path)
        (origin, verdict, serial, state, since) = (ask.origin, ask.verdict, ask.serial, ask.state, ask.since)
    }

    /// The ask, as it was.
    var ask: Asks.Ask {
        var ask = Asks.Ask(
            key: Asks.Key(asker: asker == 0 ? .client(client) : .presentable(asker), token: token), client: client,
            path: path, isLeft: isLeft, origin: origin)
        (ask.verdict, ask.serial, ask.state, ask.since) = (verdict, serial, state, since)
        return ask
    }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&asker)
        try coder.code(&token)
        try coder.check(!token.isEmpty, "the token is empty")
        try coder.code(&client)
        try coder.code(&isLeft)
        try coder.code(&path)
        try coder.code(&origin)
        try coder.code(&verdict)
        try coder.code(&serial)
        try coder.code(&state)
        try coder.code(&since)
    }
}

extension Asks.State: RecordPart {
    static var unread: Self { .closed }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var cases = try coder.cases(of: self)
        try coder.code(&cases, 0, { .open(about: $0 == 0 ? nil : $0) }) {
            if case .open(let subject) = $0 { subject ?? 0 } else { nil }
        }
        try coder.code(&cases, 1, Self.answered) {
            if case .answered(let outcome, let result) = $0 { (outcome, result) } else { nil }
        }
        try coder.code(&cases, 2, .closed)
        self = try coder.end(cases)
    }
}

extension AskOutcome: RecordPart {
    static var unread: AskOutcome { .nothing }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(choice: &self)
    }
}

extension AskRecord {
    /// The ask as it may be written to a disk: without a client, and without an answer that has values; nil if that is
    /// nothing.
    var forDisk: AskRecord? {
        guard asker != 0 else { return nil }
        switch state {
        case .closed: return nil
        case .answered(_, let result) where !result.isEmpty: return nil
        case .open, .answered: break
        }
        var record = self
        (record.client, record.isLeft) = (.former, true)
        return record
    }
}
