package import FlowCore

// The life of flows and screens: how they begin, what they report, and how they end.

extension FlowCoordinator {
    /// Begins a root, once its path is known.
    func begin(_ root: Root, at path: NodePath) {
        awaitedRoots.removeAll { $0 === root }
        roots[path] = root
        begin(root.child, at: path)
    }

    /// Begins a flow or screen, once its path is known.
    func begin(_ child: ContributedChild, at path: NodePath) { begin(child, at: path, live.place(at: path)) }

    private func begin(
        _ child: ContributedChild, at path: NodePath, _ place: LivePlace, after origin: consuming ChildOrigin? = nil
    ) {
        let definition = child.flow.map { hostName(of: type(of: $0)) }
        let node = HostedNode(child, at: path, instance: place.report?.instance ?? 0, definition: definition ?? "")
        node.origin = origin
        add(node, at: place)
        if let flow = node.flow {
            FlowReadiness.of(flow).reset()
            if place.report?.isReady == true { FlowReadiness.of(flow).markReady() }
        } else {
            bindProperties(of: node)
        }
        // The node is kept until it ends, and its subscriptions with it. Visibility goes first: the gate checks a step at the moment
        // when it is emitted.
        node.coordinator = self
        node.observePresence(Receiver { change in node.coordinator?.report(change, of: node) })
        emitInitialSteps(of: node)
        node.subscribeToSteps { step in node.coordinator?.emit(step, on: node) }
        node.stepper.readyToEmitSteps()
    }

    /// Binds what a screen saves and asks, which few do.
    private func bindProperties(of node: HostedNode) {
        let properties = SavedProperties(of: node.presentable)
        if !properties.isEmpty { node.reports = reports(of: node, properties) }
        if !ScreenAsks.finder.properties(of: node.presentable).isEmpty { node.asks = asks(of: node) }
    }

    private func report(_ change: Presence.Change, of node: HostedNode) {
        if case .visible(let isVisible) = change { node.isHidden = !isVisible }
        reports(of: node)?.report(change)
    }

    /// What a node reports, which is made when it has something to report.
    private func reports(of node: HostedNode) -> PresenceReports? {
        if let reports = node.reports { return reports }
        if node.isEnded { return nil }
        let reports = reports(of: node, SavedProperties())
        node.reports = reports
        if node.isOwned { reports.becomeOwner() }
        return reports
    }

    private func reports(of node: HostedNode, _ properties: SavedProperties) -> PresenceReports {
        let (path, instance) = (node.path, node.instance)
        let calls = PresenceReports.Calls(
            setVisible: { [weak host] in host?.setVisible($0, at: path, instance: instance, $1) },
            dismiss: { [weak host] in host?.dismiss(path, instance: instance, $0) },
            setTitle: { [weak host] in host?.setTitle($0, at: path, instance: instance, $1) },
            save: { [weak host] in host?.saveState($0, at: path, instance: instance, $1) },
            finish: { [weak host, weak node] answer, done in
                guard let host else { return }
                do throws(NavigationError) {
                    let message = try host.message(of: answer, node?.onResult)
                    host.finish(path, with: message, instance: instance, done)
                } catch {
                    done(.failure(error))
                }
            })
        return PresenceReports(properties, calls) { [weak self] error in self?.notify(error, at: path) }
    }

    private func asks(of node: HostedNode) -> ScreenAsks {
        let (path, instance) = (node.path, node.instance)
        let calls = ScreenAsks.Calls { [weak self] step throws(NavigationError) in
            guard let self else { throw NavigationError(.flowEnded, "the coordinator has ended") }
            return try encode(step)
        } ask: { [weak host] in
            host?.ask($0, token: $1, on: path, instance: instance, $2)
        } acknowledge: { [weak host] in
            host?.acknowledge($0, of: path, instance: instance, $1)
        }
        let asks = ScreenAsks(calls) { [weak self] error in self?.notify(error, at: path) }
        if let reports = node.reports { asks.whenSaved = { [weak reports] in reports?.whenSaved($0) } }
        asks.bind(node.presentable)
        return asks
    }

    /// Emits a step of a stepper. No caller waits for the outcome.
    private func emit(_ step: any Step, on node: HostedNode) {
        if step.isNone { return }
        do throws(NavigationError) {
            let message = try encode(step)
            if isGated(node) { return node.ended(message.name, .success(StepOutcome(verdict: .hidden, serial: 0))) }
            node.reports?.sendBeforeStep()
            host.emit(message, token: nil, on: node.path, instance: node.instance) { node.ended(message.name, $0) }
        } catch {
            notify(error, at: node.path, step: String(describing: step))
        }
    }

    /// Whether a root drops a step because it is hidden, and the host does not see to that.
    func isGated(_ node: HostedNode) -> Bool {
        node.isHidden && !host.gatesRoots && node.path.parent == nil && !node.allowsStepWhenNotPresented
    }

    /// Emits the further initial steps of a stepper; the host has the first. They wait until the presentable is
    /// presented (S-16).
    private func emitInitialSteps(of node: HostedNode) {
        if node.initialSteps.isEmpty { return }
        guard node.allowsStepWhenNotPresented || report(at: node.path)?.isPresented == true else { return }
        let steps = node.initialSteps
        node.initialSteps = []
        for step in steps { emit(step, on: node) }
    }
}

// MARK: - Reports of the host

extension FlowCoordinator {
    /// What the host has reported of a presentable.
    func report(at path: NodePath) -> HostNode? { live[path]?.report }

    /// The flow or screen at a path, if its object is in this coordinator.
    func node(at path: NodePath) -> HostedNode? { live[path]?.node }

    /// All flows and screens whose objects are in this coordinator, the oldest first.
    private var nodes: [HostedNode] { live.values.compactMap(\.node).sorted { $0.instance < $1.instance } }

    package func added(_ node: consuming HostNode) {
        startingRoots.forget(node.path)
        live.place(at: node.path).report = node
    }

    /// The flow has taken a step, failed to, or takes its time: whoever started it need not wait any more.
    func endStart(of path: NodePath) { startingRoots.decide(path)?(.success(path)) }

    package var isStartingRoots: Bool { !startingRoots.isEmpty }

    package func serviceLost(_ error: NavigationError) {
        for done in startingRoots.takeAll() { done(.failure(error)) }
    }

    package func changed(_ path: NodePath, _ change: HostChange) {
        switch change {
        case .presented(let isPresented):
            let place = live[path]
            place?.report?.isPresented = isPresented
            if isPresented, let node = place?.node { emitInitialSteps(of: node) }
        case .ready:
            let place = live[path]
            place?.report?.isReady = true
            // The host reports this before the navigation that contributed the children. Blocks that wait for the flow
            // need the children in place.
            if let node = place?.node, node.contributed == nil { markReady(node) }
            startingRoots.decide(ready: path)?(.success(path))
        }
    }

    private func markReady(_ node: HostedNode) {
        if node.readiness?.isReady == true { return }
        guard let flow = node.flow else { return }
        let readiness = node.readiness ?? FlowReadiness.of(flow)
        node.readiness = readiness
        if !readiness.isReady, report(at: node.path)?.isReady == true { readiness.markReady() }
    }

    package func removed(_ path: NodePath) {
        let place = live[path]
        place?.report = nil
        if !origins.isEmpty { origins[path] = nil }
        roots[path] = nil
        if let node = place?.node { end(node) } else { live[path] = nil }
        endStart(of: path)
    }

    /// Ends a node. A presentable that is live at another path, too, or that another live flow stands for, is not withdrawn.
    private func end(_ node: HostedNode, isWithdrawn: Bool = true) {
        remove(node)
        if places[ObjectIdentifier(node.presentable)] != nil { return }
        if let flow = node.flow { FlowReadiness.of(flow).reset() }
        guard isWithdrawn, node.reports?.isDismissed != true, !LiveRoots.contains(node.presentable) else { return }
        node.presentable.withdraw()
    }

    private func add(_ node: HostedNode, at place: LivePlace) {
        if let root = node.root { LiveRoots.add(root) }
        let before = place.node
        place.node = node
        if let before { remove(before) }
        let object = ObjectIdentifier(node.presentable)
        if let before = places.updateValue(NodesOfObject(node), forKey: object) { places[object] = before.adding(node) }
    }

    private func remove(_ node: HostedNode) {
        if let root = node.root { LiveRoots.remove(root) }
        if let place = node.place { (place.node, place.kind, node.place) = (nil, nil, nil) }
        node.end()
        if let place = live[node.path], place.node === node {
            place.node = nil
            if place.report == nil { live[node.path] = nil }
        }
        let object = ObjectIdentifier(node.presentable)
        places[object] = places[object]?.removing(node)
        if asked === node { asked = nil }
    }

    /// Ends all flows and screens, children before parents.
    func endAll() {
        let left = nodes.reversed()
        forgetReports()
        (origins, awaitedRoots, roots) = ([:], [], [:])
        for node in left where self.node(at: node.path) === node { end(node) }
        (kinds, screenTypes, flowNames, screenNames) = ([:], [:], [:], [:])
        let requests = requestedRoots
        requestedRoots = []
        let ended = NavigationError(.flowEnded, "the coordinator has ended")
        for request in requests { request.done(.failure(ended)) }
        for done in startingRoots.takeAll() { done(.failure(ended)) }
    }

    package func present(_ presentation: Presentation, instance: UInt64, known: ScreenReport?) -> ScreenReport? {
        guard let node = node(at: presentation.path, instance: instance) else { return nil }
        if let reports = node.reports { reports.restore(Arguments(presentation.state)) }
        if let known, let reports = reports(of: node) {
            return reports.answer(known) { node.presentable.present(presentation) }
        }
        node.presentable.present(presentation)
        return ScreenReport()
    }

    private func node(at path: NodePath, instance: UInt64) -> HostedNode? {
        node(at: path).flatMap { $0.instance == instance ? $0 : nil }
    }

    package func presented(_ path: NodePath, instance: UInt64, _ answers: [AskMessage]) {
        guard let node = node(at: path, instance: instance) else { return }
        node.isOwned = true
        node.reports?.becomeOwner()
        node.asks?.take(answers)
        node.asks?.becomeOwner()
    }

    package func answered(instance: UInt64, _ answer: AskMessage) {
        nodes.first { $0.instance == instance }?.asks?.take([answer])
    }

    package func didNavigate(_ navigation: HostNavigation) {
        defer { if navigation.step != nil { endStart(of: navigation.flow) } }
        let node = asked?.path == navigation.flow ? asked : node(at: navigation.flow)
        guard let node, let flow = node.flow else { return }
        // No closures of the standard library: they would ask each time whether they run on the actor.
        let step: (any Step)?
        if let taken = navigation.step?.step {
            step = taken
        } else if let message = navigation.step, let kind = kinds[node.definition] {
            step = node.navigatedStep(message, of: kind)
        } else {
            step = nil
        }
        // Going back contributes nothing.
        let applied = navigation.step == nil ? nil : node.takeContributed()
        let isApplied = applied != nil
        var contributions = navigation.contributions
        if let applied {
            if applied.leadingSteps > 0 { contributions = Array(contributions.dropFirst(applied.leadingSteps)) }
            begin(applied, contributions, navigation, step)
        }
        logged.append(NavigationLog.Entry(navigation, contributions))
        navigations.send(
            FlowNavigation(
                flow: flow, step: step, path: navigation.flow, serial: navigation.serial, cause: navigation.cause,
                sender: navigation.sender, contributions: contributions,
                adaptedFrom: navigation.adaptedFrom, isDeepLink: navigation.isDeepLink))
        if isApplied { markReady(node) }
    }

    /// Begins the children of a navigation.
    private func begin(
        _ applied: Contributed, _ contributions: [AppliedContributor], _ navigation: HostNavigation, _ step: (any Step)?
    ) {
        var next = 0
        for (index, named) in applied.children.enumerated() {
            begin(named, at: applied.places?[index] ?? index, contributions, &next, navigation, step)
        }
    }

    /// Begins a child of a navigation.
    ///
    /// - Parameters:
    ///   - named: the child.
    ///   - place: its place in what the flow contributed.
    ///   - contributions: what was contributed.
    ///   - next: the place there of what may be the child.
    ///   - navigation: the navigation.
    ///   - step: its step.
    private func begin(
        _ named: NamedChild, at place: Int, _ contributions: [AppliedContributor], _ next: inout Int,
        _ navigation: HostNavigation, _ step: (any Step)?
    ) {
        while next < contributions.count, !contributions[next].kind.isChild { next += 1 }
        // A child that the same list has removed is not reported.
        guard next < contributions.count, contributions[next].name == named.name else { return }
        let (contribution, child) = (contributions[next], named.child)
        next += 1
        // A later navigation may have dismissed the child already.
        guard let path = contribution.path, let new = live[path], new.report != nil else {
            if contribution.kind == .reuse, let child { discard(child) }
            return
        }
        if contribution.kind == .reuse {
            if let child { reuse(new.node, for: child) }
            return
        }
        var origin: ChildOrigin?
        if !host.keepsTree, let step, let name = navigation.step?.name {
            let led = ChildOrigin(step: step, stepName: name, serial: navigation.serial, place: place)
            if child == nil { origins[path] = led }
            if !restorations.isEmpty { noteRestored(path, navigation.step, led) }
            origin = led
        }
        if let child { begin(child, at: path, new, after: origin) }
    }

    /// Uses a live child instead of one that was contributed: its object stays, and takes the initial steps.
    private func reuse(_ node: HostedNode?, for child: ContributedChild) {
        if let node {
            node.onResult = child.onResult
            // The host has the first.
            node.initialSteps += child.initialSteps.dropFirst()
            emitInitialSteps(of: node)
            if node.presentable === child.presentable { return }
        }
        discard(child)
    }

    /// Withdraws an object that was contributed and is not used: its flow may have shown it already.
    private func discard(_ child: ContributedChild) {
        guard places[ObjectIdentifier(child.presentable)] == nil, !LiveRoots.contains(child.presentable) else { return }
        child.presentable.withdraw()
    }

    package func failed(_ failure: NavigationFailure) {
        defer { endStart(of: failure.path) }
        // A failure without a path concerns all flows of this coordinator.
        let node = node(at: failure.path)
        guard node != nil || failure.path.text.isEmpty else { return }
        report(failure)
        if let node { markReady(node) }
    }

    package func registrationLost(_ definition: String) { kinds[definition]?.isRegistered = false }

    package func serviceRestarted(_ live: [HostNode]) {
        let all = nodes
        forgetReports()
        for node in live {
            let place = self.live.place(at: node.path)
            if place.report == nil { place.report = node }
        }
        let (gone, left) = (all.filter { !isLive($0) }, all.filter(isLive))
        let lost = gone.compactMap { node in roots[node.path].map { ($0, startingRoots.decide(node.path)) } }
        // Children before parents, as in a dismissal.
        for node in gone.reversed() where self.node(at: node.path) === node {
            let beginsAnew = roots[node.path] != nil
            roots[node.path] = nil
            // A root that starts again is not withdrawn: the same object is shown again.
            end(node, isWithdrawn: !beginsAnew)
        }
        for node in left where self.node(at: node.path) === node { catchUp(node) }
        for (path, done) in startingRoots.restart(self.live) { done(.success(path)) }
        for (root, done) in lost {
            let child = ContributedChild(
                root.flow, root.child.stepper, allowsStepWhenNotPresented: root.child.allowsStepWhenNotPresented)
            let again = Root(child, root.flow, root.definition)
            coordinate(again) { [weak self] result in
                if let done { return done(result) }
                if case .failure(let error) = result { self?.notify(error, at: NodePath(root.definition)) }
            }
        }
    }

    private func isLive(_ node: HostedNode) -> Bool { report(at: node.path)?.instance == node.instance }

    /// Nothing is known as live any more.
    private func forgetReports() {
        for place in live.values { place.report = nil }
        live = live.filter { $0.value.node != nil }
    }

    /// Brings a node and the service in step again after a restart.
    private func catchUp(_ node: HostedNode) {
        node.reports?.catchUp()
        markReady(node)
        emitInitialSteps(of: node)
    }
}
