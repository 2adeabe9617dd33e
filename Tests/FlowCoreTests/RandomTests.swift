import Testing

@testable import FlowCore

/// Random events in random worlds: the reported state is the stored state, and both follow the rules. Seeds make
/// failures repeatable.
@Suite("Random worlds")
struct RandomTests {
    private static let worlds = 240
    private static let shards = 8
    private static let events = 24

    @Test(arguments: 0..<shards)
    func `S-9 S-10 S-12 S-14 S-15 S-26 S-33 S-34 for random events, the reported state is the stored state`(shard: Int)
        throws
    {
        for number in 0..<Self.worlds / Self.shards {
            let life = RandomLife(seed: UInt64(shard * 1_000 + number))
            for _ in 0..<Self.events {
                try life.performRandomEvent()
                guard life.check() else { return }
            }
            life.endAll()
            guard life.check() else { return }
            #expect(life.coordinator.accounting == Accounting())
            #expect(life.coordinator.origins.isEmpty)
            #expect(life.coordinator.forest.count == 0)
        }
    }

    @Test func `the same events give the same effects`() throws {
        for seed in 5_000..<5_020 as Range<UInt64> {
            let (one, other) = (RandomLife(seed: seed), RandomLife(seed: seed))
            for _ in 0..<Self.events {
                try one.performRandomEvent()
                try other.performRandomEvent()
                #expect(one.effects == other.effects)
            }
        }
    }
}

// MARK: - What always holds

extension RandomLife {
    /// Checks the invariants.
    func check() -> Bool {
        let forest = coordinator.forest
        let states = forest.preorder().map { forest.state(of: $0) }
        let rules: [(String, Bool)] = [
            ("a client makes sense of everything it is reported: \(model.complaints)", model.complaints.isEmpty),
            ("records are complete: \(recordComplaints)", recordComplaints.isEmpty),
            ("explanations are right: \(explainComplaints)", explainComplaints.isEmpty),
            ("a call has one answer, the last effect", isAnsweredOnce),
            ("a call that is made again by its token gets the same answer, and nothing else happens", isAnsweredAgain),
            ("a refusal changes nothing", isRefusalInert),
            (
                "a client knows all objects as they are",
                Dictionary(states.map { ($0.path, $0.withoutContext) }) { $1 }
                    == model.objects.mapValues(\.withoutContext)
            ),
            ("a client knows the latest serial", model.serial == coordinator.serial),
            (
                "presented and current follow from the tree",
                states.map(\.withoutContext) == model.recomputed().map(\.withoutContext)
            ),
            ("no path stands twice", Set(states.map(\.path)).count == states.count && forest.count == states.count),
            (
                "each path leads to its node",
                states.allSatisfy { coordinator.node(at: $0.path)?.instance == $0.instance }
            ),
            (
                "all cascades have ended",
                coordinator.queue.isEmpty && states.allSatisfy(\.isReady)
            ),
            ("origins count what waits", coordinator.origins.cascades.mapValues(\.waiting) == waiting(in: forest)),
            ("the accounting matches a recount", coordinator.accounting == recount(forest)),
            ("steps are kept for what is hidden alone, in order, and counted", isConsistent(forest)),
            ("each step from outside ends once: \(ended) of \(expected.map(String.init) ?? "?")", isEachEndedOnce),
            ("each flow that can be idle is watched", isWatched(forest)),
            (
                "nothing private is reported",
                !effects.contains { $0.line.contains("secret") || $0.message.contains("secret") }
            ),
        ]
        for (rule, holds) in rules where !holds {
            Issue.record("\(rule); seed \(seed): \(transcript.suffix(20)); at last: \(effects.map(\.line).suffix(40))")
            return false
        }
        return true
    }

    private var isAnsweredOnce: Bool {
        let answers = effects.indices.filter { effects[$0].request != nil }
        let timers = effects.indices.filter { if case .startTimer = effects[$0] { true } else { false } }
        guard latest.isCall else { return answers.isEmpty && (timers.isEmpty || timers == [effects.count - 1]) }
        return answers == [effects.count - 1] && effects.last?.request == RequestID(requests)
            && (timers.isEmpty || timers == [effects.count - 2])
    }

    private var isAnsweredAgain: Bool {
        guard let known = latest.known else { return true }
        return effects.count == 1 && effects[0].answer == known.answer && isUnchanged
    }

    /// Whether a refused call has no effect but its error; it can count as activity of a flow.
    private var isRefusalInert: Bool {
        guard effects.count == 1, case .fail = effects[0] else { return true }
        return isUnchanged
    }

    private var isUnchanged: Bool {
        CoordinatorSnapshot(of: before, withTimes: false) == CoordinatorSnapshot(of: coordinator, withTimes: false)
    }

    private func waiting(in forest: Forest) -> [UInt64: Int] {
        var waiting: [UInt64: Int] = [:]
        for slot in forest.preorder() {
            if let held = forest[slot].initialStep { waiting[held.origin, default: 0] += 1 }
        }
        for cause in coordinator.emptied { waiting[cause.origin, default: 0] += 1 }
        return waiting
    }

    private func recount(_ forest: Forest) -> Accounting {
        var accounting = Accounting()
        for slot in forest.preorder() {
            let node = forest[slot]
            let onDismissed = (node.onDismissed?.byteCount ?? 0) + (node.onResult?.template.byteCount ?? 0)
            let bytes = node.arguments.byteCount + onDismissed + (node.onResult?.asked.byteCount ?? 0)
            accounting.count(
                Accounting.Usage(nodes: 1, bytes: bytes), for: node.client)
            if let held = node.initialStep {
                accounting.count(Accounting.Usage(bytes: held.arguments.byteCount), for: held.client)
            }
            for kept in node.deferredSteps {
                accounting.count(Accounting.Usage(steps: 1, bytes: kept.arguments.byteCount), for: kept.client)
            }
            if let last = node.flow?.activity.last {
                accounting.count(Accounting.Usage(bytes: last.arguments.byteCount), for: last.client)
            }
        }
        return accounting
    }

    private func isConsistent(_ forest: Forest) -> Bool {
        forest.preorder().allSatisfy { slot in
            let node = forest[slot]
            let origins = node.deferredSteps.map(\.origin)
            let all = (forest.children(of: slot) + [slot])
                .filter { $0 == slot || forest[$0].flow == nil }
                .reduce(0) { $0 + forest[$1].deferredSteps.count }
            let mayWait = !node.isPresented || node.kept.stepInTurn != 0
            return (mayWait || (node.initialStep == nil && origins.isEmpty)) && origins == origins.sorted()
                && origins.count <= Limits.deferredSteps && (node.flow.map { $0.waiting.count == all } ?? true)
        }
    }
}

// MARK: - Steps from outside, and time

extension RandomLife {
    private var isEachEndedOnce: Bool { expected.map { $0 == ended } ?? true }

    /// The number of steps from outside whose end was reported.
    private var ended: Int {
        effects.count { effect in
            switch effect {
            case .emitNavigationOccurred(let navigation): navigation.cause == 0
            case .emitNavigationFailed(let failure): failure.cause == 0
            default: false
            }
        }
    }

    /// The expected number: steps in the answer that were navigated, deferred steps that ended, and steps without a
    /// caller.
    private var expected: Int? {
        guard let begins = latest.begins else { return nil }
        if latest.known != nil { return 0 }
        var outcomes: [Outcome] = []
        switch effects.last {
        case .reply(_, .verdict(.navigated, let serial)): outcomes = [.navigated(serial: serial)]
        case .reply(_, .verdict(let verdict, _)): outcomes = [.ignored(verdict)]
        case .reply(_, .verdicts(let all)): outcomes = all
        case .reply(_, .outcomes(let all)): outcomes = all.compactMap(\.outcome)
        default: break
        }
        let navigated = outcomes.count { $0.serial > 0 }
        let deferred = outcomes.count { $0 == .ignored(.deferred) }
        return begins + navigated + deferred + before.forest.waitingCount - coordinator.forest.waitingCount
    }

    private func isWatched(_ forest: Forest) -> Bool {
        var entries: [NodeID: [Instant]] = [:]
        var alarms = coordinator.alarms
        var last = Instant(microseconds: 0)
        while let next = alarms.next {
            if next.due < last { return false }
            last = next.due
            if case .flow(let flow) = next.subject { entries[flow, default: []].append(next.due) }
            alarms.removeNext()
        }
        guard model.timer == coordinator.alarms.next?.due else { return false }
        return forest.preorder().allSatisfy { slot in
            guard let flow = forest[slot].flow else { return true }
            // Only that of an idle flow may be too early, as every step would have to set it again.
            if let top = coordinator.alarms.next, top.subject == .flow(forest.id(of: slot)),
                flow.activity.idle.begun == nil,
                !coordinator.machine.hasMore, coordinator.machine.nextTimer(of: slot)?.due != top.due
            {
                return false
            }
            let own = entries[forest.id(of: slot)] ?? []
            let clocks = coordinator.definitions[flow.definition].clocks
            if clocks.isEmpty { return !flow.activity.isTimed && own.isEmpty }
            guard clocks[0].steps.isEmpty == (flow.activity.idle.begun == nil),
                flow.activity.timers.count == clocks.count - 1,
                flow.activity.wasPresented == (clocks.count > 1 && forest[slot].isPresented)
            else { return false }
            guard let due = coordinator.machine.nextTimer(of: slot)?.due else { return true }
            let isInTime = transcript.last != "timer" || due > Instant(microseconds: now)
            guard let alarm = flow.alarm else { return false }
            return own.contains(alarm) && alarm <= due && isInTime
        }
    }
}

extension Forest {
    fileprivate var waitingCount: Int { preorder().reduce(0) { $0 + self[$1].deferredSteps.count } }
}

extension Effect {
    fileprivate var request: RequestID? {
        switch self {
        case .reply(let request, _), .fail(let request, _): request
        default: nil
        }
    }

    /// The answer without its request.
    fileprivate var answer: Effect? {
        switch self {
        case .reply(_, let answer): .reply(RequestID(0), answer)
        case .fail(_, let error): .fail(RequestID(0), error)
        default: nil
        }
    }

    fileprivate var message: String {
        switch self {
        case .fail(_, let error), .reportUnstarted(_, let error): error.message
        case .emitNavigationFailed(let failure): failure.message
        default: ""
        }
    }
}
