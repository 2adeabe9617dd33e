import Testing

@testable import FlowCore

/// Random lives in which processes answer in any order, late, twice or never.
@Suite("Random worlds: guards and navigators")
struct RandomWaitingTests {
    private static let worlds = 160
    private static let shards = 8
    private static let events = 60

    @Test(arguments: 0..<shards)
    func `S-5 S-6 S-9 S-11 S-22 S-26 S-33 with random processes, each call is answered once and no state is left`(
        shard: Int
    ) throws {
        for number in 0..<Self.worlds / Self.shards {
            let life = try AskedLife(seed: UInt64(100_000 + shard * 1_000 + number))
            for _ in 0..<Self.events {
                try life.performRandomEvent()
                guard life.check() else { return }
            }
            try life.end()
            guard life.check(isOver: true) else { return }
        }
    }
}

/// A world with guards and navigators, and the pending calls of its clients.
private final class AskedLife {
    private let seed: UInt64
    private var random: Seeded
    private let world: World
    /// Questions that were asked, answered or not.
    private var asked: [Effect] = []
    private var unanswered: Set<UInt64> = []
    private var transcript: [String] = []
    private var complaint: String?

    init(seed: UInt64) throws {
        self.seed = seed
        random = Seeded(seed: seed)
        world = World(Self.builder(&random, withGap: false))
        for name in RandomDefinitions.emitters { world.own(name, ":1.1") }
        try note("begin") { try world.coordinate("f0") }
    }

    private static func builder(_ random: inout Seeded, withGap: Bool) -> DefinitionsBuilder {
        var builder = RandomDefinitions.make(using: &random, withGap: withGap)
        let steps = builder.steps.keys.sorted()
        for flow in builder.flows.keys.sorted() {
            func some(_ random: inout Seeded) -> [String] { steps.filter { _ in Bool.random(using: &random) } }
            let isGuarded = Int.random(in: 0..<3, using: &random) > 0
            let hasNavigator = Int.random(in: 0..<4, using: &random) == 0
            builder.ask(
                about: flow, guarded: isGuarded ? ("com.auth", some(&random)) : nil,
                navigated: hasNavigator ? ("com.nav", some(&random)) : nil)
        }
        return builder
    }

    private func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }
    private func any<C: Collection>(_ all: C) -> C.Element? { all.randomElement(using: &random) }
    private var step: String? { any(world.coordinator.definitions.steps.map(\.name)) }

    // MARK: Events

    private func note(_ what: String, _ event: () throws -> [String]) rethrows {
        let before = world.requests
        let log = try event()
        if transcript.count > 40 { transcript.removeFirst(20) }
        transcript.append("\(what): \(log)")
        for request in before..<world.requests { unanswered.insert(request + 1) }
        for effect in world.effects {
            switch effect {
            case .reply(let request, _), .fail(let request, _):
                if unanswered.remove(request.number) == nil { complaint = "call \(request.number) is answered again" }
            case .askGuard, .askNavigator: asked.append(effect)
            default: break
            }
        }
    }

    func performRandomEvent() throws {
        guard let path = any(world.paths), let step else {
            try note("begin again") { try world.coordinate("f1") }
            return
        }
        let flow = world.paths.first { (try? world.state($0).isFlow) == true && chance(3) } ?? world.paths[0]
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<6:
            let options = EmissionOptions(
                token: chance(3) ? ["t", "u"][chance(2) ? 0 : 1] : nil, waits: !chance(4),
                activationToken: chance(4) ? "x11" : nil)
            try note("emit \(step) on \(path)") { try world.emit(step, on: path, options: options) }
        case 6: try note("list on \(path)") { try world.emitAll([step, "nonsense", self.step ?? step], on: path) }
        case 7: try note("link \(step)") { try world.navigate(step) }
        case 8:
            let names = [
                world.coordinator.forest[try world.node("/" + path.split(separator: "/")[0]).slot].name, "f1", "f2",
            ]
            try note("path \(names)") {
                try world.navigateAlong(names.map { ($0, chance(2) ? "" : step) }, timeout: chance(2) ? 5_000_000 : 50)
            }
        case 9: try note("back on \(flow)") { try world.back(flow) }
        case 10: try note("show \(path)") { try world.show(path) }
        case 11: if chance(3) { try note("hide \(path)") { try world.hide(path) } }
        case 12: if chance(2) { try note("dismiss \(path)") { try world.dismiss(path) } }
        case 13: try note("wait for \(flow)") { try world.waitReady(flow) }
        case 14:
            try note("begin") { try world.coordinate(any(world.coordinator.definitions.flows.map(\.name)) ?? "f0") }
        case 15: note("time") { world.wait(any([10, 100, 1_000_000, 5_000_000, 20_000_000]) ?? 0) }
        case 16: if chance(3) { note("reload") { world.reload(Self.builder(&random, withGap: chance(2))) } }
        default: try answer(any(asked.suffix(5)), step)
        }
    }

    private func answer(_ question: Effect?, _ step: String) throws {
        switch question {
        case .askGuard(let it):
            let adapted = chance(4) ? step : it.step
            let id = world.coordinator.definitions.step(named: adapted)
            let arguments: Arguments = chance(6) ? [Argument("strange", .byte(1))] : it.arguments
            let answer = any([id.map { GuardAnswer.step($0, arguments) } ?? .timedOut, .rejected, .failed("x")])
            let plain = id.map { GuardAnswer.step($0, it.arguments) }
            note("guard \(it.id.number)") { world.answer(it.id.number, (chance(3) ? answer : plain) ?? .timedOut) }
        case .askNavigator(let it):
            let parts: [[DefinitionsBuilder.Part]] = [[], [.current(step)], [.parent(step), .popRoot], [.end(step)]]
            if chance(4) {
                note("navigator \(it.id.number) fails") { world.answer(it.id.number, NavigatorAnswer.timedOut) }
            } else {
                note("navigator \(it.id.number)") { world.navigate(it.id.number, to: any(parts) ?? []) }
            }
        default: break
        }
    }

    /// Answers everything, and dismisses everything.
    func end() throws {
        while let number = world.coordinator.questions.numbers.min() {
            note("at last \(number)") { world.answer(number, GuardAnswer.rejected) }
            note("at last \(number)") { world.answer(number, NavigatorAnswer.timedOut) }
        }
        note("time") { world.wait(60_000_000) }
        while let root = world.paths.first { try note("dismiss \(root)") { try world.dismiss(root) } }
        note("time") { world.wait(60_000_000) }
    }

    // MARK: What always holds

    func check(isOver: Bool = false) -> Bool {
        var rules: [(String, Bool)] = [
            (complaint ?? "", complaint == nil),
            ("the queue is empty", world.coordinator.queue.isEmpty),
            ("what waits is counted for its client", world.coordinator.accounting.total.steps == waitingSteps),
            ("origins count what they set off and that waits", isEachOriginRight),
            ("what waits waits for its flow's question", isEachQuestionRight),
            ("a turn lasts as long as a step of it waits", isEachTurnRight),
            ("nobody's flow is waited for", world.coordinator.calls.readers.values.allSatisfy { !$0.isEmpty }),
            ("calls that are not answered are known", unanswered.count <= knownCalls),
        ]
        if isOver {
            rules.append(("nothing is left: \(world.waiting)", world.waiting == []))
            rules.append(("nothing is held", world.coordinator.accounting == Accounting()))
            rules.append(("all calls are answered: \(unanswered.sorted())", unanswered.isEmpty))
        }
        for (rule, holds) in rules where !holds {
            Issue.record("\(rule); seed \(seed): \(transcript.suffix(12).joined(separator: "\n"))")
            return false
        }
        return true
    }

    private var waiting: [WaitingStep] {
        world.coordinator.questions.open.values.compactMap { asked in
            switch asked {
            case .guard(let step, _), .navigator(let step, _): step
            case .presenter, .owner: nil
            }
        } + world.coordinator.blocked.all.values.joined()
    }

    private var nodes: [Node] {
        let forest = world.coordinator.forest
        return forest.preorder().map { forest[$0] }
    }

    private var waitingSteps: Int {
        waiting.count { !$0.isTriggered } + nodes.reduce(0) { $0 + $1.deferredSteps.count }
            + world.coordinator.calls.all.values.reduce(0) { $0 + $1.usage.steps }
            + world.coordinator.tokens.waitingCounts.values.reduce(0, +)
    }

    private var isEachOriginRight: Bool {
        var counts: [UInt64: Int] = [:]
        for step in waiting where step.isTriggered { counts[step.origin, default: 0] += 1 }
        for node in nodes { if let held = node.initialStep { counts[held.origin, default: 0] += 1 } }
        for cause in world.coordinator.emptied { counts[cause.origin, default: 0] += 1 }
        return counts == world.coordinator.origins.cascades.mapValues(\.waiting)
    }

    private var isEachTurnRight: Bool {
        let underWay = Set(waiting.map(\.origin))
        return nodes.allSatisfy { node in
            let turn = node.kept.stepInTurn
            return turn == 0 ? !node.isPresented || !node.hasWaitingSteps : underWay.contains(turn)
        }
    }

    private var isEachQuestionRight: Bool {
        let asking = nodes.compactMap { node in node.flow?.question }
        let blocked = world.coordinator.blocked.all
        return Set(asking) == Set(world.coordinator.questions.open.keys)
            && blocked.allSatisfy { flow, steps in
                world.coordinator.forest.slot(of: flow).map { world.coordinator.forest[$0].flow?.question != nil }
                    == true && !steps.isEmpty
            }
    }

    /// Calls that wait, and at most so many by the token of each.
    private var knownCalls: Int {
        world.coordinator.calls.all.values.count { !$0.isAnswered } * (1 + Limits.callsPerToken)
    }
}
