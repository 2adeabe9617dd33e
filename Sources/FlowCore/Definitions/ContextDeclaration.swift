/// A value that screens, rules and texts can know without being given it as an argument (`[context]`, `[flows.X.context]`, S-57).
public struct ContextDeclaration: Equatable, Sendable {
    /// What follows when the value is another one.
    public struct Change: Hashable, Sendable {
        /// The flow that takes the step: each live root of it, or for a value of a flow the one that has it.
        public let flow: FlowID
        /// The step; it needs no arguments.
        public let step: StepID

        /// A step that follows.
        public init(_ step: StepID, on flow: FlowID) { (self.flow, self.step) = (flow, step) }
    }

    /// The value's name.
    public let name: String
    /// Its type.
    public let type: ValueType
    /// Its value until somebody sets another one, of that type.
    public let initial: Value
    /// The bus names whose owners can set it by `SetContext`; empty if only rules can.
    public let setters: [String]
    /// Whether only rules, and the owners of screens that name it, get it.
    public let isPrivate: Bool
    /// Whether it is also kept on a disk, for another bus.
    public let isForDisk: Bool
    /// The step that follows when it is another one; nil if none does.
    public let changed: Change?

    /// Declares a value.
    public init(
        _ name: String, _ type: ValueType, initial: Value, setters: [String] = [], isPrivate: Bool = false,
        isForDisk: Bool = false, changed: Change? = nil
    ) {
        self.name = name
        self.type = type
        self.initial = initial
        self.setters = setters
        self.isPrivate = isPrivate
        self.isForDisk = isForDisk
        self.changed = changed
    }
}

extension Definitions {
    /// The declarations of all values of this name, which have one type.
    public func contexts(named name: String) -> [ContextDeclaration] {
        (context + flows.lazy.flatMap(\.context)).filter { $0.name == name }
    }

    /// The text of the error for a name that no value has.
    func unknownContext(_ name: String) -> String {
        let names = Set((context + flows.lazy.flatMap(\.context)).map(\.name)).sorted()
        return "the context has no value '\(Names.escaped(name))': it has \(names.isEmpty ? "none" : Names.list(names))"
            + Names.suggestion(for: name, among: names)
    }

    /// Whether a value of this name is private, wherever that is declared.
    public func isPrivateContext(_ name: String) -> Bool { contexts(named: name).contains(where: \.isPrivate) }
}
