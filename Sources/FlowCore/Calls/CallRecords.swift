// The records of calls: tokens, lists of steps, progress.

/// The record of the outcome of a call that has a token.
struct TokenRecord: RecordBody, Equatable, Sendable {
    /// The state of the call.
    enum CallState: Equatable, Sendable {
        case reply(Answer)
        case fail(FlowError)
        /// It waits, with this number.
        case waiting(request: UInt64)
        /// It waits, with this number, and its caller was answered `pending`.
        case pending(request: UInt64)

        /// The call that waits; nil if it has ended.
        var request: UInt64? {
            switch self {
            case .waiting(let request), .pending(let request): request
            case .reply, .fail: nil
            }
        }
    }

    var key = Tokens.Key(client: .daemon, kind: .emission, token: "")
    var at = Instant.unread
    var outcome = CallState.reply(.done)

    static var unread: TokenRecord { TokenRecord() }
    var expectedByteCount: Int { 64 }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&key.client)
        try coder.code(choice: &key.kind)
        try coder.code(&key.token)
        try coder.code(&at)
        try coder.code(&outcome)
    }
}

extension TokenRecord.CallState: RecordPart {
    static var unread: Self { .reply(.done) }

    /// A call with a token is never answered with the outcomes of several steps or flows.
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var cases = try coder.cases(of: self)
        try coder.code(&cases, 0, { .reply(.verdict($0, serial: $1)) }) {
            if case .reply(.verdict(let verdict, let serial)) = $0 { (verdict, serial) } else { nil }
        }
        try coder.code(&cases, 1, { .reply(.flow(path: $0)) }) {
            if case .reply(.flow(let path)) = $0 { path } else { nil }
        }
        try coder.code(&cases, 2, Self.fail) { if case .fail(let error) = $0 { error } else { nil } }
        try coder.code(&cases, 3, Self.waiting) { if case .waiting(let request) = $0 { request } else { nil } }
        try coder.code(&cases, 4, .reply(.done))
        try coder.code(&cases, 5, Self.pending) { if case .pending(let request) = $0 { request } else { nil } }
        self = try coder.end(cases)
    }
}

extension Verdict: RecordPart {
    static var unread: Verdict { .pending }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(choice: &self)
    }
}

/// The record of a call of `EmitSteps` with steps that have not ended, or of a call of `Navigate` that continues in slices.
struct ListRecord: RecordBody, Equatable, Sendable {
    /// A step, or the error of an invalid entry.
    enum Item: Equatable, Sendable {
        case step(String, Arguments)
        case refused(FlowError)
    }

    /// A flow that gets the step of `Navigate`; with the instance 0 it does not get it.
    struct Recipient: Equatable, Sendable {
        var instance: UInt64 = 0
        var path = ""
    }

    var client = Client.daemon
    /// The instance and path of the presentable on which the steps are emitted.
    var node: UInt64 = 0
    var path = ""
    var items: [Item] = []
    /// For `Navigate`, which has one item: the flows, in their order.
    var flows: [Recipient] = []

    static var unread: ListRecord { ListRecord() }
    var expectedByteCount: Int { 256 }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&client)
        try coder.code(&node)
        try coder.code(&path)
        try coder.code(&items)
        try coder.code(&flows)
    }
}

extension ListRecord.Item: RecordPart {
    static var unread: Self { .step("", []) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var cases = try coder.cases(of: self)
        try coder.code(&cases, 1, Self.step) {
            if case .step(let name, let arguments) = $0 { (name, arguments) } else { nil }
        }
        try coder.code(&cases, 0, Self.refused) { if case .refused(let error) = $0 { error } else { nil } }
        self = try coder.end(cases)
    }
}

extension ListRecord.Recipient: RecordPart {
    static var unread: Self { Self() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&instance)
        try coder.code(&path)
    }
}

/// The record of the progress of a call that continues in slices.
struct ProgressRecord: RecordBody, Equatable, Sendable {
    /// Of several calls, the one with the lowest rank continues first.
    var rank: UInt64 = 0
    /// How many of its steps or flows are done.
    var done: UInt64 = 0

    static var unread: ProgressRecord { ProgressRecord() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&rank)
        try coder.code(&done)
    }
}
