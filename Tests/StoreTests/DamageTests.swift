import BusTestSupport
import Glibc
import Testing

@testable import FlowCore
@testable import Store

/// Damaged files.
@Suite struct DamageTests {
    let folder: TemporaryDirectory
    let file: String

    init() throws {
        folder = try TemporaryDirectory()
        file = folder.file()
    }

    /// Fills a file with records and navigations of all sorts.
    private func fill(_ store: StoreFile) throws {
        var seeded = SeededGenerator(42)
        var serial: UInt64 = 0
        for round in 0..<12 as Range<UInt64> {
            var batch = HistoryBatch()
            for _ in 0..<30 {
                serial += 1
                batch.append(.random(serial, &seeded), at: 1_000_000 * serial)
            }
            let records = (0..<10).map { Record.node(round * 7 + $0, seeded.bytes(round == 5 ? 5_000 : 60)) }
            try store.write(records + [.node(round, nil)], history: batch)
        }
    }

    /// Uses the file in every way, as far as each works.
    ///
    /// - Returns: the failure of opening it, or the first one after that; nil if there is none.
    private func useAll() throws -> StoreFailure? {
        var store: StoreFile?
        var first: StoreFailure?
        let uses: [() throws -> Any] = [
            { store = try StoreFile(file) },
            { try store?.records() as Any },
            { try store?.entries(after: 0, limit: .max, bytes: .max, below: "/main") as Any },
            { try store?.entries(after: 250, limit: 1_000, bytes: 1 << 20, below: nil) as Any },
            { try store?.prune(keeping: 200) as Any },
            { try store?.write([.node(3, [1]), .node(4, nil)]) as Any },
            { try store?.prune(keeping: 0) as Any },
            { try store?.write([.node(1, [1])], all: true) as Any },
        ]
        for use in uses {
            let found = failure(use)
            #expect(found == nil || found?.kind == .unreadable, "\(String(describing: found))")
            first = first ?? found
        }
        return first
    }

    @Test func `D-6: a file that ends anywhere is unreadable, an empty one, too`() throws {
        try fill(StoreFile(file))
        let whole = Snapshot(file)
        let bytes = try #require(whole.files[""])
        #expect(bytes.count > 50_000)
        for count in stride(from: 0, to: bytes.count, by: 512) {
            try whole.restore("", Array(bytes[..<count]))
            #expect(try useAll()?.kind == .unreadable, "\(count) bytes of \(bytes.count)")
        }
        try whole.restore("", nil)
        #expect(try useAll()?.description == "'\(file)' is gone, and commit 13 was written to it")
        try whole.restore()
        #expect(try useAll() == nil)
    }

    @Test
    func `D-1 D-6: a truncated log has whole commits up to there, and is distinguished from a whole one`()
        throws
    {
        var states: [[Record]] = [[]]
        try makeFileWithLog(file) { store in
            for round in 1...40 as ClosedRange<UInt8> {
                try store.write([.node(1, [round]), .node(2, Array(repeating: round, count: 3_000))])
                states.append(try store.records())
            }
        }
        let whole = Snapshot(file)
        let log = try #require(whole.files["-wal"])
        var latest = 0
        var seen: Set<Int> = []
        for count in Array(stride(from: 0, to: log.count, by: 509)) + [log.count] {
            let cut = Array(log[..<count])
            try whole.restore("-wal", cut)
            let found = failure { try StoreFile(file) }
            #expect(found?.kind == (count == log.count ? nil : .unreadable), "\(count) bytes")
            // Without the commit file the state is uncertain, which is reported.
            var alone = whole
            alone.files["-commit"] = nil
            try alone.restore("-wal", cut)
            let store = try StoreFile(file)
            let state = try #require(states.firstIndex(of: store.records()), "\(count) bytes")
            #expect(store.inspection.certainty == .unknown && store.inspection.warning != nil, "\(count) bytes")
            #expect(state >= latest)
            latest = state
            seen.insert(state)
        }
        #expect(seen.count == states.count)
    }

    // MARK: Random damage

    @Test func `D-6: noise in a file ends in success or in a file that is unreadable`() throws {
        try fill(StoreFile(file))
        let whole = Snapshot(file)
        let bytes = try #require(whole.files[""])
        var found = 0
        for seed in 0..<400 as Range<UInt64> {
            var seeded = SeededGenerator(seed)
            try whole.restore("", seeded.withNoise(bytes))
            if try useAll() != nil { found += 1 }
        }
        // Some damage has no effect, as in free space.
        #expect(found > 100)
    }

    @Test(arguments: [0, 1])
    func `D-6: a row of the schema of which SQLite says that there is no memory for it is damage`(row: Int) throws {
        try fill(StoreFile(file))
        let whole = Snapshot(file)
        var bytes = try #require(whole.files[""])
        // The first page has the file's header, its own, and the places of its rows, which begin with their sizes.
        let place = Int(bytes[108 + 2 * row]) << 8 | Int(bytes[109 + 2 * row])
        bytes.replaceSubrange(place..<place + 9, with: [UInt8](repeating: 0xff, count: 9))
        try whole.restore("", bytes)
        #expect(try useAll()?.kind == .unreadable)
    }

    @Test func `D-6: any byte of the file's own header may be anything`() throws {
        try fill(StoreFile(file))
        let whole = Snapshot(file)
        let content = try #require(whole.files[""])
        for place in 0..<100 {
            for byte in [0, 1, 3, 0xff] as [UInt8] where byte != content[place] {
                var bytes = content
                bytes[place] = byte
                try whole.restore("", bytes)
                _ = try useAll()
            }
        }
    }

    @Test func `D-6: noise instead of a journal or a log`() throws {
        try fill(StoreFile(file))
        let whole = Snapshot(file)
        for companion in ["-journal", "-wal", "-shm"] {
            for seed in 0..<10 as Range<UInt64> {
                var seeded = SeededGenerator(seed)
                try whole.restore(companion, seeded.bytes(5_000))
                #expect(try useAll() == nil, "\(companion)")
            }
        }
    }

    @Test func `D-6: a file that is found damaged while it is open keeps its log`() throws {
        try makeFileWithLog(file) { try $0.write([.node(1, [1])]) }
        let store = try StoreFile(file)
        var batch = HistoryBatch()
        batch.append(.sample(1), at: 1)
        try store.write([], history: batch)
        try store.connection?.database.run("UPDATE history SET entries = x'05'")
        #expect(failure { try store.everything }?.kind == .unreadable)
        #expect(try folder.names == ["tree.db", "tree.db-commit", "tree.db-wal"])
        _ = consume store
        #expect(try folder.names == ["tree.db", "tree.db-commit", "tree.db-wal"])
    }
}

extension SeededGenerator {
    /// Returns the bytes with random changes, many of them in the headers of the file and of its pages.
    mutating func withNoise(_ content: [UInt8]) -> [UInt8] {
        var bytes = content
        let place =
            isRare(2)
            ? Int.random(in: 0..<bytes.count, using: &self)
            : Int.random(in: 0..<max(1, bytes.count / 2_048), using: &self) * 2_048
                + Int.random(in: 0..<120, using: &self)
        let count = one(of: [1, 1, 2, 16, 512, 5_000])
        for (index, byte) in zip(place..<max(place, min(place + count, bytes.count)), self.bytes(count)) {
            bytes[index] = byte
        }
        return bytes
    }
}
