import Glibc

/// The folders of definition files, in order of precedence.
///
/// Source: `flowbus.flows(5)`, "Files".
public struct DefinitionFolders: Equatable, Sendable {
    /// The folders, the highest precedence first.
    public let paths: [String]
    /// Whether they were given explicitly; then each has to exist.
    public let areNamed: Bool

    /// The parents of `flowbus/flows.d` in the system, the administrator's before the vendor's.
    public static let systemPrefixes = ["/etc", "/usr/share"]

    /// Creates a list from the folders given with `--flows`, in order; each has to exist and be readable.
    public init(named paths: [String]) {
        self.paths = paths.map { path in
            var path = path
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            return path
        }
        areNamed = true
    }

    /// Creates the list of the standard folders: the user's, then the system's. Missing ones are ignored.
    ///
    /// - Parameters:
    ///   - environment: contains `XDG_CONFIG_HOME` and `HOME`. A relative `XDG_CONFIG_HOME` is ignored, as the XDG Base
    ///     Directory Specification requires; if `HOME` is missing, too, there is no folder of the user.
    ///   - systemPrefixes: the parents of `flowbus/flows.d` in the system.
    public init(environment: [String: String], systemPrefixes: [String] = Self.systemPrefixes) {
        var prefixes = systemPrefixes
        if let config = environment["XDG_CONFIG_HOME"], config.hasPrefix("/") {
            prefixes.insert(config, at: 0)
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            prefixes.insert(home + "/.config", at: 0)
        }
        paths = prefixes.map { $0 + "/flowbus/flows.d" }
        areNamed = false
    }

    /// Creates the list of the given folders or, if there are none, of the standard ones: the meaning of `--flows`.
    public init(named paths: [String], environment: [String: String], systemPrefixes: [String] = Self.systemPrefixes) {
        if paths.isEmpty {
            self.init(environment: environment, systemPrefixes: systemPrefixes)
        } else {
            self.init(named: paths)
        }
    }
}

extension DefinitionFolders {
    /// Returns the files to read, sorted by name over all folders, and the problems of the folders.
    ///
    /// Hidden and masked files are left out. A file takes precedence over those of the same name in later folders even
    /// if it can't be read: to fall back silently would be a surprise.
    func files() -> (paths: [String], problems: [Diagnostic]) {
        var found: [String: String] = [:]
        var problems: [Diagnostic] = []
        for folder in paths {
            switch Self.names(in: folder) {
            case .success(let names):
                for name in names where found[name] == nil { found[name] = folder + "/" + name }
            case .failure(let reason) where areNamed || !reason.isAbsence:
                problems.append(Diagnostic(.error, file: folder, message: "the folder \(reason.text)"))
            case .failure:
                break
            }
        }
        let null = Self.status(of: "/dev/null")
        let files = found.sorted { Text.precedes($0.key, $1.key) }.map(\.value)
        return (files.filter { !Self.isNull($0, null) }, problems)
    }

    private struct Refusal: Error {
        let text: String
        /// Whether the problem is only that the folder does not exist.
        let isAbsence: Bool
    }

    private static func names(in folder: String) -> Result<[String], Refusal> {
        guard let directory = opendir(folder) else {
            let number = errno
            // A home such as /dev/null leads to ENOTDIR for a folder that does not exist.
            let isFile = number == ENOTDIR && status(of: folder) != nil
            let reason =
                isFile
                ? "it is a file; name the folder that it is in, '\(Self.folder(of: folder))'"
                : FileReader.reason(number)
            let isAbsence = number == ENOENT || (number == ENOTDIR && !isFile)
            return .failure(Refusal(text: "can't be read: " + reason, isAbsence: isAbsence))
        }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix("."), name.hasSuffix(".toml") { names.append(name) }
        }
        guard errno == 0 else {
            return .failure(Refusal(text: "can't be read: " + FileReader.reason(errno), isAbsence: false))
        }
        return .success(names)
    }

    /// The folder that a file is in, as its path says.
    static func folder(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static func isNull(_ path: String, _ null: stat?) -> Bool {
        guard let null, let status = status(of: path) else { return false }
        return status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == null.st_rdev
    }
}
