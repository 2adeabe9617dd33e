import BusTestSupport
import FlowCore
import Testing

@testable import FlowBus
@testable import FlowBusClient

/// Results and saved states as named values.
@Suite("Named values", .fewAtOnce, .serialized)
struct NamedValuesTests {
    @AnswerValues
    struct Contact: Equatable {
        var id: Int64
        var name: String?
        var tags: [String]
    }

    @AnswerValues
    struct Nothing: Equatable {}
    enum Choice: String, CaseIterable, StepArgument { case yes, no }
    @AnswerValues
    struct Chosen: Equatable { var choice: Choice }

    @Test func `the properties of a struct are values with names and types`() throws {
        func declared(_ type: any AnswerValues.Type) throws -> [Parameter] {
            try StepCoding.parameters(type.answerValues, "value", of: "the result")
        }
        let parameters = try declared(Contact.self)
        #expect(parameters.map(\.name) == ["id", "name", "tags"])
        #expect(parameters.map(\.type.signature) == ["x", "s", "as"])
        #expect(parameters.map(\.isOptional) == [false, true, false])
        #expect(try declared(Nothing.self).isEmpty)
        #expect(try declared(Chosen.self).map(\.type.signature) == ["s"])
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
