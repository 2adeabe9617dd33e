import Foundation
import Synchronization

/// The files that the kernel was asked to begin to write to their disk.
final class SyncedFiles: Sendable {
    static let shared = SyncedFiles()
    private let paths = Mutex<Set<String>>([])

    func contains(_ path: String) -> Bool { paths.withLock { $0.contains(path) } }

    fileprivate func add(_ descriptor: Int32) {
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        else {
            return
        }
        _ = paths.withLock { $0.insert(path) }
    }
}

/// In place of sync_file_range(2): whether a disk has something can't be seen.
@_cdecl("sync_file_range")
public func beginSync(_ descriptor: Int32, _ offset: Int, _ count: Int, _ flags: UInt32) -> Int32 {
    SyncedFiles.shared.add(descriptor)
    return 0
}
