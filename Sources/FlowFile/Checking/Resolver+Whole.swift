import FlowCore

/// Checks that need all definitions.
extension Resolver {
    /// Reports steps of a flow that lead back to themselves by `current`, without a condition that could end the cycle:
    /// they would reach the limit of S-11 each time. A guard can stop them.
    func checkCycles(_ definitions: Definitions) {
        for flow in definitions.flows where draft.flows[flow.name]?.keys["guard"] == nil {
            var next: [Int: [Int]] = [:]
            for rule in flow.rules {
                // After an alternative with a condition, no other one is certain to be applied.
                guard let first = rule.alternatives.first, first.when.isEmpty, first.unless.isEmpty else { continue }
                for case .current(let template) in first.contributors {
                    next[rule.step.index, default: []].append(template.step.index)
                }
            }
            if next.isEmpty { continue }
            var done: Set<Int> = []
            for cycle in flow.rules.flatMap({ cycles(from: $0.step.index, next, &done) }) {
                let names = (cycle + cycle.prefix(1)).map { "'\(definitions.steps[$0].name)'" }
                guard let location = ruleLocation(flow.name, definitions.steps[cycle[0]].name) else { continue }
                diagnostics.error(
                    location,
                    "the steps \(names.joined(separator: " → ")) set each other off for ever with 'current'; one of "
                        + "them needs a 'when' or 'unless'")
            }
        }
    }

    /// Returns the cycles that can be reached from a step, except those found before; each begins with its smallest
    /// step. It is not recursive, because a path can be as long as a file.
    private func cycles(from start: Int, _ next: [Int: [Int]], _ done: inout Set<Int>) -> [[Int]] {
        var way: [(step: Int, tried: Int)] = []
        var onWay: Set<Int> = []
        var found: [[Int]] = []
        if done.insert(start).inserted {
            way.append((start, 0))
            onWay.insert(start)
        }
        while let (step, tried) = way.last {
            let targets = next[step] ?? []
            guard tried < targets.count else {
                onWay.remove(step)
                way.removeLast()
                continue
            }
            way[way.count - 1].tried += 1
            let target = targets[tried]
            if onWay.contains(target) {
                found.append(smallestFirst(way.map(\.step).drop { $0 != target }))
            } else if done.insert(target).inserted {
                way.append((target, 0))
                onWay.insert(target)
            }
        }
        return found
    }

    private func smallestFirst(_ cycle: ArraySlice<Int>) -> [Int] {
        guard let least = cycle.min(), let place = cycle.firstIndex(of: least) else { return [] }
        return Array(cycle[place...] + cycle[..<place])
    }

    /// Adds warnings: valid definitions that are probably not intended.
    func warn(_ definitions: Definitions) {
        warnOfStarts(definitions)
        warnOfLayers(definitions)
        warnOfLocks(definitions)
        warnOfEmptyCovers(definitions)
        warnOfEmptyRoots(definitions)
        var handled = Array(repeating: false, count: definitions.steps.count)
        for flow in definitions.flows {
            for rule in flow.rules { handled[rule.step.index] = true }
            for step in flow.navigator?.steps ?? [] { handled[step.index] = true }
        }
        for (isHandled, step) in zip(handled, draft.steps.entries) where !isHandled {
            diagnostics.warning(step.value.location, "no flow has a rule for the step '\(step.name)'")
        }
        for flow in definitions.flows {
            warnOfNoAnswer(flow)
            warnOfRaisedHome(flow, definitions)
        }
        for flow in draft.flows.values {
            warnOfAbsent(flow)
            warnOfGuard(flow)
        }
        for item in draft.autostart {
            guard case .string(let name)? = item["flow"]?.value, let flow = draft.flows[name] else { continue }
            warnOfNoRule(flow, "step", item["step"])
        }
        warnOfOutputs()
        warnOfSteppers(definitions)
        warnOfContextSteps()
        warnOfPresenters()
        warnOfEarlyPrograms(definitions)
    }

    /// Warns about flows that nothing starts, and about those whose end reaches no parent. A navigator can contribute
    /// any flow.
    private func warnOfStarts(_ definitions: Definitions) {
        var contributed = Array(repeating: false, count: definitions.flows.count)
        var started = contributed
        for root in definitions.autostart { started[root.flow.index] = true }
        for (number, flow) in definitions.flows.enumerated() {
            for contributor in flow.contributors {
                guard case .child(let child) = contributor, case .flow(let target) = child.presentable else { continue }
                contributed[target.index] = true
                // A flow can't start itself.
                if target.index != number { started[target.index] = true }
            }
        }
        let navigators = definitions.flows.count { $0.navigator != nil }
        for (number, flow) in definitions.flows.enumerated() {
            let others = navigators - (flow.navigator == nil ? 0 : 1)
            // A unique flow is meant for clients: Coordinate starts it or returns the live one, and NavigateAlong
            // starts it, too.
            let mayStart = started[number] || flow.isUnique || others > 0
            if !mayStart {
                let location = draft.flows.entries[number].value.declared.location
                diagnostics.warning(
                    location,
                    "nothing starts the flow '\(flow.name)': no [[autostart]] and no other flow's contributor; only a "
                        + "client can, with Coordinate" + diagnostics.suggestion(for: flow.name, among: flowNames))
            }
            if others == 0, !contributed[number] { warnOfEnds(flow, definitions) }
        }
    }

    /// Warns about a stack whose first child comes to the front of the others: Back would dismiss that one.
    private func warnOfRaisedHome(_ flow: FlowDefinition, _ definitions: Definitions) {
        guard flow.children == .stack, flow.onBack == nil,
            let initial = flow.rules.first(where: { $0.step == flow.initial })
        else { return }
        func child(_ contributor: FlowContributor) -> ChildTemplate? {
            if case .child(let child) = contributor { child } else { nil }
        }
        let first = initial.alternatives.lazy.flatMap(\.contributors).compactMap(child).first
        guard let home = first?.presentable,
            flow.contributors.contains(where: { child($0)?.presentable == home && child($0)?.raises == true }),
            let location = draft.flows[flow.name]?.declared.location
        else { return }
        let name =
            switch home {
            case .screen(let screen): definitions[screen].name
            case .flow(let flow): flowName(flow)
            }
        diagnostics.warning(
            location,
            "'\(name)' is the first child of flow '\(flow.name)', and reuse = \"raise\" brings it to the front of the others; "
                + "Back dismisses it there, and it is gone: give the flow an 'onBack', such as the step that raises it")
    }

    /// Warns about a flow that declares a result and never answers. That nobody has `onResult` for a result is no mistake:
    /// programs can ask for it.
    private func warnOfNoAnswer(_ flow: FlowDefinition) {
        guard flow.result != nil, flow.navigator == nil,
            !flow.contributors.contains(where: { if case .answer = $0 { true } else { false } }),
            let location = draft.flows[flow.name]?.keys["result"]?.location
        else { return }
        diagnostics.warning(
            location,
            "flow '\(flow.name)' declares a result, and never ends with one: a rule answers by end = true with 'result'"
        )
    }

    /// Warns about screens without a presenter, if other screens have one. Without any presenter, programs that watch
    /// the tree show the screens.
    private func warnOfPresenters() {
        guard let other = draft.screens.entries.first(where: \.value.hasPresenter)?.name else { return }
        for (name, screen) in draft.screens.entries where !screen.hasPresenter {
            diagnostics.warning(
                screen.declared.location,
                "nobody is asked to show the screen '\(name)': it has neither 'presenter' nor 'application', while "
                    + "others do, such as '\(other)'")
        }
    }

    /// Warns about steps of a guard that lead nowhere.
    private func warnOfGuard(_ flow: DraftFlow) {
        for item in flow.keys["guard"]?["steps"]?.list(diagnostics, "a list of names of steps") ?? [] {
            guard case .string(let step) = item.value, !flow.takes(step) else { continue }
            diagnostics.warning(
                item.location,
                "'guard' is asked about the step '\(step)', which \(flow.declared.subject) has no rule for"
                    + diagnostics.suggestion(for: step, among: flow.stepsTaken))
        }
    }

    /// Warns about children and rules that a flow names but does not have.
    private func warnOfAbsent(_ flow: DraftFlow) {
        for key in ["initial", "onBack"] { warnOfNoRule(flow, key, flow.keys[key]) }
        if let idle = flow.keys["idle"] {
            for item in idle.items ?? [idle] { warnOfNoRule(flow, "idle", item["step"]) }
        }
        for item in flow.keys["timers"]?.items ?? [] { warnOfNoRule(flow, "timers", item["step"]) }
        lazy var contributed = contributedNames(by: flow)
        lazy var similar = SimilarNames(contributed.sorted(by: Text.precedes))
        func warn(_ item: Item, _ what: String) {
            let item = item["screen"] ?? item["flow"] ?? item
            guard let name = item.text, !contributed.contains(name) else { return }
            let suggestion = diagnostics.suggestion(for: name, among: similar)
            diagnostics.warning(
                item.location,
                "\(flow.declared.subject) never contributes '\(name)', so this never \(what)\(suggestion)")
        }
        forEachContributor(of: flow) { contributor in
            contributor.forEach { key, item in
                switch Self.keys[key] {
                case .kind(.pop)? where item().text == "root": break
                case .kind(.pop)?, .kind(.dismiss)?: warn(item(), "dismisses anything")
                case .kind(.show)?: warn(item(), "shows anything")
                case .kind(.hide)?: warn(item(), "hides anything")
                case .kind(.current)?: warnOfNoRule(flow, key, item())
                case .option(.onDismissed)?, .option(.onResult)?: warnOfNoRule(flow, key, item()["step"])
                case .option(.step)?:
                    // The flow takes the initial step of a screen.
                    if contributor.has("screen") { warnOfNoRule(flow, key, item()) }
                    if let name = contributor["flow"]?.text, let child = draft.flows[name] {
                        warnOfNoRule(child, key, item())
                    }
                case .kind?, .option?, .condition?, .list?, nil: break
                }
            }
        }
    }

    private func contributedNames(by flow: DraftFlow) -> Set<String> {
        var names: Set<String> = []
        forEachContributor(of: flow) { contributor in
            for key in ["screen", "flow"] { if let name = contributor[key]?.text { names.insert(name) } }
        }
        return names
    }

    /// Warns about a triggered step without a rule.
    func warnOfNoRule(_ flow: DraftFlow, _ key: String, _ item: Item?) {
        guard let item, case .string(let step) = item.value, !flow.takes(step) else { return }
        let subject = flow.declared.subject
        let why =
            flow.keys["navigator"] == nil ? "\(subject) has no rule for" : "the navigator of \(subject) does not take"
        diagnostics.warning(
            item.location,
            "'\(key)' triggers the step '\(step)', which \(why)"
                + diagnostics.suggestion(for: step, among: flow.stepsTaken))
    }

    private func forEachContributor(of flow: DraftFlow, _ body: (Section) -> Void) {
        for rule in flow.rules.entries { forEachContributor(of: rule.value, body) }
    }

    /// Visits the contributors of a rule in any of its forms.
    private func forEachContributor(of rule: Item, _ body: (Section) -> Void) {
        if let table = rule.table {
            if let list = table["do"] { forEachContributor(of: list, body) } else { body(table) }
        } else {
            for item in rule.items ?? [] { forEachContributor(of: item, body) }
        }
    }

    /// Warns about the step of an `end`, which goes to the parent; a root has none (S-21).
    private func warnOfEnds(_ flow: FlowDefinition, _ definitions: Definitions) {
        for rule in flow.rules {
            for case .end(.some(let template)) in rule.alternatives.flatMap(\.contributors) {
                guard let location = ruleLocation(flow.name, definitions[rule.step].name) else { continue }
                diagnostics.warning(
                    location,
                    "the flow '\(flow.name)' is only ever a root, so nobody gets the step "
                        + "'\(definitions[template.step].name)' when it ends; write end = true")
            }
        }
    }

    func ruleLocation(_ flow: String, _ step: String) -> Location? { draft.flows[flow]?.rules[step]?.location }
}

extension FlowDefinition {
    /// All contributors of all rules.
    var contributors: some Sequence<FlowContributor> {
        rules.lazy.flatMap { $0.alternatives.lazy.flatMap(\.contributors) }
    }
}
