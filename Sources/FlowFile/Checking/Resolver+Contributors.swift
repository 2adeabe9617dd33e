import FlowCore

/// The kinds of contributors.
extension Resolver {
    func forward(_ kind: NamedContributor.Kind, _ item: Item, _ table: Section, _ context: RuleContext) -> StepTemplate?
    {
        checkOptions(of: kind, table)
        let step = step(item)
        let arguments = arguments("arguments", table, for: step?.declared, context)
        guard let step, let arguments else { return nil }
        return StepTemplate(step.id, arguments: arguments)
    }

    func end(_ item: Item, _ table: Section, _ context: RuleContext) -> [FlowContributor]? {
        guard case .string = item.value else {
            checkOptions(of: .end, table)
            guard isTrue(item, or: "the name of a step, or ") else { return nil }
            if let arguments = table["arguments"] {
                diagnostics.error(arguments.location, "the flow ends without a step, so nothing takes these arguments")
                return nil
            }
            return table["result"] == nil ? [.end(nil)] : answer(table, context).map { [$0] }
        }
        if let result = table["result"] {
            diagnostics.error(result.location, ContributorRules.resultBesideStep)
            return nil
        }
        return forward(.end, item, table, context).map { [.end($0)] }
    }

    /// Returns the end of a flow with a result (S-45).
    private func answer(_ table: Section, _ context: RuleContext) -> FlowContributor? {
        guard draft.isComplete else { return nil }
        guard let result = context.result else {
            diagnostics.error(
                table.location.key("result"),
                "\(context.flow.subject) declares no 'result'; declare its values and their types there")
            return nil
        }
        return arguments("result", table, for: result, context).map { .answer($0) }
    }

    func child(_ item: Item, isFlow: Bool, _ table: Section, _ context: RuleContext) -> [FlowContributor]? {
        var presentable: ChildTemplate.Presentable?
        var declared: Declared?
        var result: Declared?
        var initial: ResolvedStep?
        // Whether the flow certainly has no initial step, as opposed to an invalid one.
        var hasNoInitial = false
        if isFlow {
            if let flow = flow(item) {
                presentable = .flow(flow.id)
                (declared, result) = (flow.draft.declared, flow.draft.result)
                initial = self.initial(of: flow.draft)
                hasNoInitial = flow.draft.keys["initial"] == nil
            }
        } else {
            if let screen = screen(item) {
                presentable = .screen(screen.id)
                (declared, result) = (screen.draft.declared, screen.draft.result)
            }
            hasNoInitial = true
        }
        let given = table["step"].map { step($0) }
        if let given {
            initial = given
            hasNoInitial = false
        }
        let id = table["id"]?.string(diagnostics)
        if let id { checkPresentableName(id, "a presentable", table.location.key("id"), diagnostics) }
        if let item = table["result"] {
            diagnostics.error(
                item.location,
                "'result' does nothing beside '\(isFlow ? "flow" : "screen")'; what it answers is declared at the "
                    + "\(isFlow ? "flow" : "screen") itself, and 'onResult' names the step for that")
        }
        let style = style(table["style"])
        let whenHidden: WhenHidden? = table["whenHidden"]?.word(diagnostics)
        let (reuses, raises) = reuse(table["reuse"])
        let clears = table["clear"]?.bool(diagnostics)
        let layer = table["layer"]?.string(diagnostics, "the name of a layer")
        let onDismissed = table["onDismissed"].flatMap {
            let context = RuleContext(giver: declared, flow: context.flow, isDismissal: true)
            return template(.onDismissed, $0, context)
        }
        let onResult = table["onResult"].flatMap { self.onResult($0, of: declared, result, context) }
        let arguments = arguments("arguments", table, for: declared, context)
        let stepArguments: ArgumentSource?
        if hasNoInitial {
            stepArguments = table["stepArguments"] == nil ? .inherited : nil
            if let item = table["stepArguments"] {
                let what = isFlow ? "the flow has no initial step" : "a screen has no initial step of its own"
                diagnostics.error(item.location, "\(what), so nothing takes these arguments; name one with 'step'")
            }
        } else {
            stepArguments = self.arguments("stepArguments", table, for: initial?.declared, context)
        }
        guard let presentable, let arguments, let stepArguments else { return nil }
        let child = ChildTemplate(
            presentable, id: id, arguments: arguments, step: given.flatMap { $0 }?.id, stepArguments: stepArguments,
            style: style ?? "", whenHidden: whenHidden, reuses: reuses, raises: raises, clears: clears ?? false,
            layer: layer, onDismissed: onDismissed, onResult: onResult)
        return [.child(child)]
    }

    /// Returns the step that is triggered on the flow when the child answers (S-45).
    private func onResult(
        _ item: Item, of child: Declared?, _ result: Declared?, _ context: RuleContext
    ) -> StepTemplate? {
        if let child, result == nil, draft.isComplete {
            diagnostics.error(item.location, ContributorRules.noResult(of: child.subject))
            return nil
        }
        var own = RuleContext(giver: child, flow: context.flow, isTested: context.isTested)
        own.answer = (result, context.giver)
        return template(.onResult, item, own)
    }

    /// Returns the step that is triggered on the flow when the child is gone (S-23, S-45).
    private func template(_ option: NamedContributor.Option, _ item: Item, _ context: RuleContext) -> StepTemplate? {
        guard let table = item.section(diagnostics, "a table: { step = \"NAME\" }") else { return nil }
        let isClean = table.checkKeys(
            diagnostics, of: "the table '\(option.rawValue)'", NamedContributor.Option.ofDismissal.map(\.rawValue))
        if isClean, table["step"] == nil {
            diagnostics.error(table.location, "\(ContributorRules.missingStep(of: option)): step = \"NAME\"")
        }
        let step = table["step"].flatMap { self.step($0) }
        let arguments = arguments("arguments", table, for: step?.declared, context)
        guard let step, let arguments else { return nil }
        return StepTemplate(step.id, arguments: arguments)
    }

    /// Returns whether a child is reused, and whether it comes to the front of a stack then.
    private func reuse(_ item: Item?) -> (reuses: Bool, raises: Bool) {
        switch item?.value {
        case nil: return (false, false)
        case .bool(let reuses)?: return (reuses, false)
        case .string(let text)?:
            if let item, let problem = ContributorRules.problem(reuse: text) {
                diagnostics.error(item.location, problem)
                return (true, false)
            }
            return (true, true)
        case .integer?, .double?, .date?, .list?, .table?:
            if let item {
                diagnostics.error(
                    item.location,
                    "this is \(item.value.kind); it has to be true, false or '\(NamedContributor.Option.raise)'")
            }
            return (false, false)
        }
    }

    private func style(_ item: Item?) -> String? {
        guard let item, let text = item.string(diagnostics) else { return nil }
        if let problem = ContributorRules.problem(style: text) {
            diagnostics.error(item.location, problem)
            return nil
        }
        do throws(Literal.InvalidValue) {
            return try Literal.validated(text)
        } catch {
            diagnostics.error(item.location, error.text)
            return nil
        }
    }
}
