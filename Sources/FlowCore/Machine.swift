/// The state of a coordinator: a value, so that the dry run can copy it.
///
/// Each room keeps its own state, and never calls the machine. The machine wires them: an event goes to the function of
/// its file in `Events`, with a ``Turn``, which collects its effects.
struct Machine: Sendable {
    /// The definitions in force: those of the files, and those that clients registered.
    var definitions: Definitions {
        didSet {
            forest.setCountsNames(definitions.askWhatIsAlive)
            forest.haveTimers = definitions.haveTimers
        }
    }
    /// The live presentables.
    var forest: Forest
    /// The serial of the latest navigation (S-10).
    var serial: UInt64 = 0
    /// The presentables that can be reclaimed, as last searched (S-33).
    var reclaimCandidates = ReclaimCandidates()

    /// What clients were told of the screens in sight, and of Back.
    var reportedSight = ReportedSight()

    // Steps.

    /// Steps that wait for their turn.
    var queue = StepQueue()
    /// Steps that wait for a flow whose guard or navigator was asked.
    var blocked = BlockedSteps()
    /// The cascades of the origins of these steps.
    var origins: Origins
    var activationTokens = ActivationTokens()
    var emptyFlows = EmptyFlows()
    var inTurn = StepsInTurn()
    var alarms = Alarms()
    /// Properties and signals of other services (S-42).
    var steppers: Steppers
    /// When signals may report the values of the context.
    var contextPace = ContextPace()
    var outputs = Outputs()
    /// The time of the event that is continued in slices.
    var begun = Instant(microseconds: 0)

    // Calls.

    var calls = PendingCalls()
    /// The outcomes of calls with a token.
    var tokens = Tokens()
    var asks = Asks()

    // Programs.

    var questions = Questions()
    var nameOwners = NameOwners()
    var watches = ClientWatches()
    var registrations: Registrations
    /// How long screens take until they are visible.
    var timings: Timings
    /// The presenters to start when the work at hand is done (S-44).
    var earlyPresenters: [String] = []

    // Records.

    /// The records that changed, except those that the parts track themselves.
    var unsaved: UnsavedRecords
    /// The ids of the roots that were restored.
    var restoredRoots: Set<String> = []

    init(_ definitions: Definitions, basePath: String?, _ quotas: Quotas, isRecorded: Bool) {
        self.definitions = definitions
        forest = Forest(base: basePath, quotas: quotas, isRecorded: isRecorded)
        forest.setCountsNames(definitions.askWhatIsAlive)
        forest.haveTimers = definitions.haveTimers
        forest.context = ContextValues(definitions.context)
        origins = Origins(isRecorded: isRecorded, limit: quotas.triggeredSteps)
        registrations = Registrations(files: definitions)
        steppers = Steppers(definitions)
        timings = Timings(limit: quotas.timedScreens)
        unsaved = UnsavedRecords(isWanted: isRecorded)
    }

    /// The usage of clients and users (S-33). The forest charges and releases nodes itself.
    var accounting: Accounting {
        get { forest.accounting }
        _modify { yield &forest.accounting }
    }

    /// Handles an event, as far as it goes in this turn.
    mutating func handle(_ event: Event, _ turn: inout Turn) {
        forest.origin = 0
        if hasMore { handleRest(before: event, &turn) }
        forest.origin = 0
        dispatch(event, &turn)
        endEvent(&turn)
    }

    /// Goes on with what the event leads to, as far as it goes in this turn.
    mutating func endEvent(_ turn: inout Turn) {
        continueWork(&turn)
        if calls.hasUnwatched { watchSuspended() }
        if forest.hasTimed { renewTimers(&turn) }
        if !hasMore { reportEnd(&turn) }
        askForTimer(&turn)
        if hasMore || calls.hasSavedProgress { recordRest(&turn) }
        endTurn(&turn)
    }

    private mutating func dispatch(_ event: Event, _ turn: inout Turn) {
        let earlier = begun
        begun = turn.now
        switch event {
        case .continued: begun = earlier
        case .restored(let records, let onSameBus): restore(records, onSameBus: onSameBus, &turn)
        case .started: start(&turn)
        case .stepEmitted(let request, let node, let step, let arguments, let client, let options):
            turn.call.request = request
            emit(step, arguments, on: node, by: client, options, request, &turn)
        case .emissionRepeated(let request, let token, let client, let node):
            repeatEmission(token, on: node, by: client, request, &turn)
        case .stepCancelled(let request, let node, let token, let client):
            cancelStep(token, on: node, by: client, request, &turn)
        case .stepsEmitted(let request, let node, let steps, let client, let path):
            turn.call.request = request
            emit(steps, on: node, by: client, calledAt: path, request, &turn)
        case .visibilityChanged(let request, let node, let isVisible, let client, let report):
            setVisible(node, isVisible, report, by: client, request, &turn)
        case .presentableTouched(let request, let node, let client): touch(node, by: client, request, &turn)
        case .presentableDismissed(let request, let node, let client, let fault):
            dismiss(node, fault, by: client, request, &turn)
        case .presentableClaimed(let request, let node, let client): claim(node, by: client, request, &turn)
        case .presentableReleased(let request, let node, let client): release(node, by: client, request, &turn)
        case .readinessAwaited(let request, let node, let client):
            turn.call.request = request
            awaitReadiness(of: node, by: client, request, &turn)
        case .backPressed(let request, let node, let client, let options):
            turn.call.request = request
            goBack(node, by: client, options, request, &turn)
        case .backRepeated(let request, let token, let client):
            repeatCall(Tokens.Key(client: client, kind: .back, token: token), request, &turn)
        case .backStepSet(let request, let node, let step, let client):
            changeScreen(node, .backStep(step), by: client, request, &turn)
        case .titleSet(let request, let node, let title, let client):
            changeScreen(node, .title(title), by: client, request, &turn)
        case .stateSaved(let request, let node, let state, let client):
            changeScreen(node, .state(state), by: client, request, &turn)
        case .screenFinished(let request, let node, let result, let client):
            changeScreen(node, .result(result), by: client, request, &turn)
        case .answerAcknowledged(let request, let node, let token, let client):
            acknowledge(token, of: node, by: client, request, &turn)
        case .contextSet(let request, let values, let node, let client):
            setContext(values, of: node, by: client, request, &turn)
        case .flowRequested(let request, let flowRequest): coordinate(flowRequest, request, &turn)
        case .rootMoved(let request, let node, let output, let client):
            moveRoot(node, to: output, by: client, request, &turn)
        case .outputsSet(let request, let names, let client, let sizes):
            setOutputs(names, sizes, by: client, request, &turn)
        case .pausesEnded(let request): endPauses(request, &turn)
        case .deepLinkOpened(let request, let step, let arguments, let client, let activationToken, let waits):
            turn.call.request = request
            openDeepLink(
                DeepLink(step: step, arguments: arguments, waits: waits), by: client, activationToken, request, &turn)
        case .pathOpened(let request, let segments, let client, let timeout, let root, let activationToken, let blocks):
            turn.call.request = request
            openPath(
                segments, below: root, by: client, timeout: timeout, blocks: blocks, activationToken, request, &turn)
        case .flowRegistered(let request, let registration): register(registration, request, &turn)
        case .flowUnregistered(let request, let flow, let client): unregister(flow, by: client, request, &turn)
        case .guardReplied(let question, let answer): takeAnswer(answer, to: question, &turn)
        case .navigatorReplied(let question, let answer): takeAnswer(answer, to: question, &turn)
        case .presenterReplied(let question, let answer): takeAnswer(answer, to: question, &turn)
        case .aliveReplied(let question, let answer): takeAnswer(answer, to: question, &turn)
        case .clientVanished(let client): clientDisconnected(client, &turn)
        case .clientIdentified(let client, let user): accounting.identify(client, as: user)
        case .nameOwnerChanged(let name, let owner): changeOwner(of: name, to: owner, &turn)
        case .stepperChanged(let stepper, let value): changeStepper(stepper, to: value, &turn)
        case .stepperSignalled(let stepper, let values): takeSignal(values, of: stepper, &turn)
        case .stepperFailed(let stepper, let error): reportStepper(stepper, error, &turn)
        case .timerFired: alarms.fire(at: turn.now)
        case .definitionsRead(let definitions): reload(definitions, &turn)
        }
    }

    /// Sends the last effects, and removes what ends with the event.
    private mutating func endTurn(_ turn: inout Turn) {
        turn.sendLateAnswers()
        if !earlyPresenters.isEmpty, !hasMore { startEarlyPresenters(&turn) }
        if let token = turn.call.token, let answer = turn.answer { remember(answer, by: token, at: turn.now) }
        if accounting.hasNews { for client in accounting.takeOpened() { turn.effects.append(.watchClient(client)) } }
        if let answer = turn.answer.take() { turn.effects.append(answer.asEffect()) }
        turn.sendAnswersToAsks()
        expireAsks(at: turn.now)
        if !activationTokens.isEmpty, !forest.hasSightings { forgetActivationTokens() }
        if timings.hasEnded, !hasMore, !forest.hasSightings { timings.forgetEnded() }
        if !unsaved.covers(serial: serial, instance: forest.lastInstance) {
            unsaved.reserve(after: serial, instance: forest.lastInstance)
        }
    }

    /// A cascade has ended, with all that follows at once.
    private mutating func reportEnd(_ turn: inout Turn) {
        if forest.touched.isEmpty { return }
        // Where there are no objects, there is nobody who would follow them.
        if forest.base == nil { _ = forest.takeTouched() } else { reportSight(&turn) }
    }
}
