import FlowCore

/// Readable output of cases: definitions as in a file, and a line for each event and each effect.
extension Case.Failure {
    var text: String {
        // The common beginning is left out.
        let (expected, actual) = (difference.expected.map(\.text), difference.actual.map(\.text))
        let same = zip(expected, actual).prefix { $0 == $1 }.count
        func rest(_ lines: [String]) -> String {
            let shown = lines.dropFirst(same).prefix(20).map { "  " + $0 }
            let missing = lines.count - same - shown.count
            return (["  … \(same) more"] + shown + (missing > 0 ? ["  … \(missing) more"] : [])).joined(separator: "\n")
        }
        return """
            \(difference.text) \(difference.note)
            seed \(seed), \(testCase.operations.count) events; definitions:
            \(testCase.definitions.text)
            events:
            \(testCase.operations.map(\.text).joined(separator: "\n"))
            expected:
            \(rest(expected))
            actual:
            \(rest(actual))
            """
    }
}

extension [Argument] {
    var text: String {
        isEmpty ? "" : " {" + map { "\($0.name)=\($0.value)" + ($0.isPrivate ? "!" : "") }.joined(separator: ", ") + "}"
    }
}

extension [Parameter] {
    fileprivate var text: String {
        isEmpty
            ? ""
            : " (" + map { "\($0.name): \($0.type.description)" + ($0.isOptional ? "?" : "") }.joined(separator: ", ")
                + ")"
    }
}

extension Definitions {
    var text: String {
        var lines = steps.map {
            "  step \($0.name)\($0.parameters.text)\($0.isPrivate ? " private" : "")\($0.isInput ? "" : " input=false")"
        }
        lines += screens.map {
            "  screen \($0.name)\($0.parameters.text)" + ($0.key.isEmpty ? "" : " key=\($0.key)")
                + ($0.keepsAwake ? " keepsAwake" : "")
        }
        for flow in flows {
            var line = "  flow \(flow.name)\(flow.parameters.text) \(flow.children) whenHidden=\(flow.whenHidden)"
            if let initial = flow.initial { line += " initial=\(self[initial].name)" }
            if !flow.layers.isEmpty { line += " layers=\(flow.layers.map { $0.covers ? $0.name : "(\($0.name))" })" }
            if flow.isUnique { line += " unique" }
            if !flow.key.isEmpty { line += " key=\(flow.key)" }
            if let whenEmpty = flow.whenEmpty { line += " whenEmpty=\(whenEmpty)" }
            if flow.announces { line += " announce" }
            if let onBack = flow.onBack { line += " onBack=\(self[onBack].name)" }
            for idle in flow.idle { line += " idle=\(self[idle.step].name) after \(idle.after)" }
            for timer in flow.timers {
                line += " timer=\(self[timer.steps[0].step].name) \(timer.repeats ? "every" : "after")"
                line += " \(timer.steps[0].after) since \(timer.since as Any) \(timer.steps[0].whenHidden)"
            }
            if !flow.emitters.isEmpty { line += " emitters=\(flow.emitters)" }
            if flow.ownersMayEmit { line += " emitters=owner" }
            for value in flow.context { line += " context=\(text(value))" }
            lines.append(line)
            for rule in flow.rules {
                for alternative in rule.alternatives {
                    lines.append("    on \(self[rule.step].name): \(text(alternative))")
                }
            }
        }
        lines += autostart.map {
            "  autostart \(self[$0.flow].name) id=\($0.id ?? "")\($0.arguments.text)\($0.stepArguments.text)"
        }
        lines += steppers.indices.map { text(StepperID($0)) }
        lines += context.map { "  context \(text($0))" }
        return lines.joined(separator: "\n")
    }

    private func text(_ value: ContextDeclaration) -> String {
        "\(value.name): \(value.type.description) = \(value.initial) by \(value.setters)"
            + (value.isPrivate ? " private" : "")
            + (value.changed.map { " \(self[$0.flow].name).\(self[$0.step].name)" } ?? "")
    }

    private func text(_ stepper: StepperID) -> String {
        let definition = steppers[stepper.index]
        var text = "  stepper \(name(of: stepper)) of \(definition.name): \(self[definition.step].name)"
        for binding in definition.bindings { text += " \(binding.name)=\(binding.source)" }
        if case .property(_, let absent?) = definition.source { text += " absent\(absent.text)" }
        return text
    }

    private func text(_ alternative: Alternative) -> String {
        var text = ""
        if !alternative.when.isEmpty { text += "when \(alternative.when.map(\.text)) " }
        if !alternative.unless.isEmpty { text += "unless \(alternative.unless.map(\.text)) " }
        return text + "[" + alternative.contributors.map(self.text).joined(separator: ", ") + "]"
    }

    private func text(_ contributor: FlowContributor) -> String {
        switch contributor {
        case .child(let it):
            var text =
                switch it.presentable {
                case .screen(let screen): "screen \(self[screen].name)"
                case .flow(let flow): "flow \(self[flow].name)"
                }
            text += it.arguments.text
            if let id = it.id { text += " id=\(id)" }
            if let step = it.step { text += " step=\(self[step].name)" }
            if it.stepArguments != .inherited { text += " with\(it.stepArguments.text)" }
            if let whenHidden = it.whenHidden { text += " whenHidden=\(whenHidden)" }
            if it.reuses { text += it.raises ? " raise" : " reuse" }
            if it.clears { text += " clear" }
            if let layer = it.layer { text += " layer=\(layer)" }
            if let style = it.style { text += " style=\(style)" }
            if let onDismissed = it.onDismissed { text += " onDismissed=(\(self.text(onDismissed)))" }
            if let onResult = it.onResult { text += " onResult=(\(self.text(onResult)))" }
            return text
        case .pop(.root): return "pop root"
        case .pop(.to(let name)): return "pop \(name.text)"
        case .show(let name): return "show \(name.text)"
        case .hide(let name): return "hide \(name.text)"
        case .dismiss(let name): return "dismiss \(name.text)"
        case .evict: return "evict"
        case .move(let source): return "move \(source)"
        case .set(let bindings): return "set\(ArgumentSource.given(bindings).text)"
        case .current(let it): return "current \(text(it))"
        case .parent(let it): return "parent \(text(it))"
        case .end(let it): return "end \(it.map(text) ?? "")"
        case .answer(let source): return "end result\(source.text)"
        }
    }

    private func text(_ template: StepTemplate) -> String { self[template.step].name + template.arguments.text }
}

extension Condition {
    fileprivate var text: String {
        switch self {
        case .argument(let name, let value): "\(name)=\(value)"
        case .alive(let name): "alive \(name.text)"
        case .context(let name, let value): "$context.\(name)=\(value)"
        case .same(let one, let other): "\(one)=\(other)"
        }
    }
}

extension KeyedName {
    fileprivate var text: String {
        let kind = isFlow.map { $0 ? "flow " : "screen " } ?? ""
        return kind + name + (key.isEmpty ? "" : ArgumentSource.given(key).text)
    }
}

extension ArgumentSource {
    fileprivate var text: String {
        switch self {
        case .inherited: ""
        case .given(let bindings): " {" + bindings.map { "\($0.name)=\($0.source.text)" }.joined(separator: ", ") + "}"
        }
    }
}

extension Binding.Source {
    fileprivate var text: String {
        switch self {
        case .literal(let value): "\(value)"
        case .step(let name): "$\(name)"
        case .flow(let name): "$flow.\(name)"
        case .output: "$flow.output"
        case .context(let name): "$context.\(name)"
        case .result(let name): "$result.\(name)"
        case .asked(let name): "$asked.\(name)"
        case .childName: "$name"
        case .reason: "$reason"
        case .error: "$error"
        case .message: "$message"
        }
    }
}

extension Operation {
    var text: String {
        let text =
            switch kind {
            case .start: "start"
            case .emit(let target, let step, let arguments, let client, let token, let isStale):
                "emit \(step)\(arguments.text) on \(target.text) by \(client.name)"
                    + (token.map { " token='\($0)'" } ?? "") + (isStale.map { $0 ? " stale" : " instance" } ?? "")
            case .cancel(let target, let token, let client): "cancel '\(token)' on \(target.text) by \(client.name)"
            case .emitMany(let target, let steps, let client):
                "emit [" + steps.map { $0.step + $0.arguments.text }.joined(separator: ", ")
                    + "] on \(target.text) by \(client.name)"
            case .show(let target, let isVisible, let client):
                (isVisible ? "show " : "hide ") + "\(target.text) by \(client.name)"
            case .touch(let target, let client): "touch \(target.text) by \(client.name)"
            case .dismiss(let target, let client): "dismiss \(target.text) by \(client.name)"
            case .back(let target, let goes, let token, let client):
                "back \(target.text) by \(client.name)" + (goes.map { " goes=\($0.text)" } ?? "")
                    + (token.map { " token='\($0)'" } ?? "")
            case .move(let target, let output, let client): "move \(target.text) to '\(output)' by \(client.name)"
            case .setOutputs(let names, let client): "outputs \(names) by \(client.name)"
            case .coordinate(
                let flow, let id, let arguments, let step, let stepArguments, let client, let token, let output):
                "coordinate \(flow)\(arguments.text) by \(client.name)" + (id.map { " id=\($0)" } ?? "")
                    + (output.isEmpty ? "" : " output='\(output)'")
                    + (step.map { " step=\($0)" } ?? "") + (stepArguments.isEmpty ? "" : " with\(stepArguments.text)")
                    + (token.map { " token='\($0)'" } ?? "")
            case .navigate(let step, let arguments, let client): "navigate \(step)\(arguments.text) by \(client.name)"
            case .navigateAlong(let path, let root, let client):
                "along "
                    + path.map { "\($0.flow)\($0.key.text) \($0.step ?? "-")\($0.arguments.text)" }.joined(
                        separator: ", ")
                    + (root.map { " below \($0.text)" } ?? "") + " by \(client.name)"
            case .setContext(let target, let values, let client):
                "set\(values.text) at \(target?.text ?? "the coordinator") by \(client.name)"
            case .own(let name, let client): "own \(name) by \(client?.name ?? "nobody")"
            case .timer: "timer"
            case .vanish(let client): "\(client.name) is gone"
            case .identify(let client, let user): "\(client.name) is user \(user)"
            case .reload(let definitions): "reload\n\(definitions.text)"
            case .stepperChanged(let name, let value): "\(name) is \(value)"
            case .stepperSignalled(let name, let values): "\(name) with \(values)"
            case .stepperFailed(let name, let code): "\(name) fails with \(code)"
            }
        return "  " + text + (wait > 0 ? " after \(wait) µs\(isLate ? ", late" : "")" : "")
    }
}

extension Operation.Target {
    fileprivate var text: String { path + (isGone ? " (gone)" : "") }
}

extension ObservedEffect {
    var text: String {
        switch self {
        case .will(let flow, let step, let arguments, let isDeepLink):
            "will \(flow) \(step)\(arguments.text)\(isDeepLink ? " deep link" : "")"
        case .removed(let path, let isFlow): "- \(isFlow ? "flow" : "screen") \(path)"
        case .added(let it):
            it.text
        case .changed(let it): it.text
        case .did(let it): it.text
        case .failed(let it): "failed after \(it.cause) by \(it.client.name): \(it.flow) \(it.step) \(it.reason)"
        case .answered(_, let answer): "= \(answer)"
        case .refused(_, let code): "! \(code)"
        case .told(let client, let path, let token, let outcome, let result):
            "told \(client.name) at \(path) of '\(token)': \(outcome.rawValue)\(result.text)"
        case .stack(let output, let screens): "stack of '\(output)': \(screens)"
        case .back(let path, let preview): "back on \(path): \(preview)"
        case .unstarted(let path, let code): "unstarted \(path) \(code)"
        }
    }
}

// One text each: as one expression they take older compilers too long.

extension ObservedEffect.Presentable {
    fileprivate var text: String {
        var text = "+ \(path)#\(instance)\(arguments.text) \(style)"
        if isVisible { text += " visible" }
        if isPresented { text += " presented" }
        if isReady { text += " ready" }
        return text + " current=\(current ?? "")"
    }
}

extension ObservedEffect.Changes {
    fileprivate var text: String {
        var text = "~ \(path)"
        if let arguments { text += " arguments\(arguments.text)" }
        if let isVisible { text += " visible=\(isVisible)" }
        if let isPresented { text += " presented=\(isPresented)" }
        if let isInSight { text += " in sight=\(isInSight)" }
        if let isReady { text += " ready=\(isReady)" }
        if let current { text += " current=\(current)" }
        if let isWaiting { text += " waiting=\(isWaiting)" }
        if let context { text += " context\(context.text)" }
        return text
    }
}

extension ObservedEffect.NavigationSummary {
    fileprivate var text: String {
        let parts = parts.map { "\($0.kind) \($0.name) \($0.path ?? "-")\($0.arguments.text)" }
        let what = "did \(serial) after \(cause) by \(client.name): \(flow) \(step)\(arguments.text)"
        return what + " [" + parts.joined(separator: ", ") + "]" + (isDeepLink ? " deep link" : "")
    }
}
