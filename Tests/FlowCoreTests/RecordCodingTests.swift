import Testing

@testable import FlowCore

/// The encoding of values in records.
@Suite struct RecordCodingTests {
    private static let values: [Value] = [
        .bool(true), .bool(false), .byte(0), .byte(.max), .int16(.min), .int16(.max), .uint16(.max), .int32(.min),
        .int32(-1), .int32(.max), .uint32(.max), .int64(.min), .int64(-1), .int64(.max), .uint64(0), .uint64(.max),
        .double(0), .double(-1.5), .double(.infinity), .double(.leastNonzeroMagnitude), .string(""), .string("äß€😀\0"),
        .objectPath("/a/b"), .signature("a{sv}"), .variant(.string("x")), .variant(.variant(.byte(1))), .bytes([]),
        .bytes([0, 255]), .array(element: "s", []), .array(element: "i", [.int32(1), .int32(2)]),
        .array(element: "{sv}", [.entry(key: .string("k"), value: .variant(.structure([.bool(true)])))]),
        .structure([]), .structure([.byte(1), .structure([.string("y")])]),
    ]

    private func written(_ write: (inout RecordWriter) -> Void) -> [UInt8] {
        var writer = RecordWriter()
        write(&writer)
        return writer.bytes
    }

    @Test(arguments: values)
    func `A value of each type comes back`(value: Value) throws {
        var reader = RecordReader(written { $0.append(value) })
        #expect(try reader.value() == value)
        #expect(reader.isAtEnd)
    }

    @Test func `A double that is not a number is restored bit by bit`() throws {
        let odd = Double(nan: 0x1234, signaling: false)
        var reader = RecordReader(written { $0.append(.double(odd)) })
        guard case .double(let read) = try reader.value() else { throw RecordFailure("no double") }
        #expect(read.bitPattern == odd.bitPattern)
    }

    @Test func `Arguments are restored in order, private ones as private`() throws {
        let arguments = Self.values.enumerated().map { Argument("a\($0)", $1, isPrivate: $0 % 3 == 0) }
        var reader = RecordReader(written { $0.append(arguments) })
        #expect(try reader.arguments() == arguments)
        #expect(reader.isAtEnd)
    }

    @Test func `Everything else is restored in the order in which it was written`() throws {
        let numbers: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, 1 << 32, 1 << 63, .max]
        var reader = RecordReader(
            written { writer in
                for number in numbers { writer.append(number) }
                writer.append(byte: 200)
                writer.append(true)
                writer.append("text")
                writer.append(list: numbers) { $0.append($1) }
            })
        for number in numbers { #expect(try reader.number() == number) }
        #expect(try reader.byte() == 200)
        #expect(try reader.flag())
        #expect(try reader.text() == "text")
        #expect(try reader.list { reader throws(RecordFailure) in try reader.number() } == numbers)
        #expect(reader.isAtEnd)
        #expect(throws: RecordFailure("it ends too early")) { try reader.byte() }
    }

    @Test func `The format of today never changes`() {
        #expect(written { $0.append(300 as UInt64) } == [0xac, 0x02])
        #expect(written { $0.append("ab") } == [2, 0x61, 0x62])
        #expect(written { $0.append(Value.int32(-1)) } == [0x69, 0xff, 0xff, 0xff, 0xff, 0x0f])
        #expect(written { $0.append(Value.int64(1)) } == [0x78, 1])
        #expect(written { $0.append(Value.array(element: "y", [.byte(7)])) } == [0x61, 1, 0x79, 1, 0x79, 7])
        #expect(written { $0.append([Argument("n", .bool(true), isPrivate: true)]) } == [1, 1, 0x6e, 1, 0x62, 1])
        let tags: [(Value, UInt8)] = [
            (.byte(0), 0x79), (.int16(0), 0x6e), (.uint16(0), 0x71), (.uint32(0), 0x75), (.uint64(0), 0x74),
            (.double(0), 0x64), (.string(""), 0x73), (.objectPath(""), 0x6f), (.signature(""), 0x67),
            (.variant(.byte(0)), 0x76), (.bytes([]), 0x42), (.structure([]), 0x28),
            (.entry(key: .byte(0), value: .byte(0)), 0x7b),
        ]
        for (value, tag) in tags { #expect(written { $0.append(value) }.first == tag) }
    }

    @Test func `Invalid bytes are an error with a reason`() {
        func failure(_ bytes: [UInt8], _ read: (inout RecordReader) throws -> Void) -> String? {
            var reader = RecordReader(bytes)
            do {
                try read(&reader)
                return nil
            } catch {
                return (error as? RecordFailure)?.message
            }
        }
        #expect(failure([]) { _ = try $0.byte() } == "it ends too early")
        #expect(failure([0x80]) { _ = try $0.number() } == "it ends too early")
        let long = Array(repeating: 0xff as UInt8, count: 9)
        #expect(failure(long + [0x01]) { _ = try $0.number() } == nil)
        #expect(failure(long + [0x02]) { _ = try $0.number() } == "a number has more than 64 bits")
        #expect(failure(long + [0x81, 0]) { _ = try $0.number() } == "a number has more than 64 bits")
        #expect(failure([2]) { _ = try $0.flag() } == "2 is neither true nor false")
        #expect(failure([2, 0x61]) { _ = try $0.text() } == "2 things do not fit into 1 bytes")
        #expect(failure(long + [0x01]) { _ = try $0.text() }?.hasSuffix("do not fit into 0 bytes") == true)
        #expect(failure([1, 0xff]) { _ = try $0.text() } == "a text is not UTF-8")
        #expect(failure([0x21]) { _ = try $0.value() } == "there is no type 33")
        #expect(failure([0x79, 0x80, 0x02]) { _ = try $0.value() } == "256 does not fit into 8 bits")
        #expect(failure([0x69] + long.prefix(4) + [0x10]) { _ = try $0.value() }?.hasSuffix("into 32 bits") == true)
        #expect(failure([0x28, 5, 0x62, 1]) { _ = try $0.value() } == "5 things do not fit into 2 bytes")
        let deep = Array(repeating: 0x76 as UInt8, count: 1_000_000)
        #expect(failure(deep) { _ = try $0.value() } == "values are nested too deep")
    }

    @Test(arguments: 0..<200)
    func `Any bytes are read or refused`(seed: UInt64) {
        var seeded = Seeded(seed: seed)
        let arguments = Self.values.shuffled(using: &seeded).prefix(6).map { Argument("argument", $0) }
        let whole = written { $0.append(Array(arguments)) }
        for count in whole.indices {
            var reader = RecordReader(Array(whole[..<count]))
            #expect(throws: RecordFailure.self) { try reader.arguments() }
        }
        for _ in 0..<50 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &seeded) {
                bytes[Int.random(in: 0..<bytes.count, using: &seeded)] = UInt8.random(in: 0...255, using: &seeded)
            }
            var reader = RecordReader(bytes)
            // If a damaged record can be read, it can be written and read again.
            guard let read = try? reader.arguments() else { continue }
            let again = written { $0.append(read) }
            var second = RecordReader(again)
            #expect(throws: Never.self) { try written(second.arguments()) == again }
        }
        for _ in 0..<50 {
            var reader = RecordReader((0..<60).map { _ in UInt8.random(in: 0...255, using: &seeded) })
            while (try? reader.value()) != nil {}
        }
    }

    private func written(_ arguments: Arguments) -> [UInt8] { written { $0.append(arguments) } }
}
