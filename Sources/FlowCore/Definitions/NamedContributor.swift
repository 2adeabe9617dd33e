/// A contributor with names, as a navigator or the library gives it; ``ContributorRules`` resolves it to a
/// ``FlowContributor``.
public struct NamedContributor: Equatable, Sendable {
    /// What a contributor does (S-17).
    public enum Kind: String, CaseIterable, Sendable {
        /// A new screen.
        case screen
        /// A new flow.
        case flow
        /// Nothing.
        case none
        /// Dismisses children.
        case pop
        /// Brings a child to the front.
        case show
        /// Hides a child flow.
        case hide
        /// Dismisses a child.
        case dismiss
        /// Takes the covered screens of the tree from their processes.
        case evict
        /// Sets values of the context.
        case set
        /// Moves the root to another output, whose name it has.
        case move
        /// Ends the flow.
        case end
        /// Another step on the flow.
        case current
        /// Another step on the flow's parent.
        case parent

        /// The options that it can have: all that stand in the table with it.
        public var options: [Option] { Option.allCases.filter { $0.kinds.contains(self) } }

        static let children: [Kind] = [.screen, .flow]
        static let withArguments: [Kind] = [.screen, .flow, .end, .current, .parent]
        /// Those that name a live child.
        static let ofLive: [Kind] = [.pop, .show, .hide, .dismiss]
    }

    /// A key beside the kind. All who read or write contributors follow this table.
    public enum Option: String, CaseIterable, Sendable {
        /// The id of a child.
        case id
        /// The arguments of the child, or of a forwarded step; the values of a ``Kind/set``, which in a file stand at the kind.
        case arguments
        /// The child's initial step.
        case step
        /// The arguments of the child's initial step.
        case stepArguments
        /// The style of the child.
        case style
        /// What happens to steps on the child while it is hidden (S-15).
        case whenHidden
        /// Whether an existing child gets the arguments instead (S-19): a Boolean, or the text ``raise`` (S-37).
        case reuse
        /// Whether the flow's children are dismissed first (S-19).
        case clear
        /// The layer of a child flow (S-37).
        case layer
        /// The step that is triggered when others dismiss the child (S-23).
        case onDismissed
        /// The step that is triggered when the child answers (S-45).
        case onResult
        /// The result with which a flow ends (S-45).
        case result
        /// Which of several children of a name is meant: values of its key (S-51). Files have them in the table of the kind.
        case key

        /// The text of ``reuse`` that brings the child to the front of a stack.
        public static let raise = "raise"
        /// The keys inside an option that is a table.
        public static let ofTable: [Option] = [.step, .arguments]

        private static let policies = Names.list(WhenHidden.allCases.map(\.rawValue), "or")

        private var row: (type: OptionType, kinds: [Kind], valid: String) {
            switch self {
            case .id: (.text, Kind.children, "a string")
            case .arguments: (.arguments, Kind.withArguments + [.set], "a table of arguments")
            case .step: (.text, Kind.children, "the name of a step")
            case .stepArguments: (.arguments, Kind.children, "a table of arguments")
            case .style: (.text, Kind.children, "a string")
            case .whenHidden: (.text, Kind.children, Self.policies)
            case .reuse: (.flagOrText, Kind.children, "true, false or 'raise'")
            case .clear: (.flag, Kind.children, "true or false")
            case .layer: (.text, [.flow], "the name of a layer")
            case .onDismissed, .onResult: (.table, Kind.children, "a table: { step = \"NAME\" }")
            case .result: (.arguments, [.end], "a table of arguments")
            case .key: (.arguments, Kind.ofLive, "a table of arguments")
            }
        }

        /// The type of its value.
        public var type: OptionType { row.type }
        /// The kinds of contributors that have it. An ``Kind/end`` has ``arguments`` with a step, and a ``result`` without one.
        public var kinds: [Kind] { row.kinds }
        /// What its value has to be, in the words of a message.
        public var valid: String { row.valid }
    }

    /// The type of an option's value.
    public enum OptionType: Sendable {
        case text, flag, flagOrText
        /// Arguments, or the values of a result.
        case arguments
        /// A table with the keys ``Option/ofTable``.
        case table

        /// The D-Bus types that it can have.
        public var signatures: [String] {
            switch self {
            case .text: ["s"]
            case .flag: ["b"]
            case .flagOrText: ["b", "s"]
            case .arguments, .table: ["a{sv}"]
            }
        }
    }

    /// The value of an option.
    public enum Given: Equatable, Sendable {
        case text(String)
        case flag(Bool)
        case arguments(Arguments)
        case table(Options)
    }

    /// The given options. The others have the defaults of a ``ChildTemplate``.
    public typealias Options = [Option: Given]

    /// The kind.
    public var kind: Kind
    /// The name of a screen, a flow, a step or a presentable, by the kind; empty for none.
    public var name: String
    /// Its options.
    public var options: Options

    /// Creates a contributor.
    public init(_ kind: Kind, _ name: String = "", _ options: Options = [:]) {
        (self.kind, self.name, self.options) = (kind, name, options)
    }
}
