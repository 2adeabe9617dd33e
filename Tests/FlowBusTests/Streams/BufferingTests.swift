import FlowBus
import FlowBusClient
import Testing

/// Sequences keep what was not read yet up to a number, and count what they lose.
@MainActor
@Suite("Bounded sequences", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct BufferingTests {
    /// Reads what a sequence has kept and, if it is at its end, that.
    private func kept<Values: AsyncSequence>(
        _ values: Values, _ count: Int
    ) async -> [Values.Element] where Values.Failure == Never {
        var all: [Values.Element] = []
        var iterator = values.makeAsyncIterator()
        while all.count < count, let value = await iterator.next(isolation: #isolation) { all.append(value) }
        return all
    }

    @Test func `willNavigate, didNavigate and failures keep what their policies say`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let coordinator = fixture.coordinator
        let flow = try await fixture.root(Main.self) { step in
            guard case TestStep.number = step else { return .none }
            return .one(flowContributor: .forwardToParentFlow(withStep: step))
        }
        let newest = coordinator.didNavigate.buffering(.bufferingNewest(2))
        let oldest = coordinator.willNavigate.buffering(.bufferingOldest(3))
        let all = coordinator.didNavigate.buffering(.unbounded)
        let none = coordinator.willNavigate.buffering(.bufferingNewest(0))
        let failures = coordinator.failures.buffering(.bufferingNewest(1))
        for number in 1...5 { try await coordinator.emit(TestStep.number(number), on: flow) }
        #expect(await kept(newest, 2).map { "\($0.step ?? NoneStep())" } == ["number(4)", "number(5)"])
        #expect(await kept(oldest, 3).map { "\($0.step)" } == ["number(1)", "number(2)", "number(3)"])
        #expect(await kept(all, 5).count == 5)
        #expect(await kept(failures, 1).map(\.step) == ["number"])
        #expect((newest.lostCount, oldest.lostCount, all.lostCount, none.lostCount) == (3, 2, 0, 5))
        #expect(failures.lostCount == 4)
    }

    @Test(arguments: [BufferingPolicy.bufferingNewest(3), .bufferingOldest(3), .unbounded])
    func `a reader that waits does not make room for a burst`(policy: BufferingPolicy) async throws {
        let source = Broadcast<Int>()
        let events = source.values().buffering(policy)
        var read: [Int] = []
        let reading = Task { for await value in events { read.append(value) } }
        // It waits for the first, and gets its turn after all of them.
        await Task.yield()
        for number in 1...1_000 { source.send(number) }
        source.finish()
        await reading.value
        switch policy {
        case .bufferingNewest: #expect(read.suffix(3) == [998, 999, 1_000] && read.count <= 4)
        case .bufferingOldest: #expect(read.starts(with: [1, 2, 3]) && read.count <= 4)
        case .unbounded: #expect(read == Array(1...1_000))
        }
        #expect(read.count + events.lostCount == 1_000)
    }

    @Test func `visible keeps the newest, and dismissed its only value`() async throws {
        let screen = TestScreen()
        let visible = screen.presence.visible
        let latest = screen.presence.visible.buffering(.bufferingNewest(1))
        let first = screen.presence.visible.buffering(.bufferingOldest(2))
        let dismissed = screen.presence.dismissed.buffering(.bufferingNewest(1))
        for _ in 1...2_500 {
            screen.show()
            screen.hide()
        }
        screen.show()
        screen.dismiss()
        #expect(await kept(latest, 9) == [true])
        #expect(await kept(first, 9) == [false, true])
        #expect(await kept(dismissed, 9).count == 1)
        #expect(await kept(visible, 9_999).count == BufferingPolicy.standardCount)
        #expect((latest.lostCount, first.lostCount, dismissed.lostCount) == (5_001, 5_000, 0))
        #expect(visible.lostCount == 5_002 - BufferingPolicy.standardCount)
    }

    @Test func `the steps of a stepper are bounded before and after the first subscription`() async throws {
        let relay = PublishRelay<Int>(bufferingPolicy: .bufferingOldest(2))
        for number in 1...5 { relay.accept(number) }
        #expect(relay.lostCount == 3)
        let early = relay.values.buffering(.bufferingNewest(3))
        for number in 6...9 { relay.accept(number) }
        #expect(await kept(early, 3) == [7, 8, 9] && early.lostCount == 3)
        let late = relay.values.buffering(.bufferingOldest(1))
        let all = relay.values.buffering(.unbounded)
        for number in 1...5_000 { relay.accept(number) }
        #expect(await kept(late, 1) == [1] && late.lostCount == 4_999)
        #expect(await kept(all, 5_000).count == 5_000)
        let nothing = PublishRelay<Int>(bufferingPolicy: .bufferingNewest(0))
        nothing.accept(1)
        #expect(nothing.lostCount == 1)
    }

    @Test func `a watch that was not read says how many events it lost, and has the tree again`() async throws {
        let fixture = try ServiceFixture()
        let bus = try fixture.connect()
        let coordinator = try FlowCoordinator(bus: bus)
        var page = 0
        let flow = OddFlow(Main.self) { _ in
            page += 1
            return .child(TestScreen("page"))
        }
        try await coordinator.coordinate(flow: flow, with: NoneStepper())
        let other = try fixture.connect()
        for policy in [BufferingPolicy.bufferingOldest(3), .bufferingNewest(3)] {
            let events = other.watch(buffering: policy)
            var iterator = events.makeAsyncIterator()
            guard case .snapshot? = await iterator.next(isolation: #isolation) else {
                Issue.record("no snapshot")
                return
            }
            for _ in 1...5 { try await coordinator.emit(TestStep.one, on: flow) }
            // What the service sent before its answer has arrived then.
            _ = try await other.definitionNames()
            let lost = events.lostCount
            #expect(lost > 0)
            var log: [String] = []
            var live = 0
            reading: while let event = await iterator.next(isolation: #isolation) {
                switch event {
                case .lost(let count):
                    log.append("lost")
                    #expect(count == lost)
                case .snapshot(let nodes):
                    live = nodes.count { $0.name == "page" }
                    break reading
                default: log.append("event")
                }
            }
            #expect(live == page)
            let isOldest = policy == .bufferingOldest(3)
            #expect(log == (isOldest ? ["event", "event", "event", "lost"] : ["lost", "event", "event", "event"]))
            try await coordinator.emit(TestStep.one, on: flow)
            // It goes on. What the screens before have become may be told first.
            var added: String?
            while added == nil, let event = await iterator.next(isolation: #isolation) {
                if case .added(let node) = event { added = node.name }
            }
            #expect(added == "page")
        }
    }
}
