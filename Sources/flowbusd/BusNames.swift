/// Every name that others know the daemon by: on the bus, in the log, in the environment.
enum BusNames {
    /// The well-known name.
    static let service: StaticString = "org.flowbus.Navigation1"
    /// The root object: Coordinator, History and ObjectManager.
    static let root: StaticString = "/org/flowbus/Navigation1"
    /// The path above the roots of the forest.
    static let tree: StaticString = "/org/flowbus/Navigation1/tree"
    /// What every error's name begins with.
    static let errorPrefix = "org.flowbus.Navigation1.Error."

    /// The roles that objects play.
    enum Interface {
        static let stepper: StaticString = "org.flowbus.Navigation1.Stepper"
        static let presentable: StaticString = "org.flowbus.Navigation1.Presentable"
        static let flow: StaticString = "org.flowbus.Navigation1.Flow"
        static let coordinator: StaticString = "org.flowbus.Navigation1.Coordinator"
        static let history: StaticString = "org.flowbus.Navigation1.History"
        /// What other processes implement.
        static let presenter: StaticString = "org.flowbus.Navigation1.Presenter"
        static let `guard`: StaticString = "org.flowbus.Navigation1.Guard"
        static let navigator: StaticString = "org.flowbus.Navigation1.Navigator"
        /// What GTK and Qt programs implement; Desktop Entry Specification, "D-Bus Activation".
        static let application: StaticString = "org.freedesktop.Application"
        static let objectManager: StaticString = "org.freedesktop.DBus.ObjectManager"
        static let properties: StaticString = "org.freedesktop.DBus.Properties"

        /// What sd-bus gives every object. GetManagedObjects lists them, so the signals have to, too: a client such as
        /// GLib's drops an object when as many interfaces went as it had.
        static let standard: [StaticString] = [
            "org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Introspectable", properties,
        ]
    }

    /// The bus's own error for what a caller may not do.
    static let accessDenied: StaticString = "org.freedesktop.DBus.Error.AccessDenied"

    /// The bus's own error for a path that is no object.
    static let unknownObject: StaticString = "org.freedesktop.DBus.Error.UnknownObject"

    /// What a guard answers to reject a step.
    static let rejected = errorPrefix + "Rejected"
    /// The bus itself.
    static let bus: StaticString = "org.freedesktop.DBus"
    /// What the bus says of a call that it has no room for.
    static let limitsExceeded: StaticString = "org.freedesktop.DBus.Error.LimitsExceeded"
    /// What sd-bus makes of an answer that does not come in time; the bus says it of one that will not come.
    static let noReply: StaticString = "org.freedesktop.DBus.Error.NoReply"
    /// What others say of an answer that does not come in time.
    static let timeout: StaticString = "org.freedesktop.DBus.Error.Timeout"

    /// The fields that a line of the journal carries.
    enum LogField {
        static let flow = "FLOWBUS_FLOW"
        static let step = "FLOWBUS_STEP"
        static let serial = "FLOWBUS_SERIAL"
        static let sender = "FLOWBUS_SENDER"
        /// Who was asked: a guard, a navigator, a presenter.
        static let peer = "FLOWBUS_PEER"
    }
}

/// What the daemon is, for those who ask.
enum Release {
    /// `Version`, `--version`.
    static let version: StaticString = "0.1.0"
    /// `InterfaceVersion`: raised by new members of the bus contract.
    static let interfaceVersion: UInt32 = 5
}
