import Testing

@testable import FlowBus
@testable import FlowBusClient

@MainActor
@Suite("Pending steps", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct PendingStepsTests {
    /// Logs the concluded steps in order.
    private final class Log {
        var lines: [String] = []
    }

    private let log = Log()

    private func add(_ name: String, _ token: String?, on object: String = "main", to steps: inout PendingSteps) {
        steps.add(token, on: object) { [log] _ in log.lines.append(name) }
    }

    private func conclude(_ token: String, on object: String = "main", _ steps: inout PendingSteps) {
        for done in steps.conclude(token, on: object) { done(.success(StepOutcome(verdict: .navigated, serial: 1))) }
    }

    @Test func `S-9 a step is identified by its token, otherwise by its object and its turn`() {
        var steps = PendingSteps()
        add("a", nil, to: &steps)
        add("b", "t", to: &steps)
        add("c", nil, to: &steps)
        add("d", nil, on: "main/page", to: &steps)
        conclude("", on: "main/page", &steps)
        conclude("t", &steps)
        conclude("", &steps)
        conclude("", &steps)
        #expect(log.lines == ["d", "b", "a", "c"])
        conclude("", &steps)
        conclude("t", &steps)
        conclude("unknown", &steps)
        #expect(log.lines.count == 4)
        #expect(steps.takeAll().isEmpty)
    }

    @Test func `calls with one token are one step`() {
        var steps = PendingSteps()
        add("a", "t", to: &steps)
        add("b", "t", to: &steps)
        conclude("t", &steps)
        #expect(log.lines == ["a", "b"])
    }

    @Test func `steps without a future report end in order`() {
        var steps = PendingSteps()
        for (name, token) in [("a", nil), ("b", "t"), ("c", nil), ("d", "t")] { add(name, token, to: &steps) }
        conclude("", &steps)
        for step in steps.takeAll() { step.done(.failure(NavigationError(.noReply, "gone"))) }
        #expect(log.lines == ["a", "b", "c", "d"])
    }

    @Test func `S-33 as many tokens are generated as the service accepts`() {
        var budget = TokenBudget(count: 2)
        let tokens = [budget.next(at: 0), budget.next(at: 1_000_000)]
        #expect(Set(tokens.compactMap(\.self)).count == 2)
        #expect(budget.next(at: 64_999_999) == nil)
        #expect(budget.next(at: 65_000_000) != nil)
        #expect(budget.next(at: 65_000_000) == nil)
        #expect(budget.next(at: 66_000_000) != nil)
        var usual = TokenBudget()
        #expect((0..<12_288).allSatisfy { usual.next(at: UInt64($0)) != nil })
        #expect(usual.next(at: 20_000) == nil)
    }

    @Test func `S-9 steps without a token that wait for a guard get their own outcomes`() async throws {
        let serviceFixture = try ServiceFixture()
        let bus = try serviceFixture.connect()
        bus.tokens = TokenBudget(count: 0)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let flow = TestFlow(adapt: { step in
            if case TestStep.one = step { for await _ in gate { break } }
            if case TestStep.two = step { throw StepRejected() }
            return step
        })
        let coordinator = try FlowCoordinator(bus: bus)
        try await coordinator.coordinate(flow: flow, with: NoneStepper())
        async let first = coordinator.emit(TestStep.one, on: flow)
        async let second = coordinator.emit(TestStep.two, on: flow)
        async let third = coordinator.emit(TestStep.three, on: flow)
        open.yield(())
        #expect(try await [first.verdict, second.verdict, third.verdict] == [.navigated, .rejected, .navigated])
    }
}
