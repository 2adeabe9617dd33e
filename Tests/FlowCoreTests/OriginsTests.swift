import Testing

@testable import FlowCore

@Suite("Origins")
struct OriginsTests {
    @Test func `S-11 an origin triggers up to 256 steps; the first one beyond is marked`() {
        var origins = Origins()
        let origin = origins.next()
        for _ in 0..<Limits.triggeredSteps { #expect(origins.trigger(origin) == .admitted) }
        #expect(origins.trigger(origin) == .dropped(isFirst: true))
        #expect(origins.trigger(origin) == .dropped(isFirst: false))
        let other = origins.next()
        #expect(origins.trigger(other) == .admitted)
        #expect(origins.latest == 2)
    }

    @Test func `a cascade ends with the last thing of it that waits`() {
        var origins = Origins()
        #expect(origins.trigger(1) == .admitted)
        origins.wait(1)
        origins.release(1)
        #expect(origins.isUnderWay(1))
        origins.release(1)
        #expect(origins.isEmpty && !origins.isUnderWay(1))
        // What came and went between two writes has no record.
        #expect(!origins.book.isDirty)
    }

    @Test func `S-16 a step that waits until its screen is presented is not under way`() {
        var origins = Origins()
        #expect(origins.trigger(1) == .admitted)
        origins.addDeferred(1)
        #expect(!origins.isUnderWay(1))
        origins.removeDeferred(1)
        #expect(origins.isUnderWay(1))
        origins.addDeferred(1)
        origins.release(1, isDeferred: true)
        #expect(origins.isEmpty)
    }

    @Test func `D-4 a cascade is recorded while it lasts`() throws {
        var origins = Origins()
        for _ in 1...2 { #expect(origins.trigger(7) == .admitted) }
        let records = origins.takeRecords()
        let record = try #require(records.first)
        #expect(record.key == RecordKey(.origin, 7))
        let read = try OriginRecord(record.body ?? [])
        #expect(read == OriginRecord(triggered: 2, isReported: false))
        for _ in 1...2 { origins.release(7) }
        #expect(origins.takeRecords() == [Record(RecordKey(.origin, 7), nil)])
        var unrecorded = Origins(isRecorded: false)
        #expect(unrecorded.trigger(7) == .admitted)
        #expect(!unrecorded.book.isDirty)
    }

    @Test func `D-4 after a restart an origin has triggered what it had, if something of it waits`() {
        var origins = Origins()
        let full = OriginRecord(triggered: Limits.triggeredSteps, isReported: true)
        origins.restore([3: full, 4: full], latest: 9)
        origins.wait(3, isDeferred: true)
        origins.forgetRestored()
        #expect(origins.cascades.keys.sorted() == [3])
        #expect(origins.trigger(3) == .dropped(isFirst: false))
        #expect(origins.next() == 10)
    }
}
