public import FlowCore

/// A navigation that has happened (`GetHistory`).
public struct HistoryEntry: Equatable, Sendable {
    /// Its serial (S-10).
    public var serial: UInt64
    /// When it happened, in µs since 1970 (UTC).
    public var time: UInt64
    /// The flow's path.
    public var flow: String
    /// The flow's name.
    public var definition: String
    /// The step's name; empty for a Back that dismissed.
    public var step: String
    /// The step's arguments, without private ones.
    public var arguments: Arguments
    /// The serial of the navigation that set it off; 0: from outside.
    public var cause: UInt64
    /// The unique name of who began the chain; empty: the daemon.
    public var sender: String
    /// What was applied, in order: the kind, the name if there is one, and the path where there is one, with blanks
    /// between them.
    public var contributors: [String]
}

extension HistoryEntry {
    /// Bytes that an entry takes in an answer beside its texts and arguments: `(tossa{sv}a{sv})` with all padding, the
    /// names and types of its details counted in.
    private static let wireBytes = 192
    /// The same for a text in a list: its length, its end and padding.
    private static let textBytes = 8

    /// Not less than what it takes in an answer, in bytes.
    var byteCount: Int {
        Self.wireBytes + flow.utf8.count + definition.utf8.count + step.utf8.count + sender.utf8.count
            + arguments.byteCount
            + contributors.reduce(0) { $0 + Self.textBytes + $1.utf8.count }
    }
}
