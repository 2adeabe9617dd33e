/// The clock of a host: the time limits of ``Flow/adapt(step:)``.
package struct HostClock: Sendable {
    /// The time since the clock was created.
    let elapsed: @Sendable () -> Duration
    /// Waits for a time. A clock that has the actor, as that of tests, knows who sleeps before another task has its turn.
    let sleep: @FlowActor @Sendable (Duration) async throws -> Void

    package init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
    }

    /// The clock of this device, which goes on while it sleeps.
    package static var continuous: HostClock { HostClock(ContinuousClock()) }
}
