@testable import FlowCore

extension Effect {
    /// The effect on one line:
    ///
    ///     will /main pick {item=1}                     + /main/list {item=1} style=modal (visible presented)
    ///     - /main/list                                 ~ /main visible=true presented=true ready=true current=/main/a
    ///     did 2 after 1 by :1.1: /main pick {item=1} [screen list /main/list {item=1}, current next /main]
    ///     failed after 1 by :1.1: /main pick unhandled      = navigated 2      ! IdTaken
    ///     guard? com.auth #3: /main pick {item=1}      present com.shop #4: /main/list again
    var line: String {
        switch self {
        case .emitNavigationWillOccur(let it):
            "will \(it.flow) \(it.step)\(it.arguments.text)\(it.isDeepLink ? " deep link" : "")"
        case .removePresentable(let path, _): "- \(path)"
        case .addPresentable(let it):
            "+ \(it.path)\(it.arguments.text)\(it.style.isEmpty ? "" : " style=" + it.style)"
                + it.flags
        case .changeProperties(let it): "~ \(it.path)" + it.text
        case .emitNavigationOccurred(let it):
            "did \(it.serial) after \(it.cause) by \(it.client.name): \(it.flow) \(it.step)\(it.arguments.text) ["
                + it.contributions.map(\.text).joined(separator: ", ") + "]" + (it.isDeepLink ? " deep link" : "")
                + (it.adaptedFrom.map { " for \($0)" } ?? "")
        case .emitNavigationFailed(let it):
            "failed after \(it.cause) by \(it.client.name): \(it.flow) \(it.step) \(it.reason.text)"
        case .reply(_, let answer): "= " + answer.text
        case .fail(_, let error): "! " + error.code.rawValue
        case .startTimer(let time): "timer \(time.map { "\($0.microseconds)" } ?? "off")"
        case .reportUnstarted(let flow, let error): "unstarted \(flow) \(error.code.rawValue)"
        case .reportUnrestored(let path, let why): "unrestored \(path) \(why)"
        case .reportTiming(let it): "timing \(it.path) \(it.start.rawValue) \(it.total)"
        case .reportDelay(let path, let presenter, let wait, _): "delay \(path) \(presenter) \(wait)"
        case .emitStackChanged(let output, let screens):
            "stack\(output.isEmpty ? "" : " of " + output): \(screens.map(\.text).joined(separator: ", "))"
        case .emitBackChanged(let path, let preview): "back on \(path): \(preview.text)"
        case .emitSightChanged(let path, let isInSight, let owner):
            "sight \(path) \(isInSight) for \(owner.name)"
        case .askGuard(let it): "guard? \(it.text)"
        case .askNavigator(let it): "navigator? \(it.text)"
        case .changeContext(let values): "context" + values.text
        case .emitContextChanged(let it): "context \(it.path) for \(it.client.name)\(it.values.text)"
        case .present(let it): it.text
        case .askAlive(let it): "alive? \(it.client.name) #\(it.id.number): \(it.path)"
        case .endProcess(let client, let screen): "end \(client.name), which hangs with \(screen)"
        case .startService(let name): "start \(name)"
        case .dropQuestion(let question): "drop #\(question.number)"
        case .withdraw(let it):
            "withdraw \(it.path) from \(it.client.name): \(it.reason.text)"
                + (it.closingAction.map { " action \($0)" } ?? "")
        case .emitStepConcluded(let it):
            "concluded \(it.path) for \(it.client.name)\(it.token.isEmpty ? "" : " " + it.token): \(it.outcome.text)"
        case .emitAnswered(let it):
            "answered \(it.path) for \(it.client.name) \(it.answer.token): "
                + it.answer.outcome.rawValue + it.answer.result.text
        case .watchClient(let client): "watch \(client.name)"
        case .emitDefinitionsChanged: "definitions"
        }
    }
}

extension Effect {
    /// The effect without changes of `InSight`; nil if nothing else has changed.
    var withoutInSight: Effect? {
        if case .emitSightChanged = self { return nil }
        guard case .changeProperties(var changes) = self else { return self }
        changes.properties[.inSight] = nil
        return changes.properties.isEmpty ? nil : .changeProperties(changes)
    }
}

extension Question {
    fileprivate var text: String { "\(service.name) #\(id.number): \(flow) \(step)\(arguments.text)" }
}

extension Presentation {
    fileprivate var text: String {
        var action = ""
        if case .application(_, let call) = presenter, case .action(let name, _) = call.method {
            action = " action \(name)"
        }
        return "present \(presenter.service.name)\(action) #\(id.number): \(path)\(arguments.text)"
            + (style.isEmpty ? "" : " style=" + style)
            + (reason == .update ? " again" : reason == .launch ? "" : " \(reason)")
            + (owner.map { " of \($0.name)" } ?? "")
            + answers.map { " answer=\($0.token):\($0.outcome.rawValue)" + $0.result.text }.joined()
            + (activationToken.map { " token=" + $0 } ?? "")
    }
}

extension Withdrawal.Reason {
    fileprivate var text: String {
        switch self {
        case .dismissal(let reason): reason.rawValue
        case .result: "result"
        case .rule: "rule"
        case .parent: "parent"
        case .undeclared: "undeclared"
        case .replaced: "replaced"
        case .evicted: "evicted"
        }
    }
}

extension [Argument] {
    fileprivate var text: String {
        isEmpty ? "" : " {" + map { "\($0.name)=\($0.value)" }.joined(separator: ", ") + "}"
    }
}

extension PresentableState {
    fileprivate var flags: String {
        var flags: [String] = []
        if isVisible { flags.append("visible") }
        if isPresented { flags.append("presented") }
        if isFlow, isReady { flags.append("ready") }
        if !presenter.isEmpty { flags.append("presenter=\(presenter)") }
        if !owner.isEmpty { flags.append("owner=\(owner)") }
        if let current { flags.append("current=\(current)") }
        return flags.isEmpty ? "" : " (" + flags.joined(separator: " ") + ")"
    }
}

extension PropertyChanges {
    fileprivate var text: String {
        var text = ""
        for entry in properties.entries {
            text += " \(entry.property)="
            switch entry.value {
            case .arguments(let arguments): text += arguments.text
            case .flag(let flag): text += "\(flag)"
            case .number(let number): text += "\(number)"
            case .text(let name): text += name.isEmpty ? "-" : name
            case .path(let path): text += path ?? "/"
            case .paths(let paths): text += paths.joined(separator: ",")
            }
        }
        return text
    }
}

extension Contribution {
    fileprivate var text: String {
        kind.rawValue + (name.isEmpty ? "" : " " + name) + (path.map { " " + $0 } ?? "") + arguments.text
            + (style.isEmpty ? "" : " style=" + style)
    }
}

extension NavigationFailure.Reason {
    fileprivate var text: String {
        switch self {
        case .verdict(let verdict): verdict.rawValue
        case .error(let code): code.rawValue
        }
    }
}

extension Outcome {
    fileprivate var text: String {
        switch self {
        case .navigated(let serial): "navigated \(serial)"
        case .ignored(let verdict): verdict.rawValue
        case .refused(let error): error.code.rawValue
        }
    }
}

extension Answer {
    fileprivate var text: String {
        switch self {
        case .done: "done"
        case .verdict(let verdict, let serial): "\(verdict.rawValue) \(serial)"
        case .flow(let path): path
        case .outcomes(let outcomes):
            "[" + outcomes.map { "\($0.path) \($0.outcome?.text ?? "-")" }.joined(separator: ", ") + "]"
        case .verdicts(let outcomes): "[" + outcomes.map(\.text).joined(separator: ", ") + "]"
        }
    }
}

extension StackedScreen {
    /// The path, and a star if it is visible.
    fileprivate var text: String { path + (isVisible ? "*" : "") }
}

extension BackPreview {
    fileprivate var text: String {
        switch self {
        case .dismiss(_, let reveals): "dismiss, to \(reveals)"
        case .step(let step): "step \(step)"
        case .hidden, .unhandled: kind
        }
    }
}
