internal import FlowCore
internal import FlowWire
internal import SdBus

/// Has flows in the service on the bus: it registers them with objects of this program, which the service asks.
///
/// It watches the whole tree. Until it knows that, nothing is asked of the service but to take the registrations, and nothing
/// of its flows: so that those are told of each presentable before anything is said about it.
@MainActor
final class BusHost: Host {
    weak var delegate: (any HostDelegate)?

    /// Held, so that the connection lives as long as flows are on it.
    let bus: NavigationBus
    /// Its objects are at and below this path.
    let path: String
    private var watch: TreeWatch?
    private var number: UInt64 = 0
    private var presenter: ServedObject?
    private var flows: [Flow] = []
    private var isClosed = false
    /// Counts what makes registrations go: the end of the service, or of the connection.
    private var epoch = 0
    private var state = State.opening
    /// Whether the tree was told once.
    private var wasLive = false
    /// Calls that wait until the tree is known.
    private var calls: [() -> Void] = []
    /// Answers about roots, which wait until the tree is known.
    private var roots: [() -> Void] = []
    /// Questions of the service that wait until the tree is known.
    var questions: [() -> Void] = []

    private enum State {
        /// The tree will be known soon, or that there is no service.
        case opening
        case live
        /// There is no service. A call may start it.
        case gone
    }

    /// A flow that is registered.
    private final class Flow {
        var registration: FlowRegistration
        let object: ServedObject
        /// Whether a service ever had it.
        var wasRegistered = false
        /// When it was registered; nil: it is not.
        var epoch: Int?

        init(_ registration: FlowRegistration, _ object: ServedObject) {
            self.registration = registration
            self.object = object
        }
    }

    /// A host on this connection, which may have others.
    init(_ bus: NavigationBus) throws(NavigationError) {
        self.bus = bus
        path = "/org/flowbus/swift/c\(bus.nextCoordinator())"
        presenter = try ServedObject(bus.link, path, [ServedInterfaces.presenter]) { [weak self] member, call, reply in
            self?.takePresenterCall(member, call, reply)
        }
        // Before the tree is read: what is registered again has to be.
        number = bus.link.add(self)
        watch = TreeWatch(bus.link, nil) { [weak self] news in self?.take(news) }
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
        presenter?.end()
        answerRoots()
        (watch, presenter, questions) = (nil, nil, [])
        // Those that were not made yet are refused now.
        askAll()
    }

    // MARK: Registrations

    func register(_ flow: FlowRegistration, _ done: @escaping Done<Void>) {
        if isClosed { return refuse(done) }
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

    private func add(_ flow: FlowRegistration) throws(NavigationError) -> Flow {
        let name = flow.name
        // The service takes it for the same client, who has another object for it now.
        guard !bus.registeredFlows.contains(name) else {
            throw NavigationError(
                .alreadyRegistered,
                "the flow '\(name)' lives in another coordinator of this program; give it another definition")
        }
        // Whether the guard is asked is the registration's to say, and may change.
        let interfaces = [ServedInterfaces.navigator, ServedInterfaces.guard]
        let object = try ServedObject(bus.link, path + "/" + name, interfaces) { [weak self] member, call, reply in
            self?.takeQuestion(about: name, member, call, reply)
        }
        let added = Flow(flow, object)
        flows.append(added)
        bus.registeredFlows.insert(name)
        return added
    }

    private func remove(_ flow: Flow) {
        flow.object.end()
        flows.removeAll { $0 === flow }
        bus.registeredFlows.remove(flow.registration.name)
    }

    /// - Parameter before: what the service has of it, and keeps where it refuses.
    private func send(_ flow: Flow, replacing before: FlowRegistration? = nil, _ done: @escaping Done<Void>) {
        let current = epoch
        flow.epoch = current
        bus.link.register(flow.registration, at: flow.object.path, presenter: path) { [weak self] result in
            switch result {
            case .success: flow.wasRegistered = true
            case .failure(let error): self?.refused(flow, before, error, in: current)
            }
            done(result)
        }
    }

    private func refused(_ flow: Flow, _ before: FlowRegistration?, _ error: NavigationError, in epoch: Int) {
        guard flow.epoch == epoch else { return }
        if error.isOfService, let before {
            flow.registration = before
            return
        }
        flow.epoch = nil
        // What was registered is so again when there is a service; what that refuses, it would refuse again.
        if error.isOfService || !flow.wasRegistered { remove(flow) }
    }

    private func registerAgain() {
        for flow in flows where flow.epoch != epoch {
            send(flow) { [weak self] result in
                guard case .failure(let error) = result, error.isOfService else { return }
                self?.delegate?.forgotten(flow.registration.name)
                self?.notify(error, "the flow '\(flow.registration.name)' is registered no longer")
            }
        }
    }

    // MARK: Calls

    func coordinate(_ definition: String, _ step: StepMessage?, _ done: @escaping Done<NodePath>) {
        ask { [weak self] result in
            guard let self, case .success = result, state != .live, !isClosed else { return done(result) }
            // The call has started the service: its tree is told first.
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

    func navigate(to step: StepMessage, _ done: @escaping Done<[FlowOutcome]>) {
        ask(done) { $0.navigate(to: step, $1) }
    }

    func emit(_ step: StepMessage, on path: NodePath, instance: UInt64, _ done: @escaping Done<Outcome>) {
        // The flow may wait for this very program.
        let emission = Emission(
            step: step, path: path, token: bus.nextToken(), instance: known(instance))
        ask(done) { $0.emit(emission, $1) }
    }

    func setVisible(_ isVisible: Bool, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        let object = path.objectPath(of: known(instance))
        ask(done) { $0.setVisible(isVisible, at: object, $1) }
    }

    func dismiss(_ path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        let object = path.objectPath(of: known(instance))
        ask(done) { $0.dismiss(object, $1) }
    }

    func back(on path: NodePath, instance: UInt64, _ done: @escaping Done<Outcome>) {
        let object = path.objectPath(of: known(instance))
        ask(done) { $0.back(on: object, $1) }
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

    private func take(_ news: TreeWatchEvent) {
        switch news {
        case .live(let nodes): becomeLive(nodes.map(HostNode.init))
        case .added(let node): delegate?.added(HostNode(node))
        case .removed(let path): delegate?.removed(path)
        case .changed(let path, .presented(let isPresented)): delegate?.changed(path, .presented(isPresented))
        case .changed(let path, .ready): delegate?.changed(path, .ready)
        // What flows are not told of.
        case .changed(_, .visible), .changed(_, .current), .changed(_, .owner), .changed(_, .arguments): return
        case .navigated(let navigation): delegate?.didNavigate(navigation)
        case .failed(let failure): delegate?.failed(failure)
        case .serviceGone: becomeGone()
        case .ended(let error):
            becomeGone()
            if let error { notify(error, "the tree can't be watched") }
        }
    }

    private func becomeGone() {
        state = .gone
        // Who asked is gone.
        questions = []
        answerRoots()
        askAll()
    }

    private func notify(_ error: NavigationError, _ what: String) {
        delegate?.failed(
            NavigationFailure(
                path: NodePath(""), step: "", reason: error.code.rawValue, message: "\(what): \(error.message)"))
    }

    private func becomeLive(_ nodes: [HostNode]) {
        if wasLive { delegate?.restarted(nodes) } else { for node in nodes { delegate?.added(node) } }
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

    /// Makes the calls that waited.
    private func askAll() {
        let waiting = calls
        calls = []
        for call in waiting { call() }
    }

    /// Has a question told when its flow is known.
    func whenLive(_ question: @escaping () -> Void) {
        if state == .live { question() } else { questions.append(question) }
    }
}

extension BusHost: LinkListener {
    func linkConnected() {
        state = .opening
        registerAgain()
    }

    func linkLost() { epoch += 1 }

    func serviceWent() { epoch += 1 }

    func serviceCame() {
        // At first the tree is being read already.
        if state == .gone { state = .opening }
        registerAgain()
    }
}

extension HostNode {
    init(_ node: Node) {
        self.init(path: node.path, instance: node.instance, isPresented: node.isPresented, isReady: node.isReady)
    }
}

extension NavigationError {
    /// Whether the service said it, rather than that there was none to say anything.
    var isOfService: Bool {
        ![.disconnected, .noReply, .serviceUnknown].contains(code)
            && !code.rawValue.hasPrefix(BusNames.StandardError.spawnPrefix)
    }
}
