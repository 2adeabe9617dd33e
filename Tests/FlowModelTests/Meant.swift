import FlowCore

/// What a rule means by a name at a step: the name, and the values of the key that have to be the same (S-51).
struct Meant {
    let name: String
    /// nil if it can be a flow or a screen.
    let isFlow: Bool?
    /// nil: the presentable must not have the argument.
    let key: [(name: String, argument: Argument?)]

    init(_ name: String, _ isFlow: Bool?, _ key: [(name: String, argument: Argument?)]) {
        (self.name, self.isFlow, self.key) = (name, isFlow, key)
    }

    init(_ name: KeyedName, _ references: References) {
        self.init(
            name.name, name.isFlow,
            name.key.map { binding in
                let found: Argument? =
                    switch binding.source {
                    case .literal(let value): Argument(binding.name, value)
                    case .step(let name): references.step[name]
                    case .flow(let name): references.flow[name]
                    default: preconditionFailure("a key has no '\(binding.source)'")
                    }
                return (binding.name, found.map { Argument(binding.name, $0.value, isPrivate: $0.isPrivate) })
            })
    }

    /// The values that everyone may see.
    var reported: Arguments { key.compactMap(\.argument).broadcastable }

    func fits(_ member: ModelPlan.Member) -> Bool { fits(member.name, member.isFlow, member.arguments) }

    func fits(_ node: ModelNode) -> Bool { fits(node.name, node.isFlow, node.arguments) }

    private func fits(_ name: String, _ isFlow: Bool, _ arguments: Arguments) -> Bool {
        guard name == self.name, self.isFlow == nil || self.isFlow == isFlow else { return false }
        return key.allSatisfy { Self.isSame(arguments[$0.name]?.value, $0.argument?.value) }
    }

    /// A number can have another type, by the definitions before a reload.
    private static func isSame(_ one: Value?, _ other: Value?) -> Bool {
        if let one = one?.integer, let other = other?.integer { return one == other }
        return one == other
    }
}
