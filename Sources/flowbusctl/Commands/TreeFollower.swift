import FlowWire
import Platform
import SdBus

/// Prints a tree, and prints it again whenever it changes: `tree --watch`.
///
/// It subscribes to the signals before it reads the tree, so no change is missed. A signal only causes the whole tree
/// to be read again. One navigation sends several signals, and a tree between them never existed in the service.
struct TreeFollower {
    private let client: ServiceClient
    private let output: Output
    private let node: NodePath?
    private let printer: TreePrinter
    private var shown: [LiveNode]?

    init(_ client: ServiceClient, _ output: Output, _ node: NodePath?, showsArguments: Bool) {
        self.client = client
        self.output = output
        self.node = node
        printer = TreePrinter(client, output, showsArguments: showsArguments)
    }

    /// Runs until it is interrupted, or the bus is lost.
    func run() throws(Failure) -> Never {
        var watch = self
        try watch.subscribe()
        // The first call can start the service, and reports errors of the node.
        try watch.show(client.liveNodes(below: node))
        while true {
            guard let signal = try client.next() else { continue }
            var owner = signal.newOwner
            // The next tree contains all changes that have been signaled by now.
            while let more = try client.next(within: 0) { owner = more.newOwner ?? owner }
            if owner == "" {
                output.note("the service is gone; waiting for its restart")
                continue
            }
            try watch.update()
        }
    }

    private func subscribe() throws(Failure) {
        try client.subscribeToOwner()
        let signals = "type='signal',sender='\(BusNames.service)',"
        let path = node?.objectPath ?? "\(BusNames.tree)"
        try client.subscribe(signals + "path_namespace='\(path)'")
        let manager = signals + "interface='\(BusNames.Interface.objectManager)',path='\(BusNames.root)',"
        try client.subscribe(manager + "arg0path='\(path)/'")
        if node != nil { try client.subscribe(manager + "arg0path='\(path)'") }
    }

    private mutating func update() throws(Failure) {
        do throws(Failure) {
            try show(
                client.liveNodes(activates: false).filter { node in self.node.map(node.path.isWithin) ?? true })
        } catch  where error.status == .unavailable && client.isConnected {
            // The service ended during the call; NameOwnerChanged reports the next one.
            return
        }
    }

    private mutating func show(_ nodes: [LiveNode]) throws(Failure) {
        guard shown != nodes else { return }
        defer { shown = nodes }
        if output.isJSON {
            let time = JSON.number(Int128(RealtimeClock.now))
            return try output.line(.object([("time", time), ("nodes", .array(printer.objects(nodes)))]))
        }
        let lines = nodes.isEmpty ? ["(nothing is live)"] : printer.lines(nodes)
        guard output.isTerminal else {
            return try output.write((shown == nil ? "" : "\n") + lines.map { $0 + "\n" }.joined())
        }
        try output.write(screen(lines))
    }

    /// Returns the lines, preceded by the sequences that clear the terminal, as many as fit (ECMA-48: cursor to the
    /// first position, erase).
    private func screen(_ lines: [String]) -> String {
        let rows = Terminal.size?.rows ?? 24
        var fitting = lines
        if lines.count >= rows {
            let count = max(rows - 2, 0)
            fitting = lines.prefix(count) + ["(\(lines.count - count) more; the window is too small)"]
        }
        // Lines must not wrap, as the next tree would begin in the wrong place.
        return "\u{1B}[H\u{1B}[2J\u{1B}[?7l" + fitting.map { $0 + "\n" }.joined() + "\u{1B}[?7h"
    }
}
