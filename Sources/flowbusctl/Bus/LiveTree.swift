import FlowCore
import FlowWire

/// A live flow or screen, as ObjectManager reports it.
@dynamicMemberLookup
struct LiveNode: Equatable {
    let path: NodePath
    private let state: PresentableState

    init?(_ path: String, _ interfaces: Value) {
        guard let path = NodePath(objectPath: path),
            let state = PresentableState(path: path.objectPath, interfaces: interfaces)
        else { return nil }
        self.path = path
        self.state = state
    }

    subscript<Member>(dynamicMember member: KeyPath<PresentableState, Member>) -> Member { state[keyPath: member] }

    /// The child that covers the others.
    var current: NodePath? { state.current.flatMap(NodePath.init(objectPath:)) }
    /// The arguments as an `a{sv}`.
    var arguments: Value { .dictionary(state.arguments.map { ($0.name, $0.value) }) }
}

extension LiveNode: TreeNode {
    var parentPath: NodePath? { path.parent }
}

extension ServiceClient {
    /// Returns all live nodes: parents before children, children in the order in which they were made or last raised (S-1).
    func liveNodes(activates: Bool = true) throws(Failure) -> [LiveNode] {
        let answer = try call(
            ServiceClient.root, BusNames.Interface.objectManager, "GetManagedObjects", activates: activates)
        return (answer.first ?? .dictionary([])).entries.compactMap { LiveNode($0.name, $0.value) }.inTreeOrder
    }

    /// Returns the live nodes at and below a node, or all.
    func liveNodes(below node: NodePath?, activates: Bool = true) throws(Failure) -> [LiveNode] {
        let all = try liveNodes(activates: activates)
        guard let node else { return all }
        let found = all.filter { $0.path.isWithin(node) }
        guard found.isEmpty else { return found }
        let suggestion = Names.suggestion(for: node.text, among: all.map(\.path.text))
        throw Failure(
            .noInput,
            "there is no live flow or screen '\(node.text)'"
                + (suggestion.isEmpty ? "; 'flowbusctl tree' shows those there are" : suggestion))
    }
}
