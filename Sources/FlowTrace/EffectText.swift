import FlowCore

// Effects as lines of a trace. They are compared as text, and never read.

extension TraceLine {
    /// Creates the line of an effect.
    init(_ effect: Effect) {
        self.init()
        switch effect {
        case .emitNavigationWillOccur(let announcement):
            add("will")
            add(announcement.flow)
            add(announcement.step)
            add(announcement.arguments)
            if announcement.isDeepLink { add("deep-link") }
            if let step = announcement.adaptedFrom { add("adapted-from \(step)") }
        case .removePresentable(let path, let isFlow):
            add("removed")
            add(path)
            add(isFlow ? "flow" : "screen")
        case .addPresentable(let state): add(state)
        case .changeProperties(let changes): add(changes)
        case .emitNavigationOccurred(let navigation): add(navigation)
        case .emitNavigationFailed(let failure):
            add("failed")
            add(failure.flow)
            add(failure.cause)
            add(quoted: failure.client.name)
            add(failure.step)
            switch failure.reason {
            case .verdict(let verdict): add(verdict.rawValue)
            case .error(let code): add(code.rawValue)
            }
            add(quoted: failure.message)
        case .emitStackChanged(let output, let screens):
            add("stack")
            add(quoted: output)
            add(screens.count)
            for screen in screens { add(screen) }
        case .emitBackChanged(let path, let preview):
            add("back-leads")
            add(path)
            add(preview.kind)
            switch preview {
            case .dismiss(let instance, let reveals):
                add(instance)
                add(reveals)
            case .step(let step): add(step)
            case .hidden, .unhandled: break
            }
        case .emitSightChanged(let path, let isInSight, let owner):
            add("sight")
            add(path)
            add("\(isInSight)")
            add(quoted: owner.name)
        case .askGuard(let question): add("ask-guard", question)
        case .askNavigator(let question): add("ask-navigator", question)
        case .changeContext(let values):
            add("context")
            add(values)
        case .emitContextChanged(let news):
            add("context-changed")
            add(quoted: news.client.name)
            add(news.path)
            add(news.values)
        case .present(let presentation): add(presentation)
        case .askAlive(let check):
            add("ask-alive")
            add(check.id.number)
            add(quoted: check.client.name)
            add(check.object)
            add(check.path)
            add(check.name)
            add(check.timeout)
        case .endProcess(let client, let screen):
            add("end-process")
            add(quoted: client.name)
            add(screen)
        case .startService(let name):
            add("start")
            add(quoted: name)
        case .dropQuestion(let question):
            add("drop")
            add(question.number)
        case .withdraw(let withdrawal): add(withdrawal)
        case .emitStepConcluded(let conclusion):
            add("concluded")
            add(quoted: conclusion.client.name)
            add(conclusion.path)
            add(quoted: conclusion.token)
            add(conclusion.outcome)
        case .emitAnswered(let answered):
            add("answered")
            add(quoted: answered.client.name)
            add(answered.path)
            add(answered.answer)
        case .watchClient(let client):
            add("watch")
            add(quoted: client.name)
        case .emitDefinitionsChanged: add("definitions-changed")
        case .reply(let request, let answer):
            add("reply")
            add(request.number)
            add(answer)
        case .fail(let request, let error):
            add("fail")
            add(request.number)
            add(error)
        case .startTimer(let time):
            add("timer")
            add(time.map { "\($0.microseconds)" } ?? "off")
        case .reportUnstarted(let path, let error):
            add("unstarted")
            add(path)
            add(error)
        case .reportUnrestored(let path, let why):
            add("unrestored")
            add(path)
            add(quoted: why)
        case .reportTiming(let timing):
            add("timing")
            add(timing.path)
            add(timing.screen)
            add(timing.start.rawValue)
            for time in [timing.sent, timing.answered, timing.visible, timing.waited] { add(time) }
        case .reportDelay(let path, let presenter, let microseconds, let fault):
            add("delay")
            add(path)
            add(quoted: presenter)
            add(microseconds)
            add(quoted: fault.text)
        }
    }

    private mutating func add(_ screen: StackedScreen) {
        add(screen.path)
        add(screen.instance)
        add(screen.isVisible ? "visible" : "hidden")
        add(quoted: screen.owner?.name ?? "")
        for text in [screen.style, screen.title, screen.waiting, screen.layer, screen.application] { add(quoted: text) }
    }

    private mutating func add(_ state: PresentableState) {
        add("added")
        add(state.path)
        add(state.isFlow ? "flow" : "screen")
        add(state.properties)
    }

    private mutating func add(_ changes: PropertyChanges) {
        add("changed")
        add(changes.path)
        add(changes.properties)
    }

    private mutating func add(_ properties: PropertyList) {
        for entry in properties.entries {
            add("\(entry.property.description.name)")
            switch entry.value {
            case .flag(let flag): add("\(flag)")
            case .number(let number): add(number)
            case .text(let text): add(quoted: text)
            case .path(let path): add(path ?? "/")
            case .paths(let paths):
                add(paths.count)
                for path in paths { add(path) }
            case .arguments(let arguments): add(arguments)
            }
        }
    }

    private mutating func add(_ navigation: Navigation) {
        add("did")
        add(navigation.flow)
        add(navigation.serial)
        add(navigation.cause)
        add(quoted: navigation.client.name)
        add(navigation.step.isEmpty ? "-" : navigation.step)
        add(navigation.arguments)
        add(navigation.contributions.count)
        for contribution in navigation.contributions {
            add(contribution.kind.rawValue)
            add(contribution.name.isEmpty ? "-" : contribution.name)
            add(contribution.path ?? "/")
            add(quoted: contribution.style)
            add(contribution.arguments)
        }
        if navigation.isDeepLink { add("deep-link") }
        if let step = navigation.adaptedFrom { add("adapted-from \(step)") }
    }

    private mutating func add(_ kind: String, _ question: Question) {
        add(kind)
        add(question.id.number)
        add(question.service)
        add(question.flow)
        add(question.step)
        add(question.arguments)
        add(quoted: question.client.name)
        add(question.presentable)
        add(question.instance)
        add(question.cause)
        if question.isInteractive { add("interactive") }
    }

    private mutating func add(_ presentation: Presentation) {
        add("present")
        add(presentation.id.number)
        switch presentation.presenter {
        case .service(let service):
            add("presenter")
            add(service)
        case .application(let service, let call):
            add("application")
            add(service)
            add(call)
        }
        add(presentation.path)
        add(presentation.name)
        add(presentation.arguments)
        add(presentation.instance)
        add(quoted: presentation.style)
        add(presentation.flow)
        add(presentation.serial)
        add(presentation.reason.rawValue)
        if let direction = presentation.direction { add(direction.rawValue) }
        if !presentation.styles.isEmpty {
            add("styles")
            add(presentation.styles.count)
            for style in presentation.styles { add(quoted: style) }
        }
        add("root")
        add(presentation.root)
        if !presentation.output.isEmpty {
            add("output")
            add(quoted: presentation.output)
        }
        if let size = presentation.size {
            add("size")
            add(size.width)
            add(size.height)
        }
        if !presentation.state.isEmpty {
            add("state")
            add(presentation.state)
        }
        if presentation.isVisible { add("visible") }
        if !presentation.title.isEmpty {
            add("title")
            add(quoted: presentation.title)
        }
        if !presentation.answers.isEmpty {
            add("answers")
            add(presentation.answers.count)
            for answer in presentation.answers { add(answer) }
        }
        if !presentation.context.isEmpty {
            add("context")
            add(presentation.context)
        }
        if !presentation.run.isEmpty {
            add("run")
            add(presentation.run)
        }
        if let owner = presentation.owner {
            add("owner")
            add(quoted: owner.name)
        }
        if let token = presentation.activationToken {
            add("activation-token")
            add(quoted: token)
        }
    }

    private mutating func add(_ call: ApplicationCall) {
        switch call.method {
        case .activate: add("activate")
        case .open(let operand):
            add("open")
            add(operand)
        case .action(let action, let parameter):
            add("action")
            add(quoted: action)
            if let parameter { add(parameter) }
        }
    }

    private mutating func add(_ operand: ApplicationCall.Operand) {
        switch operand {
        case .literal(let value): add(variant: value)
        case .argument(let name): add("$\(name)")
        }
    }

    private mutating func add(_ withdrawal: Withdrawal) {
        add("withdraw")
        add(quoted: withdrawal.client.name)
        add(withdrawal.object)
        add(withdrawal.path)
        add(withdrawal.instance)
        switch withdrawal.reason {
        case .dismissal(let reason): add(reason.rawValue)
        case .result: add("result")
        case .rule: add("rule")
        case .parent: add("parent")
        case .undeclared: add("undeclared")
        case .replaced: add("replaced")
        case .evicted: add("evicted")
        }
        if let action = withdrawal.closingAction {
            add("action")
            add(quoted: action)
        }
    }

    private mutating func add(_ answer: Answer) {
        switch answer {
        case .done: add("done")
        case .verdict(let verdict, let serial):
            add(verdict.rawValue)
            add(serial)
        case .flow(let path): add(path)
        case .outcomes(let outcomes):
            add(outcomes.count)
            for outcome in outcomes {
                add(outcome.path)
                if let outcome = outcome.outcome { add(outcome) } else { add("-") }
            }
        case .verdicts(let outcomes):
            add(outcomes.count)
            for outcome in outcomes { add(outcome) }
        }
    }

    private mutating func add(_ answer: AskAnswer) {
        add(quoted: answer.token)
        add(answer.outcome.rawValue)
        add(answer.result)
    }

    private mutating func add(_ outcome: Outcome) {
        switch outcome {
        case .navigated(let serial): add("navigated \(serial)")
        case .ignored(let verdict): add(verdict.rawValue)
        case .refused(let error): add(error)
        }
    }

    private mutating func add(_ error: FlowError) {
        add(error.code.rawValue)
        add(quoted: error.message)
    }
}
