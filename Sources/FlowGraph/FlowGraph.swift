public import FlowCore

/// A picture of what definition files say: a box for each flow, in it the steps that it has a rule for, and the screens they
/// lead to; edges for the rest.
///
/// ```swift
/// let graph = FlowGraph(loaded.definitions, FlowGraph.Options(root: "main"))
/// print(graph.dot)
/// ```
///
/// The same definitions always give the same text: flows, steps and screens stand in the order of their names.
public struct FlowGraph: Sendable {
    /// What is to be seen.
    public struct Options: Sendable {
        /// A flow's name: it alone, and the flows that it can lead to; nil: all. One that is not defined shows nothing.
        public var root: String?
        /// Whether screens name who is asked to show them.
        public var showsPresenters: Bool
        /// The presentables that are live, to be marked; nil: nothing is known of any.
        public var live: [LiveNode]?

        /// To see this.
        public init(root: String? = nil, showsPresenters: Bool = false, live: [LiveNode]? = nil) {
            self.root = root
            self.showsPresenters = showsPresenters
            self.live = live
        }
    }

    /// A flow.
    struct Box: Equatable {
        var id: String
        var name: String
        /// What holds for all of it, a line each.
        var notes: [String]
        var steps: [Step] = []
        var screens: [Screen] = []
        /// Whether some step ends it and leads nowhere else.
        var hasEnd = false
        /// Whether Back sets off a step, and what the time is after which one is; nil: neither.
        var hasBack = false
        var idle: String?
        var mark = Mark.none
    }

    /// A step that a flow takes.
    struct Step: Equatable {
        var id: String
        var name: String
        /// What it does beside what its edges show, a line each.
        var notes: [String] = []
        /// Whether the flow's guard is asked about it.
        var isGuarded: Bool
        /// Whether the flow has a rule for it; one that others hand to it may have none.
        var hasRule: Bool
    }

    /// A screen in a flow.
    struct Screen: Equatable {
        var id: String
        var name: String
        var notes: [String] = []
        var mark = Mark.none
    }

    /// Whether something is live.
    enum Mark: Equatable {
        case none
        /// So many are, and none of them is presented.
        case live(Int)
        /// So many are, and one of them is presented at least.
        case presented(Int)
    }

    struct Edge: Hashable {
        enum Kind: Hashable {
            /// The flow begins with this step.
            case initial
            /// A root that starts with the daemon.
            case autostart
            /// The step makes a screen or a child flow.
            case opens
            /// The step hands on to another of the same flow.
            case current
            /// The step hands on to one of the parent.
            case parent
            /// The step ends the flow, and the parent gets another.
            case end
            /// The parent gets the step when the child is dismissed.
            case dismissed
            case back
            case idle
        }

        var kind: Kind
        var from: String
        var to: String
        var label = ""
        /// The boxes, where it begins or ends at one as a whole.
        var fromBox: String?
        var toBox: String?
    }

    private(set) var boxes: [Box] = []
    private(set) var edges: [Edge] = []
    /// Whether some root starts with the daemon.
    var hasAutostart: Bool { edges.contains { $0.kind == .autostart } }
    /// Paths of live presentables that are of no defined flow.
    private(set) var strangers: [String] = []

    /// The graph of these definitions.
    public init(_ definitions: Definitions, _ options: Options = Options()) {
        var builder = GraphBuilder(definitions, options)
        builder.build()
        boxes = builder.boxes
        edges = builder.edges
        mark(options.live ?? [], definitions)
    }

    // MARK: Names of nodes in the text

    static let autostartNode = "start"
    static func initialNode(_ box: String) -> String { box + "_begin" }
    static func endNode(_ box: String) -> String { box + "_end" }
    static func backNode(_ box: String) -> String { box + "_back" }
    static func idleNode(_ box: String) -> String { box + "_idle" }

    // MARK: What is live

    private mutating func mark(_ live: [LiveNode], _ definitions: Definitions) {
        var names: [String: String] = [:]
        for node in live where node.isFlow { names[node.path] = node.name }
        for node in live.sorted(by: { $0.path < $1.path }) {
            let flow = node.isFlow ? node.name : names[node.parentPath] ?? ""
            guard let box = boxes.firstIndex(where: { $0.name == flow }) else {
                // It may be defined, and left out of this picture.
                if definitions.flow(named: flow) == nil { strangers.append(node.path) }
                continue
            }
            if node.isFlow {
                boxes[box].mark.add(node)
                continue
            }
            // One that no rule names is there by a navigator.
            let screen = boxes[box].screens.firstIndex { $0.name == node.name } ?? boxes[box].screens.count
            if screen == boxes[box].screens.count {
                boxes[box].screens.append(Screen(id: "\(boxes[box].id)p\(screen + 1)", name: node.name))
            }
            boxes[box].screens[screen].mark.add(node)
        }
    }
}

extension FlowGraph {
    /// A presentable that is live, as the service tells of it.
    public struct LiveNode: Equatable, Sendable {
        /// Its object path.
        public var path: String
        /// The name of the screen or flow.
        public var name: String
        /// Whether it is a flow.
        public var isFlow: Bool
        /// Whether it is presented.
        public var isPresented: Bool

        /// A live presentable.
        public init(path: String, name: String, isFlow: Bool, isPresented: Bool) {
            self.path = path
            self.name = name
            self.isFlow = isFlow
            self.isPresented = isPresented
        }

        /// The path of its parent, if it has one.
        var parentPath: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }
    }
}

extension FlowGraph.Mark {
    fileprivate mutating func add(_ node: FlowGraph.LiveNode) {
        switch self {
        case .none: self = node.isPresented ? .presented(1) : .live(1)
        case .live(let count): self = node.isPresented ? .presented(count + 1) : .live(count + 1)
        case .presented(let count): self = .presented(count + 1)
        }
    }

    /// ` ×2`, where there are several.
    var times: String {
        switch self {
        case .none, .live(1), .presented(1): ""
        case .live(let count), .presented(let count): " ×\(count)"
        }
    }
}
