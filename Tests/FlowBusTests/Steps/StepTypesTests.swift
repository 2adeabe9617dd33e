import FlowCore
import Foundation
import Testing

@testable import FlowBus
@testable import FlowBusClient

/// The D-Bus type of each Swift type.
@Suite(.fewAtOnce, .serialized) struct StepTypesTests {
    enum Genre: String, StepArgument, Hashable, CodingKeyRepresentable { case drama, comedy }
    enum Size: UInt8, StepArgument { case small = 1, large = 2 }
    struct Person: StepArgument, Hashable {
        var name: String
        var age: Int?
    }
    struct Movie: StepArgument, Hashable {
        var title: String
        var cast: [Person]
    }
    struct MovieID: RawRepresentable, StepArgument, Hashable { var rawValue: Int64 }
    enum Filter: StepArgument, Hashable {
        case all
        case by(Person)
        case above(rating: Double, Bool)
    }

    @Step
    enum AllStep: Hashable {
        case plain
        case bool(value: Bool)
        case byte(value: UInt8)
        case int16(value: Int16)
        case uint16(value: UInt16)
        case int32(value: Int32)
        case uint32(value: UInt32)
        case int(value: Int)
        case int64(value: Int64)
        case uint(value: UInt)
        case uint64(value: UInt64)
        case double(value: Double)
        case string(value: String)
        case bytes(value: [UInt8])
        case data(value: Data)
        case array(value: [String])
        case nested(value: [[Int]])
        case set(value: Set<Int32>)
        case dictionary(value: [String: Double])
        case named(value: [Genre: Bool])
        case person(value: Person)
        case movie(value: Movie)
        case people(value: [Person])
        case filter(value: Filter)
        case genre(value: Genre)
        case genres(value: [Genre])
        case size(value: Size)
        case movieID(value: MovieID)
        case optional(value: Int?)
        case optionalPerson(value: Person?)
        case optionalArray(value: [String]?)
        case uuid(value: UUID)
        case date(value: Date)
        case url(value: URL)
        case decimal(value: Decimal)
        case range(value: Range<Int>)
        case two(Int, String)
        case mixed(first: Int, String)
    }

    static func dictionary(_ members: KeyValuePairs<String, Value>) -> Value {
        .array(element: "{sv}", members.map { .entry(key: .string($0), value: .variant($1)) })
    }

    /// Step, type and value of its argument `value`.
    static let steps: [(AllStep, String, Value?)] = [
        (.bool(value: true), "b", .bool(true)),
        (.byte(value: 200), "y", .byte(200)),
        (.int16(value: -3), "n", .int16(-3)),
        (.uint16(value: 3), "q", .uint16(3)),
        (.int32(value: -3), "i", .int32(-3)),
        (.uint32(value: 3), "u", .uint32(3)),
        (.int(value: .min), "x", .int64(.min)),
        (.int64(value: 3), "x", .int64(3)),
        (.uint(value: .max), "t", .uint64(.max)),
        (.uint64(value: 3), "t", .uint64(3)),
        (.double(value: 0.5), "d", .double(0.5)),
        (.string(value: "Ä 🎬"), "s", .string("Ä 🎬")),
        (.bytes(value: [1, 2]), "ay", .bytes([1, 2])),
        (.bytes(value: []), "ay", .bytes([])),
        (.data(value: Data([1, 2])), "ay", .bytes([1, 2])),
        (.data(value: Data()), "ay", .bytes([])),
        (.array(value: ["a", "b"]), "as", .array(element: "s", [.string("a"), .string("b")])),
        (.array(value: []), "as", .array(element: "s", [])),
        (
            .nested(value: [[], [1]]), "aax",
            .array(element: "ax", [.array(element: "x", []), .array(element: "x", [.int64(1)])])
        ),
        (.nested(value: []), "aax", .array(element: "ax", [])),
        (.set(value: [10, 9, -1]), "ai", .array(element: "i", [.int32(-1), .int32(9), .int32(10)])),
        (.set(value: []), "ai", .array(element: "i", [])),
        (
            .dictionary(value: ["b": 1, "a": 2]), "a{sd}",
            .array(
                element: "{sd}",
                [.entry(key: .string("a"), value: .double(2)), .entry(key: .string("b"), value: .double(1))])
        ),
        (.dictionary(value: [:]), "a{sd}", .array(element: "{sd}", [])),
        (
            .named(value: [.comedy: true]), "a{sb}",
            .array(element: "{sb}", [.entry(key: .string("comedy"), value: .bool(true))])
        ),
        (
            .person(value: Person(name: "Ada", age: 36)), "a{sv}",
            dictionary(["name": .string("Ada"), "age": .int64(36)])
        ),
        (.person(value: Person(name: "Ada")), "a{sv}", dictionary(["name": .string("Ada")])),
        (
            .movie(value: Movie(title: "M", cast: [Person(name: "Lorre")])), "a{sv}",
            dictionary([
                "title": .string("M"), "cast": .array(element: "a{sv}", [dictionary(["name": .string("Lorre")])]),
            ])
        ),
        (
            .movie(value: Movie(title: "M", cast: [])), "a{sv}",
            dictionary(["title": .string("M"), "cast": .array(element: "a{sv}", [])])
        ),
        (.people(value: []), "aa{sv}", .array(element: "a{sv}", [])),
        (.filter(value: .all), "a{sv}", dictionary(["all": dictionary([:])])),
        (
            .filter(value: .above(rating: 0.5, true)), "a{sv}",
            dictionary(["above": dictionary(["rating": .double(0.5), "_1": .bool(true)])])
        ),
        (.genre(value: .comedy), "s", .string("comedy")),
        (.genres(value: []), "as", .array(element: "s", [])),
        (.size(value: .large), "y", .byte(2)),
        (.movieID(value: MovieID(rawValue: 7)), "x", .int64(7)),
        (.optional(value: 1), "x?", .int64(1)),
        (.optional(value: nil), "x?", nil),
        (.optionalPerson(value: nil), "a{sv}?", nil),
        (.optionalPerson(value: Person(name: "Ada")), "a{sv}?", dictionary(["name": .string("Ada")])),
        (.optionalArray(value: []), "as?", .array(element: "s", [])),
        (.optionalArray(value: nil), "as?", nil),
        (
            .uuid(value: UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))), "s",
            .string("01000000-0000-0000-0000-000000000002")
        ),
        (.date(value: Date(timeIntervalSinceReferenceDate: 12)), "d", .double(12)),
        (.range(value: 1..<5), "ax", .array(element: "x", [.int64(1), .int64(5)])),
    ]

    static func name(_ step: AllStep) -> String { Mirror(reflecting: step).children.first?.label ?? "plain" }

    @Test(arguments: steps.indices) func aTypeIsTheSameBothWays(_ index: Int) throws {
        let (step, type, value) = Self.steps[index]
        let name = Self.name(step)
        let message = StepMessage(name: name, arguments: value.map { [Argument("value", $0)] } ?? [])
        #expect(try StepCoding.encode(step) == message)
        #expect(try StepCoding.decode(AllStep.self, message) == step)
        let declaration = try StepCoding.declarations(of: AllStep.self).first { $0.name == name }
        let signature = type.hasSuffix("?") ? String(type.dropLast()) : type
        #expect(
            declaration
                == StepDeclaration(
                    name,
                    parameters: [
                        Parameter("value", try #require(ValueType(signature: signature)), isOptional: type != signature)
                    ]))
    }

    @Test func foundationsStructsAreStructs() throws {
        let url = try #require(URL(string: "https://example.org/a?b#c"))
        let relative = try #require(URL(string: "x", relativeTo: url))
        let decimal = try #require(Decimal(string: "-12.50"))
        for step in [AllStep.url(value: url), .url(value: relative), .decimal(value: decimal)] {
            let message = try StepCoding.encode(step)
            #expect(message.arguments.map(\.value.signature) == ["a{sv}"])
            #expect(try StepCoding.decode(AllStep.self, message) == step)
            let declared = try StepCoding.declarations(of: AllStep.self).first { $0.name == message.name }
            #expect(declared?.parameters.map(\.type.signature) == ["a{sv}"])
        }
    }

    @Test func aCaseWithoutValuesHasNoArguments() throws {
        #expect(try StepCoding.encode(AllStep.plain) == StepMessage(name: "plain"))
        #expect(try StepCoding.decode(AllStep.self, StepMessage(name: "plain")) == .plain)
        #expect(try StepCoding.encode(RxFlowStep.home) == StepMessage(name: "home"))
        #expect(try StepCoding.decode(RxFlowStep.self, StepMessage(name: "home")) == .home)
        #expect(try StepCoding.declarations(of: RxFlowStep.self) == [StepDeclaration("home")])
    }

    @Test func aValueWithoutLabelIsNumbered() throws {
        let two = StepMessage(name: "two", arguments: [Argument("_0", .int64(1)), Argument("_1", .string("b"))])
        #expect(try StepCoding.encode(AllStep.two(1, "b")) == two)
        #expect(try StepCoding.decode(AllStep.self, two) == .two(1, "b"))
        let mixed = try StepCoding.encode(AllStep.mixed(first: 1, "b"))
        #expect(mixed.arguments.map(\.name) == ["first", "_1"])
    }

    @Test func anyIntegerTypeThatHoldsTheValueFits() throws {
        let values: [Value] = [
            .byte(7), .int16(7), .uint16(7), .int32(7), .uint32(7), .int64(7), .uint64(7), .variant(.byte(7)),
        ]
        for value in values {
            let arguments = [Argument("value", value)]
            #expect(
                try StepCoding.decode(AllStep.self, StepMessage(name: "int16", arguments: arguments))
                    == .int16(value: 7))
            #expect(
                try StepCoding.decode(AllStep.self, StepMessage(name: "uint", arguments: arguments)) == .uint(value: 7))
            #expect(
                try StepCoding.decode(AllStep.self, StepMessage(name: "int", arguments: arguments)) == .int(value: 7))
        }
    }

    @Test func allCasesAreDeclaredSortedByName() throws {
        let names = try StepCoding.declarations(of: AllStep.self).map(\.name)
        #expect(names == names.sorted())
        #expect(names.count == 38)
        #expect(names.contains("plain") && names.contains("two"))
    }

    @Step
    enum Renamed: Hashable {
        case moviePicked(withMovieId: Int)
        case movieList

        enum CodingKeys: String, CodingKey {
            case movieList = "movies.list"
            case moviePicked = "movies.picked"
        }
        enum MoviePickedCodingKeys: String, CodingKey { case withMovieId = "id" }
    }

    @Step
    enum Keyword: Hashable {
        case `default`
        case `open`(`in`: Int, String?)
    }
    @AnswerValues
    struct Values {
        static let none = 1
        var a, b: Int
        var text: String? { didSet {} }
        var length: Int { a + b }
        var hidden = 1
        enum CodingKeys: String, CodingKey { case a, b = "second", text }
    }

    @Test func keywordsAreNames() throws {
        let open = StepMessage(name: "open", arguments: [Argument("in", .int64(3)), Argument("_1", .string("x"))])
        #expect(try StepCoding.encode(Keyword.open(in: 3, "x")) == open)
        #expect(try StepCoding.decode(Keyword.self, open) == .open(in: 3, "x"))
        #expect(try StepCoding.decode(Keyword.self, StepMessage(name: "default")) == .default)
    }

    @Test func anAnswerHasTheValuesThatAreCoded() {
        let values = Values.answerValues.map { "\($0.name): \($0.type)\($0.isOptional ? "?" : "")" }
        #expect(Set(values) == ["a: int64", "second: int64", "text: string?"])
    }

    @Test func codingKeysGiveOtherNames() throws {
        let picked = StepMessage(name: "movies.picked", arguments: [Argument("id", .int64(3))])
        #expect(try StepCoding.encode(Renamed.moviePicked(withMovieId: 3)) == picked)
        #expect(try StepCoding.decode(Renamed.self, picked) == .moviePicked(withMovieId: 3))
        #expect(try StepCoding.declarations(of: Renamed.self).map(\.name) == ["movies.list", "movies.picked"])
    }
}
