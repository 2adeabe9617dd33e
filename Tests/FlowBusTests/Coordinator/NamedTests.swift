import BusTestSupport
import FlowBus
import FlowBusClient
import Testing

@MainActor
@Suite("Children of other programs, by name", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct NamedTests {
    /// A flow with this contributor for `one`, and none otherwise.
    private func contributing(_ contributor: FlowContributor) -> TestFlow {
        TestFlow { step in
            if case TestStep.one = step { .one(flowContributor: contributor) } else { .none }
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-18 a registered flow is created when it begins`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        var made = 0
        try await fixture.coordinator.register(LeafFlow.self) {
            made += 1
            return LeafFlow { step in
                guard case TestStep.two = step else { return .none }
                return .end(forwardToParentFlowWithStep: TestStep.three)
            }
        }
        let flow = contributing(.contributeFlow(named: "leaf", withInitialStep: TestStep.two, style: "modal"))
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.navigations(3) == ["TestFlow one", "TestFlow/leaf two", "TestFlow three"])
        #expect(made == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `S-12 S-13 unknown names are reported, with the nearest name`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        try await fixture.coordinator.register(LeafFlow.self) { LeafFlow() }
        for (contributor, name) in [
            (FlowContributor.contributeFlow(named: "lef"), "no flow 'lef' is defined; did you mean 'leaf'?"),
            (.contributeScreen(named: "pag"), "screen"),
        ] {
            let flow = contributing(contributor)
            try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
            let failure = try #require(await fixture.failure())
            #expect(failure.error?.code == .navigatorFailed && failure.verdict == nil && failure.step == "one")
            #expect(failure.message.contains(name), "\(failure.message)")
        }
    }

    @Test func `S-18 flows and screens of definition files, and their arguments`() async throws {
        let service = try Service(
            """
            [steps]
            begin = { item = "int64" }
            [screens]
            detail = { arguments = { item = "int64", lang = "string?" } }
            [flows.shop]
            initial = "begin"
            arguments = { lang = "string" }
            [flows.shop.on]
            begin = { screen = "detail", arguments = { item = "$item", lang = "$flow.lang" } }
            """)
        let bus = try NavigationBus(.address(service.bus.address))
        let coordinator = try FlowCoordinator(bus: bus)
        let flow = TestFlow { step in
            guard case TestStep.one = step else { return .none }
            return .multiple(flowContributors: [
                .contributeFlow(
                    named: "shop", withInitialStep: ItemStep.begin(item: 4), arguments: ["lang": .string("en")]),
                .contributeScreen(named: "detail", arguments: ["item": .int64(7)], style: "modal"),
            ])
        }
        var events = bus.watch("TestFlow").makeAsyncIterator()
        _ = await events.next(isolation: #isolation)
        try await coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        var found: [NodePath: Node] = [:]
        while found["TestFlow/shop/detail"] == nil, let event = await events.next(isolation: #isolation) {
            if case .added(let node) = event { found[node.path] = node }
        }
        #expect(found["TestFlow/shop"]?.arguments == ["lang": .string("en")])
        #expect(found["TestFlow/shop/detail"]?.arguments == ["item": .int64(4), "lang": .string("en")])
        #expect(found["TestFlow/detail"]?.arguments == ["item": .int64(7)])
        #expect(found["TestFlow/detail"]?.style == "modal")
    }
}

@Step
private enum ItemStep { case begin(item: Int) }
