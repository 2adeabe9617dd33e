import FlowCore
import Glibc
import Testing

@testable import FlowFile

/// A folder of a test's own, removed with it.
final class Folder {
    let path: String

    init() throws {
        var template = Array("/tmp/flowfile-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        path = try #require(made)
    }

    deinit { Self.remove(path) }

    /// Makes a file, and the folders it is in; its path. A definition file is held against the schema, too.
    @discardableResult
    func write(_ name: String, _ text: String = "version = 1\n") throws -> String {
        if name.hasSuffix(".toml") { judge(text) }
        return try write(name, bytes: Array(text.utf8))
    }

    /// Makes a file of these bytes.
    @discardableResult
    func write(_ name: String, bytes: [UInt8]) throws -> String {
        let file = self.path + "/" + name
        var folder = self.path
        for part in name.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o755)
        }
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        return file
    }

    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR, let directory = opendir(path) else {
            unlink(path)
            return
        }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { remove(path + "/" + name) }
        }
        closedir(directory)
        rmdir(path)
    }
}

/// The definitions of texts that have no errors, as files `a.toml`, `b.toml`, …, `version = 1` being put before each.
///
/// What they say is written as one text, too, and read again.
func definitions(_ texts: String...) throws(DefinitionFailure) -> Definitions {
    let definitions = try DefinitionFiles.check(named(texts)).definitions
    do {
        let text = try definitions.fileText(hidesPrivateValues: false)
        #expect(try DefinitionFiles.definitions(in: text) == definitions, "\(text)")
        #expect(TomlSource(text).newer == nil, "\(text)")
    } catch {
        Issue.record("written and read: \(error)")
    }
    return definitions
}

/// The errors of texts, one per line.
func errors(_ texts: String...) -> [String] {
    do throws(DefinitionFailure) {
        _ = try DefinitionFiles.check(named(texts))
        return []
    } catch {
        return error.diagnostics.filter { $0.severity == .error }.map(\.description)
    }
}

/// The warnings of texts without errors, one per line.
func warnings(_ texts: String...) throws(DefinitionFailure) -> [String] {
    try DefinitionFiles.check(named(texts)).warnings.map(\.description)
}

extension DefinitionFiles {
    /// Checks texts by the names of their files; each by itself against the schema, too.
    static func check(
        _ texts: [(file: String, text: Result<String, FileReader.Failure>)]
    ) throws(DefinitionFailure) -> DefinitionFiles {
        for case .success(let text) in texts.map(\.text) { judge(text) }
        return try check(texts.map { FileText(file: $0.file, text: $0.text) })
    }
}

/// The version stands on the first line, so that the text begins on line 2.
private func named(_ texts: [String]) -> [(file: String, text: Result<String, FileReader.Failure>)] {
    zip("abcdefgh", texts).map { ("\($0).toml", .success("version = 1\n" + $1)) }
}
