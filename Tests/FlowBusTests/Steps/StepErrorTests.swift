import FlowCore
import Testing

@testable import FlowBus
@testable import FlowBusClient

/// Errors name the step, the argument, the value or type, and what would be right.
@Suite struct StepErrorTests {
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

    private static func declaring<S: Step>(_ type: S.Type) -> String {
        refusal { _ = try StepCoding.declarations(of: type) }
    }

    enum Genre: String, Codable { case drama, comedy }
    struct Person: Codable {
        var name: String
        var age: UInt8?
    }
    enum Movies: Step {
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

    struct Place: Codable { var latitude: Float }
    struct Thing: Hashable, Codable { var id: Int }
    enum OfFloat: Step { case zoomed(by: Float) }
    enum OfInt8: Step { case moved(Int8) }
    enum OfInt128: Step { case counted(to: Int128) }
    enum OfUInt128: Step { case counted(to: UInt128) }
    enum OfWide: Step { case listed(first: [Int128], second: [String: Int128]?) }
    enum OfPlace: Step { case shown(places: [Place]) }
    enum OfHoles: Step { case listed(numbers: [Int?]) }
    enum OfMissing: Step { case reported(names: [String: String?]) }
    enum OfTwice: Step { case maybe(perhaps: Int??) }
    enum OfKeys: Step { case counted(things: [Thing: Int]) }

    @Test func typesThatDBusDoesNotHave() {
        #expect(
            Self.declaring(OfFloat.self)
                == "unsupportedType: the argument 'by' of step 'zoomed' is of the Swift type 'Float', which D-Bus does not have; "
                + "use Double")
        #expect(
            Self.refusal { _ = try StepCoding.encode(OfFloat.zoomed(by: 1)) } == Self.declaring(OfFloat.self))
        #expect(Self.declaring(OfInt8.self).hasSuffix("'Int8', which D-Bus does not have; use Int16"))
        #expect(Self.declaring(OfInt128.self).hasSuffix("'Int128', which D-Bus does not have; use Int64, or String"))
        #expect(Self.declaring(OfUInt128.self).hasSuffix("'UInt128', which D-Bus does not have; use UInt64, or String"))
        #expect(
            Self.declaring(OfWide.self)
                == "unsupportedType: the argument 'first[0]' of step 'listed' is of the Swift type 'Int128', which D-Bus does "
                + "not have; use Int64, or String")
        #expect(
            Self.declaring(OfPlace.self)
                == "unsupportedType: the argument 'places[0].latitude' of step 'shown' is of the Swift type 'Float', which D-Bus "
                + "does not have; use Double")
        #expect(
            Self.declaring(OfHoles.self)
                == "unsupportedType: the argument 'numbers[0]' of step 'listed' is of the Swift type 'Optional<Int>', and D-Bus "
                + "has no nil; only an argument or a property can be optional, as it is left out then")
        #expect(Self.declaring(OfMissing.self).contains("'Optional<String>', and D-Bus has no nil"))
        #expect(Self.declaring(OfTwice.self).contains("'Optional<Int>', and D-Bus has no nil"))
        #expect(
            Self.declaring(OfKeys.self)
                == "unsupportedType: the argument 'things' of step 'counted' is of the Swift type 'Dictionary<Thing, Int>', whose "
                + "keys can't be on the bus; use String keys, or conform them to CodingKeyRepresentable")
    }

    struct NotAnEnum: Step { var movie: Int }
    final class NotAValue: Step {}
    enum OfText: String, Step { case home }
    enum OfNumber: Int, Step { case home }

    @Test func whatIsNoStep() {
        let declared = Self.declaring(NotAnEnum.self)
        #expect(declared.hasPrefix("unsupportedType:") && declared.contains("'NotAnEnum'"))
        #expect(Self.refusal { _ = try StepCoding.encode(NotAnEnum(movie: 1)) } == declared)
        #expect(Self.declaring(NotAValue.self).contains("'NotAValue'"))
        for text in [Self.declaring(OfText.self), Self.declaring(OfNumber.self)] {
            #expect(text.contains("coded the way Swift does it for enums without raw values"))
        }
    }

    @Test func noStepIsNotEmitted() throws {
        #expect(try StepCoding.declarations(of: NoneStep.self).isEmpty)
        #expect(
            Self.refusal { _ = try StepCoding.encode(NoneStep()) }
                == "unsupportedValue: NoneStep is no step at all, and can't be emitted")
        #expect(
            Self.refusal { _ = try StepCoding.decode(NoneStep.self, StepMessage(name: "home")) }
                == "unknownStep: 'NoneStep' has no step 'home'")
    }

    enum Accented: Step { case öffne }
    enum AccentedArgument: Step { case open(größe: Int) }

    @Test func namesThatTheBusDoesNotTake() {
        #expect(
            Self.declaring(Accented.self)
                == "unsupportedType: 'öffne' of 'Accented' can't be the name of a step: a letter, then letters, digits, '_', '.' "
                + "and '-', at most 128 bytes; give it another in CodingKeys")
        #expect(
            Self.declaring(AccentedArgument.self)
                == "unsupportedType: 'größe' can't be an argument of step 'open': it has to be letters, digits and '_', not "
                + "beginning with a digit, at most 64 bytes; give it another name in CodingKeys")
    }

    struct Inner: Codable { var number: Int }
    struct Middle: Codable { var inner: Inner }
    struct Outer: Codable { var middle: Middle }
    enum Deep: Step {
        case three(Outer)
        case two(Middle)
        case lists([[[[[[[[[Int]]]]]]]]])
    }
    enum Shallow: Step {
        case three(Outer)
        case two(Middle)
        case text(String)
    }

    @Test func whatIsTooDeep() throws {
        #expect(
            Self.declaring(Deep.self)
                == "unsupportedValue: the argument '_0' of step 'lists' nests containers deeper than 8, which is the limit; an "
                + "array counts as one, a struct as three, an enum with payload as six")
        let middle = Middle(inner: Inner(number: 1))
        #expect(try StepCoding.encode(Shallow.two(middle)).arguments.count == 1)
        #expect(
            Self.refusal { _ = try StepCoding.encode(Shallow.three(Outer(middle: middle))) }
                .hasPrefix("unsupportedValue: the argument '_0' of step 'three' nests containers deeper than 8"))
    }

    @Test func aTextWithNUL() {
        #expect(
            Self.refusal { _ = try StepCoding.encode(Shallow.text("a\0b")) }
                == "unsupportedValue: the argument '_0' of step 'text' is 'a\\0b'; a text on the bus can't have the "
                + "character NUL")
    }
}
