internal import FlowCore

/// A host that runs the state machine in this process, without a bus or a service.
///
/// It carries out effects as the service does: it asks flows, reports events, and measures time. Events wait in a
/// queue, so that an event that a flow causes during a question or a report is handled after it, in order. Answers wait
/// there, too, as they do on the bus. So both hosts handle the same steps in the same order.
///
/// Swift checks at run time that nothing uses a property while it is changed, which is a tenth of what a step costs. That is left out
/// for properties that each step uses, if no code of the program can run while they change: neither closures nor what a step calls.
@FlowActor
final class LocalHost: Host {
    @exclusivity(unchecked) weak var delegate: (any HostDelegate)?

    /// The client of all events. It is on no bus, so the name appears in messages only.
    static let client = Client(LocalTexts.client)
    static let ended = NavigationError(.flowEnded, "the coordinator has ended")
    private static let unknownScreen = Fault(FlowError(.presentableDismissed, "the screen is gone"))

    /// The machine. There are no objects, so its paths are those of ``NodePath``.
    @exclusivity(unchecked) var core = Coordinator(
        definitions: Definitions(), basePath: nil, quotas: .process, isRecorded: false, soleClient: LocalHost.client)
    /// What was not handled yet.
    @exclusivity(unchecked) private(set) var waiting = LocalQueue()
    /// The names of the steps.
    let steps = LocalSteps()
    private var isHandling = false
    /// The time of the events that are handled in a row.
    private(set) var time = Instant(microseconds: 0)
    /// Whether a task that handles them is scheduled.
    private var isScheduled = false
    /// The effects of the latest event; empty, but for its memory, between two events.
    @exclusivity(unchecked) var effects: [Effect] = []
    /// The call whose step is emitted now.
    @exclusivity(unchecked) private(set) var emitting: LocalCall?
    /// Its outcome, if its caller takes it from here.
    @exclusivity(unchecked) private var outcome: Result<StepOutcome, NavigationError>?
    /// How many calls in a row were handled at once.
    private var callsInARow = 0
    /// The live flows, whose questions need not look for them.
    @exclusivity(unchecked) var flows = LocalFlows()
    @exclusivity(unchecked) var screens = PlainScreens()
    @exclusivity(unchecked) var lastStep: (name: String, id: StepID)?
    var isClosed = false
    /// Unanswered calls, by number.
    var answers: [UInt64: PendingAnswer] = [:]
    var texts = LocalTexts()
    var lastRequest: UInt64 = 0
    /// Emitted steps that were answered `pending`.
    @exclusivity(unchecked) var pending = PendingSteps()
    /// Asks without an answer.
    var asks = PendingAsks()
    var lastAsk: UInt64 = 0
    /// Calls that a flow's open question delays.
    var delayed: [(flow: NodePath, call: () -> Void)] = []
    /// Questions that wait for an answer.
    @exclusivity(unchecked) var questions: [QuestionID: PendingQuestion] = [:]
    /// What received the latest answers that came at once: the next one has it, too.
    @exclusivity(unchecked) var adaptReceiver: AdaptReceiver?
    @exclusivity(unchecked) var navigateReceiver: NavigateReceiver?
    let clock: HostClock
    private var alarm: Task<Void, Never>?

    /// What waits until nothing is to be done.
    @exclusivity(unchecked) private var settled: [@FlowActor () -> Void] = []

    init(_ clock: HostClock = .continuous) { self.clock = clock }

    func close() {
        isClosed = true
        alarm?.cancel()
        for question in questions.values { question.clock?.cancel() }
        questions = [:]
        let ended = Self.ended
        var calls = answers.map { number, call in (number: number, end: { call.done(.failure(ended)) }) }
        calls += waiting.takeAll().map { call in (number: call.number, end: { call.end(.failure(ended)) }) }
        let steps = pending.takeAll().map(\.done)
        answers = [:]
        let refused = delayed
        delayed = []
        for call in calls.sorted(by: { $0.number < $1.number }) { call.end() }
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

    func enqueue(_ emission: consuming LocalEmission) {
        guard !isClosed else { return }
        waiting.append(emission)
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
            handle(consume next)
        }
        isHandling = false
        if waiting.isEmpty { callSettled() } else { wake() }
    }

    private func handle(_ entry: consuming LocalQueue.Entry) {
        switch consume entry {
        case .emission(let emission): emit(emission.step, by: emission.call)
        case .event(let make): if let event = make(self) { handle(event) }
        }
    }

    private func handle(_ event: consuming Event) {
        core.handle(event, at: time, into: &effects)
        carryOutEffects()
    }

    private func carryOutEffects() {
        if effects.isEmpty { return }
        var list: [Effect] = []
        swap(&list, &effects)
        // Moved out of the list: an effect that stays there is copied to be looked at.
        list.reverseInPlace()
        while let effect = list.popLast() {
            if !isClosed { carryOut(consume effect) }
        }
        swap(&list, &effects)
    }

    // MARK: Emitted steps

    /// The number of steps that are emitted at once, before other tasks of the main actor have their turn.
    private static var mostCallsInARow: Int { 64 }

    func emitAtOnce(_ step: StepMessage, on path: NodePath, instance: UInt64) -> AtOnce? {
        guard waiting.isEmpty, !isHandling, !isScheduled, !isClosed, callsInARow < Self.mostCallsInARow, instance != 0
        else {
            callsInARow = 0
            return nil
        }
        callsInARow += 1
        lastRequest += 1
        isHandling = true
        time = now
        emit(step, by: LocalCall(number: lastRequest, path: path, instance: instance, caller: .direct))
        isHandling = false
        // Without an outcome it was closed meanwhile.
        let outcome = outcome.take() ?? .failure(Self.ended)
        var awaited: AwaitedOutcome?
        if case .success(let first) = outcome, first.verdict == .pending {
            let undecided = AwaitedOutcome()
            // The steps of a presentable are decided in order, so it has its place before those that follow.
            pending.add(nil, on: path.text) { undecided.decide($0) }
            awaited = undecided
        }
        if waiting.isEmpty { callSettled() } else { handleWaiting() }
        return awaited.map { awaited in .waiting { awaited.wait($0) } } ?? .decided(outcome)
    }

    /// Emits a step, whose turn has come.
    private func emit(_ message: StepMessage, by call: LocalCall) {
        emitting = call
        do throws(FlowError) {
            let node = try node(at: call.path, call.instance)
            // No caller blocks: a flow that is being asked can emit, and its step waits (S-32).
            var question = core.emit(
                try step(message), message.arguments, on: node, by: Self.client, waits: false,
                RequestID(call.number), at: time, into: &effects)
            carryOutEffects()
            while let held = question, !isClosed {
                question = answer(held)
                carryOutEffects()
            }
        } catch {
            fail(call.number, error)
        }
        // It has no answer if the host was closed meanwhile.
        if emitting != nil { conclude(.failure(Self.ended)) }
    }

    /// The step that is emitted now has an outcome, which can be `pending`.
    private func conclude(_ result: Result<StepOutcome, NavigationError>) {
        guard let call = emitting.take() else { return }
        if case .direct = call.caller { return outcome = result }
        if case .success(let first) = result, first.verdict == .pending {
            pending.add(nil, on: call.path.text) { call.end($0) }
        } else {
            call.end(result)
        }
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
        if let emitting, emitting.number == number {
            let error = localized(NavigationError(error), at: emitting.path.text)
            return conclude(.failure(Self.asOnTheBus(error)))
        }
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

    private func carryOut(_ effect: consuming Effect) {
        switch consume effect {
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
            if node.isFlow { flows.add(node) }
            delegate?.added(consume node)
        case .removePresentable(let path, let isFlow):
            if isFlow { flows.remove(path) }
            delegate?.removed(NodePath(path))
        case .changeProperties(let changes):
            if let isPresented = changes.properties.flag(.presented) {
                delegate?.changed(NodePath(changes.path), .presented(isPresented))
            }
            if changes.properties.flag(.ready) == true { delegate?.changed(NodePath(changes.path), .ready) }
        case .emitNavigationOccurred(let navigation):
            let path = flows.place(at: navigation.flow)?.path ?? NodePath(navigation.flow)
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
        case .reply(let request, let answer):
            if emitting?.number == request.number {
                conclude(.success(StepOutcome(answer)))
            } else {
                answers.removeValue(forKey: request.number)?.done(.success(answer))
            }
        case .fail(let request, let error): fail(request.number, error)
        case .startTimer(let time): arm(time)
        // The numbers of steps are others by then.
        case .emitDefinitionsChanged: (lastStep, screens) = (nil, PlainScreens())
        // There are no other clients, and the delegate learns of removals from the tree.
        case .withdraw, .startService, .askAlive, .endProcess, .watchClient, .emitNavigationWillOccur, .reportUnstarted,
            .reportUnrestored, .reportTiming, .reportDelay:
            break
        }
    }

    private func present(_ presentation: FlowCore.Presentation) {
        let (shown, instance) = (presentation.shown, presentation.instance)
        guard let delegate, delegate.present(shown, instance: instance) else {
            return enqueue { host in
                host.failPresentation(of: instance)
                return nil
            }
        }
        delegate.presented(shown.path, instance: instance, presentation.answers.map(AskMessage.init))
    }

    private func failPresentation(of instance: UInt64) {
        guard let screen = core.node(instance: instance) else { return }
        core.failPresentation(of: screen, Self.unknownScreen, at: time, into: &effects)
        carryOutEffects()
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
