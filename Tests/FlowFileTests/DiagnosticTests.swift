import Testing

@testable import FlowFile

@Suite("Diagnostics")
struct DiagnosticTests {
    @Test func `a diagnostic reads as a compiler's`() {
        let whole = Diagnostic(.error, file: "a.toml", line: 3, column: 7, place: "flows.main", "no")
        #expect(whole.description == "a.toml:3:7: error: [flows.main] no")
        #expect(whole.logged == "a.toml:3:7: [flows.main] no")
        #expect(Diagnostic(.warning, file: "a.toml", line: 3, "odd").description == "a.toml:3: warning: odd")
        #expect(Diagnostic(.error, file: "flows.d", "gone").description == "flows.d: error: gone")
    }

    @Test func `diagnostics are sorted by file, line and column`() {
        let sorted = [
            Diagnostic(.error, file: "a", "whole file"), Diagnostic(.error, file: "a", line: 2, column: 1, "x"),
            Diagnostic(.error, file: "a", line: 2, column: 9, "a"), Diagnostic(.error, file: "a", line: 10, "a"),
            Diagnostic(.error, file: "b", line: 1, "a"),
        ]
        #expect(sorted.reversed().sorted() == sorted)
    }
}
