import Testing

@testable import FlowCore

@Suite("Alarms")
struct AlarmsTests {
    private func flow(_ instance: UInt64) -> NodeID { NodeID(slot: NodeSlot(0), instance: instance) }
    private func at(_ time: UInt64) -> Instant { Instant(microseconds: time) }

    private func idle(_ instance: UInt64) -> Alarms.Subject { .flow(flow(instance)) }

    private func order(_ alarms: Alarms) -> [UInt64] {
        var (alarms, order) = (alarms, [UInt64]())
        while let next = alarms.next {
            if case .flow(let flow) = next.subject { order.append(flow.instance) }
            alarms.removeNext()
        }
        return order
    }

    @Test func `S-34 the earliest is next; of those at one time, the oldest flow`() {
        var alarms = Alarms()
        #expect(alarms.next == nil)
        for (instance, due) in [(5, 30), (2, 10), (4, 30), (1, 20), (3, 10)] as [(UInt64, UInt64)] {
            alarms.insert(idle(instance), due: at(due))
        }
        #expect(alarms.next == Alarms.Entry(due: at(10), subject: idle(2)))
        #expect(order(alarms) == [2, 3, 1, 4, 5])
        #expect(alarms.count == 5)
        alarms.removeAll { [idle(3), idle(4), idle(5)].contains($0.subject) }
        #expect(order(alarms) == [2, 1])
        alarms.removeAll { _ in true }
        #expect(alarms.next == nil)
    }

    @Test func `S-9 S-34 at one time flows come before calls, and older calls before younger`() {
        var alarms = Alarms()
        let subjects: [Alarms.Subject] = [.call(RequestID(2)), idle(9), .call(RequestID(1))]
        for subject in subjects { alarms.insert(subject, due: at(1)) }
        var order: [Alarms.Subject] = []
        while let next = alarms.next {
            order.append(next.subject)
            alarms.removeNext()
        }
        #expect(order == [idle(9), .call(RequestID(1)), .call(RequestID(2))])
    }

    @Test func `S-34 after any additions and removals it stays sorted`() {
        var random = Seeded(seed: 3)
        var alarms = Alarms()
        var entries: [(due: UInt64, instance: UInt64)] = []
        for instance in 1...500 as ClosedRange<UInt64> {
            let due = UInt64.random(in: 0..<50, using: &random)
            alarms.insert(idle(instance), due: at(due))
            entries.append((due, instance))
            if Int.random(in: 0..<3, using: &random) == 0 {
                alarms.removeNext()
                entries.sort { $0 < $1 }
                entries.removeFirst()
            }
        }
        entries.sort { $0 < $1 }
        #expect(order(alarms) == entries.map(\.instance))
    }
}
