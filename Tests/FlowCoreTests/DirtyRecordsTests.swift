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
        _ = dirty.take(.node)
    }

    @Test mutating func `a new node is dirty until its record is taken`() {
        dirty.insert(slots[0])
        dirty.insert(slots[1])
        #expect(dirty.take(.node) == [slots[0], slots[1]])
        #expect(dirty.take(.node) == [])
        #expect(dirty.take(.activity) == [])
    }

    @Test mutating func `a dirty node is listed once, in the order of the changes`() {
        insertAll()
        for index in [2, 0, 2, 2, 0] { dirty.touch(slots[index], .node) }
        #expect(dirty.take(.node) == [slots[2], slots[0]])
        dirty.touch(slots[2], .node)
        #expect(dirty.take(.node) == [slots[2]])
    }

    @Test mutating func `an activity is listed once, apart from the node`() {
        insertAll()
        for index in [1, 0, 1] { dirty.touch(slots[index], .activity) }
        #expect(dirty.isEmpty(.node) && !dirty.isEmpty(.activity))
        #expect(dirty.take(.activity) == [slots[1], slots[0]])
        #expect(dirty.take(.activity) == [])
        dirty.touch(slots[1], .activity)
        #expect(dirty.take(.activity) == [slots[1]])
    }

    @Test mutating func `the records of a removed node are deleted, those that exist`() {
        insertAll()
        #expect(dirty.setSaved(true, slots[1], .activity) == false)
        dirty.remove(slots[0], instance: 10)
        dirty.remove(slots[1], instance: 11)
        #expect(dirty.takeGone() == [key(.node, 10), key(.node, 11), key(.activity, 11)])
        #expect(dirty.takeGone() == [])
    }

    @Test mutating func `a node that is removed before its record was taken leaves nothing`() {
        dirty.insert(slots[0])
        dirty.touch(slots[0], .activity)
        dirty.remove(slots[0], instance: 10)
        #expect(dirty.take(.node) == [])
        #expect(dirty.take(.activity) == [])
        #expect(dirty.takeGone() == [])
    }

    @Test mutating func `a dirty node that is removed is only deleted`() {
        insertAll()
        dirty.touch(slots[0], .node)
        dirty.touch(slots[0], .activity)
        dirty.remove(slots[0], instance: 10)
        #expect(dirty.take(.node) == [])
        #expect(dirty.take(.activity) == [])
        #expect(dirty.takeGone() == [key(.node, 10)])
    }

    @Test mutating func `a slot that is used again begins without records, and is still listed once`() {
        insertAll()
        #expect(dirty.setSaved(true, slots[0], .activity) == false)
        dirty.touch(slots[0], .node)
        dirty.remove(slots[0], instance: 10)
        dirty.insert(slots[0])
        #expect(dirty.takeGone() == [key(.node, 10), key(.activity, 10)])
        // The next node of the slot has no record yet.
        dirty.remove(slots[0], instance: 11)
        #expect(dirty.takeGone() == [])
        dirty.insert(slots[0])
        #expect(dirty.take(.node) == [slots[0]])
        #expect(dirty.setSaved(false, slots[0], .activity) == false)
    }

    @Test mutating func `it knows which activity has a record`() {
        insertAll()
        #expect(dirty.setSaved(false, slots[0], .activity) == false)
        #expect(dirty.setSaved(true, slots[0], .activity) == false)
        #expect(dirty.setSaved(true, slots[0], .activity) == true)
        #expect(dirty.setSaved(false, slots[0], .activity) == true)
        #expect(dirty.setSaved(false, slots[0], .activity) == false)
        dirty.remove(slots[0], instance: 10)
        #expect(dirty.takeGone() == [key(.node, 10)])
    }

    @Test mutating func `the records of a node are listed and saved apart from each other`() {
        insertAll()
        for part in DirtyRecords.Part.allCases { dirty.touch(slots[0], part) }
        for part in DirtyRecords.Part.allCases {
            #expect(dirty.take(part) == [slots[0]])
            #expect(dirty.isEmpty(part))
        }
        #expect(dirty.setSaved(true, slots[0], .savedState) == false)
        #expect(dirty.setSaved(true, slots[0], .activity) == false)
        #expect(dirty.setSaved(false, slots[0], .activity) == true)
        dirty.remove(slots[0], instance: 10)
        #expect(dirty.takeGone() == [key(.node, 10), key(.savedState, 10)])
    }
}
