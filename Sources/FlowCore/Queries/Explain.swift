// The dry run of a step: what it would do, with reasons.
//
// The event is handled on a copy of the machine, by the usual code; this file describes the result. The reasons (the gate, the
// rule's alternatives) are computed just before, from the state that they depend on. Other processes are not asked: the run
// ends at a step that would wait for one.
//
// The text is for one caller, and the tree has private arguments of others. So private arguments are shown only if they
// belong to the call, and the values that a rule compares them with are never shown. A caller that may not emit learns what the
// step would do for those who may; but nothing of a private step, whose arguments it could guess otherwise.

extension Coordinator {
    /// What would happen if this client emitted this step on this presentable now, by `EmitStep`. Nothing changes.
    public borrowing func explain(
        _ step: StepID, _ arguments: Arguments, on node: NodeID, by client: Client, at now: Instant
    ) -> Explanation {
        var run = machine
        // The run starts from the present tree, without the rest of earlier calls, which may take long.
        run.queue = StepQueue()
        run.calls.forgetNext()
        run.alarms.forgetDue()
        var turn = Turn(at: now)
        return run.explainEmission(of: step, arguments, on: node, by: client, &turn)
    }
}

extension Machine {
    fileprivate mutating func explainEmission(
        of step: StepID, _ arguments: Arguments, on node: NodeID, by client: Client, _ turn: inout Turn
    ) -> Explanation {
        guard let slot = forest.slot(of: node) else { return Explanation(refusal: Self.gone) }
        let flow = flow(for: slot)
        // Before anything changes; whether it matters is known afterwards.
        let gate = gateReasons(at: slot, for: flow, client)
        let admitted = (try? definitions.admit(arguments, of: step)) ?? arguments
        let reasons = reasons(for: step, admitted, at: flow)
        let place = "on \(self.named(slot))" + (slot == flow ? "" : ", for \(named(flow))")

        // No call has this number, so waiting calls are not affected.
        let request = RequestID(.max)
        turn.call.request = request
        let denial = denial(of: client, at: flow, on: slot)
        if let denial, definitions[step].isPrivate {
            var explanation = Explanation(.refused(denial))
            explanation.add("step '\(definitions[step].name)' \(place)")
            explanation.add(denial.message, indented: true)
            explanation.add("what it would do for those is not shown, as the step is private", indented: true)
            return explanation
        }
        let heading = "step \(named(step, arguments, at: flow))"
        func begin(_ outcome: Outcome, _ arguments: Arguments) -> Explanation {
            var explanation = Explanation(denial.map { .refused($0) } ?? outcome)
            explanation.add("\(heading)\(Self.text(arguments, showsPrivate: true)) \(place)")
            guard let denial else { return explanation }
            explanation.add(denial.message, indented: true)
            explanation.add("if one of those emitted it: \(Self.text(outcome))", indented: true)
            return explanation
        }
        var explanation: Explanation
        switch emit(
            step, arguments, on: node, by: client, nil, isAdmitted: denial != nil, .emitted(request), &turn)
        {
        case .ended(let outcome):
            explanation = begin(outcome, arguments)
            if case .refused(let error) = outcome {
                explanation.add(error.message, indented: true)
            } else {
                for line in gate { explanation.add(line, indented: true) }
            }
        case .taken(let outcome):
            explanation = begin(outcome, admitted)
            for line in gate + reasons { explanation.add(line, indented: true) }
            takeEffects(into: &explanation, &turn)
            if case .refused(let error) = outcome { explanation.add(error.message, indented: true) }
        case .waiting:
            explanation = begin(.ignored(.pending), admitted)
            for line in gate + reasons { explanation.add(line, indented: true) }
            takeEffects(into: &explanation, &turn)
        }
        explainChain(in: &explanation, &turn)
        // Nothing of it would happen.
        if denial != nil { explanation.effects = [] }
        return explanation
    }

    /// The refusal of a client that may not emit on a presentable, but for a flow that waits for the client.
    private func denial(of client: Client, at flow: NodeSlot, on slot: NodeSlot) -> FlowError? {
        do throws(FlowError) {
            try checkEmitter(client, of: flow, on: slot == flow ? nil : slot)
            return nil
        } catch {
            return error.code == .accessDenied ? error : nil
        }
    }

    private static func text(_ outcome: Outcome) -> String {
        switch outcome {
        case .navigated: "navigated"
        case .ignored(let verdict): verdict.rawValue
        case .refused(let error): error.code.rawValue
        }
    }

    /// The same as ``continueWork(_:)``, one step at a time.
    private mutating func explainChain(in explanation: inout Explanation, _ turn: inout Turn) {
        while true {
            if queue.isBetweenChains {
                settle(&turn)
                takeEffects(into: &explanation, &turn)
            }
            guard let step = queue.takeNext() else { break }
            explanation.add(heading(of: step))
            if let flow = forest.slot(of: step.flow) {
                for line in reasons(for: step.step, step.arguments, at: flow) {
                    explanation.add(line, indented: true)
                }
            }
            take(step, &turn)
            takeEffects(into: &explanation, &turn)
        }
        continueWork(&turn)
        turn.sendLateAnswers()
        takeEffects(into: &explanation, &turn)
    }

    private func heading(of step: WaitingStep) -> String {
        let flow = forest.slot(of: step.flow)
        let what = "step \(named(step.step, step.arguments, at: flow))\(Self.text(step.arguments, showsPrivate: false))"
        let place =
            forest.slot(of: step.flow).map { "for \(named($0))" }
            ?? "for a flow that is gone (reported at '\(failurePath(of: step.flow))')"
        switch step.purpose {
        case .initial: return "then the initial \(what) \(place)"
        case .deferred: return "then \(what), which was deferred, \(place)"
        case .triggered: return "then \(what) \(place)"
        case .emitted, .deepLink, .listed, .segment, .timed, .property, .signalled:
            return "then \(what), which waited before, \(place)"
        }
    }

    /// A step with its title, if it has one: `'pay' "Pay the bill"`.
    private func named(_ step: StepID, _ arguments: Arguments, at flow: NodeSlot?) -> String {
        let name = "'\(definitions[step].name)'"
        // The arguments of a call are not admitted yet.
        let known =
            definitions[step].isPrivate ? arguments.map { Argument($0.name, $0.value, isPrivate: true) } : arguments
        guard let title = definitions[step].texts.title?.text(in: language(at: flow), known), !title.isEmpty else {
            return name
        }
        return "\(name) \"\(Names.escaped(title))\""
    }

    /// A presentable with its kind: `flow '/main'`.
    private func named(_ slot: NodeSlot) -> String {
        "\(forest[slot].flow == nil ? "screen" : "flow") '\(forest[slot].path)'"
    }
}

// MARK: - The gate

extension Machine {
    /// Whether the gate lets a step on a presentable through, and why (S-15).
    private func gateReasons(at slot: NodeSlot, for flow: NodeSlot, _ client: Client) -> [String] {
        var lines: [String] = []
        let definition = definitions[definition(of: flow)]
        if let name = definition.emitters.first(where: { nameOwners[$0] == client }) {
            lines.append("'\(client.name)' may emit here, as it owns '\(name)'")
        } else if definition.ownersMayEmit, mayEmitAsOwner(client, on: slot) {
            lines.append("'\(client.name)' may emit here, as an owner")
        }
        let whenHidden = whenHidden(slot)
        if forest[slot].isPresented {
            guard whenHidden == .turn, forest[slot].kept.stepInTurn != 0 else { return lines }
            lines.append("a step before it has its turn, and waits for an answer")
        } else {
            lines.append("it is not presented: \(hiddenReason(slot))")
        }
        switch whenHidden {
        case .ignore: lines.append("so it ignores steps (whenHidden = \"ignore\")")
        case .allow: lines.append("it takes steps all the same (whenHidden = \"allow\")")
        case .latest:
            lines.append("so the step is deferred until it is (whenHidden = \"latest\")")
            if let deferred = forest[slot].deferredSteps.last {
                lines.append("step '\(definitions[deferred.step].name)', which was deferred, is dropped for it")
            }
        case .queue, .turn:
            let deferred = forest[slot].deferredSteps.count
            lines.append(
                "so the step is deferred until \(whenHidden == .turn ? "its turn" : "it is")"
                    + " (whenHidden = \"\(whenHidden.rawValue)\")"
                    + (deferred == 0 ? "" : ", behind \(deferred) other\(deferred == 1 ? "" : "s")"))
        }
        return lines
    }

    /// Why a presentable is not presented: the reason nearest to the root (S-14).
    private func hiddenReason(_ slot: NodeSlot) -> String {
        var (reason, place) = ("", NodeSlot?.some(slot))
        while let node = place {
            let (parent, path) = (forest[node].parent, forest[node].path)
            let hidden =
                forest[node].isHiddenByRule
                ? "a rule has hidden '\(path)' (hide)" : "nobody shows '\(path)' (SetVisible)"
            switch (forest[node].isVisible, forest.pathCovering(node)) {
            case (true, nil): break
            case (false, nil): reason = hidden
            case (true, let current?): reason = "'\(current)' covers '\(path)'"
            case (false, let current?): reason = "\(hidden), and '\(current)' covers it"
            }
            place = parent
        }
        return reason
    }
}

// MARK: - The rule

extension Machine {
    /// Which alternative a flow takes for a step, and why not the others.
    private func reasons(
        for step: StepID, _ arguments: Arguments, at flow: NodeSlot
    ) -> [String] {
        let definition = definitions[definition(of: flow)]
        if isWaiting(flow) {
            let others = blocked.count(for: forest.id(of: flow))
            return [
                "the flow waits for an answer about another step; this one has its turn after that"
                    + (others == 0 ? "" : ", behind \(others) other\(others == 1 ? "" : "s")")
            ]
        }
        if definition.guard?.watches(step) == true { return [] }
        if definition.navigator?.takes(step) == true { return [] }
        guard definition.navigator == nil, let rule = definition.rule(for: step) else {
            return [unhandled(step, at: forest.id(of: flow))]
        }
        let alternatives = definition.rules[rule].alternatives
        guard alternatives.count > 1 || alternatives.contains(where: \.isConditional) else { return [] }
        var lines: [String] = []
        for (index, alternative) in alternatives.enumerated() {
            let name = "alternative \(index + 1) of \(alternatives.count)"
            let isTaken = matches(alternative, arguments, flow)
            let why = reasons(alternative, arguments, flow, isTaken: isTaken)
            lines.append(name + (isTaken ? " is taken" : " is not taken") + (why.isEmpty ? "" : ": " + why))
            if isTaken { return lines }
        }
        return lines + [unhandled(step, at: forest.id(of: flow))]
    }

    /// Why an alternative is taken, or is not.
    private func reasons(
        _ alternative: Alternative, _ arguments: Arguments, _ flow: NodeSlot, isTaken: Bool
    ) -> String {
        func said(_ conditions: [Condition], _ isWanted: (Bool) -> Bool) -> [String] {
            conditions.compactMap { condition in
                let isMet = isMet(condition, arguments, flow)
                return isWanted(isMet) ? text(condition, isMet, arguments, flow) : nil
            }
        }
        let when = said(alternative.when) { $0 == isTaken }
        // If the alternative is barred, the reason is the conditions that are met; otherwise those that are not met.
        let isBarred =
            !alternative.unless.isEmpty && alternative.unless.allSatisfy { isMet($0, arguments, flow) }
        let unless = isTaken || isBarred ? said(alternative.unless) { $0 != isTaken } : []
        return (when + unless.map { isTaken ? $0 : "\($0), which bars it (unless)" }).joined(separator: "; ")
    }

    private func text(_ condition: Condition, _ isMet: Bool, _ arguments: Arguments, _ flow: NodeSlot) -> String {
        switch condition {
        case .alive(let name):
            let sought = sought(name, arguments, flow)
            let what = "'\(sought.name)'\(Self.text(sought.values, showsPrivate: false))"
            return isMet ? "a \(what) is live in the tree" : "no \(what) is live in the tree"
        case .context(let name, let wanted):
            guard let value = forest.contextValue(name, from: flow) else { return "no context here has '\(name)'" }
            guard !value.isPrivate, !definitions.isPrivateContext(name) else {
                return isMet ? "'context.\(name)' is what it asks for" : "'context.\(name)' is not what it asks for"
            }
            return "'context.\(name)' is \(Self.text(value.value))" + (isMet ? "" : ", not \(Self.text(wanted))")
        case .same(let one, let other):
            guard let (first, second) = compared(one, other, arguments, flow) else {
                return "there is no value for \(one.text) or for \(other.text)"
            }
            let isPrivate = first.isPrivate || second.isPrivate
            func shown(_ argument: Argument) -> String { isPrivate ? "" : " (\(Self.text(argument.value)))" }
            return "\(one.text)\(shown(first)) is \(isMet ? "" : "not ")\(other.text)\(shown(second))"
        case .argument(let name, let wanted):
            guard let argument = arguments[name] else { return "the step has no argument '\(name)'" }
            // The value in a condition on a private argument is private, too.
            guard !argument.isPrivate else {
                return isMet ? "'\(name)' is what it asks for" : "'\(name)' is not what it asks for"
            }
            return "'\(name)' is \(Self.text(argument.value))" + (isMet ? "" : ", not \(Self.text(wanted))")
        }
    }

    /// Arguments as part of a line: ` (item = 7, pin = (private))`.
    private static func text(_ arguments: Arguments, showsPrivate: Bool) -> String {
        if arguments.isEmpty { return "" }
        let texts = arguments.map { argument in
            "\(Names.escaped(argument.name)) = "
                + (argument.isPrivate && !showsPrivate ? "(private)" : text(argument.value))
        }
        return " (" + texts.joined(separator: ", ") + ")"
    }

    private static func text(_ value: Value) -> String {
        switch value.shape {
        case .stringLike(_, let text): "'\(Names.escaped(text))'"
        case .variant(let inner): text(inner)
        case .fixed, .bytes, .array, .structure, .entry: Names.escaped(value.description)
        }
    }
}

// MARK: - What happened

extension Machine {
    /// Adds lines for the effects since the last call.
    private mutating func takeEffects(into explanation: inout Explanation, _ turn: inout Turn) {
        // The navigation explains the other effects.
        for case .emitNavigationOccurred(let navigation) in turn.effects {
            for line in lines(of: navigation) { explanation.add(line, indented: true) }
        }
        for effect in turn.effects {
            guard let line = line(of: effect) else { continue }
            guard case .emitNavigationFailed(let failure) = effect else {
                explanation.add(line, indented: true)
                continue
            }
            if explanation.hasJustExplained(line) {
                explanation.add("NavigationFailed reports it, as nobody waits for it", indented: true)
            } else {
                explanation.add(line, indented: true, matters: failure.reason == .error(.navigationLoop))
            }
        }
        explanation.effects += turn.takeEffects()
        for case .emitAnswered(let it) in turn.takeAnswersToAsks() {
            explanation.add(
                "a client that asked for a result gets the answer '\(it.answer.outcome.rawValue)'", indented: true)
        }
    }

    private func lines(of navigation: Navigation) -> [String] {
        if navigation.contributions.isEmpty {
            return ["the rule contributes nothing, which is a navigation all the same"]
        }
        return navigation.contributions.compactMap { it in
            let name = "'\(it.name)'" + Self.text(it.arguments, showsPrivate: false)
            switch it.kind {
            // These have effects of their own.
            case .screen, .flow, .back: return nil
            case .reuse: return "'\(it.path ?? "")' is used again (reuse)" + key(ofReused: it) + place(ofReused: it)
            case .clear: return "all children of the flow go first (clear)"
            case .pop:
                return it.name == "root"
                    ? "all children but the oldest go (pop = \"root\")"
                    : "the children that are newer than \(name) go (pop)"
            case .show:
                return it.path.map { "'\($0)' comes to the front (show)" }
                    ?? "there is no \(name) that could come to the front (show)"
            case .hide:
                return it.path.map { "'\($0)' is hidden (hide)" } ?? "there is no \(name) to hide (hide)"
            // Each screen that is evicted has a line of its own.
            case .evict: return nil
            case .set:
                let values = Self.text(it.arguments, showsPrivate: false)
                return "the context" + (values.isEmpty ? " gets private values (set)" : " gets\(values) (set)")
            case .move:
                let root = "the root '\(it.path ?? "")' moves"
                return root + (it.name.isEmpty ? " (move)" : " to the output \(name) (move)")
            // The presentables that go have lines of their own.
            case .dismiss: return it.path == nil ? "there is no \(name) to dismiss (dismiss)" : nil
            case .current: return "step \(name) is triggered on the same flow"
            case .parent:
                return it.path.map { "step \(name) is triggered on the parent '\($0)'" }
                    ?? "step \(name) is for the parent, but the flow is a root"
            case .end:
                guard !it.name.isEmpty else { return "the flow ends" }
                return it.path.map { "the flow ends, and step \(name) is triggered on its parent '\($0)'" }
                    ?? "the flow ends; step \(name) is for the parent, but the flow is a root"
            }
        }
    }

    /// Where a reused child stands, as far as the rule says it (S-52).
    private func place(ofReused child: Contribution) -> String {
        let layer = child.path.flatMap { forest.node(at: $0)?.slot }.map { forest[$0].layer } ?? ""
        return (layer.isEmpty ? "" : ", in the layer '\(Names.escaped(layer))'")
            + (child.style.isEmpty ? "" : ", style '\(Names.escaped(child.style))'")
    }

    /// Why a child was reused, if it has a key (S-51).
    private func key(ofReused child: Contribution) -> String {
        guard let slot = child.path.flatMap({ forest.node(at: $0)?.slot }) else { return "" }
        let key = definitions.key(ofLive: child.name, isFlow: forest[slot].flow != nil)
        if key.isEmpty { return "" }
        let values = forest[slot].arguments.filter { key.contains($0.name) }
        return ", as its key is equal" + Self.text(values, showsPrivate: false)
    }

    /// An effect as text for people; nil if it is of no interest, or part of another line.
    private func line(of effect: Effect) -> String? {
        switch effect {
        case .emitNavigationWillOccur(let it): "NavigationWillOccur announces it at '\(it.flow)'"
        case .removePresentable(let path, let isFlow): "\(isFlow ? "flow" : "screen") '\(path)' goes"
        case .addPresentable(let state): line(of: state)
        case .changeProperties(let changes): line(of: changes)
        case .emitNavigationFailed(let failure): failure.message
        case .askGuard(let it):
            "the guard '\(it.service.name)' is asked about it, for at most \(Self.text(microseconds: it.service.timeout)):"
                + " what follows depends on its answer"
        case .askNavigator(let it):
            "the navigator '\(it.service.name)' is asked where it leads, for at most "
                + "\(Self.text(microseconds: it.service.timeout)): what follows depends on its answer"
        case .emitContextChanged(let it): "the owner of '\(it.path)' gets ContextChanged"
        case .present(let it): "the presenter '\(it.presenter.service.name)' is called to show '\(it.path)'"
        case .reportDelay(let path, "", let wait, let fault):
            "flow '\(path)' takes its initial step again in \(Self.text(microseconds: wait)): \(fault.text)"
        case .reportDelay(let path, let presenter, let wait, let fault):
            "the presenter '\(presenter)' is not called to show '\(path)' for \(Self.text(microseconds: wait)):"
                + " \(fault.text)"
        case .withdraw(let it): "the owner of '\(it.path)' gets Withdraw"
        case .emitStepConcluded(let it): "a step that was pending at '\(it.path)' ends"
        case .startService, .askAlive, .endProcess, .emitAnswered, .dropQuestion, .emitNavigationOccurred, .watchClient,
            .emitDefinitionsChanged, .changeContext,
            .emitStackChanged, .emitBackChanged, .emitSightChanged, .reply, .fail, .startTimer, .reportUnstarted,
            .reportUnrestored, .reportTiming:
            nil
        }
    }

    private func line(of state: PresentableState) -> String {
        let slot = forest.node(at: state.path)?.slot
        let arguments = slot.map { forest[$0].arguments } ?? state.arguments
        var line =
            "\(state.isFlow ? "flow" : "screen") '\(state.path)' is made\(Self.text(arguments, showsPrivate: false))"
        if !state.title.isEmpty { line += ", title \"\(Names.escaped(state.title))\"" }
        if !state.style.isEmpty { line += ", style '\(Names.escaped(state.style))'" }
        guard let slot, let deferred = forest[slot].initialStep else { return line }
        return line + "; its initial step '\(definitions[deferred.step].name)' waits until it is presented"
    }

    private func line(of changes: PropertyChanges) -> String? {
        var parts: [String] = []
        for entry in changes.properties.entries {
            switch (entry.property, entry.value) {
            case (.arguments, .arguments(let arguments)) where !arguments.isEmpty:
                parts.append("has" + Self.text(arguments, showsPrivate: false))
            case (.presented, .flag(let isPresented)):
                parts.append(isPresented ? "is presented" : "is not presented any more")
            case (.title, .text(let title)) where !title.isEmpty:
                parts.append("has the title \"\(Names.escaped(title))\"")
            case (.ready, .flag(true)): parts.append("is ready")
            case (.current, .path(let path?)): parts.append("has '\(path)' in front")
            case (.current, .path(nil)): parts.append("has no child in front any more")
            // The others are no news for the reader of an explanation.
            default: break
            }
        }
        return parts.isEmpty ? nil : "'\(changes.path)' \(parts.joined(separator: ", "))"
    }

    private static func text(microseconds: UInt64) -> String {
        if microseconds % 1_000_000 == 0 { return "\(microseconds / 1_000_000) s" }
        return microseconds % 1_000 == 0 ? "\(microseconds / 1_000) ms" : "\(microseconds) µs"
    }
}

extension Binding.Source {
    /// What a condition compares, as files have it.
    fileprivate var text: String {
        reference.map { "'\($0)'" } ?? "the value in the file"
    }
}

extension Alternative {
    fileprivate var isConditional: Bool { !when.isEmpty || !unless.isEmpty }
}
