internal import Glibc

/// Executable files: beside the program of this process, and in the folders of `PATH`, in this order.
public enum Programs {
    /// Returns the path of a program; nil if there is none. A name with a slash names no program.
    public static func path(of name: String) -> String? {
        guard !name.isEmpty, !name.contains("/") else { return nil }
        return folders.lazy.map { "\($0)/\(name)" }.first(where: isExecutable)
    }

    /// Returns the names of the programs that begin alike, sorted.
    public static func names(beginningWith prefix: String) -> [String] {
        let names = folders.flatMap { folder in
            entries(of: folder).filter { $0.hasPrefix(prefix) && isExecutable("\(folder)/\($0)") }
        }
        return Set(names).sorted()
    }

    /// Runs a program in place of this one, which ends with it; execv(3).
    ///
    /// - Throws: the reason why it can't be run.
    public static func become(_ path: String, _ arguments: [String]) throws(SystemError) -> Never {
        var words = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        execv(path, words)
        let reason = errno
        for word in words { free(word) }
        throw SystemError("execv", errno: reason)
    }

    /// An empty folder of `PATH` would be the working directory, whose programs nobody has installed.
    private static var folders: [String] {
        let named = (Environment.value(of: "PATH") ?? "").split(separator: ":").map(String.init)
        return (ownFolder.map { [$0] } ?? []) + named
    }

    /// The folder of the program of this process; proc(5), readlink(2).
    private static var ownFolder: String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &bytes, bytes.count)
        guard length > 0 else { return nil }
        let path = String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }

    /// stat(2), access(2)
    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// The names in a folder; none if it can't be read. readdir(3).
    private static func entries(of folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                        String(cString: $0)
                    }
                })
        }
        return names
    }
}
