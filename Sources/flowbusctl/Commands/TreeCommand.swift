import ArgumentParser
import FlowCore
import FlowWire
import SdBus

/// `tree`
struct TreeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Show the live flows and screens, or a node and everything below it.",
        discussion: """
            Each line shows the id of a node, whether it is a flow or a screen, and its state:

            - presented: It is visible, no sibling covers it, and its parent is presented.
            - visible: It is visible, but not presented.
            - hidden: It is not visible.
            - current: It covers its siblings.
            - not ready: Its initial step, or a flow which that step contributed, is not ready yet.
            - evicted: It was evicted while it was out of sight, and has no process until it is in sight again.
            - N unanswered: So many of its asks have no answer yet, or one that no owner has acknowledged.

            The style, the title and the owner follow: the owner's unique bus name and, if known, the presenter's name or the process.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(
        help: ArgumentHelp("Show this node only, and everything below it.", valueName: "node"),
        completion: Completion.nodes)
    var node: String?

    @Flag(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Keep running, and show the tree again after each change.",
            discussion: """
                A terminal shows it in place; otherwise an empty line precedes each tree. If the service restarts, the command waits \
                for it.
                """))
    var watch = false

    @Flag(name: .shortAndLong, help: "Show the arguments of each node.")
    var arguments = false

    @Flag(
        help: ArgumentHelp(
            "Show the timers of each flow: the next step, and the time that is left.",
            discussion: "A timer that does nothing at the moment, as its flow is covered, is left out."))
    var timers = false

    func validate() throws {
        // It would have to be read again each second.
        if watch, timers { throw ValidationError("--watch and --timers exclude each other: give one.") }
    }

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let target = try self.node.map { text throws(Failure) in try Target(text) }
        let client = try context.connect()
        let node = try target.map { target throws(Failure) in try client.place(of: target) }
        if watch {
            try TreeFollower(client, context.output, node, showsArguments: arguments).run()
        } else {
            let tree = try client.liveNodes(below: node)
            let running = try timers ? client.runningTimers() : nil
            try TreePrinter(client, context.output, showsArguments: arguments, timers: running).print(tree)
        }
        return .success
    }
}

/// Prints trees.
struct TreePrinter {
    let client: ServiceClient
    let output: Output
    let showsArguments: Bool
    /// Those of each flow; nil if they are not shown.
    let timers: [NodePath: [TimerText]]?

    init(
        _ client: ServiceClient, _ output: Output, showsArguments: Bool, timers: [NodePath: [TimerText]]? = nil
    ) {
        self.client = client
        self.output = output
        self.showsArguments = showsArguments
        self.timers = timers
    }

    /// Returns a line for each node.
    func lines(_ nodes: [LiveNode]) -> [String] {
        TreeText(
            output: output, showsArguments: showsArguments, owners: owners(of: nodes), evicted: evicted(nodes),
            asks: asks(of: nodes), timers: timers ?? [:]
        )
        .lines(nodes)
    }

    /// Returns a JSON object for each node.
    func objects(_ nodes: [LiveNode]) -> [JSON] {
        let names = owners(of: nodes)
        let currents = Set(nodes.compactMap(\.current))
        let evicted = evicted(nodes)
        let asks = asks(of: nodes)
        return nodes.map { node in
            node.json(
                isCurrent: currents.contains(node.path), ownerName: names[node.owner],
                isEvicted: evicted.contains(node.path), asks: asks[node.path] ?? 0,
                timers: timers.map { $0[node.path] ?? [] })
        }
    }

    /// Prints one tree.
    func print(_ nodes: [LiveNode]) throws(Failure) {
        if output.isJSON {
            for object in objects(nodes) { try output.line(object) }
        } else {
            for line in lines(nodes) { try output.line(line) }
        }
    }

    /// Returns the screens that are evicted. Snapshots don't have that, so the service is asked about those that can be.
    private func evicted(_ nodes: [LiveNode]) -> Set<NodePath> {
        let candidates = nodes.filter { !$0.presenter.isEmpty && $0.owner.isEmpty && !$0.isVisible }
        return Set(candidates.lazy.filter { value(of: .evicted, at: $0)?.truth ?? false }.map(\.path))
    }

    /// Returns how many asks are open or not acknowledged. Only a presentable that had an owner has any.
    private func asks(of nodes: [LiveNode]) -> [NodePath: UInt64] {
        var counts: [NodePath: UInt64] = [:]
        for node in nodes where !node.presenter.isEmpty || !node.owner.isEmpty {
            if let count = value(of: .asks, at: node)?.number, count > 0 { counts[node.path] = count }
        }
        return counts
    }

    /// The value of a property that no snapshot has.
    private func value(of property: NodeProperty, at node: LiveNode) -> Value? {
        let answer = try? client.call(
            InstancePath.path(of: node.instance), BusNames.Interface.properties, "Get",
            [.string("\(BusNames.Interface.presentable)"), .string("\(property.description.name)")])
        return answer?.first
    }

    /// Returns the names of owners: the presenter's bus name if the owner has it, otherwise the process.
    private func owners(of nodes: [LiveNode]) -> [String: String] {
        var names: [String: String] = [:]
        for node in nodes where !node.owner.isEmpty && names[node.owner] == nil {
            names[node.owner] = client.name(ofOwner: node.owner, presenter: node.presenter)
        }
        return names
    }
}

extension ServiceClient {
    /// The timers whose time runs, by their flows.
    fileprivate func runningTimers() throws(Failure) -> [NodePath: [TimerText]] {
        let all = try coordinator("GetTimers").first?.elements ?? []
        return Dictionary(grouping: all.compactMap(TimerText.init), by: \.flow)
    }
}
