import FlowCore

/// A second state machine, written from the rules (`S-…`) and not from the code: plain lists, searched from the start,
/// and everything computed from scratch. Its results have to be those of ``Coordinator``, without texts and timers.
final class Model {
    var definitions: Definitions
    let base: String
    var roots: [ModelNode] = []
    /// Steps to take, in no order (S-6).
    var waiting: [ModelStep] = []
    /// The number of steps that each origin triggered, and the origins whose loop was reported (S-11).
    var triggered: [Int: Int] = [:]
    var loops: Set<Int> = []
    var serial: UInt64 = 0
    var instances: UInt64 = 0
    var origins = 0
    private var orders = 0
    var now: UInt64 = 0
    /// The values of the context that no flow has.
    var context: ModelContext
    /// The outputs of the latest list, and those that are missing since (S-53).
    var outputs: [String] = []
    var missing: [(name: String, due: UInt64)] = []
    /// The effects of the event so far.
    var observed: [ObservedEffect] = []
    /// The outcome of the step that a caller waits for.
    var asked = Outcome.ignored(.unhandled)
    /// The owners of bus names.
    var owners: [String: Client] = [:]
    var tokens: [Token] = []
    var asks: [Ask] = []
    /// The screens in sight by output, as reported last.
    var reportedStacks: [String: [String]] = [:]
    /// The answers to asks, which follow the answer to the call.
    var told: [ObservedEffect] = []
    /// The states of the steppers, in the order of the definitions.
    var stepperStates: [StepperState]
    let quotas: Quotas
    /// Vanished clients, and the users of the others, if those have limits of their own.
    var gone: Set<Client> = []
    var users: [Client: UInt32] = [:]

    /// A call with a token, and its outcome.
    struct Token {
        enum Kind {
            case emission
            case coordination
            case back
        }

        let client: Client
        let kind: Kind
        let name: String
        let time: UInt64
        let result: Result<Answer, FlowError>
    }

    init(_ definitions: Definitions, base: String = "", quotas: Quotas = .service) {
        self.quotas = quotas
        self.definitions = definitions
        context = ModelContext(definitions.context)
        stepperStates = definitions.steppers.map { _ in StepperState() }
        self.base = base
    }

    deinit {
        for root in roots { root.visit { $0.awaited = [] } }
        for root in roots { Self.cut(root) }
    }

    /// Parents and children hold each other.
    private static func cut(_ node: ModelNode) {
        node.children.forEach(cut)
        (node.children, node.selections, node.deferred, node.initialStep, node.reported.current) = (
            [], [], [], nil, nil
        )
    }

    /// Returns the effects of an event, without timers.
    func handle(_ event: Event, at time: Instant) -> [ObservedEffect] {
        now = time.microseconds
        (observed, told) = ([], [])
        switch event {
        case .continued: break
        case .started: start()
        case .stepEmitted(let request, let node, let step, let arguments, let client, let options):
            answer(request, emit(on: node.instance, step, arguments, client, options))
        case .stepsEmitted(let request, let node, let steps, let client, _):
            answer(request, emit(on: node.instance, steps, client))
        case .stepCancelled(let request, let node, let token, let client):
            answer(request, cancel(at: node.instance, token, client))
        case .visibilityChanged(let request, let node, let isVisible, let client, _):
            answer(request, show(node.instance, isVisible, client))
        case .presentableTouched(let request, let node, let client):
            answer(request, touch(node.instance, client))
        case .presentableDismissed(let request, let node, let client, _):
            answer(request, dismiss(node.instance, client))
        case .backPressed(let request, let node, let client, let options):
            answer(request, goBack(node.instance, client, options))
        case .contextSet(let request, let values, let node, let client):
            answer(request, setContext(values, node?.instance, client))
        case .flowRequested(let request, let flow): answer(request, coordinate(flow))
        case .rootMoved(let request, let node, let output, let client):
            answer(request, move(node.instance, to: output, client))
        case .outputsSet(let request, let names, let client, _): answer(request, setOutputs(names, client))
        case .deepLinkOpened(let request, let step, let arguments, let client, _, _):
            answer(request, navigate(step, arguments, client))
        case .pathOpened(let request, let segments, let client, _, let root, _, _):
            answer(request, navigateAlong(segments, client, below: root?.instance))
        case .nameOwnerChanged(let name, let owner): owners[name] = owner
        case .clientVanished(let client): vanish(client)
        case .clientIdentified(let client, let user): users[client] = user
        case .timerFired: fireTimers()
        case .stepperChanged(let stepper, let value): change(stepper, to: value)
        case .stepperSignalled(let stepper, let values): signal(stepper, values)
        case .stepperFailed(let stepper, let error): fail(stepper, error)
        case .definitionsRead(let new): reload(new)
        case .emissionRepeated, .backRepeated, .backStepSet, .titleSet, .stateSaved, .screenFinished,
            .answerAcknowledged, .pausesEnded,
            .presentableClaimed,
            .presentableReleased,
            .readinessAwaited, .flowRegistered, .flowUnregistered, .guardReplied, .navigatorReplied, .presenterReplied,
            .aliveReplied,
            .restored:
            preconditionFailure("the model lives in a world of one process")
        }
        renewTimers()
        forgetAsks()
        reportSight()
        return observed + told
    }

    private func answer(_ request: RequestID, _ result: Result<Answer, FlowError>) {
        switch result {
        case .success(let answer): observed.append(.answered(request, answer))
        case .failure(let error): observed.append(.refused(request, error.code))
        }
    }

    // MARK: - Looking things up

    /// All presentables, parents first and in order.
    var nodes: [ModelNode] {
        var all: [ModelNode] = []
        for root in roots { root.visit { all.append($0) } }
        return all
    }

    func node(_ instance: UInt64) -> ModelNode? { nodes.first { $0.instance == instance } }

    func siblings(below parent: ModelNode?) -> [ModelNode] { parent?.children ?? roots }

    /// Returns whether the client may emit on a flow.
    /// Returns whether the client may emit steps on the flow. Nobody owns anything here, so `"owner"` lets nobody in (S-43).
    func mayEmit(_ client: Client, on flow: ModelNode) -> Bool {
        let definition = definitions.flows[flow.definition]
        if definition.emitters.isEmpty { return !definition.ownersMayEmit }
        return mayEmit(client, FlowID(flow.definition))
    }

    func mayEmit(_ client: Client, _ flow: FlowID) -> Bool {
        let emitters = definitions[flow].emitters
        return emitters.isEmpty || emitters.contains { owners[$0] == client }
    }

    /// Returns whether the client may show, hide or dismiss an unowned node (S-5).
    func mayHandle(_ client: Client, _ node: ModelNode) -> Bool {
        [node, node.parent].compactMap(\.self).filter(\.isFlow).allSatisfy { mayEmit(client, FlowID($0.definition)) }
    }

    /// Returns the policy for steps on a presentable that is not presented (S-15).
    func whenHidden(_ node: ModelNode) -> WhenHidden {
        node.whenHidden ?? (node.isFlow ? definitions.flows[node.definition].whenHidden : .ignore)
    }

    // MARK: - Visibility (S-14)

    /// The child that covers the others.
    func current(of flow: ModelNode) -> ModelNode? {
        guard flow.isFlow else { return nil }
        switch definitions.flows[flow.definition].children {
        case .free: return nil
        case .stack: return flow.children.last
        case .tabs: return flow.selections.last ?? flow.children.first
        case .layers:
            let layers = definitions.flows[flow.definition].layers
            return flow.children.enumerated()
                .filter { $1.isVisible && layers[rank(of: $1)].covers }
                .max { (rank(of: $0.element), $0.offset) < (rank(of: $1.element), $1.offset) }?.element
        }
    }

    /// The place of a child's layer; the lowest if it has none, or its layer is gone (S-37).
    func rank(of node: ModelNode) -> Int {
        guard let parent = node.parent else { return 0 }
        return definitions.flows[parent.definition].layers.firstIndex { $0.name == node.layer } ?? 0
    }

    /// Whether a sibling covers a presentable, or a higher root a root.
    private func isCovered(_ node: ModelNode) -> Bool {
        if node.parent == nil, !node.output.isEmpty {
            let higher = roots.drop { $0 !== node }.dropFirst()
            return higher.contains {
                $0.output == node.output && definitions.flows[$0.definition].covers && showsSomething($0)
            }
        }
        guard let parent = node.parent, let current = current(of: parent), current !== node else { return false }
        guard definitions.flows[parent.definition].children == .layers else { return true }
        if rank(of: node) != rank(of: current) { return rank(of: node) < rank(of: current) }
        let names = parent.children.map(\.instance)
        return names.firstIndex(of: node.instance) ?? 0 < names.firstIndex(of: current.instance) ?? 0
    }

    func isPresented(_ node: ModelNode) -> Bool { node.isVisible && isInSight(node) }

    /// Whether a flow would have a screen in sight if it was in sight itself (S-41).
    private func showsSomething(_ flow: ModelNode) -> Bool {
        flow.isVisible && flow.children.contains { !isCovered($0) && (!$0.isFlow || showsSomething($0)) }
    }

    /// Whether nothing covers it, and its parent is presented (S-38).
    func isInSight(_ node: ModelNode) -> Bool {
        guard let parent = node.parent else { return !isCovered(node) }
        return !isCovered(node) && isPresented(parent)
    }

    func select(_ node: ModelNode) {
        guard let parent = node.parent, definitions.flows[parent.definition].children == .tabs else { return }
        parent.selections.removeAll { $0 === node }
        parent.selections.append(node)
    }

    /// Reports changed properties. Readiness (S-26) is computed from the leaves up and is never lost.
    func reportChanges() {
        lookForWakingScreens()
        for root in roots { settleReadiness(root) }
        for root in roots { reportChanges(root, !isCovered(root)) }
    }

    func settleReadiness(_ node: ModelNode) {
        for child in node.children { settleReadiness(child) }
        if node.initialHasEnded && node.awaited.allSatisfy({ !$0.isLive || $0.isReady }) {
            node.isReady = true
            node.awaited = []
        }
    }

    private func reportChanges(_ node: ModelNode, _ isUncovered: Bool) {
        let isPresented = node.isVisible && isUncovered
        let current = current(of: node)
        var changes = ObservedEffect.Changes(path: node.path)
        if node.isVisible != node.reported.isVisible { changes.isVisible = node.isVisible }
        if isPresented != node.reported.isPresented { changes.isPresented = isPresented }
        if !node.isFlow && isUncovered != node.reported.isInSight { changes.isInSight = isUncovered }
        if node.isFlow && node.isReady != node.reported.isReady { changes.isReady = node.isReady }
        if current !== node.reported.current { changes.current = current?.path ?? "" }
        let arguments = node.arguments.broadcastable
        if arguments != node.reported.arguments { changes.arguments = arguments }
        if node.output != node.reported.output { changes.output = node.output }
        if node.style != node.reported.style { changes.style = node.style }
        if node.isWaiting != node.reported.isWaiting { changes.isWaiting = node.isWaiting }
        if node.contextIsNew { changes.context = node.context.published }
        let context = node.contextIsNew ? node.context.published : node.reported.context
        node.contextIsNew = false
        if !changes.isEmpty { observed.append(.changed(changes)) }
        node.reported = ModelNode.ReportedState(
            isVisible: node.isVisible, isPresented: isPresented, isInSight: isUncovered, isReady: node.isReady,
            current: current, arguments: arguments, output: node.output, style: node.style, isWaiting: node.isWaiting,
            context: context)
        for child in node.children { reportChanges(child, isPresented && !isCovered(child)) }
    }

    /// All properties, as reported.
    var reported: [String: ObservedEffect.Changes] {
        var all: [String: ObservedEffect.Changes] = [:]
        for node in nodes {
            all[node.path] = ObservedEffect.Changes(
                path: node.path, arguments: node.reported.arguments, isVisible: node.reported.isVisible,
                isPresented: node.reported.isPresented, isInSight: node.isFlow ? nil : node.reported.isInSight,
                isReady: node.reported.isReady, current: node.reported.current?.path ?? "",
                output: node.reported.output, style: node.reported.style, isWaiting: node.reported.isWaiting,
                context: node.isFlow ? node.reported.context : nil)
        }
        return all
    }

    /// The presentable as it is now.
    func state(of node: ModelNode) -> ObservedEffect.Presentable {
        ObservedEffect.Presentable(
            path: node.path, name: node.name, parent: node.parent?.path, style: node.style, instance: node.instance,
            arguments: node.arguments.broadcastable, isVisible: node.isVisible, isPresented: isPresented(node),
            isInSight: node.isFlow ? nil : isInSight(node), definition: node.isFlow ? node.name : nil,
            isReady: node.isReady, current: current(of: node)?.path,
            output: node.output, context: node.context.published)
    }

    // MARK: - Steps

    func newOrigin() -> Int {
        origins += 1
        return origins
    }

    func queue(_ step: ModelStep) {
        var step = step
        orders += 1
        step.order = orders
        waiting.append(step)
    }

    /// Counts a step that its origin triggers. Returns false at the limit (S-11).
    func mayTrigger(_ step: ModelStep) -> Bool {
        if triggered[step.origin, default: 0] < Limits.triggeredSteps {
            triggered[step.origin, default: 0] += 1
            return true
        }
        if loops.insert(step.origin).inserted { reportFailure(step, .error(.navigationLoop)) }
        if step.purpose == .initial { step.flow.initialHasEnded = true }
        noteFailedCreation(step, FlowError.Code.navigationLoop.busName)
        return false
    }

    /// Triggers a step.
    func trigger(_ step: ModelStep, isHead: Bool = false) {
        var step = step
        step.isHead = isHead
        if mayTrigger(step) { queue(step) }
    }

    /// Takes all waiting steps: older origins first, within one in the order of triggering (S-6).
    func finish() {
        while true {
            if !waiting.contains(where: { !$0.isHead }) {
                dismissEmpty()
                endTurns()
            }
            let next = waiting.indices.min {
                (waiting[$0].origin, waiting[$0].order) < (waiting[$1].origin, waiting[$1].order)
            }
            guard let next else { return }
            take(waiting.remove(at: next))
        }
    }

    /// Queues the steps that waited for their presentable to be presented, parents first and in order; in turn only the first of each
    /// (S-16).
    func release() {
        for node in nodes where (node.initialStep != nil || !node.deferred.isEmpty) && isPresented(node) {
            let all = [node.initialStep].compactMap(\.self) + node.deferred
            let isInTurn = whenHidden(node) == .turn
            if isInTurn, node.turn != nil { continue }
            if isInTurn { node.turn = all[0].origin }
            for var step in isInTurn ? [all[0]] : all {
                step.isHead = true
                queue(step)
            }
            node.deferred = isInTurn ? Array(node.deferred.dropFirst(node.initialStep == nil ? 1 : 0)) : []
            node.initialStep = nil
        }
    }

    func reportFailure(_ step: ModelStep, _ reason: NavigationFailure.Reason) {
        observed.append(
            .failed(
                ObservedEffect.Failure(
                    flow: step.flow.teller.path, cause: step.cause, client: step.client,
                    step: definitions[step.step].name, reason: reason)))
    }
}
