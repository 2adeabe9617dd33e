import FlowCore
import Logging
import SdBus
import Store

// What happened, for those who ask later: kept in batches (D-2), and not for ever (D-10).

extension Persistence {
    /// Whether navigations are kept.
    var persistsHistory: Bool { history?.isLeftAlone == false && retention.entries > 0 }

    /// Adds a navigation, which happened at this time of the loop, to those that are written soon.
    func add(_ navigation: Navigation, at time: Instant) {
        append(navigation, at: time)
        flushIfFull()
    }

    /// The same, where the tree is written first. There are many: this is all that each of them costs.
    func append(_ navigation: Navigation, at time: Instant) {
        guard persistsHistory else { return }
        if batch.isEmpty {
            // What time of day it is, is asked once for all of them.
            timeOffset = loop.realTime &- loop.now
            flushSoon()
        }
        batch.append(navigation, at: time.microseconds &+ timeOffset)
    }

    /// Writes navigations that are enough for a batch.
    func flushIfFull() {
        if isBatchFull { flushHistory() }
    }

    /// Whether navigations are enough for a batch.
    var isBatchFull: Bool { batch.count >= Self.batchSize || batch.byteCount >= Self.batchBytes }

    // MARK: Until they are written

    /// Navigations that are in no file yet, to be written with the tree.
    var pending: [PendingEntries] {
        guard persistsHistory else { return [] }
        let last = batch.pending
        guard waiting.isEmpty else { return waiting.compactMap(\.pending) + (last.map { [$0] } ?? []) }
        return last.map { [$0] } ?? []
    }

    /// Notes whether all that waits is in the tree's file.
    func markPending(_ isThere: Bool) {
        if isThere { batch.markPending() } else { batch.markNew() }
        for place in waiting.indices { if isThere { waiting[place].markPending() } else { waiting[place].markNew() } }
    }

    /// Writes records, and with them navigations until the history has them.
    func writeWithPending(
        _ records: [Record], to tree: PersistedFile, _ pending: [PendingEntries], all: Bool = false
    ) -> PersistedFile.Outcome {
        let outcome = tree.write(records, all: all, pending: pending, dropping: flushed)
        if case .written = outcome, !pending.isEmpty { markPending(true) }
        return outcome
    }

    /// Adds to the history what an earlier process had no more time for: it waited in the tree's file.
    func recoverPending() {
        guard let tree, !tree.pending.isEmpty, let history else { return }
        guard retention.entries > 0 else {
            flushed = .max
            return
        }
        var missing = 0
        for batch in tree.takePending() {
            switch history.place(of: batch) {
            case .later: waiting.append(batch)
            case .present: flushed = max(flushed, batch.last)
            case .missing:
                flushed = max(flushed, batch.last)
                missing += batch.count
            }
        }
        if missing > 0 {
            logger.warning(
                "The history lacks \(counted(missing, "navigation")), which waited in '\(tree.path)': it has later ones"
            )
        }
        flushHistory()
    }

    /// The batch at hand waits for a file that can be written; where that takes long, the oldest go.
    func putAside() {
        if batch.isEmpty { return }
        waiting.append(batch)
        batch = HistoryBatch()
        var bytes = waiting.reduce(0) { $0 + $1.byteCount }
        while bytes > Self.mostWaiting, waiting.count > 1 {
            let oldest = waiting.removeFirst()
            bytes -= oldest.byteCount
            lost += oldest.count
            flushed = oldest.last
        }
    }

    /// Navigations after a serial, oldest first, and whether there are more; those that wait are written first.
    func entries(
        after serial: UInt64, limit: Int, bytes: Int, below path: String?
    ) -> (entries: [HistoryEntry], hasMore: Bool) {
        guard let history, persistsHistory else { return ([], false) }
        flushHistory()
        let (found, outcome) = history.entries(
            after: serial, limit: limit, bytes: bytes, below: path)
        commitEnded(outcome, of: history)
        return found
    }

    /// Forgets a piece of what is too much or too old, and goes on when there is nothing else to do.
    func prune() {
        guard let history else { return }
        beginAging(history)
        let (hasMore, outcome) = history.prune(keeping: retention.entries, aging: &aging)
        if hasMore {
            do { try pruning?.schedule() } catch { logger.error("Could not forget old navigations: \(error)") }
        } else {
            endAging()
        }
        commitEnded(outcome, of: history)
    }

    /// Looks for what is too old, at the start and each day: a quarter of what there is goes at most, as there is no way
    /// back from a mistake.
    private func beginAging(_ history: PersistedFile) {
        guard aging == nil, let (witnessed, count) = history.age, witnessed >= nextAging else { return }
        nextAging = witnessed + Self.day
        guard witnessed > retention.time else { return }
        aging = StoreFile.Aging(before: witnessed - retention.time, most: count / 4)
    }

    private func endAging() {
        if let aging, aging.forgotten > 0 {
            logger.notice(
                """
                Forgot \(counted(aging.forgotten, "navigation")) of the history: the machine has run for more than \
                \(counted(retention.days, "day")) since (--history-days)
                """)
        }
        aging = nil
    }
}
