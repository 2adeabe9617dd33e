/// The navigation state machine: what happened goes in, what has to be done comes out (RxFlow's Coordinator).
///
/// The way of a step (S-5) is spread over the extensions in this folder:
///
/// - here: the entry, the queue and its order (S-6, S-7);
/// - `+Emission`: who may emit, the gate (S-15), steps that are kept, tokens;
/// - `+Questions`: guards and navigators, and the steps that wait for them (S-5);
/// - `+Navigation`: a flow's rule is looked up, checked and applied (S-13), and what that sets off (S-8);
/// - `+Plan`: whether all contributors can be applied, before the first one is (S-13);
/// - `+Roots`: flows that begin;
/// - `+DeepLinks`: steps for all flows (S-27), and along a path of them (S-28);
/// - `+Calls`: calls that are not answered by the event that brought them (S-9);
/// - `+Slices`: what goes on later, as it would take too long at once (S-7);
/// - `+Back`: where Back ends (S-24);
/// - `+Idle`: flows that nobody reached for a time (S-34);
/// - `+Dismissal`: presentables that go (S-22, S-23), and how that is told (S-12);
/// - `+Owners`: who shows what, and what comes of it when they are gone (S-29, S-30);
/// - `+Room`: what clients left behind goes before others are refused (S-33);
/// - `+Presenting`: presenters that are called (S-31);
/// - `+Registration`: flows that clients implement (S-32);
/// - `+Reload`: new definitions for live flows;
/// - `+Explain`: what a step would come to, found on a copy (`+Copy`).
///
/// How it outlives its process is told in the folder `Records`.
///
/// It is deterministic: the same events give the same effects. It has no clock, does no I/O and never traps on an event.
public struct Coordinator: ~Copyable, Sendable {
    // Nothing has a value by itself: so the compiler sees that a copy leaves nothing out.

    /// What the definition files declare, and what clients registered.
    public internal(set) var definitions: Definitions
    var forest: Forest
    var queue: StepQueue
    var accounting: Accounting
    var origins: Origins

    /// The serial of the latest navigation (S-10).
    public internal(set) var serial: UInt64

    /// The origin of the step at hand; 0: none is.
    var originAtHand: UInt64
    /// What the event at hand leads to.
    var effects: [Effect]
    /// The call at hand.
    var request: RequestID?
    /// The answer to the call at hand: it goes out when the chain is done, or waits (S-9).
    var answer: Effect?
    /// What the call at hand is to be remembered by.
    var token: Tokens.Key?
    /// The object path of the call at hand, where that is not the path of who takes its step: a step that comes to wait has
    /// its record before the call has one.
    var calledPath: String?
    var calls: PendingCalls
    /// How far the event at hand goes.
    var slice: Slice
    /// Answers to calls that came before; they go out when the chain of this origin is done, or waits (S-9).
    var lateAnswers: (origin: UInt64, answers: [Effect])

    var questions: Questions
    /// Steps whose flow waits for its guard or navigator.
    var blocked: BlockedSteps
    var activationTokens: ActivationTokens
    /// What may go to make room, as it was found last (S-33).
    var evictionCandidates: EvictionCandidates
    var watches: ClientWatches
    /// The flows that clients implement.
    var registrations: Registrations

    /// What of the records is out of date, beside those of nodes.
    var unsaved: UnsavedRecords
    /// Ids of the roots that came back from an earlier process.
    var restoredRoots: Set<String>

    /// The time of the event at hand.
    var now: Instant
    var tokens: Tokens
    var nameOwners: NameOwners
    var alarms: Alarms

    /// A coordinator without live flows.
    ///
    /// - Parameters:
    ///   - basePath: its presentables are objects below this path.
    ///   - quotas: how much it holds.
    ///   - isRecorded: whether somebody takes its records.
    public init(
        definitions: Definitions, basePath: String, quotas: Quotas = .service, isRecorded: Bool = true
    ) {
        self.definitions = definitions
        forest = Forest(base: basePath)
        queue = StepQueue()
        accounting = Accounting(quotas)
        evictionCandidates = EvictionCandidates()
        activationTokens = ActivationTokens()
        unsaved = UnsavedRecords(isWanted: isRecorded)
        tokens = Tokens()
        alarms = Alarms()
        now = Instant(microseconds: 0)
        origins = Origins(isRecorded: isRecorded)
        serial = 0
        originAtHand = 0
        effects = []
        calls = PendingCalls()
        slice = Slice()
        lateAnswers = (0, [])
        questions = Questions()
        blocked = BlockedSteps()
        watches = ClientWatches()
        registrations = Registrations(files: definitions)
        restoredRoots = []
        nameOwners = NameOwners()
    }

    /// Takes what happened at this time to its end, or as far as it goes without an answer of another process, and gives
    /// what has to be done for it, in order.
    ///
    /// A call gets exactly one answer: the last effect, or, where others have to be asked, one of a later event (S-9).
    ///
    /// - Parameter size: about how much to do, in effects and steps. Between two chains it stops where that is reached; then
    ///   ``hasMore`` says so, and ``Event/continued`` goes on. Any other event has the rest done first (S-7).
    public mutating func handle(_ event: Event, at now: Instant, upTo size: Int = .max) -> [Effect] {
        self.now = now
        originAtHand = 0
        effects.reserveCapacity(2)
        if hasMore { prepareRest(for: event) }
        (slice.size, slice.taken) = (size, 0)
        if case .continued = event {} else { slice.begun = now }
        switch event {
        case .continued: break
        case .restored(let records, let onSameBus): restore(records, onSameBus: onSameBus)
        case .started:
            for root in definitions.autostart where !restoredRoots.contains(id(of: root)) { start(root) }
            restoredRoots = []
        case .stepEmitted(let request, let node, let step, let arguments, let client, let options):
            self.request = request
            emit(step, arguments, on: node, by: client, options, request)
        case .emissionRepeated(let request, let token, let client):
            repeatEmission(token, by: client, request)
        case .stepsEmitted(let request, let node, let steps, let client, let path):
            self.request = request
            emit(steps, on: node, by: client, calledAt: path, request)
        case .visibilityChanged(let request, let node, let isVisible, let client):
            setVisible(node, isVisible, by: client, request)
        case .presentableDismissed(let request, let node, let client):
            dismiss(node, by: client, request)
        case .presentableClaimed(let request, let node, let client):
            claim(node, by: client, request)
        case .presentableReleased(let request, let node, let client):
            release(node, by: client, request)
        case .readinessAwaited(let request, let node, let client):
            self.request = request
            awaitReadiness(of: node, by: client, request)
        case .backPressed(let request, let node, let client, let path):
            self.request = request
            goBack(node, by: client, calledAt: path, request)
        case .flowRequested(let request, let flowRequest):
            coordinate(flowRequest, request)
        case .deepLinkOpened(let request, let step, let arguments, let client):
            self.request = request
            openDeepLink(step, arguments, by: client, request)
        case .pathOpened(let request, let segments, let client, let timeout):
            self.request = request
            openPath(segments, by: client, timeout: timeout, request)
        case .flowRegistered(let request, let registration):
            register(registration, request)
        case .flowUnregistered(let request, let flow, let client):
            unregister(flow, by: client, request)
        case .guardReplied(let question, let answer):
            takeAnswer(answer, to: question)
        case .navigatorReplied(let question, let answer):
            takeAnswer(answer, to: question)
        case .presenterReplied(let question, let answer):
            takeAnswer(answer, to: question)
        case .clientVanished(let client):
            clientDisconnected(client)
        case .clientIdentified(let client, let user):
            accounting.identify(client, as: user)
        case .nameOwnerChanged(let name, let owner):
            changeOwner(of: name, to: owner)
        case .timerFired:
            alarms.fire(at: now)
        case .definitionsRead(let definitions):
            reload(definitions)
        }
        goOn()
        watchSuspended()
        askForTimer()
        if hasMore || calls.hasSavedProgress { recordRest() }
        return finish()
    }

    private mutating func finish() -> [Effect] {
        sendLateAnswers()
        if let answer, let token { remember(answer, by: token) }
        for client in accounting.takeOpened() { effects.append(.watchClient(client)) }
        if let answer {
            effects.append(answer)
        }
        if !activationTokens.isEmpty { forgetActivationTokens() }
        origins.forgetEnded()
        if serial > unsaved.reservedSerial || forest.lastInstance > unsaved.reservedInstance { reserveNumbers() }
        answer = nil
        token = nil
        calledPath = nil
        request = nil
        let done = effects
        effects = []
        return done
    }

    /// The path was looked up when the call came, so this takes a shell that mixes up its calls.
    mutating func refuseGone(_ request: RequestID) {
        answer = .fail(request, Self.gone)
    }

    static let gone = FlowError(.presentableDismissed, "the presentable is gone")

    /// The flow that handles steps on a presentable (S-4).
    func flow(for slot: NodeSlot) -> NodeSlot {
        forest[slot].flow == nil ? forest[slot].parent ?? slot : slot
    }

    /// The arguments as the step's declaration has them (S-3).
    func admit(_ arguments: Arguments, of step: StepID) throws(FlowError) -> Arguments {
        let declaration = definitions.steps[step.index]
        return try Declaration.admit(
            arguments, as: declaration.parameters, of: "step '\(declaration.name)'", isPrivate: declaration.isPrivate)
    }
}

// MARK: - The queue

extension Coordinator {
    /// Takes the waiting steps until none is left whose flow could take it: a chain that waits for nobody is finished
    /// before the next step from outside is taken (S-7).
    ///
    /// - Returns: false: the rest goes on with the next slice.
    @discardableResult
    mutating func run() -> Bool {
        while true {
            if isSliceOver, queue.isBetweenChains { return queue.isEmpty }
            guard let step = queue.takeNext() else { return true }
            if queue.dropRecord(of: step) { unrecord(step) }
            take(step)
        }
    }

    /// Takes one step to its end, or to where it waits for a guard or navigator; nil: it waits.
    @discardableResult
    mutating func take(_ step: WaitingStep) -> Outcome? {
        if !lateAnswers.answers.isEmpty, lateAnswers.origin != step.origin { sendLateAnswers() }
        originAtHand = step.origin
        slice.taken += 1
        guard let flow = forest.slot(of: step.flow) else {
            let name = definitions[step.step].name
            return end(
                step, .refused(FlowError(.flowEnded, "the flow that was to take step '\(name)' has ended")))
        }
        let definition = definition(of: flow).index
        if definitions.flows[definition].asksOthers || isWaiting(flow) {
            guard mayProceed(step, at: flow, definition) else { return nil }
        }
        let outcome = carryOut(step, at: flow)
        unblock(step.flow)
        return outcome
    }

    /// Takes a step at its live flow by the flow's own rules, as soon as nothing has to be waited for.
    @discardableResult
    mutating func carryOut(_ step: WaitingStep, at flow: NodeSlot) -> Outcome {
        if step.countedBytes == nil { return end(step, navigate(step, flow)) }
        // It leaves its room to what comes of it.
        let step = stopWaiting(step)
        return end(step, navigate(step, flow))
    }

    /// A step has come to its end.
    @discardableResult
    mutating func end(_ step: WaitingStep, _ outcome: Outcome) -> Outcome {
        conclude(step, outcome)
        stopWaiting(step)
        if step.isTriggered { release(origin: step.origin) }
        return outcome
    }

    /// Tells who waits for a step how it ended (S-9), or everyone, where nobody waits and it ended badly (S-12).
    private mutating func conclude(_ step: WaitingStep, _ outcome: Outcome) {
        switch step.purpose {
        case .emitted(let request), .deepLink(let request, _), .listed(let request, _), .segment(let request):
            if !calls.isEmpty, calls[request] != nil {
                takeOutcome(outcome, of: step, for: request)
            } else if case .emitted = step.purpose, request == self.request {
                answer = Self.answer(request, outcome)
            }
        case .idle:
            reportFailure(of: step, outcome)
            idleStepEnded(step, outcome)
        case .initial, .triggered, .kept:
            reportFailure(of: step, outcome)
        }
        if step.purpose == .initial, let flow = forest.slot(of: step.flow) {
            initialStepEnded(of: flow)
            reportChanges()
        }
    }

    /// The answer to a call that emitted one step.
    static func answer(_ request: RequestID, _ outcome: Outcome) -> Effect {
        switch outcome {
        case .navigated(let serial): .reply(request, .verdict(.navigated, serial: serial))
        case .ignored(let verdict): .reply(request, .verdict(verdict, serial: 0))
        case .refused(let error): .fail(request, error)
        }
    }

    /// Lets a step wait for its turn, in the order of origins (S-6); not more than an origin may set off (S-11).
    mutating func trigger(_ step: WaitingStep) {
        guard mayTrigger(step) else {
            if step.purpose == .initial, let flow = forest.slot(of: step.flow) {
                initialStepEnded(of: flow)
                reportChanges()
            }
            return
        }
        queue.insert(step)
    }

    /// Counts a step that an origin sets off; false where it is one too many, which is reported once (S-11).
    mutating func mayTrigger(_ step: WaitingStep) -> Bool {
        switch origins.trigger(step.origin) {
        case .admitted: return true
        case .dropped(isFirst: false): return false
        case .dropped(isFirst: true):
            reportFailure(
                of: step,
                .refused(
                    FlowError(
                        .navigationLoop,
                        "step '\(definitions[step.step].name)' and further ones were dropped: "
                            + "one origin may set off \(Limits.triggeredSteps) steps")))
            return false
        }
    }

    /// A step that the origin set off waits no longer.
    mutating func release(origin number: UInt64, held: Bool = false) {
        origins.release(number, isHeld: held)
        if !activationTokens.isEmpty { activationTokens.touch(number) }
    }
}
