import Testing

@testable import FlowCore

/// A coordinator with concise methods for events. Each returns its effects, a line for each (``Effect/line``).
final class World {
    var coordinator: Coordinator
    /// The effects of the latest event.
    private(set) var effects: [Effect] = []
    /// The stored records.
    private var archive = Archive()
    var records: [Record] { archive.records }
    /// The number of calls.
    private(set) var requests: UInt64 = 0
    /// The number of effects and steps in a slice.
    var sliceSize = Int.max
    /// In µs; the time of the next event.
    var now: UInt64 = 0

    /// The clients that the shell was asked to watch. Any client with usage is watched, so the lines do not contain it.
    private(set) var watched: [String] = []

    init(_ builder: DefinitionsBuilder, quotas: Quotas = .service) {
        self.quotas = quotas
        coordinator = Coordinator(definitions: builder.definitions, basePath: "", quotas: quotas)
    }

    private let quotas: Quotas

    /// The timings of the latest event (S-46), which the lines do not contain.
    private(set) var timings: [PresentationTiming] = []

    /// What the latest event reported of the screens in sight, and of Back, which the lines do not contain.
    private(set) var sight: [String] = []

    /// Records the effects of an event. ``BusModel`` and the model compare `InSight`, so the lines do not contain it.
    private func take(_ all: [Effect]) {
        (timings, sight) = ([], [])
        effects = all.compactMap { effect in
            switch effect {
            case .emitStackChanged, .emitBackChanged, .emitSightChanged:
                sight.append(effect.line)
                return nil
            default: break
            }
            if case .reportTiming(let timing) = effect {
                timings.append(timing)
                return nil
            }
            guard case .watchClient(let client) = effect else { return effect.withoutInSight }
            watched.append(client.name)
            return nil
        }
    }

    /// A coordinator with one root of this flow, begun by `:1.0`.
    convenience init(root flow: String, _ builder: DefinitionsBuilder) throws {
        self.init(builder)
        try coordinate(flow, by: ":1.0")
    }

    @discardableResult
    func handle(_ event: Event) -> [String] {
        let explanation =
            coordinator.forest.count < 300 && !coordinator.pendingWork.hasMore
            ? coordinator.explain(event, at: Instant(microseconds: now)) : nil
        take(
            coordinator.handle(event, at: Instant(microseconds: now), inSlicesOf: sliceSize) {
                let complaints = archive.update(from: &$0)
                if !complaints.isEmpty { Issue.record("records: \(complaints) amid \(event)") }
            })
        // The stored records have to match the state, after every event of every test.
        let complaints = archive.update(from: &coordinator, comparing: archive.bodies.count < 300)
        if !complaints.isEmpty { Issue.record("records: \(complaints) after \(event)") }
        if archive.bodies.count < 300, !coordinator.forest.hasSightings, !stopsTimes {
            Issue.record("times: \(coordinator.machine.timings.emissions) after \(event)")
        }
        // The explanation of a step has to match its effects.
        if let complaint = explanation?.complaint(about: effects, of: event) {
            Issue.record("\(complaint) of \(event)")
        }
        return effects.map(\.line)
    }

    /// Handles one slice of an event; the rest follows with the next event.
    @discardableResult
    func begin(_ event: Event, upTo size: Int = 1) -> [String] {
        effects = coordinator.handle(event, at: Instant(microseconds: now), upTo: size)
        let complaints = archive.update(from: &coordinator)
        if !complaints.isEmpty { Issue.record("records: \(complaints) after a slice of \(event)") }
        return effects.map(\.line)
    }

    /// Ends the process in an orderly way; ``restart(_:onSameBus:owners:)`` follows.
    func endOrderly() {
        coordinator.releaseReservedNumbers()
        _ = archive.update(from: &coordinator)
    }

    /// Restarts the process, with other definitions if any are given. The owners of bus names are known before, as set
    /// with ``own(_:_:)``.
    @discardableResult
    func restart(_ builder: DefinitionsBuilder? = nil, onSameBus: Bool = true, owners: [String: String] = [:])
        -> [String]
    {
        let records = archive.records.map { onSameBus ? $0 : $0.withoutPrivateArguments }
        coordinator = Coordinator(
            definitions: builder?.definitions ?? coordinator.registrations.files, basePath: coordinator.forest.base,
            quotas: quotas)
        watched = []
        for (name, owner) in owners.sorted(by: { $0.key < $1.key }) {
            _ = coordinator.handle(.nameOwnerChanged(name, owner: Client(owner)), at: Instant(microseconds: now))
        }
        take(coordinator.handle(.restored(records, onSameBus: onSameBus), at: Instant(microseconds: now)))
        archive = Archive()
        archive.keep(coordinator.takeAllRecords(like: archive.found(records)))
        requests = max(requests, coordinator.latestRequest.number)
        return effects.map(\.line)
    }

    @discardableResult
    func emit(
        _ step: String, _ arguments: KeyValuePairs<String, Value> = [:], on path: String, by client: String = ":1.1",
        token: String? = nil, instance: UInt64? = nil
    ) throws -> [String] {
        try emit(
            step, arguments, on: path, by: client,
            options: token == nil && instance == nil ? nil : EmissionOptions(token: token, instance: instance))
    }

    @discardableResult
    func emit(
        _ step: String, _ arguments: KeyValuePairs<String, Value> = [:], on path: String, by client: String = ":1.1",
        options: EmissionOptions?
    ) throws -> [String] {
        handle(
            .stepEmitted(
                nextRequest(), on: try node(path), step: try id(ofStep: step), arguments: list(arguments),
                by: Client(client), options: options))
    }

    /// Takes a step back by its token.
    @discardableResult
    func cancel(_ token: String, on path: String, by client: String = ":1.1") throws -> [String] {
        handle(.stepCancelled(nextRequest(), on: try node(path), token: token, by: Client(client)))
    }

    /// Emits several steps; undeclared names are refused.
    @discardableResult
    func emitAll(_ steps: [String], on path: String, by client: String = ":1.1") throws -> [String] {
        let steps = steps.map { name -> EmittedStep in
            let step = coordinator.definitions.step(named: name)
            return step.map { .step($0, []) } ?? .refused(coordinator.definitions.unknownStep(name))
        }
        return handle(.stepsEmitted(nextRequest(), on: try node(path), steps, by: Client(client)))
    }

    @discardableResult
    func show(_ path: String, by client: String = ":1.1") throws -> [String] {
        handle(.visibilityChanged(nextRequest(), of: try node(path), isVisible: true, by: Client(client)))
    }

    @discardableResult
    func hide(_ path: String, by client: String = ":1.1") throws -> [String] {
        handle(.visibilityChanged(nextRequest(), of: try node(path), isVisible: false, by: Client(client)))
    }

    @discardableResult
    func dismiss(_ path: String, by client: String = ":1.1") throws -> [String] {
        handle(.presentableDismissed(nextRequest(), try node(path), by: Client(client)))
    }

    @discardableResult
    func touch(_ path: String, by client: String = ":1.1") throws -> [String] {
        handle(.presentableTouched(nextRequest(), try node(path), by: Client(client)))
    }

    /// Sets the owner of a bus name, or none.
    @discardableResult
    func own(_ name: String, _ owner: String?) -> [String] {
        handle(.nameOwnerChanged(name, owner: owner.map(Client.init)))
    }

    @discardableResult
    func coordinate(
        _ flow: String, id: String? = nil, _ arguments: KeyValuePairs<String, Value> = [:], step: String? = nil,
        _ stepArguments: KeyValuePairs<String, Value> = [:], by client: String = ":1.1", token: String? = nil,
        activationToken: String? = nil
    ) throws -> [String] {
        let found = coordinator.definitions.flow(named: flow)
        let definition = try #require(found, "no flow '\(flow)'")
        return handle(
            .flowRequested(
                nextRequest(),
                FlowRequest(
                    definition, id: id, arguments: list(arguments), step: try step.map { try self.id(ofStep: $0) },
                    stepArguments: list(stepArguments), by: Client(client), token: token,
                    activationToken: activationToken)))
    }

    @discardableResult
    func navigate(
        _ step: String, _ arguments: KeyValuePairs<String, Value> = [:], by client: String = ":1.1",
        activationToken: String? = nil, waits: Bool = true
    ) throws -> [String] {
        handle(
            .deepLinkOpened(
                nextRequest(), step: try id(ofStep: step), arguments: list(arguments), by: Client(client),
                activationToken: activationToken, waits: waits))
    }

    @discardableResult
    func reload(_ builder: DefinitionsBuilder) -> [String] {
        handle(.definitionsRead(builder.definitions))
    }

    @discardableResult
    func back(_ path: String, by client: String = ":1.1", options: BackOptions? = nil) throws -> [String] {
        handle(.backPressed(nextRequest(), on: try node(path), by: Client(client), options: options))
    }

    func peekBack(_ path: String, by client: String = ":1.1") throws -> BackPreview {
        try coordinator.peekBack(at: try node(path), by: Client(client))
    }

    /// Sets the step that Back takes on a screen, or none.
    @discardableResult
    func setBackStep(_ path: String, _ step: String?, by client: String = ":1.1") throws -> [String] {
        let step = try step.map { try id(ofStep: $0) }
        return handle(.backStepSet(nextRequest(), of: try node(path), step, by: Client(client)))
    }

    /// The owner of a screen gives it a title.
    @discardableResult
    func setTitle(_ path: String, _ title: String, by client: String = ":1.1") throws -> [String] {
        handle(.titleSet(nextRequest(), of: try node(path), title, by: Client(client)))
    }

    /// The owner of a screen saves a state.
    @discardableResult
    func saveState(_ path: String, _ state: Arguments, by client: String = ":1.1") throws -> [String] {
        handle(.stateSaved(nextRequest(), of: try node(path), state, by: Client(client)))
    }

    /// The owner of a screen finishes it with a result.
    @discardableResult
    func finish(
        _ path: String, _ result: KeyValuePairs<String, Value> = [:], by client: String = ":1.1"
    ) throws -> [String] {
        handle(.screenFinished(nextRequest(), of: try node(path), list(result), by: Client(client)))
    }

    /// Emits a step whose emitter wants to know the result.
    @discardableResult
    func ask(
        _ step: String, on path: String, by client: String = ":1.1", token: String = "t", waits: Bool = true
    ) throws -> [String] {
        try emit(step, on: path, by: client, options: EmissionOptions(token: token, waits: waits, asks: true))
    }

    /// The owner of a presentable acknowledges an answer.
    @discardableResult
    func acknowledge(_ path: String, by client: String = ":1.1", token: String = "t") throws -> [String] {
        handle(.answerAcknowledged(nextRequest(), of: try node(path), token: token, by: Client(client)))
    }

    /// The answers to asks of the latest event.
    var told: [String] {
        effects.compactMap { if case .emitAnswered = $0 { $0.line } else { nil } }
    }

    /// Navigates along flows by name, each with or without a step: `[("main", "open"), ("list", "")]`.
    @discardableResult
    func navigateAlong(
        _ path: [(flow: String, step: String)], by client: String = ":1.1", timeout: UInt64 = Limits.pathTimeout,
        below root: String? = nil, activationToken: String? = nil, blocks: Bool = true
    ) throws -> [String] {
        let segments = try path.map { segment in
            PathSegment(flow: segment.flow, step: segment.step.isEmpty ? nil : try id(ofStep: segment.step))
        }
        return handle(
            .pathOpened(
                nextRequest(), segments, by: Client(client), timeout: timeout, below: try root.map { try node($0) },
                activationToken: activationToken, blocks: blocks))
    }

    /// Advances the time, in µs, and fires the timer.
    @discardableResult
    func wait(_ time: UInt64) -> [String] {
        now += time
        return handle(.timerFired)
    }

    func node(_ path: String) throws -> NodeID {
        let node = coordinator.node(at: path)
        return try #require(node, "nothing is live at '\(path)'")
    }

    /// All live presentables, parents before children.
    var live: [Node] { coordinator.forest.preorder().map { [forest = coordinator.forest] in forest[$0] } }

    /// The node of a presentable.
    func forestNode(_ path: String) throws -> Node { coordinator.forest[try node(path).slot] }

    /// The reported state of a presentable.
    func state(_ path: String) throws -> PresentableState {
        let slot = coordinator.forest.slot(of: try node(path))
        return coordinator.forest.state(of: try #require(slot))
    }

    func isPresented(_ path: String) throws -> Bool { try state(path).isPresented }
    func isReady(_ path: String) throws -> Bool { try state(path).isReady }
    func current(_ path: String) throws -> String? { try state(path).current }
    var paths: [String] { coordinator.paths }

    /// The error of the latest event.
    func refusal() throws -> FlowError {
        guard case .fail(_, let error) = effects.last else {
            throw UnexpectedEffect()
        }
        return error
    }

    /// The failures that the latest event reported.
    var failures: [NavigationFailure] {
        effects.compactMap { if case .emitNavigationFailed(let failure) = $0 { failure } else { nil } }
    }

    /// The navigations of the latest event: the flow, and the step.
    var navigations: [String] {
        effects.compactMap { if case .emitNavigationOccurred(let it) = $0 { "\(it.flow) \(it.step)" } else { nil } }
    }

    struct UnexpectedEffect: Error {}

    /// The state that a refusal leaves unchanged.
    var standing: CoordinatorSnapshot { CoordinatorSnapshot(of: coordinator) }

    func nextRequest() -> RequestID {
        requests += 1
        return RequestID(requests)
    }

    func id(ofStep name: String) throws -> StepID {
        let step = coordinator.definitions.step(named: name)
        return try #require(step, "no step '\(name)'")
    }

    private func list(_ arguments: KeyValuePairs<String, Value>) -> Arguments {
        arguments.map { Argument($0.key, $0.value) }
    }
}

extension [Effect] {
    /// The effects without requests to watch clients.
    var withoutWatches: [Effect] { filter { if case .watchClient = $0 { false } else { true } } }
}
