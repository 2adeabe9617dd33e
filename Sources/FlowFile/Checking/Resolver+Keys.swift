import FlowCore

/// Keys of screens and flows (S-51).
extension Resolver {
    /// Returns the screen or flow that a rule names, with values of its key or without, or `root` where that is allowed.
    func keyedName(_ item: Item, orRoot allowsRoot: Bool = false, _ context: RuleContext) -> KeyedName? {
        guard let table = item.table else {
            return presentableName(item, orRoot: allowsRoot).map { KeyedName($0) }
        }
        let kinds = ["screen", "flow"].filter(table.has)
        guard kinds.count == 1, let kind = kinds.first, let named = table[kind] else {
            let given =
                kinds.isEmpty ? "the table names neither a 'screen' nor a 'flow'" : "'screen' and 'flow' are given"
            diagnostics.error(
                table.location,
                "\(given); write one of them, and beside it values of its key: { screen = \"NAME\", ARGUMENT = VALUE }")
            return nil
        }
        let declared = kind == "screen" ? screen(named)?.draft.declared : flow(named)?.draft.declared
        guard let declared, let name = named.text else { return nil }
        var context = context
        context.isKey = true
        var key: [Binding] = []
        for (name, item) in table.entries where name != kind {
            guard declared.key.contains(name) else {
                reportOtherThanKey(name, item.location, of: declared)
                continue
            }
            if let binding = binding(name, item, declared, context) { key.append(binding) }
        }
        guard key.count == table.count - 1 else { return nil }
        checkSize(key, table.location)
        return KeyedName(name, isFlow: kind == "flow", key: key.sorted { Text.precedes($0.name, $1.name) })
    }

    private func reportOtherThanKey(_ name: String, _ location: Location, of declared: Declared) {
        guard declared[name] != nil else {
            _ = parameter(name, of: declared, location)
            return
        }
        let instead =
            declared.key.isEmpty
            ? "it has no key; give it one, such as key = [\"\(name)\"]" : "its key is \(Text.list(declared.key))"
        diagnostics.error(location, "\(declared.subject) is not told apart by \(Text.quoted(name)): \(instead)")
    }

    /// Reports rules that give a private value to a key of what a disk keeps: the disk has no such value, so that all instances would be
    /// the same after a restart of the machine.
    func checkPrivateKeys(_ definitions: Definitions) {
        guard
            definitions.screens.contains(where: { !$0.key.isEmpty })
                || definitions.flows.contains(where: { !$0.key.isEmpty })
        else { return }
        for flow in definitions.flows where flow.isRestored {
            for rule in flow.rules {
                let hidden = privateArguments(of: rule.step, at: flow, definitions)
                for case .child(let child) in rule.alternatives.flatMap(\.contributors) {
                    checkPrivateKey(child, hidden, rule.step, flow, definitions)
                }
            }
        }
    }

    /// The names of the step's arguments that are private, by its declaration, or as a rule of this flow fills them from a result.
    func privateArguments(of step: StepID, at flow: FlowDefinition, _ definitions: Definitions) -> Set<String> {
        let names = definitions[step].parameters.map(\.name)
        if definitions[step].isPrivate { return Set(names) }
        var hidden: Set<String> = []
        for case .child(let child) in flow.contributors {
            guard let onResult = child.onResult, onResult.step == step else { continue }
            let (result, isPublic): ([Parameter]?, Bool) =
                switch child.presentable {
                case .screen(let id): (definitions[id].result, definitions[id].isResultPublic)
                case .flow(let id): (definitions[id].result, definitions[id].isResultPublic)
                }
            if isPublic { continue }
            switch onResult.arguments {
            case .inherited: hidden.formUnion(names.filter { name in result?.contains { $0.name == name } == true })
            case .given(let bindings):
                for binding in bindings { if case .result = binding.source { hidden.insert(binding.name) } }
            }
        }
        return hidden
    }

    private func checkPrivateKey(
        _ child: ChildTemplate, _ hidden: Set<String>, _ step: StepID, _ flow: FlowDefinition,
        _ definitions: Definitions
    ) {
        let (key, declared): ([String], Declared?) =
            switch child.presentable {
            case .screen(let id): (definitions[id].key, draft.screens[definitions[id].name]?.declared)
            case .flow(let id):
                (definitions[id].isRestored ? definitions[id].key : [], draft.flows[definitions[id].name]?.declared)
            }
        for name in key {
            let source: Binding.Source? =
                switch child.arguments {
                case .inherited: .step(name)
                case .given(let bindings): bindings.first { $0.name == name }?.source
                }
            let value: String
            switch source {
            case .step(let argument)? where hidden.contains(argument):
                value = "argument \(Text.quoted(argument)) of step '\(definitions[step].name)'"
            case .context(let name)? where definitions.isPrivateContext(name):
                value = "value \(Text.quoted(name)) of the context"
            default: continue
            }
            guard let declared, let location = draft.flows[flow.name]?.rules[definitions[step].name]?.location else {
                continue
            }
            diagnostics.error(
                location,
                "the key of \(declared.subject) gets the private \(value), and a disk keeps the tree without it; give the key another "
                    + "argument, make this one public, or write restore = false at flow '\(flow.name)'")
        }
    }
}
