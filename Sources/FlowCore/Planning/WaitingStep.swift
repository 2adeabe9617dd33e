/// A step from its admission to its outcome.
struct WaitingStep: Equatable, Sendable {
    /// What its outcome is for.
    enum Purpose: Equatable, Sendable {
        /// The verdict of a call.
        case emitted(RequestID)
        /// One of the outcomes of a deep link's call, by its place.
        case deepLink(RequestID, place: Int)
        /// One of the outcomes of a call with a list of steps; each is emitted when the one before has ended.
        case listed(RequestID, place: Int)
        /// A call that navigates along a path of flows (S-28).
        case segment(RequestID)
        /// The flow's own initial step: the flow is ready when the step has ended (S-26).
        case initial
        /// Nothing: a forwarded step, an `end` step, or the initial step of a screen.
        case triggered
        /// Nothing any more: it came from outside, and was deferred (S-15).
        case deferred
        /// Nothing: it is the step of a timer of its flow (S-55); of an idle step's (0) the last stage or an earlier one (S-34).
        case timed(Int, isLast: Bool)
        /// Nothing: a property of another service has changed (S-42). The number stands for the property and the root.
        case property(UInt64)
        /// Nothing: another service sent a signal.
        case signalled
    }

    /// The number of the event from outside that began the cascade; later origins have greater numbers (S-6).
    var origin: UInt64
    /// The client that started the cascade.
    var client: Client
    /// The flow that takes the step.
    var flow: NodeID
    var step: StepID
    var arguments: Arguments
    /// The serial of the navigation that triggered it; 0 if it comes from outside.
    var cause: UInt64
    var purpose: Purpose
    /// The screen on which it was emitted; nil for the flow itself.
    var screen: NodeID?
    /// Whether a guard may ask the user.
    var isInteractive = false
    /// The step that a guard replaced with this one.
    var adaptedFrom: StepID?
    /// The bytes of arguments for which it counts as a waiting step from outside; nil if it does not count (S-33).
    var countedBytes: Int?
    /// The number that the queue gave it when it first arrived; 0 if it has none. It keeps its place within its origin by
    /// that, however often it waits (S-6).
    var number: UInt64 = 0

    /// The call that emitted this step alone; nil if none did, or it is answered for good.
    var request: RequestID? { if case .emitted(let request) = purpose { request } else { nil } }

    /// Whether it is the step of a timer (S-34, S-55).
    var isTimed: Bool { if case .timed = purpose { true } else { false } }

    /// Whether a deep link brought it (S-27).
    var isDeepLink: Bool {
        switch purpose {
        case .deepLink, .segment: true
        case .emitted, .listed, .initial, .triggered, .deferred, .timed, .property, .signalled: false
        }
    }

    /// Whether `NavigationFailed` reports its failure, because no call waits for it (S-12).
    var reportsFailure: Bool {
        switch purpose {
        case .emitted, .deepLink, .listed, .segment: false
        case .initial, .triggered, .deferred, .timed, .property, .signalled: true
        }
    }

    /// Whether it counts towards the limit of its origin (S-11).
    var isTriggered: Bool {
        switch purpose {
        case .initial, .triggered: true
        case .emitted, .deepLink, .listed, .segment, .deferred, .timed, .property, .signalled: false
        }
    }
}
