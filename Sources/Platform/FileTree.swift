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
