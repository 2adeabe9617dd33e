/// A flow or screen that lives in the tree and has its object here.
@MainActor
final class LiveNode {
    let path: NodePath
    /// Never used again (S-1); 0 until it is told.
    let instance: UInt64
    let presentable: any Presentable
    let stepper: any Stepper
    /// What it is, if it is a flow.
    let flow: (any Flow)?
    /// The flow's definition; empty for a screen.
    let definition: String
    let allowsStepWhenNotPresented: Bool
    /// Further initial steps of its stepper, which wait until it is presented.
    var initialSteps: [any Step]
    /// Whether its own hand closed it: then it need not be told.
    var isDismissed = false
    /// What it said of itself last, and the host did not hear, as there was no service.
    var unheard: Presence.Change?
    /// How often it has said something.
    var changeCount = 0
    /// What is heard of it.
    private var subscriptions: [Subscription] = []
    private var tasks: [Task<Void, Never>] = []
    /// The step that it is asked about, as it came and as it is: it is asked twice, and the navigation is told.
    private var asked: (message: StepMessage, step: any Step)?
    /// Its `adapt`.
    private var adapting: Adapting?

    init(_ child: Child, at path: NodePath, instance: UInt64) {
        self.path = path
        self.instance = instance
        presentable = child.presentable
        stepper = child.stepper
        flow = child.presentable as? any Flow
        definition = flow.map { type(of: $0).definition } ?? ""
        allowsStepWhenNotPresented = child.allowsStepWhenNotPresented
        initialSteps = Array(child.initialSteps.dropFirst())
    }

    isolated deinit { end() }

    /// A step that was navigated. Of one whose arguments are private these are not told: then it is the one that was asked
    /// about.
    func navigatedStep(_ message: StepMessage, of kind: FlowKind) -> (any Step)? {
        if let asked, asked.message.name == message.name, message.arguments.isEmpty { return asked.step }
        return try? step(message, of: kind)
    }

    /// A step that it is asked about.
    func step(_ message: StepMessage, of kind: FlowKind) throws(StepError) -> any Step {
        if let asked, asked.message == message { return asked.step }
        let step = try kind.catalog.decode(message)
        asked = (message, step)
        return step
    }

    /// Hears of its presentable whether it is shown, and when it is closed.
    func follow(_ receive: @escaping @MainActor (Presence.Change) -> Void) {
        let (visible, dismissed) = (presentable.visible, presentable.dismissed)
        if let options = visible as? PresenceValues<Bool> {
            subscribe(options.presence) { change in if case .visible = change { receive(change) } }
        } else {
            tasks.append(Task { for await isVisible in visible { receive(.visible(isVisible)) } })
        }
        if let options = dismissed as? PresenceValues<Void> {
            subscribe(options.presence) { change in if case .dismissed = change { receive(change) } }
        } else {
            tasks.append(
                Task {
                    for await _ in dismissed {
                        receive(.dismissed)
                        break
                    }
                })
        }
    }

    private func subscribe(_ presence: Presence, _ receive: @escaping @MainActor (Presence.Change) -> Void) {
        subscriptions.append(presence.subscribe(receive))
    }

    /// Hears the steps of its stepper.
    func subscribeToSteps(_ receive: @escaping @MainActor (any Step) -> Void) {
        subscriptions.append(stepper.steps.subscribe(receive))
    }

    /// Runs its `adapt`: at once, up to where that waits for something.
    ///
    /// It is cancelled when the time is over, and when the node is gone; then nobody waits for its answer, and there is none:
    /// what became of the step is for the host to say.
    func adapt(
        within timeout: Duration, _ body: sending @escaping @MainActor () async -> AdaptAnswer,
        _ answer: @escaping @MainActor (AdaptAnswer) -> Void
    ) {
        adapting?.stop()
        let current = Adapting()
        adapting = current
        let task = Task.immediate { @MainActor in
            let result = await body()
            if current.end() { answer(result) }
        }
        current.run(task, within: timeout)
    }

    /// It is gone: nothing of it is heard any more.
    func end() {
        for subscription in subscriptions { subscription.end() }
        for task in tasks { task.cancel() }
        (subscriptions, tasks) = ([], [])
        adapting?.stop()
        adapting = nil
    }
}

/// An `adapt` under way, and who looks at the time.
@MainActor
private final class Adapting {
    private var task: Task<Void, Never>?
    private var clock: Task<Void, Never>?
    private var isOver = false

    func run(_ task: Task<Void, Never>, within timeout: Duration) {
        if isOver { return task.cancel() }
        self.task = task
        clock = Task { [weak self] in
            do { try await Task.sleep(for: timeout) } catch { return }
            self?.stop()
        }
    }

    /// It has an answer; whether anybody waits for it.
    func end() -> Bool {
        let isWanted = !isOver
        isOver = true
        clock?.cancel()
        (task, clock) = (nil, nil)
        return isWanted
    }

    /// Nobody waits for its answer.
    func stop() {
        let task = task
        if end() { task?.cancel() }
    }
}

/// What a flow contributed, or a root: a presentable and who emits steps on it.
struct Child {
    let presentable: any Presentable
    let stepper: any Stepper
    let allowsStepWhenNotPresented: Bool
    /// All that its stepper begins with.
    let initialSteps: [any Step]

    @MainActor
    init(_ presentable: any Presentable, _ stepper: any Stepper, allowsStepWhenNotPresented: Bool = false) {
        self.presentable = presentable
        self.stepper = stepper
        self.allowsStepWhenNotPresented = allowsStepWhenNotPresented
        initialSteps = stepper.initialSteps
    }
}
