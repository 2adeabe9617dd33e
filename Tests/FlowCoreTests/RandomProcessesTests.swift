import Synchronization
import Testing

@testable import FlowCore

/// Random events of many processes that answer, late, wrongly or never: the invariants hold.
@Suite("Random processes")
struct RandomProcessesTests {
    private static let worlds = 400
    private static let shards = 8
    private static let events = 60
    /// What so few lives have that a shard may be without: calls with a token that are concluded after a restart, screens with a saved
    /// state that are presented again, screens that are watched while they are presented.
    private static let rare = Mutex((shards: 0, lateTokens: 0, statesGivenBack: 0, hangs: 0))

    @Test(arguments: 0..<shards)
    func
        `S-5 S-6 S-9 S-29 S-31 S-32 S-33 S-44 S-45 D-3 D-4 whoever answers, or dies, each call has one answer and nothing is held`(
            shard: Int
        )
    {
        var (restarts, brought, anew, lateTokens, statesGivenBack, results, hangs) = (0, 0, 0, 0, 0, 0, 0)
        var answers = 0
        var (evictions, returns, statefulReturns) = (0, 0, 0)
        defer {
            #expect(answers > 10)
            #expect(
                restarts > 10 && brought > 0 && anew > 2 && results > 0, "\(restarts) \(brought) \(anew) \(results)")
            #expect(
                evictions > 100 && returns > 50 && statefulReturns > 20,
                "\(evictions) \(returns) \(statefulReturns)")
            Self.rare.withLock { rare in
                rare.lateTokens += lateTokens
                rare.statesGivenBack += statesGivenBack
                rare.hangs += hangs
                rare.shards += 1
                guard rare.shards == Self.shards else { return }
                #expect(rare.lateTokens > 0 && rare.statesGivenBack > 0 && rare.hangs > 0, "\(rare)")
            }
        }
        for number in 0..<Self.worlds / Self.shards {
            let life = RandomProcesses(seed: UInt64(shard * 1_000 + number))
            for _ in 0..<Self.events {
                life.performRandomEvent()
                guard life.check() else { return }
            }
            restarts += life.restarts
            brought += life.brought
            anew += life.anew
            statesGivenBack += life.statesGivenBack
            results += life.results
            hangs += life.hangs
            answers += life.answers
            evictions += life.evictions.count
            returns += life.evictions.returns
            statefulReturns += life.evictions.statefulReturns
            life.endAll()
            guard life.check(), life.checkEnd() else { return }
            lateTokens += life.tokens.concludedLate
        }
    }

    @Test func `the same events with many processes give the same effects`() {
        for seed in 7_000..<7_010 as Range<UInt64> {
            let (one, other) = (RandomProcesses(seed: seed), RandomProcesses(seed: seed))
            for _ in 0..<Self.events {
                one.performRandomEvent()
                other.performRandomEvent()
                #expect(one.effects == other.effects)
            }
        }
    }
}

extension RandomProcesses {
    /// Whether another process would ask the same questions: no node follows old definitions.
    var isAsDefined: Bool { asksAsDefined && presentsAsDefined }

    /// Whether the guards and navigators that were asked are those of the current definitions.
    private var asksAsDefined: Bool {
        coordinator.questions.open.values.allSatisfy { asked in
            guard let step = asked.step, let slot = coordinator.forest.slot(of: step.flow) else { return true }
            let definition = coordinator.definitions[coordinator.definition(of: slot)]
            return switch asked {
            case .guard: definition.guard?.watches(step.step) == true
            case .navigator: definition.navigator?.steps.contains(step.step) == true
            case .presenter, .owner: true
            }
        }
    }

    /// Whether live screens have the presenters of the current definitions.
    private var presentsAsDefined: Bool {
        coordinator.forest.preorder().map { coordinator.forest[$0] }.allSatisfy { node in
            let screen = coordinator.definitions.screen(named: node.name)
            return node.flow != nil
                || node.presenting?.presenter == screen.flatMap { coordinator.definitions[$0].presenter }
        }
    }

    /// The title that a presentable has by its definition, in the language of its context (S-58).
    private func title(of slot: NodeSlot, _ forest: Forest) -> String {
        guard case .string(let language)? = forest.contextValue("language", from: slot)?.value else { return "" }
        return coordinator.machine.texts(of: slot).title?.text(in: language, forest[slot].arguments) ?? ""
    }

    /// Checks the invariants.
    func check() -> Bool {
        let forest = coordinator.forest
        let slots = forest.preorder()
        let states = slots.map { forest.state(of: $0) }
        let waiting = coordinator.questions.open.values.compactMap(\.step) + coordinator.blocked.all.values.joined()
        return report([
            ("a client makes sense of everything it is reported: \(model.complaints)", model.complaints.isEmpty),
            ("explanations are right: \(explainComplaints)", explainComplaints.isEmpty),
            ("no call is answered twice: \(faults)", faults.isEmpty),
            ("a token gets the one outcome of its call: \(tokens.faults)", tokens.faults.isEmpty),
            ("records are complete: \(recordComplaints)", recordComplaints.isEmpty),
            ("nobody waits longer than he may: \(overdue)", overdue.isEmpty),
            (
                "a client knows all objects as they are: \(states.filter { model.objects[$0.path] != $0 })",
                Dictionary(states.map { ($0.path, $0.withoutContext) }) { $1 }
                    == model.objects.mapValues(\.withoutContext)
            ),
            (
                "presented and current follow from the tree",
                states.map(\.withoutContext) == model.recomputed().map(\.withoutContext)
            ),
            (
                "titles are those of the definitions",
                slots.allSatisfy { forest[$0].declaredTitle == title(of: $0, forest) }
            ),
            ("no step waits that could be taken", coordinator.queue.isEmpty),
            ("what is asked is waited for: once a flow", questionsFit(forest)),
            (
                "what stands aside has a flow that waits",
                coordinator.blocked.flows.allSatisfy { flow in
                    forest.slot(of: flow).map { forest[$0].flow?.question != nil } == true
                }
            ),
            ("a flow that is empty is kept by steps that wait for it", emptyFlowsAreAwaited(waiting, forest)),
            ("origins count what waits", coordinator.origins.cascades.mapValues(\.waiting) == counted(waiting, forest)),
            (
                "origins count what is held",
                coordinator.origins.cascades.values.allSatisfy { 0...$0.waiting ~= $0.deferred }
            ),
            ("asks follow what lives: \(wrongAsks(waiting, forest))", wrongAsks(waiting, forest).isEmpty),
            ("the accounting matches a recount", coordinator.accounting == recount(waiting, forest)),
            ("flows count what waits for them", waitingFits(waiting, forest)),
            ("who has something is watched", Set(coordinator.watches.counts.keys).isSubset(of: model.watched)),
            ("clients are watched for what they have", watches == coordinator.watches.counts),
            ("the shell watches them", coordinator.accounting.presentClients == model.watched),
            (
                "calls that wait are known",
                coordinator.calls.all.filter { !$0.value.isAnswered }.keys.sorted { $0.number < $1.number }
                    == unanswered.keys.filter { !repeats.contains($0) }.sorted { $0.number < $1.number }
            ),
            ("evictions are as S-44 has them: \(evictions.faults)", evictions.faults.isEmpty),
            (
                "what is evicted has no owner until it is presented",
                Set(slots.filter { forest[$0].presenting?.kept.eviction == .done }.map { forest[$0].instance })
                    == evictions.evicted
            ),
            ("owners that are to leave have a time limit, and others one to be evicted", alarmsFit(forest)),
            (
                "screens in sight were presented",
                slots.allSatisfy { !forest[$0].isInSight || forest[$0].isSettled || isPaused($0, forest) }
            ),
        ])
    }

    /// Checks that no state is left at the end.
    func checkEnd() -> Bool {
        report([
            ("nobody asks: \(coordinator.machine.asks.asks)", coordinator.machine.asks.isEmpty),
            ("nothing is live", coordinator.forest.count == 0 && asked.isEmpty),
            ("nothing is held", coordinator.accounting == Accounting() && coordinator.origins.isEmpty),
            (
                "nobody waits",
                coordinator.calls.isEmpty && coordinator.calls.deepLinks.isEmpty && unanswered.isEmpty
                    && coordinator.calls.readers.isEmpty
            ),
            ("nothing is asked", coordinator.questions.isEmpty && coordinator.blocked.isEmpty),
            ("nothing is noted", coordinator.emptied.isEmpty && !coordinator.emptyFlows.hasDue),
            ("nobody is watched", coordinator.watches.counts.isEmpty),
            ("nothing is kept", coordinator.activationTokens.isEmpty),
            (
                "each verdict that was pending is concluded: \(pendings), \(lateWalks), \(conclusions)",
                conclusions == pendings + lateWalks && tokens.owed.isEmpty
            ),
        ])
    }

    private func report(_ rules: [(String, Bool)]) -> Bool {
        for (rule, holds) in rules where !holds {
            Issue.record("\(rule); seed \(seed): \(transcript.suffix(20)); at last: \(effects.map(\.line).suffix(40))")
            return false
        }
        return true
    }

    /// Calls that should have been answered when the timer fired.
    private var overdue: [UInt64] {
        guard transcript.last == "timer" else { return [] }
        return unanswered.filter { $0.value.at + $0.value.patience <= now }.map(\.key.number)
    }

    private func questionsFit(_ forest: Forest) -> Bool {
        var flows: [QuestionID: NodeID] = [:]
        for slot in forest.preorder() {
            if let question = forest[slot].flow?.question { flows[question] = forest.id(of: slot) }
            let calls = forest[slot].presenting?.underWay ?? []
            if calls.count > Limits.callsPerScreen || calls.contains(where: { coordinator.questions[$0] == nil }) {
                return false
            }
        }
        let asking = coordinator.questions.open.compactMapValues { $0.step?.flow }
        return flows == asking && Set(coordinator.questions.open.keys).isSubset(of: asked.keys)
    }

    private func alarmsFit(_ forest: Forest) -> Bool {
        forest.preorder().allSatisfy { slot in
            guard let presenting = forest[slot].presenting else { return true }
            if presenting.kept.eviction == .underWay {
                return forest[slot].owner != nil && presenting.alarm?.purpose == .leave
            }
            let isAwaited =
                presenting.kept.eviction == .none && forest[slot].owner != nil && !forest[slot].isInSight
                && coordinator.evictionTime(of: slot) != nil
            return isAwaited == (presenting.alarm?.purpose == .eviction)
        }
    }

    private func counted(_ waiting: [WaitingStep], _ forest: Forest) -> [UInt64: Int] {
        var count: [UInt64: Int] = [:]
        for step in waiting where step.isTriggered { count[step.origin, default: 0] += 1 }
        for slot in forest.preorder() {
            if let held = forest[slot].initialStep { count[held.origin, default: 0] += 1 }
        }
        for cause in coordinator.emptied { count[cause.origin, default: 0] += 1 }
        for case .presenter(let asked) in coordinator.questions.open.values where !asked.isLate && !asked.isReturn {
            count[asked.origin, default: 0] += 1
        }
        return count
    }

    /// S-36: each flow without a child had none, and its birth failed in nothing; or it stays, or a step waits for it.
    private func emptyFlowsAreAwaited(_ waiting: [WaitingStep], _ forest: Forest) -> Bool {
        forest.preorder().allSatisfy { slot in
            guard let flow = forest[slot].flow, flow.isChildless else { return true }
            let whenEmpty =
                coordinator.definitions[flow.definition].whenEmpty ?? (forest[slot].parent == nil ? .stay : .go)
            return whenEmpty == .stay || !forest[slot].deferredSteps.isEmpty
                || waiting.contains { $0.flow == forest.id(of: slot) }
        }
    }

    /// Whether the presenter of a screen has to wait, because it failed (S-47).
    private func isPaused(_ slot: NodeSlot, _ forest: Forest) -> Bool {
        var alarms = coordinator.alarms
        while let next = alarms.next {
            if next.subject == .screen(forest.id(of: slot)) { return true }
            alarms.removeNext()
        }
        return false
    }

    /// S-45: each open ask follows steps that wait, or is about a presentable that can answer; each has a live asker.
    private func wrongAsks(_ waiting: [WaitingStep], _ forest: Forest) -> [String] {
        let asks = coordinator.machine.asks
        var steps: [UInt64: Int] = [:]
        for step in waiting { steps[step.origin, default: 0] += 1 }
        for slot in forest.preorder() {
            for step in forest[slot].deferredSteps { steps[step.origin, default: 0] += 1 }
        }
        var counts: [UInt64: Int] = [:]
        var wrong = asks.asks.compactMap { number, ask -> String? in
            if case .presentable(let instance) = ask.key.asker {
                if forest.node(instance: instance) == nil { return "\(ask) has no asker" }
                if !ask.isClosed { counts[instance, default: 0] += 1 }
            } else if ask.isLeft {
                return "\(ask) has no asker"
            }
            guard case .open(let subject) = ask.state else { return nil }
            guard let subject else { return steps[ask.origin] == nil ? "\(ask) follows nothing" : nil }
            guard let slot = forest.node(instance: subject)?.slot else { return "\(ask) is about nothing" }
            let name = forest[slot].name
            let result =
                forest[slot].flow != nil
                ? coordinator.definitions.flow(named: name).flatMap { coordinator.definitions[$0].result }
                : coordinator.definitions.screen(named: name).flatMap { coordinator.definitions[$0].result }
            return result == nil ? "\(ask) is about '\(name)', which can't answer" : nil
        }
        for slot in forest.preorder() {
            let count = counts[forest[slot].instance] ?? 0
            if forest[slot].askCount != count || count > Limits.asksPerPresentable {
                wrong.append("\(forest[slot].path) has \(forest[slot].askCount) asks for \(count)")
            }
        }
        return wrong
    }

    private func recount(_ waiting: [WaitingStep], _ forest: Forest) -> Accounting {
        var accounting = Accounting()
        for slot in forest.preorder() { forest[slot].forEachHolding { accounting.count($1, for: $0) } }
        for step in waiting where !step.isTriggered {
            accounting.count(Accounting.Usage(steps: 1, bytes: step.arguments.byteCount), for: step.client)
        }
        for (_, ask) in coordinator.machine.asks.asks { accounting.count(ask.usage, for: ask.client) }
        for call in coordinator.calls.all.values { accounting.count(call.usage, for: call.client) }
        for (client, count) in coordinator.tokens.waitingCounts {
            accounting.count(Accounting.Usage(steps: count), for: client)
        }
        return accounting
    }

    private func waitingFits(_ waiting: [WaitingStep], _ forest: Forest) -> Bool {
        forest.preorder().allSatisfy { slot in
            let kept = (forest.children(of: slot) + [slot])
                .filter { $0 == slot || forest[$0].flow == nil }
                .reduce(0) { $0 + forest[$1].deferredSteps.count }
            let own = waiting.count { !$0.isTriggered && forest.slot(of: $0.flow) == slot }
            return forest[slot].flow.map { $0.waiting.count == kept + own } ?? true
        }
    }

    private var watches: [Client: Int] {
        var watches: [Client: Int] = [:]
        for slot in coordinator.forest.preorder() {
            if let owner = coordinator.forest[slot].owner { watches[owner, default: 0] += 1 }
        }
        for registration in coordinator.registrations.all where coordinator.watches.counts[registration.client] != nil {
            watches[registration.client, default: 0] += 1
        }
        return watches
    }
}

extension Node {
    /// Whether it has no presenter that should have been called: one that lost its owner waits until it comes in sight
    /// again.
    fileprivate var isSettled: Bool { presenting?.kept.state != .due || presenting?.kept.isSpared == true }
}
