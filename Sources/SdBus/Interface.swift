public import CSdBus
import Synchronization

/// The description of an interface, of which both the table for sd-bus and the XML are made.
public struct InterfaceDescription {
    /// An argument of a method or signal.
    public struct Argument {
        /// Its name.
        public let name: StaticString
        /// Its type: one complete D-Bus type.
        public let signature: StaticString
        /// The name of its type in programs with Qt, whose code generators need one for each list of structs; nil if they need none.
        public let qtType: StaticString?

        /// An argument by name and type.
        public init(_ name: StaticString, _ signature: StaticString, qtType: StaticString? = nil) {
            self.name = name
            self.signature = signature
            self.qtType = qtType
        }
    }

    /// A method. Every method is unprivileged for sd-bus; the service checks its callers.
    public struct Method {
        /// Its name.
        public let name: StaticString
        /// The arguments of the call.
        public let inputs: [Argument]
        /// The arguments of the answer.
        public let outputs: [Argument]
        /// Deprecated.
        public let isDeprecated: Bool
        /// Whether it has no answer.
        public let isWithoutReply: Bool
        /// The handler.
        public let handler: MessageHandler

        /// A method; the handler is a literal closure, see ``answering(_:_:)``.
        public init(
            _ name: StaticString, in inputs: [Argument] = [], out outputs: [Argument] = [], deprecated: Bool = false,
            withoutReply: Bool = false, handler: @escaping MessageHandler
        ) {
            self.name = name
            self.inputs = inputs
            self.outputs = outputs
            isDeprecated = deprecated
            isWithoutReply = withoutReply
            self.handler = handler
        }
    }

    /// A signal.
    public struct Signal {
        /// Its name.
        public let name: StaticString
        /// Its arguments.
        public let arguments: [Argument]
        /// Deprecated.
        public let isDeprecated: Bool

        /// A signal.
        public init(_ name: StaticString, _ arguments: [Argument] = [], deprecated: Bool = false) {
            self.name = name
            self.arguments = arguments
            isDeprecated = deprecated
        }
    }

    /// A property that can be read.
    public struct Property {
        /// How a client learns of a new value.
        public enum Change: Sendable {
            /// It never changes.
            case constant
            /// PropertiesChanged with the value.
            case emits
            /// PropertiesChanged with the name.
            case invalidates
            /// Not at all.
            case silent
            /// Not at all; and it is in no list of all properties: a client asks for it by its name.
            case explicit
        }

        /// Its name.
        public let name: StaticString
        /// Its type.
        public let signature: StaticString
        /// How a client learns of a new value.
        public let change: Change
        /// Deprecated.
        public let isDeprecated: Bool
        /// Appends the value.
        public let getter: PropertyGetter

        /// A property; the getter is a literal closure, see ``filling(_:_:)``.
        public init(
            _ name: StaticString, _ signature: StaticString, _ change: Change, deprecated: Bool = false,
            getter: @escaping PropertyGetter
        ) {
            self.name = name
            self.signature = signature
            self.change = change
            isDeprecated = deprecated
            self.getter = getter
        }
    }

    /// The interface's name.
    public let name: StaticString
    /// Its methods, in the order of the XML.
    public let methods: [Method]
    /// Its signals.
    public let signals: [Signal]
    /// Its properties.
    public let properties: [Property]

    /// An interface.
    public init(
        _ name: StaticString, methods: [Method] = [], signals: [Signal] = [], properties: [Property] = []
    ) {
        self.name = name
        self.methods = methods
        self.signals = signals
        self.properties = properties
    }
}

// MARK: The table

extension InterfaceDescription {
    /// The table for ``Bus/addFallbackVtable(prefix:interface:vtable:userdata:lookup:)``: methods, signals, properties.
    ///
    /// sd-bus keeps pointers into it, so it is never freed: make it once.
    public func makeVtable() -> UnsafePointer<sd_bus_vtable> {
        var entries = [flowbus_vtable_start()]
        entries += methods.map(Self.entry)
        entries += signals.map(Self.entry)
        entries += properties.map(Self.entry)
        entries.append(flowbus_vtable_end())
        let table = UnsafeMutablePointer<sd_bus_vtable>.allocate(capacity: entries.count)
        // The unused parts of the union must be zero: sd_bus_vtable() zeroes them, and the copies stay so.
        table.initialize(from: entries, count: entries.count)
        Self.tables.withLock { $0.append(UInt(bitPattern: table)) }
        return UnsafePointer(table)
    }

    /// All tables, so that a search for leaks finds them when no bus has them any more.
    private static let tables = Mutex<[UInt]>([])

    private static func entry(_ method: Method) -> sd_bus_vtable {
        var entry = sd_bus_vtable()
        entry.type = UInt8(truncatingIfNeeded: _SD_BUS_VTABLE_METHOD)
        var flags = SD_BUS_VTABLE_UNPRIVILEGED
        if method.isDeprecated { flags |= SD_BUS_VTABLE_DEPRECATED }
        if method.isWithoutReply { flags |= SD_BUS_VTABLE_METHOD_NO_REPLY }
        entry.flags = UInt64(truncatingIfNeeded: flags)
        entry.x.method.member = method.name.cString
        entry.x.method.signature = signature(method.inputs)
        entry.x.method.result = signature(method.outputs)
        entry.x.method.handler = method.handler
        entry.x.method.names = names(method.inputs + method.outputs)
        return entry
    }

    private static func entry(_ signal: Signal) -> sd_bus_vtable {
        var entry = sd_bus_vtable()
        entry.type = UInt8(truncatingIfNeeded: _SD_BUS_VTABLE_SIGNAL)
        entry.flags = signal.isDeprecated ? UInt64(truncatingIfNeeded: SD_BUS_VTABLE_DEPRECATED) : 0
        entry.x.signal.member = signal.name.cString
        entry.x.signal.signature = signature(signal.arguments)
        entry.x.signal.names = names(signal.arguments)
        return entry
    }

    private static func entry(_ property: Property) -> sd_bus_vtable {
        var entry = sd_bus_vtable()
        entry.type = UInt8(truncatingIfNeeded: _SD_BUS_VTABLE_PROPERTY)
        var flags = property.change.flag
        if property.isDeprecated { flags |= SD_BUS_VTABLE_DEPRECATED }
        entry.flags = UInt64(truncatingIfNeeded: flags)
        entry.x.property.member = property.name.cString
        entry.x.property.signature = property.signature.cString
        entry.x.property.get = property.getter
        return entry
    }

    /// The types of all arguments, as one C string that is never freed.
    private static func signature(_ arguments: [Argument]) -> UnsafePointer<CChar> {
        forever(arguments.map { "\($0.signature)" }.joined())
    }

    /// The names of all arguments, each with a NUL at its end, and one more NUL.
    private static func names(_ arguments: [Argument]) -> UnsafePointer<CChar> {
        forever(arguments.map { "\($0.name)\0" }.joined())
    }

    private static func forever(_ text: String) -> UnsafePointer<CChar> {
        let bytes = Array(text.utf8)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
        copy.initialize(repeating: 0, count: bytes.count + 1)
        for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
        return UnsafePointer(copy)
    }
}

extension InterfaceDescription.Property.Change {
    var flag: UInt {
        switch self {
        case .constant: SD_BUS_VTABLE_PROPERTY_CONST
        case .emits: SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE
        case .invalidates: SD_BUS_VTABLE_PROPERTY_EMITS_INVALIDATION
        case .silent: 0
        case .explicit: SD_BUS_VTABLE_PROPERTY_EXPLICIT
        }
    }

    /// The value of the annotation org.freedesktop.DBus.Property.EmitsChangedSignal; none means "true".
    var annotation: String? {
        switch self {
        case .constant: "const"
        case .emits: nil
        case .invalidates: "invalidates"
        case .silent, .explicit: "false"
        }
    }
}
