// Answers of guards, navigators and presenters; the steps that waited for them continue.

extension Machine {
    /// A presenter answered. If its screen is gone by now, the presenter gets `Withdraw`.
    mutating func takeAnswer(_ answer: PresenterAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard let asked = questions.closePresenter(question, isTimeout: answer == .timedOut) else { return }
        if asked.isReturn { return endReturn(of: asked.screen) }
        if asked.isLate { return takeLateAnswer(answer, to: question, asked, &turn) }
        defer { releaseOrigin(asked.origin) }
        guard let slot = forest.slot(of: asked.screen), let presenting = forest[slot].presenting else {
            if case .presented(let client) = answer { withdraw(client, asked, asked.withdrawn ?? .parent, &turn) }
            return
        }
        let isLatest = presenting.state == .asked && presenting.underWay.last == question
        forest.update(slot) { $0.presenting?.underWay.removeAll { $0 == question } }
        if presenting.state == .queued { forest.update(slot) { $0.presenting?.state = .due } }
        if presenting.state == .queued || presenting.comeback.isDue { forest.noteSighting(slot) }
        switch answer {
        case .presented(let client):
            guard accept(client, slot, presenting, &turn) else { return }
            if isLatest { noteShown(slot) }
            reportChanges(&turn)
            triggerPresented(&turn)
        case .failed, .timedOut:
            // A newer call is under way, or about to be made, and decides.
            guard isLatest else { return triggerPresented(&turn) }
            guard let fault = fault(answer, of: presenting.presenter, slot, turn.now) else { return }
            presentationFailed(of: slot, fault, late: answer == .timedOut ? question : nil, &turn)
        }
    }

    /// A client that answered becomes the owner of the screen, unless a newer call was answered already: then it has to take its
    /// window away. Returns whether it is the owner.
    private mutating func accept(
        _ client: Client, _ slot: NodeSlot, _ presenting: Boxed<Node.Presenting>, _ turn: inout Turn
    ) -> Bool {
        guard presenting.state != .shown else {
            if let owner = forest[slot].owner, owner != client {
                withdraw(forest[slot], from: client, .replaced, &turn)
            }
            return false
        }
        let former = forest[slot].owner
        own(slot, client, &turn)
        // It answered an older call: the next one is not the first.
        if presenting.reason == .launch, presenting.state == .due || presenting.state == .queued {
            forest.update(slot) { $0.presenting?.reason = .update }
        }
        let wasWaiting = presenting.fault != nil
        forest.update(slot) { $0.presenting?.value.endWaiting() }
        // The call had the answers of then; it may have been another client that got those since.
        if former != client { tellAnswers(for: slot, all: former != nil, &turn) }
        if wasWaiting, presenting.state == .due {
            // It answered an older call than the one that waits, and has to know what is new.
            forest.noteSighting(slot)
        }
        if former == client, definitions.haveWatchdogs { postponeChecks(of: slot, &turn) }
        // Another tab may have been selected in between.
        if case .application = presenting.presenter { forest.setVisible(slot, true, selects: false) }
        timings.noteAnswer(forest.id(of: slot), at: turn.now)
        if forest[slot].isVisible { endTiming(slot, &turn) }
        return true
    }

    /// The latest call of a screen's presenter was answered.
    private mutating func noteShown(_ slot: NodeSlot) {
        forest.update(slot) { node in
            node.presenting?.state = .shown
            node.presenting?.isOutdated = false
        }
    }

    private func fault(_ answer: PresenterAnswer, of presenter: Presenter, _ slot: NodeSlot, _ now: Instant) -> Fault? {
        switch answer {
        case .presented: return nil
        case .failed(let fault): return fault
        case .timedOut:
            let service = (hurriedPresenter(of: slot, now) ?? presenter).service
            return Fault(
                "org.freedesktop.DBus.Error.NoReply",
                "'\(service.name)' did not answer within \(Duration.microseconds(Int64(clamping: service.timeout)))")
        }
    }

    /// An owner answered the call because its screen returned to sight, or did not: nothing depends on it (S-38).
    private mutating func endReturn(of screen: NodeID) {
        guard let slot = forest.slot(of: screen) else { return }
        forest.update(slot) { $0.presenting?.comeback.underWay = nil }
        if forest[slot].presenting?.comeback.isDue == true { forest.noteSighting(slot) }
    }

    /// A presenter answered after its time limit. That counts as long as the screen lives.
    private mutating func takeLateAnswer(
        _ answer: PresenterAnswer, to question: QuestionID, _ asked: AskedPresenter, _ turn: inout Turn
    ) {
        guard case .presented(let client) = answer else { return }
        guard let slot = forest.slot(of: asked.screen), let presenting = forest[slot].presenting else {
            return withdraw(client, asked, asked.withdrawn ?? .dismissal(.presentFailed), &turn)
        }
        let isLatest = presenting.state == .due && presenting.late == question
        guard accept(client, slot, presenting, &turn) else { return }
        if isLatest { noteShown(slot) }
        reportChanges(&turn)
        triggerPresented(&turn)
    }

    /// A guard answered.
    mutating func takeAnswer(_ answer: GuardAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard let (asked, name) = questions.closeGuard(question), let flow = resume(asked, &turn) else { return }
        var step = asked
        do throws(FlowError) {
            try adapt(&step, answer, of: "the guard '\(name)'")
            if mayNavigate(step, at: flow, definition(of: flow).index, &turn) { carryOut(step, at: flow, &turn) }
        } catch {
            end(step, error.code == .rejected ? .ignored(.rejected) : .refused(error), &turn)
        }
        unblock(asked.flow, at: turn.now)
    }

    /// A navigator answered.
    mutating func takeAnswer(_ answer: NavigatorAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard let (step, name) = questions.closeNavigator(question), let flow = resume(step, &turn) else { return }
        let navigator = "the navigator '\(name)'"
        switch answer {
        case .contributors(let contributors):
            let step = stopWaiting(step)
            end(step, apply(contributors, of: navigator, step, flow, &turn), &turn)
        case .unhandled: end(step, .ignored(.unhandled), &turn)
        case .failed(let why):
            end(step, .refused(FlowError(.navigatorFailed, "\(navigator) failed: \(why)")), &turn)
        case .timedOut:
            end(step, .refused(FlowError(.navigatorTimeout, "\(navigator) did not answer in time")), &turn)
        }
        unblock(step.flow, at: turn.now)
    }

    private mutating func apply(
        _ contributors: [FlowContributor], of navigator: String, _ step: WaitingStep, _ flow: NodeSlot,
        _ turn: inout Turn
    ) -> Outcome {
        do throws(FlowError) {
            if !contributors.isEmpty {
                try ContributorRules(definitions).check(contributors, of: definition(of: flow))
            }
        } catch {
            return impossible(error, of: navigator)
        }
        let outcome = apply(contributors, step, flow, &turn)
        guard case .refused(let error) = outcome, error.code == .invalidArguments else { return outcome }
        return impossible(error, of: navigator)
    }

    private func impossible(_ error: FlowError, of navigator: String) -> Outcome {
        .refused(FlowError(.navigatorFailed, "\(navigator) answered what can't be: \(error.message)"))
    }
}
