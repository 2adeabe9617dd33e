/// An error that dismissed a presentable: `$error` and `$message` in `onDismissed` (S-23).
public struct Fault: Equatable, Sendable {
    /// The name of the D-Bus error, or the verdict on the step that was to fill a flow.
    public let name: String
    /// The error's text.
    public let message: String

    /// The error as one line for people.
    public var text: String { message.isEmpty ? name : name.isEmpty ? message : "\(message) (\(name))" }

    /// An error with a name and a text, of which at most ``Limits/faultLength`` bytes are kept: its beginning and its end.
    public init(_ name: String, _ message: String) {
        self.name = name
        self.message = Names.shortened(message, to: Limits.faultLength)
    }

    /// The error by which a presenter says that it will never show the screen (S-47).
    public static let refusal = "org.flowbus.Navigation1.Error.Refused"

    /// Whether the bus says that no process got the call.
    var saysNothingArrived: Bool {
        let prefix = "org.freedesktop.DBus.Error."
        guard name.hasPrefix(prefix) else { return false }
        let rest = name.dropFirst(prefix.count)
        return rest == "ServiceUnknown" || rest == "NameHasNoOwner" || rest.hasPrefix("Spawn.")
    }

    /// An error of the coordinator.
    public init(_ error: FlowError) { self.init(error.code.busName, error.message) }
}
