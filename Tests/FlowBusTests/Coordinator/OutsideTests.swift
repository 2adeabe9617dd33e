import BusTestSupport
import FlowBus
import FlowBusClient
import Testing

/// Other programs on the bus, which act on the flows of this one.
@MainActor
@Suite("Other programs", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct OutsideTests {
    @Test func `other programs start a registered flow, as a root and as a child`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let other = try #require(try fixture.serviceFixture?.connect())
        var made: [OddFlow<Side>] = []
        try await fixture.coordinator.register(OddFlow<Side>.self) {
            let flow = OddFlow(Side.self) { _ in .child(TestScreen("page")) }
            made.append(flow)
            return flow
        }
        let path = try await other.coordinate("Side", with: TestStep.one)
        // The other program may have its answer before this one has its question.
        let navigation = try #require(await fixture.navigation())
        #expect(path == "Side" && made.count == 1)
        #expect(navigation.flow === made[0] && navigation.sender == other.uniqueName)
        try await other.coordinate("Side", with: TestStep.number(2))
        #expect(await fixture.navigations(1) == ["Side_2 number(2)"])
        #expect(made.count == 2)
        // The program's own flow goes first if both are requested.
        let own = OddFlow(Side.self)
        try await fixture.begin(own, with: OneStepper(withSingleStep: TestStep.three))
        #expect(fixture.coordinator.path(of: own) == "Side_3" && made.count == 2)
        #expect(try await other.definitionNames() == ["Side"])
    }

    @Test func `a flow that this program can't create fails, and is reported`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let other = try #require(try fixture.serviceFixture?.connect())
        _ = try await fixture.root(Main.self)
        let path = try await other.coordinate("Main", with: TestStep.one)
        let error = try await refusal { try await other.emit(TestStep.two, on: path) }
        #expect(error.code == .guardFailed && error.message.contains("Main_2"), "\(error)")
    }

    @Test func `other programs emit, show, go back and dismiss, and this program observes it`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let other = try #require(try fixture.serviceFixture?.connect())
        let pages = (1...3).map { TestScreen("page\($0)") }
        enum Stack: Oddity { static var children: Children { .stack } }
        let flow = try await fixture.root(Stack.self) { step in
            guard case TestStep.number(let number) = step else { return .none }
            return .screen(pages[number])
        }
        try await other.emit("number", ["_0": .int64(0)], on: "Stack")
        try await other.emit(TestStep.number(1), on: "Stack")
        let wrong = try await refusal { try await other.emit("number", ["_0": .string("x")], on: "Stack") }
        #expect(wrong.code == .invalidArguments)
        #expect(await fixture.navigations(2) == ["Stack number(0)", "Stack number(1)"])
        pages[0].show()
        pages[1].show()
        try await fixture.coordinator.emit(TestStep.one, on: flow)
        #expect(try await other.emit(TestStep.two, on: "Stack/page1").isNavigated == false)
        // The presenter owns it (S-29).
        #expect(try await refusal { try await other.setVisible(false, at: "Stack/page2") }.code == .notOwner)
        #expect(try await other.back(on: "Stack").isNavigated)
        #expect(await fixture.navigations(2) == ["Stack one", "Stack back"])
        #expect(pages.map(\.withdrawals) == [0, 1, 0])
        try await other.setVisible(false, at: "Stack")
        #expect(await fixture.verdict(of: TestStep.three, on: pages[0]) == "hidden")
        #expect(await fixture.verdict(of: TestStep.three, on: flow) == "navigated")
        try await other.dismiss("Stack")
        #expect(await fixture.verdict(of: TestStep.three, on: flow) == NavigationError.Code.unknownObject.rawValue)
        #expect(flow.root.withdrawals == 0 && pages.map(\.withdrawals) == [1, 1, 0])
    }

    @Test func `another program's definitions and screens can't be registered again`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let other = try FlowCoordinator(bus: #require(try fixture.serviceFixture?.connect()))
        try await other.coordinate(
            flow: OddFlow(Side.self) { _ in .child(TestScreen("page")) },
            with: OneStepper(withSingleStep: TestStep.one))
        let error = try await refusal {
            try await fixture.coordinator.coordinate(flow: OddFlow(Side.self), with: NoneStepper())
        }
        #expect(error.code == .alreadyRegistered && error.message.contains("'Side'"))
        // Another program's screen fails the step, and has no other effect.
        let main = try await fixture.root(Main.self) { step in
            switch step as? TestStep {
            case .one: .child(TestScreen("page"))
            case .three: .child(OddFlow(Side.self))
            default: .child(TestScreen("own"))
            }
        }
        for _ in 1...2 {
            let error = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: main) }
            #expect(error.code == .navigatorFailed && error.message.contains("'page'"), "\(error)")
            #expect(await fixture.verdict(of: TestStep.two, on: main) == "navigated")
        }
        // Nor does another program's flow begin in place of one's own.
        #expect(await fixture.verdict(of: TestStep.three, on: main) == "NavigatorFailed")
        #expect(try fixture.serviceFixture.map { "\(try $0.service.objects())".contains("Main/Side") } == false)
        other.end()
        withExtendedLifetime(other) {}
    }
}
