// The context (S-57): values that are set become known to the owners of screens that name them, and, unless they are private, to everyone
// by a property.

extension Machine {
    /// Sets values of the context. Returns those that are others now.
    mutating func setContext(_ settings: [Plan.ContextSetting], _ turn: inout Turn) -> [Plan.ContextSetting] {
        var changed: [Plan.ContextSetting] = []
        for setting in settings {
            var values = forest.contextValues(of: setting.holder)
            let before = values[setting.argument.name]
            let published = values.published
            values.set(setting.argument)
            forest.setContext(values, of: setting.holder)
            if before?.value.isSame(as: setting.argument.value) != true { changed.append(setting) }
            if values.published != published { publishContext(of: setting.holder, &turn) }
        }
        if changed.contains(where: { $0.argument.name == Self.languageName }) { renewTitles() }
        if !definitions.spans.isEmpty { renewTimes(after: changed, turn.now) }
        return changed
    }

    /// Times are others now (S-55): what waits for one waits as long as that says, from the same moment; only the time of a screen that is
    /// out of sight begins anew.
    private mutating func renewTimes(after changed: [Plan.ContextSetting], _ now: Instant) {
        let names = Set(changed.map(\.argument.name)).intersection(definitions.spans.keys)
        if names.isEmpty { return }
        for slot in forest.preorder() {
            scheduleTimers(of: slot)
            guard let presenting = forest[slot].presenting else { continue }
            if presenting.alarm?.purpose == .pause, forest[slot].isInSight { forest.noteSighting(slot) }
            if case .context(let name)? = definitions.screen(named: forest[slot].name).flatMap({
                definitions[$0].evictAfter
            }),
                names.contains(name)
            {
                stopAwaitingEviction(of: slot)
                awaitEviction(of: slot, now)
            }
        }
        alarms.mayBeEarly = true
    }

    /// Values that everyone can read are others now: a signal reports them, now or soon.
    private mutating func publishContext(of holder: ContextHolder, _ turn: inout Turn) {
        let (isNow, alarm) = changePace(of: holder) { $0.change(at: turn.now) }
        if isNow { reportContext(of: holder, &turn) }
        guard let alarm else { return }
        switch holder {
        case .coordinator: schedule(.context(nil), due: alarm)
        case .flow(let slot): schedule(.context(forest.id(of: slot)), due: alarm)
        }
    }

    private mutating func changePace<Result>(
        of holder: ContextHolder, _ change: (inout ContextPace) -> Result
    ) -> Result {
        switch holder {
        case .coordinator: return change(&contextPace)
        case .flow(let slot):
            return forest.update(slot) { node in
                var pace = node.flow?.contextPace ?? ContextPace()
                defer { node.flow?.contextPace = pace }
                return change(&pace)
            }
        }
    }

    private mutating func reportContext(of holder: ContextHolder, _ turn: inout Turn) {
        switch holder {
        case .coordinator: turn.effects.append(.changeContext(forest.context.published))
        case .flow(let slot): forest.update(slot) { _ = $0.flow?.follows.insert(.reports(.context)) }
        }
    }

    /// The time has come for values that changed too soon after a signal.
    mutating func contextIsDue(of flow: NodeID?, _ turn: inout Turn) {
        let holder: ContextHolder
        if let flow {
            guard let slot = forest.slot(of: flow) else { return }
            holder = .flow(slot)
        } else {
            holder = .coordinator
        }
        guard changePace(of: holder, { $0.fire(at: turn.now) }) else { return }
        reportContext(of: holder, &turn)
        reportChanges(&turn)
    }

    /// The definitions are others now: values of the same type stay.
    mutating func renewContext(
        of holder: ContextHolder, by declared: [ContextDeclaration], _ turn: inout Turn
    ) {
        let values = forest.contextValues(of: holder)
        if values.isEmpty, declared.isEmpty { return }
        let renewed = values.renewed(by: declared, definitions)
        forest.setContext(renewed, of: holder)
        if renewed.published != values.published { publishContext(of: holder, &turn) }
    }

    /// Restores values that were set. On another bus only those count that a disk may have.
    mutating func restoreContext(_ stored: ContextValues?, of holder: ContextHolder, onSameBus: Bool) {
        guard let kept = onSameBus ? stored : stored?.forDisk else { return }
        forest.setContext(kept.renewed(by: forest.declarations(of: holder, definitions), definitions), of: holder)
    }

    // MARK: Those who are told

    /// The values of the context that a screen names and sees.
    func contextValues(of screen: NodeSlot) -> Arguments {
        guard definitions.haveContextScreens, let id = definitions.screen(named: forest[screen].name) else { return [] }
        return definitions[id].context.compactMap { forest.contextValue($0, from: screen) }
    }

    /// Values are others now: tells the owners of all screens that name them.
    mutating func tellContext(of changed: [Plan.ContextSetting], _ turn: inout Turn) {
        if !changed.isEmpty { tellContext(&turn) }
    }

    /// Tells the owners of screens what they don't know yet.
    mutating func tellContext(_ turn: inout Turn) {
        guard definitions.haveContextScreens else { return }
        for slot in forest.preorder() where forest[slot].flow == nil { tellContext(of: slot, &turn) }
    }

    /// Tells the owner of a screen, unless it knows. A program that knows nothing of flowbus is told nothing.
    mutating func tellContext(of screen: NodeSlot, _ turn: inout Turn) {
        guard let owner = forest[screen].owner, forest[screen].flow == nil,
            forest[screen].presenting?.presenter.application == nil
        else { return }
        let values = contextValues(of: screen)
        if (forest[screen].told ?? []).hasSameValues(as: values), forest[screen].told != nil || values.isEmpty {
            return
        }
        forest.update(screen) { $0.told = values }
        turn.effects.append(
            .emitContextChanged(ContextNews(client: owner, path: forest[screen].path, values: values)))
    }

    /// The steps that follow from other values, each with the flow that takes it.
    func stepsAfter(_ changed: [Plan.ContextSetting]) -> [(flow: NodeSlot, step: StepID)] {
        var steps: [(flow: NodeSlot, step: StepID)] = []
        for setting in changed {
            let declared = forest.declarations(of: setting.holder, definitions)
            guard let change = declared.first(where: { $0.name == setting.argument.name })?.changed else { continue }
            switch setting.holder {
            case .coordinator:
                for root in forest.roots where forest[root].flow?.definition == change.flow {
                    steps.append((root, change.step))
                }
            case .flow(let slot): steps.append((slot, change.step))
            }
        }
        return steps
    }
}
