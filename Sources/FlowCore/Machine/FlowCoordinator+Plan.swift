// All contributors of a step apply, or none (S-13): everything that can be in the way is asked for here, before the
// tree is touched.

/// What a step's contributors come to, found to be possible.
struct Plan {
    struct Step {
        var step: StepID
        var arguments: Arguments
    }

    struct Child {
        var birth: Forest.Birth
        var step: Step?
    }

    /// Whether the flow ends, and with which step for its parent.
    enum End {
        case no
        case yes(Step?)
    }

    var children: [Child] = []
    var ids = SiblingIDs.PlannedIDs()
    var forwardsToParent: [Step] = []
    var forwardsToCurrent: [Step] = []
    var end = End.no
    var contributions: [Contribution] = []
    /// What is told of the step's arguments, and kept as the flow's latest navigation.
    var arguments: Arguments
    /// How many bytes those count for.
    var byteCount: Int
}

extension FlowCoordinator {
    /// What the contributors of a step come to at this flow.
    ///
    /// - Throws: what is in the way; then nothing of the step is applied.
    func plan(_ contributors: [FlowContributor], for step: WaitingStep, at flow: Int) throws(FlowError) -> Plan {
        let told = step.arguments.broadcastable
        var plan = Plan(arguments: told, byteCount: told.byteCount)
        if !contributors.isEmpty {
            let context = Context(arguments: step.arguments, flow: flow)
            for contributor in contributors {
                switch contributor {
                case .child(let template):
                    try add(template, to: &plan, context, client: step.client)
                case .current(let template):
                    let forward = try resolve(template.step, template.arguments, context)
                    plan.forwardsToCurrent.append(forward)
                    plan.contributions.append(contribution(.current, forward, path: forest.nodes[flow].path))
                case .parent(let template):
                    let forward = try resolve(template.step, template.arguments, context)
                    plan.forwardsToParent.append(forward)
                    plan.contributions.append(
                        contribution(.parent, forward, path: forest.nodes[flow].parent.map { forest.nodes[$0].path }))
                case .end(let template):
                    var last: Plan.Step?
                    if let template { last = try resolve(template.step, template.arguments, context) }
                    plan.end = .yes(last)
                    plan.contributions.append(
                        contribution(.end, last, path: forest.nodes[flow].parent.map { forest.nodes[$0].path }))
                }
            }
        }
        try checkLimits(of: plan, step, at: flow)
        return plan
    }

    /// What the values of a rule can refer to.
    struct Context {
        /// `$name`
        let arguments: Arguments
        /// `$flow.name`
        let flow: Int
    }

    private func add(
        _ template: ChildTemplate, to plan: inout Plan, _ context: Context, client: Client
    ) throws(FlowError) {
        let (name, parameters, subject): (String, [Parameter], String)
        var flow: Node.FlowState?
        var initial = template.step
        switch template.presentable {
        case .screen(let screen):
            let declaration = definitions.screens[screen.index]
            (name, parameters, subject) = (declaration.name, declaration.parameters, "screen '\(declaration.name)'")
        case .flow(let id):
            let definition = definitions.flows[id.index]
            (name, parameters, subject) = (definition.name, definition.parameters, "flow '\(definition.name)'")
            initial = initial ?? definition.initial
            flow = Node.FlowState(
                definition: id, covering: definition.children, readiness: initial == nil ? .ready : .awaitingStep)
        }
        let id = try newID(template.id, for: name, below: context.flow, besides: plan.ids)
        plan.ids.insert(id, givenFor: template.id == nil ? name : nil)
        let arguments = try Declaration.admit(
            values(of: template.arguments, for: parameters, context), as: parameters, of: subject)
        var step: Plan.Step?
        if let initial { step = try resolve(initial, template.stepArguments, context) }
        let birth = Forest.Birth(
            name: name, id: id, flow: flow, style: template.style, arguments: arguments,
            whenHidden: template.whenHidden, client: client)
        plan.children.append(Plan.Child(birth: birth, step: step))
        plan.contributions.append(
            Contribution(
                kind: flow == nil ? .screen : .flow, name: name, path: forest.path(of: id, below: context.flow),
                style: template.style, arguments: arguments.broadcastable))
    }

    private func contribution(_ kind: Contribution.Kind, _ step: Plan.Step?, path: String?) -> Contribution {
        Contribution(
            kind: kind, name: step.map { definitions.steps[$0.step.index].name } ?? "", path: step == nil ? nil : path,
            arguments: step?.arguments.broadcastable ?? [])
    }

    /// A step that a rule sets off, with its arguments as its declaration has them.
    private func resolve(
        _ step: StepID, _ source: ArgumentSource, _ context: Context
    ) throws(FlowError) -> Plan.Step {
        let parameters = definitions.steps[step.index].parameters
        return Plan.Step(step: step, arguments: try admit(values(of: source, for: parameters, context), of: step))
    }

    /// The values that a rule gives (S-18). What refers to an argument that is absent is left out.
    private func values(of source: ArgumentSource, for parameters: [Parameter], _ context: Context) -> Arguments {
        switch source {
        case .inherited:
            context.arguments.filter { argument in parameters.contains { $0.name == argument.name } }
        case .given(let bindings):
            bindings.compactMap { binding in
                switch binding.source {
                case .literal(let value): Argument(binding.name, value)
                case .step(let name): context.arguments[name].map { renamed($0, binding.name) }
                case .flow(let name): forest.nodes[context.flow].arguments[name].map { renamed($0, binding.name) }
                }
            }
        }
    }

    /// The value under another name; what is private stays so.
    private func renamed(_ argument: Argument, _ name: String) -> Argument {
        Argument(name, argument.value, isPrivate: argument.isPrivate)
    }

    /// The id of a new node: the one asked for, or one made of its name (S-1).
    ///
    /// - Throws: what is in the way of a node with that id in that place.
    func newID(
        _ wish: String?, for name: String, below parent: Int?, besides planned: SiblingIDs.PlannedIDs
    ) throws(FlowError) -> String {
        let id = wish ?? forest.freeID(for: name, below: parent, besides: planned)
        guard wish != nil || id.utf8.count <= Limits.nameLength else {
            throw FlowError(
                .limitExceeded,
                "the id '\(id)' would have \(id.utf8.count) bytes of at most \(Limits.nameLength); "
                    + "where a name is that long, a second one of it needs an id of its own")
        }
        guard Names.isPresentableName(id) else {
            throw FlowError(.invalidName, "'\(Names.shown(id))' can't be an id: \(Names.presentableNameRule)")
        }
        guard !forest.isTaken(id, below: parent), !planned.contains(id) else {
            let place = parent.map { "below '\(forest.nodes[$0].path)'" } ?? "among the roots"
            throw FlowError(.idTaken, "the id '\(id)' is taken \(place)")
        }
        let path = forest.path(of: id, below: parent)
        guard path.utf8.count <= Limits.pathLength else {
            throw FlowError(
                .limitExceeded,
                "the object path '\(path)' would have \(path.utf8.count) bytes of at most \(Limits.pathLength)")
        }
        guard parent.map({ forest.nodes[$0].depth < Limits.depth }) ?? true else {
            throw FlowError(
                .limitExceeded, "'\(path)' would be deeper in the tree than \(Limits.depth) presentables")
        }
        return id
    }

    private func checkLimits(of plan: Plan, _ step: WaitingStep, at flow: Int) throws(FlowError) {
        let count = forest.children(of: flow).count + plan.children.count
        guard plan.children.isEmpty || count <= Limits.children else {
            throw FlowError(
                .limitExceeded,
                "'\(forest.nodes[flow].path)' would have \(count) children of at most \(Limits.children)")
        }
        // A flow that ends holds nothing any more.
        if case .yes = plan.end { return }
        let last = forest.nodes[flow].flow?.last
        var more = Ledger.Tally(nodes: plan.children.count, bytes: plan.byteCount)
        for child in plan.children { more.bytes += child.byteCount }
        // The latest navigation so far is held no longer, whosever it was.
        var moreInTotal = more
        moreInTotal.bytes -= last?.byteCount ?? 0
        if last?.client == step.client { more.bytes = moreInTotal.bytes }
        // A step that holds no more than the one before needs no leave.
        if more.nodes > 0 || more.bytes > 0 { try ledger.check(more, inTotal: moreInTotal, for: step.client) }
    }
}

extension Plan.Child {
    /// How many bytes of arguments it will hold at first: its own, and those of an initial step that waits, which a
    /// flow's never does (S-16).
    var byteCount: Int {
        birth.arguments.byteCount + (birth.flow == nil ? step?.arguments.byteCount ?? 0 : 0)
    }
}

extension Alternative {
    /// Whether it is to be taken for a step with these arguments.
    func matches(_ arguments: Arguments) -> Bool {
        (when.isEmpty || when.allSatisfy { arguments[$0.argument]?.value == $0.value })
            && (unless.isEmpty || !unless.allSatisfy { arguments[$0.argument]?.value == $0.value })
    }
}
