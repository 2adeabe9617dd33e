import FlowCore
import FlowWire

/// The node of a call: the one at a path when the call arrives, or an instance (S-25).
enum Target: Equatable {
    case place(NodePath)
    case instance(UInt64)

    /// Reads a path such as `main/watched`, or a whole object path of the tree or of an instance.
    init(_ text: String) throws(Failure) {
        guard text.hasPrefix("\(BusNames.instances)/") else {
            self = .place(try NodePath(text))
            return
        }
        guard let instance = InstancePath.instance(at: text) else {
            throw Failure(
                .badValue,
                "'\(Names.escaped(text))' can't be a node: '\(BusNames.instances)/' is followed by an instance, a number such "
                    + "as '5'")
        }
        self = .instance(instance)
    }

    /// The target as on the command line.
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

    /// The parent, if it is known.
    var parent: NodePath? {
        switch self {
        case .place(let node): node.parent
        case .instance: nil
        }
    }

    /// Returns the message for an instance that is not live.
    static func missing(instance: UInt64) -> String {
        "no live flow or screen has the instance \(instance); 'flowbusctl tree --json' shows the live ones"
    }
}

extension ServiceClient {
    /// Calls a method of a node.
    @discardableResult
    func call(
        _ node: Target, _ interface: StaticString, _ member: String, _ arguments: Value..., timeout: UInt64? = nil
    ) throws(Failure) -> [Value] {
        try call(node.objectPath, interface, member, arguments, timeout: timeout)
    }

    /// Returns the current path of a node, for queries by path.
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
