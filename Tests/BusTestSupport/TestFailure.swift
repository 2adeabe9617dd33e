/// An event that a test waited for did not happen; the text says which, and what happened instead.
public struct TestFailure: Error, CustomStringConvertible, Sendable {
    /// The text for the test's report.
    public let description: String

    /// A failure with its report.
    public init(_ description: String) { self.description = description }
}

/// The time limit of a wait. It is a bound for failures and never paces a test, so it is long enough for a busy machine,
/// and for one under a sanitizer, where all takes about ten times as long.
public let failureBound: Duration = .seconds(Sanitizer.current == nil ? 30 : 240)

/// The time at which a wait fails.
struct Deadline {
    private let end: ContinuousClock.Instant

    init(_ bound: Duration) { end = ContinuousClock.now + bound }

    var isOver: Bool { ContinuousClock.now >= end }

    /// The remaining time in ms for poll(2); never less than 0.
    var milliseconds: Int32 {
        let left = (end - ContinuousClock.now).components
        // For poll(2), a negative value means no limit.
        return max(0, Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000))
    }
}
