import FlowCore
import Logging
import SdBus
import Store

/// Stores the state that outlives the process in two files (durability.md):
///
/// - the tree file of a bus gets every record, each change before its effects are carried out (D-1);
/// - the history gets navigations, in batches (D-2); the reserved serials, so that they never repeat, even if the tree is lost; the
///   values of the context that outlive a bus (S-57); and, to be restored on another bus, a copy of the records without private
///   arguments.
///
/// It has the policy for failures: an unreadable file is moved aside (D-6); if a file can't be written, the service continues
/// from memory, and writing is retried (D-7). Effects wait at the ``CommitGate``.
final class Persistence {
    /// How much of the history is retained (D-10).
    struct Retention: Equatable {
        /// How many navigations; 0 for no history.
        var entries: Int
        /// For how many witnessed days.
        var days: Int

        /// The same in µs.
        var time: UInt64 { UInt64(days) * Persistence.day }
    }

    /// A day, in µs.
    static let day: UInt64 = 86_400_000_000

    /// The tree file; nil if the tree is not stored.
    let tree: PersistedFile?
    /// The history; nil if it is not stored.
    let history: PersistedFile?
    let retention: Retention
    /// Whether the history's file has a copy of the tree.
    let copiesTree: Bool
    let loop: EventLoop
    let logger: Logger

    /// Takes the dirty records.
    var changedRecords: () -> [Record] = { [] }
    /// Takes all records.
    var allRecords: () -> [Record] = { [] }
    /// Runs when ``trouble`` changes.
    var onTroubleChange: () -> Void = {}

    /// The records in the files when they were opened.
    private(set) var found: (tree: [Record], history: [Record]) = ([], [])
    /// The records that the history's file still lacks, each once: those of the copy, or that of the context alone.
    private var copied: [RecordKey: Record] = [:]

    /// Navigations that are not written yet.
    var batch = HistoryBatch()
    /// Full batches that could not be written, the oldest first.
    var waiting: [HistoryBatch] = []
    /// How many navigations were lost because they could not be written.
    var lost = 0
    /// Pending navigations in the tree file are in the history, or given up, up to this serial.
    var flushed: UInt64 = 0
    /// The current removal of old navigations, and the witnessed time of the next one.
    var aging: StoreFile.Aging?
    var nextAging: UInt64 = 0
    var flushTimer: Timer?
    private(set) var isFlushDue = false
    var pruning: DeferredTask?

    private var retryTimer: Timer?
    private var retryPause = Persistence.firstPause
    private var isRetryDue = false
    /// ``trouble`` when ``onTroubleChange`` ran last.
    private var reportedTrouble: String?

    /// How long a navigation waits for others to be written with, in µs (D-2).
    static let flushDelay: UInt64 = 100_000
    /// How many are written at once (D-2).
    static let batchSize = 256
    /// The same in bytes: arguments can be large.
    static let batchBytes = 1 << 20
    /// The pauses before writing is retried, in µs: each twice as long as the one before (D-7).
    static let firstPause: UInt64 = 1_000_000
    static let longestPause: UInt64 = 30_000_000
    /// How many bytes of navigations wait for a file that can't be written.
    static let mostWaiting = 4 << 20
    /// How many bytes of navigations are written with a change of the tree; more go to the history at once.
    static let mostPending = 1 << 18

    /// Opens nothing yet.
    init(
        tree: PersistedFile?, history: PersistedFile?, retention: Retention, copiesTree: Bool, loop: EventLoop,
        logger: Logger
    ) throws(SdError) {
        self.tree = tree
        self.history = history
        self.retention = retention
        self.copiesTree = copiesTree
        self.loop = loop
        self.logger = logger
        flushTimer = try loop.timer { [unowned self] in flushIsDue() }
        pruning = try loop.deferred { [unowned self] in prune() }
    }

    /// The files of a bus with this id.
    convenience init(_ setup: Setup, busID: String, _ loop: EventLoop) throws(SdError) {
        let (folders, logger) = (setup.folders, setup.logger)
        try self.init(
            tree: folders.treeFile(ofBus: busID).map { PersistedFile($0, "tree", logger: logger) },
            history: folders.historyFile.map { PersistedFile($0, "history", logger: logger) },
            retention: setup.retention, copiesTree: setup.restore == .always, loop: loop, logger: logger)
    }

    // MARK: State

    /// Whether some file can be written, so that records come before effects (D-1).
    var isWorking: Bool { tree?.isWorking == true || history?.isWorking == true }

    /// Whether a restart finds the tree and the history. A history that another process has open does not count.
    var isDurable: Bool { tree != nil && trouble == nil }

    /// Why something is not stored that should be, for a person; nil if everything is.
    var trouble: String? {
        if let trouble = tree?.trouble { return trouble.description }
        guard let trouble = history?.trouble, trouble.kind != .locked else { return nil }
        return "the history: \(trouble)"
    }

    // MARK: Records

    /// Opens the files.
    ///
    /// - Parameter isPatient: whether to retry a file that another process has open, after a short wait.
    func open(whileLocked isPatient: (PersistedFile) -> Bool) {
        if let tree { found.tree = tree.open(while: { isPatient(tree) }) }
        if let history { found.history = history.open(while: { isPatient(history) }) }
        recoverPending()
        updateTrouble()
    }

    /// Replaces the records that were found by these, if they differ.
    func replaceFound(by records: [Record]) {
        func isSame(_ one: [Record], _ other: [Record]) -> Bool {
            // Those of a file are usually in order.
            one.count == other.count
                && (one == other || one.sorted { $0.key < $1.key } == other.sorted { $0.key < $1.key })
        }
        if let tree, tree.isWorking, !isSame(found.tree, records) { commitEnded(writeAll(records, to: tree), of: tree) }
        if let history, history.isWorking, !isSame(found.history, selected(records)) {
            commitEnded(writeAll(records, to: history), of: history)
        }
        found = ([], [])
    }

    /// Writes dirty records before their effects are carried out, together with the navigations that changed them.
    func persist(_ records: [Record]) {
        // At the start all records are written before, but not the navigations of steps that went on.
        guard !records.isEmpty || !pending.isEmpty else { return }
        // Many bytes are not written twice.
        let isMuch = batch.newBytes > Self.mostPending && history?.isWorking == true
        if let tree, tree.isWorking {
            commitEnded(writeWithPending(records, to: tree, isMuch ? [] : pending), of: tree)
        }
        copy(records)
        if isMuch || tree?.isWorking != true { flushHistory() }
    }

    /// Writes dirty records that could wait; the history is written next.
    private func persistLater(_ records: [Record]) {
        guard !records.isEmpty else { return }
        if let tree, tree.isWorking { commitEnded(tree.write(records, dropping: flushed), of: tree) }
        copy(records)
    }

    /// Queues records for the history. Reserved serials are written at once.
    private func copy(_ records: [Record]) {
        guard let history, history.isWorking else { return }
        // A change without a navigation, such as Dismiss, does not wait for one.
        if copiesTree && !records.isEmpty || records.contains(where: \.isOfContext) { flushSoon() }
        var counters: Record?
        for record in records {
            if record.key.kind == .counters { counters = record }
            if copiesTree || record.isOfContext { copied[record.key] = record }
        }
        if let counters { commitEnded(history.write([counters]), of: history) }
    }

    private func writeAll(_ records: [Record], to file: PersistedFile) -> PersistedFile.WriteResult {
        if file === tree {
            markPending(false)
            // Without a history, pending navigations stay until there is one.
            if persistsHistory || retention.entries == 0 { flushed = .max }
            defer { flushed = 0 }
            return writeWithPending(records, to: file, pending, all: true)
        }
        copied = [:]
        return file.write(selected(records), all: true)
    }

    /// The records among these that the history has.
    func selected(_ records: [Record]) -> [Record] {
        let records = copiesTree ? records : records.filter { $0.key.kind == .counters || $0.isOfContext }
        return records.map(\.withoutPrivateArguments).filter { $0.body != nil }
    }

    /// Handles the outcome of a write; a file that started over gets all records.
    func commitEnded(_ outcome: PersistedFile.WriteResult, of file: PersistedFile) {
        switch outcome {
        case .written: return
        case .startedOver:
            if case .failed = writeAll(allRecords(), to: file) { updateTrouble() }
        case .failed: updateTrouble()
        }
    }

    // MARK: Failures

    /// Reports a change of ``trouble``, and schedules a retry.
    func updateTrouble() {
        if let history, !history.isWorking { copied = [:] }
        if !isRetryDue, needsRetry(tree) || needsRetry(history) {
            isRetryDue = true
            retrySoon()
        }
        guard trouble != reportedTrouble else { return }
        reportedTrouble = trouble
        onTroubleChange()
    }

    /// Creates the timer if needed: mostly it is not, and each timer costs every turn of the loop.
    private func retrySoon() {
        do throws(SdError) {
            if retryTimer == nil { retryTimer = try loop.timer { [unowned self] in retry() } }
            try retryTimer?.arm(at: loop.now + retryPause)
        } catch {
            logger.error("Could not set a timer: \(error)")
        }
    }

    /// Retries files that could not be written.
    private func retry() {
        isRetryDue = false
        retryPause = min(2 * retryPause, Self.longestPause)
        writeAgain()
        if !needsRetry(tree) && !needsRetry(history) { retryPause = Self.firstPause }
        updateTrouble()
        flushHistory()
    }

    private func writeAgain() {
        // The other file may work, and has to get these records, too.
        persistLater(changedRecords())
        if let tree, needsRetry(tree), tree.reopenTree(), case .written = writeAll(allRecords(), to: tree) {
            tree.recovered("")
        }
        if let history, needsRetry(history) { retry(history) }
    }

    private func needsRetry(_ file: PersistedFile?) -> Bool {
        guard let file else { return false }
        return !file.isWorking && !file.isGivenUp
    }

    private func retry(_ history: PersistedFile) {
        let (isOpen, records) = history.reopen()
        guard isOpen else { return }
        if !records.isEmpty {
            // They were not known when this process began to give serials, so serials would occur twice.
            history.giveUp("navigations of another flowbusd, or of an earlier one, are in it")
            waiting = []
            batch.removeAll()
            return
        }
        guard case .written = writeAll(allRecords(), to: history) else { return }
        history.recovered(lost == 0 ? "" : "; \(counted(lost, "navigation")) were lost")
        lost = 0
    }

    // MARK: Writes that can wait

    /// Schedules a flush.
    func flushSoon() {
        guard !isFlushDue else { return }
        isFlushDue = true
        do throws(SdError) {
            try flushTimer?.arm(at: loop.now + Self.flushDelay)
        } catch {
            logger.error("Could not set a timer: \(error)")
        }
    }

    private func flushIsDue() { flush() }

    /// Writes everything that waits.
    func flush() {
        isFlushDue = false
        persistLater(changedRecords())
        flushHistory()
    }

    /// Writes the navigations that wait, together with the copy of the tree, which is never older.
    func flushHistory() {
        guard let history else { return }
        guard history.isWorking else {
            // They wait in memory, in few but large batches.
            if isBatchFull { queueBatch() }
            return
        }
        let records = copied.values.map(\.withoutPrivateArguments).sorted { $0.key < $1.key }
        copied = [:]
        if !waiting.isEmpty { return flushWaiting(records, to: history) }
        if batch.isEmpty && records.isEmpty { return }
        let outcome = history.write(records, history: batch)
        switch outcome {
        case .written:
            if !batch.isEmpty {
                flushed = batch.last
                pruneSoon()
            }
            batch.removeAll()
        case .startedOver, .failed:
            queueBatch()
            commitEnded(outcome, of: history)
            flushSoon()
        }
    }

    /// Writes batches that could not be written before.
    private func flushWaiting(_ records: [Record], to history: PersistedFile) {
        queueBatch()
        for (place, batch) in waiting.enumerated() {
            let outcome = history.write(place == 0 ? records : [], history: batch)
            if case .written = outcome {
                flushed = batch.last
                continue
            }
            waiting.removeFirst(place)
            commitEnded(outcome, of: history)
            return flushSoon()
        }
        waiting = []
        pruneSoon()
    }

    private func pruneSoon() {
        do { try pruning?.schedule() } catch { logger.error("Could not remove old navigations: \(error)") }
    }

    /// Sets no timer from now on: the loop has ended, which sd-event reports as ESTALE. ``close()`` writes everything.
    func endTimers() { (flushTimer, retryTimer, pruning, isRetryDue) = (nil, nil, nil, true) }

    /// Writes everything, and closes the files.
    func close() {
        endTimers()
        // What could not be written may be written by now; the next flowbusd has only what is in the files.
        if [tree, history].contains(where: { needsRetry($0) && $0?.trouble?.kind != .locked }) { writeAgain() }
        flush()
        tree?.close()
        history?.close()
    }
}
