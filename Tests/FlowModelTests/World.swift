import FlowCore

/// The coordinator and the model, side by side.
final class World {
    private var coordinator: Coordinator
    /// A second coordinator with the same events, to compare the effects.
    private var twin: Coordinator?
    let model: Model
    private(set) var now: UInt64 = 0
    /// The time of the coordinator's timer.
    private var timer: UInt64?
    private var requests: UInt64 = 0
    private var serial: UInt64 = 0
    /// The node addressed last, by path.
    private var known: [String: NodeID] = [:]

    /// A difference.
    struct Difference {
        var text: String
        var expected: [ObservedEffect] = []
        var actual: [ObservedEffect] = []
        /// A further note.
        var note = ""
    }

    /// Whether each emission is explained first.
    private let asksBefore: Bool

    /// Whether the worlds have diverged legitimately.
    private var isOver = false
    /// Clients that the coordinator watches.
    private var watched: Set<Client> = []

    init(
        _ definitions: Definitions, _ quotas: Quotas = .service, hasTwin: Bool = false, asksBefore: Bool = false
    ) {
        self.asksBefore = asksBefore
        coordinator = Coordinator(definitions: definitions, basePath: "", quotas: quotas)
        if hasTwin { twin = Coordinator(definitions: definitions, basePath: "", quotas: quotas) }
        model = Model(definitions, quotas: quotas)
    }

    /// Runs an operation, and the timers before it.
    func run(_ operation: Operation) -> Difference? {
        if isOver { return nil }
        // Idle flows that create idle flows double each time: with many of them the time does not advance.
        func mayWait() -> Bool { model.nodes.count < 100 }
        var end = mayWait() ? now + operation.wait : now
        var rounds = 0
        while let time = timer, time <= end {
            now = operation.isLate ? end : max(now, time)
            if let difference = handle(.timerFired, nil) { return difference }
            if !mayWait() { end = now }
            rounds += 1
            // 100 flows, each with 5 timers of half a second, for 70 s.
            guard rounds < 70_000 else { return Difference(text: "the timer fires again and again") }
        }
        now = end
        let request = RequestID(requests + 1)
        guard let event = operation.event(request, model.definitions, { find($0) }), isKnown(event) else { return nil }
        requests += 1
        return handle(event, operation.asks ? request : nil)
    }

    /// The coordinator gets no events for clients without usage.
    private func isKnown(_ event: Event) -> Bool {
        switch event {
        case .clientVanished(let client): watched.remove(client) != nil
        case .clientIdentified(let client, _): watched.contains(client)
        default: true
        }
    }

    private func find(_ target: Operation.Target) -> NodeID? {
        if target.isGone {
            guard let node = known[target.path], model.node(node.instance) == nil else { return nil }
            return node
        }
        guard let node = coordinator.node(at: target.path) else { return nil }
        known[target.path] = node
        return node
    }

    private func handle(_ event: Event, _ request: RequestID?) -> Difference? {
        let time = Instant(microseconds: now)
        var before: [String: ObservedEffect.Changes]?
        if case .definitionsRead = event { before = model.reported }
        let explanation = asksBefore ? explain(event, at: time) : nil
        let peeked = Peek(event, coordinator, model)
        let all = coordinator.handle(event, at: time)
        let effects = all.filter { if case .watchClient = $0 { false } else { true } }
        for case .watchClient(let client) in all {
            // A step without arguments can outlast its client's usage. Until the bus has reported the client's end
            // again, the coordinator takes it for connected.
            isOver = isOver || model.isGone(client)
            guard watched.insert(client).inserted else {
                return Difference(text: "'\(client.name)' is watched a second time")
            }
        }
        if isOver { return nil }
        // Answers to asks follow the reply (S-45).
        let others = effects.filter { if case .emitAnswered = $0 { false } else { true } }
        if let wrong = explanation?.difference(from: others, request) { return Difference(text: wrong) }
        if let wrong = peeked?.difference(from: others) { return Difference(text: wrong) }
        let expected = model.handle(event, at: time)
        let actual = effects.compactMap(ObservedEffect.init)
        if let again = twin?.handle(event, at: time), again != all {
            return Difference(
                text: "the same events gave other effects", expected: actual,
                actual: again.compactMap(ObservedEffect.init))
        }
        guard actual == expected || ObservedEffect.isSame(expected, actual, before) else {
            return Difference(text: "model and coordinator differ", expected: expected, actual: actual)
        }
        var isTimer = false
        if case .timerFired = event { isTimer = true }
        return broken(others, actual, request, isTimer: isTimer).map {
            Difference(
                text: $0, expected: expected, actual: actual,
                note: "now \(now), timer \(timer as Any), deadline \(model.deadline as Any), event \(event)")
        }
    }

    private func explain(_ event: Event, at time: Instant) -> Explanation? {
        guard case .stepEmitted(_, let node, let step, let arguments, let client, nil) = event else { return nil }
        return coordinator.explain(step, arguments, on: node, by: client, at: time)
    }

    // MARK: - What always holds

    /// Checks the invariants.
    private func broken(
        _ effects: [Effect], _ observed: [ObservedEffect], _ request: RequestID?, isTimer: Bool
    ) -> String? {
        let observed = observed.filter { if case .told = $0 { false } else { true } }
        let answers = observed.indices.filter { observed[$0].request != nil }
        if let request {
            guard answers == [observed.count - 1], observed.last?.request == request else {
                return "a request is answered once, and at last (S-9)"
            }
        } else if !answers.isEmpty {
            return "what nobody asked for is not answered"
        }
        for case .did(let it) in observed {
            guard it.serial > serial, it.cause < it.serial else { return "serials grow, and causes come before (S-10)" }
            serial = it.serial
        }
        guard coordinator.serial == serial else { return "the serial is that of the latest navigation (S-10)" }
        return brokenTimer(effects, request, isTimer: isTimer)
    }

    private func brokenTimer(_ effects: [Effect], _ request: RequestID?, isTimer: Bool) -> String? {
        // The expected event has arrived.
        if isTimer { timer = nil }
        for (index, effect) in effects.enumerated() {
            guard case .startTimer(let time) = effect else { continue }
            guard index == effects.count - (request == nil ? 1 : 2) else {
                return "the timer stands last but the answer"
            }
            guard time?.microseconds != timer else { return "a timer is asked for when its time changed" }
            timer = time?.microseconds
        }
        // A time of the context that is shorter now may be over at once (S-55).
        if let timer, timer <= now, coordinator.definitions.spans.isEmpty {
            return "the timer is asked for a time that is over"
        }
        guard let deadline = model.deadline else { return nil }
        guard let timer, timer <= deadline else { return "the timer is later than the first deadline (S-34)" }
        return nil
    }

    /// Compares all observable state.
    func check() -> Difference? {
        if isOver { return nil }
        let nodes = model.nodes
        guard coordinator.paths == nodes.map(\.path), coordinator.flowCount == nodes.count(where: \.isFlow),
            coordinator.screenCount == nodes.count(where: { !$0.isFlow })
        else { return Difference(text: "the tree differs: \(coordinator.paths), not \(nodes.map(\.path))") }
        for output in ["", "left"] {
            guard let stack = try? coordinator.stack(on: output),
                stack.map(\.path) == model.stack(on: output).map(\.path)
            else { return Difference(text: "the stack on '\(output)' differs") }
        }
        if coordinator.context != model.context.published { return Difference(text: "the context differs") }
        for node in nodes {
            guard let id = coordinator.node(at: node.path), id.instance == node.instance,
                let wrong = wrongAnswer(of: node, id)
            else { continue }
            return Difference(text: "\(wrong) of '\(node.path)' differs")
        }
        return nil
    }

    private func wrongAnswer(of node: ModelNode, _ id: NodeID) -> String? {
        if coordinator.isFlow(id) != node.isFlow { return "the kind" }
        for (property, expected) in [
            (NodeProperty.name, PropertyValue.text(node.name)), (.style, .text(node.style)),
            (.arguments, .arguments(node.arguments.broadcastable)), (.visible, .flag(node.isVisible)),
            (.presented, .flag(model.isPresented(node))), (.ready, .flag(node.isFlow ? node.isReady : true)),
            (.parentFlow, .path(node.parent?.path)), (.current, .path(model.current(of: node)?.path)),
            (.context, .arguments(node.context.published)),
            (.definition, .text(node.isFlow ? node.name : "")), (.inSight, .flag(model.isInSight(node))),
        ] where coordinator.value(of: property, at: id) != expected {
            return "\(property.description.name)"
        }
        if coordinator.childPaths(of: id) != node.children.map(\.path) { return "children" }
        let steps = model.definitions.flows[node.flow.definition].rules.map { model.definitions[$0.step].name }
        if coordinator.acceptedSteps(of: id) != steps.sorted() { return "GetAcceptedSteps" }
        let last = coordinator.lastNavigation(of: id)
        if last?.serial != node.last?.serial || last?.step != node.last?.step
            || last?.arguments != node.last?.arguments
        {
            return "GetLastNavigation"
        }
        return nil
    }

    /// Dismisses all roots; then there is nothing left.
    func endAll() -> Difference? {
        // By someone who may.
        for name in DefinitionGenerator.emitters {
            if let difference = run(Operation(kind: .own(name, Client(":1.9")))) { return difference }
        }
        while !isOver, let root = model.roots.first {
            let dismissal = Operation(kind: .dismiss(Operation.Target(path: root.path), Client(":1.9")))
            if let difference = run(dismissal) { return difference }
        }
        return check() ?? (isOver || model.waiting.isEmpty ? nil : Difference(text: "steps wait in an empty tree"))
    }
}

extension Explanation {
    /// Returns the difference between a step's effects and its explanation; nil if there is none.
    fileprivate func difference(from effects: [Effect], _ request: RequestID?) -> String? {
        var effects = effects
        let expected: Effect? = request.map { request in
            switch outcome {
            case .navigated(let serial): .reply(request, .verdict(.navigated, serial: serial))
            case .ignored(let verdict): .reply(request, .verdict(verdict, serial: 0))
            case .refused(let error): .fail(request, error)
            }
        }
        guard effects.popLast() == expected else { return "a step ends otherwise than explained: \(outcome)" }
        if case .startTimer = effects.last { effects.removeLast() }
        // What is in sight at the end is no part of an explanation.
        effects.removeAll { effect in
            switch effect {
            case .emitStackChanged, .emitBackChanged: true
            default: false
            }
        }
        return effects == self.effects ? nil : "the effects of a step differ from the explanation: \(lines)"
    }
}

extension Operation {
    /// Whether it is a call with an answer.
    var asks: Bool {
        switch kind {
        case .start, .own, .timer, .reload, .vanish, .identify, .stepperChanged, .stepperSignalled, .stepperFailed:
            false
        default: true
        }
    }
}
