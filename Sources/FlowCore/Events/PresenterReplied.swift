// A presenter answers: its client is the owner of the screen from now on (S-29, S-31), or it failed and is called again, or the screen goes
// (S-47).

extension Machine {
    /// A presenter answered. If its screen is gone by now, the presenter gets `Withdraw`.
    mutating func takeAnswer(_ answer: PresenterAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard let asked = questions.closePresenter(question, isTimeout: answer == .timedOut) else { return }
        if asked.isReturn { return endReturn(of: asked.screen, answer, &turn) }
        if asked.isLate { return takeLateAnswer(answer, to: question, asked, &turn) }
        defer { releaseOrigin(asked.origin) }
        guard let slot = forest.slot(of: asked.screen), let presenting = forest[slot].presenting else {
            if case .presented(let client, _) = answer { withdraw(client, asked, asked.withdrawn ?? .parent, &turn) }
            return
        }
        let isLatest = presenting.kept.state == .asked && presenting.underWay.last == question
        forest.update(slot) { $0.presenting?.underWay.removeAll { $0 == question } }
        if presenting.kept.state == .queued { forest.update(slot) { $0.presenting?.kept.state = .due } }
        if presenting.kept.state == .queued || presenting.comeback.isDue { forest.noteSighting(slot) }
        switch answer {
        case .presented(let client, let report):
            guard accept(client, slot, presenting, asked.context, &turn) else { return }
            if isLatest { noteShown(slot) }
            take(report, of: slot, &turn)
            tellContext(of: slot, &turn)
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
    ///
    /// - Parameter context: the values of the context that the call had.
    private mutating func accept(
        _ client: Client, _ slot: NodeSlot, _ presenting: Boxed<Node.Presenting>, _ context: Arguments,
        _ turn: inout Turn
    ) -> Bool {
        guard presenting.kept.state != .shown else {
            if let owner = forest[slot].owner, owner != client {
                withdraw(forest[slot], from: client, .replaced, &turn)
            }
            return false
        }
        let former = forest[slot].owner
        own(slot, client, &turn)
        // It answered an older call: the next one is not the first.
        if presenting.kept.reason == .launch, presenting.kept.state == .due || presenting.kept.state == .queued {
            forest.update(slot) { $0.presenting?.kept.reason = .update }
        }
        let wasWaiting = presenting.kept.fault != nil
        forest.update(slot) { node in
            node.presenting?.value.endWaiting()
            node.told = context
        }
        // The call had the answers of then; it may have been another client that got those since.
        if former != client { tellAnswers(for: slot, all: former != nil, &turn) }
        if wasWaiting, presenting.kept.state == .due {
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
            node.presenting?.kept.state = .shown
            node.presenting?.kept.isOutdated = false
        }
    }

    /// An owner answered the call because its screen returned to sight, or did not: only what it says of the screen counts (S-38).
    private mutating func endReturn(of screen: NodeID, _ answer: PresenterAnswer, _ turn: inout Turn) {
        guard let slot = forest.slot(of: screen) else { return }
        forest.update(slot) { $0.presenting?.comeback.underWay = nil }
        if forest[slot].presenting?.comeback.isDue == true { forest.noteSighting(slot) }
        guard case .presented(let client, let report) = answer, forest[slot].owner == client else { return }
        take(report, of: slot, &turn)
        triggerPresented(&turn)
    }

    /// A presenter answered after its time limit. That counts as long as the screen lives.
    private mutating func takeLateAnswer(
        _ answer: PresenterAnswer, to question: QuestionID, _ asked: AskedPresenter, _ turn: inout Turn
    ) {
        guard case .presented(let client, let report) = answer else { return }
        guard let slot = forest.slot(of: asked.screen), let presenting = forest[slot].presenting else {
            return withdraw(client, asked, asked.withdrawn ?? .dismissal(.presentFailed), &turn)
        }
        let isLatest = presenting.kept.state == .due && presenting.late == question
        guard accept(client, slot, presenting, asked.context, &turn) else { return }
        if isLatest { noteShown(slot) }
        take(report, of: slot, &turn)
        tellContext(of: slot, &turn)
        triggerPresented(&turn)
    }

    /// Sends `Withdraw` to a client that shows a screen without being allowed to.
    func withdraw(_ client: Client, _ asked: AskedPresenter, _ reason: Withdrawal.Reason, _ turn: inout Turn) {
        withdraw(
            Withdrawal(
                client: client, object: asked.object, path: asked.path, instance: asked.screen.instance,
                reason: reason), asked.application, &turn)
    }

    // MARK: Failures

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

    /// The presenter of a screen could not show it: it is called again after a pause, or the screen goes.
    ///
    /// - Parameter late: the call if it may still be answered.
    private mutating func presentationFailed(
        of slot: NodeSlot, _ fault: Fault, late: QuestionID? = nil, _ turn: inout Turn
    ) {
        let isRefused = isRefusal(slot, fault, isTimeout: late != nil)
        // It is no failure that holds back the next screen of that name, which may be another one.
        if !isRefused { noteFailure(of: slot, fault, turn.now) }
        guard !isRefused, isRepeated(slot, fault, isTimeout: late != nil) else {
            return dismissFailed(slot, fault, &turn)
        }
        // One that answered an older call may be its owner, which ended its patience.
        if forest[slot].presenting?.patience == nil {
            forest.update(slot) { $0.presenting?.patience = .init(since: $0.isInSight ? turn.now : nil) }
        }
        if let end = patienceEnd(of: slot), end <= turn.now { return dismissFailed(slot, fault, &turn) }
        forest.update(slot) { $0.presenting?.value.becomeWaiting(fault, late: late) }
        if forest[slot].isInSight { forest.noteSighting(slot) }
        reportChanges(&turn)
        triggerPresented(&turn)
    }

    /// Whether a call that failed can be made again. A program that knows nothing of flowbus would do again what it may have done.
    private func isRepeated(_ slot: NodeSlot, _ fault: Fault, isTimeout: Bool) -> Bool {
        forest[slot].presenting?.presenter.application == nil || !isTimeout && fault.saysNothingArrived
    }
}
