import FlowCore

// Events as lines of a trace, there and back. Steps and flows stand by their names, presentables by their paths: numbers
// mean something in one run of the daemon only.

extension TraceLine {
    /// An event at its time, as it is about to be handled.
    init(_ event: Event, at now: Instant, in coordinator: borrowing FlowCoordinator) {
        self.init("\(now.microseconds)")
        switch event {
        case .started: add("started")
        case .stepEmitted(let request, let node, let step, let arguments, let client, let options):
            add("emitted")
            add(request.number)
            add(coordinator.path(of: node))
            add(coordinator.definitions[step].name)
            add(arguments)
            add(quoted: client.name)
            if let token = options?.token {
                add("token")
                add(quoted: token)
            }
            if let instance = options?.instance {
                add("instance")
                add(instance)
            }
        case .stepsEmitted(let request, let node, let steps, let client):
            add("emitted-list")
            add(request.number)
            add(coordinator.path(of: node))
            add(steps.count)
            for step in steps { add(step, coordinator.definitions) }
            add(quoted: client.name)
        case .visibilityChanged(let request, let node, let isVisible):
            add("visible")
            add(request.number)
            add(coordinator.path(of: node))
            add(isVisible)
        case .presentableDismissed(let request, let node, let client):
            add("dismissed")
            add(request.number)
            add(coordinator.path(of: node))
            add(quoted: client.name)
        case .backPressed(let request, let node, let client):
            add("back")
            add(request.number)
            add(coordinator.path(of: node))
            add(quoted: client.name)
        case .flowRequested(let request, let wish):
            add("requested")
            add(request.number)
            add(wish, coordinator.definitions)
        case .deepLinkOpened(let request, let step, let arguments, let client):
            add("deep-link")
            add(request.number)
            add(coordinator.definitions[step].name)
            add(arguments)
            add(quoted: client.name)
        case .pathOpened(let request, let segments, let client):
            add("path")
            add(request.number)
            add(segments.count)
            for segment in segments {
                add(quoted: segment.flow)
                add(segment.step.map { coordinator.definitions[$0].name } ?? "-")
                add(segment.arguments)
            }
            add(quoted: client.name)
        case .nameOwnerChanged(let name, let owner):
            add("name-owner")
            add(quoted: name)
            add(quoted: owner?.name ?? "")
        case .timerFired: add("timer")
        case .definitionsRead: add("definitions")
        }
    }

    private mutating func add(_ step: EmittedStep, _ definitions: Definitions) {
        switch step {
        case .step(let id, let arguments):
            add("step")
            add(definitions[id].name)
            add(arguments)
        case .refused(let error):
            add("refused")
            add(error.code.rawValue)
            add(quoted: error.message)
        }
    }

    private mutating func add(_ wish: FlowRequest, _ definitions: Definitions) {
        add(definitions[wish.definition].name)
        add(wish.arguments)
        add(wish.step.map { definitions[$0].name } ?? "-")
        add(wish.stepArguments)
        add(quoted: wish.client.name)
        if let id = wish.id {
            add("id")
            add(quoted: id)
        }
        if let token = wish.token {
            add("token")
            add(quoted: token)
        }
    }
}

extension TraceScanner {
    /// The event of a line, and its time.
    mutating func event(for coordinator: borrowing FlowCoordinator) throws(Failure) -> (Event, Instant) {
        let now = try time()
        let event = try event(of: try word(), coordinator)
        guard isAtEnd else { throw Failure("there is more in the line than the event") }
        return (event, now)
    }

    private mutating func event(
        of kind: String, _ coordinator: borrowing FlowCoordinator
    ) throws(Failure) -> Event {
        switch kind {
        case "started": return .started
        case "timer": return .timerFired
        case "definitions": return .definitionsRead(coordinator.definitions)
        case "name-owner":
            let name = try word()
            let owner = try word()
            return .nameOwnerChanged(name, owner: owner.isEmpty ? nil : Client(owner))
        default: break
        }
        let request = RequestID(try number())
        switch kind {
        case "emitted":
            let node = try node(coordinator)
            let step = try step(coordinator.definitions)
            let (arguments, client) = (try arguments(), try client())
            return .stepEmitted(
                request, on: node, step: step, arguments: arguments, by: client, options: try emissionOptions())
        case "emitted-list":
            let node = try node(coordinator)
            var steps: [EmittedStep] = []
            for _ in 0..<(try count()) { steps.append(try emittedStep(coordinator.definitions)) }
            return .stepsEmitted(request, on: node, steps, by: try client())
        case "visible": return .visibilityChanged(request, of: try node(coordinator), isVisible: try bool())
        case "dismissed": return .presentableDismissed(request, try node(coordinator), by: try client())
        case "back": return .backPressed(request, on: try node(coordinator), by: try client())
        case "requested": return .flowRequested(request, try flowRequest(coordinator.definitions))
        case "deep-link":
            return .deepLinkOpened(
                request, step: try step(coordinator.definitions), arguments: try arguments(), by: try client())
        case "path":
            var segments: [PathSegment] = []
            for _ in 0..<(try count()) {
                segments.append(
                    PathSegment(
                        flow: try word(), step: try optionalStep(coordinator.definitions), arguments: try arguments()))
            }
            return .pathOpened(request, segments, by: try client())
        default: throw Failure("'\(kind)' is no event")
        }
    }

    private mutating func emissionOptions() throws(Failure) -> EmissionOptions? {
        var options: EmissionOptions?
        if try skip("token") { options = EmissionOptions(token: try word()) }
        if try skip("instance") { options = EmissionOptions(token: options?.token, instance: try number()) }
        return options
    }

    private mutating func emittedStep(_ definitions: Definitions) throws(Failure) -> EmittedStep {
        if try skip("step") { return .step(try step(definitions), try arguments()) }
        guard try skip("refused"), let code = FlowError.Code(rawValue: try word()) else {
            throw Failure("neither a step nor an error is there")
        }
        return .refused(FlowError(code, try word()))
    }

    private mutating func flowRequest(_ definitions: Definitions) throws(Failure) -> FlowRequest {
        let name = try word()
        guard let flow = definitions.flow(named: name) else { throw Failure(definitions.unknownFlow(name).message) }
        let arguments = try arguments()
        let step = try optionalStep(definitions)
        let stepArguments = try self.arguments()
        var wish = FlowRequest(
            flow, arguments: arguments, step: step, stepArguments: stepArguments, by: try client())
        if try skip("id") { wish.id = try word() }
        if try skip("token") { wish.token = try word() }
        return wish
    }

    private mutating func client() throws(Failure) -> Client { Client(try word()) }

    private mutating func node(_ coordinator: borrowing FlowCoordinator) throws(Failure) -> NodeID {
        let path = try word()
        guard let node = coordinator.node(at: path) else { throw Failure("nothing is live at '\(path)'") }
        return node
    }

    private mutating func optionalStep(_ definitions: Definitions) throws(Failure) -> StepID? {
        if try skip("-") { return nil }
        return try step(definitions)
    }

    private mutating func step(_ definitions: Definitions) throws(Failure) -> StepID {
        let name = try word()
        guard let step = definitions.step(named: name) else { throw Failure(definitions.unknownStep(name).message) }
        return step
    }
}
