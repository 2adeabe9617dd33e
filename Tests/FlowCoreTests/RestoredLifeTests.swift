import Testing

@testable import FlowCore

/// Random lives with a second coordinator that is restored from the records of the first: after any further events,
/// both have the same effects.
@Suite("Restored lives")
struct RestoredLifeTests {
    private static let lives = 25
    private static let shards = 8

    @Test(arguments: 0..<shards)
    func `D-1 D-3 D-4 S-6 S-9 S-16 S-26 S-34 a restored coordinator behaves like the one before`(
        shard: Int
    ) {
        var late = 0
        for number in 0..<Self.lives {
            let life = RestoredLife(seed: UInt64(200_000 + shard * 1_000 + number))
            for _ in 0..<3 {
                for _ in 0..<20 { life.performRandomEvent() }
                life.restart()
                for _ in 0..<25 where life.complaint == nil { life.performRandomEvent() }
            }
            if let complaint = life.complaint {
                Issue.record("\(complaint)")
                return
            }
            late += life.concludedLate
        }
        // Lives in which nothing is pending would agree, too.
        #expect(late > 0)
    }
}

private final class RestoredLife {
    private let seed: UInt64
    private var random: Seeded
    private var original: Coordinator
    /// The coordinator restored from its records.
    private var restored: Coordinator
    private var isRestored = false
    private var transcript: [String] = []
    private var now: UInt64 = 1_000_000
    private var requests: UInt64 = 0
    private(set) var complaint: String?
    /// Steps that were pending at a restart and were concluded after it.
    private(set) var concludedLate = 0
    private var pending: Set<String> = []

    init(seed: UInt64) {
        self.seed = seed
        random = Seeded(seed: seed)
        var builder = RandomDefinitions.make(using: &random)
        let steps = builder.steps.keys.sorted()
        for flow in builder.flows.keys.sorted() {
            func some(_ random: inout Seeded) -> [String] { steps.filter { _ in Bool.random(using: &random) } }
            let (isGuarded, isNavigated) = (!RandomDefinitions.chance(3, &random), RandomDefinitions.chance(4, &random))
            builder.ask(
                about: flow, guarded: isGuarded ? ("com.auth", some(&random)) : nil,
                navigated: isNavigated ? ("com.nav", some(&random)) : nil)
        }
        original = Coordinator(definitions: builder.definitions, basePath: "")
        restored = Coordinator(definitions: builder.definitions, basePath: "")
        for name in RandomDefinitions.emitters + ["com.auth", "com.nav"] {
            happen("owner of \(name)") { _ in .nameOwnerChanged(name, owner: Client(":1.9")) }
        }
    }

    private func chance(_ odds: Int) -> Bool { RandomDefinitions.chance(odds, &random) }

    /// Restarts the process after it has answered its callers: those that wait too long get `pending`.
    func restart() {
        wait(Limits.replyTimeout)
        if isRestored, chance(2) { swap(&original, &restored) }
        original.releaseReservedNumbers()
        let records = original.takeAllRecords()
        let time = Instant(microseconds: now)
        var rebuilt = Coordinator(definitions: original.registrations.files, basePath: "")
        for (name, owner) in original.nameOwners.owners.sorted(by: { $0.key < $1.key }) {
            _ = rebuilt.handle(.nameOwnerChanged(name, owner: owner), at: time)
        }
        _ = rebuilt.handle(.restored(records, onSameBus: true), at: time)
        restored = rebuilt
        isRestored = true
        pending = Set(
            original.calls.all.values.compactMap { if case .step(_, let key?) = $0.kind { key.token } else { nil } })
        transcript.append("restart")
    }

    // MARK: Events

    func performRandomEvent() {
        now += chance(3) ? 0 : UInt64.random(in: 0..<3_000_000, using: &random)
        guard let path = original.paths.randomElement(using: &random), original.paths.count < 60 else {
            if let root = original.paths.first {
                return call("dismiss \(root)") { request, it in
                    it.node(at: root).map { .presentableDismissed(request, $0, by: Client(":1.9")) }
                }
            }
            return begin()
        }
        let client = Client(chance(3) ? ":1.9" : ":1.\(Int.random(in: 0..<2, using: &random))")
        let step = StepID(Int.random(in: 0..<original.definitions.steps.count, using: &random))
        switch Int.random(in: 0..<30, using: &random) {
        case 0..<9:
            let options = EmissionOptions(
                token: chance(2) ? "t\(Int.random(in: 0..<4, using: &random))" : nil, waits: !chance(3))
            call("emit \(step.index) on \(path) by \(client.name) \(options.token ?? "-")") { request, it in
                it.node(at: path).map {
                    .stepEmitted(request, on: $0, step: step, arguments: [], by: client, options: options)
                }
            }
        case 9:
            call("emit two on \(path)") { request, it in
                it.node(at: path).map {
                    .stepsEmitted(request, on: $0, [.step(step, []), .step(step, [])], by: client)
                }
            }
        case 10..<13:
            let isVisible = chance(2)
            call("visible \(path) \(isVisible)") { request, it in
                it.node(at: path).map { .visibilityChanged(request, of: $0, isVisible: isVisible, by: client) }
            }
        case 13:
            call("dismiss \(path)") { request, it in
                it.node(at: path).map { .presentableDismissed(request, $0, by: client) }
            }
        case 14:
            call("back on \(path)") { request, it in
                it.node(at: path).flatMap { it.isFlow($0) ? .backPressed(request, on: $0, by: client) : nil }
            }
        case 15:
            call("ready? \(path)") { request, it in
                it.node(at: path).flatMap { it.isFlow($0) ? .readinessAwaited(request, of: $0, by: client) : nil }
            }
        case 16: call("navigate") { request, _ in .deepLinkOpened(request, step: step, arguments: [], by: client) }
        case 17:
            call("claim \(path)") { request, it in
                it.node(at: path).map { .presentableClaimed(request, $0, by: client) }
            }
        case 18: begin()
        case 19: wait(UInt64.random(in: 0..<15_000_000, using: &random))
        default: answer()
        }
    }

    private func begin() {
        let flow = FlowID(Int.random(in: 0..<original.definitions.flows.count, using: &random))
        call("begin \(flow.index)") { request, _ in .flowRequested(request, FlowRequest(flow, by: Client(":1.9"))) }
    }

    private func wait(_ time: UInt64) {
        now += time
        happen("time") { _ in .timerFired }
    }

    /// Answers a question about one flow.
    private func answer() {
        let asking = original.paths.filter { Self.question(of: original, at: $0) != nil }
        guard let path = asking.randomElement(using: &random), let question = Self.question(of: original, at: path),
            let asked = original.questions[question]
        else { return }
        switch asked {
        case .guard(let step, _):
            let other = StepID(Int.random(in: 0..<original.definitions.steps.count, using: &random))
            let answers: [GuardAnswer] = [
                .step(step.step, step.arguments), .step(step.step, step.arguments), .step(other, []), .rejected,
                .timedOut,
            ]
            let answer = answers.randomElement(using: &random) ?? .rejected
            happen("guard of \(path)") { it in Self.question(of: it, at: path).map { .guardReplied($0, answer) } }
        case .navigator:
            let names = original.definitions
            let parts = RandomDefinitions.parts(
                Children.allCases.randomElement(using: &random) ?? .free, names.steps.map(\.name)[...],
                names.screens.map(\.name)[...], names.flows.map(\.name)[...], &random)
            let contributors = parts.map { DefinitionsBuilder.contributor($0, in: names) }
            happen("navigator of \(path)") { it in
                Self.question(of: it, at: path).map { .navigatorReplied($0, .contributors(contributors)) }
            }
        case .presenter, .owner: return
        }
    }

    private static func question(of coordinator: borrowing Coordinator, at path: String) -> QuestionID? {
        coordinator.node(at: path).flatMap { coordinator.forest[$0.slot].flow?.question }
    }

    // MARK: Both

    private func call(_ text: String, _ event: (RequestID, borrowing Coordinator) -> Event?) {
        requests += 1
        let request = RequestID(requests)
        happen(text) { event(request, $0) }
    }

    /// Questions have other numbers, and are made for the same flows; timers may fire more often than they need to.
    private func happen(_ text: String, _ event: (borrowing Coordinator) -> Event?) {
        transcript.append(text)
        let time = Instant(microseconds: now)
        guard let first = event(original) else { return }
        let expected = original.handle(first, at: time).compactMap(\.nameless)
        for case .emitStepConcluded(let it) in expected where pending.remove(it.token) != nil { concludedLate += 1 }
        guard isRestored, complaint == nil else { return }
        guard let second = event(restored) else {
            complaint = "seed \(seed), \(transcript.suffix(30)): the restored one has no such thing"
            return
        }
        let actual = restored.handle(second, at: time).compactMap(\.nameless)
        guard actual != expected else { return }
        complaint =
            "seed \(seed), \(transcript.suffix(30)): restored says \(actual.map(\.line)), where \(expected.map(\.line)) is right"
    }
}

extension Effect {
    /// The effect without numbers of questions; nil if it does not count.
    fileprivate var nameless: Effect? {
        switch self {
        case .askGuard(var question):
            question.id = QuestionID(0)
            return .askGuard(question)
        case .askNavigator(var question):
            question.id = QuestionID(0)
            return .askNavigator(question)
        case .dropQuestion: return .dropQuestion(QuestionID(0))
        // A client without anything is unknown to the restored coordinator.
        case .startTimer, .watchClient: return nil
        default: return self
        }
    }
}
