import FlowCore

extension Case.Failure {
    /// Returns the smallest case found with the same difference.
    func shrunk() -> Case.Failure {
        var best = self
        var budget = 4_000
        func accept(_ candidate: Case) -> Bool {
            budget -= 1
            guard budget > 0, let (difference, count) = candidate.replay(), difference.text == best.difference.text
            else { return false }
            best.testCase = candidate
            best.testCase.operations = Array(candidate.operations.prefix(count))
            best.difference = difference
            return true
        }
        guard accept(testCase) else { return self }
        var isSmaller = true
        while isSmaller && budget > 0 {
            isSmaller = false
            var size = max(1, best.testCase.operations.count / 2)
            while size > 0 {
                var start = best.testCase.operations.count - size
                while start >= 0 {
                    var candidate = best.testCase
                    candidate.operations.removeSubrange(start..<min(start + size, candidate.operations.count))
                    if accept(candidate) { isSmaller = true }
                    start = min(start, best.testCase.operations.count) - size
                }
                size /= 2
            }
            var index = 0
            while index < best.testCase.operations.count {
                for smaller in best.testCase.operations[index].smaller() {
                    var candidate = best.testCase
                    candidate.operations[index] = smaller
                    if accept(candidate) {
                        isSmaller = true
                        break
                    }
                }
                index += 1
            }
            var isSimpler = true
            while isSimpler && budget > 0 {
                isSimpler = false
                for definitions in best.testCase.definitions.smaller() {
                    if accept(
                        Case(
                            definitions: definitions, operations: best.testCase.operations, quotas: best.testCase.quotas
                        ))
                    {
                        isSimpler = true
                        isSmaller = true
                        break
                    }
                }
            }
        }
        return best
    }
}

extension Operation {
    /// Returns smaller variants.
    fileprivate func smaller() -> [Operation] {
        var smaller: [Operation] = []
        if wait > 0 { smaller.append(Operation(kind: kind, isLate: isLate)) }
        func add(_ kind: Kind) { smaller.append(Operation(kind: kind, wait: wait, isLate: isLate)) }
        switch kind {
        case .emit(let target, let step, let arguments, let client, let token, let isStale):
            if token != nil { add(.emit(target, step: step, arguments, client, token: nil, isStale: isStale)) }
            if isStale != nil { add(.emit(target, step: step, arguments, client, token: token, isStale: nil)) }
        case .emitMany(let target, let steps, let client):
            for index in steps.indices {
                var fewer = steps
                fewer.remove(at: index)
                add(.emitMany(target, fewer, client))
            }
        case .reload(let definitions): definitions.smaller().forEach { add(.reload($0)) }
        default: break
        }
        return smaller
    }
}

extension Definitions {
    private func with(
        steps: [StepDeclaration]? = nil, flows: [FlowDefinition]? = nil, autostart: [Autostart]? = nil,
        steppers: [StepperDefinition]? = nil
    ) -> Definitions {
        Definitions(
            steps: steps ?? self.steps, screens: screens, flows: flows ?? self.flows,
            autostart: autostart ?? self.autostart, steppers: steppers ?? self.steppers, context: context)
    }

    /// Returns variants with one definition less.
    fileprivate func smaller() -> [Definitions] {
        var smaller: [Definitions] = []
        if !autostart.isEmpty { smaller.append(with(autostart: [])) }
        for index in steppers.indices {
            var fewer = steppers
            fewer.remove(at: index)
            smaller.append(with(steppers: fewer))
        }
        for index in flows.indices {
            for flow in flows[index].smaller() {
                var changed = flows
                changed[index] = flow
                smaller.append(with(flows: changed))
            }
        }
        for index in steps.indices where steps[index].isPrivate {
            var changed = steps
            changed[index] = StepDeclaration(steps[index].name, parameters: steps[index].parameters)
            smaller.append(with(steps: changed))
        }
        return smaller
    }
}

extension FlowDefinition {
    private func with(
        initial: StepID? = nil, children: Children? = nil, isUnique: Bool? = nil, whenHidden: WhenHidden? = nil,
        announces: Bool? = nil, rules: [Rule]? = nil, isBare: Bool = false
    ) -> FlowDefinition {
        FlowDefinition(
            name, parameters: parameters, key: key, initial: self.initial, children: children ?? self.children,
            layers: children == nil ? layers : [], covers: covers,
            isUnique: isUnique ?? self.isUnique, whenHidden: whenHidden ?? self.whenHidden,
            announces: announces ?? self.announces, whenEmpty: isBare ? nil : whenEmpty, onBack: isBare ? nil : onBack,
            idle: isBare ? [] : idle, timers: isBare ? [] : timers, emitters: isBare ? [] : emitters,
            ownersMayEmit: !isBare && ownersMayEmit,
            rules: rules ?? self.rules)
    }

    fileprivate func smaller() -> [FlowDefinition] {
        var smaller: [FlowDefinition] = []
        if !rules.isEmpty { smaller.append(with(rules: [])) }
        if onBack != nil || !idle.isEmpty || !timers.isEmpty || whenEmpty != nil || !emitters.isEmpty || ownersMayEmit {
            smaller.append(with(isBare: true))
        }
        if children != .free { smaller.append(with(children: .free)) }
        if announces { smaller.append(with(announces: false)) }
        if isUnique { smaller.append(with(isUnique: false)) }
        if whenHidden != .ignore { smaller.append(with(whenHidden: .ignore)) }
        for (index, rule) in rules.enumerated() {
            var fewer = rules
            fewer.remove(at: index)
            smaller.append(with(rules: fewer))
            for alternatives in rule.smaller() {
                var changed = rules
                changed[index] = Rule(rule.step, alternatives)
                smaller.append(with(rules: changed))
            }
        }
        return smaller
    }
}

extension Rule {
    fileprivate func smaller() -> [[Alternative]] {
        var smaller: [[Alternative]] = []
        for (index, alternative) in alternatives.enumerated() {
            func put(_ other: Alternative) {
                var changed = alternatives
                changed[index] = other
                smaller.append(changed)
            }
            if alternatives.count > 1 { smaller.append([alternative]) }
            if !alternative.when.isEmpty || !alternative.unless.isEmpty {
                put(Alternative(contributors: alternative.contributors))
            }
            for (place, contributor) in alternative.contributors.enumerated() {
                var fewer = alternative.contributors
                fewer.remove(at: place)
                put(Alternative(when: alternative.when, unless: alternative.unless, contributors: fewer))
                for simpler in contributor.smaller() {
                    var changed = alternative.contributors
                    changed[place] = simpler
                    put(Alternative(when: alternative.when, unless: alternative.unless, contributors: changed))
                }
            }
        }
        return smaller
    }
}

extension FlowContributor {
    fileprivate func smaller() -> [FlowContributor] {
        guard case .child(let it) = self else { return [] }
        let plain = ChildTemplate(
            it.presentable, id: it.id, arguments: it.arguments, reuses: it.reuses, raises: it.raises,
            clears: it.clears, layer: it.layer)
        let quiet = ChildTemplate(
            it.presentable, id: it.id, arguments: it.arguments, step: it.step, stepArguments: it.stepArguments,
            whenHidden: it.whenHidden, reuses: it.reuses, raises: it.raises, clears: it.clears,
            layer: it.layer)
        let named = ChildTemplate(
            it.presentable, arguments: it.arguments, step: it.step, stepArguments: it.stepArguments,
            whenHidden: it.whenHidden, layer: it.layer, onDismissed: it.onDismissed, onResult: it.onResult)
        return [plain, quiet, named].filter { $0 != it }.map(FlowContributor.child)
    }
}
