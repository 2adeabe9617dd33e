/// Steps that wait for one flow while it waits for an answer; the next one is the first in the order of S-6: by origin, and
/// within one origin by number. They come in any order, as older origins set off steps, too.
struct BlockedSteps: Sendable {
    private struct Entry: Comparable, Sendable {
        let step: WaitingStep

        static func == (one: Entry, other: Entry) -> Bool { one.step.number == other.step.number }
        static func < (one: Entry, other: Entry) -> Bool {
            (one.step.origin, one.step.number) < (other.step.origin, other.step.number)
        }
    }

    private var heap = Heap<Entry>()

    var isEmpty: Bool { heap.isEmpty }
    var count: Int { heap.count }

    /// All of them, in order.
    var sorted: [WaitingStep] { heap.elements.sorted().map(\.step) }

    /// Adds a step, which has a number.
    mutating func insert(_ step: WaitingStep) { heap.insert(Entry(step: step)) }

    mutating func takeFirst() -> WaitingStep? { heap.popFirst()?.step }
}
