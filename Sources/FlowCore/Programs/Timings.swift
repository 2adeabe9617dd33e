/// How long screens take from the step that brings them in sight for the first time until they are visible (S-46).
///
/// A screen is timed while its presenter shows it, so where no presenter is called, there is nothing here.
struct Timings: Sendable {
    /// A screen whose presenter was called.
    private struct Pending {
        let start: PresentationTiming.Start
        let emitted: Instant
        let waited: UInt64
        let sent: Instant
        var answered: Instant?
    }

    /// A cascade that waits for guards or navigators, or whose caller said when the input was.
    struct Emission: Sendable {
        let emitted: Instant
        /// In µs.
        var waited: UInt64 = 0
        /// How many steps of the cascade wait, and since when.
        var waits = 0
        var since = Instant(microseconds: 0)
    }

    /// The timings of a screen by the way its presenter started.
    private struct Key: Hashable, Comparable {
        let screen: String
        let start: PresentationTiming.Start

        static func < (one: Key, other: Key) -> Bool {
            (one.screen, one.start.rawValue) < (other.screen, other.start.rawValue)
        }
    }

    private var pending: [NodeID: Pending] = [:]
    /// By origin. That of any other cascade was emitted now.
    private var table: [UInt64: Emission] = [:]
    /// The origins of those that don't wait any more, and so may have ended.
    private var ended: [UInt64] = []
    private var durations: [Key: Durations] = [:]
    /// The number of screens whose times are kept; if it is 0, none is timed.
    private let limit: Int

    init(limit: Int = Limits.timedScreens) { self.limit = limit }

    /// Cascades with times of their own, by origin.
    var emissions: [UInt64: Emission] { table }

    /// Whether no screen is being timed.
    var isIdle: Bool { pending.isEmpty }

    /// Whether cascades with times of their own may have ended.
    var hasEnded: Bool { !ended.isEmpty }

    // MARK: Cascades

    /// A caller said when the input was that led to the step of an origin. It can't have been later than now, nor long ago.
    mutating func note(input: UInt64, of origin: UInt64, at now: Instant) {
        let time = Instant(microseconds: input)
        guard time <= now, time.time(until: now) <= Limits.inputAge else { return }
        table[origin] = Emission(emitted: time)
        ended.append(origin)
    }

    /// A step of an origin begins to wait for a guard or a navigator. ``resume(_:at:)`` follows, whatever becomes of the step.
    mutating func suspend(_ origin: UInt64, at now: Instant) {
        if limit == 0 { return }
        var emission = table[origin] ?? Emission(emitted: now)
        if emission.waits == 0 { emission.since = now }
        emission.waits += 1
        table[origin] = emission
    }

    /// A step of an origin no longer waits.
    mutating func resume(_ origin: UInt64, at now: Instant) {
        guard var emission = table[origin], emission.waits > 0 else { return }
        emission.waits -= 1
        if emission.waits == 0 {
            emission.waited += emission.since.time(until: now)
            ended.append(origin)
        }
        table[origin] = emission
    }

    /// All cascades have ended or wait: forgets those that don't wait.
    mutating func forgetEnded() {
        for origin in ended where table[origin]?.waits == 0 { table[origin] = nil }
        ended.removeAll(keepingCapacity: true)
    }

    // MARK: Screens

    /// The presenter of a screen is called for the first time, because the cascade of an origin brought it in sight.
    mutating func begin(_ screen: NodeID, _ start: PresentationTiming.Start, origin: UInt64, at now: Instant) {
        if limit == 0 { return }
        let emission = table[origin]
        pending[screen] = Pending(
            start: start, emitted: emission?.emitted ?? now, waited: emission?.waited ?? 0, sent: now)
    }

    /// The presenter of a screen has answered.
    mutating func noteAnswer(_ screen: NodeID, at now: Instant) {
        if isIdle { return }
        if pending[screen]?.answered == nil { pending[screen]?.answered = now }
    }

    /// A screen has become visible. Returns how long it took; nil if it is not timed, or not shown all the same.
    mutating func end(_ screen: NodeID, path: String, name: String, isShown: Bool, at now: Instant)
        -> PresentationTiming?
    {
        guard let timed = pending.removeValue(forKey: screen), isShown else { return nil }
        let timing = PresentationTiming(
            path: path, screen: name, start: timed.start,
            sent: timed.emitted.time(until: timed.sent), answered: timed.emitted.time(until: timed.answered ?? now),
            visible: timed.emitted.time(until: now), waited: timed.waited)
        let key = Key(screen: name, start: timed.start)
        // Clients can register screens of any name.
        if durations[key] != nil || durations.count < limit {
            durations[key, default: Durations()].add(timing.total)
        }
        return timing
    }

    /// A screen is gone or covered: it is not timed.
    mutating func forget(_ screen: NodeID) {
        if !pending.isEmpty { pending[screen] = nil }
    }

    /// The statistics by screen and start.
    var statistics: [TimingStatistics] {
        durations.keys.sorted().compactMap { key in
            durations[key].map { TimingStatistics(screen: key.screen, start: key.start, $0) }
        }
    }
}

extension Instant {
    /// The time until a later one, in µs; 0 if that is earlier.
    func time(until later: Instant) -> UInt64 {
        later.microseconds > microseconds ? later.microseconds - microseconds : 0
    }
}
