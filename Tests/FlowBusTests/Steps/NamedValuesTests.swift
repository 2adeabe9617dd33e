import BusTestSupport
import FlowCore
import Testing

@testable import FlowBus
@testable import FlowBusClient

/// Results and saved states as named values.
@Suite("Named values")
struct NamedValuesTests {
    struct Contact: Codable, Equatable {
        var id: Int64
        var name: String?
        var tags: [String]
    }

    struct Nothing: Codable, Equatable {}
    enum Choice: String, Codable { case yes, no }
    struct Chosen: Codable, Equatable { var choice: Choice }
    struct Bad: Codable { var ratio: Float }
    struct Odd: Codable {
        var value: Int
        enum CodingKeys: String, CodingKey { case value = "a b" }
    }

    @Test func `the properties of a struct are values with names and types`() throws {
        let parameters = try NamedValues.parameters(of: Contact.self, as: "the result")
        #expect(parameters.map(\.name) == ["id", "name", "tags"])
        #expect(parameters.map(\.type.signature) == ["x", "s", "as"])
        #expect(parameters.map(\.isOptional) == [false, true, false])
        #expect(try NamedValues.parameters(of: Nothing.self, as: "the result").isEmpty)
        #expect(try NamedValues.parameters(of: Chosen.self, as: "the result").map(\.type.signature) == ["s"])
    }

    @Test func `S-44 S-45 values are decoded as they were encoded`() throws {
        for contact in [Contact(id: 5, name: nil, tags: []), Contact(id: -1, name: "x", tags: ["a", "b"])] {
            let values = try NamedValues.encode(contact, as: "the result")
            #expect(values.map(\.name).sorted() == (contact.name == nil ? ["id", "tags"] : ["id", "name", "tags"]))
            #expect(try NamedValues.decode(Contact.self, from: values, as: "the result") == contact)
        }
        #expect(try NamedValues.encode(Nothing(), as: "the result") == [])
        #expect(try NamedValues.decode(Nothing.self, from: [], as: "the result") == Nothing())
        let counts = try NamedValues.encode(["b": 2, "a": 1], as: "the saved state")
        #expect(counts == [Argument("a", .int64(1)), Argument("b", .int64(2))])
        #expect(try NamedValues.decode([String: Int].self, from: counts, as: "the saved state") == ["a": 1, "b": 2])
    }

    private func message(_ body: () throws -> Void) throws -> String {
        do { try body() } catch let error as StepError { return error.message }
        throw TestFailure("nothing was thrown")
    }

    @Test func `what can't be sent or read is an error that names the place, and no private value`() throws {
        let unnamed = "the result is of the Swift type 'Int', whose values have no names; use a struct"
        #expect(try message { _ = try NamedValues.encode(5, as: "the result") } == unnamed)
        #expect(try message { _ = try NamedValues.parameters(of: Int.self, as: "the result") } == unnamed)
        #expect(
            try message { _ = try NamedValues.parameters(of: [String: Int].self, as: "the result") }.contains(
                "no names"))
        #expect(try message { _ = try NamedValues.parameters(of: Choice.self, as: "the result") }.contains("no names"))
        #expect(try message { _ = try NamedValues.parameters(of: [Int].self, as: "the result") }.contains("no names"))
        #expect(
            try message { _ = try NamedValues.parameters(of: Bad.self, as: "the result") }
                == "the value 'ratio' of the result is of the Swift type 'Float', which D-Bus does not have; use Double"
        )
        #expect(
            try message { _ = try NamedValues.parameters(of: Odd.self, as: "the result") }
                .contains("'a b' can't be a value of the result"))
        let secret = [Argument("id", .string("4711")), Argument("tags", .array(element: "s", []))]
        let text = try message { _ = try NamedValues.decode(Contact.self, from: secret, as: "the result") }
        #expect(text == "the value 'id' of the result does not fit: it has to be of type int64, not string")
        let lacks = try message { _ = try NamedValues.decode(Contact.self, from: [], as: "the result") }
        #expect(lacks.contains("the result lacks 'id'"), "\(lacks)")
        let choice = [Argument("choice", .string("maybe"))]
        let list = try message { _ = try NamedValues.decode(Chosen.self, from: choice, as: "the result") }
        #expect(list == "the value 'choice' of the result has to be one of 'yes', 'no'")
    }
}
