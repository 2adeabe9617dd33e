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
    public mutating func takeAllRecords(like found: [Record] = []) -> [Record] {
        machine.takeRecords(all: true, like: found)
    }

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
            forest.books.nodes.isDirty || forest.books.savedStates.isDirty || forest.books.contexts.isDirty
            || unsaved.isUrgent || origins.book.isDirty || outputs.book.isDirty
            || calls.hasUnsaved
            || registrations.book.isDirty || steppers.book.isDirty || nameOwners.book.isDirty || tokens.book.hasChanged
            || asks.book.hasChanged
        return Coordinator.PendingWork(
            hasMore: hasMore, hasUrgentRecords: hasUrgentRecords,
            hasRecords: hasUrgentRecords || forest.books.activities.isDirty || tokens.book.hasGone || asks.book.hasGone)
    }

    /// Takes the changed records, or all, sorted by their keys.
    ///
    /// - Parameter found: records of before, in the same order. Those of nodes that still hold are not made again.
    mutating func takeRecords(all: Bool = false, like found: [Record] = []) -> [Record] {
        var records = takeRecordsOfTree(all: all, like: found)
        let (counters, steps) = (unsaved.takeCounters(), unsaved.takeSteps())
        records += all ? unsaved.counters.map { [$0] } ?? [] : counters.map { [$0] } ?? []
        records += all ? recordsOfSteps : steps
        records += origins.takeRecords(all: all) + calls.takeRecords(all: all, definitions)
        records += registrations.takeRecords(all: all, watches) + nameOwners.takeRecords(all: all)
        records += outputs.takeRecords(all: all)
        records += steppers.takeRecords(all: all) + tokens.takeRecords(all: all) + asks.takeRecords(all: all)
        guard all else { return records }
        records.removeAll { $0.body == nil }
        unsaved.setSavedSteps(among: records)
        return records.sorted { $0.key < $1.key }
    }

    private mutating func takeRecordsOfTree(all: Bool, like found: [Record]) -> [Record] {
        // Most flows have no context.
        let holders = all ? [0] + forest.preorder().filter { hasContext($0) }.map { forest[$0].instance } : []
        let all = all ? forest.preorder().map { forest.id(of: $0) } : []
        // The contents are those of the forest, so its books are elsewhere meanwhile.
        var books = NodeTable.RecordBooks(isWanted: false)
        swap(&books, &forest.books)
        defer { swap(&books, &forest.books) }
        return books.nodes.take(all: all) { record(ofNode: $0, like: found) }
            + books.activities.take(all: all) { record(ofActivity: $0) }
            + books.savedStates.take(all: all) { record(ofSavedState: $0) }
            + books.contexts.take(all: holders) { forest.record(ofContext: $0) }
    }

    fileprivate mutating func releaseReservedNumbers() {
        unsaved.release(after: serial, instance: forest.lastInstance)
    }

    private func hasContext(_ slot: NodeSlot) -> Bool { forest[slot].flow?.context.isEmpty == false }

    // MARK: Contents

    /// The records of all steps that wait.
    private var recordsOfSteps: [Record] {
        var records: [Record] = []
        for slot in forest.preorder() {
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

    private func record(ofNode id: NodeID, like found: [Record]) -> Record {
        let (key, node) = (RecordKey(.node, id.instance), nodeRecord(of: id.slot))
        let place = found.firstPlace(from: key)
        // Comparing is less work than encoding.
        let holds = place < found.count && found[place].key == key && found[place].node?.says(node) == true
        return holds ? found[place] : Record(key, node.encoded())
    }

    private func nodeRecord(of slot: NodeSlot) -> NodeRecord {
        NodeRecord(
            parent: forest[slot].parent.map { forest[$0].instance } ?? 0, kept: forest[slot].kept,
            presenting: forest[slot].presenting.map { Boxed($0.kept) }, flow: forest[slot].flow.map { Boxed($0.kept) })
    }

    /// The activity record of a flow; none for a screen, or if nothing happened.
    private func record(ofActivity id: NodeID) -> Record {
        guard let activity = forest[id.slot].flow?.activity, activity.last != nil || activity.isTimed else {
            return Record(RecordKey(.activity, id.instance), nil)
        }
        return Record(.activity, id.instance, activity)
    }

    private func record(ofStep deferred: DeferredStep, at slot: NodeSlot, isInitial: Bool) -> Record {
        Record(.step, deferred.number, record(of: deferred, at: slot, isInitial: isInitial, by: definitions))
    }

    private func record(ofStep step: WaitingStep, _ stage: StepRecord.Stage) -> Record {
        Record(.step, step.number, record(of: step, stage, by: definitions, nil))
    }

    /// The record of the state that the owner of a screen saved; none if there is no such state.
    private func record(ofSavedState id: NodeID) -> Record {
        let (state, screen) = (forest[id.slot].savedState, definitions.screen(named: forest[id.slot].name))
        if state.isEmpty { return Record(RecordKey(.savedState, id.instance), nil) }
        let isForDisk = screen.map { definitions[$0].isStateOnDisk } ?? false
        return Record(.savedState, id.instance, SavedStateRecord(state: state, isForDisk: isForDisk))
    }

    /// Makes records of when flows were touched, at an orderly end of the process.
    fileprivate mutating func recordTouches() {
        for slot in forest.preorder() where forest[slot].flow?.touched != nil {
            let reached = forest[slot].flow?.lastReached
            forest.update(slot) { node in
                node.flow?.activity.idle.begun = reached
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
