import FlowCore
import Testing

@testable import FlowFile

@Suite("Definition reader")
struct DefinitionReaderTests {
    @Test func `it detects each change: of a text, of the files, of their errors`() throws {
        let folder = try Folder()
        let folders = DefinitionFolders(named: [folder.path + "/flows"])
        try folder.write("flows/a.toml", "version = 1\n[steps]\na = {}\n")
        let reader = DefinitionReader(folders)
        for _ in 0..<2 { #expect(try reader.load().definitions.steps.map(\.name) == ["a"]) }
        try folder.write("flows/a.toml", "version = 1\n[steps]\nb = {}\n")
        for _ in 0..<2 { #expect(try reader.load().definitions.steps.map(\.name) == ["b"]) }
        try folder.write("flows/b.toml", "version = 1\n[steps]\nb = {}\n")
        for _ in 0..<2 {
            let failure = #expect(throws: DefinitionFailure.self) { try reader.load() }
            #expect(failure?.files.count == 2)
        }
        try folder.write("flows/b.toml", "version = 1\n[steps]\nc = {}\n")
        #expect(try reader.load().definitions.steps.map(\.name) == ["b", "c"])
    }

    @Test func `of very many errors the first ones are reported, with the number of the others`() {
        let keys = (0..<Diagnostics.most + 5).map { "k\($0) = 1\n" }.joined()
        let found = errors(keys)
        #expect(found.count == Diagnostics.most + 1)
        #expect(found.last == "error: 5 more are left out")
    }

    @Test func `a key as long as a file does not make a line as long`() {
        let found = errors("\(String(repeating: "k", count: 100_000)) = 1")
        #expect(found.count == 1)
        #expect((found.first?.utf8.count ?? 0) < 2_000)
    }
}
