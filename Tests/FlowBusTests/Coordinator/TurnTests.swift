import FlowBus
import FlowBusClient
import Testing

/// Steps that are emitted during other callbacks.
@MainActor
@Suite("Steps in the midst of others", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct TurnTests {
    /// State that must not be read while it changes: Swift's exclusivity check would stop the program.
    private struct Exclusive {
        var items = [1, 2, 3]

        mutating func change(_ body: () -> Void) {
            items.removeAll { _ in
                body(); return true
            }
        }
    }

    private final class Model: Stepper {
        let steps = PublishRelay<any Step>()
        var state = Exclusive()

        func clear() { state.change { steps.accept(TestStep.one) } }
    }

    @Test(arguments: HostKind.allCases)
    func `no flow is called before the emitter has returned`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let model = Model()
        let flow = OddFlow(Main.self) { _ in
            #expect(model.state.items.isEmpty)
            return .none
        }
        try await fixture.begin(flow, with: model)
        model.clear()
        #expect(await fixture.navigations(3) == Array(repeating: "Main one", count: 3))
    }

    @Test(arguments: HostKind.allCases)
    func `steps emitted in navigate, readyToEmitSteps, present, withdraw and use come after, in order`(
        host: HostKind
    ) async throws {
        let fixture = try CoordinatorFixture(host)
        let stepper = TestStepper()
        let page = BusyScreen("page")
        let side = OddFlow(Side.self)
        func number(_ number: Int) { stepper.steps.accept(TestStep.number(number)) }
        page.readies = { _ in number(2) }
        page.presents = { _ in number(4) }
        page.withdraws = { _ in number(5) }
        let flow = OddFlow(Main.self) { step in
            switch step as? TestStep {
            case .one:
                number(1)
                Flows.use(side, when: .ready) { _ in number(3) }
                return .all(.contribute(withNext: page), .child(side), .forwardToCurrentFlow(withStep: TestStep.two))
            default: return .none
            }
        }
        try await fixture.begin(flow, with: stepper)
        stepper.steps.accept(TestStep.one)
        #expect(
            await fixture.navigations(6)
                == ["one", "two", "number(1)", "number(2)", "number(3)", "number(4)"].map {
                    "Main \($0)"
                })
        try await fixture.coordinator.back(on: flow)
        side.root.dismiss()
        flow.root.dismiss()
        let failure = await fixture.failure()
        #expect(failure?.step == nil || failure?.step == "number")
    }

    @Test(arguments: HostKind.allCases)
    func `a flow may be coordinated from within navigate`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = OddFlow(Main.self) { [weak coordinator = fixture.coordinator] step in
            guard case TestStep.one = step else { return .none }
            let begin = OneStepper(withSingleStep: TestStep.two)
            Task { try await coordinator?.coordinate(flow: OddFlow(Side.self), with: begin) }
            return .none
        }
        try await fixture.coordinator.coordinate(flow: flow, with: OneStepper(withSingleStep: TestStep.one))
        #expect(Set(await fixture.navigations(2)) == ["Main one", "Side two"])
    }

    @Test func `an endless emitter leaves other tasks their turn`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let stepper = TestStepper()
        let flow = OddFlow(Main.self) { _ in
            stepper.steps.accept(TestStep.two)
            return .none
        }
        try await fixture.begin(flow, with: stepper)
        stepper.steps.accept(TestStep.one)
        // Otherwise the main actor would never be free, and this not reached.
        #expect(await fixture.navigations(600).last == "Main two")
        fixture.coordinator.end()
        stepper.steps.accept(TestStep.three)
    }

    @Test func `a relay delivers to all subscribers in one order, also during nested emissions`() async {
        let relay = PublishRelay<Int>()
        for value in 1...70 { relay.accept(value) }
        var first: [Int] = []
        let task = Task { for await value in relay.values { first.append(value); if value == 72 { return } } }
        while first.count < 64 { await Task.yield() }
        #expect(first == Array(7...70))
        var late = relay.values.makeAsyncIterator()
        relay.accept(71)
        relay.accept(72)
        await task.value
        #expect([await late.next(), await late.next()] == [71, 72])
        #expect(relay.lostCount == 6)
    }

    @Test func `a relay's subscribers keep their order when others end, also while a value is delivered`() {
        let relay = PublishRelay<Int>()
        var got: [String] = []
        var subscriptions: [String: Subscription] = [:]
        func subscribe(_ name: String, _ also: @escaping @FlowActor (Int) -> Void = { _ in }) {
            subscriptions[name] = relay.subscribe { value in
                got.append("\(name)\(value)")
                also(value)
            }
        }
        subscribe("a") { value in
            if value == 2 { for name in ["a", "c"] { subscriptions[name]?.end() } }
            if value == 2 { subscribe("e") }
        }
        for name in ["b", "c", "d"] { subscribe(name) }
        relay.accept(1)
        relay.accept(2)
        relay.accept(3)
        subscriptions["b"]?.end()
        subscriptions["e"]?.end()
        relay.accept(4)
        subscriptions["d"]?.end()
        relay.accept(5)
        subscribe("f")
        relay.accept(6)
        #expect(got == ["a1", "b1", "c1", "d1", "a2", "b2", "d2", "b3", "d3", "e3", "d4", "f6"])
    }

    @Test(arguments: HostKind.allCases)
    func `a stepper of steppers of steppers emits what all of them emit`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let leaves = [TestStep.one, .two, .three, .four].map { TestStepper($0) }
        leaves[3].steps.accept(TestStep.number(0))
        let pairs = [CompositeStepper(steppers: [leaves[0], leaves[1]]), CompositeStepper(steppers: [leaves[2]])]
        let all = CompositeStepper(steppers: [
            NoneStepper(), pairs[0], CompositeStepper(steppers: []), pairs[1], leaves[3],
        ])
        let flow = OddFlow(Main.self)
        try await fixture.begin(flow, with: all)
        #expect(leaves.map(\.readyCount) == [1, 1, 1, 1])
        for (number, leaf) in leaves.enumerated() { leaf.steps.accept(TestStep.number(number + 1)) }
        all.steps.accept(TestStep.five)
        #expect(
            await fixture.navigations(10) == ["one", "two", "three", "four"].map { "Main \($0)" }
                + (0...4).map { "Main number(\($0))" } + ["Main five"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-16: further initial steps of a hidden flow wait until it is shown`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let steppers = CompositeStepper(steppers: [TestStep.two, .three].map { OneStepper(withSingleStep: $0) })
        let side = OddFlow(Side.self)
        let main = try await fixture.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .one(flowContributor: .contribute(withNextPresentable: side, withNextStepper: steppers))
        }
        main.root.hide()
        try await fixture.coordinator.navigate(to: TestStep.one)
        #expect(await fixture.navigations(2) == ["Main one", "Main/Side two"])
        main.root.show()
        #expect(await fixture.navigations(1) == ["Main/Side three"])
    }

    @Test(arguments: HostKind.allCases)
    func `initialStep is read once`(host: HostKind) async throws {
        final class Counting: Stepper {
            let steps = PublishRelay<any Step>()
            var count = 0
            var initialStep: any Step {
                count += 1
                return TestStep.number(count)
            }
        }
        let fixture = try CoordinatorFixture(host)
        let (root, child) = (Counting(), Counting())
        let flow = OddFlow(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .one(
                flowContributor: .contribute(withNextPresentable: OddFlow(Side.self), withNextStepper: child))
        }
        try await fixture.begin(flow, with: root)
        try await fixture.coordinator.emit(TestStep.one, on: flow)
        #expect(await fixture.navigations(3) == ["Main number(1)", "Main one", "Main/Side number(1)"])
    }
}
