// Presenters: calls of `Present`, and their answers (S-31).

extension Machine {
    /// Calls the presenters of screens that came in sight.
    mutating func callPresenters(_ turn: inout Turn) {
        for slot in forest.takeInSight() {
            guard let presenting = forest[slot].presenting, let flow = forest[slot].parent else { continue }
            guard presenting.underWay.count < Limits.callsPerScreen else {
                forest.update(slot) { $0.presenting?.state = .held }
                continue
            }
            let node = forest[slot]
            let id = questions.ask(
                .presenter(
                    AskedPresenter(
                        screen: forest.id(of: slot), path: node.path, object: presenting.presenter.service.path,
                        origin: presenting.origin)))
            forest.update(slot) { node in
                node.presenting?.state = .asked
                node.presenting?.underWay.append(id)
                node.presenting?.isAgain = true
            }
            origins.wait(presenting.origin)
            // The first `Present` that the cascade causes takes the token, even if its screen is older.
            let token =
                activationTokens.isEmpty
                ? nil
                : activationTokens.take(for: presenting.origin) ?? activationTokens.take(for: turn.origin)
            turn.effects.append(
                .present(
                    Presentation(
                        id: id, presenter: presenting.presenter, path: node.path, name: node.name,
                        arguments: node.arguments, instance: node.instance, style: node.style,
                        flow: forest[flow].path, serial: presenting.serial, isAgain: presenting.isAgain,
                        activationToken: token)))
        }
    }

    /// A screen has new arguments: its presenter is called when the screen is in sight (S-19).
    mutating func presentAgain(_ slot: NodeSlot, _ step: WaitingStep) {
        forest.update(slot) { [serial] node in
            node.presenting?.state = .due
            node.presenting?.origin = step.origin
            node.presenting?.serial = serial
        }
        if forest[slot].isInSight { forest.noteInSight(slot) }
    }

    /// A presenter answered. If its screen is gone by now, the presenter gets `Withdraw`.
    mutating func takeAnswer(_ answer: PresenterAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard let asked = questions.closePresenter(question, isTimeout: answer == .timedOut) else { return }
        if asked.isLate { return takeLateAnswer(answer, to: asked, &turn) }
        defer { release(origin: asked.origin) }
        guard let slot = forest.slot(of: asked.screen), let presenting = forest[slot].presenting else {
            if case .presented(let client) = answer { withdraw(client, asked, asked.withdrawn ?? .parent, &turn) }
            return
        }
        let isLatest = presenting.state == .asked && presenting.underWay.last == question
        forest.update(slot) { $0.presenting?.underWay.removeAll { $0 == question } }
        if presenting.state == .held {
            forest.update(slot) { $0.presenting?.state = .due }
            forest.noteInSight(slot)
        }
        switch answer {
        case .presented(let client):
            // A newer call was answered already.
            if presenting.state == .shown {
                if let owner = forest[slot].owner, owner != client { withdraw(slot, from: client, &turn) }
                return
            }
            if isLatest { forest.update(slot) { $0.presenting?.state = .shown } }
            own(slot, client, &turn)
            // Another tab may have been selected in between.
            if case .application = presenting.presenter { forest.setVisible(slot, true, selects: false) }
            reportChanges(&turn)
            triggerPresented(&turn)
        case .failed, .timedOut:
            // A newer call is under way, or about to be made, and decides.
            guard isLatest else { return triggerPresented(&turn) }
            dismiss(
                slot, .presentFailed, origin: asked.origin, cause: presenting.serial, forest[slot].sender, &turn)
        }
    }

    /// A presenter answered after its time limit. That call has failed, so the answer counts only if a newer call is under
    /// way.
    private mutating func takeLateAnswer(_ answer: PresenterAnswer, to asked: AskedPresenter, _ turn: inout Turn) {
        guard case .presented(let client) = answer else { return }
        guard let slot = forest.slot(of: asked.screen), let presenting = forest[slot].presenting else {
            return withdraw(client, asked, asked.withdrawn ?? .dismissal(.presentFailed), &turn)
        }
        if presenting.state == .shown {
            if let owner = forest[slot].owner, owner != client { withdraw(slot, from: client, &turn) }
            return
        }
        own(slot, client, &turn)
        if case .application = presenting.presenter { forest.setVisible(slot, true, selects: false) }
        reportChanges(&turn)
        triggerPresented(&turn)
    }

    /// Sends `Withdraw` to a client that shows a screen without being allowed to.
    private mutating func withdraw(
        _ client: Client, _ asked: AskedPresenter, _ reason: Withdrawal.Reason, _ turn: inout Turn
    ) {
        turn.effects.append(
            .withdraw(
                Withdrawal(
                    client: client, object: asked.object, path: asked.path, instance: asked.screen.instance,
                    reason: reason)))
    }

    /// Sends `Withdraw` to the owner of a removed presentable, or to its presenter when that answers.
    mutating func withdraw(_ node: Node, _ reason: Withdrawal.Reason, _ turn: inout Turn) {
        // A client that is gone is no longer watched, and gets no signal.
        if let owner = node.owner, watches.contains(owner) {
            watches.remove(owner)
            turn.effects.append(
                .withdraw(
                    Withdrawal(
                        client: owner, object: node.presenting?.presenter.service.path ?? "/", path: node.path,
                        instance: node.instance, reason: reason)))
        }
        for question in node.presenting?.underWay ?? [] {
            if questions.withdraw(question, because: reason) { turn.effects.append(.dropQuestion(question)) }
        }
    }
}
