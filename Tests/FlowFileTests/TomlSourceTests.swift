import Testing

@testable import FlowFile

@Suite("TomlSource")
struct TomlSourceTests {
    private func line(_ path: String, _ text: String) -> Int? { TomlSource(text).line(of: keys(path)) }

    /// `a.b[0]` as keys; names without dots alone.
    private func keys(_ path: String) -> [TomlSource.Key] {
        var keys: [TomlSource.Key] = []
        for part in path.split(separator: ".") {
            let parts = part.split(separator: "[")
            keys.append(.name(String(parts[0])))
            for index in parts.dropFirst() { keys.append(.index(Int(index.dropLast()) ?? -1)) }
        }
        return keys
    }

    @Test func `tables and their keys`() {
        let text = "version = 1\n\n[flows.main]\ninitial = 'a'\n[flows.main.on] # rules\napiKey = 1\r\n  other=2"
        #expect(line("version", text) == 1)
        #expect(line("flows", text) == 3)
        #expect(line("flows.main", text) == 3)
        #expect(line("flows.main.initial", text) == 4)
        #expect(line("flows.main.on", text) == 5)
        #expect(line("flows.main.on.apiKey", text) == 6)
        #expect(line("flows.main.on.other", text) == 7)
        #expect(line("flows.other", text) == nil)
    }

    @Test func `a table that is opened after one below it`() {
        let text = "[a.b]\nx = 1\n[a]\ny = 1"
        #expect(line("a", text) == 3)
        #expect(line("a.b", text) == 1)
    }

    @Test func `keys in quotes`() {
        let text = "[steps]\n\"media.play\" = {}\n'lit\\eral' = {}\n\"tab\\t\\u00e9\\U0001F600\" = 1"
        let map = TomlSource(text)
        #expect(map.line(of: [.name("steps"), .name("media.play")]) == 2)
        #expect(map.line(of: [.name("steps"), .name("lit\\eral")]) == 3)
        #expect(map.line(of: [.name("steps"), .name("tab\t\u{E9}\u{1F600}")]) == 4)
        #expect(map.problem == nil)
    }

    @Test func `dotted keys`() {
        let text = "a.b.c = 1\na . 'b' . d = 2\n[ x . y ]\nz.w = 3"
        #expect(line("a.b.c", text) == 1)
        #expect(line("a.b.d", text) == 2)
        #expect(line("x.y.z.w", text) == 4)
    }

    @Test func `inline tables and lists over lines`() {
        let text =
            "a = [ # one ]\n  { b = 1, c = [\n 1, 2,\n 3 ] },\n\n  { b = 2 },\n]\nd = { e.f = { g = '}' } }\nh = 1"
        #expect(line("a[0]", text) == 2)
        #expect(line("a[0].c", text) == 2)
        #expect(line("a[0].c[2]", text) == 4)
        #expect(line("a[1].b", text) == 6)
        #expect(line("a[2]", text) == nil)
        #expect(line("d.e.f.g", text) == 8)
        #expect(line("h", text) == 9)
    }

    @Test func `lists of tables`() {
        let text = "[[r]]\na = 1\n[[r]]\nb = 1\n[r.sub]\nc = 1\n[[r.deep]]\n[[r.deep]]\nd = 1"
        #expect(line("r[0].a", text) == 2)
        #expect(line("r[1]", text) == 3)
        #expect(line("r[1].sub.c", text) == 6)
        #expect(line("r[1].deep[1].d", text) == 9)
        #expect(line("r[0].sub", text) == nil)
    }

    @Test func `strings over lines`() {
        let text =
            "a = \"\"\"\n[x]\n\\\"\"\" = 1\n\"\"\"\"\nb = '''\ny = 1'''\nc = \"# no \\\" comment\" # yes\nd = ''\ne = 1"
        #expect(TomlSource(text).problem == nil)
        #expect(line("x", text) == nil)
        #expect(line("b", text) == 5)
        #expect(line("c", text) == 7)
        #expect(line("e", text) == 9)
    }

    @Test func `other values`() {
        let text = "a = 1979-05-27 07:32:00Z # c\nb = +inf\nc = [1.5, true]\nd = 0x1\ne = 1"
        #expect(line("e", text) == 5)
    }

    @Test func `after an error the rest has no line`() {
        let map = TomlSource("a = 1\nb ! 2\nc = 3")
        #expect(map.problem == .init(offset: 8, message: "expected '=' after the key, saw '!'"))
        #expect(map.line(of: [.name("a")]) == 1)
        #expect(map.line(of: [.name("c")]) == nil)
    }

    @Test func `the nearest line is that of the enclosing table`() {
        let map = TomlSource("[a]\nb = 1\nc = [1]")
        #expect(map.nearestLine(of: keys("a.b.x.y")) == 2)
        #expect(map.nearestLine(of: keys("a.c[7]")) == 3)
        #expect(map.nearestLine(of: keys("x")) == nil)
        #expect(map.nearestLine(of: []) == nil)
    }

    @Test func `places as a file would write them`() {
        #expect(TomlSource.text(of: []) == "")
        #expect(
            TomlSource.text(of: [.name("a"), .name("b.c"), .index(0), .name(""), .name("d-1")])
                == "a.\"b.c\"[1].\"\".d-1")
    }

    @Test(arguments: [
        ("a = \"x\\u0000\"", "the character U+0000 is not allowed"),
        ("\"\\U00000000\" = 1", "the character U+0000 is not allowed"),
        ("a = 1 # \0", "the character U+0000 is not allowed"),
        ("a = " + String(repeating: "[", count: 65), "nested too deep; at most 64 levels are allowed"),
        (String(repeating: "a.", count: 100) + "a = 1", "nested too deep; at most 64 levels are allowed"),
        ("[" + String(repeating: "a.", count: 100) + "a]", "nested too deep; at most 64 levels are allowed"),
        ("[=", "expected a key, saw '='"),
        ("[a", "expected ']' after the table's name, saw the end of the file"),
        ("[[a]\n", "expected ']' after the table's name, saw the end of the line"),
        ("a = [}", "expected a value, saw '}'"),
        ("a = { b = '1' c = 2 }", "expected ',' or '}', saw 'c'"),
        ("a = { b = 1\n[c]", "expected ',' or '}' of the table that begins in line 1, saw '['"),
        ("a = [1\nb = 2", "expected ',' or ']' of the list that begins in line 1, saw 'b'"),
        ("a = 1 é", "'1 é' is no value; strings have to be in quotes, and a value is"),
        ("a = \"x\n\"", "expected the end of the string, saw the end of the line"),
        ("a = \"\"\"x\n\"\"", "the string that begins here has no end"),
        ("a = \"\\u00g0\"", "expected 4 hexadecimal digits, saw '0'"),
        ("é = 1", "expected a key, saw 'é'"),
        ("a = 'x' 'y'", "expected the end of the line, saw '''"),
        ("a = 1\rb = 2", "'1\rb = 2' is no value"),
        ("a = ''\rb", "expected a line end, saw '\r'"),
    ])
    func `wrong texts`(text: String, message: String) {
        #expect(TomlSource(text).problem?.message.hasPrefix(message) == true, "\(TomlSource(text).problem as Any)")
    }

    @Test(arguments: [
        ("a = 1\na = 2", 6, "the key 'a' is given twice: here and in line 1"),
        ("a.b = 1\na.b.c = 2", 10, "'b' is an integer already, in line 1; nothing can be added to it"),
        ("a = 1\n[a]", 7, "'a' is an integer already, in line 1; nothing can be added to it"),
        ("a = {}\na.b = 1", 7, "'a' is a table already, in line 1; nothing can be added to it"),
        ("a = {}\n[a.b]", 8, "'a' is a table already, in line 1; nothing can be added to it"),
        ("a = []\n[[a]]", 9, "'a' is a list already, in line 1; nothing can be added to it"),
        ("[a]\n[[a]]", 6, "'a' is a table already, in line 1; nothing can be added to it"),
        ("[[a]]\n[a]", 7, "'a' is a list of tables already, in line 1; nothing can be added to it"),
        ("[a.b]\n[a.b]", 6, "the table [a.b] is given twice: here and in line 1"),
        ("a.b = 1\n[a]", 8, "the table [a] is given twice: here and in line 1"),
        ("[a.b]\n[a]\nb.c = 1", 10, "'b' is a table already, in line 1; nothing can be added to it"),
        ("a = { b = 1, b = 2 }", 13, "the key 'b' is given twice: here and in line 1"),
        ("a = [1,,2]", 7, "expected a value, saw ','"),
        ("'''a''' = 1", 0, "a key can't be a string over lines; one quote before and after it is enough"),
        ("a = \"\\y41\"", 6, "expected one of '\\b', '\\t', '\\n', '\\f', '\\r', '\\e', "),
        ("a = \"\\uD800\"", 7, "expected the number of a character, saw 'D'"),
        ("a = \"\"\"x\\ y\"\"\"", 10, "expected the end of the line after the backslash, saw 'y'"),
        ("a = '\u{1}'", 5, "the control character U+0001 is not allowed here; in a string in double quotes, '\\u0001'"),
        ("a = 1 # \u{7F}", 8, "the control character U+007F is not allowed here"),
        ("a = 9223372036854775808", 4, "'9223372036854775808' is out of range; numbers have 64 bits"),
        ("a = 0x8000000000000000", 4, "'0x8000000000000000' is out of range; numbers have 64 bits"),
        ("a = 1e999", 4, "'1e999' is out of range; numbers have 64 bits"),
        ("a = 2025-02-29", 4, "'2025-02-29' is out of range; numbers have 64 bits, and a date or time has to exist"),
        ("a = 24:00:00", 4, "'24:00:00' is out of range"),
        ("a = 2025-01-01T00:00:00+24:00", 4, "'2025-01-01T00:00:00+24:00' is out of range"),
    ])
    func `texts that mean nothing`(text: String, offset: Int, message: String) {
        let problem = TomlSource(text).problem
        #expect(problem?.offset == offset, "\(problem as Any)")
        #expect(problem?.message.hasPrefix(message) == true, "\(problem as Any)")
        #expect(TomlSource(text).root == [])
    }

    @Test func `tables that are continued`() {
        #expect(TomlSource("a.b = 1\na.c = 2\n[d.e]\n[d]\n[d.f]\n[[g]]\n[g.h]\n[[g]]\n[g.h]").problem == nil)
        #expect(TomlSource("[a.b.c]\n[a]\nb.d = 1").problem == nil)
        let many = (0..<20).map { "k\($0) = \($0)\n" }.joined()
        #expect(TomlSource(many).problem == nil)
        #expect(TomlSource(many + "k7 = 1").problem?.message == "the key 'k7' is given twice: here and in line 8")
    }

    @Test(arguments: [
        ("'a\\n'", Toml.string("a\\n")),
        ("\"\\b\\t\\n\\f\\r\\\"\\\\\\u00e9\\U0001F600x\"", .string("\u{8}\t\n\u{C}\r\"\\é😀x")),
        ("'\t'", .string("\t")), ("''", .string("")), ("'''\na\r\n'b'''''", .string("a\n'b''")),
        ("\"\"\"\r\n a \\  \n \n  b\\\n  \"\"\"", .string(" a b")), ("\"\"\"\"\"\"", .string("")),
        ("-9223372036854775808", .integer(.min)), ("+1_000", .integer(1_000)), ("0xFF_ff", .integer(65_535)),
        ("0o17", .integer(15)), ("0b11", .integer(3)), ("-0", .integer(0)), ("1_0.5_0e+1", .double(105)),
        ("-inf", .double(-.infinity)), ("1e-999", .double(0)), ("true", .bool(true)),
        ("2024-02-29", .date("2024-02-29")),
        ("2000-02-29 23:59:59.5-23:59", .date("2000-02-29 23:59:59.5-23:59")),
        ("07:32:00.999999999999999999999999", .date("07:32:00.999999999999999999999999")),
        ("[1, [], 'a',]", .list([.integer(1), .list([]), .string("a")])),
    ])
    func `values`(text: String, value: Toml) {
        let source = TomlSource("a = \(text)")
        #expect(source.root.map(\.value) == [value], "\(source)")
    }

    @Test func `names that look the same and are others`() {
        let (composed, decomposed) = ("\"\\u00E9\"", "\"e\\u0301\"")
        let many = (0..<20).map { "k\($0) = \($0)\n" }.joined()
        for more in ["", many] {
            let source = TomlSource("\(more)\(composed) = 1\n\(decomposed) = 2\n\(composed).b = 3")
            #expect(source.problem?.message.contains("is an integer already") == true, "\(source.problem as Any)")
            let good = TomlSource(
                "\(more)\(composed).a = 1\n\(decomposed).a = 2\n\(composed).b = 3\n\(decomposed).b = 4")
            #expect(good.problem == nil)
            #expect(
                good.root.suffix(2).map(\.value)
                    == [1, 2].map { first in
                        .table([.init(key: "a", value: .integer(first)), .init(key: "b", value: .integer(first + 2))])
                    })
        }
    }

    @Test(arguments: ["a = '\\u0000'", "a = \"\\\\u0000\"", "", "#", "\r\n\t", "a = ''''b'''''"])
    func `odd texts`(text: String) {
        #expect(TomlSource(text).problem == nil)
    }

    @Test(arguments: [
        "true", "false", "0", "-0", "+17", "1_000", "0xdead_BEEF", "0o755", "0b1_0", "1.5", "-0.0", "1e5", "6.6e-34",
        "0e0", "1_0.0_1E+0_1", "inf", "-nan", "1979-05-27", "07:32:00", "00:32:00.999999", "1979-05-27T07:32:00",
        "1979-05-27 07:32:00z", "1979-05-27t07:32:00.5-07:00",
    ])
    func `values without quotes`(text: String) throws {
        #expect(TomlParser.isScalar(Array(text.utf8)[...]))
        #expect(TomlSource("a = [\(text)]").problem == nil)
    }

    @Test(arguments: [
        "", "True", "tru", "00", "01", "+", "_1", "1_", "1__0", "0x", "0x_1", "-0x1", "0b2", "1.", ".5", "1.e5", "1e",
        "1e5.0", "infinity", "1979-05-27 0", "1979-05-27T", "1979-5-27", "07:32:00.", "07:32:00Z", "1 2",
        "1979-05-27T07:32:00+7:00", "1979-05-27T07:32:00.1_0", "x", "0x1p4", String(repeating: "1", count: 101),
    ])
    func `no values`(text: String) {
        #expect(!TomlParser.isScalar(Array(text.utf8)[...]))
    }

    @Test func `positions count characters`() {
        #expect(TomlSource.position(of: 0, in: "abc".utf8) == (1, 1))
        #expect(TomlSource.position(of: 6, in: "a\né€x".utf8) == (2, 3))
        #expect(TomlSource.position(of: 99, in: "a\nb".utf8) == (2, 2))
    }
}
