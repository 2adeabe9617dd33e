import FlowBus
import FlowBusClient
import Testing

/// What becomes of an object that is contributed where a live child is used instead (S-19).
@MainActor
@Suite("Objects that reuse does not use", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct ReuseTests {
    private func contributing(_ screen: TestScreen, _ stepper: any Stepper) -> FlowContributors {
        .one(
            flowContributor: .contribute(
                withNextPresentable: screen, withNextStepper: stepper, options: ChildOptions(reuse: .newest)))
    }

    @Test(arguments: HostKind.allCases)
    func `it is withdrawn, as its flow may have shown it, unless it is the same`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let (first, second) = (TestScreen("list"), TestScreen("list"))
        let flow = try await fixture.root(Main.self) { step in
            if case TestStep.two = step {
                contributing(second, NoneStepper())
            } else {
                contributing(first, NoneStepper())
            }
        }
        for step in [TestStep.one, .three, .two] { try await fixture.coordinator.emit(step, on: flow) }
        #expect(await fixture.navigations(3).count == 3)
        #expect((first.withdrawals, second.withdrawals) == (0, 1))
        #expect(fixture.coordinator.path(of: first) == "Main/list" && fixture.coordinator.path(of: second) == nil)
    }

    @Test(arguments: HostKind.allCases)
    func `S-16: its further initial steps wait until the child that is used is shown`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen("list")
        let flow = try await fixture.root(Main.self) { step in
            switch step {
            case TestStep.one: return contributing(page, NoneStepper())
            case TestStep.two:
                let steppers = [TestStep.three, .four, .five].map { OneStepper(withSingleStep: $0) }
                return contributing(TestScreen("list"), CompositeStepper(steppers: steppers))
            default: return .none
            }
        }
        try await fixture.coordinator.emit(TestStep.one, on: flow)
        try await fixture.coordinator.emit(TestStep.two, on: flow)
        #expect(await fixture.navigations(2) == ["Main one", "Main two"])
        page.show()
        #expect(await fixture.navigations(3) == ["Main three", "Main four", "Main five"])
    }
}
