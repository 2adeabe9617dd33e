import FlowCore

/// An event as values only, so that it can be replayed in a different world: presentables are given by path.
struct Operation {
    /// A presentable: the live one at the path, or the one removed last from there.
    struct Target {
        var path: String
        var isGone = false
    }

    enum Kind {
        case start
        case emit(Target, step: String, Arguments, Client, token: String?, isStale: Bool?)
        case emitMany(Target, [(step: String, arguments: Arguments)], Client)
        case cancel(Target, token: String, Client)
        case show(Target, Bool, Client)
        case dismiss(Target, Client)
        case touch(Target, Client)
        case back(Target, goes: Target?, token: String?, Client)
        case coordinate(
            flow: String, id: String?, Arguments, step: String?, stepArguments: Arguments, Client, token: String?,
            output: String)
        case move(Target, to: String, Client)
        case setOutputs([String], Client)
        case navigate(step: String, Arguments, Client)
        case navigateAlong(
            [(flow: String, key: Arguments, step: String?, arguments: Arguments)], below: Target?, Client)
        case setContext(Target?, Arguments, Client)
        case own(String, Client?)
        case timer
        case reload(Definitions)
        case stepperChanged(String, StepperValue)
        case stepperSignalled(String, [Value])
        case stepperFailed(String, FlowError.Code)
        case vanish(Client)
        case identify(Client, user: UInt32)
    }

    var kind: Kind
    /// The time since the previous one, in µs.
    var wait: UInt64 = 0
    /// Whether a timer that is due in that time comes late, at its end.
    var isLate = false
}

extension Operation {
    /// Returns the event, or nil if its presentable or a name does not exist.
    func event(_ request: RequestID, _ definitions: Definitions, _ find: (Target) -> NodeID?) -> Event? {
        switch kind {
        case .start: return .started
        case .emit(let target, let step, let arguments, let client, let token, let isStale):
            guard let node = find(target), let step = definitions.step(named: step) else { return nil }
            var options: EmissionOptions?
            if token != nil || isStale != nil {
                options = EmissionOptions(
                    token: token, instance: isStale.map { $0 ? node.instance + 1 : node.instance },
                    asks: token?.hasPrefix("ask") ?? false, isInput: token != "two")
            }
            return .stepEmitted(request, on: node, step: step, arguments: arguments, by: client, options: options)
        case .emitMany(let target, let steps, let client):
            guard let node = find(target) else { return nil }
            let emitted = steps.map { it in
                definitions.step(named: it.step).map { EmittedStep.step($0, it.arguments) }
                    ?? .refused(FlowError(.unknownStep, "unknown"))
            }
            return .stepsEmitted(request, on: node, emitted, by: client)
        case .cancel(let target, let token, let client):
            return find(target).map { .stepCancelled(request, on: $0, token: token, by: client) }
        case .show(let target, let isVisible, let client):
            return find(target).map { .visibilityChanged(request, of: $0, isVisible: isVisible, by: client) }
        case .touch(let target, let client):
            return find(target).map { .presentableTouched(request, $0, by: client) }
        case .dismiss(let target, let client):
            return find(target).map { .presentableDismissed(request, $0, by: client) }
        case .back(let target, let goes, let token, let client):
            guard let node = find(target) else { return nil }
            let options =
                goes == nil && token == nil
                ? nil : BackOptions(goes: goes.map { find($0)?.instance ?? 0 }, token: token)
            return .backPressed(request, on: node, by: client, options: options)
        case .coordinate(
            let flow, let id, let arguments, let step, let stepArguments, let client, let token, let output):
            guard let flow = definitions.flow(named: flow) else { return nil }
            var flowRequest = FlowRequest(
                flow, id: id, arguments: arguments, stepArguments: stepArguments, by: client, token: token,
                output: output)
            if let step {
                guard let step = definitions.step(named: step) else { return nil }
                flowRequest.step = step
            }
            return .flowRequested(request, flowRequest)
        case .move(let target, let output, let client):
            return find(target).map { .rootMoved(request, $0, to: output, by: client) }
        case .setOutputs(let names, let client): return .outputsSet(request, names, by: client)
        case .navigate(let step, let arguments, let client):
            return definitions.step(named: step).map {
                .deepLinkOpened(request, step: $0, arguments: arguments, by: client)
            }
        case .navigateAlong(let path, let root, let client):
            let below = root.flatMap(find)
            if root != nil, below == nil { return nil }
            return .pathOpened(
                request,
                path.map {
                    PathSegment(
                        flow: $0.flow, key: $0.key, step: $0.step.flatMap { definitions.step(named: $0) },
                        arguments: $0.arguments)
                }, by: client, below: below)
        case .setContext(let target, let values, let client):
            let node = target.flatMap(find)
            return target != nil && node == nil ? nil : .contextSet(request, values, of: node, by: client)
        case .own(let name, let client): return .nameOwnerChanged(name, owner: client)
        case .timer: return .timerFired
        case .reload(let definitions): return .definitionsRead(definitions)
        case .stepperChanged(let name, let value):
            guard let stepper = definitions.stepper(named: name), definitions.steppers[stepper.index].isProperty else {
                return nil
            }
            return .stepperChanged(stepper, value)
        case .stepperSignalled(let name, let values):
            guard let stepper = definitions.stepper(named: name), !definitions.steppers[stepper.index].isProperty else {
                return nil
            }
            return .stepperSignalled(stepper, values)
        case .stepperFailed(let name, let code):
            return definitions.stepper(named: name).map { .stepperFailed($0, FlowError(code)) }
        case .vanish(let client): return .clientVanished(client)
        case .identify(let client, let user): return .clientIdentified(client, user: user)
        }
    }
}
