// The records of calls: tokens, lists of steps, progress, origins; and those of registrations and of reserved numbers.

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

/// The record of the steps that an origin has triggered.
struct OriginRecord: RecordBody, Equatable, Sendable {
    var triggered = 0
    var isReported = false

    static var unread: OriginRecord { OriginRecord() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&triggered, upTo: Limits.triggeredSteps)
        try coder.code(&isReported)
    }
}

/// The record of the reserved serials and instances.
struct CountersRecord: RecordBody, Equatable, Sendable {
    var serial: UInt64 = 0
    var instance: UInt64 = 0

    static var unread: CountersRecord { CountersRecord() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&serial)
        try coder.code(&instance)
        try coder.check(serial < .max / 2 && instance < .max / 2, "its numbers are at their end")
    }
}

/// The record of the owner of a bus name: if a navigator is another process after a restart, it does not have the state of
/// the one before (S-32).
struct NameOwnerRecord: RecordBody, Equatable, Sendable {
    var name = ""
    var owner = Client.daemon

    static var unread: NameOwnerRecord { NameOwnerRecord() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&name)
        try coder.code(&owner)
    }
}

/// The record of a registered flow.
struct RegistrationRecord: RecordBody, Equatable, Sendable {
    var registration = Registration("", at: .unread, steps: [], by: .daemon)
    /// Whether its client is gone, and the bus can start another one.
    var isLeft = false

    static var unread: RegistrationRecord { RegistrationRecord() }
    var expectedByteCount: Int { 256 }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&registration.flow)
        try coder.code(&registration.service)
        try coder.code(&registration.steps)
        try coder.code(&registration.hasGuard)
        try coder.code(choice: &registration.children)
        try coder.code(&registration.initial)
        try coder.code(&registration.client)
        try coder.code(&registration.isActivatable)
        try coder.code(&isLeft)
        var (screens, path) = (registration.screens, registration.presenterPath ?? "")
        try coder.code(&screens)
        try coder.code(&path)
        if Coder.reads, !screens.isEmpty { registration.bring(screens, presentedAt: path) }
        try coder.code(&registration.whenEmpty)
        try coder.code(&registration.result)
    }
}

extension Service: RecordPart {
    static var unread: Service { Service("", path: "", timeout: 0) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var (name, path, timeout) = (name, path, timeout)
        try coder.code(&name)
        try coder.code(&path)
        try coder.code(&timeout)
        self = Service(name, path: path, timeout: timeout)
    }
}

extension StepDeclaration: RecordPart {
    static var unread: StepDeclaration { StepDeclaration("") }

    /// The steps of a registration are never private.
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var (name, parameters) = (name, parameters)
        try coder.code(&name)
        try coder.code(&parameters)
        self = StepDeclaration(name, parameters: parameters)
    }
}

extension ScreenDeclaration: RecordPart {
    static var unread: ScreenDeclaration { ScreenDeclaration("") }

    /// What a client can register.
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var name = name
        try coder.code(&name)
        if Coder.reads { self = ScreenDeclaration(name) }
        try coder.code(&parameters)
        try coder.code(&result)
        try coder.code(&keepsAwake)
        try coder.code(&isPresentedOnReturn)
        try coder.code(&budget)
        try coder.code(&watchdog)
    }
}

extension Parameter: RecordPart {
    static var unread: Parameter { Parameter("", .unread) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var (name, type, isOptional) = (name, type, isOptional)
        try coder.code(&name)
        try coder.code(&type)
        try coder.code(&isOptional)
        self = Parameter(name, type, isOptional: isOptional)
    }
}

extension ValueType: RecordPart {
    static var unread: ValueType { ValueType() }

    private init() { (signature, acceptance) = ("v", .any) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        var signature = signature
        try coder.code(&signature)
        guard Coder.reads else { return }
        let read = ValueType(signature: signature)
        try coder.check(read != nil, "'\(signature)' is no type")
        self = read ?? self
    }
}
