import Testing

@testable import FlowFile

/// What TOML 1.1 has and 1.0 does not, from its text and grammar.
@Suite("TOML 1.1")
struct TomlNewerTests {
    private static let line = "a line end in an inline table"
    private static let comma = "a comma at the end of an inline table"
    private static let seconds = "a time without seconds"
    private static let escape = "'\\e' in a string"
    private static let byte = "'\\x' in a string"

    private static func table(_ pairs: (String, Toml)...) -> Toml { .table(pairs.map { .init(key: $0, value: $1) }) }

    /// Values, and what needs the newer version, with the line and column of its first place.
    @Test(arguments: [
        // Inline tables.
        ("{ b = 1, }", table(("b", .integer(1))), comma, 1, 12),
        ("{ b = 1 , # one\n}", table(("b", .integer(1))), line, 1, 20),
        ("{\n}", table(), line, 1, 6),
        ("{\r\n}", table(), line, 1, 7),
        ("{ # nothing\n\n # at all\n\t}", table(), line, 1, 16),
        (
            "{\n  b = 1,\n  c.d = 'x', # two\n\n}", table(("b", .integer(1)), ("c", table(("d", .string("x"))))), line,
            1, 6
        ),
        ("{ b = 1\n, c = 2\n}", table(("b", .integer(1)), ("c", .integer(2))), line, 1, 12),
        (
            "{ b = [ { c = 1, }, {} ], }",
            table(("b", .list([table(("c", .integer(1))), table()]))), comma, 1, 20
        ),
        ("[\n { b = {\n} } ]", .list([table(("b", table()))]), line, 2, 9),
        ("{ b = '''\n''',\n c = 1 }", table(("b", .string("")), ("c", .integer(1))), line, 2, 5),
        // Escape sequences. '\x' has the number of a character, not a byte: '\xE9' is é, and '\xFF' takes two bytes.
        ("\"\\e[0m\"", .string("\u{1B}[0m"), escape, 1, 6),
        ("\"\"\"\n\\e\"\"\"", .string("\u{1B}"), escape, 2, 1),
        ("\"a\\x41\\xe9\\xFF\\x01\\x7f\"", .string("aA\u{E9}\u{FF}\u{1}\u{7F}"), byte, 1, 7),
        ("\"\\xc3\\xa9\"", .string("\u{C3}\u{A9}"), byte, 1, 6),
        ("\"\"\"\\x22\\x5C\\x0A\"\"\"", .string("\"\\\n"), byte, 1, 8),
        ("\"\\x411\"", .string("A1"), byte, 1, 6),
        ("{ \"\\x62\" = 1 }", table(("b", .integer(1))), byte, 1, 8),
        // Times.
        ("07:32", .date("07:32"), seconds, 1, 5),
        ("23:59 # late", .date("23:59"), seconds, 1, 5),
        ("1979-05-27T07:32", .date("1979-05-27T07:32"), seconds, 1, 5),
        ("1979-05-27 07:32", .date("1979-05-27 07:32"), seconds, 1, 5),
        ("1979-05-27t07:32z", .date("1979-05-27t07:32z"), seconds, 1, 5),
        ("1979-05-27 07:32Z", .date("1979-05-27 07:32Z"), seconds, 1, 5),
        ("[1, 1979-05-27T07:32-07:30]", .list([.integer(1), .date("1979-05-27T07:32-07:30")]), seconds, 1, 9),
        ("1979-05-27T07:32+23:59", .date("1979-05-27T07:32+23:59"), seconds, 1, 5),
    ])
    func `valid`(text: String, value: Toml, what: String, line: Int, column: Int) {
        let source = TomlSource("a = \(text)")
        #expect(source.problem == nil)
        #expect(source.root.map(\.value) == [value])
        #expect(source.newer == FileReader.Failure(line: line, column: column, message: what))
    }

    @Test func `a key with an escape sequence`() {
        let source = TomlSource("[\"\\x61.\\e\"]\n\"\\xe9\".b = 1")
        #expect(source.root == [.init(key: "a.\u{1B}", value: Self.table(("\u{E9}", Self.table(("b", .integer(1))))))])
        #expect(source.newer == FileReader.Failure(line: 1, column: 3, message: Self.byte))
    }

    /// Inline tables and times that TOML 1.0 has, too.
    @Test(arguments: [
        "{ b = [\n1,\n], c = \"\"\"\n\"\"\" }", "[\n{ b = 1 },\n]", "{}", "{ }", "'\\e\\x41'", "\"\\\\e\"",
        "1979-05-27",
        "1979-05-27T07:32:00", "07:32:00.5", "1979-05-27T07:32:00-07:00", "\"\\u00e9\"", "[ # }\n]",
    ])
    func `older`(text: String) {
        let source = TomlSource("a = \(text) # \n")
        #expect(source.problem == nil && source.newer == nil)
    }

    @Test(arguments: [
        ("{ , }", 6, "expected a key, saw ','"),
        ("{,\n}", 5, "expected a key, saw ','"),
        ("{ b = 1,, }", 12, "expected a key, saw ','"),
        ("{ b = 1,\n, c = 2 }", 13, "expected a key, saw ','"),
        ("{ b = 1\nc = 2 }", 12, "expected ',' or '}' of the table that begins in line 1, saw 'c'"),
        ("{ b =\n1 }", 9, "expected a value, saw the end of the line"),
        ("{ b\n= 1 }", 7, "expected '=' after the key, saw the end of the line"),
        ("{ b.\nc = 1 }", 8, "expected a key, saw the end of the line"),
        ("{ b = 1, # no end", 21, "expected a key, saw the end of the file"),
        ("{ b = 1, b = 2, }", 13, "the key 'b' is given twice"),
        ("{\n b = 1,\n}\na.c = 1", 16, "'a' is a table already, in line 1"),
        ("{ b = 1,\r }", 12, "expected a line end"),
        ("\"\\x4\"", 7, "expected 2 hexadecimal digits"),
        ("\"\\xg0\"", 7, "expected 2 hexadecimal digits"),
        ("\"\\x\"", 7, "expected 2 hexadecimal digits"),
        ("\"\\x+1\"", 7, "expected 2 hexadecimal digits"),
        // On purpose: no string on the bus can have it.
        ("\"\\x00\"", 5, "the character U+0000 is not allowed"),
        ("\"\\E\"", 6, "expected one of '\\b'"),
        ("\"\\X41\"", 6, "expected one of '\\b'"),
        ("07", 4, "'07' is no value"),
        ("07:3", 4, "'07:3' is no value"),
        ("7:32", 4, "'7:32' is no value"),
        ("07:32:", 4, "'07:32:' is no value"),
        ("07:32.5", 4, "'07:32.5' is no value"),
        ("07:32Z", 4, "'07:32Z' is no value"),
        ("24:00", 4, "'24:00' is out of range"),
        ("07:60", 4, "'07:60' is out of range"),
        ("1979-05-27T07", 4, "'1979-05-27T07' is no value"),
        ("1979-05-27T07Z", 4, "'1979-05-27T07Z' is no value"),
        ("1979-05-27T07:32+24:00", 4, "'1979-05-27T07:32+24:00' is out of range"),
        ("1979-05-27T07:32+07:60", 4, "'1979-05-27T07:32+07:60' is out of range"),
        ("1979-02-30T07:32", 4, "'1979-02-30T07:32' is out of range"),
        ("1979-05-27T07:32:60", 4, "'1979-05-27T07:32:60' is out of range"),
    ])
    func `invalid`(text: String, offset: Int, message: String) {
        let problem = TomlSource("a = \(text)").problem
        #expect(problem?.offset == offset, "\(problem as Any)")
        #expect(problem?.message.hasPrefix(message) == true, "\(problem as Any)")
    }

    @Test func `definitions have a note, once for each file, whatever else is wrong`() throws {
        let texts = [
            "[steps]\na = {\n}\nb = { n = \"\\x73\", }\n", "[screens]\n",
            "[screens]\ns = { arguments = { n = \"x\", } }\n",
        ]
        func files(_ more: String = "") -> [DefinitionFiles.FileText] {
            zip(["a.toml", "b.toml", "c.toml"], texts).map { name, text in
                .init(file: name, text: .success("version = 1\n" + more + text))
            }
        }
        let notes = [
            "a.toml:3:6: note: the file needs TOML 1.1, first for a line end in an inline table; ",
            "c.toml:3:28: note: the file needs TOML 1.1, first for a comma at the end of an inline table; ",
        ]
        let loaded = try DefinitionFiles.check(files())
        #expect(loaded.warnings.map(\.severity) == [.warning, .warning])
        #expect(loaded.notes.count == 2)
        for (note, start) in zip(loaded.notes, notes) { #expect(note.description.hasPrefix(start), "\(note)") }
        #expect(loaded.summary.hasSuffix("no errors, 2 warnings"))
        let failure = #expect(throws: DefinitionFailure.self) { try DefinitionFiles.check(files("oops = 1\n")) }
        #expect(failure?.notes.map(\.file) == ["a.toml", "c.toml"])
        #expect(failure?.diagnostics.contains { $0.severity == .note } == false)
    }

    @Test func `an act file has a note`() throws {
        let act = try ActFile.check(
            "a.act.toml", .success("version = 1\n[screens]\na = { do = [{ show = true }],\n}\n"))
        #expect(act.notes.map(\.line) == [3])
        #expect(try ActFile.check("a.act.toml", .success("version = 1\n[screens.a]\n")).notes == [])
        let failure = #expect(throws: DefinitionFailure.self) {
            try ActFile.check("a.act.toml", .success("version = 1\n[screens]\na = { doo = [],\n}\n"))
        }
        #expect(failure?.notes.count == 1)
    }
}
