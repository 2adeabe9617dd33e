import FlowBus
import FlowBusClient
import Testing

/// Valid and invalid flow types, and their errors.
@MainActor
@Suite("Flow classes", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct KindsTests {
    private enum NoSteps: Oddity { static var steps: [any Step.Type] { [] } }
    private struct StructStep: Step { var number = 1 }
    private enum NoEnum: Oddity { static var steps: [any Step.Type] { [StructStep.self] } }
    private enum BadName: Oddity { static var definition: String { "my flow" } }
    private enum RootName: Oddity { static var definition: String { "root" } }
    private enum Hasty: Oddity { static var timeout: Duration { .milliseconds(5) } }
    private enum Endless: Oddity { static var timeout: Duration { .seconds(7200) } }
    private enum Backwards: Oddity { static var timeout: Duration { .seconds(-1) } }

    /// Returns the error for a flow.
    private func refused<Kind: Oddity>(_ kind: Kind.Type, _ host: HostKind, _ words: String...) async throws
        -> NavigationError.Code
    {
        let fixture = try CoordinatorFixture(host)
        let error = try await refusal {
            try await fixture.coordinator.coordinate(flow: OddFlow(kind), with: NoneStepper())
        }
        #expect(words.allSatisfy(error.message.contains), "\(error)")
        // It has left nothing behind.
        #expect(try await fixture.begin(OddFlow(Main.self)) == "Main")
        return error.code
    }

    @Test(arguments: HostKind.allCases)
    func `a flow without steps, or with an invalid step type, is refused with its name`(host: HostKind) async throws {
        #expect(try await refused(NoSteps.self, host, "NoSteps", "0 steps") == .invalidArguments)
        guard host == .onTheBus else { return }
        #expect(try await refused(NoEnum.self, host, "StructStep", "@Step") == .invalidStep)
    }

    @Test(arguments: HostKind.allCases)
    func `a name that can't be a flow's is refused`(host: HostKind) async throws {
        #expect(try await refused(BadName.self, host, "my flow", "letters") == .invalidName)
        #expect(try await refused(RootName.self, host, "root") == .invalidName)
    }

    @Test(arguments: HostKind.allCases)
    func `a time limit out of range is refused`(host: HostKind) async throws {
        #expect(try await refused(Hasty.self, host, "Hasty", "0.005", "10 ms") == .invalidArguments)
        #expect(try await refused(Endless.self, host, "Endless", "7200", "1 hour") == .invalidArguments)
        #expect(try await refused(Backwards.self, host, "Backwards", "-1") == .invalidArguments)
    }

    @Step
    fileprivate enum OtherStep { case one(Int) }
    private enum Other: Oddity { static var steps: [any Step.Type] { [OtherStep.self] } }
    private enum Both: Oddity { static var steps: [any Step.Type] { [TestStep.self, OtherStep.self] } }

    @Test func `S-3: a step that another flow declares with other arguments is refused by name`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        #expect(try await refused(Both.self, .onTheBus, "'one'", "TestStep", "OtherStep") == .invalidStep)
        let main = try await fixture.root(Main.self) { _ in .child(OddFlow(Other.self)) }
        let error = try await refusal {
            try await fixture.coordinator.coordinate(flow: OddFlow(Other.self), with: NoneStepper())
        }
        #expect(error.code == .invalidArguments && error.message.contains("one'"), "\(error)")
        // As a contributor, it fails the step.
        let refused = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: main) }
        #expect(refused.code == .navigatorFailed && refused.message.contains("one'"), "\(refused)")
    }

    private enum Twin: Oddity { static var definition: String { "Main" } }

    @Test(arguments: HostKind.allCases)
    func `two classes of one definition are refused by both names`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let main = try await fixture.root(Main.self) { _ in .child(OddFlow(Twin.self)) }
        let error = try await refusal {
            try await fixture.coordinator.coordinate(flow: OddFlow(Twin.self), with: NoneStepper())
        }
        #expect(error.code == .alreadyRegistered)
        #expect(["Main", "Twin"].allSatisfy(error.message.contains), "\(error)")
        let refused = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: main) }
        #expect(refused.code == .navigatorFailed && refused.message.contains("Twin"))
        #expect(await fixture.verdict(of: TestStep.two, on: main) == "NavigatorFailed")
    }

    @Test(arguments: HostKind.allCases)
    func `a refused class does not block its name`(host: HostKind) async throws {
        enum Bad: Oddity {
            static var definition: String { "Side" }
            static var timeout: Duration { .zero }
        }
        let fixture = try CoordinatorFixture(host)
        for _ in 1...2 {
            await #expect(throws: NavigationError.self) {
                try await fixture.coordinator.coordinate(flow: OddFlow(Bad.self), with: NoneStepper())
            }
        }
        #expect(try await fixture.begin(OddFlow(Side.self)) == "Side")
    }

    @Test(arguments: HostKind.allCases)
    func `S-3: a step that no flow declares, or another flow does`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let main = try await fixture.root(Main.self)
        let unknown = try await refusal { try await fixture.coordinator.emit(UndeclaredStep.undeclared, on: main) }
        #expect(unknown.code == .unknownStep && unknown.message.contains("undeclared"))
        #expect(
            try await refusal { try await fixture.coordinator.navigate(to: UndeclaredStep.undeclared) }.code
                == .unknownStep)
        enum Knowing: Oddity { static var steps: [any Step.Type] { [UndeclaredStep.self] } }
        try await fixture.begin(OddFlow(Knowing.self))
        #expect(await fixture.verdict(of: UndeclaredStep.undeclared, on: main) == "unhandled")
        let outcomes = try await fixture.coordinator.navigate(to: UndeclaredStep.undeclared)
        #expect(outcomes.map { "\($0.path)" } == ["Main", "Knowing"])
        #expect(try outcomes.map { try $0.result?.get().verdict } == [.unhandled, .navigated])
    }

    @Test(arguments: HostKind.allCases)
    func `the adapt of an unguarded flow is not called`(host: HostKind) async throws {
        enum Open: Oddity { static var isGuarded: Bool { false } }
        let fixture = try CoordinatorFixture(host)
        let flow = try await fixture.root(Open.self) { _ in
            .none
        } adapt: { _ in
            throw StepRejected()
        }
        #expect(await fixture.verdict(of: TestStep.one, on: flow) == "navigated")
    }

    @Test(arguments: HostKind.allCases)
    func `a hundred flows of one class live beside each other`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        var flows: [OddFlow<Main>] = []
        for _ in 1...100 {
            let flow = OddFlow(Main.self)
            try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
            flows.append(flow)
        }
        #expect(
            fixture.coordinator.path(of: flows[0]) == "Main" && fixture.coordinator.path(of: flows[99]) == "Main_100")
        #expect(await fixture.navigations(100).last == "Main_100 one")
    }
}
