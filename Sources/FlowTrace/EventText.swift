import FlowCore

// Events as lines of a trace, which `EventScanner.swift` reads. Steps, screens and flows are written by name, and
// presentables by path, because numbers are valid in one run of the daemon only. Newer fields are at the end of a line,
// so that older traces can still be read.

extension TraceLine {
    /// Creates the line of an event that is about to be handled.
    init(_ event: Event, at now: Instant, in coordinator: borrowing Coordinator) {
        self.init("\(now.microseconds)")
        switch event {
        case .started: add("started")
        case .continued: add("continued")
        case .stepEmitted(let request, let node, let step, let arguments, let client, let options):
            add("emitted")
            add(request.number)
            add(coordinator.path(of: node))
            add(coordinator.definitions[step].name)
            add(arguments)
            add(quoted: client.name)
            if let options { add(options) }
        case .emissionRepeated(let request, let token, let client):
            add("repeated")
            add(request.number)
            add(quoted: token)
            add(quoted: client.name)
        case .stepsEmitted(let request, let node, let steps, let client, let path):
            add("emitted-list")
            add(request.number)
            add(coordinator.path(of: node))
            add(steps.count)
            for step in steps { add(step, coordinator.definitions) }
            add(quoted: client.name)
            add(calledAt: path)
        case .visibilityChanged(let request, let node, let isVisible, let client):
            add("visible")
            add(request.number)
            add(coordinator.path(of: node))
            add(isVisible)
            add(quoted: client.name)
        case .presentableDismissed(let request, let node, let client):
            add("dismissed", request, coordinator.path(of: node), client)
        case .presentableClaimed(let request, let node, let client):
            add("claimed", request, coordinator.path(of: node), client)
        case .presentableReleased(let request, let node, let client):
            add("released", request, coordinator.path(of: node), client)
        case .readinessAwaited(let request, let node, let client):
            add("readiness", request, coordinator.path(of: node), client)
        case .backPressed(let request, let node, let client, let path):
            add("back", request, coordinator.path(of: node), client)
            add(calledAt: path)
        case .flowRequested(let request, let flow):
            add("requested")
            add(request.number)
            add(flow, coordinator.definitions)
        case .deepLinkOpened(let request, let step, let arguments, let client):
            add("deep-link")
            add(request.number)
            add(coordinator.definitions[step].name)
            add(arguments)
            add(quoted: client.name)
        case .pathOpened(let request, let segments, let client, let timeout):
            add("path")
            add(request.number)
            add(segments.count)
            for segment in segments {
                add(quoted: segment.flow)
                add(segment.step.map { coordinator.definitions[$0].name } ?? "-")
                add(segment.arguments)
            }
            add(quoted: client.name)
            add("timeout")
            add(timeout)
        case .flowRegistered(let request, let registration):
            add("registered")
            add(request.number)
            add(registration)
        case .flowUnregistered(let request, let flow, let client):
            add("unregistered")
            add(request.number)
            add(quoted: flow)
            add(quoted: client.name)
        case .guardReplied(let question, let answer):
            add("guard-replied")
            add(question.number)
            add(answer, coordinator.definitions)
        case .navigatorReplied(let question, let answer):
            add("navigator-replied")
            add(question.number)
            add(answer, coordinator.definitions)
        case .presenterReplied(let question, let answer):
            add("presenter-replied")
            add(question.number)
            add(answer)
        case .clientVanished(let client):
            add("client-vanished")
            add(quoted: client.name)
        case .clientIdentified(let client, let user):
            add("client-identified")
            add(quoted: client.name)
            add("\(user)")
        case .nameOwnerChanged(let name, let owner):
            add("name-owner")
            add(quoted: name)
            add(quoted: owner?.name ?? "")
        case .timerFired: add("timer")
        case .definitionsRead: add("definitions")
        case .restored(let records, let onSameBus):
            add("restored")
            add(records, onSameBus: onSameBus)
        }
    }

    /// Adds a call on a presentable without further arguments.
    private mutating func add(_ kind: String, _ request: RequestID, _ path: String, _ client: Client) {
        add(kind)
        add(request.number)
        add(path)
        add(quoted: client.name)
    }

    private mutating func add(_ options: EmissionOptions) {
        if let token = options.token {
            add("token")
            add(quoted: token)
        }
        if let instance = options.instance {
            add("instance")
            add(instance)
        }
        if !options.waits { add("no-wait") }
        if let token = options.activationToken {
            add("activation-token")
            add(quoted: token)
        }
        if options.isInteractive { add("interactive") }
        add(calledAt: options.calledAt)
    }

    private mutating func add(calledAt path: String?) {
        guard let path else { return }
        add("at")
        add(path)
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

    private mutating func add(_ request: FlowRequest, _ definitions: Definitions) {
        add(definitions[request.definition].name)
        add(request.arguments)
        add(request.step.map { definitions[$0].name } ?? "-")
        add(request.stepArguments)
        add(quoted: request.client.name)
        if let id = request.id {
            add("id")
            add(quoted: id)
        }
        if let token = request.token {
            add("token")
            add(quoted: token)
        }
        if let token = request.activationToken {
            add("activation-token")
            add(quoted: token)
        }
    }

    private mutating func add(_ registration: Registration) {
        add(quoted: registration.flow)
        add(registration.service)
        add(registration.steps.count)
        for step in registration.steps {
            add(quoted: step.name)
            add(step.isPrivate ? "private" : "public")
            add(step.parameters)
        }
        add(quoted: registration.client.name)
        if registration.hasGuard { add("guard") }
        if registration.children != .free { add("children \(registration.children.rawValue)") }
        if let initial = registration.initial {
            add("initial")
            add(quoted: initial)
        }
        if registration.isActivatable { add("activatable") }
        guard let path = registration.presenterPath else { return }
        add("screens")
        add(registration.screens.count)
        for screen in registration.screens {
            add(quoted: screen.name)
            add(screen.parameters)
        }
        add("presenter")
        add(quoted: path)
    }

    private mutating func add(_ parameters: [Parameter]) {
        add(parameters.count)
        for parameter in parameters {
            add(quoted: parameter.name)
            add(parameter.type.signature + (parameter.isOptional ? "?" : ""))
        }
    }
}
