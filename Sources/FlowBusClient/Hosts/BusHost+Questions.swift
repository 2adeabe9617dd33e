internal import FlowBus
internal import FlowCore
internal import FlowWire
internal import SdBus

// Calls of the service to the objects of a host, and their replies.

extension BusHost {
    /// Handles a call to the guard or the navigator of a flow, which the object path identifies.
    func takeQuestion(about definition: String, _ member: String, _ call: MessageReader, _ reply: PendingReply) {
        do throws(SdError) {
            let question = try question(about: definition, call)
            let open = bus.link.questions.begin(at: question.flow)
            switch member {
            case "Adapt": afterSnapshot { [weak self] in self?.adapt(question, open, reply) }
            case "Navigate": afterSnapshot { [weak self] in self?.navigate(question, open, reply) }
            default: reply.failUnknown(member)
            }
        } catch {
            reply.failUnread("the question", error)
        }
    }

    private func question(about definition: String, _ call: MessageReader) throws(SdError) -> HostQuestion {
        let flow = String(cString: try call.readObjectPath())
        let step = String(cString: try call.readString())
        let arguments = try call.readArguments()
        let details = try call.readArguments()
        let isFromThisProcess = details["sender"]?.value.text == bus.uniqueName && details["cause"]?.value.number == 0
        return HostQuestion(
            FlowPlace(NodePath(flow), definition: definition),
            step: StepMessage(name: step, arguments: arguments), isFromThisProcess: isFromThisProcess)
    }

    private func adapt(_ question: HostQuestion, _ open: OpenQuestion, _ reply: PendingReply) {
        guard let delegate else { return reply.failEnded() }
        delegate.adapt(question) { answer in
            defer { open.end() }
            switch answer {
            case .step(let step):
                reply.send { body throws(SdError) in
                    try body.append(step.name)
                    try body.append(step.arguments)
                }
            case .rejected(let reason): reply.fail(FlowError.Code.rejected.busName, reason)
            // The service's own clock may be later, or earlier.
            case .timedOut: reply.fail(FlowError.Code.guardTimeout.busName, "the flow took too long")
            case .failed(let reason): reply.fail(reason)
            }
        }
    }

    private func navigate(_ question: HostQuestion, _ open: OpenQuestion, _ reply: PendingReply) {
        guard let delegate else { return reply.failEnded() }
        delegate.navigate(question) { answer in
            defer { open.end() }
            switch answer {
            case .contributors(let contributors): reply.send(contributors)
            case .unhandled: reply.fail(FlowError.Code.unhandled.busName, "the flow does not take the step")
            case .failed(let reason): reply.fail(reason)
            }
        }
    }

    /// Presents a screen. Returns whether its object is in this coordinator; then the call has its reply.
    func present(_ request: PresentationRequest, _ reply: PendingReply) -> Bool {
        let shown = delegate?.present(Presentation(request), instance: request.instance, known: request.known)
        guard let report = shown else { return false }
        reply.send { body throws(SdError) in try body.append(report.arguments) }
        delegate?.presented(request.path, instance: request.instance, request.answers)
        return true
    }
}

extension PendingReply {
    fileprivate func send(_ contributors: [NamedContributor]) {
        send { body throws(SdError) in
            try body.openContainer(.array, "(ssa{sv})")
            for contributor in contributors { try body.append(contributor) }
            try body.closeContainer()
        }
    }

    fileprivate func failEnded() { fail("the flows of this program have ended") }
}

extension MessageWriter {
    /// Appends a contributor, `(ssa{sv})`.
    fileprivate func append(_ contributor: NamedContributor) throws(SdError) {
        try openContainer(.structure, "ssa{sv}")
        try append(contributor.kind.rawValue)
        try append(contributor.name)
        try append(Value(contributor.options))
        try closeContainer()
    }
}

extension Value {
    fileprivate init(_ arguments: Arguments) { self = .dictionary(arguments.map { ($0.name, $0.value) }) }

    fileprivate init(_ options: NamedContributor.Options) {
        self = .dictionary(
            NamedContributor.Option.allCases.compactMap { option in
                options[option].map { (option.rawValue, Value($0)) }
            })
    }

    private init(_ given: NamedContributor.Given) {
        switch given {
        case .text(let text): self = .string(text)
        case .flag(let flag): self = .bool(flag)
        case .arguments(let arguments): self.init(arguments)
        case .table(let options): self.init(options)
        }
    }

    /// Declared values: the type of each by its name, `a{ss}`.
    fileprivate init(_ parameters: [Parameter]) {
        self = .array(
            element: "{ss}",
            parameters.map {
                .entry(key: .string($0.name), value: .string($0.type.signature + ($0.isOptional ? "?" : "")))
            })
    }
}

// MARK: - Registrations

extension BusLink {
    /// Registers a flow with its objects.
    func register(
        _ flow: FlowRegistration, at object: String, presenter: String, _ done: @escaping Done<Void>
    ) {
        call("\(BusNames.root)", BusNames.Interface.coordinator, "RegisterFlow") { body throws(SdError) in
            try body.append(flow.name)
            try body.appendObjectPath(object)
            try body.append(flow.steps)
            try body.openContainer(.array, "{sv}")
            try body.appendEntry("guard", .bool(flow.isGuarded))
            try body.appendEntry("children", .string(flow.children.rawValue))
            // As in RxFlow, where a flow without views stays.
            try body.appendEntry("whenEmpty", .string(WhenEmpty.stay.rawValue))
            try body.appendEntry("timeout", .uint64(flow.timeout))
            if let result = flow.result { try body.appendEntry("result", Value(result)) }
            if !flow.screens.isEmpty {
                let screens = flow.screens.map { screen in
                    var options: [(name: String, value: Value)] = []
                    if let result = screen.result { options.append(("result", Value(result))) }
                    if !screen.key.isEmpty {
                        options.append(("arguments", Value(screen.parameters)))
                        options.append(("key", .array(element: "s", screen.key.map(Value.string))))
                    }
                    return Value.entry(key: .string(screen.name), value: .dictionary(options))
                }
                try body.appendEntry("screens", .array(element: "{sa{sv}}", screens))
                try body.appendEntry("presenter", .objectPath(presenter))
            }
            try body.closeContainer()
        } _: {
            done($0.map { _ in })
        }
    }

    /// Removes a registration; its live flows are dismissed.
    func unregister(_ flow: String, _ done: @escaping Done<Void>) {
        call("\(BusNames.root)", BusNames.Interface.coordinator, "UnregisterFlow") { body throws(SdError) in
            try body.append(flow)
        } _: {
            done($0.map { _ in })
        }
    }
}
