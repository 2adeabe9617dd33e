import FlowWire
import Platform
import SdBus

/// `tree --watch`: a tree, and again whenever it changes.
///
/// It asks for the signals first, and reads the tree then: so no change is missed. The signals only say that something
/// changed; what it is, is read whole. One navigation sends several, and a tree between them is none that ever was.
struct TreeWatch {
    private let navigation: Navigation
    private let output: Output
    private let node: NodePath?
    private let printer: TreePrinter
    private var shown: [LiveNode]?

    init(_ navigation: Navigation, _ output: Output, _ node: NodePath?, showsArguments: Bool) {
        self.navigation = navigation
        self.output = output
        self.node = node
        printer = TreePrinter(navigation, output, showsArguments: showsArguments)
    }

    /// Runs until it is interrupted, or the bus is lost.
    func run() throws(Failure) -> Never {
        var watch = self
        try watch.subscribe()
        // The first call may start the service, and says what is wrong with the node.
        try watch.show(navigation.liveNodes(below: node))
        while true {
            guard let signal = try navigation.next() else { continue }
            var owner = signal.newOwner
            // What has come by now is contained in what is read next.
            while let more = try navigation.next(within: 0) { owner = more.newOwner ?? owner }
            if owner == "" {
                output.note("the service is gone; waiting until it is there again")
                continue
            }
            try watch.update()
        }
    }

    private func subscribe() throws(Failure) {
        try navigation.subscribeToOwner()
        let signals = "type='signal',sender='\(BusNames.service)',"
        let path = node?.objectPath ?? "\(BusNames.tree)"
        try navigation.subscribe(signals + "path_namespace='\(path)'")
        let manager = signals + "interface='\(BusNames.Interface.objectManager)',path='\(BusNames.root)',"
        try navigation.subscribe(manager + "arg0path='\(path)/'")
        if node != nil { try navigation.subscribe(manager + "arg0path='\(path)'") }
    }

    private mutating func update() throws(Failure) {
        do throws(Failure) {
            try show(
                navigation.liveNodes(activates: false).filter { node in self.node.map(node.path.isWithin) ?? true })
        } catch  where error.status == .unavailable && navigation.bus.isOpen {
            // It went while it was asked; who comes next is told by NameOwnerChanged.
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

    /// The lines in place of what the terminal shows, as many as fit; ECMA-48: cursor to the first place, erase.
    private func screen(_ lines: [String]) -> String {
        let rows = Terminal.size?.rows ?? 24
        var fitting = lines
        if lines.count >= rows {
            let count = max(rows - 2, 0)
            fitting = lines.prefix(count) + ["(\(lines.count - count) more; the window is too small)"]
        }
        // Lines don't wrap, or the next tree would begin in the wrong place.
        return "\u{1B}[H\u{1B}[2J\u{1B}[?7l" + fitting.map { $0 + "\n" }.joined() + "\u{1B}[?7h"
    }
}
