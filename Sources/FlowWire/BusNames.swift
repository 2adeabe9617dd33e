/// Every name of the bus contract, `org.flowbus.Navigation1(5)`, and of what D-Bus itself has that goes with it.
///
/// They are computed so that a program has them as its own literals: a `static let` of another module is asked for.
package enum BusNames {
    /// The well-known name.
    @inlinable package static var service: StaticString { "org.flowbus.Navigation1" }
    /// The root object: Coordinator, History and ObjectManager.
    @inlinable package static var root: StaticString { "/org/flowbus/Navigation1" }
    /// The path above the roots of the forest.
    @inlinable package static var tree: StaticString { "/org/flowbus/Navigation1/tree" }
    /// The path above all presentables by their instances (``InstancePath``).
    @inlinable package static var instances: StaticString { "/org/flowbus/Navigation1/instance" }
    /// What every error's name begins with; ``FlowCore/FlowError/Code/busName`` is the whole.
    @inlinable package static var errorPrefix: String { "org.flowbus.Navigation1.Error." }
    /// The bus itself: its name, and its interface.
    @inlinable package static var bus: StaticString { "org.freedesktop.DBus" }
    /// The bus's own object.
    @inlinable package static var busPath: StaticString { "/org/freedesktop/DBus" }

    /// The roles that objects play.
    package enum Interface {
        /// Takes steps: each node.
        @inlinable package static var stepper: StaticString { "org.flowbus.Navigation1.Stepper" }
        /// Is shown and dismissed: each node.
        @inlinable package static var presentable: StaticString { "org.flowbus.Navigation1.Presentable" }
        /// Tells of navigations: each flow.
        @inlinable package static var flow: StaticString { "org.flowbus.Navigation1.Flow" }
        /// The root object.
        @inlinable package static var coordinator: StaticString { "org.flowbus.Navigation1.Coordinator" }
        /// The root object, too.
        @inlinable package static var history: StaticString { "org.flowbus.Navigation1.History" }
        /// What other processes implement: shows screens.
        @inlinable package static var presenter: StaticString { "org.flowbus.Navigation1.Presenter" }
        /// What other processes implement: lets steps pass, or not.
        @inlinable package static var `guard`: StaticString { "org.flowbus.Navigation1.Guard" }
        /// What other processes implement: says what a step leads to.
        @inlinable package static var navigator: StaticString { "org.flowbus.Navigation1.Navigator" }
        /// What GTK and Qt programs implement; Desktop Entry Specification, "D-Bus Activation".
        @inlinable package static var application: StaticString { "org.freedesktop.Application" }
        /// Tells which objects there are; D-Bus specification, "Standard Interfaces".
        @inlinable package static var objectManager: StaticString { "org.freedesktop.DBus.ObjectManager" }
        /// Tells what objects are like; D-Bus specification, "Standard Interfaces".
        @inlinable package static var properties: StaticString { "org.freedesktop.DBus.Properties" }

        /// What sd-bus gives every object. GetManagedObjects lists them, so the signals have to, too: a client such as
        /// GLib's drops an object when as many interfaces went as it had.
        package static let standard: [StaticString] = [
            "org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Introspectable", properties,
        ]
    }

    /// Errors that are not the service's alone.
    package enum StandardError {
        /// What a caller may not do.
        @inlinable package static var accessDenied: StaticString { "org.freedesktop.DBus.Error.AccessDenied" }
        /// There is no object at a path.
        @inlinable package static var unknownObject: StaticString { "org.freedesktop.DBus.Error.UnknownObject" }
        /// What the bus says of a call that it has no room for.
        @inlinable package static var limitsExceeded: StaticString { "org.freedesktop.DBus.Error.LimitsExceeded" }
        /// What sd-bus makes of an answer that does not come in time; the bus says it of one that will not come.
        @inlinable package static var noReply: StaticString { "org.freedesktop.DBus.Error.NoReply" }
        /// What others say of an answer that does not come in time.
        @inlinable package static var timeout: StaticString { "org.freedesktop.DBus.Error.Timeout" }
        /// The same, as others spell it.
        @inlinable package static var timedOut: StaticString { "org.freedesktop.DBus.Error.TimedOut" }
        /// An object does not have the method that is called.
        @inlinable package static var unknownMethod: StaticString { "org.freedesktop.DBus.Error.UnknownMethod" }
        /// An object does not have the interface that is called.
        @inlinable package static var unknownInterface: StaticString { "org.freedesktop.DBus.Error.UnknownInterface" }
        /// What was sent with a call can't be read.
        @inlinable package static var invalidArgs: StaticString { "org.freedesktop.DBus.Error.InvalidArgs" }
        /// A call failed, and the text says why.
        @inlinable package static var failed: StaticString { "org.freedesktop.DBus.Error.Failed" }
        /// Nobody has the name that is called, and the bus knows no program to start for it.
        @inlinable package static var serviceUnknown: StaticString { "org.freedesktop.DBus.Error.ServiceUnknown" }
        /// Nobody has the name.
        @inlinable package static var nameHasNoOwner: StaticString { "org.freedesktop.DBus.Error.NameHasNoOwner" }
        /// What the names of errors begin with that say why the bus could not start a program: `….Spawn.ExecFailed`.
        @inlinable package static var spawnPrefix: String { "org.freedesktop.DBus.Error.Spawn" }
    }
}
