import Glibc

/// What is done with files as such.
enum Files {
    /// What stands after the path of a file of SQLite in those that belong to it.
    static let companions = ["-wal", "-journal", "-shm"]

    /// What there is at a path, links followed.
    enum Sort {
        /// Nothing.
        case none
        /// A file with so many bytes, and its permissions.
        case file(bytes: Int, mode: mode_t)
        /// A folder, a FIFO, a device, or a link that leads nowhere.
        case other
    }

    /// What there is at a path; stat(2).
    static func sort(of path: String) throws(StoreFailure) -> Sort {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else { return .other }
            return .file(bytes: Int(status.st_size), mode: status.st_mode & 0o777)
        }
        guard errno == ENOENT || errno == ELOOP else { throw failure(path, "stat") }
        return lstat(path, &status) == 0 ? .other : .none
    }

    /// Sees to it that there is a file, that its folder is there, and that its owner alone can read it.
    ///
    /// It is never opened if it is there: closing it would take the locks away that this process has on it (fcntl(2),
    /// "Record locking and file descriptors").
    ///
    /// - Parameter written: the number of the last commit to it, as far as is known.
    /// - Returns: whether there is nothing in it.
    static func prepare(_ path: String, written: UInt64) throws(StoreFailure) -> Bool {
        // SQLite would open these in a way that waits for whoever is to write into a FIFO.
        for companion in companions {
            if case .other = try sort(of: path + companion) {
                throw StoreFailure(.unreadable, "'\(path + companion)' is not a file")
            }
        }
        var isEmpty = true
        switch try sort(of: path) {
        case .other: throw StoreFailure(.unreadable, "'\(path)' is not a file")
        case .file(let bytes, let mode):
            isEmpty = bytes == 0
            // SQLite takes a single byte for nothing.
            guard isEmpty || bytes >= 512 else {
                throw StoreFailure(.unreadable, "'\(path)' has \(bytes) bytes, which is too short")
            }
            // SQLite makes the log like the file. Who may not change this, may not write either, which tells itself.
            if mode & 0o077 != 0 { chmod(path, mode & 0o700) }
        case .none:
            guard written == 0 else { throw loss(path, "is gone", written) }
            try makeFolder(above: path)
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o600)
            guard descriptor >= 0 else { throw failure(path, "open") }
            close(descriptor)
        }
        if isEmpty && written > 0 { throw loss(path, "is empty", written) }
        // SQLite would delete a log whose file is gone.
        if isEmpty, case .file(let bytes, _) = try sort(of: path + "-wal"), bytes > 0 {
            throw StoreFailure(.unreadable, "'\(path)' is empty, but not its log '\(path)-wal'")
        }
        return isEmpty
    }

    private static func loss(_ path: String, _ what: String, _ written: UInt64) -> StoreFailure {
        StoreFailure(.unreadable, "'\(path)' \(what), and commit \(written) was written to it")
    }

    /// Makes the folder of a file, and those above it, for their owner alone; mkdir(2).
    private static func makeFolder(above path: String) throws(StoreFailure) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let folder = String(path[..<slash])
        if mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT else { throw failure(folder, "mkdir") }
        try makeFolder(above: folder)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure(folder, "mkdir") }
    }

    /// Whether the file and its folder may be written.
    static func isWritable(_ path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        return access(path, W_OK) == 0 && access(folder, W_OK | X_OK) == 0
    }

    /// A failure of the system, by errno.
    static func failure(_ path: String, _ call: String) -> StoreFailure {
        StoreFailure(.unwritable, "'\(path)': \(call): \(strerror(errno).map { String(cString: $0) } ?? "failed")")
    }
}
