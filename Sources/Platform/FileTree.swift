internal import Glibc

/// Folders, and changes of what is in them.
public enum FileTree {
    /// The names in a folder, sorted; none if there is no such folder. opendir(3), readdir(3).
    public static func names(in folder: String) throws(SystemError) -> [String] {
        guard let directory = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw SystemError("opendir", errno: errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw SystemError("readdir", errno: errno) }
        return names.sorted()
    }

    /// Makes a folder, and those that it is in; mkdir(2).
    public static func makeFolder(_ path: String) throws(SystemError) {
        var folder = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            folder += "/" + part
            guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw SystemError("mkdir", errno: errno) }
        }
    }

    /// Writes a file that everyone may read, as a whole or not at all; open(2), rename(2).
    public static func replace(_ path: String, with text: String) throws(SystemError) {
        let new = beside(path)
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw SystemError("open", errno: errno) }
        let isWritten = writeAll(text, to: descriptor)
        let reason = errno
        guard close(descriptor) == 0, isWritten, rename(new, path) == 0 else {
            let code = isWritten ? errno : reason
            unlink(new)
            throw SystemError("write", errno: code)
        }
    }

    /// Makes a symbolic link, in the place of an existing file or link; symlink(2), rename(2).
    public static func link(_ path: String, to target: String) throws(SystemError) {
        let new = beside(path)
        unlink(new)
        guard symlink(target, new) == 0 else { throw SystemError("symlink", errno: errno) }
        guard rename(new, path) == 0 else {
            let code = errno
            unlink(new)
            throw SystemError("rename", errno: code)
        }
    }

    /// Removes a file or a link; unlink(2).
    public static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("unlink", errno: errno) }
    }

    /// A hidden name in the same folder, which no reader of the folder takes for one of its files.
    private static func beside(_ path: String) -> String {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        return path[..<slash] + "." + path[slash...] + ".new"
    }
}

/// What a user can do with a folder: for a message to a person, never for a decision.
public struct FolderStatus: Equatable, Sendable {
    /// Whether it belongs to the user of this process.
    public let isOwn: Bool
    /// Whether other users have any rights to it.
    public let isOpenToOthers: Bool
    /// Why this user can't write to it, such as "Read-only file system"; nil if it can.
    public let refusal: String?
    /// The bytes that this user can still write; nil if the file system does not say.
    public let free: UInt64?
    /// The bytes of the files in it.
    public let size: UInt64

    /// stat(2), access(2), statvfs(3)
    ///
    /// - Throws: ``SystemError``: ENOENT if there is no such folder, ENOTDIR if there is something else.
    public init(_ path: String) throws(SystemError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw SystemError("stat", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemError("stat", errno: ENOTDIR) }
        isOwn = status.st_uid == geteuid()
        isOpenToOthers = status.st_mode & 0o077 != 0
        refusal = access(path, W_OK | X_OK) == 0 ? nil : SystemError.reason(errno)
        var system = statvfs()
        free =
            statvfs(path, &system) == 0
            ? UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize)).partialValue : nil
        var size: UInt64 = 0
        for name in (try? FileTree.names(in: path)) ?? [] {
            var file = stat()
            if lstat("\(path)/\(name)", &file) == 0, file.st_mode & S_IFMT == S_IFREG {
                size += UInt64(clamping: file.st_size)
            }
        }
        self.size = size
    }
}

/// Sockets of other programs.
public enum LocalSocket {
    /// Finds out whether a program listens at a socket, without waiting: unix(7), connect(2).
    ///
    /// - Throws: ``SystemError``: ECONNREFUSED if nobody does, ENOENT if there is no socket.
    public static func connect(_ path: String) throws(SystemError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemError("connect", errno: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket", errno: errno) }
        defer { close(descriptor) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // Somebody listens, and is busy.
        guard result == 0 || errno == EAGAIN else { throw SystemError("connect", errno: errno) }
    }
}
