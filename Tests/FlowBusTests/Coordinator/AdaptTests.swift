import FlowBus
import FlowBusClient
import Testing

@MainActor
@Suite("adapt", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct AdaptTests {
    private struct Trouble: Error {}

    @Test(arguments: HostKind.allCases, [false, true])
    func `S-5 S-9: another step, another type, a refusal, an error, and no step`(host: HostKind, later: Bool)
        async throws
    {
        enum Two: Oddity { static var steps: [any Step.Type] { [TestStep.self, UndeclaredStep.self] } }
        let fixture = try CoordinatorFixture(host)
        let flow = try await fixture.root(Two.self) { _ in
            .none
        } adapt: { step in
            if later { await Task.yield() }
            return switch step as? TestStep {
            case .one: TestStep.number(7)
            case .two: UndeclaredStep.undeclared
            case .three: throw StepRejected("not now")
            case .four: throw Trouble()
            case .five: NoneStep()
            case .six: RxFlowStep.home
            default: step
            }
        }
        var verdicts: [String] = []
        for step in [TestStep.one, .two, .three, .four, .five, .six] {
            verdicts.append(await fixture.verdict(of: step, on: flow))
        }
        #expect(verdicts == ["navigated", "navigated", "rejected", "GuardFailed", "rejected", "GuardFailed"])
        #expect(await fixture.navigations(2) == ["Two number(7)", "Two undeclared"])
        let error = try await refusal { try await fixture.coordinator.emit(TestStep.four, on: flow) }
        #expect(error.message.contains("Trouble"))
    }

    @Test(arguments: HostKind.allCases)
    func `S-6: a slow adapt is not overtaken in its flow, and delays no other`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let gates = Gates()
        let slow = try await fixture.root(Main.self) { _ in
            .none
        } adapt: { step in
            if case TestStep.one = step { await gates.wait() }
            return step
        }
        let other = try await fixture.root(Side.self)
        let stepper = slow.root.steps
        async let one = fixture.coordinator.emit(TestStep.one, on: slow)
        await gates.arrived()
        async let two = fixture.coordinator.emit(TestStep.two, on: slow)
        stepper.accept(TestStep.three)
        #expect(await fixture.verdict(of: TestStep.four, on: other) == "navigated")
        #expect(await fixture.navigations(1) == ["Side four"])
        gates.open()
        #expect(try await one.serial < two.serial)
        #expect(await fixture.navigations(2) == ["Main one", "Main two"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-32: steps that adapt emits on its own flow are taken when it is done`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let stepper = TestStepper()
        let flow = OddFlow(Main.self) { _ in
            .none
        } adapt: { step in
            guard case TestStep.one = step else { return step }
            stepper.steps.accept(TestStep.two)
            await Task.yield()
            stepper.steps.accept(TestStep.three)
            return TestStep.four
        }
        try await fixture.begin(flow, with: stepper)
        stepper.steps.accept(TestStep.one)
        #expect(await fixture.navigations(3) == ["Main four", "Main two", "Main three"])
    }

    @Test(arguments: [false, true])
    func `S-6 S-33 in one process any number of steps wait for it, and are taken in order`(later: Bool) async throws {
        enum Many: Oddity { static var steps: [any Step.Type] { [LongStep.self] } }
        let fixture = try CoordinatorFixture(.inProcess)
        // Together more than the service's quota for a client, in number and in bytes.
        let (count, text) = (5_000, String(repeating: "x", count: 1_000))
        var (asked, taken) = ([Int](), [Int]())
        let stepper = TestStepper()
        let flow = OddFlow(Many.self) { step in
            if case LongStep.long(let number, _) = step { taken.append(number) }
            return .none
        } adapt: { step in
            if case LongStep.long(let number, _) = step { asked.append(number) }
            if later { await Task.yield() }
            return step
        }
        try await fixture.begin(flow, with: stepper)
        for number in 0..<count { stepper.steps.accept(LongStep.long(number, text: text)) }
        for _ in 0..<count { _ = await fixture.navigation() }
        let isInOrder = asked == Array(0..<count) && taken == asked
        #expect(isInOrder)
        fixture.coordinator.end()
        #expect(await fixture.failures(1) == ["the end"])
    }

    @Step
    fileprivate enum LongStep { case long(Int, text: String) }

    private enum Hasty: Oddity { static var timeout: Duration { .milliseconds(10) } }

    @Test(arguments: HostKind.allCases)
    func `it is cancelled at the time limit, and the step fails`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let gates = Gates()
        let flow = try await fixture.root(Hasty.self) { _ in
            .none
        } adapt: { step in
            try await gates.waitOrThrow()
            return step
        }
        for _ in 1...3 {
            let verdict = await fixture.verdict(of: TestStep.one, on: flow)
            #expect(verdict == "GuardTimeout")
            #expect(await gates.cancelled())
        }
    }

    @Test(arguments: HostKind.allCases)
    func `a wait for its own flow ends at the time limit`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        // Long enough for the other step on a busy machine.
        enum Patient: Oddity { static var timeout: Duration { .seconds(1) } }
        weak var this: OddFlow<Patient>?
        let flow = try await fixture.root(Patient.self) { _ in
            .none
        } adapt: { [weak coordinator = fixture.coordinator] step in
            guard case TestStep.one = step, let flow = this else { return step }
            try await coordinator?.emit(TestStep.two, on: flow)
            return step
        }
        this = flow
        #expect(await fixture.verdict(of: TestStep.one, on: flow) == "GuardTimeout")
        #expect(await fixture.navigations(1) == ["Patient two"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-22: it is cancelled when its flow ends, and is not retained`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let gates = Gates()
        weak var leaking: OddFlow<Side>?
        let main = try await fixture.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            let side = OddFlow(Side.self) { _ in
                .none
            } adapt: { step in
                try await gates.waitOrThrow()
                return step
            }
            leaking = side
            return .child(side, TestStep.two)
        }
        let coordinator = fixture.coordinator
        let emission = Task { try await coordinator.emit(TestStep.one, on: main) }
        await gates.arrived()
        leaking?.root.dismiss()
        #expect(await gates.cancelled())
        #expect(try await emission.value.isNavigated)
        #expect(await fixture.failures(1) == ["Main two FlowEnded"])
        #expect(await fixture.verdict(of: TestStep.three, on: main) == "navigated")
        #expect(leaking == nil)
    }
}

/// Delays callers until it is opened; a test can wait for them.
@MainActor
final class Gates {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let (comings, coming) = AsyncStream<Bool>.makeStream()

    func wait() async {
        coming.yield(true)
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Waits for its cancellation.
    func waitOrThrow() async throws {
        coming.yield(true)
        // A cancelled wait ends the stream, so each has one of its own.
        let endless = AsyncStream<Void>.makeStream()
        for await _ in endless.stream {}
        withExtendedLifetime(endless) {}
        coming.yield(false)
        try Task.checkCancellation()
    }

    /// Waits until a caller has arrived.
    func arrived() async { for await _ in comings { return } }

    /// Waits until a caller was cancelled.
    func cancelled() async -> Bool {
        for await isComing in comings where !isComing { return true }
        return false
    }

    func open() {
        let all = waiting
        waiting = []
        for continuation in all { continuation.resume() }
    }
}
