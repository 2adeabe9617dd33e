public import FlowBus

/// How a step is emitted: what ``NavigationBus/emit(_:on:options:)`` has beyond the step and its place.
///
/// ```swift
/// try await bus.emit(KioskStep.pick(item: 4), on: kiosk, options: EmitOptions(token: order.id))
/// ```
public struct EmitOptions: Hashable, Sendable {
    /// A name for the call. A call that repeats the token within 60 s gets the first outcome instead of a second navigation, even if the
    /// service or the bus restarted meanwhile; so a caller that got no answer can call again. nil generates a unique token.
    public var token: String?
    /// The activation token (xdg-activation) for the first screen that the call shows; nil for none.
    public var activationToken: String?
    /// Whether a guard may ask the user for authorization.
    public var isInteractive: Bool
    /// The expected instance (S-25): if another instance is live at the path, `unknownObject` is thrown. nil accepts any instance.
    public var instance: UInt64?
    /// Whether to wait for the outcome, for any time; otherwise the verdict can be `pending`.
    public var waits: Bool
    /// Whether the step is input of a person. If not, such as new weather on a panel, no flow counts as reached, and none stays awake for
    /// it (S-56).
    public var isInput: Bool

    /// Creates options.
    ///
    /// - Parameters:
    ///   - token: a name for the call; nil generates one.
    ///   - activationToken: the activation token for the first screen that the call shows; nil for none.
    ///   - isInteractive: whether a guard may ask the user for authorization.
    ///   - instance: the expected instance; nil accepts any instance.
    ///   - waits: whether to wait for the outcome.
    ///   - isInput: whether the step is input of a person.
    public init(
        token: String? = nil, activationToken: String? = nil, isInteractive: Bool = false, instance: UInt64? = nil,
        waits: Bool = true, isInput: Bool = true
    ) {
        self.token = token
        self.activationToken = activationToken
        self.isInteractive = isInteractive
        self.instance = instance
        self.waits = waits
        self.isInput = isInput
    }
}

/// How a root is started: what ``NavigationBus/coordinate(_:with:options:)`` has beyond the flow and its step.
public struct RootOptions: Hashable, Sendable {
    /// Its id in the tree; nil for the name of the definition.
    public var id: String?
    /// The flow's arguments.
    public var arguments: [String: DBusValue]
    /// A name for the call. A call that repeats the token within 60 s gets the first answer. nil for none.
    public var token: String?
    /// The activation token (xdg-activation) for the first screen that the call shows; nil for none.
    public var activationToken: String?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - id: its id in the tree; nil for the name of the definition.
    ///   - arguments: the flow's arguments.
    ///   - token: a name for the call; nil for none.
    ///   - activationToken: the activation token for the first screen that the call shows; nil for none.
    public init(
        id: String? = nil, arguments: [String: DBusValue] = [:], token: String? = nil, activationToken: String? = nil
    ) {
        self.id = id
        self.arguments = arguments
        self.token = token
        self.activationToken = activationToken
    }
}
