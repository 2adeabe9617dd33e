/// The waiting steps, ordered by origin, and within an origin by the time when they were triggered (S-6).
///
/// Steps whose flow waits for a guard or navigator are in ``BlockedSteps``, so the next step here can always be taken.
struct StepQueue: Sendable {
    /// The place of a step. Steps are large, so these are moved instead.
    private struct Entry: Comparable, Sendable {
        let origin: UInt64
        let number: UInt64
        let place: Int
        /// Whether it begins its cascade, or continues it after a wait.
        let isHead: Bool

        static func < (one: Entry, other: Entry) -> Bool { (one.origin, one.number) < (other.origin, other.number) }
    }

    private var order = Heap<Entry>()
    /// By place; nil if the place is free.
    private var steps: [WaitingStep?] = []
    private var freePlaces: [Int] = []

    /// How many of them belong to the current cascade.
    private var chainedCount = 0
    /// The places of steps that arrived since ``takeUnrecorded()``.
    private var unrecorded: [Int] = []
    /// The numbers of steps that have records.
    private(set) var recorded: Set<UInt64> = []
    /// Whether flows of such steps have been removed since.
    private var isOutdated = false

    /// How many of them wait for each flow; nil until ``isAwaited(by:)`` needs that, so that most events count nothing.
    private var counts: [NodeID: Int]?

    /// How many of them report their failures, and so use ``nearestLiveAncestor(of:isLive:)`` if their flow is gone.
    private var reportingCount = 0
    /// Removed flows for which such steps wait.
    private(set) var gone: [NodeID: Gone] = [:]

    /// The number of steps so far.
    private var lastNumber: UInt64 = 0

    /// Where failures of steps for a removed flow are reported.
    enum Gone: Equatable, Sendable {
        /// At the nearest ancestor that was live then. It may be gone by now, too.
        case below(NodeID)
        /// There was no live ancestor: at the path that the flow had.
        case alone(path: String)
    }

    var isEmpty: Bool { order.isEmpty }
    var count: Int { order.count }
    /// Whether no cascade is under way: each step here begins one, or continues one after a wait.
    var isBetweenChains: Bool { chainedCount == 0 }

    /// Adds a step that was just triggered.
    mutating func insert(_ step: WaitingStep) { insert(step, isHead: false) }

    private mutating func insert(_ step: WaitingStep, isHead: Bool) {
        var step = step
        number(&step)
        if !isHead { chainedCount += 1 }
        if step.reportsFailure { reportingCount += 1 }
        if counts != nil { counts?[step.flow, default: 0] += 1 }
        let entry = Entry(
            origin: step.origin, number: step.number, place: freePlaces.popLast() ?? steps.count, isHead: isHead)
        if entry.place == steps.count { steps.append(step) } else { steps[entry.place] = step }
        unrecorded.append(entry.place)
        order.insert(entry)
    }

    /// Adds steps that waited elsewhere, of any origins: those that have a number at their old place, others in this order.
    mutating func insert(contentsOf later: [WaitingStep]) {
        for step in later { insertAgain(step) }
    }

    /// Adds a step that waited elsewhere.
    mutating func insertAgain(_ step: WaitingStep) { insert(step, isHead: true) }

    /// Gives a step its number, if it has none: its place within its origin, and the number of its record.
    mutating func number(_ step: inout WaitingStep) {
        if step.number == 0 { step.number = nextNumber() }
    }

    /// Returns a number that no step has.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Reserves the numbers up to this one.
    mutating func reserve(upTo number: UInt64) { lastNumber = max(lastNumber, number) }

    /// Takes the next step; nil if there is none.
    mutating func takeNext() -> WaitingStep? {
        guard let entry = order.popFirst(), let next = steps[entry.place].take() else {
            forgetGone()
            return nil
        }
        freePlaces.append(entry.place)
        if order.isEmpty {
            // Much memory is given back; a little is used again.
            if steps.count > 64 { (steps, freePlaces) = ([], []) }
            unrecorded.removeAll(keepingCapacity: true)
            if counts != nil { counts = nil }
        } else if counts != nil {
            counts?[next.flow, default: 1] -= 1
        }
        if !entry.isHead { chainedCount -= 1 }
        if next.reportsFailure { reportingCount -= 1 }
        return next
    }

    /// The last step was taken, so no step needs to know which flows are gone.
    mutating func forgetGone() {
        if !gone.isEmpty { gone = [:] }
    }

    /// Whether one of them is for this flow.
    mutating func isAwaited(by flow: NodeID) -> Bool {
        if order.isEmpty { return false }
        if let counts { return counts[flow, default: 0] > 0 }
        let counts = steps.reduce(into: [NodeID: Int]()) { if let step = $1 { $0[step.flow, default: 0] += 1 } }
        self.counts = counts
        return counts[flow, default: 0] > 0
    }

    // MARK: Flows that are gone

    /// Notes removed flows: failures of their steps are reported at the nearest live ancestor, or else at the path that
    /// each had (S-12).
    mutating func leave(_ flows: some Sequence<(flow: NodeID, path: String)>, to nearestLiveAncestor: NodeID?) {
        // Thousands of steps of a deep link can wait, whose failures are not reported.
        guard reportingCount > 0 else { return }
        if !recorded.isEmpty { isOutdated = true }
        for (flow, path) in flows { gone[flow] = nearestLiveAncestor.map { .below($0) } ?? .alone(path: path) }
        if gone.count > 2 * order.count + 64 { forgetUnasked() }
    }

    /// Where failures of steps for a removed flow are reported: the nearest ancestor that is live now, or else the path of
    /// the one that was removed last.
    func nearestLiveAncestor(of flow: NodeID, isLive: (NodeID) -> Bool) -> Gone? {
        guard var found = gone[flow] else { return nil }
        // Each is nearer to the root than the one before.
        while case .below(let next) = found, !isLive(next), let further = gone[next] { found = further }
        return found
    }

    /// Drops flows that no step needs.
    private mutating func forgetUnasked() {
        var asked: [NodeID: Gone] = [:]
        for case let step? in steps where step.reportsFailure {
            var flow = step.flow
            while asked[flow] == nil, let left = gone[flow] {
                asked[flow] = left
                guard case .below(let nearestLiveAncestor) = left else { break }
                flow = nearestLiveAncestor
            }
        }
        gone = asked
    }

    // MARK: Records

    /// Takes the steps that need a record now, because they wait longer than this event: new ones, and those whose flow is
    /// gone. They count as recorded.
    mutating func takeUnrecorded() -> [WaitingStep] {
        var taken: [WaitingStep] = []
        for place in unrecorded {
            if place < steps.count, let step = steps[place], recorded.insert(step.number).inserted {
                taken.append(step)
            }
        }
        unrecorded = []
        if isOutdated {
            for case let step? in steps where step.reportsFailure && gone[step.flow] != nil { taken.append(step) }
            isOutdated = false
        }
        return taken
    }

    /// A step was taken out. Returns whether it may have a record.
    mutating func dropRecord(of step: WaitingStep) -> Bool {
        !recorded.isEmpty && recorded.remove(step.number) != nil
    }

    /// The steps, in order.
    var all: [WaitingStep] { order.elements.sorted().compactMap { steps[$0.place] } }

    /// Whether a step of one of these origins waits.
    func hasSteps(of origins: Range<UInt64>) -> Bool {
        steps.contains { $0.map { origins.contains($0.origin) } ?? false }
    }
}
