import Testing

@testable import FlowCore

/// A coordinator with concise methods for events. Each returns its effects, a line for each (``Effect/line``).
final class World {
    var coordinator: Coordinator
    /// The effects of the latest event.
    private(set) var effects: [Effect] = []
    /// The stored records.
    private var archive = Archive()
    var records: [Record] { archive.records }
    /// The number of calls.
    private(set) var requests: UInt64 = 0
    /// The number of effects and steps in a slice.
    var sliceSize = Int.max
    /// In µs; the time of the next event.
    var now: UInt64 = 0

    /// The clients that the shell was asked to watch. Any client with usage is watched, so the lines do not contain it.
    private(set) var watched: [String] = []

    init(_ builder: DefinitionsBuilder, quotas: Quotas = .service) {
        self.quotas = quotas
        coordinator = Coordinator(definitions: builder.definitions, basePath: "", quotas: quotas)
    }

    private let quotas: Quotas

    /// Records the effects of an event.
    private func take(_ all: [Effect]) {
        effects = all.filter { effect in
            guard case .watchClient(let client) = effect else { return true }
            watched.append(client.name)
            return false
        }
    }

    /// A coordinator with one root of this flow, begun by `:1.0`.
    convenience init(root flow: String, _ builder: DefinitionsBuilder) throws {
        self.init(builder)
        try coordinate(flow, by: ":1.0")
    }

    @discardableResult
    func handle(_ event: Event) -> [String] {
        let explanation =
            coordinator.forest.count < 300 && !coordinator.hasMore
            ? coordinator.explain(event, at: Instant(microseconds: now)) : nil
        take(
            coordinator.handle(event, at: Instant(microseconds: now), inSlicesOf: sliceSize) {
                let complaints = archive.update(from: &$0)
                if !complaints.isEmpty { Issue.record("records: \(complaints) amid \(event)") }
            })
        // The stored records have to match the state, after every event of every test.
        let complaints = archive.update(from: &coordinator, comparing: archive.bodies.count < 300)
        if !complaints.isEmpty { Issue.record("records: \(complaints) after \(event)") }
        // The explanation of a step has to match its effects.
        if let complaint = explanation?.complaint(about: effects, of: event) {
            Issue.record("\(complaint) of \(event)")
        }
        return effects.map(\.line)
    }

    /// Handles one slice of an event; the rest follows with the next event.
    @discardableResult
    func begin(_ event: Event, upTo size: Int = 1) -> [String] {
        effects = coordinator.handle(event, at: Instant(microseconds: now), upTo: size)
        let complaints = archive.update(from: &coordinator)
        if !complaints.isEmpty { Issue.record("records: \(complaints) after a slice of \(event)") }
        return effects.map(\.line)
    }

    /// Restarts the process, with other definitions if any are given. The owners of bus names are known before, as set
    /// with ``own(_:_:)``.
    @discardableResult
    func restart(_ builder: DefinitionsBuilder? = nil, onSameBus: Bool = true, owners: [String: String] = [:])
        -> [String]
    {
        let records = archive.records.map { onSameBus ? $0 : $0.withoutPrivateArguments }
        coordinator = Coordinator(
            definitions: builder?.definitions ?? coordinator.registrations.files, basePath: coordinator.forest.base,
            quotas: quotas)
        watched = []
        for (name, owner) in owners.sorted(by: { $0.key < $1.key }) {
            _ = coordinator.handle(.nameOwnerChanged(name, owner: Client(owner)), at: Instant(microseconds: now))
        }
        take(coordinator.handle(.restored(records, onSameBus: onSameBus), at: Instant(microseconds: now)))
        archive = Archive()
        archive.keep(coordinator.takeAllRecords())
        requests = max(requests, coordinator.latestRequest.number)
        return effects.map(\.line)
    }

    @discardableResult
    func emit(
        _ step: String, _ arguments: KeyValuePairs<String, Value> = [:], on path: String, by client: String = ":1.1",
        token: String? = nil, instance: UInt64? = nil
    ) throws -> [String] {
        try emit(
            step, arguments, on: path, by: client,
            options: token == nil && instance == nil ? nil : EmissionOptions(token: token, instance: instance))
    }

    @discardableResult
    func emit(
        _ step: String, _ arguments: KeyValuePairs<String, Value> = [:], on path: String, by client: String = ":1.1",
        options: EmissionOptions?
    ) throws -> [String] {
        handle(
            .stepEmitted(
                nextRequest(), on: try node(path), step: try id(ofStep: step), arguments: list(arguments),
                by: Client(client), options: options))
    }

    /// Emits several steps; undeclared names are refused.
    @discardableResult
    func emitAll(_ steps: [String], on path: String, by client: String = ":1.1") throws -> [String] {
        let steps = steps.map { name -> EmittedStep in
            let step = coordinator.definitions.step(named: name)
            return step.map { .step($0, []) } ?? .refused(coordinator.definitions.unknownStep(name))
        }
        return handle(.stepsEmitted(nextRequest(), on: try node(path), steps, by: Client(client)))
    }

    @discardableResult
    func show(_ path: String, by client: String = ":1.1") throws -> [String] {
        handle(.visibilityChanged(nextRequest(), of: try node(path), isVisible: true, by: Client(client)))
    }

    @discardableResult
    func hide(_ path: String, by client: String = ":1.1") throws -> [String] {
        handle(.visibilityChanged(nextRequest(), of: try node(path), isVisible: false, by: Client(client)))
    }

    @discardableResult
    func dismiss(_ path: String, by client: String = ":1.1") throws -> [String] {
        handle(.presentableDismissed(nextRequest(), try node(path), by: Client(client)))
    }

    /// Sets the owner of a bus name, or none.
    @discardableResult
    func own(_ name: String, _ owner: String?) -> [String] {
        handle(.nameOwnerChanged(name, owner: owner.map(Client.init)))
    }

    @discardableResult
    func coordinate(
        _ flow: String, id: String? = nil, _ arguments: KeyValuePairs<String, Value> = [:], step: String? = nil,
        _ stepArguments: KeyValuePairs<String, Value> = [:], by client: String = ":1.1", token: String? = nil,
        activationToken: String? = nil
    ) throws -> [String] {
        let found = coordinator.definitions.flow(named: flow)
        let definition = try #require(found, "no flow '\(flow)'")
        return handle(
            .flowRequested(
                nextRequest(),
                FlowRequest(
                    definition, id: id, arguments: list(arguments), step: try step.map { try self.id(ofStep: $0) },
                    stepArguments: list(stepArguments), by: Client(client), token: token,
                    activationToken: activationToken)))
    }

    @discardableResult
    func navigate(
        _ step: String, _ arguments: KeyValuePairs<String, Value> = [:], by client: String = ":1.1"
    ) throws -> [String] {
        handle(
            .deepLinkOpened(
                nextRequest(), step: try id(ofStep: step), arguments: list(arguments), by: Client(client)))
    }

    @discardableResult
    func reload(_ builder: DefinitionsBuilder) -> [String] {
        handle(.definitionsRead(builder.definitions))
    }

    @discardableResult
    func back(_ path: String, by client: String = ":1.1") throws -> [String] {
        handle(.backPressed(nextRequest(), on: try node(path), by: Client(client)))
    }

    /// Navigates along flows by name, each with or without a step: `[("main", "open"), ("list", "")]`.
    @discardableResult
    func navigateAlong(
        _ path: [(flow: String, step: String)], by client: String = ":1.1", timeout: UInt64 = Limits.pathTimeout
    ) throws -> [String] {
        let segments = try path.map { segment in
            PathSegment(flow: segment.flow, step: segment.step.isEmpty ? nil : try id(ofStep: segment.step))
        }
        return handle(.pathOpened(nextRequest(), segments, by: Client(client), timeout: timeout))
    }

    /// Advances the time, in µs, and fires the timer.
    @discardableResult
    func wait(_ time: UInt64) -> [String] {
        now += time
        return handle(.timerFired)
    }

    func node(_ path: String) throws -> NodeID {
        let node = coordinator.node(at: path)
        return try #require(node, "nothing is live at '\(path)'")
    }

    /// All live presentables, parents before children.
    var live: [Node] { coordinator.forest.preorder().map { [forest = coordinator.forest] in forest[$0] } }

    /// The node of a presentable.
    func kept(_ path: String) throws -> Node { coordinator.forest[try node(path).slot] }

    /// The reported state of a presentable.
    func state(_ path: String) throws -> PresentableState {
        let slot = coordinator.forest.slot(of: try node(path))
        return coordinator.forest.state(of: try #require(slot))
    }

    func isPresented(_ path: String) throws -> Bool { try state(path).isPresented }
    func isReady(_ path: String) throws -> Bool { try state(path).properties.flag(.ready) == true }
    func current(_ path: String) throws -> String? { try state(path).current }
    var paths: [String] { coordinator.paths }

    /// The error of the latest event.
    func refusal() throws -> FlowError {
        guard case .fail(_, let error) = effects.last else {
            throw UnexpectedEffect()
        }
        return error
    }

    /// The failures that the latest event reported.
    var failures: [NavigationFailure] {
        effects.compactMap { if case .emitNavigationFailed(let failure) = $0 { failure } else { nil } }
    }

    /// The navigations of the latest event: the flow, and the step.
    var navigations: [String] {
        effects.compactMap { if case .emitNavigationOccurred(let it) = $0 { "\(it.flow) \(it.step)" } else { nil } }
    }

    struct UnexpectedEffect: Error {}

    /// The state that a refusal leaves unchanged.
    var standing: CoordinatorSnapshot { CoordinatorSnapshot(of: coordinator) }

    func nextRequest() -> RequestID {
        requests += 1
        return RequestID(requests)
    }

    func id(ofStep name: String) throws -> StepID {
        let step = coordinator.definitions.step(named: name)
        return try #require(step, "no step '\(name)'")
    }

    private func list(_ arguments: KeyValuePairs<String, Value>) -> Arguments {
        arguments.map { Argument($0.key, $0.value) }
    }
}

extension [Effect] {
    /// The effects without requests to watch clients.
    var withoutWatches: [Effect] { filter { if case .watchClient = $0 { false } else { true } } }
}

extension Effect {
    /// The effect on one line:
    ///
    ///     will /main pick {item=1}                     + /main/list {item=1} style=modal (visible presented)
    ///     - /main/list                                 ~ /main visible=true presented=true ready=true current=/main/a
    ///     did 2 after 1 by :1.1: /main pick {item=1} [screen list /main/list {item=1}, current next /main]
    ///     failed after 1 by :1.1: /main pick unhandled      = navigated 2      ! IdTaken
    ///     guard? com.auth #3: /main pick {item=1}      present com.shop #4: /main/list again
    var line: String {
        switch self {
        case .emitNavigationWillOccur(let it):
            "will \(it.flow) \(it.step)\(it.arguments.text)\(it.isDeepLink ? " deep link" : "")"
        case .removePresentable(let path, _): "- \(path)"
        case .addPresentable(let it):
            "+ \(it.path)\(it.arguments.text)\(it.style.isEmpty ? "" : " style=" + it.style)"
                + it.flags
        case .changeProperties(let it): "~ \(it.path)" + it.text
        case .emitNavigationOccurred(let it):
            "did \(it.serial) after \(it.cause) by \(it.client.name): \(it.flow) \(it.step)\(it.arguments.text) ["
                + it.contributions.map(\.text).joined(separator: ", ") + "]" + (it.isDeepLink ? " deep link" : "")
                + (it.adaptedFrom.map { " for \($0)" } ?? "")
        case .emitNavigationFailed(let it):
            "failed after \(it.cause) by \(it.client.name): \(it.flow) \(it.step) \(it.reason.text)"
        case .reply(_, let answer): "= " + answer.text
        case .fail(_, let error): "! " + error.code.rawValue
        case .startTimer(let time): "timer \(time.map { "\($0.microseconds)" } ?? "off")"
        case .reportUnstarted(let flow, let error): "unstarted \(flow) \(error.code.rawValue)"
        case .reportUnrestored(let path, let why): "unrestored \(path) \(why)"
        case .askGuard(let it): "guard? \(it.text)"
        case .askNavigator(let it): "navigator? \(it.text)"
        case .present(let it): it.text
        case .dropQuestion(let question): "drop #\(question.number)"
        case .withdraw(let it): "withdraw \(it.path) from \(it.client.name): \(it.reason.text)"
        case .emitStepConcluded(let it):
            "concluded \(it.path) for \(it.client.name)\(it.token.isEmpty ? "" : " " + it.token): \(it.outcome.text)"
        case .watchClient(let client): "watch \(client.name)"
        case .emitDefinitionsChanged: "definitions"
        }
    }
}

extension Question {
    fileprivate var text: String { "\(service.name) #\(id.number): \(flow) \(step)\(arguments.text)" }
}

extension Presentation {
    fileprivate var text: String {
        let action = if case .application(_, let action) = presenter { " action \(action)" } else { "" }
        return "present \(presenter.service.name)\(action) #\(id.number): \(path)\(arguments.text)"
            + (style.isEmpty ? "" : " style=" + style) + (isAgain ? " again" : "")
            + (activationToken.map { " token=" + $0 } ?? "")
    }
}

extension Withdrawal.Reason {
    fileprivate var text: String {
        switch self {
        case .dismissal(let reason): reason.rawValue
        case .rule: "rule"
        case .parent: "parent"
        case .undeclared: "undeclared"
        case .replaced: "replaced"
        }
    }
}

extension [Argument] {
    fileprivate var text: String {
        isEmpty ? "" : " {" + map { "\($0.name)=\($0.value)" }.joined(separator: ", ") + "}"
    }
}

extension PresentableState {
    var name: String { properties.text(.name) ?? "" }
    var parent: String? { properties.path(.parentFlow) }
    var style: String { properties.text(.style) ?? "" }
    var instance: UInt64 { properties.number(.instance) ?? 0 }
    var arguments: Arguments { properties.arguments(.arguments) ?? [] }
    var isVisible: Bool { properties.flag(.visible) ?? false }
    var isPresented: Bool { properties.flag(.presented) ?? false }
    var current: String? { properties.path(.current) }
    var owner: Client? {
        guard let name = properties.text(.owner), !name.isEmpty else { return nil }
        return Client(name)
    }

    fileprivate var flags: String {
        var flags: [String] = []
        if isVisible { flags.append("visible") }
        if isPresented { flags.append("presented") }
        if isFlow, properties.flag(.ready) == true { flags.append("ready") }
        if let presenter = properties.text(.presenter), !presenter.isEmpty { flags.append("presenter=\(presenter)") }
        if let owner { flags.append("owner=\(owner.name)") }
        if let current { flags.append("current=\(current)") }
        return flags.isEmpty ? "" : " (" + flags.joined(separator: " ") + ")"
    }
}

extension PropertyChanges {
    fileprivate var text: String {
        var text = ""
        for entry in properties.entries {
            text += " \(entry.property)="
            switch entry.value {
            case .arguments(let arguments): text += arguments.text
            case .flag(let flag): text += "\(flag)"
            case .number(let number): text += "\(number)"
            case .text(let name): text += name.isEmpty ? "-" : name
            case .path(let path): text += path ?? "/"
            case .paths(let paths): text += paths.joined(separator: ",")
            }
        }
        return text
    }
}

extension Contribution {
    fileprivate var text: String {
        kind.rawValue + (name.isEmpty ? "" : " " + name) + (path.map { " " + $0 } ?? "") + arguments.text
            + (style.isEmpty ? "" : " style=" + style)
    }
}

extension NavigationFailure.Reason {
    fileprivate var text: String {
        switch self {
        case .verdict(let verdict): verdict.rawValue
        case .error(let code): code.rawValue
        }
    }
}

extension Outcome {
    fileprivate var text: String {
        switch self {
        case .navigated(let serial): "navigated \(serial)"
        case .ignored(let verdict): verdict.rawValue
        case .refused(let error): error.code.rawValue
        }
    }
}

extension Answer {
    fileprivate var text: String {
        switch self {
        case .done: "done"
        case .verdict(let verdict, let serial): "\(verdict.rawValue) \(serial)"
        case .flow(let path): path
        case .outcomes(let outcomes):
            "[" + outcomes.map { "\($0.path) \($0.outcome?.text ?? "-")" }.joined(separator: ", ") + "]"
        case .verdicts(let outcomes): "[" + outcomes.map(\.text).joined(separator: ", ") + "]"
        }
    }
}
