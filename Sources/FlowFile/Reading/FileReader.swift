import FlowCore
import Glibc

/// Reads files without trusting their contents and types.
enum FileReader {
    /// An error in reading a file, with its line and column if they are known.
    struct Failure: Error, Equatable {
        var line: Int?
        var column: Int?
        var message: String
    }

    /// Returns the text of a file, up to a number of bytes. Messages call it by a noun.
    static func text(
        of path: String, limit: Int = Limits.definitionBytes, as noun: String = "a definition file"
    ) throws(Failure) -> String {
        try text(of: bytes(of: path, limit: limit, noun))
    }

    /// Returns the bytes as text, without a byte order mark.
    static func text(of bytes: [UInt8]) throws(Failure) -> String {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw Failure(message: "the file is UTF-16; it has to be UTF-8")
        }
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        if let text = String(validating: content, as: UTF8.self) { return text }
        let offset = validLength(of: bytes)
        let (line, column) = TomlSource.position(of: offset, in: bytes)
        throw Failure(
            line: line, column: column,
            message: "the file is not UTF-8: the byte 0x\(String(bytes[offset], radix: 16)) at offset \(offset) "
                + "is not part of a character")
    }

    /// Returns the system's description of an error, for use inside a sentence.
    static func reason(_ number: Int32) -> String {
        guard let text = strerror(number) else { return "error \(number)" }
        let reason = String(cString: text)
        return reason.prefix(1).lowercased() + reason.dropFirst()
    }

    private static func bytes(of path: String, limit: Int, _ noun: String) throws(Failure) -> [UInt8] {
        // Checked before opening, too: opening a device or a FIFO can have side effects.
        var status = stat()
        guard stat(path, &status) == 0 else { throw unreadable(errno) }
        try check(status, limit: limit, noun)
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw unreadable(errno) }
        defer { close(file) }
        guard fstat(file, &status) == 0 else { throw unreadable(errno) }
        try check(status, limit: limit, noun)

        // One byte more than allowed, because a file can grow while it is read.
        var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), limit) + 1)
        var length = 0
        while true {
            if length == bytes.count {
                guard length <= limit else { throw tooLarge(limit) }
                bytes += [UInt8](repeating: 0, count: min(length, limit + 1 - length))
            }
            let count = bytes.withUnsafeMutableBytes {
                read(file, $0.baseAddress?.advanced(by: length), $0.count - length)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(errno) }
            guard count > 0 else { break }
            length += count
        }
        bytes.removeLast(bytes.count - length)
        return bytes
    }

    private static func check(_ status: stat, limit: Int, _ noun: String) throws(Failure) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(message: "this is \(kind(status.st_mode)); \(noun) has to be a regular file")
        }
        guard status.st_size <= limit else { throw tooLarge(limit) }
    }

    private static func tooLarge(_ limit: Int) -> Failure {
        Failure(message: "the file is too large; at most \(limit) bytes are allowed")
    }

    private static func unreadable(_ number: Int32) -> Failure {
        Failure(message: "the file can't be read: " + reason(number))
    }

    private static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFDIR: "a folder"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }

    /// Returns the length of the longest prefix of complete characters.
    private static func validLength(of bytes: [UInt8]) -> Int {
        var (decoder, iterator) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator())
        var length = 0
        while case .valid(let character) = decoder.parseScalar(from: &iterator) { length += character.count }
        return min(length, bytes.count - 1)
    }
}
