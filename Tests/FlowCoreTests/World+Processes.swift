import Testing

@testable import FlowCore

// Actions of other processes: owners, guards, navigators and presenters. Questions are identified by numbers, as in
// `guard? com.auth #3: …`.

extension World {
    @discardableResult
    func claim(_ path: String, by client: String) throws -> [String] {
        handle(.presentableClaimed(nextRequest(), try node(path), by: Client(client)))
    }

    @discardableResult
    func release(_ path: String, by client: String) throws -> [String] {
        handle(.presentableReleased(nextRequest(), try node(path), by: Client(client)))
    }

    /// The connection of a client is gone.
    @discardableResult
    func vanish(_ client: String) -> [String] { handle(.clientVanished(Client(client))) }

    @discardableResult
    func waitReady(_ path: String, by client: String = ":1.1") throws -> [String] {
        handle(.readinessAwaited(nextRequest(), of: try node(path), by: Client(client)))
    }

    /// The guard lets a step pass, or another one in its place.
    @discardableResult
    func adapt(
        _ question: UInt64, to step: String, _ arguments: KeyValuePairs<String, Value> = [:]
    ) throws -> [String] {
        answer(question, .step(try id(ofStep: step), arguments.map { Argument($0.key, $0.value) }))
    }

    @discardableResult
    func answer(_ question: UInt64, _ answer: GuardAnswer) -> [String] {
        handle(.guardReplied(QuestionID(question), answer))
    }

    /// The navigator answers with contributors.
    @discardableResult
    func navigate(_ question: UInt64, to parts: [DefinitionsBuilder.Part]) -> [String] {
        answer(question, .contributors(parts.map { contributor($0) }))
    }

    @discardableResult
    func answer(_ question: UInt64, _ answer: NavigatorAnswer) -> [String] {
        handle(.navigatorReplied(QuestionID(question), answer))
    }

    /// The presenter shows the screen.
    @discardableResult
    func presented(_ question: UInt64, by client: String) -> [String] {
        handle(.presenterReplied(QuestionID(question), .presented(by: Client(client))))
    }

    /// The screens whose presenters the latest event called, with the reasons.
    var presents: [String] {
        effects.compactMap { effect in
            guard case .present(let presentation) = effect else { return nil }
            return "\(presentation.path) \(presentation.reason.rawValue)"
        }
    }

    /// The presenter does not answer in time; it can still answer.
    @discardableResult
    func presentTimesOut(_ question: UInt64) -> [String] {
        handle(.presenterReplied(QuestionID(question), .timedOut))
    }

    /// The presenter fails; by default it refuses, so that it is not called again (S-47).
    @discardableResult
    func presentFails(_ question: UInt64, _ fault: Fault = Fault(Fault.refusal, "no")) -> [String] {
        handle(.presenterReplied(QuestionID(question), .failed(fault)))
    }

    /// An owner answers whether it is alive, or does not.
    @discardableResult
    func answer(_ question: UInt64, _ answer: AliveAnswer) -> [String] {
        handle(.aliveReplied(QuestionID(question), answer))
    }

    @discardableResult
    func register(
        _ flow: String, steps: KeyValuePairs<String, KeyValuePairs<String, String>>, by client: String,
        name: String? = nil, hasGuard: Bool = false, children: Children = .free, initial: String? = nil,
        isActivatable: Bool = false, result: KeyValuePairs<String, String>? = nil,
        screens: KeyValuePairs<String, KeyValuePairs<String, String>> = [:],
        screenResult: KeyValuePairs<String, String>? = nil,
        presenter: String? = nil, at path: String = "/navigator", timeout: UInt64 = Limits.guardTimeout
    ) -> [String] {
        let declarations = steps.map { StepDeclaration($0.key, parameters: DefinitionsBuilder.parameters($0.value)) }
        var request = Registration(
            flow, at: Service(name ?? client, path: path, timeout: timeout), steps: declarations,
            hasGuard: hasGuard, children: children, initial: initial, by: Client(client), isActivatable: isActivatable)
        request.result = result.map(DefinitionsBuilder.parameters)
        request.bring(
            screens.map {
                ScreenDeclaration(
                    $0.key, parameters: DefinitionsBuilder.parameters($0.value),
                    result: screenResult.map(DefinitionsBuilder.parameters))
            },
            presentedAt: presenter)
        return handle(.flowRegistered(nextRequest(), request))
    }

    @discardableResult
    func unregister(_ flow: String, by client: String) -> [String] {
        handle(.flowUnregistered(nextRequest(), flow: flow, by: Client(client)))
    }

    func contributor(_ part: DefinitionsBuilder.Part) -> FlowContributor {
        DefinitionsBuilder.contributor(part, in: coordinator.definitions)
    }
}

// MARK: - Refusals

/// Expects a refusal that changed and reported nothing.
func expectRefusal(
    _ world: World, _ code: FlowError.Code, with text: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ event: () throws -> [String]
) throws {
    let before = world.standing
    #expect(try event() == ["! \(code.rawValue)"], sourceLocation: sourceLocation)
    let message = try world.refusal().message
    #expect(message.contains(text), "\(message)", sourceLocation: sourceLocation)
    #expect(world.standing == before, sourceLocation: sourceLocation)
}

// MARK: - Flows that clients register

extension DefinitionsBuilder {
    /// The definitions before a client registers a flow.
    static func host() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64?"])
        builder.step("closed", ["name": "string", "why": "string"])
        builder.flow("main", on: ["open": [.screen("a")], "closed": []])
        return builder
    }
}

extension World {
    /// `:1.5` is the navigator of `pay`, which takes `pay` and `abort`.
    static func registered(name: String? = nil, isActivatable: Bool = false, _ builder: DefinitionsBuilder? = nil)
        -> World
    {
        let world = World(builder ?? .host())
        if let name { world.own(name, ":1.5") }
        world.register(
            "pay", steps: ["pay": ["sum": "int64"], "abort": [:]], by: ":1.5", name: name, isActivatable: isActivatable)
        return world
    }
}
