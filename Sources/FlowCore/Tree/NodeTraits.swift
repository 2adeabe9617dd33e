/// The traits of a presentable: what its contribution gives it, or its owner reports, and a restart restores as it was.
///
/// They are described here for nodes, new nodes (``Forest/Birth``) and records (``NodeRecord``).
struct NodeTraits: Equatable, Sendable {
    /// The name of the screen or flow.
    var name = ""
    /// The last part of the path, unique among siblings.
    var id = ""
    /// The style; empty if there is none.
    var style = ""
    /// The arguments, private ones included.
    var arguments: Arguments = []
    /// The client that shows it (S-29); nil if it has no owner.
    var owner: Client?
    // The small ones stand where the owner leaves a gap.
    /// Whether it is visible, as `SetVisible` reported last (S-14).
    var isVisible = false
    /// Whether a rule of its parent hid it (S-37).
    var isHiddenByRule = false
    /// The policy of the contributor; nil for that of the definition (S-15).
    var whenHidden: WhenHidden?
    /// The client that created it, for the limits.
    var client = Client.daemon
    /// The number of its latest raise, in the sequence of instances; 0 if it was never raised (S-37).
    var raised: UInt64 = 0
    /// The name of the layer of its parent that it stands in; empty for the lowest (S-37).
    var layer = ""
    /// The output that a root stands on; empty if it has none (S-41).
    var output = ""
    private var byOwner: Boxed<ByOwner>?

    /// What the owner of a screen said of it; few do.
    private struct ByOwner: Equatable {
        var backStep: String?
        var title = ""
    }

    /// The step that Back takes on a screen while that is presented; nil if its owner has set none (S-39).
    var backStep: String? {
        get { byOwner?.backStep }
        set { setByOwner(ByOwner(backStep: newValue, title: title)) }
    }
    /// The title that the owner of a screen gave it; empty if it has none (S-44).
    var title: String {
        get { byOwner?.title ?? "" }
        set { setByOwner(ByOwner(backStep: backStep, title: newValue)) }
    }

    private mutating func setByOwner(_ new: ByOwner) { byOwner = new == ByOwner() ? nil : Boxed(new) }
}

extension NodeTraits {
    init(
        name: String = "", id: String = "", style: String = "", arguments: Arguments = [], isVisible: Bool = false,
        whenHidden: WhenHidden? = nil, owner: Client? = nil, client: Client = .daemon, backStep: String? = nil,
        raised: UInt64 = 0, isHiddenByRule: Bool = false, layer: String = "", output: String = "", title: String = ""
    ) {
        self.init(
            name: name, id: id, style: style, arguments: arguments, owner: owner, isVisible: isVisible,
            isHiddenByRule: isHiddenByRule, whenHidden: whenHidden, client: client, raised: raised, layer: layer,
            output: output, byOwner: nil)
        setByOwner(ByOwner(backStep: backStep, title: title))
    }
}

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
        try coder.code(&backStep)
        try coder.check(backStep != "", "the step for Back has no name")
        try coder.code(&raised)
        try coder.code(&isHiddenByRule)
        try coder.code(&layer)
        try coder.code(&output)
        try coder.code(&title)
    }
}

/// Something with traits, read as its own.
protocol HasNodeTraits {
    var traits: NodeTraits { get }
}

extension HasNodeTraits {
    var name: String { traits.name }
    var id: String { traits.id }
    var style: String { traits.style }
    var arguments: Arguments { traits.arguments }
    var isVisible: Bool { traits.isVisible }
    var whenHidden: WhenHidden? { traits.whenHidden }
    var owner: Client? { traits.owner }
    var client: Client { traits.client }
    var backStep: String? { traits.backStep }
    var raised: UInt64 { traits.raised }
    var isHiddenByRule: Bool { traits.isHiddenByRule }
    var layer: String { traits.layer }
    var output: String { traits.output }
    var title: String { traits.title }
}

extension WhenHidden: RecordPart {
    static var unread: WhenHidden { .queue }
    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(choice: &self)
    }
}
