import FlowCore
import Logging
import SdBus
import Store

// The history: written in batches (D-2), and limited (D-10).

extension Persistence {
    /// Whether navigations are stored.
    var persistsHistory: Bool { history?.isGivenUp == false && retention.entries > 0 }

    /// Adds a navigation that occurred at this time of the loop, to be written soon.
    func add(_ navigation: Navigation, at time: Instant) {
        if append(navigation, at: time) { flushHistory() }
    }

    /// Adds a navigation without writing. There are many, so this has to be cheap.
    ///
    /// - Returns: whether the batch is full.
    @discardableResult
    func append(_ navigation: Navigation, at time: Instant) -> Bool {
        guard persistsHistory else { return false }
        let size = batch.append(navigation, at: time.microseconds) { loop.realTime &- loop.now }
        if size.count == 1 { flushSoon() }
        return Self.isFull(size.count, size.bytes)
    }

    /// Writes the batch if it is full.
    func flushIfFull() {
        if isBatchFull { flushHistory() }
    }

    /// Whether the batch is full.
    var isBatchFull: Bool { Self.isFull(batch.count, batch.byteCount) }

    private static func isFull(_ count: Int, _ bytes: Int) -> Bool { count >= batchSize || bytes >= batchBytes }

    // MARK: Until they are written

    /// Navigations that are in no file yet, to be written to the tree file.
    var pending: [PendingEntries] {
        guard persistsHistory else { return [] }
        let last = batch.pending
        guard waiting.isEmpty else { return waiting.compactMap(\.pending) + (last.map { [$0] } ?? []) }
        return last.map { [$0] } ?? []
    }

    /// Notes whether all waiting navigations are in the tree file.
    func markPending(_ isThere: Bool) {
        if isThere { batch.markPending() } else { batch.markNew() }
        for place in waiting.indices { if isThere { waiting[place].markPending() } else { waiting[place].markNew() } }
    }

    /// Writes records, and the navigations that wait for the history.
    func writeWithPending(
        _ records: [Record], to tree: PersistedFile, _ pending: [PendingEntries], all: Bool = false
    ) -> PersistedFile.WriteResult {
        let outcome = tree.write(records, all: all, pending: pending, dropping: flushed)
        if case .written = outcome, !pending.isEmpty { markPending(true) }
        return outcome
    }

    /// Adds the navigations to the history that an earlier process left in the tree file.
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
                "The history lacks \(counted(missing, "navigation")), found in '\(tree.path)': it has later ones"
            )
        }
        flushHistory()
    }

    /// Queues the current batch until the file can be written, and removes the oldest batches beyond a limit.
    func queueBatch() {
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

    /// Navigations after a serial: those of the file, and then those that can't be written to it at the moment.
    func entries(after serial: UInt64, limit: Int, bytes: Int, below path: String?) -> HistoryPage {
        guard let history, persistsHistory else {
            return HistoryPage(after: serial, limit: limit, bytes: bytes, below: path)
        }
        flushHistory()
        var (page, outcome) = history.entries(after: serial, limit: limit, bytes: bytes, below: path)
        commitEnded(outcome, of: history)
        // A history that is another process's has navigations with the same serials.
        if history.trouble?.kind == .locked { return page }
        do throws(RecordFailure) {
            for batch in waiting { try page.add(batch) }
            try page.add(batch)
        } catch {
            logger.error("Could not read the navigations that wait for the history's file: \(error.message)")
        }
        return page
    }

    /// Removes some of the old or excess navigations, and continues when the loop is idle.
    func prune() {
        guard let history else { return }
        beginAging(history)
        let (hasMore, outcome) = history.prune(keeping: retention.entries, aging: &aging)
        if hasMore {
            do { try pruning?.schedule() } catch { logger.error("Could not remove old navigations: \(error)") }
        } else {
            endAging()
        }
        commitEnded(outcome, of: history)
    }

    /// Begins to remove old navigations, at the start and each day: a quarter of all at most, as a mistake can't be undone.
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
                Removed \(counted(aging.forgotten, "navigation")) from the history: the machine has run for more than \
                \(counted(retention.days, "day")) since (--history-days)
                """)
        }
        aging = nil
    }
}
