import FlowCore

// Answers of other processes in the lines of events, written and read.

extension TraceLine {
    mutating func add(_ answer: GuardAnswer, _ definitions: Definitions) {
        switch answer {
        case .step(let step, let arguments):
            add("step")
            add(definitions[step].name)
            add(arguments)
        case .rejected: add("rejected")
        case .failed(let message):
            add("failed")
            add(quoted: message)
        case .timedOut: add("timed-out")
        }
    }

    mutating func add(_ answer: NavigatorAnswer, _ definitions: Definitions) {
        switch answer {
        case .contributors(let contributors):
            add("contributors")
            add(contributors.count)
            for contributor in contributors { add(contributor, definitions) }
        case .failed(let message):
            add("failed")
            add(quoted: message)
        case .timedOut: add("timed-out")
        }
    }

    mutating func add(_ answer: PresenterAnswer) {
        switch answer {
        case .presented(let client):
            add("presented")
            add(quoted: client.name)
        case .failed: add("failed")
        case .timedOut: add("timed-out")
        }
    }

    private mutating func add(_ contributor: FlowContributor, _ definitions: Definitions) {
        switch contributor {
        case .child(let child): add(child, definitions)
        case .pop(.root): add("pop-root")
        case .pop(.to(let name)):
            add("pop")
            add(quoted: name)
        case .current(let template):
            add("current")
            add(template, definitions)
        case .parent(let template):
            add("parent")
            add(template, definitions)
        case .end(let template):
            add(template == nil ? "end" : "end-with")
            if let template { add(template, definitions) }
        }
    }

    private mutating func add(_ child: ChildTemplate, _ definitions: Definitions) {
        switch child.presentable {
        case .screen(let screen): add("screen \(definitions[screen].name)")
        case .flow(let flow): add("flow \(definitions[flow].name)")
        }
        if let id = child.id {
            add("id")
            add(quoted: id)
        }
        add("arguments", child.arguments)
        if let step = child.step { add("step \(definitions[step].name)") }
        add("step-arguments", child.stepArguments)
        if !child.style.isEmpty {
            add("style")
            add(quoted: child.style)
        }
        if let whenHidden = child.whenHidden { add("when-hidden \(whenHidden.rawValue)") }
        if child.reuses { add("reuse") }
        if child.clears { add("clear") }
        if let template = child.onDismissed {
            add("on-dismissed")
            add(template, definitions)
        }
    }

    private mutating func add(_ template: StepTemplate, _ definitions: Definitions) {
        add(definitions[template.step].name)
        add("arguments", template.arguments)
    }

    /// Adds arguments after a word; inherited ones are left out.
    private mutating func add(_ word: String, _ source: ArgumentSource) {
        guard case .given(let bindings) = source else { return }
        add(word)
        add(bindings.count)
        for binding in bindings {
            add(quoted: binding.name)
            switch binding.source {
            case .literal(let value):
                add("literal")
                add(variant: value)
            case .step(let name):
                add("of-step")
                add(quoted: name)
            case .flow(let name):
                add("of-flow")
                add(quoted: name)
            case .childName: add("child-name")
            case .reason: add("reason")
            }
        }
    }
}

extension TraceScanner {
    mutating func guardAnswer(_ definitions: Definitions) throws(Failure) -> GuardAnswer {
        let kind = try word()
        switch kind {
        case "step": return .step(try step(definitions), try arguments())
        case "rejected": return .rejected
        case "failed": return .failed(try word())
        case "timed-out": return .timedOut
        default: throw Failure("'\(kind)' is no answer of a guard")
        }
    }

    mutating func navigatorAnswer(_ definitions: Definitions) throws(Failure) -> NavigatorAnswer {
        let kind = try word()
        switch kind {
        case "contributors":
            var contributors: [FlowContributor] = []
            for _ in 0..<(try count()) { contributors.append(try contributor(definitions)) }
            return .contributors(contributors)
        case "failed": return .failed(try word())
        case "timed-out": return .timedOut
        default: throw Failure("'\(kind)' is no answer of a navigator")
        }
    }

    mutating func presenterAnswer() throws(Failure) -> PresenterAnswer {
        let kind = try word()
        switch kind {
        case "presented": return .presented(by: try client())
        case "failed": return .failed
        case "timed-out": return .timedOut
        default: throw Failure("'\(kind)' is no answer of a presenter")
        }
    }

    private mutating func contributor(_ definitions: Definitions) throws(Failure) -> FlowContributor {
        let kind = try word()
        switch kind {
        case "screen": return .child(try child(.screen(try screen(definitions)), definitions))
        case "flow": return .child(try child(.flow(try flow(definitions)), definitions))
        case "pop-root": return .pop(.root)
        case "pop": return .pop(.to(name: try word()))
        case "current": return .current(try stepTemplate(definitions))
        case "parent": return .parent(try stepTemplate(definitions))
        case "end": return .end(nil)
        case "end-with": return .end(try stepTemplate(definitions))
        default: throw Failure("'\(kind)' is no contributor")
        }
    }

    /// Adds the options of a child after its name. Each has a word before it, and none of these words begins a
    /// contributor.
    private mutating func child(
        _ presentable: ChildTemplate.Presentable, _ definitions: Definitions
    ) throws(Failure) -> ChildTemplate {
        let id = try skip("id") ? try word() : nil
        let arguments = try argumentSource("arguments")
        let step = try skip("step") ? try step(definitions) : nil
        let stepArguments = try argumentSource("step-arguments")
        let style = try skip("style") ? try word() : ""
        let whenHidden = try skip("when-hidden") ? try oneOf(WhenHidden.self) : nil
        let reuses = try skip("reuse")
        let clears = try skip("clear")
        let onDismissed = try skip("on-dismissed") ? try stepTemplate(definitions) : nil
        return ChildTemplate(
            presentable, id: id, arguments: arguments, step: step, stepArguments: stepArguments, style: style,
            whenHidden: whenHidden, reuses: reuses, clears: clears, onDismissed: onDismissed)
    }

    private mutating func stepTemplate(_ definitions: Definitions) throws(Failure) -> StepTemplate {
        StepTemplate(try step(definitions), arguments: try argumentSource("arguments"))
    }

    private mutating func argumentSource(_ word: String) throws(Failure) -> ArgumentSource {
        guard try skip(word) else { return .inherited }
        var bindings: [Binding] = []
        for _ in 0..<(try count()) { bindings.append(Binding(try self.word(), try bindingSource())) }
        return .given(bindings)
    }

    private mutating func bindingSource() throws(Failure) -> Binding.Source {
        let kind = try word()
        switch kind {
        case "literal": return .literal(try variant())
        case "of-step": return .step(try word())
        case "of-flow": return .flow(try word())
        case "child-name": return .childName
        case "reason": return .reason
        default: throw Failure("'\(kind)' is nothing that an argument comes from")
        }
    }

    private mutating func screen(_ definitions: Definitions) throws(Failure) -> ScreenID {
        let name = try word()
        guard let screen = definitions.screen(named: name) else {
            throw Failure("no definition declares a screen '\(name)'")
        }
        return screen
    }
}
