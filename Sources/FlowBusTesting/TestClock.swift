internal import FlowBus
import Synchronization

/// A clock that a test moves.
///
/// ```swift
/// let clock = TestClock()
/// let store = try await TestStore(LoginFlow(), clock: clock)
/// …
/// await clock.advance(by: .seconds(10))
/// ```
public final class TestClock: Clock, Sendable {
    /// A time of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let offset: Duration

        /// Creates a time.
        ///
        /// - Parameter offset: the time since the clock was created.
        public init(offset: Duration) { self.offset = offset }

        /// Returns a later time.
        ///
        /// - Parameter duration: how much later.
        /// - Returns: The time.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the time up to another one.
        ///
        /// - Parameter other: the other time.
        /// - Returns: The time between.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns whether a time is before another one.
        ///
        /// - Parameters:
        ///   - one: a time.
        ///   - other: another one.
        /// - Returns: Whether it is.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        let due: Instant
        let wake: CheckedContinuation<Void, any Error>
    }

    // The protocol's requirements can be called on any thread.
    private let state = Mutex(State())

    private struct State {
        var now = Instant(offset: .zero)
        /// In the order in which they began.
        var sleepers: [(number: UInt64, sleeper: Sleeper)] = []
        var lastNumber: UInt64 = 0
        /// Who wants to know that a sleeper is awake, by its number.
        var awaited: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Those that were cancelled before they slept.
        var cancelled: Set<UInt64> = []
    }

    /// Creates a clock, at zero.
    public init() {}

    /// The time, which only ``advance(by:)`` moves.
    public var now: Instant { state.withLock(\.now) }

    /// Zero.
    public var minimumResolution: Duration { .zero }

    /// Waits until the test has moved the clock to a time.
    ///
    /// It runs on the actor of ``advance(by:)``. So a task of that actor that comes to it before that call does sleeps by then, however
    /// busy the machine is, and what it does when it wakes comes before that of those who sleep longer.
    ///
    /// - Parameters:
    ///   - deadline: the time.
    ///   - tolerance: of no effect.
    /// - Throws: `CancellationError` if the task is cancelled.
    @FlowActor
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers.append((number, Sleeper(due: deadline, wake: wake)))
                    return nil
                }
                if let result { wake.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                guard let place = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return Sleeper?.none
                }
                return state.sleepers.remove(at: place).sleeper
            }
            sleeper?.wake.resume(throwing: CancellationError())
        }
        let awaiting = state.withLock { state in
            // A task that was cancelled after it had slept.
            state.cancelled.remove(number)
            return state.awaited.removeValue(forKey: number)
        }
        awaiting?.resume()
    }

    // The one of the standard library leaves the actor.

    /// Waits until the test has moved the clock by some time.
    ///
    /// - Parameters:
    ///   - duration: the time.
    ///   - tolerance: of no effect.
    /// - Throws: `CancellationError` if the task is cancelled.
    @FlowActor
    public func sleep(for duration: Duration, tolerance: Duration? = nil) async throws {
        try await sleep(until: now.advanced(by: duration), tolerance: tolerance)
    }

    /// Moves the clock. Whoever sleeps until then wakes in the order of time, and what it does on the main actor is done when this
    /// returns, as far as it waits for nothing else.
    ///
    /// - Parameter duration: how far.
    @FlowActor
    public func advance(by duration: Duration) async {
        let end = now.advanced(by: duration)
        // Tasks that have just begun have to sleep first.
        await Self.letOthersRun()
        while let (number, sleeper) = takeFirst(until: end) {
            await withCheckedContinuation { awake in
                state.withLock { $0.awaited[number] = awake }
                sleeper.wake.resume()
            }
            await Self.letOthersRun()
        }
        state.withLock { $0.now = max($0.now, end) }
        await Self.letOthersRun()
    }

    /// Takes whoever wakes first, and moves the clock to then.
    private func takeFirst(until end: Instant) -> (number: UInt64, sleeper: Sleeper)? {
        state.withLock { state in
            let due = state.sleepers.indices.filter { state.sleepers[$0].sleeper.due <= end }
            guard let place = due.min(by: { state.sleepers[$0].sleeper.due < state.sleepers[$1].sleeper.due }) else {
                return nil
            }
            let first = state.sleepers.remove(at: place)
            state.now = max(state.now, first.sleeper.due)
            return first
        }
    }

    /// The number of turns that the other tasks of the main actor get.
    private static let turnCount = 16

    @FlowActor
    private static func letOthersRun() async {
        for _ in 0..<turnCount {
            // Those of this actor have their turn: to wait for another task alone may be no wait, if that one has ended by then.
            await Task.yield()
            await Task.detached(priority: .background) { await Task.yield() }.value
        }
    }
}
