import FlowCore

/// The calls of clients. Each returns one answer.
extension Model {
    typealias Reply = Result<Answer, FlowError>

    // MARK: - Emissions

    func emit(
        on instance: UInt64, _ step: StepID, _ arguments: Arguments, _ client: Client, _ options: EmissionOptions?
    ) -> Reply {
        if let token = options?.token, let known = repeated(client, token) { return .success(known) }
        let before = asks.count
        let reply = once(client, options?.token, .emission) {
            if let meant = options?.instance, meant != instance { return .failure(FlowError(.staleInstance)) }
            let token = options?.asks == true ? options?.token : nil
            switch emit(
                on: instance, step, arguments, client, token: options?.token ?? "", asking: token,
                isInput: options?.isInput ?? true)
            {
            case .navigated(let serial): return .success(.verdict(.navigated, serial: serial))
            case .ignored(let verdict): return .success(.verdict(verdict, serial: 0))
            case .refused(let error): return .failure(error)
            }
        }
        // The ask remembers the token.
        if asks.count > before, case .success(let answer) = reply {
            asks[before].answer = answer
            tokens.removeLast()
        }
        return reply
    }

    /// Equivalent to several calls, one after the other.
    func emit(on instance: UInt64, _ steps: [EmittedStep], _ client: Client) -> Reply {
        guard steps.count <= Limits.waitingStepsPerFlow else { return .failure(FlowError(.limitExceeded)) }
        return .success(
            .verdicts(
                steps.map {
                    switch $0 {
                    case .refused(let error): Outcome.refused(error).wordless
                    case .step(let step, let arguments): emit(on: instance, step, arguments, client)
                    }
                }))
    }

    private func emit(
        on instance: UInt64, _ step: StepID, _ arguments: Arguments, _ client: Client, token name: String = "",
        asking token: String? = nil, isInput: Bool = true
    ) -> Outcome {
        guard let node = node(instance) else { return .refused(FlowError(.presentableDismissed)) }
        guard mayEmit(client, on: node.flow) else { return .refused(FlowError(.accessDenied)) }
        do throws(FlowError) {
            let admitted = try admit(arguments, for: step)
            let origin = newOrigin()
            if let token { asks.append(Ask(client: client, token: token, path: node.path, origin: origin)) }
            let outcome = ask(
                node,
                ModelStep(
                    step: step, arguments: admitted, flow: node.flow, origin: origin, cause: 0, client: client,
                    purpose: .asked, token: name, isInput: isInput))
            if !outcome.isNavigated, outcome != .ignored(.deferred) { asks.removeAll { $0.origin == origin } }
            return outcome
        } catch {
            return .refused(error)
        }
    }

    private func ask(_ node: ModelNode, _ step: ModelStep) -> Outcome {
        do throws(FlowError) { return try gate(node, step) } catch { return .refused(error) }
    }

    /// Takes, defers or ignores a step from outside (S-15).
    func gate(_ node: ModelNode, _ step: ModelStep, _ ownSetting: WhenHidden? = nil) throws(FlowError) -> Outcome {
        let setting = ownSetting ?? whenHidden(node)
        if !isPresented(node) || (setting == .turn && node.turn != nil) {
            switch setting {
            case .allow: break
            case .ignore: return .ignored(.hidden)
            case .latest, .queue, .turn:
                try keep(step, at: node, replaces: setting == .latest)
                // Reclaiming can have uncovered the presentable, or triggered steps.
                release()
                finish()
                return .ignored(.deferred)
            }
        }
        if step.purpose == .asked, step.isInput, definitions[step.step].isInput { reach(step.flow) }
        if setting == .turn { node.turn = step.origin }
        return run(step)
    }

    private func keep(_ step: ModelStep, at node: ModelNode, replaces: Bool) throws(FlowError) {
        try checkWaiting(for: step.client, at: node, besides: replaces ? node.deferred : [])
        if step.purpose == .asked, step.isInput, definitions[step.step].isInput { reach(step.flow) }
        if replaces {
            let former = node.deferred
            for old in former { reportFailure(old, .verdict(.hidden)) }
            node.deferred = []
            for old in former { settleAsks(old.origin) }
        }
        node.deferred.append(
            ModelStep(
                step: step.step, arguments: step.arguments, flow: step.flow, origin: step.origin, cause: 0,
                client: step.client, purpose: .reported, token: step.token))
    }

    /// Runs a step and its cascade. Returns the outcome of the step.
    func run(_ step: ModelStep) -> Outcome {
        queue(step)
        finish()
        return asked
    }

    /// Returns the first outcome of a call with this token, while it is remembered.
    func once(_ client: Client, _ name: String?, _ kind: Token.Kind, _ call: () -> Reply) -> Reply {
        guard let name else { return call() }
        guard (1...Limits.tokenLength).contains(name.utf8.count) else { return .failure(FlowError(.invalidArguments)) }
        let known = tokens.last {
            $0.client == client && $0.kind == kind && $0.name == name
                && now - $0.time < Limits.tokenLifetime
        }
        if let known { return known.result }
        do throws(FlowError) { try checkTokens(client) } catch { return .failure(error) }
        let result = call()
        tokens.append(Token(client: client, kind: kind, name: name, time: now, result: result))
        return result
    }

    // MARK: - Visibility and dismissal

    func show(_ instance: UInt64, _ isVisible: Bool, _ client: Client) -> Reply {
        guard let node = node(instance) else { return .failure(FlowError(.presentableDismissed)) }
        guard mayHandle(client, node) else { return .failure(FlowError(.accessDenied)) }
        node.isVisible = isVisible
        if isVisible { select(node) }
        reportChanges()
        release()
        finish()
        return .success(.done)
    }

    func dismiss(_ instance: UInt64, _ client: Client) -> Reply {
        guard let node = node(instance) else { return .failure(FlowError(.presentableDismissed)) }
        guard mayHandle(client, node) else { return .failure(FlowError(.accessDenied)) }
        var lost: [ModelStep] = []
        remove(node, .dismissed, &lost)
        reportChanges()
        reportLost(lost)
        reportParent(of: node, .dismissed, origin: newOrigin(), cause: 0, client)
        release()
        finish()
        return .success(.done)
    }

    /// Triggers the onDismissed step of a removed child (S-23).
    func reportParent(
        of child: ModelNode, _ reason: DismissalReason, origin: Int, cause: UInt64, _ client: Client,
        error: String = "", isHead: Bool = true
    ) {
        noteEmpty(child.parent, Emptying(origin: origin, cause: cause, client: client, error: error))
        guard let parent = child.parent, let template = child.onDismissed else { return }
        let references = References(
            step: child.arguments, flow: parent.arguments, place: parent, childName: child.name,
            reason: reason.rawValue, error: error)
        trigger(template, references, on: parent, origin: origin, cause: cause, client, isHead: isHead)
    }

    /// Triggers the onResult step of a flow that answered (S-45).
    func answerParent(of child: ModelNode, _ result: Arguments, origin: Int, cause: UInt64, _ client: Client) {
        guard let parent = child.parent, let onResult = child.onResult else { return }
        let references = References(
            step: child.arguments, flow: parent.arguments, place: parent, childName: child.name, result: result,
            asked: onResult.asked)
        trigger(onResult.template, references, on: parent, origin: origin, cause: cause, client, isHead: false)
    }

    private func trigger(
        _ template: StepTemplate, _ references: References, on parent: ModelNode, origin: Int, cause: UInt64,
        _ client: Client, isHead: Bool
    ) {
        var step = ModelStep(
            step: template.step, arguments: [], flow: parent, origin: origin, cause: cause, client: client,
            purpose: .reported)
        do throws(FlowError) {
            step.arguments = try resolve(template.arguments, for: template.step, references)
            trigger(step, isHead: isHead)
        } catch {
            reportFailure(step, .error(error.code))
        }
    }

    // MARK: - Back (S-24)

    // MARK: - Roots (S-2)

    func start() {
        awaitFirstValues()
        for root in definitions.autostart {
            if root.isPerOutput {
                for output in presentOutputs where root.isMeant(output) { startRoot(root, on: output) }
            } else if root.whenOutputGone != .end || outputs.isEmpty || presentOutputs.contains(root.output) {
                start(root, id: root.id, on: root.output)
            }
        }
    }

    /// Starts a root of `autostart`.
    func start(_ root: Autostart, id: String?, on output: String) {
        let request = FlowRequest(
            root.flow, id: id, arguments: root.arguments, step: root.step, stepArguments: root.stepArguments,
            by: .daemon, output: output)
        do throws(FlowError) {
            _ = try begin(request)
        } catch {
            observed.append(.unstarted(path: base + "/" + (id ?? definitions[root.flow].name), error.code))
            finish()
        }
    }

    func coordinate(_ request: FlowRequest) -> Reply {
        once(request.client, request.token, .coordination) {
            do throws(FlowError) {
                return .success(.flow(path: try begin(request).path))
            } catch {
                return .failure(error)
            }
        }
    }

    private func begin(_ request: FlowRequest) throws(FlowError) -> ModelNode {
        let definition = definitions[request.definition]
        guard request.client == .daemon || mayEmit(request.client, request.definition) else {
            throw FlowError(.accessDenied)
        }
        guard isOutput(request.output) else { throw FlowError(.invalidArguments) }
        let arguments = try admit(request.arguments, definition.parameters)
        let step = request.step ?? definition.initial
        guard step != nil || request.stepArguments.isEmpty else { throw FlowError(.invalidArguments) }
        var stepArguments: Arguments = []
        if let step { stepArguments = try admit(request.stepArguments, for: step) }
        if definition.isUnique, let live = roots.first(where: { $0.name == definition.name }) {
            reach(live)
            raise(live, for: request.client, isNew: false)
            reportChanges()
            release()
            finish()
            return live
        }
        let taken = Set(roots.map(\.id))
        if let id = request.id {
            guard Names.isPresentableName(id) else { throw FlowError(.invalidName) }
            guard !taken.contains(id) else { throw FlowError(.idTaken) }
        }
        try reserve(Need(nodes: 1), inTotal: Need(nodes: 1), for: request.client, sparing: nil)
        let origin = step == nil ? 0 : newOrigin()
        let root = make(
            definition.name, id: request.id ?? Self.freeID(definition.name, Set(roots.map(\.id))), below: nil,
            definition: request.definition.index, arguments: arguments, client: request.client, template: nil,
            birth: origin)
        root.output = request.output
        root.initialHasEnded = step == nil
        raise(root, for: request.client, isNew: true)
        reportAdded([root])
        if let step {
            trigger(
                ModelStep(
                    step: step, arguments: stepArguments, flow: root, origin: origin, cause: 0,
                    client: request.client, purpose: .initial))
        }
        giveAll(to: root)
        finish()
        return root
    }

    /// A root moves to another output (S-41).
    func move(_ instance: UInt64, to output: String, _ client: Client) -> Reply {
        guard let root = node(instance) else { return .failure(FlowError(.presentableDismissed)) }
        guard root.isFlow, root.parent == nil else { return .failure(FlowError(.invalidArguments)) }
        guard mayEmit(client, FlowID(root.definition)) else { return .failure(FlowError(.accessDenied)) }
        guard isOutput(output) else { return .failure(FlowError(.invalidArguments)) }
        move(root, to: output, for: client)
        reportChanges()
        release()
        finish()
        return .success(.done)
    }

    /// A client or a rule moves a root, which comes to the front (S-41, S-53).
    func move(_ root: ModelNode, to output: String, for client: Client) {
        let isNew = root.output != output
        root.output = output
        if isNew { root.away = nil }
        raise(root, for: client, isNew: isNew)
    }

    /// A root comes to the front of its output, or behind those in whose way the client may not stand (S-41).
    private func raise(_ root: ModelNode, for client: Client, isNew: Bool) {
        if root.output.isEmpty { return }
        let others = roots.filter { $0.output == root.output && $0 !== root }
        let first = others.firstIndex {
            !(client == .daemon ? isEarlierInFiles($0, than: root) : mayEmit(client, on: $0))
        }
        let above = first.map { Array(others[$0...]) } ?? []
        // Never lowered.
        if !isNew, let lowest = above.first, lowest.order < root.order { return }
        let wanted = (others.dropLast(above.count) + [root] + above).map(\.instance)
        if roots.filter({ $0.output == root.output }).map(\.instance) == wanted { return }
        for node in [root] + above where roots.last !== node {
            roots.removeAll { $0 === node }
            roots.append(node)
            instances += 1
            node.order = instances
        }
    }

    /// Whether the files may put a root above one: it is open to all, or a root that they name before.
    private func isEarlierInFiles(_ lower: ModelNode, than root: ModelNode) -> Bool {
        let definition = definitions.flows[lower.definition]
        if definition.emitters.isEmpty, !definition.ownersMayEmit { return true }
        guard let own = autostart(of: root), let other = autostart(of: lower) else { return false }
        return other < own
    }

    func isOutput(_ name: String) -> Bool { name.utf8.count <= 64 && !name.contains(where: \.isWhitespace) }

    /// The screens in sight of the roots on an output, or of all, in the order of the tree (S-38).
    func stack(on output: String) -> [ModelNode] {
        roots.filter { output.isEmpty || $0.output == output }.flatMap(screensInSight)
    }

    func screensInSight(below node: ModelNode) -> [ModelNode] {
        if !node.isFlow { return isInSight(node) ? [node] : [] }
        let layers = Dictionary(grouping: node.children) { rank(of: $0) }
        return layers.keys.sorted().flatMap { layers[$0, default: []].flatMap(screensInSight) }
    }

    // MARK: - Deep links

    /// To every flow that is live now (S-27).
    func navigate(_ step: StepID, _ arguments: Arguments, _ client: Client) -> Reply {
        do throws(FlowError) {
            let admitted = try admit(arguments, for: step)
            return .success(
                .outcomes(
                    nodes.filter(\.isFlow).map {
                        FlowOutcome(path: $0.path, outcome: link(step, admitted, to: $0, client))
                    }))
        } catch {
            return .failure(error)
        }
    }

    private func link(_ step: StepID, _ arguments: Arguments, to flow: ModelNode, _ client: Client) -> Outcome {
        guard mayEmit(client, on: flow) else { return .refused(FlowError(.accessDenied)) }
        guard flow.isLive else { return .refused(FlowError(.flowEnded)) }
        reach(flow)
        return run(
            ModelStep(
                step: step, arguments: arguments, flow: flow, origin: newOrigin(), cause: 0, client: client,
                purpose: .asked, isDeepLink: true))
    }

    /// Along a path of flows, the newest of each name below the one before (S-28).
    func navigateAlong(_ segments: [PathSegment], _ client: Client, below root: UInt64?) -> Reply {
        guard (1...Limits.waitingStepsPerFlow).contains(segments.count) else {
            return .failure(FlowError(.invalidArguments))
        }
        var outcomes: [FlowOutcome] = []
        var reached = root.flatMap { node($0) }
        if root != nil, reached == nil { return .failure(FlowError(.presentableDismissed)) }
        // An invalid step makes the whole path invalid.
        for segment in segments {
            do throws(FlowError) {
                try check(key: segment)
                if let step = segment.step { _ = try admit(segment.arguments, for: step) }
            } catch {
                return .failure(error)
            }
        }
        for (place, segment) in segments.enumerated() {
            do throws(FlowError) {
                let meant = Meant(segment.flow, true, segment.key.map { ($0.name, $0) })
                let isRoot = place == 0 && reached.map { meant.fits($0) } ?? false
                let flow =
                    if isRoot, let reached { reached } else {
                        try stop(meant, segment.key, after: reached, client, isFirst: reached == nil)
                    }
                var outcome: Outcome?
                if let step = segment.step {
                    outcome = link(step, try admit(segment.arguments, for: step), to: flow, client)
                    guard outcome?.isNavigated == true else { return .failure(FlowError(.pathFailed)) }
                }
                outcomes.append(FlowOutcome(path: flow.path, outcome: outcome))
                reached = flow
            } catch {
                return .failure(FlowError(.pathFailed))
            }
        }
        return .success(.outcomes(outcomes))
    }

    /// Values of a key have to be declared (S-51).
    private func check(key segment: PathSegment) throws(FlowError) {
        if segment.key.isEmpty { return }
        guard let id = definitions.flow(named: segment.flow) else { throw FlowError(.unknownFlow) }
        let flow = definitions[id]
        let parameters = flow.parameters.filter { flow.key.contains($0.name) }.map {
            Parameter($0.name, $0.type, isOptional: true)
        }
        _ = try admit(segment.key, parameters)
    }

    private func stop(
        _ meant: Meant, _ key: Arguments, after flow: ModelNode?, _ client: Client, isFirst: Bool
    ) throws(FlowError) -> ModelNode {
        var candidates: [ModelNode] = []
        if isFirst {
            candidates = roots
        } else if let flow, flow.isLive {
            for child in flow.children { child.visit { candidates.append($0) } }
        }
        candidates.removeAll { !meant.fits($0) }
        if let newest = candidates.max(by: { $0.order < $1.order }) { return newest }
        // A unique root that is live has another key.
        guard isFirst, let definition = definitions.flow(named: meant.name), definitions[definition].isUnique,
            key.isEmpty || !roots.contains(where: { $0.name == meant.name })
        else { throw FlowError(.pathFailed) }
        let root = try begin(FlowRequest(definition, arguments: key, by: client))
        guard root.isLive else { throw FlowError(.pathFailed) }
        return root
    }
}
