/// Steps that wait for their flow while that waits for an answer (S-6).
///
/// Of each flow the next one is the first by origin, and within one origin by number. They come in any order, as older
/// origins trigger steps, too.
struct BlockedSteps: Sendable {
    private struct Entry: Comparable, Sendable {
        let step: WaitingStep

        static func == (one: Entry, other: Entry) -> Bool { one.step.number == other.step.number }
        static func < (one: Entry, other: Entry) -> Bool {
            (one.step.origin, one.step.number) < (other.step.origin, other.step.number)
        }
    }

    /// By flow; none is empty.
    private var heaps: [NodeID: Heap<Entry>] = [:]

    var isEmpty: Bool { heaps.isEmpty }
    /// The flows that have such steps, in the order in which they were made.
    var flows: [NodeID] { heaps.keys.sorted { $0.instance < $1.instance } }

    /// How many wait for a flow.
    func count(for flow: NodeID) -> Int { heaps[flow]?.count ?? 0 }

    /// Those that wait for a flow, in order.
    func steps(for flow: NodeID) -> [WaitingStep] { heaps[flow]?.elements.sorted().map(\.step) ?? [] }

    /// All of them, by flow.
    var all: [NodeID: [WaitingStep]] { heaps.mapValues { $0.elements.sorted().map(\.step) } }

    /// Adds a step, which has a number, behind its flow's question.
    mutating func insert(_ step: WaitingStep) { heaps[step.flow, default: Heap()].insert(Entry(step: step)) }

    /// Takes out the next step for a flow.
    mutating func takeNext(for flow: NodeID) -> WaitingStep? {
        guard let next = heaps[flow]?.popFirst()?.step else { return nil }
        if heaps[flow]?.isEmpty == true { heaps[flow] = nil }
        return next
    }

    /// Takes out all steps for a flow, in order.
    mutating func takeAll(for flow: NodeID) -> [WaitingStep] {
        heaps.removeValue(forKey: flow)?.elements.sorted().map(\.step) ?? []
    }
}
