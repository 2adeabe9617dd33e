import BusTestSupport
import FlowCore
import Foundation
import Testing

@testable import flowbusctl

@Suite("Texts")
struct TextTests {
    @Test func `JSON: 64-bit integers, escapes, and non-finite numbers`() throws {
        #expect(JSON(Value.uint64(.max)).text == "18446744073709551615")
        #expect(JSON(Value.int64(.min)).text == "-9223372036854775808")
        #expect(JSON(Value.double(.nan)).text == "\"NaN\"")
        #expect(JSON(Value.double(-.infinity)).text == "\"-Infinity\"")
        #expect(JSON(Value.double(1e300)).text == "1e+300")
        let text = "\"\\\n\r\t\u{0}\u{1B}\u{9B}\u{2028}é😀"
        let json = JSON(Value.string(text)).text
        #expect(try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed) as? String == text)
        #expect(!json.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
        let dictionary = Value.array(element: "{uv}", [.entry(key: .uint32(1), value: .variant(.bytes([1, 255])))])
        #expect(JSON(dictionary).text == #"{"1":[1,255]}"#)
    }

    @Test func `values can't move the cursor, and read as they can be typed`() {
        #expect(Value.string("plain").commandLineText == "plain")
        #expect(Value.string("").commandLineText == #""""#)
        #expect(Value.string("two words").commandLineText == #""two words""#)
        #expect(Value.string("\u{1B}[2J").commandLineText == #""\u001b[2J""#)
        #expect(Value.string("\u{202E}x").commandLineText == #""\u{202E}x""#)
        #expect(Value.array(element: "s", [.string("a")]).commandLineText == #"["a"]"#)
    }

    @Test(arguments: [
        ("main", ["main"]), ("main/a_2", ["main", "a_2"]), ("/main/a", ["main", "a"]), ("main/", ["main"]),
        ("/org/flowbus/Navigation1/tree/main/a", ["main", "a"]),
    ])
    func `a node is a path in the forest or of an object`(text: String, ids: [String]) throws {
        #expect(try NodePath(text).ids == ids)
    }

    @Test(arguments: ["", "/", "a//b", "a b", "1a", "a/-", "/org/flowbus/Navigation1/tree/", "é"])
    func `an invalid node is a bad value`(text: String) {
        #expect { try NodePath(text) } throws: { ($0 as? Failure)?.status == .badValue }
    }

    @Test func `segments end at commas outside of quotes and brackets`() {
        #expect(
            PathSegment.split("open,a=1,b=[1,2],c={d = 'x,y'},e=\"f,\"") == [
                "open", "a=1", "b=[1,2]", "c={d = 'x,y'}", "e=\"f,\"",
            ])
    }

    @Test func `S-51 a segment has values of a key in brackets`() throws {
        let segment = try PathSegment("doc[uri='a]:b',n=[1,2]]:open,x=1")
        #expect((segment.flow, segment.step) == ("doc", "open"))
        #expect(segment.key == (try TypedArgument.all(["uri='a]:b'", "n=[1,2]"])))
        #expect(segment.arguments == (try TypedArgument.all(["x=1"])))
        #expect(try PathSegment("doc[n=1]").step == "")
        for text in ["doc[n=1", "doc[n=1]x", "[n=1]", "doc[n=1]:", "doc[n]"] {
            #expect(throws: Failure.self) { try PathSegment(text) }
        }
    }

    @Test func `times are those of the user's zone`() throws {
        // 2026-11-21 13:00:00 UTC
        let now: UInt64 = 1_795_266_000_000_000
        let noon = try TypedTime.time("12:00", now: now)
        #expect(try TypedTime.time("12:00:30", now: now) == noon + 30_000_000)
        #expect(try TypedTime.time("now", now: now) == now)
        #expect(try TypedTime.time("1min 30s ago", now: now) == now - 90_000_000)
        #expect(try TypedTime.time("2026-11-21 12:00", now: now) == TypedTime.time("2026-11-21T12:00:00", now: now))
        #expect(try TypedTime.time("yesterday", now: now) < TypedTime.time("today", now: now))
    }
}
