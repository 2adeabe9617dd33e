// Queries of the driver, which change nothing.

extension Coordinator {
    /// Whether a live screen waits for this answer of its presenter.
    public func isAwaited(_ presentation: QuestionID) -> Bool {
        guard case .presenter(let asked)? = machine.questions[presentation] else { return false }
        return machine.forest.slot(of: asked.screen) != nil
    }

    /// Whether something depends on the answer of an owner that was asked whether it is alive.
    public func isAwaited(_ check: AliveCheck) -> Bool {
        guard case .owner(let asked)? = machine.questions[check.id] else { return false }
        return machine.forest.slot(of: asked.screen).flatMap { machine.checkInterval(of: $0) } != nil
    }

    /// Whether the silence of an owner that was asked whether it is alive means that it hangs.
    public func isExpectedToAnswer(_ check: AliveCheck) -> Bool {
        guard case .owner(let asked)? = machine.questions[check.id] else { return false }
        return machine.forest.slot(of: asked.screen).map { machine.isExpectedToAnswer($0) } ?? false
    }

    /// The live presentable at this object path; nil if there is none.
    public func node(at path: String) -> NodeID? { machine.forest.node(at: path) }

    /// Whether a presentable is live.
    public func isLive(_ node: NodeID) -> Bool { machine.forest.slot(of: node) != nil }

    /// The live presentable with this instance; nil if there is none (S-25).
    public func node(instance: UInt64) -> NodeID? { machine.forest.node(instance: instance) }

    /// A presentable's object path.
    public func path(of node: NodeID) -> String { machine.forest[slot(node)].path }

    /// Whether a presentable is a flow.
    public func isFlow(_ node: NodeID) -> Bool { machine.forest[slot(node)].flow != nil }

    /// Whether a presentable is a root.
    public func isRoot(_ node: NodeID) -> Bool { machine.forest[slot(node)].parent == nil }

    /// The value of a property of a presentable.
    public func value(of property: NodeProperty, at node: NodeID) -> PropertyValue {
        machine.forest.value(of: property, at: slot(node))
    }

    /// Hands over all presentables, parents before children: the path, whether it is a flow, and what gives the values of its
    /// properties.
    public func forEachPresentable(
        _ body: (_ path: String, _ isFlow: Bool, _ value: (NodeProperty) -> PropertyValue) throws -> Void
    ) rethrows {
        for slot in machine.forest.preorder() {
            try body(machine.forest[slot].path, machine.forest[slot].flow != nil) { property in
                machine.forest.value(of: property, at: slot)
            }
        }
    }

    /// A flow's latest navigation; nil if there was none.
    public func lastNavigation(of node: NodeID) -> LastNavigation? { machine.forest[slot(node)].flow?.activity.last }

    /// The slot of a presentable that was looked up just now.
    ///
    /// - Precondition: it is live, and no event was handled since.
    private func slot(_ node: NodeID) -> NodeSlot {
        guard let slot = machine.forest.slot(of: node) else {
            preconditionFailure("the presentable of instance \(node.instance) is not live any more")
        }
        return slot
    }

    /// The names of the steps that a presentable's flow has a rule for, sorted.
    public func acceptedSteps(of node: NodeID) -> [String] {
        guard let slot = machine.forest.slot(of: node) else { return [] }
        let definition = definitions[machine.definition(of: machine.flow(for: slot))]
        if let navigator = definition.navigator { return navigator.steps.map { definitions[$0].name }.sorted() }
        return definition.rules.map { definitions[$0.step].name }.sorted()
    }

    /// The presentables that a client owns, parents before children.
    public func presentables(ownedBy client: Client) -> [(path: String, instance: UInt64)] {
        machine.forest.preorder().filter { machine.forest[$0].owner == client }.map {
            (machine.forest[$0].path, machine.forest[$0].instance)
        }
    }

    /// The paths of a presentable's children, or of the roots for nil, in order.
    public func childPaths(of node: NodeID?) -> [String] {
        let slot: NodeSlot?
        if let node {
            guard let live = machine.forest.slot(of: node) else { return [] }
            slot = live
        } else {
            slot = nil
        }
        return machine.forest.children(of: slot).map { machine.forest[$0].path }
    }

    /// The paths of all presentables, parents before children, children in order.
    public var paths: [String] { machine.forest.preorder().map { machine.forest[$0].path } }

    /// How long screens took until they were visible, sorted by name (S-46).
    public var timings: [TimingStatistics] { machine.timings.statistics }

    /// The timers of live flows whose time runs (S-34, S-55), parents before children.
    public func runningTimers(at now: Instant) -> [RunningTimer] {
        machine.forest.preorder().flatMap { machine.runningTimers(of: $0, at: now) }
    }

    /// The screens in sight, from the lowest to the highest, by which a compositor orders windows (S-38).
    ///
    /// - Parameter output: the output of their roots; empty for all roots, those without an output included.
    /// - Throws: ``FlowError/Code/invalidArguments`` if that can't be the name of an output.
    public func stack(on output: String) throws(FlowError) -> [StackedScreen] {
        try machine.checkOutput(output)
        return machine.forest.screensInSight(on: output).map { machine.forest.stacked($0) }
    }

    /// What Back by this client would do now (S-39).
    ///
    /// - Throws: the error that Back would fail with.
    public func peekBack(at node: NodeID, by client: Client) throws(FlowError) -> BackPreview {
        guard let slot = machine.forest.slot(of: node) else { throw Machine.gone }
        return machine.preview(of: try machine.backTarget(from: slot, for: client).target)
    }

    /// Refuses what a program can't say of a screen.
    public func check(_ report: ScreenReport) throws(FlowError) { try machine.check(report) }

    /// The values of the coordinator's context that are not private (S-57).
    public var context: Arguments { machine.forest.context.published }

    /// The outputs that count as there (S-53): in the order of the latest list, and then those that are missing for a moment.
    public var outputs: [String] { machine.outputs.present }

    /// The number of live flows.
    public var flowCount: Int { machine.forest.flowCount }
    /// The number of live screens.
    public var screenCount: Int { machine.forest.screenCount }
}
