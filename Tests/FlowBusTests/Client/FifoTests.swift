import Testing

@testable import FlowBus
@testable import FlowBusClient

@Suite("First in, first out", .fewAtOnce, .serialized)
struct FifoTests {
    private final class Thing {}

    @Test func `elements are removed in order, however operations alternate`() {
        var fifo = Fifo<Int>()
        #expect(fifo.popFirst() == nil)
        var (last, first) = (0, 0)
        for round in 1...50 {
            for _ in 0..<round {
                fifo.append(last)
                last += 1
            }
            for _ in 0..<(round % 7) * 8 where !fifo.isEmpty {
                #expect(fifo.popFirst() == first)
                first += 1
            }
            #expect(fifo.all == Array(first..<last))
            #expect(fifo.count == last - first)
        }
        while let next = fifo.popFirst() {
            #expect(next == first)
            first += 1
        }
        #expect(first == last && fifo.isEmpty && fifo.all.isEmpty)
    }

    @Test func `the newest element can be replaced, whatever was removed before it`() {
        var fifo = Fifo<Int>()
        fifo.replaceLast(0)
        #expect(fifo.last == nil && fifo.isEmpty)
        for number in 1...3 { fifo.append(number) }
        #expect(fifo.popFirst() == 1)
        #expect(fifo.last == 3)
        fifo.replaceLast(30)
        #expect(fifo.all == [2, 30])
        fifo.append(4)
        #expect(fifo.last == 4)
        fifo.replaceLast(40)
        #expect(fifo.all == [2, 30, 40])
    }

    @Test func `removed elements are released`() {
        var fifo = Fifo<Thing>()
        for _ in 0..<10 { fifo.append(Thing()) }
        weak let first = fifo.popFirst()
        #expect(first == nil)
        #expect(fifo.count == 9)
    }
}
