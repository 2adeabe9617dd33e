/// A presentable as it was at one moment: what `InterfacesAdded` reports of it.
///
/// Who shows a presentable reads the members that it needs; a list of all properties is only made for those who want one. A
/// property that an earlier version of the service does not have is as it begins.
public struct PresentableState: Equatable, Sendable {
    /// Its path.
    public var path: String
    /// Whether it is a flow rather than a screen.
    public var isFlow: Bool
    /// The name of the screen, or of the flow's definition.
    public var name = ""
    /// The path of its parent; nil for a root.
    public var parent: String?
    /// The instance number.
    public var instance: UInt64 = 0
    /// The arguments, without those of private steps.
    public var arguments: Arguments = []
    /// Whether it is visible.
    public var isVisible = false
    /// Whether it is presented.
    public var isPresented = false
    /// Whether a screen is in sight. Of a flow it would soon be out of date, as no signal reports its changes there.
    public var isInSight = false
    /// Whether a flow is ready; true for a screen.
    public var isReady = true
    fileprivate var ownerClient: Client?
    /// The style; empty if there is none.
    public var style = ""
    /// The bus name of the presenter; empty if there is none.
    public var presenter = ""
    /// The title; empty if there is none.
    public var title = ""
    /// Why no process shows it yet (S-47); empty if one does, or none has failed.
    public var waiting = ""
    /// The path of the child that covers the others; nil if none does.
    public var current: String?
    /// The output that a root stands on; empty if it has none.
    public var output = ""
    /// The values of a flow's context that are not private (S-57).
    public var context: Arguments = []

    /// The unique bus name of the owner; empty if there is none.
    public var owner: String {
        get { ownerClient?.name ?? "" }
        set { ownerClient = newValue.isEmpty ? nil : Client(newValue) }
    }
}

extension Forest {
    /// All that signals report of a presentable.
    func state(of slot: NodeSlot) -> PresentableState {
        let isFlow = self[slot].flow != nil
        return PresentableState(
            path: self[slot].path, isFlow: isFlow, name: self[slot].name, parent: parentPath(of: slot),
            instance: self[slot].instance, arguments: self[slot].arguments.broadcastable,
            isVisible: self[slot].isVisible, isPresented: self[slot].isPresented,
            isInSight: !isFlow && self[slot].isInSight, isReady: self[slot].flow?.isReady ?? true,
            ownerClient: self[slot].owner, style: self[slot].style,
            presenter: self[slot].presenting?.presenter.service.name ?? "", title: self[slot].shownTitle,
            waiting: self[slot].waiting, current: currentPath(of: slot), output: self[slot].output,
            context: self[slot].flow?.context.published ?? [])
    }
}

// MARK: - Properties

extension PresentableState {
    /// A presentable, with properties as they begin.
    public init(path: String, isFlow: Bool) {
        self.init(path: path, isFlow: isFlow, ownerClient: nil)
    }

    /// A presentable with these properties.
    public init(path: String, isFlow: Bool, properties: PropertyList) {
        self.init(path: path, isFlow: isFlow)
        for entry in properties.entries { self[entry.property] = entry.value }
    }

    /// All properties that it has, in the order in which signals report them.
    public var properties: PropertyList {
        PropertyList(
            NodeProperty.allCases.compactMap { property in self[property].map { PropertyList.Entry(property, $0) } })
    }

    /// The value of a property; nil if `InterfacesAdded` does not report it of such a presentable. Such a property can't be set,
    /// nor can a value of another type.
    public subscript(property: NodeProperty) -> PropertyValue? {
        get {
            switch property {
            case .name: .text(name)
            case .style: .text(style)
            case .parentFlow: .path(parent)
            case .instance: .number(instance)
            case .arguments: .arguments(arguments)
            case .visible: .flag(isVisible)
            case .presented: .flag(isPresented)
            case .inSight: isFlow ? nil : .flag(isInSight)
            case .presenter: .text(presenter)
            case .owner: .text(owner)
            case .title: .text(title)
            case .waiting: .text(waiting)
            // A flow's name is its definition's.
            case .definition: isFlow ? .text(name) : nil
            case .ready: isFlow ? .flag(isReady) : nil
            case .current: isFlow ? .path(current) : nil
            case .output: isFlow ? .text(output) : nil
            case .context: isFlow ? .arguments(context) : nil
            case .evicted, .asks, .children: nil
            }
        }
        set {
            guard let newValue, self[property] != nil else { return }
            switch (property, newValue) {
            case (.name, .text(let text)): name = text
            case (.style, .text(let text)): style = text
            case (.parentFlow, .path(let path)): parent = path
            case (.instance, .number(let number)): instance = number
            case (.arguments, .arguments(let list)): arguments = list
            case (.visible, .flag(let flag)): isVisible = flag
            case (.presented, .flag(let flag)): isPresented = flag
            case (.inSight, .flag(let flag)): isInSight = flag
            case (.presenter, .text(let text)): presenter = text
            case (.owner, .text(let text)): owner = text
            case (.title, .text(let text)): title = text
            case (.waiting, .text(let text)): waiting = text
            case (.ready, .flag(let flag)): isReady = flag
            case (.current, .path(let path)): current = path
            case (.output, .text(let text)): output = text
            case (.context, .arguments(let list)): context = list
            default: break
            }
        }
    }
}
