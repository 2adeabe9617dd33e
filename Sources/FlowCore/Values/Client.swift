/// A connection to the bus, by its unique name; the empty name is the daemon itself.
///
/// A bus never uses a unique name again, so the usage of a client is never counted for another one.
public struct Client: Hashable, Sendable {
    /// The unique name, such as `:1.42`. A service with a stepper stands here with its well-known name (S-42).
    public let name: String

    /// Creates the client with a unique name.
    public init(_ name: String) { self.name = name }

    /// The daemon, as the client that starts the roots of `autostart`.
    public static let daemon = Client("")

    /// Stands for the clients of another bus, after a restart: none of them is connected any more (D-3).
    static let former = Client("former")

    /// Whether it stands for a service with a stepper. It may be on another bus, and has no usage.
    var isService: Bool { name.utf8.first != UInt8(ascii: ":") && name.contains(".") }
    /// Whether it is a connection whose usage counts.
    var isConnection: Bool { !isService && self != .daemon }
}
