public import FlowBus
internal import FlowCore
internal import FlowWire

/// A live flow or screen in the tree of the service.
public struct Node: Hashable, Sendable {
    /// The path.
    public let path: NodePath
    /// The instance number, never used again (S-1).
    public let instance: UInt64
    /// The name of the screen, or of the flow's definition.
    public let name: String
    /// Whether it is a flow rather than a screen.
    public let isFlow: Bool
    /// The style, a hint how to show it; empty if there is none.
    public let style: String
    /// The arguments, without those of private steps.
    public internal(set) var arguments: [String: DBusValue]
    /// Whether it is visible, as the program that shows it reports (S-14).
    public internal(set) var isVisible: Bool
    /// Whether it is presented: visible, not covered, in a presented parent (S-14).
    public internal(set) var isPresented: Bool
    /// Whether the flow is ready (S-26); true for a screen.
    public internal(set) var isReady: Bool
    /// The child that covers the others; nil if none does.
    public internal(set) var current: NodePath?
    /// The unique bus name of the owner; empty if there is none.
    public internal(set) var owner: String
    /// The bus name of the presenter; empty if there is none.
    public let presenter: String
    /// The title that the owner of the screen has set, for task switchers; empty if there is none.
    public internal(set) var title: String

    /// A change of a node.
    public enum Change: Hashable, Sendable {
        /// The visibility changed.
        case visible(Bool)
        /// The node is presented now, or no longer.
        case presented(Bool)
        /// The flow became ready.
        case ready
        /// Another child is current; nil if none is.
        case current(NodePath?)
        /// The owner changed; empty if there is none.
        case owner(String)
        /// The arguments changed.
        case arguments([String: DBusValue])
        /// The title changed; empty if there is none.
        case title(String)
    }

    /// Returns the node with a change applied.
    ///
    /// - Parameter change: a change, for instance of ``TreeEvent/changed(_:_:)``.
    /// - Returns: The changed node.
    public func applying(_ change: Change) -> Node {
        var node = self
        switch change {
        case .visible(let isVisible): node.isVisible = isVisible
        case .presented(let isPresented): node.isPresented = isPresented
        case .ready: node.isReady = true
        case .current(let current): node.current = current
        case .owner(let owner): node.owner = owner
        case .arguments(let arguments): node.arguments = arguments
        case .title(let title): node.title = title
        }
        return node
    }
}

// MARK: - From the bus

extension NodePath {
    /// The path of an object of the tree; nil for any other object.
    init?(object path: String) {
        guard path.hasPrefix(Self.tree) else { return nil }
        self.init(path)
    }

    /// The object path for a call: of an instance, or of any instance at the path (S-25).
    func objectPath(of instance: UInt64?) -> String { instance.map(InstancePath.path(of:)) ?? objectPath }
}

extension Node {
    /// A node from an object and its interfaces as ObjectManager reports them, `a{sa{sv}}`; nil for an object that is
    /// no presentable.
    init?(_ path: String, _ interfaces: Value) {
        guard let path = NodePath(object: path),
            let state = PresentableState(path: path.objectPath, interfaces: interfaces)
        else { return nil }
        self.init(
            path: path, instance: state.instance, name: state.name, isFlow: state.isFlow, style: state.style,
            arguments: state.arguments.dictionary, isVisible: state.isVisible, isPresented: state.isPresented,
            isReady: state.isReady, current: state.current.flatMap(NodePath.init(object:)), owner: state.owner,
            presenter: state.presenter, title: state.title)
    }

    /// All nodes in a reply of GetManagedObjects, `a{oa{sa{sv}}}`: parents before children, children in the order in
    /// which they were made or last raised.
    static func all(in objects: Value) -> [Node] {
        objects.entries.compactMap { Node($0.name, $0.value) }.inTreeOrder
    }
}

extension Node: TreeNode {
    package var parentPath: NodePath? { path.parent }
}

extension Node.Change {
    /// A change from a property and its new value; nil for a property that never changes.
    init?(_ entry: PropertyList.Entry) {
        switch (entry.property, entry.value) {
        case (.visible, .flag(let isVisible)): self = .visible(isVisible)
        case (.presented, .flag(let isPresented)): self = .presented(isPresented)
        // A ready flow stays ready.
        case (.ready, .flag(true)): self = .ready
        case (.current, .path(let path)): self = .current(path.flatMap(NodePath.init(object:)))
        case (.owner, .text(let owner)): self = .owner(owner)
        case (.arguments, .arguments(let arguments)): self = .arguments(arguments.dictionary)
        case (.title, .text(let title)): self = .title(title)
        default: return nil
        }
    }
}

extension Value {
    /// The entries of an `a{sv}` by name; of duplicates, the first.
    var dictionary: [String: DBusValue] {
        Dictionary(entries.compactMap { entry in DBusValue(entry.value).map { (entry.name, $0) } }) { one, _ in one }
    }
}
