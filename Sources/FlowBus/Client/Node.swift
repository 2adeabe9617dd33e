public import FlowCore
internal import FlowWire

/// A live flow or screen, as the service tells of it.
public struct Node: Hashable, Sendable {
    /// Where it lives.
    public let path: NodePath
    /// The number of this very one; never used again (S-1).
    public let instance: UInt64
    /// The screen's name, or that of the flow's definition.
    public let name: String
    /// Whether it is a flow; else it is a screen.
    public let isFlow: Bool
    /// How it is to be shown; empty where nothing is said.
    public let style: String
    /// Its arguments, but for those of private steps.
    public internal(set) var arguments: [String: Value]
    /// Whether who shows it says that it is in sight (S-14).
    public internal(set) var isVisible: Bool
    /// Whether it is visible, not covered, and its parent is presented (S-14).
    public internal(set) var isPresented: Bool
    /// Whether a flow is ready (S-26); true for a screen.
    public internal(set) var isReady: Bool
    /// The child that covers the others; nil: none does.
    public internal(set) var current: NodePath?
    /// Unique name of who owns it; empty: nobody.
    public internal(set) var owner: String
    /// Bus name of who is asked to show it; empty: nobody is.
    public let presenter: String

    /// What can change of it.
    public enum Change: Hashable, Sendable {
        /// Who shows it says that it is in sight, or not.
        case visible(Bool)
        /// It is presented now, or no longer.
        case presented(Bool)
        /// A flow has become ready.
        case ready
        /// Another child covers the others; nil: none.
        case current(NodePath?)
        /// Another client owns it; empty: nobody.
        case owner(String)
        /// It has other arguments.
        case arguments([String: Value])
    }

    /// The node with a change, as `TreeEvent.changed` tells it.
    public func with(_ change: Change) -> Node {
        var node = self
        switch change {
        case .visible(let isVisible): node.isVisible = isVisible
        case .presented(let isPresented): node.isPresented = isPresented
        case .ready: node.isReady = true
        case .current(let current): node.current = current
        case .owner(let owner): node.owner = owner
        case .arguments(let arguments): node.arguments = arguments
        }
        return node
    }
}

// MARK: - From the bus

extension NodePath {
    /// The place of an object of the tree; nil for any other object.
    init?(object path: String) {
        guard path.hasPrefix(Self.tree) else { return nil }
        self.init(path)
    }

    /// The path of the object to be called: of this very instance, or of whatever lives here (S-25).
    func objectPath(of instance: UInt64?) -> String { instance.map(InstancePath.path(of:)) ?? objectPath }
}

extension Node {
    /// An object as ObjectManager tells it, by its interfaces, `a{sa{sv}}`; nil for what is no presentable.
    init?(_ path: String, _ interfaces: Value) {
        guard let path = NodePath(object: path),
            let presentable = interfaces["\(BusNames.Interface.presentable)"]
        else { return nil }
        let flow = interfaces["\(BusNames.Interface.flow)"]
        self.init(
            path: path, instance: presentable["Instance"]?.number ?? 0, name: presentable["Name"]?.text ?? "",
            isFlow: flow != nil, style: presentable["Style"]?.text ?? "",
            arguments: presentable["Arguments"]?.dictionary ?? [:], isVisible: presentable["Visible"]?.truth ?? false,
            isPresented: presentable["Presented"]?.truth ?? false, isReady: flow?["Ready"]?.truth ?? true,
            current: (flow?["Current"]?.text).flatMap(NodePath.init(object:)),
            owner: presentable["Owner"]?.text ?? "", presenter: presentable["Presenter"]?.text ?? "")
    }

    /// All nodes of an answer of GetManagedObjects, `a{oa{sa{sv}}}`: parents before children, children in the order in which
    /// they were made.
    static func all(in objects: Value) -> [Node] {
        objects.entries.compactMap { Node($0.name, $0.value) }.inTreeOrder
    }
}

extension Node: TreeNode {
    package var parentPath: NodePath? { path.parent }
}

extension Node.Change {
    /// A property with its new value; nil for one that is not known here.
    init?(_ property: String, _ value: Value) {
        switch property {
        case "Visible": self = .visible(value.truth ?? false)
        case "Presented": self = .presented(value.truth ?? false)
        case "Ready":
            // It never becomes unready.
            guard value.truth == true else { return nil }
            self = .ready
        case "Current": self = .current(value.text.flatMap(NodePath.init(object:)))
        case "Owner": self = .owner(value.text ?? "")
        case "Arguments": self = .arguments(value.dictionary)
        default: return nil
        }
    }
}

extension Value {
    /// An `a{sv}` by its names; of one that stands twice the first.
    var dictionary: [String: Value] { Dictionary(entries.map { ($0.name, $0.value) }) { one, _ in one } }
}

extension Arguments {
    /// By their names; of one that stands twice the first.
    var dictionary: [String: Value] { Dictionary(map { ($0.name, $0.value) }) { one, _ in one } }

    /// Arguments in the order of their names.
    init(_ dictionary: [String: Value]) {
        self = dictionary.sorted { $0.key < $1.key }.map { Argument($0.key, $0.value) }
    }
}
