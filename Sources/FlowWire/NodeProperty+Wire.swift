public import FlowCore
internal import Glibc
public import SdBus

// Properties of presentables in messages, as `NodeProperty` describes them.

extension NodeProperty.Interface {
    /// The name on the bus.
    package var busName: StaticString {
        switch self {
        case .presentable: BusNames.Interface.presentable
        case .flow: BusNames.Interface.flow
        }
    }
}

extension NodeProperty {
    /// The property of this name; nil: there is none.
    package init?(name: UnsafePointer<CChar>) {
        // sd-bus hands over the very name of the vtable, which is that of the description.
        let number =
            Self.names.firstIndex(of: UInt(bitPattern: name))
            ?? Self.allCases.firstIndex { strcmp($0.description.name.cString, name) == 0 }
        guard let number else { return nil }
        self.init(rawValue: UInt8(number))
    }

    /// Where the names of the descriptions are, by the order of the properties.
    private static let names = allCases.map { UInt(bitPattern: $0.description.name.cString) }

    /// The beginnings of entries of an `a{sv}`, by the order of the properties.
    fileprivate static let entries = allCases.map { ReadyEntry($0.description.name, $0.description.signature) }
}

extension BodyWriter {
    /// Appends the value of a property.
    @inlinable
    package func append(_ value: PropertyValue) throws(SdError) {
        switch value {
        case .flag(let flag): try append(flag)
        case .number(let number): try append(number)
        case .text(let text): try append(text)
        case .path(let path): try append(path: path)
        case .paths(let paths): try append(paths: paths)
        case .arguments(let arguments): try append(arguments)
        }
    }
}

extension Marshaller {
    /// Appends a property with its value, as an entry of an `a{sv}`.
    package func append(_ property: NodeProperty, _ value: PropertyValue) throws {
        try appendEntry(NodeProperty.entries[Int(property.rawValue)]) { body in try body.append(value) }
    }

    /// Appends those properties of a list that an interface has, as `a{sv}`.
    package func append(_ properties: PropertyList, of interface: NodeProperty.Interface) throws {
        try openContainer(.array, "{sv}")
        for entry in properties.entries where entry.property.description.interface == interface {
            try append(entry.property, entry.value)
        }
        try closeContainer()
    }
}

// MARK: - What clients read

extension PropertyList {
    /// Whether a property of an interface is among these.
    package func contains(_ interface: NodeProperty.Interface) -> Bool {
        entries.contains { $0.property.description.interface == interface }
    }

    /// Creates the list of the properties in an `a{sv}`. Others, those of a later version among them, are left out.
    package init(_ properties: FlowCore.Value) {
        self.init()
        add(properties)
    }

    fileprivate mutating func add(_ properties: FlowCore.Value) {
        for entry in properties.entries {
            guard let property = NodeProperty(name: entry.name), let value = PropertyValue(entry.value) else {
                continue
            }
            if value.signature == "\(property.description.signature)" { self[property] = value }
        }
    }
}

extension PropertyValue {
    /// Creates the value of a property from a value in a message; nil: no property has a value of its type.
    fileprivate init?(_ value: Value) {
        switch value {
        case .bool(let flag): self = .flag(flag)
        case .uint64(let number): self = .number(number)
        case .string(let text): self = .text(text)
        case .objectPath(let path): self = .path(path == "/" ? nil : path)
        case .array("o", let paths): self = .paths(paths.compactMap(\.text))
        case .array("{sv}", _): self = .arguments(value.entries.map { Argument($0.name, $0.value) })
        default: return nil
        }
    }
}

extension PresentableState {
    /// Creates the state of an object from its interfaces as ObjectManager reports them, `a{sa{sv}}`; nil for an object that
    /// is no presentable.
    package init?(path: String, interfaces: Value) {
        guard let presentable = interfaces["\(BusNames.Interface.presentable)"] else { return nil }
        let flow = interfaces["\(BusNames.Interface.flow)"]
        var properties = PropertyList(presentable)
        if let flow { properties.add(flow) }
        self.init(path: path, isFlow: flow != nil, properties: properties)
    }
}
