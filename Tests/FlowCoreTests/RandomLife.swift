import Testing

@testable import FlowCore

/// A world with random events.
final class RandomLife {
    var random: Seeded
    private(set) var coordinator: Coordinator
    private(set) var model = BusModel()
    private(set) var effects: [Effect] = []
    /// The coordinator before the latest event.
    private(set) var before: Coordinator
    private(set) var latest = LatestEvent(isCall: false)
    /// The events so far, for the output of a failure.
    private(set) var transcript: [String] = []
    private(set) var requests: UInt64 = 0
    /// The stored records, and their errors.
    private var archive = Archive()
    private(set) var recordComplaints: [String] = []
    private(set) var now: UInt64 = 0
    /// Differences between steps and their explanations.
    private(set) var explainComplaints: [String] = []
    /// The first answers to calls that had a token.
    private var answers: [Tokens.Key: (effect: Effect, at: UInt64)] = [:]
    private var seen: [NodeID] = []
    let seed: UInt64

    /// The expectations for the latest event.
    struct LatestEvent {
        /// Whether it expects an answer.
        var isCall = true
        /// The number of steps from outside that it begins in addition to those in its answer; nil if unknown.
        var begins: Int? = 0
        /// The first answer to a call with this token.
        var known: Effect?
    }

    /// The number of effects and steps in a slice.
    private let sliceSize: Int

    init(seed: UInt64, sliceSize: Int = .max) {
        self.seed = seed
        self.sliceSize = sliceSize
        random = Seeded(seed: seed)
        coordinator = Coordinator(definitions: RandomDefinitions.make(using: &random).definitions, basePath: "")
        before = coordinator.copy()
        follow(coordinator.definitions)
    }

    /// Handles a random event.
    func performRandomEvent() throws {
        now += chance(3) ? 0 : UInt64.random(in: 0..<8_000_000, using: &random)
        if coordinator.forest.count > 150 { return endAll() }
        if coordinator.forest.count == 0 || chance(8) { return coordinate() }
        if chance(12) { return reload() }
        if chance(12) { return chance(2) ? navigate() : navigateAlong() }
        if chance(8) { return wait() }
        if chance(20) { return changeOwner() }
        // Sometimes a removed one.
        let isOld = chance(15)
        let live = coordinator.forest.preorder().map(coordinator.forest.id(of:))
        guard let node = isOld ? seen.randomElement(using: &random) : live.randomElement(using: &random) else { return }
        seen.append(node)
        let path = coordinator.forest.slot(of: node).map { coordinator.forest[$0].path } ?? "gone"
        switch Int.random(in: 0..<13, using: &random) {
        case 0...3: emit(on: node, path)
        case 4: emitMany(on: node, path)
        case 5...7:
            let client = client()
            handle(.visibilityChanged(request(), of: node, isVisible: true, by: client), "show \(path)")
        case 8...9:
            handle(.visibilityChanged(request(), of: node, isVisible: false, by: client()), "hide \(path)")
        case 10:
            handle(.backPressed(request(), on: node, by: client()), "back on \(path)")
        case 12:
            handle(.presentableTouched(request(), node, by: client()), "touch \(path)")
        default:
            dismiss(node, "dismiss \(path)")
        }
    }

    /// Dismisses all roots; lost steps can start new ones.
    func endAll() {
        let client = client()
        for name in RandomDefinitions.emitters {
            handle(.nameOwnerChanged(name, owner: client), "owner", LatestEvent(isCall: false))
        }
        while let root = coordinator.forest.roots.first {
            dismiss(coordinator.forest.id(of: root), "end all", by: client)
            guard model.complaints.isEmpty else { return }
        }
    }
}

// MARK: - Events

extension RandomLife {
    private func emit(on node: NodeID, _ path: String) {
        let step = randomStep()
        var options: EmissionOptions?
        var latest = LatestEvent()
        if chance(3) {
            options = EmissionOptions(
                token: chance(2) ? token() : nil, instance: chance(3) ? UInt64.random(in: 1..<9, using: &random) : nil)
        }
        let client = client()
        let key = options?.token.map { Tokens.Key(client: client, kind: .emission, token: $0) }
        latest.known = key.flatMap(knownAnswer)
        handle(
            .stepEmitted(
                request(), on: node, step: step, arguments: arguments(for: step), by: client, options: options),
            "emit \(step.index) on \(path)", latest)
        if let key { remember(key) }
    }

    private func emitMany(on node: NodeID, _ path: String) {
        let steps = (0..<Int.random(in: 0..<4, using: &random)).map { _ -> EmittedStep in
            if chance(8) { return .refused(FlowError(.unknownStep, "no definition declares a step 'x'")) }
            let step = randomStep()
            return .step(step, arguments(for: step))
        }
        handle(.stepsEmitted(request(), on: node, steps, by: client()), "emit \(steps.count) steps on \(path)")
    }

    private func dismiss(_ node: NodeID, _ text: String, by client: Client? = nil) {
        var latest = LatestEvent()
        let parent = coordinator.forest.slot(of: node).flatMap { coordinator.forest[$0].parent }
            .map(coordinator.forest.id(of:))
        if let slot = coordinator.forest.slot(of: node), coordinator.forest[slot].parent != nil,
            coordinator.forest[slot].onDismissed != nil
        {
            latest.begins = 1
        }
        handle(.presentableDismissed(request(), node, by: client ?? self.client()), text, latest)
        if case .fail = effects.last { self.latest.begins = 0 }
        // Empty flows above it have gone, too, each with a step from outside or none (S-36).
        if let parent, coordinator.forest.slot(of: parent) == nil { self.latest.begins = nil }
    }

    private func coordinate() {
        let flow = coordinator.definitions.flows.indices.randomElement(using: &random) ?? 0
        let step = coordinator.definitions.flows[flow].initial
        let client = client()
        let flowRequest = FlowRequest(
            FlowID(flow), id: chance(6) ? "only" : nil, arguments: chance(2) ? [Argument("n", .int64(1))] : [],
            stepArguments: step.map(arguments(for:)) ?? [], by: client, token: chance(6) ? token() : nil)
        let key = flowRequest.token.map { Tokens.Key(client: client, kind: .coordination, token: $0) }
        var latest = LatestEvent()
        latest.known = key.flatMap(knownAnswer)
        let known = Set(coordinator.paths)
        handle(.flowRequested(request(), flowRequest), "coordinate \(flow)", latest)
        if case .reply(_, .flow(let path)) = effects.last, latest.known == nil, !known.contains(path), step != nil {
            self.latest.begins = 1
        }
        if let key { remember(key) }
    }

    private func navigate() {
        let step = randomStep()
        handle(
            .deepLinkOpened(request(), step: step, arguments: arguments(for: step), by: client()),
            "navigate \(step.index)")
    }

    private func navigateAlong() {
        let segments = (0..<Int.random(in: 1..<4, using: &random)).map { _ in
            let step = chance(3) ? nil : randomStep()
            let flow = RandomDefinitions.flowNames.randomElement(using: &random) ?? ""
            let hasKey = RandomDefinitions.keyed.contains(flow) && step != nil
            return PathSegment(
                flow: flow, key: hasKey ? [Argument("n", .int64(1))] : [], step: step,
                arguments: step.map(arguments(for:)) ?? [])
        }
        handle(
            .pathOpened(request(), segments, by: client()), "navigate along \(segments.map(\.flow))",
            LatestEvent(begins: nil))
    }

    private func wait() {
        now += UInt64.random(in: 0..<60_000_000, using: &random)
        model.takeTimer()
        handle(.timerFired, "timer", LatestEvent(isCall: false, begins: nil))
    }

    private func changeOwner() {
        let owner = chance(3) ? nil : client()
        handle(
            .nameOwnerChanged(RandomDefinitions.emitters.randomElement(using: &random) ?? "", owner: owner), "owner",
            LatestEvent(isCall: false))
    }

    private func reload() {
        let definitions = RandomDefinitions.make(using: &random, withGap: chance(2)).definitions
        follow(definitions)
        handle(.definitionsRead(definitions), "reload", LatestEvent(isCall: false, begins: nil))
    }

    private func handle(_ event: Event, _ text: String, _ latest: LatestEvent = LatestEvent()) {
        transcript.append(text)
        self.latest = latest
        before = coordinator.copy()
        let explanation = coordinator.explain(event, at: Instant(microseconds: now))
        effects =
            coordinator.handle(event, at: Instant(microseconds: now), inSlicesOf: sliceSize) {
                recordComplaints += archive.update(from: &$0).map { "\(transcript.count) \(text): \($0)" }
            }.withoutWatches
        if let complaint = explanation?.complaint(about: effects, of: event) {
            explainComplaints.append("\(transcript.count) \(text): \(complaint)")
        }
        recordComplaints += archive.update(from: &coordinator, comparing: transcript.count % 7 == 0).map {
            "\(transcript.count) \(text): \($0)"
        }
        model.follow(coordinator.forest)
        model.take(effects)
        recordComplaints += model.complaintsAboutSight(coordinator.machine).map { "\(transcript.count) \(text): \($0)" }
    }

    private func follow(_ definitions: Definitions) {
        model.covering = Dictionary(
            definitions.flows.map { ($0.name, $0.children) }, uniquingKeysWith: { first, _ in first })
        model.layers = Dictionary(
            definitions.flows.map { ($0.name, $0.layers) }, uniquingKeysWith: { first, _ in first })
    }
}

// MARK: - What they are made of

extension RandomLife {
    private func chance(_ odds: Int) -> Bool { RandomDefinitions.chance(odds, &random) }

    private func client() -> Client { Client(":1.\(Int.random(in: 0..<3, using: &random))") }

    private func token() -> String { "t\(Int.random(in: 0..<3, using: &random))" }

    private func randomStep() -> StepID {
        StepID(coordinator.definitions.steps.indices.randomElement(using: &random) ?? 0)
    }

    /// Private values are never reported; others can be.
    private func arguments(for step: StepID) -> Arguments {
        var arguments: Arguments = []
        if chance(2) { arguments.append(Argument("n", .byte(UInt8.random(in: 0..<3, using: &random)))) }
        if coordinator.definitions[step].isPrivate {
            arguments = [Argument("pin", .string("secret"))]
        } else if chance(3) {
            arguments.append(Argument("pin", .string("open")))
        }
        if chance(30) { arguments.append(Argument("n", .string("bad"))) }
        return arguments
    }

    private func request() -> RequestID {
        requests += 1
        return RequestID(requests)
    }

    private func knownAnswer(_ key: Tokens.Key) -> Effect? {
        answers[key].flatMap { now - $0.at < Limits.tokenLifetime ? $0.effect : nil }
    }

    private func remember(_ key: Tokens.Key) {
        guard knownAnswer(key) == nil, let answer = effects.last else { return }
        answers[key] = (answer, now)
    }
}
