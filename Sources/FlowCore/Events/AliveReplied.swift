// The owner of a presented screen answers whether it is alive, or does not (S-44).

extension Machine {
    /// An owner answered whether it is alive, or did not (S-44).
    mutating func takeAnswer(_ answer: AliveAnswer, to question: QuestionID, _ turn: inout Turn) {
        guard case .owner(let asked)? = questions[question], let slot = forest.slot(of: asked.screen),
            let presenter = forest[slot].presenting?.presenter.service.name
        else {
            questions.closeOwner(question)
            return
        }
        if answer == .silent, !isExpectedToAnswer(slot), checkInterval(of: slot) != nil {
            // The question stays open: the program may only be slow to start.
            return questions.programs.noteSilence(of: presenter)
        }
        questions.closeOwner(question)
        forest.update(slot) { $0.presenting?.check.underWay = nil }
        if answer == .alive {
            questions.programs.noteAnswer(of: presenter)
            forest.update(slot) { $0.presenting?.kept.hasAnsweredAlive = true }
        }
        // If the screen is covered by now, nothing follows.
        guard let interval = checkInterval(of: slot) else { return }
        switch answer {
        case .alive: setAlarm(.check, of: slot, due: turn.now.advanced(by: interval))
        case .unsupported: forest.update(slot) { $0.presenting?.check.isOff = true }
        case .silent: loseHangingOwner(of: slot, asked, &turn)
        }
    }

    /// Whether an owner's silence would mean that it hangs.
    func isExpectedToAnswer(_ slot: NodeSlot) -> Bool {
        forest[slot].presenting.map { questions.programs.answering.contains($0.presenter.service.name) } ?? false
    }

    /// A screen loses its owner, which hangs, as if its connection had ended.
    private mutating func loseHangingOwner(of slot: NodeSlot, _ asked: AskedOwner, _ turn: inout Turn) {
        withdraw(forest[slot], from: asked.client, .dismissal(.ownerHangs), &turn)
        if endsHungProcess(of: slot) { turn.effects.append(.endProcess(of: asked.client, screen: forest[slot].name)) }
        removeOwner(slot, &turn)
        loseOwner(slot, .ownerHangs, counts: true, by: asked.client, &turn)
    }

    /// Whether the process of an owner that hangs is ended.
    private func endsHungProcess(of slot: NodeSlot) -> Bool {
        definitions.screen(named: forest[slot].name).map { definitions[$0].endsHungProcess } ?? false
    }
}
