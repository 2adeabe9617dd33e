/// Every name of the bus contract, `org.flowbus.Navigation1(5)`, and the names of D-Bus that go with it.
///
/// They are computed properties, so that each program has them as literals; a `static let` of another module is a call.
package enum BusNames {
    /// The well-known name.
    @inlinable package static var service: StaticString { "org.flowbus.Navigation1" }
    /// The root object: Coordinator, History and ObjectManager.
    @inlinable package static var root: StaticString { "/org/flowbus/Navigation1" }
    /// The program that stacks windows in the order of GetStack: its name, and its interface.
    @inlinable package static var stacker: StaticString { "org.flowbus.Stacker1" }
    /// The stacker's object.
    @inlinable package static var stackerPath: StaticString { "/org/flowbus/Stacker1" }
    /// The path above the roots of the forest.
    @inlinable package static var tree: StaticString { "/org/flowbus/Navigation1/tree" }
    /// The path above all presentables by their instances (``InstancePath``).
    @inlinable package static var instances: StaticString { "/org/flowbus/Navigation1/instance" }
    /// The bus itself: its name, and its interface.
    @inlinable package static var bus: StaticString { "org.freedesktop.DBus" }
    /// The bus's own object.
    @inlinable package static var busPath: StaticString { "/org/freedesktop/DBus" }

    /// The roles that objects play.
    package enum Interface {
        /// Every presentable: takes steps.
        @inlinable package static var stepper: StaticString { "org.flowbus.Navigation1.Stepper" }
        /// Every presentable: is shown and dismissed.
        @inlinable package static var presentable: StaticString { "org.flowbus.Navigation1.Presentable" }
        /// Every flow: reports navigations.
        @inlinable package static var flow: StaticString { "org.flowbus.Navigation1.Flow" }
        /// The root object.
        @inlinable package static var coordinator: StaticString { "org.flowbus.Navigation1.Coordinator" }
        /// The root object: past navigations.
        @inlinable package static var history: StaticString { "org.flowbus.Navigation1.History" }
        /// Implemented by other processes: shows screens.
        @inlinable package static var presenter: StaticString { "org.flowbus.Navigation1.Presenter" }
        /// Implemented by other processes: accepts, adapts or rejects steps.
        @inlinable package static var `guard`: StaticString { "org.flowbus.Navigation1.Guard" }
        /// Implemented by other processes: decides where a step leads.
        @inlinable package static var navigator: StaticString { "org.flowbus.Navigation1.Navigator" }
        /// Implemented by GTK and Qt programs; Desktop Entry Specification, "D-Bus Activation".
        @inlinable package static var application: StaticString { "org.freedesktop.Application" }
        /// Lists the objects; D-Bus specification, "Standard Interfaces".
        @inlinable package static var objectManager: StaticString { "org.freedesktop.DBus.ObjectManager" }
        /// Describes an object; D-Bus specification, "Standard Interfaces".
        @inlinable package static var introspectable: StaticString { "org.freedesktop.DBus.Introspectable" }
        /// Reads properties; D-Bus specification, "Standard Interfaces".
        @inlinable package static var properties: StaticString { "org.freedesktop.DBus.Properties" }

        /// The interfaces that sd-bus adds to every object. GetManagedObjects lists them, so the signals have to, too: GLib
        /// drops an object when as many interfaces were removed as it had.
        package static let standard: [StaticString] = [
            "org.freedesktop.DBus.Peer", introspectable, properties,
        ]
    }

    /// Errors of D-Bus, apart from the service's own.
    package enum BusError {
        /// The caller has no permission.
        @inlinable package static var accessDenied: StaticString { "org.freedesktop.DBus.Error.AccessDenied" }
        /// The object does not support the call.
        @inlinable package static var notSupported: StaticString { "org.freedesktop.DBus.Error.NotSupported" }
        /// There is no object at a path.
        @inlinable package static var unknownObject: StaticString { "org.freedesktop.DBus.Error.UnknownObject" }
        /// The bus has no room for the call.
        @inlinable package static var limitsExceeded: StaticString { "org.freedesktop.DBus.Error.LimitsExceeded" }
        /// No answer came in time (from sd-bus), or none can come any more (from the bus).
        @inlinable package static var noReply: StaticString { "org.freedesktop.DBus.Error.NoReply" }
        /// No answer came in time, from other libraries.
        @inlinable package static var timeout: StaticString { "org.freedesktop.DBus.Error.Timeout" }
        /// Another spelling of ``timeout``.
        @inlinable package static var timedOut: StaticString { "org.freedesktop.DBus.Error.TimedOut" }
        /// The object does not have the method.
        @inlinable package static var unknownMethod: StaticString { "org.freedesktop.DBus.Error.UnknownMethod" }
        /// The object does not have the interface.
        @inlinable package static var unknownInterface: StaticString { "org.freedesktop.DBus.Error.UnknownInterface" }
        /// The arguments of the call can't be read.
        @inlinable package static var invalidArgs: StaticString { "org.freedesktop.DBus.Error.InvalidArgs" }
        /// The call failed for the reason in the text.
        @inlinable package static var failed: StaticString { "org.freedesktop.DBus.Error.Failed" }
        /// Nobody owns the name, and the bus knows no program to start for it.
        @inlinable package static var serviceUnknown: StaticString { "org.freedesktop.DBus.Error.ServiceUnknown" }
        /// Nobody owns the name.
        @inlinable package static var nameHasNoOwner: StaticString { "org.freedesktop.DBus.Error.NameHasNoOwner" }
        /// The prefix of errors for a program that the bus could not start: `….Spawn.ExecFailed`.
        @inlinable package static var spawnPrefix: String { "org.freedesktop.DBus.Error.Spawn" }
    }
}
