/// All records of a coordinator, decoded, from which ``Coordinator`` is restored.
final class RecordSet {
    /// The greatest numbers, if several processes reserved some.
    var counters = CountersRecord(serial: 0, instance: 0)
    /// The record of a node with its number. It is an object, so that those who look at it copy nothing.
    final class StoredNode: Sendable {
        let instance: UInt64
        let node: NodeRecord
        /// Whether its id can be that of a presentable.
        fileprivate let hasValidID: Bool

        init(_ instance: UInt64, _ body: [UInt8]) throws(RecordFailure) {
            self.instance = instance
            node = try NodeRecord(body)
            hasValidID = Names.isPresentableName(node.id)
        }

        /// Whether a record has the same contents.
        func says(_ other: NodeRecord) -> Bool { node == other }

        /// The greatest of the origins in it.
        var latestOrigin: UInt64 {
            var origin = node.kept.stepInTurn
            if let presenting = node.presenting { origin = max(origin, presenting.origin) }
            if let flow = node.flow { origin = max(origin, flow.birth, flow.emptiedBy?.origin ?? 0) }
            return origin
        }

        /// The greatest of the numbers after which others are counted.
        fileprivate var greatestNumber: UInt64 {
            var number = max(latestOrigin, node.raised)
            if let flow = node.flow {
                number = max(number, flow.away?.raised ?? 0)
                for pause in flow.pauses.values { number = max(number, pause.failures, pause.origin) }
            }
            return number
        }
    }

    /// By instance: parents before children, children in order.
    var nodes: [StoredNode] = []
    var activities: [UInt64: ActivityRecord] = [:]
    /// By number: in the order in which they began to wait.
    var steps: [(number: UInt64, step: StepRecord)] = []
    var lists: [UInt64: ListRecord] = [:]
    var origins: [UInt64: OriginRecord] = [:]
    /// In the order in which the calls came.
    var tokens: [(number: UInt64, token: TokenRecord)] = []
    var registrations: [(number: UInt64, registration: RegistrationRecord)] = []
    var nameOwners: [(number: UInt64, name: NameOwnerRecord)] = []
    /// In the order in which the calls continue.
    var progress: [(number: UInt64, progress: ProgressRecord)] = []
    var steppers: [(number: UInt64, stepper: StepperRecord)] = []
    /// By instance.
    var savedStates: [UInt64: Arguments] = [:]
    /// By the instance of the flow; 0 stands for the coordinator.
    var contexts: [UInt64: ContextValues] = [:]
    var outputs: OutputsRecord?
    /// In the order of the calls.
    var asks: [(number: UInt64, ask: Asks.Ask)] = []

    /// Reads records; deleted ones are skipped.
    init(_ records: [Record]) throws(RecordFailure) {
        var records = records
        // Those of a file are.
        if records.indices.dropFirst().contains(where: { records[$0].key < records[$0 - 1].key }) {
            records.sort { $0.key < $1.key }
        }
        nodes.reserveCapacity(records.count { $0.key.kind == .node })
        for record in records {
            guard let body = record.body else { continue }
            let number = record.key.number
            guard number < RecordKey.numbers / 2 else {
                throw RecordFailure("the number \(number) of a record of \(record.key.kind) is at its end")
            }
            do throws(RecordFailure) {
                switch record.key.kind {
                case .counters:
                    let read = try CountersRecord(body)
                    counters.serial = max(counters.serial, read.serial)
                    counters.instance = max(counters.instance, read.instance)
                case .node:
                    if let node = record.node { nodes.append(node) } else { nodes.append(try StoredNode(number, body)) }
                case .activity: activities[number] = try ActivityRecord(body)
                case .step: steps.append((number, try StepRecord(body)))
                case .list: lists[number] = try ListRecord(body)
                case .origin: origins[number] = try OriginRecord(body)
                case .token: tokens.append((number, try TokenRecord(body)))
                case .nameOwner: nameOwners.append((number, try NameOwnerRecord(body)))
                case .progress: progress.append((number, try ProgressRecord(body)))
                case .stepper: steppers.append((number, try StepperRecord(body)))
                case .savedState: savedStates[number] = try SavedStateRecord(body).state
                case .ask: asks.append((number, try Asks.Ask(body)))
                case .context: contexts[number] = try ContextValues(body)
                case .outputs: outputs = try OutputsRecord(body)
                case .registration: registrations.append((number, try RegistrationRecord(body)))
                }
            } catch {
                throw RecordFailure("the record of \(record.key.kind) \(number) can't be read: \(error.message)")
            }
        }
        progress.sort { ($0.progress.rank, $0.number) < ($1.progress.rank, $1.number) }
    }

    /// A child by its id.
    private struct Child: Hashable {
        let parent: UInt64
        let id: String
    }

    /// A place among siblings.
    private struct Raise: Hashable {
        let parent: UInt64
        let order: UInt64
    }

    /// Whether there is a record of the presentable with this instance.
    private func hasNode(_ instance: UInt64) -> Bool {
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[middle].instance < instance { low = middle + 1 } else { high = middle }
        }
        return low < nodes.count && nodes[low].instance == instance
    }

    /// Refuses a tree that is not valid (S-1).
    func check() throws(RecordFailure) {
        guard nodes.count <= Limits.nodes else { throw RecordFailure("there are \(nodes.count) presentables") }
        // By instance; 0 is above the roots.
        var depths: [UInt64: Int] = [0: 0]
        var paths: Set<Child> = []
        var raises: Set<Raise> = []
        // By instance: the children that a flow still waits for.
        var awaited: [UInt64: Int] = [:]
        // Without it, children are in the order of their instances, which differ.
        let someAreRaised = nodes.contains { $0.node.raised > 0 }
        // Siblings often follow each other, with the same name.
        var (parent, depth, last): (UInt64, Int, UInt64) = (0, 0, 0)
        var name: String?
        for stored in nodes {
            let instance = stored.instance
            if stored.node.parent != parent {
                guard let found = depths[stored.node.parent] else {
                    throw RecordFailure(
                        "presentable \(instance) has no flow \(stored.node.parent) that it could be in")
                }
                (parent, depth) = (stored.node.parent, found)
            }
            guard instance > 0 else {
                throw RecordFailure("presentable \(instance) has no flow \(parent) that it could be in")
            }
            // They are in the order of their keys.
            guard instance > last else { throw RecordFailure("presentable \(instance) has several records") }
            last = instance
            guard stored.hasValidID, stored.node.name == name || Names.isPresentableName(stored.node.name) else {
                let names = "'\(Names.escaped(stored.node.id))', '\(Names.escaped(stored.node.name))'"
                throw RecordFailure("presentable \(instance) can't have the id and name \(names)")
            }
            name = stored.node.name
            guard depth < Limits.depth, paths.insert(Child(parent: parent, id: stored.node.id)).inserted else {
                throw RecordFailure(
                    "presentable \(instance) is too deep, or has the id '\(stored.node.id)' of a sibling")
            }
            let raised = stored.node.raised
            guard !someAreRaised || raises.insert(Raise(parent: parent, order: max(instance, raised))).inserted else {
                throw RecordFailure("presentable \(instance) can't have been raised by \(raised)")
            }
            guard parent != 0 || stored.node.flow != nil else {
                throw RecordFailure("presentable \(instance) is a screen, and has no flow that it could be in")
            }
            guard let flow = stored.node.flow else { continue }
            depths[instance] = depth + 1
            if flow.isAwaitedByParent, flow.readiness != .ready { awaited[parent, default: 0] += 1 }
        }
        try checkAwaited(awaited)
        for (number, step) in steps {
            // The flow of a queued step may be gone, but it existed.
            let isKnown =
                switch step.stage {
                case .initial, .deferred: hasNode(step.place)
                case .blocked, .guard, .navigator: depths[step.place] != nil
                case .queued:
                    hasNode(step.place) ? depths[step.place] != nil : step.place <= counters.instance
                }
            guard step.place != 0, isKnown else {
                throw RecordFailure("step \(number) waits at \(step.place), where no such step can wait")
            }
            guard step.purpose != .deepLink || step.index < UInt64(Limits.nodes) else {
                throw RecordFailure("step \(number) is the one of flow \(step.index) of a deep link")
            }
        }
        // There has to be room for further numbers.
        var number = max(counters.serial, counters.instance)
        for stored in steps { number = max(number, stored.step.origin, stored.step.request) }
        for stored in nodes { number = max(number, stored.greatestNumber) }
        for stored in asks { number = max(number, stored.ask.origin, stored.ask.asker ?? 0, stored.ask.serial) }
        if number >= RecordKey.numbers / 2 {
            throw RecordFailure(
                "the number \(number) of a serial, an instance, an origin, a call or a loss is at its end")
        }
    }

    /// Each of these children counts down when it is ready (S-26). More are waited for where one is gone.
    private func checkAwaited(_ awaited: [UInt64: Int]) throws(RecordFailure) {
        if awaited.isEmpty { return }
        for stored in nodes {
            guard case .awaitingChildren(let count)? = stored.node.flow?.readiness else { continue }
            guard let children = awaited[stored.instance], children > count else { continue }
            throw RecordFailure(
                "flow \(stored.instance) waits for \(count) of its \(children) children that are not ready")
        }
    }
}

extension Node.KeptStep {
    /// Only literal values are the step's own.
    fileprivate mutating func removePrivateValues() {
        guard isPrivate, case .given(let bindings) = arguments else { return }
        arguments = .given(bindings.filter { if case .literal = $0.source { false } else { true } })
    }
}

extension Record {
    /// Refuses records that can't be restored: bodies that are not valid, and parts without the whole.
    public static func check(_ records: [Record]) throws(RecordFailure) { try RecordSet(records).check() }

    /// Returns the records if they can be restored, with those of nodes as they were read, so that a large tree is read once.
    public static func checked(_ records: [Record]) throws(RecordFailure) -> [Record] {
        let read = records.map { record in
            guard record.key.kind == .node, let body = record.body else { return record }
            // The error is that of the check.
            return Record(record.key, body, node: try? RecordSet.StoredNode(record.key.number, body))
        }
        try check(read)
        return read
    }

    /// The record that reserves serials and instances this far beyond these records, and at least up to a number.
    public static func counters(beyond records: [Record], by distance: UInt64, atLeast number: UInt64 = 0) -> Record {
        let known = records.filter { $0.key.kind == .counters }.compactMap { try? CountersRecord($0.body ?? []) }
        let last = known.map { max($0.serial, $0.instance) }.max() ?? 0
        // The maximum leaves room for many more numbers.
        let next = min(max(last &+ distance, number), RecordKey.numbers / 4)
        return Record(RecordKey(.counters, 0), CountersRecord(serial: next, instance: next).encoded())
    }

    /// The record as it may be written to a disk, for another bus: without private arguments. It is deleted if nothing is
    /// left without them, or its clients are gone then.
    public var withoutPrivateArguments: Record {
        guard let body else { return self }
        switch key.kind {
        case .list, .token, .nameOwner, .progress: return Record(key, nil)
        case .step:
            guard var step = try? StepRecord(body), !step.arguments.contains(where: \.isPrivate) else {
                return Record(key, nil)
            }
            // Tokens are private to their clients, which are gone then.
            if step.token.isEmpty { return self }
            step.token = ""
            return Record(key, step.encoded())
        case .node:
            guard var node = try? NodeRecord(body) else { return Record(key, nil) }
            node.kept.arguments = node.arguments.broadcastable
            node.kept.onDismissed?.value.removePrivateValues()
            node.kept.onResult?.value.template.removePrivateValues()
            if let asked = node.onResult?.asked.broadcastable { node.kept.onResult?.asked = asked }
            // They end with the bus, and their names have digests of keys.
            node.flow?.value.pauses = [:]
            return Record(key, node.encoded())
        case .stepper:
            guard let stepper = try? StepperRecord(body), !stepper.isPrivate else { return Record(key, nil) }
            return self
        case .savedState:
            guard let saved = try? SavedStateRecord(body), saved.isForDisk else { return Record(key, nil) }
            return self
        case .ask: return Record(key, (try? Asks.Ask(body))?.forDisk?.encoded())
        case .context: return Record(key, (try? ContextValues(body))?.forDisk?.encoded())
        case .counters, .activity, .origin, .registration, .outputs: return self
        }
    }
}
