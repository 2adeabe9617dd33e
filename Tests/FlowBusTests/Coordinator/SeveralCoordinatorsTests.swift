import BusTestSupport
import FlowBus
import FlowBusClient
import Testing

/// Two coordinators that take steps at the same time, as those of an app with two scenes, or of tests that run in parallel.
@MainActor
@Suite("Several coordinators", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct SeveralCoordinatorsTests {
    /// A flow with a screen for each step, which takes the steps in turn with those of other coordinators.
    private static func scene<Kind: Oddity>(_ kind: Kind.Type) -> OddFlow<Kind> {
        OddFlow(kind) { step in
            if case TestStep.one = step { .child(TestScreen("page")) } else { .none }
        } adapt: { step in
            await Task.yield()
            return step
        }
    }

    /// Starts a flow, and has it take ten steps.
    ///
    /// - Returns: The navigations that the coordinator has logged.
    private static func run(_ flow: any Flow, in coordinator: FlowCoordinator) async throws -> [String] {
        try await coordinator.coordinate(flow: flow, with: NoneStepper())
        for _ in 1...10 { #expect(try await coordinator.emit(TestStep.one, on: flow).isNavigated) }
        return coordinator.log.entries.map { "\($0.path): \($0.step)" }
    }

    @Test func `in one process they share classes and a root, and nothing else`() async throws {
        let (left, right) = (FlowCoordinator(), FlowCoordinator())
        let (one, other) = (Self.scene(Main.self), Self.scene(Main.self))
        async let first = Self.run(one, in: left)
        async let second = Self.run(other, in: right)
        let expected = Array(repeating: "Main: one", count: 10)
        #expect(try await first == expected)
        #expect(try await second == expected)
        #expect(left.path(of: one) == "Main" && right.path(of: other) == "Main")
        #expect(left.path(of: other) == nil && right.path(of: one) == nil)
        let pages = try [left, right].map { try #require($0.presentable(at: "Main/page") as? TestScreen) }
        #expect(pages[0] !== pages[1])
        left.end()
        #expect(pages[0].withdrawals == 1 && pages[1].withdrawals == 0)
        #expect(try await right.emit(TestStep.one, on: other).isNavigated)
        #expect(right.tree.roots.first?.children.count == 11)
    }

    @Test func `on one connection each has flows of its own, with screens of the same name`() async throws {
        let service = try ServiceFixture()
        let bus = try service.connect()
        let (left, right) = (try FlowCoordinator(bus: bus), try FlowCoordinator(bus: bus))
        let (one, other) = (Self.scene(Main.self), Self.scene(Side.self))
        async let first = Self.run(one, in: left)
        async let second = Self.run(other, in: right)
        #expect(try await first == Array(repeating: "Main: one", count: 10))
        #expect(try await second == Array(repeating: "Side: one", count: 10))
        let refused = try await refusal { try await right.coordinate(flow: Self.scene(Main.self), with: NoneStepper()) }
        #expect(refused.code == .alreadyRegistered && refused.message.contains("another coordinator of this program"))
        let page = try #require(left.presentable(at: "Main/page") as? TestScreen)
        left.end()
        #expect(page.withdrawals == 1)
        #expect(try await right.emit(TestStep.one, on: other).isNavigated)
        // None was dismissed because its presenter did not know it.
        #expect(right.tree[NodePath("Side")]?.children.count == 11)
    }

    @Test func `on two connections the same classes need two namespaces`() async throws {
        let service = try ServiceFixture()
        let left = try FlowCoordinator(bus: service.connect(), namespace: "left")
        let right = try FlowCoordinator(bus: service.connect(), namespace: "right")
        async let first = Self.run(Self.scene(Main.self), in: left)
        async let second = Self.run(Self.scene(Main.self), in: right)
        #expect(try await first == Array(repeating: "left_Main: left_one", count: 10))
        #expect(try await second == Array(repeating: "right_Main: right_one", count: 10))
        let another = try FlowCoordinator(bus: service.connect(), namespace: "left")
        let refused = try await refusal {
            try await another.coordinate(flow: Self.scene(Main.self), with: NoneStepper())
        }
        #expect(refused.code == .alreadyRegistered && refused.message.contains("namespace"))
    }

    @Test(arguments: HostKind.allCases)
    func `scenes of the same classes are roots of one coordinator, on both hosts`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let (one, other) = (Self.scene(Main.self), Self.scene(Main.self))
        async let first = Self.run(one, in: fixture.coordinator)
        async let second = Self.run(other, in: fixture.coordinator)
        _ = try await (first, second)
        let paths = [one, other].map { fixture.coordinator.path(of: $0)?.text ?? "" }
        #expect(Set(paths) == ["Main", "Main_2"])
        #expect(
            fixture.coordinator.log.entries.map(\.path.text).sorted()
                == ["Main", "Main_2"].flatMap { Array(repeating: $0, count: 10) })
    }
}
