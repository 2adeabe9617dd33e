import Testing

@testable import FlowCore

@Suite("Declarations")
struct DeclarationTests {
    private let parameters: [Parameter]

    init() throws {
        parameters = [
            Parameter("lang", try #require(ValueType(name: "string")), isOptional: true),
            Parameter("movie", try #require(ValueType(name: "int64"))),
        ]
    }

    private func admit(_ arguments: Arguments, isPrivate: Bool = false) throws(FlowError) -> Arguments {
        try Declaration.admit(arguments, as: parameters, of: "step 'pick'", isPrivate: isPrivate)
    }

    /// The refusal's code and text.
    private func refusal(_ arguments: Arguments, isPrivate: Bool = false) -> FlowError? {
        do throws(FlowError) {
            _ = try admit(arguments, isPrivate: isPrivate)
            return nil
        } catch {
            return error
        }
    }

    @Test func `S-3 values are converted to the declared type, in order`() throws {
        #expect(
            try admit([Argument("movie", .byte(7)), Argument("lang", .string("en"))])
                == [Argument("movie", .int64(7)), Argument("lang", .string("en"))])
        #expect(try admit([Argument("movie", .int64(7))]) == [Argument("movie", .int64(7))])
    }

    @Test func `S-3 an argument that is not declared is refused, with those that are and the nearest`() {
        #expect(
            refusal([Argument("movei", .int64(7))])
                == FlowError(
                    .invalidArguments,
                    "step 'pick' has no argument 'movei': it takes 'lang', 'movie'; did you mean 'movie'?"))
        #expect(throws: FlowError(.invalidArguments, "step 'go' has no argument 'a': it takes none")) {
            try Declaration.admit([Argument("a", .byte(1))], as: [], of: "step 'go'")
        }
    }

    @Test func `S-3 an argument that is needed and missing is refused, with its type`() {
        let error = FlowError(.invalidArguments, "step 'pick' needs the argument 'movie' of type int64")
        #expect(refusal([]) == error)
        #expect(refusal([Argument("lang", .string("en"))]) == error)
    }

    @Test func `S-3 a value that does not fit is refused, with both types`() {
        #expect(
            refusal([Argument("movie", .string("seven"))])
                == FlowError(
                    .invalidArguments,
                    "the argument 'movie' of step 'pick' is 'seven', of type string; it has to be of type int64"))
        #expect(
            refusal([Argument("movie", .uint64(.max))])
                == FlowError(
                    .invalidArguments,
                    "the argument 'movie' of step 'pick' is '18446744073709551615', which is out of the range of the "
                        + "type int64"))
        #expect(refusal([Argument("movie", .array(element: "i", []))])?.message.contains("of type ai;") == true)
    }

    private static let refused: [(String, Value, String?)] = [
        ("int64", .string("7"), "dbus_int64 of Net::DBus"), ("byte", .string("300"), "dbus_int64 of Net::DBus"),
        ("double", .string("7.5"), "dbus_double of Net::DBus"), ("bool", .string("1"), "dbus_boolean of Net::DBus"),
        ("int64", .double(7), "give their library the type"), ("int64", .string("seven"), nil),
        ("int64", .string("7.5"), nil),
        ("int64", .double(7.5), nil), ("int64", .double(.infinity), nil), ("bool", .string("yes"), nil),
        ("as", .string("1"), nil), ("double", .string(""), nil),
    ]

    @Test(arguments: refused)
    func `S-3 the message says what a library has done, where nothing else can be`(
        wanted: String, value: Value, hint: String?
    ) throws {
        let parameters = [Parameter("value", try #require(ValueType(name: wanted)))]
        func refusal(isPrivate: Bool) throws -> String {
            let error = #expect(throws: FlowError.self) {
                try Declaration.admit(
                    [Argument("value", value)], as: parameters, of: "step 'pick'", isPrivate: isPrivate)
            }
            return try #require(error).message
        }
        let message = try refusal(isPrivate: false)
        if let hint {
            #expect(message.contains("it has to be of type \(wanted); some ") && message.hasSuffix(hint))
        } else {
            #expect(message.hasSuffix("it has to be of type \(wanted)"))
        }
        #expect(try refusal(isPrivate: true).hasSuffix(", not \(value.signature == "s" ? "string" : "double")"))
    }

    @Test func `a long value is truncated in the message`() {
        let message = refusal([Argument("movie", .string(String(repeating: "a", count: 129)))])?.message ?? ""
        #expect(message.contains("'\(String(repeating: "a", count: 128))…'"))
    }

    @Test func `an argument that is given twice is refused`() {
        #expect(
            refusal([Argument("movie", .int64(7)), Argument("movie", .int64(7))])
                == FlowError(.invalidArguments, "step 'pick' was given the argument 'movie' more than once"))
    }

    @Test func `an error does not contain a private value even for its sender, and it stays private`() throws {
        let message = refusal([Argument("movie", .string("secret"))], isPrivate: true)?.message ?? ""
        #expect(message.contains("'movie'") && message.contains("int64") && !message.contains("secret"))
        let flagged = refusal([Argument("movie", .string("secret"), isPrivate: true)])?.message ?? "secret"
        #expect(!flagged.contains("secret"))
        #expect(try admit([Argument("movie", .byte(7))], isPrivate: true).allSatisfy(\.isPrivate))
        #expect(try admit([Argument("movie", .byte(7), isPrivate: true)]).allSatisfy(\.isPrivate))
        #expect(try admit([Argument("movie", .byte(7))]).allSatisfy { !$0.isPrivate })
    }
}
