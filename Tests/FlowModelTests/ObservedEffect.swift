import FlowCore

/// An effect without messages and timers: the part that the rules define.
enum ObservedEffect: Equatable {
    case will(flow: String, step: String, arguments: Arguments, isDeepLink: Bool)
    case removed(path: String, isFlow: Bool)
    case added(Presentable)
    case changed(Changes)
    case did(NavigationSummary)
    case failed(Failure)
    case answered(RequestID, Answer)
    case refused(RequestID, FlowError.Code)
    case unstarted(path: String, FlowError.Code)
    case told(Client, path: String, token: String, AskOutcome, Arguments)
    case stack(output: String, [String])
    case back(path: String, BackPreview)

    struct Presentable: Equatable {
        var path: String
        var name: String
        var parent: String?
        var style: String
        var instance: UInt64
        var arguments: Arguments
        var isVisible: Bool
        var isPresented: Bool
        /// nil for a flow.
        var isInSight: Bool?
        var definition: String?
        var isReady = false
        var current: String?
        var output = ""
        var context: Arguments = []
    }

    struct Changes: Equatable {
        var path: String
        var arguments: Arguments?
        var isVisible: Bool?
        var isPresented: Bool?
        var isInSight: Bool?
        var isReady: Bool?
        /// Empty if no child covers the others.
        var current: String?
        var output: String?
        var style: String?
        var isWaiting: Bool?
        /// With an empty path, that of the coordinator.
        var context: Arguments?

        var isEmpty: Bool {
            arguments == nil && isVisible == nil && isPresented == nil && isInSight == nil && isReady == nil
                && current == nil && output == nil && style == nil && isWaiting == nil && context == nil
        }
    }

    struct NavigationSummary: Equatable {
        var flow: String
        var serial: UInt64
        var cause: UInt64
        var client: Client
        var step: String
        var arguments: Arguments
        var parts: [ContributionSummary]
        var isDeepLink: Bool
    }

    struct ContributionSummary: Equatable {
        var kind: Contribution.Kind
        var name: String
        var path: String?
        var style = ""
        var arguments: Arguments = []
    }

    struct Failure: Equatable {
        var flow: String
        var cause: UInt64
        var client: Client
        var step: String
        var reason: NavigationFailure.Reason
    }

    /// Creates an observed effect; nil for a timer.
    init?(_ effect: Effect) {
        switch effect {
        case .emitNavigationWillOccur(let it):
            self = .will(flow: it.flow, step: it.step, arguments: it.arguments, isDeepLink: it.isDeepLink)
        case .removePresentable(let path, let isFlow): self = .removed(path: path, isFlow: isFlow)
        case .addPresentable(let it): self = .added(Presentable(it))
        case .changeProperties(let it): self = .changed(Changes(it))
        case .emitNavigationOccurred(let it):
            self = .did(
                NavigationSummary(
                    flow: it.flow, serial: it.serial, cause: it.cause, client: it.client, step: it.step,
                    arguments: it.arguments, parts: it.contributions.map(ContributionSummary.init),
                    isDeepLink: it.isDeepLink))
        case .emitNavigationFailed(let it):
            self = .failed(
                Failure(flow: it.flow, cause: it.cause, client: it.client, step: it.step, reason: it.reason))
        case .reply(let request, let answer): self = .answered(request, answer.wordless)
        case .fail(let request, let error): self = .refused(request, error.code)
        case .changeContext(let values): self = .changed(Changes(path: "", context: values))
        case .startTimer, .reportDelay: return nil
        case .emitStackChanged(let output, let screens):
            self = .stack(
                output: output,
                screens.map {
                    "\($0.path) \($0.instance) \($0.isVisible ? "visible" : "hidden") \($0.layer) \($0.style)"
                })
        case .emitBackChanged(let path, let preview): self = .back(path: path, preview)
        case .emitSightChanged, .emitContextChanged, .askGuard, .askNavigator, .present, .withdraw, .emitStepConcluded,
            .watchClient,
            .emitDefinitionsChanged, .dropQuestion, .reportUnrestored, .startService, .askAlive, .endProcess,
            .reportTiming:
            preconditionFailure("a world of one process was asked for \(effect)")
        case .emitAnswered(let it):
            self = .told(it.client, path: it.path, token: it.answer.token, it.answer.outcome, it.answer.result)
        case .reportUnstarted(let path, let error): self = .unstarted(path: path, error.code)
        }
    }
}

extension ObservedEffect.Presentable {
    init(_ state: PresentableState) {
        self.init(
            path: state.path, name: state.name, parent: state.parent, style: state.style, instance: state.instance,
            arguments: state.arguments, isVisible: state.isVisible, isPresented: state.isPresented,
            isInSight: state.isFlow ? nil : state.isInSight, definition: state.isFlow ? state.name : nil,
            isReady: state.isFlow && state.isReady, current: state.current, output: state.output,
            context: state.context)
    }
}

extension ObservedEffect.Changes {
    init(_ changes: PropertyChanges) {
        let properties = changes.properties
        self.init(
            path: changes.path, arguments: properties.arguments(.arguments), isVisible: properties.flag(.visible),
            isPresented: properties.flag(.presented), isInSight: properties.flag(.inSight),
            isReady: properties.flag(.ready))
        if properties[.current] != nil { current = properties.path(.current) ?? "" }
        output = properties.text(.output)
        style = properties.text(.style)
        isWaiting = properties.text(.waiting).map { !$0.isEmpty }
        context = properties.arguments(.context)
    }
}

extension ObservedEffect.ContributionSummary {
    init(_ it: Contribution) {
        self.init(kind: it.kind, name: it.name, path: it.path, style: it.style, arguments: it.arguments)
    }
}

extension FlowError {
    /// An error of the model, without a message.
    init(_ code: Code) { self.init(code, "") }
}

extension Outcome {
    /// The outcome without messages.
    var wordless: Outcome {
        if case .refused(let error) = self { .refused(FlowError(error.code)) } else { self }
    }

    var isNavigated: Bool { if case .navigated = self { true } else { false } }
}

extension Answer {
    /// The answer without messages.
    var wordless: Answer {
        switch self {
        case .done, .verdict, .flow: self
        case .outcomes(let outcomes):
            .outcomes(outcomes.map { FlowOutcome(path: $0.path, outcome: $0.outcome?.wordless) })
        case .verdicts(let outcomes): .verdicts(outcomes.map(\.wordless))
        }
    }
}
