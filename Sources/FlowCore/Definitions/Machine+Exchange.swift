// New definitions for live flows, from files or from clients that register flows.

extension Machine {
    /// Replaces the definitions. Live flows follow the new rules from their next step. Presentables without a definition
    /// are dismissed; waiting steps that are no longer declared, or whose arguments do not fit any more, are dropped and
    /// reported (S-12).
    mutating func exchange(_ new: Definitions, _ turn: inout Turn) {
        let old = definitions
        // Presentables are removed before the new definitions are in force, because the old ones have their names.
        removeUndeclared(in: new, &turn)
        runToEnd(&turn)
        renewSteps(for: new, &turn)
        renewWaiting(for: new, &turn)
        definitions = new
        for slot in forest.preorder() {
            guard forest[slot].flow != nil else {
                noteKeepsAwake(slot)
                // Its record says whether it may be on a disk.
                if !forest[slot].savedState.isEmpty { forest.books.savedStates.touch(forest.id(of: slot)) }
                if evictionTime(of: slot, in: old) != evictionTime(of: slot, in: new) {
                    stopAwaitingEviction(of: slot)
                    awaitEviction(of: slot, turn.now)
                }
                continue
            }
            guard let flow = new.flow(named: forest[slot].name) else {
                preconditionFailure("'\(forest[slot].path)' outlived its definition")
            }
            forest.update(slot) { node in
                node.flow?.definition = flow
                node.flow?.covering = new.flows[flow.index].children
                node.flow?.layers = new.flows[flow.index].layers
                node.flow?.covers = new.flows[flow.index].covers
            }
            hideLastNavigation(of: slot)
            forgetUndeclaredPauses(of: slot)
            renewContext(of: .flow(slot), by: new.flows[flow.index].context, &turn)
        }
        renewContext(of: .coordinator, by: new.context, &turn)
        if old.haveWatchdogs || new.haveWatchdogs {
            questions.programs.keep(
                Set(new.screens.compactMap { $0.watchdog == nil ? nil : $0.presenter?.service.name }))
            for slot in forest.preorder() where watchdog(of: slot, in: old) != watchdog(of: slot, in: new) {
                beginChecks(of: slot, &turn)
            }
        }
        if !asks.isEmpty { endUndeclaredAsks(&turn) }
        earlyPresenters += new.earlyPresenters.filter { !old.earlyPresenters.contains($0) }
        exchangeSteppers()
        watchAll(unlike: old, &turn)
        noteEmptyByDefinition()
        forest.updateAllVisibility()
        renewTitles(unlike: old)
        forest.touchAll()
        reportChanges(&turn)
        tellContext(&turn)
        triggerPresented(&turn)
    }

    mutating func removeRegistrations(_ turn: inout Turn, where isOver: (Registration) -> Bool) {
        if registrations.remove(where: isOver).isEmpty { return }
        exchange(registrations.definitions, &turn)
        turn.effects.append(.emitDefinitionsChanged)
    }

    /// Arguments that are private by the new definitions are removed.
    mutating func hideLastNavigation(of slot: NodeSlot) {
        guard let last = forest[slot].flow?.activity.last, !last.arguments.isEmpty,
            let step = definitions.step(named: last.step), definitions[step].isPrivate
        else { return }
        forest.setLast(
            LastNavigation(serial: last.serial, step: last.step, arguments: [], client: last.client), of: slot)
    }

    private mutating func removeUndeclared(in new: Definitions, _ turn: inout Turn) {
        for id in forest.preorder().map({ forest.id(of: $0) }) {
            // It may be gone with its parent.
            guard let slot = forest.slot(of: id) else { continue }
            let isDeclared =
                forest[slot].flow != nil
                ? new.flow(named: forest[slot].name) != nil : new.screen(named: forest[slot].name) != nil
            if isDeclared { continue }
            let parent = forest[slot].parent
            // Visibility is updated after all changes, so that no signal reports an intermediate state.
            dropSteps(of: takeOut(slot, below: parent, .undeclared, &turn), nearestLiveAncestor: parent, &turn)
        }
    }

    /// The definitions are others now.
    private mutating func exchangeSteppers() {
        if steppers.isEmpty, definitions.steppers.isEmpty { return }
        steppers.exchange(definitions)
        alarms.removeAll { if case .stepper = $0.subject { true } else { false } }
        for (stepper, time) in steppers.due { schedule(.stepper(stepper), due: time) }
    }

    /// Sets the alarms of all flows again, after the definitions have changed.
    private mutating func watchAll(unlike old: Definitions, _ turn: inout Turn) {
        alarms.removeAll { if case .flow = $0.subject { true } else { false } }
        for slot in forest.preorder() {
            if forest[slot].flow == nil { continue }
            forest.update(slot) { $0.flow?.alarm = nil }
            exchangeTimers(of: slot, unlike: old, turn.now)
            scheduleTimers(of: slot)
        }
    }

    // MARK: Deferred steps

    /// Deferred steps continue by the new definitions, or are dropped and reported (S-12).
    private mutating func renewSteps(for new: Definitions, _ turn: inout Turn) {
        for slot in forest.preorder() {
            if let deferred = forest[slot].initialStep {
                let renewed = renew(deferred, at: slot, isInitial: true, for: new, &turn)
                forest.updateUsage(slot) { $0.initialStep = renewed }
                if renewed == nil { releaseOrigin(deferred.origin, isDeferred: true) }
            }
            let deferred = forest[slot].deferredSteps
            if !deferred.isEmpty {
                var renewed: [DeferredStep] = []
                for step in deferred {
                    if let step = renew(step, at: slot, isInitial: false, for: new, &turn) { renewed.append(step) }
                }
                forest.updateUsage(slot) { [renewed] in $0.deferredSteps = renewed }
            }
            if forest[slot].onDismissed != nil || forest[slot].onResult != nil {
                forest.updateUsage(slot) { $0.kept.renewSteps(new) }
            }
        }
    }

    /// The step as the new definitions declare it; nil if they don't, which is reported.
    private mutating func renew(
        _ deferred: DeferredStep, at slot: NodeSlot, isInitial: Bool, for new: Definitions, _ turn: inout Turn
    ) -> DeferredStep? {
        do throws(FlowError) {
            let renewed = try renewed(deferred, for: new)
            record(renewed, at: slot, isInitial: isInitial, by: new)
            return renewed
        } catch {
            unrecord(deferred)
            reportDropped(deferred, error, at: forest[flow(for: slot)].path, &turn)
            return nil
        }
    }

    private func renewed(_ deferred: DeferredStep, for new: Definitions) throws(FlowError) -> DeferredStep {
        var renewed = deferred
        (renewed.step, renewed.arguments) = try self.renewed(deferred.step, deferred.arguments, for: new)
        return renewed
    }

    private func renewed(
        _ step: StepID, _ arguments: Arguments, for new: Definitions
    ) throws(FlowError) -> (StepID, Arguments) {
        let name = definitions.steps[step.index].name
        guard let step = new.step(named: name) else { throw new.unknownStep(name) }
        let declaration = new.steps[step.index]
        return (
            step,
            try Declaration.admit(
                arguments, as: declaration.parameters, of: "step '\(name)'", isPrivate: declaration.isPrivate)
        )
    }

    // MARK: Steps that wait for guards and navigators

    /// Waiting steps continue by the new definitions, or fail.
    private mutating func renewWaiting(for new: Definitions, _ turn: inout Turn) {
        // The step in question is before those that wait behind it.
        var freed: [(flow: NodeID, question: QuestionID)] = []
        for (id, asked) in questions.aboutSteps {
            guard let step = asked.step else { continue }
            let renewed = renewed(step, for: new, &turn)
            questions.renew(id, with: renewed)
            if let renewed {
                record(renewed, asked.stage, by: new, &turn)
            } else {
                freed.append((step.flow, id))
            }
        }
        for flow in blocked.flows {
            for step in blocked.takeAll(for: flow) {
                guard let renewed = renewed(step, for: new, &turn) else { continue }
                record(renewed, .blocked, by: new, &turn)
                blocked.insert(renewed)
            }
        }
        // These flows no longer wait for an answer.
        for (flow, question) in freed {
            turn.effects.append(.dropQuestion(question))
            if let slot = forest.slot(of: flow) { forest.update(slot) { $0.flow?.question = nil } }
            unblock(flow, at: turn.now)
        }
        for request in calls.requests { renewCall(request, for: new, &turn) }
    }

    private mutating func renewed(_ step: WaitingStep, for new: Definitions, _ turn: inout Turn) -> WaitingStep? {
        var renewed = step
        do throws(FlowError) {
            (renewed.step, renewed.arguments) = try self.renewed(step.step, step.arguments, for: new)
            renewed.adaptedFrom = step.adaptedFrom.flatMap { new.step(named: definitions[$0].name) }
            return renewed
        } catch {
            endWait(of: step, at: turn.now)
            end(step, .refused(error), &turn)
            return nil
        }
    }

    /// Later steps of lists and paths. Those that are no longer declared fail in their turn.
    private mutating func renewCall(_ request: RequestID, for new: Definitions, _ turn: inout Turn) {
        guard let call = calls[request] else { return }
        switch call.kind {
        case .list(var list):
            list.steps = list.steps.map { emitted in
                guard case .step(let step, let arguments) = emitted else { return emitted }
                do throws(FlowError) {
                    let (step, arguments) = try renewed(step, arguments, for: new)
                    return .step(step, arguments)
                } catch {
                    return .refused(error)
                }
            }
            calls.renew(request, .list(list))
        case .path(var walk):
            for place in walk.outcomes.count..<walk.segments.count where walk.lapsed[place] == nil {
                guard let step = walk.segments[place].step else { continue }
                let arguments = walk.segments[place].arguments
                do throws(FlowError) {
                    (walk.segments[place].step, walk.segments[place].arguments) =
                        try renewed(step, arguments, for: new)
                } catch {
                    walk.lapsed[place] = error
                }
            }
            calls.renew(request, .path(walk))
        case .step, .deepLink, .readiness: break
        }
    }
}
