import Testing

@testable import FlowFile

@Suite("SourceMap")
struct SourceMapTests {
    private func line(_ path: String, _ text: String) -> Int? { SourceMap(text).line(of: keys(path)) }

    /// `a.b[0]` as keys; names without dots alone.
    private func keys(_ path: String) -> [SourceMap.Key] {
        var keys: [SourceMap.Key] = []
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
        let map = SourceMap(text)
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
        #expect(SourceMap(text).problem == nil)
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
        let map = SourceMap("a = 1\nb ! 2\nc = 3")
        #expect(map.problem == .init(offset: 8, message: "expected '=' after the key, saw '!'"))
        #expect(map.line(of: [.name("a")]) == 1)
        #expect(map.line(of: [.name("c")]) == nil)
    }

    @Test func `the nearest line is that of the enclosing table`() {
        let map = SourceMap("[a]\nb = 1\nc = [1]")
        #expect(map.nearestLine(of: keys("a.b.x.y")) == 2)
        #expect(map.nearestLine(of: keys("a.c[7]")) == 3)
        #expect(map.nearestLine(of: keys("x")) == nil)
        #expect(map.nearestLine(of: []) == nil)
    }

    @Test func `places as a file would write them`() {
        #expect(SourceMap.text(of: []) == "")
        #expect(
            SourceMap.text(of: [.name("a"), .name("b.c"), .index(0), .name(""), .name("d-1")])
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
        ("a = { b = 1,\n c = 2 }", "expected a key, saw the end of the line"),
        ("a = { b = 1\n }", "expected ',' or '}', on the same line, saw the end of the line"),
        ("a = 1 é", "'1 é' is no value; strings have to be in quotes, and a value is"),
        ("a = \"x\n\"", "expected the end of the string, saw the end of the line"),
        ("a = \"\"\"x\n\"\"", "the string that begins here has no end"),
        ("a = \"\\u00g0\"", "expected 4 hexadecimal digits, saw '0'"),
        ("é = 1", "expected a key, saw 'é'"),
        ("a = 'x' 'y'", "expected the end of the line, saw '''"),
        ("a = 1\rb = 2", "'1\rb = 2' is no value"),
        ("a = ''\rb", "expected a line end, saw '\r'"),
    ])
    func `texts that the parser must not get`(text: String, message: String) {
        #expect(SourceMap(text).problem?.message.hasPrefix(message) == true, "\(SourceMap(text).problem as Any)")
    }

    @Test(arguments: ["a = '\\u0000'", "a = \"\\\\u0000\"", "", "#", "\r\n\t", "a = ''''b'''''"])
    func `texts that it can get`(text: String) {
        #expect(SourceMap(text).problem == nil)
    }

    @Test(arguments: [
        "true", "false", "0", "-0", "+17", "1_000", "0xdead_BEEF", "0o755", "0b1_0", "1.5", "-0.0", "1e5", "6.6e-34",
        "0e0", "1_0.0_1E+0_1", "inf", "-nan", "1979-05-27", "07:32:00", "00:32:00.999999", "1979-05-27T07:32:00",
        "1979-05-27 07:32:00z", "1979-05-27t07:32:00.5-07:00",
    ])
    func `values without quotes`(text: String) throws {
        #expect(SourceMap.isScalar(Array(text.utf8)[...]))
        let map = SourceMap("a = [\(text)]")
        #expect(throws: Never.self) { try Toml.parse("a = [\(text)]", map) }
    }

    @Test(arguments: [
        "", "True", "tru", "00", "01", "+", "_1", "1_", "1__0", "0x", "0x_1", "-0x1", "0b2", "1.", ".5", "1.e5", "1e",
        "1e5.0", "infinity", "1979-05-27 0", "1979-05-27T", "1979-5-27", "07:32", "07:32:00.", "07:32:00Z", "1 2",
        "1979-05-27T07:32:00+7:00", "1979-05-27T07:32:00.1_0", "x", "0x1p4", String(repeating: "1", count: 101),
    ])
    func `no values`(text: String) {
        #expect(!SourceMap.isScalar(Array(text.utf8)[...]))
    }

    @Test func `positions count characters`() {
        #expect(SourceMap.position(of: 0, in: "abc".utf8) == (1, 1))
        #expect(SourceMap.position(of: 6, in: "a\né€x".utf8) == (2, 3))
        #expect(SourceMap.position(of: 99, in: "a\nb".utf8) == (2, 2))
    }
}
