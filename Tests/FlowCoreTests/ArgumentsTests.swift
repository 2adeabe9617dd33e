import Testing

@testable import FlowCore

@Suite("Arguments")
struct ArgumentsTests {
    private let arguments: Arguments = [
        Argument("item", .int64(1)), Argument("pin", .string("1234"), isPrivate: true), Argument("lang", .string("en")),
    ]

    @Test func `found by name`() {
        #expect(arguments["lang"]?.value == .string("en"))
        #expect(arguments["Lang"] == nil)
    }

    @Test func `private arguments are not broadcast, the order of the others stays`() {
        #expect(arguments.broadcastable == [Argument("item", .int64(1)), Argument("lang", .string("en"))])
        #expect([arguments[0]].broadcastable == [arguments[0]])
    }

    @Test func `S-19 values are the same in any order, wherever they came from`() {
        let published = arguments.map { Argument($0.name, $0.value) }
        #expect(arguments.hasSameValues(as: arguments.reversed()) && arguments.hasSameValues(as: published))
        #expect(!arguments.hasSameValues(as: Array(arguments.dropLast())))
        #expect(!arguments.hasSameValues(as: arguments.dropLast() + [Argument("lang", .string("de"))]))
        #expect(!arguments.hasSameValues(as: arguments.dropLast() + [Argument("long", .string("en"))]))
        #expect(!arguments.hasSameValues(as: [Argument("item", .int32(1))] + arguments.dropFirst()))
    }

    @Test func `bytes of names and values count`() {
        #expect(Arguments().byteCount == 0)
        #expect([arguments[0]].byteCount == 32 + 4 + 16)
        #expect(arguments.byteCount == 52 + (32 + 3 + 20) + (32 + 4 + 18))
    }
}
