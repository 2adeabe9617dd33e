import Testing

@testable import FlowCore

@Suite("Alarms")
struct AlarmsTests {
    private func flow(_ instance: UInt64) -> NodeID { NodeID(slot: 0, instance: instance) }
    private func at(_ time: UInt64) -> Instant { Instant(microseconds: time) }

    private func order(_ alarms: Alarms) -> [UInt64] {
        var (alarms, order) = (alarms, [UInt64]())
        while let next = alarms.next {
            order.append(next.flow.instance)
            alarms.removeNext()
        }
        return order
    }

    @Test func `S-34 the earliest is next; of those at one time, the oldest flow`() {
        var alarms = Alarms()
        #expect(alarms.next == nil)
        for (instance, due) in [(5, 30), (2, 10), (4, 30), (1, 20), (3, 10)] as [(UInt64, UInt64)] {
            alarms.insert(flow(instance), due: at(due))
        }
        #expect(alarms.next == Alarms.Entry(due: at(10), flow: flow(2)))
        #expect(order(alarms) == [2, 3, 1, 4, 5])
        #expect(alarms.count == 5)
        alarms.removeAll { $0.instance > 2 }
        #expect(order(alarms) == [2, 1])
        alarms.removeAll()
        #expect(alarms.next == nil)
    }

    @Test func `S-34 whatever comes and goes, it stays in order`() {
        var random = Seeded(seed: 3)
        var alarms = Alarms()
        var entries: [(due: UInt64, instance: UInt64)] = []
        for instance in 1...500 as ClosedRange<UInt64> {
            let due = UInt64.random(in: 0..<50, using: &random)
            alarms.insert(flow(instance), due: at(due))
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
