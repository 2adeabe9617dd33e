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
            if let values = stored.contexts[instance], forest[slot].flow != nil {
                restoreContext(values, of: .flow(slot), onSameBus: onSameBus)
            }
        }
        forest.sortChildren(of: nil)
        for node in stored.nodes {
            guard let flow = node.node.flow, let slot = result.slots[node.instance] else { continue }
            forest.sortChildren(of: slot)
            for selected in flow.selected {
                if let child = result.slots[selected.instance], forest[child].parent == slot {
                    forest.select(child, of: slot)
                }
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
        var kept = record.kept
        kept.renewSteps(definitions)
        if !onSameBus {
            // A root of `autostart` belongs to the daemon on any bus.
            if kept.client.isConnection { kept.client = .former }
            // No client shows it yet; flows are visible unless a client or a rule hides them.
            kept.isVisible = record.flow != nil && !kept.isHiddenByRule
            (kept.owner, kept.backStep) = (nil, nil)
        }
        var presenting = screen.flatMap { definitions[$0].presenter }.map { Boxed(Node.Presenting($0)) }
        if let known = record.presenting?.value {
            presenting?.kept =
                onSameBus
                ? known
                : Node.KeptScreen(
                    reason: .restore, hasAnsweredAlive: known.hasAnsweredAlive, origin: known.origin,
                    serial: known.serial)
            // Until it is known what is in sight.
            presenting?.kept.isSpared = false
            if known.hasAnsweredAlive, let name = presenting?.value.presenter.service.name {
                questions.programs.noteAnswer(of: name)
            }
        }
        let birth = Forest.Birth(
            kept: kept, flow: restoredState(record, activity, onSameBus: onSameBus, turn.now), presenting: presenting,
            savedState: savedState ?? [])
        if let owner = birth.owner { watchClient(owner) }
        let slot = forest.insert(birth, below: parent, instance: stored.instance)
        noteKeepsAwake(slot)
        return slot
    }

    private func restoredState(
        _ record: NodeRecord, _ activity: ActivityRecord?, onSameBus: Bool, _ now: Instant
    ) -> Boxed<Node.FlowState>? {
        guard let stored = record.flow, let flow = definitions.flow(named: record.name) else { return nil }
        var state = definitions.newState(of: flow, hasInitial: false, birth: stored.birth, now)
        state.mayBeEmpty = stored.isBare
        state.kept = stored.value
        // These are known when the tree is.
        (state.kept.selected, state.kept.emptiedBy) = ([], nil)
        // Times are relative to the boot of the machine, which may be another one now.
        state.kept.pauses = onSameBus ? stored.pauses.filter { definitions.declaresPaused($0.key) } : [:]
        if !onSameBus { state.kept.nothingToShow = "" }
        if onSameBus, let activity {
            if state.activity.idle.begun != nil, activity.idle.begun != nil { state.activity.idle = activity.idle }
            if state.activity.timers.count == activity.timers.count {
                (state.activity.timers, state.activity.wasPresented) = (activity.timers, activity.wasPresented)
            }
        }
        state.activity.last = activity?.last
        if !onSameBus, activity?.last?.client.isConnection == true { state.activity.last?.client = .former }
        return state
    }
}
