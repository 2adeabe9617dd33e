/// A live presentable as it is kept; what follows from the rest of the tree is left out, as are the steps that wait at it,
/// which have records of their own.
struct NodeRecord: Equatable, Sendable {
    /// What only flows have.
    struct Flow: Equatable, Sendable {
        var readiness: Node.Readiness
        var isAwaitedByParent: Bool
        /// With tabs: the instances of the children that were selected, the latest last.
        var selected: [UInt64]
    }

    /// What only screens with a presenter have.
    struct Presenting: Equatable, Sendable {
        /// Whether the presenter answered the latest call; or was called, or is to be as soon as others have ended.
        var isShown: Bool
        var isCalled: Bool
        var isAgain: Bool
        var origin: UInt64
        var serial: UInt64
        var revivals: [Instant]
    }

    /// The step that dismissal triggers; nil bindings: arguments are inherited.
    struct Template: Equatable, Sendable {
        var step: String
        var bindings: [Binding]?
        /// Whether the step's arguments are private.
        var isPrivate: Bool
    }

    /// The parent's instance; 0: it is a root.
    var parent: UInt64
    var name: String
    var id: String
    var style: String
    var arguments: Arguments
    var isVisible: Bool
    var whenHidden: WhenHidden?
    var owner: Client?
    var client: Client
    var onDismissed: Template?
    var presenting: Presenting?
    var flow: Flow?

    /// What it says as bytes.
    var bytes: [UInt8] {
        var writer = RecordWriter(reserving: 64 + arguments.byteCount)
        writer.append(parent)
        writer.append(name)
        // Mostly the name.
        writer.append(optional: id == name ? nil : id) { $0.append($1) }
        writer.append(style)
        writer.append(arguments)
        writer.append(isVisible)
        writer.append(optional: whenHidden) { $0.append($1.rawValue) }
        writer.append(optional: owner) { $0.append($1.name) }
        writer.append(client.name)
        writer.append(optional: onDismissed) { writer, template in
            writer.append(template.step)
            writer.append(optional: template.bindings) { $0.append(list: $1) { $0.append($1) } }
            writer.append(template.isPrivate)
        }
        writer.append(optional: presenting) { writer, presenting in
            writer.append(presenting.isShown)
            writer.append(presenting.isCalled)
            writer.append(presenting.isAgain)
            writer.append(presenting.origin)
            writer.append(presenting.serial)
            writer.append(list: presenting.revivals) { $0.append($1.microseconds) }
        }
        writer.append(optional: flow) { writer, flow in
            switch flow.readiness {
            case .ready: writer.append(byte: 0)
            case .awaitingStep: writer.append(byte: 1)
            case .awaitingChildren(let count):
                writer.append(byte: 2)
                writer.append(UInt64(count))
            }
            writer.append(flow.isAwaitedByParent)
            writer.append(list: flow.selected) { $0.append($1) }
        }
        return writer.bytes
    }
}

extension NodeRecord {
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        var reader = RecordReader(bytes)
        parent = try reader.number()
        name = try reader.text()
        id = try reader.optional { reader throws(RecordFailure) in try reader.text() } ?? name
        style = try reader.text()
        arguments = try reader.arguments()
        isVisible = try reader.flag()
        whenHidden = try reader.optional { reader throws(RecordFailure) in
            let word = try reader.text()
            guard let whenHidden = WhenHidden(rawValue: word) else { throw RecordFailure("there is no '\(word)'") }
            return whenHidden
        }
        owner = try reader.optional { reader throws(RecordFailure) in Client(try reader.text()) }
        client = Client(try reader.text())
        onDismissed = try reader.optional { reader throws(RecordFailure) in
            Template(
                step: try reader.text(),
                bindings: try reader.optional { reader throws(RecordFailure) in
                    try reader.list { reader throws(RecordFailure) in try reader.binding() }
                }, isPrivate: try reader.flag())
        }
        presenting = try reader.optional { reader throws(RecordFailure) in
            Presenting(
                isShown: try reader.flag(), isCalled: try reader.flag(), isAgain: try reader.flag(),
                origin: try reader.number(), serial: try reader.number(),
                revivals: try reader.list { reader throws(RecordFailure) in
                    Instant(microseconds: try reader.number())
                })
        }
        flow = try reader.optional { reader throws(RecordFailure) in
            let readiness: Node.Readiness
            switch try reader.byte() {
            case 0: readiness = .ready
            case 1: readiness = .awaitingStep
            case 2:
                let count = try reader.number()
                guard count <= UInt64(Limits.children) else { throw RecordFailure("\(count) children are awaited") }
                readiness = .awaitingChildren(Int(count))
            case let other: throw RecordFailure("there is no readiness \(other)")
            }
            return Flow(
                readiness: readiness, isAwaitedByParent: try reader.flag(),
                selected: try reader.list { reader throws(RecordFailure) in try reader.number() })
        }
        try reader.end()
    }
}

extension RecordWriter {
    fileprivate mutating func append(_ binding: Binding) {
        append(binding.name)
        switch binding.source {
        case .literal(let value):
            append(byte: 0)
            append(value)
        case .step(let name):
            append(byte: 1)
            append(name)
        case .flow(let name):
            append(byte: 2)
            append(name)
        case .childName: append(byte: 3)
        case .reason: append(byte: 4)
        }
    }
}

extension RecordReader {
    fileprivate mutating func binding() throws(RecordFailure) -> Binding {
        let name = try text()
        switch try byte() {
        case 0: return Binding(name, .literal(try value()))
        case 1: return Binding(name, .step(try text()))
        case 2: return Binding(name, .flow(try text()))
        case 3: return Binding(name, .childName)
        case 4: return Binding(name, .reason)
        case let other: throw RecordFailure("there is no source \(other) of an argument")
        }
    }
}

/// What happened last at a flow, as it is kept.
struct ActivityRecord: Equatable, Sendable {
    /// The latest navigation.
    struct Last: Equatable, Sendable {
        var serial: UInt64
        var step: String
        var arguments: Arguments
        var client: Client
    }

    var last: Last?
    /// When a step from outside reached the flow.
    var reached: Instant?
    var isResting: Bool

    var bytes: [UInt8] {
        var writer = RecordWriter(reserving: 64)
        writer.append(optional: last) { writer, last in
            writer.append(last.serial)
            writer.append(last.step)
            writer.append(last.arguments)
            writer.append(last.client.name)
        }
        writer.append(optional: reached) { $0.append($1.microseconds) }
        writer.append(isResting)
        return writer.bytes
    }
}

extension ActivityRecord {
    init(_ bytes: [UInt8]) throws(RecordFailure) {
        var reader = RecordReader(bytes)
        last = try reader.optional { reader throws(RecordFailure) in
            Last(
                serial: try reader.number(), step: try reader.text(), arguments: try reader.arguments(),
                client: Client(try reader.text()))
        }
        reached = try reader.optional { reader throws(RecordFailure) in Instant(microseconds: try reader.number()) }
        isResting = try reader.flag()
        try reader.end()
    }
}
