import Testing

@testable import FlowCore

@Suite struct NodeSlotsTests {
    private func slots(_ indices: [Int]) -> NodeSlots {
        var slots = NodeSlots()
        for index in indices { slots.append(NodeSlot(index)) }
        return slots
    }

    @Test(arguments: [[], [4], [4, 2], [4, 2, 7, 2]])
    func `slots are as an array of them`(_ indices: [Int]) {
        var slots = slots(indices)
        #expect(slots.map(\.index) == indices)
        #expect(slots.count == indices.count && slots.isEmpty == indices.isEmpty)
        for index in 0..<9 { #expect(slots.contains(NodeSlot(index)) == indices.contains(index)) }
        slots.insert(NodeSlot(2))
        #expect(slots.map(\.index) == (indices.contains(2) ? indices : indices + [2]))
        slots.sort { $0.index < $1.index }
        #expect(slots.map(\.index) == (indices.contains(2) ? indices : indices + [2]).sorted())
    }
}
