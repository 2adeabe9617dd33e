import Testing

@testable import FlowCore

@Suite("Step queue")
struct StepQueueTests {
    private let flow = NodeID(slot: 0, instance: 1)

    private func step(_ number: Int, origin: UInt64, at path: String = "/main") -> WaitingStep {
        WaitingStep(
            origin: origin, client: Client(":1.1"), flow: flow, tellAt: path, step: StepID(number), arguments: [],
            cause: 0, purpose: .setOff)
    }

    private func order(_ queue: StepQueue) -> [Int] {
        var (queue, order) = (queue, [Int]())
        while let next = queue.takeNext() { order.append(next.step.index) }
        return order
    }

    @Test func `S-6 within one origin, first set off is first taken`() {
        var queue = StepQueue()
        for number in 1...3 { queue.insert(step(number, origin: 7)) }
        #expect(order(queue) == [1, 2, 3])
    }

    @Test func `S-6 an older origin goes before a newer one, whenever it was set off`() {
        var queue = StepQueue()
        queue.insert(step(1, origin: 5))
        queue.insert(step(2, origin: 9))
        queue.insert(step(3, origin: 2))
        queue.insert(step(4, origin: 5))
        queue.insert(step(5, origin: 2))
        #expect(order(queue) == [3, 5, 1, 4, 2])
    }

    @Test func `S-27 the steps of a deep link are taken in their order, after those that wait`() {
        var queue = StepQueue()
        queue.insert(step(1, origin: 2))
        queue.append(contentsOf: [step(2, origin: 3), step(3, origin: 4)])
        queue.insert(step(4, origin: 3))
        #expect(order(queue) == [1, 2, 4, 3])
        #expect(queue.steps.isEmpty == false)
    }

    @Test func `S-6 those that were there before keep their place in their origin`() {
        var queue = StepQueue()
        for number in 1...4 { queue.insert(step(number, origin: number == 4 ? 9 : 7)) }
        let first = [queue.takeNext(), queue.takeNext()].compactMap { $0 }
        queue.insert(step(5, origin: 7))
        queue.insert(contentsOf: first.reversed() + [step(6, origin: 7), step(7, origin: 2)])
        #expect(order(queue) == [7, 1, 2, 3, 5, 6, 4])
    }

    @Test func `S-12 failures of steps whose flow is gone are told at the heir`() {
        var queue = StepQueue()
        queue.insert(step(1, origin: 1, at: "/main/a"))
        queue.insert(step(2, origin: 1, at: "/main/b"))
        queue.retarget(from: ["/main/a"], to: "/main")
        #expect(queue.steps.map(\.tellAt) == ["/main/b", "/main"])
    }

    @Test func `an empty queue has no next step`() {
        var queue = StepQueue()
        #expect(queue.steps.isEmpty)
        #expect(queue.takeNext() == nil)
    }
}
