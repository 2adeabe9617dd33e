import FlowCore

/// The context (S-57).
struct ModelContext {
    var values: Arguments = []
    /// The names of those that somebody has set.
    var set: Set<String> = []
    /// When a signal reported them last, and whether another one waits.
    var reportedAt: UInt64?
    var isPending = false

    init(_ declared: [ContextDeclaration]) {
        values = declared.map { Argument($0.name, $0.initial, isPrivate: $0.isPrivate) }
    }

    var published: Arguments { values.filter { !$0.isPrivate } }

    /// When the signal that waits is due.
    var due: UInt64? { isPending ? reportedAt.map { $0 + 100_000 } : nil }

    /// Returns the values with other declarations: those that were set, and still have the type, stay.
    func renewed(_ declared: [ContextDeclaration], _ isNoTime: (String, Value) -> Bool) -> ModelContext {
        var new = ModelContext(declared)
        (new.reportedAt, new.isPending) = (reportedAt, isPending)
        for place in declared.indices where set.contains(declared[place].name) {
            guard let old = values[declared[place].name], old.value.signature == declared[place].type.signature,
                !isNoTime(old.name, old.value)
            else {
                continue
            }
            new.values[place] = Argument(old.name, old.value, isPrivate: old.isPrivate || declared[place].isPrivate)
            new.set.insert(old.name)
        }
        return new
    }
}

/// A value to set, at a flow or at the coordinator.
struct ModelSetting {
    let holder: ModelNode?
    let value: Argument
}

extension Model {
    /// Where the value of a name is that is seen from a flow: there, above it, or at the coordinator (nil inside).
    private func holder(_ name: String, _ flow: ModelNode?) -> ModelNode?? {
        var place = flow
        while let node = place {
            if node.context.values[name] != nil { return .some(node) }
            place = node.parent
        }
        return context.values[name] == nil ? nil : .some(nil)
    }

    func contextValue(_ name: String, _ flow: ModelNode?) -> Argument? {
        guard let holder = holder(name, flow) else { return nil }
        return (holder?.context ?? context).values[name]
    }

    private func declaration(_ name: String, _ holder: ModelNode?) -> ContextDeclaration? {
        let declared = holder.map { definitions.flows[$0.definition].context } ?? definitions.context
        return declared.first { $0.name == name }
    }

    /// Returns the values as declared.
    func settings(_ given: Arguments, _ flow: ModelNode?) throws(FlowError) -> [ModelSetting] {
        var settings: [ModelSetting] = []
        for argument in given {
            guard let holder = holder(argument.name, flow), let declared = declaration(argument.name, holder),
                let value = declared.type.admit(argument.value)
            else { throw FlowError(.invalidArguments) }
            if isNoTime(argument.name, value) { throw FlowError(.invalidArguments) }
            let own = Argument(argument.name, value, isPrivate: argument.isPrivate || declared.isPrivate)
            guard [own].byteCount <= Limits.argumentBytes else { throw FlowError(.limitExceeded) }
            settings.append(ModelSetting(holder: holder, value: own))
        }
        return settings
    }

    /// Refuses values that take too much, where each name counts as set last.
    func checkSize(_ settings: [ModelSetting]) throws(FlowError) {
        for setting in settings {
            var values = (setting.holder?.context ?? context).values
            for other in settings where other.holder === setting.holder {
                if let place = values.firstIndex(where: { $0.name == other.value.name }) { values[place] = other.value }
            }
            guard values.byteCount <= 4_096 else { throw FlowError(.limitExceeded) }
        }
    }

    /// Sets values. Returns those that are others now.
    func set(_ settings: [ModelSetting]) -> [ModelSetting] {
        var news: [ModelSetting] = []
        for setting in settings {
            let name = setting.value.name
            let before = setting.holder?.context ?? context
            var after = before
            for place in after.values.indices where after.values[place].name == name {
                after.values[place] = setting.value
            }
            after.set.insert(name)
            if before.values[name]?.value != setting.value.value { news.append(setting) }
            put(after, setting.holder, isNews: before.published != after.published)
        }
        return news
    }

    private func put(_ new: ModelContext, _ holder: ModelNode?, isNews: Bool) {
        if let holder { holder.context = new } else { context = new }
        guard isNews else { return }
        if let last = new.reportedAt, now < last + 100_000 {
            if let holder { holder.context.isPending = true } else { context.isPending = true }
        } else {
            reportContext(holder)
        }
    }

    /// A signal reports the values.
    private func reportContext(_ holder: ModelNode?) {
        if let holder {
            (holder.context.reportedAt, holder.context.isPending) = (now, false)
            holder.contextIsNew = true
        } else {
            (context.reportedAt, context.isPending) = (now, false)
            observed.append(.changed(ObservedEffect.Changes(path: "", context: context.published)))
        }
    }

    /// What waits to be reported, by its time.
    var nextContext: (due: UInt64, holder: ModelNode?)? {
        var all: [(due: UInt64, holder: ModelNode?)] = nodes.compactMap { node in node.context.due.map { ($0, node) } }
        if let due = context.due { all.insert((due, nil), at: 0) }
        return all.min { $0.due < $1.due }
    }

    func takeContext(_ holder: ModelNode?) {
        reportContext(holder)
        reportChanges()
    }

    /// The steps that follow from other values.
    func steps(after news: [ModelSetting]) -> [(flow: ModelNode, step: StepID)] {
        var steps: [(flow: ModelNode, step: StepID)] = []
        for setting in news {
            guard let change = declaration(setting.value.name, setting.holder)?.changed else { continue }
            if let flow = setting.holder {
                steps.append((flow, change.step))
            } else {
                for root in roots where root.definition == change.flow.index { steps.append((root, change.step)) }
            }
        }
        return steps
    }

    /// A client sets values.
    func setContext(_ given: Arguments, _ instance: UInt64?, _ client: Client) -> Reply {
        let flow = instance.flatMap { node($0) }
        if instance != nil, flow == nil { return .failure(FlowError(.presentableDismissed)) }
        do throws(FlowError) {
            for argument in given {
                guard let holder = holder(argument.name, flow), let declared = declaration(argument.name, holder) else {
                    throw FlowError(.invalidArguments)
                }
                guard declared.setters.contains(where: { owners[$0] == client }) else { throw FlowError(.accessDenied) }
            }
            let settings = try settings(given, flow)
            try checkSize(settings)
            let news = set(settings)
            reportChanges()
            let next = steps(after: news)
            let origin = next.isEmpty ? 0 : newOrigin()
            for (flow, step) in next {
                trigger(
                    ModelStep(
                        step: step, arguments: [], flow: flow, origin: origin, cause: 0, client: client,
                        purpose: .reported), isHead: true)
            }
            finish()
            return .success(.done)
        } catch {
            return .failure(error)
        }
    }

    /// The definitions are others.
    func renewContexts() {
        for node in nodes where node.isFlow {
            let new = node.context.renewed(definitions.flows[node.definition].context, isNoTime)
            put(new, node, isNews: new.published != node.context.published)
        }
        let new = context.renewed(definitions.context, isNoTime)
        put(new, nil, isNews: new.published != context.published)
    }
}
