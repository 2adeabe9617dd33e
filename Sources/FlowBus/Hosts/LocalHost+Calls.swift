internal import FlowCore

// The calls of the coordinator: each is an event, and its answer.

extension LocalHost {
    /// Enqueues a call: an event with an answer.
    private func call(
        at path: NodePath? = nil, _ done: @escaping Done<Answer>,
        _ event: @escaping @FlowActor (LocalHost, RequestID) throws(FlowError) -> Event
    ) {
        guard !isClosed else { return refuse(done) }
        lastRequest += 1
        let number = lastRequest
        answers[number] = PendingAnswer(path: path, done: done)
        enqueue { host in
            do throws(FlowError) {
                return try event(host, RequestID(number))
            } catch {
                host.fail(number, error)
                return nil
            }
        }
    }

    /// Tells a caller that the coordinator has ended, after the call has returned.
    private func refuse<Value>(_ done: @escaping Done<Value>) {
        Task { @FlowActor in done(.failure(Self.ended)) }
    }

    /// Enqueues a call about a presentable.
    private func call(
        at path: NodePath, _ instance: UInt64, _ done: @escaping Done<Answer>,
        _ event: @escaping @FlowActor (LocalHost, RequestID, NodeID) throws(FlowError) -> Event
    ) {
        call(at: path) {
            done($0.mapError(Self.asOnTheBus))
        } _: { host, request throws(FlowError) in
            try event(host, request, try host.node(at: path, instance))
        }
    }

    func node(at path: NodePath, _ instance: UInt64) throws(FlowError) -> NodeID {
        guard let node = instance == 0 ? core.node(at: path.text) : core.node(instance: instance) else {
            throw FlowError(.presentableDismissed, "there is no live flow or screen '\(path)'")
        }
        return node
    }

    /// The bus reports a path without an object as an unknown object.
    static func asOnTheBus(_ error: NavigationError) -> NavigationError {
        error.code == .presentableDismissed ? NavigationError(.unknownObject, error.message) : error
    }

    /// Enqueues a call about a presentable that answers nothing.
    private func call(
        at path: NodePath, _ instance: UInt64, _ done: @escaping Done<Void>,
        _ event: @escaping @FlowActor (RequestID, NodeID) -> Event
    ) {
        call(at: path, instance) {
            done($0.map { _ in })
        } _: { _, request, node in
            event(request, node)
        }
    }

    func step(_ message: StepMessage) throws(FlowError) -> StepID {
        guard let step = core.definitions.step(named: message.name) else {
            throw core.definitions.unknownStep(message.name)
        }
        return step
    }

    /// There is only this program.
    var namespace: String { "" }

    func name(of type: any Presentable.Type, _ name: String) -> String { name }

    func catalog(of types: [any Step.Type]) -> StepCatalog { steps.catalog(of: types) }

    func result(of type: any Answering.Type) throws(StepError) -> [Parameter] {
        let values = try type.answerParameters() ?? []
        return (values.prefix(Limits.argumentCount - 2) + [GivenAnswer.itself, LocalSteps.itself]).sorted {
            $0.name < $1.name
        }
    }

    func message(of answer: GivenAnswer, _ step: ResultStep?) throws(NavigationError) -> Arguments {
        guard let maker = step?.maker else { return answer.inProcess }
        guard let step = maker.step(answer.box.value) else {
            throw NavigationError(
                .invalidStep,
                "'onResult' takes another answer than one of the type '\(StepError.name(of: type(of: answer.box.value)))'"
            )
        }
        // Every step has itself as an argument, which it takes from the result.
        return answer.inProcess + (try steps.message(of: step).arguments)
    }

    func name(of maker: ResultStep.StepMaker, in catalog: StepCatalog) throws(NavigationError) -> String {
        guard let name = steps.name(ofAny: maker.type), catalog.has(name) else {
            throw NavigationError(
                .invalidStep,
                "'onResult' makes a '\(StepError.name(of: maker.type))', which is not among the steps of the flow; list it there"
            )
        }
        return name
    }

    func message(of step: any Step) throws(NavigationError) -> StepMessage { try steps.message(of: step) }

    func register(_ flow: FlowRegistration, _ done: @escaping Done<Void>) {
        texts.add(flow)
        call {
            done($0.map { _ in })
        } _: { _, request in
            .flowRegistered(request, Registration(flow, by: Self.client))
        }
    }

    var gatesRoots: Bool { true }

    var keepsTree: Bool { false }

    func coordinate(
        _ definition: String, _ step: StepMessage?, allowsStepWhenNotPresented: Bool, _ done: @escaping Done<NodePath>
    ) {
        call { result in
            done(
                result.map { answer in
                    guard case .flow(let path) = answer else { return NodePath("") }
                    return NodePath(path)
                })
        } _: { host, request throws(FlowError) in
            guard let flow = host.core.definitions.flow(named: definition) else {
                throw host.core.definitions.unknownFlow(definition)
            }
            var flowRequest = FlowRequest(flow, by: Self.client)
            flowRequest.whenHidden = allowsStepWhenNotPresented ? .allow : .ignore
            if let step {
                flowRequest.step = try host.step(step)
                flowRequest.stepArguments = step.arguments
            }
            return .flowRequested(request, flowRequest)
        }
    }

    func navigate(to step: StepMessage, _ done: @escaping Done<[FlowOutcome]>) {
        call { [weak self] result in
            let outcomes = result.map { self?.outcomes($0) ?? [] }
            guard let self, case .success(let known) = outcomes,
                PendingOutcomes.collect(known, &pending, at: \.text, done)
            else { return done(outcomes) }
        } _: { host, request throws(FlowError) in
            // No caller blocks, so the step can wait for a flow that is being asked.
            .deepLinkOpened(
                request, step: try host.step(step), arguments: step.arguments, by: Self.client, waits: false)
        }
    }

    func navigate(
        along path: [HostSegment], timeout: UInt64, _ done: @escaping Done<[FlowOutcome]>
    ) {
        call { [weak self] result in
            done(result.map { self?.outcomes($0) ?? [] })
        } _: { host, request throws(FlowError) in
            var segments: [FlowCore.PathSegment] = []
            for it in path {
                var segment = FlowCore.PathSegment(flow: it.flow, key: it.key)
                if let step = it.step { (segment.step, segment.arguments) = (try host.step(step), step.arguments) }
                segments.append(segment)
            }
            return .pathOpened(request, segments, by: Self.client, timeout: timeout, blocks: false)
        }
    }

    /// The outcomes of an answer, with messages that speak of Swift.
    private func outcomes(_ answer: Answer) -> [FlowOutcome] {
        guard case .outcomes(let outcomes) = answer else { return [] }
        return outcomes.map { outcome in
            let known = FlowOutcome(outcome)
            return FlowOutcome(path: known.path, result: known.result.map { localized($0, at: outcome.path) })
        }
    }

    func emit(
        _ step: StepMessage, token: String?, on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>
    ) {
        emit(step, token: token, asks: false, on: path, instance: instance, done)
    }

    private func emit(
        _ step: StepMessage, token: String?, asks: Bool, on path: NodePath, instance: UInt64,
        _ done: @escaping Done<StepOutcome>
    ) {
        call(at: path) { [weak self] result in
            switch result {
            case .success(let answer):
                let outcome = StepOutcome(answer)
                guard let self, outcome.verdict == .pending else { return done(.success(outcome)) }
                pending.add(token, on: path.text, done)
            case .failure(let error): done(.failure(Self.asOnTheBus(error)))
            }
        } _: { host, request throws(FlowError) in
            let node = try host.node(at: path, instance)
            // No caller blocks: a flow that is being asked can emit, and its step waits (S-32).
            return .stepEmitted(
                request, on: node, step: try host.step(step), arguments: step.arguments, by: Self.client,
                options: EmissionOptions(token: token, waits: false, asks: asks))
        }
    }

    func cancelStep(_ token: String, on path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .stepCancelled(request, on: node, token: token, by: Self.client)
        }
    }

    func ask(_ step: StepMessage, on path: NodePath, instance: UInt64, _ done: @escaping Done<AskMessage>) {
        // No screen can have it as a name, and no caller of `emit` has it as a token.
        let token = "/\(String(UInt64.random(in: .min ... .max), radix: 36))"
        asks.add(token, on: path.text) { [weak self] result in
            // If it belongs to a screen of this process, it stays until it is acknowledged.
            self?.acknowledge(token, of: path, instance: instance) { _ in }
            done(result)
        }
        emit(step, token: token, asks: true, on: path, instance: instance) { [weak self] result in
            if let (done, answer) = self?.asks.decide(token, result) { done(answer) }
        }
    }

    func ask(
        _ step: StepMessage, token: String, on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>
    ) {
        emit(step, token: token, asks: true, on: path, instance: instance, done)
    }

    func acknowledge(_ token: String, of path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .answerAcknowledged(request, of: node, token: token, by: Self.client)
        }
    }

    func setVisible(_ isVisible: Bool, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .visibilityChanged(request, of: node, isVisible: isVisible, by: Self.client)
        }
    }

    func dismiss(_ path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .presentableDismissed(request, node, by: Self.client)
        }
    }

    func setTitle(_ title: String, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .titleSet(request, of: node, title, by: Self.client)
        }
    }

    func saveState(_ state: Arguments, at path: NodePath, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .stateSaved(request, of: node, state, by: Self.client)
        }
    }

    func finish(_ path: NodePath, with result: Arguments, instance: UInt64, _ done: @escaping Done<Void>) {
        call(at: path, instance, done) { request, node in
            .screenFinished(request, of: node, result, by: Self.client)
        }
    }

    func back(on path: NodePath, instance: UInt64, _ done: @escaping Done<StepOutcome>) {
        call(at: path, instance) { [weak self] result in
            if let self, case .failure(let error) = result, error.code == .wouldDeadlock {
                return whenAnswered(at: path) { [weak self] in
                    guard let self else { return done(.failure(error)) }
                    back(on: path, instance: instance, done)
                }
            }
            done(result.map(StepOutcome.init))
        } _: { _, request, node in
            .backPressed(request, on: node, by: Self.client)
        }
    }
}
