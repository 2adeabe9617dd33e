/// The navigation state machine: what happened goes in, what has to be done comes out (RxFlow's FlowCoordinator).
///
/// The way of a step (S-5) is spread over the extensions in this folder:
///
/// - here: the entry, the queue and its order (S-6, S-7);
/// - `+Emission`: who may emit, the gate (S-15), steps that are kept, tokens;
/// - `+Navigation`: a flow's rule is looked up, checked and applied (S-13), and what that sets off (S-8);
/// - `+Plan`: whether all contributors can be applied, before the first one is (S-13);
/// - `+Roots`: flows that begin;
/// - `+DeepLinks`: steps for all flows (S-27), and along a path of them (S-28);
/// - `+Back`: where Back ends (S-24);
/// - `+Idle`: flows that nobody reached for a time (S-34);
/// - `+Dismissal`: presentables that go (S-22, S-23), and how that is told (S-12);
/// - `+Reload`: new definitions for live flows.
///
/// It is deterministic: the same events give the same effects. It has no clock, does no I/O and never traps on an event.
public struct FlowCoordinator: ~Copyable, Sendable {
    /// What the definition files declare.
    public internal(set) var definitions: Definitions
    var forest: Forest
    var queue = StepQueue()
    var ledger = Ledger()
    /// What each origin set off so far; only of those that have steps waiting.
    var origins: [UInt64: Origin] = [:]
    var lastOrigin: UInt64 = 0

    /// The serial of the latest navigation (S-10).
    public internal(set) var serial: UInt64 = 0

    /// What the event at hand leads to.
    var effects: [Effect] = []
    /// The answer to the call at hand: it goes out when the chain is done (S-9).
    var answer: Effect?
    /// The outcomes of the deep link at hand.
    var deepLink: [FlowOutcome] = []
    /// The outcome of the step at hand, of those that are emitted one after the other.
    var outcome: Outcome?
    /// What the call at hand is to be remembered by.
    var token: Tokens.Key?

    /// The time of the event at hand.
    var now = Instant(microseconds: 0)
    var tokens = Tokens()
    /// Which clients own the bus names that `emitters` have.
    var nameOwners: [String: Client] = [:]
    var alarms = Alarms()
    /// When the shell was last asked to come back.
    var timer: Instant?

    /// What an origin set off (S-11).
    struct Origin: Equatable, Sendable {
        var setOff = 0
        /// How many of those wait, in the queue or for their screen to be presented.
        var waiting = 0
        var isReported = false
    }

    /// A coordinator without live flows. Its presentables are objects below this path.
    public init(definitions: Definitions, basePath: String) {
        self.definitions = definitions
        forest = Forest(base: basePath)
    }

    /// Takes what happened at this time to its end, and gives what has to be done for it, in order.
    ///
    /// A call gets exactly one answer, the last effect (S-9).
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        self.now = now
        effects.reserveCapacity(2)
        switch event {
        case .started:
            for root in definitions.autostart { start(root) }
        case .stepEmitted(let request, let node, let step, let arguments, let client, let options):
            emit(step, arguments, on: node, by: client, options, request)
        case .stepsEmitted(let request, let node, let steps, let client):
            emit(steps, on: node, by: client, request)
        case .visibilityChanged(let request, let node, let isVisible):
            setVisible(node, isVisible, request)
        case .presentableDismissed(let request, let node, let client):
            dismiss(node, by: client, request)
        case .backPressed(let request, let node, let client):
            goBack(node, by: client, request)
        case .flowRequested(let request, let wish):
            coordinate(wish, request)
        case .deepLinkOpened(let request, let step, let arguments, let client):
            openDeepLink(step, arguments, by: client, request)
        case .pathOpened(let request, let segments, let client):
            openPath(segments, by: client, request)
        case .nameOwnerChanged(let name, let owner):
            nameOwners[name] = owner
        case .timerFired:
            timer = nil
            setOffIdle()
        case .definitionsRead(let definitions):
            reload(definitions)
        }
        run()
        askForTimer()
        return finish()
    }

    private mutating func finish() -> [Effect] {
        if let answer {
            if let token { remember(answer, by: token) }
            effects.append(answer)
        }
        answer = nil
        token = nil
        let done = effects
        effects = []
        return done
    }

    /// A new origin: something from outside begins a chain (S-6).
    mutating func nextOrigin() -> UInt64 {
        lastOrigin += 1
        return lastOrigin
    }

    /// The path was looked up when the call came, so this takes a shell that mixes up its calls.
    mutating func refuseGone(_ request: RequestID) {
        answer = .fail(request, Self.gone)
    }

    static let gone = FlowError(.presentableDismissed, "the presentable is gone")

    /// The flow that handles steps on a presentable (S-4).
    func flow(for slot: Int) -> Int {
        forest.nodes[slot].flow == nil ? forest.nodes[slot].parent ?? slot : slot
    }

    /// The arguments as the step's declaration has them (S-3).
    func admit(_ arguments: Arguments, of step: StepID) throws(FlowError) -> Arguments {
        let declaration = definitions.steps[step.index]
        return try Declaration.admit(
            arguments, as: declaration.parameters, of: "step '\(declaration.name)'", isPrivate: declaration.isPrivate)
    }
}

// MARK: - The queue

extension FlowCoordinator {
    /// Takes the waiting steps until none is left: a chain that waits for nobody is finished before the next step from
    /// outside is taken (S-7).
    mutating func run() {
        while let step = queue.takeNext() { take(step) }
    }

    /// Takes one step to its end.
    mutating func take(_ step: WaitingStep) {
        let outcome: Outcome
        if let flow = forest.slot(of: step.flow) {
            outcome = navigate(step, flow)
        } else {
            outcome = .refused(
                FlowError(.flowEnded, "the flow that was to take step '\(definitions[step.step].name)' has ended"))
        }
        conclude(step, outcome)
        if step.isSetOff { release(origin: step.origin) }
    }

    /// Tells who waits for a step how it ended (S-9), or everyone, where nobody waits and it ended badly (S-12).
    private mutating func conclude(_ step: WaitingStep, _ outcome: Outcome) {
        switch step.purpose {
        case .emitted(let request):
            answer =
                switch outcome {
                case .navigated(let serial): .reply(request, .verdict(.navigated, serial: serial))
                case .ignored(let verdict): .reply(request, .verdict(verdict, serial: 0))
                case .refused(let error): .fail(request, error)
                }
        case .deepLink(let place):
            deepLink[place] = FlowOutcome(path: deepLink[place].path, outcome: outcome)
        case .listed, .segment:
            self.outcome = outcome
        case .idle:
            self.outcome = outcome
            tellFailure(of: step, outcome)
        case .initial, .setOff, .kept:
            tellFailure(of: step, outcome)
        }
        if step.purpose == .initial, let flow = forest.slot(of: step.flow) {
            initialStepEnded(of: flow)
            tellChanges()
        }
    }

    /// Lets a step wait for its turn, in the order of origins (S-6); not more than an origin may set off (S-11).
    mutating func setOff(_ step: WaitingStep) {
        guard mayStillSetOff(step) else {
            if step.purpose == .initial, let flow = forest.slot(of: step.flow) {
                initialStepEnded(of: flow)
                tellChanges()
            }
            return
        }
        queue.insert(step)
    }

    /// Counts a step that an origin sets off; false where it is one too many, which is reported once (S-11).
    mutating func mayStillSetOff(_ step: WaitingStep) -> Bool {
        var origin = origins[step.origin] ?? Origin()
        defer { origins[step.origin] = origin }
        if origin.setOff < Limits.stepsSetOff {
            origin.setOff += 1
            origin.waiting += 1
            return true
        }
        if !origin.isReported {
            origin.isReported = true
            tellFailure(
                of: step,
                .refused(
                    FlowError(
                        .navigationLoop,
                        "step '\(definitions[step.step].name)' and further ones were dropped: "
                            + "one origin may set off \(Limits.stepsSetOff) steps")))
        }
        return false
    }

    /// A step that the origin set off waits no longer.
    mutating func release(origin number: UInt64) {
        guard var origin = origins[number] else { return }
        origin.waiting -= 1
        origins[number] = origin.waiting > 0 ? origin : nil
    }
}
