// While a screen is presented, its owner is asked whether it is alive (S-44).

extension Machine {
    /// A screen is presented, has another owner or another interval: its owner is asked at once. What it was asked before
    /// decides nothing.
    mutating func beginChecks(of slot: NodeSlot, _ turn: inout Turn) {
        endChecks(of: slot, &turn)
        checkOwner(of: slot, &turn)
    }

    /// A screen has another owner. That is asked when the signals have told of it, like the owner of a screen that is presented.
    mutating func awaitChecks(of slot: NodeSlot) {
        if checkInterval(of: slot) != nil { forest.notePresented(slot) }
    }

    /// The owner of a screen has answered another call, so it is alive.
    mutating func postponeChecks(of slot: NodeSlot, _ turn: inout Turn) {
        guard let interval = checkInterval(of: slot) else { return }
        dropCheck(of: slot, &turn)
        setAlarm(.check, of: slot, due: turn.now.advanced(by: interval))
    }

    /// The owner of a screen is not asked any more.
    mutating func endChecks(of slot: NodeSlot, _ turn: inout Turn) {
        dropCheck(of: slot, &turn)
        if forest[slot].presenting?.alarm?.purpose == .check { forest.update(slot) { $0.presenting?.alarm = nil } }
    }

    private mutating func dropCheck(of slot: NodeSlot, _ turn: inout Turn) {
        guard let question = forest[slot].presenting?.check.underWay else { return }
        dropCheck(question, &turn)
        forest.update(slot) { $0.presenting?.check.underWay = nil }
    }

    /// The answer of an owner no longer matters.
    mutating func dropCheck(_ question: QuestionID, _ turn: inout Turn) {
        questions.closeOwner(question)
        turn.effects.append(.dropQuestion(question))
    }

    /// How often the owner of a screen is asked now; nil if it is not.
    func checkInterval(of slot: NodeSlot) -> UInt64? {
        guard forest[slot].isPresented, forest[slot].owner != nil, let presenting = forest[slot].presenting,
            case .service = presenting.presenter, presenting.eviction == .none, presenting.fault == nil,
            !presenting.check.isOff, !questions.programs.silent.contains(presenting.presenter.service.name)
        else { return nil }
        return watchdog(of: slot, in: definitions)
    }

    /// The interval by these definitions.
    func watchdog(of slot: NodeSlot, in definitions: Definitions) -> UInt64? {
        definitions.screen(named: forest[slot].name).flatMap { definitions[$0].watchdog }
    }

    /// Whether an owner's silence would mean that it hangs.
    func isExpectedToAnswer(_ slot: NodeSlot) -> Bool {
        forest[slot].presenting.map { questions.programs.answering.contains($0.presenter.service.name) } ?? false
    }

    /// Whether the process of an owner that hangs is ended.
    func endsHungProcess(of slot: NodeSlot) -> Bool {
        definitions.screen(named: forest[slot].name).map { definitions[$0].endsHungProcess } ?? false
    }

    /// Asks the owner of a screen, unless that is not presented any more.
    mutating func checkOwner(of slot: NodeSlot, _ turn: inout Turn) {
        guard let interval = checkInterval(of: slot), let owner = forest[slot].owner,
            let object = forest[slot].presenting?.presenter.service.path
        else { return }
        let asked = AskedOwner(screen: forest.id(of: slot), client: owner)
        let id = questions.ask(.owner(asked))
        forest.update(slot) { $0.presenting?.check.underWay = id }
        turn.effects.append(
            .askAlive(
                AliveCheck(
                    id: id, client: owner, object: object, path: forest[slot].path, name: forest[slot].name,
                    timeout: interval)))
    }
}
