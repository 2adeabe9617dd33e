/// The traits of a presentable: what its contribution gives it, or its owner reports, and a restart restores as it was.
///
/// They are described here for nodes, new nodes (``Forest/Birth``) and records (``NodeRecord``).
struct NodeTraits: Equatable, Sendable {
    /// The name of the screen or flow.
    var name = ""
    /// The last part of the path, unique among siblings.
    var id = ""
    /// The arguments, private ones included.
    var arguments: Arguments = []
    /// Whether it is visible, as `SetVisible` reported last (S-14).
    var isVisible = false
    /// The policy of the contributor; nil for that of the definition (S-15).
    var whenHidden: WhenHidden?
    /// The client that shows it (S-29); nil if it has no owner.
    var owner: Client?
    /// The client that created it, for the limits.
    var client = Client.daemon
    /// Those that few presentables have.
    private var rare = Sparse<Rare>()
}

// All members at once: traits that get them one by one would be copied at the end.
extension NodeTraits {
    init(
        name: String = "", id: String = "", style: String = "", arguments: Arguments = [], isVisible: Bool = false,
        whenHidden: WhenHidden? = nil, owner: Client? = nil, client: Client = .daemon, backStep: String? = nil,
        raised: UInt64 = 0, isHiddenByRule: Bool = false, layer: String = "", output: String = "", title: String = ""
    ) {
        let isCommon =
            style.isEmpty && backStep == nil && raised == 0 && !isHiddenByRule && layer.isEmpty && output.isEmpty
            && title.isEmpty
        self.init(
            name: name, id: id, arguments: arguments, isVisible: isVisible, whenHidden: whenHidden, owner: owner,
            client: client,
            rare: isCommon
                ? Sparse()
                : Sparse(
                    Rare(
                        style: style, backStep: backStep, raised: raised, isHiddenByRule: isHiddenByRule, layer: layer,
                        output: output, title: title)))
    }
}

extension NodeTraits {
    private struct Rare: Initial {
        var style = ""
        var backStep: String?
        var raised: UInt64 = 0
        var isHiddenByRule = false
        var layer = ""
        var output = ""
        var title = ""
    }

    /// The style; empty if there is none.
    var style: String {
        get { rare[\.style, ""] }
        set { rare[\.style, ""] = newValue }
    }
    /// The step that Back takes on a screen while that is presented; nil if its owner has set none (S-39).
    var backStep: String? {
        get { rare[\.backStep, nil] }
        set { rare[\.backStep, nil] = newValue }
    }
    /// The number of its latest raise, in the sequence of instances; 0 if it was never raised (S-37).
    var raised: UInt64 {
        get { rare[\.raised, 0] }
        set { rare[\.raised, 0] = newValue }
    }
    /// Whether a rule of its parent hid it (S-37).
    var isHiddenByRule: Bool {
        get { rare[\.isHiddenByRule, false] }
        set { rare[\.isHiddenByRule, false] = newValue }
    }
    /// The name of the layer of its parent that it stands in; empty for the lowest (S-37).
    var layer: String {
        get { rare[\.layer, ""] }
        set { rare[\.layer, ""] = newValue }
    }
    /// The output that a root stands on; empty if it has none (S-41).
    var output: String {
        get { rare[\.output, ""] }
        set { rare[\.output, ""] = newValue }
    }
    /// The title that the owner of a screen gave it; empty if it has none (S-44).
    var title: String {
        get { rare[\.title, ""] }
        set { rare[\.title, ""] = newValue }
    }
}

extension NodeTraits {
    /// Whether it has none of those that few presentables have.
    var areCommon: Bool { rare.isAsAtFirst }
}

/// Few presentables have these traits, which ``NodeRecord`` has at its end.
extension NodeTraits {
    private var standsAsMade: Bool { raised == 0 && !isHiddenByRule && layer.isEmpty }

    /// Writes or reads them.
    ///
    /// - Parameter isLast: whether nothing is written behind them.
    mutating func codeEnd<Coder: RecordCoder>(with coder: inout Coder, isLast: Bool) throws(Coder.Failure) {
        let endsBeforeOutput = output.isEmpty && title.isEmpty && isLast
        guard coder.isFollowed(unless: backStep == nil && standsAsMade && endsBeforeOutput) else { return }
        var step = backStep ?? ""
        try coder.code(&step)
        try coder.check(!step.isEmpty || !coder.isAtEnd, "the step for Back has no name")
        backStep = step.isEmpty ? nil : step
        guard coder.isFollowed(unless: standsAsMade && endsBeforeOutput) else { return }
        try coder.code(&raised)
        try coder.code(&isHiddenByRule)
        try coder.code(&layer)
        if coder.isFollowed(unless: endsBeforeOutput) { try coder.code(&output) }
        if coder.isFollowed(unless: title.isEmpty && isLast) { try coder.code(&title) }
        try coder.check(
            !standsAsMade || !output.isEmpty || !title.isEmpty || !coder.isAtEnd, "its place is that of a new child")
    }
}

/// All but those that ``NodeRecord`` has at its end.
extension NodeTraits: RecordPart {
    static var unread: NodeTraits { NodeTraits() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&name)
        // Usually the name.
        var ownID = id == name ? nil : id
        try coder.code(&ownID)
        id = ownID ?? name
        try coder.code(&style)
        try coder.code(&arguments)
        try coder.code(&isVisible)
        try coder.code(&whenHidden)
        try coder.code(&owner)
        try coder.code(&client)
    }
}

/// Something with traits, read as its own.
protocol HasNodeTraits {
    var traits: NodeTraits { get }
}

extension HasNodeTraits {
    // Inlined, because a call would copy the node.

    @inline(__always) var name: String { traits.name }
    @inline(__always) var id: String { traits.id }
    @inline(__always) var style: String { traits.style }
    @inline(__always) var arguments: Arguments { traits.arguments }
    @inline(__always) var isVisible: Bool { traits.isVisible }
    @inline(__always) var whenHidden: WhenHidden? { traits.whenHidden }
    @inline(__always) var owner: Client? { traits.owner }
    @inline(__always) var client: Client { traits.client }
    @inline(__always) var backStep: String? { traits.backStep }
    @inline(__always) var raised: UInt64 { traits.raised }
    @inline(__always) var isHiddenByRule: Bool { traits.isHiddenByRule }
    @inline(__always) var layer: String { traits.layer }
    @inline(__always) var output: String { traits.output }
    @inline(__always) var title: String { traits.title }
}
