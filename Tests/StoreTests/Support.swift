import BusTestSupport
import CSQLite
import Foundation
import Synchronization
import Testing

@testable import FlowCore
@testable import Store

extension TemporaryDirectory {
    /// The path of a file in it.
    func file(_ name: String = "tree.db") -> String { path + "/" + name }

    /// What is in it, sorted.
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}

/// What is in a file.
func content(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

/// Puts this into a file.
func put(_ bytes: [UInt8], into path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

/// The permissions of a file or folder.
func permissions(of path: String) throws -> mode_t {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw TestFailure("'\(path)' is not there") }
    return status.st_mode & 0o777
}

/// What becomes of it as failure; nil: it succeeded.
func failure(_ body: () throws -> some Any) -> StoreFailure? {
    do {
        _ = try body()
    } catch let failure as StoreFailure {
        return failure
    } catch {
        Issue.record(error)
    }
    return nil
}

/// The program that was built beside the tests and writes files.
func storePeer(_ arguments: [String]) throws -> ChildProcess {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    // Beside the tests, whether they are a program or a bundle that another one loads.
    for start in [tests] + CommandLine.arguments {
        let path = (start as NSString).deletingLastPathComponent + "/store-peer"
        if FileManager.default.isExecutableFile(atPath: path) { return try ChildProcess(path, arguments) }
    }
    throw TestFailure("store-peer was not built beside the tests")
}

/// A file with all that belongs to it, as it was at a moment.
struct Snapshot {
    static let suffixes = ["", "-wal", "-shm", "-journal", "-commit"]
    let path: String
    /// What was in each that was there.
    var files: [String: [UInt8]] = [:]

    init(_ path: String) {
        self.path = path
        for suffix in Self.suffixes { files[suffix] = try? content(of: path + suffix) }
    }

    /// Has all be as it was, with one of them different; nil: that one is gone.
    func restore(_ suffix: String, _ bytes: [UInt8]?) throws {
        var copy = self
        copy.files[suffix] = bytes
        try copy.restore()
    }

    /// Has all be as it was.
    func restore() throws {
        for suffix in Self.suffixes {
            unlink(path + suffix)
            if let bytes = files[suffix] { try put(bytes, into: path + suffix) }
        }
    }
}

/// Leaves a file and its log as a process does that is killed: what is in the log stays there.
func makeFileWithLog(_ path: String, _ write: (StoreFile) throws -> Void) throws {
    let store = try StoreFile(path)
    try write(store)
    store.connection?.leaveAsItIs()
}

extension Record {
    /// A node that says this.
    static func node(_ number: UInt64, _ body: [UInt8]?) -> Record { Record(RecordKey(.node, number), body) }
}

extension StoreFile {
    /// Forgets what is too much.
    func prune(keeping count: Int) throws(StoreFailure) -> Bool {
        var none: Aging?
        return try prune(keeping: count, aging: &none)
    }

    /// All navigations.
    var everything: [HistoryEntry] {
        get throws { try entries(after: 0, limit: .max, bytes: .max, below: nil).entries }
    }
}

/// A clock that a test sets: the time since a start of the machine, and which that is.
final class TestClock: Sendable {
    static let day: UInt64 = 86_400_000_000

    private let time = Mutex(3 * TestClock.day)
    private let start = Mutex<UInt64>(1)

    /// In µs.
    var now: UInt64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
    /// Which start of the machine it is.
    var boot: UInt64 {
        get { start.withLock { $0 } }
        set { start.withLock { $0 = newValue } }
    }

    /// As it is to be handed to a ``StoreFile`` that is opened now.
    var clock: BootClock { BootClock(boot: BootClock.Boot(high: 0, low: boot)) { [self] in now } }
}
