// Steps along a path of flows (S-28). They skip the gate (S-15).

extension Machine {
    /// Begins a path of flows, with a step for each or without (S-28).
    mutating func openPath(
        _ segments: [PathSegment], below root: NodeID?, by client: Client, timeout: UInt64, blocks: Bool,
        _ activationToken: String?, _ request: RequestID, _ turn: inout Turn
    ) {
        guard !segments.isEmpty else {
            turn.answer = .fail(
                request, FlowError(.invalidArguments, "the path is empty; it has to have at least one segment, a root"))
            return
        }
        guard segments.count <= Limits.waitingStepsPerFlow else {
            let error = FlowError(
                .limitExceeded, "\(segments.count) segments in one path, of at most \(Limits.waitingStepsPerFlow)")
            turn.answer = .fail(request, error)
            return
        }
        if let root, forest.slot(of: root) == nil { return refuseGone(request, &turn) }
        var walk = PathWalk(
            segments: segments, due: turn.now.advanced(by: timeout), blocks: blocks, above: root)
        var call = Call(client: client, kind: .path(walk))
        do throws(FlowError) {
            try Self.checkActivationToken(activationToken)
            // Checks all segments first, because navigations are not undone.
            for place in segments.indices {
                walk.segments[place].key = try definitions.admit(key: segments[place].key, of: segments[place].flow)
                call.usage.bytes += segments[place].flow.utf8.count + segments[place].key.byteCount
                guard let step = segments[place].step else { continue }
                walk.segments[place].arguments = try definitions.admit(segments[place].arguments, of: step)
                call.usage.bytes += segments[place].arguments.byteCount
            }
            call.usage.steps = segments.count
            if definitions.askOthers {
                try reserve(call.usage, for: client, &turn)
            } else {
                call.usage = Accounting.Usage()
            }
        } catch {
            turn.answer = .fail(request, error)
            return
        }
        if let activationToken { activationTokens.insert(activationToken, for: origins.next(), of: request) }
        walkOn(walk, call, request, &turn)
    }

    /// Continues along a path, as long as no step has to wait and each flow is ready.
    mutating func walkOn(_ walk: PathWalk, _ call: Call, _ request: RequestID, _ turn: inout Turn) {
        var (walk, call) = (walk, call)
        turn.isOnPath = true
        defer { turn.isOnPath = false }
        drop(request)
        if call.isAnswered {
            // The time limit was reached between two slices.
            if let outcome = walk.outcome { reportConclusion(outcome, of: call, at: walk.place, &turn) }
            return
        }
        do throws(FlowError) {
            while try stride(&walk, by: call.client, request, &turn) {
                // Nothing is left to take, or the step waits for others.
                if walk.isDone || walk.isUndecided { break }
                if !queue.isEmpty || turn.isOver {
                    call.kind = .path(walk)
                    return park(request, call, until: walk.due, &turn)
                }
            }
        } catch {
            finishCall(request, .fail(request, walk.failure(error.message)), &turn)
            return
        }
        guard !walk.isDone else {
            finishCall(request, .reply(request, .outcomes(walk.outcomes)), &turn)
            return
        }
        call.kind = .path(walk)
        suspend(request, call, until: walk.due, &turn)
        if !walk.isUnderWay, let above = walk.above { calls.wait(request, for: above) }
    }

    /// Takes the next segment. Returns false if none is left, or something has to be waited for.
    ///
    /// - Throws: why it can't be taken, or was not navigated.
    private mutating func stride(
        _ walk: inout PathWalk, by client: Client, _ request: RequestID, _ turn: inout Turn
    ) throws(FlowError) -> Bool {
        if walk.isUnderWay {
            guard let outcome = walk.outcome else { return false }
            try conclude(outcome, of: &walk)
        }
        guard !walk.isDone else { return false }
        // The flow of the next segment is looked up when the one before is ready.
        if let above = forest.slot(of: walk.above), forest[above].flow?.isReady == false {
            if walk.blocks { try checkReadiness(of: above, for: client) }
            return false
        }
        if let error = walk.lapsed[walk.outcomes.count] { throw error }
        let segment = walk.segments[walk.outcomes.count]
        let flow = try self.flow(
            for: segment, below: walk.above, isFirst: walk.outcomes.isEmpty, by: client, request, &turn)
        walk.above = forest.id(of: flow)
        walk.place = forest[flow].path
        guard let step = segment.step else {
            walk.outcomes.append(FlowOutcome(path: walk.place, outcome: nil))
            return true
        }
        try checkEmitter(client, of: flow, waits: walk.blocks)
        let waiting = WaitingStep(
            origin: origins.next(), client: client, flow: forest.id(of: flow), step: step,
            arguments: segment.arguments, cause: 0, purpose: .segment(request))
        try checkWait(waiting, for: flow, &turn)
        // If it fails before, what the path has shown so far gets the token.
        moveActivationToken(of: request, to: waiting.origin)
        reach(flow, &turn)
        walk.isUnderWay = true
        walk.outcome = take(waiting, &turn)
        run(&turn)
        return true
    }

    /// The flow of a segment: for the first one, a root, which is started if its definition is unique; otherwise the newest
    /// flow of that name below the one before. Where a root is given, the first segment can also name that.
    private mutating func flow(
        for segment: PathSegment, below above: NodeID?, isFirst: Bool, by client: Client, _ request: RequestID,
        _ turn: inout Turn
    ) throws(FlowError) -> NodeSlot {
        guard let above else {
            if let root = forest.newestFlow(segment.sought, below: nil) { return root }
            guard let id = definitions.flow(named: segment.flow) else {
                throw definitions.unknownFlow(segment.flow)
            }
            if !segment.key.isEmpty, forest.newestFlow(Sought(name: segment.flow), below: nil) != nil {
                throw FlowError(.unknownFlow, "no root of that name has these values of its key")
            }
            guard definitions[id].isUnique else {
                throw FlowError(
                    .unknownFlow, "no root of that name is live, and none is started, as the flow is not unique")
            }
            let path = try begin(FlowRequest(id, arguments: segment.key, by: client), along: request, &turn)
            runToEnd(&turn)
            guard let root = forest.newestFlow(segment.sought, below: nil) else {
                throw FlowError(.flowEnded, "'\(path)' ended with its initial step")
            }
            return root
        }
        guard let above = forest.slot(of: above) else {
            throw FlowError(.flowEnded, "the flow of the segment before has ended")
        }
        // A flow's name is its definition's.
        if isFirst, forest.isMeant(above, segment.sought) { return above }
        guard let flow = forest.newestFlow(segment.sought, below: above) else {
            let what = segment.key.isEmpty ? "of that name" : "of that name and key"
            throw FlowError(.unknownFlow, "no flow \(what) is live below '\(forest[above].path)'")
        }
        return flow
    }

    /// Notes the outcome of a segment's step.
    ///
    /// - Throws: why it was not navigated.
    private func conclude(_ outcome: Outcome, of walk: inout PathWalk) throws(FlowError) {
        walk.isUnderWay = false
        walk.outcome = nil
        switch outcome {
        case .navigated: walk.outcomes.append(FlowOutcome(path: walk.place, outcome: outcome))
        case .ignored(let verdict):
            let segment = walk.segments[walk.outcomes.count]
            guard let step = segment.step else { return }
            throw FlowError(
                .pathFailed,
                verdict == .unhandled
                    ? unhandled(step, at: walk.above) : "the step '\(definitions[step].name)' is \(verdict.rawValue)")
        case .refused(let error): throw error
        }
    }
}
