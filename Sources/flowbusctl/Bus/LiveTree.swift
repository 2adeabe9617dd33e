import FlowCore
import FlowWire

/// A live flow or screen, as ObjectManager reports it.
struct LiveNode: Equatable {
    let path: NodePath
    /// The name of the screen, or of the flow's definition.
    let name: String
    let isFlow: Bool
    let instance: UInt64
    let style: String
    let arguments: Value
    let isVisible: Bool
    let isPresented: Bool
    /// Whether a flow is ready; true for a screen.
    let isReady: Bool
    /// The child that covers the others.
    let current: NodePath?
    /// The unique name of the owner; empty if there is none.
    let owner: String
    /// The bus name of the presenter; empty if there is none.
    let presenter: String

    init?(_ path: String, _ interfaces: Value) {
        guard let path = NodePath(objectPath: path),
            let presentable = interfaces["\(BusNames.Interface.presentable)"]
        else { return nil }
        self.path = path
        name = presentable["Name"]?.text ?? path.id
        instance = presentable["Instance"]?.number ?? 0
        style = presentable["Style"]?.text ?? ""
        arguments = presentable["Arguments"] ?? .dictionary([])
        isVisible = presentable["Visible"]?.truth ?? false
        isPresented = presentable["Presented"]?.truth ?? false
        owner = presentable["Owner"]?.text ?? ""
        presenter = presentable["Presenter"]?.text ?? ""
        let flow = interfaces["\(BusNames.Interface.flow)"]
        isFlow = flow != nil
        isReady = flow?["Ready"]?.truth ?? true
        current = (flow?["Current"]?.text).flatMap(NodePath.init(objectPath:))
    }
}

extension LiveNode: TreeNode {
    var parentPath: NodePath? { path.parent }
}

extension ServiceClient {
    /// Returns all live nodes: parents before children, children in the order of creation.
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
