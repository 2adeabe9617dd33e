import FlowCore

/// Back (S-24, S-39).
extension Model {
    /// What Back would do.
    enum BackTarget {
        case dismissal(of: ModelNode)
        case step(StepID, at: ModelNode)
        case hidden
        case unhandled

        /// How `PeekBack` reports it.
        func preview(_ definitions: Definitions) -> BackPreview {
            switch self {
            case .dismissal(let child):
                let siblings = child.parent?.children ?? []
                return .dismiss(instance: child.instance, reveals: siblings.dropLast().last?.path ?? "")
            case .step(let step, _): return .step(definitions[step].name)
            case .hidden: return .hidden
            case .unhandled: return .unhandled
            }
        }
    }

    /// What `PeekBack` answers.
    func peekBack(_ instance: UInt64, _ client: Client) -> Result<BackPreview, FlowError> {
        guard let node = node(instance) else { return .failure(FlowError(.presentableDismissed)) }
        do throws(FlowError) {
            return .success(try backTarget(node, client).target.preview(definitions))
        } catch {
            return .failure(error)
        }
    }

    func goBack(_ instance: UInt64, _ client: Client, _ options: BackOptions?) -> Reply {
        once(client, options?.token, .back) {
            guard let node = node(instance) else { return .failure(FlowError(.presentableDismissed)) }
            do throws(FlowError) {
                return try goBack(node, client, options)
            } catch {
                return .failure(error)
            }
        }
    }

    private func goBack(_ node: ModelNode, _ client: Client, _ options: BackOptions?) throws(FlowError) -> Reply {
        let (target, beginning) = try backTarget(node, client)
        if let wanted = options?.goes {
            guard case .dismissal(let child) = target, child.instance == wanted else {
                throw FlowError(.staleInstance)
            }
        }
        switch target {
        case .hidden: return .success(.verdict(.hidden, serial: 0))
        case .unhandled:
            reach(beginning)
            return .success(.verdict(.unhandled, serial: 0))
        case .dismissal(let child):
            reach(beginning)
            return .success(.verdict(.navigated, serial: leave(child, client)))
        case .step(let step, let flow):
            reach(beginning)
            let outcome = run(
                ModelStep(
                    step: step, arguments: [], flow: flow, origin: newOrigin(), cause: 0, client: client,
                    purpose: .asked))
            switch outcome {
            case .navigated(let serial): return .success(.verdict(.navigated, serial: serial))
            case .ignored(let verdict): return .success(.verdict(verdict, serial: 0))
            case .refused(let error): throw error
            }
        }
    }

    /// The flows that Back tries in turn: of a flow, from the innermost one up to it; of a screen, from its flow up to the
    /// root.
    private func backWay(_ node: ModelNode) -> [ModelNode] {
        var way: [ModelNode] = []
        if node.isFlow {
            way = [node]
            while let next = descent(from: way[0]) { way.insert(next, at: 0) }
        } else {
            var flow = node.parent
            while let next = flow {
                way.append(next)
                flow = next.parent
            }
        }
        return way
    }

    /// - Parameter client: nil for one that may go back everywhere.
    func backTarget(
        _ node: ModelNode, _ client: Client?
    ) throws(FlowError) -> (target: BackTarget, beginning: ModelNode) {
        let way = backWay(node)
        if node.isFlow {
            // Down to a flow, all on the way have to permit it, but for what is above and does not.
            for flow in way.reversed() {
                guard mayGoBack(client, on: flow) else { throw FlowError(.accessDenied) }
                for above in uncovering(flow) {
                    let inside = backWay(above)
                    guard inside.allSatisfy({ mayGoBack(client, on: $0) }) else { continue }
                    for place in inside {
                        if let step = onBack(place) { return (.step(step, at: place), place) }
                    }
                }
            }
        }
        for flow in way {
            if !node.isFlow {
                // Up from a screen, those that it comes to.
                guard mayGoBack(client, on: flow) else { throw FlowError(.accessDenied) }
                if !isPresented(node) { return (.hidden, way[0]) }
            }
            let definition = definitions.flows[flow.definition]
            if let step = onBack(flow) { return (.step(step, at: flow), way[0]) }
            if definition.children == .stack, flow.children.count > 1, let child = flow.children.last {
                return (.dismissal(of: child), way[0])
            }
            if definition.children == .layers { return (.unhandled, way[0]) }
        }
        return (.unhandled, way[0])
    }

    private func mayGoBack(_ client: Client?, on flow: ModelNode) -> Bool {
        client.map { mayEmit($0, on: flow) } ?? true
    }

    /// The step for Back that the flow's rules take.
    private func onBack(_ flow: ModelNode) -> StepID? {
        guard let step = definitions.flows[flow.definition].onBack else { return nil }
        let back = ModelStep(
            step: step, arguments: [], flow: flow, origin: 0, cause: 0, client: .daemon, purpose: .asked)
        return alternative(for: back) == nil ? nil : step
    }

    /// The presented children that cover nothing and lie above the current one, the highest first.
    private func uncovering(_ flow: ModelNode) -> [ModelNode] {
        let layers = definitions.flows[flow.definition].layers
        var found: [ModelNode] = []
        for place in layers.indices.reversed() where !layers[place].covers {
            found += flow.children.reversed().filter { $0.isFlow && rank(of: $0) == place && isPresented($0) }
        }
        return found
    }

    /// Returns the flow inside this one that Back goes down to.
    private func descent(from flow: ModelNode) -> ModelNode? {
        let isFree = definitions.flows[flow.definition].children == .free
        let next = isFree ? flow.children.last(where: isPresented) : current(of: flow)
        return next.flatMap { $0.isFlow ? $0 : nil }
    }

    /// Dismisses the child by Back. Returns the serial of that navigation.
    private func leave(_ child: ModelNode, _ client: Client) -> UInt64 {
        guard let flow = child.parent else { return 0 }
        let origin = newOrigin()
        var lost: [ModelStep] = []
        remove(child, .back, &lost)
        reportChanges()
        serial += 1
        let own = serial
        flow.last = (serial, "", [])
        observed.append(
            .did(
                ObservedEffect.NavigationSummary(
                    flow: flow.path, serial: serial, cause: 0, client: client, step: "", arguments: [],
                    parts: [ObservedEffect.ContributionSummary(kind: .back, name: child.name, path: child.path)],
                    isDeepLink: false)))
        reportLost(lost)
        reportParent(of: child, .back, origin: origin, cause: serial, client)
        release()
        finish()
        return own
    }
}
