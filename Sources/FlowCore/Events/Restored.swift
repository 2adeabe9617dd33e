// Restores the machine from its records: the same tree, with all that waits in it (D-3). What follows from the tree is
// computed again. No signal reports restored presentables: clients read the tree when the bus name appears again.

extension Machine {
    /// Restores the records of an earlier process.
    ///
    /// - Parameter onSameBus: whether the bus is the same one; on another, no recorded client exists any more.
    mutating func restore(_ records: [Record], onSameBus: Bool, _ turn: inout Turn) {
        awaitFirstValues(turn)
        let stored: RecordSet
        do throws(RecordFailure) {
            stored = try RecordSet(records)
            try stored.check()
        } catch {
            // The driver checks records before, and does not restore damaged ones.
            turn.effects.append(.reportUnrestored(path: forest.top, error.message))
            return
        }
        serial = max(serial, stored.counters.serial)
        restoreContext(stored.contexts[0], of: .coordinator, onSameBus: onSameBus)
        if let record = stored.outputs { outputs.restore(record, at: turn.now) }
        watchOutputs()
        restoreRegistrations(stored.registrations, onSameBus: onSameBus, &turn)
        let departed = onSameBus ? restoreNameOwners(stored.nameOwners) : []
        origins.restore(stored.origins, latest: stored.lastOrigin)
        let lost = restoreNodes(of: stored, onSameBus: onSameBus, &turn)
        forest.reserve(upTo: stored.counters.instance)
        unsaved.restore(serial: serial, instance: forest.lastInstance)

        forest.updateAllVisibility()
        renewTitles()
        forest.forgetChanges()
        // Nothing is a return after a restart, and a screen that stayed when its owner left waits until it comes in sight again
        // (S-30).
        let spared = Set(stored.nodes.lazy.filter { $0.node.presenting?.isSpared == true }.map(\.instance))
        for (slot, _) in forest.takeSightings() where forest[slot].isInSight {
            let isSpared = onSameBus && spared.contains(forest[slot].instance)
            forest.update(slot) { node in
                node.presenting?.wasInSight = true
                node.presenting?.kept.isSpared = isSpared
            }
            if !isSpared { forest.noteSighting(slot) }
        }

        for slot in forest.preorder() {
            if forest[slot].flow != nil { hideLastNavigation(of: slot) } else { restoreEviction(of: slot, &turn) }
            let origin = forest[slot].kept.stepInTurn
            if origin != 0 { inTurn.begin(origin, at: forest.id(of: slot)) }
        }
        for (number, record) in stored.steppers {
            steppers.restore(record, number, isLive: lost.slots[record.root] != nil)
        }
        restoreAsks(of: stored, lost, onSameBus: onSameBus, &turn)
        let begun = restoreSteps(of: stored, lost, onSameBus: onSameBus, &turn)
        endRestoredAsks(onSameBus: onSameBus, &turn)
        removeRestoredEmptyFlows(of: stored, besides: begun, onSameBus: onSameBus, &turn)
        takeUncovered()
        if definitions.haveIdleFlows || definitions.haveTimers { restoreTimes(stored, onSameBus: onSameBus, &turn) }
        // A signal may have been lost.
        tellContext(&turn)
        triggerPresented(&turn)
        for (name, client) in departed { dismissFlows(client, &turn) { $0.navigator?.service.name == name } }
        run(&turn)
        origins.forgetRestored()
        forest.touchAll()
        noteSight()
        restoredRoots = Set(forest.roots.map { forest[$0].id })
    }

    /// Times begin anew. The owner of a screen that is evicted may not have got `Withdraw`.
    private mutating func restoreEviction(of slot: NodeSlot, _ turn: inout Turn) {
        guard let owner = forest[slot].owner, let presenting = forest[slot].presenting else { return }
        if presenting.kept.eviction == .underWay {
            askToLeave(slot, owner, &turn)
        } else {
            awaitEviction(of: slot, turn.now)
        }
    }

    /// What the removed flows covered comes in sight, but was hidden from nobody since the restart: it does not return (S-38).
    private mutating func takeUncovered() {
        for (slot, _) in forest.takeSightings() where forest[slot].isInSight {
            forest.update(slot) { $0.presenting?.wasInSight = true }
            forest.noteSighting(slot)
        }
    }

    /// The times of timers go on. If nothing keeps a flow awake any more, its idle times begin anew.
    private mutating func restoreTimes(_ stored: RecordSet, onSameBus: Bool, _ turn: inout Turn) {
        for slot in forest.preorder() where forest[slot].flow?.activity.isTimed == true {
            let wasAwake = onSameBus && stored.activities[forest[slot].instance]?.isAwake == true
            if wasAwake, forest[slot].flow?.wakers == 0 {
                beginIdleTimes(of: slot, &turn)
            }
            notePresentation(of: slot, turn.now)
            scheduleTimers(of: slot)
        }
    }

    /// Removes the flows of a restored tree that are empty, without a signal: no client has seen them (S-36).
    ///
    /// - Parameter begun: the flows whose initial step waits.
    private mutating func removeRestoredEmptyFlows(
        of stored: RecordSet, besides begun: Set<NodeID>, onSameBus: Bool, _ turn: inout Turn
    ) {
        var causes: [UInt64: EmptyFlows.Cause] = [:]
        for stored in stored.nodes {
            if let cause = stored.node.flow?.emptiedBy { causes[stored.instance] = cause.value }
        }
        var hasGone = false
        for slot in forest.preorder().reversed() where forest[slot].flow?.isChildless == true {
            let mayGo = isLeftEmpty(slot)
            if !mayGo || isAwaitingSteps(slot) || whenEmpty(slot) == .again {
                let known = causes[forest[slot].instance]
                // One that begins again is noted when its initial step has ended, with what failed then (S-48).
                if mayGo, known != nil || !begun.contains(forest.id(of: slot)) {
                    var cause =
                        known ?? EmptyFlows.Cause(origin: origins.next(), cause: 0, client: .daemon)
                    if !onSameBus { cause.client = .daemon }
                    noteEmpty(slot, cause)
                }
                forest.update(slot) { $0.flow?.kept.isBare = true }
                continue
            }
            let parent = forest[slot].parent
            let gone = forest.remove(slot)
            for node in gone {
                if node.parent == nil { steppers.forget(root: node.instance) }
                if node.owner != nil { withdraw(node, .dismissal(.empty), &turn) }
            }
            noteGone(gone, .empty, &turn)
            concludeRemoval(gone, below: parent)
            hasGone = true
        }
        if !hasGone { return }
        forest.updateAllVisibility()
        forest.forgetChanges()
    }

    // MARK: Registered flows

    private mutating func restoreRegistrations(
        _ stored: [(number: UInt64, registration: RegistrationRecord)], onSameBus: Bool, _ turn: inout Turn
    ) {
        for (number, record) in stored {
            var registration = record.registration
            if !onSameBus {
                guard registration.isActivatable else { continue }
                registration.client = .daemon
            }
            do throws(FlowError) {
                try registrations.check(registration, besides: registrations.all, in: definitions, accounting)
            } catch {
                turn.effects.append(.reportUnrestored(path: registration.flow, error.message))
                continue
            }
            registrations.restore(registration, number)
            definitions = registrations.definitions
            if onSameBus, !record.isLeft { watchClient(registration.client) }
        }
    }

    /// Restores the owners of bus names. Those in definition files are known already; the driver reports the others.
    private mutating func restoreNameOwners(
        _ stored: [(number: UInt64, name: NameOwnerRecord)]
    ) -> [(name: String, client: Client)] {
        let known = Set(registrations.files.busNames)
        let wanted = Set(definitions.busNames)
        var departed: [(name: String, client: Client)] = []
        for (_, record) in stored {
            if known.contains(record.name) {
                if nameOwners[record.name] != record.owner { departed.append((record.name, record.owner)) }
            } else if wanted.contains(record.name) {
                nameOwners.restore(record)
            }
        }
        return departed
    }

    // MARK: Asks

    /// Restores asks, before the steps of their chains.
    private mutating func restoreAsks(of stored: RecordSet, _ lost: Lost, onSameBus: Bool, _ turn: inout Turn) {
        for (number, record) in stored.asks {
            let (presentable, key) = (record.asker, record.key)
            var ask = record
            if !onSameBus { (ask.client, ask.isLeft) = (.former, true) }
            let isLive = presentable.map { lost.slots[$0] != nil } ?? onSameBus
            if !isLive, ask.isLeft { continue }
            asks.restore(ask, number)
            accounting.count(ask.usage, for: ask.client)
            accounting.open(ask.client)
            if isLive { countAsks(of: key) } else { endAsks(of: presentable ?? 0, turn.now) }
        }
        endUndeclaredAsks(&turn)
        for instance in asks.asked where lost.slots[instance] == nil {
            for number in asks.about(instance) { answer(number, lost.outcome(of: instance), &turn) }
        }
    }

    /// Ends the asks whose steps were not restored, and sends those answers again that the asker may not have got.
    private mutating func endRestoredAsks(onSameBus: Bool, _ turn: inout Turn) {
        for number in asks.takeEndedChains() where asks[number]?.state == .open(about: nil) {
            // The caller learns from its call that the step was not taken.
            if asks[number]?.verdict == nil { forgetAsk(number) } else { answer(number, .nothing, &turn) }
        }
        guard onSameBus else { return }
        for (number, ask) in asks.asks where !ask.isTold { tell(number, &turn) }
    }
}

extension RecordSet {
    /// The greatest origin of these steps.
    fileprivate var lastOrigin: UInt64 {
        max(
            steps.lazy.map(\.step.origin).max() ?? 0, origins.keys.max() ?? 0,
            asks.lazy.map(\.ask.origin).max() ?? 0,
            nodes.lazy.map(\.latestOrigin).max() ?? 0)
    }
}
