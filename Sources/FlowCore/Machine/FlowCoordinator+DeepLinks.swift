// Steps for all flows at once, and along a path of them: neither is gated (S-15).

extension FlowCoordinator {
    /// Sends a step to every flow that is live now, each an origin of its own (S-27).
    mutating func openDeepLink(_ step: StepID, _ arguments: Arguments, by client: Client, _ request: RequestID) {
        let admitted: Arguments
        do throws(FlowError) {
            admitted = try admit(arguments, of: step)
        } catch {
            answer = .fail(request, error)
            return
        }
        let flows = forest.preorder().filter { forest.nodes[$0].flow != nil }
        var steps: [WaitingStep] = []
        steps.reserveCapacity(flows.count)
        for (place, flow) in flows.enumerated() {
            do throws(FlowError) {
                try checkEmitter(client, of: flow)
            } catch {
                deepLink.append(FlowOutcome(path: forest.nodes[flow].path, outcome: .refused(error)))
                continue
            }
            deepLink.append(FlowOutcome(path: forest.nodes[flow].path, outcome: nil))
            steps.append(
                WaitingStep(
                    origin: nextOrigin(), client: client, flow: forest.id(of: flow), tellAt: forest.nodes[flow].path,
                    step: step, arguments: admitted, cause: 0, purpose: .deepLink(place: place)))
            reach(flow)
        }
        queue.append(contentsOf: steps)
        run()
        answer = .reply(request, .outcomes(deepLink))
        deepLink = []
    }

    /// Goes from flow to flow by their names, with a step for each, or with none (S-28).
    mutating func openPath(_ segments: [PathSegment], by client: Client, _ request: RequestID) {
        guard !segments.isEmpty else {
            answer = .fail(
                request, FlowError(.invalidArguments, "the path is empty; it has to have at least one segment, a root"))
            return
        }
        guard segments.count <= Limits.waitingStepsPerFlow else {
            let error = FlowError(
                .limitExceeded, "\(segments.count) segments in one path, of at most \(Limits.waitingStepsPerFlow)")
            answer = .fail(request, error)
            return
        }
        var segments = segments
        do throws(FlowError) {
            // Before anything happens, as what has happened stays.
            for place in segments.indices {
                guard let step = segments[place].step else { continue }
                segments[place].arguments = try admit(segments[place].arguments, of: step)
            }
        } catch {
            answer = .fail(request, error)
            return
        }
        var outcomes: [FlowOutcome] = []
        var above: NodeID?
        for (place, segment) in segments.enumerated() {
            do throws(FlowError) {
                let flow = try self.flow(for: segment, below: above, isFirst: place == 0, by: client)
                above = forest.id(of: flow)
                outcomes.append(try follow(segment, at: flow, by: client))
            } catch {
                answer = .fail(
                    request,
                    FlowError(
                        .pathFailed,
                        "segment \(place + 1) ('\(Names.shown(segment.flow))'): \(error.message)"))
                return
            }
        }
        answer = .reply(request, .outcomes(outcomes))
    }

    /// The flow that a segment means: a root for the first one, which is started if it is unique; else the newest of
    /// that name below the one before.
    private mutating func flow(
        for segment: PathSegment, below above: NodeID?, isFirst: Bool, by client: Client
    ) throws(FlowError) -> Int {
        if isFirst, let root = forest.newestFlow(named: segment.flow, below: nil) { return root }
        if isFirst {
            guard let id = definitions.flow(named: segment.flow) else {
                throw definitions.unknownFlow(segment.flow)
            }
            guard definitions[id].isUnique else {
                throw FlowError(
                    .unknownFlow, "no root of that name is live, and none is started, as the flow is not unique")
            }
            let path = try begin(FlowRequest(id, by: client))
            run()
            guard let root = forest.newestFlow(named: segment.flow, below: nil) else {
                throw FlowError(.flowEnded, "'\(path)' ended with its initial step")
            }
            return root
        }
        guard let above = above.flatMap(forest.slot(of:)) else {
            throw FlowError(.flowEnded, "the flow of the segment before has ended")
        }
        guard let flow = forest.newestFlow(named: segment.flow, below: above) else {
            throw FlowError(.unknownFlow, "no flow of that name is live below '\(forest.nodes[above].path)'")
        }
        return flow
    }

    /// Takes a segment's step at its flow, and all that it sets off.
    ///
    /// - Throws: why it was not navigated.
    private mutating func follow(
        _ segment: PathSegment, at flow: Int, by client: Client
    ) throws(FlowError) -> FlowOutcome {
        let path = forest.nodes[flow].path
        guard let step = segment.step else { return FlowOutcome(path: path, outcome: nil) }
        try checkEmitter(client, of: flow)
        reach(flow)
        let waiting = WaitingStep(
            origin: nextOrigin(), client: client, flow: forest.id(of: flow), tellAt: path, step: step,
            arguments: segment.arguments, cause: 0, purpose: .segment)
        take(waiting)
        let outcome = takeOutcome()
        run()
        switch outcome {
        case .navigated: return FlowOutcome(path: path, outcome: outcome)
        case .ignored: throw FlowError(.pathFailed, unhandled(definitions[step].name, by: waiting))
        case .refused(let error): throw error
        }
    }
}
