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

    /// Whether a screen that is shown for this reason is one that the user waits for, and has not just chosen (S-50).
    var isExpected: Bool { self == .launch || self == .recover || self == .restore }

    /// The direction of a new screen; nil where its presenter is called for another reason.
    func launchDirection(replaces: Bool) -> PresentDirection? { self == .launch ? replaces ? .replace : .push : nil }
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
        /// From `due` to `asked` when the screen is in sight and its presenter does not have to wait (S-47), and to `shown`
        /// when the presenter answers that call; back to `due` when the call fails, the screen gets new arguments, or its owner
        /// is gone. From `due` to `queued` if too many calls are under way, and back when one of them is answered.
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
        /// What a restart restores of it as it was.
        var kept = KeptScreen() { didSet { follows.formUnion(kept.changes(since: oldValue)) } }
        /// The calls without an answer, in order. Those before the latest one may have older arguments.
        var underWay: [QuestionID] = []
        /// Whether the list that contributed the screen dismissed what the screen covers.
        var replaces = false
        /// When its presenter was last called because the screen is new, was lost or restored.
        var called: Instant?
        /// How long it has been waiting for its presenter, from the first call to an answer.
        var patience: Patience?
        /// The latest call, if it reached its time limit; its answer counts still.
        private(set) var late: QuestionID?
        /// The activation token of the first call, and when that was made.
        private var token: ActivationToken?
        /// What happens at a later time, unless something else comes first; there is an alarm then.
        var alarm: Alarm?
        /// Whether it was in sight when presenters were last called.
        var wasInSight = false
        /// The call because it returned to sight.
        var comeback = Comeback()
        /// Whether its owner is alive.
        var check = Check()
        /// What follows from the current change; ``NodeTable`` handles it.
        var follows: Changes = []

        /// The time of an alarm, and what it is for.
        struct Alarm: Equatable, Sendable {
            enum Purpose: Sendable {
                /// The owner is asked whether it is alive.
                case check
                /// The screen has been out of sight for so long that it is evicted.
                case eviction
                /// The owner has had time enough to leave it.
                case leave
                /// The presenter is called again, or the patience is over (S-47).
                case pause
            }

            let due: Instant
            let purpose: Purpose
        }

        /// The time that a screen in sight has waited for its presenter.
        struct Patience: Equatable, Sendable {
            /// What went by before it was last out of sight, in µs.
            var spent: UInt64 = 0
            /// Since when it is in sight; nil if it is not.
            var since: Instant?
        }

        /// The token of a call that is repeated.
        struct ActivationToken: Equatable, Sendable {
            let token: String
            let time: Instant
        }

        /// The watch over the owner while the screen is presented (S-44).
        struct Check: Equatable, Sendable {
            /// The question without an answer.
            var underWay: QuestionID?
            /// Whether this owner can't be asked.
            var isOff = false
        }

        /// From `none` to `underWay` when its owner gets `Withdraw`, to `done` when it has no owner any more, and back to `none`
        /// with the next call of its presenter, or the next owner. The raw values are part of the format of records.
        enum Eviction: UInt8, Sendable {
            case none = 0
            /// The owner was told to leave it, and still has it.
            case underWay = 1
            /// It has no process.
            case done = 2
        }

        /// The call of an owner whose screen returned to sight. Nothing depends on its answer.
        struct Comeback: Equatable, Sendable {
            /// The call without an answer.
            var underWay: QuestionID?
            /// Whether one is to follow when the calls under way are answered.
            var isDue = false
            /// Its activation token, and the sibling that covered the screen.
            var token: String?
            var former: NodeID?

            /// None is to follow any more.
            mutating func drop() { self = Comeback(underWay: underWay) }
        }

        init(_ presenter: Presenter) { self.presenter = presenter }

        mutating func takeFollows(into all: inout Changes) {
            all.formUnion(follows)
            follows = []
        }

        /// A navigation contributes the screen.
        mutating func contribute(by origin: UInt64, _ serial: UInt64, replaces: Bool) {
            (kept.origin, kept.serial, self.replaces) = (origin, serial, replaces)
        }

        /// A client claims the screen while no process shows it: that client does now, and no presenter is called (S-30, S-47).
        mutating func becomeClaimed() {
            guard kept.state == .due, kept.reason == .recover || kept.fault != nil else { return }
            kept.state = .shown
            kept.isSpared = false
            kept.isOutdated = false
            endWaiting()
        }

        /// A presenter is called for the screen, which is in sight.
        mutating func becomeAsked(_ id: QuestionID, _ token: String?, at now: Instant) {
            kept.state = .asked
            kept.isSpared = false
            // This call has all that a return would tell.
            comeback.drop()
            kept.eviction = .none
            underWay.append(id)
            late = nil
            if let token { self.token = ActivationToken(token: token, time: now) }
            if patience == nil { patience = Patience(since: now) }
            if kept.reason.isExpected { (kept.isExpected, called) = (true, now) }
        }

        /// The token of the first call, for one that repeats it soon.
        func keptToken(at now: Instant) -> String? {
            guard kept.fault != nil, let token, now < token.time.advanced(by: Limits.tokenWait) else {
                return nil
            }
            return token.token
        }

        /// Its presenter failed, and is called again.
        ///
        /// - Parameter late: the call if it may still be answered.
        mutating func becomeWaiting(_ fault: Fault, late: QuestionID?) {
            kept.state = .due
            kept.fault = fault
            self.late = late
        }

        /// The screen has an owner, or needs none any more.
        mutating func endWaiting() {
            (kept.fault, patience, late, token) = (nil, nil, nil, nil)
            if alarm?.purpose == .pause { alarm = nil }
        }

        /// The screen came in sight, or is no longer: its patience stands still in between.
        mutating func noteSight(_ isInSight: Bool, at now: Instant) {
            wasInSight = isInSight
            guard let since = patience?.since else {
                if isInSight { patience?.since = now }
                return
            }
            if isInSight { return }
            patience?.spent += now.microseconds - since.microseconds
            patience?.since = nil
        }

        /// The screen needs another call for this reason. If nobody has answered the call before, the first of both counts (S-38).
        ///
        /// - Parameters:
        ///   - next: the reason.
        ///   - isOwned: whether a client shows it, or has lost it just now.
        mutating func becomeDue(_ next: PresentReason, isOwned: Bool) {
            kept.isSpared = false
            late = nil
            let isMade = kept.state == .shown || (kept.state == .asked && isOwned)
            if isMade || (kept.reason == .update && next == .recover) { kept.reason = next }
            kept.state = .due
        }
    }
}
