import BusTestSupport
import Glibc
import Testing

@testable import FlowCore
@testable import Store

/// Files of older formats.
@Suite struct MigrationTests {
    let folder: TemporaryDirectory
    let file: String

    init() throws {
        folder = try TemporaryDirectory()
        file = folder.file()
    }

    private static let history = Format.current.migrations[1].schema[0]
    private static let records = Format.current.migrations[1].schema[1]

    /// A version 3 that counts bodies, and a version 4 with another table.
    private static let second = Format.Migration(
        sql: "ALTER TABLE records ADD COLUMN size INTEGER; UPDATE records SET size = length(body)",
        schema: [history, records.replacing(") STRICT", with: ", size INTEGER) STRICT")])
    private static let third = Format.Migration(
        sql: "CREATE TABLE more (number INTEGER) STRICT",
        schema: [history, "CREATE TABLE more (number INTEGER) STRICT"]
            + second.schema.suffix(1))

    private func format(_ more: Format.Migration...) -> Format {
        Format(migrations: Format.current.migrations + more)
    }

    @Test func `D-6: an older format is migrated to the newer one, with all its contents`() throws {
        let records = [Record.node(1, [1, 2, 3]), .node(2, [])]
        var batch = HistoryBatch()
        batch.append(.sample(1), at: 1)
        try StoreFile(file).write(records, history: batch)

        var store: StoreFile? = try StoreFile(file, format(Self.second, Self.third))
        #expect(try store?.records() == records)
        #expect(try store?.everything.count == 1)
        let database = try #require(store?.connection?.database)
        #expect(try database.number("SELECT sum(size) FROM records WHERE key > 0") == 3)
        #expect(try database.number("SELECT count(*) FROM more") == 0)
        #expect(try database.number("PRAGMA user_version") == 4)
        store = nil
    }

    @Test func `D-6: each older format is migrated from its own version`() throws {
        try StoreFile(file, format(Self.second)).write([.node(1, [1])])
        #expect(failure { try StoreFile(file) }?.kind == .unreadable)
        #expect(try StoreFile(file, format(Self.second, Self.third)).records() == [.node(1, [1])])
        #expect(try StoreFile(file, format(Self.second, Self.third)).records() == [.node(1, [1])])
        #expect(failure { try StoreFile(file, format(Self.second)) }?.kind == .unreadable)
    }

    @Test func `D-6: a fresh file takes all migrations at once`() throws {
        try StoreFile(file, format(Self.second, Self.third)).write([.node(1, [1])])
        #expect(try Database(file, .full).number("PRAGMA user_version") == 4)
        #expect(try StoreFile(file, format(Self.second, Self.third)).records() == [.node(1, [1])])
    }

    @Test func `D-6: a migration that fails leaves the file as it was`() throws {
        try StoreFile(file).write([.node(1, [1])])
        let before = try content(of: file)
        let broken = [
            Format.Migration(sql: "DELETE FROM records; UPDATE none SET size = 1", schema: []),
            Format.Migration(sql: "DELETE FROM records", schema: ["CREATE TABLE other (number)"]),
        ]
        for step in broken {
            let found = failure { try StoreFile(file, format(Self.second, step)) }
            #expect(found?.kind == .unreadable)
            #expect(try StoreFile(file).records() == [.node(1, [1])])
            #expect(try content(of: file) == before)
        }
    }

    @Test func `D-7: a migration without room for it leaves the file as it was, and is done later`() throws {
        try StoreFile(file).write((0..<50).map { .node($0, Array(repeating: 1, count: 1_000)) })
        let full = Format.Migration(
            sql: "PRAGMA max_page_count = 1; " + Self.second.sql + Self.blow, schema: Self.second.schema)
        let found = failure { try StoreFile(file, format(full)) }
        #expect(found?.kind == .unwritable)
        #expect(try StoreFile(file).records().count == 50)
        #expect(try StoreFile(file, format(Self.second)).records().count == 50)
    }

    /// A statement that needs space.
    private static let blow = "; UPDATE records SET body = zeroblob(100000)"

    /// A file as the first version wrote it, with three navigations and a record.
    private func writeFirstVersion() throws {
        try put([], into: file)
        let database = try Database(file, .full)
        try database.run(Format.current.migrations[0].sql)
        var batch = HistoryBatch()
        for serial in 7...9 as ClosedRange<UInt64> { batch.append(.sample(serial), at: 70 + serial) }
        let entries = batch.withEntries { Array($0) }.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        try database.run(
            """
            PRAGMA application_id = \(Format.applicationID); PRAGMA user_version = 1;
            INSERT INTO history VALUES (7, 9, 79, 100, 3, x'\(entries)');
            INSERT INTO records VALUES (\(Record.node(1, []).key.rawValue), x'010203')
            """)
    }

    @Test
    func `D-6 D-10: a file of the first version continues, its contents as old as the first start with this one`()
        throws
    {
        try writeFirstVersion()
        let clock = TestClock()
        clock.now = 400 * TestClock.day
        // With its commit file it has no reserved numbers, and says nothing of what another file has.
        for certainty in [StoreFile.Certainty.exact, .nothing] {
            let store = try StoreFile(file, clock: clock.clock)
            #expect(store.inspection.warning == nil && store.inspection.certainty == certainty)
            #expect(try store.records() == [.node(1, [1, 2, 3])])
            #expect(try store.everything.map(\.time) == [77, 78, 79])
            #expect(store.lastSerial == 9)
            var aging: StoreFile.Aging? = .init(
                before: store.witnessed - min(store.witnessed, 30 * TestClock.day), most: 9)
            #expect(try !store.prune(keeping: 1_000, aging: &aging))
            #expect(aging?.forgotten == 0)
            clock.now += 10 * TestClock.day
        }
        var batch = HistoryBatch()
        batch.append(.sample(10), at: 1)
        let store = try StoreFile(file, clock: clock.clock)
        try store.write([], history: batch)
        clock.now += 31 * TestClock.day
        var aging: StoreFile.Aging? = .init(before: store.witnessed - 30 * TestClock.day, most: 9)
        #expect(try !store.prune(keeping: 1_000, aging: &aging))
        #expect(aging?.forgotten == 4)
    }

    @Test func `D-6: a file of the first version in the place of one with commits is unreadable`() throws {
        try StoreFile(file).write([.node(1, [1])])
        try writeFirstVersion()
        let found = failure { try StoreFile(file) }
        #expect(found?.kind == .unreadable)
        #expect(found?.description == "'\(file)' has format 1, and commit 2 was written to it")
    }

    @Test func `The format of today never changes`() throws {
        #expect(Format.applicationID == 0x466c_6f77)
        #expect(Format.current.version == 2)
        #expect(
            Format.current.migrations[1].schema == [
                "CREATE TABLE history (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, time INTEGER NOT NULL, "
                    + "before INTEGER NOT NULL, count INTEGER NOT NULL, witnessed INTEGER NOT NULL, "
                    + "checksum INTEGER NOT NULL, number INTEGER NOT NULL, digest INTEGER NOT NULL, "
                    + "entries BLOB NOT NULL) STRICT",
                "CREATE TABLE records (key INTEGER PRIMARY KEY, number INTEGER NOT NULL, digest INTEGER NOT NULL, "
                    + "body BLOB NOT NULL) STRICT",
            ])
        #expect(
            Format.current.migrations[0].schema == [
                "CREATE TABLE history (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, time INTEGER NOT NULL, "
                    + "before INTEGER NOT NULL, count INTEGER NOT NULL, entries BLOB NOT NULL) STRICT",
                "CREATE TABLE records (key INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT",
            ])
    }
}
