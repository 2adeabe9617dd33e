import CSdBus
import Glibc
import Platform

/// The system's journal; sd_journal_sendv(3).
public enum Journal {
    /// How urgent a message is; syslog(3).
    public enum Priority: Int32, Sendable {
        /// The service has to end.
        case critical = 2
        /// Something failed.
        case error = 3
        /// Something may fail.
        case warning = 4
        /// Normal but worth a look.
        case notice = 5
        /// Normal.
        case info = 6
        /// For developers of the service.
        case debug = 7
    }

    /// Whether standard error goes to the journal. `JOURNAL_STREAM` names a device and inode, which must be those of this
    /// descriptor: a parent process may have redirected it. systemd.exec(5).
    public static var isStandardErrorJournal: Bool {
        guard let stream = Environment.value(of: "JOURNAL_STREAM") else { return false }
        return isStream(STDERR_FILENO, named: stream)
    }

    /// Whether this descriptor is the stream that `DEVICE:INODE` names.
    static func isStream(_ descriptor: Int32, named stream: String) -> Bool {
        let parts = stream.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]) else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }

    /// Sends one entry; texts may have several lines.
    ///
    /// - Parameter fields: names of `A-Z`, `0-9` and `_`, not starting with `_`; the journal drops others.
    /// - Throws: ``SdError``. Without a journal the entry is dropped; that is no error.
    public static func send(
        _ priority: Priority, _ message: String, fields: [(name: String, value: String)] = []
    ) throws(SdError) {
        var (bytes, ends) = assignments(priority, message, fields)
        let result = bytes.withUnsafeMutableBytes { buffer in
            var start = 0
            let parts = ends.map { end in
                defer { start = end }
                return iovec(iov_base: buffer.baseAddress.map { $0 + start }, iov_len: end - start)
            }
            return sd_journal_sendv(parts, Int32(parts.count))
        }
        try check("sd_journal_sendv", result)
    }

    /// `NAME=value` of all fields one after another, and where each ends.
    static func assignments(
        _ priority: Priority, _ message: String, _ fields: [(name: String, value: String)]
    ) -> (bytes: [UInt8], ends: [Int]) {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        func add(_ text: String) {
            bytes.append(contentsOf: text.utf8)
            ends.append(bytes.count)
        }
        add("PRIORITY=\(priority.rawValue)")
        add("MESSAGE=" + message)
        for field in fields { add("\(field.name)=" + field.value) }
        return (bytes, ends)
    }
}
