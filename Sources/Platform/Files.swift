internal import Glibc

/// A new file that only its owner can read, written from its beginning.
public final class OutputFile {
    private let descriptor: Int32

    /// Creates the file, or empties an existing one; open(2).
    public init(_ path: String) throws(SystemError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o600)
        guard descriptor >= 0 else { throw SystemError("open", errno: errno) }
    }

    deinit { close(descriptor) }

    /// Writes all of a text; write(2).
    public func write(_ text: String) throws(SystemError) {
        guard writeAll(text, to: descriptor) else { throw SystemError("write", errno: errno) }
    }
}

/// Existing files.
public enum InputFile {
    /// Is there a file or folder at this path? access(2).
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The whole text of a file; bytes that are not UTF-8 become U+FFFD. open(2), read(2).
    public static func text(of path: String) throws(SystemError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw SystemError("open", errno: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw SystemError("read", errno: errno) }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}

/// Writes all of a text; false, with errno set, on failure.
func writeAll(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { buffer in
        var rest = UnsafeRawBufferPointer(buffer)
        while let start = rest.baseAddress, !rest.isEmpty {
            let written = write(descriptor, start, rest.count)
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
        return true
    }
}
