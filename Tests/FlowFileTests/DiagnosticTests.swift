import Testing

@testable import FlowFile

@Suite("Diagnostic")
struct DiagnosticTests {
    @Test func `all parts in the style of compilers`() {
        let diagnostic = Diagnostic(
            .error, file: "/a/b.toml", line: 3, column: 7, place: "flows.main", message: "'x' is wrong")
        #expect(diagnostic.description == "/a/b.toml:3:7: error: [flows.main] 'x' is wrong")
    }

    @Test func `unknown parts are left out`() {
        #expect(Diagnostic(.warning, file: "", message: "odd").description == "warning: odd")
        #expect(Diagnostic(.error, file: "a", message: "bad").description == "a: error: bad")
        #expect(Diagnostic(.error, file: "a", line: 1, message: "bad").description == "a:1: error: bad")
        #expect(Diagnostic(.error, file: "a", column: 1, message: "bad").description == "a: error: bad")
    }

    @Test func `nothing breaks the line`() {
        let diagnostic = Diagnostic(
            .error, file: "a\nb", place: "steps.\"\r\"", message: "one\ntwo\u{1B}\u{2028}é")
        #expect(diagnostic.description == "a\\nb: error: [steps.\"\\r\"] one\\ntwo\\u{1B}\\u{2028}é")
    }

    @Test func `lists and long values`() {
        #expect(Text.list([]) == "")
        #expect(Text.list(["a"]) == "'a'")
        #expect(Text.list(["a", "b", "c"], "or") == "'a', 'b' or 'c'")
        #expect(Text.quoted(String(repeating: "x", count: 100)).count == 67)
    }
}
