import FlowCore
import FlowFile
import Testing

@Suite("Values typed as text")
struct ArgumentTextTests {
    private func value(_ text: String, _ type: String) throws -> Value {
        try ArgumentText.value(of: text, as: #require(ValueType(name: type)))
    }

    @Test func `each type has its texts`() throws {
        #expect(try value("true", "bool") == .bool(true))
        #expect(try value("-7", "int16") == .int16(-7))
        #expect(try value("18446744073709551615", "uint64") == .uint64(.max))
        #expect(try value("0x1F", "byte") == .byte(31))
        #expect(try value("1_000", "int32") == .int32(1000))
        #expect(try value("1", "double") == .double(1))
        #expect(try value("1e3", "double") == .double(1000))
        #expect(try value("-inf", "double") == .double(-.infinity))
        #expect(try value("\"quoted\"", "string") == .string("\"quoted\""))
        #expect(try value("", "string") == .string(""))
        #expect(try value("/a", "path") == .objectPath("/a"))
        #expect(try value("[]", "as") == .array(element: "s", []))
        #expect(try value("[1, 2]", "ay") == .bytes([1, 2]))
        #expect(
            try value("[[1, 'a'], [2, \"b\"]]", "a(is)")
                == .array(
                    element: "(is)", [.structure([.int32(1), .string("a")]), .structure([.int32(2), .string("b")])]))
    }

    @Test func `dictionaries are as in definition files or in JSON`() throws {
        let expected = Value.array(element: "{su}", [.entry(key: .string("a:b"), value: .uint32(1))])
        for text in ["{\"a:b\" = 1}", "{\"a:b\": 1}", "{ 'a:b' : 1 }"] { #expect(try value(text, "a{su}") == expected) }
    }

    @Test func `a variant is a value where it reads as one, else a text`() throws {
        #expect(try value("7", "v") == .int64(7))
        #expect(try value("true", "v") == .bool(true))
        #expect(try value("seven", "v") == .string("seven"))
        #expect(try value("\"7\"", "v") == .string("7"))
        #expect(try ArgumentText.value(of: "[1.5]") == .array(element: "d", [.double(1.5)]))
    }

    @Test(arguments: [
        ("yes", "bool", "'yes' has to be 'true' or 'false'"),
        ("256", "byte", "'256' is out of the range of the type byte"),
        ("1.5", "int32", "a number with a fraction"),
        ("99999999999999999999", "uint64", "'99999999999999999999' has to be a whole number"),
        ("one", "double", "'one' has to be a number, such as '1.5'"),
        ("a/b", "path", "'a/b' is no object path"),
        ("a{", "g", "'a{' is no D-Bus signature"),
        ("1\nother = 2", "int64", "has to be a whole number"),
        ("[1, 'a']", "ai", "it is a string and has to be of type int32"),
        ("[1", "ai", "'[1' has to be a list, such as '[1, 2]'"),
        ("{a = 1}", "(i)", "it is a table and has to be a list of 1"),
        ("\u{FFFE}", "string", "U+FFFE can't go over the bus"),
        ("[=", "v", ""),
    ])
    func `an invalid value is reported with a valid example`(text: String, type: String, problem: String) throws {
        let type = try #require(ValueType(name: type))
        do throws(ArgumentText.InvalidValue) {
            let value = try ArgumentText.value(of: text, as: type)
            #expect(problem.isEmpty && value == .string(text))
        } catch {
            #expect(error.text.contains(problem))
            #expect(!error.text.contains("\n"))
        }
    }

    @Test func `spans of time are those of definition files`() throws {
        #expect(try ArgumentText.microseconds(of: "1min 30s") == 90_000_000)
        #expect(throws: ArgumentText.InvalidValue.self) { try ArgumentText.microseconds(of: "5") }
    }
}
