import FlowBus
import FlowBusClient
import Testing

@MainActor
@Suite("RxFlow's FlowsTests, in Swift", .timeLimit(.minutes(1)))
struct FlowsTests {
    /// Logs calls in order.
    private final class Calls {
        var log: [String] = []
    }

    private func begin(_ flows: [TestFlow], _ fixture: CoordinatorFixture) async throws {
        for flow in flows { try await fixture.begin(flow, with: OneStepper(withSingleStep: TestStep.one)) }
    }

    @Test(arguments: HostKind.allCases)
    func `S-26 test_use_triggers_block_when_n_flows_are_ready: one to five, and a list`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flows = (1...5).map { _ in TestFlow() }
        let calls = Calls()
        Flows.use(flows[0], when: .ready) { _ in calls.log.append("1") }
        Flows.use(flows[0], flows[1], when: .ready) { _, _ in calls.log.append("2") }
        Flows.use(flows[0], flows[1], flows[2], when: .ready) { _, _, _ in calls.log.append("3") }
        Flows.use(flows[0], flows[1], flows[2], flows[3], when: .ready) { _, _, _, _ in calls.log.append("4") }
        Flows.use(flows[0], flows[1], flows[2], flows[3], flows[4], when: .ready) { one, _, _, _, five in
            calls.log.append("5")
            #expect(one === flows[0].root && five === flows[4].root)
        }
        Flows.use(flows, when: .ready) { (roots: [TestScreen]) in
            calls.log.append("all")
            #expect(roots.map(\.name) == Array(repeating: "root", count: 5))
        }
        #expect(calls.log.isEmpty)
        try await begin(Array(flows.prefix(4)), fixture)
        #expect(calls.log == ["1", "2", "3", "4"])
        try await begin([flows[4]], fixture)
        #expect(calls.log == ["1", "2", "3", "4", "5", "all"])
        // A late subscription is called immediately.
        Flows.use(flows[0], flows[4], when: .ready) { _, _ in calls.log.append("late") }
        #expect(calls.log.last == "late")
    }

    @Test func `a list takes the type that all roots have`() {
        let flows: [any Flow] = [TestFlow(), LeafFlow()]
        let calls = Calls()
        Flows.use(flows, when: .created) { (roots: [any Presentable]) in calls.log = roots.map(\.name) }
        #expect(calls.log == ["root", "leafRoot"])
    }

    @Test func `a list with a root of another type ends the program, and says which`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                Flows.use([TestFlow()], when: .ready) { (_: [PublishRelay<Int>]) in }
            }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(
            text.contains(
                "Flows.use: the root of the flow 'TestFlow' is of the type 'TestScreen', and the block takes roots of the type "
                    + "'PublishRelay<Int>'"))
    }

    @Test func `test_use_triggers_block_when_n_flows_are_created: at once, before they are ready`() {
        let calls = Calls()
        Flows.use(TestFlow(), LeafFlow(), when: .created) { root, leaf in calls.log.append("\(root.name) \(leaf.name)")
        }
        #expect(calls.log == ["root leafRoot"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-26 test_use_triggers_block_when_one_flow_is_ready: not before its adapt has ended`(host: HostKind)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let flow = TestFlow(adapt: { step in
            for await _ in gate { break }
            return step
        })
        let calls = Calls()
        Flows.use(flow, when: .ready) { _ in calls.log.append("ready") }
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(calls.log.isEmpty)
        open.yield(())
        await fixture.ready(flow)
        #expect(calls.log == ["ready"])
        #expect(await fixture.navigations(1) == ["TestFlow one"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-26 test_use_triggers_block_when_one_flow_is_ready: a child without a stepper does not delay it`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        let leaf = LeafFlow()
        let flow = TestFlow { step in
            guard case TestStep.one = step else { return .none }
            return .one(flowContributor: .contribute(withNextPresentable: leaf, withNextStepper: NoneStepper()))
        }
        try await fixture.begin(flow, with: OneStepper(withSingleStep: TestStep.one))
        // The children exist when the block runs.
        #expect(fixture.coordinator.path(of: leaf) == "TestFlow/leaf")
        await fixture.ready(leaf)
    }
}

@MainActor
@Suite("RxFlow's presentable tests, in Swift", .timeLimit(.minutes(1)))
struct PresentableTests {
    @Test(arguments: HostKind.allCases)
    func `S-14 testFlowVisible: a flow is as its root is`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = TestFlow()
        try await fixture.coordinator.coordinate(flow: flow, with: NoneStepper(), allowStepWhenNotPresented: false)
        for number in 1...3 {
            flow.root.hide()
            #expect(try await fixture.coordinator.emit(TestStep.number(number), on: flow).verdict == .hidden)
            flow.root.show()
            #expect(try await fixture.coordinator.emit(TestStep.number(number), on: flow).verdict == .navigated)
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-22 testFlowDismissed: once, and it is over`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = TestFlow()
        try await fixture.begin(flow)
        flow.root.dismiss()
        flow.root.dismiss()
        let error = await #expect(throws: NavigationError.self) {
            // The first may cross the dismissal.
            try await fixture.coordinator.emit(TestStep.one, on: flow)
            try await fixture.coordinator.emit(TestStep.one, on: flow)
        }
        #expect(error?.code == .unknownObject)
    }

    @Test(arguments: HostKind.allCases)
    func `S-21 S-22 testFlowDismissed: a flow that ends takes its root with it, and its parent lives on`(host: HostKind)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let leaf = LeafFlow { _ in .end(forwardToParentFlowWithStep: TestStep.three) }
        let flow = TestFlow { step in
            guard case TestStep.one = step else { return .none }
            return .one(
                flowContributor: .contribute(
                    withNextPresentable: leaf, withNextStepper: OneStepper(withSingleStep: TestStep.two)))
        }
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.navigations(3) == ["TestFlow one", "TestFlow/leaf two", "TestFlow three"])
        #expect(leaf.root.withdrawals == 1 && flow.root.withdrawals == 0)
        #expect(fixture.coordinator.path(of: leaf) == nil)
    }

    @Test func `S-14 testUIViewControllerVisible: its changes, and first how it is`() async {
        let screen = TestScreen()
        var early = screen.presence.visible.makeAsyncIterator()
        screen.show()
        screen.show()
        screen.hide()
        var late = screen.presence.visible.makeAsyncIterator()
        screen.show()
        screen.dismiss()
        screen.hide()
        var log: [Bool] = []
        while let value = await early.next() { log.append(value) }
        #expect(log == [false, true, false, true])
        log = []
        while let value = await late.next() { log.append(value) }
        #expect(log == [false, true])
    }

    @Test func `S-22 testUIViewControllerDismissed: reported once, also to a late observer`() async {
        let screen = TestScreen()
        var early = screen.presence.dismissed.makeAsyncIterator()
        screen.dismiss()
        var late = screen.presence.dismissed.makeAsyncIterator()
        screen.dismiss()
        #expect(await early.next() != nil)
        #expect(await early.next() == nil)
        #expect(await late.next() != nil)
        #expect(await late.next() == nil)
    }
}

@MainActor
@Suite("RxFlow's FlowContributorTests, in Swift", .timeLimit(.minutes(1)))
struct FlowContributorTests {
    @Test func `S-4 testContributeWithNext_returnsContributeWithNextPresentable_andNextStepper: one object is both`() {
        let page = TestScreen()
        guard
            case .contribute(let presentable, let stepper, let allows, nil, _) = FlowContributor.contribute(
                withNext: page)
        else {
            Issue.record("no contribution")
            return
        }
        #expect(presentable === page && stepper === page && allows == nil)
    }
}
