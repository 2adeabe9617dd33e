/// Why a file can't be opened, read or written.
public struct StoreFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What can be done about it.
    public enum Kind: Equatable, Sendable {
        /// It is damaged, of a newer format, or not ours: nothing but to move it aside, and to begin another one (D-6).
        case unreadable
        /// Another process has it open.
        case locked
        /// It can't be written now: the disk is full, or it may not be written. Later it may be (D-7).
        case unwritable
    }

    /// What can be done about it.
    public let kind: Kind
    /// Which file, and why, for a person.
    public let description: String

    /// A failure of this kind.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
