internal import FlowCore

/// The machine itself, in this process: no bus, no service, nobody else.
///
/// It does with effects what the service does: asks, tells, keeps time. Events wait in a queue, so that what a flow does while
/// it is asked or told is taken when all is told, in the order it was done; and answers wait there, too, as they do on
/// the bus. So both hosts take the same steps in the same order.
@MainActor
final class LocalHost: Host {
    weak var delegate: (any HostDelegate)?

    /// Who does everything here; it is on no bus, so this stands in messages alone.
    private static let client = Client("this process")

    private var core = Coordinator(
        definitions: Definitions(), basePath: String(NodePath.tree.dropLast()), quotas: .none, isRecorded: false)
    /// What happened, and was not taken yet: made an event when its turn comes, as names may mean others by then.
    private var waiting = Fifo<@MainActor (LocalHost) -> Event?>()
    private var isTaking = false
    /// Whether they will be taken by themselves.
    private var isWoken = false
    private var isClosed = false
    /// Calls that are not answered yet, by their numbers.
    private var answers: [UInt64: Done<Answer>] = [:]
    private var lastRequest: UInt64 = 0
    /// Emissions that were told `pending`.
    private var pending = PendingSteps()
    /// Flows that are asked about, and who looks at the time.
    private var questions: [QuestionID: Asked] = [:]
    private let start = ContinuousClock.now
    private var alarm: Task<Void, Never>?

    func close() {
        isClosed = true
        alarm?.cancel()
        for asked in questions.values { asked.clock?.cancel() }
        questions = [:]
        let (calls, steps) = (answers.sorted { $0.key < $1.key }.map(\.value), pending.takeAll().map(\.done))
        (answers, waiting) = ([:], Fifo())
        let ended = NavigationError(.flowEnded, "the coordinator has ended")
        for answer in calls { answer(.failure(ended)) }
        for step in steps { step(.failure(ended)) }
    }

    // MARK: Events

    private var now: Instant {
        let time = (ContinuousClock.now - start).components
        return Instant(
            microseconds: UInt64(clamping: time.seconds) * 1_000_000
                + UInt64(clamping: time.attoseconds / 1_000_000_000_000))
    }

    /// A flow that is asked.
    private struct Asked {
        /// Looks at the time, where the answer is not there at once.
        var clock: Task<Void, Never>?
    }

    /// Takes an event in its turn, and not before who brought it has returned: so no flow is asked in the midst of what another
    /// does, nor of the one that emits.
    private func take(_ event: @escaping @MainActor (LocalHost) -> Event?) {
        guard !isClosed else { return }
        waiting.append(event)
        wake()
    }

    private func wake() {
        if isTaking || isWoken { return }
        isWoken = true
        Task { @MainActor [weak self] in self?.takeWaiting() }
    }

    /// Takes what waits, and what that sets off. Those who emit without end leave others their turn.
    private func takeWaiting() {
        isWoken = false
        isTaking = true
        var count = 0
        while count < Self.mostAtOnce, let next = waiting.popFirst() {
            count += 1
            guard let event = next(self) else { continue }
            for effect in core.handle(event, at: now) where !isClosed { carryOut(effect) }
        }
        isTaking = false
        if !waiting.isEmpty { wake() }
    }

    /// So many events are taken before others on the main actor have their turn.
    private static var mostAtOnce: Int { 256 }

    /// Makes a call in its turn: an event that is answered.
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
        take { host in
            do throws(FlowError) {
                return try event(host, RequestID(number))
            } catch {
                host.answers.removeValue(forKey: number)?(.failure(NavigationError(error)))
                return nil
            }
        }
    }

    /// Makes a call about a presentable.
    private func call(
        at path: NodePath, _ instance: UInt64, _ done: @escaping Done<Answer>,
        _ event: @escaping @MainActor (LocalHost, RequestID, NodeID) throws(FlowError) -> Event
    ) {
        call { result in
            // As the bus says of a path without an object.
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
            let shown = Presentation(
                path: NodePath(presentation.path), isAgain: presentation.isAgain,
                activationToken: presentation.activationToken)
            let isThere = delegate?.present(shown, instance: presentation.instance) ?? false
            take { _ in .presenterReplied(presentation.id, isThere ? .presented(by: Self.client) : .failed) }
        case .addPresentable(let state): delegate?.added(HostNode(state))
        case .removePresentable(let path, _): delegate?.removed(NodePath(path))
        case .changeProperties(let changes):
            if let isPresented = changes.isPresented {
                delegate?.changed(NodePath(changes.path), .presented(isPresented))
            }
            if changes.isReady == true { delegate?.changed(NodePath(changes.path), .ready) }
        case .emitNavigationOccurred(let navigation): delegate?.didNavigate(HostNavigation(navigation))
        case .emitNavigationFailed(let failure): delegate?.failed(NavigationFailure(failure))
        case .emitStepConcluded(let conclusion):
            let result = Result<Outcome, NavigationError>(conclusion.outcome)
            for done in pending.conclude(conclusion.token, on: conclusion.path) { done(result) }
        case .reply(let request, let answer): answers.removeValue(forKey: request.number)?(.success(answer))
        case .fail(let request, let error):
            answers.removeValue(forKey: request.number)?(.failure(NavigationError(error)))
        case .startTimer(let time): arm(time)
        // There is nobody else: whoever shows something is told that it is gone, and nobody leaves.
        case .withdraw, .watchClient, .emitNavigationWillOccur, .emitDefinitionsChanged, .reportUnstarted,
            .reportUnrestored:
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
            self?.take { _ in .timerFired }
        }
    }

    // MARK: Questions

    /// Asks a flow, and looks at the time if it does not answer at once.
    private func ask(
        _ question: Question, _ ask: (any HostDelegate, HostQuestion, QuestionID) -> Void,
        timedOut: @escaping @MainActor (QuestionID) -> Event
    ) {
        guard let delegate else { return }
        let (id, timeout) = (question.id, question.service.timeout)
        questions[id] = Asked()
        var definition = ""
        if let flow = core.node(at: question.flow), let name = core.definitionName(of: flow) { definition = name }
        ask(
            delegate,
            HostQuestion(
                definition: definition, flow: NodePath(question.flow),
                step: StepMessage(name: question.step, arguments: question.arguments), isOwn: question.cause == 0), id)
        guard questions[id] != nil else { return }
        questions[id]?.clock = Task { [weak self] in
            do { try await Task.sleep(for: .microseconds(Int64(clamping: timeout))) } catch { return }
            guard let self, questions.removeValue(forKey: id) != nil else { return }
            take { _ in timedOut(id) }
        }
    }

    /// Whether somebody waits for this answer; the clock stops.
    private func removeQuestion(_ id: QuestionID) -> Bool {
        guard let asked = questions.removeValue(forKey: id) else { return false }
        asked.clock?.cancel()
        return true
    }

    private func takeAnswer(_ answer: AdaptAnswer, to id: QuestionID) {
        guard removeQuestion(id) else { return }
        take { host in
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
        take { host in
            do throws(FlowError) {
                switch answer {
                case .failed(let why): return .navigatorReplied(id, .failed(why))
                case .contributors(let contributors):
                    var all: [FlowCore.FlowContributor] = []
                    for contributor in contributors { all.append(try host.contributor(contributor)) }
                    return .navigatorReplied(id, .contributors(all))
                }
            } catch {
                return .navigatorReplied(id, .failed(error.message))
            }
        }
    }

    private func contributor(_ contributor: HostContributor) throws(FlowError) -> FlowCore.FlowContributor {
        switch contributor {
        case .screen(let name, let options):
            guard let screen = core.definitions.screen(named: name) else {
                throw FlowError(.invalidName, "no flow brings a screen '\(name)'")
            }
            return .child(try child(.screen(screen), options))
        case .flow(let name, let options):
            guard let flow = core.definitions.flow(named: name) else { throw core.definitions.unknownFlow(name) }
            return .child(try child(.flow(flow), options))
        case .current(let step): return .current(try template(step))
        case .parent(let step): return .parent(try template(step))
        case .end(let step):
            guard let step else { return .end(nil) }
            return .end(try template(step))
        }
    }

    private func child(
        _ presentable: ChildTemplate.Presentable, _ options: HostChild
    ) throws(FlowError) -> ChildTemplate {
        let initial: StepTemplate?
        if let step = options.step { initial = try template(step) } else { initial = nil }
        return ChildTemplate(
            presentable, arguments: options.arguments.map(Self.given) ?? .inherited, step: initial?.step,
            stepArguments: initial?.arguments ?? .inherited, style: options.style, whenHidden: options.whenHidden)
    }

    private func template(_ message: StepMessage) throws(FlowError) -> StepTemplate {
        StepTemplate(try step(message), arguments: Self.given(message.arguments))
    }

    private static func given(_ arguments: Arguments) -> ArgumentSource {
        .given(arguments.map { Binding($0.name, .literal($0.value)) })
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

    func coordinate(_ definition: String, _ step: StepMessage?, _ done: @escaping Done<NodePath>) {
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

    func emit(_ step: StepMessage, on path: NodePath, instance: UInt64, _ done: @escaping Done<Outcome>) {
        // Nobody here stands still for the answer: so a flow that is asked can emit, and its step waits (S-32).
        call(at: path, instance) { [weak self] result in
            let outcome = result.map(Outcome.init)
            guard case .success(let first) = outcome, first.verdict == .pending else { return done(outcome) }
            self?.pending.add(nil, on: path.objectPath, done)
        } _: { host, request, node throws(FlowError) in
            .stepEmitted(
                request, on: node, step: try host.step(step), arguments: step.arguments, by: Self.client,
                options: EmissionOptions(waits: false))
        }
    }

    func setVisible(_ isVisible: Bool, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance) {
            done($0.map { _ in })
        } _: { _, request, node in
            .visibilityChanged(request, of: node, isVisible: isVisible, by: Self.client)
        }
    }

    func dismiss(_ path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance) {
            done($0.map { _ in })
        } _: { _, request, node in
            .presentableDismissed(request, node, by: Self.client)
        }
    }

    func back(on path: NodePath, instance: UInt64, _ done: @escaping Done<Outcome>) {
        call(at: path, instance) {
            done($0.map(Outcome.init))
        } _: { _, request, node in
            .backPressed(request, on: node, by: Self.client)
        }
    }
}
