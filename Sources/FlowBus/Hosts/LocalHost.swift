internal import FlowCore

/// A host that runs the state machine in this process, without a bus or a service.
///
/// It carries out effects as the service does: it asks flows, reports events, and measures time. Events wait in a
/// queue, so that an event that a flow causes during a question or a report is handled after it, in order. Answers wait
/// there, too, as they do on the bus. So both hosts handle the same steps in the same order.
@FlowActor
final class LocalHost: Host {
    weak var delegate: (any HostDelegate)?

    /// The client of all events. It is on no bus, so the name appears in messages only.
    static let client = Client(LocalTexts.client)
    static let ended = NavigationError(.flowEnded, "the coordinator has ended")
    private static let unknownScreen = Fault(Fault.refusal, "the screen is gone")

    /// The machine. There are no objects, so its paths are those of ``NodePath``.
    var core = Coordinator(
        definitions: Definitions(), basePath: nil, quotas: .process, isRecorded: false)
    /// What was not handled yet.
    private var waiting = Fifo<@FlowActor (LocalHost) -> Event?>()
    /// The names of the steps.
    let steps = LocalSteps()
    private var isHandling = false
    /// The time of the events that are handled in a row.
    private(set) var time = Instant(microseconds: 0)
    /// Whether a task that handles them is scheduled.
    private var isScheduled = false
    /// The places of the live flows, by their paths.
    private(set) var flows: [String: FlowPlace] = [:]
    var isClosed = false
    /// Unanswered calls, by number.
    var answers: [UInt64: PendingAnswer] = [:]
    var texts = LocalTexts()
    var lastRequest: UInt64 = 0
    /// Emitted steps that were answered `pending`.
    var pending = PendingSteps()
    /// Asks without an answer.
    var asks = PendingAsks()
    /// Calls that a flow's open question delays.
    var delayed: [(flow: NodePath, call: () -> Void)] = []
    /// Questions that wait for an answer.
    var questions: [QuestionID: PendingQuestion] = [:]
    let clock: HostClock
    private var alarm: Task<Void, Never>?

    /// What waits until nothing is to be done.
    private var settled: [@FlowActor () -> Void] = []

    init(_ clock: HostClock = .continuous) { self.clock = clock }

    func close() {
        isClosed = true
        alarm?.cancel()
        for question in questions.values { question.clock?.cancel() }
        questions = [:]
        let ended = Self.ended
        let calls = answers.sorted { $0.key < $1.key }.map(\.value)
        waiting = Fifo()
        let steps = pending.takeAll().map(\.done)
        answers = [:]
        let refused = delayed
        delayed = []
        for call in calls { call.done(.failure(ended)) }
        for step in steps { step(.failure(ended)) }
        for done in asks.takeAll() { done(.failure(ended)) }
        // They are refused now.
        for call in refused { call.call() }
        callSettled()
    }

    // MARK: Events

    private var now: Instant { Instant(microseconds: clock.elapsed().microseconds) }

    /// A question to a flow.
    struct PendingQuestion {
        let flow: NodePath
        /// Measures the time limit, if the answer does not come immediately.
        var clock: Task<Void, Never>?
    }

    /// Enqueues an event. It is handled after its caller has returned, so that no flow is asked while another flow, or
    /// the emitter, is running.
    func enqueue(_ event: @escaping @FlowActor (LocalHost) -> Event?) {
        guard !isClosed else { return }
        waiting.append(event)
        wake()
    }

    private func wake() {
        if isHandling || isScheduled { return }
        isScheduled = true
        Task { @FlowActor [weak self] in
            guard let self else { return }
            time = now
            handleWaiting()
        }
    }

    /// Handles the queued events and those that they cause, up to a number: a stepper that emits without end leaves
    /// other tasks their turn.
    private func handleWaiting() {
        isScheduled = false
        isHandling = true
        var count = 0
        while count < Self.eventsPerTurn, let next = waiting.popFirst() {
            count += 1
            if let event = next(self) { handle(event) }
        }
        isHandling = false
        if waiting.isEmpty { callSettled() } else { wake() }
    }

    private func handle(_ event: Event) {
        for effect in core.handle(event, at: time) where !isClosed { carryOut(effect) }
    }

    // MARK: Rest

    var isSettled: Bool { waiting.isEmpty && !isHandling && questions.isEmpty }

    func whenSettled(_ call: @escaping @FlowActor () -> Void) {
        if isSettled { call() } else { settled.append(call) }
    }

    private func callSettled() {
        guard !settled.isEmpty, isSettled else { return }
        let calls = settled
        settled = []
        for call in calls { call() }
    }

    /// The number of events that are handled before other tasks of the main actor have their turn.
    private static var eventsPerTurn: Int { 256 }

    // MARK: Messages

    /// A call without an answer.
    struct PendingAnswer {
        /// The object that it is about; nil if it is about none.
        let path: NodePath?
        let done: Done<Answer>
    }

    /// Refuses a call.
    func fail(_ number: UInt64, _ error: FlowError) {
        guard let answer = answers.removeValue(forKey: number) else { return }
        answer.done(.failure(localized(NavigationError(error), at: answer.path?.text)))
    }

    private func localized(_ error: NavigationError, at path: String?) -> NavigationError {
        NavigationError(error.code, texts.text(error.message, about: path.flatMap(definition(at:))))
    }

    /// An outcome with a message that speaks of Swift.
    func localized(
        _ result: Result<StepOutcome, NavigationError>, at path: String
    ) -> Result<StepOutcome, NavigationError> {
        result.mapError { localized($0, at: path) }
    }

    private func localized(_ failure: FlowCore.NavigationFailure) -> NavigationFailure {
        var failure = failure
        failure.message = texts.text(failure.message, about: definition(at: failure.flow))
        return NavigationFailure(failure)
    }

    /// The definition of a flow, or of the flow that a screen belongs to.
    func definition(at path: String) -> String? {
        guard let node = core.node(at: path) else { return nil }
        if case .text(let name) = core.value(of: .definition, at: node) { return name }
        return NodePath(path).parent.flatMap { definition(at: $0.text) }
    }

    // MARK: Effects

    private func carryOut(_ effect: Effect) {
        switch effect {
        case .askGuard(let question):
            ask(question) { delegate, asked, id in
                delegate.adapt(asked) { [weak self] answer in self?.takeAnswer(answer, to: id) }
            } timedOut: {
                .guardReplied($0, .timedOut)
            }
        case .askNavigator(let question):
            ask(question) { delegate, asked, id in
                delegate.navigate(asked) { [weak self] answer in self?.takeAnswer(answer, to: id) }
            } timedOut: {
                .navigatorReplied($0, .timedOut)
            }
        case .dropQuestion(let id): if removeQuestion(id) { callDelayed() }
        case .present(let presentation): present(presentation)
        case .addPresentable(let state):
            let node = HostNode(state)
            if node.isFlow { flows[node.path.text] = FlowPlace(node.path, definition: node.name) }
            delegate?.added(consume node)
        case .removePresentable(let path, let isFlow):
            if isFlow { flows[path] = nil }
            delegate?.removed(NodePath(path))
        case .changeProperties(let changes):
            if let isPresented = changes.properties.flag(.presented) {
                delegate?.changed(NodePath(changes.path), .presented(isPresented))
            }
            if changes.properties.flag(.ready) == true { delegate?.changed(NodePath(changes.path), .ready) }
        case .emitNavigationOccurred(let navigation):
            let path = flows[navigation.flow]?.path ?? NodePath(navigation.flow)
            delegate?.didNavigate(HostNavigation(navigation, at: path))
        case .emitNavigationFailed(let failure): delegate?.failed(localized(failure))
        case .emitStepConcluded(let conclusion):
            let result = localized(Result(conclusion.outcome), at: conclusion.path)
            for done in pending.conclude(conclusion.token, on: conclusion.path) { done(result) }
        case .emitAnswered(let answered):
            let answer = AskMessage(answered.answer)
            if let done = asks.remove(answer.token) {
                done(.success(answer))
            } else if let node = core.node(at: answered.path),
                case .number(let instance) = core.value(of: .instance, at: node)
            {
                delegate?.answered(instance: instance, answer)
            }
        case .reply(let request, let answer): answers.removeValue(forKey: request.number)?.done(.success(answer))
        case .fail(let request, let error): fail(request.number, error)
        case .startTimer(let time): arm(time)
        // There are no other clients, and the delegate learns of removals from the tree.
        case .withdraw, .startService, .changeContext, .emitContextChanged, .askAlive, .endProcess, .watchClient,
            .emitNavigationWillOccur, .emitDefinitionsChanged, .emitStackChanged, .emitBackChanged, .emitSightChanged,
            .reportUnstarted, .reportUnrestored, .reportTiming, .reportDelay:
            break
        }
    }

    private func present(_ presentation: FlowCore.Presentation) {
        let (shown, instance) = (presentation.shown, presentation.instance)
        let isShown = delegate?.present(shown, instance: instance, known: nil) != nil
        enqueue { _ in
            .presenterReplied(
                presentation.id, isShown ? .presented(by: Self.client) : .failed(Self.unknownScreen))
        }
        if isShown { delegate?.presented(shown.path, instance: instance, presentation.answers.map(AskMessage.init)) }
    }

    private func arm(_ time: Instant?) {
        alarm?.cancel()
        alarm = nil
        guard let time else { return }
        let pause = Duration.microseconds(Int64(clamping: time.microseconds)) - clock.elapsed()
        alarm = Task { [weak self, clock] in
            do { try await clock.sleep(max(pause, .zero)) } catch { return }
            self?.enqueue { _ in .timerFired }
        }
    }
}
