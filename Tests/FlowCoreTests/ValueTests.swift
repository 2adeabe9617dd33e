import Testing

@testable import FlowCore

@Suite("Values")
struct ValueTests {
    private static let samples: [(value: Value, signature: String, bytes: Int, text: String)] = [
        (.bool(true), "b", 4, "true"), (.byte(1), "y", 1, "1"), (.int16(-2), "n", 2, "-2"), (.uint16(2), "q", 2, "2"),
        (.int32(-3), "i", 4, "-3"), (.uint32(3), "u", 4, "3"), (.int64(-4), "x", 8, "-4"), (.uint64(4), "t", 8, "4"),
        (.double(1.5), "d", 8, "1.5"), (.string("äb"), "s", 8, "äb"), (.objectPath("/a"), "o", 7, "/a"),
        (.signature("as"), "g", 4, "as"), (.variant(.byte(1)), "v", 4, "1"),
        (.array(element: "s", []), "as", 4, "[]"),
        (.array(element: "y", [.byte(1), .byte(2)]), "ay", 6, "[1, 2]"),
        (.structure([.byte(1), .string("a")]), "(ys)", 7, "(1, a)"),
        (.array(element: "{sv}", [.entry(key: .string("a"), value: .variant(.byte(1)))]), "a{sv}", 14, "[a: 1]"),
    ]

    @Test func `signature, size and text`() {
        for sample in Self.samples {
            #expect(sample.value.signature == sample.signature)
            #expect(sample.value.byteCount == sample.bytes, "\(sample.value)")
            #expect(sample.value.description == sample.text)
            #expect(sample.value.hasSignature(sample.signature))
            #expect(!sample.value.hasSignature(sample.signature + "s"))
        }
    }

    @Test func `only integers are numbers`() {
        #expect(Value.byte(200).integer == 200)
        #expect(Value.uint64(.max).integer == Int128(UInt64.max))
        #expect(Value.int64(.min).integer == Int128(Int64.min))
        #expect(Value.double(1).integer == nil)
        #expect(Value.bool(true).integer == nil)
    }
}
