import BusTestSupport
import CSdBus
import FlowCore
import Glibc
import SdBus
import Testing

@testable import FlowWire

/// Values in messages, there and back.
@Suite("Values on the wire")
struct ValueTests {
    private static let values: [Value] = [
        .bool(true), .bool(false), .byte(255), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max), .int64(.min),
        .uint64(.max), .double(-0.5), .string("ä€🚌"), .string(""), .objectPath("/a/b"), .signature("a{sv}"),
        .variant(.string("v")), .variant(.variant(.byte(1))), .bytes([0, 1, 255]), .bytes([]),
        .array(element: "s", [.string("x"), .string("")]), .array(element: "(ia{sv})", []),
        .array(element: "ay", [.bytes([1]), .bytes([])]), .structure([.int16(1), .structure([.variant(.bytes([2]))])]),
        .array(element: "{uas}", [.entry(key: .uint32(3), value: .array(element: "s", [.string("z")]))]),
        .dictionary([("one", .int64(1)), ("one", .variant(.bool(true)))]),
    ]

    /// The contents of a message, sealed for reading as if it had been sent.
    private func read<Result>(
        _ write: (MessageWriter) throws -> Void, _ read: (MessageReader) throws -> Result
    ) throws -> Result {
        let daemon = try PrivateBus()
        let bus = try Bus(.address(daemon.address))
        let message = try OutgoingMessage(signal: bus, path: "/x", interface: "org.example.X", member: "Y")
        try write(message.body)
        try check("sd_bus_message_seal", sd_bus_message_seal(message.handle, 1, 0))
        return try read(MessageReader(message.handle))
    }

    @Test func `every value is read as it was written, with its type`() throws {
        let samples = Self.values
        let back = try read(
            { body in for value in samples { try body.append(value) } }, { try $0.readValues() })
        #expect(back == samples)
    }

    @Test func `a fixed type has the bits that sd-bus has for its type`() throws {
        let written = try read { body in
            for value in Self.values.prefix(10) { try body.append(value) }
        } _: { message in
            let flags = [try message.readBool(), try message.readBool()]
            let unsigned = (try message.readByte(), try message.readInt16(), try message.readUInt16())
            let wide = (try message.readInt32(), try message.readUInt32(), try message.readInt64())
            #expect(flags == [true, false] && unsigned == (255, .min, .max) && wide == (.min, .max, .min))
            return (try message.readUInt64(), try message.readDouble())
        }
        #expect(written == (.max, -0.5))

        let values = try read { body in
            try body.append(true)
            try body.append(UInt8.max)
            try body.append(Int16.min)
            try body.append(UInt16.max)
            try body.append(Int32.min)
            try body.append(UInt32.max)
            try body.append(Int64.min)
            try body.append(-0.5)
        } _: { message in
            try message.readValues()
        }
        #expect(
            values == [
                .bool(true), .byte(.max), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max), .int64(.min),
                .double(-0.5),
            ])
    }

    @Test func `arguments are read in order, each with its type`() throws {
        // The same name twice is for who reads it to judge.
        let arguments = Self.values.enumerated().map { Argument("n\($0.offset % 20)", $0.element) }
        let (back, behind) = try read { body in
            try body.append(arguments)
            try body.append([Argument]())
            try body.append("behind" as StaticString)
        } _: { message in
            (try [message.readArguments(), message.readArguments()], try message.readValues())
        }
        #expect(back == [arguments, []])
        #expect(behind == [.string("behind")])
    }

    @Test func `paths, texts and entries`() throws {
        let back = try read { body in
            try body.append(path: "/a")
            try body.append(path: nil)
            try body.append(["x", ""])
            try body.openContainer(.array, "{sv}")
            try body.appendEntry("style", "s") { body in try body.append("sheet" as StaticString) }
            try body.appendEntry("instance", .uint64(7))
            try body.closeContainer()
        } _: {
            try $0.readValues()
        }
        #expect(
            back == [
                .objectPath("/a"), .objectPath("/"), .array(element: "s", [.string("x"), .string("")]),
                .dictionary([("style", .string("sheet")), ("instance", .uint64(7))]),
            ])
    }

    @Test func `a file descriptor is no value, wherever it is`() throws {
        let noValue = SdError("sd_bus_message_peek_type", errno: EBADMSG)
        #expect(throws: noValue) {
            try read({ try $0.appendFileDescriptor(STDERR_FILENO) }, { try $0.readValue() })
        }
        #expect(throws: noValue) {
            try read { body in
                try body.openContainer(.array, "{sv}")
                try body.appendEntry("file", "h") { body in try body.appendFileDescriptor(STDERR_FILENO) }
                try body.closeContainer()
            } _: {
                try $0.readArguments()
            }
        }
    }

    @Test func `an empty message, and one of another type, are errors`() throws {
        #expect(throws: SdError("sd_bus_message_peek_type", errno: EBADMSG)) {
            try read({ _ in }, { try $0.readValue() })
        }
        #expect(try read({ _ in }, { try $0.readValues() }).isEmpty)
        #expect(throws: SdError("sd_bus_message_enter_container", errno: ENXIO)) {
            try read({ try $0.append(["x"]) }, { try $0.readArguments() })
        }
    }

    @Test func `a type without a fixed size is not consumed`() throws {
        let (fixed, value) = try read({ try $0.append("x" as StaticString) }) { message in
            (try message.readFixed(UInt8(ascii: "s")), try message.readValue())
        }
        #expect(fixed == nil && value == .string("x"))
    }

    @Test func `the content of a value, through all variants`() {
        let value = Value.variant(
            .dictionary([("yes", .bool(true)), ("no", .bool(false)), ("path", .objectPath("/a")), ("count", .byte(3))]))
        #expect(value["yes"]?.truth == true && value["no"]?.truth == false)
        #expect(value["path"]?.text == "/a" && value["path"]?.truth == nil)
        #expect(value["count"]?.number == 3 && value["count"]?.text == nil)
        #expect(value["more"] == nil)
        #expect(value.entries.map(\.name) == ["yes", "no", "path", "count"])
        #expect(value.elements.count == 4)
    }

    @Test func `a value of another type than expected is nil`() {
        #expect(Value.int64(-1).number == nil && Value.double(1).number == nil)
        #expect(Value.string("x").elements.isEmpty && Value.string("x").entries.isEmpty)
        let unnamed = Value.array(element: "{uv}", [.entry(key: .uint32(1), value: .variant(.byte(1)))])
        #expect(unnamed.entries.isEmpty && unnamed.elements.count == 1)
    }
}
