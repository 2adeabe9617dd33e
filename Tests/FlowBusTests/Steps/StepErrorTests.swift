import FlowCore
import Testing

@testable import FlowBus
@testable import FlowBusClient

/// Errors name the step, the argument, the value or type, and what would be right.
@Suite(.fewAtOnce, .serialized) struct StepErrorTests {
    static func refusal(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "nothing was refused"
        } catch let error as StepError {
            return "\(error.reason): \(error)"
        } catch {
            return "not a StepError: \(error)"
        }
    }

    private static func decoding(_ name: String, _ arguments: FlowCore.Arguments = []) -> String {
        refusal { _ = try StepCoding.decode(Movies.self, StepMessage(name: name, arguments: arguments)) }
    }

    enum Genre: String, CaseIterable, StepArgument { case drama, comedy }
    struct Person: StepArgument {
        var name: String
        var age: UInt8?
    }
    @Step
    enum Movies {
        case movieList
        case moviePicked(withMovieId: Int)
        case rated(movie: UInt8, stars: Double?)
        case filtered(by: Genre)
        case met(person: Person)
        case seen(people: [Person])
        case named(String)
    }

    @Test func aStepThatTheTypeDoesNotHave() {
        #expect(
            Self.decoding("moviePiked")
                == "unknownStep: 'Movies' has no step 'moviePiked'; did you mean 'moviePicked'?")
        #expect(Self.decoding("") == "unknownStep: 'Movies' has no step ''")
    }

    @Test func argumentsThatAreMissingOrUnknown() {
        #expect(
            Self.decoding("moviePicked")
                == "invalidArguments: step 'moviePicked' needs the argument 'withMovieId' of type int64")
        #expect(
            Self.decoding("moviePicked", [Argument("withMovieID", .int64(1))])
                == "invalidArguments: step 'moviePicked' has no argument 'withMovieID': it takes 'withMovieId'; "
                + "did you mean 'withMovieId'?")
        #expect(
            Self.decoding("movieList", [Argument("a", .int64(1))])
                == "invalidArguments: step 'movieList' has no argument 'a': it takes none")
    }

    @Test func valuesThatDoNotFit() {
        #expect(
            Self.decoding("moviePicked", [Argument("withMovieId", .string("abc"))])
                == "invalidArguments: the argument 'withMovieId' of step 'moviePicked' is 'abc', of type string; it has to be "
                + "of type int64")
        #expect(
            Self.decoding("moviePicked", [Argument("withMovieId", .uint64(.max))])
                == "invalidArguments: the argument 'withMovieId' of step 'moviePicked' is '18446744073709551615', which is out "
                + "of the range of the type int64")
        #expect(
            Self.decoding("rated", [Argument("movie", .int64(-1))])
                == "invalidArguments: the argument 'movie' of step 'rated' is '-1', which is out of the range of the type byte"
        )
        #expect(
            Self.decoding("rated", [Argument("movie", .byte(1)), Argument("stars", .int64(1))])
                == "invalidArguments: the argument 'stars' of step 'rated' is '1', of type int64; it has to be of type double"
        )
        #expect(
            Self.decoding("met", [Argument("person", .string("Ada"))])
                == "invalidArguments: the argument 'person' of step 'met' is 'Ada', of type string; it has to be of type a{sv}"
        )
        #expect(
            Self.decoding("seen", [Argument("people", .bytes([1]))])
                == "invalidArguments: the argument 'people[0]' of step 'seen' is '1', of type byte; it has to be of type a{sv}"
        )
        #expect(
            Self.decoding("seen", [Argument("people", .byte(1))])
                == "invalidArguments: the argument 'people' of step 'seen' is '1', of type byte; it has to be of type an array"
        )
    }

    @Test func propertiesThatDoNotFit() {
        let nameless = StepTypesTests.dictionary(["age": .byte(1)])
        #expect(
            Self.decoding("met", [Argument("person", nameless)])
                == "invalidArguments: the argument 'person' of step 'met' lacks 'name'")
        let old = StepTypesTests.dictionary(["name": .string("Ada"), "age": .int64(256)])
        #expect(
            Self.decoding("seen", [Argument("people", .array(element: "a{sv}", [old]))])
                == "invalidArguments: the argument 'people[0].age' of step 'seen' is '256', which is out of the range of the "
                + "type byte")
    }

    @Test func aRawValueThatNoCaseHas() {
        #expect(
            Self.decoding("filtered", [Argument("by", .string("dramma"))])
                == "invalidArguments: the argument 'by' of step 'filtered' is 'dramma'; it has to be one of 'drama', 'comedy'; "
                + "did you mean 'drama'?")
    }

    @Test func privateValuesStayOut() {
        for value in [Value.string("secret"), .int64(7), .array(element: "s", [.string("secret")])] {
            for name in ["filtered", "rated", "met"] {
                let argument = ["filtered": "by", "rated": "movie", "met": "person"][name] ?? ""
                let text = Self.decoding(name, [Argument(argument, value, isPrivate: true)])
                #expect(!text.contains("secret") && !text.contains("7"))
                #expect(text.contains("'\(argument)' of step '\(name)'") || text == "nothing was refused")
            }
        }
    }

    struct Place: StepArgument { var latitude: Float }
    struct Thing: Hashable, Codable { var id: Int }
    struct Wide: StepArgument { var numbers: [Int128] }
    struct Holes: StepArgument { var numbers: [Int?] }
    struct Missing: StepArgument { var names: [String: String?] }
    struct Counted: StepArgument { var things: [Thing: Int] }
    struct Small: StepArgument { var number: Int8 }
    /// It is coded as a text, and does not say so.
    struct Silent: StepArgument {
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode("text")
        }
    }
    @Step
    enum Unsuitable {
        case shown(places: [Place])
        case wide(Wide)
        case holes(Holes)
        case missing(Missing)
        case counted(Counted)
        case small(Small)
        case silent(Silent)
    }

    @Test func whatDBusDoesNotHaveInsideOfValues() {
        func encoding(_ step: Unsuitable) -> String { Self.refusal { _ = try StepCoding.encode(step) } }
        #expect(
            encoding(.shown(places: [Place(latitude: 1)]))
                == "unsupportedType: the argument 'places[0].latitude' of step 'shown' is of the Swift type 'Float', which D-Bus "
                + "does not have; use Double")
        #expect(encoding(.small(Small(number: 1))).hasSuffix("'Int8', which D-Bus does not have; use Int16"))
        #expect(
            encoding(.wide(Wide(numbers: [1])))
                == "unsupportedType: the argument '_0.numbers[0]' of step 'wide' is of the Swift type 'Int128', which D-Bus does "
                + "not have; use Int64, or String")
        #expect(
            encoding(.holes(Holes(numbers: [nil])))
                == "unsupportedType: the argument '_0.numbers[0]' of step 'holes' is of the Swift type 'Optional<Int>', and D-Bus "
                + "has no nil; only an argument or a property can be optional, as it is left out then")
        #expect(encoding(.missing(Missing(names: ["a": nil]))).contains("'Optional<String>', and D-Bus has no nil"))
        #expect(
            encoding(.counted(Counted(things: [Thing(id: 1): 1])))
                == "unsupportedType: the argument '_0.things' of step 'counted' is of the Swift type 'Dictionary<Thing, Int>', "
                + "whose keys can't be on the bus; use String keys, or conform them to CodingKeyRepresentable")
        #expect(
            encoding(.silent(Silent()))
                == "unsupportedType: the argument '_0' of step 'silent' is encoded as string, but the 'argumentType' of 'Silent' is "
                + "a{sv}; both have to be the same")
    }

    struct Plain: Step { var movie: Int }
    final class Object: Step {}

    @Test func whatIsNoStepOfTheBus() {
        let declared = Self.refusal { _ = try StepCoding.declarations(of: Plain.self) }
        #expect(
            declared
                == "unsupportedType: steps of the type 'Plain' can't go over the bus: it is no BusStep; write '@Step enum Plain'"
        )
        #expect(Self.refusal { _ = try StepCoding.encode(Plain(movie: 1)) } == declared)
        #expect(Self.refusal { _ = try StepCoding.encode(Object()) }.contains("'Object'"))
    }

    /// Written by hand, and wrong.
    struct ByHand: BusStep {
        nonisolated(unsafe) static var stepCases: [StepCase] = []
        var caseName: String { "one" }
        func encode(to encoder: inout StepEncoder) {}
        init() {}
        init?(caseName: String, from decoder: StepDecoder) { nil }
    }

    @Test func declarationsByHandThatTheBusDoesNotTake() {
        func declaring(_ cases: StepCase...) -> String {
            ByHand.stepCases = cases
            return Self.refusal { _ = try StepCoding.declarations(of: ByHand.self) }
        }
        #expect(
            declaring(StepCase("öffne"))
                == "unsupportedType: 'öffne' of 'ByHand' can't be the name of a step: a letter, then letters, digits, '_', '.' and "
                + "'-', at most 128 bytes; give the case another")
        #expect(
            declaring(StepCase("open", [StepParameter("größe", Int.self)]))
                == "unsupportedType: 'größe' can't be the name of an argument of step 'open': letters, digits and '_', not "
                + "beginning with a digit, at most 64 bytes")
        #expect(declaring(StepCase("one"), StepCase("one")).hasSuffix("two of its cases have the name 'one'"))
        #expect(
            declaring(StepCase("one", [StepParameter("a", Int.self), StepParameter("a", String.self)]))
                == "unsupportedType: step 'one' has two arguments with the name 'a'")
        ByHand.stepCases = [StepCase("one")]
        #expect(
            Self.refusal { _ = try StepCoding.decode(ByHand.self, StepMessage(name: "one")) }
                == "unknownStep: 'ByHand' has no step 'one'")
    }

    @Test func noStepIsNotEmitted() throws {
        #expect(try StepCatalog([NoneStep.self]).declarations.isEmpty)
        #expect(
            Self.refusal { _ = try StepCoding.encode(NoneStep()) }
                == "unsupportedValue: NoneStep is no step at all, and can't be emitted")
    }

    struct Inner: Codable { var number: Int }
    struct Middle: StepArgument { var inner: Inner }
    struct Outer: StepArgument { var middle: Middle }
    @Step
    enum Shallow {
        case three(Outer)
        case two(Middle)
        case text(String)
        case lists([[[[[[[[[Int]]]]]]]]])
    }

    @Test func whatIsTooDeep() throws {
        let middle = Middle(inner: Inner(number: 1))
        #expect(try StepCoding.encode(Shallow.two(middle)).arguments.count == 1)
        for step in [Shallow.three(Outer(middle: middle)), .lists([[[[[[[[[]]]]]]]]])] {
            #expect(
                Self.refusal { _ = try StepCoding.encode(step) }
                    == "unsupportedValue: the argument '_0' of step '\(step.caseName)' nests containers deeper than 8, which is the "
                    + "limit; an array counts as one, a struct as three, an enum with payload as six")
        }
    }

    @Test func aTextWithNUL() {
        #expect(
            Self.refusal { _ = try StepCoding.encode(Shallow.text("a\0b")) }
                == "unsupportedValue: the argument '_0' of step 'text' is 'a\\0b'; a text on the bus can't have the "
                + "character NUL")
    }
}
