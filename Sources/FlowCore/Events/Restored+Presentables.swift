// Restores presentables, and notes which are lost because no definition has them any more.

extension Machine {
    /// What became of the recorded presentables.
    struct Lost {
        /// By instance: the former path, and that of the nearest restored ancestor.
        var paths: [UInt64: (path: String, nearestLiveAncestor: String)] = [:]
        /// The slots of restored presentables.
        var slots: [UInt64: NodeSlot] = [:]
        /// The instances of those that no definition has any more.
        var undeclared: Set<UInt64> = []

        /// What those learn who asked about a presentable that is not restored (S-45).
        func outcome(of instance: UInt64) -> AskOutcome { undeclared.contains(instance) ? .undeclared : .parent }
    }

    mutating func restoreNodes(of stored: RecordSet, onSameBus: Bool, _ turn: inout Turn) -> Lost {
        var result = Lost()
        result.slots.reserveCapacity(stored.nodes.count)
        forest.reserveRoom(for: stored.nodes.count)
        let (activities, savedStates) = (stored.activities, stored.savedStates)
        // Those beside each other often have the same parent and the same name.
        var above: (instance: UInt64, slot: NodeSlot?) = (0, nil)
        var declared: (name: String, screen: ScreenID?)?
        for node in stored.nodes {
            let instance = node.instance
            if node.node.parent != above.instance { above = (node.node.parent, result.slots[node.node.parent]) }
            let parent = above.slot
            if node.node.flow == nil, declared?.name != node.node.name {
                declared = (node.node.name, definitions.screen(named: node.node.name))
            }
            let screen = node.node.flow == nil ? declared?.screen : nil
            // Nor is a screen anything without a flow.
            let isOrphan = parent == nil && (node.node.parent != 0 || node.node.flow == nil)
            if let why = whyLost(node, screen, isOrphan: isOrphan, onSameBus: onSameBus) {
                let record = node.node
                let parentPath = parent.map { forest[$0].path } ?? result.paths[record.parent]?.path ?? forest.base
                let path = Forest.path(of: record.id, below: parentPath)
                let nearestLiveAncestor =
                    parent.map { forest[$0].path } ?? result.paths[record.parent]?.nearestLiveAncestor ?? path
                result.paths[instance] = (path, nearestLiveAncestor)
                if !isOrphan, !why.isEmpty { result.undeclared.insert(instance) }
                if let parent { forest.update(parent) { $0.flow?.mayBeEmpty = true } }
                // Not reported if `restore` excludes it, or its parent, from another bus.
                if !why.isEmpty { turn.effects.append(.reportUnrestored(path: path, why)) }
                if onSameBus, let owner = record.owner {
                    let presenter = screen.flatMap { definitions[$0].presenter }
                    withdraw(
                        Withdrawal(
                            client: owner, object: presenter?.service.path ?? "/", path: path, instance: instance,
                            reason: isOrphan ? .parent : .undeclared), presenter?.application, &turn)
                }
                continue
            }
            let slot = restore(
                node, screen, below: parent, node.node.flow == nil ? nil : activities[instance],
                savedState: node.node.flow == nil ? savedStates[instance] : nil, onSameBus: onSameBus, &turn)
            result.slots[instance] = slot
        }
        forest.sortChildren(of: nil)
        for node in stored.nodes {
            guard let flow = node.node.flow, let slot = result.slots[node.instance] else { continue }
            forest.sortChildren(of: slot)
            for selected in flow.selected {
                if let child = result.slots[selected], forest[child].parent == slot { forest.select(child, of: slot) }
            }
        }
        return result
    }

    /// Why a presentable is not restored; nil if it is; empty if that needs no report.
    private func whyLost(
        _ stored: RecordSet.StoredNode, _ screen: ScreenID?, isOrphan: Bool, onSameBus: Bool
    ) -> String? {
        if isOrphan { return onSameBus ? "the flow that it was in is gone" : "" }
        let name = stored.node.name
        if stored.node.flow != nil {
            guard let flow = definitions.flow(named: name) else {
                return "no definition has a flow '\(name)' any more"
            }
            return onSameBus || definitions[flow].isRestored ? nil : ""
        }
        return screen == nil ? "no definition declares a screen '\(name)' any more" : nil
    }

    private mutating func restore(
        _ stored: RecordSet.StoredNode, _ screen: ScreenID?, below parent: NodeSlot?, _ activity: ActivityRecord?,
        savedState: Arguments?, onSameBus: Bool, _ turn: inout Turn
    ) -> NodeSlot {
        let record = stored.node
        var traits = record.traits
        if !onSameBus {
            // A root of `autostart` belongs to the daemon on any bus.
            if traits.client.isConnection { traits.client = .former }
            // No client shows it yet; flows are visible unless a client or a rule hides them.
            traits.isVisible = record.flow != nil && !traits.isHiddenByRule
            (traits.owner, traits.backStep) = (nil, nil)
        }
        var presenting = screen.flatMap { definitions[$0].presenter }.map { Boxed(Node.Presenting($0)) }
        if let known = record.presenting {
            presenting?.state = known.isShown && onSameBus ? .shown : .due
            presenting?.reason = onSameBus ? known.reason : .restore
            presenting?.origin = known.origin
            presenting?.serial = known.serial
            presenting?.isOutdated = known.isOutdated && onSameBus
            presenting?.leftBy = onSameBus ? known.leftBy : nil
            presenting?.isExpected = known.isExpected && onSameBus
            presenting?.hasAnsweredAlive = known.hasAnsweredAlive
            if known.hasAnsweredAlive, let name = presenting?.value.presenter.service.name {
                questions.programs.noteAnswer(of: name)
            }
            presenting?.fault = onSameBus ? known.fault : nil
            presenting?.eviction = onSameBus ? known.eviction : .none
        }
        let birth = Forest.Birth(
            traits: traits,
            flow: restoredState(record, activity, onSameBus: onSameBus, &turn),
            onDismissed: record.onDismissed.flatMap { restored($0.value) },
            onResult: record.onResult.flatMap { stored in
                restored(stored.template).map { OnResult(template: $0, asked: stored.asked) }
            }, presenting: presenting, savedState: savedState ?? [])
        if let owner = birth.owner { watchClient(owner) }
        let slot = forest.insert(birth, below: parent, instance: stored.instance)
        noteKeepsAwake(slot)
        return slot
    }

    /// The step of a template, if it is still declared.
    private func restored(_ template: NodeRecord.Template) -> StepTemplate? {
        definitions.step(named: template.step).map {
            StepTemplate($0, arguments: template.bindings.map { .given($0) } ?? .inherited)
        }
    }

    private func restoredState(
        _ record: NodeRecord, _ activity: ActivityRecord?, onSameBus: Bool, _ turn: inout Turn
    ) -> Boxed<Node.FlowState>? {
        guard let stored = record.flow, let flow = definitions.flow(named: record.name) else { return nil }
        let last = activity?.last.map { last in
            LastNavigation(
                serial: last.serial, step: last.step, arguments: last.arguments,
                client: onSameBus || !last.client.isConnection ? last.client : .former,
                byteCount: last.arguments.byteCount)
        }
        var state = definitions.newState(of: flow, hasInitial: false, birth: stored.birth, last: last, turn.now)
        state.readiness = stored.readiness
        state.isAwaitedByParent = stored.isAwaitedByParent
        state.mayBeEmpty = stored.isBare
        state.isBare = stored.isBare
        // Times are relative to the boot of the machine, which may be another one now.
        if onSameBus {
            state.nothingToShow = stored.nothingToShow
            for named in stored.pauses where definitions.declaresPaused(named.screen) {
                state.pauses[named.screen] = named.pause
            }
        }
        if onSameBus, state.reached != nil, let reached = activity?.reached {
            state.reached = reached
            state.isResting = activity?.isResting ?? false
            state.stage = activity?.stage ?? 0
        }
        return state
    }
}
