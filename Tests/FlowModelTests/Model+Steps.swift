import FlowCore

extension Model {
    /// Takes a step to its end (S-5).
    func take(_ step: ModelStep) {
        let outcome = outcome(of: step)
        switch step.purpose {
        case .asked: asked = outcome
        case .reported: break
        case .initial: step.flow.initialHasEnded = true
        case .idle: if outcome.isNavigated { step.flow.idleRests = true }
        }
        if step.purpose != .asked {
            switch outcome {
            case .navigated: break
            case .ignored(let verdict): reportFailure(step, .verdict(verdict))
            case .refused(let error): reportFailure(step, .error(error.code))
            }
        }
        reportChanges()
        switch outcome {
        case .navigated: noteFutility(step, "")
        case .ignored(let verdict): noteFailedCreation(step, verdict.rawValue)
        case .refused(let error): noteFailedCreation(step, error.code.busName)
        }
        // Who asked by it is told so by the verdict alone.
        if step.purpose == .asked, !outcome.isNavigated { asks.removeAll { $0.origin == step.origin } }
        settleAsks(step.origin)
    }

    private func outcome(of step: ModelStep) -> Outcome {
        guard step.flow.isLive else { return .refused(FlowError(.flowEnded)) }
        guard let alternative = alternative(for: step) else { return .ignored(.unhandled) }
        let definition = definitions.flows[step.flow.definition]
        if definition.announces {
            observed.append(
                .will(
                    flow: step.flow.path, step: definitions[step.step].name, arguments: step.arguments.broadcastable,
                    isDeepLink: step.isDeepLink))
        }
        do throws(FlowError) {
            var plan = try self.plan(alternative.contributors, step)
            let makes = plan.members.contains { if case .planned = $0 { true } else { false } }
            guard !makes || plan.members.count <= Limits.children else { throw FlowError(.limitExceeded) }
            while let need = need(of: plan, for: step.client),
                try reserve(need.own, inTotal: need.total, for: step.client, sparing: step.flow)
            {
                plan = try self.plan(alternative.contributors, step)
            }
            apply(plan, step)
            return .navigated(serial: step.flow.last?.serial ?? 0)
        } catch {
            return .refused(error)
        }
    }

    /// Applies all contributors, reports the navigation, and triggers the next steps (S-8).
    private func apply(_ plan: ModelPlan, _ step: ModelStep) {
        let flow = step.flow
        var lost: [ModelStep] = []
        for node in plan.removed { remove(node, .rule, &lost) }
        if plan.ends {
            for child in flow.children.reversed() { take(out: child, .parent, nearestLiveAncestor: flow.parent, &lost) }
            flow.successor = flow.parent
            detach(flow)
        }
        let news = set(plan.settings.filter { !plan.ends || $0.holder !== flow })
        let isStillThere = applyChildren(plan, step)
        reportChanges()
        serial += 1
        flow.last = (serial, definitions[step.step].name, step.arguments.broadcastable)
        observed.append(
            .did(
                ObservedEffect.NavigationSummary(
                    flow: flow.path, serial: serial, cause: step.cause, client: step.client,
                    step: definitions[step.step].name, arguments: step.arguments.broadcastable,
                    parts: plan.parts.compactMap { part($0, flow, isStillThere) }, isDeepLink: step.isDeepLink)))
        if plan.ends {
            discard(flow, &lost)
            var result: Arguments?
            for case .answer(let values) in plan.parts { result = values }
            noteGone(flow, result == nil ? .ended : .result, result ?? [])
        }
        reportLost(lost)
        noteEmpty(plan.ends ? flow.parent : flow, Emptying(origin: step.origin, cause: serial, client: step.client))
        trigger(plan, step)
        for (flow, next) in steps(after: news) {
            trigger(
                ModelStep(
                    step: next, arguments: [], flow: flow, origin: step.origin, cause: serial, client: step.client,
                    purpose: .reported))
        }
        release()
    }

    /// Updates reused children, and creates new ones. Returns the remaining nodes.
    private func applyChildren(_ plan: ModelPlan, _ step: ModelStep) -> (ModelNode) -> Bool {
        var added: [ModelNode] = []
        for part in plan.parts {
            switch part {
            case .reused(let reused, let arguments, _) where reused.node.isLive:
                reused.node.arguments = arguments
                reused.node.client = step.client
                if reused.node.isFlow { beginTimes(of: reused.node) }
                reused.node.onResult = reused.onResult
                noteContributed(reused.node, by: step.origin)
                select(reused.node)
            case .made(let planned, _) where !planned.isDropped:
                let node = make(
                    planned.name, id: planned.id, below: step.flow, definition: planned.definition,
                    arguments: planned.arguments, client: step.client, template: planned.template, birth: step.origin)
                (node.layer, node.style) = (planned.layer, planned.style)
                node.initialHasEnded = node.isFlow && planned.initial == nil
                node.onResult = planned.onResult
                planned.node = node
                added.append(node)
                noteContributed(node, by: step.origin)
                if planned.template.reuses { select(node) }
            case .place(let member, let layer, let style):
                guard let node = node(of: member) else { break }
                let layers = definitions.flows[step.flow.definition].layers.map(\.name)
                if let layer, layers.firstIndex(of: layer) ?? 0 != rank(of: node) { node.layer = layer }
                if let style { node.style = style }
            case .reusedPlanned(let planned, _, _):
                if let node = planned.node { select(node) }
            case .raise(let member):
                if let node = node(of: member) {
                    if definitions.flows[step.flow.definition].children == .layers { node.isVisible = true }
                    raise(node)
                }
            case .show(_, let member): if let node = member.flatMap(node) { show(node) }
            case .hide(_, let member): member.flatMap(node)?.isVisible = false
            default: break
            }
        }
        if step.purpose == .initial {
            step.flow.initialHasEnded = true
            step.flow.awaited = added.filter(\.isFlow)
        }
        if let output = plan.output { move(root(of: step.flow), to: output, for: step.client) }
        reportAdded(added)
        return { $0.isLive }
    }

    /// The node of a child in a plan, if it is live.
    private func node(of member: ModelPlan.Member) -> ModelNode? {
        switch member {
        case .live(let node): node.isLive ? node : nil
        case .planned(let planned): planned.isDropped ? nil : planned.node
        }
    }

    /// Puts a child behind its siblings (S-37).
    private func raise(_ node: ModelNode) {
        guard let parent = node.parent, parent.children.last !== node else { return }
        parent.children.removeAll { $0 === node }
        parent.children.append(node)
        instances += 1
        node.order = instances
    }

    /// A rule shows a child (S-37).
    private func show(_ node: ModelNode) {
        guard let parent = node.parent else { return }
        switch definitions.flows[parent.definition].children {
        case .free: node.isVisible = true
        case .layers:
            node.isVisible = true
            raise(node)
        case .tabs: select(node)
        case .stack: break
        }
    }

    /// Creates a presentable that was not reported yet.
    func make(
        _ name: String, id: String, below parent: ModelNode?, definition: Int?, arguments: Arguments,
        client: Client, template: ChildTemplate?, birth: Int
    ) -> ModelNode {
        instances += 1
        let node = ModelNode(
            name, id: id, instance: instances, below: parent, base: base, definition: definition, arguments: arguments,
            client: client, style: template?.style ?? "", whenHidden: template?.whenHidden,
            layer: template?.layer, onDismissed: template?.onDismissed, birth: birth)
        node.idleSince = now
        if let definition {
            node.context = ModelContext(definitions.flows[definition].context)
            node.timers = definitions.flows[definition].timers.map {
                ModelTimer(since: $0.since == .created ? now : nil)
            }
        }
        if let parent {
            parent.children.append(node)
            (parent.mayBeEmpty, parent.emptiedBy) = (true, nil)
            (parent.beginning, parent.isWaiting) = (nil, false)
        } else {
            roots.append(node)
        }
        return node
    }

    func reportAdded(_ added: [ModelNode]) {
        for root in roots { settleReadiness(root) }
        for node in added {
            let state = state(of: node)
            observed.append(.added(state))
            node.reported = ModelNode.ReportedState(
                isVisible: state.isVisible, isPresented: state.isPresented, isInSight: isInSight(node),
                isReady: state.isReady, current: current(of: node), arguments: state.arguments, output: state.output,
                style: state.style,
                context: state.context)
            node.contextIsNew = false
        }
    }

    private func part(_ part: ModelPlan.Part, _ flow: ModelNode, _ stays: (ModelNode) -> Bool) -> ObservedEffect
        .ContributionSummary?
    {
        func path(_ planned: ModelPlan.Planned) -> String { flow.path + "/" + planned.id }
        func up(_ kind: Contribution.Kind, _ step: StepID?, _ arguments: Arguments)
            -> ObservedEffect.ContributionSummary
        {
            ObservedEffect.ContributionSummary(
                kind: kind, name: step.map { definitions[$0].name } ?? "",
                path: step == nil ? nil : flow.parent?.path, arguments: arguments.broadcastable)
        }
        switch part {
        case .clear: return ObservedEffect.ContributionSummary(kind: .clear, name: "")
        case .made(let planned, let arguments):
            guard !planned.isDropped else { return nil }
            return ObservedEffect.ContributionSummary(
                kind: planned.isFlow ? .flow : .screen, name: planned.name, path: path(planned),
                style: planned.template.style ?? "", arguments: arguments.broadcastable)
        case .reusedPlanned(let planned, let arguments, let style):
            guard !planned.isDropped else { return nil }
            return ObservedEffect.ContributionSummary(
                kind: .reuse, name: planned.name, path: path(planned), style: style,
                arguments: arguments.broadcastable)
        case .reused(let reused, let arguments, let style):
            guard stays(reused.node) else { return nil }
            return ObservedEffect.ContributionSummary(
                kind: .reuse, name: reused.node.name, path: reused.node.path, style: style,
                arguments: arguments.broadcastable)
        case .move(let output):
            return ObservedEffect.ContributionSummary(
                kind: .move, name: output.isPrivate ? "" : output.value.text, path: root(of: flow).path)
        case .place: return nil
        // A later contributor can have removed the child again.
        case .pop(let meant, let child):
            return ObservedEffect.ContributionSummary(
                kind: .pop, name: meant.name, path: child.flatMap(node)?.path, arguments: meant.reported)
        case .show(let meant, let child):
            return ObservedEffect.ContributionSummary(
                kind: .show, name: meant.name, path: child.flatMap(node)?.path, arguments: meant.reported)
        case .hide(let meant, let child):
            return ObservedEffect.ContributionSummary(
                kind: .hide, name: meant.name, path: child.flatMap(node)?.path, arguments: meant.reported)
        case .dismiss(let meant, let path):
            return ObservedEffect.ContributionSummary(
                kind: .dismiss, name: meant.name, path: path, arguments: meant.reported)
        case .evict: return ObservedEffect.ContributionSummary(kind: .evict, name: "")
        case .set(let values):
            return ObservedEffect.ContributionSummary(kind: .set, name: "", arguments: values.broadcastable)
        case .raise: return nil
        case .current(let step, let arguments):
            return ObservedEffect.ContributionSummary(
                kind: .current, name: definitions[step].name, path: flow.path, arguments: arguments.broadcastable)
        case .parent(let step, let arguments): return up(.parent, step, arguments)
        case .end(let step, let arguments): return up(.end, step, arguments)
        case .answer: return up(.end, nil, [])
        }
    }

    // MARK: - What follows (S-8)

    private func trigger(_ plan: ModelPlan, _ step: ModelStep) {
        func follower(
            _ id: StepID, _ arguments: Arguments, on flow: ModelNode, _ purpose: ModelStep.Purpose = .reported
        ) -> ModelStep {
            ModelStep(
                step: id, arguments: arguments, flow: flow, origin: step.origin, cause: serial, client: step.client,
                purpose: purpose)
        }
        let flow = step.flow
        for part in plan.parts {
            switch part {
            case .parent(let id, let arguments), .end(.some(let id), let arguments):
                if let parent = flow.parent {
                    trigger(follower(id, arguments, on: parent))
                } else {
                    reportFailure(follower(id, arguments, on: flow), .verdict(.unhandled))
                }
            default: break
            }
        }
        for part in plan.parts where definitions.flows[flow.definition].result != nil {
            switch part {
            case .end:
                reportParent(of: flow, .ended, origin: step.origin, cause: serial, step.client, isHead: false)
            case .answer(let result): answerParent(of: flow, result, origin: step.origin, cause: serial, step.client)
            default: break
            }
        }
        for part in plan.parts {
            switch part {
            case .made(let planned, _):
                guard let node = planned.node, let initial = planned.initial else { continue }
                triggerInitial(
                    node, follower(initial.step, initial.arguments, on: node.flow, node.isFlow ? .initial : .reported))
            case .reused(let reused, _, _):
                guard reused.node.isLive, !reused.isTriggered, let initial = reused.initial else { continue }
                reused.isTriggered = true
                triggerInitial(reused.node, follower(initial.step, initial.arguments, on: reused.node.flow))
            default: break
            }
        }
        for case .current(let id, let arguments) in plan.parts { trigger(follower(id, arguments, on: flow)) }
    }

    /// A flow's initial step at once; a screen's when that is presented (S-16).
    private func triggerInitial(_ node: ModelNode, _ step: ModelStep) {
        if let old = node.initialStep {
            node.initialStep = nil
            reportFailure(old, .verdict(.hidden))
        }
        guard mayTrigger(step) else { return }
        if node.isFlow || whenHidden(node) == .allow || isPresented(node) {
            queue(step)
        } else {
            node.initialStep = step
        }
    }

    // MARK: - Removal (S-22)

    /// Removes a presentable and everything below it, the newest leaf first, with their waiting steps.
    func remove(_ node: ModelNode, _ outcome: AskOutcome, _ lost: inout [ModelStep]) {
        take(out: node, outcome, nearestLiveAncestor: node.parent, &lost)
    }

    private func take(
        out node: ModelNode, _ outcome: AskOutcome, nearestLiveAncestor: ModelNode?, _ lost: inout [ModelStep]
    ) {
        for child in node.children.reversed() {
            take(out: child, .parent, nearestLiveAncestor: nearestLiveAncestor, &lost)
        }
        node.successor = nearestLiveAncestor
        detach(node)
        discard(node, &lost)
        noteGone(node, outcome)
    }

    func detach(_ node: ModelNode) {
        node.isLive = false
        if let parent = node.parent {
            parent.children.removeAll { $0 === node }
            parent.selections.removeAll { $0 === node }
        } else {
            roots.removeAll { $0 === node }
        }
    }

    private func discard(_ node: ModelNode, _ lost: inout [ModelStep]) {
        observed.append(.removed(path: node.path, isFlow: node.isFlow))
        lost += [node.initialStep].compactMap(\.self) + node.deferred
        (node.initialStep, node.deferred, node.awaited, node.reported.current) = (nil, [], [], nil)
    }

    func reportLost(_ lost: [ModelStep]) {
        for step in lost {
            reportFailure(step, .error(step.flow.isLive ? .presentableDismissed : .flowEnded))
            // An initial step is not waited for.
            if step.cause == 0 { settleAsks(step.origin) }
        }
    }
}
