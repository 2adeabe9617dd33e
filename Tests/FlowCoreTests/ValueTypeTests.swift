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

    @Test func `S-3 all other values have to have the declared type`() throws {
        let values: [Value] = [
            .bool(true), .double(1), .string("a"), .objectPath("/a"), .signature("s"),
            .array(element: "s", []), .array(element: "o", []), .structure([.byte(1)]),
            .array(element: "{sv}", [.entry(key: .string("a"), value: .variant(.byte(1)))]),
        ]
        for wanted in values {
            let type = try #require(ValueType(signature: wanted.signature))
            for came in values { #expect(type.admit(came) == (came == wanted ? came : nil)) }
            #expect(type.admit(.int32(1)) == nil)
        }
        #expect(try #require(ValueType(signature: "x")).admit(.double(1)) == nil)
        #expect(try #require(ValueType(signature: "x")).admit(.bool(true)) == nil)
        #expect(try #require(ValueType(signature: "ax")).admit(.array(element: "i", [.int32(1)])) == nil)
    }

    @Test func `a variant accepts any value, and keeps its type`() throws {
        let any = try #require(ValueType(name: "v"))
        for value in [Value.byte(1), .string("a"), .variant(.bool(true))] { #expect(any.admit(value) == value) }
    }

    @Test(arguments: [
        ("x", "y", true), ("y", "x", true), ("v", "s", true), ("s", "v", true), ("s", "o", false), ("x", "d", false),
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
