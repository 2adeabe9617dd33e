import FlowCore
import FlowWire
import Logging
import Platform
import SdBus
import Store

// How a daemon starts with the state of an earlier process, or with its own from before it lost its bus (D-3, D-8).

/// The state that a daemon hands to the next one of its process when its bus is lost.
struct HandoverState {
    /// The whole tree.
    let records: [Record]
    /// The bus's id.
    let busID: String
    /// The declarations of the definition files.
    let definitions: Definitions
}

extension Daemon {
    /// How long the files of a flowbusd that has left the bus may still be open, in µs.
    private static let lockTimeout: UInt64 = 2_000_000

    /// Opens the files, restores the forest, and starts the roots of `autostart`. All changes are written before anything
    /// is sent.
    ///
    /// - Returns: false if a signal ended the process in between.
    func begin() throws(SdError) -> Bool {
        guard try openFiles() else { return false }
        // The owners of names in definition files are known before; those of registered flows come with the flows.
        watchBusNames()
        let (records, source, isSameBus) = recordsToRestore()
        if !records.isEmpty {
            handle(.restored(records, onSameBus: isSameBus))
            unansweredCalls.continue(after: coordinator.latestRequest)
            logRestored(from: source)
        }
        // The work of an earlier process comes first.
        whenFree { [unowned self] in
            watchBusNames { [unowned self] in handle(.started) }
        }
        persistence.replaceFound(by: coordinator.takeAllRecords(like: persistence.found.tree))
        commit()
        state.reportedDurable = persistence.isDurable
        state.isServing = true
        persistence.prune()
        watchSteppers()
        return true
    }

    /// A flowbusd that is killed can leave the bus a moment before its files are closed.
    private func openFiles() throws(SdError) -> Bool {
        let begin = MonotonicClock.now
        var outcome = BlockingWait.EndReason.over
        persistence.open(whileLocked: { file in
            // No other process may have the tree. Another flowbusd may have the history; then there is none here.
            let bound = begin + (file === persistence.tree ? Self.lockTimeout : Self.lockTimeout / 4)
            guard MonotonicClock.now < bound, let waiting = try? BlockingWait() else { return false }
            outcome = (try? waiting.wait(atMost: 20_000)) ?? .over
            return outcome != .terminated
        })
        gate.isEnabled = persistence.isWorking
        return outcome != .terminated
    }

    /// The records to start with, and their source. Counters are always among them: serials never repeat (S-10).
    private func recordsToRestore() -> (records: [Record], source: String, isSameBus: Bool) {
        let stored = persistence.found
        let handover = session.handover
        let inspections = [persistence.tree, persistence.history].compactMap { $0?.inspection }
        let known = [stored.tree, stored.history, handover?.records ?? []] + inspections.map(\.counters)
        var counters = known.flatMap { records in records.filter { $0.key.kind == .counters } }
        if let further = countersBeyond(counters, inspections.map(\.certainty)) { counters.append(further) }
        func hasMore(_ records: [Record]) -> Bool { records.contains { $0.key.kind != .counters } }
        func with(_ records: [Record]) -> [Record] {
            var all = counters
            all.reserveCapacity(counters.count + records.count)
            for record in records where record.key.kind != .counters { all.append(record) }
            return all
        }

        let lost = "memory, from before the bus was lost"
        if setup.restore != .never {
            // The memory is newer than the file. That holds for an empty tree, too: the copy in the history may be older.
            if let handover, handover.busID == session.busID { return (with(handover.records), lost, true) }
            if !stored.tree.isEmpty { return (with(stored.tree), "'\(persistence.tree?.path ?? "")'", true) }
        }
        if setup.restore == .always {
            if let handover { return (with(handover.records), lost, false) }
            if hasMore(stored.history) { return (with(stored.history), "'\(persistence.history?.path ?? "")'", false) }
        }
        // A fresh start, but for values of the context that outlive a bus (S-57).
        let context = (handover?.records ?? stored.history).first(where: \.isOfContext)?.withoutPrivateArguments
        guard setup.restore != .never, let context, context.body != nil else { return (counters, "", true) }
        return (counters + [context], "", false)
    }

    /// More serials than can be assigned while a write is on its way to a disk.
    private static let unwritten: UInt64 = 1 << 32
    /// 2026-01-01, in µs since 1970: a clock with an earlier time is wrong.
    private static let earliestTime: UInt64 = 1_767_225_600_000_000

    /// Where serials and instances continue if some may have been assigned that no record has; nil if none were.
    private func countersBeyond(_ counters: [Record], _ certainties: [StoreFile.Certainty]) -> Record? {
        let isTaken = persistence.tree?.trouble?.kind == .locked
        let isExact = session.handover != nil || certainties.contains(.exact)
        if isTaken || !isExact && certainties.contains(.unknown) {
            // Serials are assigned more slowly than microseconds pass. If the clock is wrong, they continue at a random
            // place after it.
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

    /// The state for the next daemon of this process, when the bus is lost.
    func handoverState() -> HandoverState {
        HandoverState(
            records: coordinator.takeAllRecords(), busID: session.busID, definitions: fileDefinitions)
    }

    /// Writes everything that waits, and closes the files. Pending effects are carried out, unless the bus is lost.
    func endPersistence() {
        state.isServing = false
        if !bus.isOpen { state.isLost = true }
        persistence.endTimers()
        commit()
        coordinator.releaseReservedNumbers()
        persistence.close()
    }
}
