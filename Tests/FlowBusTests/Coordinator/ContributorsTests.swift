import FlowBus
import Testing

@MainActor
@Suite("Contributors", .timeLimit(.minutes(1)))
struct ContributorsTests {
    @Test(arguments: HostKind.allCases)
    func `S-17 S-18: none, one, several and an empty list are told as they are applied`(host: HostKind) async throws {
        let stage = try Stage(host)
        let main = try await stage.root(Main.self) { step in
            switch step as? TestStep {
            case .one: .child(TestScreen("list"))
            case .two: .all(.child(TestScreen("detail")), .child(OddFlow(Side.self)), .child(TestScreen("detail")))
            case .three: .multiple(flowContributors: [])
            default: .none
            }
        }
        for step in [TestStep.one, .two, .three, .four] { try await stage.coordinator.emit(step, on: main) }
        var contributions: [[String]] = []
        for _ in 1...4 {
            let navigation = try #require(await stage.navigation())
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
        let stage = try Stage(host)
        let side = OddFlow(Side.self) { step in
            guard case TestStep.two = step else { return .none }
            return .all(
                .forwardToCurrentFlow(withStep: TestStep.three), .child(OddFlow(Deep.self), TestStep.four),
                .forwardToParentFlow(withStep: TestStep.number(1)), .forwardToCurrentFlow(withStep: TestStep.five),
                .forwardToParentFlow(withStep: TestStep.number(2)))
        }
        _ = try await stage.root(Main.self) { if case TestStep.one = $0 { .child(side, TestStep.two) } else { .none } }
        try await stage.coordinator.navigate(to: TestStep.one)
        // What another flow does meanwhile stands between them, or not (S-6).
        let log = await stage.navigations(7)
        #expect(log.filter { $0.hasPrefix("Main ") } == ["Main one", "Main number(1)", "Main number(2)"])
        #expect(log.filter { $0.hasPrefix("Main/Side ") } == ["two", "three", "five"].map { "Main/Side \($0)" })
        #expect(log[2] == "Main number(1)" && log.contains("Main/Side/Deep four"))
    }

    @Test(arguments: HostKind.allCases)
    func `NoneStep is no step, wherever it stands`(host: HostKind) async throws {
        let stage = try Stage(host)
        let side = OddFlow(Side.self) { step in
            switch step as? TestStep {
            case .two: .all(.forwardToCurrentFlow(withStep: NoneStep()), .forwardToParentFlow(withStep: NoneStep()))
            case .three: .end(forwardToParentFlowWithStep: NoneStep())
            default: .none
            }
        }
        let main = try await stage.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .all(.child(side, NoneStep()), .child(TestScreen("page", initialStep: NoneStep())))
        }
        try await stage.coordinator.emit(TestStep.one, on: main)
        let stepper = TestStepper(NoneStep())
        let other = OddFlow(Deep.self)
        try await stage.begin(other, with: stepper)
        stepper.steps.accept(NoneStep())
        #expect(try await stage.coordinator.emit(TestStep.two, on: side).isNavigated)
        #expect(try await stage.coordinator.emit(TestStep.three, on: side).isNavigated)
        #expect(await stage.verdict(of: NoneStep(), on: main) == "InvalidStep")
        await #expect(throws: NavigationError.self) { try await stage.coordinator.navigate(to: NoneStep()) }
        try await stage.coordinator.emit(TestStep.four, on: main)
        #expect(
            await stage.navigations(4) == ["Main one", "Main/Side two", "Main/Side three", "Main four"])
        #expect(stage.coordinator.path(of: side) == nil && side.withdrawals == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `S-21: a child that ends goes with all below it, and its parent gets the step`(host: HostKind) async throws {
        let stage = try Stage(host)
        let page = TestScreen("page")
        let deep = OddFlow(Deep.self) { if case TestStep.one = $0 { .child(page) } else { .none } }
        let side = OddFlow(Side.self) { step in
            switch step as? TestStep {
            case .one: .child(deep, TestStep.one)
            case .number(let count): .end(forwardToParentFlowWithStep: TestStep.number(count + 1))
            default: .none
            }
        }
        let main = try await stage.root(Main.self) {
            if case TestStep.one = $0 { .child(side, TestStep.one) } else { .none }
        }
        try await stage.coordinator.emit(TestStep.one, on: main)
        #expect(await stage.navigations(3) == ["Main one", "Main/Side one", "Main/Side/Deep one"])
        #expect(try await stage.coordinator.emit(TestStep.number(4), on: side).isNavigated)
        #expect(await stage.navigations(2) == ["Main/Side number(4)", "Main number(5)"])
        #expect([page.withdrawals, deep.withdrawals, side.withdrawals, main.withdrawals] == [1, 1, 1, 0])
        #expect(await stage.verdict(of: TestStep.two, on: side) == NavigationError.Code.unknownObject.rawValue)
    }

    @Test(arguments: HostKind.allCases)
    func `S-21 S-12: a root that ends is gone, and what it would give to a parent is told`(host: HostKind) async throws
    {
        let stage = try Stage(host)
        let main = try await stage.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .end(forwardToParentFlowWithStep: TestStep.two)
        }
        #expect(await stage.verdict(of: TestStep.one, on: main) == "navigated")
        #expect(await stage.navigations(1) == ["Main one"])
        #expect(main.withdrawals == 1)
        #expect(stage.coordinator.path(of: main) == nil)
    }

    @Test(arguments: HostKind.allCases)
    func `S-20 S-12: a root that forwards to its parent is told that there is none`(host: HostKind) async throws {
        let stage = try Stage(host)
        let main = try await stage.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .one(flowContributor: .forwardToParentFlow(withStep: TestStep.two))
        }
        #expect(await stage.verdict(of: TestStep.one, on: main) == "navigated")
        let failure = try #require(await stage.failure())
        #expect(failure.path == "Main" && failure.step == "two")
    }

    @Test(arguments: HostKind.allCases)
    func `S-12: a step that the parent does not know is told as unhandled`(host: HostKind) async throws {
        enum Narrow: Oddity { static var steps: [any Step.Type] { [ParentStep.self] } }
        enum ParentStep: Step { case begin }
        let stage = try Stage(host)
        let side = OddFlow(Side.self) { step in
            guard case TestStep.one = step else { return .none }
            return .one(flowContributor: .forwardToParentFlow(withStep: TestStep.two))
        }
        let root = try await stage.root(Narrow.self) { _ in .child(side, TestStep.one) }
        try await stage.coordinator.emit(ParentStep.begin, on: root)
        #expect(await stage.navigations(2) == ["Narrow begin", "Narrow/Side one"])
        let failure = await stage.failures(1)
        #expect(failure == ["Narrow two unhandled"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-13: what can't be applied fails the step, nothing of it is there, and the next one is fine`(
        host: HostKind
    ) async throws {
        let stage = try Stage(host)
        weak var lost: TestScreen?
        let main = try await stage.root(Main.self) { step in
            switch step as? TestStep {
            case .one:
                let page = TestScreen("page")
                lost = page
                return .all(.child(page), .child(TestScreen("not a name")))
            case .three: return .child(TestScreen("page"))
            default: return .one(flowContributor: .forwardToCurrentFlow(withStep: StrangerStep.stranger))
            }
        }
        let refusals: [(TestStep, NavigationError.Code, [String])] = [
            (.one, .navigatorFailed, ["'not a name'", "letters"]), (.four, .navigatorFailed, ["'stranger'"]),
        ]
        for (step, code, words) in refusals {
            let error = try await refusal { try await stage.coordinator.emit(step, on: main) }
            #expect(error.code == code && words.allSatisfy(error.message.contains), "\(error)")
        }
        #expect(await stage.verdict(of: TestStep.three, on: main) == "navigated")
        #expect(lost == nil)
        let navigation = try #require(await stage.navigation())
        #expect(navigation.contributions.map(\.path) == ["Main/page"])
    }
}
