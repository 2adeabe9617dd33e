// Screens with a presenter: which calls are due, and which screens returned to sight (S-31, S-38).

/// Why a presenter is called (S-38).
public enum PresentReason: String, CaseIterable, Sendable {
    /// The screen is new.
    case launch
    /// Its owner was lost.
    case recover
    /// It was restored on another bus.
    case restore
    /// It has other arguments, or stands on another output.
    case update
    /// It is in sight again.
    case `return`
}

/// How a screen comes in sight, for an animation (S-38).
public enum PresentDirection: String, CaseIterable, Sendable {
    /// A new screen covers others.
    case push
    /// A new screen replaces the one that its list dismissed.
    case replace
    /// What covered the screen is gone.
    case pop
    /// What covered the screen lives.
    case `switch`
}

extension Node {
    /// The state of a screen with a presenter (S-31).
    struct Presenting: Equatable, Sendable {
        /// From `due` to `asked` when the screen comes in sight, and to `shown` when the presenter answers that call; back
        /// to `due` when the screen gets new arguments, or its owner is gone. From `due` by `queued` if too many calls are
        /// under way.
        enum State: Equatable, Sendable {
            /// The presenter has to be called when the screen is in sight.
            case due
            /// The presenter has to be called once it has answered one of the calls under way.
            case queued
            /// The presenter was called, and has not answered the latest call.
            case asked
            /// The presenter has answered.
            case shown
        }

        let presenter: Presenter
        var state = State.due { didSet { if state != oldValue { follows.insert(.record) } } }
        /// The calls without an answer, in order. Those before the latest one may have older arguments.
        var underWay: [QuestionID] = []
        /// The reason of the next call, or of the latest one.
        var reason = PresentReason.launch { didSet { if reason != oldValue { follows.insert(.record) } } }
        /// Whether the list that contributed the screen dismissed what the screen covers.
        var replaces = false
        /// The origin and serial of the navigation that contributed the screen: a failure counts there (S-11).
        var origin: UInt64 = 0 { didSet { if origin != oldValue { follows.insert(.record) } } }
        var serial: UInt64 = 0 { didSet { if serial != oldValue { follows.insert(.record) } } }
        /// Since when it has its owner; nil without one, and after a restart.
        var ownedSince: Instant?
        /// Whether it was in sight when presenters were last called.
        var wasInSight = false
        /// The call because it returned to sight.
        var comeback = Comeback()
        /// What follows from the current change; ``NodeTable`` handles it.
        var follows: Changes = []

        /// The call of an owner whose screen returned to sight. Nothing depends on its answer.
        struct Comeback: Equatable, Sendable {
            /// The call without an answer.
            var underWay: QuestionID?
            /// Whether one is to follow when the calls under way are answered.
            var isDue = false
            /// Its activation token, and the sibling that covered the screen.
            var token: String?
            var former: NodeID?
        }

        init(_ presenter: Presenter) { self.presenter = presenter }

        mutating func takeFollows(into all: inout Changes) {
            all.formUnion(follows)
            follows = []
        }

        /// The screen needs another call for this reason; an earlier one that was not made counts first (S-38).
        mutating func becomeDue(_ next: PresentReason) {
            if state != .due { reason = next }
            state = .due
        }
    }
}

/// The losses of owners of a flow's screens of one name (S-36). A program that crashes again and again has to wait.
struct OwnerLosses: Equatable, Sendable {
    /// Those of the last 10 s.
    var times: [Instant] = []
    /// How many were too many.
    var excess: UInt64 = 0
    /// No presenter is called for a screen without an owner before this time.
    var until = Instant(microseconds: 0)

    /// Notes a loss. From the third one within the period on, the next calls have to wait. Returns whether it is such a one.
    mutating func note(at now: Instant) -> Bool {
        times.removeAll { $0.advanced(by: Limits.lossTime) <= now }
        times.append(now)
        let isTooMany = times.count >= Limits.losses
        guard isTooMany || excess > 0 else { return false }
        if isTooMany { times.removeFirst(times.count - Limits.losses) }
        until = now.advanced(by: min(Limits.firstWait << min(excess, 32), Limits.longestWait))
        excess += 1
        return isTooMany
    }
}
