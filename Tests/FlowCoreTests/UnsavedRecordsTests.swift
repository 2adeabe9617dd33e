import Testing

@testable import FlowCore

@Suite("Unsaved records")
struct UnsavedRecordsTests {
    private var unsaved = UnsavedRecords(isWanted: true)

    /// The record of a step; the content differs by the origin.
    private func step(_ number: UInt64, _ origin: UInt64?) -> Record {
        Record(RecordKey(.step, number), origin.map { content($0).encoded() })
    }

    private func content(_ origin: UInt64) -> StepRecord {
        StepRecord(
            stage: .blocked, place: 1, origin: origin, cause: 0, client: Client(":1.1"), step: "pick", arguments: [])
    }

    private func counters(_ serial: UInt64, _ instance: UInt64) -> Record {
        Record(RecordKey(.counters, 0), CountersRecord(serial: serial, instance: instance).encoded())
    }

    // MARK: Steps

    @Test mutating func `records of steps are taken once, in their order, with the latest content`() {
        for number: UInt64 in [3, 1, 2] { unsaved.set(content(number), ofStep: number) }
        unsaved.set(content(9), ofStep: 2)
        #expect(unsaved.hasSteps && unsaved.isUrgent)
        #expect(unsaved.takeSteps() == [step(1, 1), step(2, 9), step(3, 3)])
        #expect(!unsaved.hasSteps && !unsaved.isUrgent)
        #expect(unsaved.takeSteps() == [])
    }

    @Test mutating func `the record of a step that waits no longer is deleted, once`() {
        unsaved.set(content(1), ofStep: 1)
        _ = unsaved.takeSteps()
        unsaved.set(content(2), ofStep: 1)
        unsaved.remove(step: 1)
        #expect(unsaved.isUrgent)
        #expect(unsaved.takeSteps() == [step(1, nil)])
        unsaved.remove(step: 1)
        #expect(!unsaved.hasSteps)
    }

    @Test mutating func `a step that never had a record leaves nothing`() {
        unsaved.set(content(1), ofStep: 1)
        unsaved.remove(step: 1)
        unsaved.remove(step: 2)
        #expect(!unsaved.isUrgent)
        #expect(unsaved.takeSteps() == [])
    }

    @Test mutating func `a step that waits again gets its record again`() {
        unsaved.set(content(1), ofStep: 1)
        _ = unsaved.takeSteps()
        unsaved.remove(step: 1)
        unsaved.set(content(2), ofStep: 1)
        #expect(unsaved.takeSteps() == [step(1, 2)])
        unsaved.remove(step: 1)
        #expect(unsaved.takeSteps() == [step(1, nil)])
    }

    @Test mutating func `after all records were taken, the steps among them are deleted when they end`() {
        unsaved.set(content(1), ofStep: 1)
        _ = unsaved.takeSteps()
        unsaved.setSavedSteps(among: [counters(5, 6), step(7, 7)])
        for number: UInt64 in [0, 1, 7] { unsaved.remove(step: number) }
        #expect(unsaved.takeSteps() == [step(7, nil)])
    }

    @Test mutating func `no step is noted if the shell takes no records`() {
        unsaved = UnsavedRecords(isWanted: false)
        unsaved.set(content(1), ofStep: 1)
        unsaved.remove(step: 1)
        unsaved.set(content(2), ofStep: 2)
        #expect(!unsaved.hasSteps && !unsaved.isUrgent)
        #expect(unsaved.takeSteps() == [])
    }

    // MARK: Serials and instances

    @Test mutating func `D-2 a block of numbers is reserved at a time, and recorded once`() {
        #expect(unsaved.counters == nil)
        #expect(unsaved.covers(serial: 0, instance: 0))
        #expect(!unsaved.covers(serial: 1, instance: 0) && !unsaved.covers(serial: 0, instance: 1))
        unsaved.reserve(after: 10, instance: 20)
        let (serial, instance) = (10 + UnsavedRecords.block, 20 + UnsavedRecords.block)
        #expect(unsaved.covers(serial: serial, instance: instance))
        #expect(!unsaved.covers(serial: serial + 1, instance: instance))
        #expect(!unsaved.covers(serial: serial, instance: instance + 1))
        #expect(unsaved.isUrgent && !unsaved.hasSteps)
        #expect(unsaved.takeCounters() == counters(serial, instance))
        #expect(unsaved.takeCounters() == nil && !unsaved.isUrgent)
        #expect(unsaved.counters == counters(serial, instance))
    }

    @Test mutating func `D-2 released numbers are recorded, and no longer reserved`() {
        unsaved.reserve(after: 10, instance: 20)
        _ = unsaved.takeCounters()
        unsaved.release(after: 11, instance: 22)
        #expect(unsaved.isUrgent)
        #expect(unsaved.takeCounters() == counters(11, 22))
        #expect(unsaved.covers(serial: 11, instance: 22))
        #expect(!unsaved.covers(serial: 12, instance: 22) && !unsaved.covers(serial: 11, instance: 23))
    }

    @Test mutating func `D-2 the reservation of an earlier process needs no new record`() {
        unsaved.restore(serial: 30, instance: 40)
        #expect(!unsaved.isUrgent && unsaved.takeCounters() == nil)
        #expect(unsaved.counters == counters(30, 40))
        #expect(unsaved.covers(serial: 30, instance: 40) && !unsaved.covers(serial: 31, instance: 40))
    }
}
