import FlowCore
import Testing

@Suite("Shapes of values")
struct ValueShapeTests {
    private static let numbers: [(Value, UInt64, String)] = [
        (.bool(true), 1, "true"), (.bool(false), 0, "false"), (.byte(255), 255, "255"),
        (.int16(-1), 0xffff, "-1"), (.uint16(.max), 0xffff, "65535"), (.int32(-2), 0xffff_fffe, "-2"),
        (.uint32(.max), 0xffff_ffff, "4294967295"), (.int64(.min), 1 << 63, "-9223372036854775808"),
        (.uint64(.max), .max, "18446744073709551615"), (.double(0.5), 0.5.bitPattern, "0.5"),
    ]

    @Test(arguments: numbers)
    func `a number has its bits, and comes back from them`(value: Value, bits: UInt64, text: String) {
        guard case .fixed(let type, let own) = value.shape else {
            Issue.record("no number: \(value)")
            return
        }
        #expect(own == bits)
        #expect(Value(type, bits: bits) == value)
        #expect(type.text(bits: bits) == text && value.description == text)
        #expect(value.signature == String(UnicodeScalar(type.rawValue)))
    }

    @Test func `a text is restored with its type`() {
        for type in Value.StringLikeType.allCases {
            guard case .stringLike(let own, "/a") = Value(type, "/a").shape else {
                Issue.record("no text: \(type)")
                continue
            }
            #expect(own == type)
        }
    }

    @Test func `an integer is a value of each integer type that can hold it`() {
        #expect(Value.FixedType.byte.value(of: 255) == .byte(255) && Value.FixedType.byte.value(of: 256) == nil)
        #expect(Value.FixedType.int16.value(of: -3) == .int16(-3) && Value.FixedType.uint16.value(of: -3) == nil)
        #expect(Value.FixedType.uint64.value(of: Int128(UInt64.max)) == .uint64(.max))
        #expect(Value.FixedType.int64.value(of: Int128(UInt64.max)) == nil)
        #expect(Value.FixedType.bool.value(of: 1) == nil && Value.FixedType.double.value(of: 1) == nil)
    }

    @Test func `integers alone are integers`() {
        #expect(Value.int16(-3).integer == -3)
        #expect(Value.uint64(.max).integer == Int128(UInt64.max))
        #expect(Value.bool(true).integer == nil && Value.double(1).integer == nil && Value.string("1").integer == nil)
    }
}
