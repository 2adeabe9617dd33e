internal import Glibc

/// A folder of new files, which is there as a whole or not at all.
public enum NewFolder {
    /// A file.
    public struct File: Sendable {
        /// Its path in the folder.
        public let path: String
        /// What is in it.
        public let text: String
        /// Whether it is a program.
        public let isExecutable: Bool

        /// A file with this text.
        public init(path: String, text: String, isExecutable: Bool) {
            (self.path, self.text, self.isExecutable) = (path, text, isExecutable)
        }
    }

    /// Makes a folder with files, beside its place first; mkdtemp(3), rename(2).
    ///
    /// - Throws: ``SystemError``: ENOTEMPTY or ENOTDIR if something is there, else the reason why it can't be made. Nothing is left of it
    ///   then.
    public static func make(_ path: String, _ files: [File]) throws(SystemError) {
        var template = Array("\(path).XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw SystemError("mkdtemp", errno: errno) }
        var written: [String] = []
        do throws(SystemError) {
            for file in files { try write(file, in: made, &written) }
            // mkdtemp lets nobody else in.
            guard chmod(made, 0o777 & ~creationMask) == 0 else { throw SystemError("chmod", errno: errno) }
            guard rename(made, path) == 0 else { throw SystemError("rename", errno: errno) }
        } catch {
            for path in written.reversed() { remove(path) }
            remove(made)
            throw error
        }
    }

    private static func write(_ file: File, in folder: String, _ written: inout [String]) throws(SystemError) {
        var path = folder
        for part in file.path.split(separator: "/").dropLast() {
            path += "/" + part
            if mkdir(path, 0o777) == 0 {
                written.append(path)
            } else if errno != EEXIST {
                throw SystemError("mkdir", errno: errno)
            }
        }
        path = folder + "/" + file.path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file.isExecutable ? 0o777 : 0o666)
        guard descriptor >= 0 else { throw SystemError("open", errno: errno) }
        written.append(path)
        let isWritten = writeAll(file.text, to: descriptor)
        let reason = errno
        guard close(descriptor) == 0, isWritten else { throw SystemError("write", errno: isWritten ? errno : reason) }
    }

    /// The bits that new files do not get; umask(2).
    private static var creationMask: mode_t {
        let mask = umask(0)
        umask(mask)
        return mask
    }
}
