internal import FlowCore

/// A host that runs the state machine in this process, without a bus or a service.
///
/// It carries out effects as the service does: it asks flows, reports events, and measures time. Events wait in a
/// queue, so that an event that a flow causes during a question or a report is handled after it, in order. Answers wait
/// there, too, as they do on the bus. So both hosts handle the same steps in the same order.
@MainActor
final class LocalHost: Host {
    weak var delegate: (any HostDelegate)?

    /// The client of all events. It is on no bus, so the name appears in messages only.
    private static let client = Client("this process")
    private static let unknownScreen = Fault(FlowError(.presentableDismissed, "the screen is gone"))

    private var core = Coordinator(
        definitions: Definitions(), basePath: String(NodePath.tree.dropLast()), quotas: .none, isRecorded: false)
    /// Events that were not handled yet. Each is made when its turn comes, because names can refer to others by then.
    private var waiting = Fifo<@MainActor (LocalHost) -> Event?>()
    private var isHandling = false
    /// Whether a task that handles them is scheduled.
    private var isScheduled = false
    private var isClosed = false
    /// Unanswered calls, by number.
    private var answers: [UInt64: Done<Answer>] = [:]
    private var lastRequest: UInt64 = 0
    /// Emitted steps that were answered `pending`.
    private var pending = PendingSteps()
    /// Asks without an answer.
    private var asks = PendingAsks()
    private var lastAsk: UInt64 = 0
    /// Questions that wait for an answer.
    private var questions: [QuestionID: PendingQuestion] = [:]
    private let start = ContinuousClock.now
    private var alarm: Task<Void, Never>?

    func close() {
        isClosed = true
        alarm?.cancel()
        for question in questions.values { question.clock?.cancel() }
        questions = [:]
        let (calls, steps) = (answers.sorted { $0.key < $1.key }.map(\.value), pending.takeAll().map(\.done))
        (answers, waiting) = ([:], Fifo())
        let ended = NavigationError(.flowEnded, "the coordinator has ended")
        for answer in calls { answer(.failure(ended)) }
        for step in steps { step(.failure(ended)) }
        for done in asks.takeAll() { done(.failure(ended)) }
    }

    // MARK: Events

    private var now: Instant {
        let time = (ContinuousClock.now - start).components
        return Instant(
            microseconds: UInt64(clamping: time.seconds) * 1_000_000
                + UInt64(clamping: time.attoseconds / 1_000_000_000_000))
    }

    /// A question to a flow.
    private struct PendingQuestion {
        /// Measures the time limit, if the answer does not come immediately.
        var clock: Task<Void, Never>?
    }

    /// Enqueues an event. It is handled after its caller has returned, so that no flow is asked while another flow, or
    /// the emitter, is running.
    private func enqueue(_ event: @escaping @MainActor (LocalHost) -> Event?) {
        guard !isClosed else { return }
        waiting.append(event)
        wake()
    }

    private func wake() {
        if isHandling || isScheduled { return }
        isScheduled = true
        Task { @MainActor [weak self] in self?.handleWaiting() }
    }

    /// Handles the queued events and those that they cause, up to a number: a stepper that emits without end leaves
    /// other tasks their turn.
    private func handleWaiting() {
        isScheduled = false
        isHandling = true
        var count = 0
        while count < Self.eventsPerTurn, let next = waiting.popFirst() {
            count += 1
            guard let event = next(self) else { continue }
            for effect in core.handle(event, at: now) where !isClosed { carryOut(effect) }
        }
        isHandling = false
        if !waiting.isEmpty { wake() }
    }

    /// The number of events that are handled before other tasks of the main actor have their turn.
    private static var eventsPerTurn: Int { 256 }

    /// Enqueues a call: an event with an answer.
    private func call(
        _ done: @escaping Done<Answer>, _ event: @escaping @MainActor (LocalHost, RequestID) throws(FlowError) -> Event
    ) {
        guard !isClosed else {
            Task { @MainActor in done(.failure(NavigationError(.flowEnded, "the coordinator has ended"))) }
            return
        }
        lastRequest += 1
        let number = lastRequest
        answers[number] = done
        enqueue { host in
            do throws(FlowError) {
                return try event(host, RequestID(number))
            } catch {
                host.answers.removeValue(forKey: number)?(.failure(NavigationError(error)))
                return nil
            }
        }
    }

    /// Enqueues a call about a presentable.
    private func call(
        at path: NodePath, _ instance: UInt64, _ done: @escaping Done<Answer>,
        _ event: @escaping @MainActor (LocalHost, RequestID, NodeID) throws(FlowError) -> Event
    ) {
        call { result in
            // The bus reports a path without an object this way.
            if case .failure(let error) = result, error.code == .presentableDismissed {
                return done(.failure(NavigationError(.unknownObject, error.message)))
            }
            done(result)
        } _: { host, request throws(FlowError) in
            guard
                let node = instance == 0
                    ? host.core.node(at: path.objectPath) : host.core.node(instance: instance)
            else {
                throw FlowError(.presentableDismissed, "there is no live flow or screen '\(path)'")
            }
            return try event(host, request, node)
        }
    }

    /// Enqueues a call about a presentable that answers nothing.
    private func call(
        at path: NodePath, _ instance: UInt64, _ done: @escaping Done<Void>,
        _ event: @escaping @MainActor (RequestID, NodeID) -> Event
    ) {
        call(at: path, instance) {
            done($0.map { _ in })
        } _: { _, request, node in
            event(request, node)
        }
    }

    private func step(_ message: StepMessage) throws(FlowError) -> StepID {
        guard let step = core.definitions.step(named: message.name) else {
            throw core.definitions.unknownStep(message.name)
        }
        return step
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
        case .dropQuestion(let id): questions.removeValue(forKey: id)?.clock?.cancel()
        case .present(let presentation):
            let shown = Presentation(presentation)
            let isThere = delegate?.present(shown, instance: presentation.instance) ?? false
            enqueue { _ in
                .presenterReplied(presentation.id, isThere ? .presented(by: Self.client) : .failed(Self.unknownScreen))
            }
            if isThere {
                delegate?.presented(
                    shown.path, instance: presentation.instance, presentation.answers.map(AskMessage.init))
            }
        case .addPresentable(let state): delegate?.added(HostNode(state))
        case .removePresentable(let path, _): delegate?.removed(NodePath(path))
        case .changeProperties(let changes):
            if let isPresented = changes.properties.flag(.presented) {
                delegate?.changed(NodePath(changes.path), .presented(isPresented))
            }
            if changes.properties.flag(.ready) == true { delegate?.changed(NodePath(changes.path), .ready) }
        case .emitNavigationOccurred(let navigation): delegate?.didNavigate(HostNavigation(navigation))
        case .emitNavigationFailed(let failure): delegate?.failed(NavigationFailure(failure))
        case .emitStepConcluded(let conclusion):
            let result = Result<StepOutcome, NavigationError>(conclusion.outcome)
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
        case .reply(let request, let answer): answers.removeValue(forKey: request.number)?(.success(answer))
        case .fail(let request, let error):
            answers.removeValue(forKey: request.number)?(.failure(NavigationError(error)))
        case .startTimer(let time): arm(time)
        // There are no other clients, and the delegate learns of removals from the tree.
        case .withdraw, .startService, .askAlive, .watchClient, .emitNavigationWillOccur,
            .emitDefinitionsChanged,
            .reportUnstarted, .reportUnrestored, .reportTiming:
            break
        }
    }

    private func arm(_ time: Instant?) {
        alarm?.cancel()
        alarm = nil
        guard let time else { return }
        let due = start + .microseconds(Int64(clamping: time.microseconds))
        alarm = Task { [weak self] in
            do { try await Task.sleep(until: due, clock: .continuous) } catch { return }
            self?.enqueue { _ in .timerFired }
        }
    }

    // MARK: Questions

    /// Asks a flow, and starts the time limit if it does not answer immediately.
    private func ask(
        _ question: Question, _ ask: (any HostDelegate, HostQuestion, QuestionID) -> Void,
        timedOut: @escaping @MainActor (QuestionID) -> Event
    ) {
        guard let delegate else { return }
        let (id, timeout) = (question.id, question.service.timeout)
        questions[id] = PendingQuestion()
        var definition = ""
        if let flow = core.node(at: question.flow), case .text(let name) = core.value(of: .definition, at: flow) {
            definition = name
        }
        ask(
            delegate,
            HostQuestion(
                definition: definition, flow: NodePath(question.flow),
                step: StepMessage(name: question.step, arguments: question.arguments),
                isFromThisProcess: question.cause == 0), id)
        guard questions[id] != nil else { return }
        questions[id]?.clock = Task { [weak self] in
            do { try await Task.sleep(for: .microseconds(Int64(clamping: timeout))) } catch { return }
            guard let self, questions.removeValue(forKey: id) != nil else { return }
            enqueue { _ in timedOut(id) }
        }
    }

    /// Removes a question. Returns whether it was still open.
    private func removeQuestion(_ id: QuestionID) -> Bool {
        guard let question = questions.removeValue(forKey: id) else { return false }
        question.clock?.cancel()
        return true
    }

    private func takeAnswer(_ answer: AdaptAnswer, to id: QuestionID) {
        guard removeQuestion(id) else { return }
        enqueue { host in
            switch answer {
            case .rejected: return .guardReplied(id, .rejected)
            case .failed(let why): return .guardReplied(id, .failed(why))
            case .step(let message):
                do throws(FlowError) {
                    return .guardReplied(id, .step(try host.step(message), message.arguments))
                } catch {
                    return .guardReplied(id, .failed(error.message))
                }
            }
        }
    }

    private func takeAnswer(_ answer: NavigateAnswer, to id: QuestionID) {
        guard removeQuestion(id) else { return }
        enqueue { host in
            do throws(FlowError) {
                switch answer {
                case .failed(let why): return .navigatorReplied(id, .failed(why))
                case .contributors(let contributors):
                    let rules = ContributorRules(host.core.definitions)
                    return .navigatorReplied(id, .contributors(try rules.contributors(contributors)))
                }
            } catch {
                return .navigatorReplied(id, .failed(error.message))
            }
        }
    }
}

// MARK: - Calls

extension LocalHost {
    func register(_ flow: FlowRegistration, _ done: @escaping Done<Void>) {
        call {
            done($0.map { _ in })
        } _: { _, request in
            .flowRegistered(request, Registration(flow, by: Self.client))
        }
    }

    var gatesRoots: Bool { true }

    func coordinate(
        _ definition: String, _ step: StepMessage?, allowsStepWhenNotPresented: Bool, _ done: @escaping Done<NodePath>
    ) {
        call { result in
            done(
                result.map { answer in
                    guard case .flow(let path) = answer else { return NodePath("") }
                    return NodePath(path)
                })
        } _: { host, request throws(FlowError) in
            guard let flow = host.core.definitions.flow(named: definition) else {
                throw host.core.definitions.unknownFlow(definition)
            }
            var flowRequest = FlowRequest(flow, by: Self.client)
            flowRequest.whenHidden = allowsStepWhenNotPresented ? .allow : .ignore
            if let step {
                flowRequest.step = try host.step(step)
                flowRequest.stepArguments = step.arguments
            }
            return .flowRequested(request, flowRequest)
        }
    }

    func navigate(to step: StepMessage, _ done: @escaping Done<[FlowOutcome]>) {
        call { result in
            done(
                result.map { answer in
                    guard case .outcomes(let outcomes) = answer else { return [] }
                    return outcomes.map(FlowOutcome.init)
                })
        } _: { host, request throws(FlowError) in
            .deepLinkOpened(request, step: try host.step(step), arguments: step.arguments, by: Self.client)
        }
    }

    func emit(_ step: StepMessage, on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>) {
        emit(step, on: path, instance: instance, asking: nil, done)
    }

    private func emit(
        _ step: StepMessage, on path: NodePath, instance: UInt64, asking token: String?,
        _ done: @escaping Done<StepOutcome>
    ) {
        // No caller blocks: a flow that is being asked can emit, and its step waits (S-32).
        call(at: path, instance) { [weak self] result in
            let outcome = result.map(StepOutcome.init)
            guard case .success(let first) = outcome, first.verdict == .pending else { return done(outcome) }
            self?.pending.add(token, on: path.objectPath, done)
        } _: { host, request, node throws(FlowError) in
            .stepEmitted(
                request, on: node, step: try host.step(step), arguments: step.arguments, by: Self.client,
                options: EmissionOptions(token: token, waits: false, asks: token != nil))
        }
    }

    func ask(_ step: StepMessage, on path: NodePath, instance: UInt64, _ done: @escaping Done<AskMessage>) {
        lastAsk += 1
        // No screen can have it as a name.
        let token = "/\(lastAsk)"
        asks.add(token, on: path.objectPath) { [weak self] result in
            // If it belongs to a screen of this process, it stays until it is acknowledged.
            self?.acknowledge(token, of: path, instance: instance) { _ in }
            done(result)
        }
        emit(step, on: path, instance: instance, asking: token) { [weak self] result in
            if let (done, answer) = self?.asks.decide(token, result) { done(answer) }
        }
    }

    func ask(
        _ step: StepMessage, token: String, on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>
    ) {
        emit(step, on: path, instance: instance, asking: token, done)
    }

    func acknowledge(_ token: String, of path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .answerAcknowledged(request, of: node, token: token, by: Self.client)
        }
    }

    func setVisible(_ isVisible: Bool, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .visibilityChanged(request, of: node, isVisible: isVisible, by: Self.client)
        }
    }

    func dismiss(_ path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .presentableDismissed(request, node, by: Self.client)
        }
    }

    func setTitle(_ title: String, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .titleSet(request, of: node, title, by: Self.client)
        }
    }

    func saveState(_ state: Arguments, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .stateSaved(request, of: node, state, by: Self.client)
        }
    }

    func finish(_ path: NodePath, with result: Arguments, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .screenFinished(request, of: node, result, by: Self.client)
        }
    }

    func back(on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>) {
        call(at: path, instance) {
            done($0.map(StepOutcome.init))
        } _: { _, request, node in
            .backPressed(request, on: node, by: Self.client)
        }
    }
}
