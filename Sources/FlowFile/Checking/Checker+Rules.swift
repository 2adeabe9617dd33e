import FlowCore

/// What a rule is for: what its values can refer to.
struct RuleContext {
    let step: StepDeclaration
    let flow: String
}

extension Checker {
    /// What stands behind a step in `[flows.NAME.on]`: a contributor, a list of them, or alternatives.
    func alternatives(_ item: Item, _ context: RuleContext) -> [Alternative] {
        let tables: [Item]
        if item.table != nil {
            tables = [item]
        } else if let list = item.tables {
            tables = list
        } else {
            report.error(item.place, "a rule is a contributor or a list of contributors (tables), not \(item.kind)")
            return []
        }
        if tables.isEmpty {
            report.error(item.place, "the rule is empty; for a step that leads nowhere write { none = true }")
        }
        let readers = tables.compactMap { TableReader($0, of: "a contributor", report) }
        let areAlternatives = readers.contains { $0["when"] != nil || $0["unless"] != nil || $0["do"] != nil }
        guard areAlternatives else {
            return [Alternative(contributors: together(readers.map { ($0, []) }, context))]
        }
        var alternatives: [Alternative] = []
        var isClosed = false
        for reader in readers {
            if isClosed {
                report.error(
                    reader.item.place,
                    "this alternative is never taken: the one before it has neither 'when' nor 'unless'")
            }
            let when = conditions(reader["when"], context)
            let unless = conditions(reader["unless"], context)
            if reader["when"] == nil && reader["unless"] == nil { isClosed = true }
            alternatives.append(
                Alternative(when: when, unless: unless, contributors: contributors(ofAlternative: reader, context)))
        }
        return alternatives
    }

    private func contributors(ofAlternative reader: TableReader, _ context: RuleContext) -> [FlowContributor] {
        guard let list = reader["do"] else { return together([(reader, Keys.alternative)], context) }
        reader.finish(known: Keys.alternative + ["do"])
        guard let tables = list.tables, !tables.isEmpty else {
            report.error(list.place, "'do' has to be a list of contributors (tables)")
            return []
        }
        return together(tables.compactMap { TableReader($0, of: "a contributor", report).map { ($0, []) } }, context)
    }

    private func conditions(_ item: Item?, _ context: RuleContext) -> [Condition] {
        guard let item, let reader = TableReader(item, of: "a condition", report) else { return [] }
        if reader.keys.isEmpty { report.error(item.place, "the condition is empty: name an argument and its value") }
        return reader.keys.compactMap { key in
            guard let value = reader[key] else { return nil }
            if Keys.Unsupported.condition.contains(key) {
                report.error(value.place, Keys.unsupported(key))
                return nil
            }
            guard let parameter = context.step.parameters.first(where: { $0.name == key }) else {
                report.error(value.place, Self.noArgument(key, context.step.parameters, "step '\(context.step.name)'"))
                return nil
            }
            let found = literal(value, parameter, "the argument '\(key)' of step '\(context.step.name)'")
            return found.map { Condition(key, $0) }
        }
    }

    // MARK: Contributors

    /// The contributors of one alternative. The keys beside each are those that are read already.
    private func together(_ readers: [(TableReader, [String])], _ context: RuleContext) -> [FlowContributor] {
        let contributors = readers.flatMap { contributor($0, besides: $1, context) }
        if let end = readers.first(where: { $0.0["end"] != nil }), readers.count > 1 {
            report.error(end.0.item.place, "'end' stands alone: nothing else can happen in a flow that ends")
        }
        var ids: Set<String> = []
        for (reader, _) in readers {
            guard let id = reader["id"]?.string, !ids.insert(id).inserted else { continue }
            report.error(
                reader.item.place.key("id"), "the id '\(id)' is given to another contributor of this step already")
        }
        return contributors
    }

    private func contributor(
        _ reader: TableReader, besides: [String], _ context: RuleContext
    ) -> [FlowContributor] {
        let unsupported = Keys.Unsupported.contributor
        let kinds = reader.keys.filter(Keys.kinds.contains)
        guard let kind = kinds.first, kinds.count == 1 else {
            let all = Keys.kinds.map { "'\($0)'" }.joined(separator: ", ")
            if kinds.isEmpty, let later = reader.keys.first(where: unsupported.contains) {
                report.error(reader.item.place.key(later), Keys.unsupported(later))
            } else {
                let found = kinds.isEmpty ? "none of them" : kinds.map { "'\($0)'" }.joined(separator: " and ")
                report.error(reader.item.place, "a contributor is exactly one of \(all); this has \(found)")
                reader.finish(known: Keys.kinds + Keys.child + besides, unsupported: unsupported)
            }
            return []
        }
        switch kind {
        case "screen", "flow":
            reader.finish(known: [kind] + Keys.child + besides, unsupported: unsupported)
            return child(reader, kind, context).map { [.child($0)] } ?? []
        case "none":
            reader.finish(known: [kind] + besides, unsupported: unsupported)
            if reader.bool("none") == false { report.error(reader.item.place.key("none"), "'none' can only be true") }
            return []
        case "end":
            reader.finish(known: [kind] + Keys.forward + besides, unsupported: unsupported)
            return end(reader, context)
        default:
            reader.finish(known: [kind] + Keys.forward + besides, unsupported: unsupported)
            guard let template = stepTemplate(reader, kind, context) else { return [] }
            return [kind == "current" ? .current(template) : .parent(template)]
        }
    }

    private func end(_ reader: TableReader, _ context: RuleContext) -> [FlowContributor] {
        switch reader["end"]?.content {
        case .bool(true):
            if let arguments = reader["arguments"] {
                report.error(arguments.place, "'end = true' names no step that could take arguments")
            }
            return [.end(nil)]
        case .string: return stepTemplate(reader, "end", context).map { [.end($0)] } ?? []
        default:
            report.error(
                reader.item.place.key("end"), "'end' has to be the name of a step for the parent, or true for none")
            return []
        }
    }

    private func stepTemplate(_ reader: TableReader, _ kind: String, _ context: RuleContext) -> StepTemplate? {
        let place = reader.item.place.key(kind)
        guard let name = reader.string(kind), let step = step(name, place) else { return nil }
        let arguments = bindings(
            reader["arguments"], for: steps[step.index].parameters, of: "step '\(name)'", at: place, context)
        return StepTemplate(step, arguments: arguments)
    }

    private func child(_ reader: TableReader, _ kind: String, _ context: RuleContext) -> ChildTemplate? {
        let place = reader.item.place.key(kind)
        guard let name = reader.string(kind) else { return nil }
        let presentable: ChildTemplate.Presentable
        let parameters: [Parameter]
        var initial: StepID?
        if kind == "screen" {
            guard let screen = screen(name, place) else { return nil }
            presentable = .screen(screen)
            parameters = screens[screen.index].parameters
        } else {
            guard let flow = flow(name, place) else { return nil }
            contributed.insert(name)
            presentable = .flow(flow)
            parameters = flowParameters[name] ?? []
            initial = initialStep(of: name)
        }
        var named: StepID?
        if let step = reader.string("step") {
            named = self.step(step, reader.item.place.key("step"))
            if named == nil { return nil }
            initial = named
        }
        let arguments = bindings(reader["arguments"], for: parameters, of: "\(kind) '\(name)'", at: place, context)
        var stepArguments = ArgumentSource.inherited
        if let initial {
            let step = steps[initial.index]
            stepArguments = bindings(
                reader["stepArguments"], for: step.parameters, of: "step '\(step.name)'", at: place, context,
                key: "stepArguments")
        } else if let given = reader["stepArguments"] {
            report.error(
                given.place, "\(kind) '\(name)' has no initial step that could take arguments; name one with 'step'")
        }
        return ChildTemplate(
            presentable, id: id(reader), arguments: arguments, step: named, stepArguments: stepArguments,
            style: reader.string("style") ?? "",
            whenHidden: reader.choice("whenHidden", unsupported: Keys.Unsupported.whenHidden))
    }
}
