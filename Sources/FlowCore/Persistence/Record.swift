// What of a coordinator outlives its process. The machine says which records changed, and is rebuilt from all of them;
// where they are kept, and when, is the shell's business.

/// Names a record: a part of a coordinator, such as a node, that is kept by itself.
public struct RecordKey: Hashable, Comparable, Sendable {
    /// What the record is about. The raw values are part of the format: they never change.
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// How far serials and instances are reserved (S-10); there is one, of number 0.
        case counters = 1
        /// A live presentable, by its instance.
        case node = 2
        /// What happened last at a live flow, by its instance: its latest navigation, and when it was reached.
        case activity = 3
        /// A step that waits.
        case step = 4
        /// What is left of a list of steps (`EmitSteps`).
        case list = 5
        /// What an origin triggered so far (S-11).
        case origin = 6
        /// The outcome of a call that its caller gave a name.
        case token = 7
        /// A flow that a client implements.
        case registration = 8
        /// Who owned a bus name that definitions have.
        case nameOwner = 9
        /// How far a call is that goes on in slices.
        case progress = 10
    }

    /// What it is about.
    public let kind: Kind
    /// Which of these: less than ``numbers``.
    public let number: UInt64

    /// How many numbers there are: 2⁵⁶.
    static let numbers: UInt64 = 1 << 56

    /// The record of this kind and number.
    public init(_ kind: Kind, _ number: UInt64) {
        self.kind = kind
        self.number = number
    }

    /// Both as one number, which is positive as a signed one, too.
    public var rawValue: UInt64 { UInt64(kind.rawValue) << 56 | number }

    /// The key that ``rawValue`` stands for; nil: none of this version.
    public init?(rawValue: UInt64) {
        guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: rawValue >> 56)) else { return nil }
        self.init(kind, rawValue & (Self.numbers - 1))
    }

    /// By kind, then by number.
    public static func < (one: RecordKey, other: RecordKey) -> Bool { one.rawValue < other.rawValue }
}

/// A part of a coordinator as it is kept.
public struct Record: Equatable, Sendable {
    /// Which part.
    public let key: RecordKey
    /// What it says, in the core's own format; nil: the part is gone, and the record with it.
    public let body: [UInt8]?

    /// A record that says this.
    public init(_ key: RecordKey, _ body: [UInt8]?) {
        self.key = key
        self.body = body
    }
}
