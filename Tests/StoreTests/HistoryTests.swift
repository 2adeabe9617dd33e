import BusTestSupport
import FlowCore
import Testing

@testable import Store

/// Writing and reading navigations.
@Suite struct HistoryTests {
    /// A plain list, and a file that should have the same contents.
    private struct Both {
        var entries: [HistoryEntry] = []
        var batches: [[HistoryEntry]] = []
        let store: StoreFile
        var batch = HistoryBatch()
        var inBatch: [HistoryEntry] = []

        mutating func append(_ navigation: Navigation, at time: UInt64) {
            batch.append(navigation, at: time)
            inBatch.append(HistoryEntry(navigation, at: time))
        }

        mutating func flush() throws {
            try store.write([], history: batch)
            if !inBatch.isEmpty { batches.append(inBatch) }
            entries += inBatch
            batch.removeAll()
            inBatch = []
        }

        func expected(
            after serial: UInt64, limit: Int, bytes: Int, below path: String?
        ) -> (entries: [HistoryEntry], hasMore: Bool) {
            let matching = entries.filter {
                $0.serial > serial
                    && (path == nil || $0.flow == path || $0.flow.hasPrefix((path ?? "") + "/"))
            }
            var taken: [HistoryEntry] = []
            var room = bytes
            for entry in matching.prefix(limit) {
                room -= entry.byteCount
                if room < 0 && !taken.isEmpty { break }
                taken.append(entry)
            }
            return (taken, taken.count < matching.count)
        }
    }

    @Test(arguments: 0..<40)
    func `D-2: random histories are read as a plain list would be`(seed: UInt64) throws {
        var seeded = SeededGenerator(seed)
        let folder = try TemporaryDirectory()
        var both = Both(store: try StoreFile(folder.path + "/history.db"))
        var serial: UInt64 = 0
        var time: UInt64 = 1_790_000_000_000_000
        for _ in 0..<Int.random(in: 1...20, using: &seeded) {
            for _ in 0..<Int.random(in: 0...60, using: &seeded) {
                serial += seeded.isRare(20) ? UInt64.random(in: 2...3_000, using: &seeded) : 1
                // Sometimes the clock is set back.
                time = seeded.isRare(30) ? time - 5_000_000 : time + UInt64.random(in: 0...3_000_000, using: &seeded)
                both.append(.random(serial, &seeded), at: time)
            }
            try both.flush()
        }
        for _ in 0..<60 {
            let after = seeded.isRare(5) ? 0 : UInt64.random(in: 0...serial + 2, using: &seeded)
            let limit = seeded.isRare(2) ? 1_000 : Int.random(in: 0...70, using: &seeded)
            let bytes = seeded.isRare(2) ? 1 << 20 : Int.random(in: 0...20_000, using: &seeded)
            let path = seeded.one(of: [nil, nil, "/main", "/main/watched", "/m", "/none"])
            let found = try both.store.entries(after: after, limit: limit, bytes: bytes, below: path)
            let expected = both.expected(after: after, limit: limit, bytes: bytes, below: path)
            #expect(
                found.entries == expected.entries,
                "after \(after) limit \(limit) bytes \(bytes) below \(path ?? "-")")
            #expect(found.hasMore == expected.hasMore, "after \(after) limit \(limit) bytes \(bytes)")
        }
    }

    /// Writes a batch for each count, with serials from 1 on; the time of each navigation is its serial in seconds.
    private func write(_ counts: [Int], to store: StoreFile, from serial: UInt64 = 1) throws {
        var serial = serial
        for count in counts {
            var batch = HistoryBatch()
            for _ in 0..<count {
                batch.append(.sample(serial), at: serial * 1_000_000)
                serial += 1
            }
            try store.write([], history: batch)
        }
    }

    @Test func `D-2: navigations are there after their writer has ended`() throws {
        let folder = try TemporaryDirectory()
        try makeFileWithLog(folder.file()) { try write([3, 0, 2], to: $0) }
        #expect(try StoreFile(folder.file()).everything.map(\.serial) == [1, 2, 3, 4, 5])
    }

    @Test func `A limit of zero returns only whether there is more`() throws {
        let folder = try TemporaryDirectory()
        let store = try StoreFile(folder.file())
        func more(after serial: UInt64) throws -> Bool {
            let found = try store.entries(after: serial, limit: 0, bytes: 0, below: nil)
            #expect(found.entries.isEmpty)
            return found.hasMore
        }
        #expect(try !more(after: 0))
        try write([2, 3], to: store)
        #expect(try more(after: 0))
        #expect(try more(after: 4))
        #expect(try !more(after: 5))
        #expect(try !more(after: .max))
    }

    @Test func `At least one entry is returned, however small the limit of bytes`() throws {
        let folder = try TemporaryDirectory()
        let store = try StoreFile(folder.file())
        try write([3], to: store)
        let one = try store.entries(after: 1, limit: 1_000, bytes: 0, below: nil)
        #expect(one.entries.map(\.serial) == [2])
        #expect(one.hasMore)
        let size = try #require(one.entries.first).byteCount
        let two = try store.entries(after: 1, limit: 1_000, bytes: 2 * size, below: nil)
        #expect(two.entries.map(\.serial) == [2, 3])
        #expect(!two.hasMore)
        #expect(try store.entries(after: 1, limit: 1_000, bytes: 2 * size - 1, below: nil).entries.count == 1)
    }

    @Test func `Only batches that are asked for are read`() throws {
        let folder = try TemporaryDirectory()
        let store = try StoreFile(folder.file())
        try write(Array(repeating: 10, count: 100), to: store)
        // Reading any other batch finds it damaged.
        try store.connection?.database.run("UPDATE history SET entries = x'05' WHERE first NOT IN (701, 711)")
        // The entry after the last is read to find out whether there is more.
        let found = try store.entries(after: 700, limit: 19, bytes: .max, below: nil)
        #expect(found.entries.map(\.serial) == Array(701...719))
        #expect(found.hasMore)
        #expect(
            failure { try store.entries(after: 720, limit: 1, bytes: .max, below: nil) }?.kind == .unreadable)
        #expect(
            failure { try store.entries(after: 699, limit: 1, bytes: .max, below: nil) }?.kind == .unreadable)
    }

    @Test func `A batch of many entries, and of large ones, is one like any other`() throws {
        let folder = try TemporaryDirectory()
        let store = try StoreFile(folder.file())
        var batch = HistoryBatch()
        var expected: [HistoryEntry] = []
        for serial in 1...3_000 as ClosedRange<UInt64> {
            var navigation = Navigation.sample(serial)
            if serial % 50 == 0 {
                navigation.arguments = [Argument("text", .string(String(repeating: "x", count: 60_000)))]
            }
            if serial % 1_000 == 0 {
                navigation.arguments = [Argument("bytes", .bytes(Array(repeating: 7, count: 60_000)))]
            }
            batch.append(navigation, at: serial)
            expected.append(HistoryEntry(navigation, at: serial))
        }
        #expect(batch.count == 3_000)
        #expect(batch.byteCount > 3 << 20)
        try store.write([.node(1, [1])], history: batch)
        #expect(try store.everything == expected)
        batch.removeAll()
        #expect(batch.isEmpty && batch.byteCount == 0)
        batch.append(.sample(3_001), at: 3_001)
        try store.write([], history: batch)
        #expect(try store.everything.last == HistoryEntry(.sample(3_001), at: 3_001))
    }

    // MARK: Pruning

    @Test func `D-10: the configured number is kept, and not a whole batch more`() throws {
        let folder = try TemporaryDirectory()
        var store = try StoreFile(folder.file())
        try write([10, 10, 1, 10, 5], to: store)
        #expect(try !store.prune(keeping: 36))
        #expect(try !store.prune(keeping: 27))
        #expect(try store.everything.count == 36)
        #expect(try !store.prune(keeping: 26))
        #expect(try store.everything.first?.serial == 11)
        #expect(try !store.prune(keeping: 15))
        #expect(try store.everything.map(\.serial) == Array(22...36))
        // The number is known after reopening, too.
        _ = consume store
        store = try StoreFile(folder.file())
        try write([5], to: store, from: 37)
        #expect(try !store.prune(keeping: 11))
        #expect(try store.everything.map(\.serial) == Array(22...41))
        #expect(try !store.prune(keeping: 10))
        #expect(try store.everything.map(\.serial) == Array(32...41))
        #expect(try !store.prune(keeping: 0))
        #expect(try store.everything == [])
        #expect(try !store.prune(keeping: 0))
        try write([2], to: store, from: 50)
        #expect(try !store.prune(keeping: 2))
        #expect(try store.everything.map(\.serial) == [50, 51])
    }

    @Test func `D-10: much is forgotten in small pieces`() throws {
        let folder = try TemporaryDirectory()
        let store = try StoreFile(folder.file())
        try write(Array(repeating: 2, count: 100), to: store)
        var pieces = 1
        var left = 200
        while try store.prune(keeping: 20) {
            pieces += 1
            let now = try store.everything.count
            #expect(now < left && left - now <= 32)
            left = now
        }
        #expect(pieces == 6)
        #expect(try store.everything.map(\.serial) == Array(181...200))
    }
}
