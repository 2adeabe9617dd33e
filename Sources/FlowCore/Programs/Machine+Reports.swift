// What programs say of the screens that they show: with their answer to Present, with SetVisible, or with calls of their own (S-14, S-39, S-44).

extension Machine {
    /// Refuses what a program can't say of a screen.
    func check(_ report: ScreenReport) throws(FlowError) {
        if let title = report.title { try check(title: title) }
        if let name = report.backStep { try checkBackStep(definitions.step(named: name)) }
    }

    func check(title: String) throws(FlowError) {
        let count = title.utf8.count
        guard count > Limits.titleLength else { return }
        throw FlowError(
            .limitExceeded, "the title has \(count) bytes; it can have at most \(Limits.titleLength)")
    }

    func checkBackStep(_ step: StepID?) throws(FlowError) {
        guard let step, let parameter = definitions[step].requiredParameter else { return }
        throw FlowError(
            .invalidArguments,
            "step '\(definitions[step].name)' needs the argument '\(parameter.name)', but Back gives none; it has "
                + "to be a step that needs no arguments")
    }

    mutating func setBackStep(_ step: StepID?, of slot: NodeSlot) {
        let name = step.map { definitions[$0].name }
        forest.update(slot) { $0.kept.backStep = name }
        forest.touch(slot)
    }

    /// Takes over what the owner of a screen says of it, or who shows a presentable, and reports what follows.
    ///
    /// - Parameter report: what ``check(_:)`` has admitted.
    mutating func take(_ report: ScreenReport, of slot: NodeSlot, _ turn: inout Turn) {
        let wasInSight = forest[slot].isInSight
        if let title = report.title { forest.update(slot) { $0.kept.title = title } }
        if let name = report.backStep { setBackStep(definitions.step(named: name), of: slot) }
        if let wantsSight = report.wantsSight { forest.update(slot) { $0.kept.wantsSight = wantsSight } }
        if let isVisible = report.isVisible { setVisible(slot, isVisible, &turn) }
        reportChanges(&turn)
        // It was covered before its owner asked, so that no change will tell.
        if report.wantsSight == true, !wasInSight, !forest[slot].isInSight, let owner = forest[slot].owner {
            turn.effects.append(.emitSightChanged(path: forest[slot].path, isInSight: false, owner: owner))
        }
    }

    /// A presentable is shown, or is not (S-14).
    private mutating func setVisible(_ slot: NodeSlot, _ isVisible: Bool, _ turn: inout Turn) {
        // The first report after a call selects no tab: the user may have chosen another one meanwhile (S-50).
        let isLate = forest[slot].presenting?.kept.isExpected == true
        forest.setVisible(slot, isVisible, selects: !isLate)
        guard isVisible else { return }
        if isLate { forest.update(slot) { $0.presenting?.kept.isExpected = false } }
        endTiming(slot, &turn)
    }
}
