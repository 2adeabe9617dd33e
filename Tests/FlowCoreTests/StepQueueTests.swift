import Testing

@testable import FlowCore

@Suite("Step queue")
struct StepQueueTests {
    private func flow(_ instance: UInt64) -> NodeID { NodeID(slot: NodeSlot(Int(instance)), instance: instance) }

    private func step(
        _ number: Int, origin: UInt64, for flow: UInt64 = 1, _ purpose: WaitingStep.Purpose = .triggered
    ) -> WaitingStep {
        WaitingStep(
            origin: origin, client: Client(":1.1"), flow: self.flow(flow), step: StepID(number), arguments: [],
            cause: 0, purpose: purpose)
    }

    private func order(_ queue: StepQueue) -> [Int] {
        var (queue, order) = (queue, [Int]())
        while let next = queue.takeNext() { order.append(next.step.index) }
        return order
    }

    @Test func `S-6 within one origin, steps are taken in the order in which they were triggered`() {
        var queue = StepQueue()
        for number in 1...3 { queue.insert(step(number, origin: 7)) }
        #expect(order(queue) == [1, 2, 3])
    }

    @Test func `S-6 an older origin precedes a newer one, whenever its step was triggered`() {
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
        queue.insert(contentsOf: [step(2, origin: 3), step(3, origin: 4)])
        queue.insert(step(4, origin: 3))
        #expect(order(queue) == [1, 2, 4, 3])
        #expect(queue.isEmpty == false)
    }

    @Test func `S-6 restored steps keep their place in their origin`() {
        var queue = StepQueue()
        for number in 1...4 { queue.insert(step(number, origin: number == 4 ? 9 : 7)) }
        let first = [queue.takeNext(), queue.takeNext()].compactMap { $0 }
        queue.insert(step(5, origin: 7))
        queue.insert(contentsOf: first.reversed() + [step(6, origin: 7), step(7, origin: 2)])
        #expect(order(queue) == [7, 1, 2, 3, 5, 6, 4])
    }

    /// The nearest live ancestor of a flow among these.
    private func nearestLiveAncestor(of gone: UInt64, _ live: [UInt64], _ queue: StepQueue) -> StepQueue.Gone? {
        queue.nearestLiveAncestor(of: flow(gone)) { live.contains($0.instance) }
    }

    @Test func `S-12 failures of steps whose flow is gone are reported at the nearest live ancestor`() {
        var queue = StepQueue()
        queue.insert(step(1, origin: 1, for: 3))
        queue.leave([(flow(3), "/main/sub/a")], to: flow(2))
        #expect(nearestLiveAncestor(of: 3, [1, 2], queue) == .below(flow(2)))
        queue.leave([(flow(2), "/main/sub")], to: flow(1))
        #expect(nearestLiveAncestor(of: 3, [1], queue) == .below(flow(1)))
        queue.leave([(flow(1), "/main")], to: nil)
        #expect(nearestLiveAncestor(of: 3, [], queue) == .alone(path: "/main"))
        #expect(nearestLiveAncestor(of: 4, [], queue) == nil)
        #expect(order(queue) == [1])
    }

    @Test func `S-12 removed flows are remembered only as long as steps refer to them`() {
        var queue = StepQueue()
        queue.leave([(flow(9), "/nine")], to: nil)
        #expect(queue.gone.isEmpty)
        queue.insert(step(1, origin: 1, for: 5))
        queue.insert(step(2, origin: 1, for: 7))
        for instance in (2...2_000 as ClosedRange<UInt64>).reversed() {
            queue.leave([(flow(instance), "/\(instance)")], to: flow(instance / 2))
            #expect(queue.gone.count <= 2 * queue.count + 65)
        }
        #expect(nearestLiveAncestor(of: 5, [1], queue) == .below(flow(1)))
        #expect(nearestLiveAncestor(of: 7, [1], queue) == .below(flow(1)))
        while queue.takeNext() != nil {}
        #expect(queue.gone.isEmpty)
        // The caller of a deep link gets its outcomes in the reply, wherever the flow was.
        queue.insert(step(3, origin: 2, for: 8, .deepLink(RequestID(1), place: 0)))
        queue.leave([(flow(8), "/eight")], to: nil)
        #expect(queue.gone.isEmpty)
    }

    @Test func `S-36 it knows for which flows steps wait, whenever they come and go`() {
        var queue = StepQueue()
        func awaiting(_ flows: UInt64...) -> [Bool] { flows.map { queue.isAwaited(by: flow($0)) } }
        #expect(awaiting(1) == [false])
        queue.insert(step(1, origin: 1, for: 5))
        queue.insert(contentsOf: [step(2, origin: 2, for: 5), step(3, origin: 3, for: 6)])
        #expect(awaiting(4, 5, 6) == [false, true, true])
        queue.insert(step(4, origin: 4, for: 4))
        _ = queue.takeNext()
        #expect(awaiting(4, 5, 6) == [true, true, true])
        _ = queue.takeNext()
        #expect(awaiting(4, 5, 6) == [true, false, true])
        while queue.takeNext() != nil {}
        #expect(awaiting(4, 5, 6) == [false, false, false])
        queue.insert(step(5, origin: 5, for: 6))
        #expect(awaiting(5, 6) == [false, true])
    }

    @Test func `an empty queue has no next step`() {
        var queue = StepQueue()
        #expect(queue.isEmpty)
        #expect(queue.takeNext() == nil)
    }
}
