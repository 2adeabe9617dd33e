internal import FlowCore

/// What a flow says of a child that it contributes, beyond RxFlow: how its steps wait, what its end leads to, whether another child
/// makes room for it.
///
/// ```swift
/// case .movieIsPicked(let id):
///     let detail = MovieDetail(id)
///     let options = ChildOptions(onDismissed: .step(DemoStep.movieIsClosed(id)), clears: true)
///     return .one(flowContributor: .contribute(withNext: detail, options: options))
/// ```
public struct ChildOptions: Equatable, Sendable {
    /// Which children of a flow are used instead of a new one (S-19).
    public enum Reuse: Hashable, Sendable {
        /// None.
        case never
        /// The newest child, if it has the name; with ``Children/tabs`` and ``Children/layers`` the newest of that name, which comes
        /// to the front.
        case newest
        /// With ``Children/stack`` the newest of that name, wherever it stands, which becomes the newest of all (S-37).
        case raised
    }

    /// What happens to the steps of its stepper while it is not presented (S-15); nil for what `allowStepWhenNotPresented` says.
    public var whenHidden: WhenHidden?
    /// The step that the flow takes when the child is gone without the flow's doing (S-23): the user closed it, or went back, or its
    /// program crashed; nil for none. The step is one of the flow's ``Flow/steps``.
    public var onDismissed: DismissalStep?
    /// Whether a live child is used instead of this one.
    ///
    /// A child of the same name is. Its object stays, and takes the initial steps of the new stepper. The object that is contributed is
    /// withdrawn (``Presentable/withdraw()``), unless it is the same one: its flow may have shown it already.
    public var reuse: Reuse
    /// Values that tell this screen apart from others of its name (S-51): ``reuse`` means the one with equal values, else a new one.
    /// All screens of a name have a key with the same names and types. Of a child that is contributed by its name, they are arguments
    /// that its definition has in its `key`.
    public var key: [String: DBusValue]
    /// Whether all other children of the flow are dismissed first (S-19). Their ``onDismissed`` is not taken.
    public var clears: Bool
    /// The layer in which it stands, one of the flow's ``Flow/layers``; nil for the lowest (S-37), or for that of a child that ``reuse``
    /// uses instead; such a child moves to another one (S-52). Only flows stand in layers.
    public var layer: String?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - whenHidden: what happens to the steps of its stepper while it is not presented.
    ///   - onDismissed: the step that the flow takes when the child is gone without the flow's doing.
    ///   - reuse: whether a live child is used instead of this one.
    ///   - key: values that tell a screen apart from others of its name.
    ///   - clears: whether all other children are dismissed first.
    ///   - layer: the layer in which it stands.
    public init(
        whenHidden: WhenHidden? = nil, onDismissed: DismissalStep? = nil, reuse: Reuse = .never,
        key: [String: DBusValue] = [:], clears: Bool = false, layer: String? = nil
    ) {
        self.whenHidden = whenHidden
        self.onDismissed = onDismissed
        self.reuse = reuse
        self.key = key
        self.clears = clears
        self.layer = layer
    }

    /// Adds the options to those of a contributor.
    ///
    /// - Parameters:
    ///   - contributor: the contributor.
    ///   - encode: returns the message of a step, as the host knows it.
    ///   - name: returns the name of a step, as the host knows it, by its case.
    @FlowActor
    func apply(
        to contributor: inout NamedContributor, _ encode: (any Step) throws(NavigationError) -> StepMessage,
        name: (String) -> String
    ) throws(NavigationError) {
        if let whenHidden { contributor.options[.whenHidden] = .text(whenHidden.rawValue) }
        contributor.options[.onDismissed] = try onDismissed?.encoded(encode, name)
        switch reuse {
        case .never: break
        case .newest: contributor.options[.reuse] = .flag(true)
        case .raised: contributor.options[.reuse] = .text(NamedContributor.Option.raise)
        }
        if !key.isEmpty {
            var arguments = Arguments(key)
            if case .arguments(let given)? = contributor.options[.arguments] {
                arguments = given.filter { key[$0.name] == nil } + arguments
            }
            contributor.options[.arguments] = .arguments(arguments)
        }
        if clears { contributor.options[.clear] = .flag(true) }
        contributor.options[.layer] = layer.map { .text($0) }
    }
}

/// What happens to the steps of a stepper while its flow or screen is not presented (S-15).
public enum WhenHidden: String, CaseIterable, Sendable {
    /// They are dropped, with the verdict `hidden`.
    case ignore
    /// They are taken.
    case allow
    /// The latest one waits until the presentable is presented; the ones before are dropped.
    case latest
    /// They wait in their order until the presentable is presented.
    case queue
    /// They wait in their order, and are taken one at a time: the next one when all that came of the one before has ended, if the
    /// presentable is presented then.
    case turn
}

/// The step that a flow takes when a child is gone without the flow's doing (S-23).
///
/// ```swift
/// onDismissed: .step(DemoStep.movieIsClosed(id))
/// onDismissed: DismissalStep("movieIsGone", arguments: ["why": .string("$reason")])
/// ```
public struct DismissalStep: Equatable, Sendable, ExpressibleByStringLiteral {
    // Most children have none, so it takes little room where there is none.
    private indirect enum Source: Equatable, Sendable {
        case step(any Step)
        case named(String, [String: DBusValue]?)

        static func == (one: Source, other: Source) -> Bool {
            switch (one, other) {
            case (.step(let step), .step(let otherStep)): Likeness.areEqual(step, otherStep)
            case (.named(let name, let arguments), .named(let otherName, let otherArguments)):
                name == otherName && arguments == otherArguments
            case (.step, _), (.named, _): false
            }
        }
    }

    private let source: Source

    private init(_ source: Source) { self.source = source }

    /// A step with its values.
    ///
    /// - Parameter step: the step.
    /// - Returns: The step, as an option.
    public static func step(_ step: any Step) -> DismissalStep { DismissalStep(.step(step)) }

    /// Creates a step by its name, whose arguments can tell what happened.
    ///
    /// - Parameters:
    ///   - name: its name: a case of a ``BusStep`` among the flow's ``Flow/steps``.
    ///   - arguments: its arguments, in which the text `"$reason"` stands for the reason, such as `dismissed`, `back` or `ownerGone`, `"$name"`
    ///     for the child's name, and `"$error"` and `"$message"` for what failed; `"$$"` is a dollar. nil for those arguments of the
    ///     child that the step declares.
    public init(_ name: String, arguments: [String: DBusValue]? = nil) { self.init(.named(name, arguments)) }

    /// Creates a step by its name.
    ///
    /// - Parameter name: its name: a case of a ``BusStep`` among the flow's ``Flow/steps``.
    public init(stringLiteral name: String) { self.init(name) }

    @FlowActor
    fileprivate func encoded(
        _ encode: (any Step) throws(NavigationError) -> StepMessage, _ name: (String) -> String
    ) throws(NavigationError) -> NamedContributor.Given {
        switch source {
        case .named(let caseName, let arguments):
            return .step(name(caseName), arguments.map(FlowCore.Arguments.init))
        case .step(let step):
            let message = try encode(step)
            // Its texts are no references.
            let arguments = message.arguments.map { argument in
                guard case .string(let text) = argument.value, text.hasPrefix("$") else { return argument }
                return Argument(argument.name, .string("$" + text))
            }
            return .step(message.name, arguments)
        }
    }
}

/// A layer of a flow whose children are ``Children/layers``.
public struct Layer: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name.
    public let name: String
    /// Whether its children cover those of lower layers, and older ones of its own.
    public let covers: Bool

    /// Creates a layer.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - covers: whether its children cover others.
    public init(_ name: String, covers: Bool = true) { (self.name, self.covers) = (name, covers) }

    /// Creates a layer that covers lower ones.
    ///
    /// - Parameter name: the name.
    public init(stringLiteral name: String) { self.init(name) }
}
