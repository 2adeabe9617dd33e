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

    /// The paths of the screens whose presenters are being called, or are to be when an earlier call is answered.
    var pathsOfCalls: Set<String> {
        let forest = forest
        return Set(
            forest.preorder().map { forest[$0] }.filter { node in
                node.presenting?.kept.state == .asked || node.presenting?.kept.state == .queued
            }.map(\.path))
    }

    /// The records that are the same after a restart.
    ///
    /// - Parameter delayed: the instances of screens whose call is repeated when a pause is over. They wait since the restart (S-47).
    func comparable(besides delayed: [UInt64]) -> [Record] {
        allRecords.compactMap { record in
            switch record.key.kind {
            case .counters, .nameOwner, .registration, .origin: return nil
            case .node: return record.withoutExpectation(isDelayed: delayed.contains(record.key.number))
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
    fileprivate func withoutExpectation(isDelayed: Bool) -> Record {
        guard let body, var node = try? NodeRecord(body) else { return self }
        node.presenting?.isExpected = false
        if isDelayed { node.presenting?.fault = nil }
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
