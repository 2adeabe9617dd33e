// The timers of flows: when their steps are due, and what begins their times again (S-55). The idle steps are those of the timer that
// counts from when the flow was reached (S-34). The setting of all alarms.

extension Machine {
    /// Sets an alarm for the next step of a flow's timers, if one of them waits for its time.
    mutating func scheduleTimers(of slot: NodeSlot) {
        guard let due = nextTimer(of: slot)?.due else { return }
        // An alarm that is too early is set again when it comes.
        if let alarm = forest[slot].flow?.alarm, alarm <= due { return }
        forest.update(slot) { $0.flow?.alarm = due }
        schedule(.flow(forest.id(of: slot)), due: due)
    }

    /// The timer of a flow that is due next, and when that is; nil if none waits for its time.
    func nextTimer(of slot: NodeSlot) -> (clock: Int, due: Instant)? {
        guard let flow = forest[slot].flow, flow.activity.isTimed else { return nil }
        let clocks = definitions.flows[flow.definition.index].clocks
        var next: (clock: Int, due: Instant)?
        for clock in clocks.indices {
            guard let due = due(of: clocks[clock], at: clock, flow.value, slot) else { continue }
            if next.map({ due < $0.due }) ?? true { next = (clock, due) }
        }
        return next
    }

    /// The timers of a flow that wait for their time, in the order of its definition.
    func runningTimers(of slot: NodeSlot, at now: Instant) -> [RunningTimer] {
        guard let flow = forest[slot].flow, flow.activity.isTimed else { return [] }
        return definitions.flows[flow.definition.index].clocks.enumerated().compactMap { clock, timer in
            guard let due = due(of: timer, at: clock, flow.value, slot) else { return nil }
            let timed = timer.steps[min(flow.activity[clock].stage, timer.steps.count - 1)]
            return RunningTimer(
                flow: forest[slot].path, kind: timer.since == nil ? .idle : timer.repeats ? .every : .after,
                step: definitions[timed.step].name, left: now.time(until: due))
        }
    }

    /// When a timer is due; nil if it waits for something else: its step, the end of a film, or that the flow is presented.
    private func due(of timer: FlowTimer, at clock: Int, _ flow: Node.FlowState, _ slot: NodeSlot) -> Instant? {
        let state = flow.activity[clock]
        guard state.rest == .none, let begun = clock == 0 ? flow.lastReached : state.begun else { return nil }
        let timed = timer.steps[min(state.stage, timer.steps.count - 1)]
        let isRunning =
            timer.since == nil ? flow.wakers == 0 : timed.whenHidden != .ignore || forest[slot].isPresented
        return isRunning ? time(timed.after, at: slot).map { begun.advanced(by: $0) } : nil
    }

    /// A time as a presentable sees it, in µs; nil if it never comes.
    func time(_ span: Span, at slot: NodeSlot) -> UInt64? {
        switch span {
        case .fixed(let time): return time
        case .context(let name):
            guard case .string(let text)? = forest.contextValue(name, from: slot)?.value,
                let range = definitions.spans[name]
            else { return nil }
            return try? TimeSpan.microseconds(text, in: range)
        }
    }

    // MARK: Idle

    /// A step from outside reached a flow, and so all flows above it.
    mutating func reach(_ flow: NodeSlot, _ turn: inout Turn) {
        if definitions.haveIdleFlows { reachAll(from: flow, &turn) }
    }

    private mutating func reachAll(from flow: NodeSlot, _ turn: inout Turn) {
        var place: NodeSlot? = flow
        while let slot = place {
            if forest[slot].flow?.activity.idle.begun != nil { reachAlone(slot, &turn) }
            place = forest[slot].parent
        }
    }

    private mutating func reachAlone(_ slot: NodeSlot, _ turn: inout Turn) {
        if forest[slot].flow?.isIdle == true { return beginIdleTimes(of: slot, &turn) }
        // There is an alarm, which is not too late.
        forest.update(slot) { $0.flow?.activity.idle.begun = turn.now }
    }

    /// The idle times of a flow begin now, if it has some.
    mutating func beginIdleTimes(of slot: NodeSlot, _ turn: inout Turn) {
        guard forest[slot].flow?.activity.idle.begun != nil else { return }
        forest.update(slot) { $0.flow?.activity.idle = TimerState(begun: turn.now) }
        scheduleTimers(of: slot)
    }

    // MARK: What begins times, and goes on with them

    /// All times of a flow begin now, as if it were new.
    mutating func beginTimes(of slot: NodeSlot, _ turn: inout Turn) {
        guard let flow = forest[slot].flow, flow.activity.isTimed else { return }
        let timers = definitions.flows[flow.definition.index].timers
        beginIdleTimes(of: slot, &turn)
        forest.update(slot) { node in
            let isPresented = node.flow?.activity.wasPresented == true
            for (place, timer) in timers.enumerated() where isPresented || timer.since == .created {
                node.flow?.activity[place + 1] = TimerState(begun: turn.now)
            }
        }
        if !timers.isEmpty { alarms.mayBeEarly = true }
        scheduleTimers(of: slot)
    }

    /// Notes that a flow with timers is presented now, or no longer.
    mutating func notePresentation(of slot: NodeSlot, _ now: Instant) {
        let isPresented = forest[slot].isPresented
        guard let flow = forest[slot].flow, !flow.activity.timers.isEmpty, flow.activity.wasPresented != isPresented
        else { return }
        forest.update(slot) { $0.flow?.activity.wasPresented = isPresented }
        if isPresented {
            for (place, timer) in definitions.flows[flow.definition.index].timers.enumerated() {
                present(timer, place + 1, of: slot, now)
            }
        }
        scheduleTimers(of: slot)
    }

    /// The flow of a timer is presented: its time begins, or what it has missed is forgotten. A step that the gate deferred is taken.
    private mutating func present(_ timer: FlowTimer, _ clock: Int, of slot: NodeSlot, _ now: Instant) {
        if timer.since == .presented {
            return forest.update(slot) { $0.flow?.activity[clock] = TimerState(begun: now) }
        }
        let wasDeferred = forest[slot].flow?.activity[clock].rest == .deferred
        if wasDeferred { forest.update(slot) { $0.flow?.activity[clock].rest = timer.repeats ? .none : .taken } }
        if wasDeferred || timer.steps[0].whenHidden == .ignore { passOver(timer, clock, of: slot, now) }
    }

    /// A timer goes on from its latest time by now: it does not catch up.
    mutating func passOver(_ timer: FlowTimer, _ clock: Int, of slot: NodeSlot, _ now: Instant) {
        guard let begun = forest[slot].flow?.activity[clock].begun, let time = time(timer.steps[0].after, at: slot)
        else {
            return
        }
        let times = begun.time(until: now) / max(time, 1)
        if times == 0 { return }
        forest.update(slot) { node in
            if timer.repeats {
                node.flow?.activity[clock].begun = begun.advanced(by: times * time)
            } else {
                node.flow?.activity[clock].rest = .taken
            }
        }
    }

    /// Sets the timers of a live flow by new definitions: those that are the same go on, and the others begin now.
    mutating func exchangeTimers(of slot: NodeSlot, unlike old: Definitions, _ now: Instant) {
        guard let flow = forest[slot].flow else { return }
        let new = definitions.flows[flow.definition.index]
        let former = old.flow(named: forest[slot].name).map { old[$0] }
        if new.clocks.isEmpty, former?.clocks.isEmpty != false { return }
        func key(_ timer: FlowTimer, _ definitions: Definitions) -> [String] {
            [timer.since?.rawValue ?? "", "\(timer.repeats)"]
                + timer.steps.map { "\($0.after) \(definitions[$0.step].name)" }
        }
        var renewed = flow.activity
        if former.map({ key(FlowTimer($0.idle), old) }) != key(FlowTimer(new.idle), definitions) {
            renewed.idle = TimerState(begun: new.idle.isEmpty ? nil : now)
        }
        renewed.wasPresented = !new.timers.isEmpty && forest[slot].isPresented
        var rest = (former?.timers ?? []).map { key($0, old) }.enumerated().map { ($1, flow.activity[$0 + 1]) }
        renewed.timers = new.timers.map { timer in
            if let same = rest.firstIndex(where: { $0.0 == key(timer, definitions) }) { return rest.remove(at: same).1 }
            return TimerState(begun: timer.since == .created || renewed.wasPresented ? now : nil)
        }
        forest.update(slot) { [renewed] in $0.flow?.activity = renewed }
    }

    // MARK: Steps

    /// A timer that repeats goes on. After a failure of the last idle step it is tried again, after the same time. If that was navigated
    /// or deferred, the flow rests until it is reached: a deferred step is taken when the flow is presented, and another one would only
    /// replace it. Other timers have done their work.
    mutating func timedStepEnded(_ step: WaitingStep, _ outcome: Outcome, _ turn: inout Turn) {
        // The flow may be gone, or its times began anew.
        guard case .timed(let clock, isLast: true) = step.purpose, let slot = forest.slot(of: step.flow),
            let flow = forest[slot].flow, clock <= flow.activity.timers.count, flow.activity[clock].rest == .taken,
            case let timer = definitions.flows[flow.definition.index].clocks[clock]
        else { return }
        let isDeferred = outcome == .ignored(.deferred)
        if timer.since == nil {
            forest.update(slot) { $0.flow?.activity.idle.begun = turn.now }
            if case .navigated = outcome { return }
            if isDeferred { return }
        } else if isDeferred {
            return forest.update(slot) { $0.flow?.activity[clock].rest = .deferred }
        } else if timer.repeats {
            passOver(timer, clock, of: slot, turn.now)
        } else {
            return
        }
        forest.update(slot) { $0.flow?.activity[clock].rest = .none }
        scheduleTimers(of: slot)
    }

    // MARK: Screens that keep flows awake

    /// Notes whether a screen keeps the flows above it from being idle, by its declaration.
    mutating func noteKeepsAwake(_ slot: NodeSlot) {
        guard definitions.haveWakingScreens || forest[slot].keepsAwake, forest[slot].flow == nil else { return }
        let screen = definitions.screen(named: forest[slot].name)
        forest.setKeepsAwake(screen.map { definitions[$0].keepsAwake } ?? false, of: slot)
    }

    /// Looks at the timers of flows again: the idle times of those that no screen keeps awake any more begin anew, and those that are
    /// presented now, or no longer, are noted.
    mutating func renewTimers(_ turn: inout Turn) {
        if forest.hasTimed { alarms.mayBeEarly = true }
        for slot in forest.takeTimed() {
            if forest[slot].flow?.hasDozed == true {
                let isAwake = forest.update(slot) { node in
                    node.flow?.hasDozed = false
                    return node.flow?.wakers != 0
                }
                if !isAwake { beginIdleTimes(of: slot, &turn) }
            }
            // What a cascade covers it can uncover again.
            if queue.isEmpty, !calls.hasNext { notePresentation(of: slot, turn.now) } else { forest.noteTimed(slot) }
        }
    }

    // MARK: Alarms

    /// Sets an alarm.
    mutating func schedule(_ subject: Alarms.Subject, due: Instant) {
        // Entries whose subject is gone, or has another alarm, stay until they are due, but never outnumber the others by much.
        if alarms.count > 2 * (forest.count + calls.count) + 16 {
            let (forest, calls) = (forest, calls)
            alarms.removeAll { entry in
                switch entry.subject {
                case .flow(let flow): forest.slot(of: flow).map { forest[$0].flow?.alarm != entry.due } ?? true
                case .screen(let screen):
                    forest.slot(of: screen).map { forest[$0].presenting?.alarm?.due != entry.due } ?? true
                case .beginning(let flow):
                    forest.slot(of: flow).map { forest[$0].flow?.beginning != .paused(until: entry.due) } ?? true
                case .call(let request): calls[request]?.isAwaited != true
                case .context(let flow?): forest.slot(of: flow) == nil
                case .stepper, .context(nil), .outputs: false
                }
            }
        }
        alarms.insert(subject, due: due)
    }

    /// Sets alarms for the calls that began to wait in this turn.
    mutating func watchSuspended() {
        while let (request, due) = calls.takeUnwatched() { schedule(.call(request), due: due) }
    }

    /// Sets the timer for the next alarm, if it has changed.
    mutating func askForTimer(_ turn: inout Turn) {
        if alarms.isNews { correctAlarms() }
        if alarms.arm() { turn.effects.append(.startTimer(at: alarms.timer)) }
    }

    /// The next alarm is not too early, so that nothing wakes up for a flow that is covered, or whose time is longer now.
    private mutating func correctAlarms() {
        while let next = alarms.next, case .flow(let flow) = next.subject {
            if let slot = forest.slot(of: flow), forest[slot].flow?.alarm == next.due {
                if nextTimer(of: slot)?.due == next.due { break }
                forest.update(slot) { $0.flow?.alarm = nil }
                alarms.removeNext()
                scheduleTimers(of: slot)
            } else {
                alarms.removeNext()
            }
        }
        alarms.mayBeEarly = false
    }
}
