import BusTestSupport
import FlowBus
import FlowBusClient
import Testing

/// Two programs whose types have the same names.
private enum Player {
    @Step
    enum DeskStep: Equatable {
        case open(track: Int)
        case close
    }
    final class DetailScreen: NamedScreen {}
}

private enum Reader {
    @Step
    enum DeskStep: Equatable {
        case open(page: String)
        case close
    }
    final class DetailScreen: NamedScreen {}
}

/// Steps that a definition file declares, too.
@Step
private enum SharedStep: Equatable {
    case lampOn(room: String)
    static let namespace = BusNamespace.shared
}

/// Steps of a program that another one emits.
@Step
private enum PlayerStep: Equatable {
    case open(track: Int)
    static let namespace: BusNamespace = "player"
}

/// A screen that another class can have the name of.
@MainActor
private class NamedScreen: Screen {
    let presence = Presence()
    var name: String { "DetailScreen" }
    private(set) var withdrawals = 0
    func withdraw() { withdrawals += 1 }
}

/// The flow of a program, of which each test has several.
private final class DeskFlow<Desk: BusStep>: Flow {
    static var definition: String { "Desk" }
    static var steps: [any Step.Type] { [Desk.self, SharedStep.self, RxFlowStep.self] }
    static var children: Children { .stack }
    let root = TestScreen("root")
    private let answer: @MainActor (any Step) -> FlowContributors

    init(_ desk: Desk.Type, _ answer: @escaping @MainActor (any Step) -> FlowContributors) { self.answer = answer }

    func navigate(to step: any Step) -> FlowContributors { answer(step) }
}

@MainActor
@Suite("Namespaces", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct NamespaceTests {
    /// The player's flow, which shows a detail for a track.
    private func player() -> DeskFlow<Player.DeskStep> {
        DeskFlow(Player.DeskStep.self) { step in
            switch step {
            case Player.DeskStep.open: .child(Player.DetailScreen())
            case Player.DeskStep.close: .one(flowContributor: .dismissChild(named: "DetailScreen"))
            default: .none
            }
        }
    }

    private func reader() -> DeskFlow<Reader.DeskStep> {
        DeskFlow(Reader.DeskStep.self) { step in
            if case Reader.DeskStep.open = step { .child(Reader.DetailScreen()) } else { .none }
        }
    }

    /// Starts a flow and returns its path.
    private func begin(_ flow: some Flow, in coordinator: FlowCoordinator) async throws -> String {
        "\(try await coordinator.coordinate(flow: flow, with: NoneStepper()))"
    }

    @Test func `two programs with a DetailScreen and an open live on one bus`() async throws {
        let fixture = try ServiceFixture()
        let bus = try fixture.connect()
        let one = try FlowCoordinator(bus: bus, namespace: "player")
        let two = try FlowCoordinator(bus: try fixture.connect(), namespace: "reader")
        #expect((one.namespace, two.namespace) == ("player", "reader"))
        let (player, reader) = (player(), reader())
        #expect(try await begin(player, in: one) == "player_Desk")
        #expect(try await begin(reader, in: two) == "reader_Desk")
        let playerSteps = Events(one.didNavigate)
        try await one.emit(Player.DeskStep.open(track: 7), on: player)
        try await two.emit(Reader.DeskStep.open(page: "IV"), on: reader)
        let first = try await playerSteps.first()
        #expect(first.step as? Player.DeskStep == .open(track: 7))
        #expect(first.contributions.map { "\($0.kind) \($0.name)" } == ["screen player_DetailScreen"])
        #expect(first.contributions.first?.path == "player_Desk/player_DetailScreen")
        #expect("\(two.tree)".contains("reader_DetailScreen"))
        // Each program's names for its own children are those of its source.
        try await one.emit(Player.DeskStep.close, on: player)
        #expect(one.tree["player_Desk/player_DetailScreen"] == nil)
        #expect(one.tree["reader_Desk/reader_DetailScreen"] != nil)
        let declared = try await bus.declaredSteps().map(\.name)
        #expect(
            declared == ["home", "lampOn", "player_close", "player_open", "reader_close", "reader_open"], "\(declared)")
        // By its type, a step is that of the program.
        #expect(try await bus.emit(Player.DeskStep.open(track: 1), on: "player_Desk").verdict == .navigated)
        #expect(try await bus.navigate(along: [PathSegment(DeskFlow<Player.DeskStep>.self)]).count == 1)
    }

    @Test func `what is shared has its own name, and what is another program's has that one's`() async throws {
        let fixture = try ServiceFixture()
        let one = try FlowCoordinator(bus: try fixture.connect(), namespace: "player")
        var log: [String] = []
        let flow = DeskFlow(Player.DeskStep.self) { step in
            log.append("\(step)")
            return .none
        }
        try await one.coordinate(flow: flow)
        let other = try fixture.connect()
        let watched = Events(other.watch("player_Desk"))
        guard case .snapshot = try await watched.first() else { throw TestFailure("no snapshot") }
        #expect(try await other.emit(SharedStep.lampOn(room: "hall"), on: "player_Desk").isNavigated)
        #expect(try await other.emit(PlayerStep.open(track: 2), on: "player_Desk").isNavigated)
        #expect(log == ["home", "lampOn(room: \"hall\")", "open(track: 2)"])
        var steps: [PlayerStep] = []
        while steps.isEmpty {
            guard case .navigated(let navigation) = try await watched.first() else { continue }
            if navigation.step == "player_open" { steps.append(try navigation.step(as: PlayerStep.self)) }
        }
        #expect(steps == [.open(track: 2)])
        // Without its namespace, it is the step of nobody.
        let unknown = try await refusal { try await other.emit(Reader.DeskStep.close, on: "player_Desk") }
        #expect(unknown.code == .unknownStep && unknown.message.contains("'close'"), "\(unknown)")
    }

    @Test func `a program that owns a bus name has its last part as its namespace`() async throws {
        let fixture = try ServiceFixture()
        let bus = try fixture.connect()
        let coordinator = try FlowCoordinator(bus: bus)
        #expect(coordinator.namespace.isEmpty)
        let presenter = try await bus.present(as: "org.example.Media-Player") { _ in }
        #expect(coordinator.namespace == "Media_Player")
        #expect(try await begin(player(), in: coordinator) == "Media_Player_Desk")
        presenter.end()
        // It stays what it was.
        #expect(coordinator.namespace == "Media_Player")
        #expect(
            try await begin(player(), in: try FlowCoordinator(bus: try fixture.connect(), namespace: .shared)) == "Desk"
        )
    }

    @Test func `a flow that another program starts by name is found by its own name at home`() async throws {
        let fixture = try ServiceFixture()
        let one = try FlowCoordinator(bus: try fixture.connect(), namespace: "player")
        try await one.register(DeskFlow<Player.DeskStep>.self) { player() }
        var inner = "Desk"
        let main = DeskFlow(Reader.DeskStep.self) { step in
            guard case Reader.DeskStep.open = step else { return .none }
            return .one(
                flowContributor: .contributeFlow(named: inner, withInitialStep: PlayerStep.open(track: 3)))
        }
        let two = try FlowCoordinator(bus: try fixture.connect(), namespace: "reader")
        try await two.coordinate(flow: main, with: NoneStepper())
        inner = "player_Desk"
        try await two.emit(Reader.DeskStep.open(page: "I"), on: main)
        try await until { two.tree["reader_Desk/player_Desk/player_DetailScreen"] != nil }
        // The program that registered it need not say whose it is.
        let host = OddFlow(Main.self) { _ in
            .one(flowContributor: .contributeFlow(named: "Desk", withInitialStep: Player.DeskStep.open(track: 4)))
        }
        try await one.coordinate(flow: host, with: NoneStepper())
        try await one.emit(TestStep.one, on: host)
        try await until { one.tree["player_Main/player_Desk/player_DetailScreen"] != nil }
    }

    @Test func `names that collide, and namespaces that can't be, are errors before anything is shown`() async throws {
        let fixture = try ServiceFixture()
        let bus = try fixture.connect()
        for name in ["", "my player", "9lives", "_player", String(repeating: "a", count: 65)] {
            let invalid = try await refusal { try FlowCoordinator(bus: bus, namespace: .named(name)) }
            #expect(invalid.code == .invalidName && invalid.message.contains("'\(name)'"), "\(invalid)")
        }
        let one = try FlowCoordinator(bus: bus, namespace: "desk")
        _ = try await begin(player(), in: one)
        let two = try FlowCoordinator(bus: try fixture.connect(), namespace: "desk")
        let taken = try await refusal { try await begin(reader(), in: two) }
        #expect(taken.code == .alreadyRegistered && taken.message.contains("'desk_Desk'"), "\(taken)")
        #expect(taken.message.contains("'namespace'"), "\(taken)")
        // One type in two namespaces of one program would be two steps.
        let split = try await refusal {
            try await begin(player(), in: try FlowCoordinator(bus: bus, namespace: "table"))
        }
        #expect(split.code == .invalidStep && split.message.contains("'table'"), "\(split)")
        let long = try FlowCoordinator(
            bus: try fixture.connect(), namespace: .named(String(repeating: "n", count: 60)))
        let tooLong = try await refusal { try await begin(reader(), in: long) }
        #expect(tooLong.code == .invalidName && tooLong.message.contains("at most 64 bytes"), "\(tooLong)")
        #expect(try await begin(DeskFlow(BadStep.self) { _ in .none }, in: FlowCoordinator()) == "Desk")
        let bad = try await refusal { try await begin(DeskFlow(BadStep.self) { _ in .none }, in: two) }
        #expect(bad.code == .invalidStep && bad.message.contains("'a b'"), "\(bad)")
        #expect(one.tree.roots.map { "\($0.path)" } == ["desk_Desk"])
    }

    @Step
    fileprivate enum BadStep {
        case one
        static let namespace: BusNamespace = "a b"
    }

    @Test func `in one process there are no namespaces`() async throws {
        let coordinator = FlowCoordinator()
        let flow = player()
        #expect(try await begin(flow, in: coordinator) == "Desk")
        try await coordinator.emit(Player.DeskStep.open(track: 1), on: flow)
        #expect(coordinator.tree["Desk/DetailScreen"] != nil && coordinator.namespace.isEmpty)
        #expect("\(coordinator.log)" == "1 Desk: open → screen DetailScreen")
    }
}
