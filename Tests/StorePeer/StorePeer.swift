import FlowCore
import Glibc
import Store

/// A separate process for tests of files: they kill it, fill its disk, or remove its permissions.
///
/// ```
/// store-peer count FILE         write one round of records after the other, endlessly; a line for each written round
/// store-peer hold FILE          open the file, print a line, and keep it open
/// store-peer full FILE BYTES    like count, until no file may grow beyond a number of bytes; then continue
/// store-peer restrained FILE    as a user without special permissions: read a read-only file, and write it once its
///                               owner has made it writable again
/// ```
@main
struct StorePeer {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { return writeLine("usage: store-peer COMMAND FILE", on: STDERR_FILENO) }
        do throws(StoreFailure) {
            switch arguments[1] {
            case "count": try count(StoreFile(arguments[2]))
            case "hold": try hold(arguments[2])
            case "full": try fill(arguments[2], upTo: arguments.count > 3 ? rlim_t(arguments[3]) ?? 0 : 0)
            case "restrained": try restrained(arguments[2])
            case let other: writeLine("store-peer: '\(other)' is no command", on: STDERR_FILENO)
            }
        } catch {
            writeLine("\(error.kind): \(error)")
        }
    }

    /// Writes a line.
    private static func writeLine(_ line: String, on descriptor: Int32 = STDOUT_FILENO) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }

    private static func hold(_ path: String) throws(StoreFailure) {
        let store = try StoreFile(path)
        writeLine("open")
        withExtendedLifetime(store) { _ = pause() }
    }

    /// Returns the latest round in the file, from its counters.
    private static func latest(_ store: StoreFile) throws(StoreFailure) -> UInt64 {
        for record in try store.records() where record.key.kind == .counters { return number(record.body ?? []) }
        return 0
    }

    private static func number(_ body: [UInt8]) -> UInt64 {
        body.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func body(_ round: UInt64, _ count: Int) -> [UInt8] {
        (0..<max(8, count)).map { UInt8(truncatingIfNeeded: round >> UInt64($0 % 8 * 8)) }
    }

    /// A navigation as a coordinator reports it.
    private static let sample: Navigation? = {
        let main = FlowDefinition("main", initial: StepID(0), rules: [Rule(StepID(0), [FlowContributor]())])
        var coordinator = Coordinator(
            definitions: Definitions(
                steps: [StepDeclaration("round")], flows: [main], autostart: [Autostart(FlowID(0))]),
            basePath: "")
        for case .emitNavigationOccurred(let navigation) in coordinator.handle(.started, at: Instant(microseconds: 0)) {
            return navigation
        }
        return nil
    }()

    /// A round changes all nodes, adds a token, removes the one of ten rounds before, and has some navigations, whose
    /// serials are ten times the round and more.
    private static func write(_ round: UInt64, to store: StoreFile) throws(StoreFailure) {
        var records = [
            Record(RecordKey(.counters, 0), body(round, 8)), Record(RecordKey(.token, round), body(round, 8)),
        ]
        if round > 10 { records.append(Record(RecordKey(.token, round - 10), nil)) }
        for node in 1...5 as ClosedRange<UInt64> {
            records.append(Record(RecordKey(.node, node), body(round, Int(round % 7 * node * 100))))
        }
        var batch = HistoryBatch()
        if var navigation = sample {
            for number in 0..<round % 10 {
                navigation.serial = round * 10 + number
                batch.append(navigation, at: round)
            }
        }
        try store.write(records, history: batch)
    }

    private static func count(_ store: StoreFile) throws(StoreFailure) {
        var round = try latest(store)
        while true {
            round += 1
            try write(round, to: store)
            writeLine("\(round)")
        }
    }

    private static func fill(_ path: String, upTo bytes: rlim_t) throws(StoreFailure) {
        signal(SIGXFSZ, SIG_IGN)
        let store = try StoreFile(path)
        var round = try latest(store)
        var limit = rlimit(rlim_cur: bytes, rlim_max: rlim_t.max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        do throws(StoreFailure) {
            while true {
                try write(round + 1, to: store)
                round += 1
            }
        } catch {
            writeLine("\(round) and then \(error.kind): \(error)")
        }
        // A failed write leaves no partial data, and reading continues.
        writeLine("latest \(try latest(store))")
        do throws(StoreFailure) {
            try write(round + 1, to: store)
            writeLine("written")
        } catch {
            writeLine("again \(error.kind)")
        }
        limit.rlim_cur = rlim_t.max
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        try write(round + 1, to: store)
        writeLine("latest \(try latest(store))")
    }

    private static func restrained(_ path: String) throws(StoreFailure) {
        // root may write everything.
        if geteuid() == 0 {
            guard setgid(65534) == 0, setuid(65534) == 0 else { return writeLine("root can't change its user") }
        }
        let store = try StoreFile(path)
        writeLine("latest \(try latest(store)), read-only \(store.isReadOnly)")
        let found = try store.entries(after: 0, limit: 1_000, bytes: .max, below: nil)
        writeLine("\(found.entries.count) entries")
        let round = try latest(store) + 1
        do throws(StoreFailure) {
            try write(round, to: store)
            writeLine("written")
        } catch {
            writeLine("\(error.kind): \(error)")
        }
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        chmod(folder, 0o700)
        for companion in ["", "-wal"] { chmod(path + companion, 0o600) }
        try write(round, to: store)
        writeLine("latest \(try latest(store)), read-only \(store.isReadOnly)")
    }
}
