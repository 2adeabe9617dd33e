import BusTestSupport
import CSQLite
import Foundation
import Testing

@testable import FlowCore
@testable import Store

extension TemporaryDirectory {
    /// The path of a file in it.
    func file(_ name: String = "tree.db") -> String { path + "/" + name }

    /// The names of its files, sorted.
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}

/// Returns the contents of a file.
func content(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

/// Writes bytes to a file.
func put(_ bytes: [UInt8], into path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

/// The permissions of a file or folder.
func permissions(of path: String) throws -> mode_t {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw TestFailure("'\(path)' is not there") }
    return status.st_mode & 0o777
}

/// Returns the failure of an operation; nil if it succeeded.
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

/// Starts store-peer, which was built with the tests.
func storePeer(_ arguments: [String]) throws -> ChildProcess {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    // In the folder of the tests, whether they are a program or a bundle.
    for start in [tests] + CommandLine.arguments {
        let path = (start as NSString).deletingLastPathComponent + "/store-peer"
        if FileManager.default.isExecutableFile(atPath: path) { return try ChildProcess(path, arguments) }
    }
    throw TestFailure("store-peer was not built beside the tests")
}

/// A store with its companion files at a moment.
struct Snapshot {
    static let suffixes = ["", "-wal", "-shm", "-journal", "-commit"]
    let path: String
    /// The contents of each existing file.
    var files: [String: [UInt8]] = [:]

    init(_ path: String) {
        self.path = path
        for suffix in Self.suffixes { files[suffix] = try? content(of: path + suffix) }
    }

    /// Restores the files with one of them changed; nil removes it.
    func restore(_ suffix: String, _ bytes: [UInt8]?) throws {
        var copy = self
        copy.files[suffix] = bytes
        try copy.restore()
    }

    /// Restores the files.
    func restore() throws {
        for suffix in Self.suffixes {
            unlink(path + suffix)
            if let bytes = files[suffix] { try put(bytes, into: path + suffix) }
        }
    }
}

/// Leaves a file and its log as a killed process does, with data in the log.
func makeFileWithLog(_ path: String, _ write: (StoreFile) throws -> Void) throws {
    let store = try StoreFile(path)
    try write(store)
    store.connection?.leaveAsItIs()
}

extension Record {
    /// A node record with this body.
    static func node(_ number: UInt64, _ body: [UInt8]?) -> Record { Record(RecordKey(.node, number), body) }
}

extension StoreFile {
    /// Removes entries beyond a number.
    func prune(keeping count: Int) throws(StoreFailure) -> Bool {
        var none: Aging?
        return try prune(keeping: count, aging: &none)
    }

    /// All navigations.
    var everything: [HistoryEntry] {
        get throws { try entries(after: 0, limit: .max, bytes: .max, below: nil).entries }
    }
}

extension TestClock {
    static let day: UInt64 = 86_400_000_000

    /// A clock that shows the third day.
    convenience init() { self.init(now: 3 * Self.day) }

    /// The clock for a ``StoreFile`` that is opened now.
    var clock: BootClock { BootClock(boot: BootClock.Boot(high: 0, low: boot)) { [self] in now } }
}
