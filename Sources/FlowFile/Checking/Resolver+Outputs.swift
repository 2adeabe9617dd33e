import FlowCore

/// Roots for each output, and those that move (S-53).
extension Resolver {
    /// The longest beginning of the ids of roots for each output: the output's name follows.
    private static let idLength = 40

    /// Whether a root of `autostart` is one for each output.
    func isPerOutput(_ table: Section) -> Bool {
        guard let item = table["per"], let text = item.string(diagnostics) else { return false }
        if text != "output" {
            diagnostics.error(
                item.location, "'per' is \(Text.quoted(text)); it has to be 'output', or be left out for one root")
        }
        return text == "output"
    }

    /// Reports what is not possible of roots for each output.
    func checkEach(_ id: String, _ flow: DraftFlow, _ table: Section) {
        if flow.keys["unique"]?.value == .bool(true) {
            diagnostics.error(
                table.location.key("flow"),
                "\(flow.declared.subject) is unique, and can't have a root on each output; leave 'unique' out")
        }
        if id.utf8.count > Self.idLength {
            diagnostics.error(
                table.location.key(table.has("id") ? "id" : "flow"),
                "the ids of the roots begin with '\(Text.quoted(id).dropFirst().dropLast())', and end with the names of outputs; it can "
                    + "have at most \(Self.idLength) bytes: give a shorter 'id'")
        }
    }

    /// Returns the output that a `move` names, or refers to.
    func outputToMoveTo(_ item: Item, _ context: RuleContext) -> Binding.Source? {
        let what = "the name of an output, empty for none, or a reference such as '$output'"
        guard let text = item.string(diagnostics, what) else { return nil }
        let string = ValueType(signature: "s")
        if text.hasPrefix("$"), !text.hasPrefix("$$") {
            return reference(
                text, item.location, to: DraftParameter(name: "move", type: string, isOptional: true), context)
        }
        guard let string, case .string(let name)? = literal(item, string, "move") else { return nil }
        if let problem = Names.problem(output: name) {
            diagnostics.error(item.location, problem)
            return nil
        }
        return .literal(.string(name))
    }

    /// Reports rules that move a root to an output whose name is private: everyone can read where a root stands.
    func checkPrivateOutputs(_ definitions: Definitions) {
        for flow in definitions.flows {
            for rule in flow.rules {
                for case .move(let source) in rule.alternatives.flatMap(\.contributors) {
                    let isPrivate =
                        switch source {
                        case .step(let name): privateArguments(of: rule.step, at: flow, definitions).contains(name)
                        case .context(let name): definitions.isPrivateContext(name)
                        default: false
                        }
                    guard isPrivate, let what = source.reference,
                        let location = draft.flows[flow.name]?.rules[definitions[rule.step].name]?.location
                    else { continue }
                    diagnostics.error(
                        location,
                        "'\(what)' is private, and everyone can read the output to which 'move' takes the root")
                }
            }
        }
    }

    // MARK: Conditions

    /// Returns a condition that looks a value up on either side; nil if it is invalid.
    ///
    /// - Parameters:
    ///   - name: the key of the condition: an argument of the step, or a reference.
    ///   - type: the type of its value.
    ///   - word: `when` or `unless`.
    func comparison(
        _ name: String, _ source: Binding.Source, _ type: ValueType, _ item: Item, _ word: String,
        _ context: RuleContext
    ) -> Condition? {
        guard let text = item.text, text.hasPrefix("$flow.") || text.hasPrefix(Self.contextPrefix) else {
            guard let value = compared(item, type, name, word) else { return nil }
            return switch source {
            case .step(let name): .argument(name, value)
            case .context(let name): .context(name, value)
            default: .same(source, .literal(value))
            }
        }
        let parameter = DraftParameter(name: name, type: type, isOptional: true)
        return reference(text, item.location, to: parameter, context).map { .same(source, $0) }
    }

    /// The condition on an argument of the flow, or on the output of its root.
    func flowCondition(_ reference: String, _ item: Item, _ word: String, _ context: RuleContext) -> Condition? {
        guard let source = self.reference(reference, item.location, to: nil, context) else { return nil }
        let declared: DraftParameter? = if case .flow(let name) = source { context.flow[name] } else { nil }
        let type = if case .output = source { ValueType(signature: "s") } else { declared?.type }
        return type.flatMap { comparison(reference, source, $0, item, word, context) }
    }

    // MARK: Warnings

    /// Warns about roots for outputs that nobody sets, and about patterns that look like those of another kind.
    func warnOfOutputs() {
        for item in draft.autostart {
            guard let table = item.table else { continue }
            let isEach = table.has("per")
            if let item = table["whenOutputGone"], !isEach, !table.has("output") {
                diagnostics.warning(item.location, "'whenOutputGone' does nothing: the root stands on no output")
            } else if let item = table["per"] ?? table["whenOutputGone"], draft.outputSetter == nil,
                isEach || item.text != "keep"
            {
                diagnostics.warning(
                    item.location,
                    "nobody says which outputs there are, so \(isEach ? "no such root starts" : "none is ever gone"): name the program "
                        + "that does: [outputs] setter = \"BUS NAME\"")
            }
            guard let item = table["output"], let text = item.text else { continue }
            if !isEach, text.contains("*") || text.contains("?") {
                diagnostics.warning(
                    item.location,
                    "\(Text.quoted(text)) is the name of one output; a pattern needs per = \"output\" beside it")
            } else if isEach, let character = text.first(where: { "[]{}()|\\^+".contains($0) }) {
                diagnostics.warning(
                    item.location,
                    "'\(character)' in \(Text.quoted(text)) stands for itself; only '*' and '?' stand for others: give each pattern an "
                        + "[[autostart]] of its own")
            }
        }
    }
}
