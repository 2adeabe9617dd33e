import FlowCore

// Reads the lines of `EventText.swift`.

extension TraceScanner {
    /// Reads the event of a line, and its time. A trace contains no definitions; the given ones are used for a reload.
    mutating func event(
        for coordinator: borrowing Coordinator, reading definitions: Definitions
    ) throws(Failure) -> (Event, Instant) {
        let now = try time()
        let kind = try word()
        let event = kind == "definitions" ? .definitionsRead(definitions) : try event(of: kind, coordinator)
        guard isAtEnd else { throw Failure("there is more in the line than the event") }
        return (event, now)
    }

    private mutating func event(
        of kind: String, _ coordinator: borrowing Coordinator
    ) throws(Failure) -> Event {
        switch kind {
        case "restored": return try restored()
        case "started": return .started
        case "continued": return .continued
        case "timer": return .timerFired
        case "name-owner":
            let name = try word()
            let owner = try word()
            return .nameOwnerChanged(name, owner: owner.isEmpty ? nil : Client(owner))
        case "client-vanished": return .clientVanished(try client())
        case "client-identified":
            let client = try client()
            return .clientIdentified(client, user: try number())
        case "guard-replied":
            return .guardReplied(QuestionID(try number()), try guardAnswer(coordinator.definitions))
        case "navigator-replied":
            return .navigatorReplied(QuestionID(try number()), try navigatorAnswer(coordinator.definitions))
        case "presenter-replied": return .presenterReplied(QuestionID(try number()), try presenterAnswer())
        default: return try call(of: kind, coordinator)
        }
    }

    /// Reads an event with an answer.
    private mutating func call(
        of kind: String, _ coordinator: borrowing Coordinator
    ) throws(Failure) -> Event {
        let request = RequestID(try number())
        switch kind {
        case "emitted":
            let node = try node(coordinator)
            let step = try step(coordinator.definitions)
            let (arguments, client) = (try arguments(), try client())
            return .stepEmitted(
                request, on: node, step: step, arguments: arguments, by: client, options: try emissionOptions())
        case "repeated": return .emissionRepeated(request, token: try word(), by: try client())
        case "emitted-list":
            let node = try node(coordinator)
            var steps: [EmittedStep] = []
            for _ in 0..<(try count()) { steps.append(try emittedStep(coordinator.definitions)) }
            return .stepsEmitted(request, on: node, steps, by: try client(), calledAt: try calledPath())
        case "visible":
            let (node, isVisible) = (try node(coordinator), try bool())
            let client = isAtEnd ? Client("") : try client()
            return .visibilityChanged(request, of: node, isVisible: isVisible, by: client)
        case "dismissed": return .presentableDismissed(request, try node(coordinator), by: try client())
        case "claimed": return .presentableClaimed(request, try node(coordinator), by: try client())
        case "released": return .presentableReleased(request, try node(coordinator), by: try client())
        case "readiness": return .readinessAwaited(request, of: try node(coordinator), by: try client())
        case "registered": return .flowRegistered(request, try registration())
        case "unregistered": return .flowUnregistered(request, flow: try word(), by: try client())
        case "back":
            return .backPressed(
                request, on: try node(coordinator), by: try client(), calledAt: try calledPath())
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
            let client = try client()
            guard try skip("timeout") else { return .pathOpened(request, segments, by: client) }
            return .pathOpened(request, segments, by: client, timeout: try number())
        default: throw Failure("'\(kind)' is no event")
        }
    }

    private mutating func emissionOptions() throws(Failure) -> EmissionOptions? {
        guard !isAtEnd else { return nil }
        var options = EmissionOptions()
        if try skip("token") { options.token = try word() }
        if try skip("instance") { options.instance = try number() }
        if try skip("no-wait") { options.waits = false }
        if try skip("activation-token") { options.activationToken = try word() }
        if try skip("interactive") { options.isInteractive = true }
        options.calledAt = try calledPath()
        return options
    }

    private mutating func calledPath() throws(Failure) -> String? { try skip("at") ? try word() : nil }

    private mutating func emittedStep(_ definitions: Definitions) throws(Failure) -> EmittedStep {
        if try skip("step") { return .step(try step(definitions), try arguments()) }
        guard try skip("refused"), let code = FlowError.Code(rawValue: try word()) else {
            throw Failure("neither a step nor an error is there")
        }
        return .refused(FlowError(code, try word()))
    }

    private mutating func flowRequest(_ definitions: Definitions) throws(Failure) -> FlowRequest {
        let flow = try flow(definitions)
        let arguments = try arguments()
        let step = try optionalStep(definitions)
        let stepArguments = try self.arguments()
        var request = FlowRequest(
            flow, arguments: arguments, step: step, stepArguments: stepArguments, by: try client())
        if try skip("id") { request.id = try word() }
        if try skip("token") { request.token = try word() }
        if try skip("activation-token") { request.activationToken = try word() }
        return request
    }

    private mutating func registration() throws(Failure) -> Registration {
        let flow = try word()
        let service = try service()
        var steps: [StepDeclaration] = []
        for _ in 0..<(try count()) { steps.append(try stepDeclaration()) }
        var registration = Registration(flow, at: service, steps: steps, by: try client())
        if try skip("guard") { registration.hasGuard = true }
        if try skip("children") { registration.children = try oneOf() }
        if try skip("initial") { registration.initial = try word() }
        if try skip("activatable") { registration.isActivatable = true }
        if try skip("screens") {
            var screens: [Registration.Screen] = []
            for _ in 0..<(try count()) {
                screens.append(Registration.Screen(try word(), parameters: try parameters()))
            }
            guard try skip("presenter") else { throw Failure("no 'presenter' of the screens is there") }
            registration.bring(screens, presentedAt: try word())
        }
        return registration
    }

    private mutating func service() throws(Failure) -> Service {
        Service(try word(), path: try word(), timeout: try number())
    }

    private mutating func stepDeclaration() throws(Failure) -> StepDeclaration {
        let name = try word()
        let (isPrivate, isPublic) = (try skip("private"), try skip("public"))
        guard isPrivate != isPublic else { throw Failure("neither 'public' nor 'private' is there") }
        return StepDeclaration(name, parameters: try parameters(), isPrivate: isPrivate)
    }

    private mutating func parameters() throws(Failure) -> [Parameter] {
        var parameters: [Parameter] = []
        for _ in 0..<(try count()) {
            let (name, text) = (try word(), try word())
            let isOptional = text.hasSuffix("?")
            guard let type = ValueType(signature: isOptional ? String(text.dropLast()) : text) else {
                throw Failure("'\(text)' is no type of a value")
            }
            parameters.append(Parameter(name, type, isOptional: isOptional))
        }
        return parameters
    }

    mutating func client() throws(Failure) -> Client { Client(try word()) }

    private mutating func node(_ coordinator: borrowing Coordinator) throws(Failure) -> NodeID {
        let path = try word()
        guard let node = coordinator.node(at: path) else { throw Failure("nothing is live at '\(path)'") }
        return node
    }

    mutating func optionalStep(_ definitions: Definitions) throws(Failure) -> StepID? {
        if try skip("-") { return nil }
        return try step(definitions)
    }

    mutating func step(_ definitions: Definitions) throws(Failure) -> StepID {
        let name = try word()
        guard let step = definitions.step(named: name) else { throw Failure(definitions.unknownStep(name).message) }
        return step
    }

    mutating func flow(_ definitions: Definitions) throws(Failure) -> FlowID {
        let name = try word()
        guard let flow = definitions.flow(named: name) else { throw Failure(definitions.unknownFlow(name).message) }
        return flow
    }
}
