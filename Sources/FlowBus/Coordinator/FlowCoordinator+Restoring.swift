internal import FlowCore

// Snapshots of what is live, and flows that begin with what a snapshot has.

/// What led to a live child.
struct ChildOrigin {
    let step: any Step
    /// The name that the step has at the host.
    let stepName: String
    /// The navigation.
    let serial: UInt64
    /// The place among the children that the flow contributed.
    let place: Int
}

/// A step that is taken again to restore its children.
final class Restoration {
    let step: StepMessage
    /// The children to restore, by their place.
    let children: [TreeSnapshot.Node]
    /// The paths of those that are live again.
    var paths: [Int: NodePath] = [:]
    /// What was saved and does not fit any more.
    var faults: [StepError] = []

    init(_ step: StepMessage, _ children: [TreeSnapshot.Node]) { (self.step, self.children) = (step, children) }

    func child(at place: Int, named name: String) -> TreeSnapshot.Node? {
        children.first { $0.place == place && $0.name == name }
    }
}

extension FlowCoordinator {
    // MARK: Snapshots

    /// Returns what is live, to be restored when the program starts again by
    /// ``coordinate(flow:with:allowStepWhenNotPresented:restoring:)``.
    ///
    /// - Returns: The snapshot.
    /// - Throws: ``NavigationError``: `invalidStep` if a step that led to a live flow or screen can't be encoded, or a ``SavedState`` can't
    ///   be; `notSupported` on the bus, where the service keeps the tree.
    public func snapshot() throws(NavigationError) -> TreeSnapshot {
        try checkKeepsTree()
        let byParent = Dictionary(grouping: live.values.compactMap(\.report)) { $0.path.parent }
            .mapValues { $0.sorted { $0.instance < $1.instance } }
        var nodes: [TreeSnapshot.Node] = []
        for root in byParent[nil] ?? [] where roots[root.path] != nil {
            nodes.append(try saved(root, at: 0, byParent))
        }
        return TreeSnapshot(roots: nodes)
    }

    private func checkKeepsTree() throws(NavigationError) {
        guard host.keepsTree else { return }
        throw NavigationError(
            .notSupported, "there are no snapshots of a tree on the bus, as the service keeps it and restores it itself"
        )
    }

    private func saved(
        _ node: HostNode, at place: Int, _ byParent: [NodePath?: [HostNode]]
    ) throws(NavigationError) -> TreeSnapshot.Node {
        var saved = TreeSnapshot.Node(name: node.name, place: place, state: [], steps: [])
        if let screen = self.node(at: node.path), screen.flow == nil {
            do throws(StepError) {
                saved.state = try SavedProperties(of: screen.presentable).encode().map(SavedArgument.init)
            } catch {
                throw NavigationError(error)
            }
        }
        var places: [UInt64: Int] = [:]
        for child in byParent[node.path] ?? [] {
            guard let origin = self.node(at: child.path)?.origin ?? origins[child.path] else { continue }
            let contributed = try self.saved(child, at: origin.place, byParent)
            if let place = places[origin.serial] {
                saved.steps[place].children.append(contributed)
                continue
            }
            places[origin.serial] = saved.steps.count
            saved.steps.append(
                TreeSnapshot.Contributing(
                    step: origin.stepName, arguments: try arguments(of: origin.step, that: child.path),
                    children: [contributed]))
        }
        return saved
    }

    private func arguments(of step: any Step, that path: NodePath) throws(NavigationError) -> [SavedArgument] {
        do throws(StepError) {
            return try StepCoding.encode(step).arguments.map(SavedArgument.init)
        } catch {
            throw NavigationError(
                .invalidStep, "the step that led to '\(path)' can't be stored in a snapshot: \(error.description)")
        }
    }

    // MARK: Restoring

    /// Starts a flow as a root, as ``coordinate(flow:with:allowStepWhenNotPresented:)``, with what was live in it.
    ///
    /// The flow begins without its initial step. Instead, it takes the steps again that had led to its live flows and screens, each flow
    /// its own, parents before children: ``Flow/navigate(to:)`` is called, and of what it contributes, those children are taken that
    /// were live; one that was dismissed since is withdrawn at once. Initial steps and forwards do not follow, as what they led to
    /// has its own step. ``Flow/adapt(step:)`` is not asked, as it was before: a program that has to ask the user first begins with a flow
    /// that does, and restores afterwards. Screens have their ``SavedState`` before they are contributed.
    ///
    /// What the program can't restore any more, because it was changed since, is left out with what was below it, and
    /// ``failures`` says what. Which of several tabs is selected is for the program to know, as it shows and hides them.
    ///
    /// - Parameters:
    ///   - flow: the flow.
    ///   - stepper: the stepper of the flow. Its initial steps are emitted only if there is nothing to restore.
    ///   - allowStepWhenNotPresented: whether the steps of the flow are taken while it is hidden.
    ///   - snapshot: what was live. Of several roots with the flow's definition, the first such flow gets the first, and so on. If it is
    ///     nil, or had no such root, the flow begins with its initial step.
    /// - Returns: The path of the flow, when everything is restored.
    /// - Throws: ``NavigationError``, as ``coordinate(flow:with:allowStepWhenNotPresented:)``, and `notSupported` on the bus.
    @discardableResult
    public func coordinate(
        flow: any Flow, with stepper: any Stepper = DefaultStepper(), allowStepWhenNotPresented: Bool = true,
        restoring snapshot: TreeSnapshot?
    ) async throws -> NodePath {
        try checkKeepsTree()
        let definition = type(of: flow).definition
        let number = roots.values.count { $0.definition == definition }
        guard let saved = snapshot?.roots.filter({ $0.name == definition }).dropFirst(number).first else {
            return try await coordinate(
                flow: flow, with: stepper, allowStepWhenNotPresented: allowStepWhenNotPresented)
        }
        let child = ContributedChild(flow, stepper, allowsStepWhenNotPresented: allowStepWhenNotPresented)
        child.initialSteps = []
        let path = try await answer { done in coordinate(Root(child, flow, definition), done) }
        await restore(saved, at: path)
        return path
    }

    private func restore(_ saved: TreeSnapshot.Node, at path: NodePath) async {
        for contributing in saved.steps {
            do throws(NavigationError) {
                let restored = try await restore(contributing, at: path)
                for child in contributing.children {
                    guard let childPath = restored.paths[child.place] else {
                        let error = NavigationError(
                            .navigatorFailed,
                            "the flow '\(path)' did not contribute '\(child.name)' to the step '\(contributing.step)' again"
                        )
                        notify(error, at: path, step: contributing.step)
                        continue
                    }
                    await restore(child, at: childPath)
                }
            } catch {
                notify(error, at: path, step: contributing.step)
            }
        }
    }

    /// Has a flow take a step again.
    private func restore(
        _ contributing: TreeSnapshot.Contributing, at path: NodePath
    ) async throws(NavigationError) -> Restoration {
        guard let node = node(at: path), let kind = kinds[node.definition] else {
            throw NavigationError(.unknownObject, "the flow '\(path)' ended while it was restored")
        }
        let step: any Step
        do throws(StepError) {
            step = try kind.catalog.decode(
                StepMessage(name: contributing.step, arguments: contributing.arguments.map(\.argument)))
        } catch {
            throw NavigationError(error)
        }
        let restoration = Restoration(try encode(step), contributing.children)
        restorations[path] = restoration
        defer { restorations[path] = nil }
        // A caller that is cancelled does not end it halfway.
        let result: Result<StepOutcome, NavigationError> = await withCheckedContinuation { continuation in
            host.emit(restoration.step, token: nil, on: path, instance: node.instance) {
                continuation.resume(returning: $0)
            }
        }
        let outcome = try result.get()
        for fault in restoration.faults { notify(NavigationError(fault), at: path, step: contributing.step) }
        guard outcome.isNavigated else {
            throw NavigationError(
                .navigatorFailed, "the step '\(contributing.step)' was \(outcome.verdict.rawValue) when it was restored"
            )
        }
        return restoration
    }

    /// Notes a child that is live again, if a restoration has led to it.
    ///
    /// - Parameters:
    ///   - child: the path of the child.
    ///   - step: the step that led to it.
    ///   - origin: the same, as the child has it.
    func noteRestored(_ child: NodePath, _ step: StepMessage?, _ origin: ChildOrigin) {
        guard let restoration = child.parent.flatMap({ restorations[$0] }), restoration.step == step else { return }
        restoration.paths[origin.place] = child
    }

    /// The restoration to which a question belongs; nil if the step is any other.
    func restoration(of question: HostQuestion) -> Restoration? {
        guard !restorations.isEmpty, let restoration = restorations[question.flow], restoration.step == question.step
        else {
            return nil
        }
        return restoration
    }
}

extension Restoration {
    /// Of the contributors of the step, those of children that were live, and the place of each.
    @FlowActor
    func kept(of contributors: [FlowContributor]) -> ([FlowContributor], [Int]) {
        var kept: ([FlowContributor], [Int]) = ([], [])
        for (place, contributor) in contributors.filter(\.isChild).enumerated() {
            let object = contributor.presentable
            guard let child = child(at: place, named: contributor.childName) else {
                // The flow may have put it in sight.
                object?.withdraw()
                continue
            }
            if let object, !object.isFlow {
                faults += SavedProperties(of: object).restore(child.state.map(\.argument))
            }
            kept.0.append(contributor)
            kept.1.append(place)
        }
        return kept
    }
}

extension FlowContributor {
    /// The object that it adds.
    fileprivate var presentable: (any Presentable)? {
        if case .contribute(let presentable, _, _, _, _) = self { presentable } else { nil }
    }

    /// The name of the child that it adds; empty if it adds none.
    @FlowActor
    fileprivate var childName: String {
        switch self {
        case .contribute(let presentable, _, _, _, _): presentable.contributedName
        case .contributeFlow(let name, _, _, _, _, _, _), .contributeScreen(let name, _, _, _, _, _, _): name
        case .forwardToCurrentFlow, .forwardToParentFlow, .pop, .popToRoot, .showChild, .hideChild, .dismissChild,
            .setContext:
            ""
        }
    }
}
