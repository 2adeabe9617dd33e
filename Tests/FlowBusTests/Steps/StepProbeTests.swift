import FlowCore
import Testing

@testable import FlowBus
@testable import FlowBusClient

/// The declarations of step types, including those with their own decoding.
@Suite struct StepProbeTests {
    private static func signatures<S: Step>(_ type: S.Type) throws -> [String] {
        try StepCoding.declarations(of: type).flatMap { declaration in
            declaration.parameters.map {
                "\(declaration.name).\($0.name): \($0.type.signature)\($0.isOptional ? "?" : "")"
            }
        }
    }

    struct Node: Codable {
        var name: String
        var children: [Node]
        var byName: [String: Node]
        var parents: [Node]?
    }
    indirect enum Tree: Codable, Sendable {
        case branch(Tree, Tree)
        case leaf(Int)
    }
    enum Recursive: Step {
        case node(Node)
        case nodes([Node])
        case tree(Tree)
    }

    @Test func aTypeThatIsInsideItselfEnds() throws {
        #expect(try Self.signatures(Recursive.self) == ["node._0: a{sv}", "nodes._0: aa{sv}", "tree._0: a{sv}"])
        let step = Recursive.tree(.leaf(3))
        guard case .tree(.leaf(3)) = try StepCoding.decode(Recursive.self, StepCoding.encode(step)) else {
            Issue.record("the tree is another")
            return
        }
    }

    /// Accepts some strings only.
    struct Even: Codable {
        var number: Int
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            number = try container.decode(Int.self)
            guard number % 2 == 0, number > 0 else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\(number) is odd, or not positive")
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(number)
        }
        init(_ number: Int) { self.number = number }
    }
    struct Ticket: Codable {
        var id: String
        init(id: String) { self.id = id }
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            id = try container.decode(String.self)
            guard id.hasPrefix("tt") else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "'\(id)' does not begin with 'tt'")
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(id)
        }
    }
    struct Exemplary: StepArgument {
        var ticket: Ticket
        static var example: Exemplary { Exemplary(ticket: Ticket(id: "tt1")) }
    }
    enum Cents: Int, Codable {
        case fifty = 50
        case twenty = 20
    }
    enum Picky: Step { case even(Even), many([Even]), cents(Cents) }
    enum WithTicket: Step { case sold(ticket: Ticket, to: String) }
    enum WithTickets: Step { case sold(tickets: [Ticket], spare: Ticket?) }
    enum WithExample: Step { case sold(Exemplary) }

    @Test func aTypeThatRefusesGetsSomethingElse() throws {
        #expect(try Self.signatures(Picky.self) == ["cents._0: x", "even._0: x", "many._0: ax"])
        #expect(
            StepErrorTests.refusal {
                _ = try StepCoding.decode(Picky.self, StepMessage(name: "even", arguments: [Argument("_0", .int64(3))]))
            }
                == "invalidArguments: the argument '_0' of step 'even' can't be of the Swift type 'Even': 3 is odd, or not "
                + "positive")
    }

    @Test func aTypeThatRefusesAllValuesNeedsAnExample() throws {
        let refusal = StepErrorTests.refusal { _ = try StepCoding.declarations(of: WithTicket.self) }
        #expect(refusal.hasPrefix("unsupportedType: the argument 'ticket' of step 'sold'"))
        #expect(refusal.hasSuffix("conform it to StepArgument, which provides an example"))
        #expect(try Self.signatures(WithTickets.self) == ["sold.spare: s?", "sold.tickets: as"])
        #expect(try Self.signatures(WithExample.self) == ["sold._0: a{sv}"])
    }

    enum Withdrawn: Step {
        case home
        @available(*, unavailable) case old(Int)
        case new(Int)
    }

    @Test func aCaseThatIsUnavailableIsNoStep() throws {
        #expect(try StepCoding.declarations(of: Withdrawn.self).map(\.name) == ["home", "new"])
        #expect(try StepCoding.encode(Withdrawn.new(1)).arguments == [Argument("_0", .int64(1))])
    }

    /// The format that Swift synthesizes, written by hand, with an optional value.
    enum ByHand: Step, Equatable {
        case home
        case picked(id: Int, title: String)

        enum CodingKeys: String, CodingKey { case home, picked }
        enum PickedKeys: String, CodingKey { case id, title }

        init(from decoder: any Decoder) throws {
            let cases = try decoder.container(keyedBy: CodingKeys.self)
            guard cases.contains(.picked) else {
                _ = try cases.nestedContainer(keyedBy: PickedKeys.self, forKey: .home)
                self = .home
                return
            }
            let picked = try cases.nestedContainer(keyedBy: PickedKeys.self, forKey: .picked)
            let title = picked.contains(.title) ? try picked.decode(String.self, forKey: .title) : "untitled"
            let id = try picked.decode(Int.self, forKey: .id)
            guard id >= 0 else {
                throw DecodingError.dataCorruptedError(forKey: .id, in: picked, debugDescription: "\(id) is no id")
            }
            self = .picked(id: id, title: title)
        }

        func encode(to encoder: any Encoder) throws {
            var cases = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .home: _ = cases.nestedContainer(keyedBy: PickedKeys.self, forKey: .home)
            case .picked(let id, let title):
                var picked = cases.nestedContainer(keyedBy: PickedKeys.self, forKey: .picked)
                try picked.encode(id, forKey: .id)
                try picked.encode(title, forKey: .title)
            }
        }
    }

    @Test func stepsThatAreDecodedByHandWork() throws {
        #expect(try StepCoding.declarations(of: ByHand.self).map(\.name) == ["home", "picked"])
        #expect(try Self.signatures(ByHand.self) == ["picked.id: x", "picked.title: s?"])
        let picked = StepMessage(name: "picked", arguments: [Argument("id", .int64(1))])
        #expect(try StepCoding.decode(ByHand.self, picked) == .picked(id: 1, title: "untitled"))
        #expect(try StepCoding.decode(ByHand.self, StepCoding.encode(ByHand.home)) == .home)
        #expect(
            StepErrorTests.refusal {
                let message = StepMessage(name: "picked", arguments: [Argument("id", .int64(-1))])
                _ = try StepCoding.decode(ByHand.self, message)
            } == "invalidArguments: step 'picked' can't be decoded: -1 is no id")
    }

    /// Another format: the case is one of the values.
    enum Tagged: Step {
        case home
        enum Keys: CodingKey { case type }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            _ = try container.decode(String.self, forKey: .type)
            self = .home
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode("home", forKey: .type)
        }
    }
    /// The names of its cases are in no enum.
    enum Open: Step {
        case home
        struct Keys: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: Keys.self)
            self = .home
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            _ = container.nestedContainer(keyedBy: Keys.self, forKey: Keys(stringValue: "home"))
        }
    }
    /// Encodes and decodes different types.
    enum Insincere: Step {
        case home(number: Int)
        enum Keys: CodingKey { case home }
        enum Arguments: CodingKey { case number }
        init(from decoder: any Decoder) throws {
            let home = try decoder.container(keyedBy: Keys.self).nestedContainer(keyedBy: Arguments.self, forKey: .home)
            self = .home(number: try home.decode(Int.self, forKey: .number))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var home = container.nestedContainer(keyedBy: Arguments.self, forKey: .home)
            try home.encode("1", forKey: .number)
        }
    }
    /// Its keys can't be created from their names.
    enum Lost: Step {
        case home
        enum CodingKeys: CodingKey {
            case home
            var stringValue: String { "house" }
            init?(stringValue: String) { nil }
            var intValue: Int? { nil }
            init?(intValue: Int) { nil }
        }
        func encode(to encoder: any Encoder) throws {}
        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: CodingKeys.self)
            self = .home
        }
    }

    @Test func stepsThatAreDecodedInOtherWaysAreRefused() {
        func declaring<S: Step>(_ type: S.Type) -> String {
            StepErrorTests.refusal { _ = try StepCoding.declarations(of: type) }
        }
        #expect(
            declaring(Tagged.self).contains(
                "'Tagged' can't be a Step: it has to be an enum that is coded the way Swift"))
        #expect(
            declaring(Open.self)
                == "unsupportedType: 'Open' can't be a Step: the cases of its 'Keys' can't be listed; make that an enum that is "
                + "CaseIterable, for instance 'enum AppStep: Step { case home }'")
        #expect(declaring(Lost.self).contains("'CodingKeys(stringValue: \"house\")' is not the key of that name"))
        #expect(
            StepErrorTests.refusal { _ = try StepCoding.encode(Insincere.home(number: 1)) }
                == "unsupportedType: the argument 'number' of step 'home' is encoded as string, but decoded as int64; both have "
                + "to be the same")
    }
}
