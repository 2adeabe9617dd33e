import BusTestSupport
import Glibc
import Testing

@testable import FlowCore
@testable import Store

/// Files that are moved aside.
@Suite struct MoveAsideTests {
    let folder: TemporaryDirectory
    let file: String
    /// 2026-11-21 11:59:00 UTC, and some µs.
    private let time: UInt64 = 1_795_262_340_123_456

    init() throws {
        folder = try TemporaryDirectory()
        file = folder.file()
    }

    @Test func `D-6: a file and its log stay together`() throws {
        try makeFileWithLog(file) { try $0.write([.node(1, [1])]) }
        try put([1], into: file + "-journal")
        let aside = try StoreFile.moveAside(file, at: time)
        #expect(aside == file + ".20261121T115900Z")
        #expect(
            try folder.names == [
                "tree.db-commit", "tree.db.20261121T115900Z", "tree.db.20261121T115900Z-commit",
                "tree.db.20261121T115900Z-journal", "tree.db.20261121T115900Z-wal",
            ])
        unlink(aside + "-journal")
        #expect(try StoreFile(aside).records() == [.node(1, [1])])
        #expect(try StoreFile(file, startsOver: true).records() == [])
    }

    @Test func `D-6: a file moved aside earlier is not overwritten`() throws {
        for expected in ["", "-2", "-3"] {
            try put(Array(expected.utf8), into: file)
            #expect(try StoreFile.moveAside(file, at: time) == file + ".20261121T115900Z" + expected)
        }
        #expect(try content(of: file + ".20261121T115900Z-2") == Array("-2".utf8))
        // A leftover log counts, too.
        unlink(file + ".20261121T115900Z-3")
        try put([], into: file + ".20261121T115900Z-3-wal")
        try put([], into: file)
        #expect(try StoreFile.moveAside(file, at: time) == file + ".20261121T115900Z-4")
    }

    @Test func `D-6: folders, links and logs alone are moved, too`() throws {
        try #require(mkdir(file, 0o700) == 0)
        try put([1], into: file + "/within")
        #expect(try content(of: StoreFile.moveAside(file, at: time) + "/within") == [1])
        try put([2], into: folder.file("elsewhere"))
        try #require(symlink(folder.file("elsewhere"), file) == 0)
        let link = try StoreFile.moveAside(file, at: time)
        #expect(try content(of: link) == [2])
        #expect(try content(of: folder.file("elsewhere")) == [2])
        try put([3], into: file + "-wal")
        #expect(try content(of: StoreFile.moveAside(file, at: time) + "-wal") == [3])
    }

    @Test func `D-6: if nothing can be moved, that is reported`() throws {
        let found = failure {
            try StoreFile.moveAside(folder.file(String(repeating: "x", count: 250)), at: time)
        }
        #expect(found?.kind == .unwritable)
    }

    @Test(arguments: [
        (0, "19700101T000000Z"), (951_782_400_000_000, "20000229T000000Z"),
        (253_402_300_799_999_999, "99991231T235959Z"),
    ])
    func `D-6: the time in the name is UTC`(time: UInt64, expected: String) {
        #expect(StoreFile.utc(time) == expected)
    }

    @Test func `D-6: an invalid time has a name as well`() {
        #expect(!StoreFile.utc(.max).isEmpty)
    }
}
