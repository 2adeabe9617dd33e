/// A program of the device (`[programs]`): how it is started, and what it may do. flowbusd starts none; units are made of it.
///
/// Source: `flowbus.flows(5)`, "PROGRAMS".
public struct ProgramDeclaration: Hashable, Sendable {
    /// What starts a program.
    public enum Start: String, CaseIterable, Sendable {
        /// The first call to its bus name.
        case demand
        /// flowbusd, once the roots stand (S-44).
        case early
        /// The session: it is kept running as long as that lasts.
        case session
    }

    /// A word of its command line.
    public enum Word: Hashable, Sendable {
        /// This text.
        case text(String)
        /// The value of this variable of the environment.
        case variable(String)
    }

    /// What only some programs bear, by the name of systemd.exec(5).
    public enum Restriction: String, CaseIterable, Sendable {
        case memoryDenyWriteExecute = "MemoryDenyWriteExecute"
        case privateNetwork = "PrivateNetwork"
        case privateTmp = "PrivateTmp"
        case protectHome = "ProtectHome"
        case restrictNamespaces = "RestrictNamespaces"
    }

    /// Its bus name; without a dot, the name of a program that has none.
    public let name: String
    /// The absolute path of the program.
    public let path: String
    /// The arguments of the command line.
    public let arguments: [Word]
    /// What starts it.
    public let start: Start
    /// The most memory that it may have, as systemd writes it: `300M`; nil without a limit.
    public let memory: String?
    /// The longest time between two signs of life that it gives to systemd, in µs; nil if it gives none.
    public let watchdog: UInt64?
    /// The restrictions beyond those that every program gets, in the order of their names; nil if it gets none at all.
    public let restrictions: [Restriction]?
    /// The absolute path of the file that declares it.
    public let file: String

    /// The name that it owns on the bus; nil for none.
    public var busName: String? { Self.isBusName(name) ? name : nil }

    /// Whether the name of a program is that of the bus.
    static func isBusName(_ name: String) -> Bool { name.contains(".") }
}
