import Testing

@testable import FlowCore

@Suite("Heap")
struct HeapTests {
    /// A number that counts its comparisons.
    private struct Counted: Comparable {
        final class Count { var value = 0 }

        let value: Int
        let count: Count

        static func < (one: Counted, other: Counted) -> Bool {
            one.count.value += 1
            return one.value < other.value
        }

        static func == (one: Counted, other: Counted) -> Bool { one.value == other.value }
    }

    @Test func `after any additions and removals, the least is first`() {
        var random = Seeded(seed: 5)
        var (heap, numbers) = (Heap<Int>(), [Int]())
        #expect(heap.popFirst() == nil)
        for round in 0..<2_000 {
            if Int.random(in: 0..<3, using: &random) > 0 {
                numbers.append(Int.random(in: 0..<200, using: &random))
                numbers.sort()
                heap.insert(numbers.randomElement(using: &random) ?? 0)
                numbers = heap.elements.sorted()
            } else {
                #expect(heap.popFirst() == (numbers.isEmpty ? nil : numbers.removeFirst()))
            }
            if round % 100 == 0 {
                numbers.removeAll { $0 % 7 == 0 }
                heap.removeAll { $0 % 7 == 0 }
            }
            #expect(heap.first == numbers.first)
            #expect(heap.count == numbers.count)
        }
    }

    @Test func `S-6 the work for each of many elements is about the same as for each of a few`() {
        var random = Seeded(seed: 6)
        func comparisons(_ size: Int) -> Int {
            let count = Counted.Count()
            var heap = Heap<Counted>()
            for number in (0..<size).shuffled(using: &random) { heap.insert(Counted(value: number, count: count)) }
            while heap.popFirst() != nil {}
            return count.value / size
        }
        // Twice as many levels.
        #expect(comparisons(65_536) < 3 * comparisons(256))
    }
}
