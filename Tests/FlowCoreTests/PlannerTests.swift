import Testing

@testable import FlowCore

@Suite("Planner")
struct PlannerTests {
    private let definitions: Definitions = {
        var builder = DefinitionsBuilder()
        builder.step("go")
        builder.screen("home")
        builder.screen("page", ["number": "int64"])
        builder.flow("main", children: .stack)
        return builder.definitions
    }()

    private func forest() -> (forest: Forest, flow: NodeSlot) {
        var forest = Forest(base: "")
        let flow = forest.insert(
            Forest.Birth(
                kept: Node.Kept(name: "main", id: "main", isVisible: true, client: Client(":1.1")),
                flow: Boxed(Node.FlowState(definition: FlowID(0), covering: .stack))),
            below: nil)
        return (forest, flow)
    }

    private func plan(
        _ contributors: [FlowContributor], _ forest: Forest, _ flow: NodeSlot
    ) throws -> Plan {
        let step = WaitingStep(
            origin: 1, client: Client(":1.1"), flow: forest.id(of: flow), step: StepID(0), arguments: [], cause: 0,
            purpose: .triggered)
        return try Planner.plan(contributors, for: step, at: flow, Instant(microseconds: 0), forest, definitions)
    }

    private func screen(_ name: String, _ arguments: ArgumentSource = .given([])) throws -> FlowContributor {
        .child(
            ChildTemplate(.screen(try #require(definitions.screen(named: name))), arguments: arguments))
    }

    @Test func `S-13 a plan has all changes, with the ids and paths of new children`() throws {
        let (forest, flow) = forest()
        let plan = try plan([screen("home"), screen("home"), .end(nil)], forest, flow)
        #expect(plan.madeCount == 2)
        #expect(plan.contributions.map(\.path) == ["/main/home", "/main/home_2", nil])
        guard case .yes(nil) = plan.end else {
            Issue.record("the flow does not end")
            return
        }
    }

    @Test func `S-13 one contributor that can't be leaves no plan`() throws {
        let (forest, flow) = forest()
        #expect(throws: FlowError.self) { try plan([screen("home"), screen("page")], forest, flow) }
    }

    @Test func `S-33 a plan needs room for new children less removed ones`() throws {
        let (forest, flow) = forest()
        let plan = try plan([screen("home"), .pop(.root), screen("home")], forest, flow)
        #expect(plan.own.nodes == 2 && plan.own == plan.total)
        let empty = try self.plan([], forest, flow)
        #expect(!empty.needsQuota)
    }
}
