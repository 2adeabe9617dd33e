import BusTestSupport
import FlowBus
import FlowBusClient
import Testing

/// The service is killed in each phase of a step, and started again.
@MainActor
@Suite("A service that is killed in each phase of a step", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct KilledPhasesTests {
    enum Phase: CaseIterable {
        case beforeTheCall, adapting, announced, navigating, navigated, childBegins, answered
    }

    @Test(arguments: Phase.allCases)
    func `S-9 D-1 a step is taken once`(phase: Phase) async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let service = try #require(fixture.serviceFixture).service
        var isKilled = false
        func reach(_ reached: Phase) {
            guard reached == phase, !isKilled else { return }
            isKilled = true
            do { try service.restart() } catch { Issue.record("\(error)") }
        }
        var pages: [TestScreen] = []
        let flow = OddFlow(Main.self) { step in
            if case TestStep.three = step { reach(.childBegins) }
            guard case TestStep.one = step else { return .none }
            reach(.navigating)
            let page = TestScreen("page", initialStep: TestStep.three)
            page.show()
            pages.append(page)
            return [.contribute(withNext: page)]
        } adapt: { step in
            if case TestStep.one = step { reach(.adapting) }
            return step
        }
        let coordinator = fixture.coordinator
        try await fixture.begin(flow)
        let announced = coordinator.willNavigate.subscribe { navigation in
            if case TestStep.one = navigation.step { reach(.announced) }
        }
        let navigated = coordinator.didNavigate.subscribe { navigation in
            if case TestStep.one? = navigation.step { reach(.navigated) }
        }
        defer { for subscription in [announced, navigated] { subscription.end() } }

        reach(.beforeTheCall)
        // The call may fail with the service that it was made to. Its step goes on, if that service had taken it.
        let verdict = try? await coordinator.emit(TestStep.one, on: flow).verdict
        reach(.answered)
        let place = "/org/flowbus/Navigation1/tree/Main/page"
        if verdict == nil, phase == .beforeTheCall { try await coordinator.emit(TestStep.one, on: flow) }
        // Steps of a flow are taken in order, so those before this one have been.
        while await fixture.verdict(of: TestStep.four, on: flow) != "navigated" {}
        #expect(isKilled)
        let live = try service.objects().keys.filter { $0.hasPrefix(place) }
        #expect(live == [place])
        let shown = pages.filter { coordinator.path(of: $0) != nil }
        #expect(shown.map(coordinator.path(of:)) == ["Main/page"])
        #expect(shown.map(\.withdrawals) == [0])
    }
}
