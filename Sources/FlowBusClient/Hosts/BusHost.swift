internal import FlowBus
internal import FlowCore
internal import FlowWire
internal import SdBus

/// A host whose flows are part of the tree of the service: it registers them, with objects of this program that the
/// service calls.
///
/// It watches the whole tree. Until the tree is known, it only registers flows, and queues other calls and the
/// questions of the service: so the delegate learns of each presentable before anything else about it.
@FlowActor
final class BusHost: Host {
    weak var delegate: (any HostDelegate)?

    /// The connection, which lives as long as flows use it.
    let bus: NavigationBus
    /// The path below which its objects are.
    let path: String
    private var watch: TreeWatch?
    private var number: UInt64 = 0
    private var flows: [RegisteredFlow] = []
    let declaredNamespace: BusNamespace
    /// The namespace, which stays the same once a name has it.
    var usedNamespace: String?
    private var isClosed = false
    /// Counts the losses of the service and of the connection, which end all registrations.
    private var epoch = 0
    private var state = State.opening
    /// Whether the tree was reported before.
    private var wasLive = false
    /// Calls that wait until the tree is known.
    private var calls: [() -> Void] = []
    /// Answers to calls that start roots, which wait until the tree is known.
    private var roots: [() -> Void] = []
    /// Questions of the service that wait until the tree is known.
    var questions: [() -> Void] = []

    private enum State {
        /// Waiting for the tree, or for the report that there is no service.
        case opening
        case live
        /// There is no service. A call can start it.
        case gone
    }

    /// A registered flow.
    private final class RegisteredFlow {
        var registration: FlowRegistration
        let object: ServedObject
        /// Whether a service ever accepted it.
        var wasRegistered = false
        /// The epoch in which it was registered; nil if it is not registered.
        var epoch: Int?

        init(_ registration: FlowRegistration, _ object: ServedObject) {
            self.registration = registration
            self.object = object
        }
    }

    /// Creates a host on a connection, which can have several.
    init(_ bus: NavigationBus, _ namespace: BusNamespace) throws(NavigationError) {
        if case .named(let name) = namespace, let problem = BusNamespace.problem(name) {
            throw NavigationError(.invalidName, "the namespace of the coordinator is '\(problem)")
        }
        self.bus = bus
        declaredNamespace = namespace
        path = "/org/flowbus/swift/c\(bus.nextCoordinator())"
        try bus.presenter.add(self)
        // Listens before the watch does: flows are registered again before the tree is read.
        number = bus.link.add(self)
        watch = TreeWatch(bus.link, nil) { [weak self] event in self?.handle(event) }
    }

    isolated deinit { close() }

    func close() {
        if isClosed { return }
        isClosed = true
        watch?.end()
        bus.link.remove(number)
        for flow in flows where flow.epoch == epoch {
            bus.link.unregister(flow.registration.name) { _ in }
        }
        for flow in flows { remove(flow) }
        bus.presenter.remove(self)
        answerRoots()
        (watch, questions) = (nil, [])
        // Refuses the queued calls, and those that wait for an answer.
        askAll()
        bus.link.questions.callAll()
    }

    // MARK: Registrations

    func register(_ flow: FlowRegistration, _ done: @escaping Done<Void>) {
        if isClosed { return refuse(done) }
        guard flow.children != .layers else {
            let text =
                "the flow '\(flow.name)' has layers, which only a coordinator in one process gives it; on the bus, define the flow "
                + "in a definition file, with children = \"layers\""
            return bus.link.mainLoop.enqueue { done(.failure(NavigationError(.notSupported, text))) }
        }
        if let known = flows.first(where: { $0.registration.name == flow.name }) {
            if known.registration == flow, known.epoch == epoch {
                return bus.link.mainLoop.enqueue { done(.success(())) }
            }
            let before = known.epoch == epoch ? known.registration : nil
            known.registration = flow
            return send(known, replacing: before, done)
        }
        do throws(NavigationError) {
            let added = try add(flow)
            send(added, done)
        } catch {
            bus.link.mainLoop.enqueue { done(.failure(error)) }
        }
    }

    private func add(_ flow: FlowRegistration) throws(NavigationError) -> RegisteredFlow {
        let name = flow.name
        // The service would accept it: the client is the same, and the new object would replace the other one.
        guard !bus.registeredFlows.contains(name) else {
            throw NavigationError(
                .alreadyRegistered,
                "the flow '\(name)' lives in another coordinator of this program; give it another definition")
        }
        // The registration says whether the guard is called, and can change.
        let interfaces = [ServedInterfaces.navigator, ServedInterfaces.guard]
        let object = try ServedObject(bus.link, path + "/" + name, interfaces) { [weak self] member, call, reply in
            self?.takeQuestion(about: name, member, call, reply)
        }
        let added = RegisteredFlow(flow, object)
        flows.append(added)
        bus.registeredFlows.insert(name)
        return added
    }

    private func remove(_ flow: RegisteredFlow) {
        flow.object.end()
        flows.removeAll { $0 === flow }
        bus.registeredFlows.remove(flow.registration.name)
    }

    /// Registers a flow with the service.
    ///
    /// - Parameters:
    ///   - flow: the flow.
    ///   - before: the registration that stays in effect if the service refuses the new one.
    ///   - done: receives the result.
    private func send(_ flow: RegisteredFlow, replacing before: FlowRegistration? = nil, _ done: @escaping Done<Void>) {
        let current = epoch
        flow.epoch = current
        bus.link.register(flow.registration, at: flow.object.path, presenter: SharedPresenter.path) {
            [weak self] result in
            switch result {
            case .success: flow.wasRegistered = true
            case .failure(let error): self?.refused(flow, before, error, in: current)
            }
            done(
                result.mapError { error in
                    guard error.code == .alreadyRegistered else { return error }
                    // Most names are those of types, which programs choose without knowing each other.
                    return NavigationError(
                        error.code, error.message + "; give the coordinator a 'namespace' that no other program has")
                })
        }
    }

    private func refused(_ flow: RegisteredFlow, _ before: FlowRegistration?, _ error: NavigationError, in epoch: Int) {
        guard flow.epoch == epoch else { return }
        if error.isFromService, let before {
            flow.registration = before
            return
        }
        flow.epoch = nil
        // A flow that a service accepted is registered again with the next one. One that a service refused would be
        // refused again.
        if error.isFromService || !flow.wasRegistered { remove(flow) }
    }

    private func registerAgain() {
        for flow in flows where flow.epoch != epoch {
            send(flow) { [weak self] result in
                guard case .failure(let error) = result, error.isFromService else { return }
                self?.delegate?.registrationLost(flow.registration.name)
                self?.notify(error, "the flow '\(flow.registration.name)' is registered no longer")
            }
        }
    }

    // MARK: Calls

    /// The service takes the steps of a root that its own program has started (S-15).
    var gatesRoots: Bool { false }

    func coordinate(
        _ definition: String, _ step: StepMessage?, allowsStepWhenNotPresented: Bool, _ done: @escaping Done<NodePath>
    ) {
        ask { [weak self] result in
            guard let self, case .success = result, state != .live, !isClosed else { return done(result) }
            // The call has started the service, whose tree is reported first.
            roots.append { [weak self] in
                done(
                    self?.state == .live
                        ? result
                        : .failure(NavigationError(.noReply, "the service went away before its tree was known")))
            }
        } _: {
            $0.coordinate(RootRequest(definition: definition, step: step), $1)
        }
    }

    var clock: HostClock { .continuous }

    var keepsTree: Bool { true }

    func whenSettled(_ call: @escaping @FlowActor () -> Void) { call() }

    func navigate(to step: StepMessage, _ done: @escaping Done<[FlowBus.FlowOutcome]>) {
        ask(done) { $0.navigate(to: step, $1) }
    }

    func navigate(
        along path: [HostSegment], timeout: UInt64, _ done: @escaping Done<[FlowBus.FlowOutcome]>
    ) {
        ask(done) { $0.navigate(along: path, timeout: timeout, $1) }
    }

    func emit(
        _ step: StepMessage, token: String?, on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>
    ) {
        // The flow may be waiting for this program.
        let emission = Emission(
            step: step, path: path, token: bus.nextToken(token), instance: known(instance))
        ask(done) { $0.emit(emission, $1) }
    }

    func cancelStep(_ token: String, on path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        let object = path.objectPath(of: known(instance))
        ask(done) { $0.cancelStep(token, on: object, $1) }
    }

    func ask(_ step: StepMessage, on path: NodePath, instance: UInt64, _ done: @escaping Done<AskMessage>) {
        let emission = Emission(step: step, path: path, token: bus.nextToken(), instance: known(instance))
        ask(done) { $0.ask(emission, $1) }
    }

    func ask(
        _ step: StepMessage, token: String, on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>
    ) {
        var emission = Emission(step: step, path: path, token: token, instance: known(instance))
        (emission.asks, emission.waits) = (true, false)
        ask(done) { [emission] in $0.emit(emission, $1) }
    }

    func acknowledge(_ token: String, of path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        let object = path.objectPath(of: known(instance))
        ask(done) { $0.acknowledge(token, of: object, $1) }
    }

    func setVisible(_ isVisible: Bool, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        let object = path.objectPath(of: known(instance))
        ask(done) { $0.setVisible(isVisible, at: object, $1) }
    }

    func dismiss(_ path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        let object = path.objectPath(of: known(instance))
        ask(done) { $0.dismiss(object, $1) }
    }

    func setTitle(_ title: String, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        let object = path.objectPath(of: known(instance))
        ask(done) { $0.setTitle(title, at: object, $1) }
    }

    func saveState(_ state: Arguments, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        let object = path.objectPath(of: known(instance))
        ask(done) { $0.saveState(state, at: object, $1) }
    }

    func finish(_ path: NodePath, with result: Arguments, instance: UInt64, _ done: @escaping Done<Void>) {
        let object = path.objectPath(of: known(instance))
        ask(done) { $0.finish(object, result, $1) }
    }

    func back(on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>) {
        back(on: path, instance: instance, endedCount: nil, done)
    }

    /// - Parameter endedCount: the number of questions that had ended when the call was refused before; nil if it was not.
    private func back(
        on path: NodePath, instance: UInt64, endedCount: UInt64?, _ done: @escaping Done<StepOutcome>
    ) {
        let object = path.objectPath(of: known(instance))
        let questions = bus.link.questions
        ask { [weak self] (result: Result<StepOutcome, NavigationError>) in
            // The service asked before it refused, so that question is known here. If it was not answered, but dropped, the flow waits
            // until the time limit.
            guard self != nil, case .failure(let error) = result, error.code == .wouldDeadlock,
                questions.areOpen(at: path) || questions.endedCount != endedCount
            else { return done(result) }
            questions.whenAnswered(at: path) { [weak self] in
                guard let self else { return done(result) }
                back(on: path, instance: instance, endedCount: questions.endedCount, done)
            }
        } _: {
            $0.back(on: object, $1)
        }
    }

    private func known(_ instance: UInt64) -> UInt64? { instance == 0 ? nil : instance }

    private func ask<Success>(
        _ done: @escaping Done<Success>, _ call: @escaping (BusLink, @escaping Done<Success>) -> Void
    ) {
        if isClosed { return refuse(done) }
        let link = bus.link
        switch state {
        case .opening:
            calls.append { [weak self] in
                if let self, isClosed { refuse(done) } else { call(link, done) }
            }
        case .live, .gone: call(link, done)
        }
    }

    private func refuse<Success>(_ done: @escaping Done<Success>) {
        bus.link.mainLoop.enqueue { done(.failure(NavigationError(.flowEnded, "the coordinator has ended"))) }
    }

    // MARK: The tree

    private func handle(_ event: TreeWatchEvent) {
        switch event {
        case .snapshot(let nodes): applySnapshot(nodes.map(HostNode.init))
        case .added(let node): delegate?.added(HostNode(node))
        case .removed(let path): delegate?.removed(path)
        case .changed(let path, .presented(let isPresented)): delegate?.changed(path, .presented(isPresented))
        case .changed(let path, .ready): delegate?.changed(path, .ready)
        // Flows do not observe these.
        case .changed(_, .visible), .changed(_, .current), .changed(_, .owner), .changed(_, .arguments),
            .changed(_, .title):
            return
        case .navigated(let navigation): delegate?.didNavigate(navigation)
        case .failed(let failure): delegate?.failed(failure)
        case .serviceGone: handleServiceGone()
        case .ended(let error):
            handleServiceGone()
            if let error { notify(error, "the tree can't be watched") }
        }
    }

    private func handleServiceGone() {
        state = .gone
        // The service that asked is gone.
        questions = []
        answerRoots()
        askAll()
    }

    private func notify(_ error: NavigationError, _ what: String) {
        delegate?.failed(
            NavigationFailure(
                path: NodePath(""), step: "", NavigationError(error.code, "\(what): \(error.message)")))
    }

    private func applySnapshot(_ nodes: [HostNode]) {
        if wasLive { delegate?.serviceRestarted(nodes) } else { for node in nodes { delegate?.added(node) } }
        wasLive = true
        state = .live
        answerRoots()
        askAll()
        let waiting = questions
        questions = []
        for question in waiting where !isClosed { question() }
    }

    private func answerRoots() {
        let waiting = roots
        roots = []
        for answer in waiting { answer() }
    }

    /// Makes the queued calls.
    private func askAll() {
        let waiting = calls
        calls = []
        for call in waiting { call() }
    }

    /// Whether the tree is known.
    var isLive: Bool { state == .live }

    /// Delivers a call to present once all is known that the service knew when it made the call. It calls before it reports what led to
    /// that (S-10), and the objects of this program begin with the reports: they are there when the next call is answered.
    func afterReports(_ deliver: @escaping () -> Void) {
        guard state == .live else { return afterSnapshot(deliver) }
        let root = "\(BusNames.root)"
        bus.link.call(root, BusNames.Interface.coordinator, "GetSerial", CallFlags(activates: false)) { result in
            // A service that is gone waits for no answer.
            if case .success = result { deliver() }
        }
    }

    /// Delivers a question once the tree, and with it the flow, is known.
    func afterSnapshot(_ question: @escaping () -> Void) {
        if state == .live { question() } else { questions.append(question) }
    }
}

extension BusHost: LinkListener {
    func linkConnected() {
        state = .opening
        registerAgain()
    }

    func received(_ signal: ServiceSignal) {
        guard case .answered(let object, let answer) = signal, let instance = InstancePath.instance(at: object) else {
            return
        }
        delegate?.answered(instance: instance, answer)
    }

    func linkLost() {
        epoch += 1
        lose(NavigationError(.disconnected, "the connection to the bus was lost before the initial step had run"))
    }

    func linkClosed() {
        lose(NavigationError(.disconnected, "the connection was closed before the initial step had run"))
    }

    func serviceDisappeared() {
        epoch += 1
        // Whoever asked does not wait for an answer any more.
        bus.link.questions.callAll()
        if delegate?.isStartingRoots == true { callNext() }
    }

    /// Starts the next service, if nobody has done so, for the callers that wait for initial steps.
    private func callNext() {
        let lost = epoch
        bus.link.call("\(BusNames.root)", "org.freedesktop.DBus.Peer", "Ping") { [weak self] result in
            // That one is gone, too, and the next was called.
            guard let self, epoch == lost, case .failure = result else { return }
            lose(NavigationError(.noReply, "the service went away before the initial step had run"))
        }
    }

    private func lose(_ error: NavigationError) {
        delegate?.serviceLost(error)
        bus.link.questions.callAll()
    }

    func serviceAppeared() {
        // After the first connection, the tree is being read already.
        if state == .gone { state = .opening }
        registerAgain()
    }
}

extension HostNode {
    init(_ node: Node) {
        self.init(
            path: node.path, instance: node.instance, name: node.name, isFlow: node.isFlow,
            isPresented: node.isPresented, isReady: node.isReady)
    }
}
