import Testing

@testable import FlowCore

@Suite("Dirty records")
struct DirtyRecordsTests {
    private var dirty = DirtyRecords()
    private let slots = (0..<3).map { NodeSlot($0) }

    private func key(_ kind: RecordKey.Kind, _ instance: UInt64) -> RecordKey { RecordKey(kind, instance) }

    /// Inserts all nodes, and takes their records.
    private mutating func insertAll() {
        for slot in slots { dirty.insert(slot) }
        _ = dirty.takeNodes()
    }

    @Test mutating func `a new node is dirty until its record is taken`() {
        dirty.insert(slots[0])
        dirty.insert(slots[1])
        #expect(dirty.takeNodes() == [slots[0], slots[1]])
        #expect(dirty.takeNodes() == [])
        #expect(dirty.takeActivities() == [])
    }

    @Test mutating func `a dirty node is listed once, in the order of the changes`() {
        insertAll()
        for index in [2, 0, 2, 2, 0] { dirty.touch(slots[index]) }
        #expect(dirty.nodes == [slots[2], slots[0]])
        #expect(dirty.takeNodes() == [slots[2], slots[0]])
        dirty.touch(slots[2])
        #expect(dirty.takeNodes() == [slots[2]])
    }

    @Test mutating func `an activity is listed once, apart from the node`() {
        insertAll()
        for index in [1, 0, 1] { dirty.touchActivity(of: slots[index]) }
        #expect(dirty.activities == [slots[1], slots[0]])
        #expect(dirty.nodes == [])
        #expect(dirty.takeActivities() == [slots[1], slots[0]])
        #expect(dirty.takeActivities() == [])
        dirty.touchActivity(of: slots[1])
        #expect(dirty.takeActivities() == [slots[1]])
    }

    @Test mutating func `the records of a removed node are deleted, those that exist`() {
        insertAll()
        #expect(dirty.setActivitySaved(true, of: slots[1]) == false)
        dirty.remove(slots[0], instance: 10)
        dirty.remove(slots[1], instance: 11)
        #expect(dirty.takeGone() == [key(.node, 10), key(.node, 11), key(.activity, 11)])
        #expect(dirty.takeGone() == [])
    }

    @Test mutating func `a node that is removed before its record was taken leaves nothing`() {
        dirty.insert(slots[0])
        dirty.touchActivity(of: slots[0])
        dirty.remove(slots[0], instance: 10)
        #expect(dirty.takeNodes() == [])
        #expect(dirty.takeActivities() == [])
        #expect(dirty.takeGone() == [])
    }

    @Test mutating func `a dirty node that is removed is only deleted`() {
        insertAll()
        dirty.touch(slots[0])
        dirty.touchActivity(of: slots[0])
        dirty.remove(slots[0], instance: 10)
        #expect(dirty.takeNodes() == [])
        #expect(dirty.takeActivities() == [])
        #expect(dirty.takeGone() == [key(.node, 10)])
    }

    @Test mutating func `a slot that is used again begins without records, and is still listed once`() {
        insertAll()
        #expect(dirty.setActivitySaved(true, of: slots[0]) == false)
        dirty.touch(slots[0])
        dirty.remove(slots[0], instance: 10)
        dirty.insert(slots[0])
        #expect(dirty.nodes == [slots[0]])
        #expect(dirty.takeGone() == [key(.node, 10), key(.activity, 10)])
        // The next node of the slot has no record yet.
        dirty.remove(slots[0], instance: 11)
        #expect(dirty.takeGone() == [])
        dirty.insert(slots[0])
        #expect(dirty.takeNodes() == [slots[0]])
        #expect(dirty.setActivitySaved(false, of: slots[0]) == false)
    }

    @Test mutating func `it knows which activity has a record`() {
        insertAll()
        #expect(dirty.setActivitySaved(false, of: slots[0]) == false)
        #expect(dirty.setActivitySaved(true, of: slots[0]) == false)
        #expect(dirty.setActivitySaved(true, of: slots[0]) == true)
        #expect(dirty.setActivitySaved(false, of: slots[0]) == true)
        #expect(dirty.setActivitySaved(false, of: slots[0]) == false)
        dirty.remove(slots[0], instance: 10)
        #expect(dirty.takeGone() == [key(.node, 10)])
    }
}
