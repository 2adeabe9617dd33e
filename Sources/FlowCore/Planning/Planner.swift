/// Plans the contributors of a step at a flow: all of them apply, or none (S-13), so all errors are found here, before the
/// tree changes.
///
/// It has no state: it takes definitions and a forest, and returns a plan.
enum Planner {
    /// Plans the contributors of a step at a flow.
    ///
    /// - Throws: the error if they can't be applied.
    static func plan(
        _ contributors: [FlowContributor], for step: WaitingStep, at flow: NodeSlot, _ now: Instant, _ forest: Forest,
        _ definitions: Definitions
    ) throws(FlowError) -> Plan {
        var plan = Plan(arguments: step.arguments.broadcastable)
        let scope = Scope(arguments: step.arguments, flow: flow, origin: step.origin, now: now)
        if contributors.contains(where: \.clears) { clear(flow, &plan, forest) }
        for contributor in contributors {
            try add(contributor, to: &plan, scope, client: step.client, forest, definitions)
        }
        plan.dropPopped()
        try checkContext(plan.settings, forest)
        try count(&plan, step, at: flow, forest)
        return plan
    }

    /// What the values of a rule can refer to.
    struct Scope {
        /// `$name`
        let arguments: Arguments
        /// `$flow.name`
        let flow: NodeSlot
        /// The origin of the step.
        let origin: UInt64
        /// The time, which counts as the time when a new flow was reached (S-34).
        let now: Instant
        /// In `onDismissed` and `onResult`: the name of the child, and how it went.
        var departure: (name: String, how: Departure)?
        /// In `onResult`: the arguments of the step that contributed the child.
        var asked: Arguments = []
    }

    private static func add(
        _ contributor: FlowContributor, to plan: inout Plan, _ scope: Scope, client: Client, _ forest: Forest,
        _ definitions: Definitions
    ) throws(FlowError) {
        let flow = scope.flow
        switch contributor {
        case .child(let template):
            try add(template, to: &plan, scope, client: client, forest, definitions)
        case .pop(.root): popToOldest(flow, &plan, forest)
        case .pop(.to(let name)): pop(to: sought(name, scope, forest), flow, &plan, forest)
        case .show(let name): show(sought(name, scope, forest), flow, &plan, forest)
        case .hide(let name): hide(sought(name, scope, forest), flow, &plan, forest)
        case .dismiss(let name): dismiss(sought(name, scope, forest), flow, &plan, forest)
        case .evict:
            plan.evicts = true
            plan.contributions.append(Contribution(kind: .evict, name: ""))
        case .set(let bindings):
            let given = values(of: .given(bindings), for: [], scope, forest)
            let settings = try settings(given, from: flow, forest, definitions)
            for setting in settings {
                plan.settings.removeAll { $0.holder == setting.holder && $0.argument.name == setting.argument.name }
            }
            plan.settings += settings
            plan.contributions.append(
                Contribution(kind: .set, name: "", arguments: settings.map(\.argument).broadcastable))
        case .move(let source): try move(to: source, &plan, scope, forest)
        case .current(let template):
            let forward = try resolve(template, scope, forest, definitions)
            plan.forwardsToCurrent.append(forward)
            plan.contributions.append(contribution(.current, forward, path: forest[flow].path, definitions))
        case .parent(let template):
            let forward = try resolve(template, scope, forest, definitions)
            plan.forwardsToParent.append(forward)
            plan.contributions.append(contribution(.parent, forward, path: forest.parentPath(of: flow), definitions))
        case .end(let template):
            var last: Plan.Step?
            if let template { last = try resolve(template, scope, forest, definitions) }
            plan.end = .yes(last)
            plan.contributions.append(contribution(.end, last, path: forest.parentPath(of: flow), definitions))
        case .answer(let source):
            plan.end = .answer(try result(source, scope, forest, definitions))
            // Nobody but the parent learns the values.
            plan.contributions.append(contribution(.end, nil, path: nil, definitions))
        }
    }

    /// The root moves to an output. Everyone can read where it stands, but of a private value no report says so.
    private static func move(
        to source: Binding.Source, _ plan: inout Plan, _ scope: Scope, _ forest: Forest
    ) throws(FlowError) {
        let root = forest[scope.flow].root
        let given = value(of: Binding("move", source), scope, forest)
        guard let given, case .string(let output)? = ValueType(signature: "s")?.admit(given.value) else { return }
        if let problem = Names.problem(output: output) {
            throw FlowError(
                .invalidArguments, given.isPrivate ? "a private value can't be the name of an output" : problem)
        }
        plan.output = output
        plan.contributions.append(
            Contribution(kind: .move, name: given.isPrivate ? "" : output, path: forest[root].path))
    }

    private static func contribution(
        _ kind: Contribution.Kind, _ step: Plan.Step?, path: String?, _ definitions: Definitions
    ) -> Contribution {
        Contribution(
            kind: kind, name: step.map { definitions.steps[$0.step.index].name } ?? "", path: step == nil ? nil : path,
            arguments: step?.arguments.broadcastable ?? [])
    }

    /// Computes what the plan adds to the usage.
    private static func count(
        _ plan: inout Plan, _ step: WaitingStep, at flow: NodeSlot, _ forest: Forest
    ) throws(FlowError) {
        let made = plan.madeCount
        let count = (forest[flow].flow?.children.count ?? 0) - plan.going.count + made
        guard made == 0 || count <= forest.accounting.quotas.children else {
            throw FlowError(
                .limitExceeded,
                "'\(forest[flow].path)' would have \(count) children of at most \(forest.accounting.quotas.children)")
        }
        // A flow that ends has no usage any more.
        guard case .no = plan.end else { return }
        var own = Accounting.Usage(nodes: made, bytes: plan.byteCount)
        for child in plan.children { own.bytes += child.byteCount(in: forest) }
        var total = own
        // Not `flatMap(forest.postorder)`, which copies the forest for each step.
        for root in plan.going {
            for slot in forest.postorder(root) {
                let usage = forest.holding(of: slot, for: step.client)
                own += -usage.own
                total += -usage.total
            }
        }
        // From now on a reused child counts for this client.
        for case .reuse(let slot, _, _, let initial) in plan.children {
            let node = forest[slot]
            total.bytes -= node.byteCount
            if node.client == step.client { own.bytes -= node.byteCount } else { own.nodes += 1 }
            if initial != nil, let waiting = node.initialStep {
                total.bytes -= waiting.arguments.byteCount
                if waiting.client == step.client { own.bytes -= waiting.arguments.byteCount }
            }
        }
        forest.subtractLast(of: flow, from: &own, &total, for: step.client)
        (plan.own, plan.total) = (own, total)
    }
}

// MARK: - New children

extension Planner {
    private static func add(
        _ template: ChildTemplate, to plan: inout Plan, _ scope: Scope, client: Client, _ forest: Forest,
        _ definitions: Definitions
    ) throws(FlowError) {
        let (arguments, step) = try values(of: template, scope, forest, definitions)
        if template.reuses, let place = reusable(template, arguments, scope.flow, &plan, forest, definitions) {
            let name = template.name(definitions)
            reuse(
                place, template, name, arguments, onResult(template, scope.arguments, definitions), step, scope.flow,
                &plan,
                forest)
            bringForward(place, template, scope.flow, &plan, forest)
            return
        }
        let birth = try newChild(
            template, with: arguments, hasInitial: step != nil,
            onResult: onResult(template, scope.arguments, definitions),
            below: scope.flow, origin: scope.origin, scope.now, client: client, besides: plan.ids, forest, definitions)
        plan.ids.insert(birth.id, givenFor: template.id == nil ? birth.name : nil)
        plan.siblings?.append(.planned(plan.children.count))
        let contribution = contribution(birth)
        plan.add(.make(birth, step), contribution)
        if template.reuses { bringForward(.planned(plan.children.count - 1), template, scope.flow, &plan, forest) }
    }

    /// A new child.
    private static func newChild(
        _ template: ChildTemplate, with arguments: Arguments, hasInitial: Bool, onResult: Node.OnResult?,
        below parent: NodeSlot, origin: UInt64, _ now: Instant, client: Client,
        besides planned: SiblingIDs.PlannedIDs, _ forest: Forest, _ definitions: Definitions
    ) throws(FlowError) -> Forest.Birth {
        let name = template.name(definitions)
        var flow: Boxed<Node.FlowState>?
        var presenting: Boxed<Node.Presenting>?
        switch template.presentable {
        case .screen(let id):
            presenting = definitions.screens[id.index].presenter.map { Boxed(Node.Presenting($0)) }
        case .flow(let id):
            flow = definitions.newState(of: id, hasInitial: hasInitial, birth: origin, now)
        }
        let id = try forest.newID(template.id, for: name, below: parent, besides: planned)
        return Forest.Birth(
            kept: Node.Kept(
                name: name, id: id, style: template.style ?? "", arguments: arguments, isVisible: flow != nil,
                whenHidden: template.whenHidden, client: client, layer: template.layer ?? "",
                onDismissed: template.onDismissed.map { Boxed(Node.KeptStep($0, definitions)) },
                onResult: onResult.map { Boxed($0) }),
            flow: flow, presenting: presenting, path: forest.path(of: id, below: parent))
    }

    /// The arguments of a child, and its initial step, as declared.
    private static func values(
        of template: ChildTemplate, _ scope: Scope, _ forest: Forest, _ definitions: Definitions
    ) throws(FlowError) -> (arguments: Arguments, step: Plan.Step?) {
        let parameters: [Parameter]
        var initial = template.step
        switch template.presentable {
        case .screen(let id): parameters = definitions.screens[id.index].parameters
        case .flow(let id):
            parameters = definitions.flows[id.index].parameters
            initial = initial ?? definitions.flows[id.index].initial
        }
        let arguments = try admit(
            template.arguments, as: parameters,
            of: "\(template.isFlow ? "flow" : "screen") '\(template.name(definitions))'", scope, forest)
        guard let initial else { return (arguments, nil) }
        let step = StepTemplate(initial, arguments: template.stepArguments)
        return (arguments, try resolve(step, scope, forest, definitions))
    }

    /// How a new child is reported.
    private static func contribution(_ birth: Forest.Birth) -> Contribution {
        Contribution(
            kind: birth.flow == nil ? .screen : .flow, name: birth.name, path: birth.path, style: birth.style,
            arguments: birth.arguments.broadcastable)
    }

    /// The child that gets new arguments, if it has that name: the newest one; with tabs and layers, or if it is to be raised,
    /// the newest of that name (S-19, S-37); with a key, the newest with equal values (S-51).
    private static func reusable(
        _ template: ChildTemplate, _ arguments: Arguments, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest,
        _ definitions: Definitions
    ) -> Plan.Place? {
        let sought = Sought(
            name: template.name(definitions), isFlow: template.isFlow,
            keyNames: definitions.key(of: template.presentable),
            values: arguments)
        let children = siblings(of: flow, &plan, forest)
        let covering = forest[flow].flow?.covering
        let isAnywhere = covering == .tabs || covering == .layers || template.raises || !sought.keyNames.isEmpty
        let candidates = isAnywhere ? children[...] : children.suffix(1)
        return candidates.last { isMeant($0, sought, in: plan, forest) }
    }

    /// A child with `reuse` comes to the front, whether it is reused or new (S-37).
    private static func bringForward(
        _ place: Plan.Place, _ template: ChildTemplate, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest
    ) {
        switch forest[flow].flow?.covering {
        case .tabs: plan.adjust(place, .select)
        case .layers: liftInLayer(place, flow, &plan, forest)
        case .free, .stack, nil: if template.raises { raise(place, flow, &plan, forest) }
        }
    }

    private static func reuse(
        _ place: Plan.Place, _ template: ChildTemplate, _ name: String, _ arguments: Arguments,
        _ onResult: Node.OnResult?, _ step: Plan.Step?, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest
    ) {
        let contribution = Contribution(
            kind: .reuse, name: name, path: path(of: place, below: flow, in: plan, forest),
            style: template.style ?? "", arguments: arguments.broadcastable)
        switch place {
        case .live(let slot):
            // For a second reuse in one list, the last arguments count.
            let index = plan.reuse(of: slot) ?? plan.children.count
            plan.add(.reuse(slot, arguments, onResult, step), at: index, contribution)
            // What is not written stays (S-52).
            let isOther =
                template.layer.map { !forest.isIn($0, slot, below: flow) } ?? false
                || template.style.map { $0 != forest[slot].style } ?? false
            if isOther || plan.places(slot) {
                plan.adjust(place, .place(layer: template.layer, style: template.style))
            }
        case .planned(let index):
            guard case .make(let birth, _) = plan.children[index] else { return }
            let reused = birth.reused(
                with: arguments, onResult, hasInitial: step != nil, layer: template.layer, style: template.style)
            plan.add(.make(reused, step), at: index, contribution)
        }
    }
}

// MARK: - Values

extension Planner {
    /// A step that a rule triggers, with its arguments as declared.
    static func resolve(
        _ template: StepTemplate, _ scope: Scope, _ forest: Forest, _ definitions: Definitions
    ) throws(FlowError) -> Plan.Step {
        let declaration = definitions.steps[template.step.index]
        let arguments = try admit(
            template.arguments, as: declaration.parameters, of: "step '\(declaration.name)'",
            isPrivate: declaration.isPrivate, scope, forest)
        return Plan.Step(step: template.step, arguments: arguments)
    }

    /// The values of a rule, as declared.
    private static func admit(
        _ source: ArgumentSource, as parameters: [Parameter], of subject: @autoclosure () -> String,
        isPrivate: Bool = false, _ scope: Scope, _ forest: Forest
    ) throws(FlowError) -> Arguments {
        try Declaration.admit(
            values(of: source, for: parameters, scope, forest), as: parameters, of: subject(), isPrivate: isPrivate)
    }

    /// What a name means in a rule, at a step with these arguments.
    static func sought(_ name: KeyedName, _ scope: Scope, _ forest: Forest) -> Sought {
        // Nearly all have none.
        if name.key.isEmpty { return Sought(name: name.name, isFlow: name.isFlow) }
        return Sought(
            name: name.name, isFlow: name.isFlow, keyNames: name.key.map(\.name),
            values: values(of: .given(name.key), for: [], scope, forest))
    }

    /// The result with which a flow ends, as declared. All of its values are private, unless it is public (S-45).
    private static func result(
        _ source: ArgumentSource, _ scope: Scope, _ forest: Forest, _ definitions: Definitions
    ) throws(FlowError) -> Arguments {
        guard let definition = forest[scope.flow].flow.map({ definitions[$0.definition] }),
            let result = definition.result
        else { throw FlowError(.invalidArguments, "'\(forest[scope.flow].path)' declares no result") }
        return try admit(
            source, as: result, of: "the result of flow '\(definition.name)'",
            isPrivate: !definition.isResultPublic, scope, forest)
    }

    /// What follows when the child answers, with the arguments of this step that it refers to (S-45).
    private static func onResult(
        _ template: ChildTemplate, _ arguments: Arguments, _ definitions: Definitions
    ) -> Node.OnResult? {
        template.onResult.map {
            Node.OnResult(template: Node.KeptStep($0, definitions), asked: $0.asked(of: arguments))
        }
    }

    /// The values of a rule (S-18). References to absent arguments are left out.
    private static func values(
        of source: ArgumentSource, for parameters: [Parameter], _ scope: Scope, _ forest: Forest
    ) -> Arguments {
        switch source {
        case .inherited:
            let inherited = scope.departure?.how.result ?? scope.arguments
            return inherited.filter { parameters.contains($0.name) }
        case .given(let bindings):
            return bindings.compactMap { value(of: $0, scope, forest) }
        }
    }

    /// The value of an argument in a rule; nil if it refers to an absent one.
    static func value(of binding: Binding, _ scope: Scope, _ forest: Forest) -> Argument? {
        switch binding.source {
        case .literal(let value): Argument(binding.name, value)
        case .step(let name): scope.arguments[name].map { renamed($0, binding.name) }
        case .flow(let name): forest[scope.flow].arguments[name].map { renamed($0, binding.name) }
        case .output: Argument(binding.name, .string(forest[forest[scope.flow].root].output))
        case .context(let name): forest.contextValue(name, from: scope.flow).map { renamed($0, binding.name) }
        case .result(let name): scope.departure?.how.result?[name].map { renamed($0, binding.name) }
        case .asked(let name): scope.asked[name].map { renamed($0, binding.name) }
        case .childName: scope.departure.map { Argument(binding.name, .string($0.name)) }
        case .reason: scope.departure.map { Argument(binding.name, .string($0.how.reason)) }
        case .error: scope.departure.map { Argument(binding.name, .string($0.how.fault?.name ?? "")) }
        case .message: scope.departure.map { Argument(binding.name, .string($0.how.fault?.message ?? "")) }
        }
    }

    /// The value under another name; it stays private.
    private static func renamed(_ argument: Argument, _ name: String) -> Argument {
        Argument(name, argument.value, isPrivate: argument.isPrivate)
    }
}

extension [Parameter] {
    fileprivate func contains(_ name: String) -> Bool { contains { $0.name == name } }
}

extension ChildTemplate {
    fileprivate var isFlow: Bool { if case .flow = presentable { true } else { false } }

    /// The name of the child.
    fileprivate func name(_ definitions: Definitions) -> String {
        switch presentable {
        case .screen(let id): definitions.screens[id.index].name
        case .flow(let id): definitions.flows[id.index].name
        }
    }
}

extension FlowContributor {
    fileprivate var clears: Bool {
        if case .child(let template) = self { template.clears } else { false }
    }
}
