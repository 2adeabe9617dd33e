internal import FlowBus
internal import FlowCore
internal import FlowWire
internal import SdBus

/// A step to emit.
struct Emission {
    var step: StepMessage
    var path: NodePath
    /// nil: the step is identified by the object that it is emitted on.
    var token: String?
    var activationToken: String?
    var isInteractive = false
    /// nil: any instance at the path.
    var instance: UInt64?
    /// Whether to wait for the outcome rather than return `pending`.
    var waits = true
    /// Whether it is input of a person (S-56).
    var isInput = true
    /// Whether Answered is to follow (S-45); it needs a token.
    var asks = false

    var objectPath: String { path.objectPath(of: instance) }
}

/// A root to start.
struct RootRequest {
    var definition: String
    var step: StepMessage?
    var id: String?
    var arguments: [String: DBusValue] = [:]
    var token: String?
    var activationToken: String?
}

/// The methods of the service.
extension BusLink {
    // MARK: Stepper

    /// Emits a step. The service answers at once, and reports the outcome with a signal: so the call does not deadlock
    /// if the flow waits for this program, and the outcome can take any time.
    func emit(_ emission: Emission, _ done: @escaping Done<StepOutcome>) {
        call(
            emission.objectPath, BusNames.Interface.stepper, "EmitStepWithOptions",
            CallFlags(isInteractive: emission.isInteractive)
        ) { body throws(SdError) in
            try body.append(emission.step.name)
            try body.append(emission.step.arguments)
            try body.openContainer(.array, "{sv}")
            try body.appendEntry("wait", .bool(false))
            if let token = emission.token { try body.appendEntry("token", .string(token)) }
            if let text = emission.activationToken { try body.appendEntry("activation-token", .string(text)) }
            if !emission.isInput { try body.appendEntry("input", .bool(false)) }
            if emission.asks { try body.appendEntry("ask", .bool(true)) }
            try body.closeContainer()
        } _: { [weak self] result in
            // The service reports the outcome even if no caller waits for it.
            let step = PendingSteps.PendingStep(
                token: emission.token, object: emission.objectPath, isAwaited: emission.waits
            ) {
                if emission.waits { done($0) }
            }
            let outcome = result.reading(Self.outcome)
            switch outcome {
            case .success(let first) where first.verdict == .pending:
                self?.pending.add(step)
                if !emission.waits { done(outcome) }
            case .failure(let error) where error.code == .noReply && step.isAwaited: self?.queryAgain(for: step)
            case .success, .failure: done(outcome)
            }
        }
    }

    /// Emits a step, and waits for the answer of what it leads to (S-45).
    func ask(_ emission: Emission, _ done: @escaping Done<AskMessage>) {
        guard let token = emission.token else {
            let text = "too many calls with tokens in the last minute, and an ask needs one; wait a little"
            return mainLoop.enqueue { done(.failure(NavigationError(.limitExceeded, text))) }
        }
        var emission = emission
        (emission.asks, emission.waits) = (true, true)
        // If the caller owns the presentable, the ask belongs to that, and stays until it is acknowledged.
        let object = emission.objectPath
        asks.add(token, on: object) { [weak self] result in
            self?.acknowledge(token, of: object) { _ in }
            done(result)
        }
        emit(emission) { [weak self] result in
            if let (done, answer) = self?.asks.decide(token, result) { done(answer) }
        }
    }

    /// Asks the service again about pending steps and asks, after the one that had them ended.
    func queryAgain() {
        for step in pending.takeAll() where step.isAwaited { queryAgain(for: step) }
        for (token, object) in asks.decided { queryAgain(for: token, on: object) }
    }

    /// Has a service that restored the tree send Answered again.
    private func queryAgain(for token: String, on object: String) {
        guard bus != nil else { return }
        repeatCall(of: token, on: object, asks: true) { [weak self] result in
            guard case .failure(let error) = result else { return }
            // That service ended, too.
            if error.code == .noReply { self?.queryAgain(for: token, on: object) }
            if error.code == .noReply || error.code == .disconnected { return }
            let text = "the service went away before the answer, so what became of the ask is not known"
            self?.asks.remove(token)?(.failure(NavigationError(.noReply, text)))
        }
    }

    /// Takes back a step that waits at an object, by the token of its call.
    func cancelStep(_ token: String, on object: String, _ done: @escaping Done<Void>) {
        call(object, BusNames.Interface.stepper, "CancelStep") { body throws(SdError) in
            try body.append(token)
        } _: {
            done($0.map { _ in })
        }
    }

    /// Says that the answer to an ask of a presentable that this connection owns was taken.
    func acknowledge(_ token: String, of object: String, _ done: @escaping Done<Void>) {
        presentable(object, "AcknowledgeAnswer", done) { body throws(SdError) in try body.append(token) }
    }

    /// Repeats a call for a service that restored the tree, and knows it by its token (D-4). It names no step, so that a service
    /// without that tree does not take one a second time.
    private func repeatCall(
        of token: String, on object: String, asks: Bool, _ done: @escaping Done<MessageReader>
    ) {
        call(object, BusNames.Interface.stepper, "EmitStepWithOptions") { body throws(SdError) in
            try body.append("" as StaticString)
            try body.appendEmptyArray("{sv}")
            try body.openContainer(.array, "{sv}")
            try body.appendEntry("wait", .bool(false))
            if asks { try body.appendEntry("ask", .bool(true)) }
            try body.appendEntry("token", .string(token))
            try body.closeContainer()
        } _: {
            done($0)
        }
    }

    /// Asks the service about a pending step. A service that restored the tree continues the step.
    private func queryAgain(for step: PendingSteps.PendingStep) {
        let lost = NavigationError(
            .noReply, "the service went away before the step was decided, so what became of it is not known")
        guard let token = step.token, bus != nil else { return step.done(.failure(lost)) }
        repeatCall(of: token, on: step.object, asks: false) { [weak self] result in
            let outcome = result.reading(Self.outcome)
            switch outcome {
            case .success(let first) where first.verdict == .pending: self?.pending.add(step)
            // That service ended, too.
            case .failure(let error) where error.code == .noReply: self?.queryAgain(for: step)
            case .failure(let error) where !error.isFromService || [.unknownStep, .unknownObject].contains(error.code):
                step.done(.failure(error.code == .disconnected ? error : lost))
            case .success, .failure: step.done(outcome)
            }
        }
    }

    private static func outcome(_ answer: MessageReader) throws(SdError) -> StepOutcome {
        let serial = try answer.readUInt64()
        return StepOutcome(verdict: Verdict(rawValue: String(cString: try answer.readString())), serial: serial)
    }

    // MARK: Coordinator

    func coordinate(_ request: RootRequest, _ done: @escaping Done<NodePath>) {
        coordinator("Coordinate") { body throws(SdError) in
            try body.append(request.definition)
            try body.append(request.step?.name ?? "")
            try body.append(request.step?.arguments ?? [])
            try body.openContainer(.array, "{sv}")
            if let id = request.id { try body.appendEntry("id", .string(id)) }
            if !request.arguments.isEmpty {
                let arguments = Arguments(request.arguments).map { (name: $0.name, value: $0.value) }
                try body.appendEntry("flowArguments", .dictionary(arguments))
            }
            if let token = request.token { try body.appendEntry("token", .string(token)) }
            if let text = request.activationToken { try body.appendEntry("activation-token", .string(text)) }
            try body.closeContainer()
        } _: {
            done($0.reading { answer throws(SdError) in NodePath(String(cString: try answer.readObjectPath())) })
        }
    }

    /// Delivers a step to all flows. The service answers at once, and reports with signals what it has not decided: so the call does
    /// not deadlock if a flow waits for this program, and the outcomes can take any time.
    func navigate(to step: StepMessage, _ done: @escaping Done<[FlowBus.FlowOutcome]>) {
        coordinator("Navigate") { body throws(SdError) in
            try body.append(step.name)
            try body.append(step.arguments)
            try body.openContainer(.array, "{sv}")
            try body.appendEntry("wait", .bool(false))
            try body.closeContainer()
        } _: { [weak self] result in
            let outcomes = result.reading(Self.outcomes)
            guard let self, case .success(let known) = outcomes,
                PendingOutcomes.collect(known, &pending, at: \.objectPath, done)
            else { return done(outcomes) }
        }
    }

    func navigate(
        along path: [HostSegment], timeout: UInt64, _ done: @escaping Done<[FlowBus.FlowOutcome]>
    ) {
        coordinator("NavigateAlong") { body throws(SdError) in
            try body.openContainer(.array, "(ssa{sv})")
            for segment in path {
                try body.openContainer(.structure, "ssa{sv}")
                try body.append(segment.flow)
                try body.append(segment.step?.name ?? "")
                try body.append(segment.step?.arguments ?? [])
                try body.closeContainer()
            }
            try body.closeContainer()
            try body.openContainer(.array, "{sv}")
            try body.appendEntry("timeout", .uint64(timeout))
            // The flows of this program are asked while it waits.
            try body.appendEntry("blocks", .bool(false))
            if path.contains(where: { !$0.key.isEmpty }) {
                let keys = path.map { Value.dictionary($0.key.map { ($0.name, $0.value) }) }
                try body.appendEntry("keys", .array(element: "a{sv}", keys))
            }
            try body.closeContainer()
        } _: {
            done($0.reading(Self.outcomes))
        }
    }

    /// Reads `a(otsss)`: flows, and the outcome of a step each.
    private static func outcomes(_ answer: MessageReader) throws(SdError) -> [FlowBus.FlowOutcome] {
        try answer.readValue().elements.compactMap { outcome in
            let parts = outcome.elements
            guard parts.count == 5, let path = parts[0].text, let serial = parts[1].number,
                let verdict = parts[2].text, let error = parts[3].text, let text = parts[4].text
            else { return nil }
            guard !verdict.isEmpty || !error.isEmpty else { return FlowOutcome(path: NodePath(path), result: nil) }
            return FlowOutcome(
                path: NodePath(path),
                result: Result(serial: serial, verdict: verdict, errorName: error, errorMessage: text))
        }
    }

    func ownedPresentables(_ done: @escaping Done<[OwnedPresentable]>) {
        coordinator("ListOwned") { body throws(SdError) in
            try body.append("" as StaticString)
        } _: {
            done(
                $0.reading { answer throws(SdError) in
                    try answer.readValue().elements.compactMap { entry in
                        let parts = entry.elements
                        guard parts.count == 2, let path = parts[0].text, let instance = parts[1].number else {
                            return nil
                        }
                        return OwnedPresentable(path: NodePath(path), instance: instance)
                    }
                })
        }
    }

    func steps(_ done: @escaping Done<[DeclaredStep]>) {
        coordinator("GetSteps") {
            done(
                $0.reading { answer throws(SdError) in
                    try answer.readValue().entries.map { step in
                        let arguments = step.value.entries.map { argument in
                            let type = argument.value.text ?? ""
                            let isOptional = type.hasSuffix("?")
                            return DeclaredStep.Argument(
                                name: argument.name, signature: isOptional ? String(type.dropLast()) : type,
                                isOptional: isOptional)
                        }
                        return DeclaredStep(name: step.name, arguments: arguments.sorted { $0.name < $1.name })
                    }.sorted { $0.name < $1.name }
                })
        }
    }

    func definitions(_ done: @escaping Done<String>) {
        coordinator("GetDefinitions") {
            done($0.reading { answer throws(SdError) in String(cString: try answer.readString()) })
        }
    }

    func definitionNames(_ done: @escaping Done<[String]>) {
        coordinator("GetDefinitionNames") {
            done($0.reading { answer throws(SdError) in try answer.readValue().elements.compactMap(\.text) })
        }
    }

    private func coordinator(
        _ member: StaticString, _ write: (MessageWriter) throws(SdError) -> Void = { _ in },
        _ done: @escaping (Result<MessageReader, NavigationError>) -> Void
    ) {
        call("\(BusNames.root)", BusNames.Interface.coordinator, member, CallFlags(), write, done)
    }

    // MARK: Presentable, Flow

    // `NodePath.objectPath(of:)` selects the object that is called.

    func setVisible(_ isVisible: Bool, at object: String, _ done: @escaping Done<Void>) {
        presentable(object, "SetVisible", done) { body throws(SdError) in try body.append(isVisible) }
    }

    func setTitle(_ title: String, at object: String, _ done: @escaping Done<Void>) {
        presentable(object, "SetTitle", done) { body throws(SdError) in try body.append(title) }
    }

    func saveState(_ state: Arguments, at object: String, _ done: @escaping Done<Void>) {
        presentable(object, "SaveState", done) { body throws(SdError) in try body.append(state) }
    }

    func finish(_ object: String, _ result: Arguments, _ done: @escaping Done<Void>) {
        presentable(object, "Finish", done) { body throws(SdError) in try body.append(result) }
    }

    func dismiss(_ object: String, _ done: @escaping Done<Void>) { presentable(object, "Dismiss", done) }

    func fail(_ object: String, _ error: String, _ message: String, _ done: @escaping Done<Void>) {
        let options = [Argument("error", .string(error)), Argument("message", .string(message))]
        presentable(object, "DismissWithOptions", done) { body throws(SdError) in try body.append(options) }
    }

    func claim(_ object: String, _ done: @escaping Done<Void>) { presentable(object, "Claim", done) }

    func release(_ object: String, _ done: @escaping Done<Void>) { presentable(object, "Release", done) }

    func isEvicted(_ object: String, _ done: @escaping Done<Bool>) {
        call(object, BusNames.Interface.properties, "Get") { body throws(SdError) in
            try body.append(BusNames.Interface.presentable)
            try body.append(NodeProperty.evicted.description.name)
        } _: {
            done($0.reading { answer throws(SdError) in try answer.readValue().truth ?? false })
        }
    }

    private func presentable(
        _ object: String, _ member: StaticString, _ done: @escaping Done<Void>,
        _ write: (MessageWriter) throws(SdError) -> Void = { _ in }
    ) {
        call(object, BusNames.Interface.presentable, member, CallFlags(), write) { done($0.map { _ in }) }
    }

    func back(on object: String, _ done: @escaping Done<StepOutcome>) {
        call(object, BusNames.Interface.flow, "Back") { done($0.reading(Self.outcome)) }
    }

    func waitUntilReady(_ object: String, _ done: @escaping Done<Void>) {
        call(object, BusNames.Interface.flow, "WaitReady") { done($0.map { _ in }) }
    }
}

extension Result<StepOutcome, NavigationError> {
    /// An outcome as the service returns it, `tsss`: the verdict is empty, or the error's name and message.
    init(serial: UInt64, verdict: String, errorName: String, errorMessage: String) {
        self =
            errorName.isEmpty
            ? .success(StepOutcome(verdict: Verdict(rawValue: verdict), serial: serial))
            : .failure(NavigationError(busName: errorName, errorMessage))
    }
}

extension Result<MessageReader, NavigationError> {
    /// Reads the value of a reply. A reply of another signature is an error.
    func reading<Value>(
        _ read: (MessageReader) throws(SdError) -> Value
    ) -> Result<Value, NavigationError> {
        flatMap { answer in
            do throws(SdError) {
                return .success(try read(answer))
            } catch {
                return .failure(
                    NavigationError(
                        NavigationError.Code(rawValue: "org.freedesktop.DBus.Error.InvalidSignature"),
                        "the service answers '\(String(cString: answer.signature))', which is not what was asked for"))
            }
        }
    }
}
