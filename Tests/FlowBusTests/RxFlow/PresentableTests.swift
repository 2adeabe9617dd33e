import FlowBus
import FlowBusClient
import Testing

@MainActor
@Suite("RxFlow's presentable tests, in Swift", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct PresentableTests {
    /// All values of a sequence that has ended.
    private func all<Values: AsyncSequence>(_ values: Values) async -> [Values.Element]
    where Values.Failure == Never {
        var all: [Values.Element] = []
        for await value in values { all.append(value) }
        return all
    }

    @Test func `S-14 testFlowVisible: false at first, then as its root is`() async {
        let flow = TestFlow()
        let visible: any AsyncSequence<Bool, Never> = flow.visible
        for _ in 0..<3 {
            flow.root.show()
            flow.root.hide()
        }
        flow.root.dismiss()
        #expect(await all(visible) == [false, true, false, true, false, true, false])
    }

    @Test func `S-22 testFlowDismissed: one value, and the end`() async {
        let flow = TestFlow()
        let dismissed: any AsyncSequence<Void, Never> = flow.dismissed
        flow.root.dismiss()
        #expect(await all(dismissed).count == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `S-14 testFlowVisible: a hidden flow takes no steps where it is told so`(host: HostKind) async throws {
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

    @Test func `S-14 testUIViewControllerVisible: false at first, then each change`() async {
        let screen = TestScreen()
        let visible = screen.presence.visible
        for _ in 0..<3 {
            screen.show()
            screen.hide()
        }
        screen.dismiss()
        #expect(await all(visible) == [false, true, false, true, false, true, false])
        #expect(await all(screen.presence.visible) == [false])
        let closed = TestScreen()
        closed.dismiss()
        #expect(await all(closed.presence.visible) == [])
    }

    @Test func `S-14 testUIViewControllerVisibleStartsVisible: the first value is true`() async {
        let screen = TestScreen()
        screen.show()
        let visible = screen.presence.visible
        screen.dismiss()
        #expect(await all(visible) == [true])
    }

    @Test func `S-14 testUIViewControllerVisible: a late observer begins with how it is`() async {
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
@Suite("RxFlow's FlowContributorTests, in Swift", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
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
