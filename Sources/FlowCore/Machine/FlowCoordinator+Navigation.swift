// A flow takes a step: its rule, the check, the application, what it tells and what it sets off (S-5, S-8).

extension FlowCoordinator {
    /// Takes a step at its live flow.
    mutating func navigate(_ step: WaitingStep, _ flow: Int) -> Outcome {
        guard let contributors = contributors(for: step, at: flow) else { return .ignored(.unhandled) }
        if definitions.flows[definition(of: flow).index].announces {
            effects.append(
                .announceNavigation(
                    Announcement(
                        flow: forest.nodes[flow].path, step: definitions.steps[step.step.index].name,
                        arguments: step.arguments.broadcastable, isDeepLink: step.isDeepLink)))
        }
        let plan: Plan
        do throws(FlowError) {
            plan = try self.plan(contributors, for: step, at: flow)
        } catch {
            return .refused(error)
        }
        serial += 1
        switch plan.end {
        case .no: apply(plan, step, flow)
        case .yes(let last): end(flow, last, plan, step)
        }
        return .navigated(serial: serial)
    }

    /// What the flow's rule says to a step: the first alternative that matches; nil where there is none.
    private func contributors(for step: WaitingStep, at flow: Int) -> [FlowContributor]? {
        let definition = definition(of: flow).index
        guard let rule = definitions.flows[definition].rule(for: step.step) else { return nil }
        return definitions.flows[definition].rules[rule].alternatives
            .first { $0.matches(step.arguments) }?.contributors
    }

    func definition(of flow: Int) -> FlowID {
        guard let state = forest.nodes[flow].flow else {
            preconditionFailure("a step was sent to '\(forest.nodes[flow].path)', which is a screen")
        }
        return state.definition
    }

    /// Applies contributors that do not end the flow.
    private mutating func apply(_ plan: Plan, _ step: WaitingStep, _ flow: Int) {
        let children = plan.children.map { child in
            let slot = forest.insert(child.birth, below: flow)
            ledger.count(Ledger.Tally(nodes: 1, bytes: child.birth.arguments.byteCount), for: step.client)
            // Set before the flow is told of, as only then it counts for the readiness that is told with it (S-26).
            if step.purpose == .initial { forest.nodes[slot].flow?.isAwaitedByParent = true }
            return slot
        }
        keep(plan, as: step, of: flow)
        if step.purpose == .initial { initialStepEnded(of: flow) }
        if !children.isEmpty { forest.settle(flow) }
        tellChanges()
        effects.append(.tellNavigation(navigation(plan, step, at: forest.nodes[flow].path)))

        for forward in plan.forwardsToParent { self.forward(forward, toParentOf: flow, step) }
        for (slot, child) in zip(children, plan.children) {
            if let initial = child.step { setOffInitial(initial, of: slot, step) }
        }
        for forward in plan.forwardsToCurrent {
            setOff(follower(forward, of: step, for: flow))
        }
        setOffPresented()
    }

    /// Ends a flow: it goes with all below it, then its parent gets the step (S-21).
    private mutating func end(_ flow: Int, _ last: Plan.Step?, _ plan: Plan, _ step: WaitingStep) {
        let path = forest.nodes[flow].path
        let parent = forest.nodes[flow].parent
        let below = forest.removeChildren(of: flow)
        tellRemoved(below)
        let ended = forest.remove(flow)
        settleAfterRemoval(ended, below: parent)
        tellChanges()
        effects.append(.tellNavigation(navigation(plan, step, at: path)))
        tellRemoved(ended)
        dropSteps(of: below + ended, heir: parent)

        if let last {
            if let parent {
                setOff(follower(last, of: step, for: parent))
            } else {
                tellHomeless(last, of: step, at: path)
            }
        }
        setOffPresented()
    }

    /// The flow's latest navigation, and what it holds for it.
    private mutating func keep(_ plan: Plan, as step: WaitingStep, of flow: Int) {
        let last = forest.nodes[flow].flow?.last
        if let last, last.client == step.client {
            ledger.count(Ledger.Tally(bytes: plan.byteCount - last.byteCount), for: step.client)
        } else {
            if let last { ledger.count(Ledger.Tally(bytes: -last.byteCount), for: last.client) }
            ledger.count(Ledger.Tally(bytes: plan.byteCount), for: step.client)
        }
        forest.nodes[flow].flow?.last = LastNavigation(
            serial: serial, step: definitions.steps[step.step.index].name, arguments: plan.arguments,
            client: step.client, byteCount: plan.byteCount)
    }

    private func navigation(_ plan: Plan, _ step: WaitingStep, at path: String) -> Navigation {
        Navigation(
            flow: path, serial: serial, cause: step.cause, client: step.client,
            step: definitions.steps[step.step.index].name, arguments: plan.arguments,
            contributions: plan.contributions, isDeepLink: step.isDeepLink)
    }
}

// MARK: - What a navigation sets off

extension FlowCoordinator {
    /// A step that the navigation at hand sets off on a flow.
    private func follower(
        _ planned: Plan.Step, of step: WaitingStep, for flow: Int, _ purpose: WaitingStep.Purpose = .setOff
    ) -> WaitingStep {
        WaitingStep(
            origin: step.origin, client: step.client, flow: forest.id(of: flow), tellAt: forest.nodes[flow].path,
            step: planned.step, arguments: planned.arguments, cause: serial, purpose: purpose)
    }

    /// Forwards a step to the parent; at a root that goes nowhere, and is told (S-20).
    private mutating func forward(_ planned: Plan.Step, toParentOf flow: Int, _ step: WaitingStep) {
        if let parent = forest.nodes[flow].parent {
            setOff(follower(planned, of: step, for: parent))
        } else {
            tellHomeless(planned, of: step, at: forest.nodes[flow].path)
        }
    }

    /// A flow's initial step is set off at once, a screen's when it is first presented, unless it may be emitted while
    /// hidden (S-16).
    private mutating func setOffInitial(_ initial: Plan.Step, of slot: Int, _ step: WaitingStep) {
        if forest.nodes[slot].flow != nil {
            setOff(follower(initial, of: step, for: slot, .initial))
            return
        }
        guard let flow = forest.nodes[slot].parent else { return }
        let follower = follower(initial, of: step, for: flow)
        if forest.nodes[slot].whenHidden == .allow {
            setOff(follower)
        } else if mayStillSetOff(follower) {
            forest.nodes[slot].initialStep = HeldStep(
                step: initial.step, arguments: initial.arguments, origin: step.origin, cause: serial,
                client: step.client)
            ledger.count(Ledger.Tally(bytes: initial.arguments.byteCount), for: forest.nodes[slot].client)
        }
    }

    /// Sets off the initial steps of screens that are now presented for the first time, parents first and in order
    /// (S-16). They were counted when they were contributed.
    mutating func setOffPresented() {
        for slot in forest.takePresented() {
            guard let held = forest.nodes[slot].initialStep, let flow = forest.nodes[slot].parent else { continue }
            forest.nodes[slot].initialStep = nil
            ledger.count(Ledger.Tally(bytes: -held.arguments.byteCount), for: forest.nodes[slot].client)
            queue.insert(
                WaitingStep(
                    origin: held.origin, client: held.client, flow: forest.id(of: flow),
                    tellAt: forest.nodes[flow].path,
                    step: held.step, arguments: held.arguments, cause: held.cause, purpose: .setOff))
        }
    }

    /// Tells the properties that changed, the new presentables first.
    mutating func tellChanges() {
        let (born, changes) = forest.takeChanges()
        for slot in born { effects.append(.addPresentable(forest.state(of: slot))) }
        for change in changes { effects.append(.changeProperties(change)) }
    }
}

// MARK: - Readiness

extension FlowCoordinator {
    /// The flow's initial step has ended, however it ended; the flow is ready when the child flows that it contributed
    /// are, or are gone (S-26).
    mutating func initialStepEnded(of flow: Int) {
        guard forest.nodes[flow].flow?.readiness == .awaitingStep else { return }
        let awaited = forest.children(of: flow).count { child in
            forest.nodes[child].flow.map { $0.isAwaitedByParent && !$0.isReady } ?? false
        }
        forest.nodes[flow].flow?.readiness = .awaitingChildren(awaited)
        if awaited == 0 { becomeReady(flow) }
    }

    /// One of the child flows that the initial step contributed is ready, or gone.
    mutating func awaitedChildEnded(of flow: Int) {
        guard case .awaitingChildren(let count) = forest.nodes[flow].flow?.readiness else { return }
        forest.nodes[flow].flow?.readiness = .awaitingChildren(count - 1)
        if count == 1 { becomeReady(flow) }
    }

    private mutating func becomeReady(_ flow: Int) {
        forest.nodes[flow].flow?.readiness = .ready
        forest.note(.ready, of: flow)
        if forest.nodes[flow].flow?.isAwaitedByParent == true, let parent = forest.nodes[flow].parent {
            awaitedChildEnded(of: parent)
        }
    }
}
