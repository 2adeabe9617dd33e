import FlowCore

/// The timers of flows: idle (S-34), and the others (S-55).
struct ModelTimer {
    /// When its time began; nil if it has not.
    var since: UInt64?
    /// Whether it has done its work.
    var isOver = false
    /// Whether its step waits at the gate.
    var isDeferred = false
}

extension Model {
    /// Records activity of the flow and its ancestors.
    func reach(_ flow: ModelNode) {
        beginIdleTimes(of: flow)
        if let parent = flow.parent { reach(parent) }
    }

    /// Reports input at a presentable that is no step.
    func touch(_ instance: UInt64, _ client: Client) -> Reply {
        guard let node = node(instance) else { return .failure(FlowError(.presentableDismissed)) }
        guard mayEmit(client, on: node.flow) else { return .failure(FlowError(.accessDenied)) }
        guard isPresented(node) else { return .success(.done) }
        var place: ModelNode? = node.flow
        while let flow = place {
            let isSurplus = now - flow.idleSince < 1_000_000 && !flow.idleRests && flow.idleStage == 0
            if !isSurplus { beginIdleTimes(of: flow) }
            place = flow.parent
        }
        return .success(.done)
    }

    func beginIdleTimes(of flow: ModelNode) { (flow.idleSince, flow.idleRests, flow.idleStage) = (now, false, 0) }

    /// The flow is as good as new.
    func beginTimes(of flow: ModelNode) {
        beginIdleTimes(of: flow)
        for (place, timer) in definitions.flows[flow.definition].timers.enumerated() {
            if timer.since == .created || flow.wasPresented { flow.timers[place] = ModelTimer(since: now) }
        }
    }

    /// Returns a time as a flow sees it; nil if it never comes.
    private func time(_ span: Span, _ flow: ModelNode) -> UInt64? {
        switch span {
        case .fixed(let time): time
        case .context(let name):
            if case .string(let text)? = contextValue(name, flow)?.value { Self.times[text] } else { nil }
        }
    }

    /// The texts that the generator uses, and those of them that are times.
    static let times: [String: UInt64] = [
        "500ms": 500_000, "2s": 2_000_000, "3500ms": 3_500_000, "1min": 60_000_000,
    ]
    static let texts = times.keys.sorted() + ["never", "x"]

    /// Whether something refuses this value: it has to be a time.
    func isNoTime(_ name: String, _ value: Value) -> Bool {
        let isAsked = definitions.flows.contains { flow in
            (flow.idle + flow.timers.flatMap(\.steps)).contains { $0.after == .context(name) }
        }
        guard isAsked, case .string(let text) = value, text != "never" else { return false }
        let isShort = definitions.flows.contains { $0.timers.flatMap(\.steps).contains { $0.after == .context(name) } }
        return text == "500ms" ? isShort : Self.times[text] == nil
    }

    // MARK: What is presented

    /// Looks whether presented screens keep flows awake.
    func lookForWakingScreens() {
        guard definitions.screens.contains(where: \.keepsAwake) || nodes.contains(where: \.wasAwake) else { return }
        for flow in nodes where flow.isFlow {
            let isAwake = isAwake(flow)
            if flow.wasAwake, !isAwake { flow.dozes = true }
            flow.wasAwake = isAwake
        }
    }

    private func isAwake(_ flow: ModelNode) -> Bool {
        var isAwake = false
        flow.visit { node in
            guard !node.isFlow, let screen = definitions.screen(named: node.name) else { return }
            if definitions[screen].keepsAwake, isPresented(node) { isAwake = true }
        }
        return isAwake
    }

    /// The idle times of flows that nothing keeps awake any more begin anew; timers of flows that are presented now go on.
    func renewTimers() {
        lookForWakingScreens()
        for flow in nodes where flow.dozes {
            flow.dozes = false
            if !flow.wasAwake { beginIdleTimes(of: flow) }
        }
        for flow in nodes where flow.isFlow {
            let isPresented = isPresented(flow)
            if isPresented, !flow.wasPresented {
                for place in flow.timers.indices { present(place, of: flow) }
            }
            flow.wasPresented = isPresented
        }
    }

    private func present(_ place: Int, of flow: ModelNode) {
        let timer = definitions.flows[flow.definition].timers[place]
        if timer.since == .presented {
            flow.timers[place] = ModelTimer(since: now)
            return
        }
        let wasDeferred = flow.timers[place].isDeferred
        flow.timers[place].isDeferred = false
        if wasDeferred, !timer.repeats { flow.timers[place].isOver = true }
        guard wasDeferred || timer.steps[0].whenHidden == .ignore else { return }
        // What was missed is not made up for.
        if timer.repeats {
            skip(place, of: flow)
        } else if let since = flow.timers[place].since, let time = time(timer.steps[0].after, flow), since + time <= now
        {
            flow.timers[place].isOver = true
        }
    }

    /// A timer that repeats counts from its latest time.
    private func skip(_ place: Int, of flow: ModelNode) {
        let timer = definitions.flows[flow.definition].timers[place]
        guard let time = time(timer.steps[0].after, flow), var since = flow.timers[place].since else { return }
        while since + time <= now { since += time }
        flow.timers[place].since = since
    }

    // MARK: What is due

    /// When the step of a flow's timers is due: of idle (0), or of another one.
    private func deadlines(_ flow: ModelNode) -> [(place: Int, due: UInt64)] {
        guard flow.isFlow else { return [] }
        var all: [(place: Int, due: UInt64)] = []
        let stages = definitions.flows[flow.definition].idle
        if !flow.idleRests, !flow.wasAwake, !stages.isEmpty,
            let time = time(stages[min(flow.idleStage, stages.count - 1)].after, flow)
        {
            all.append((0, flow.idleSince + time))
        }
        for (place, timer) in definitions.flows[flow.definition].timers.enumerated() {
            let state = flow.timers[place]
            guard !state.isOver, !state.isDeferred, let since = state.since,
                timer.steps[0].whenHidden != .ignore || isPresented(flow), let time = time(timer.steps[0].after, flow)
            else { continue }
            all.append((place + 1, since + time))
        }
        return all
    }

    /// The earliest time of all timers but those of idle, which need not be exact (S-55).
    var exactDeadline: UInt64? { nodes.flatMap { deadlines($0).filter { $0.place > 0 }.map(\.due) }.min() }

    /// The earliest of all, with those of steppers (S-42).
    var deadline: UInt64? {
        (nodes.flatMap { deadlines($0).map(\.due) }
            + [nextChange?.due, nextBeginning?.due, nextContext?.due, missing.map(\.due).min()]
            .compactMap(\.self)).min()
    }

    /// Takes all that is due, by its time.
    func fireTimers() {
        while true {
            let change = nextChange.flatMap { $0.due <= now ? $0 : nil }
            let beginning = nextBeginning.flatMap { $0.due <= now ? $0 : nil }
            let context = nextContext.flatMap { $0.due <= now ? $0 : nil }
            let gone = missing.map(\.due).filter { $0 <= now }.min()
            let later = min(beginning?.due ?? .max, context?.due ?? .max, gone ?? .max)
            if let next = nextTimer(), next.due <= min(change?.due ?? .max, later) {
                take(next.place, of: next.flow)
            } else if let change, change.due <= later {
                takeChange(of: change.stepper)
            } else if let beginning, beginning.due <= min(context?.due ?? .max, gone ?? .max) {
                beginning.flow.beginning = .due
                finish()
            } else if let context, context.due <= gone ?? .max {
                takeContext(context.holder)
            } else if let gone {
                endOutputs(by: gone)
                finish()
            } else {
                return
            }
        }
    }

    private func nextTimer() -> (flow: ModelNode, place: Int, due: UInt64)? {
        renewTimers()
        return nodes.flatMap { flow in deadlines(flow).map { (flow: flow, place: $0.place, due: $0.due) } }
            .filter { $0.due <= now }
            .min { ($0.due, $0.flow.instance, $0.place) < ($1.due, $1.flow.instance, $1.place) }
    }

    private func take(_ place: Int, of flow: ModelNode) {
        if place > 0 { return takeTimer(place - 1, of: flow) }
        let stages = definitions.flows[flow.definition].idle
        let stage = min(flow.idleStage, stages.count - 1)
        let isLast = stage == stages.count - 1
        if isLast { flow.idleSince = now } else { flow.idleStage += 1 }
        let outcome = emit(stages[stage], at: flow, isLast ? .idle : .reported)
        // It waits; another one would be useless.
        if isLast, outcome == .ignored(.deferred) { flow.idleRests = true }
    }

    private func takeTimer(_ place: Int, of flow: ModelNode) {
        let timer = definitions.flows[flow.definition].timers[place]
        if timer.repeats { skip(place, of: flow) } else { flow.timers[place].isOver = true }
        if flow.deferred.contains(where: { $0.client == .daemon && $0.step == timer.steps[0].step }) {
            (flow.timers[place].isDeferred, flow.timers[place].isOver) = (true, false)
            return
        }
        if emit(timer.steps[0], at: flow, .reported) == .ignored(.deferred) {
            (flow.timers[place].isDeferred, flow.timers[place].isOver) = (true, false)
        }
    }

    /// Emits a step of a timer on its flow. Nil if it was refused.
    private func emit(_ timed: TimedStep, at flow: ModelNode, _ purpose: ModelStep.Purpose) -> Outcome? {
        let step = ModelStep(
            step: timed.step, arguments: [], flow: flow, origin: newOrigin(), cause: 0, client: .daemon,
            purpose: purpose)
        do throws(FlowError) {
            let outcome = try gate(flow, step, timed.whenHidden)
            if outcome == .ignored(.hidden) { reportFailure(step, .verdict(.hidden)) }
            return outcome
        } catch {
            reportFailure(step, .error(error.code))
            return nil
        }
    }
}
