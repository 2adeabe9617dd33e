import FlowCore
import FlowWire

/// Which node a call is for: what is at a place in the tree when it arrives, or one that is known by its instance (S-25).
enum Target: Equatable {
    case place(NodePath)
    case instance(UInt64)

    /// Reads what a person typed: `main/watched`, or a whole object path, in the tree or by the instance.
    init(_ text: String) throws(Failure) {
        guard text.hasPrefix("\(BusNames.instances)/") else {
            self = .place(try NodePath(text))
            return
        }
        guard let instance = InstancePath.instance(at: text) else {
            throw Failure(
                .badValue,
                "'\(Names.escaped(text))' can't be a node: behind '\(BusNames.instances)/' stands its instance, a number such "
                    + "as '5'")
        }
        self = .instance(instance)
    }

    /// As a person types it.
    var text: String {
        switch self {
        case .place(let node): node.text
        case .instance: objectPath
        }
    }

    var objectPath: String {
        switch self {
        case .place(let node): node.objectPath
        case .instance(let instance): InstancePath.path(of: instance)
        }
    }

    /// The node above, where that is known.
    var parent: NodePath? {
        switch self {
        case .place(let node): node.parent
        case .instance: nil
        }
    }

    /// What is said where it is not live.
    static func missing(instance: UInt64) -> String {
        "no live flow or screen has the instance \(instance); 'flowbusctl tree --json' shows those there are"
    }
}

extension Navigation {
    /// A method of a node.
    @discardableResult
    func call(
        _ node: Target, _ interface: StaticString, _ member: String, _ arguments: Value..., timeout: UInt64? = nil
    ) throws(Failure) -> [Value] {
        try call(node.objectPath, interface, member, arguments, timeout: timeout)
    }

    /// Where a node is in the tree now: for what asks about a place.
    func place(of node: Target) throws(Failure) -> NodePath {
        switch node {
        case .place(let place): return place
        case .instance(let instance):
            guard let found = try liveNodes().first(where: { $0.instance == instance }) else {
                throw Failure(.noInput, Target.missing(instance: instance))
            }
            return found.path
        }
    }
}
