import Foundation
import Glibc

/// A new directory that is removed with its last reference.
public final class TemporaryDirectory {
    /// The path, short enough for a socket in it: a socket's path has at most 107 bytes.
    public let path: String

    /// Creates a directory in `TMPDIR`, or in `/tmp` if that is too long.
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
        // Leftovers are removed with the system's temporary files.
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
