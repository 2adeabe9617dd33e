public import FlowCore

/// A navigation in the history (`GetHistory`).
public struct HistoryEntry: Equatable, Sendable {
    /// Its serial (S-10).
    public var serial: UInt64
    /// When it occurred, in µs since 1970 (UTC).
    public var time: UInt64
    /// The flow's path.
    public var flow: String
    /// The flow's name.
    public var definition: String
    /// The step's name; empty for a Back that dismissed.
    public var step: String
    /// The step's arguments, without private ones.
    public var arguments: Arguments
    /// The serial of the navigation that triggered it; 0 for the origin of a cascade.
    public var cause: UInt64
    /// The unique name of the client that began the cascade; empty for the daemon.
    public var sender: String
    /// The applied contributors, in order.
    public var contributors: [Contribution]
}

extension HistoryEntry {
    /// Bytes that an entry takes in an answer beside its texts and arguments: `(tossa{sv}a{sv})` with all padding, the
    /// names and types of its details counted in.
    private static let wireBytes = 192
    /// The same for a contributor, `(ssoa{sv})`, without its style.
    private static let contributorBytes = 48
    /// The same for the entry "style" of a contributor.
    private static let styleBytes = 32
    /// The same for the entry "arguments" of a contributor.
    private static let argumentsBytes = 40

    /// An upper bound of its bytes in an answer.
    var byteCount: Int {
        Self.wireBytes + flow.utf8.count + definition.utf8.count + step.utf8.count + sender.utf8.count
            + arguments.byteCount
            + contributors.reduce(0) { $0 + Self.byteCount(of: $1) }
    }

    private static func byteCount(of contributor: Contribution) -> Int {
        var count = contributorBytes + contributor.kind.rawValue.utf8.count + contributor.name.utf8.count
        count += contributor.path?.utf8.count ?? 0
        if !contributor.style.isEmpty { count += styleBytes + contributor.style.utf8.count }
        if !contributor.arguments.isEmpty { count += argumentsBytes + contributor.arguments.byteCount }
        return count
    }
}
