internal import FlowWire

/// Watches the tree without a race: it asks for the signals, waits until the bus has agreed, and reads the tree then.
///
/// The service sends in order, so a change that is told before the tree is in that tree already, and is not told again. A
/// navigation, or a failure, is in no tree: those that come before it are told after it.
@MainActor
final class TreeWatch: LinkListener {
    private let link: BusLink
    /// What is watched; nil: everything.
    private let node: NodePath?
    private let receive: (TreeWatchEvent) -> Void
    private var number: UInt64 = 0
    private var isEnded = false
    /// Rules that the bus has agreed to.
    private var agreedRules: [String] = []
    private var awaitedRules = 0
    /// The connection that the rules are for, counted.
    private var connection = 0
    /// The question for the tree.
    private var question: UInt64?
    private var state = State.opening
    /// Navigations and failures that came before the tree.
    private var early: [TreeWatchEvent] = []

    private enum State {
        /// The tree was not told yet, and will be.
        case opening
        /// It was told, and so is what changes.
        case live
        /// It was told that there is no service; it is read anew when there is.
        case gone
    }

    /// Begins at once.
    ///
    /// - Parameter hear: is told, later, in the order of the wire.
    init(_ link: BusLink, _ node: NodePath?, _ receive: @escaping (TreeWatchEvent) -> Void) {
        self.link = link
        self.node = node
        self.receive = receive
        number = link.add(self)
        subscribe()
    }

    /// Takes the rules back. Nothing is told any more.
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
        // What ends with a slash selects what is below, and not the node itself.
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
                take(result, of: rule)
            }
        }
    }

    private func take(_ result: Result<Void, NavigationError>, of rule: String) {
        switch result {
        case .success:
            // No other rule may be taken back: another watch can have the same.
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
        question = link.call(
            "\(BusNames.root)", BusNames.Interface.objectManager, "GetManagedObjects",
            CallOptions(activates: activates)
        ) { [weak self] result in
            guard let self, !isEnded else { return }
            question = nil
            switch result {
            case .success(let answer):
                let nodes = (try? answer.readValue()).map(Node.all(in:)) ?? []
                state = .live
                receive(.live(nodes.filter { isWatched($0.path) }))
                let waiting = early
                early = []
                for news in waiting where !isEnded { receive(news) }
            case .failure: gone()
            }
        }
    }

    private func forgetQuestion() {
        if let question { link.forget(question) }
        question = nil
    }

    private func gone() {
        state = .gone
        receive(.serviceGone)
    }

    private func isWatched(_ path: NodePath) -> Bool { node.map(path.isWithin) ?? true }

    // MARK: What the link tells

    func linkConnected() { subscribe() }

    func linkLost() {
        // Answers that are under way belong to the connection before.
        connection += 1
        forgetQuestion()
        gone()
    }

    func linkClosed() {
        isEnded = true
        receive(.ended(nil))
    }

    func serviceCame() {
        guard awaitedRules == 0 else { return }
        // What is asked already is answered by whoever has the name by now.
        if question == nil { read(activates: false) }
    }

    func serviceWent() {
        forgetQuestion()
        gone()
    }

    func received(_ signal: ServiceSignal) {
        switch signal {
        case .added(let node): notify(node.path, .added(node))
        case .removed(let path): notify(path, .removed(path))
        case .changed(let path, let changes): for change in changes { notify(path, .changed(path, change)) }
        case .navigated(let navigation): keepOrTell(navigation.flow, .navigated(navigation))
        case .failed(let failure): keepOrTell(failure.path, .failed(failure))
        case .concluded: return
        }
    }

    private func notify(_ path: NodePath, _ news: TreeWatchEvent) {
        if state == .live, !isEnded, isWatched(path) { receive(news) }
    }

    private func keepOrTell(_ path: NodePath, _ news: TreeWatchEvent) {
        guard !isEnded, isWatched(path) else { return }
        if state == .live { receive(news) } else { early.append(news) }
    }
}

/// What a ``TreeWatch`` tells.
enum TreeWatchEvent {
    case live([Node])
    case added(Node)
    case changed(NodePath, Node.Change)
    case removed(NodePath)
    case navigated(HostNavigation)
    case failed(NavigationFailure)
    /// It may be told again where it was told already.
    case serviceGone
    /// Nothing more comes: the connection was closed, or the bus refused.
    case ended(NavigationError?)
}
