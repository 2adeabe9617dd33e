/// The navigation state machine: what happened goes in, what has to be done comes out (RxFlow's Coordinator).
///
/// This is its outside: events, the questions that the shell asks between them (`+Queries`), records (`+Records`) and the dry
/// run (`+Explain`). Its state, and all that changes it, is a ``Machine``. How the parts of that know each other is drawn in
/// `docs/architecture.md`.
///
/// It is deterministic: the same events give the same effects. It has no clock, does no I/O and never traps on an event.
public struct Coordinator: ~Copyable, Sendable {
    // The machine can be copied, for the dry run. It is large, and there is one of it: so this can't.
    var machine: Machine

    /// A coordinator without live flows.
    ///
    /// - Parameters:
    ///   - definitions: what the definition files declare.
    ///   - basePath: its presentables are objects below this path.
    ///   - quotas: how much it holds.
    ///   - isRecorded: whether somebody takes its records.
    public init(
        definitions: Definitions, basePath: String, quotas: Quotas = .service, isRecorded: Bool = true
    ) {
        machine = Machine(definitions, basePath: basePath, quotas, isRecorded: isRecorded)
    }

    /// Takes what happened at this time to its end, or as far as it goes without an answer of another process, and gives
    /// what has to be done for it, in order.
    ///
    /// A call gets exactly one answer: the last effect, or, where others have to be asked, one of a later event (S-9).
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - now: when.
    ///   - size: about how much to do, in effects and steps. Between two cascades it stops where that is reached; then
    ///     ``hasMore`` says so, and ``Event/continued`` goes on. Any other event has the rest done first (S-7).
    public mutating func handle(_ event: Event, at now: Instant, upTo size: Int = .max) -> [Effect] {
        var turn = Turn(at: now, upTo: size)
        machine.handle(event, &turn)
        return turn.takeEffects()
    }

    /// What the definition files declare, and what clients registered.
    public var definitions: Definitions { machine.definitions }

    /// The serial of the latest navigation (S-10).
    public var serial: UInt64 { machine.serial }

    /// Whether the latest event has led to more than was done; ``Event/continued`` goes on with it.
    public var hasMore: Bool { machine.hasMore }

    /// Whether the emission that a client made by this token is known still: its outcome, or that it has none yet.
    ///
    /// - Parameters:
    ///   - token: the client's name for its call.
    ///   - client: who made it.
    ///   - now: the time.
    public mutating func remembersEmission(_ token: String, by client: Client, at now: Instant) -> Bool {
        machine.tokens.expire(at: now)
        return machine.tokens.outcome(of: Tokens.Key(client: client, kind: .emission, token: token)) != nil
    }
}

/// The state of a coordinator: a value, so that a dry run takes a copy.
///
/// Each part keeps its own state and knows none of the others. Here they are wired: an event goes to the extension that
/// handles it, with a ``Turn``, which takes along what the event leads to.
struct Machine: Sendable {
    /// What the definition files declare, and what clients registered: those in force.
    var definitions: Definitions
    /// The live presentables.
    var forest: Forest
    /// The serial of the latest navigation (S-10).
    var serial: UInt64 = 0
    /// What may go to make room, as it was found last (S-33).
    var evictionCandidates = EvictionCandidates()

    // What waits.

    /// Steps that wait for their turn.
    var queue = StepQueue()
    /// Steps that wait for a flow which waits for an answer.
    var blocked = BlockedSteps()
    /// What the origins of all those have triggered.
    var origins: Origins
    var activationTokens = ActivationTokens()
    var alarms = Alarms()
    /// The time of the event that goes on in slices.
    var begun = Instant(microseconds: 0)

    // Calls.

    var calls = PendingCalls()
    /// How calls ended that their callers may repeat.
    var tokens = Tokens()

    // Peers.

    var questions = Questions()
    var nameOwners = NameOwners()
    var watches = ClientWatches()
    var registrations: Registrations

    // Records.

    /// What of the records is out of date, beside what the parts know themselves.
    var unsaved: UnsavedRecords
    /// Ids of the roots that came back from an earlier process.
    var restoredRoots: Set<String> = []

    init(_ definitions: Definitions, basePath: String, _ quotas: Quotas, isRecorded: Bool) {
        self.definitions = definitions
        forest = Forest(base: basePath, quotas: quotas)
        origins = Origins(isRecorded: isRecorded)
        registrations = Registrations(files: definitions)
        unsaved = UnsavedRecords(isWanted: isRecorded)
    }

    /// What is held for whom (S-33). The forest charges and releases what nodes hold by itself.
    var accounting: Accounting {
        get { forest.accounting }
        _modify { yield &forest.accounting }
    }

    /// Takes an event as far as it goes in this turn.
    mutating func handle(_ event: Event, _ turn: inout Turn) {
        if hasMore { handleRest(before: event, &turn) }
        if case .continued = event {} else { begun = turn.now }
        dispatch(event, &turn)
        goOn(&turn)
        watchSuspended()
        askForTimer(&turn)
        if hasMore || calls.hasSavedProgress { recordRest(&turn) }
        finish(&turn)
    }

    private mutating func dispatch(_ event: Event, _ turn: inout Turn) {
        switch event {
        case .continued: break
        case .restored(let records, let onSameBus): restore(records, onSameBus: onSameBus, &turn)
        case .started:
            for root in definitions.autostart where !restoredRoots.contains(id(of: root)) { start(root, &turn) }
            restoredRoots = []
        case .stepEmitted(let request, let node, let step, let arguments, let client, let options):
            turn.call.request = request
            emit(step, arguments, on: node, by: client, options, request, &turn)
        case .emissionRepeated(let request, let token, let client):
            repeatEmission(token, by: client, request, &turn)
        case .stepsEmitted(let request, let node, let steps, let client, let path):
            turn.call.request = request
            emit(steps, on: node, by: client, calledAt: path, request, &turn)
        case .visibilityChanged(let request, let node, let isVisible, let client):
            setVisible(node, isVisible, by: client, request, &turn)
        case .presentableDismissed(let request, let node, let client):
            dismiss(node, by: client, request, &turn)
        case .presentableClaimed(let request, let node, let client):
            claim(node, by: client, request, &turn)
        case .presentableReleased(let request, let node, let client):
            release(node, by: client, request, &turn)
        case .readinessAwaited(let request, let node, let client):
            turn.call.request = request
            awaitReadiness(of: node, by: client, request, &turn)
        case .backPressed(let request, let node, let client, let path):
            turn.call.request = request
            goBack(node, by: client, calledAt: path, request, &turn)
        case .flowRequested(let request, let flowRequest):
            coordinate(flowRequest, request, &turn)
        case .deepLinkOpened(let request, let step, let arguments, let client):
            turn.call.request = request
            openDeepLink(step, arguments, by: client, request, &turn)
        case .pathOpened(let request, let segments, let client, let timeout):
            turn.call.request = request
            openPath(segments, by: client, timeout: timeout, request, &turn)
        case .flowRegistered(let request, let registration):
            register(registration, request, &turn)
        case .flowUnregistered(let request, let flow, let client):
            unregister(flow, by: client, request, &turn)
        case .guardReplied(let question, let answer):
            takeAnswer(answer, to: question, &turn)
        case .navigatorReplied(let question, let answer):
            takeAnswer(answer, to: question, &turn)
        case .presenterReplied(let question, let answer):
            takeAnswer(answer, to: question, &turn)
        case .clientVanished(let client):
            clientDisconnected(client, &turn)
        case .clientIdentified(let client, let user):
            accounting.identify(client, as: user)
        case .nameOwnerChanged(let name, let owner):
            changeOwner(of: name, to: owner, &turn)
        case .timerFired:
            alarms.fire(at: turn.now)
        case .definitionsRead(let definitions):
            reload(definitions, &turn)
        }
    }

    /// Sends what goes out last, and forgets what ends with the event.
    private mutating func finish(_ turn: inout Turn) {
        turn.sendLateAnswers()
        if let answer = turn.answer, let token = turn.call.token { remember(answer, by: token, at: turn.now) }
        for client in accounting.takeOpened() { turn.effects.append(.watchClient(client)) }
        if let answer = turn.answer { turn.effects.append(answer) }
        if !activationTokens.isEmpty { forgetActivationTokens() }
        origins.forgetEnded()
        if serial > unsaved.reservedSerial || forest.lastInstance > unsaved.reservedInstance { reserveNumbers() }
    }
}
