/// Steps whose flow waits for an answer (S-6).
///
/// For each flow, the next step is the first by origin, and by number within an origin. They arrive in any order, because
/// older origins trigger steps, too.
struct BlockedSteps: Sendable {
    /// The place of a step. Steps are large, so these are moved instead.
    private struct Entry: Comparable, Sendable {
        let origin: UInt64
        let number: UInt64
        let place: Int

        static func < (one: Entry, other: Entry) -> Bool { (one.origin, one.number) < (other.origin, other.number) }
    }

    /// The steps of one flow.
    private struct Line: Sendable {
        let flow: NodeID
        var order = Heap<Entry>()
    }

    /// By the flow's instance; none is empty.
    private var lines: [UInt64: Line] = [:]
    /// By place; nil if the place is free.
    private var steps: [WaitingStep?] = []
    private var freePlaces: [Int] = []

    var isEmpty: Bool { lines.isEmpty }
    /// The flows that have such steps, the oldest first.
    var flows: [NodeID] { lines.keys.sorted().compactMap { lines[$0]?.flow } }

    /// The number of steps for a flow.
    func count(for flow: NodeID) -> Int { lines[flow.instance]?.order.count ?? 0 }

    /// The steps for a flow, in order.
    func steps(for flow: NodeID) -> [WaitingStep] {
        lines[flow.instance]?.order.elements.sorted().compactMap { steps[$0.place] } ?? []
    }

    /// Whether a step of one of these origins waits.
    func hasSteps(of origins: Range<UInt64>) -> Bool {
        steps.contains { $0.map { origins.contains($0.origin) } ?? false }
    }

    /// All steps, by flow.
    var all: [NodeID: [WaitingStep]] { Dictionary(uniqueKeysWithValues: flows.map { ($0, steps(for: $0)) }) }

    /// Adds a step with a number.
    mutating func insert(_ step: WaitingStep) {
        let entry = Entry(origin: step.origin, number: step.number, place: freePlaces.popLast() ?? steps.count)
        lines[step.flow.instance, default: Line(flow: step.flow)].order.insert(entry)
        if entry.place == steps.count { steps.append(step) } else { steps[entry.place] = step }
    }

    /// Takes the next step for a flow.
    mutating func takeNext(for flow: NodeID) -> WaitingStep? {
        var next: Entry?
        var isLast = false
        lines.update(flow.instance) { line in
            next = line.order.popFirst()
            isLast = line.order.isEmpty
        }
        if isLast { lines.removeValue(forKey: flow.instance) }
        return next.flatMap { take($0.place) }
    }

    /// Removes some of the steps for a flow. Returns them.
    mutating func remove(for flow: NodeID, where isRemoved: (WaitingStep) -> Bool) -> [WaitingStep] {
        let places =
            lines[flow.instance]?.order.elements.map(\.place).filter { steps[$0].map(isRemoved) ?? false } ?? []
        if places.isEmpty { return [] }
        let removed = places.compactMap { steps[$0].take() }
        freePlaces += places
        let left = steps
        var isEmpty = false
        lines.update(flow.instance) { line in
            line.order.removeAll { left[$0.place] == nil }
            isEmpty = line.order.isEmpty
        }
        if isEmpty { lines.removeValue(forKey: flow.instance) }
        shrink()
        return removed
    }

    /// Takes all steps for a flow, in order.
    mutating func takeAll(for flow: NodeID) -> [WaitingStep] {
        lines.removeValue(forKey: flow.instance)?.order.elements.sorted().compactMap { take($0.place) } ?? []
    }

    private mutating func take(_ place: Int) -> WaitingStep? {
        let step = steps[place].take()
        freePlaces.append(place)
        shrink()
        return step
    }

    /// Gives back much memory that is not used; a little is used again.
    private mutating func shrink() {
        if lines.isEmpty, freePlaces.count == steps.count, steps.count > 64 { (steps, freePlaces) = ([], []) }
    }
}
