import BusTestSupport
import CSQLite
import Glibc
import Testing

@testable import FlowCore
@testable import Store

/// Opening files.
@Suite struct OpeningTests {
    let folder: TemporaryDirectory
    let file: String

    init() throws {
        folder = try TemporaryDirectory()
        file = folder.file()
    }

    private func openingFails() -> StoreFailure.Kind? {
        failure { try StoreFile(file) }?.kind
    }

    // MARK: New files

    @Test func `Only the owner can read the file, its log and its folders`() throws {
        let deep = folder.file("state/flowbus/tree.db")
        let store = try StoreFile(deep)
        try store.write([.node(1, [1])])
        #expect(try permissions(of: folder.file("state")) == 0o700)
        #expect(try permissions(of: folder.file("state/flowbus")) == 0o700)
        #expect(try permissions(of: deep) == 0o600)
        #expect(try permissions(of: deep + "-wal") == 0o600)
    }

    @Test func `A file that others could read is closed to them`() throws {
        try StoreFile(file).write([.node(1, [1])])
        chmod(file, 0o644)
        let store = try StoreFile(file)
        try store.write([.node(1, [2])])
        #expect(try permissions(of: file) == 0o600)
        #expect(try permissions(of: file + "-wal") == 0o600)
    }

    @Test func `No memory is shared, and a file that is closed has no log`() throws {
        var store: StoreFile? = try StoreFile(file)
        try store?.write([.node(1, [1])])
        #expect(try folder.names == ["tree.db", "tree.db-commit", "tree.db-wal"])
        store = nil
        #expect(try folder.names == ["tree.db", "tree.db-commit"])
    }

    @Test func `An empty file is a fresh one`() throws {
        try put([], into: file)
        #expect(try StoreFile(file).records() == [])
        try StoreFile(file).write([.node(1, [1])])
        #expect(try StoreFile(file).records() == [.node(1, [1])])
    }

    @Test func `A path with letters that mean something elsewhere`() throws {
        let odd = folder.file("a?b#c%41 ä'\".db")
        try makeFileWithLog(odd) { try $0.write([.node(1, [1])]) }
        try StoreFile(odd).write([.node(1, [2])])
        #expect(try folder.names == ["a?b#c%41 ä'\".db", "a?b#c%41 ä'\".db-commit"])
        // As in the case of a read-only file.
        let reading = try Database(odd, .reading(isImmutable: true))
        #expect(try reading.number("SELECT count(*) FROM records WHERE key > 0") == 1)
    }

    // MARK: Other files

    @Test func `D-6: a path that is no file is unreadable, and opening it does not wait`() throws {
        let link = folder.file("link")
        for name in ["", "-wal", "-journal"] {
            let path = file + name
            try #require(mkdir(path, 0o700) == 0)
            #expect(openingFails() == .unreadable, "a folder as tree.db\(name)")
            rmdir(path)
            try #require(mkfifo(path, 0o600) == 0)
            #expect(openingFails() == .unreadable, "a FIFO as tree.db\(name)")
            rename(path, link)
            try #require(symlink(link, path) == 0)
            #expect(openingFails() == .unreadable, "a link to a FIFO as tree.db\(name)")
            unlink(link)
            #expect(openingFails() == .unreadable, "a link that leads nowhere as tree.db\(name)")
            unlink(path)
            try #require(symlink(path, path) == 0)
            #expect(openingFails() == .unreadable, "a link to itself as tree.db\(name)")
            unlink(path)
            unlink(file)
        }
        try StoreFile(file).write([.node(1, [1])])
    }

    @Test func `A link to a store is that store`() throws {
        let elsewhere = folder.file("elsewhere.db")
        try StoreFile(elsewhere).write([.node(1, [1])])
        try #require(symlink(elsewhere, file) == 0)
        #expect(try StoreFile(file).records() == [.node(1, [1])])
    }

    @Test func `D-6: a file of another program is unreadable, and stays as it is`() throws {
        let settings = [
            "CREATE TABLE records (key INTEGER PRIMARY KEY, body BLOB NOT NULL)",
            "PRAGMA application_id = 7; CREATE TABLE other (number)",
            "PRAGMA application_id = 7", "PRAGMA user_version = 1",
            "PRAGMA journal_mode = WAL; CREATE TABLE other (number); INSERT INTO other VALUES (1)",
        ]
        for sql in settings {
            for name in try folder.names { unlink(folder.file(name)) }
            try put([], into: file)
            try writeForeign(sql)
            let before = try folder.names.map { try content(of: folder.file($0)) }
            let names = try folder.names
            #expect(openingFails() == .unreadable, "\(sql)")
            #expect(try folder.names == names)
            #expect(try folder.names.map { try content(of: folder.file($0)) } == before, "\(sql)")
        }
    }

    /// Another program, which leaves its log behind.
    private func writeForeign(_ sql: String) throws {
        let foreign = try Database(file, .full)
        foreign.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        try foreign.run(sql)
    }

    @Test func `D-6: a file that is no database is unreadable`() throws {
        var seeded = SeededGenerator(1)
        for bytes in [[0], Array("hello".utf8), seeded.bytes(100), seeded.bytes(512), seeded.bytes(10_000)] {
            try put(bytes, into: file)
            #expect(openingFails() == .unreadable, "\(bytes.count) bytes")
            #expect(try content(of: file) == bytes)
        }
        try put(Array(repeating: 0, count: 4_096), into: file)
        #expect(openingFails() == .unreadable, "zeros")
    }

    @Test func `D-6: other tables, triggers and views make a file unreadable`() throws {
        let changes = [
            "DROP TABLE history", "ALTER TABLE records ADD COLUMN more BLOB", "CREATE TABLE more (number)",
            "CREATE INDEX more ON history (last)", "CREATE VIEW more AS SELECT 1",
            "CREATE TRIGGER more AFTER INSERT ON records BEGIN DELETE FROM history; END",
        ]
        for change in changes {
            for companion in ["", "-commit"] { unlink(file + companion) }
            try StoreFile(file).write([.node(1, [1])])
            try Database(file, .full).run(change)
            #expect(openingFails() == .unreadable, "\(change)")
        }
    }

    @Test func `D-6: a log whose file is gone or empty is not deleted`() throws {
        try makeFileWithLog(file) { try $0.write([.node(1, [1])]) }
        let log = try content(of: file + "-wal")
        #expect(log.count > 1_000)
        unlink(file)
        #expect(openingFails() == .unreadable)
        #expect(try content(of: file + "-wal") == log)
        #expect(openingFails() == .unreadable)
        #expect(try content(of: file + "-wal") == log)
        _ = try StoreFile.moveAside(file, at: 0)
        #expect(try StoreFile(file, startsOver: true).records() == [])
    }

    // MARK: Locks

    @Test func `D-9: a file that this process has open is locked`() throws {
        var store: StoreFile? = try StoreFile(file)
        #expect(openingFails() == .locked)
        try store?.write([.node(1, [1])])
        #expect(openingFails() == .locked)
        #expect(try store?.records() == [.node(1, [1])])
        store = nil
        #expect(try StoreFile(file).records() == [.node(1, [1])])
    }

    @Test func `D-9: a file that another process has open is locked until it ends`() throws {
        try StoreFile(file).write([.node(1, [1])])
        let peer = try storePeer(["hold", file])
        try peer.waitForLine { $0 == "open" }
        #expect(openingFails() == .locked)
        peer.send(signal: SIGKILL)
        try peer.waitForExit()
        #expect(try StoreFile(file).records() == [.node(1, [1])])
    }

    @Test func `D-9: another process finds a file locked, whatever this one tried meanwhile`() throws {
        let store = try StoreFile(file)
        // A failed attempt must not release the lock of the open file.
        #expect(openingFails() == .locked)
        let peer = try storePeer(["hold", file])
        try peer.waitForExit()
        #expect(peer.output.hasPrefix("locked: "))
        try store.write([.node(1, [1])])
    }

    // MARK: Permissions

    /// A file with three rounds of store-peer, optionally in its log only; it is owned by nobody.
    private func prepare(hasLog: Bool) throws {
        let peer = try storePeer(["count", file])
        try peer.waitForLine { $0 == "3" }
        peer.send(signal: SIGKILL)
        try peer.waitForExit()
        if !hasLog { _ = try StoreFile(file) }
        #expect(
            try folder.names
                == (hasLog ? ["tree.db", "tree.db-commit", "tree.db-wal"] : ["tree.db", "tree.db-commit"]))
        guard geteuid() == 0 else { return }
        for path in [folder.path, file, file + "-wal"] { chown(path, 65534, 65534) }
    }

    @Test(arguments: [true, false], [true, false])
    func `D-7: a file that can only be read is read, and written once it can be`(
        hasLog: Bool, isFolderWritable: Bool
    ) throws {
        try prepare(hasLog: hasLog)
        for companion in ["", "-wal"] { chmod(file + companion, 0o400) }
        if !isFolderWritable { chmod(folder.path, 0o500) }
        try expectRestrained()
    }

    @Test func `D-7: a file whose folder may not be written is read, and written once it can be`() throws {
        try prepare(hasLog: false)
        chmod(folder.path, 0o500)
        try expectRestrained()
    }

    private func expectRestrained() throws {
        let peer = try storePeer(["restrained", file])
        try peer.waitForExit()
        let lines = peer.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 4, "\(peer.output)")
        // It was killed after at least three rounds.
        let round = try #require(Int(lines[0].dropFirst("latest ".count).prefix { $0 != "," }))
        #expect(lines[0] == "latest \(round), read-only true")
        #expect(lines[1] == "\((1...round).reduce(0) { $0 + $1 % 10 }) entries")
        #expect(lines[2] == "unwritable: '\(file)' can only be read")
        #expect(lines[3] == "latest \(round + 1), read-only false")
    }

    @Test func `D-7: a file that can't be created or read is unwritable`() throws {
        try prepare(hasLog: false)
        chmod(file, 0)
        var peer = try storePeer(["restrained", file])
        try peer.waitForExit()
        #expect(peer.output.hasPrefix("unwritable: '\(file)'"))
        for companion in ["", "-commit"] { unlink(file + companion) }
        chmod(folder.path, 0o500)
        for path in [file, folder.file("deep/er/tree.db")] {
            peer = try storePeer(["restrained", path])
            try peer.waitForExit()
            #expect(
                peer.output.hasPrefix("unwritable: '\(path == file ? file : folder.file("deep"))'"), "\(peer.output)")
        }
        chmod(folder.path, 0o700)
        #expect(try folder.names == [])
        try put([], into: folder.file("file"))
        let below = failure { try StoreFile(folder.file("file/tree.db")) }
        #expect(below?.kind == .unwritable)
    }
}
