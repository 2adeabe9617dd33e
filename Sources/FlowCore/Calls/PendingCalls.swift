/// The calls without an answer, and those that were answered `pending` (S-9, S-26): what each waits for, which one
/// continues next, and how far each has come.
///
/// It neither stores nor sends answers. Its methods return what is to be done.
struct PendingCalls: Sendable {
    private var table: [UInt64: Call] = [:]
    /// The outcomes of deep links. They are stored apart from the calls: there may be ten thousand flows, each of which
    /// changes one.
    private(set) var deepLinks: [UInt64: [FlowOutcome]] = [:]
    /// The calls that wait for a flow to be ready (S-26).
    private(set) var readers: [NodeID: Set<RequestID>] = [:]

    /// Calls that began to wait and have no alarm yet.
    private var unwatched: [RequestID] = []
    /// The call that continues first, because a slice ended within it.
    private var parked: RequestID?
    /// Calls that continue when the current cascade has ended or waits; those before `resumed` have continued.
    private var resumable: [RequestID] = []
    private var resumed = 0

    /// Lists that began to wait, or ended.
    private var unsavedLists: Set<UInt64> = []
    /// Lists with records.
    private var savedLists: Set<UInt64> = []
    /// Lists with records whose steps have changed.
    private var rewrittenLists: Set<UInt64> = []
    /// Whether calls continued in slices since progress was recorded.
    private var hasProgress = false
    /// The progress by the records.
    private var savedProgress: [UInt64: ProgressRecord] = [:]

    var isEmpty: Bool { table.isEmpty }
    /// Whether the call that continues first is a path.
    var isAmidPath: Bool {
        guard let parked, case .path? = table[parked.number]?.kind else { return false }
        return true
    }
    var count: Int { table.count }
    /// All of them.
    var all: [RequestID: Call] {
        Dictionary(uniqueKeysWithValues: table.map { (RequestID($0.key), $0.value) })
    }

    func contains(_ request: RequestID) -> Bool { table[request.number] != nil }

    subscript(request: RequestID) -> Call? { table[request.number] }

    /// The calls by their numbers.
    var requests: [RequestID] { table.keys.sorted().map { RequestID($0) } }

    // MARK: Waiting

    /// A call waits. Its caller gets another answer at this time, unless it has an earlier one.
    mutating func suspend(_ request: RequestID, _ call: Call, until due: Instant) {
        var call = call
        if call.due == nil { call.due = due }
        if !call.isWatched {
            call.isWatched = true
            unwatched.append(request)
        }
        if case .list = call.kind { unsavedLists.insert(request.number) }
        table[request.number] = call
    }

    /// A call continues in the next slice, or in this one.
    mutating func park(_ request: RequestID, _ call: Call, until due: Instant) {
        var call = call
        if call.due == nil { call.due = due }
        table[request.number] = call
        parked = request
        if call.isList { unsavedLists.insert(request.number) }
    }

    /// A deep link begins, with the outcomes that are known.
    mutating func begin(_ request: RequestID, _ call: Call, _ outcomes: [FlowOutcome]) {
        table[request.number] = call
        deepLinks[request.number] = outcomes
    }

    /// Whether calls began to wait that have no alarm yet.
    var hasUnwatched: Bool { !unwatched.isEmpty }

    /// Takes one of the calls that wait and have no alarm yet, with the time at which its caller gets another answer.
    mutating func takeUnwatched() -> (request: RequestID, due: Instant)? {
        while let request = unwatched.popLast() {
            if let call = table[request.number], call.isAwaited, let due = call.due { return (request, due) }
        }
        return nil
    }

    /// Removes a call that has ended or continues now. The outcomes of a deep link stay until they are taken.
    mutating func remove(_ request: RequestID) -> Call? {
        guard let call = table.removeValue(forKey: request.number) else { return nil }
        if call.isList { forget(list: request.number) }
        return call
    }

    /// Takes the outcomes of a deep link that has ended.
    mutating func takeOutcomes(of request: RequestID) -> [FlowOutcome] {
        deepLinks.removeValue(forKey: request.number) ?? []
    }

    /// A caller has waited long enough, and is answered now.
    ///
    /// - Returns: the call, and whether its caller was answered before; nil if no caller waits for it.
    mutating func timeOut(_ request: RequestID) -> (call: Call, wasAnswered: Bool)? {
        guard var call = table[request.number], call.isAwaited else { return nil }
        let wasAnswered = call.isAnswered
        (call.isAnswered, call.isAwaitedByToken) = (true, false)
        table[request.number] = call
        return (call, wasAnswered)
    }

    /// Replaces a call's steps, after the definitions have changed.
    mutating func renew(_ request: RequestID, _ kind: Call.Kind) {
        table.update(request.number) { $0.kind = kind }
        if case .list = kind {
            if savedLists.contains(request.number) { rewrittenLists.insert(request.number) }
            unsavedLists.insert(request.number)
        }
    }

    // MARK: Steps that have ended

    /// What is to be done when a step that a call waits for has ended.
    enum Consequence {
        /// Nothing now.
        case none
        /// Report the outcome to the caller, which was answered `pending`; the step was emitted at this path.
        case report(Call, path: String)
        /// The same; and the call has ended.
        case reportLast(Call, path: String)
        /// Answer the call with the outcome of its only step; the token remembers it.
        case answer(Call, path: String, Tokens.Key?)
    }

    /// Notes the outcome of a step. If there is more to do, the call continues when its turn comes.
    mutating func end(_ step: WaitingStep, _ outcome: Outcome, for request: RequestID) -> Consequence {
        guard var call = table[request.number] else { return .none }
        switch call.kind {
        case .step(let path, let token): return .answer(call, path: path, token)
        case .list(var list):
            list.outcomes.append(outcome)
            call.kind = .list(list)
            table[request.number] = call
            resumable.append(request)
            return call.isAnswered ? .report(call, path: list.path) : .none
        case .path(var walk):
            if call.isAnswered { return .reportLast(call, path: walk.place) }
            walk.outcome = outcome
            // The guard may have replaced the step.
            walk.segments[walk.outcomes.count].step = step.step
            call.kind = .path(walk)
            table[request.number] = call
            resumable.append(request)
            return .none
        case .deepLink, .readiness: return .none
        }
    }

    /// Notes the outcome of a deep link at one of its flows.
    ///
    /// - Returns: whether to report it to the caller, which was answered `pending`.
    mutating func end(_ place: Int, _ outcome: Outcome, ofDeepLink request: RequestID) -> Bool {
        var (undecided, isAnswered): (Int?, Bool) = (nil, false)
        table.update(request.number) { call in
            guard case .deepLink = call.kind else { return }
            call.undecided -= 1
            (undecided, isAnswered) = (call.undecided, call.isAnswered)
        }
        guard let undecided else { return false }
        deepLinks.update(request.number) { $0[place].outcome = outcome }
        if undecided == 0 { resumable.append(request) }
        return isAnswered
    }

    /// A deep link would continue with the flow at this place.
    mutating func setNext(_ place: Int, of request: RequestID) { table.update(request.number) { $0.next = place } }

    /// A deep link has emitted its step on all flows, and waits only for outcomes.
    mutating func endSlices(of request: RequestID) {
        forget(list: request.number)
        guard table[request.number]?.isWatched == false else { return }
        table.update(request.number) { $0.isWatched = true }
        unwatched.append(request)
    }

    // MARK: Calls that continue

    /// Whether a call continues in its turn.
    var hasNext: Bool { parked != nil || !resumable.isEmpty }

    /// Takes the next call that continues.
    mutating func takeNext() -> RequestID? {
        if let request = parked.take() { return request }
        guard resumed < resumable.count else { return nil }
        let request = resumable[resumed]
        resumed += 1
        if resumed == resumable.count { (resumable, resumed) = ([], 0) }
        return request
    }

    /// The call that a slice interrupted, if its caller has waited long enough.
    func parkedCall(dueBy now: Instant) -> RequestID? {
        guard let parked, let due = table[parked.number]?.due, due <= now else { return nil }
        return parked
    }

    /// Removes what would continue later, for the dry run.
    mutating func forgetNext() { (parked, resumable, resumed) = (nil, [], 0) }

    // MARK: Readiness

    /// A call waits until a flow is ready.
    mutating func wait(_ request: RequestID, for flow: NodeID) { readers[flow, default: []].insert(request) }

    /// A call no longer waits for a flow.
    mutating func stopWaiting(_ request: RequestID, for flow: NodeID) {
        readers[flow]?.remove(request)
        if readers[flow]?.isEmpty == true { readers[flow] = nil }
    }

    /// A flow is ready or gone: the calls that waited for it continue in their order.
    mutating func resume(waitingFor flow: NodeID) {
        if readers.isEmpty { return }
        guard let waiting = readers.removeValue(forKey: flow) else { return }
        resumable += waiting.sorted { $0.number < $1.number }
    }
}

// MARK: - Records

extension PendingCalls {
    var hasUnsaved: Bool { hasProgress || !unsavedLists.isEmpty }
    /// Whether there are records of progress.
    var hasSavedProgress: Bool { !savedProgress.isEmpty }

    /// Notes that progress may have changed.
    mutating func noteProgress() { hasProgress = true }

    /// A list no longer waits; if it does again, it is noted again.
    private mutating func forget(list: UInt64) {
        if savedLists.contains(list) { unsavedLists.insert(list) } else { unsavedLists.remove(list) }
    }

    /// Takes the changed records, or all: of lists, and of progress.
    mutating func takeRecords(all: Bool = false, _ definitions: Definitions) -> [Record] {
        if all {
            rewrittenLists.formUnion(table.keys)
            unsavedLists.formUnion(table.keys)
            (hasProgress, savedProgress) = (true, [:])
        }
        if !hasUnsaved { return [] }
        var records: [Record] = []
        for request in unsavedLists.sorted() {
            if let record = record(ofList: request, definitions) {
                // The record of the waiting step says which steps have ended.
                let isNew = savedLists.insert(request).inserted
                guard isNew || rewrittenLists.contains(request) else { continue }
                records.append(record)
            } else if savedLists.remove(request) != nil {
                records.append(Record(RecordKey(.list, request), nil))
            }
        }
        (unsavedLists, rewrittenLists) = ([], [])
        guard hasProgress else { return records }
        hasProgress = false
        let (now, before) = (progress, savedProgress)
        for number in Set(now.keys).union(before.keys).sorted() where now[number] != before[number] {
            records.append(Record(RecordKey(.progress, number), now[number]?.encoded()))
        }
        savedProgress = now
        return records
    }

    /// The progress of calls that continue in the next slice, by their numbers.
    private var progress: [UInt64: ProgressRecord] {
        var progress: [UInt64: ProgressRecord] = [:]
        let requests = [parked].compactMap { $0 } + resumable[resumed...]
        for (rank, request) in requests.enumerated() where progress[request.number] == nil {
            guard let call = table[request.number] else { continue }
            let done: Int
            switch call.kind {
            case .list(let list): done = list.outcomes.count
            case .deepLink(let link) where call.next < link.flows.count: done = call.next
            case .deepLink, .step, .path, .readiness: continue
            }
            progress[request.number] = ProgressRecord(rank: UInt64(rank), done: UInt64(done))
        }
        return progress
    }

    private func record(ofList request: UInt64, _ definitions: Definitions) -> Record? {
        guard let call = table[request] else { return nil }
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
        case .deepLink(let link) where call.next < link.flows.count:
            let outcomes = deepLinks[request] ?? []
            record = ListRecord(
                client: call.client, node: 0, path: "", items: [.step(definitions[link.step].name, link.arguments)],
                flows: zip(link.flows, outcomes).map { flow, outcome in
                    ListRecord.Recipient(instance: flow?.instance ?? 0, path: outcome.path)
                })
        case .deepLink, .step, .path, .readiness: return nil
        }
        return Record(RecordKey(.list, request), record.encoded())
    }

    // MARK: Restoring

    /// Restores a call that a step waits for. Its caller got no answer; `StepConcluded` reports the outcome. Repeated calls
    /// with its token wait until its time limit.
    mutating func restore(_ request: RequestID, _ call: Call) {
        var call = call
        call.isAnswered = true
        table[request.number] = call
        if call.isAwaitedByToken { unwatched.append(request) }
    }

    /// Restores a call that was interrupted at the end of a slice; it continues.
    mutating func restoreSliced(_ request: RequestID, _ call: Call, _ outcomes: [FlowOutcome]? = nil) {
        restore(request, call)
        if let outcomes { deepLinks[request.number] = outcomes }
        resumable.append(request)
    }

    /// Restores the place of an undecided flow of a deep link.
    mutating func restoreDeepLink(_ request: RequestID, by client: Client, _ place: Int, path: String) {
        var call = Call(client: client, kind: .deepLink(DeepLink(step: StepID(0), arguments: [])))
        if let known = table[request.number], case .deepLink = known.kind {
            (call.kind, call.next, call.undecided) = (known.kind, known.next, known.undecided)
        }
        call.undecided += 1
        let outcome = FlowOutcome(path: path, outcome: nil)
        var outcomes = deepLinks[request.number] ?? []
        while outcomes.count <= place { outcomes.append(outcome) }
        outcomes[place] = outcome
        deepLinks[request.number] = outcomes
        restore(request, call)
    }
}
