/// A step on its way, from when it was admitted or triggered to when it has ended.
struct WaitingStep: Equatable, Sendable {
    /// Who wants to know how it ends.
    enum Purpose: Equatable, Sendable {
        /// A call waits for the verdict.
        case emitted(RequestID)
        /// The deep link's call waits for the outcomes of all flows; this one stands at that place.
        case deepLink(RequestID, place: Int)
        /// A call waits for the outcomes of a list of steps, each emitted when the one before has ended.
        case listed(RequestID, place: Int)
        /// The same for a deep link along a path of flows (S-28).
        case segment(RequestID)
        /// The flow's own initial step: the flow is ready when it has ended (S-26).
        case initial
        /// Nobody: a forward, an `end` step, a screen's initial step.
        case triggered
        /// Nobody any more: it came from outside, and was kept (S-15).
        case kept
        /// Nobody: it comes from a flow that was not reached for a time (S-34).
        case idle
    }

    /// The thing from outside that began the chain; later things have greater numbers (S-6).
    var origin: UInt64
    /// Who began the chain.
    var client: Client
    /// The flow that is to take it.
    var flow: NodeID
    var step: StepID
    var arguments: Arguments
    /// The serial of the navigation that set it off; 0: from outside.
    var cause: UInt64
    var purpose: Purpose
    /// The screen that it was emitted on; nil: the flow itself.
    var screen: NodeID?
    /// Whether the caller allows a question to the user.
    var isInteractive = false
    /// The step that a guard put this one in place of.
    var adaptedFrom: StepID?
    /// For how many bytes of arguments it counts as a waiting step from outside; nil: it does not (S-33).
    var countedBytes: Int?
    /// When it came to the queue for the first time; 0: it was not there. It keeps its place in its origin by that,
    /// however often it has to wait (S-6).
    var number: UInt64 = 0

    /// Whether a deep link brought it (S-27).
    var isDeepLink: Bool {
        switch purpose {
        case .deepLink, .segment: true
        case .emitted, .listed, .initial, .triggered, .kept, .idle: false
        }
    }

    /// Whether `NavigationFailed` reports its failure: nobody waits for it (S-12).
    var reportsFailure: Bool {
        switch purpose {
        case .emitted, .deepLink, .listed, .segment: false
        case .initial, .triggered, .kept, .idle: true
        }
    }

    /// Whether it counts for what its origin triggered (S-11).
    var isTriggered: Bool {
        switch purpose {
        case .initial, .triggered: true
        case .emitted, .deepLink, .listed, .segment, .kept, .idle: false
        }
    }
}
