import FlowCore

// Arguments that rules and `autostart` give: literals of the declared type, or references (S-18).

extension Checker {
    /// The arguments for what declares these parameters. Without a context, in `autostart`, there is nothing to refer to
    /// or to inherit from.
    func bindings(
        _ item: Item?, for parameters: [Parameter], of what: String, at place: Place, _ context: RuleContext?,
        key: String = "arguments"
    ) -> ArgumentSource {
        guard let item else {
            guard let context else {
                checkMissing([], parameters, what, place)
                return .given([])
            }
            checkInherited(parameters, what, place, context, key)
            return .inherited
        }
        guard let reader = TableReader(item, of: "'\(key)'", report) else { return .given([]) }
        var bindings: [Binding] = []
        for name in reader.keys {
            guard let value = reader[name] else { continue }
            guard let parameter = parameters.first(where: { $0.name == name }) else {
                report.error(value.place, Self.noArgument(name, parameters, what))
                continue
            }
            if let source = source(value, for: parameter, "the argument '\(name)' of \(what)", context) {
                bindings.append(Binding(name, source))
            }
        }
        checkMissing(reader.keys, parameters, what, item.place)
        return .given(bindings)
    }

    static func noArgument(_ name: String, _ parameters: [Parameter], _ what: String) -> String {
        let names = parameters.map(\.name)
        let known = names.isEmpty ? "it takes none" : "it takes " + names.map { "'\($0)'" }.joined(separator: ", ")
        return "\(what) has no argument '\(Names.shown(name))': \(known)" + Names.suggestion(for: name, among: names)
    }

    private func checkMissing(_ given: [String], _ parameters: [Parameter], _ what: String, _ place: Place) {
        for parameter in parameters where !parameter.isOptional && !given.contains(parameter.name) {
            report.error(
                place, "\(what) needs the argument '\(parameter.name)' of type \(parameter.type.description)")
        }
    }

    /// Without `arguments` those of the step are taken that the declaration has.
    private func checkInherited(
        _ parameters: [Parameter], _ what: String, _ place: Place, _ context: RuleContext, _ key: String
    ) {
        let step = context.step
        for parameter in parameters {
            guard let own = step.parameters.first(where: { $0.name == parameter.name }) else {
                if !parameter.isOptional {
                    report.error(
                        place,
                        "\(what) needs the argument '\(parameter.name)', which step '\(step.name)' does not have; "
                            + "give it with '\(key)'")
                }
                continue
            }
            checkFit(own, parameter, "'\(own.name)' of step '\(step.name)'", what, place)
        }
    }

    private func checkFit(_ own: Parameter, _ wanted: Parameter, _ name: String, _ what: String, _ place: Place) {
        if !wanted.type.canAdmit(own.type) {
            report.error(
                place,
                "\(name) is of type \(own.type.description); the argument '\(wanted.name)' of \(what) has to be of type "
                    + wanted.type.description)
        } else if own.isOptional && !wanted.isOptional {
            report.error(
                place,
                "\(name) may be left out, but \(what) needs its argument '\(wanted.name)': make that optional with '?', "
                    + "or give a value that is always there")
        }
    }

    // MARK: Values

    /// What a value stands for: a literal, `$name`, or `$flow.name`; `$$` at the beginning is a literal `$`.
    private func source(
        _ item: Item, for parameter: Parameter, _ what: String, _ context: RuleContext?
    ) -> Binding.Source? {
        guard let text = item.string, text.hasPrefix("$"), !text.hasPrefix("$$") else {
            return literal(item, parameter, what).map(Binding.Source.literal)
        }
        guard let context else {
            report.error(item.place, "'\(Names.shown(text))' refers to nothing here; for a '$' of its own write '$$'")
            return nil
        }
        let name = String(text.dropFirst())
        if name.hasPrefix("flow.") {
            let own = String(name.dropFirst("flow.".count))
            let parameters = flowParameters[context.flow] ?? []
            return check(own, parameters, parameter, "flow '\(context.flow)'", what, item)
                ? .flow(own) : nil
        }
        return check(name, context.step.parameters, parameter, "step '\(context.step.name)'", what, item)
            ? .step(name) : nil
    }

    private func check(
        _ name: String, _ parameters: [Parameter], _ wanted: Parameter, _ owner: String, _ what: String, _ item: Item
    ) -> Bool {
        guard let own = parameters.first(where: { $0.name == name }) else {
            report.error(item.place, Self.noArgument(name, parameters, owner))
            return false
        }
        checkFit(own, wanted, "'\(name)' of \(owner)", what, item.place)
        return true
    }

    /// A value that stands in the file.
    func literal(_ item: Item, _ parameter: Parameter, _ what: String) -> Value? {
        guard let text = item.string, text.hasPrefix("$") else {
            return literals.value(item, as: parameter.type, what)
        }
        guard text.hasPrefix("$$") else {
            report.error(
                item.place, "'\(Names.shown(text))': no reference can stand here; for a '$' of its own write '$$'")
            return nil
        }
        let unescaped = Item(content: .string(String(text.dropFirst())), place: item.place)
        return literals.value(unescaped, as: parameter.type, what)
    }
}
