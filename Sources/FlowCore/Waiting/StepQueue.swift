/// The waiting steps, ordered by origin, and within one origin first triggered, first taken (S-6).
///
/// Those whose flow waits for a guard or navigator stand aside (``Coordinator/blocked``), so that the next one here
/// can be taken.
struct StepQueue: Sendable {
    /// Where a step stands: steps are large, so what is moved to keep the order is this.
    private struct Entry: Comparable, Sendable {
        let origin: UInt64
        let number: UInt64
        let place: Int
        /// Whether its chain begins with it, or goes on after a wait.
        let isHead: Bool

        static func < (one: Entry, other: Entry) -> Bool { (one.origin, one.number) < (other.origin, other.number) }
    }

    private var order = Heap<Entry>()
    /// By place; nil: it is free.
    private var steps: [WaitingStep?] = []
    private var freePlaces: [Int] = []

    /// How many of them belong to a chain that is under way.
    private var chainedCount = 0
    /// Places of steps that came since ``takeUnrecorded()``.
    private var unrecorded: [Int] = []
    /// The numbers of steps that have records.
    private(set) var recorded: Set<UInt64> = []
    /// Whether flows of such steps have gone since.
    private var isOutdated = false

    /// How many of them report where they fail, and so ask ``nearestLiveAncestor(of:isLive:)`` if their flow is gone.
    private var reportingCount = 0
    /// Flows that went while such steps waited.
    private(set) var gone: [NodeID: Gone] = [:]

    /// How many steps came so far.
    private var lastNumber: UInt64 = 0

    /// What a flow that is gone left to those who look for it.
    enum Gone: Equatable, Sendable {
        /// The nearest ancestor that outlived it. That may be gone, too, by now.
        case below(NodeID)
        /// None did; the path that it had.
        case alone(path: String)
    }

    var isEmpty: Bool { order.isEmpty }
    var count: Int { order.count }
    /// Whether no chain is under way: whatever is here begins one, or goes on after a wait.
    var isBetweenChains: Bool { chainedCount == 0 }

    /// Adds a step that was just triggered.
    mutating func insert(_ step: WaitingStep) { insert(step, isHead: false) }

    private mutating func insert(_ step: WaitingStep, isHead: Bool) {
        var step = step
        number(&step)
        if !isHead { chainedCount += 1 }
        if step.reportsFailure { reportingCount += 1 }
        let entry = Entry(
            origin: step.origin, number: step.number, place: freePlaces.popLast() ?? steps.count, isHead: isHead)
        if entry.place == steps.count { steps.append(step) } else { steps[entry.place] = step }
        unrecorded.append(entry.place)
        order.insert(entry)
    }

    /// Adds steps that waited elsewhere, of any origins: those that were here before, and others in the order they are set
    /// off.
    mutating func insert(contentsOf later: [WaitingStep]) {
        for step in later { insert(step, isHead: true) }
    }

    /// Gives a step its number, where it has none: its place among those of its origin, and the name of its record.
    mutating func number(_ step: inout WaitingStep) {
        if step.number == 0 { step.number = nextNumber() }
    }

    /// A number that no step has.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// No number up to this one is given any more.
    mutating func reserve(upTo number: UInt64) { lastNumber = max(lastNumber, number) }

    mutating func takeNext() -> WaitingStep? {
        guard let entry = order.popFirst(), let next = steps[entry.place].take() else {
            // The step that was taken last was the last to ask.
            if !gone.isEmpty { gone = [:] }
            return nil
        }
        freePlaces.append(entry.place)
        if order.isEmpty {
            steps.removeAll(keepingCapacity: steps.count < 64)
            freePlaces.removeAll(keepingCapacity: true)
            unrecorded.removeAll(keepingCapacity: true)
        }
        if !entry.isHead { chainedCount -= 1 }
        if next.reportsFailure { reportingCount -= 1 }
        return next
    }

    // MARK: Flows that are gone

    /// Notes that flows are gone: failures of their steps are reported on the nearest live ancestor, or else at the path that
    /// each had (S-12).
    mutating func leave(_ flows: some Sequence<(flow: NodeID, path: String)>, to nearestLiveAncestor: NodeID?) {
        // A deep link can make thousands of steps wait whose failures are not reported.
        guard reportingCount > 0 else { return }
        if !recorded.isEmpty { isOutdated = true }
        for (flow, path) in flows { gone[flow] = nearestLiveAncestor.map { .below($0) } ?? .alone(path: path) }
        if gone.count > 2 * order.count + 64 { forgetUnasked() }
    }

    /// Where failures of steps for a flow that is gone are reported: the nearest of those above it that is live by this measure,
    /// or else the path of the one that went last.
    func nearestLiveAncestor(of flow: NodeID, isLive: (NodeID) -> Bool) -> Gone? {
        guard var found = gone[flow] else { return nil }
        // Each is nearer to the root than the one before.
        while case .below(let next) = found, !isLive(next), let further = gone[next] { found = further }
        return found
    }

    /// Forgets flows that no step asks about.
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

    /// The steps whose records are to be written, as they wait longer than the event at hand: those that have none, or whose
    /// flow has gone. They count as recorded now.
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

    /// A step has left that may have a record; whether it has.
    mutating func dropRecord(of step: WaitingStep) -> Bool {
        !recorded.isEmpty && recorded.remove(step.number) != nil
    }

    /// The steps in their order.
    var all: [WaitingStep] { order.elements.sorted().compactMap { steps[$0.place] } }
}
