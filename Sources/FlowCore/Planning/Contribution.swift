/// An applied contributor.
public struct Contribution: Equatable, Sendable {
    /// The kind of a contributor.
    public enum Kind: String, CaseIterable, Sendable {
        /// A new screen.
        case screen
        /// A new child flow.
        case flow
        /// A live child with new arguments (S-19).
        case reuse
        /// The dismissal of all children (S-19).
        case clear
        /// The dismissal of newer children; it names the presentable that is the newest now, if there is one (S-19).
        case pop
        /// Another step for the same flow.
        case current
        /// A step for the parent.
        case parent
        /// The end of the flow.
        case end
        /// The dismissal of a child by Back (S-24).
        case back
        /// A child that came to the front; it names the child, if there is one (S-37).
        case show
        /// A child flow that is hidden now; it names the child, if there is one (S-37).
        case hide
        /// The dismissal of one child; it names the child that is gone, if there was one (S-37).
        case dismiss
        /// The eviction of the covered screens of the tree (S-44).
        case evict
        /// Other values of the context; its arguments are these values (S-57).
        case set
        /// Another output for the root: its name, or empty for none, and the root's path (S-53).
        case move
    }

    /// The kind.
    public var kind: Kind
    /// The name of the presentable or step; empty for an `end` without a step and for `clear`.
    public var name: String
    /// The path of the presentable, or of the flow that gets the step; nil if there is none.
    public var path: String?
    /// The arguments of the presentable or step, without private ones.
    public var arguments: Arguments
    /// The style of the presentable; empty if it has none.
    public var style: String
}

extension Contribution {
    /// Creates an applied contributor.
    public init(kind: Kind, name: String, path: String? = nil, style: String = "", arguments: Arguments = []) {
        // All members at once: one that gets them one by one would be copied at the end.
        self.init(kind: kind, name: name, path: path, arguments: arguments, style: style)
    }
}

// MARK: - Records

extension Contribution: RecordPart {
    static var unread: Contribution { Contribution(kind: .end, name: "") }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(choice: &kind)
        try coder.code(&name)
        var path = path ?? ""
        try coder.code(&path)
        self.path = path.isEmpty ? nil : path
        try coder.code(&style)
        try coder.code(&arguments)
    }
}

extension RecordWriter {
    /// Writes the contributors that a navigation applied.
    public mutating func append(_ contributions: [Contribution]) {
        var contributions = contributions
        code(&contributions)
    }
}

extension RecordReader {
    /// Reads the contributors that a navigation applied.
    public mutating func contributions() throws(RecordFailure) -> [Contribution] {
        var contributions: [Contribution] = []
        try code(&contributions)
        return contributions
    }
}
