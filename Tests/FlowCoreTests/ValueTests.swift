import Testing

@testable import FlowCore

@Suite("Values")
struct ValueTests {
    private static let samples: [(value: Value, signature: String, bytes: Int, text: String)] = [
        (.bool(true), "b", 16, "true"), (.byte(1), "y", 16, "1"), (.int16(-2), "n", 16, "-2"),
        (.uint16(2), "q", 16, "2"),
        (.int32(-3), "i", 16, "-3"), (.uint32(3), "u", 16, "3"), (.int64(-4), "x", 16, "-4"),
        (.uint64(4), "t", 16, "4"),
        (.double(1.5), "d", 16, "1.5"), (.string("äb"), "s", 19, "äb"), (.objectPath("/a"), "o", 18, "/a"),
        (.signature("as"), "g", 18, "as"), (.variant(.byte(1)), "v", 32, "1"),
        (.array(element: "s", []), "as", 16, "[]"),
        (.bytes([1, 2]), "ay", 18, "[1, 2]"),
        (.structure([.byte(1), .string("a")]), "(ys)", 49, "(1, a)"),
        (.array(element: "{sv}", [.entry(key: .string("a"), value: .variant(.byte(1)))]), "a{sv}", 81, "[a: 1]"),
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

    @Test func `an object is only the same as itself, and is nothing outside of the process`() throws {
        final class Thing: Sendable {}
        let (one, other) = (Thing(), Thing())
        let value = Value.object(.init(one))
        #expect(value == .object(.init(one)) && value != .object(.init(other)) && value != .structure([]))
        #expect(value.isSame(as: .object(.init(one))) && !value.isSame(as: .object(.init(other))))
        #expect(!value.isSame(as: .structure([])))
        #expect(Set([value, .object(.init(one)), .object(.init(other))]).count == 2)
        #expect(value.signature == "()" && value.byteCount == Limits.valueBytes)
        #expect(try #require(ValueType(signature: "v")).admit(value) == value)
        #expect(try #require(ValueType(signature: "s")).admit(value) == nil)
    }

    @Test func `S-44 values are the same by type and bits, and dictionaries in any order`() {
        for (index, sample) in Self.samples.enumerated() {
            for (other, twin) in Self.samples.enumerated() {
                #expect(sample.value.isSame(as: twin.value) == (index == other), "\(sample.value) \(twin.value)")
            }
        }
        #expect(Value.double(.nan).isSame(as: .double(.nan)))
        #expect(!Value.double(0).isSame(as: .double(-0.0)))
        func dictionary(_ entries: KeyValuePairs<String, Value>) -> Value {
            .variant(
                .array(
                    element: "{sv}", entries.map { .entry(key: .string($0.key), value: .variant($0.value)) }))
        }
        let both = dictionary(["a": .double(.nan), "b": .byte(2)])
        #expect(both.isSame(as: dictionary(["b": .byte(2), "a": .double(.nan)])))
        for other in [
            dictionary(["b": .byte(2)]), dictionary(["b": .byte(2), "b": .byte(2)]),
            dictionary(["b": .byte(1), "a": .double(.nan)]), dictionary(["b": .byte(2), "c": .double(.nan)]),
        ] {
            #expect(!both.isSame(as: other) && !other.isSame(as: both), "\(other)")
        }
        // The order of a list counts.
        #expect(!Value.structure([.byte(1), .byte(2)]).isSame(as: .structure([.byte(2), .byte(1)])))
    }

    @Test func `only integers are numbers`() {
        #expect(Value.byte(200).integer == 200)
        #expect(Value.uint64(.max).integer == Int128(UInt64.max))
        #expect(Value.int64(.min).integer == Int128(Int64.min))
        #expect(Value.double(1).integer == nil)
        #expect(Value.bool(true).integer == nil)
    }
}
