import FlowCore
import FlowFile
import FlowWire
import SdBus

/// What a program of a play does with the calls of the service.
extension PlayedProgram {
    // MARK: Presenter

    func present(_ question: PlayedQuestion) {
        let name = question.text(1)
        let (instance, reason) = (
            question.dictionary(3)["instance"]?.number ?? 0, question.dictionary(3)["reason"]?.text ?? ""
        )
        if let screen = screens[instance], reason == "return" || reason == "update" {
            screen.arguments = question.arguments(2)
            let actions = reason == "return" ? screen.act.onReturn : screen.act.onUpdate
            // Without any, it goes on with what it does.
            return present(screen, actions, question, goesOn: actions.isEmpty)
        }
        let act = act.screens[name]?.turn(count("screen \(name)")) ?? ActFile.Screen()
        answer(question, act) { [unowned self] in
            let screen = PlayedScreen(
                self, act, path: question.text(0), name: name, instance: instance, arguments: question.arguments(2))
            keep(screen)
            present(screen, act.actions, question, isLate: act.after != nil)
        }
    }

    /// Answers `Present`. What the screen does first goes with the answer, unless that is late: then nobody may want it any more.
    private func present(
        _ screen: PlayedScreen, _ actions: [ActFile.Action], _ question: PlayedQuestion, goesOn: Bool = false,
        isLate: Bool = false
    ) {
        let said = isLate ? [] : screen.said(first: actions)
        sent(question, "answered") { () throws(SdError) in
            try question.answer([.dictionary(said.map { ($0.name, $0.value) })])
        }
        for one in said { screen.report(one.action, one.did) }
        if !goesOn { screen.run(Array(actions.dropFirst(said.count))) }
    }

    func withdraw(_ question: PlayedQuestion) {
        let instance = question.values.count > 1 ? question.values[1].number ?? 0 : 0
        guard question.text(2) == "evicted", let screen = screens[instance] else {
            report(question, screens[instance] == nil ? "not shown here" : "no longer shown")
            return forget(instance)
        }
        report(question, "to be released")
        screen.run(screen.act.onEvict)
    }

    /// A call of an application.
    func activate(_ question: PlayedQuestion) {
        let act = self.act.application.turn(count("application")) ?? ActFile.Screen(actions: [])
        answer(question, act) { [unowned self] in
            sent(question, "answered") { () throws(SdError) in try question.answer() }
            // It knows of no screen. No instance is 0.
            let screen = PlayedScreen(self, act, path: "", name: "", instance: 0, arguments: [])
            keep(screen)
            screen.run(act.actions)
        }
    }

    /// Answers as an act says; a closure answers with success.
    private func answer(_ question: PlayedQuestion, _ act: ActFile.Screen, _ succeeded: @escaping () -> Void) {
        wait(question, act.after) { [unowned self] in
            switch act.answer {
            case .success: succeeded()
            case .failure(let refusal): refuse(question, refusal)
            case .none: report(question, "not answered")
            }
        }
    }

    private func wait(_ question: PlayedQuestion, _ moment: ActFile.Moment?, _ done: @escaping () -> Void) {
        guard let moment else { return done() }
        report(question, "waits for \(moment.text)")
        later(moment) { [unowned self] in unlessFrozen(done) }
    }

    private func refuse(_ question: PlayedQuestion, _ refusal: ActFile.Refusal) {
        let error = PlayedCall.Refusal(name: refusal.error, text: refusal.text)
        sent(question, "failed:", error) { () throws(SdError) in try question.refuse(error) }
    }

    // MARK: Guard

    func adapt(_ question: PlayedQuestion) {
        let step = question.text(1)
        let adaptation = act.adaptations[step]?.turn(count("guard \(step)"))
        let emission = adaptation?.emission
        // What it waits for can follow from what it emits; otherwise the step is emitted before the answer.
        if adaptation?.after == nil, let emission { emit(emission, question) }
        defer { if adaptation?.after != nil, let emission { emit(emission, question) } }
        wait(question, adaptation?.after) { [unowned self] in
            switch adaptation?.answer ?? .pass {
            case .pass:
                sent(question, "let through") { () throws(SdError) in
                    try question.answer([.string(step), question.dictionary(2)])
                }
            case .replacement(let other, let givens):
                let values = Value.dictionary(
                    resolved(givens, play.definitions?.step(other)?.parameters, from: question.arguments(2)))
                let text = [other, values.argumentText].filter { !$0.isEmpty }.joined(separator: " ")
                sent(question, "replaced with \(text)") { () throws(SdError) in
                    try question.answer([.string(other), values])
                }
            case .rejection(let reason):
                let error = PlayedCall.Refusal(name: FlowError.Code.rejected.busName, text: reason)
                sent(question, reason.isEmpty ? "rejected" : "rejected, '\(Names.line(reason))'") {
                    () throws(SdError) in try question.refuse(error)
                }
            case .failure(let refusal): refuse(question, refusal)
            case .none: report(question, "not answered")
            }
        }
    }

    /// Emits a step on the parent of the flow that waits for the guard, or on a root itself, without waiting for the outcome.
    private func emit(_ emission: ActFile.Emission, _ question: PlayedQuestion) {
        guard let bus else { return }
        let flow = question.text(0)
        let path = NodePath(objectPath: flow)?.parent?.objectPath ?? flow
        let values = Value.dictionary(
            resolved(
                emission.arguments, play.definitions?.step(emission.step)?.parameters, from: question.arguments(2)))
        let options = Value.dictionary([("token", .string(PlayedScreen.token())), ("wait", .bool(false))])
        play.call(
            on: bus, path, BusNames.Interface.stepper, "EmitStepWithOptions", [.string(emission.step), values, options]
        ) { [weak self] outcome in
            var report = PlayReport(.action, did: "refused:")
            switch outcome {
            case .success(let answer): report = PlayReport(.action, did: StepOutcome(answer).text)
            case .failure(let error): report.error = error
            }
            (report.name, report.path, report.about, report.arguments) = ("emit", path, emission.step, values)
            self?.report(report)
        }
    }

    // MARK: Navigator

    func navigate(_ question: PlayedQuestion) {
        let navigation = act.navigations[question.text(1)]
        wait(question, navigation?.after) { [unowned self] in
            switch navigation?.answer ?? .unhandled {
            case .contributors(let contributors):
                let values = contributors.map { value(of: $0, question.arguments(2)) }
                let led = contributors.map { [$0.kind, $0.name].filter { !$0.isEmpty }.joined(separator: " ") }
                sent(question, led.isEmpty ? "leads to nothing" : "leads to \(led.joined(separator: ", "))") {
                    () throws(SdError) in try question.answer([.array(element: "(ssa{sv})", values)])
                }
            case .unhandled:
                let error = PlayedCall.Refusal(
                    name: FlowError.Code.unhandled.busName, text: "the navigator does not take the step")
                sent(question, "not taken") { () throws(SdError) in try question.refuse(error) }
            case .failure(let refusal): refuse(question, refusal)
            case .none: report(question, "not answered")
            }
        }
    }

    private func value(of contributor: ActFile.Contributor, _ arguments: Arguments) -> Value {
        let options = contributor.options.map { option -> (name: String, value: Value) in
            switch option {
            case .value(let name, let value): return (name, value)
            case .arguments(let name, let givens):
                let parameters =
                    ["arguments", "key"].contains(name) ? play.definitions?.parameters(of: contributor) : nil
                return (name, .dictionary(resolved(givens, parameters, from: arguments)))
            }
        }
        return .structure([.string(contributor.kind), .string(contributor.name), .dictionary(options)])
    }

    /// Returns the values that are given; one that refers to an argument that is not there is left out.
    func resolved(
        _ givens: [ActFile.Given], _ parameters: [Parameter]?, from arguments: Arguments
    ) -> [(name: String, value: Value)] {
        givens.compactMap { given in
            let type = parameters?.first { $0.name == given.name }?.type
            return given.value(as: type, from: arguments).map { (given.name, $0) }
        }
    }
}

extension Definitions {
    func step(_ name: String) -> StepDeclaration? { steps.first { $0.name == name } }

    func screen(_ name: String) -> ScreenDeclaration? { screens.first { $0.name == name } }

    /// The arguments that a contributor takes, or those of its step.
    fileprivate func parameters(of contributor: ActFile.Contributor) -> [Parameter]? {
        switch contributor.kind {
        case "screen": screen(contributor.name)?.parameters
        case "flow": flows.first { $0.name == contributor.name }?.parameters
        case "pop", "show", "hide", "dismiss":
            screen(contributor.name)?.parameters ?? flows.first { $0.name == contributor.name }?.parameters
        default: step(contributor.name)?.parameters
        }
    }
}

extension ActFile.Moment {
    /// What it is, for a person.
    fileprivate var text: String {
        switch self {
        case .time(let time):
            if time % 1_000_000 == 0 { "\(time / 1_000_000) s" } else { "\(time / 1000) ms" }
        case .step(let step): "the step '\(step)'"
        case .presented: "being presented"
        }
    }
}
