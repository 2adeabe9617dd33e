import BusTestSupport
import Glibc
import Testing

@testable import FlowCore
@testable import Store

/// How old navigations are (D-10): by time that was witnessed, not by the time of day.
@Suite struct WitnessedTests {
    let folder: TemporaryDirectory
    let file: String
    let clock = TestClock()
    private let day = TestClock.day

    init() throws {
        folder = try TemporaryDirectory()
        file = folder.file("history.db")
    }

    private func open() throws -> StoreFile { try StoreFile(file, clock: clock.clock) }

    /// Writes batches of so many navigations, a day between them, from this serial on.
    private func write(_ counts: [Int], from serial: UInt64 = 1, to store: StoreFile, at time: UInt64 = 0) throws {
        var serial = serial
        for count in counts {
            var batch = HistoryBatch()
            for _ in 0..<count {
                batch.append(.sample(serial), at: time)
                serial += 1
            }
            try store.write([], history: batch)
            clock.now += day
        }
    }

    /// Removes entries that are older than a number of days; returns their number.
    private func age(_ days: UInt64, most: Int = 1_000, _ store: StoreFile) throws -> Int {
        var aging: StoreFile.Aging? = .init(
            before: store.witnessed - min(store.witnessed, days * day), most: most)
        while try store.prune(keeping: 1_000_000, aging: &aging) {}
        return aging?.forgotten ?? 0
    }

    @Test func `D-10: entries older than the witnessed days are deleted, and nothing else`() throws {
        let store = try open()
        try write([3, 4, 5], to: store)
        #expect(try age(3, store) == 0)
        clock.now += 1
        #expect(try age(3, store) == 3)
        #expect(try age(3, store) == 0)
        #expect(try age(2, store) == 4)
        #expect(try store.everything.map(\.serial) == Array(8...12))
    }

    @Test func `D-10: the time of day does not matter, neither when it is written nor later`() throws {
        let store = try open()
        for (index, time) in [1, 1_795_262_340_000_000, 4_000_000_000_000_000, 5].enumerated()
            as EnumeratedSequence<[UInt64]>
        {
            try write([2], from: UInt64(2 * index + 1), to: store, at: time)
        }
        #expect(try age(30, store) == 0)
        #expect(try store.everything.count == 8)
    }

    @Test func `D-10: time goes on while no process runs, and while the machine sleeps`() throws {
        try write([2], to: open())
        clock.now += 40 * day
        #expect(try age(30, open()) == 2)
    }

    @Test func `D-10: after a reboot the certain time counts: since then, and before`()
        throws
    {
        try write([2, 2], to: open())
        clock.boot = 2
        clock.now = 10 * day
        var store = try open()
        // One day between them, nothing while it was off, ten since.
        #expect(store.witnessed == 11 * day)
        try write([2], from: 5, to: store)
        _ = consume store
        clock.now += 2 * day
        store = try open()
        #expect(store.witnessed == 14 * day)
        #expect(try age(13, store) == 2)
        #expect(try age(12, store) == 2)
        _ = consume store
        // Starts at which nothing is written don't count twice.
        clock.boot = 3
        clock.now = day
        for _ in 0..<3 { #expect(try open().witnessed == 12 * day) }
    }

    @Test
    func `D-10: the reserved serials are written with the time, so time without navigations counts`()
        throws
    {
        let store = try open()
        try write([1], to: store)
        clock.now += 20 * day
        try store.write([Record(RecordKey(.counters, 0), [1, 1])])
        _ = consume store
        clock.boot = 2
        clock.now = day
        #expect(try open().witnessed == 22 * day)
    }

    @Test func `D-10: a clock that runs backwards does no harm`() throws {
        let store = try open()
        try write([2, 2], to: store)
        clock.now = 1
        #expect(store.witnessed == 0)
        #expect(try age(1, store) == 0)
        try write([1], from: 5, to: store)
        _ = consume store
        clock.now = 0
        #expect(try age(1, open()) == 0)
        #expect(try open().everything.count == 5)
    }

    @Test func `D-10: age deletes at most a share at once, but at least one batch`() throws {
        let store = try open()
        try write(Array(repeating: 3, count: 40), to: store)
        clock.now += 100 * day
        #expect(try age(30, most: 30, store) == 30)
        #expect(try age(30, most: 32, store) == 30)
        #expect(try age(30, most: 0, store) == 3)
        #expect(try store.entryCount() == 57)
        // Excess entries are removed anyway.
        var aging: StoreFile.Aging? = .init(before: store.witnessed, most: 3)
        while try store.prune(keeping: 10, aging: &aging) {}
        #expect(try store.entryCount() <= 12)
    }
}
