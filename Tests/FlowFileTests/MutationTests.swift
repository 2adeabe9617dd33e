import BusTestSupport
import Testing

@testable import FlowFile

/// A good file, damaged in many ways; always the same ones.
@Suite("Mutations")
struct MutationTests {
    /// Whether the text is taken; if not, the diagnostics have been looked at.
    private func survives(_ bytes: [UInt8]) -> Bool {
        let text = Result { () throws(FileReader.Failure) in try FileReader.text(of: bytes) }
        do throws(DefinitionFailure) {
            _ = try DefinitionFiles.check([DefinitionFiles.FileText(file: "a.toml", text: text)])
            // Texts are refused for many reasons at once; the schema has to take those that are accepted.
            if case .success(let text) = text { judge(text) }
            return true
        } catch {
            #expect(error.diagnostics.contains { $0.severity == .error })
            let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
            for diagnostic in error.diagnostics {
                #expect(diagnostic.file == "a.toml")
                #expect(!diagnostic.message.isEmpty)
                #expect((1...lines).contains(diagnostic.line ?? 1))
                #expect(!diagnostic.description.contains { $0.isNewline })
            }
            return false
        }
    }

    @Test func `truncated anywhere`() {
        let bytes = Array(example.utf8)
        var taken = 0
        for length in stride(from: 0, to: bytes.count, by: 7) where survives(Array(bytes.prefix(length))) { taken += 1 }
        #expect(taken < bytes.count / 14)
    }

    @Test(arguments: 0..<4)
    func `bytes changed, removed, doubled and moved`(seed: UInt64) {
        var generator = SeededGenerator(seed)
        let alphabet = Array("\"'[]{}=.,#$\\\n u0a-1?\u{0}é".utf8) + [0xFF]
        for _ in 0..<150 {
            var bytes = Array(example.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                let length = min(Int.random(in: 1...40, using: &generator), bytes.count - place)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes[place] = alphabet.randomElement(using: &generator) ?? 0
                case 1: bytes.removeSubrange(place..<(place + length))
                case 2: bytes.insert(contentsOf: bytes[place..<(place + length)], at: place)
                case 3:
                    let part = Array(bytes[place..<(place + length)])
                    bytes.insert(contentsOf: part, at: Int.random(in: 0...bytes.count, using: &generator))
                default: bytes.insert(alphabet.randomElement(using: &generator) ?? 0, at: place)
                }
            }
            _ = survives(bytes)
        }
    }

    @Test func `lines removed, swapped and doubled`() {
        var generator = SeededGenerator(99)
        for _ in 0..<200 {
            var lines = example.split(separator: "\n", omittingEmptySubsequences: false)
            for _ in 0..<3 {
                let (one, other) = (
                    Int.random(in: 0..<lines.count, using: &generator),
                    Int.random(in: 0..<lines.count, using: &generator)
                )
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: lines.remove(at: one)
                case 1: lines.swapAt(one, other)
                default: lines.insert(lines[one], at: other)
                }
            }
            _ = survives(Array(lines.joined(separator: "\n").utf8))
        }
    }

    @Test func `whatever the parser finds has a line`() {
        let lines = [
            "[a]", "[[a]]", "[a.b]", "[[a.b]]", "a = 1", "a.b = 1", "a.b.c = 2", "b = { a.b = 1, a.c = 2 }",
            "a = [{b = 1}]", "[a.b.c]", "b = {}", "[b.a]", "b.x = 1", "c = \"\"\"\nx\\\n  y\"\"\"\"", "\"a\" = 1",
            "'a'.\"b\" = 1", "d = [1,\n#x\n 2,]", "a = { b = { c = 1 } }", "[ a . 'b' ]", "d = 1979-05-27 07:32:00",
        ]
        var generator = SeededGenerator(7)
        var taken = 0
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...6, using: &generator)
            let text = (0..<count).compactMap { _ in lines.randomElement(using: &generator) }.joined(separator: "\n")
            let source = TomlSource(text)
            if source.problem == nil {
                checkLines(of: .table(source.root), [], source, text)
                taken += 1
            } else {
                #expect(throws: FileReader.Failure.self) { try TomlSource(checked: text) }
            }
        }
        #expect(taken > 100)
    }

    private func checkLines(of value: Toml, _ path: [TomlSource.Key], _ source: TomlSource, _ text: String) {
        if !path.isEmpty { #expect(source.line(of: path) != nil, "\(TomlSource.text(of: path)) in \(text)") }
        switch value {
        case .table(let pairs):
            for pair in pairs { checkLines(of: pair.value, path + [.name(pair.key)], source, text) }
        case .list(let list):
            for (index, value) in list.enumerated() { checkLines(of: value, path + [.index(index)], source, text) }
        case .string, .integer, .double, .bool, .date: break
        }
    }

    @Test(arguments: ["[=", "[[=", "a = [}", "a = [ }", "a = 2000-01-01 0", "a = [2000-01-01 0,", "[]", "a = {,"])
    func `texts that end where more is expected`(text: String) {
        #expect(!survives(Array(text.utf8)))
    }

    @Test(arguments: ["[", "{a=", "a.", "[[", "\"", "'''", "[a.", "a={b.c=[", "\"a\".", "(", "\\"])
    func `the same over and over`(part: String) {
        for count in [10, 65, 300, 100_000] {
            let text = String(repeating: part, count: count)
            #expect(!survives(Array(text.utf8)))
            #expect(!survives(Array(("version = 1\na = " + text).utf8)))
            #expect(!survives(Array(("version = 1\n[steps]\na = { x = '" + text + "' }").utf8)))
        }
    }

    @Test func `tables below each other, many times`() {
        let text = (0..<5_000).map { "[[flows.a.on.s\($0)]]\nscreen = 'x'\n" }.joined()
        #expect(!survives(Array(("version = 1\n" + text).utf8)))
    }
}
