internal import FlowBus
internal import FlowCore
internal import FlowWire
internal import SdBus

/// A decoded signal of the service.
enum ServiceSignal {
    case added(Node)
    case changed(NodePath, [Node.Change])
    case removed(NodePath)
    case navigated(HostNavigation)
    case failed(FlowBus.NavigationFailure)
    /// The outcome of a step that was pending: the path of the object that was called, and the token of the call.
    case concluded(String, String, Result<StepOutcome, NavigationError>)
    /// The answer to an ask: the path of the object that was called, and the answer.
    case answered(String, AskMessage)
    /// The values of the context that the owner of a screen gets.
    case contextChanged(NodePath, [String: DBusValue])
    /// A screen of this program is in sight again, or no longer.
    case sight(NodePath, Bool)

    /// Decodes a message; returns nil if it is no such signal.
    init?(_ message: MessageReader) {
        guard let interface = message.interface.map({ String(cString: $0) }),
            let values = try? message.readValues()
        else { return nil }
        let (path, member) = (String(cString: message.path), String(cString: message.member))
        switch (interface, member) {
        case ("\(BusNames.Interface.objectManager)", "InterfacesAdded"):
            guard values.count == 2, let path = values[0].text, let node = Node(path, values[1]) else { return nil }
            self = .added(node)
        case ("\(BusNames.Interface.objectManager)", "InterfacesRemoved"):
            guard values.count == 2, let path = values[0].text.flatMap(NodePath.init(object:)),
                values[1].elements.contains(where: { $0.text == "\(BusNames.Interface.presentable)" })
            else { return nil }
            self = .removed(path)
        case ("\(BusNames.Interface.properties)", "PropertiesChanged"):
            guard values.count == 3, let path = NodePath(object: path) else { return nil }
            self = .changed(path, PropertyList(values[1]).entries.compactMap(Node.Change.init))
        case ("\(BusNames.Interface.flow)", "NavigationOccurred"):
            guard let path = NodePath(object: path), let navigation = HostNavigation(path, values) else { return nil }
            self = .navigated(navigation)
        case ("\(BusNames.Interface.flow)", "NavigationFailed"):
            guard let path = NodePath(object: path), let failure = NavigationFailure(path, values) else { return nil }
            self = .failed(failure)
        case ("\(BusNames.Interface.stepper)", "StepConcluded"):
            guard let (token, result) = Self.conclusion(values) else { return nil }
            self = .concluded(path, token, result)
        case ("\(BusNames.Interface.stepper)", "Answered"):
            guard let answer = AskMessage(values) else { return nil }
            self = .answered(path, answer)
        case ("\(BusNames.Interface.presentable)", "ContextChanged"):
            guard values.count == 1, let path = NodePath(object: path) else { return nil }
            self = .contextChanged(path, values[0].dictionary)
        case ("\(BusNames.Interface.presentable)", "SightChanged"):
            guard let path = NodePath(object: path), let isInSight = values.first?.truth else { return nil }
            self = .sight(path, isInSight)
        default: return nil
        }
    }

    private static func conclusion(_ values: [Value]) -> (String, Result<StepOutcome, NavigationError>)? {
        guard values.count == 5, let token = values[0].text, let serial = values[1].number,
            let verdict = values[2].text, let error = values[3].text, let text = values[4].text
        else { return nil }
        return (token, Result(serial: serial, verdict: verdict, errorName: error, errorMessage: text))
    }
}

extension AskMessage {
    /// Decodes `ssa{sv}`, of Answered and of the answers in Present.
    init?(_ values: [Value]) {
        guard values.count == 3, let token = values[0].text, let outcome = values[1].text else { return nil }
        // The values are private, and stay out of errors.
        let result = values[2].entries.map { Argument($0.name, $0.value, isPrivate: true) }
        self.init(token: token, outcome: outcome, result: result)
    }
}

extension HostNavigation {
    /// Decodes NavigationOccurred, `ttssa{sv}a(ssoa{sv})a{sv}`.
    fileprivate init?(_ flow: NodePath, _ values: [Value]) {
        guard values.count == 7, let serial = values[0].number, let cause = values[1].number,
            let sender = values[2].text, let step = values[3].text
        else { return nil }
        let arguments = values[4].entries.map { Argument($0.name, $0.value) }
        let contributions = values[5].elements.compactMap { contributor -> AppliedContributor? in
            let parts = contributor.elements
            guard parts.count == 4, let kind = parts[0].text, let name = parts[1].text else { return nil }
            return AppliedContributor(
                kind: .init(rawValue: kind), name: name, path: parts[2].text.flatMap(NodePath.init(object:)))
        }
        self.init(
            flow: flow, serial: serial, cause: cause, sender: sender,
            isDeepLink: values[6]["deepLink"]?.truth ?? false, adaptedFrom: values[6]["adaptedFrom"]?.text,
            step: step.isEmpty ? nil : StepMessage(name: step, arguments: arguments), contributions: contributions)
    }
}

extension FlowBus.NavigationFailure {
    /// Decodes NavigationFailed, `tsssss`.
    fileprivate init?(_ flow: NodePath, _ values: [Value]) {
        guard values.count == 6, let step = values[2].text, let verdict = values[3].text, let error = values[4].text,
            let message = values[5].text
        else { return nil }
        if error.isEmpty {
            self.init(path: flow, step: step, Verdict(rawValue: verdict), message)
        } else {
            self.init(path: flow, step: step, NavigationError(busName: error, message))
        }
    }
}
