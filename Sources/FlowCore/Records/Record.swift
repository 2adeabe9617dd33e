// The part of a coordinator that outlives its process. The machine reports changed records, and is restored from all of
// them; the driver decides where and when they are stored.

/// The key of a record, which is a part of a coordinator, such as a node.
public struct RecordKey: Hashable, Comparable, Sendable {
    /// The kind of record. The raw values are part of the format: they never change.
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// The reserved serials and instances (S-10); only number 0.
        case counters = 1
        /// A live presentable, by its instance.
        case node = 2
        /// A live flow's latest navigation, and when it was reached, by its instance.
        case activity = 3
        /// A waiting step.
        case step = 4
        /// The remaining steps of a list (`EmitSteps`).
        case list = 5
        /// The steps that an origin has triggered (S-11).
        case origin = 6
        /// The outcome of a call with a token.
        case token = 7
        /// A registered flow.
        case registration = 8
        /// The owner of a bus name that definitions contain.
        case nameOwner = 9
        /// The progress of a call that continues in slices.
        case progress = 10
        /// The value of a property that a root got last (S-42).
        case stepper = 11
        /// The state that the owner of a screen saved (S-44), by the screen's instance.
        case savedState = 12
        /// An ask (S-45).
        case ask = 13
        /// The values of the context that were set (S-57): those of a flow by its instance, those of the coordinator with number 0.
        case context = 14
        /// The outputs that there are (S-53); only number 0.
        case outputs = 15
    }

    /// The kind.
    public let kind: Kind
    /// The number within the kind, less than ``numbers``.
    public let number: UInt64

    /// The number of numbers: 2⁵⁶.
    static let numbers: UInt64 = 1 << 56

    /// Creates a key.
    public init(_ kind: Kind, _ number: UInt64) {
        self.kind = kind
        self.number = number
    }

    /// Kind and number as one number, which is also positive as a signed one.
    public var rawValue: UInt64 { UInt64(kind.rawValue) << 56 | number }

    /// Creates the key with a raw value; nil if this version has no such kind.
    public init?(rawValue: UInt64) {
        guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: rawValue >> 56)) else { return nil }
        self.init(kind, rawValue & (Self.numbers - 1))
    }

    /// Orders keys by kind, then by number.
    public static func < (one: RecordKey, other: RecordKey) -> Bool { one.rawValue < other.rawValue }
}

/// A record of a part of a coordinator.
public struct Record: Equatable, Sendable {
    /// The key.
    public let key: RecordKey
    /// The contents, in the format of the core; nil if the part is gone, and with it the record.
    public let body: [UInt8]?

    /// The body of a node, if it was read already; it follows from the body.
    let node: RecordSet.StoredNode?

    /// Creates a record.
    public init(_ key: RecordKey, _ body: [UInt8]?) { self.init(key, body, node: nil) }

    /// The record of a part.
    init(_ kind: RecordKey.Kind, _ number: UInt64, _ body: some RecordBody) {
        self.init(RecordKey(kind, number), body.encoded())
    }

    init(_ key: RecordKey, _ body: [UInt8]?, node: RecordSet.StoredNode?) {
        self.key = key
        self.body = body
        self.node = node
    }

    /// Whether it is that of the coordinator's context, of which a part outlives the bus whether or not the tree does (S-57).
    public var isOfContext: Bool { key == RecordKey(.context, 0) }

    /// Returns whether two records say the same.
    public static func == (one: Record, other: Record) -> Bool { one.key == other.key && one.body == other.body }
}
