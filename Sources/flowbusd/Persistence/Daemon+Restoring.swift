import FlowCore
import FlowWire
import Logging
import Platform
import SdBus
import Store

// The start of a daemon: what an earlier one kept, or this one before its bus was lost (D-3, D-8).

/// What a daemon takes along from a bus that it lost.
struct HandoverState {
    /// The whole tree.
    let records: [Record]
    /// The bus's id.
    let busID: String
    /// What the definition files declared.
    let definitions: Definitions
}

extension Daemon {
    /// How long the files of one that is gone from the bus may be open still, in µs.
    private static let lockBound: UInt64 = 2_000_000

    /// Opens the files, brings back what they say, and starts what starts by itself. All of it is written before anything
    /// of it is told.
    ///
    /// - Returns: false: the process was told to end meanwhile.
    func begin() throws(SdError) -> Bool {
        guard try openFiles() else { return false }
        // Who owns the names of definition files is known before; those of registered flows come with the flows.
        watchBusNames()
        let (records, source, isSameBus) = recordsToRestore()
        if !records.isEmpty {
            handle(.restored(records, onSameBus: isSameBus))
            lastRequest = max(lastRequest, coordinator.latestRequest.number)
            logRestored(from: source)
        }
        // What an earlier one was amid goes on first.
        whenFree { [unowned self] in
            watchBusNames { [unowned self] in handle(.started) }
        }
        persistence.replaceFound(by: coordinator.takeAllRecords())
        commit()
        reportedDurable = persistence.isDurable
        isServing = true
        persistence.prune()
        return true
    }

    /// One that is killed can be gone from the bus a moment before its files are closed.
    private func openFiles() throws(SdError) -> Bool {
        let begin = MonotonicClock.now
        var outcome = Waiting.Outcome.over
        persistence.open(whileLocked: { file in
            // The tree is this daemon's alone; the history can have another one that goes on, which is done without.
            let bound = begin + (file === persistence.tree ? Self.lockBound : Self.lockBound / 4)
            guard MonotonicClock.now < bound, let waiting = try? Waiting() else { return false }
            outcome = (try? waiting.wait(atMost: 20_000)) ?? .over
            return outcome != .terminated
        })
        delaysEffects = persistence.isWorking
        return outcome != .terminated
    }

    /// What to begin with, and where it is from. The counters always: serials never repeat (S-10).
    private func recordsToRestore() -> (records: [Record], source: String, isSameBus: Bool) {
        let kept = persistence.found
        let findings = [persistence.tree, persistence.history].compactMap { $0?.finding }
        let known = [kept.tree, kept.history, handover?.records ?? []] + findings.map(\.counters)
        var counters = known.flatMap { records in records.filter { $0.key.kind == .counters } }
        if let further = countersBeyond(counters, findings.map(\.certainty)) { counters.append(further) }
        func hasMore(_ records: [Record]) -> Bool { records.contains { $0.key.kind != .counters } }
        func with(_ records: [Record]) -> [Record] { counters + records.filter { $0.key.kind != .counters } }

        let lost = "memory, from before the bus was lost"
        if setup.restore != .never {
            // What is in memory is never older than what is in the file. A tree where nothing is left is one, too: the copy
            // in the history may be older.
            if let handover, handover.busID == busID { return (with(handover.records), lost, true) }
            if !kept.tree.isEmpty { return (with(kept.tree), "'\(persistence.tree?.path ?? "")'", true) }
        }
        if setup.restore == .always {
            if let handover { return (with(handover.records), lost, false) }
            if hasMore(kept.history) { return (with(kept.history), "'\(persistence.history?.path ?? "")'", false) }
        }
        return (counters, "", true)
    }

    /// How many serials can't have been given while what was written was on its way to a disk.
    private static let unwritten: UInt64 = 1 << 32
    /// 2026-01-01, in µs since 1970: a clock that says less is wrong.
    private static let earliestTime: UInt64 = 1_767_225_600_000_000

    /// Where serials and instances go on if others may have been given than is known; nil: none were.
    private func countersBeyond(_ counters: [Record], _ certainties: [StoreFile.Certainty]) -> Record? {
        let isTaken = persistence.tree?.trouble?.kind == .locked
        let isExact = handover != nil || certainties.contains(.exact)
        if isTaken || !isExact && certainties.contains(.unknown) {
            // No clock goes as slowly as serials. Where this one is wrong, they go on anywhere behind those of that time.
            let time = RealtimeClock.now
            let start = time >= Self.earliestTime ? time : Self.earliestTime + .random(in: 0..<1 << 40)
            return .counters(beyond: counters, by: Self.unwritten, atLeast: start)
        }
        return !isExact && certainties.contains(.late) ? .counters(beyond: counters, by: Self.unwritten) : nil
    }

    private func logRestored(from source: String) {
        let (flows, screens) = (coordinator.flowCount, coordinator.screenCount)
        guard flows + screens > 0 else { return }
        logger.notice("Restored \(counted(flows, "flow")) and \(counted(screens, "screen")) from \(source)")
    }

    /// What the next daemon of this process needs, when the bus is lost.
    func handoverState() -> HandoverState {
        HandoverState(
            records: coordinator.takeAllRecords(), busID: busID, definitions: fileDefinitions)
    }

    /// Writes all that waits, and closes the files.
    ///
    /// What is held back is carried out; where the bus is lost, nobody is there for it.
    func endPersistence() {
        isServing = false
        if !bus.isOpen { isLost = true }
        commit()
        coordinator.releaseReservedNumbers()
        persistence.close()
    }
}
