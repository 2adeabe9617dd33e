public import FlowCore

/// A graph of definitions: a box for each flow, with the steps that it has rules for and the screens that they lead to,
/// and edges for everything else.
///
/// ```swift
/// let graph = FlowGraph(loaded.definitions, FlowGraph.Options(root: "main"))
/// print(graph.dot)
/// ```
///
/// The same definitions always give the same text: flows, steps and screens are sorted by name.
public struct FlowGraph: Sendable {
    /// The contents of the graph.
    public struct Options: Sendable {
        /// The name of a flow, to show only it and the flows that it can lead to; nil shows all flows, an undefined one
        /// none.
        public var root: String?
        /// Whether screens show their presenters.
        public var showsPresenters: Bool
        /// The live presentables, to be marked; nil marks none.
        public var live: [LivePresentable]?

        /// Creates options.
        public init(root: String? = nil, showsPresenters: Bool = false, live: [LivePresentable]? = nil) {
            self.root = root
            self.showsPresenters = showsPresenters
            self.live = live
        }
    }

    /// A flow.
    struct Box: Equatable {
        var id: String
        var name: String
        /// Notes on the flow, a line each.
        var notes: [String]
        var steps: [Step] = []
        var screens: [Screen] = []
        /// Whether a step ends the flow and leads nowhere else.
        var hasEnd = false
        /// Whether Back triggers a step, and its idle times and other timers; nil if it has none.
        var hasBack = false
        var timers: String?
        var mark = LiveMark.none
    }

    /// A step that a flow takes.
    struct Step: Equatable {
        var id: String
        var name: String
        /// Notes on the step that its edges do not show, a line each.
        var notes: [String] = []
        /// Whether the flow's guard is asked about the step.
        var isGuarded: Bool
        /// Whether the flow has a rule for the step; a step that is only forwarded to the flow may have none.
        var hasRule: Bool
    }

    /// A screen in a flow.
    struct Screen: Equatable {
        var id: String
        var name: String
        var notes: [String] = []
        var mark = LiveMark.none
    }

    /// Marks live presentables.
    enum LiveMark: Equatable {
        case none
        /// The number of live ones, none of them presented.
        case live(Int)
        /// The number of live ones, at least one of them presented.
        case presented(Int)
    }

    struct Edge: Hashable {
        enum Kind: Hashable {
            /// The initial step of the flow.
            case initial
            /// A root that starts with the daemon.
            case autostart
            /// A property or a signal of another service emits the step.
            case stepper
            /// The step adds a screen or a child flow.
            case opens
            /// The step forwards another step to its flow.
            case current
            /// The step forwards another step to the parent.
            case parent
            /// The step ends the flow, and forwards another step to the parent.
            case end
            /// The step is triggered on the parent when the child is dismissed.
            case dismissed
            /// The step is triggered on the parent when the child answers.
            case result
            case back
            case timer
        }

        var kind: Kind
        var from: String
        var to: String
        var label = ""
        /// The box at which the edge begins or ends as a whole.
        var fromBox: String?
        var toBox: String?
    }

    /// A property or a signal that emits steps.
    struct Stepper: Equatable {
        var id: String
        /// The name of the property or signal.
        var name: String
        /// The service.
        var notes: [String]
    }

    private(set) var boxes: [Box] = []
    private(set) var steppers: [Stepper] = []
    private(set) var edges: [Edge] = []
    /// Whether a root starts with the daemon.
    var hasAutostart: Bool { edges.contains { $0.kind == .autostart } }
    /// Paths of live presentables whose flow is not defined.
    private(set) var undefinedPaths: [String] = []

    /// Creates the graph of definitions.
    public init(_ definitions: Definitions, _ options: Options = Options()) {
        var builder = GraphBuilder(definitions, options)
        builder.build()
        boxes = builder.boxes
        steppers = builder.steppers
        edges = builder.edges
        mark(options.live ?? [], definitions)
    }

    // MARK: Names of nodes in the text

    static let autostartNode = "start"
    static func initialNode(_ box: String) -> String { box + "_begin" }
    static func endNode(_ box: String) -> String { box + "_end" }
    static func backNode(_ box: String) -> String { box + "_back" }
    static func timersNode(_ box: String) -> String { box + "_timers" }

    // MARK: Live presentables

    private mutating func mark(_ live: [LivePresentable], _ definitions: Definitions) {
        var names: [String: String] = [:]
        for node in live where node.isFlow { names[node.path] = node.name }
        for node in live.sorted(by: { $0.path < $1.path }) {
            let flow = node.isFlow ? node.name : names[node.parentPath] ?? ""
            guard let box = boxes.firstIndex(where: { $0.name == flow }) else {
                // The flow can be defined, and outside the selection.
                if definitions.flow(named: flow) == nil { undefinedPaths.append(node.path) }
                continue
            }
            if node.isFlow {
                boxes[box].mark.add(node)
                continue
            }
            // A navigator contributed the screen, as no rule does.
            let screen = boxes[box].screens.firstIndex { $0.name == node.name } ?? boxes[box].screens.count
            if screen == boxes[box].screens.count {
                boxes[box].screens.append(Screen(id: "\(boxes[box].id)p\(screen + 1)", name: node.name))
            }
            boxes[box].screens[screen].mark.add(node)
        }
    }
}

extension FlowGraph {
    /// A live presentable of the service.
    public struct LivePresentable: Equatable, Sendable {
        /// Its object path.
        public var path: String
        /// The name of the screen or flow.
        public var name: String
        /// Whether it is a flow.
        public var isFlow: Bool
        /// Whether it is presented.
        public var isPresented: Bool

        /// Creates a live presentable.
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

extension FlowGraph.LiveMark {
    fileprivate mutating func add(_ node: FlowGraph.LivePresentable) {
        switch self {
        case .none: self = node.isPresented ? .presented(1) : .live(1)
        case .live(let count): self = node.isPresented ? .presented(count + 1) : .live(count + 1)
        case .presented(let count): self = .presented(count + 1)
        }
    }

    /// ` ×2` if there are several.
    var times: String {
        switch self {
        case .none, .live(1), .presented(1): ""
        case .live(let count), .presented(let count): " ×\(count)"
        }
    }
}
