import FlowBus
import FlowBusClient
import Testing

@MainActor
@Suite("The tree and the log of a coordinator", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct TreeAndLogTests {
    private func flow(_ leaf: LeafFlow) -> TestFlow {
        TestFlow { step in
            switch step as? TestStep {
            case .one:
                let page = TestScreen()
                page.show()
                return [.show(page), .start(leaf, with: TestStep.two)]
            case .three: return .end(with: TestStep.four)
            case .five: return .forward(TestStep.six)
            default: return .none
            }
        } adapt: { step in
            if case TestStep.four = step { TestStep.five } else { step }
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-14: the tree has what is live`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let leaf = LeafFlow { _ in .show(TestScreen("inner")) }
        let main = flow(leaf)
        #expect(fixture.coordinator.tree.roots == [] && fixture.coordinator.tree.description == "")
        try await fixture.begin(main, with: OneStepper(withSingleStep: TestStep.one))
        leaf.root.hide()
        _ = await fixture.navigations(2)
        // Taken after what the flow has said of its visibility.
        try await fixture.coordinator.emit(TestStep.six, on: main)
        let tree = fixture.coordinator.tree
        #expect(tree.description == "TestFlow\n  page\n  leaf (not presented)\n    inner (not presented)")
        let node = try #require(tree["TestFlow/leaf"])
        #expect(node.isFlow && !node.isPresented && node.isReady && node.name == "leaf" && node.children.count == 1)
        #expect(tree["TestFlow/page"]?.isFlow == false && tree["TestFlow/pag"] == nil && tree["TestFlow/page/x"] == nil)
        #expect(tree == fixture.coordinator.tree)
        #expect(fixture.coordinator.presentable(at: "TestFlow/leaf") === leaf)
        #expect(fixture.coordinator.presentable(at: "TestFlow/nothing") == nil)
    }

    @Test(arguments: HostKind.allCases)
    func `S-10 S-12: the log has navigations and failures`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let stepper = TestStepper()
        let main = flow(LeafFlow())
        try await fixture.begin(main, with: stepper)
        try await fixture.coordinator.emit(TestStep.four, on: main)
        _ = await fixture.navigations(2)
        stepper.steps.accept(TestStep.unauthorized)
        _ = await fixture.navigations(1)
        stepper.steps.accept(UndeclaredStep.undeclared)
        _ = await fixture.failures(1)
        let entries = fixture.coordinator.log.entries
        #expect(entries.map(\.step) == ["five", "six", "unauthorized", "undeclared"])
        #expect(entries.map { $0.serial > 0 } == [true, true, true, false])
        #expect(entries[1].cause == entries[0].serial && entries[0].adaptedFrom == "four")
        let first = entries[0].serial
        let text = fixture.coordinator.log.description
        #expect(text.hasPrefix("\(first) TestFlow: five (four) → current six\n\(first + 1) TestFlow: six\n"))
        #expect(text.split(separator: "\n").last?.hasPrefix("   TestFlow: undeclared: ") == true)
        let failed = if case .failed(let error) = entries[3].result { error.code } else { NavigationError.Code?.none }
        #expect(failed == .unknownStep)
    }

    @Test func `the log keeps the newest entries`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let main = TestFlow()
        try await fixture.begin(main)
        for number in 0..<300 { try await fixture.coordinator.emit(TestStep.number(number), on: main) }
        let serials = fixture.coordinator.log.entries.map(\.serial)
        #expect(NavigationLog.limit == 256)
        #expect(serials == Array(serials[0]..<serials[0] + 256))
        #expect(serials.last == 300)
    }
}
