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
        /// Ends the flow.
        case end
        /// Another step on the flow.
        case current
        /// Another step on the flow's parent.
        case parent

        /// The options that it can have; those of an ``end`` with a step are ``Option/ofStep``, without one
        /// ``Option/ofEnd``.
        public var options: [Option] {
            switch self {
            case .flow: Option.ofFlow
            case .screen: Option.ofScreen
            case .end: Option.ofStep + Option.ofEnd
            case .current, .parent: Option.ofStep
            case .none, .pop, .show, .hide, .dismiss, .evict: []
            }
        }
    }

    /// A key beside the kind.
    public enum Option: String, CaseIterable, Sendable {
        /// The id of a child.
        case id
        /// The child's initial step.
        case step
        /// The arguments of the child, or of a forwarded step.
        case arguments
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

        /// The text of ``reuse`` that brings the child to the front of a stack.
        public static let raise = "raise"

        /// The keys inside ``onDismissed`` and ``onResult``.
        public static let ofDismissal: [Option] = [.step, .arguments]
        /// The options of a child flow.
        public static let ofFlow = allCases.filter { $0 != .result }
        /// The options of a screen.
        public static let ofScreen = ofFlow.filter { $0 != .layer }
        /// The options of a forwarded step.
        public static let ofStep: [Option] = [.arguments]
        /// The options of an ``Kind/end`` without a step.
        public static let ofEnd: [Option] = [.result]

        /// The D-Bus types that its value can have.
        public var signatures: [String] {
            switch self {
            case .id, .step, .style, .whenHidden, .layer: ["s"]
            case .reuse: ["b", "s"]
            case .clear: ["b"]
            case .arguments, .stepArguments, .onDismissed, .onResult, .result: ["a{sv}"]
            }
        }
    }

    /// The given options. The others have the defaults of a ``ChildTemplate``.
    public struct Options: Equatable, Sendable {
        /// See ``Option/id``.
        public var id: String?
        /// See ``Option/step``.
        public var step: String?
        /// See ``Option/arguments``.
        public var arguments: Arguments?
        /// See ``Option/stepArguments``.
        public var stepArguments: Arguments?
        /// See ``Option/style``.
        public var style: String?
        /// See ``Option/whenHidden``.
        public var whenHidden: String?
        /// See ``Option/reuse``.
        public var reuse: Reuse?
        /// See ``Option/clear``.
        public var clear: Bool?
        /// See ``Option/layer``.
        public var layer: String?
        /// See ``Option/onDismissed``.
        public var onDismissed: Dismissal?
        /// See ``Option/onResult``.
        public var onResult: Dismissal?
        /// See ``Option/result``.
        public var result: Arguments?

        /// Creates options without values.
        public init() {}
    }

    /// The value of ``Option/reuse``.
    public enum Reuse: Equatable, Sendable {
        /// Whether an existing child gets the arguments.
        case flag(Bool)
        /// A text, which has to be ``Option/raise``.
        case word(String)
    }

    /// The value of ``Option/onDismissed`` and ``Option/onResult``.
    public struct Dismissal: Equatable, Sendable {
        /// The step's name.
        public var step: String?
        /// The step's arguments, in which texts can refer to the child.
        public var arguments: Arguments?

        /// Creates a value without a step.
        public init() {}
    }

    /// The kind.
    public var kind: Kind
    /// The name of a screen, a flow, a step or a presentable, by the kind; empty for none.
    public var name: String
    /// Its options.
    public var options: Options

    /// Creates a contributor.
    public init(_ kind: Kind, _ name: String = "", _ options: Options = Options()) {
        (self.kind, self.name, self.options) = (kind, name, options)
    }
}
