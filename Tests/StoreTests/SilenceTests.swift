import BusTestSupport
import Foundation
import Testing

@testable import FlowCore
@testable import Store

/// All kinds of damage to a tree of some hundred nodes whose process was killed. The result is either everything that
/// was acknowledged, or a file that is unreadable.
///
/// `FLOWBUS_DAMAGES=20 make test TEST_OPTIONS='--filter SilenceTests'` does twenty times as much.
@Suite struct SilenceTests {
    private static let factor = ProcessInfo.processInfo.environment["FLOWBUS_DAMAGES"].flatMap(Int.init) ?? 1

    let folder: TemporaryDirectory
    let file: String
    /// The acknowledged records.
    private let records: [Record]
    private let serials: [UInt64]
    private let whole: Snapshot
    /// The files at earlier times.
    private let earlier: [Snapshot]
    /// The files of ``whole`` after closing: everything is in the main file.
    private let closed: Snapshot

    init() throws {
        folder = try TemporaryDirectory()
        file = folder.file()
        var seeded = SeededGenerator(14)
        var (earlier, records, serials): ([Snapshot], [Record], [UInt64]) = ([], [], [])
        let path = file
        try makeFileWithLog(path) { store in
            for round in 1...420 as ClosedRange<UInt64> {
                var batch = HistoryBatch()
                batch.append(.random(round, &seeded), at: round)
                var changes = [Record.node(round, seeded.bytes(round % 100 == 7 ? 5_000 : 90))]
                if round > 40 && seeded.isRare(4) { changes.append(.node(round - 40, nil)) }
                if seeded.isRare(3) {
                    changes.append(.node(UInt64.random(in: 1...round, using: &seeded), seeded.bytes(100)))
                }
                if round.isMultiple(of: 5) {
                    try store.write(changes, history: batch)
                } else {
                    try store.write(changes, pending: [try #require(batch.pending)], dropping: round - min(round, 30))
                }
                if [90, 260, 400].contains(round) { earlier.append(Snapshot(path)) }
            }
            records = try store.records()
            serials = try store.everything.map(\.serial)
        }
        (self.records, self.serials, self.earlier) = (records, serials, earlier)
        whole = Snapshot(file)
        _ = try StoreFile(file)
        closed = Snapshot(file)
    }

    /// The damaged file: a store with a log, the log, or a closed store.
    enum Target: String, CaseIterable, CustomTestStringConvertible {
        case file, log, closed

        var suffix: String { self == .log ? "-wal" : "" }
        var testDescription: String { rawValue }
    }

    /// The results of damage.
    private struct Counts {
        var cases = 0
        var whole = 0
        var unreadable = 0
        var warned = 0
        var silent: [String] = []
    }

    /// Opens the file in its current state.
    private func look(_ counts: inout Counts, _ damage: @autoclosure () -> String) throws {
        counts.cases += 1
        do {
            let store = try StoreFile(file)
            let isWhole = try store.records() == records && store.everything.map(\.serial) == serials
            if isWhole {
                counts.whole += 1
            } else if store.inspection.warning != nil {
                counts.warned += 1
            } else {
                counts.silent.append(damage())
            }
        } catch let failure as StoreFailure {
            if failure.kind == .unreadable {
                counts.unreadable += 1
            } else {
                counts.silent.append("\(damage()): \(failure)")
            }
        }
    }

    private func expectNothingSilent(_ counts: Counts, _ what: String) {
        #expect(counts.silent.isEmpty && counts.warned == 0, "\(counts.silent.prefix(10)), \(counts.warned) warned")
        print(
            "D-6, \(what): \(counts.cases) cases, \(counts.whole) whole, \(counts.unreadable) unreadable, "
                + "\(counts.silent.count + counts.warned) neither")
    }

    @Test(arguments: Target.allCases)
    func `D-6: bits that flip, anywhere`(target: Target) throws {
        let (suffix, whole) = (target.suffix, target == .closed ? closed : whole)
        let bytes = try #require(whole.files[suffix])
        var counts = Counts()
        // A prime number, to reach all parts of all pages and frames.
        for place in stride(from: 0, to: bytes.count, by: max(1, (target == .log ? 8_009 : 1_511) / Self.factor)) {
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(place % 8)
            try whole.restore(suffix, damaged)
            try look(&counts, "bit \(place % 8) of byte \(place) of '\(suffix)'")
        }
        for place in stride(from: 0, to: 32 + 24 + 100, by: max(1, 5 / Self.factor)) {
            var damaged = bytes
            damaged[place] ^= 0x10
            try whole.restore(suffix, damaged)
            try look(&counts, "byte \(place) of '\(suffix)'")
        }
        expectNothingSilent(counts, "bits of the \(target)")
        #expect(counts.unreadable > 0)
    }

    @Test(arguments: Target.allCases)
    func `D-6: an end anywhere, and pages of zeros or of others`(target: Target) throws {
        let (suffix, whole) = (target.suffix, target == .closed ? closed : whole)
        let bytes = try #require(whole.files[suffix])
        var counts = Counts()
        for count in stride(from: 0, to: bytes.count, by: max(1, (target == .log ? 20_011 : 6_007) / Self.factor)) {
            try whole.restore(suffix, Array(bytes[..<count]))
            try look(&counts, "\(count) bytes of '\(suffix)'")
        }
        let size = suffix == "" ? 2_048 : 2_072
        let begin = suffix == "" ? 0 : 32
        for page in stride(
            from: begin, to: bytes.count - size, by: size * max(1, (target == .log ? 32 : 4) / Self.factor))
        {
            var damaged = bytes
            for place in page..<page + size { damaged[place] = 0 }
            try whole.restore(suffix, damaged)
            try look(&counts, "zeros at \(page) of '\(suffix)'")
            let other = (page - begin + 5 * size) % (bytes.count - begin - size) / size * size + begin
            damaged.replaceSubrange(page..<page + size, with: bytes[other..<other + size])
            try whole.restore(suffix, damaged)
            try look(&counts, "\(page) as \(other) of '\(suffix)'")
        }
        try whole.restore(suffix, nil)
        try look(&counts, "without '\(suffix)'")
        expectNothingSilent(counts, "cuts and pages of the \(target)")
    }

    @Test func `D-6: files of other times`() throws {
        var counts = Counts()
        for old in earlier {
            for suffixes in [["", "-wal"], [""], ["-wal"]] {
                var mixed = whole
                for suffix in suffixes { mixed.files[suffix] = old.files[suffix] }
                try mixed.restore()
                try look(&counts, "old \(suffixes)")
            }
            var mixed = whole
            // Page by page: the state after an interrupted checkpoint.
            let (now, before) = (try #require(whole.files[""]), try #require(old.files[""]))
            for page in stride(from: 0, to: min(now.count, before.count), by: 2_048 * max(1, 8 / Self.factor)) {
                var bytes = now
                bytes.replaceSubrange(page..<page + 2_048, with: before[page..<page + 2_048])
                mixed.files[""] = bytes
                try mixed.restore()
                try look(&counts, "page at \(page) of another time")
                mixed.files["-wal"] = nil
                try mixed.restore()
                try look(&counts, "page at \(page) of another time, without a log")
                mixed.files["-wal"] = whole.files["-wal"]
            }
        }
        expectNothingSilent(counts, "other times")
    }

    @Test func `D-6: noise`() throws {
        var counts = Counts()
        for seed in 0..<UInt64(60 * Self.factor) {
            var seeded = SeededGenerator(seed)
            let suffix = seeded.one(of: ["", "-wal"])
            try whole.restore(suffix, seeded.withNoise(try #require(whole.files[suffix])))
            try look(&counts, "seed \(seed)")
        }
        expectNothingSilent(counts, "noise")
    }
}
