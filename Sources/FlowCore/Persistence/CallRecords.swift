// What is kept for calls: tokens, what is left of lists of steps; and the numbers that are never given twice.

/// The outcome of a call that its caller gave a name, as it is kept.
struct TokenRecord: Equatable, Sendable {
    /// How the call ended, as far as it did.
    enum CallState: Equatable, Sendable {
        case reply(Answer)
        case fail(FlowError)
        /// It waits, under this number.
        case waiting(request: UInt64)
        /// It waits, under this number, and its caller was answered `pending`.
        case pending(request: UInt64)

        /// The call that waits; nil: it has ended.
        var request: UInt64? {
            switch self {
            case .waiting(let request), .pending(let request): request
            case .reply, .fail: nil
            }
        }
    }

    var key: Tokens.Key
    var at: Instant
    var outcome: CallState

    var bytes: [UInt8] {
        var writer = RecordWriter(reserving: 64)
        writer.append(key.client.name)
        writer.append(key.kind == .coordination)
        writer.append(key.token)
        writer.append(at.microseconds)
        switch outcome {
        case .reply(.verdict(let verdict, let serial)):
            writer.append(byte: 0)
            writer.append(verdict.rawValue)
            writer.append(serial)
        case .reply(.flow(let path)):
            writer.append(byte: 1)
            writer.append(path)
        case .fail(let error):
            writer.append(byte: 2)
            writer.append(error.code.rawValue)
            writer.append(error.message)
        case .waiting(let request):
            writer.append(byte: 3)
            writer.append(request)
        case .reply(.done): writer.append(byte: 4)
        case .pending(let request):
            writer.append(byte: 5)
            writer.append(request)
        case .reply(.outcomes), .reply(.verdicts):
            preconditionFailure("a call with a token was answered with \(outcome)")
        }
        return writer.bytes
    }
}

extension TokenRecord {
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        var reader = RecordReader(bytes)
        let client = Client(try reader.text())
        let kind: Tokens.CallKind = try reader.flag() ? .coordination : .emission
        key = Tokens.Key(client: client, kind: kind, token: try reader.text())
        at = Instant(microseconds: try reader.number())
        switch try reader.byte() {
        case 0:
            let word = try reader.text()
            guard let verdict = Verdict(rawValue: word) else { throw RecordFailure("there is no verdict '\(word)'") }
            outcome = .reply(.verdict(verdict, serial: try reader.number()))
        case 1: outcome = .reply(.flow(path: try reader.text()))
        case 2:
            let word = try reader.text()
            guard let code = FlowError.Code(rawValue: word) else { throw RecordFailure("there is no error '\(word)'") }
            outcome = .fail(FlowError(code, try reader.text()))
        case 3: outcome = .waiting(request: try reader.number())
        case 4: outcome = .reply(.done)
        case 5: outcome = .pending(request: try reader.number())
        case let other: throw RecordFailure("there is no outcome \(other)")
        }
        try reader.end()
    }
}

/// The steps of a call of `EmitSteps`, some of which have not ended; or of one of `Navigate` that goes on in slices.
struct ListRecord: Equatable, Sendable {
    /// A step, or what can't be one.
    enum Item: Equatable, Sendable {
        case step(String, Arguments)
        case refused(FlowError)
    }

    var client: Client
    /// The instance and path of the presentable that they are emitted on.
    var node: UInt64
    var path: String
    var items: [Item]
    /// For `Navigate`, which has one item: the flows that get it, in their order. Those without an instance do not.
    var flows: [Flow] = []

    struct Flow: Equatable, Sendable {
        var instance: UInt64
        var path: String
    }

    var bytes: [UInt8] {
        var writer = RecordWriter(reserving: 256)
        writer.append(client.name)
        writer.append(node)
        writer.append(path)
        writer.append(list: items) { writer, item in
            switch item {
            case .step(let name, let arguments):
                writer.append(true)
                writer.append(name)
                writer.append(arguments)
            case .refused(let error):
                writer.append(false)
                writer.append(error.code.rawValue)
                writer.append(error.message)
            }
        }
        writer.append(list: flows) { writer, flow in
            writer.append(flow.instance)
            writer.append(flow.path)
        }
        return writer.bytes
    }
}

extension ListRecord {
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        var reader = RecordReader(bytes)
        client = Client(try reader.text())
        node = try reader.number()
        path = try reader.text()
        items = try reader.list { reader throws(RecordFailure) in
            if try reader.flag() { return .step(try reader.text(), try reader.arguments()) }
            let word = try reader.text()
            guard let code = FlowError.Code(rawValue: word) else { throw RecordFailure("there is no error '\(word)'") }
            return .refused(FlowError(code, try reader.text()))
        }
        flows = try reader.list { reader throws(RecordFailure) in
            Flow(instance: try reader.number(), path: try reader.text())
        }
        try reader.end()
    }
}

/// How far a call is that goes on in slices, as it is kept.
struct ProgressRecord: Equatable, Sendable {
    /// Which of several goes on first: the least.
    var rank: UInt64
    /// How many of its steps, or of its flows, are done.
    var done: UInt64

    var bytes: [UInt8] {
        var writer = RecordWriter()
        writer.append(rank)
        writer.append(done)
        return writer.bytes
    }
}

extension ProgressRecord {
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        var reader = RecordReader(bytes)
        rank = try reader.number()
        done = try reader.number()
        try reader.end()
    }
}

/// What an origin triggered, as a record.
struct OriginRecord: Equatable, Sendable {
    var triggered: Int
    var isReported: Bool

    var bytes: [UInt8] {
        var writer = RecordWriter()
        writer.append(UInt64(triggered))
        writer.append(isReported)
        return writer.bytes
    }
}

extension OriginRecord {
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        var reader = RecordReader(bytes)
        let number = try reader.number()
        guard number <= UInt64(Limits.triggeredSteps) else {
            throw RecordFailure("an origin triggered \(number) steps")
        }
        triggered = Int(number)
        isReported = try reader.flag()
        try reader.end()
    }
}

/// How far serials and instances are reserved, as it is kept.
struct CountersRecord: Equatable, Sendable {
    var serial: UInt64
    var instance: UInt64

    var bytes: [UInt8] {
        var writer = RecordWriter()
        writer.append(serial)
        writer.append(instance)
        return writer.bytes
    }
}

extension CountersRecord {
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        var reader = RecordReader(bytes)
        serial = try reader.number()
        instance = try reader.number()
        guard serial < .max / 2, instance < .max / 2 else { throw RecordFailure("its numbers are at their end") }
        try reader.end()
    }
}

/// Who owned a bus name, as it is kept: a navigator that is another one after a restart does not know what the one before
/// did (S-32).
struct NameOwnerRecord: Equatable, Sendable {
    var name: String
    var owner: Client

    var bytes: [UInt8] {
        var writer = RecordWriter()
        writer.append(name)
        writer.append(owner.name)
        return writer.bytes
    }
}

extension NameOwnerRecord {
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        var reader = RecordReader(bytes)
        name = try reader.text()
        owner = Client(try reader.text())
        try reader.end()
    }
}

/// A flow that a client implements, as it is kept.
struct RegistrationRecord: Equatable, Sendable {
    var registration: Registration
    /// Whether its client has gone, and the bus can start another one.
    var isLeft: Bool

    var bytes: [UInt8] {
        var writer = RecordWriter(reserving: 256)
        writer.append(registration.flow)
        writer.append(registration.service.name)
        writer.append(registration.service.path)
        writer.append(registration.service.timeout)
        writer.append(list: registration.steps) { $0.append($1.name, $1.parameters) }
        writer.append(registration.hasGuard)
        writer.append(registration.children.rawValue)
        writer.append(optional: registration.initial) { $0.append($1) }
        writer.append(registration.client.name)
        writer.append(registration.isActivatable)
        writer.append(isLeft)
        // They came later: without any it is as it was before there were such.
        if let path = registration.presenterPath {
            writer.append(list: registration.screens) { $0.append($1.name, $1.parameters) }
            writer.append(path)
        }
        return writer.bytes
    }
}

extension RegistrationRecord {
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        var reader = RecordReader(bytes)
        let flow = try reader.text()
        let service = Service(try reader.text(), path: try reader.text(), timeout: try reader.number())
        let steps = try reader.list { reader throws(RecordFailure) in
            StepDeclaration(try reader.text(), parameters: try reader.parameters())
        }
        let hasGuard = try reader.flag()
        let word = try reader.text()
        guard let children = Children(rawValue: word) else { throw RecordFailure("there is no '\(word)'") }
        let initial = try reader.optional { reader throws(RecordFailure) in try reader.text() }
        let client = Client(try reader.text())
        registration = Registration(
            flow, at: service, steps: steps, hasGuard: hasGuard, children: children, initial: initial, by: client,
            isActivatable: try reader.flag())
        isLeft = try reader.flag()
        if !reader.isAtEnd {
            let screens = try reader.list { reader throws(RecordFailure) in
                Registration.Screen(try reader.text(), parameters: try reader.parameters())
            }
            registration.bring(screens, presentedAt: try reader.text())
        }
        try reader.end()
    }
}

extension RecordWriter {
    fileprivate mutating func append(_ name: String, _ parameters: [Parameter]) {
        append(name)
        append(list: parameters) { writer, parameter in
            writer.append(parameter.name)
            writer.append(parameter.type.signature)
            writer.append(parameter.isOptional)
        }
    }
}

extension RecordReader {
    fileprivate mutating func parameters() throws(RecordFailure) -> [Parameter] {
        try list { reader throws(RecordFailure) in
            let name = try reader.text()
            let signature = try reader.text()
            guard let type = ValueType(signature: signature) else { throw RecordFailure("'\(signature)' is no type") }
            return Parameter(name, type, isOptional: try reader.flag())
        }
    }
}
