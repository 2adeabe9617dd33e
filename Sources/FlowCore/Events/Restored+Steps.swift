// Restores waiting steps: each continues where it was. None is taken twice, because a step has no record any more when its
// navigation is recorded (D-4).

extension Machine {
    /// Restores the waiting steps. Returns the flows whose initial step is one of them.
    mutating func restoreSteps(
        of stored: RecordSet, _ lost: Lost, onSameBus: Bool, _ turn: inout Turn
    ) -> Set<NodeID> {
        queue.reserve(upTo: stored.steps.last?.number ?? 0)
        if onSameBus {
            let requests = Set(stored.steps.lazy.map(\.step.request))
            for (number, record) in stored.tokens {
                // Without its call it would wait forever.
                if let request = record.outcome.request, !requests.contains(request) { continue }
                tokens.restore(record, number)
            }
            for (number, record) in stored.progress { restoreRest(of: number, record, stored, lost, &turn) }
            // All calls are restored before the first step, because a call may wait for several.
            for (_, record) in stored.steps { restoreCall(of: record, stored, lost, &turn) }
        }
        var waiting: [(stage: StepRecord.Stage, step: WaitingStep)] = []
        for (number, record) in stored.steps {
            switch record.stage {
            case .initial, .deferred: restoreDeferred(record, number, lost, onSameBus: onSameBus, &turn)
            case .blocked, .guard, .navigator, .queued:
                if let step = restored(record, number, lost, onSameBus: onSameBus, &turn) {
                    if step.isTriggered { origins.wait(step.origin) }
                    asks.restoreStep(step.origin, of: step.request)
                    waiting.append((record.stage, step))
                }
            }
        }
        let begun = Set(waiting.lazy.filter { $0.step.purpose == .initial }.map(\.step.flow))
        endReadiness(besides: begun)
        // Questions are asked again before the steps behind them continue.
        for (stage, step) in waiting where stage != .blocked { resumeRestored(step, stage, &turn) }
        for (stage, step) in waiting where stage == .blocked { resumeRestored(step, stage, &turn) }
        return begun
    }

    // MARK: At presentables

    private mutating func restoreDeferred(
        _ record: StepRecord, _ number: UInt64, _ lost: Lost, onSameBus: Bool, _ turn: inout Turn
    ) {
        guard let slot = lost.slots[record.place] else {
            return reportLost(
                record, FlowError(.flowEnded, "'\(lost.paths[record.place]?.path ?? "")', where it waited, is gone"),
                at: lost.paths[record.place]?.nearestLiveAncestor ?? forest.top, onSameBus: onSameBus, &turn)
        }
        let flow = flow(for: slot)
        var deferred: DeferredStep
        do throws(FlowError) {
            let (step, arguments) = try declared(record)
            deferred = DeferredStep(
                step: step, arguments: arguments, origin: record.origin, cause: record.cause,
                client: onSameBus ? record.client : .daemon, token: onSameBus ? record.token : "", number: number)
        } catch {
            return reportLost(record, error, at: forest[flow].path, onSameBus: onSameBus, &turn)
        }
        if record.stage == .initial {
            origins.wait(deferred.origin, isDeferred: true)
            forest.updateUsage(slot) { [deferred] in $0.initialStep = deferred }
        } else {
            forest.updateUsage(slot) { [deferred] in $0.deferredSteps.append(deferred) }
            asks.restoreStep(deferred.origin, of: nil)
        }
    }

    private func declared(_ record: StepRecord) throws(FlowError) -> (StepID, Arguments) {
        guard let step = definitions.step(named: record.step) else { throw definitions.unknownStep(record.step) }
        return (step, try definitions.admit(record.arguments, of: step))
    }

    /// Reports that a step is lost, to its call or to all (S-12).
    private mutating func reportLost(
        _ record: StepRecord, _ error: FlowError, at path: String, onSameBus: Bool, _ turn: inout Turn
    ) {
        let request = RequestID(record.request)
        if record.isOfCall, calls[request] != nil {
            // Its step may not be declared any more; the call only needs the place.
            let step = WaitingStep(
                origin: record.origin, client: record.client, flow: NodeID(slot: NodeSlot(0), instance: record.place),
                step: StepID(0), arguments: [], cause: 0, purpose: purpose(of: record, onSameBus: true))
            return takeOutcome(.refused(error), of: step, for: request, &turn)
        }
        turn.effects.append(
            .emitNavigationFailed(
                NavigationFailure(
                    flow: path, cause: record.cause, client: onSameBus ? record.client : .daemon, step: record.step,
                    reason: .error(error.code), message: error.message)))
    }

    // MARK: At flows

    private mutating func restored(
        _ record: StepRecord, _ number: UInt64, _ lost: Lost, onSameBus: Bool, _ turn: inout Turn
    ) -> WaitingStep? {
        guard let slot = lost.slots[record.place] else {
            let error = FlowError(.flowEnded, "the flow that was to take step '\(record.step)' has ended")
            let place = lost.paths[record.place]?.nearestLiveAncestor ?? nearest(to: record.placeOfFailure)
            reportLost(record, error, at: place, onSameBus: onSameBus, &turn)
            return nil
        }
        do throws(FlowError) {
            let (step, arguments) = try declared(record)
            let screen = record.screen.map { instance in
                lost.slots[instance].map { forest.id(of: $0) } ?? NodeID(slot: NodeSlot(0), instance: instance)
            }
            return WaitingStep(
                origin: record.origin, client: onSameBus ? record.client : .daemon, flow: forest.id(of: slot),
                step: step, arguments: arguments, cause: record.cause,
                purpose: purpose(of: record, onSameBus: onSameBus), screen: screen,
                isInteractive: record.isInteractive,
                adaptedFrom: record.adaptedFrom.flatMap { definitions.step(named: $0) }, number: number)
        } catch {
            // If the flow has had no child, it is empty (S-36).
            if forest[slot].flow?.kept.birth == record.origin { forest.update(slot) { $0.flow?.mayBeEmpty = true } }
            reportLost(record, error, at: forest[slot].path, onSameBus: onSameBus, &turn)
            return nil
        }
    }

    private func purpose(of record: StepRecord, onSameBus: Bool) -> WaitingStep.Purpose {
        switch record.purpose {
        case .emitted, .deepLink, .listed, .segment:
            // On another bus the callers are gone.
            guard onSameBus, calls[RequestID(record.request)] != nil else { return .deferred }
            let (request, place) = (RequestID(record.request), Int(clamping: record.index))
            switch record.purpose {
            case .deepLink: return .deepLink(request, place: place)
            case .listed: return .listed(request, place: place)
            case .segment: return .segment(request)
            case .emitted, .initial, .triggered, .deferred, .timed, .property, .signalled: return .emitted(request)
            }
        case .initial: return .initial
        case .triggered: return .triggered
        case .deferred: return .deferred
        case .timed: return .timed(Int(clamping: record.index / 2), isLast: record.index % 2 == 0)
        case .property: return .property(record.index)
        case .signalled: return .signalled
        }
    }

    /// Restores the call of a step. Its caller got no answer; `StepConcluded` reports the outcome.
    private mutating func restoreCall(of record: StepRecord, _ stored: RecordSet, _ lost: Lost, _ turn: inout Turn) {
        let request = RequestID(record.request)
        var call: Call
        switch record.purpose {
        case .emitted:
            let key =
                record.token.isEmpty
                ? nil : Tokens.Key(client: record.client, kind: record.tokenKind, token: record.token)
            call = Call(client: record.client, kind: .step(path: record.path, key))
            // A repeated call with the token waits as long as its first caller could have.
            if let key, tokens.haveWait(key, with: request) {
                call.isAwaitedByToken = true
                call.due = turn.now.advanced(by: Limits.replyTimeout)
            }
        case .listed:
            guard let list = stored.lists[record.request] else { return }
            call = restoredList(list, Int(clamping: record.index), lost)
        case .deepLink:
            let place = Int(clamping: record.index)
            guard place < Limits.nodes else { return }
            return calls.restoreDeepLink(request, by: record.client, place, path: path(of: record, lost))
        case .segment:
            // The path ends here, as if its time limit were reached.
            var walk = PathWalk(segments: [], due: turn.now, blocks: true)
            (walk.place, walk.isUnderWay) = (path(of: record, lost), true)
            call = Call(client: record.client, kind: .path(walk))
        case .initial, .triggered, .deferred, .timed, .property, .signalled: return
        }
        accounting.count(call.usage, for: call.client)
        calls.restore(request, call)
    }

    /// The path of the flow at which a step waits, or the path that the flow had.
    private func path(of record: StepRecord, _ lost: Lost) -> String {
        lost.slots[record.place].map { forest[$0].path } ?? lost.paths[record.place]?.path ?? forest.top
    }

    /// Restores a call that was interrupted at the end of a slice. It continues, and `StepConcluded` reports its outcomes.
    private mutating func restoreRest(
        of number: UInt64, _ progress: ProgressRecord, _ stored: RecordSet, _ lost: Lost, _ turn: inout Turn
    ) {
        guard let record = stored.lists[number] else { return }
        let (request, done) = (RequestID(number), Int(clamping: progress.done))
        var call: Call
        var outcomes: [FlowOutcome]?
        if record.flows.isEmpty {
            call = restoredList(record, done, lost)
        } else {
            guard case .step(let name, let arguments)? = record.items.first, let step = definitions.step(named: name),
                let admitted = try? definitions.admit(arguments, of: step)
            else { return restoreUndeclared(record, done, &turn) }
            var link = DeepLink(step: step, arguments: admitted)
            link.flows = record.flows.map { flow in
                flow.instance == 0
                    ? nil
                    : lost.slots[flow.instance].map { forest.id(of: $0) }
                        ?? NodeID(slot: NodeSlot(0), instance: flow.instance)
            }
            outcomes = record.flows.map { FlowOutcome(path: $0.path, outcome: nil) }
            call = Call(client: record.client, kind: .deepLink(link))
            call.next = min(done, record.flows.count)
            call.undecided = link.flows[call.next...].count { $0 != nil }
        }
        accounting.count(call.usage, for: call.client)
        calls.restoreSliced(request, call, outcomes)
    }

    /// A deep link's step that is no longer declared in the same way is refused for all remaining flows.
    private mutating func restoreUndeclared(_ record: ListRecord, _ done: Int, _ turn: inout Turn) {
        guard case .step(let name, _)? = record.items.first else { return }
        let error =
            definitions.step(named: name) == nil
            ? definitions.unknownStep(name)
            : FlowError(.invalidArguments, "the arguments of step '\(name)' no longer fit")
        let call = Call(client: record.client, kind: .step(path: "", nil))
        for flow in record.flows.dropFirst(done) where flow.instance != 0 {
            reportConclusion(.refused(error), of: call, at: flow.path, &turn)
        }
    }

    /// The nearest live presentable at a path or above it; the path itself if there is none.
    private func nearest(to path: String) -> String {
        var place = path[...]
        while !place.isEmpty {
            if forest.node(at: String(place)) != nil { return String(place) }
            guard let slash = place.lastIndex(of: "/") else { break }
            place = place[..<slash]
        }
        return path.isEmpty ? forest.top : path
    }

    private func restoredList(_ record: ListRecord, _ place: Int, _ lost: Lost) -> Call {
        let node = lost.slots[record.node].map { forest.id(of: $0) } ?? NodeID(slot: NodeSlot(0), instance: record.node)
        var usage = Accounting.Usage(steps: record.items.count)
        let steps = record.items.map { item -> EmittedStep in
            switch item {
            case .refused(let error): return .refused(error)
            case .step(let name, let arguments):
                usage.bytes += arguments.byteCount
                guard let step = definitions.step(named: name) else { return .refused(definitions.unknownStep(name)) }
                return .step(step, arguments)
            }
        }
        var list = StepList(node: node, path: record.path, steps: steps)
        // The outcomes of earlier steps were for the answer, which the caller did not get.
        list.outcomes = Array(repeating: .ignored(.pending), count: min(place, steps.count))
        var call = Call(client: record.client, kind: .list(list))
        if definitions.askOthers { call.usage = usage }
        return call
    }

    /// Asks a question again, or puts the step behind it; if definitions have changed, the step is taken again.
    private mutating func resumeRestored(_ step: WaitingStep, _ stage: StepRecord.Stage, _ turn: inout Turn) {
        guard let slot = forest.slot(of: step.flow) else { return queue.insert(contentsOf: [step]) }
        let definition = definition(of: slot).index
        let isFree = forest[slot].flow?.question == nil
        switch stage {
        case .guard:
            guard isFree, definitions.flows[definition].guard?.watches(step.step) == true else { break }
            return ask(about: step, at: slot, definition, isNavigator: false, &turn)
        case .navigator:
            guard isFree, definitions.flows[definition].navigator?.takes(step.step) == true else { break }
            return ask(about: step, at: slot, definition, isNavigator: true, &turn)
        case .queued: break
        case .blocked, .initial, .deferred:
            if isFree { break }
            _ = mayProceed(step, at: slot, definition, &turn)
            return
        }
        queue.insert(contentsOf: [step])
    }

    /// Flows that wait for a child that was not restored are as ready as if it were gone (S-26).
    private mutating func endReadiness(besides awaited: Set<NodeID>) {
        for slot in forest.preorder().reversed() {
            let id = forest.id(of: slot)
            switch forest[slot].flow?.kept.readiness {
            case .awaitingStep? where !awaited.contains(id):
                // The copy on a disk has no steps with private arguments. Without its first child, the flow is empty (S-36).
                forest.update(slot) { $0.flow?.mayBeEmpty = true }
                initialStepEnded(of: slot)
            case .awaitingChildren(let count)?:
                let left = forest.children(of: slot).count { child in
                    forest[child].flow.map { $0.kept.isAwaitedByParent && !$0.isReady } ?? false
                }
                for _ in left..<max(left, count) { awaitedChildEnded(of: slot) }
            case .awaitingStep?, .ready?, nil: break
            }
        }
    }
}

extension StepRecord {
    /// Whether it belongs to a call.
    fileprivate var isOfCall: Bool {
        switch purpose {
        case .emitted, .deepLink, .listed, .segment: true
        case .initial, .triggered, .deferred, .timed, .property, .signalled: false
        }
    }
}
