// The records of the machine: which have changed, and their contents.
//
// The forest derives from each change which records of nodes are dirty (``NodeTable``). Code that changes other recorded
// state notes that at once (`record`, `unrecord`, ``UnsavedRecords``). The contents are computed when records are taken, so
// many changes make one record. After each event, tests compare the taken records with all records.

extension Coordinator {
    /// Takes the changed records, each once, including those that may be written later.
    public mutating func takeRecords() -> [Record] { machine.takeRecords() }

    /// Takes all records, as if each had changed.
    ///
    /// - Parameter found: records of before, sorted by their keys. Those of nodes that still hold are not made again.
    public mutating func takeAllRecords(like found: [Record] = []) -> [Record] { machine.takeAllRecords(like: found) }

    /// Gives back unused serials and instances, and makes records of when flows were touched, at an orderly end of the process.
    public mutating func releaseReservedNumbers() {
        machine.recordTouches()
        machine.releaseReservedNumbers()
    }

    /// The number of the latest call that an earlier process had not answered; the calls of this process have greater ones.
    public var latestRequest: RequestID { machine.calls.requests.last ?? RequestID(0) }
}

extension Machine {
    /// What is left to do after an event.
    var pendingWork: Coordinator.PendingWork {
        guard unsaved.isWanted else {
            return Coordinator.PendingWork(hasMore: hasMore, hasUrgentRecords: false, hasRecords: false)
        }
        let hasUrgentRecords =
            forest.hasDirtyRecords || unsaved.isUrgent || origins.book.isDirty || calls.hasUnsaved
            || registrations.book.isDirty || steppers.book.isDirty || nameOwners.book.isDirty || tokens.book.hasChanged
            || asks.book.hasChanged
        return Coordinator.PendingWork(
            hasMore: hasMore, hasUrgentRecords: hasUrgentRecords,
            hasRecords: hasUrgentRecords || forest.hasDirtyActivities || tokens.book.hasGone || asks.book.hasGone)
    }

    fileprivate mutating func takeRecords() -> [Record] {
        var records: [Record] = []
        if let counters = unsaved.takeCounters() { records.append(counters) }
        for key in forest.takeGoneRecords() { records.append(Record(key, nil)) }
        for slot in forest.takeUnsaved() { records.append(record(ofNode: slot)) }
        for slot in forest.takeUnsaved(.activity) {
            take(record(ofActivity: slot), .activity, of: slot, into: &records)
        }
        for slot in forest.takeUnsaved(.savedState) {
            take(record(ofSavedState: slot), .savedState, of: slot, into: &records)
        }
        return records + unsaved.takeSteps() + takeRecordsOfRooms(all: false)
    }

    /// Takes the changed records of the rooms that know which these are, or all.
    private mutating func takeRecordsOfRooms(all: Bool) -> [Record] {
        var records = origins.takeRecords(all: all) + calls.takeRecords(all: all, definitions)
        records += registrations.takeRecords(all: all, watches) + nameOwners.takeRecords(all: all)
        records += steppers.takeRecords(all: all) + tokens.takeRecords(all: all) + asks.takeRecords(all: all)
        return records
    }

    /// Takes all records, sorted by their keys.
    ///
    /// - Parameter found: records of before. Those of nodes that still hold are not made again.
    mutating func takeAllRecords(like found: [Record] = []) -> [Record] {
        for slot in forest.preorder() { forest.touchAll(slot) }
        // Those of nodes are made once, below.
        _ = forest.takeUnsaved()
        _ = takeRecords()
        let records = (allRecords(ofTreeLike: found) + takeRecordsOfRooms(all: true)).sorted { $0.key < $1.key }
        unsaved.setSavedSteps(among: records)
        return records
    }

    fileprivate mutating func releaseReservedNumbers() {
        unsaved.release(after: serial, instance: forest.lastInstance)
    }

    // MARK: All records

    /// All records of the tree, and of steps that wait.
    private func allRecords(ofTreeLike found: [Record]) -> [Record] {
        var records = unsaved.counters.map { [$0] } ?? []
        records.reserveCapacity(found.count)
        var place = 0
        for slot in forest.preorder() {
            records.append(record(ofNode: slot, like: found, from: &place))
            records += record(ofActivity: slot)
            records += record(ofSavedState: slot)
            if let deferred = forest[slot].initialStep {
                records.append(record(ofStep: deferred, at: slot, isInitial: true))
            }
            for deferred in forest[slot].deferredSteps {
                records.append(record(ofStep: deferred, at: slot, isInitial: false))
            }
        }
        for step in blocked.all.values.joined() { records.append(record(ofStep: step, .blocked)) }
        for (_, asked) in questions.aboutSteps {
            if let step = asked.step { records.append(record(ofStep: step, asked.stage)) }
        }
        for step in queue.all where queue.recorded.contains(step.number) {
            records.append(record(ofStep: step, .queued))
        }
        return records
    }

    /// - Parameter place: where the record is usually found, as a node often follows the one before.
    private func record(ofNode slot: NodeSlot, like found: [Record], from place: inout Int) -> Record {
        let (key, node) = (RecordKey(.node, forest[slot].instance), nodeRecord(of: slot))
        if place == found.count || found[place].key != key { place = found.firstPlace(from: key) }
        guard place < found.count, found[place].key == key else { return Record(key, node.encoded()) }
        defer { place += 1 }
        // Comparing is less work than encoding.
        return found[place].node?.says(node) == true ? found[place] : Record(key, node.encoded())
    }

    private func record(ofNode slot: NodeSlot) -> Record {
        Record(RecordKey(.node, forest[slot].instance), nodeRecord(of: slot).encoded())
    }

    private func nodeRecord(of slot: NodeSlot) -> NodeRecord {
        NodeRecord(
            parent: forest[slot].parent.map { forest[$0].instance } ?? 0, kept: forest[slot].kept,
            presenting: forest[slot].presenting.map { Boxed($0.kept) }, flow: forest[slot].flow.map { Boxed($0.kept) })
    }

    /// The activity record of a flow; none for a screen, or if nothing happened.
    private func record(ofActivity slot: NodeSlot) -> [Record] {
        guard let activity = forest[slot].flow?.activity, activity.last != nil || activity.reached != nil else {
            return []
        }
        return [Record(RecordKey(.activity, forest[slot].instance), activity.encoded())]
    }

    private func record(ofStep deferred: DeferredStep, at slot: NodeSlot, isInitial: Bool) -> Record {
        Record(
            RecordKey(.step, deferred.number),
            record(of: deferred, at: slot, isInitial: isInitial, by: definitions).encoded())
    }

    private func record(ofStep step: WaitingStep, _ stage: StepRecord.Stage) -> Record {
        Record(RecordKey(.step, step.number), record(of: step, stage, by: definitions, nil).encoded())
    }

    /// The record of the state that the owner of a screen saved; none if there is no such state.
    private func record(ofSavedState slot: NodeSlot) -> [Record] {
        guard !forest[slot].savedState.isEmpty else { return [] }
        let screen = definitions.screen(named: forest[slot].name)
        let record = SavedStateRecord(
            state: forest[slot].savedState, isForDisk: screen.map { definitions[$0].isStateOnDisk } ?? false)
        return [Record(RecordKey(.savedState, forest[slot].instance), record.encoded())]
    }

    /// Takes a record of a node that need not exist, or notes that it is gone.
    private mutating func take(
        _ record: [Record], _ part: DirtyRecords.Part, of slot: NodeSlot, into records: inout [Record]
    ) {
        if forest.setSaved(!record.isEmpty, slot, part), record.isEmpty {
            records.append(Record(RecordKey(part.kind, forest[slot].instance), nil))
        }
        records += record
    }

    /// Makes records of when flows were touched, at an orderly end of the process.
    fileprivate mutating func recordTouches() {
        for slot in forest.preorder() where forest[slot].flow?.touched != nil {
            let reached = forest[slot].flow?.lastReached
            forest.update(slot) { node in
                node.flow?.activity.reached = reached
                node.flow?.touched = nil
            }
        }
    }
}

extension [Record] {
    /// The place of the first record whose key is not less than this one, in records that are sorted by their keys.
    fileprivate func firstPlace(from key: RecordKey) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
