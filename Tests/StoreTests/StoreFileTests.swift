import BusTestSupport
import Glibc
import Testing

@testable import FlowCore
@testable import Store

/// Records, written and read.
@Suite struct StoreFileTests {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func `D-1: written records are there when the file is opened again`() throws {
        let file = folder.file("deep/er/tree.db")
        let records = [
            Record(RecordKey(.counters, 0), [1, 2, 3]), .node(7, []),
            Record(RecordKey(.registration, 1 << 56 - 1), Array(repeating: 9, count: 100_000)),
        ]
        // Each StoreFile is closed before the next one is opened.
        #expect(try StoreFile(file).records() == [])
        try StoreFile(file).write(records)
        #expect(try StoreFile(file).records() == records)
        try StoreFile(file).write([Record(records[1].key, nil), Record(records[0].key, [4])])
        #expect(try StoreFile(file).records() == [Record(records[0].key, [4]), records[2]])
    }

    @Test func `D-1: all records are those that are written as all`() throws {
        let store = try StoreFile(folder.file())
        try store.write([.node(1, [1]), .node(2, [2])])
        try store.write([.node(2, [3]), .node(3, [4])], all: true)
        #expect(try store.records() == [.node(2, [3]), .node(3, [4])])
        try store.write([])
        #expect(try store.records() == [.node(2, [3]), .node(3, [4])])
        try store.write([], all: true)
        #expect(try store.records() == [])
    }

    @Test(arguments: 0..<20)
    func `D-1: random records are those of a dictionary`(seed: UInt64) throws {
        var seeded = SeededGenerator(seed)
        let file = folder.file()
        var expected: [RecordKey: [UInt8]] = [:]
        for _ in 0..<5 {
            let store = try StoreFile(file)
            for _ in 0..<Int.random(in: 1...20, using: &seeded) {
                let records = (0..<Int.random(in: 0...12, using: &seeded)).map { _ in
                    let key = RecordKey(
                        seeded.one(of: RecordKey.Kind.allCases),
                        seeded.isRare(10) ? 1 << 56 - 1 : UInt64.random(in: 0...30, using: &seeded))
                    let count = seeded.isRare(10) ? 9_000 : Int.random(in: 0...300, using: &seeded)
                    return Record(key, seeded.isRare(3) ? nil : seeded.bytes(count))
                }
                let all = seeded.isRare(8)
                try store.write(records, all: all)
                if all { expected = [:] }
                for record in records { expected[record.key] = record.body }
            }
            #expect(try store.records() == expected.sorted { $0.key < $1.key }.map { Record($0, $1) })
        }
        #expect(try StoreFile(file).records() == expected.sorted { $0.key < $1.key }.map { Record($0, $1) })
    }

    @Test func `D-1: a killed process leaves whole commits, and all that were reported as written`() throws {
        var seeded = SeededGenerator(4711)
        let file = folder.file()
        var before: UInt64 = 0
        for _ in 0..<12 {
            let peer = try storePeer(["count", file])
            let enough = before + UInt64.random(in: 1...150, using: &seeded)
            try peer.waitForLine { UInt64($0) == enough }
            peer.send(signal: SIGKILL)
            #expect(try peer.waitForExit() == .signal(SIGKILL))
            let reported = try #require(peer.output.split(separator: "\n").last.flatMap { UInt64($0) })

            let store = try StoreFile(file)
            let round = try checkedRound(store)
            // One more may have been written, and not reported any more.
            #expect(reported...reported + 1 ~= round)
            before = round
        }
    }

    @Test func `D-7: a full disk loses nothing, and what could not be written can be later`() throws {
        let file = folder.file()
        for bytes in [1 << 15, 100_000, 300_000, 500_000] {
            let peer = try storePeer(["full", file, "\(bytes)"])
            try peer.waitForExit()
            let lines = peer.output.split(separator: "\n")
            try #require(lines.count == 4, "\(peer.output)")
            let reported = try #require(UInt64(lines[0].prefix { $0 != " " }))
            #expect(lines[0].contains("and then unwritable"))
            #expect(lines[1...] == ["latest \(reported)", "again unwritable", "latest \(reported + 1)"])
            #expect(try checkedRound(StoreFile(file)) == reported + 1)
        }
    }

    /// The round that all records and navigations are of, as store-peer writes them.
    private func checkedRound(_ store: StoreFile) throws -> UInt64 {
        var rounds: Set<UInt64> = []
        var tokens: [UInt64] = []
        for record in try store.records() {
            let body = try #require(record.body)
            let round = body.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            #expect(body.indices.allSatisfy { body[$0] == body[$0 % 8] })
            switch record.key.kind {
            case .counters: rounds.insert(round)
            case .node:
                rounds.insert(round)
                #expect(body.count == max(8, Int(round % 7 * record.key.number * 100)))
            case .token:
                #expect(record.key.number == round)
                tokens.append(round)
            case .activity, .step, .list, .progress, .origin, .registration, .nameOwner, .stepper,
                .savedState, .ask, .context, .outputs:
                Issue.record("\(record.key)")
            }
        }
        #expect(rounds.count == 1)
        let round = try #require(rounds.first)
        #expect(tokens == Array(max(1, Int(round) - 9)...Int(round)).map(UInt64.init))
        let serials = (1...round).flatMap { round in (0..<round % 10).map { round * 10 + $0 } }
        #expect(try store.everything.map(\.serial) == serials)
        return round
    }

    @Test func `D-7: a full file takes commits whole or not at all, and continues when there is room`()
        throws
    {
        let store = try StoreFile(folder.file())
        var batch = HistoryBatch()
        batch.append(.sample(1), at: 1)
        try store.write([.node(1, [1])], history: batch)
        let database = try #require(store.connection?.database)
        let pages = try database.number("PRAGMA page_count")
        // Not less than there are: no page can be added.
        #expect(try database.number("PRAGMA max_page_count = 1") == pages)

        var next = HistoryBatch()
        next.append(.sample(2), at: 2)
        let big = [Record.node(1, [2]), .node(2, Array(repeating: 3, count: 50_000))]
        #expect(failure { try store.write(big, history: next) }?.kind == .unwritable)
        #expect(failure { try store.write([big[1]]) }?.kind == .unwritable)
        #expect(failure { try store.write(big, all: true) }?.kind == .unwritable)
        #expect(try store.records() == [.node(1, [1])])
        #expect(try store.everything.map(\.serial) == [1])

        // What needs no room can be written all the while.
        try store.write([.node(1, [4])])
        #expect(try store.records() == [.node(1, [4])])

        try database.run("PRAGMA max_page_count = 100000")
        try store.write(big, history: next)
        #expect(try store.records() == big)
        #expect(try store.everything.map(\.serial) == [1, 2])
    }

    @Test func `D-6: a record of an unknown kind makes the file unreadable`() throws {
        let file = folder.file()
        try StoreFile(file).write([.node(1, [1])])
        for key in ["(99 << 56) + 1", "1", "-5"] {
            try Database(file, .full).run("UPDATE records SET key = \(key) WHERE key <> 0")
            #expect(failure { try StoreFile(file).records() }?.kind == .unreadable)
        }
    }
}
