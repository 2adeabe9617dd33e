import FlowBus
import FlowBusClient
import Testing

@MainActor
@Suite("RxFlow's FlowsTests, in Swift", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
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

    @Test
    func `test_use_triggers_block_when_n_flows_are_created: at once, before they are ready, one to five and a list`() {
        let (flows, leaf) = ((1...5).map { _ in TestFlow() }, LeafFlow())
        let calls = Calls()
        Flows.use(flows[0], when: .created) { root in calls.log.append("1 \(root.name)") }
        Flows.use(flows[0], leaf, when: .created) { root, leaf in calls.log.append("2 \(root.name) \(leaf.name)") }
        Flows.use(flows[0], flows[1], leaf, when: .created) { _, _, leaf in calls.log.append("3 \(leaf.name)") }
        Flows.use(flows[0], flows[1], flows[2], leaf, when: .created) { _, _, _, leaf in
            calls.log.append("4 \(leaf.name)")
        }
        Flows.use(flows[0], flows[1], flows[2], flows[3], leaf, when: .created) { one, _, _, _, five in
            calls.log.append("5 \(one.name) \(five.name)")
        }
        Flows.use(flows, when: .created) { (roots: [TestScreen]) in calls.log.append("all \(roots.count)") }
        #expect(
            calls.log == ["1 root", "2 root leafRoot", "3 leafRoot", "4 leafRoot", "5 root leafRoot", "all 5"])
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
