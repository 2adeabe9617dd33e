import FlowCore

extension Model {
    /// Reloads the definitions: live flows follow the new rules from their next step, presentables without a definition
    /// are dismissed, and undeclared waiting steps are dropped.
    func reload(_ new: Definitions) {
        // The first tab is selected until another one is, whatever stands first after the flow was something else for a while.
        for node in nodes where node.isFlow && node.selections.isEmpty {
            if let first = node.children.first { select(first) }
        }
        for node in nodes where node.isLive && !isDefined(node, new) {
            var lost: [ModelStep] = []
            remove(node, .undeclared, &lost)
            reportLost(lost)
        }
        for node in nodes { drop(at: node, new) }
        for node in nodes where node.isFlow {
            let was = definitions.flows[node.definition].idle.map { "\($0.after) \(definitions[$0.step].name)" }
            let formerTimers = definitions.flows[node.definition].timers.map { key($0, definitions) }
            node.definition = new.flow(named: node.name)?.index ?? 0
            let idle = new.flows[node.definition].idle.map { "\($0.after) \(new[$0.step].name)" }
            if was != idle { beginIdleTimes(of: node) }
            exchangeTimers(of: node, was: formerTimers, new)
        }
        // Arguments that have become private are hidden.
        for node in nodes {
            if let last = node.last, let step = new.step(named: last.step), new[step].isPrivate {
                node.last?.arguments = []
            }
        }
        let steppers = Self.stepperKeys(definitions)
        definitions = new
        endUndeclaredAsks()
        renewContexts()
        exchangeSteppers(steppers)
        endBeginnings()
        // Each has an origin, in the order in which they go.
        for node in nodes.sorted(by: { ($0.depth, $0.order) > ($1.depth, $1.order) }) {
            noteEmpty(node, Emptying(origin: newOrigin(), cause: 0, client: .daemon))
        }
        reportChanges()
        release()
        finish()
    }

    private func key(_ timer: FlowTimer, _ definitions: Definitions) -> String {
        "\(timer.since as Any) \(timer.repeats) \(timer.steps[0].after) \(definitions[timer.steps[0].step].name)"
    }

    /// Timers that are the same go on, and the others begin.
    private func exchangeTimers(of flow: ModelNode, was: [String], _ new: Definitions) {
        var former = Array(zip(was, flow.timers))
        let isPresented = flow.reported.isPresented
        flow.timers = new.flows[flow.definition].timers.map { timer in
            if let same = former.firstIndex(where: { $0.0 == key(timer, new) }) { return former.remove(at: same).1 }
            return ModelTimer(since: timer.since == .created || isPresented ? now : nil)
        }
        flow.wasPresented = isPresented
    }

    private func isDefined(_ node: ModelNode, _ new: Definitions) -> Bool {
        node.isFlow ? new.flow(named: node.name) != nil : new.screen(named: node.name) != nil
    }

    /// Updates a presentable's waiting steps to the new definitions, and drops invalid ones.
    private func drop(at node: ModelNode, _ new: Definitions) {
        node.initialStep = node.initialStep.flatMap { convert($0, new) }
        let before = node.deferred.map(\.origin)
        node.deferred = node.deferred.compactMap { convert($0, new) }
        for origin in before { settleAsks(origin) }
        node.onDismissed = node.onDismissed.flatMap { template in
            new.step(named: definitions[template.step].name).map { StepTemplate($0, arguments: template.arguments) }
        }
        node.onResult = node.onResult.flatMap { onResult in
            new.step(named: definitions[onResult.template.step].name).map {
                ModelNode.OnResult(
                    template: StepTemplate($0, arguments: onResult.template.arguments), asked: onResult.asked)
            }
        }
    }

    private func convert(_ step: ModelStep, _ new: Definitions) -> ModelStep? {
        guard let id = new.step(named: definitions[step.step].name) else {
            reportFailure(step, .error(.unknownStep))
            return nil
        }
        do throws(FlowError) {
            var step = step
            step.arguments = try admit(step.arguments, new[id].parameters, isPrivate: new[id].isPrivate)
            step.step = id
            return step
        } catch {
            reportFailure(step, .error(error.code))
            return nil
        }
    }
}
