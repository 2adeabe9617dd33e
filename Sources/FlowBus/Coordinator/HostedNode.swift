internal import FlowCore

/// A live flow or screen whose object is in this coordinator.
@FlowActor
package final class HostedNode {
    let path: NodePath
    /// The instance number, never used again (S-1); 0 until the host reports it.
    let instance: UInt64
    package let presentable: any Presentable
    let presentableType: PresentableType
    package let stepper: any Stepper
    /// The presentable as a flow; nil for a screen.
    let flow: (any Flow)?
    /// The definition of the flow; empty for a screen.
    let definition: String
    /// The root of the flow, if it is a presentable.
    let root: (any Presentable)?
    let allowsStepWhenNotPresented: Bool
    /// Further initial steps of the stepper, which wait until the node is presented.
    var initialSteps: [any Step]
    /// What its parent makes of its answer.
    var onResult: ResultStep?
    /// Whether it says of itself that it is not visible.
    var isHidden = false
    /// The coordinator that has it; nil where it has another owner.
    weak var coordinator: FlowCoordinator?
    /// The place of a flow that was asked; nil where its host knows none.
    var place: FlowPlace?
    /// What it reports to the host; nil as long as there is nothing.
    package var reports: PresenceReports?
    /// What led to it; nil if the host keeps the tree, and of a root.
    var origin: ChildOrigin?
    /// What it asks; nil where it can ask nothing.
    var asks: ScreenAsks?
    /// Whether this program has presented the screen.
    var isOwned = false
    private(set) var isEnded = false
    /// Whether the flow is ready, once that was looked for.
    var readiness: FlowReadiness?
    /// Subscriptions to the presentable and to the stepper.
    private var presenceSubscription: Subscription.Place?
    private var stepSubscription: Subscription.Place?
    private var subscriptions: [Subscription] = []
    private var tasks: [Task<Void, Never>] = []
    /// The step of the current question, encoded and decoded: the flow gets it twice, and the navigation reports it.
    private var asked: (message: StepMessage, step: any Step)?
    /// What the flow contributed with its latest answer, until the host reports the navigation.
    var contributed: Contributed?
    /// The call of `adapt` under way, and the number of calls so far.
    private var adapting: Adapting?
    private var adaptCount = 0

    package init(_ child: ContributedChild, at path: NodePath, instance: UInt64, definition: String = "") {
        self.path = path
        self.instance = instance
        presentable = child.presentable
        presentableType = child.presentableType
        stepper = child.stepper
        flow = child.flow
        root = flow.flatMap { $0.root as? any Presentable }
        self.definition = definition
        allowsStepWhenNotPresented = child.allowsStepWhenNotPresented
        initialSteps = child.initialSteps.count > 1 ? Array(child.initialSteps.dropFirst()) : []
        onResult = child.onResult
    }

    isolated deinit { end() }

    /// Returns the step of a navigation. The host leaves out the arguments of private steps; such a step is taken from
    /// the latest question.
    func navigatedStep(_ message: StepMessage, of kind: FlowKind) -> (any Step)? {
        if let asked, asked.message.name == message.name,
            message.arguments.allSatisfy({ asked.message.arguments[$0.name]?.value == $0.value })
        {
            return asked.step
        }
        return try? step(message, of: kind)
    }

    /// Returns the step of a question.
    func step(_ message: StepMessage, of kind: FlowKind) throws(StepError) -> any Step {
        if let step = message.step {
            // The navigation leaves out the arguments of a step that is made of an answer.
            if message.arguments.contains(where: \.isPrivate) { asked = (message, step) }
            return step
        }
        if let asked, asked.message == message { return asked.step }
        let step = try kind.catalog.decode(message)
        asked = (message, step)
        return step
    }

    /// Subscribes to the visibility, the title, the dismissal and the answer of the presentable. A flow has the visibility and the
    /// dismissal of its root, but neither title nor answer.
    package func observePresence(_ receiver: Receiver<Presence.Change>) {
        // Its presence says what its sequences do, without a stream for each of them.
        if flow == nil, let presence = presentableType.presence(of: presentable) {
            presenceSubscription = presence.add(receiver)
            return
        }
        let receive = receiver.receive
        let (visible, dismissed, isFlow) = (presentable.visible, presentable.dismissed, flow != nil)
        if let values = visible as? PresenceValues<Bool> {
            subscribe(values.presence) { change in
                switch change {
                case .visible: receive(change)
                case .title: if !isFlow { receive(change) }
                case .dismissed, .finished: break
                }
            }
        } else {
            tasks.append(Task { for await isVisible in visible { receive(.visible(isVisible)) } })
        }
        if let values = dismissed as? PresenceValues<Void> {
            subscribe(values.presence) { change in
                switch change {
                case .dismissed: receive(change)
                case .finished: receive(isFlow ? .dismissed : change)
                case .visible, .title: break
                }
            }
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

    private func subscribe(_ presence: Presence, _ receive: @escaping @FlowActor (Presence.Change) -> Void) {
        subscriptions.append(presence.subscribe(receive))
    }

    /// Subscribes to the steps of the stepper.
    package func subscribeToSteps(_ receive: @escaping @FlowActor (any Step) -> Void) {
        stepSubscription = stepper.steps.add(receive)
    }

    /// A step of the stepper has ended. Nobody waited for that, so a failure is reported.
    ///
    /// - Parameters:
    ///   - step: the name of the step.
    ///   - result: what became of it.
    func ended(_ step: String, _ result: Result<StepOutcome, NavigationError>) {
        if let failure = NavigationFailure(of: result, step, on: path) { coordinator?.report(failure) }
    }

    /// Runs `adapt`, immediately up to its first suspension.
    ///
    /// The task is cancelled at the time limit, and when the node ends. Then there is no answer: the host has dropped the question.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - flow: the flow of the node.
    ///   - host: its host.
    ///   - answer: receives the answer.
    /// - Returns: Whether it is over already.
    func adapt(
        _ step: any Step, by flow: any Flow, for host: any Host, _ answer: @escaping @FlowActor (AdaptAnswer) -> Void
    ) -> Bool {
        stopAdapting()
        adaptCount += 1
        let number = adaptCount
        adapting = Adapting(number: number, receive: answer)
        let task = Task.immediate { @FlowActor in
            do {
                // A type that the flow does not take is found unhandled.
                let adapted = try await flow._adapted(step) ?? step
                // In RxFlow, `NoneStep` means that no step is taken.
                end(number, with: adapted.isNone ? .rejected("") : .step(try host.message(of: adapted)))
            } catch let rejection as StepRejected {
                end(number, with: .rejected(rejection.reason))
            } catch {
                end(number, with: .failed("\(error)"))
            }
        }
        if adapting?.number != number {
            // It was stopped, or has its answer.
            task.cancel()
            return true
        }
        let (timeout, clock) = (type(of: flow).timeout, host.clock)
        adapting?.task = task
        adapting?.clock = Task { [weak self] in
            do { try await clock.sleep(timeout) } catch { return }
            self?.end(number, with: .timedOut)
            task.cancel()
        }
        return false
    }

    /// Ends the call of `adapt` with this number with its answer, if that is still wanted.
    private func end(_ number: Int, with answer: AdaptAnswer) {
        if adapting?.number == number { adapting.take()?.end(with: answer) }
    }

    /// Cancels the call of `adapt`; its answer is discarded. What waits for it learns by the release of its closure that there is none.
    private func stopAdapting() { adapting.take()?.cancel() }

    /// Takes what the flow contributed with its latest answer.
    func takeContributed() -> Contributed? {
        var taken: Contributed?
        swap(&taken, &contributed)
        return taken
    }

    /// Cancels all subscriptions and tasks.
    package func end() {
        isEnded = true
        for subscription in subscriptions { subscription.end() }
        presenceSubscription?.end()
        stepSubscription?.end()
        for task in tasks { task.cancel() }
        (subscriptions, presenceSubscription, stepSubscription, tasks) = ([], nil, nil, [])
        stopAdapting()
        reports?.end()
        asks?.end()
    }
}

/// A call of `adapt` under way, with its time limit.
private struct Adapting {
    let number: Int
    let receive: @FlowActor (AdaptAnswer) -> Void
    var task: Task<Void, Never>?
    var clock: Task<Void, Never>?

    @FlowActor
    func end(with answer: AdaptAnswer) {
        clock?.cancel()
        receive(answer)
    }

    func cancel() {
        clock?.cancel()
        task?.cancel()
    }
}

/// A contributed presentable, or a root, with its stepper.
@FlowActor
package final class ContributedChild {
    let presentable: any Presentable
    let presentableType: PresentableType
    let stepper: any Stepper
    /// Whether its steps are taken while it is not presented: the default of a flow.
    let allowsStepWhenNotPresented: Bool
    /// The step for its answer.
    let onResult: ResultStep?
    let options: ChildOptions
    /// The initial steps of the stepper. The host has the first, and the others follow when it is presented.
    var initialSteps: [any Step]

    package init(
        _ presentable: any Presentable, _ stepper: any Stepper, allowsStepWhenNotPresented: Bool? = nil,
        onResult: ResultStep? = nil, options: ChildOptions = ChildOptions()
    ) {
        self.presentable = presentable
        self.stepper = stepper
        presentableType = PresentableType.of(presentable)
        if let whenHidden = options.whenHidden {
            self.allowsStepWhenNotPresented = whenHidden == .allow
        } else {
            self.allowsStepWhenNotPresented = allowsStepWhenNotPresented ?? presentableType.isFlow
        }
        self.onResult = onResult
        self.options = options
        initialSteps = stepper.takeInitialSteps()
    }

    /// The presentable as a flow; nil for a screen.
    var flow: (any Flow)? { presentableType.isFlow ? presentable as? any Flow : nil }

    /// Whether it is a screen that is shown already.
    var isShown: Bool {
        if presentableType.isFlow { return false }
        if let presence = presentableType.presence(of: presentable) { return presence.isVisible }
        return (presentable.visible as? PresenceValues<Bool>)?.presence.isVisible == true
    }
}

/// A contributed child by its name. No tuple, whose parts would be released by way of what is known of their types.
struct NamedChild {
    let name: String
    /// nil if its object is elsewhere.
    let child: ContributedChild?
}

/// What a flow contributed, until the host reports the navigation.
struct Contributed {
    /// Its children.
    var children: [NamedChild] = []
    /// The place of each in what the flow contributed, if some of that was left out.
    var places: [Int]?
    /// The number of initial steps of the children that stand before all other contributors.
    var leadingSteps = 0
}

/// The live nodes of one object, oldest first: an object can be live at several paths, and usually is at one.
struct NodesOfObject {
    let first: HostedNode
    private let others: [HostedNode]

    init(_ first: HostedNode, _ others: [HostedNode] = []) { (self.first, self.others) = (first, others) }

    func adding(_ node: HostedNode) -> NodesOfObject { NodesOfObject(first, others + [node]) }

    /// nil if none is left.
    func removing(_ node: HostedNode) -> NodesOfObject? {
        let left = ([first] + others).filter { $0 !== node }
        return left.first.map { NodesOfObject($0, Array(left.dropFirst())) }
    }
}
