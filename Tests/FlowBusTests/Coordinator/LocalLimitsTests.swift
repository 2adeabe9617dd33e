import FlowBus
import FlowBusClient
import Testing

/// What ends in one process, where no limit of the service holds, and how that is said.
@MainActor
@Suite("Limits and messages in one process", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct LocalLimitsTests {
    private struct Trouble: Error {}

    @Test func `S-33: a flow has any number of children`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let flow = try await fixture.root(Main.self) { _ in
            .multiple(flowContributors: (0..<1_500).map { _ in .child(TestScreen("page")) })
        }
        try await fixture.coordinator.emit(TestStep.one, on: flow)
        try await fixture.coordinator.emit(TestStep.one, on: flow)
        #expect(await fixture.navigation()?.contributions.count == 1_500)
        #expect(await fixture.navigation()?.contributions.last?.path == "Main/page_3000")
    }

    @Test func `S-33: flows are nested deeper than 64, in one cascade`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let flow = OddFlow(Deep.self, Self.nested)
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.number(300)))
        for _ in 0..<300 { _ = await fixture.navigation() }
        let last = try #require(await fixture.navigation())
        #expect(last.step as? TestStep == .number(0))
        #expect(last.path.text.split(separator: "/").count == 301)
    }

    private static func nested(_ step: any Step) -> FlowContributors {
        guard case TestStep.number(let left) = step, left != 0 else { return .none }
        return .child(OddFlow(Deep.self, nested), TestStep.number(left - 1))
    }

    @Test func `S-11: a chain is longer than 256 steps, and a loop ends`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        var count = 0
        let flow = try await fixture.root(Main.self) { step in
            guard case TestStep.number(let left) = step, left != 0 else { return .none }
            count += 1
            return .one(flowContributor: .forwardToCurrentFlow(withStep: TestStep.number(left - 1)))
        }
        try await fixture.coordinator.emit(TestStep.number(1_000), on: flow)
        for _ in 0..<1_000 { _ = await fixture.navigation() }
        #expect(await fixture.navigations(1) == ["Main number(0)"])
        count = 0
        try await fixture.coordinator.emit(TestStep.number(-1), on: flow)
        let failure = try #require(await fixture.failure())
        #expect(failure.error?.code == .navigationLoop && count == 10_001)
        #expect(failure.error?.message.contains("step 'TestStep.number'") == true)
        #expect(try await fixture.coordinator.emit(TestStep.one, on: flow).isNavigated)
    }

    @Test func `S-11: a loop of flows in flows ends before the stack does`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let flow = OddFlow(Deep.self, Self.nested)
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.number(-1)))
        let failure = try #require(await fixture.failure())
        #expect(failure.error?.code == .limitExceeded)
        #expect(failure.error?.message.contains("1000 presentables") == true)
        #expect(try await fixture.coordinator.emit(TestStep.number(0), on: flow).isNavigated)
    }

    private func message(_ fixture: CoordinatorFixture, of step: TestStep, on flow: any Flow) async throws -> String {
        try await refusal { try await fixture.coordinator.emit(step, on: flow) }.message
    }

    @Test func `messages name the types of flows and the cases of steps`() async throws {
        enum Hasty: Oddity { static var timeout: Duration { .milliseconds(10) } }
        enum Named: Oddity { static var definition: String { "other_name" } }
        let fixture = try CoordinatorFixture(.inProcess)
        let gates = Gates()
        let hasty = try await fixture.root(Hasty.self) { _ in
            .none
        } adapt: { step in
            try await gates.waitOrThrow()
            return step
        }
        let flow = try await fixture.root(Main.self) { step in
            if case TestStep.two = step { return .unhandled }
            return .child(TestScreen("no name"))
        } adapt: { step in
            switch step as? TestStep {
            case .one: throw Trouble()
            case .three: throw StepRejected()
            default: return step
            }
        }
        #expect(try await message(fixture, of: .one, on: flow) == "'OddFlow<Main>.adapt(step:)' failed: Trouble()")
        #expect(
            try await message(fixture, of: .one, on: hasty) == "'OddFlow<Hasty>.adapt(step:)' did not answer in time")
        #expect(
            try await message(fixture, of: .four, on: flow)
                .hasPrefix("'OddFlow<Main>.navigate(to:)' failed: declare 'name' in 'TestScreen': 'no name'"))
        let steps = TestStepper()
        let other = OddFlow(Named.self) { step in
            if case TestStep.two = step { return .unhandled }
            return .none
        } adapt: { step in
            if case TestStep.three = step { throw StepRejected() }
            return step
        }
        try await fixture.begin(other, with: steps)
        let emitter = OneStepper(withSingleStep: TestStep.two)
        try await fixture.coordinator.coordinate(flow: OddFlow(Side.self) { _ in .unhandled }, with: emitter)
        #expect(
            await fixture.failure()?.message
                == "'OddFlow<Side>.navigate(to:)' does not take step 'TestStep.two'")
        let rejected = OneStepper(withSingleStep: TestStep.three)
        let third = OddFlow(Named.self) { _ in
            .none
        } adapt: { _ in
            throw StepRejected()
        }
        try await fixture.coordinator.coordinate(flow: third, with: rejected)
        #expect(
            await fixture.failure()?.message
                == "'OddFlow<Named>.adapt(step:)' refused step 'TestStep.three'")
        let page = TestScreen("page")
        let hidden = try await fixture.root(Deep.self) { _ in .one(flowContributor: .contribute(withNext: page)) }
        try await fixture.coordinator.emit(TestStep.one, on: hidden)
        page.hide()
        page.steps.accept(TestStep.five)
        #expect(await fixture.failure()?.message.contains("/org/") == false)
    }
}
