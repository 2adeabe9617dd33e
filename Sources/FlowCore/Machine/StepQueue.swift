/// A step on its way, from when it was admitted or set off to when it has ended.
struct WaitingStep: Equatable, Sendable {
    /// Who wants to know how it ends.
    enum Purpose: Equatable, Sendable {
        /// A call waits for the verdict.
        case emitted(RequestID)
        /// The deep link's call waits for the outcomes of all flows; this one stands at that place.
        case deepLink(place: Int)
        /// A call waits for the outcomes of a list of steps, each emitted when the one before has ended.
        case listed
        /// The same for a deep link along a path of flows (S-28).
        case segment
        /// The flow's own initial step: the flow is ready when it has ended (S-26).
        case initial
        /// Nobody: a forward, an `end` step, a screen's initial step.
        case setOff
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
    /// The path of that flow, or of its nearest live ancestor once it is gone: where a failure is told (S-12).
    var tellAt: String
    var step: StepID
    var arguments: Arguments
    /// The serial of the navigation that set it off; 0: from outside.
    var cause: UInt64
    var purpose: Purpose

    /// Whether a deep link brought it (S-27).
    var isDeepLink: Bool {
        switch purpose {
        case .deepLink, .segment: true
        case .emitted, .listed, .initial, .setOff, .kept, .idle: false
        }
    }

    /// Whether everyone is told if it fails: nobody waits for it (S-12).
    var isTold: Bool {
        switch purpose {
        case .emitted, .deepLink, .listed, .segment: false
        case .initial, .setOff, .kept, .idle: true
        }
    }

    /// Whether it counts for what its origin set off (S-11).
    var isSetOff: Bool {
        switch purpose {
        case .initial, .setOff: true
        case .emitted, .deepLink, .listed, .segment, .kept, .idle: false
        }
    }
}

/// The waiting steps, ordered by origin, and within one origin first set off, first taken (S-6).
struct StepQueue: Sendable {
    /// The next one stands last: steps are mostly set off by the origin that is being taken, so both ends of their way
    /// through the list are cheap.
    private(set) var steps: [WaitingStep] = []

    /// How many of them are told where they fail, and so need ``retarget(from:to:)``.
    private var toldCount = 0

    mutating func insert(_ step: WaitingStep) {
        var place = steps.count
        while place > 0, steps[place - 1].origin <= step.origin { place -= 1 }
        steps.insert(step, at: place)
        if step.isTold { toldCount += 1 }
    }

    /// Adds steps of any origins, in the order they were set off.
    mutating func insert(contentsOf later: [WaitingStep]) {
        // One by one, each would make all of later origins move.
        let sorted = later.enumerated().sorted { ($0.element.origin, $0.offset) < ($1.element.origin, $1.offset) }
        var merged: [WaitingStep] = []
        merged.reserveCapacity(steps.count + later.count)
        var waiting = steps[...]
        for (_, step) in sorted {
            while let next = waiting.last, next.origin <= step.origin {
                merged.append(next)
                waiting.removeLast()
            }
            merged.append(step)
        }
        merged.append(contentsOf: waiting.reversed())
        steps = merged.reversed()
        toldCount += later.count(where: \.isTold)
    }

    /// Adds steps of ascending origins, all greater than those that wait.
    mutating func append(contentsOf later: [WaitingStep]) {
        steps.insert(contentsOf: later.reversed(), at: 0)
        toldCount += later.count(where: \.isTold)
    }

    mutating func takeNext() -> WaitingStep? {
        let next = steps.popLast()
        if let next, next.isTold { toldCount -= 1 }
        return next
    }

    /// Where failures of steps for a flow that is gone are told from now on.
    mutating func retarget(from gone: Set<String>, to path: String) {
        // A deep link can make thousands of steps wait that nobody is told of.
        guard toldCount > 0 else { return }
        for index in steps.indices where gone.contains(steps[index].tellAt) { steps[index].tellAt = path }
    }
}
