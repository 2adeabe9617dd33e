import FlowBus
import FlowBusClient
import Testing

/// The same flows in one process and on the bus behave the same for any operations.
@MainActor
@Suite("Both hosts alike", .fewAtOnce, .serialized, .timeLimit(.minutes(5)))
struct RandomHostsTests {
    @Test(arguments: 0..<40)
    func `S-6 S-10: the same random life has the same log in process and over the bus`(seed: UInt64) async throws {
        let inProcess = try await RandomLife(seed).run(on: CoordinatorFixture(.inProcess))
        let onTheBus = try await RandomLife(seed).run(on: CoordinatorFixture(.onTheBus))
        #expect(inProcess.count > 20)
        let place = zip(inProcess, onTheBus).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let first = place.map { "\($0): '\(inProcess[$0])' and '\(onTheBus[$0])'" } ?? "their number"
        #expect(inProcess == onTheBus, "seed \(seed) differs in \(first)")
    }
}

/// Flows with random answers, and random operations on them. The same seed gives the same run.
@MainActor
private final class RandomLife {
    private enum Stacked: Oddity { static var children: Children { .stack } }
    private enum Tabbed: Oddity {
        static var children: Children { .tabs }
        static var isGuarded: Bool { false }
    }

    private var random: Random
    /// The questions to flows, and the outcomes of calls: each in its own order, because an outcome arrives when the
    /// waiting task is scheduled.
    private var log: [String] = []
    private var outcomes: [String] = []
    private var flows: [any Flow] = []
    private var screens: [TestScreen] = []
    private var count = 0
    /// The number of questions to flows.
    private var askedCount = 0
    /// Returns when no work is pending, without a step of its own: there was no call or event while the host had enough
    /// turns for pending work.
    private func becomeQuiet(_ fixture: CoordinatorFixture) async throws {
        var (quiet, before) = (0, -1)
        while quiet < 4 {
            quiet = before == askedCount ? quiet + 1 : 0
            before = askedCount
            // The service sends signals before the answer.
            if let bus = fixture.bus { _ = try await bus.definitionNames() }
            for _ in 0..<8 { await Task.yield() }
        }
    }

    init(_ seed: UInt64) { random = Random(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1) }

    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state &* 0x2545_F491_4F6C_DD1D
        }
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// A flow's reaction depends on the step and the number of earlier questions only, and not on other flows.
    private func decide(_ step: any Step, _ salt: Int) -> Random {
        var seed: UInt64 = 14_695_981_039_346_656_037
        for byte in "\(step) \(salt)".utf8 { seed = (seed ^ UInt64(byte)) &* 1_099_511_628_211 }
        return Random(state: seed | 1)
    }

    private static let steps: [TestStep] = [.one, .two, .three, .four, .five, .six]

    private func flow(_ salt: Int, depth: Int) -> any Flow {
        var asked = 0
        let answer: @MainActor (any Step) -> FlowContributors = { [unowned self] step in
            askedCount += 1
            asked += 1
            var random = decide(step, salt + asked)
            log.append("ask \(salt) \(step)")
            // A step emitted during a question comes from outside, and later.
            if Int.random(in: 0..<8, using: &random) == 0 {
                screens.randomElement(using: &random)?.steps.accept(TestStep.number(1000 + asked))
            }
            if case TestStep.number = step { return .none }
            return contributors(&random, salt, depth)
        }
        let adapt: @MainActor (any Step) async throws -> any Step = { [unowned self] step in
            self.askedCount += 1
            guard case TestStep.five = step else { return step }
            throw StepRejected()
        }
        let made: any Flow =
            switch salt % 4 {
            case 0: OddFlow(Main.self, answer, adapt: adapt)
            case 1: OddFlow(Side.self, answer, adapt: adapt)
            case 2: OddFlow(Stacked.self, answer, adapt: adapt)
            default: OddFlow(Tabbed.self, answer, adapt: adapt)
            }
        flows.append(made)
        return made
    }

    private func contributors(_ random: inout Random, _ salt: Int, _ depth: Int) -> FlowContributors {
        if count > 60 { return .none }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .none
        case 1 where depth > 0: return .end(forwardToParentFlowWithStep: TestStep.number(salt))
        case 2: return .one(flowContributor: .forwardToParentFlow(withStep: TestStep.number(salt)))
        case 3: return .one(flowContributor: .forwardToCurrentFlow(withStep: TestStep.number(salt)))
        default:
            var all: [FlowContributor] = []
            for number in 0...Int.random(in: 0..<3, using: &random) {
                count += 1
                let initial: any Step =
                    Bool.random(using: &random)
                    ? NoneStep() : Self.steps[Int.random(in: 0..<Self.steps.count, using: &random)]
                if depth < 3, Bool.random(using: &random) {
                    let child = flow(salt * 3 + number + 1, depth: depth + 1)
                    all.append(
                        .contribute(
                            withNextPresentable: child, withNextStepper: OneStepper(withSingleStep: initial),
                            allowStepWhenNotPresented: Bool.random(using: &random)))
                } else {
                    let screen = TestScreen("page\(number)", initialStep: initial)
                    screens.append(screen)
                    all.append(
                        .contribute(withNext: screen, allowStepWhenNotPresented: Bool.random(using: &random)))
                }
            }
            return .multiple(flowContributors: all)
        }
    }

    func run(on fixture: CoordinatorFixture) async throws -> [String] {
        let coordinator = fixture.coordinator
        var reported: [String] = []
        let navigations = coordinator.didNavigate
        let failures = coordinator.failures
        for salt in 0..<2 {
            let step = OneStepper(withSingleStep: Self.steps[salt])
            try await coordinator.coordinate(flow: flow(salt, depth: 0), with: step)
            try await becomeQuiet(fixture)
        }
        for turn in 0..<40 {
            let screen = screens.randomElement(using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: screen?.show()
            case 1: screen?.hide()
            case 2 where chance(30): screen?.dismiss()
            case 3:
                screen?.show()
                screen?.steps.accept(Self.steps[turn % 6])
                screen?.hide()
                screen?.steps.accept(Self.steps[(turn + 1) % 6])
            case 4:
                if let flow = flows.randomElement(using: &random) {
                    outcomes.append("back \(await outcome { "\(try await coordinator.back(on: flow).verdict)" })")
                }
            case 5 where chance(30):
                let step = Self.steps[turn % 6]
                outcomes.append(
                    "link "
                        + (await outcome {
                            try await coordinator.navigate(to: step).map { "\($0.path)" }.joined(separator: " ")
                        }))
            default: screen?.steps.accept(Self.steps[turn % 6])
            }
            try await becomeQuiet(fixture)
            if let flow = flows.randomElement(using: &random) {
                let step = TestStep.number(turn)
                outcomes.append("emit " + (await outcome { "\(try await coordinator.emit(step, on: flow).verdict)" }))
                try await becomeQuiet(fixture)
            }
        }
        coordinator.end()
        for await navigation in navigations {
            reported.append(
                "did \(navigation.path) \(navigation.step.map { "\($0)" } ?? "back") "
                    + navigation.contributions.map { "\($0.kind) \($0.path?.text ?? "-")" }.joined(separator: " "))
        }
        for await failure in failures
        where failure.error?.code != .flowEnded && failure.error?.code != .disconnected {
            reported.append("failed \(failure.path) \(failure.step) \(failure.outcome)")
        }
        return log + outcomes + reported
    }

    private func outcome(_ call: () async throws -> String) async -> String {
        do { return try await call() } catch let error as NavigationError { return error.code.rawValue } catch {
            return "\(error)"
        }
    }
}
