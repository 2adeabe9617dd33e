import Testing

@testable import FlowBus
@testable import FlowBusClient

/// RxFlow's demo logs its navigations by `rx.willNavigate` and `rx.didNavigate`.
@MainActor
@Suite("What happens in a coordinator, as RxFlow's apps log it", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct NavigationEventsTests {
    /// A log.
    private final class Log {
        var lines: [String] = []
        func note(_ line: String) { lines.append(line) }
    }

    /// A root whose step `one` leads to a flow that begins with `two`, and to `three`; it notes where its steps lead.
    private func root(_ log: Log) -> OddFlow<Main> {
        OddFlow(Main.self) { step in
            log.note("navigate Main \(step)")
            guard case TestStep.one = step else { return .none }
            let leaf = LeafFlow { step in
                log.note("navigate leaf \(step)")
                return .none
            }
            return .all(.child(leaf, TestStep.two), .forwardToCurrentFlow(withStep: TestStep.three))
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-5 willNavigate comes before navigate(to:), and didNavigate after it`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let (log, bag) = (Log(), DisposeBag())
        fixture.coordinator.rx.willNavigate
            .subscribe(onNext: { flow, step in log.note("will \(flow.name) \(step)") })
            .disposed(by: bag)
        fixture.coordinator.rx.didNavigate
            .subscribe(onNext: { flow, step in log.note("did \(flow.name) \(step)") })
            .disposed(by: bag)
        try await fixture.begin(root(log), with: OneStepper(withSingleStep: TestStep.one))
        #expect(await fixture.navigations(3) == ["Main one", "Main/leaf two", "Main three"])
        #expect(log.lines.prefix(3) == ["will Main one", "navigate Main one", "did Main one"])
        // On the bus the two flows are asked at once.
        for (flow, step) in [("leaf", "two"), ("Main", "three")] {
            #expect(
                log.lines.filter { $0.hasSuffix("\(flow) \(step)") } == [
                    "will \(flow) \(step)", "navigate \(flow) \(step)", "did \(flow) \(step)",
                ])
        }
    }

    @Test(arguments: HostKind.allCases)
    func `two tasks that read willNavigate and didNavigate see each will before its did`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let log = Log()
        let (upcoming, navigated) = (fixture.coordinator.willNavigate, fixture.coordinator.didNavigate)
        let readers = [
            Task { for await navigation in navigated { log.note("did \(navigation.step.map { "\($0)" } ?? "")") } },
            Task { for await navigation in upcoming { log.note("will \(navigation.step)") } },
        ]
        let flow = try await fixture.root(Main.self)
        for number in 0..<100 { _ = await fixture.verdict(of: TestStep.number(number), on: flow) }
        fixture.coordinator.end()
        for reader in readers { await reader.value }
        #expect(log.lines.count == 200)
        for number in 0..<100 {
            let places = ["will", "did"].compactMap { log.lines.firstIndex(of: "\($0) number(\(number))") }
            #expect(places.count == 2 && places == places.sorted())
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-5 a subscriber of didNavigate finds the new children in their places`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let page = TestScreen()
        var places: [NodePath?] = []
        let subscription = fixture.coordinator.didNavigate.subscribe { [coordinator = fixture.coordinator] _ in
            places.append(coordinator.path(of: page))
        }
        let main = try await fixture.root(Main.self) { _ in .child(page) }
        #expect(await fixture.verdict(of: TestStep.one, on: main) == "navigated")
        #expect(places == ["Main/page"])
        subscription.end()
        #expect(await fixture.verdict(of: TestStep.two, on: main) == "navigated")
        #expect(places.count == 1)
    }

    @Test(arguments: HostKind.allCases)
    func `S-12 a subscriber of failures learns of them at once`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        var failed: [String] = []
        let subscription = fixture.coordinator.failures.subscribe { failed.append("\($0.path) \($0.step)") }
        let main = try await fixture.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .one(flowContributor: .forwardToParentFlow(withStep: TestStep.two))
        }
        _ = await fixture.verdict(of: TestStep.one, on: main)
        #expect(await fixture.failures(1) == ["Main two unhandled"])
        #expect(failed == ["Main two"])
        subscription.end()
    }

    @Test func `a subscription ends with its bag, and a sequence with its task or its coordinator`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let main = try await fixture.root(Main.self)
        var count = 0
        do {
            let bag = DisposeBag()
            fixture.coordinator.didNavigate.subscribe { _ in count += 1 }.disposed(by: bag)
            _ = await fixture.verdict(of: TestStep.one, on: main)
        }
        let unread = fixture.coordinator.didNavigate
        _ = await fixture.verdict(of: TestStep.two, on: main)
        #expect(count == 1)

        let cancelled = Task { [coordinator = fixture.coordinator] in
            var iterator = coordinator.didNavigate.makeAsyncIterator()
            return await iterator.next(isolation: #isolation) == nil
        }
        await Task.yield()
        cancelled.cancel()
        #expect(await cancelled.value)

        fixture.coordinator.end()
        var steps: [String] = []
        for await navigation in unread { steps.append(navigation.step.map { "\($0)" } ?? "") }
        #expect(steps == ["two"])
        for await _ in fixture.coordinator.willNavigate { Issue.record("the coordinator has ended") }
    }

    @Test func `unread events are bounded: the newest stay`() async throws {
        let source = Broadcast<Int>()
        let events = source.values()
        let limit = BufferingPolicy.standardCount
        for number in 0..<limit + 2 { source.send(number) }
        source.finish()
        var read: [Int] = []
        for await number in events { read.append(number) }
        #expect(read.count == limit && read.first == 2 && read.last == limit + 1 && events.lostCount == 2)
    }

    @Test func `a relay can be subscribed to, too`() {
        let relay = PublishRelay<Int>()
        var seen: [Int] = []
        relay.accept(1)
        let subscription = relay.subscribe { seen.append($0) }
        relay.accept(2)
        subscription.end()
        relay.accept(3)
        #expect(seen == [1, 2])
    }
}
