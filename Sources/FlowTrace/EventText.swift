import FlowCore

// The lines of events.

extension TraceLine {
    /// Creates the line of an event that is about to be handled.
    init(_ event: Event, at now: Instant, in coordinator: borrowing Coordinator) {
        self.init("\(now.microseconds)")
        TraceFields.event.write(event, &self, coordinator)
    }
}

extension TraceScanner {
    /// Reads the event of a line, and its time.
    mutating func event(for coordinator: borrowing Coordinator) throws(Failure) -> (Event, Instant) {
        let now = try time()
        let event = try TraceFields.event.read(&self, coordinator)
        guard isAtEnd else { throw Failure("there is more in the line than the event") }
        return (event, now)
    }
}

extension TraceFields {
    static let event = TraceField<Event>("event", eventCases)
    static let eventCases = calls + news

    /// Calls of clients.
    private static let calls: [TraceCase<Event>] = [
        TraceCase("emitted", Event.stepEmitted, request, node, step, arguments, client, emissionOptions.unlessAtEnd) {
            guard case .stepEmitted(let request, let node, let step, let arguments, let client, let options) = $0
            else { return nil }
            return (request, node, step, arguments, client, options)
        },
        TraceCase("repeated", Event.emissionRepeated, request, text, client, node.option("on")) {
            guard case .emissionRepeated(let request, let token, let client, let node) = $0 else { return nil }
            return (request, token, client, node)
        },
        TraceCase("emitted-list", Event.stepsEmitted, request, node, emittedStep.list, client, calledAt) {
            guard case .stepsEmitted(let request, let node, let steps, let client, let path) = $0 else { return nil }
            return (request, node, steps, client, path)
        },
        TraceCase("visible", Event.visibilityChanged, request, node, bool, client, report) {
            guard case .visibilityChanged(let request, let node, let isVisible, let client, let report) = $0
            else { return nil }
            return (request, node, isVisible, client, report)
        },
        TraceCase("touched", Event.presentableTouched, request, node, client) {
            if case .presentableTouched(let request, let node, let client) = $0 { (request, node, client) } else { nil }
        },
        TraceCase("dismissed", Event.presentableDismissed, request, node, client, fault.option("because")) {
            guard case .presentableDismissed(let request, let node, let client, let fault) = $0 else { return nil }
            return (request, node, client, fault)
        },
        TraceCase("claimed", Event.presentableClaimed, request, node, client) {
            if case .presentableClaimed(let request, let node, let client) = $0 { (request, node, client) } else { nil }
        },
        TraceCase("released", Event.presentableReleased, request, node, client) {
            guard case .presentableReleased(let request, let node, let client) = $0 else { return nil }
            return (request, node, client)
        },
        TraceCase("readiness", Event.readinessAwaited, request, node, client) {
            if case .readinessAwaited(let request, let node, let client) = $0 { (request, node, client) } else { nil }
        },
        TraceCase("back", Event.backPressed, request, node, client, backOptions.unlessAtEnd) {
            guard case .backPressed(let request, let node, let client, let options) = $0 else { return nil }
            return (request, node, client, options)
        },
        TraceCase("back-repeated", Event.backRepeated, request, text, client) {
            if case .backRepeated(let request, let token, let client) = $0 { (request, token, client) } else { nil }
        },
        TraceCase("back-step", Event.backStepSet, request, node, step.orDash, client) {
            guard case .backStepSet(let request, let node, let step, let client) = $0 else { return nil }
            return (request, node, step, client)
        },
        TraceCase("title", Event.titleSet, request, node, text, client) {
            guard case .titleSet(let request, let node, let title, let client) = $0 else { return nil }
            return (request, node, title, client)
        },
        TraceCase("state-saved", Event.stateSaved, request, node, arguments, client) {
            guard case .stateSaved(let request, let node, let state, let client) = $0 else { return nil }
            return (request, node, state, client)
        },
        TraceCase("cancelled", Event.stepCancelled, request, node, text, client) {
            guard case .stepCancelled(let request, let node, let token, let client) = $0 else { return nil }
            return (request, node, token, client)
        },
        TraceCase("acknowledged", Event.answerAcknowledged, request, node, text, client) {
            guard case .answerAcknowledged(let request, let node, let token, let client) = $0 else { return nil }
            return (request, node, token, client)
        },
        TraceCase("finished", Event.screenFinished, request, node, arguments, client) {
            guard case .screenFinished(let request, let node, let result, let client) = $0 else { return nil }
            return (request, node, result, client)
        },
        TraceCase("context-set", { .contextSet($0, $1, of: $3, by: $2) }, request, arguments, client, node.option("at"))
        {
            guard case .contextSet(let request, let values, let node, let client) = $0 else { return nil }
            return (request, values, client, node)
        },
        TraceCase("requested", Event.flowRequested, request, flowRequest) {
            if case .flowRequested(let request, let flow) = $0 { (request, flow) } else { nil }
        },
        TraceCase("pauses-ended", Event.pausesEnded, request) {
            if case .pausesEnded(let request) = $0 { request } else { nil }
        },
        TraceCase("root-moved", Event.rootMoved, request, node, text, client) {
            guard case .rootMoved(let request, let node, let output, let client) = $0 else { return nil }
            return (request, node, output, client)
        },
        TraceCase("outputs-set", Event.outputsSet, request, text.list, client, outputSizes) {
            guard case .outputsSet(let request, let outputs, let client, let sizes) = $0 else { return nil }
            return (request, outputs, client, sizes)
        },
        TraceCase(
            "deep-link", Event.deepLinkOpened, request, step, arguments, client, activationToken,
            flag("no-wait", means: false)
        ) {
            guard case .deepLinkOpened(let request, let step, let arguments, let client, let token, let waits) = $0
            else { return nil }
            return (request, step, arguments, client, token, waits)
        },
        TraceCase(
            "path", Event.pathOpened, request, pathSegment.list, client, pathTimeout, node.option("below"),
            activationToken, flag("no-block", means: false)
        ) {
            guard
                case .pathOpened(let request, let segments, let client, let timeout, let root, let token, let blocks) =
                    $0
            else { return nil }
            return (request, segments, client, timeout, root, token, blocks)
        },
        TraceCase("registered", Event.flowRegistered, request, registration) {
            if case .flowRegistered(let request, let registration) = $0 { (request, registration) } else { nil }
        },
        TraceCase("unregistered", Event.flowUnregistered, request, text, client) {
            if case .flowUnregistered(let request, let flow, let client) = $0 { (request, flow, client) } else { nil }
        },
    ]

    /// Events that are no calls.
    private static let news: [TraceCase<Event>] = [
        TraceCase("started", { .started }) { if case .started = $0 { () } else { nil } },
        TraceCase("continued", { .continued }) { if case .continued = $0 { () } else { nil } },
        TraceCase("timer", { .timerFired }) { if case .timerFired = $0 { () } else { nil } },
        TraceCase("guard-replied", Event.guardReplied, question, guardAnswer) {
            if case .guardReplied(let question, let answer) = $0 { (question, answer) } else { nil }
        },
        TraceCase("navigator-replied", Event.navigatorReplied, question, navigatorAnswer) {
            if case .navigatorReplied(let question, let answer) = $0 { (question, answer) } else { nil }
        },
        TraceCase("presenter-replied", Event.presenterReplied, question, presenterAnswer) {
            if case .presenterReplied(let question, let answer) = $0 { (question, answer) } else { nil }
        },
        TraceCase("alive-replied", Event.aliveReplied, question, aliveAnswer) {
            if case .aliveReplied(let question, let answer) = $0 { (question, answer) } else { nil }
        },
        TraceCase("client-vanished", Event.clientVanished, client) {
            if case .clientVanished(let client) = $0 { client } else { nil }
        },
        TraceCase("client-identified", Event.clientIdentified, client, integer()) {
            if case .clientIdentified(let client, let user) = $0 { (client, user) } else { nil }
        },
        TraceCase("name-owner", Event.nameOwnerChanged, text, nameOwner) {
            if case .nameOwnerChanged(let name, let owner) = $0 { (name, owner) } else { nil }
        },
        TraceCase("stepper-changed", Event.stepperChanged, stepper, stepperValue) {
            if case .stepperChanged(let stepper, let value) = $0 { (stepper, value) } else { nil }
        },
        TraceCase("stepper-signalled", Event.stepperSignalled, stepper, value.list) {
            if case .stepperSignalled(let stepper, let values) = $0 { (stepper, values) } else { nil }
        },
        TraceCase("stepper-failed", Event.stepperFailed, stepper, error) {
            if case .stepperFailed(let stepper, let error) = $0 { (stepper, error) } else { nil }
        },
        TraceCase("definitions", Event.definitionsRead, definitions) {
            if case .definitionsRead(let definitions) = $0 { definitions } else { nil }
        },
        TraceCase("restored", { .restored($1, onSameBus: $0) }, either("same-bus", or: "other-bus"), record.list) {
            if case .restored(let records, let onSameBus) = $0 { (onSameBus, records) } else { nil }
        },
    ]

    // MARK: - Values of events

    private static let pathTimeout = TraceField(mark("timeout"), number, make: { $1 }) { ((), $0) }
    private static let activationToken = text.option("activation-token")
    private static let calledAt = word.option("at")
    /// The owner of a bus name; an empty text if there is none.
    private static let nameOwner = text.mapped({ $0.isEmpty ? nil : Client($0) }) { (owner: Client?) in
        owner?.name ?? ""
    }

    static let stepperValue = TraceField<StepperValue>(
        "value of a stepper",
        [
            TraceCase("value", StepperValue.value, value) { if case .value(let value) = $0 { value } else { nil } },
            TraceCase("absent", .absent),
        ])

    /// What a program says of a screen.
    static let report = TraceField(
        bool.option("shown"), text.option("title"), text.option("back"), bool.option("wants-sight"),
        make: ScreenReport.init
    ) {
        ($0.isVisible, $0.title, $0.backStep, $0.wantsSight)
    }

    private static let emissionOptions = TraceField(
        text.option("token"), number.option("instance"), flag("no-wait", means: false), text.option("activation-token"),
        flag("interactive"), calledAt, number.option("input"), flag("ask"),
        flag("no-input", means: false), make: EmissionOptions.init
    ) {
        (
            $0.token, $0.instance, $0.waits, $0.activationToken, $0.isInteractive, $0.calledAt, $0.inputTime, $0.asks,
            $0.isInput
        )
    }

    private static let backOptions = TraceField(
        number.option("goes"), text.option("token"), text.option("activation-token"), calledAt, make: BackOptions.init
    ) {
        ($0.goes, $0.token, $0.activationToken, $0.calledAt)
    }

    static let emittedStep = TraceField<EmittedStep>(
        "step or error",
        [
            TraceCase("step", EmittedStep.step, step, arguments) {
                if case .step(let step, let arguments) = $0 { (step, arguments) } else { nil }
            },
            TraceCase("refused", EmittedStep.refused, error) {
                if case .refused(let error) = $0 { error } else { nil }
            },
        ])

    private static let flowRequest = TraceField(
        flow, arguments, step.orDash, arguments, client, text.option("id"), text.option("token"),
        text.option("activation-token"), text.option("output"), number.option("input"),
        oneOf(WhenHidden.self).option("when-hidden")
    ) {
        var request = FlowRequest(
            $0, id: $5, arguments: $1, step: $2, stepArguments: $3, by: $4, token: $6, activationToken: $7,
            output: $8 ?? "")
        request.inputTime = $9
        request.whenHidden = $10
        return request
    } take: {
        (
            $0.definition, $0.arguments, $0.step, $0.stepArguments, $0.client, $0.id, $0.token, $0.activationToken,
            $0.output.isEmpty ? nil : $0.output, $0.inputTime, $0.whenHidden
        )
    }

    private static let pathSegment = TraceField(text, step.orDash, arguments, arguments.option("of-key")) {
        PathSegment(flow: $0, key: $3 ?? [], step: $1, arguments: $2)
    } take: {
        ($0.flow, $0.step, $0.arguments, $0.key.isEmpty ? nil : $0.key)
    }

    // MARK: - Registrations

    private static let registration = TraceField<Registration>(
        text, service, stepDeclaration.list, client, flag("guard"), oneOf(Children.self).option("children"),
        text.option("initial"), flag("activatable"), screens.option("screens"),
        oneOf(WhenEmpty.self).option("when-empty"), parameter.list.option("result")
    ) { flow, service, steps, client, hasGuard, children, initial, isActivatable, screens, whenEmpty, result in
        var registration = Registration(
            flow, at: service, steps: steps, hasGuard: hasGuard, children: children ?? .free, whenEmpty: whenEmpty,
            initial: initial, by: client, isActivatable: isActivatable)
        if let screens { registration.bring(screens.0, presentedAt: screens.presenter) }
        registration.result = result
        return registration
    } take: { it in
        (
            it.flow, it.service, it.steps, it.client, it.hasGuard, it.children == .free ? nil : it.children, it.initial,
            it.isActivatable, it.presenterPath.map { (it.screens, $0) }, it.whenEmpty, it.result
        )
    }

    /// Screens, and the path of the object that presents them.
    private static let screens = TraceField<([ScreenDeclaration], presenter: String)>(
        screenDeclaration.list, mark("presenter"), text, make: { ($0, $2) }
    ) {
        ($0, (), $1)
    }

    /// The words of its options can't be names of screens, of which the next can follow.
    private static let screenDeclaration = TraceField<ScreenDeclaration>(
        text, parameter.list, parameter.list.option("with-result"), flag("keeps-awake"),
        flag("no-return", means: false), number.option("with-budget"), number.option("with-watchdog"),
        text.list.option("with-key")
    ) { name, parameters, result, keepsAwake, isPresentedOnReturn, budget, watchdog, key in
        ScreenDeclaration(
            name, parameters: parameters, key: key ?? [], isPresentedOnReturn: isPresentedOnReturn,
            keepsAwake: keepsAwake, budget: budget, watchdog: watchdog, result: result)
    } take: {
        (
            $0.name, $0.parameters, $0.result, $0.keepsAwake, $0.isPresentedOnReturn, $0.budget, $0.watchdog,
            $0.key.isEmpty ? nil : $0.key
        )
    }

    private static let outputSize = TraceField(
        text, integer(), integer(), make: { OutputSize($0, width: $1, height: $2) }
    ) {
        ($0.output, $0.width, $0.height)
    }

    /// After a word, if there are any.
    private static let outputSizes = outputSize.list.option("sizes").mapped({ $0 ?? [] }) { $0.isEmpty ? nil : $0 }

    private static let stepDeclaration = TraceField(text, either("private", or: "public"), parameter.list) {
        StepDeclaration($0, parameters: $2, isPrivate: $1)
    } take: {
        ($0.name, $0.isPrivate, $0.parameters)
    }

    private static let service = TraceField(text, text, number, make: Service.init) { ($0.name, $0.path, $0.timeout) }

    /// A name and a signature, with a question mark for an argument that can be left out.
    private static let parameter = TraceField<Parameter> {
        $0.add(quoted: $1.name)
        $0.add($1.type.signature + ($1.isOptional ? "?" : ""))
    } _: { scanner throws(Failure) in
        let (name, text) = (try scanner.word(), try scanner.word())
        let isOptional = text.hasSuffix("?")
        guard let type = ValueType(signature: isOptional ? String(text.dropLast()) : text) else {
            throw Failure("'\(text)' is no type of a value")
        }
        return Parameter(name, type, isOptional: isOptional)
    }
}
