internal import FlowCore
internal import FoundationEssentials

/// The folders that definition files are read from.
///
/// In each the files `*.toml` count, in the order of their names; a file hides those of the same name in later folders,
/// and a link to `/dev/null` does nothing else, as with systemd's units (`flowbus-flows(5)`).
public struct DefinitionSource: Sendable {
    /// The folders, the most important first.
    public let folders: [String]
    /// Whether each of the folders has to be there.
    let isExplicit: Bool

    /// The folders that someone named (`--flows`): each has to be there.
    public init(folders: [String]) {
        self.folders = folders
        isExplicit = true
    }

    /// The standard folders; those that are not there are left out. The environment says where the user's own is.
    public init(environment: (String) -> String?) {
        var folders: [String] = []
        // Values that are empty or no full paths count as not set (XDG Base Directory Specification).
        if let home = environment("XDG_CONFIG_HOME"), home.hasPrefix("/") {
            folders.append("\(home)/flowbus/flows.d")
        } else if let home = environment("HOME"), home.hasPrefix("/") {
            folders.append("\(home)/.config/flowbus/flows.d")
        }
        self.folders = folders + ["/etc/flowbus/flows.d", "/usr/share/flowbus/flows.d"]
        isExplicit = false
    }

    /// Finds, reads and checks the files.
    public func load() -> LoadResult {
        let report = Report()
        var texts: [(name: String, text: String)] = []
        var total = 0
        for path in files(report) {
            guard let text = read(path, report) else { continue }
            total += text.utf8.count
            guard total <= Limits.definitionBytes else {
                report.add(
                    Diagnostic(
                        .error, file: path,
                        "with this one the definition files have more than \(Limits.definitionBytes) bytes together"))
                break
            }
            texts.append((path, text))
        }
        return LoadedDefinitions.check(texts, report)
    }

    /// The paths of the files that count.
    private func files(_ report: Report) -> [String] {
        var seen: Set<String> = []
        var paths: [String] = []
        for folder in folders {
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: folder)
            } catch {
                let isThere = FileManager.default.fileExists(atPath: folder)
                if isExplicit || isThere {
                    let why = isThere ? "it can't be read as a folder" : "there is no such folder"
                    report.add(Diagnostic(.error, file: folder, "\(why); give one that holds definition files"))
                }
                continue
            }
            for name in names.sorted() where name.hasSuffix(".toml") && !name.hasPrefix(".") {
                guard seen.insert(name).inserted else { continue }
                paths.append(folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)")
            }
        }
        return paths
    }

    /// A file's text; nil where it is masked, or can't be read and that was reported.
    private func read(_ path: String, _ report: Report) -> String? {
        func refuse(_ message: String, line: Int? = nil) -> String? {
            report.add(Diagnostic(.error, file: path, line: line, message))
            return nil
        }
        // The target of a link decides what it is; asked before it is opened, as a pipe would wait for ever.
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        if target == "/dev/null" { return nil }
        guard FileManager.default.fileExists(atPath: target),
            let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        else { return refuse("the file can't be found: is it a link that leads nowhere?") }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            return refuse("this is no regular file")
        }
        let size = (attributes[.size] as? any BinaryInteger).map { Int($0) } ?? 0
        guard size <= Limits.definitionFileBytes else {
            return refuse("the file has \(size) bytes; at most \(Limits.definitionFileBytes) are allowed")
        }
        guard let data = FileManager.default.contents(atPath: target) else {
            return refuse("the file can't be read: is reading it allowed?")
        }
        guard data.count <= Limits.definitionFileBytes else {
            return refuse("the file has more than \(Limits.definitionFileBytes) bytes, which is the limit")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            let good = String(decoding: data, as: UTF8.self).prefix { $0 != "\u{FFFD}" }
            return refuse("the file is not UTF-8 from this line on", line: good.count { $0.isNewline } + 1)
        }
        guard !text.utf8.contains(0) else { return refuse("the file has a NUL byte in it, so it is no text") }
        return text
    }
}

extension DefinitionSource: CustomStringConvertible {
    /// The folders, for a message.
    public var description: String { folders.joined(separator: ", ") }
}

/// What came of reading definition files.
public enum LoadResult: Sendable {
    /// They can be used.
    case success(LoadedDefinitions)
    /// They can't: all errors and warnings, in the order of files and lines.
    case failure([Diagnostic])
}
