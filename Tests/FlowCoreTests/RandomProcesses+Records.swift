@testable import FlowCore

// Comparisons of a random life when a process dies.

extension Coordinator {
    /// The number of steps that calls wait for.
    func undecided(where isCounted: (Call) -> Bool) -> Int {
        calls.all.values.filter(isCounted).reduce(0) { count, call in
            switch call.kind {
            case .step: count + 1
            case .list(let list): count + list.steps.count - list.outcomes.count
            case .deepLink: count + call.undecided
            case .path(let walk): count + (walk.isUnderWay ? 1 : 0)
            case .readiness: count
            }
        }
    }

    /// The records that are the same after a restart.
    var comparable: [Record] {
        allRecords.compactMap { record in
            switch record.key.kind {
            case .counters, .nameOwner, .registration, .origin: return nil
            case .node: return record.withoutExpectation
            case .activity, .step, .list, .token, .progress, .stepper, .savedState, .ask, .context,
                .outputs:
                return record
            }
        }
    }
}

extension Record {
    /// The record of a node, whose presenter may be called at the restart, as its pause was over by then: it is expected then (S-50), and
    /// not evicted any more (S-44).
    fileprivate var withoutExpectation: Record {
        guard let body, var node = try? NodeRecord(body) else { return self }
        node.presenting?.isExpected = false
        if node.presenting?.fault != nil, node.presenting?.eviction == .done { node.presenting?.eviction = .none }
        return Record(key, node.encoded())
    }
}

extension Answer {
    var pendings: Int {
        switch self {
        case .verdict(.pending, _): 1
        case .verdicts(let outcomes): outcomes.count { $0 == .ignored(.pending) }
        case .outcomes(let outcomes): outcomes.count { $0.outcome == .ignored(.pending) }
        case .done, .flow, .verdict: 0
        }
    }
}
