import FlowCore
import Testing

@testable import FlowFile

@Suite("Arguments of rules")
struct ArgumentTests {
    /// The rule of flow `f` for step `go` is on line 17.
    private static let head = """
        [steps]
        go = { n = "int64", s = "string?", d = "double", v = "v" }
        bare = {}
        needs = { n = "byte" }
        [screens]
        number = { arguments = { n = "int32" } }
        text = { arguments = { s = "string" } }
        wrong = { arguments = { d = "string?" } }
        free = { arguments = { n = "uint16?", x = "as?" } }
        list = { arguments = { x = "as" } }
        [flows.f]
        arguments = { lang = "string", maybe = "string?" }
        [flows.g]
        initial = "needs"
        [flows.f.on]

        """

    @Test(arguments: [
        (
            "{ screen = 'text' }", "arguments",
            "the argument 's' that screen 'text' gets from step 'go' may be left out (its type has a '?'), but "
        ),
        (
            "{ screen = 'wrong' }", "arguments",
            "the argument 'd' that screen 'wrong' gets from step 'go' is of type double; the argument 'd' has t"
        ),
        (
            "{ screen = 'list' }", "arguments",
            "screen 'list' needs the argument 'x', which step 'go' does not have; give it with 'arguments'"
        ),
        (
            "{ flow = 'f' }", "arguments",
            "flow 'f' needs the argument 'lang', which step 'go' does not have; give it with 'arguments'"
        ),
        ("{ flow = 'g', stepArguments = {} }", "stepArguments", "step 'needs' needs the argument 'n' of type byte"),
        (
            "{ screen = 'number', step = 'needs', stepArguments = { n = 256 } }", "stepArguments.n",
            "the argument 'n' does not fit: '256' is out of the range of the type byte"
        ),
        ("{ screen = 'number', arguments = 1 }", "arguments", "this is an integer; it has to be a table of ar"),
        ("{ screen = 'number', arguments = {} }", "arguments", "screen 'number' needs the argument 'n' of typ"),
        (
            "{ screen = 'free', arguments = { m = 1 } }", "arguments.m",
            "screen 'free' has no argument 'm': it takes 'n' and 'x'"
        ),
        (
            "{ current = 'bare', arguments = { m = 1 } }", "arguments.m",
            "step 'bare' has no argument 'm': it takes none"
        ),
        (
            "{ screen = 'number', arguments = { n = '$m' } }", "arguments.n",
            "'$m' refers to nothing (for the text itself write '$$m'): step 'go' has no argument 'm': it takes '"
        ),
        (
            "{ screen = 'text', arguments = { s = '$flow.lnag' } }", "arguments.s",
            "'$flow.lnag' refers to nothing (for the text itself write '$$flow.lnag'): flow 'f' has no argument "
        ),
        (
            "{ screen = 'text', arguments = { s = '$n' } }", "arguments.s",
            "'$n' is of type int64; the argument 's' has to be of type string"
        ),
        (
            "{ screen = 'text', arguments = { s = '$flow.maybe' } }", "arguments.s",
            "'$flow.maybe' may be left out (its type has a '?'), but the argument 's' is required"
        ),
        (
            "{ screen = 'text', arguments = { s = '$' } }", "arguments.s",
            "'$' is no reference; it has to be '$NAME', '$flow.NAME' or '$context.NAME', or for the text itself '$$'"
        ),
        (
            "{ screen = 'text', arguments = { s = '$a.b' } }", "arguments.s",
            "'$a.b' is no reference; it has to be '$NAME', '$flow.NAME' or '$context.NAME', or for the text itself '$$a.b'"
        ),
        (
            "{ screen = 'text', arguments = { s = 1 } }", "arguments.s",
            "the argument 's' does not fit: it is an integer and has to be of type string"
        ),
        (
            "{ screen = 'text', arguments = { s = 2000-01-01 } }", "arguments.s",
            "the argument 's' does not fit: it is a date or time and has to be of type string"
        ),
    ])
    func `one mistake is one error`(contributor: String, place: String, message: String) {
        let found = errors(Self.head + "go = " + contributor)
        #expect(found.count == 1)
        let error = "a.toml:17: error: [flows.f.on.go.\(place)] \(message)"
        #expect(found.first?.hasPrefix(error) == true, "\(found)")
    }

    @Test(arguments: [
        "{ screen = 'number' }", "{ screen = 'free' }", "{ screen = 'free', arguments = {} }", "{ flow = 'g' }",
        "{ screen = 'text', arguments = { s = '$v' } }", "{ screen = 'text', arguments = { s = '$flow.lang' } }",
        "{ screen = 'list', arguments = { x = ['$nothing'] } }", "{ screen = 'text', arguments = { s = 'a$b' } }",
        "{ end = 'needs' }", "{ end = 'go' }", "{ parent = 'bare' }",
    ])
    func `what fits`(contributor: String) {
        #expect(errors(Self.head + "go = " + contributor) == [])
    }

    @Test func `two dollars are one`() throws {
        let rule = "bare = { screen = 'text', arguments = { s = '$$flow.lang' } }"
        guard
            case .child(let child) = try definitions(Self.head + rule).flows[0].rules[0].alternatives[0].contributors[0]
        else {
            Issue.record("no child")
            return
        }
        #expect(child.arguments == .given([Binding("s", .literal(.string("$flow.lang")))]))
    }

    @Test func `an invalid declaration is not reported again where it is used`() {
        let text = "[steps]\na = { x = 'strin' }\n[screens]\ns = { arguments = { x = 'string' } }\n[flows.f.on]\n"
        #expect(errors(text + "a = { screen = 's' }").count == 1)
        #expect(errors(text + "a = { screen = 's', arguments = { x = '$x' } }").count == 1)
        #expect(errors(text + "a = { current = 'a', arguments = { x = 1 }, when = { x = 2 } }").count == 1)
    }

    @Test func `arguments that are larger than a step may carry`() {
        let text = String(repeating: "x", count: Limits.argumentBytes)
        let found = errors(Self.head + "go = { screen = 'text', arguments = { s = '\(text)' } }")
        #expect(found.count == 1)
        #expect(found.first?.contains("the arguments take 65585 bytes; at most 65536 are allowed") == true)
    }

    @Test(
        arguments: [
            ("receipt $s", "$s"), ("no $m", nil), ("$$s", nil), ("5 $USD", nil), ("costs 5$", nil),
            ("in $flow.lang.", "$flow.lang"),
            ("in $flow.other", nil), ("a $$ b $s.", "$s"), ("see $s.pdf", "$s"),
        ] as [(String, String?)])
    func `a reference within a text stays as it is, and is a warning`(text: String, reference: String?) throws {
        let found = try warnings(
            Self.head
                + "go = { screen = 'text', arguments = { s = '\(text)' } }\nbare = {none = true}\nneeds = {none = true}"
        ).filter { $0.contains("stays as it is") }
        guard let reference else { return #expect(found == []) }
        #expect(
            found == [
                "a.toml:17: warning: [flows.f.on.go.arguments.s] '\(reference)' stays as it is in '\(text)': a reference has "
                    + "to be the whole text; let the program that shows it put the text together"
            ])
    }
}

@Suite("Literal")
struct LiteralTests {
    /// The checked value, or the error.
    private func convert(_ toml: String, _ type: String) throws -> Result<Value, Literal.InvalidValue> {
        let text = "a = " + toml
        let value = try #require(TomlSource(checked: text).root.first?.value)
        let type = try #require(ValueType(name: type))
        return Result { () throws(Literal.InvalidValue) in try Literal.value(value, as: type) }
    }

    @Test(arguments: [
        ("255", "byte", Value.byte(255)), ("-32768", "int16", .int16(-32768)), ("65535", "uint16", .uint16(65535)),
        ("-1", "int32", .int32(-1)), ("4294967295", "uint32", .uint32(.max)), ("1", "uint64", .uint64(1)),
        ("-9223372036854775808", "int64", .int64(.min)), ("3", "double", .double(3)), ("1.5", "double", .double(1.5)),
        ("true", "bool", .bool(true)), ("'/a/b_1'", "path", .objectPath("/a/b_1")), ("'/'", "o", .objectPath("/")),
        ("'a{sv}i'", "g", .signature("a{sv}i")), ("''", "g", .signature("")), ("[]", "as", .array(element: "s", [])),
        ("[1, 2]", "ay", .bytes([1, 2])),
        (
            "[[1, 'x'], [2, 'y']]", "a(is)",
            .array(
                element: "(is)",
                [
                    .structure([.int32(1), .string("x")]), .structure([.int32(2), .string("y")]),
                ])
        ),
        ("{ 7 = true }", "a{ib}", .array(element: "{ib}", [.entry(key: .int32(7), value: .bool(true))])),
        ("5", "v", .int64(5)), ("[1, 2]", "v", .array(element: "x", [.int64(1), .int64(2)])),
        ("[5]", "av", .array(element: "v", [.variant(.int64(5))])),
        ("[]", "v", .array(element: "v", [])),
    ])
    func `takes the declared type`(toml: String, type: String, value: Value) throws {
        #expect(try convert(toml, type) == .success(value))
    }

    @Test(arguments: [
        ("256", "byte", "'256' is out of the range of the type byte"),
        ("-1", "uint64", "'-1' is out of the range of the type uint64"),
        ("9007199254740993", "double", "'9007199254740993' has no exact value of the type double"),
        ("1.0", "int32", "it is a number with a fraction and has to be of type int32"),
        ("1", "bool", "it is an integer and has to be of type bool"),
        ("'a'", "path", "'a' is no object path, such as '/a/b'"),
        ("'/a/'", "path", "'/a/' is no object path, such as '/a/b'"),
        ("'a{'", "g", "'a{' is no D-Bus signature"),
        ("'x'", "as", "it is a string and has to be a list, of type as"),
        ("['x', 1]", "as", "it is an integer and has to be of type string"),
        ("['x']", "a{sv}", "it is a list and has to be a table, of type a{sv}"),
        ("{ x = 1 }", "a{is}", "its key 'x' has to be of type int32"),
        ("[1]", "(ix)", "it is a list of 1 and has to be a list of 2, of type (ix)"),
        ("{ x = 1 }", "(ix)", "it is a table and has to be a list of 2, of type (ix)"),
        ("07:00:00", "v", "it is a date or time; D-Bus has no type for that, write a string"),
        ("\"\\uFDD0\"", "string", "the character U+FDD0 can't go over the bus"),
        ("{ a = \"\\uFFFF\" }", "a{sv}", "the character U+FFFF can't go over the bus"),
        ("[[[[[[[[[[1]]]]]]]]]]", "v", "it is nested too deep; at most 8 levels are allowed"),
    ])
    func `does not fit`(toml: String, type: String, text: String) throws {
        #expect(try convert(toml, type) == .failure(Literal.InvalidValue(text)))
    }
}
