internal import FlowCore

// The questions of the machine to the flows, and their answers.

extension LocalHost {
    /// Asks a flow, and starts the time limit if it does not answer immediately.
    func ask(
        _ question: Question, _ ask: (any HostDelegate, HostQuestion, QuestionID) -> Void,
        timedOut: @escaping @FlowActor (QuestionID) -> Event
    ) {
        guard let delegate, let place = flows.place(at: question.flow) else { return }
        let id = question.id
        questions[id] = PendingQuestion(flow: place.path)
        ask(
            delegate,
            HostQuestion(
                place, step: StepMessage(name: question.step, arguments: question.arguments),
                isFromThisProcess: question.cause == 0), id)
        startTimeLimit(of: id, question.service.timeout, timedOut)
    }

    /// Measures the time limit of a question, in µs, if it is still open.
    private func startTimeLimit(
        of id: QuestionID, _ limit: UInt64, _ timedOut: @escaping @FlowActor (QuestionID) -> Event
    ) {
        guard questions[id] != nil else { return }
        questions[id]?.clock = Task { [weak self, clock] in
            do { try await clock.sleep(.microseconds(Int64(clamping: limit))) } catch { return }
            guard let self, questions.removeValue(forKey: id) != nil else { return }
            enqueue { _ in timedOut(id) }
            callDelayed()
        }
    }

    // MARK: Questions that are answered at once

    /// Asks a flow about a step that was just emitted.
    ///
    /// - Returns: the next question about the step, if there is one.
    func answer(_ held: HeldQuestion) -> HeldQuestion? {
        guard let delegate, let place = flows[held.flow.instance] else { return nil }
        let question = HostQuestion(
            place, step: StepMessage(name: name(of: held.step), arguments: held.arguments),
            isFromThisProcess: true)
        if held.isForGuard {
            let receiver = adaptReceiver.take() ?? AdaptReceiver(for: self)
            delegate.adapt(question, receiver.receive)
            guard let known = receiver.held.known.take() else {
                receiver.held.question = open(held, in: place) { .guardReplied($0, .timedOut) }
                return nil
            }
            adaptReceiver = receiver
            if comesFirst(changesNothing: true) {
                return core.answer(held, guardAnswer(known), at: time, into: &effects)
            }
            if let id = open(held, in: place, { .guardReplied($0, .timedOut) }) { takeAnswer(known, to: id) }
        } else {
            let receiver = navigateReceiver.take() ?? NavigateReceiver(for: self)
            delegate.navigate(question, receiver.receive)
            guard let known = receiver.held.known.take() else {
                receiver.held.question = open(held, in: place) { .navigatorReplied($0, .timedOut) }
                return nil
            }
            navigateReceiver = receiver
            if comesFirst(changesNothing: known.changesNothing) {
                core.answer(held, navigatorAnswer(known), at: time, into: &effects)
            } else if let id = open(held, in: place, { .navigatorReplied($0, .timedOut) }) {
                takeAnswer(known, to: id)
            }
        }
        return nil
    }

    /// Whether an answer is handled before what is in the queue. Otherwise it takes its turn there, as on the bus.
    ///
    /// If it changes nothing, steps on the same presentable can't tell: they wait until their flow has its answer in any case.
    private func comesFirst(changesNothing: Bool) -> Bool {
        if isClosed || waiting.isEmpty { return true }
        guard changesNothing, let instance = emitting?.instance else { return false }
        return waiting.hasOnlySteps(on: instance)
    }

    /// Has the machine wait for the answer to a question.
    private func open(
        _ held: HeldQuestion, in place: FlowPlace, _ timedOut: @escaping @FlowActor (QuestionID) -> Event
    ) -> QuestionID? {
        guard !isClosed, let id = core.ask(held, at: time, into: &effects) else { return nil }
        questions[id] = PendingQuestion(flow: place.path)
        startTimeLimit(of: id, held.timeout, timedOut)
        return id
    }

    /// Makes a call when no flow at or below a path is asked any more.
    func whenAnswered(at flow: NodePath, _ call: @escaping () -> Void) {
        guard questions.values.contains(where: { $0.flow.isWithin(flow) }) else { return call() }
        delayed.append((flow, call))
    }

    /// Makes the calls that waited for an answer, which is in the queue by now.
    func callDelayed() {
        if delayed.isEmpty { return }
        let all = delayed
        delayed = []
        for (flow, call) in all { whenAnswered(at: flow, call) }
    }

    /// Removes a question. Returns whether it was still open.
    func removeQuestion(_ id: QuestionID) -> Bool {
        guard let question = questions.removeValue(forKey: id) else { return false }
        question.clock?.cancel()
        return true
    }

    func takeAnswer(_ answer: AdaptAnswer, to id: QuestionID) {
        guard removeQuestion(id) else { return }
        defer { callDelayed() }
        enqueue { host in .guardReplied(id, host.guardAnswer(answer)) }
    }

    /// The answer as the machine takes it.
    private func guardAnswer(_ answer: AdaptAnswer) -> GuardAnswer {
        switch answer {
        case .rejected: return .rejected
        case .timedOut: return .timedOut
        case .failed(let why): return .failed(why)
        case .step(let message):
            do throws(FlowError) {
                return .step(try step(message), message.arguments)
            } catch {
                return .failed(error.message)
            }
        }
    }

    func takeAnswer(_ answer: NavigateAnswer, to id: QuestionID) {
        guard removeQuestion(id) else { return }
        defer { callDelayed() }
        enqueue { host in .navigatorReplied(id, host.navigatorAnswer(answer)) }
    }

    /// The answer as the machine takes it.
    private func navigatorAnswer(_ answer: NavigateAnswer) -> NavigatorAnswer {
        switch answer {
        case .failed(let why): return .failed(why)
        case .unhandled: return .unhandled
        case .screen(let name):
            do throws(FlowError) {
                return .contributors(try screens.contributors(of: name, core.definitions))
            } catch {
                return .failed(error.message)
            }
        case .contributors(let contributors):
            if contributors.isEmpty { return .contributors([]) }
            do throws(FlowError) {
                return .contributors(try ContributorRules(core.definitions).contributors(contributors))
            } catch {
                return .failed(error.message)
            }
        }
    }
}

/// The contributors of plain screens, which flows contribute again and again.
struct PlainScreens {
    private var known: [String: [FlowCore.FlowContributor]] = [:]
    private var last: (name: String, contributors: [FlowCore.FlowContributor])?

    mutating func contributors(
        of name: String, _ definitions: Definitions
    ) throws(FlowError) -> [FlowCore.FlowContributor] {
        if let last, last.name == name { return last.contributors }
        let contributors =
            if let known = known[name] {
                known
            } else {
                try ContributorRules(definitions).contributors([.child(.screen, name)])
            }
        known[name] = contributors
        last = (name, contributors)
        return contributors
    }
}

/// The answer to a question that the machine holds.
@FlowActor
final class HeldAnswer<Answer> {
    /// The answer, if it came at once.
    @exclusivity(unchecked) fileprivate var known: Answer?
    /// The number of the question that waits for it otherwise.
    fileprivate var question: QuestionID?
}

// Not one generic type: its closure would be called, and made, by way of another one.

/// Receives the answer of a guard. When it came at once, the receiver gets no other one, and can be used again.
@FlowActor
struct AdaptReceiver {
    fileprivate let held: HeldAnswer<AdaptAnswer>
    let receive: @FlowActor (AdaptAnswer) -> Void

    init(for host: LocalHost) {
        let held = HeldAnswer<AdaptAnswer>()
        self.held = held
        receive = { [weak host] in
            if let question = held.question { host?.takeAnswer($0, to: question) } else { held.known = $0 }
        }
    }
}

/// The same for that of a navigator.
@FlowActor
struct NavigateReceiver {
    fileprivate let held: HeldAnswer<NavigateAnswer>
    let receive: @FlowActor (NavigateAnswer) -> Void

    init(for host: LocalHost) {
        let held = HeldAnswer<NavigateAnswer>()
        self.held = held
        receive = { [weak host] in
            if let question = held.question { host?.takeAnswer($0, to: question) } else { held.known = $0 }
        }
    }
}

/// The places of the live flows.
struct LocalFlows {
    private var places: [UInt64: FlowPlace] = [:]
    private var instances: [String: UInt64] = [:]
    /// The flow that was looked for last, which is usually the next one, too.
    private var last: (instance: UInt64, place: FlowPlace)?

    subscript(instance: UInt64) -> FlowPlace? {
        mutating get {
            if let last, last.instance == instance { return last.place }
            guard let place = places[instance] else { return nil }
            last = (instance, place)
            return place
        }
    }

    /// The flow at a path.
    mutating func place(at path: String) -> FlowPlace? {
        if let last, last.place.path.text == path { return last.place }
        guard let instance = instances[path] else { return nil }
        return self[instance]
    }

    mutating func add(_ flow: HostNode) {
        places[flow.instance] = FlowPlace(flow.path, definition: flow.name)
        instances[flow.path.text] = flow.instance
    }

    mutating func remove(_ path: String) {
        guard let instance = instances.removeValue(forKey: path) else { return }
        places[instance] = nil
        if last?.instance == instance { last = nil }
    }
}
