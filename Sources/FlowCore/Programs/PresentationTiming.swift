/// How long a screen took until it was visible, in µs since the step was emitted.
public struct PresentationTiming: Equatable, Sendable {
    /// Whether the presenter was running.
    public enum Start: String, CaseIterable, Sendable {
        /// The bus had to start its program.
        case cold
        /// Its bus name had an owner.
        case warm
    }

    /// The path of the screen.
    public var path: String
    /// The name of the screen.
    public var screen: String
    /// Whether the presenter was running.
    public var start: Start
    /// Until the presenter was called.
    public var sent: UInt64
    /// Until the presenter answered.
    public var answered: UInt64
    /// Until the screen was visible.
    public var visible: UInt64
    /// The time of that which guards and navigators took.
    public var waited: UInt64

    /// Creates a timing.
    public init(
        path: String, screen: String, start: Start, sent: UInt64, answered: UInt64, visible: UInt64, waited: UInt64
    ) {
        self.path = path
        self.screen = screen
        self.start = start
        self.sent = sent
        self.answered = answered
        self.visible = visible
        self.waited = waited
    }

    /// The time until the screen was visible, without that of guards and navigators.
    public var total: UInt64 { visible > waited ? visible - waited : 0 }
}

/// The statistics of a screen, in µs.
public struct TimingStatistics: Equatable, Sendable {
    /// The name of the screen.
    public var screen: String
    /// Whether the presenter was running.
    public var start: PresentationTiming.Start
    /// How often it was timed.
    public var count: UInt64
    /// Half of the times are at most this long.
    public var p50: UInt64
    /// 90 % of them.
    public var p90: UInt64
    /// 99 % of them.
    public var p99: UInt64
    /// The longest time.
    public var max: UInt64
    /// The latest time.
    public var last: UInt64

    init(screen: String, start: PresentationTiming.Start, _ durations: Durations) {
        self.screen = screen
        self.start = start
        count = durations.count
        p50 = durations.percentile(50)
        p90 = durations.percentile(90)
        p99 = durations.percentile(99)
        max = durations.max
        last = durations.last
    }
}

/// Durations in µs, however many, in limited memory: those up to 64 µs exactly, longer ones to within 1/32.
struct Durations: Equatable, Sendable {
    private static let steps: UInt64 = 32

    private(set) var count: UInt64 = 0
    private(set) var max: UInt64 = 0
    private(set) var last: UInt64 = 0
    /// The number of durations in each bucket.
    private var buckets: [UInt32] = []

    mutating func add(_ duration: UInt64) {
        count += 1
        max = Swift.max(max, duration)
        last = duration
        let place = Self.bucket(of: duration)
        if place >= buckets.count { buckets += Array(repeating: 0, count: place + 1 - buckets.count) }
        if buckets[place] < .max { buckets[place] += 1 }
    }

    /// A duration that at least this many of 100 do not exceed: the upper end of its bucket. 0 if there is none.
    func percentile(_ percent: UInt64) -> UInt64 {
        let rank = (count * percent + 99) / 100
        var seen: UInt64 = 0
        for (place, number) in buckets.enumerated() {
            seen += UInt64(number)
            if number > 0, seen >= rank { return Swift.min(Self.end(of: place), max) }
        }
        return max
    }

    private static func bucket(of duration: UInt64) -> Int {
        if duration < 2 * steps { return Int(duration) }
        // The highest six bits: 32 buckets for each power of two.
        let shift = UInt64.bitWidth - duration.leadingZeroBitCount - 6
        return shift * Int(steps) + Int(duration >> UInt64(shift))
    }

    /// The longest duration in a bucket.
    private static func end(of bucket: Int) -> UInt64 {
        if bucket < Int(2 * steps) { return UInt64(bucket) }
        let shift = UInt64(bucket / Int(steps) - 1)
        let (next, overflows) = (UInt64(bucket % Int(steps)) + steps + 1).multipliedReportingOverflow(by: 1 << shift)
        return overflows ? .max : next - 1
    }
}
