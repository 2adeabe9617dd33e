// The records of the machine: which have changed, and their contents.
//
// The forest derives from each change which records of nodes are dirty (``NodeTable``). Code that changes other recorded
// state notes that at once (`record`, `unrecord`, ``UnsavedRecords``). The contents are computed when records are taken, so
// many changes make one record. After each event, tests compare the taken records with all records.

extension Coordinator {
    /// Takes the changed records, each once, including those that may be written later.
    public mutating func takeRecords() -> [Record] { machine.takeRecords() }

    /// Takes all records, as if each had changed.
    public mutating func takeAllRecords() -> [Record] { machine.takeAllRecords() }

    /// Gives back unused serials and instances, at an orderly end of the process.
    public mutating func releaseReservedNumbers() { machine.releaseReservedNumbers() }

    /// The number of the latest call that an earlier process had not answered; the calls of this process have greater ones.
    public var latestRequest: RequestID { RequestID(machine.calls.all.keys.lazy.map(\.number).max() ?? 0) }
}

extension Machine {
    /// What is left to do after an event.
    @inline(__always)
    var pendingWork: Coordinator.PendingWork {
        let hasUrgentRecords =
            forest.hasDirtyRecords || unsaved.isUrgent || origins.hasUnsaved || calls.hasUnsaved
            || registrations.hasUnsaved || nameOwners.hasUnsaved || !tokens.unsaved.isEmpty
        return Coordinator.PendingWork(
            hasMore: hasMore, hasUrgentRecords: hasUrgentRecords,
            hasRecords: hasUrgentRecords || forest.hasDirtyActivities || !tokens.forgotten.isEmpty)
    }

    fileprivate mutating func takeRecords() -> [Record] {
        var records: [Record] = []
        if unsaved.hasCounters { records.append(counters) }
        unsaved.hasCounters = false
        for key in forest.takeGoneRecords() { records.append(Record(key, nil)) }
        for slot in forest.takeUnsaved() { records.append(record(ofNode: slot)) }
        for slot in forest.takeUnsavedActivities() { takeActivity(of: slot, into: &records) }
        for (number, body) in unsaved.steps.sorted(by: { $0.key < $1.key }) {
            records.append(Record(RecordKey(.step, number), body))
            if body == nil { unsaved.savedSteps.remove(number) } else { unsaved.savedSteps.insert(number) }
        }
        unsaved.steps = [:]
        records += origins.takeRecords()
        records += calls.takeRecords(definitions)
        records += registrations.takeRecords(watches)
        records += nameOwners.takeRecords()
        records += tokens.takeRecords()
        return records
    }

    fileprivate mutating func takeAllRecords() -> [Record] {
        for slot in forest.preorder() { forest.touchAll(slot) }
        unsaved.hasCounters = true
        tokens.touchAll()
        _ = takeRecords()
        _ = origins.takeAllRecords()
        _ = calls.takeAllRecords(definitions)
        let records = allRecords
        unsaved.savedSteps = Set(records.lazy.filter { $0.key.kind == .step }.map(\.key.number))
        return records
    }

    fileprivate mutating func releaseReservedNumbers() {
        (unsaved.reservedSerial, unsaved.reservedInstance) = (serial, forest.lastInstance)
        unsaved.hasCounters = true
    }

    /// Reserves serials and instances in advance, so that not each of them has to be recorded.
    mutating func reserveNumbers() {
        unsaved.reservedSerial = serial + UnsavedRecords.block
        unsaved.reservedInstance = forest.lastInstance + UnsavedRecords.block
        unsaved.hasCounters = true
    }

    // MARK: All records

    /// All records, sorted by their keys.
    var allRecords: [Record] {
        var records = unsaved.reservedSerial > 0 || unsaved.reservedInstance > 0 ? [counters] : []
        for slot in forest.preorder() {
            let node = forest[slot]
            records.append(record(ofNode: slot))
            records += record(ofActivity: slot)
            if let deferred = node.initialStep { records.append(record(ofStep: deferred, at: slot, isInitial: true)) }
            for deferred in node.deferredSteps { records.append(record(ofStep: deferred, at: slot, isInitial: false)) }
        }
        for step in blocked.all.values.joined() { records.append(record(ofStep: step, .blocked)) }
        for (_, asked) in questions.aboutSteps {
            if let step = asked.step { records.append(record(ofStep: step, asked.stage)) }
        }
        for step in queue.all where queue.recorded.contains(step.number) {
            records.append(record(ofStep: step, .queued))
        }
        records += origins.allRecords + calls.allRecords(definitions) + registrations.allRecords(watches)
        records += nameOwners.allRecords
        records += tokens.allRecords
        return records.sorted { $0.key < $1.key }
    }

    private var counters: Record {
        Record(
            RecordKey(.counters, 0),
            CountersRecord(serial: unsaved.reservedSerial, instance: unsaved.reservedInstance).encoded())
    }

    private func record(ofNode slot: NodeSlot) -> Record {
        let node = forest[slot]
        let record = NodeRecord(
            parent: node.parent.map { forest[$0].instance } ?? 0, traits: node.traits,
            onDismissed: node.onDismissed.map { template in
                var bindings: [Binding]?
                if case .given(let given) = template.arguments { bindings = given }
                return NodeRecord.Template(
                    step: definitions[template.step].name, bindings: bindings,
                    isPrivate: definitions[template.step].isPrivate)
            },
            presenting: node.presenting.map { presenting in
                NodeRecord.Presenting(
                    isShown: presenting.state == .shown,
                    isCalled: presenting.state == .asked || presenting.state == .queued, isAgain: presenting.isAgain,
                    origin: presenting.origin, serial: presenting.serial, revivals: presenting.revivals)
            },
            flow: node.flow.map { flow in
                NodeRecord.Flow(
                    readiness: flow.readiness, isAwaitedByParent: flow.isAwaitedByParent,
                    selected: flow.selected.map { forest[$0].instance })
            })
        return Record(RecordKey(.node, node.instance), record.encoded())
    }

    /// The activity record of a flow; none for a screen, or if nothing happened.
    private func record(ofActivity slot: NodeSlot) -> [Record] {
        guard let flow = forest[slot].flow, flow.last != nil || flow.reached != nil else { return [] }
        let record = ActivityRecord(
            last: flow.last.map {
                ActivityRecord.Last(serial: $0.serial, step: $0.step, arguments: $0.arguments, client: $0.client)
            }, reached: flow.reached, isResting: flow.isResting)
        return [Record(RecordKey(.activity, forest[slot].instance), record.encoded())]
    }

    private func record(ofStep deferred: DeferredStep, at slot: NodeSlot, isInitial: Bool) -> Record {
        Record(
            RecordKey(.step, deferred.number),
            record(of: deferred, at: slot, isInitial: isInitial, by: definitions).encoded())
    }

    private func record(ofStep step: WaitingStep, _ stage: StepRecord.Stage) -> Record {
        Record(RecordKey(.step, step.number), record(of: step, stage, by: definitions, nil).encoded())
    }

    private mutating func takeActivity(of slot: NodeSlot, into records: inout [Record]) {
        let record = record(ofActivity: slot)
        if forest.setActivitySaved(!record.isEmpty, of: slot), record.isEmpty {
            records.append(Record(RecordKey(.activity, forest[slot].instance), nil))
        }
        records += record
    }

    /// Removes the records of the steps that waited at a removed presentable.
    mutating func unrecordSteps(of node: Node) {
        if let deferred = node.initialStep { unrecord(deferred) }
        for deferred in node.deferredSteps { unrecord(deferred) }
    }
}
