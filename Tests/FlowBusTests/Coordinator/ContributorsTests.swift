import FlowBus
import FlowBusClient
import Testing

@MainActor
@Suite("Contributors", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct ContributorsTests {
    @Test(arguments: HostKind.allCases)
    func `S-17 S-18: none, one, several and an empty list are reported as applied`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let main = try await fixture.root(Main.self) { step in
            switch step as? TestStep {
            case .one: .child(TestScreen("list"))
            case .two: .all(.child(TestScreen("detail")), .child(OddFlow(Side.self)), .child(TestScreen("detail")))
            case .three: .multiple(flowContributors: [])
            default: .none
            }
        }
        for step in [TestStep.one, .two, .three, .four] { try await fixture.coordinator.emit(step, on: main) }
        var contributions: [[String]] = []
        for _ in 1...4 {
            let navigation = try #require(await fixture.navigation())
            contributions.append(navigation.contributions.map { "\($0.kind) \($0.name) \($0.path?.text ?? "-")" })
        }
        #expect(
            contributions == [
                ["screen list Main/list"],
                ["screen detail Main/detail", "flow Side Main/Side", "screen detail Main/detail_2"], [], [],
            ])
    }

    @Test(arguments: HostKind.allCases)
    func `S-8 S-20: forwards to the parent go first, forwards to the same flow last, each in its order`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        let side = OddFlow(Side.self) { step in
            guard case TestStep.two = step else { return .none }
            return .all(
                .forwardToCurrentFlow(withStep: TestStep.three), .child(OddFlow(Deep.self), TestStep.four),
                .forwardToParentFlow(withStep: TestStep.number(1)), .forwardToCurrentFlow(withStep: TestStep.five),
                .forwardToParentFlow(withStep: TestStep.number(2)))
        }
        _ = try await fixture.root(Main.self) {
            if case TestStep.one = $0 { .child(side, TestStep.two) } else { .none }
        }
        try await fixture.coordinator.navigate(to: TestStep.one)
        // Navigations of another flow can be in between, or not (S-6).
        let log = await fixture.navigations(7)
        #expect(log.filter { $0.hasPrefix("Main ") } == ["Main one", "Main number(1)", "Main number(2)"])
        #expect(log.filter { $0.hasPrefix("Main/Side ") } == ["two", "three", "five"].map { "Main/Side \($0)" })
        #expect(log[2] == "Main number(1)" && log.contains("Main/Side/Deep four"))
    }

    @Test(arguments: HostKind.allCases)
    func `NoneStep is no step in any position`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let side = OddFlow(Side.self) { step in
            switch step as? TestStep {
            case .two: .all(.forwardToCurrentFlow(withStep: NoneStep()), .forwardToParentFlow(withStep: NoneStep()))
            case .three: .end(forwardToParentFlowWithStep: NoneStep())
            default: .none
            }
        }
        let main = try await fixture.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .all(.child(side, NoneStep()), .child(TestScreen("page", initialStep: NoneStep())))
        }
        try await fixture.coordinator.emit(TestStep.one, on: main)
        let stepper = TestStepper(NoneStep())
        let other = OddFlow(Deep.self)
        try await fixture.begin(other, with: stepper)
        stepper.steps.accept(NoneStep())
        #expect(try await fixture.coordinator.emit(TestStep.two, on: side).isNavigated)
        #expect(try await fixture.coordinator.emit(TestStep.three, on: side).isNavigated)
        #expect(await fixture.verdict(of: NoneStep(), on: main) == "InvalidStep")
        await #expect(throws: NavigationError.self) { try await fixture.coordinator.navigate(to: NoneStep()) }
        try await fixture.coordinator.emit(TestStep.four, on: main)
        #expect(
            await fixture.navigations(4) == ["Main one", "Main/Side two", "Main/Side three", "Main four"])
        #expect(fixture.coordinator.path(of: side) == nil && side.withdrawals == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `S-21: a child that ends is dismissed with everything below it, and its parent gets the step`(host: HostKind)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen("page")
        let deep = OddFlow(Deep.self) { if case TestStep.one = $0 { .child(page) } else { .none } }
        let side = OddFlow(Side.self) { step in
            switch step as? TestStep {
            case .one: .child(deep, TestStep.one)
            case .number(let count): .end(forwardToParentFlowWithStep: TestStep.number(count + 1))
            default: .none
            }
        }
        let main = try await fixture.root(Main.self) {
            if case TestStep.one = $0 { .child(side, TestStep.one) } else { .none }
        }
        try await fixture.coordinator.emit(TestStep.one, on: main)
        #expect(await fixture.navigations(3) == ["Main one", "Main/Side one", "Main/Side/Deep one"])
        #expect(try await fixture.coordinator.emit(TestStep.number(4), on: side).isNavigated)
        #expect(await fixture.navigations(2) == ["Main/Side number(4)", "Main number(5)"])
        #expect([page.withdrawals, deep.withdrawals, side.withdrawals, main.withdrawals] == [1, 1, 1, 0])
        #expect(await fixture.verdict(of: TestStep.two, on: side) == NavigationError.Code.unknownObject.rawValue)
    }

    @Test(arguments: HostKind.allCases)
    func `S-21 S-12: a root ends, and its step for a parent is reported`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let main = try await fixture.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .end(forwardToParentFlowWithStep: TestStep.two)
        }
        #expect(await fixture.verdict(of: TestStep.one, on: main) == "navigated")
        #expect(await fixture.navigations(1) == ["Main one"])
        #expect(main.withdrawals == 1)
        #expect(fixture.coordinator.path(of: main) == nil)
    }

    @Test(arguments: HostKind.allCases)
    func `S-20 S-12: a forward from a root to its parent is reported as a failure`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let main = try await fixture.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .one(flowContributor: .forwardToParentFlow(withStep: TestStep.two))
        }
        #expect(await fixture.verdict(of: TestStep.one, on: main) == "navigated")
        let failure = try #require(await fixture.failure())
        #expect(failure.path == "Main" && failure.step == "two")
    }

    @Test(arguments: HostKind.allCases)
    func `S-12: a step that the parent does not know is reported as unhandled`(host: HostKind) async throws {
        enum Narrow: Oddity { static var steps: [any Step.Type] { [ParentStep.self] } }
        let fixture = try CoordinatorFixture(host)
        let side = OddFlow(Side.self) { step in
            guard case TestStep.one = step else { return .none }
            return .one(flowContributor: .forwardToParentFlow(withStep: TestStep.two))
        }
        let root = try await fixture.root(Narrow.self) { _ in .child(side, TestStep.one) }
        try await fixture.coordinator.emit(ParentStep.begin, on: root)
        #expect(await fixture.navigations(2) == ["Narrow begin", "Narrow/Side one"])
        let failure = await fixture.failures(1)
        #expect(failure == ["Narrow two unhandled"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-13: invalid contributors fail the step without any effect, and the next one works`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        weak var lost: TestScreen?
        let main = try await fixture.root(Main.self) { step in
            switch step as? TestStep {
            case .one:
                let page = TestScreen("page")
                lost = page
                return .all(.child(page), .child(TestScreen("not a name")))
            case .three: return .child(TestScreen("page"))
            default: return .one(flowContributor: .forwardToCurrentFlow(withStep: UndeclaredStep.undeclared))
            }
        }
        let refusals: [(TestStep, NavigationError.Code, [String])] = [
            (.one, .navigatorFailed, ["'not a name'", "letters"]), (.four, .navigatorFailed, ["'undeclared'"]),
        ]
        for (step, code, words) in refusals {
            let error = try await refusal { try await fixture.coordinator.emit(step, on: main) }
            #expect(error.code == code && words.allSatisfy(error.message.contains), "\(error)")
        }
        #expect(await fixture.verdict(of: TestStep.three, on: main) == "navigated")
        #expect(lost == nil)
        let navigation = try #require(await fixture.navigation())
        #expect(navigation.contributions.map(\.path) == ["Main/page"])
    }
}

@Step
private enum ParentStep { case begin }
