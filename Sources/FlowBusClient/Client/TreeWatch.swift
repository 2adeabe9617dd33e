internal import FlowBus
internal import FlowWire

/// Watches the tree without a race: it subscribes to the signals, waits until the bus has confirmed the match rules,
/// and then reads the tree.
///
/// The service sends messages in order, so a change that arrives before the tree is already part of it, and is not
/// reported again. Navigations and failures are not part of the tree; those that arrive before it are reported after
/// it.
@FlowActor
final class TreeWatch: LinkListener {
    private let link: BusLink
    /// The root of the watched subtree; nil for everything.
    private let node: NodePath?
    private let receive: (TreeWatchEvent) -> Void
    private var number: UInt64 = 0
    private var isEnded = false
    /// Match rules that the bus has confirmed.
    private var agreedRules: [String] = []
    private var awaitedRules = 0
    /// The number of the connection that the rules are for.
    private var connection = 0
    /// The number of the call that reads the tree.
    private var snapshotCall: UInt64?
    private var state = State.opening
    /// Navigations and failures that arrived before the tree.
    private var early: [TreeWatchEvent] = []

    private enum State {
        /// The tree was not reported yet, and will be.
        case opening
        /// The tree was reported, and changes are.
        case live
        /// The absence of the service was reported; the tree is read again when there is one.
        case gone
    }

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - link: the connection.
    ///   - node: the root of the subtree; nil for everything.
    ///   - receive: receives the events, after this initializer has returned, in the order of the wire.
    init(_ link: BusLink, _ node: NodePath?, _ receive: @escaping (TreeWatchEvent) -> Void) {
        self.link = link
        self.node = node
        self.receive = receive
        number = link.add(self)
        subscribe()
    }

    /// Removes the match rules. No further event is reported.
    func end() {
        if isEnded { return }
        isEnded = true
        link.remove(number)
        forgetQuestion()
        if link.bus != nil { for rule in agreedRules { link.removeMatch(rule) } }
    }

    private var rules: [String] {
        let tree = "\(BusNames.tree)"
        let path = node?.objectPath ?? tree
        let signals = "type='signal',sender='\(BusNames.service)',"
        let manager = signals + "interface='\(BusNames.Interface.objectManager)',path='\(BusNames.root)',"
        let rules = [signals + "path_namespace='\(path)'", manager + "arg0path='\(path)/'"]
        // A path that ends with a slash matches the objects below the node, and not the node itself.
        return node == nil ? rules : rules + [manager + "arg0path='\(path)'"]
    }

    private func subscribe() {
        connection += 1
        let current = connection
        forgetQuestion()
        agreedRules = []
        awaitedRules = rules.count
        for rule in rules {
            link.addMatch(rule) { [self] result in
                guard connection == current else { return }
                ruleAdded(result, rule)
            }
        }
    }

    private func ruleAdded(_ result: Result<Void, NavigationError>, _ rule: String) {
        switch result {
        case .success:
            // Another watch can have the same rule; this removes one of the two.
            if isEnded { return link.removeMatch(rule) }
            agreedRules.append(rule)
            awaitedRules -= 1
            if awaitedRules == 0 { read(activates: true) }
        case .failure(let error) where error.code == .disconnected: return
        case .failure(let error): if !isEnded { refused(error) }
        }
    }

    private func refused(_ error: NavigationError) {
        end()
        receive(.ended(error))
    }

    private func read(activates: Bool) {
        forgetQuestion()
        snapshotCall = link.call(
            "\(BusNames.root)", BusNames.Interface.objectManager, "GetManagedObjects",
            CallFlags(activates: activates)
        ) { [weak self] result in
            guard let self, !isEnded else { return }
            snapshotCall = nil
            switch result {
            case .success(let answer):
                let nodes = (try? answer.readValue()).map(Node.all(in:)) ?? []
                state = .live
                receive(.snapshot(nodes.filter { isWatched($0.path) }))
                let waiting = early
                early = []
                for event in waiting where !isEnded { receive(event) }
            case .failure: reportServiceGone()
            }
        }
    }

    /// Reports the tree again. What changes until then is part of it, and not reported.
    func readAgain() {
        guard state == .live, !isEnded, awaitedRules == 0, snapshotCall == nil else { return }
        state = .opening
        read(activates: false)
    }

    private func forgetQuestion() {
        if let snapshotCall { link.forget(snapshotCall) }
        snapshotCall = nil
    }

    private func reportServiceGone() {
        state = .gone
        receive(.serviceGone)
    }

    private func isWatched(_ path: NodePath) -> Bool { node.map(path.isWithin) ?? true }

    // MARK: LinkListener

    func linkConnected() { subscribe() }

    func linkLost() {
        // Calls under way belong to the previous connection.
        connection += 1
        forgetQuestion()
        reportServiceGone()
    }

    func linkClosed() {
        isEnded = true
        receive(.ended(nil))
    }

    func serviceAppeared() {
        guard awaitedRules == 0 else { return }
        // A call under way is answered by the current owner of the name.
        if snapshotCall == nil { read(activates: false) }
    }

    func serviceDisappeared() {
        forgetQuestion()
        reportServiceGone()
    }

    func received(_ signal: ServiceSignal) {
        switch signal {
        case .added(let node): notify(node.path, .added(node))
        case .removed(let path): notify(path, .removed(path))
        case .changed(let path, let changes): for change in changes { notify(path, .changed(path, change)) }
        case .navigated(let navigation): receiveOrBuffer(navigation.flow, .navigated(navigation))
        case .failed(let failure): receiveOrBuffer(failure.path, .failed(failure))
        case .concluded, .answered, .contextChanged, .sight: return
        }
    }

    private func notify(_ path: NodePath, _ event: TreeWatchEvent) {
        if state == .live, !isEnded, isWatched(path) { receive(event) }
    }

    private func receiveOrBuffer(_ path: NodePath, _ event: TreeWatchEvent) {
        guard !isEnded, isWatched(path) else { return }
        if state == .live { receive(event) } else { early.append(event) }
    }
}

/// An event of a ``TreeWatch``.
enum TreeWatchEvent {
    case snapshot([Node])
    case added(Node)
    case changed(NodePath, Node.Change)
    case removed(NodePath)
    case navigated(HostNavigation)
    case failed(NavigationFailure)
    /// Can be reported more than once.
    case serviceGone
    /// No further event follows: the connection was closed, or the bus refused.
    case ended(NavigationError?)
}
