// The machine taken apart: which records changed, and what they say.
//
// Whoever changes something that a record says notes that at once (`Forest.touch`, `record`, `unrecord`, ``UnsavedRecords``);
// what the record says is asked for when records are taken, so that many changes of a node make one record. That nothing
// is forgotten is shown by the tests: after each event the records that were taken have to be those of all there is.

extension Coordinator {
    /// Whether records changed that have to be kept before the effects of the latest events are carried out (D-1).
    public var hasUrgentRecords: Bool { !forest.unsaved.isEmpty || unsaved.isUrgent || !tokens.unsaved.isEmpty }

    /// Whether records changed at all: others may be kept later, with the next urgent ones or by themselves (D-2).
    public var hasRecords: Bool {
        hasUrgentRecords || !forest.unsavedActivities.isEmpty || !tokens.forgotten.isEmpty
    }

    /// The records that changed since they were last taken, each once; those that may be kept later among them.
    public mutating func takeRecords() -> [Record] {
        var records: [Record] = []
        if unsaved.hasCounters { records.append(counters) }
        unsaved.hasCounters = false
        for key in unsaved.goneNodes { records.append(Record(key, nil)) }
        unsaved.goneNodes = []
        for slot in forest.takeUnsaved() { records.append(record(ofNode: slot)) }
        for slot in forest.takeUnsavedActivities() { takeActivity(of: slot, into: &records) }
        for (number, body) in unsaved.steps.sorted(by: { $0.key < $1.key }) {
            records.append(Record(RecordKey(.step, number), body))
            if body == nil { unsaved.savedSteps.remove(number) } else { unsaved.savedSteps.insert(number) }
        }
        unsaved.steps = [:]
        for number in Set(unsaved.origins).sorted() {
            records += record(ofOrigin: number)
            origins[number]?.isSaved = true
        }
        for number in Set(unsaved.goneOrigins).subtracting(unsaved.origins).sorted() {
            records.append(Record(RecordKey(.origin, number), nil))
        }
        (unsaved.origins, unsaved.goneOrigins) = ([], [])
        takeLists(into: &records)
        takeProgress(into: &records)
        takeRegistrations(into: &records)
        takeNameOwners(into: &records)
        records += tokens.takeRecords()
        return records
    }

    /// All records, as if each had changed; none counts as changed any more.
    public mutating func takeAllRecords() -> [Record] {
        for slot in forest.preorder() {
            forest.touch(slot)
            // Screens have none, and are many: the list of those that changed is cleared up by the number of flows.
            if forest[slot].flow != nil { forest.touchActivity(of: slot) }
        }
        unsaved.hasCounters = true
        tokens.touchAll()
        _ = takeRecords()
        for number in origins.keys where origins[number]?.isRecorded == true { origins[number]?.isSaved = true }
        let records = allRecords
        unsaved.savedSteps = Set(records.lazy.filter { $0.key.kind == .step }.map(\.key.number))
        unsaved.savedProgress = progress
        unsaved.savedLists = Set(records.lazy.filter { $0.key.kind == .list }.map(\.key.number))
        return records
    }

    /// No more serials and instances are reserved than were given: at the end of a process that can still say so.
    public mutating func releaseReservedNumbers() {
        (unsaved.reservedSerial, unsaved.reservedInstance) = (serial, forest.lastInstance)
        unsaved.hasCounters = true
    }

    /// Reserves serials and instances beyond those that were given, so that not each of them has to be recorded.
    mutating func reserveNumbers() {
        unsaved.reservedSerial = serial + UnsavedRecords.block
        unsaved.reservedInstance = forest.lastInstance + UnsavedRecords.block
        unsaved.hasCounters = true
    }

    /// The number of the latest call that an earlier process had not answered; the calls of this one have greater ones.
    public var latestRequest: RequestID { RequestID(calls.keys.lazy.map(\.number).max() ?? 0) }

    // MARK: What there is

    /// What all records say, sorted by their keys.
    var allRecords: [Record] {
        var records = unsaved.reservedSerial > 0 || unsaved.reservedInstance > 0 ? [counters] : []
        for slot in forest.preorder() {
            let node = forest[slot]
            records.append(record(ofNode: slot))
            records += record(ofActivity: slot)
            if let held = node.initialStep { records.append(record(ofStep: held, at: slot, isInitial: true)) }
            for held in node.deferredSteps { records.append(record(ofStep: held, at: slot, isInitial: false)) }
        }
        for step in blocked.values.flatMap(\.sorted) { records.append(record(ofStep: step, .blocked)) }
        for asked in questions.values {
            if let step = asked.step { records.append(record(ofStep: step, asked.stage)) }
        }
        for step in queue.all where queue.recorded.contains(step.number) {
            records.append(record(ofStep: step, .queued))
        }
        for (request, progress) in progress { records.append(Record(RecordKey(.progress, request), progress.bytes)) }
        for number in origins.keys { records += record(ofOrigin: number) }
        for request in calls.keys { if let record = record(ofList: request.number) { records.append(record) } }
        for registration in registrations {
            if let number = unsaved.registrationNumbers[registration.flow] {
                records.append(record(of: registration, number))
            }
        }
        for (name, owner) in nameOwners {
            if let number = unsaved.nameNumbers[name] { records.append(record(of: owner, of: name, number)) }
        }
        records += tokens.allRecords
        return records.sorted { $0.key < $1.key }
    }

    private var counters: Record {
        Record(
            RecordKey(.counters, 0),
            CountersRecord(serial: unsaved.reservedSerial, instance: unsaved.reservedInstance).bytes)
    }

    private func record(ofNode slot: NodeSlot) -> Record {
        let node = forest[slot]
        let record = NodeRecord(
            parent: node.parent.map { forest[$0].instance } ?? 0, name: node.name, id: node.id, style: node.style,
            arguments: node.arguments, isVisible: node.isVisible, whenHidden: node.whenHidden, owner: node.owner,
            client: node.client,
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
                    isCalled: presenting.state == .asked || presenting.state == .held, isAgain: presenting.isAgain,
                    origin: presenting.origin, serial: presenting.serial, revivals: presenting.revivals)
            },
            flow: node.flow.map { flow in
                NodeRecord.Flow(
                    readiness: flow.readiness, isAwaitedByParent: flow.isAwaitedByParent,
                    selected: flow.selected.map { forest[$0].instance })
            })
        return Record(RecordKey(.node, node.instance), record.bytes)
    }

    /// None for a screen, and for a flow where nothing happened.
    private func record(ofActivity slot: NodeSlot) -> [Record] {
        guard let flow = forest[slot].flow, flow.last != nil || flow.reached != nil else { return [] }
        let record = ActivityRecord(
            last: flow.last.map {
                ActivityRecord.Last(serial: $0.serial, step: $0.step, arguments: $0.arguments, client: $0.client)
            }, reached: flow.reached, isResting: flow.isResting)
        return [Record(RecordKey(.activity, forest[slot].instance), record.bytes)]
    }

    private func record(ofStep held: DeferredStep, at slot: NodeSlot, isInitial: Bool) -> Record {
        Record(
            RecordKey(.step, held.number), record(of: held, at: slot, isInitial: isInitial, by: definitions).bytes)
    }

    private func record(ofStep step: WaitingStep, _ stage: StepRecord.Stage) -> Record {
        Record(RecordKey(.step, step.number), record(of: step, stage, by: definitions).bytes)
    }

    /// None where it set off nothing.
    private func record(ofOrigin number: UInt64) -> [Record] {
        guard let origin = origins[number], origin.isRecorded else { return [] }
        let record = OriginRecord(triggered: origin.triggered, isReported: origin.isReported)
        return [Record(RecordKey(.origin, number), record.bytes)]
    }

    private func record(ofList request: UInt64) -> Record? {
        guard let call = calls[RequestID(request)] else { return nil }
        let record: ListRecord
        switch call.kind {
        case .list(let list):
            record = ListRecord(
                client: call.client, node: list.node.instance, path: list.path,
                items: list.steps.map { emitted in
                    switch emitted {
                    case .step(let step, let arguments): .step(definitions[step].name, arguments)
                    case .refused(let error): .refused(error)
                    }
                })
        case .deepLink(let link) where link.next < link.flows.count:
            let outcomes = deepLinks[RequestID(request)] ?? []
            record = ListRecord(
                client: call.client, node: 0, path: "", items: [.step(definitions[link.step].name, link.arguments)],
                flows: zip(link.flows, outcomes).map { flow, outcome in
                    ListRecord.Flow(instance: flow?.instance ?? 0, path: outcome.path)
                })
        case .deepLink, .step, .path, .readiness: return nil
        }
        return Record(RecordKey(.list, request), record.bytes)
    }

    /// How far calls are that go on in slices.
    private mutating func takeProgress(into records: inout [Record]) {
        guard unsaved.hasProgress else { return }
        unsaved.hasProgress = false
        let (now, before) = (progress, unsaved.savedProgress)
        for number in Set(now.keys).union(before.keys).sorted() where now[number] != before[number] {
            records.append(Record(RecordKey(.progress, number), now[number]?.bytes))
        }
        unsaved.savedProgress = now
    }

    private func record(of registration: Registration, _ number: UInt64) -> Record {
        let record = RegistrationRecord(
            registration: registration, isLeft: watched[registration.client] == nil)
        return Record(RecordKey(.registration, number), record.bytes)
    }

    private func record(of owner: Client, of name: String, _ number: UInt64) -> Record {
        Record(RecordKey(.nameOwner, number), NameOwnerRecord(name: name, owner: owner).bytes)
    }

    private mutating func takeNameOwners(into records: inout [Record]) {
        for name in unsaved.names.sorted() {
            if let owner = nameOwners[name] {
                if unsaved.nameNumbers[name] == nil {
                    unsaved.lastName += 1
                    unsaved.nameNumbers[name] = unsaved.lastName
                }
                if let number = unsaved.nameNumbers[name] { records.append(record(of: owner, of: name, number)) }
            } else if let number = unsaved.nameNumbers.removeValue(forKey: name) {
                records.append(Record(RecordKey(.nameOwner, number), nil))
            }
        }
        unsaved.names = []
    }

    private mutating func takeActivity(of slot: NodeSlot, into records: inout [Record]) {
        let record = record(ofActivity: slot)
        if record.isEmpty, forest[slot].isActivitySaved {
            records.append(Record(RecordKey(.activity, forest[slot].instance), nil))
        }
        forest[slot].isActivitySaved = !record.isEmpty
        records += record
    }

    private mutating func takeLists(into records: inout [Record]) {
        for request in unsaved.lists.sorted() {
            if let record = record(ofList: request) {
                // Which of its steps are done is told by the record of the one that waits.
                let isNew = unsaved.savedLists.insert(request).inserted
                guard isNew || unsaved.rewrittenLists.contains(request) else { continue }
                records.append(record)
            } else if unsaved.savedLists.remove(request) != nil {
                records.append(Record(RecordKey(.list, request), nil))
            }
        }
        (unsaved.lists, unsaved.rewrittenLists) = ([], [])
    }

    private mutating func takeRegistrations(into records: inout [Record]) {
        for number in unsaved.goneRegistrations { records.append(Record(RecordKey(.registration, number), nil)) }
        for registration in registrations where unsaved.registrations.contains(registration.flow) {
            if unsaved.registrationNumbers[registration.flow] == nil {
                unsaved.lastRegistration += 1
                unsaved.registrationNumbers[registration.flow] = unsaved.lastRegistration
            }
            if let number = unsaved.registrationNumbers[registration.flow] {
                records.append(record(of: registration, number))
            }
        }
        (unsaved.registrations, unsaved.goneRegistrations) = ([], [])
    }

    /// A presentable is gone, with all steps that waited at it.
    mutating func unrecord(_ node: Node) {
        if node.isSaved { unsaved.goneNodes.append(RecordKey(.node, node.instance)) }
        if node.isActivitySaved { unsaved.goneNodes.append(RecordKey(.activity, node.instance)) }
        if let held = node.initialStep { unrecord(held) }
        for held in node.deferredSteps { unrecord(held) }
    }
}

extension Coordinator.Origin {
    /// Whether it has a record.
    var isRecorded: Bool { triggered > 0 || isReported }
}
