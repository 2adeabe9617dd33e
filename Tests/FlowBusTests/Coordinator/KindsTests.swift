import FlowBus
import Testing

/// Which flows can live, and what is said of those that can't.
@MainActor
@Suite("Flow classes", .timeLimit(.minutes(1)))
struct KindsTests {
    private enum NoSteps: Oddity { static var steps: [any Step.Type] { [] } }
    private struct StructStep: Step { var number = 1 }
    private enum NoEnum: Oddity { static var steps: [any Step.Type] { [StructStep.self] } }
    private enum FloatStep: Step { case zoom(by: Float) }
    private enum NoType: Oddity { static var steps: [any Step.Type] { [FloatStep.self] } }
    private enum BadName: Oddity { static var definition: String { "my flow" } }
    private enum RootName: Oddity { static var definition: String { "root" } }
    private enum Hasty: Oddity { static var timeout: Duration { .milliseconds(5) } }
    private enum Endless: Oddity { static var timeout: Duration { .seconds(7200) } }
    private enum Backwards: Oddity { static var timeout: Duration { .seconds(-1) } }

    /// The refusal of a flow, with what it has to say.
    private func refused<Kind: Oddity>(_ kind: Kind.Type, _ host: HostKind, _ words: String...) async throws
        -> NavigationError.Code
    {
        let stage = try Stage(host)
        let error = try await refusal {
            try await stage.coordinator.coordinate(flow: OddFlow(kind), with: NoneStepper())
        }
        #expect(words.allSatisfy(error.message.contains), "\(error)")
        // Nothing is left of it.
        #expect(try await stage.begin(OddFlow(Main.self)) == "Main")
        return error.code
    }

    @Test(arguments: HostKind.allCases)
    func `a flow without steps, or with what is no step, is refused by name`(host: HostKind) async throws {
        #expect(try await refused(NoSteps.self, host, "NoSteps", "0 steps") == .invalidArguments)
        #expect(try await refused(NoEnum.self, host, "StructStep", "enum") == .invalidStep)
        #expect(try await refused(NoType.self, host, "zoom", "by", "Float", "Double") == .invalidStep)
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

    private enum OtherStep: Step { case one(Int) }
    private enum Other: Oddity { static var steps: [any Step.Type] { [OtherStep.self] } }
    private enum Both: Oddity { static var steps: [any Step.Type] { [TestStep.self, OtherStep.self] } }

    @Test(arguments: HostKind.allCases)
    func `S-3: a step that another flow declares with other arguments is refused by name`(host: HostKind) async throws {
        let stage = try Stage(host)
        #expect(try await refused(Both.self, host, "'one'", "TestStep", "OtherStep") == .invalidStep)
        let main = try await stage.root(Main.self) { _ in .child(OddFlow(Other.self)) }
        let error = try await refusal {
            try await stage.coordinator.coordinate(flow: OddFlow(Other.self), with: NoneStepper())
        }
        #expect(error.code == .invalidArguments && error.message.contains("'one'"), "\(error)")
        // Contributed, it fails the step.
        let refused = try await refusal { try await stage.coordinator.emit(TestStep.one, on: main) }
        #expect(refused.code == .navigatorFailed && refused.message.contains("step 'one'"), "\(refused)")
    }

    private enum Twin: Oddity { static var definition: String { "Main" } }

    @Test(arguments: HostKind.allCases)
    func `two classes of one definition are refused by both names`(host: HostKind) async throws {
        let stage = try Stage(host)
        let main = try await stage.root(Main.self) { _ in .child(OddFlow(Twin.self)) }
        let error = try await refusal {
            try await stage.coordinator.coordinate(flow: OddFlow(Twin.self), with: NoneStepper())
        }
        #expect(error.code == .alreadyRegistered)
        #expect(["Main", "Twin"].allSatisfy(error.message.contains), "\(error)")
        let refused = try await refusal { try await stage.coordinator.emit(TestStep.one, on: main) }
        #expect(refused.code == .navigatorFailed && refused.message.contains("Twin"))
        #expect(await stage.verdict(of: TestStep.two, on: main) == "NavigatorFailed")
    }

    @Test(arguments: HostKind.allCases)
    func `a class that was refused keeps its name from nobody`(host: HostKind) async throws {
        enum Bad: Oddity {
            static var definition: String { "Side" }
            static var timeout: Duration { .zero }
        }
        let stage = try Stage(host)
        for _ in 1...2 {
            await #expect(throws: NavigationError.self) {
                try await stage.coordinator.coordinate(flow: OddFlow(Bad.self), with: NoneStepper())
            }
        }
        #expect(try await stage.begin(OddFlow(Side.self)) == "Side")
    }

    @Test(arguments: HostKind.allCases)
    func `S-3: a step that no flow knows, or not this one`(host: HostKind) async throws {
        let stage = try Stage(host)
        let main = try await stage.root(Main.self)
        let unknown = try await refusal { try await stage.coordinator.emit(StrangerStep.stranger, on: main) }
        #expect(unknown.code == .unknownStep && unknown.message.contains("stranger"))
        #expect(
            try await refusal { try await stage.coordinator.navigate(to: StrangerStep.stranger) }.code == .unknownStep)
        enum Knowing: Oddity { static var steps: [any Step.Type] { [StrangerStep.self] } }
        try await stage.begin(OddFlow(Knowing.self))
        #expect(await stage.verdict(of: StrangerStep.stranger, on: main) == "unhandled")
        let outcomes = try await stage.coordinator.navigate(to: StrangerStep.stranger)
        #expect(outcomes.map { "\($0.path)" } == ["Main", "Knowing"])
        #expect(try outcomes.map { try $0.result?.get().verdict } == [.unhandled, .navigated])
    }

    @Test(arguments: HostKind.allCases)
    func `a flow that nobody guards is not asked what to take instead`(host: HostKind) async throws {
        enum Open: Oddity { static var isGuarded: Bool { false } }
        let stage = try Stage(host)
        let flow = try await stage.root(Open.self) { _ in
            .none
        } adapt: { _ in
            throw StepRejected()
        }
        #expect(await stage.verdict(of: TestStep.one, on: flow) == "navigated")
    }

    @Test(arguments: HostKind.allCases)
    func `a hundred flows of one class live beside each other`(host: HostKind) async throws {
        let stage = try Stage(host)
        var flows: [OddFlow<Main>] = []
        for _ in 1...100 {
            let flow = OddFlow(Main.self)
            try await stage.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
            flows.append(flow)
        }
        #expect(stage.coordinator.path(of: flows[0]) == "Main" && stage.coordinator.path(of: flows[99]) == "Main_100")
        #expect(await stage.navigations(100).last == "Main_100 one")
    }
}
