import FlowCore

// What can be told of the whole: where steps lead, and what nobody leads to.

extension Checker {
    /// A step that forwards to itself for ever, by way of others or not. Where a condition stands in the way, it may end.
    func checkCycles(_ flow: Draft.Flow, _ rules: [Rule]) {
        let targets = Dictionary(
            rules.map { rule in
                let contributors = rule.alternatives.first.map { first in
                    first.when.isEmpty && first.unless.isEmpty ? first.contributors : []
                }
                return (
                    rule.step,
                    (contributors ?? []).compactMap { contributor -> StepID? in
                        if case .current(let template) = contributor { template.step } else { nil }
                    }
                )
            }, uniquingKeysWith: { first, _ in first })
        // The steps from which the search has come to an end without a cycle.
        var finished: Set<StepID> = []
        for rule in rules {
            var way: [(step: StepID, next: Int)] = [(rule.step, 0)]
            while let (step, next) = way.last {
                let forwards = finished.contains(step) ? [] : targets[step] ?? []
                guard next < forwards.count else {
                    finished.insert(step)
                    way.removeLast()
                    continue
                }
                way[way.count - 1].next += 1
                if let start = way.firstIndex(where: { $0.step == forwards[next] }) {
                    let names = (way[start...].map(\.step) + [forwards[next]]).map { "'\(steps[$0.index].name)'" }
                    let place = flow.rules[steps[forwards[next].index].name]?.place ?? flow.place
                    report.error(
                        place,
                        "steps forward to each other for ever: \(names.joined(separator: " → ")); "
                            + "put a 'when' or 'unless' in the way")
                } else {
                    way.append((forwards[next], 0))
                }
            }
        }
    }

    /// What can be right, but hardly was meant.
    func warn(_ flows: [FlowDefinition]) {
        let handled = Set(flows.flatMap { $0.rules.map(\.step) })
        for (index, step) in steps.enumerated() where !handled.contains(StepID(index)) {
            guard let place = draft.steps[step.name]?.place else { continue }
            report.warning(place, "no flow has a rule for step '\(step.name)'")
        }
        for flow in flows {
            guard let place = draft.flows[flow.name]?.place, !contributed.contains(flow.name) else { continue }
            if !started.contains(flow.name) {
                report.warning(
                    place,
                    "nothing starts flow '\(flow.name)': no contributor and no 'autostart' names it; Coordinate can")
            }
            for rule in flow.rules {
                for case .end(let template?) in rule.alternatives.flatMap(\.contributors) {
                    let name = steps[rule.step.index].name
                    report.warning(
                        draft.flows[flow.name]?.rules[name]?.place ?? place,
                        "flow '\(flow.name)' is only a root: there is no parent to take the step "
                            + "'\(steps[template.step.index].name)' when it ends")
                }
            }
        }
    }
}
