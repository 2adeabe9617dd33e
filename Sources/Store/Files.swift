import Glibc

/// Files as such, apart from their contents.
enum Files {
    /// The suffixes of the files that SQLite adds to a database.
    static let companions = ["-wal", "-journal", "-shm"]

    /// What is at a path, after links.
    enum Sort {
        /// Nothing.
        case none
        /// A file, with its size and permissions.
        case file(bytes: Int, mode: mode_t)
        /// A folder, a FIFO, a device, or a link that leads nowhere.
        case other
    }

    /// Finds out what is at a path; stat(2).
    static func sort(of path: String) throws(StoreFailure) -> Sort {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else { return .other }
            return .file(bytes: Int(status.st_size), mode: status.st_mode & 0o777)
        }
        guard errno == ENOENT || errno == ELOOP else { throw failure(path, "stat") }
        return lstat(path, &status) == 0 ? .other : .none
    }

    /// Creates the file and its folder if necessary, and lets only its owner read it.
    ///
    /// An existing file is not opened: closing it would release the locks of this process on it (fcntl(2), "Record locking
    /// and file descriptors").
    ///
    /// - Parameter written: the number of the last commit, as far as known.
    /// - Returns: whether it is empty.
    static func prepare(_ path: String, written: UInt64) throws(StoreFailure) -> Bool {
        // SQLite would open a FIFO in a way that waits for a writer.
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
            // SQLite treats a file of one byte as empty.
            guard isEmpty || bytes >= 512 else {
                throw StoreFailure(.unreadable, "'\(path)' has \(bytes) bytes, which is too short")
            }
            // SQLite gives the log the permissions of the file. If this fails, writing fails, too, and is reported.
            if mode & 0o077 != 0 { chmod(path, mode & 0o700) }
        case .none:
            guard written == 0 else { throw loss(path, "is gone", written) }
            try makeFolder(above: path)
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o600)
            guard descriptor >= 0 else { throw failure(path, "open") }
            close(descriptor)
        }
        if isEmpty && written > 0 { throw loss(path, "is empty", written) }
        // SQLite would delete a log without a file.
        if isEmpty, case .file(let bytes, _) = try sort(of: path + "-wal"), bytes > 0 {
            throw StoreFailure(.unreadable, "'\(path)' is empty, but not its log '\(path)-wal'")
        }
        return isEmpty
    }

    private static func loss(_ path: String, _ what: String, _ written: UInt64) -> StoreFailure {
        StoreFailure(.unreadable, "'\(path)' \(what), and commit \(written) was written to it")
    }

    /// Creates the folder of a file, and those above it, for their owner alone; mkdir(2).
    private static func makeFolder(above path: String) throws(StoreFailure) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let folder = String(path[..<slash])
        if mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT else { throw failure(folder, "mkdir") }
        try makeFolder(above: folder)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure(folder, "mkdir") }
    }

    /// Whether there is permission to write the file and its folder.
    static func isWritable(_ path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        return access(path, W_OK) == 0 && access(folder, W_OK | X_OK) == 0
    }

    /// A failure of a system call, by errno.
    static func failure(_ path: String, _ call: String) -> StoreFailure {
        StoreFailure(.unwritable, "'\(path)': \(call): \(strerror(errno).map { String(cString: $0) } ?? "failed")")
    }
}
