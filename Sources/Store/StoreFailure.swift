/// Why a file can't be opened, read or written.
public struct StoreFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What can be done about it.
    public enum Kind: Equatable, Sendable {
        /// It is damaged, of another format, or not ours: it has to be moved aside, and a new one begun (D-6).
        case unreadable
        /// Another process has it open.
        case locked
        /// It can't be written now, for instance because the disk is full; that can change (D-7).
        case unwritable
    }

    /// What can be done about it.
    public let kind: Kind
    /// The file and the reason, for a person.
    public let description: String
    /// Whether SQLite reports it. It takes some calls of the system that fail for damage of the file, so another look may find that
    /// whole.
    public let isOfSQLite: Bool
    /// Whether SQLite got no memory.
    let isOutOfMemory: Bool

    /// A failure of this kind.
    public init(_ kind: Kind, _ description: String, isOfSQLite: Bool = false) {
        self.init(kind, description, isOfSQLite: isOfSQLite, isOutOfMemory: false)
    }

    init(_ kind: Kind, _ description: String, isOfSQLite: Bool, isOutOfMemory: Bool) {
        self.kind = kind
        self.description = description
        self.isOfSQLite = isOfSQLite
        self.isOutOfMemory = isOutOfMemory
    }
}
