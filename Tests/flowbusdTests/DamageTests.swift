import BusTestSupport
import Foundation
import Glibc
import Testing

/// flowbusd is killed, its files are damaged, and it is restarted (D-6). ``SilenceTests`` of the store has many more
/// cases.
@Suite("Damaged files")
struct DamageTests {
    private let service: Service
    /// The visible state, and the last serial and instance.
    private let before: BusValue
    private let lastSerial: Int
    private let lastInstance: Int
    private let files: [String: Data]

    init() throws {
        service = try Service(shopDefinitions)
        for item in 1...80 { try service.emit("pick", ["item": .int64(Int64(item))], on: "/shop") }
        before = try service.objects()
        lastSerial = try service.coordinator("GetSerial")[0].number ?? 0
        lastInstance = try service.property("Instance", of: "/shop/detail_80", "Presentable").number ?? 0
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        var files: [String: Data] = [:]
        (tree, history) = (try service.storedFile(), try service.storedFile("state/history.db"))
        for file in [tree, history] {
            for suffix in ["", "-wal", "-commit"] {
                files[file + suffix] = try Data(contentsOf: URL(fileURLWithPath: file + suffix))
            }
        }
        self.files = files
    }

    private let tree: String
    private let history: String
    /// Stands for a missing file.
    private static let gone = Data("gone".utf8)

    /// Starts it with the files of the moment when it was killed, with these changes.
    private func start(_ changes: [String: Data]) throws {
        for file in files.keys {
            unlink(file)
            let data = changes[file] ?? files[file]
            if let data, data != Self.gone { try data.write(to: URL(fileURLWithPath: file)) }
        }
        try service.start()
    }

    private func stop() throws {
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
    }

    private func flipped(_ file: String, _ place: Int) throws -> Data {
        var data = try #require(files[file])
        data[place] ^= 4
        return data
    }

    /// Expects serials and instances beyond those assigned before.
    private func expectNewNumbers(_ comment: String) throws {
        let serial = try service.emit("pick", ["item": .int64(1)], on: "/shop")[0].number ?? 0
        #expect(serial > lastSerial, "\(comment)")
        let path = try #require(try service.objects().keys.last { $0.contains("/detail") })
        let instance = try service.property(
            "Instance", of: String(path.dropFirst(Service.tree.count)), "Presentable"
        ).number
        #expect(instance ?? 0 > lastInstance, "\(comment)")
    }

    private func expectFresh(_ file: String, _ comment: String) throws {
        #expect(try service.objects().keys == [Service.tree + "/shop", Service.tree + "/shop/list"], "\(comment)")
        let lines = service.process.errors.split(separator: "\n").filter { $0.contains(" error: ") }
        #expect(
            lines.count == 1 && lines[0].contains("'\(file)' can't be read, and starts over"), "\(comment): \(lines)")
        let folder = (file as NSString).deletingLastPathComponent
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).contains {
                $0.hasPrefix((file as NSString).lastPathComponent + ".")
            }, "\(comment)")
    }

    @Test
    func `D-6 a flipped bit: all answered changes are there, or there is an error, a moved file and a fresh start`()
        throws
    {
        let log = tree + "-wal"
        let count = try #require(files[log]).count
        var outcomes: Set<Bool> = []
        for (file, place) in [
            (log, 5), (log, 24), (log, 40), (log, count / 3), (log, 2 * count / 3), (log, count - 1_000), (tree, 18),
            (tree, 1_000),
        ] {
            let comment = "byte \(place) of \(file)"
            try start([file: flipped(file, place)])
            let isWhole = try service.objects() == before
            outcomes.insert(isWhole)
            if isWhole {
                #expect(!service.process.errors.contains("error"), "\(comment)")
            } else {
                try expectFresh(tree, comment)
            }
            try expectNewNumbers(comment)
            try stop()
        }
        #expect(outcomes.contains(false))
    }

    @Test func `D-6 a file truncated anywhere, an empty file, or an old one`() throws {
        let log = tree + "-wal"
        let data = try #require(files[log])
        let changes: [[String: Data]] = [
            [log: data.prefix(data.count / 2)], [log: Self.gone], [tree: Self.gone, log: Self.gone],
            [tree: Data(), log: Self.gone], [tree: Data()],
        ]
        for change in changes {
            try start(change)
            try expectFresh(tree, "\(change)")
            try expectNewNumbers("\(change)")
            try stop()
        }
    }

    @Test func `D-6 S-10 both files damaged: the reserved numbers are known all the same`() throws {
        for change in [Data(), Self.gone] {
            try start([tree + "-wal": change, history + "-wal": change])
            let errors = service.process.errors
            #expect(errors.contains("The tree in '\(tree)' can't be read"), "\(errors)")
            #expect(errors.contains("The history in '\(history)' can't be read"), "\(errors)")
            try expectNewNumbers("both")
            // Blocks are reserved; nothing had to be guessed.
            #expect(try service.coordinator("GetSerial")[0].number ?? 0 < 1 << 20)
            try stop()
        }
    }

    @Test func `D-6 S-10 both files and the commit files damaged: serials continue with a large jump`() throws {
        var changes: [String: Data] = [:]
        for file in [tree, history] { changes[file + "-wal"] = Data() }
        (changes[tree + "-commit"], changes[history + "-commit"]) = (Data([1]), Self.gone)
        try start(changes)
        try expectNewNumbers("all")
        #expect(try service.coordinator("GetSerial")[0].number ?? 0 > 1 << 48)
        let warnings = service.process.warnings
        #expect(warnings.count { $0.contains("-commit' has 1 bytes; it has to have 80; '") } <= 1, "\(warnings)")
        #expect(service.process.errors.contains("error") || !warnings.isEmpty)
    }

    @Test func `D-6 a missing or damaged commit file does not lose the tree, and is logged`() throws {
        for bytes in [Self.gone, Data(repeating: 7, count: 80)] {
            try start([tree + "-commit": bytes])
            #expect(try service.objects() == before)
            #expect(service.process.warnings.count { $0.contains("The tree: '\(tree)-commit' ") } == 1)
            try expectNewNumbers("commit file")
            try stop()
        }
    }
}
