import BusTestSupport
import Glibc
import Testing

@testable import FlowCore
@testable import Store

/// The commit file, and what it detects (D-6).
@Suite struct CommitFileTests {
    let folder: TemporaryDirectory
    let file: String
    let clock = TestClock()
    private let counters = Record(RecordKey(.counters, 0), [9, 8, 7])

    init() throws {
        folder = try TemporaryDirectory()
        file = folder.file()
    }

    private func open(startsOver: Bool = false) throws -> StoreFile {
        try StoreFile(file, startsOver: startsOver, clock: clock.clock)
    }

    /// Creates a file whose process was killed, in its state after each commit.
    private func leave(_ commits: Int) throws -> [Snapshot] {
        var snapshots: [Snapshot] = []
        let store = try open()
        for number in 1...commits {
            try store.write([counters, .node(UInt64(number), [UInt8(number)])])
            snapshots.append(Snapshot(file))
        }
        store.connection?.leaveAsItIs()
        return snapshots
    }

    @Test func `D-6: the format of today never changes`() throws {
        let mark = CommitFile.CommitMark(
            identity: 0x0102, number: 0x0304, boot: BootClock.Boot(high: 5, low: 6), isClosed: true, counters: [7, 8])
        #expect(try CommitFile(beside: file).write(mark))
        #expect(CommitFile.read(beside: file) == .mark(mark))
        let bytes = try content(of: file + "-commit")
        #expect(bytes.count == 80)
        #expect(
            bytes[..<44] == [
                1, 0x74, 0x6d, 0x63, 0x77, 0x6f, 0x6c, 0x66, 2, 1, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0,
                0, 0, 0,
                0, 6, 0, 0, 0, 0, 0, 0, 0, 0x82, 7, 8, 0,
            ])
        #expect(Checksum.of([1, 2, 3, 4, 5, 6, 7, 8, 9], seed: 10) == 6_409_824_236_125_806_734)
        #expect(try permissions(of: file + "-commit") == 0o600)
    }

    @Test func `D-6: every changed bit is detected`() throws {
        _ = try leave(3)
        let bytes = try content(of: file + "-commit")
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            try put(damaged, into: file + "-commit")
            #expect(CommitFile.read(beside: file).mark == nil, "bit \(bit)")
        }
        for count in 0..<bytes.count {
            try put(Array(bytes[..<count]), into: file + "-commit")
            #expect(CommitFile.read(beside: file).mark == nil, "\(count) bytes")
        }
    }

    @Test func `D-6: a process killed between a commit and its note has lost nothing`() throws {
        let left = try leave(5)
        for number in 1..<5 {
            // With the commit, and the note of the one before.
            try left[number].restore("-commit", left[number - 1].files["-commit"])
            let store = try open()
            #expect(store.inspection.warning == nil && store.inspection.certainty == .exact)
            #expect(try store.records().count == number + 2)
        }
    }

    @Test func `D-6: an outdated file is damaged, and the reserved numbers are known`() throws {
        let left = try leave(5)
        try left[2].restore("-commit", left[4].files["-commit"])
        let found = failure { try open() }
        #expect(found?.kind == .unreadable)
        #expect(
            found?.description == "'\(file)' is damaged: it ends with commit 4, and commit 6 was written to it")
        let inspection = StoreFile.reserved(beside: file, clock: clock.clock)
        #expect(inspection.counters == [counters] && inspection.certainty == .exact)
        // The numbers stay known, whenever this is interrupted.
        _ = try StoreFile.moveAside(file, at: 0)
        #expect(StoreFile.reserved(beside: file, clock: clock.clock).counters == [counters])
        #expect(failure { try open() }?.kind == .unreadable)
        let fresh = try open(startsOver: true)
        #expect(fresh.inspection.counters == [counters])
        #expect(try fresh.records() == [])
        _ = consume fresh
        #expect(try open().inspection.counters == [counters])
    }

    @Test func `D-6: without a valid commit file the contents stay, and the uncertainty is reported`() throws {
        let left = try leave(5)
        let (whole, old) = (left[4], left[1])
        let elsewhere = folder.file("other.db")
        try StoreFile(elsewhere, clock: clock.clock).write([.node(1, [1])])
        let cases: [(String, [UInt8]?)] = [
            ("is missing", nil), ("has 0 bytes; it has to have 80", []),
            ("has 81 bytes", [UInt8](repeating: 0, count: 200)),
            ("does not begin as such a file does", [UInt8](repeating: 7, count: 80)),
            ("belongs to another file", try content(of: elsewhere + "-commit")),
            ("is older than its file, at commit 3", old.files["-commit"]),
        ]
        for (text, bytes) in cases {
            try whole.restore("-commit", bytes)
            let store = try open()
            #expect(
                store.inspection.warning?.hasPrefix("'\(file)-commit' \(text)") == true,
                "\(store.inspection.warning ?? "-")")
            #expect(store.inspection.certainty == .unknown)
            #expect(try store.records().count == 6)
            try store.write([.node(9, [9])])
            _ = consume store
            // From then on there is no warning.
            #expect(try open().inspection.warning == nil)
        }
    }

    @Test func `D-6: something else in its place does no harm`() throws {
        _ = try leave(2)
        unlink(file + "-commit")
        try #require(mkfifo(file + "-commit", 0o600) == 0)
        let store = try open()
        #expect(store.inspection.warning == "damage to '\(file)' may not be found: '\(file)-commit' is not a file")
        #expect(try store.records().count == 3)
        try store.write([.node(9, [9])])
    }

    @Test func `D-6: a machine that went down may have lost the newest commits, which is no damage`() throws {
        let left = try leave(5)
        clock.boot = 2
        try left[2].restore("-commit", left[4].files["-commit"])
        var store = try open()
        #expect(store.inspection.warning == nil)
        #expect(
            store.inspection.notice
                == "'\(file)' ends with commit 4 of 6: the machine went down before the others came to its disk")
        #expect(store.inspection.certainty == .late && store.inspection.counters == [counters])
        #expect(try store.records().count == 4)
        _ = consume store
        // The same in reverse.
        try left[4].restore("-commit", left[2].files["-commit"])
        store = try open()
        #expect(
            store.inspection.warning == nil && store.inspection.notice == nil && store.inspection.certainty == .late)
        #expect(try store.records().count == 6)
    }

    @Test func `D-2: a closed file is complete, also after a reboot`() throws {
        try open().write([counters])
        clock.boot = 2
        #expect(try open().inspection.certainty == .exact)
    }

    @Test func `D-2: after an orderly end the disk soon has the mark of the next start`() throws {
        // The mark of a process that was killed makes the start after another boot go beyond all numbers.
        _ = try leave(1)
        _ = try open()
        #expect(!SyncedFiles.shared.contains(file + "-commit"))
        _ = try open()
        #expect(SyncedFiles.shared.contains(file + "-commit"))
    }

    @Test func `D-2: a process that is killed before its first commit leaves uncertain numbers uncertain`() throws {
        let left = try leave(5)
        /// Opens the file, and ends as a process that is killed. Returns what it found.
        func interrupted(startsOver: Bool = false) throws -> StoreFile.Certainty {
            let store = try open(startsOver: startsOver)
            store.connection?.leaveAsItIs()
            return store.inspection.certainty
        }
        for bytes in [nil, [], [UInt8](repeating: 7, count: 80)] as [[UInt8]?] {
            try left[4].restore("-commit", bytes)
            for _ in 0..<3 { #expect(try interrupted() == .unknown) }
            try open().write([.node(9, [9])])
            #expect(try interrupted() == .unknown)
            try open().write([counters])
            #expect(try interrupted() == .exact)
        }
        // The machine went down, and the numbers of its last seconds may be missing.
        try left[4].restore("-commit", left[4].files["-commit"])
        clock.boot = 2
        #expect(try interrupted() == .late)
        #expect(try interrupted() == .unknown)
        try open().write([counters])
        #expect(try interrupted() == .exact)
        // The same for a file that is begun in place of a damaged one.
        clock.boot = 3
        for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) }
        try open(startsOver: true).write([counters])
        for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) }
        #expect(StoreFile.reserved(beside: file, clock: clock.clock).certainty == .exact)
        try put([], into: file + "-commit")
        #expect(StoreFile.reserved(beside: file, clock: clock.clock).certainty == .unknown)
        _ = try interrupted(startsOver: true)
        #expect(try interrupted() == .unknown)
        try open().write([counters])
        #expect(try interrupted() == .exact)
    }

    @Test func `D-2: a file without numbers says nothing of those in another one`() throws {
        let store = try open()
        store.connection?.leaveAsItIs()
        _ = consume store
        #expect(try open().inspection.certainty == .nothing)
        try open().write([counters])
        #expect(try open().inspection.certainty == .exact)
    }

    @Test func `D-2: a file that was begun during an earlier boot may have had numbers`() throws {
        // A process was killed while it began the file. The disk has that, and nothing of the commits of the next process.
        let begun = CommitFile.CommitMark(identity: 7, boot: clock.clock.boot)
        try CommitFile(beside: file).write(begun)
        clock.boot = 2
        let store = try open()
        #expect(store.inspection.certainty == .late && store.inspection.counters == [])
        store.connection?.leaveAsItIs()
        _ = consume store
        #expect(try open().inspection.certainty == .unknown)
        // In the same boot the file has whatever was committed.
        for suffix in Snapshot.suffixes { unlink(file + suffix) }
        clock.boot = 1
        try CommitFile(beside: file).write(begun)
        #expect(try open().inspection.certainty == .nothing)
    }

    @Test func `A fresh file has no numbers until something is written`() throws {
        #expect(try open().inspection == StoreFile.Inspection())
        #expect(try open().inspection.warning == nil)
        unlink(file)
        unlink(file + "-commit")
        #expect(try open().inspection.certainty == .nothing)
    }
}
