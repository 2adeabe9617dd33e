import Testing

@testable import FlowCore

@Suite("Value types")
struct ValueTypeTests {
    @Test(arguments: ["b", "s", "v", "as", "a{sv}", "(ii)", "a(s(dd))", "a{oa{sv}}", "aaaaaaaas", "((((((((y))))))))"])
    func `one complete type`(signature: String) {
        #expect(ValueType(signature: signature)?.signature == signature)
    }

    @Test(arguments: [
        "", "ss", "h", "ah", "a", "()", "(s", "s)", "a{vs}", "a{s}", "a{sss}", "{sv}", "a{sv", "e", "s ", "ä",
        "aaaaaaaaas", "(((((((((y)))))))))", "aaaaaaaa{sv}",
    ])
    func `invalid types, and types that can't be persisted`(signature: String) {
        #expect(ValueType(signature: signature) == nil)
    }

    @Test func `the words of definition files`() {
        for word in ValueType.words {
            #expect(ValueType(name: word.name)?.signature == word.signature)
            #expect(ValueType(signature: word.signature)?.description == word.name)
        }
        #expect(ValueType(name: "as")?.description == "as")
        #expect(ValueType(name: "int65") == nil)
    }

    private static let sevens: [(signature: String, value: Value)] = [
        ("y", .byte(7)), ("n", .int16(7)), ("q", .uint16(7)), ("i", .int32(7)), ("u", .uint32(7)), ("x", .int64(7)),
        ("t", .uint64(7)),
    ]

    @Test func `S-3 an integer of any type is converted if the declared type can hold its value`() throws {
        for wanted in Self.sevens {
            let type = try #require(ValueType(signature: wanted.signature))
            for came in Self.sevens { #expect(type.admit(came.value) == wanted.value) }
        }
    }

    private static let edges: [(signature: String, fits: Value, kept: Value, mistyped: Value)] = [
        ("y", .int64(255), .byte(255), .int64(256)), ("y", .int16(0), .byte(0), .int16(-1)),
        ("n", .int64(-32_768), .int16(-32_768), .int64(-32_769)), ("n", .uint16(32_767), .int16(.max), .uint16(32_768)),
        ("q", .int32(65_535), .uint16(.max), .int32(65_536)),
        ("i", .int64(-2_147_483_648), .int32(.min), .uint32(.max)),
        ("u", .int64(4_294_967_295), .uint32(.max), .int64(4_294_967_296)),
        ("x", .uint64(9_223_372_036_854_775_807), .int64(.max), .uint64(9_223_372_036_854_775_808)),
        ("t", .int64(.max), .uint64(9_223_372_036_854_775_807), .int64(-1)),
    ]

    @Test func `S-3 an integer out of the declared range does not fit`() throws {
        for edge in Self.edges {
            let type = try #require(ValueType(signature: edge.signature))
            #expect(type.admit(edge.fits) == edge.kept)
            #expect(type.admit(edge.mistyped) == nil)
        }
    }

    private static let entries: [Value] = [.entry(key: .string("a"), value: .string("b"))]

    private static let converted: [(signature: String, came: Value, kept: Value)] = [
        ("d", .int64(-7), .double(-7)), ("d", .uint64(1 << 53), .double(9_007_199_254_740_992)),
        ("o", .string("/a/b_1"), .objectPath("/a/b_1")), ("s", .objectPath("/a"), .string("/a")),
        ("s", .signature("a{sv}"), .string("a{sv}")),
        ("s", .variant(.string("a")), .string("a")), ("x", .variant(.variant(.byte(7))), .int64(7)),
        (
            "as", .array(element: "v", [.variant(.string("a")), .variant(.objectPath("/"))]),
            .array(element: "s", [.string("a"), .string("/")])
        ),
        ("as", .array(element: "v", []), .array(element: "s", [])),
        ("as", .bytes([]), .array(element: "s", [])),
        ("ay", .array(element: "v", []), .bytes([])),
        ("ay", .array(element: "i", [.int32(0), .int32(255)]), .bytes([0, 255])),
        ("ax", .bytes([1]), .array(element: "x", [.int64(1)])),
        ("av", .array(element: "i", [.int32(1)]), .array(element: "v", [.variant(.int32(1))])),
        (
            "a{sv}", .array(element: "{ss}", entries),
            .array(element: "{sv}", [.entry(key: .string("a"), value: .variant(.string("b")))])
        ),
        (
            "a{ss}", .array(element: "{sv}", [.entry(key: .string("a"), value: .variant(.string("b")))]),
            .array(element: "{ss}", entries)
        ),
        ("a{sv}", .array(element: "s", []), .array(element: "{sv}", [])),
        ("(xs)", .structure([.byte(1), .objectPath("/")]), .structure([.int64(1), .string("/")])),
        (
            "a(dv)", .array(element: "(is)", [.structure([.int32(1), .string("a")])]),
            .array(element: "(dv)", [.structure([.double(1), .variant(.string("a"))])])
        ),
    ]

    @Test func `S-3 a value of another type is converted if nothing of it is lost`() throws {
        for (signature, came, kept) in Self.converted {
            let type = try #require(ValueType(signature: signature))
            #expect(type.admit(came) == kept, "\(came) as \(signature)")
            // An empty array of anything is no reason to let files pass on such arrays.
            if case .array(_, []) = came { continue }
            if case .bytes([]) = came { continue }
            #expect(type.canAdmit(try #require(ValueType(signature: came.signature))))
        }
    }

    private static let refused: [(signature: String, came: Value)] = [
        ("d", .int64(1 << 53 + 1)), ("x", .double(1)), ("x", .bool(true)), ("b", .byte(1)), ("x", .string("1")),
        ("s", .int32(1)), ("s", .bytes([97])), ("o", .string("a")), ("o", .string("/a/")), ("o", .string("/a-b")),
        ("o", .signature("s")), ("g", .string("s")), ("as", .string("a")), ("s", .array(element: "s", [.string("a")])),
        ("as", .array(element: "v", [.variant(.string("a")), .variant(.int32(1))])),
        ("ay", .array(element: "i", [.int32(256)])), ("as", .array(element: "{ss}", entries)),
        ("a{ss}", .array(element: "s", [.string("a")])), ("a{sx}", .array(element: "{ss}", entries)),
        ("(xs)", .structure([.byte(1)])), ("(xs)", .structure([.byte(1), .string("a"), .string("b")])),
        ("(x)", .array(element: "x", [.int64(1)])), ("ax", .structure([.int64(1)])),
        ("s", .object(Value.Object(Unsendable()))),
    ]

    /// An object that no other process sees.
    private final class Unsendable: Sendable {}

    @Test func `S-3 a value that would lose something, or is of another kind, is refused`() throws {
        for (signature, came) in Self.refused {
            #expect(try #require(ValueType(signature: signature)).admit(came) == nil, "\(came) as \(signature)")
        }
    }

    @Test func `S-3 S-33 a conversion nests containers no deeper than the limit`() throws {
        func nested(_ depth: Int) -> Value { (0..<depth).reduce(.byte(1)) { value, _ in .structure([value]) } }
        let type = try #require(ValueType(signature: "av"))
        let elements = { (depth: Int) in Value.array(element: nested(depth).signature, [nested(depth)]) }
        #expect(type.admit(elements(Limits.argumentNesting - 2)) != nil)
        #expect(type.admit(elements(Limits.argumentNesting - 1)) == nil)
    }

    @Test func `a variant accepts any value, and keeps its type`() throws {
        let any = try #require(ValueType(name: "v"))
        for value in [Value.byte(1), .string("a"), .variant(.bool(true))] { #expect(any.admit(value) == value) }
    }

    @Test(arguments: [
        ("x", "y", true), ("y", "x", true), ("v", "s", true), ("s", "v", true), ("s", "o", true), ("o", "s", true),
        ("x", "d", false), ("d", "x", true), ("g", "s", false), ("as", "av", true), ("as", "ax", false),
        ("av", "as", true),
        ("a{sv}", "a{ss}", true), ("a{sx}", "a{ss}", false), ("as", "a{ss}", false), ("a{ss}", "as", false),
        ("(xs)", "(yo)", true), ("(xs)", "(x)", false), ("(x)", "ax", false), ("b", "y", false),
    ])
    func `which types can fit which`(wanted: String, given: String, can: Bool) throws {
        let (wanted, given) = (try #require(ValueType(name: wanted)), try #require(ValueType(name: given)))
        #expect(wanted.canAdmit(given) == can)
    }

    @Test func `signatures are split into complete types`() {
        #expect(ValueType.completeTypes(in: "") == [])
        #expect(ValueType.completeTypes(in: "ia{sv}(a(ii)s)aas") == ["i", "a{sv}", "(a(ii)s)", "aas"])
        for text in ["a", "(", ")", "a{s", "{sv}", "z", "()"] { #expect(ValueType.completeTypes(in: text) == nil) }
    }
}
