import FlowBus
import FlowBusClient
import Testing

/// Names of types that are nested, generic, private, of other letters than those of ASCII, or long.
@MainActor
@Suite("Names of types", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct TypeNamesTests {
    private func name(_ type: any Presentable.Type) -> String { TypeNames.name(of: type) }

    @Test func `a nested type has the names of the types around it`() {
        #expect(name(Movies.Detail.self) == "Movies_Detail")
        #expect(name(Series.Detail.self) == "Series_Detail")
        #expect(name(Movies.Of<Int>.Page.self) == "Movies_Of_Int_Page")
        #expect(name(Int.Page.self) == "Int_Page")
        #expect(name([Int].Page.self) == "Array_Int_Page")
    }

    @Test func `a private or local type has no address in its name`() {
        final class Local: Plain {}
        #expect(name(Local.self) == "TypeNamesTests_Local")
        #expect(name(Hidden.self) == "Hidden")
        #expect(name(Hidden.Inner.self) == "Hidden_Inner")
        #expect(name(Page<Hidden>.self) == "Page_Hidden")
    }

    @Test func `a generic type has the names of its arguments`() {
        #expect(name(Page<Int>.self) == "Page_Int")
        #expect(name(Page<[String: Int?]>.self) == "Page_Dictionary_String_Optional_Int")
        #expect(name(Page<(first: Int, Movies.Detail)>.self) == "Page_first_Int_Movies_Detail")
        #expect(name(Page<() -> Void>.self) == "Page_Void_Void")
        #expect(name(Page<any Step>.self) == "Page_Step")
        #expect(name(Page<Page<Int>>.self) == "Page_Page_Int")
    }

    @Test func `other letters are written as their bytes`() {
        #expect(name(Größe.self) == "Gr_c3_b6_c3_9fe")
        #expect(name(Ä.self) == "_c3_84")
        #expect(name(🎬.self) == "_f0_9f_8e_ac")
        #expect(name(Page<Größe>.self) == "Page_Gr_c3_b6_c3_9fe")
        #expect(name(`4.0 <beta>`.self) == "_34_2e0_20_3cbeta_3e")
        #expect(name(`my page`.self) == "my_20page")
    }

    @Test func `a class has a name of its own, not that of its superclass`() {
        final class Special: Plain {}
        let screens: [any Presentable] = [Plain(), Special()]
        #expect(screens.map(\.name) == ["Plain", "TypeNamesTests_Special"])
    }

    @Test(arguments: HostKind.allCases)
    func `flows and screens of any type are live under their names`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let screens: [any Presentable] = [
            Movies.Detail(), Series.Detail(), Page<Int>(), Page<String>(), Größe(), Ä(), 🎬(), `my page`(),
        ]
        let main = try await fixture.root(Main.self) { _ in
            .multiple(flowContributors: screens.map(FlowContributor.child) + [.child(Movies.Browse<Größe>())])
        }
        #expect(await fixture.verdict(of: TestStep.one, on: main) == "navigated")
        #expect(
            screens.map { fixture.coordinator.path(of: $0) } == [
                "Main/Movies_Detail", "Main/Series_Detail", "Main/Page_Int", "Main/Page_String", "Main/Gr_c3_b6_c3_9fe",
                "Main/_c3_84", "Main/_f0_9f_8e_ac", "Main/my_20page",
            ])
        #expect(fixture.coordinator.tree["Main/Movies_Browse_Gr_c3_b6_c3_9fe"]?.isFlow == true)
        // As a root, too.
        #expect(try await fixture.begin(Movies.Browse<Int>()) == "Movies_Browse_Int")
    }

    @Test(arguments: HostKind.allCases)
    func `a flow whose name is too long is refused with its type`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let error = try await refusal {
            try await fixture.coordinator.coordinate(flow: Movies.Browse<Long>(), with: NoneStepper())
        }
        #expect(error.code == .invalidName)
        #expect(
            ["declare 'static let definition' in 'Browse<", "64 bytes"].allSatisfy(error.message.contains), "\(error)")
        #expect(fixture.coordinator.tree.roots.isEmpty)
        // As a child, it fails the step, and nothing that was contributed with it is there.
        let main = try await fixture.root(Main.self) { _ in
            .all(.child(Plain()), .child(Movies.Browse<Long>()))
        }
        let refused = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: main) }
        #expect(refused.code == .navigatorFailed && refused.message.contains("'static let definition'"), "\(refused)")
        #expect(fixture.coordinator.tree["Main"]?.children.isEmpty == true)
    }

    @Test(arguments: HostKind.allCases)
    func `a screen whose name is too long is refused with its type`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let main = try await fixture.root(Main.self) { _ in .all(.child(Plain()), .child(Page<Long>())) }
        let refused = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: main) }
        #expect(refused.code == .navigatorFailed)
        #expect(
            ["declare 'name' in 'Page<", host == .inProcess ? "64 bytes" : ""].allSatisfy(refused.message.contains),
            "\(refused)")
        #expect(fixture.coordinator.tree["Main"]?.children.isEmpty == true)
    }

    @Test(arguments: HostKind.allCases)
    func `a step of other letters is one in process, and refused on the bus`(host: HostKind) async throws {
        enum Foreign: Oddity { static var steps: [any Step.Type] { [ForeignStep<Int>.self] } }
        let fixture = try CoordinatorFixture(host)
        let flow = OddFlow(Foreign.self)
        switch host {
        case .inProcess:
            try await fixture.begin(flow)
            #expect(await fixture.verdict(of: ForeignStep<Int>.öffnen, on: flow) == "navigated")
            #expect(await fixture.navigations(1) == ["Foreign öffnen"])
        case .onTheBus:
            let error = try await refusal { try await fixture.coordinator.coordinate(flow: flow, with: NoneStepper()) }
            #expect(error.code == .invalidStep)
            #expect(
                ["'öffnen' of 'ForeignStep<Int>'", "a letter, then", "give the case another"]
                    .allSatisfy(error.message.contains), "\(error)")
            #expect(fixture.coordinator.tree.roots.isEmpty)
        }
    }

    @Test(arguments: HostKind.allCases)
    func `two flow classes of one name are refused by both types`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        try await fixture.begin(Movies.Browse<Int>())
        let error = try await refusal {
            try await fixture.coordinator.coordinate(flow: Movies_Browse_Int(), with: NoneStepper())
        }
        #expect(error.code == .alreadyRegistered)
        #expect(
            ["'FlowBusTests.Movies.Browse<Swift.Int>'", "'FlowBusTests.Movies_Browse_Int'", "'static let definition'"]
                .allSatisfy(error.message.contains), "\(error)")
    }

    @Test(arguments: HostKind.allCases)
    func `two screen classes of one name are refused by both types, in any flow`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let main = try await fixture.root(Main.self) { _ in .all(.child(Movies.Detail()), .child(Movies_Detail())) }
        let side = try await fixture.root(Side.self) { _ in .child(Movies.Detail()) }
        let deep = try await fixture.root(Deep.self) { _ in .child(Movies_Detail()) }
        let types = ["'FlowBusTests.Movies.Detail'", "'FlowBusTests.Movies_Detail'", "declare 'name'"]
        let both = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: main) }
        #expect(both.code == .navigatorFailed && types.allSatisfy(both.message.contains), "\(both)")
        #expect(fixture.coordinator.tree["Main"]?.children.isEmpty == true)
        #expect(await fixture.verdict(of: TestStep.one, on: side) == "navigated")
        let other = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: deep) }
        #expect(other.code == .navigatorFailed && types.allSatisfy(other.message.contains), "\(other)")
    }

    @Test(arguments: HostKind.allCases)
    func `classes that declare one name share it`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let main = try await fixture.root(Main.self) { _ in .all(.child(Movies.Named()), .child(Series.Named())) }
        #expect(await fixture.verdict(of: TestStep.one, on: main) == "navigated")
        #expect(fixture.coordinator.tree["Main"]?.children.map(\.name) == ["named", "named"])
    }
}

private enum ForeignStep<Content>: BusStep {
    case öffnen

    static var stepCases: [StepCase] { [StepCase("öffnen")] }
    var caseName: String { "öffnen" }
    func encode(to encoder: inout StepEncoder) {}
    init?(caseName: String, from decoder: StepDecoder) { self = .öffnen }
}

private class Plain: Screen {
    let presence = Presence()
}

private final class Page<Content>: Screen {
    let presence = Presence()
}

enum Movies {
    final class Detail: Screen {
        let presence = Presence()
    }

    final class Named: Screen {
        let presence = Presence()
        let name = "named"
    }

    enum Of<Content> {
        final class Page: Screen {
            let presence = Presence()
        }
    }

    final class Browse<Content>: Flow {
        let root: Void = ()

        func navigate(to step: TestStep) -> FlowContributors { .none }
    }
}

enum Series {
    final class Detail: Screen {
        let presence = Presence()
    }

    final class Named: Screen {
        let presence = Presence()
        let name = "named"
    }
}

final class Movies_Detail: Screen {
    let presence = Presence()
}

final class Movies_Browse_Int: Flow {
    let root: Void = ()

    func navigate(to step: TestStep) -> FlowContributors { .none }
}

final class Größe: Screen {
    let presence = Presence()
}

final class Ä: Screen {
    let presence = Presence()
}

final class 🎬: Screen {
    let presence = Presence()
}

final class `my page`: Screen {
    let presence = Presence()
}

final class `4.0 <beta>`: Screen {
    let presence = Presence()
}

private final class Hidden: Screen {
    let presence = Presence()

    final class Inner: Screen {
        let presence = Presence()
    }
}

extension Int {
    final class Page: Screen {
        let presence = Presence()
    }
}

extension Array {
    final class Page: Screen {
        let presence = Presence()
    }
}

enum AVeryLongNameOfATypeThatIsOneOfThoseThatNobodyWritesWithoutCompletion {}
typealias Long = AVeryLongNameOfATypeThatIsOneOfThoseThatNobodyWritesWithoutCompletion
