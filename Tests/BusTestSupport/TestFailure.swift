/// Something a test waited for didn't happen; the text says what, and what happened instead.
public struct TestFailure: Error, CustomStringConvertible, Sendable {
    /// What to tell who reads the test's report.
    public let description: String

    /// A failure with its report.
    public init(_ description: String) { self.description = description }
}

/// How long a test may wait before it has failed. It is a bound for failures and never paces a test, so it is long
/// enough for a busy machine under a sanitizer.
public let failureBound: Duration = .seconds(30)

/// A point in time after which waiting has failed.
struct Deadline {
    private let end: ContinuousClock.Instant

    init(_ bound: Duration) { end = ContinuousClock.now + bound }

    var isOver: Bool { ContinuousClock.now >= end }

    /// What is left, in ms for poll(2); never less than 0.
    var milliseconds: Int32 {
        let left = (end - ContinuousClock.now).components
        // For poll(2), less than 0 would be for ever.
        return max(0, Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000))
    }
}
