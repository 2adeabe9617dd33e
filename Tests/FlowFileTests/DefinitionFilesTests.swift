import FlowCore
import Glibc
import Testing

@testable import FlowFile

@Suite("DefinitionFiles")
struct DefinitionFilesTests {
    private func failure(_ folder: Folder) -> [String] {
        do throws(DefinitionFailure) {
            _ = try DefinitionFiles.load(from: DefinitionFolders(named: [folder.path]))
            return []
        } catch {
            return error.diagnostics.map { $0.description.replacing(folder.path + "/", with: "") }
        }
    }

    @Test func `loads a folder`() throws {
        let folder = try Folder()
        let file = try folder.write("example.toml", example)
        let loaded = try DefinitionFiles.load(from: DefinitionFolders(named: [folder.path]))
        #expect(loaded.files == [file])
        #expect(loaded.warnings == [])
        #expect(loaded.definitions.flows.map(\.name) == ["payment", "session", "settings"])
    }

    @Test func `no files are a warning, not an error`() throws {
        let folder = try Folder()
        let loaded = try DefinitionFiles.load(from: DefinitionFolders(named: [folder.path]))
        #expect(loaded.definitions == Definitions())
        #expect(loaded.warnings.map(\.description) == ["warning: there are no definition files in '\(folder.path)'"])
    }

    @Test func `all errors are reported together, in order`() throws {
        let folder = try Folder()
        try folder.write("a.toml", "version = 1\n[flows.f.on]\nunknown = { none = true, stlye = 1 }\n")
        try folder.write("b.toml", "version = 1\n[steps\n")
        try folder.write("c.toml", bytes: Array("version = 1\n# ".utf8) + [0xFF])
        mkdir(folder.path + "/d.toml", 0o755)
        mkfifo(folder.path + "/e.toml", 0o644)
        try folder.write("f.toml", "version = 1\na = 1\na = 2\n")
        #expect(
            failure(folder) == [
                "a.toml:3: error: [flows.f.on.unknown.stlye] a contributor has no key 'stlye'; did you mean 'style'?",
                "b.toml:2:7: error: expected ']' after the table's name, saw the end of the line",
                "c.toml:2:3: error: the file is not UTF-8: the byte 0xff at offset 14 is not part of a character",
                "d.toml: error: this is a folder; a definition file has to be a regular file",
                "e.toml: error: this is a FIFO; a definition file has to be a regular file",
                "f.toml:3:1: error: the key 'a' is given twice: here and in line 2",
            ])
    }

    @Test func `names are not reported as undeclared while a file can't be read`() throws {
        let folder = try Folder()
        let text = """
            version = 1
            [private]
            steps = ["b"]
            [flows.f]
            initial = "b"
            [flows.f.on]
            b = [{ screen = "s", arguments = { x = "$y" } }, { flow = "g", step = "c" }]
            initial = { none = true }
            [[autostart]]
            flow = "g"
            arguments = { x = 1 }
            """
        try folder.write("a.toml", text)
        try folder.write("b.toml", "version = 1\n[")
        #expect(failure(folder) == ["b.toml:2:2: error: expected a key, saw the end of the file"])
        try folder.write("b.toml", "version = 2\n")
        #expect(failure(folder).count == 1)
        #expect(failure(folder).first?.contains("version '2'") == true)
    }

    @Test func `a file above the limit`() throws {
        let folder = try Folder()
        let text = "version = 1\n#"
        let filler = String(repeating: "x", count: Limits.definitionBytes - text.utf8.count)
        try folder.write("a.toml", text + filler)
        #expect(failure(folder) == [])
        try folder.write("a.toml", text + filler + "x")
        let limit = Limits.definitionBytes
        #expect(failure(folder) == ["a.toml: error: the file is too large; at most \(limit) bytes are allowed"])
    }

    @Test func `files above the limit together`() throws {
        let folder = try Folder()
        let line = "# " + String(repeating: "x", count: 61) + "\n"
        let filler = String(repeating: line, count: 1_024 * 1_024 / line.utf8.count - 1)
        for number in 10..<28 { try folder.write("\(number).toml", "version = 1\n" + filler) }
        let found = failure(folder)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("26.toml: error: with this file the definition files are too large") == true)
    }

    @Test func `a summary in one line`() {
        let one = Diagnostic(.error, file: "a", line: 1, message: "bad")
        let other = Diagnostic(.error, file: "a", line: 2, message: "worse")
        #expect(DefinitionFailure(diagnostics: [one], notes: [], files: []).description == "a:1: error: bad")
        #expect(
            DefinitionFailure(diagnostics: [one, other], notes: [], files: []).description
                == "a:1: error: bad (and 1 more)")
    }

    @Test func `excessive arguments and rules do not take long`() {
        let names = (0..<9_000).map { "a\($0) = 'string'" }.joined(separator: ", ")
        let rules = (0..<9_000).map { "x\($0) = { current = 'y\($0)' }" }.joined(separator: "\n")
        let steps = "[steps]\na = { \(names) }\n[screens]\ns = { arguments = { \(names) } }\n"
        let found = errors(steps + "[flows.f.on]\na = { screen = 's' }\n" + rules)
        #expect(found.count == Diagnostics.most + 1)
    }

    @Test func `a missing folder is reported together with errors in others`() throws {
        let folder = try Folder()
        try folder.write("a.toml", "version = 1\nx = 1\n")
        let failure = #expect(throws: DefinitionFailure.self) {
            try DefinitionFiles.load(from: DefinitionFolders(named: [folder.path + "/none", folder.path]))
        }
        #expect(failure?.diagnostics.map(\.file) == [folder.path + "/none", folder.path + "/a.toml"])
    }

    @Test func `the order of tables changes nothing`() throws {
        let parts = [
            "[steps]\nb = { y = 'string', x = 'string' }\na = {}\n", "[screens]\nt = {}\ns = {}\n",
            "[flows.g]\n[flows.f]\n",
            "[flows.f.on]\nb = { screen = 's' }\na = { screen = 't' }\n", "[flows.g.on]\na = { flow = 'f' }\n",
        ]
        let one = try definitions(parts.joined())
        let other = try definitions(parts[4], parts[0], parts.reversed()[1...3].joined())
        #expect(one == other)
    }

    @Test func `errors in a file with Windows line ends and a byte order mark`() throws {
        let folder = try Folder()
        try folder.write("a.toml", "\u{FEFF}version = 1\r\n\r\n[steps]\r\na = 1\r\n")
        #expect(
            failure(folder) == [
                "a.toml:4: error: [steps.a] this is an integer; it has to be a table of arguments and "
                    + "their types"
            ])
    }
}
