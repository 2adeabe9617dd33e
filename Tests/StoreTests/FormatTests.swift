import BusTestSupport
import Testing

@testable import FlowCore
@testable import Store

/// The format of files, and files of other ones.
@Suite struct FormatTests {
    let folder: TemporaryDirectory
    let file: String

    init() throws {
        folder = try TemporaryDirectory()
        file = folder.file()
    }

    @Test func `The format of today never changes`() throws {
        #expect(Format.applicationID == 0x466c_6f77)
        #expect(Format.version == 4)
        #expect(
            Format.schema == [
                "CREATE TABLE history (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, time INTEGER NOT NULL, "
                    + "before INTEGER NOT NULL, count INTEGER NOT NULL, witnessed INTEGER NOT NULL, "
                    + "checksum INTEGER NOT NULL, number INTEGER NOT NULL, digest INTEGER NOT NULL, "
                    + "entries BLOB NOT NULL) STRICT",
                "CREATE TABLE records (key INTEGER PRIMARY KEY, number INTEGER NOT NULL, digest INTEGER NOT NULL, "
                    + "body BLOB NOT NULL) STRICT",
            ])
    }

    @Test func `A new file is of this format`() throws {
        _ = try StoreFile(file)
        let database = try Database(file, .full)
        #expect(try database.number("PRAGMA application_id") == Format.applicationID)
        #expect(try database.number("PRAGMA user_version") == Format.version)
        #expect(try database.number("SELECT count(*) FROM records") == 1)
    }

    @Test(arguments: [-1, 0, 1, 3, 5, 2_147_483_647])
    func `D-6: a file of an older or a newer format is unreadable, says so, and stays as it is`(version: Int) throws {
        let counters = Record(RecordKey(.counters, 0), [9, 8, 7])
        try StoreFile(file).write([counters, .node(1, [1])])
        // Which tables another format has makes no difference.
        try Database(file, .full).run("CREATE TABLE more (number); PRAGMA user_version = \(version)")
        let before = try content(of: file)
        for _ in 0..<2 {
            let expected = StoreFailure(.unreadable, "'\(file)' has format \(version); only format 4 can be read")
            #expect(failure { try StoreFile(file) } == expected)
            #expect(try content(of: file) == before)
        }
        let aside = try StoreFile.moveAside(file, at: 0)
        #expect(try content(of: aside) == before)
        let store = try StoreFile(file, startsOver: true)
        #expect(try store.records() == [])
        #expect(store.inspection.counters == [counters] && store.inspection.certainty == .exact)
    }

    @Test func `D-6: a file of another format is unreadable without its commit file, too`() throws {
        try StoreFile(file).write([.node(1, [1])])
        try Database(file, .full).run("PRAGMA user_version = 1")
        try put([], into: file + "-commit")
        let expected = StoreFailure(.unreadable, "'\(file)' has format 1; only format 4 can be read")
        #expect(failure { try StoreFile(file) } == expected)
        #expect(try content(of: file + "-commit") == [])
    }
}
