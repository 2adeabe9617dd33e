/// The pause before the presenters of a flow's screens of one name are called again, as they could not show one (S-47).
struct Pause: Equatable, Sendable {
    /// How often they failed since an owner last kept such a screen for long enough. A loss that comes first does not count: its
    /// screen is shown again at once.
    private(set) var failures: UInt64
    /// When it began.
    private(set) var since: Instant
    /// Whether the bus name of the program appeared in it.
    var isCut = false
    /// What failed last.
    private(set) var fault: Fault
    /// The origin whose screens have to wait; 0 for all. The dismissal by a program holds back only what it brings again by itself.
    private(set) var origin: UInt64

    /// When it ends: after 0.5, 1, 2, 4, … 30 s.
    var end: Instant {
        if failures == 0 { return since }
        let length = min(Limits.firstPause << min(failures - 1, 16), Limits.longestPause)
        return since.advanced(by: isCut ? min(length, Limits.firstPause) : length)
    }

    /// Whether it no longer counts: an owner has had such a screen for long enough since, or nothing was tried.
    func isOver(at now: Instant) -> Bool { end.advanced(by: Limits.survival) <= now }

    /// Notes another failure. Several in one pause are one: a program may have many screens.
    mutating func note(_ fault: Fault, of origin: UInt64 = 0, at now: Instant) {
        (self.fault, self.origin) = (fault, origin)
        guard end <= now else { return }
        (since, failures, isCut) = (now, failures + 1, false)
    }
}

extension [String: Pause] {
    /// Drops those that end first. With a key, each value that fails has one of its own (S-51).
    mutating func dropMostBeyond(_ limit: Int) {
        while count > limit, let first = self.min(by: { ($0.value.end, $0.key) < ($1.value.end, $1.key) })?.key {
            self[first] = nil
        }
    }
}

extension Pause: RecordPart {
    /// A pause after the first failure, or after the loss of an owner.
    init(after fault: Fault, isLoss: Bool, of origin: UInt64 = 0, at now: Instant) {
        self.init(failures: isLoss ? 0 : 1, since: now, fault: fault, origin: origin)
    }

    static var unread: Pause { Pause(after: .unread, isLoss: true, at: .unread) }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&failures)
        try coder.code(&since)
        try coder.code(&isCut)
        try coder.code(&fault)
        try coder.code(&origin)
    }
}
