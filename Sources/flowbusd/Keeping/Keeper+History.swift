import FlowCore
import Logging
import SdBus
import Store

// What happened, for those who ask later: kept in batches (D-2), and not for ever (D-10).

extension Keeper {
    /// Whether navigations are kept.
    var keepsHistory: Bool { history?.isLeftAlone == false && retention.entries > 0 }

    /// Adds a navigation, which happened at this time of the loop, to those that are written soon. There are many: this is
    /// all that each of them costs.
    func add(_ navigation: Navigation, at time: Instant) {
        guard keepsHistory else { return }
        if batch.isEmpty {
            // What time of day it is, is asked once for all of them.
            timeOffset = loop.realTime &- loop.now
            flushSoon()
        }
        batch.append(navigation, at: time.microseconds &+ timeOffset)
        if batch.count >= Self.batchSize { flushHistory() }
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
        }
    }

    /// Navigations after a serial, oldest first, and whether there are more; those that wait are written first.
    func entries(
        after serial: UInt64, limit: Int, bytes: Int, below path: String?
    ) -> (entries: [HistoryEntry], hasMore: Bool) {
        guard let history, keepsHistory else { return ([], false) }
        flushHistory()
        let (found, outcome) = history.entries(
            after: serial, limit: limit, bytes: bytes, below: path, since: retention.begin(at: loop.realTime))
        settle(outcome, of: history)
        return found
    }

    /// Forgets a piece of what is too much or too old, and goes on when there is nothing else to do.
    func prune() {
        guard let history else { return }
        let (hasMore, outcome) = history.prune(
            keeping: retention.entries, since: retention.begin(at: loop.realTime))
        if hasMore {
            do { try pruning?.schedule() } catch { logger.error("Could not forget old navigations: \(error)") }
        }
        settle(outcome, of: history)
    }
}
