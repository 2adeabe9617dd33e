import FlowCore
import FlowWire

/// A live flow or screen, as ObjectManager tells it.
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
    /// True for a screen: what is waited for is a flow's.
    let isReady: Bool
    /// The child that covers the others.
    let current: NodePath?
    /// Unique name; empty where nobody owns it.
    let owner: String
    /// Who is asked to show it; empty where nobody is.
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

extension Navigation {
    /// All that is live: parents before children, children in the order in which they were made.
    func liveNodes(activates: Bool = true) throws(Failure) -> [LiveNode] {
        let answer = try call(
            Navigation.root, BusNames.Interface.objectManager, "GetManagedObjects", activates: activates)
        return (answer.first ?? .dictionary([])).entries.compactMap { LiveNode($0.name, $0.value) }.inTreeOrder
    }

    /// What is live at and below a node, all without one.
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
