import Testing

@testable import FlowCore

/// Random events in random worlds: whatever happens, what the coordinator tells is what it keeps, and both follow the
/// rules. The numbers come from seeds, so that what failed once fails again.
@Suite("Random worlds")
struct RandomTests {
    private static let worlds = 240
    private static let shards = 8
    private static let events = 16

    @Test(arguments: 0..<shards)
    func `S-9 S-10 S-14 S-26 S-33 whatever happens, what is told is what is kept`(shard: Int) throws {
        for number in 0..<Self.worlds / Self.shards {
            let life = RandomLife(seed: UInt64(shard * 1_000 + number))
            for _ in 0..<Self.events {
                try life.liveOn()
                guard life.check() else { return }
            }
            life.endAll()
            guard life.check() else { return }
            #expect(life.coordinator.ledger == Ledger())
            #expect(life.coordinator.origins.isEmpty)
            #expect(life.coordinator.forest.count == 0)
        }
    }

    @Test func `the same events give the same effects`() throws {
        for seed in 5_000..<5_020 as Range<UInt64> {
            let (one, other) = (RandomLife(seed: seed), RandomLife(seed: seed))
            for _ in 0..<Self.events {
                try one.liveOn()
                try other.liveOn()
                #expect(one.effects == other.effects)
            }
        }
    }
}

/// A world that lives by chance.
private final class RandomLife {
    private var random: Seeded
    private(set) var coordinator: FlowCoordinator
    private var model = BusModel()
    private(set) var effects: [Effect] = []
    private var requests: UInt64 = 0
    private var calls = 0
    /// What happened so far, to be printed with what failed.
    private var story: [String] = []
    private var seen: [NodeID] = []
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
        random = Seeded(seed: seed)
        coordinator = FlowCoordinator(definitions: RandomSketch.make(using: &random).definitions, basePath: "")
        followCovering()
    }

    /// One event by chance.
    func liveOn() throws {
        if coordinator.forest.count > 150 { return endAll() }
        if coordinator.forest.count == 0 || chance(8) { return coordinate() }
        if chance(12) { return reload() }
        if chance(8) { return navigate() }
        // At times one that may be gone.
        let isOld = chance(15)
        let live = coordinator.forest.preorder().map(coordinator.forest.id(of:))
        guard let node = isOld ? seen.randomElement(using: &random) : live.randomElement(using: &random) else { return }
        seen.append(node)
        let path = coordinator.forest.slot(of: node).map { coordinator.forest.nodes[$0].path } ?? "gone"
        switch Int.random(in: 0..<10, using: &random) {
        case 0...4:
            let step = coordinator.definitions.steps.indices.randomElement(using: &random) ?? 0
            handle(
                .stepEmitted(
                    request(), on: node, step: StepID(step), arguments: arguments(forStep: step), by: client()),
                "emit \(step) on \(path)")
        case 5...7:
            if path != "gone" { model.select(path) }
            handle(.visibilityChanged(request(), of: node, isVisible: true), "show \(path)")
        case 8:
            handle(.visibilityChanged(request(), of: node, isVisible: false), "hide \(path)")
        default:
            handle(.presentableDismissed(request(), node), "dismiss \(path)")
        }
    }

    func endAll() {
        while let root = coordinator.forest.roots.first {
            handle(.presentableDismissed(request(), coordinator.forest.id(of: root)), "end all")
            guard model.complaints.isEmpty else { return }
        }
    }

    private func coordinate() {
        let flow = coordinator.definitions.flows.indices.randomElement(using: &random) ?? 0
        let step = coordinator.definitions.flows[flow].initial
        let wish = FlowRequest(
            FlowID(flow), id: chance(6) ? "only" : nil,
            arguments: chance(2) ? [Argument("n", .int64(1))] : [],
            stepArguments: step.map { arguments(forStep: $0.index) } ?? [],
            by: client())
        handle(.flowRequested(request(), wish), "coordinate \(flow)")
    }

    private func navigate() {
        let step = coordinator.definitions.steps.indices.randomElement(using: &random) ?? 0
        handle(
            .deepLinkOpened(request(), step: StepID(step), arguments: arguments(forStep: step), by: client()),
            "navigate \(step)")
    }

    private func reload() {
        let definitions = RandomSketch.make(using: &random, withGap: chance(2)).definitions
        handle(.definitionsRead(definitions), "reload")
        followCovering()
    }

    private func handle(_ event: Event, _ text: String) {
        story.append(text)
        effects = coordinator.handle(event)
        for effect in effects { model.take(effect) }
    }

    private func followCovering() {
        model.covering = Dictionary(
            coordinator.definitions.flows.map { ($0.name, $0.children) }, uniquingKeysWith: { first, _ in first })
    }

    private func chance(_ odds: Int) -> Bool { RandomSketch.chance(odds, &random) }

    private func client() -> Client { Client(":1.\(Int.random(in: 0..<3, using: &random))") }

    /// Values of the private step are told nowhere; those of others may be.
    private func arguments(forStep step: Int) -> Arguments {
        var arguments: Arguments = []
        if chance(2) { arguments.append(Argument("n", .byte(UInt8.random(in: 0..<3, using: &random)))) }
        let isPrivate = coordinator.definitions.steps[step].isPrivate
        if isPrivate {
            arguments = [Argument("pin", .string("secret"))]
        } else if chance(3) {
            arguments.append(Argument("pin", .string("open")))
        }
        if chance(30) { arguments.append(Argument("n", .string("bad"))) }
        return arguments
    }

    private func request() -> RequestID {
        requests += 1
        calls += 1
        return RequestID(requests)
    }
}

// MARK: - What always holds

extension RandomLife {
    /// Whether all that always holds does.
    func check() -> Bool {
        let forest = coordinator.forest
        let states = forest.preorder().map { forest.state(of: $0) }
        let rules: [(String, Bool)] = [
            ("a client makes sense of everything it is told: \(model.complaints)", model.complaints.isEmpty),
            ("a call has one answer, the last effect", isAnsweredOnce),
            (
                "a client knows all objects as they are",
                Dictionary(states.map { ($0.path, $0) }) { $1 } == model.objects
            ),
            ("a client knows the latest serial", model.serial == coordinator.serial),
            ("presented and current follow from the tree", states == model.recomputed()),
            ("no path stands twice", Set(states.map(\.path)).count == states.count && forest.count == states.count),
            (
                "each path leads to its node",
                states.allSatisfy { coordinator.node(at: $0.path)?.instance == $0.instance }
            ),
            ("all chains are done", coordinator.queue.steps.isEmpty && states.allSatisfy { $0.flow?.isReady ?? true }),
            ("origins count what waits", coordinator.origins.mapValues(\.waiting) == waiting(in: forest)),
            ("the ledger counts what is held", coordinator.ledger == recount(forest)),
            (
                "nothing private is told",
                !effects.contains { $0.line.contains("secret") || $0.message.contains("secret") }
            ),
        ]
        for (rule, holds) in rules where !holds {
            Issue.record("\(rule); seed \(seed): \(story.suffix(20)); at last: \(effects.map(\.line).suffix(40))")
            return false
        }
        return true
    }

    private var isAnsweredOnce: Bool {
        let answers = effects.indices.filter { effects[$0].request != nil }
        if story.last == "reload" { return answers.isEmpty }
        return answers == [effects.count - 1] && effects.last?.request == RequestID(requests)
    }

    private func waiting(in forest: Forest) -> [UInt64: Int] {
        var waiting: [UInt64: Int] = [:]
        for slot in forest.preorder() {
            if let held = forest.nodes[slot].initialStep { waiting[held.origin, default: 0] += 1 }
        }
        return waiting
    }

    private func recount(_ forest: Forest) -> Ledger {
        var ledger = Ledger()
        for slot in forest.preorder() {
            let node = forest.nodes[slot]
            let bytes = node.arguments.byteCount + (node.initialStep?.arguments.byteCount ?? 0)
            ledger.count(Ledger.Tally(nodes: 1, bytes: bytes), for: node.client)
            if let last = node.flow?.last {
                ledger.count(Ledger.Tally(bytes: last.arguments.byteCount), for: last.client)
            }
        }
        return ledger
    }
}

extension Effect {
    fileprivate var request: RequestID? {
        switch self {
        case .reply(let request, _), .fail(let request, _): request
        case .announceNavigation, .removePresentable, .addPresentable, .changeProperties, .tellNavigation,
            .tellFailure, .reportUnstarted:
            nil
        }
    }

    fileprivate var message: String {
        switch self {
        case .fail(_, let error), .reportUnstarted(_, let error): error.message
        case .tellFailure(let failure): failure.message
        case .announceNavigation, .removePresentable, .addPresentable, .changeProperties, .tellNavigation, .reply: ""
        }
    }
}
