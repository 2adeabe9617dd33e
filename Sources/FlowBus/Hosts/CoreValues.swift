package import FlowCore

// Conversions from the values of FlowCore to those of this library.

extension HostNode {
    init(_ state: PresentableState) {
        self.init(
            path: NodePath(ids: state.path), instance: state.instance, name: state.name, isFlow: state.isFlow,
            isPresented: state.isPresented, isReady: state.isReady)
    }
}

extension HostNavigation {
    init(_ navigation: FlowCore.Navigation, at path: NodePath) {
        // There is only this process, so the sender has no name.
        self.init(
            flow: path, serial: navigation.serial, cause: navigation.cause, sender: "",
            step: navigation.step.isEmpty
                ? nil : StepMessage(name: navigation.step, arguments: navigation.arguments),
            contributions: navigation.contributions.applied, adaptedFrom: navigation.adaptedFrom,
            isDeepLink: navigation.isDeepLink)
    }
}

extension [FlowCore.Contribution] {
    fileprivate var applied: [AppliedContributor] {
        switch count {
        case 0: []
        // `map` would first ask how many there are, and what type they have.
        case 1: [AppliedContributor(self[0])]
        default: map(AppliedContributor.init)
        }
    }
}

extension AppliedContributor {
    init(_ contribution: FlowCore.Contribution) {
        self.init(
            kind: Kind(rawValue: contribution.kind.rawValue), name: contribution.name,
            path: contribution.path.map { NodePath(ids: $0) })
    }
}

extension NavigationFailure {
    package init(_ failure: FlowCore.NavigationFailure) {
        let path = NodePath(ids: failure.flow)
        switch failure.reason {
        case .verdict(let verdict):
            self.init(path: path, step: failure.step, Verdict(rawValue: verdict.rawValue), failure.message)
        case .error(let code):
            self.init(path: path, step: failure.step, NavigationError(FlowError(code, failure.message)))
        }
    }
}

extension StepOutcome {
    init(_ answer: Answer) {
        guard case .verdict(let verdict, let serial) = answer else {
            self.init(verdict: .navigated, serial: 0)
            return
        }
        self.init(verdict: Verdict(rawValue: verdict.rawValue), serial: serial)
    }
}

extension Result<StepOutcome, NavigationError> {
    init(_ outcome: FlowCore.Outcome) {
        switch outcome {
        case .navigated(let serial): self = .success(StepOutcome(verdict: .navigated, serial: serial))
        case .ignored(let verdict):
            self = .success(StepOutcome(verdict: Verdict(rawValue: verdict.rawValue), serial: 0))
        case .refused(let error): self = .failure(NavigationError(error))
        }
    }
}

extension FlowOutcome {
    init(_ outcome: FlowCore.FlowOutcome) {
        let result = outcome.outcome.map { Result<StepOutcome, NavigationError>($0) }
        self.init(path: NodePath(ids: outcome.path), result: result)
    }
}

extension Registration {
    /// The registration of a flow for which this process is guard, navigator and presenter. As in RxFlow, it stays without views.
    init(_ flow: FlowRegistration, by client: Client) {
        self.init(
            flow.name, at: Service(client.name, path: "/", timeout: flow.timeout), steps: flow.steps,
            hasGuard: flow.isGuarded, children: FlowCore.Children(rawValue: flow.children.rawValue) ?? .free,
            whenEmpty: .stay, by: client)
        result = flow.result
        layers = flow.layers.map { FlowCore.Layer($0.name, covers: $0.covers) }
        bring(flow.screens)
    }
}

extension AskMessage {
    init(_ answer: AskAnswer) {
        self.init(token: answer.token, outcome: answer.outcome.rawValue, result: answer.result)
    }
}

extension FlowCore.Presentation {
    /// It as a screen gets it. No initializer, for which all of it would be copied.
    var shown: FlowBus.Presentation {
        FlowBus.Presentation(
            path: NodePath(ids: path), arguments: arguments.dictionary,
            reason: FlowBus.Presentation.Reason(rawValue: reason.rawValue), isRepeated: isAgain,
            state: state.dictionary, activationToken: activationToken)
    }
}
