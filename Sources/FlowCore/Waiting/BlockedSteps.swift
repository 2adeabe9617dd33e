/// Steps whose flow waits for an answer (S-6).
///
/// For each flow, the next step is the first by origin, and by number within an origin. They arrive in any order, because
/// older origins trigger steps, too.
struct BlockedSteps: Sendable {
    private struct Entry: Comparable, Sendable {
        let step: WaitingStep

        static func == (one: Entry, other: Entry) -> Bool { one.step.number == other.step.number }
        static func < (one: Entry, other: Entry) -> Bool {
            (one.step.origin, one.step.number) < (other.step.origin, other.step.number)
        }
    }

    /// By flow; no heap is empty.
    private var heaps: [NodeID: Heap<Entry>] = [:]

    var isEmpty: Bool { heaps.isEmpty }
    /// The flows that have such steps, the oldest first.
    var flows: [NodeID] { heaps.keys.sorted { $0.instance < $1.instance } }

    /// The number of steps for a flow.
    func count(for flow: NodeID) -> Int { heaps[flow]?.count ?? 0 }

    /// The steps for a flow, in order.
    func steps(for flow: NodeID) -> [WaitingStep] { heaps[flow]?.elements.sorted().map(\.step) ?? [] }

    /// All steps, by flow.
    var all: [NodeID: [WaitingStep]] { heaps.mapValues { $0.elements.sorted().map(\.step) } }

    /// Adds a step with a number.
    mutating func insert(_ step: WaitingStep) { heaps[step.flow, default: Heap()].insert(Entry(step: step)) }

    /// Takes the next step for a flow.
    mutating func takeNext(for flow: NodeID) -> WaitingStep? {
        guard let next = heaps[flow]?.popFirst()?.step else { return nil }
        if heaps[flow]?.isEmpty == true { heaps[flow] = nil }
        return next
    }

    /// Removes some of the steps for a flow. Returns them.
    mutating func remove(for flow: NodeID, where isRemoved: (WaitingStep) -> Bool) -> [WaitingStep] {
        let removed = heaps[flow]?.elements.map(\.step).filter(isRemoved) ?? []
        if removed.isEmpty { return [] }
        heaps[flow]?.removeAll { isRemoved($0.step) }
        if heaps[flow]?.isEmpty == true { heaps[flow] = nil }
        return removed
    }

    /// Takes all steps for a flow, in order.
    mutating func takeAll(for flow: NodeID) -> [WaitingStep] {
        heaps.removeValue(forKey: flow)?.elements.sorted().map(\.step) ?? []
    }
}
