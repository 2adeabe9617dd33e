import FlowCore
import FlowWire
import SdBus

/// `org.flowbus.Navigation1.Stepper`: the interface for emitting steps.
enum StepperInterface {
    private typealias Argument = InterfaceDescription.Argument

    static var description: InterfaceDescription {
        InterfaceDescription(
            BusNames.Interface.stepper,
            methods: [
                .init(
                    "Emit", in: [Argument("step", "s")], out: [Argument("serial", "t"), Argument("verdict", "s")]
                ) { message, context, _ in
                    Daemon.change(message, context) { try $0.emit($1, on: $2) }
                },
                .init(
                    "EmitStep",
                    in: [Argument("step", "s"), Argument("arguments", "a{sv}")],
                    out: [Argument("serial", "t"), Argument("verdict", "s")]
                ) { message, context, _ in
                    Daemon.change(message, context) { try $0.emitStep($1, on: $2) }
                },
                .init(
                    "EmitStepWithOptions",
                    in: [Argument("step", "s"), Argument("arguments", "a{sv}"), Argument("options", "a{sv}")],
                    out: [Argument("serial", "t"), Argument("verdict", "s")]
                ) { message, context, _ in
                    Daemon.changeRepeatable(message, context) { try $0.emitStepWithOptions($1, on: $2) }
                },
                .init("CancelStep", in: [Argument("token", "s")]) { message, context, _ in
                    Daemon.change(message, context) { daemon, call, node in
                        let token = String(cString: try call.readString())
                        daemon.handle(
                            .stepCancelled(daemon.nextRequest(), on: node, token: token, by: call.client),
                            answering: call)
                    }
                },
                .init(
                    "EmitSteps", in: [Argument("steps", "a(sa{sv})", qtType: "FlowBusStepList")],
                    out: [Argument("outcomes", "a(tsss)", qtType: "FlowBusStepOutcomeList")]
                ) {
                    message, context, _ in
                    Daemon.change(message, context) { try $0.emitSteps($1, on: $2) }
                },
                .init(
                    "Explain",
                    in: [Argument("step", "s"), Argument("arguments", "a{sv}")],
                    out: [Argument("verdict", "s"), Argument("errorName", "s"), Argument("explanation", "as")]
                ) { message, context, _ in
                    Daemon.serve(message, context) { try $0.explain($1, on: $2) }
                },
                .init(
                    "BackWithOptions", in: [Argument("options", "a{sv}")],
                    out: [Argument("serial", "t"), Argument("verdict", "s")]
                ) { message, context, _ in
                    Daemon.changeRepeatable(message, context) { try $0.backWithOptions($1, on: $2) }
                },
                .init("PeekBack", out: [Argument("kind", "s"), Argument("details", "a{sv}")]) { message, context, _ in
                    Daemon.serve(message, context) { try $0.peekBack($1, on: $2) }
                },
                .init("GetAcceptedSteps", out: [Argument("steps", "as")]) { message, context, _ in
                    Daemon.serve(message, context) { try $0.getAcceptedSteps($1, of: $2) }
                },
            ],
            signals: [
                .init(
                    "StepConcluded",
                    [
                        Argument("token", "s"), Argument("serial", "t"), Argument("verdict", "s"),
                        Argument("errorName", "s"), Argument("errorMessage", "s"),
                    ]),
                .init("Answered", [Argument("token", "s"), Argument("outcome", "s"), Argument("result", "a{sv}")]),
            ])
    }
}

extension Daemon {
    fileprivate func emit(_ call: MessageReader, on node: NodeID) throws {
        emit(try readStep(call), [], call, on: node)
    }

    fileprivate func emitStep(_ call: MessageReader, on node: NodeID) throws {
        let step = try readStep(call)
        let arguments = try ArgumentsReader.read(call, for: coordinator.definitions[step].parameters)
        emit(step, arguments, call, on: node)
    }

    private func emit(_ step: StepID, _ arguments: Arguments, _ call: MessageReader, on node: NodeID) {
        let (isInteractive, path) = (call.allowsInteractiveAuthorization, calledPath(call))
        handle(
            .stepEmitted(
                nextRequest(), on: node, step: step, arguments: arguments, by: call.client,
                options: isInteractive || path != nil
                    ? EmissionOptions(isInteractive: isInteractive, calledAt: path) : nil),
            answering: call)
    }

    /// The step may not be declared any more, and the presentable may be gone: a repeated call is recognized by its token.
    fileprivate func emitStepWithOptions(_ call: MessageReader, on found: NodeID?) throws {
        let node = found.flatMap { coordinator.isLive($0) ? $0 : nil }
        let name = String(cString: try call.readString())
        let step = coordinator.definitions.step(named: name)
        var arguments: Arguments = []
        if let step, node != nil {
            arguments = try ArgumentsReader.read(call, for: coordinator.definitions[step].parameters)
        } else {
            try ArgumentsReader.skip(call)
        }
        var options = EmissionOptions(
            isInteractive: call.allowsInteractiveAuthorization, calledAt: calledPath(call))
        let known = [
            ("token", "s"), ("instance", "t"), ("wait", "b"), ("inputTime", "t"), ("ask", "b"),
            ("input", "b"), CallOptions.activationToken,
        ]
        try CallOptions.read(call, known: known) { option in
            switch option {
            case "token": options.token = String(cString: try call.readString())
            case "instance": options.instance = try call.readUInt64()
            case "wait": options.waits = try call.readBool()
            case "inputTime": options.inputTime = try call.readUInt64()
            case "ask": options.asks = try call.readBool()
            case "input": options.isInput = try call.readBool()
            default: options.activationToken = try CallOptions.readActivationToken(call)
            }
        }
        guard let node, let step else {
            if let token = options.token,
                coordinator.remembersEmission(
                    token, on: node, by: call.client, at: Instant(microseconds: loop.now))
            {
                return handle(
                    .emissionRepeated(nextRequest(), token: token, by: call.client, on: node), answering: call)
            }
            guard node != nil else { return try refuseGone(call, found) }
            throw coordinator.definitions.unknownStep(name)
        }
        handle(
            .stepEmitted(
                nextRequest(), on: node, step: step, arguments: arguments, by: call.client, options: options),
            answering: call)
    }

    /// Refuses a call to a presentable that is gone: before the call came, or since.
    private func refuseGone(_ call: MessageReader, _ found: NodeID?) throws {
        if found != nil { throw FlowError.presentableGone }
        let path = String(cString: call.path)
        try refuseObject(of: call, text: "no flow or screen is live at '\(path)'")
    }

    /// The presentable may be gone, for instance by the first one of two such calls, which the token recognizes.
    fileprivate func backWithOptions(_ call: MessageReader, on found: NodeID?) throws {
        var options = BackOptions(calledAt: calledPath(call))
        try CallOptions.read(call, known: [("goes", "t"), ("token", "s"), CallOptions.activationToken]) { option in
            switch option {
            case "goes": options.goes = try call.readUInt64()
            case "token": options.token = String(cString: try call.readString())
            default: options.activationToken = try CallOptions.readActivationToken(call)
            }
        }
        guard let node = found.flatMap({ coordinator.isLive($0) ? $0 : nil }) else {
            if let token = options.token,
                coordinator.remembersBack(token, by: call.client, at: Instant(microseconds: loop.now))
            {
                return handle(.backRepeated(nextRequest(), token: token, by: call.client), answering: call)
            }
            return try refuseGone(call, found)
        }
        handle(.backPressed(nextRequest(), on: node, by: call.client, options: options), answering: call)
    }

    fileprivate func peekBack(_ call: MessageReader, on node: NodeID) throws {
        let preview = try coordinator.peekBack(at: node, by: call.client)
        try reply(to: call, "sa{sv}") { body in try body.append(preview) }
    }

    fileprivate func emitSteps(_ call: MessageReader, on node: NodeID) throws {
        var steps: [EmittedStep] = []
        _ = try call.enterContainer(.array, "(sa{sv})")
        while try call.enterContainer(.structure, "sa{sv}") {
            guard steps.count < Limits.waitingStepsPerFlow else {
                throw FlowError(
                    .limitExceeded, "more than \(Limits.waitingStepsPerFlow) steps in a call; that is the limit")
            }
            steps.append(try readEmittedStep(call))
            try call.exitContainer()
        }
        try call.exitContainer()
        handle(
            .stepsEmitted(nextRequest(), on: node, steps, by: call.client, calledAt: calledPath(call)), answering: call)
    }

    /// An undeclared step has its place in the list, too.
    private func readEmittedStep(_ call: MessageReader) throws -> EmittedStep {
        let step: StepID
        do {
            step = try readStep(call)
        } catch let error as FlowError {
            try ArgumentsReader.skip(call)
            return .refused(error)
        }
        return .step(step, try ArgumentsReader.read(call, for: coordinator.definitions[step].parameters))
    }

    /// An invalid step or argument is part of the explanation, not an error of this call.
    fileprivate func explain(_ call: MessageReader, on node: NodeID) throws {
        let explanation: Explanation
        do {
            let step = try readStep(call)
            let arguments = try ArgumentsReader.read(call, for: coordinator.definitions[step].parameters)
            explanation = coordinator.explain(
                step, arguments, on: node, by: call.client, at: Instant(microseconds: loop.now))
        } catch let error as FlowError {
            explanation = Explanation(refusal: error)
        }
        try reply(to: call, "ssas") { body in
            let texts = explanation.outcome.busTexts
            try body.append(texts.verdict)
            try body.append(texts.errorName)
            try body.append(explanation.lines)
        }
    }

    fileprivate func getAcceptedSteps(_ call: MessageReader, of node: NodeID) throws {
        try reply(to: call, "as") { body in try body.append(coordinator.acceptedSteps(of: node)) }
    }
}
