// A flow handles a step: it finds the rule, plans, applies, reports, and triggers further steps (S-5, S-8).

extension Machine {
    /// Handles a step at its live flow, by the flow's own rules.
    mutating func navigate(_ step: WaitingStep, _ flow: NodeSlot, _ turn: inout Turn) -> Outcome {
        guard let contributors = contributors(for: step, at: flow) else { return .ignored(.unhandled) }
        announce(step, at: flow, &turn)
        return apply(contributors, step, flow, &turn)
    }

    /// Applies contributors at a live flow: all or none (S-13).
    mutating func apply(_ contributors: [FlowContributor], _ step: WaitingStep, _ flow: NodeSlot, _ turn: inout Turn)
        -> Outcome
    {
        var plan: Plan
        do throws(FlowError) {
            plan = try Planner.plan(contributors, for: step, at: flow, turn.now, forest, definitions)
            // Reclaiming can remove what the plan refers to.
            while plan.needsQuota, try reclaimIfNeeded(for: plan.total, by: step.client, plan.own, sparing: flow, &turn)
            {
                plan = try Planner.plan(contributors, for: step, at: flow, turn.now, forest, definitions)
            }
            if plan.needsQuota { try accounting.check(plan.own, inTotal: plan.total, for: step.client) }
        } catch {
            return .refused(error)
        }
        serial += 1
        switch plan.end {
        case .no: apply(&plan, step, flow, &turn)
        case .yes(let last): end(flow, last, nil, plan, step, &turn)
        case .answer(let result): end(flow, nil, result, plan, step, &turn)
        }
        return .navigated(serial: serial)
    }

    /// Applies contributors that do not end the flow.
    private mutating func apply(_ plan: inout Plan, _ step: WaitingStep, _ flow: NodeSlot, _ turn: inout Turn) {
        let former = plan.going.isEmpty ? nil : forest[flow].flow?.current
        let gone = plan.going.map { takeOut($0, below: flow, .rule, &turn) }
        let replaces = former.map { forest.slot(of: $0) == nil } ?? false
        var changed: [NodeSlot] = []
        for place in plan.children.indices {
            apply(place, of: &plan, step, flow, replaces: replaces, &changed, &turn)
            if !asks.isEmpty, let slot = plan.children[place].slot { noteContributed(slot, by: step.origin, &turn) }
        }
        setLastNavigation(
            plan.arguments, of: definitions.steps[step.step.index].name, flow, for: step.client)
        if step.purpose == .initial { initialStepEnded(of: flow) }
        let isMoved = plan.output.map { put(forest[flow].root, on: $0, for: step.client) }
        if !gone.isEmpty || !plan.children.isEmpty { forest.updateVisibility(below: flow, changed: changed) }
        if !gone.isEmpty {
            noteEmpty(flow, EmptyFlows.Cause(origin: step.origin, cause: serial, client: step.client))
        }
        if !plan.children.isEmpty { endEmptiness(ofParent: flow) }
        let news = setContext(plan.settings, &turn)
        if let isMoved { showMoved(forest[flow].root, isNew: isMoved) }
        reportChanges(&turn)
        turn.effects.append(
            .emitNavigationOccurred(
                navigation(plan.arguments, plan.contributions, step, at: forest[flow].path, of: definition(of: flow))))
        for gone in gone { dropSteps(of: gone, nearestLiveAncestor: flow, &turn) }
        tellContext(of: news, &turn)
        if plan.evicts { evictCovered(in: forest[flow].root, &turn) }

        for forward in plan.forwardsToParent { self.forward(forward, toParentOf: flow, step, &turn) }
        for place in plan.children.indices {
            guard let initial = plan.children[place].initial, let slot = plan.children[place].slot else { continue }
            // A reused flow may still wait for its first initial step; it never waits for this one (S-26).
            triggerInitial(initial, of: slot, step, plan.children[place].isNew ? .initial : .triggered, &turn)
        }
        for forward in plan.forwardsToCurrent {
            trigger(follower(forward, of: step, for: flow), &turn)
        }
        triggerChanged(news, step, &turn)
        triggerPresented(&turn)
    }

    /// Triggers the steps that follow from other values of the context (S-57).
    private mutating func triggerChanged(
        _ changed: [Plan.ContextSetting], _ step: WaitingStep, _ turn: inout Turn
    ) {
        for (flow, next) in stepsAfter(changed) {
            trigger(follower(Plan.Step(step: next, arguments: []), of: step, for: flow), &turn)
        }
    }

    /// Creates a child, or gives a live one new arguments.
    ///
    /// - Parameter changed: those whose visibility can have changed.
    private mutating func apply(
        _ place: Int, of plan: inout Plan, _ step: WaitingStep, _ flow: NodeSlot, replaces: Bool,
        _ changed: inout [NodeSlot], _ turn: inout Turn
    ) {
        switch plan.children[place] {
        case .make(let birth, let initial):
            let slot = insert(birth, below: flow, by: step, replaces: replaces)
            plan.children[place] = .made(slot, initial)
            changed.append(slot)
        case .reuse(let slot, let arguments, let onResult, _):
            let isReturn = willReturn(slot, with: arguments)
            forest.updateUsage(slot) { node in
                // What was saved belongs to the former arguments (S-44).
                if !node.arguments.hasSameValues(as: arguments) {
                    node.savedState = []
                    node.presenting?.kept.isOutdated = true
                }
                // From now on the arguments count for the client that reused it.
                (node.kept.arguments, node.kept.client) = (arguments, step.client)
                // The answer is for whom contributed it last (S-45).
                node.kept.onResult = onResult.map { Boxed($0) }
            }
            renewTitle(of: slot)
            // Its times count from now on, as if it were new (S-34).
            beginTimes(of: slot, &turn)
            if forest[slot].presenting != nil {
                if !isReturn { presentAgain(slot) }
                forest.update(slot) { [serial] node in
                    node.presenting?.kept.origin = step.origin
                    node.presenting?.kept.serial = serial
                }
            }
        case .adjust(let place, let adjustment):
            let subject =
                switch place {
                case .live(let slot): slot
                case .planned(let index): plan.children[index].slot
                }
            if let subject {
                adjust(subject, adjustment, below: flow)
                if !changed.contains(subject) { changed.append(subject) }
            }
        case .made, .popped: break
        }
    }

    /// Creates a child of a flow.
    ///
    /// - Parameter replaces: whether it takes the place of the one that covered the others.
    private mutating func insert(
        _ birth: Forest.Birth, below flow: NodeSlot, by step: WaitingStep, replaces: Bool
    ) -> NodeSlot {
        let slot = forest.insert(birth, below: flow)
        renewTitle(of: slot)
        if forest[slot].flow != nil {
            takeOverPauses(slot, from: flow)
            scheduleTimers(of: slot)
        } else {
            noteKeepsAwake(slot)
        }
        if forest[slot].presenting == nil, step.purpose != .initial { return slot }
        forest.update(slot) { [serial] node in
            node.presenting?.value.contribute(by: step.origin, serial, replaces: replaces)
            // Before the child is reported, because its parent's readiness depends on it (S-26).
            if step.purpose == .initial { node.flow?.kept.isAwaitedByParent = true }
        }
        return slot
    }

    /// Changes a child by a rule of its flow; visibility is updated after all changes (S-37).
    private mutating func adjust(_ slot: NodeSlot, _ adjustment: Plan.Adjustment, below flow: NodeSlot) {
        switch adjustment {
        case .select: forest.select(slot, of: flow)
        case .raise: forest.raise(slot)
        case .setVisible(let isVisible):
            forest.update(slot) { node in
                node.kept.isVisible = isVisible
                node.kept.isHiddenByRule = !isVisible
            }
        case .place(let layer, let style): place(slot, layer, style, below: flow)
        }
    }

    /// A live child moves to another layer, or gets another style: its screens are presented anew, now or when they come in sight
    /// (S-52).
    private mutating func place(_ slot: NodeSlot, _ layer: String?, _ style: String?, below flow: NodeSlot) {
        let layer = layer.flatMap { forest.isIn($0, slot, below: flow) ? nil : $0 }
        let style = style == forest[slot].style ? nil : style
        if layer == nil, style == nil { return }
        forest.update(slot) { node in
            node.kept.layer = layer ?? node.layer
            node.kept.style = style ?? node.style
        }
        forest.touch(slot)
        for below in forest.postorder(slot) { presentAnew(below) }
    }

    /// Ends a flow: removes it with all below it, and then triggers a step on the parent (S-21), and what that has for the
    /// result, or for the lack of one (S-45).
    private mutating func end(
        _ flow: NodeSlot, _ last: Plan.Step?, _ result: Arguments?, _ plan: Plan, _ step: WaitingStep,
        _ turn: inout Turn
    ) {
        let path = forest[flow].path
        let definition = definition(of: flow)
        let parent = forest[flow].parent
        let below = forest.removeChildren(of: flow)
        reportRemoved(below, .parent, &turn)
        let ended = forest.remove(flow)
        concludeRemoval(ended, below: parent)
        forest.updateVisibility(below: parent, changed: [])
        let changed = setContext(plan.settings.filter { $0.holder != .flow(flow) }, &turn)
        reportChanges(&turn)
        turn.effects.append(
            .emitNavigationOccurred(navigation(plan.arguments, plan.contributions, step, at: path, of: definition)))
        reportRemoved(ended, .rule, answer: result.map { (.result, $0) } ?? (.ended, []), &turn)
        dropSteps(of: below + ended, nearestLiveAncestor: parent, &turn)
        tellContext(of: changed, &turn)
        if let parent {
            noteEmpty(parent, EmptyFlows.Cause(origin: step.origin, cause: serial, client: step.client))
        }

        if let last {
            if let parent {
                trigger(follower(last, of: step, for: parent), &turn)
            } else {
                reportOrphaned(last, of: step, at: path, &turn)
            }
        }
        if let parent, definitions.flows[definition.index].result != nil {
            reportParent(
                parent, of: ended.last, result.map(Departure.answer) ?? .dismissal(Dismissal(.ended)),
                origin: step.origin, cause: serial, step.client, isInteractive: step.isInteractive, &turn)
        }
        triggerChanged(changed, step, &turn)
        triggerPresented(&turn)
    }

    /// Stores the flow's latest navigation, and charges its arguments.
    mutating func setLastNavigation(
        _ arguments: Arguments, of step: String, _ flow: NodeSlot, for client: Client
    ) {
        forest.setLast(LastNavigation(serial: serial, step: step, arguments: arguments, client: client), of: flow)
    }

    private func navigation(
        _ arguments: Arguments, _ contributions: [Contribution], _ step: WaitingStep, at path: String,
        of definition: FlowID
    ) -> Navigation {
        Navigation(
            flow: path, definition: definitions.flows[definition.index].name, serial: serial, cause: step.cause,
            client: step.client, step: definitions.steps[step.step.index].name, arguments: arguments,
            contributions: contributions, isDeepLink: step.isDeepLink,
            adaptedFrom: step.adaptedFrom.map { definitions[$0].name })
    }

    // MARK: What a navigation triggers

    /// A step that the current navigation triggers on a flow.
    private func follower(
        _ planned: Plan.Step, of step: WaitingStep, for flow: NodeSlot, _ purpose: WaitingStep.Purpose = .triggered
    ) -> WaitingStep {
        WaitingStep(
            origin: step.origin, client: step.client, flow: forest.id(of: flow),
            step: planned.step, arguments: planned.arguments, cause: serial, purpose: purpose,
            isInteractive: step.isInteractive)
    }

    /// Forwards a step to the parent; a root has none, which is reported (S-20).
    private mutating func forward(
        _ planned: Plan.Step, toParentOf flow: NodeSlot, _ step: WaitingStep, _ turn: inout Turn
    ) {
        if let parent = forest[flow].parent {
            trigger(follower(planned, of: step, for: parent), &turn)
        } else {
            reportOrphaned(planned, of: step, at: forest[flow].path, &turn)
        }
    }

    /// Triggers a flow's initial step at once, and a screen's when it is first presented, unless it may be emitted while
    /// hidden (S-16).
    private mutating func triggerInitial(
        _ initial: Plan.Step, of slot: NodeSlot, _ step: WaitingStep, _ purpose: WaitingStep.Purpose, _ turn: inout Turn
    ) {
        if forest[slot].flow != nil {
            trigger(follower(initial, of: step, for: slot, purpose), &turn)
            return
        }
        guard let flow = forest[slot].parent else { return }
        var follower = follower(initial, of: step, for: flow)
        follower.screen = forest.id(of: slot)
        // An initial step that still waits is out of date: the screen has other arguments now (S-19).
        if let outdated = forest[slot].initialStep {
            forest.updateUsage(slot) { $0.initialStep = nil }
            reportReplaced(outdated, at: forest[flow].path, &turn)
            unrecord(outdated)
            releaseOrigin(outdated.origin, isDeferred: true)
        }
        // A new screen is hidden at first; a reused one may be in sight.
        if forest[slot].whenHidden == .allow || forest[slot].isPresented {
            trigger(follower, &turn)
        } else if mayTrigger(follower, &turn) {
            origins.addDeferred(step.origin)
            var deferred = DeferredStep(
                step: initial.step, arguments: initial.arguments, origin: step.origin, cause: serial,
                client: step.client)
            record(&deferred, at: slot, isInitial: true)
            forest.updateUsage(slot) { [deferred] in $0.initialStep = deferred }
            // The chain of an ask does not wait for the screen: what covers that can take forever.
            if asks.isFollowing { _ = asks.endStep(step.origin) }
        }
    }
}
