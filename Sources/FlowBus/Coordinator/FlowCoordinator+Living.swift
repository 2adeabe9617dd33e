// What lives: how it begins, what is heard of it, how it ends.

extension FlowCoordinator {
    /// A root has its place.
    func begin(_ root: Root, at path: NodePath) {
        awaitedRoots.removeAll { $0 === root }
        roots[path] = root
        begin(root.child, at: path)
    }

    /// A flow or screen has its place.
    func begin(_ child: Child, at path: NodePath) {
        let node = LiveNode(child, at: path, instance: live[path]?.instance ?? 0)
        if let before = nodes[path] { forget(before) }
        keep(node)
        if let flow = node.flow {
            Readiness.of(flow).reset()
            if live[path]?.isReady == true { Readiness.of(flow).becomeReady() }
        }
        // First what is shown: a step is taken as the gate stands when it is emitted.
        node.follow { [weak self, weak node] change in
            if let node { self?.take(change, of: node) }
        }
        emitInitialSteps(of: node)
        node.subscribeToSteps { [weak self, weak node] step in
            if let node { self?.emit(step, on: node) }
        }
        node.stepper.readyToEmitSteps()
    }

    private func take(_ change: Presence.Change, of node: LiveNode) {
        node.unheard = nil
        node.changeCount += 1
        let count = node.changeCount
        let done: Done<Void> = { [weak self, weak node] result in
            guard case .failure(let error) = result, let self, let node, nodes[node.path] === node else { return }
            // Unless it has said something else since.
            if !error.isOfService, node.changeCount == count { node.unheard = change }
            // It is gone, or will be: what failed because of that is no failure.
            if error.code != .unknownObject { notify(error, at: node.path) }
        }
        switch change {
        case .visible(let isVisible): host.setVisible(isVisible, at: node.path, instance: node.instance, done)
        case .dismissed:
            node.isDismissed = true
            host.dismiss(node.path, instance: node.instance, done)
        }
    }

    /// Emits what a stepper emitted; nobody waits for the outcome.
    private func emit(_ step: any Step, on node: LiveNode) {
        if step is NoneStep { return }
        do throws(NavigationError) {
            let message = try encode(step)
            host.emit(message, on: node.path, instance: node.instance) { [weak self] result in
                switch result {
                case .success(let outcome):
                    if outcome.isNavigated || outcome.verdict == .deferred { return }
                    self?.failed.send(
                        NavigationFailure(
                            path: node.path, step: message.name, reason: outcome.verdict.rawValue,
                            message:
                                "step '\(message.name)' emitted on '\(node.path)' was not taken: \(outcome.verdict)"))
                case .failure(let error): self?.notify(error, at: node.path, step: message.name)
                }
            }
        } catch {
            notify(error, at: node.path, step: String(describing: step))
        }
    }

    /// Emits what a stepper begins with, after the first, which the host has; it waits as that would have (S-16).
    private func emitInitialSteps(of node: LiveNode) {
        guard node.allowsStepWhenNotPresented || live[node.path]?.isPresented == true else { return }
        let steps = node.initialSteps
        node.initialSteps = []
        for step in steps { emit(step, on: node) }
    }
}

// MARK: - What the host tells

extension FlowCoordinator {
    func added(_ node: HostNode) { live[node.path] = node }

    func changed(_ path: NodePath, _ change: HostChange) {
        switch change {
        case .presented(let isPresented):
            live[path]?.isPresented = isPresented
            if isPresented, let node = nodes[path] { emitInitialSteps(of: node) }
        case .ready:
            live[path]?.isReady = true
            // That is told before the navigation that contributed its children: who waits finds them in their places.
            if let node = nodes[path], contributed[path] == nil { becomeReady(node) }
        }
    }

    private func becomeReady(_ node: LiveNode) {
        if let flow = node.flow, live[node.path]?.isReady == true { Readiness.of(flow).becomeReady() }
    }

    func removed(_ path: NodePath) {
        live[path] = nil
        contributed[path] = nil
        roots[path] = nil
        if let node = nodes[path] { end(node) }
    }

    /// It is gone here. Where the same object lives in another place, too, that is not closed.
    private func end(_ node: LiveNode, isWithdrawn: Bool = true) {
        forget(node)
        if places[ObjectIdentifier(node.presentable)] != nil { return }
        if let flow = node.flow { Readiness.of(flow).reset() }
        if isWithdrawn, !node.isDismissed { node.presentable.withdraw() }
    }

    private func keep(_ node: LiveNode) {
        nodes[node.path] = node
        places[ObjectIdentifier(node.presentable), default: []].append(node)
    }

    private func forget(_ node: LiveNode) {
        node.end()
        nodes[node.path] = nil
        let object = ObjectIdentifier(node.presentable)
        places[object]?.removeAll { $0 === node }
        if places[object]?.isEmpty == true { places[object] = nil }
    }

    /// Ends all that lives here, children before parents.
    func endAll() {
        let left = nodes.values.sorted { $0.instance > $1.instance }
        (live, awaitedRoots, roots, contributed) = ([:], [], [:], [:])
        for node in left where nodes[node.path] === node { end(node) }
        kinds = [:]
        let requests = requestedRoots
        requestedRoots = []
        for request in requests { request.done(.failure(NavigationError(.flowEnded, "the coordinator has ended"))) }
    }

    func present(_ presentation: Presentation, instance: UInt64) -> Bool {
        guard let node = nodes[presentation.path], node.instance == instance else { return false }
        node.presentable.present(presentation)
        return true
    }

    func didNavigate(_ navigation: HostNavigation) {
        guard let node = nodes[navigation.flow], let flow = node.flow else { return }
        let step = navigation.step.flatMap { message in
            kinds[node.definition].flatMap { kind in node.navigatedStep(message, of: kind) }
        }
        navigations.send(
            Navigation(
                flow: flow, step: step, path: navigation.flow, serial: navigation.serial, cause: navigation.cause,
                sender: navigation.sender, contributions: navigation.contributions,
                adaptedFrom: navigation.adaptedFrom, isDeepLink: navigation.isDeepLink))
        // Back is no answer of the flow.
        guard navigation.step != nil, let children = contributed.removeValue(forKey: navigation.flow) else { return }
        let places = navigation.contributions.filter { $0.kind == "screen" || $0.kind == "flow" }
        for (child, place) in zip(children, places) {
            // What it set off may have dismissed it by now.
            if let child, let path = place.path, live[path] != nil { begin(child, at: path) }
        }
        becomeReady(node)
    }

    func failed(_ failure: NavigationFailure) {
        // That of no place concerns all flows here.
        let node = nodes[failure.path]
        guard node != nil || failure.path.text.isEmpty else { return }
        failed.send(failure)
        if let node { becomeReady(node) }
    }

    func forgotten(_ definition: String) { kinds[definition]?.isKnown = false }

    func restarted(_ live: [HostNode]) {
        self.live = Dictionary(live.map { ($0.path, $0) }) { one, _ in one }
        let all = nodes.values.sorted { $0.instance < $1.instance }
        let (gone, left) = (all.filter { !isLive($0) }, all.filter(isLive))
        let lost = gone.compactMap { roots[$0.path] }
        // Children before parents, as where something is dismissed.
        for node in gone.reversed() where nodes[node.path] === node {
            let beginsAnew = roots[node.path] != nil
            (contributed[node.path], roots[node.path]) = (nil, nil)
            // A root that begins anew is not closed: it would not be there to begin.
            end(node, isWithdrawn: !beginsAnew)
        }
        for node in left where nodes[node.path] === node { catchUp(node) }
        for root in lost {
            let again = Root(Child(root.flow, root.child.stepper), root.flow)
            coordinate(again) { [weak self] result in
                if case .failure(let error) = result { self?.notify(error, at: NodePath(root.definition)) }
            }
        }
    }

    private func isLive(_ node: LiveNode) -> Bool { live[node.path]?.instance == node.instance }

    /// What was missed of one that lives on, on either side.
    private func catchUp(_ node: LiveNode) {
        if let change = node.unheard { take(change, of: node) }
        becomeReady(node)
        emitInitialSteps(of: node)
    }
}
