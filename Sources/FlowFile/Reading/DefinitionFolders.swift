import Glibc

/// The folders that definition files are read from, in the order in which files hide each other.
///
/// Source: `flowbus.flows(5)`, "Files".
public struct DefinitionFolders: Equatable, Sendable {
    /// The folders, the strongest first.
    public let paths: [String]
    /// Whether somebody named them: then each has to be there.
    public let areNamed: Bool

    /// What comes before `/flowbus/flows.d` in the folders of the system, the administrator's before the vendor's.
    public static let systemPrefixes = ["/etc", "/usr/share"]

    /// The folders named with `--flows`, in their order; each has to be there and readable.
    public init(named paths: [String]) {
        self.paths = paths.map { path in
            var path = path
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            return path
        }
        areNamed = true
    }

    /// The standard folders: the user's, then the system's. Those that are missing are fine.
    ///
    /// - Parameters:
    ///   - environment: where `XDG_CONFIG_HOME` and `HOME` are looked up. A relative `XDG_CONFIG_HOME` is ignored, as
    ///     the XDG Base Directory Specification asks; without `HOME` either, there is no folder of the user's.
    ///   - systemPrefixes: what comes before `/flowbus/flows.d` in the system's folders.
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

    /// The named folders where there are any, else the standard ones: what `--flows` means.
    public init(named paths: [String], environment: [String: String], systemPrefixes: [String] = Self.systemPrefixes) {
        if paths.isEmpty {
            self.init(environment: environment, systemPrefixes: systemPrefixes)
        } else {
            self.init(named: paths)
        }
    }
}

extension DefinitionFolders {
    /// The files that are read, in name order whatever folder they are in, and what was wrong with the folders.
    ///
    /// Hidden and masked files are left out. A file hides those of the same name in later folders also where it can't
    /// be read itself: falling back silently would be a surprise.
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
        /// Whether it only says that there is no such folder.
        let isAbsence: Bool
    }

    private static func names(in folder: String) -> Result<[String], Refusal> {
        guard let directory = opendir(folder) else {
            let number = errno
            // A home such as /dev/null makes ENOTDIR of a folder that simply is not there.
            let isAbsence = number == ENOENT || number == ENOTDIR && status(of: folder) == nil
            return .failure(Refusal(text: "can't be read: " + FileReader.reason(number), isAbsence: isAbsence))
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

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static func isNull(_ path: String, _ null: stat?) -> Bool {
        guard let null, let status = status(of: path) else { return false }
        return status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == null.st_rdev
    }
}
