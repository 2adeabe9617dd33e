import FlowCore
import Testing

@testable import FlowTrace

@Suite("Trace lines")
struct TraceLineTests {
    static let values: [Value] = [
        .bool(true), .byte(255), .int16(-3), .uint16(7), .int32(.min), .uint32(.max), .int64(.min), .uint64(.max),
        .double(-0.1), .double(.infinity), .double(.leastNonzeroMagnitude), .string(""),
        .string("a \"quote\" \\ and\n\u{1}\u{301}é"),
        .string("\u{301}"), .objectPath("/a/b"), .signature("a{sv}"), .variant(.variant(.byte(1))),
        .array(element: "s", []), .array(element: "(sx)", [.structure([.string("x y"), .int64(1)])]),
        .array(
            element: "{sv}",
            [
                .entry(key: .string("k"), value: .variant(.array(element: "ay", [.bytes([1])]))),
                .entry(key: .string("l"), value: .variant(.bool(false))),
            ]),
        .structure([.structure([.byte(1)]), .array(element: "a{uo}", [])]),
    ]

    @Test(arguments: values)
    func `a value is read as it was written`(value: Value) throws {
        var line = TraceLine()
        line.add([Argument("a b", value), Argument("", value)])
        var scanner = TraceScanner(line.text[...])
        #expect(try scanner.arguments() == [Argument("a b", value), Argument("", value)])
        #expect(scanner.isAtEnd)
        #expect(!line.text.contains("\n"))
    }

    @Test(arguments: [
        ("1 \"a\" x", "the line ends where a word is missing"), ("1 \"a\" x y", "'y' is no number that fits here"),
        ("1 \"a\" y 256", "'256' is no number that fits here"), ("1 \"a\" h 0", "'h' is no type of a value"),
        ("1 \"a\" b yes", "'yes' is neither true nor false"), ("1 \"a\" s \"open", "a quote is not closed"),
        ("1 \"a\" s \"\\", "the line ends behind '\\'"), ("1 \"a\" s \"\\{zz}\"", "'zz' is no number of a character"),
        ("1 \"a\" as 99999 \"b\"", "'99999' things can't follow in this line"),
        ("-1", "'-1' things can't follow in this line"), ("1 \"a\" d one", "'one' is no number"),
    ])
    func `an unreadable line is reported`(text: String, message: String) {
        let failure = #expect(throws: TraceScanner.Failure.self) {
            var scanner = TraceScanner(text[...])
            _ = try scanner.arguments()
        }
        #expect(failure?.message == message)
    }
}
