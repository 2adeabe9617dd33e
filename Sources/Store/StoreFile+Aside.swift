import Glibc

extension StoreFile {
    /// Moves an unreadable file aside, with the files that belong to it. Its ``CommitFile`` is copied, so that the reserved
    /// numbers are on disk at every moment. No ``StoreFile`` may have it open: closing that would delete the log of the next
    /// file.
    ///
    /// - Parameter time: now, in µs since 1970, which becomes part of the new name.
    /// - Returns: its new path.
    public static func moveAside(_ path: String, at time: UInt64) throws(StoreFailure) -> String {
        let stem = path + "." + utc(time)
        var target = stem
        var number = 1
        while try isTaken(target) {
            number += 1
            target = "\(stem)-\(number)"
        }
        // The file goes first: without its log it would look whole but old. A log without a file is detected
        // (Files.prepare).
        copy(path + CommitFile.suffix, to: target + CommitFile.suffix)
        for companion in [""] + Files.companions where rename(path + companion, target + companion) != 0 {
            guard errno == ENOENT else { throw Files.failure(path + companion, "rename") }
        }
        return target
    }

    private static func isTaken(_ path: String) throws(StoreFailure) -> Bool {
        for companion in ["", CommitFile.suffix] + Files.companions {
            var status = stat()
            if lstat(path + companion, &status) == 0 { return true }
            guard errno == ENOENT else { throw Files.failure(path + companion, "lstat") }
        }
        return false
    }

    /// Copies a file; a failure does no harm.
    private static func copy(_ path: String, to copy: String) {
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard source >= 0 else { return }
        defer { close(source) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(source, &bytes, bytes.count)
        guard count >= 0 else { return }
        let target = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o600)
        guard target >= 0 else { return }
        defer { close(target) }
        _ = Glibc.write(target, bytes, count)
    }

    /// A time as `20261121T115900Z`.
    static func utc(_ time: UInt64) -> String {
        var seconds = time_t(time / 1_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        return digits(parts.tm_year &+ 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2) + "T"
            + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2) + "Z"
    }
}
