import Foundation
import Glibc

/// A fresh directory that goes with its last reference.
public final class TemporaryDirectory {
    /// Its path: short enough for a socket in it, as a socket's path has 107 bytes.
    public let path: String

    /// Makes one in `TMPDIR`, or in `/tmp` where that is too long.
    public init() throws {
        let name = "/flowbus-XXXXXX"
        var parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        while parent.count > 1 && parent.hasSuffix("/") { parent.removeLast() }
        if !parent.hasPrefix("/") || parent.utf8.count + name.utf8.count > 80 { parent = "/tmp" }
        var template = Array((parent + name).utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp in \(parent): errno \(errno)") }
        path =
            parent + "/"
            + String(decoding: template.dropLast().suffix(name.utf8.count - 1).map(UInt8.init), as: UTF8.self)
    }

    deinit {
        // What can't be removed is left to the system's own cleaning of temporary files.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file into it.
    ///
    /// - Returns: the file's path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }
}
