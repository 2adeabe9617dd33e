// The properties of live presentables, described once: their names and types on the bus, how clients learn of new values,
// and where the values come from. The interfaces of the service, its signals, traces and the decoding in clients follow
// from this description.

/// A D-Bus property of a live presentable.
public enum NodeProperty: UInt8, CaseIterable, Sendable {
    // `Presentable`, which screens and flows have.
    case name
    case style
    case parentFlow
    case instance
    case arguments
    case visible
    case presented
    case inSight
    case presenter
    case owner
    case title
    case waiting
    case evicted
    case asks
    // `Flow`, which flows alone have.
    case definition
    case ready
    case current
    case output
    case context
    case children

    /// The interface that has a property.
    public enum Interface: CaseIterable, Sendable {
        case presentable
        case flow

        /// Those of its properties that a client does not have to ask for by their names.
        public var propertiesReadAtOnce: [NodeProperty] {
            switch self {
            case .presentable: NodeProperty.ofScreens
            case .flow: NodeProperty.ofFlowInterface
            }
        }
    }

    /// How a client learns of a new value.
    public enum Change: Sendable {
        /// The value never changes.
        case constant
        /// By `PropertiesChanged`, with the value.
        case emits
        /// Not at all; a client has to ask for the property by its name.
        case explicit
    }

    /// The description of a property on the bus.
    public struct Description: Sendable {
        /// The name.
        public let name: StaticString
        /// The D-Bus signature of the value.
        public let signature: StaticString
        /// The interface.
        public let interface: Interface
        /// How a client learns of a new value.
        public let change: Change

        @inlinable
        init(_ name: StaticString, _ signature: StaticString, _ interface: Interface, _ change: Change) {
            self.name = name
            self.signature = signature
            self.interface = interface
            self.change = change
        }
    }

    /// The property on the bus.
    @inlinable @inline(__always)
    public var description: Description {
        switch self {
        case .name: Description("Name", "s", .presentable, .constant)
        case .style: Description("Style", "s", .presentable, .emits)
        case .parentFlow: Description("ParentFlow", "o", .presentable, .constant)
        case .instance: Description("Instance", "t", .presentable, .constant)
        case .arguments: Description("Arguments", "a{sv}", .presentable, .emits)
        case .visible: Description("Visible", "b", .presentable, .emits)
        case .presented: Description("Presented", "b", .presentable, .emits)
        // Of a screen; a flow's changes are not reported.
        case .inSight: Description("InSight", "b", .presentable, .emits)
        case .presenter: Description("Presenter", "s", .presentable, .constant)
        case .owner: Description("Owner", "s", .presentable, .emits)
        case .title: Description("Title", "s", .presentable, .emits)
        case .waiting: Description("Waiting", "s", .presentable, .emits)
        case .evicted: Description("Evicted", "b", .presentable, .explicit)
        case .asks: Description("Asks", "t", .presentable, .explicit)
        case .definition: Description("Definition", "s", .flow, .constant)
        case .ready: Description("Ready", "b", .flow, .emits)
        case .current: Description("Current", "o", .flow, .emits)
        case .output: Description("Output", "s", .flow, .emits)
        case .context: Description("Context", "a{sv}", .flow, .emits)
        case .children: Description("Children", "ao", .flow, .explicit)
        }
    }

    /// The property of this name, which no other interface of a presentable uses; nil: there is none.
    public init?(name: String) {
        guard let property = Self.allCases.first(where: { "\($0.description.name)" == name }) else { return nil }
        self = property
    }

    /// Those of `Presentable` that a client does not have to ask for by their names.
    static let ofScreens = allCases.filter {
        $0.description.interface == .presentable && $0.description.change != .explicit
    }
    static let ofFlowInterface = allCases.filter {
        $0.description.interface == .flow && $0.description.change != .explicit
    }
}

extension Forest {
    /// The value of a property. A property that only flows have is empty at a screen.
    func value(of property: NodeProperty, at slot: NodeSlot) -> PropertyValue {
        switch property {
        case .name: .text(self[slot].name)
        case .style: .text(self[slot].style)
        case .parentFlow: .path(self[slot].parent.map { self[$0].path })
        case .instance: .number(self[slot].instance)
        case .arguments: .arguments(self[slot].arguments.broadcastable)
        case .visible: .flag(self[slot].isVisible)
        case .presented: .flag(self[slot].isPresented)
        case .inSight: .flag(self[slot].isInSight)
        case .presenter: .text(self[slot].presenting?.presenter.service.name ?? "")
        case .owner: .text(self[slot].owner?.name ?? "")
        case .title: .text(self[slot].shownTitle)
        case .waiting: .text(self[slot].waiting)
        case .evicted: .flag(self[slot].presenting?.kept.eviction == .done)
        case .asks: .number(UInt64(self[slot].askCount))
        // A flow's name is its definition's.
        case .definition: .text(self[slot].flow == nil ? "" : self[slot].name)
        case .ready: .flag(self[slot].flow?.isReady ?? true)
        case .current: .path(currentPath(of: slot))
        case .output: .text(self[slot].output)
        case .context: .arguments(self[slot].flow?.context.published ?? [])
        case .children: .paths(children(of: slot).map { self[$0].path })
        }
    }

    /// The values of some properties of a presentable, in the order given.
    func properties(_ properties: some Sequence<NodeProperty>, of slot: NodeSlot) -> PropertyList {
        PropertyList(properties.map { PropertyList.Entry($0, value(of: $0, at: slot)) })
    }
}

// MARK: - Values

/// The value of a property of a presentable.
public enum PropertyValue: Equatable, Sendable {
    /// `b`
    case flag(Bool)
    /// `t`
    case number(UInt64)
    /// `s`
    case text(String)
    /// `o`; nil stands for none, which is `/` on the bus.
    case path(String?)
    /// `ao`
    case paths([String])
    /// `a{sv}`
    case arguments(Arguments)

    /// The D-Bus signature of the value.
    public var signature: String {
        switch self {
        case .flag: "b"
        case .number: "t"
        case .text: "s"
        case .path: "o"
        case .paths: "ao"
        case .arguments: "a{sv}"
        }
    }
}

/// Some properties of a presentable with their values, each property once.
public struct PropertyList: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// A property with its value.
    public struct Entry: Equatable, Sendable {
        /// The property.
        public let property: NodeProperty
        /// The value.
        public var value: PropertyValue

        init(_ property: NodeProperty, _ value: PropertyValue) {
            self.property = property
            self.value = value
        }
    }

    /// The properties in the order in which signals report them: that of ``NodeProperty``.
    public private(set) var entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    /// Creates an empty list.
    public init() { entries = [] }

    /// Creates a list of these properties; of duplicates, the last counts.
    public init(dictionaryLiteral elements: (NodeProperty, PropertyValue)...) {
        entries = []
        for (property, value) in elements { self[property] = value }
    }

    /// Whether there are none.
    public var isEmpty: Bool { entries.isEmpty }

    /// The value of a property; nil: the list does not have it.
    public subscript(property: NodeProperty) -> PropertyValue? {
        get {
            // Of a presentable's whole state, each is at the place of its number.
            let place = Int(property.rawValue)
            if place < entries.count, entries[place].property == property { return entries[place].value }
            return entries.first { $0.property == property }?.value
        }
        set {
            let place = entries.firstIndex { $0.property.rawValue >= property.rawValue } ?? entries.count
            if place < entries.count, entries[place].property == property { entries.remove(at: place) }
            if let newValue { entries.insert(Entry(property, newValue), at: place) }
        }
    }

    /// Adds those of earlier properties that it does not have.
    mutating func fill(from earlier: PropertyList) {
        for entry in earlier.entries where self[entry.property] == nil { self[entry.property] = entry.value }
    }

    /// The value of a property that is a boolean; nil: the list does not have it.
    public func flag(_ property: NodeProperty) -> Bool? {
        guard case .flag(let flag)? = self[property] else { return nil }
        return flag
    }

    /// The value of a property that is a number; nil: the list does not have it.
    public func number(_ property: NodeProperty) -> UInt64? {
        guard case .number(let number)? = self[property] else { return nil }
        return number
    }

    /// The value of a property that is a text; nil: the list does not have it.
    public func text(_ property: NodeProperty) -> String? {
        guard case .text(let text)? = self[property] else { return nil }
        return text
    }

    /// The path that a property has as its value; nil: the path is none, or the list does not have the property.
    public func path(_ property: NodeProperty) -> String? {
        guard case .path(let path)? = self[property] else { return nil }
        return path
    }

    /// The value of a property that is a list of arguments; nil: the list does not have it.
    public func arguments(_ property: NodeProperty) -> Arguments? {
        guard case .arguments(let arguments)? = self[property] else { return nil }
        return arguments
    }
}

/// What changed of a presentable: what `PropertiesChanged` reports of it.
public struct PropertyChanges: Equatable, Sendable {
    /// The presentable's path.
    public var path: String
    /// The properties that changed, with their new values.
    public var properties: PropertyList

    /// Changes of the presentable at this path.
    public init(path: String, _ properties: PropertyList) {
        self.path = path
        self.properties = properties
    }
}
