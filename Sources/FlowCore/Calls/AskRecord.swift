// An ask is its own record (S-45).

extension Asks.Ask: RecordBody {
    static var unread: Self {
        Self(key: Asks.Key(asker: .client(.daemon), token: ""), client: .daemon, path: "", origin: 0)
    }

    var expectedByteCount: Int {
        if case .answered(_, let result) = state { 64 + result.byteCount } else { 64 }
    }

    /// All but whether the present owner got the answer: after a restart it is told again.
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        // 0 for the connection of the client.
        var instance = asker ?? 0
        try coder.code(&instance)
        try coder.code(&key.token)
        try coder.check(!key.token.isEmpty, "the token is empty")
        try coder.code(&client)
        key.asker = instance == 0 ? .client(client) : .presentable(instance)
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

extension Asks.Ask {
    /// The instance of the presentable that it belongs to; nil if it belongs to the connection of its client.
    var asker: UInt64? { if case .presentable(let instance) = key.asker { instance } else { nil } }

    /// The ask as it may be written to a disk: without a client, and without an answer that has values; nil if that is
    /// nothing.
    var forDisk: Self? {
        guard asker != nil else { return nil }
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
