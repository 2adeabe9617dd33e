import FlowCore
import Logging
import SdBus
import Store

/// Keeps what outlives the process in two files (durability.md):
///
/// - the tree's, of one bus, gets every record, each change before its effects are carried out (D-1);
/// - the history's gets navigations, in batches (D-2); how far serials are reserved, so that they repeat not even where the
///   tree is lost; and, to come back on another bus, too, a copy of the records without what is private.
///
/// It has the policy for what goes wrong: a file that can't be read is moved aside (D-6); where one can't be written, all goes
/// on from memory, and it is tried again at times (D-7). It knows of no effects: ``Daemon`` holds those back.
final class Persistence {
    /// How much of the history is kept (D-10).
    struct Retention: Equatable {
        /// So many navigations; 0: there is no history.
        var entries: Int
        /// For so many days that were witnessed.
        var days: Int

        /// The same in µs.
        var time: UInt64 { UInt64(days) * Persistence.day }
    }

    /// A day, in µs.
    static let day: UInt64 = 86_400_000_000

    /// Nil: not to be kept.
    let tree: PersistedFile?
    /// Nil: not to be kept.
    let history: PersistedFile?
    let retention: Retention
    /// Whether the history's file has a copy of the tree.
    let copiesTree: Bool
    let loop: EventLoop
    let logger: Logger

    /// Gives the records that changed; and all of them.
    var changedRecords: () -> [Record] = { [] }
    var allRecords: () -> [Record] = { [] }
    /// Runs when ``trouble`` comes or goes.
    var onTroubleChange: () -> Void = {}

    /// What was in the files when they were opened.
    private(set) var found: (tree: [Record], history: [Record]) = ([], [])
    /// The records that the history's file still lacks, each once: those of the copy, or the counters alone.
    private var copied: [RecordKey: Record] = [:]

    /// Navigations that are not in the file yet.
    var batch = HistoryBatch()
    /// What the time of day is beyond that of the loop, in µs.
    var timeOffset: UInt64 = 0
    /// Full batches that could not be written, the oldest first.
    var waiting: [HistoryBatch] = []
    /// How many navigations had to be forgotten, as they could not be written.
    var lost = 0
    /// Up to this serial, what waits in the tree's file is in the history, or is given up.
    var flushed: UInt64 = 0
    /// What is being forgotten as it is too old; and when that is looked for the next time.
    var aging: StoreFile.Aging?
    var nextAging: UInt64 = 0
    var flushTimer: Timer?
    private(set) var isFlushDue = false
    var pruning: DeferredTask?

    private var retryTimer: Timer?
    private var retryPause = Persistence.firstPause
    private var isRetryDue = false
    /// What ``trouble`` was when ``onTroubleChange`` ran last.
    private var reportedTrouble: String?

    /// How long a navigation waits for others to be written with, in µs (D-2).
    static let flushDelay: UInt64 = 100_000
    /// How many are written at once (D-2).
    static let batchSize = 256
    /// The same in bytes: arguments can be large.
    static let batchBytes = 1 << 20
    /// The pauses before it is tried again to write, in µs: each twice as long as the one before (D-7).
    static let firstPause: UInt64 = 1_000_000
    static let longestPause: UInt64 = 30_000_000
    /// How many bytes of navigations wait for a file that can't be written.
    static let mostWaiting = 4 << 20
    /// How many bytes of navigations are written with one change of the tree; of more, the history's file gets them.
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

    // MARK: How it is

    /// Whether there is a file to keep records in that can be written: then they come before effects (D-1).
    var isWorking: Bool { tree?.isWorking == true || history?.isWorking == true }

    /// Whether a restart finds the tree as it is, and what happened. A history that another process has is done without.
    var isDurable: Bool { tree != nil && trouble == nil }

    /// Why something is not kept that should be, for a person; nil: all is.
    var trouble: String? {
        if let trouble = tree?.trouble { return trouble.description }
        guard let trouble = history?.trouble, trouble.kind != .locked else { return nil }
        return "the history: \(trouble)"
    }

    // MARK: Records

    /// Opens the files.
    ///
    /// - Parameter isPatient: whether to try one again that another process has open; it waits a little before it says so.
    func open(whileLocked isPatient: (PersistedFile) -> Bool) {
        if let tree { found.tree = tree.open(while: { isPatient(tree) }) }
        if let history { found.history = history.open(while: { isPatient(history) }) }
        recoverPending()
        updateTrouble()
    }

    /// Writes all records instead of those that were found, where they are others.
    func replaceFound(by records: [Record]) {
        func isSame(_ one: [Record], _ other: [Record]) -> Bool {
            one.count == other.count && one.sorted { $0.key < $1.key } == other.sorted { $0.key < $1.key }
        }
        if let tree, tree.isWorking, !isSame(found.tree, records) { commitEnded(writeAll(records, to: tree), of: tree) }
        if let history, history.isWorking, !isSame(found.history, selected(records)) {
            commitEnded(writeAll(records, to: history), of: history)
        }
        found = ([], [])
    }

    /// Writes records that changed, before their effects are carried out, and with them the navigations that changed them.
    func persist(_ records: [Record]) {
        guard !records.isEmpty else { return }
        // What is much is not written twice.
        let isMuch = batch.newBytes > Self.mostPending && history?.isWorking == true
        if let tree, tree.isWorking {
            commitEnded(writeWithPending(records, to: tree, isMuch ? [] : pending), of: tree)
        }
        copy(records)
        if isMuch || tree?.isWorking != true { flushHistory() }
    }

    /// Writes records that changed and need not be kept at once; what comes with them, the history's file gets next.
    private func persistLater(_ records: [Record]) {
        guard !records.isEmpty else { return }
        if let tree, tree.isWorking { commitEnded(tree.write(records, dropping: flushed), of: tree) }
        copy(records)
    }

    /// Queues records for the history's file; writes at once how far serials are reserved, which can't wait.
    private func copy(_ records: [Record]) {
        guard let history, history.isWorking else { return }
        // What brings no navigation, such as Dismiss, is not to wait for one.
        if copiesTree && !records.isEmpty { flushSoon() }
        var counters: Record?
        for record in records {
            if record.key.kind == .counters { counters = record }
            if copiesTree { copied[record.key] = record }
        }
        if let counters { commitEnded(history.write([counters]), of: history) }
    }

    private func writeAll(_ records: [Record], to file: PersistedFile) -> PersistedFile.Outcome {
        if file === tree {
            markPending(false)
            // Without a history, what waits there stays for the time that there is one.
            if persistsHistory || retention.entries == 0 { flushed = .max }
            defer { flushed = 0 }
            return writeWithPending(records, to: file, pending, all: true)
        }
        copied = [:]
        return file.write(selected(records), all: true)
    }

    /// What the history's file has of these records.
    func selected(_ records: [Record]) -> [Record] {
        guard copiesTree else { return records.filter { $0.key.kind == .counters } }
        return records.map(\.withoutPrivateArguments).filter { $0.body != nil }
    }

    /// Does what is to be done after an attempt to write; one that began again gets all there is.
    func commitEnded(_ outcome: PersistedFile.Outcome, of file: PersistedFile) {
        switch outcome {
        case .written: return
        case .begunAgain:
            if case .failed = writeAll(allRecords(), to: file) { updateTrouble() }
        case .failed: updateTrouble()
        }
    }

    // MARK: What goes wrong

    /// Tells of trouble that came or went, and has it tried again.
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

    /// Most daemons never need the timer, and each one there is costs each turn of the loop.
    private func retrySoon() {
        do throws(SdError) {
            if retryTimer == nil { retryTimer = try loop.timer { [unowned self] in retry() } }
            try retryTimer?.arm(at: loop.now + retryPause)
        } catch {
            logger.error("Could not set a timer: \(error)")
        }
    }

    /// Tries again to write to files that could not be.
    private func retry() {
        isRetryDue = false
        retryPause = min(2 * retryPause, Self.longestPause)
        // The file that works, if there is one, is not told by what follows.
        persistLater(changedRecords())
        if let tree, needsRetry(tree), tree.reopen().isOpen, case .written = writeAll(allRecords(), to: tree) {
            tree.recovered("")
        }
        if let history, needsRetry(history) { retry(history) }
        if !needsRetry(tree) && !needsRetry(history) { retryPause = Self.firstPause }
        updateTrouble()
        flushHistory()
    }

    private func needsRetry(_ file: PersistedFile?) -> Bool {
        guard let file else { return false }
        return !file.isWorking && !file.isLeftAlone
    }

    private func retry(_ history: PersistedFile) {
        let (isOpen, records) = history.reopen()
        guard isOpen else { return }
        if !records.isEmpty {
            // What is in it was not known when this one began to count: serials would be there twice.
            history.leaveAlone("navigations of another flowbusd, or of an earlier one, are in it")
            waiting = []
            batch.removeAll()
            return
        }
        guard case .written = writeAll(allRecords(), to: history) else { return }
        history.recovered(lost == 0 ? "" : "; \(counted(lost, "navigation")) had to be forgotten")
        lost = 0
    }

    // MARK: What can wait

    /// Has what can wait written soon.
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

    /// Writes navigations that wait, and with them the copy of the tree, which is never older than they are.
    func flushHistory() {
        guard let history else { return }
        guard history.isWorking else {
            // They wait in memory; few of them, and large.
            if isBatchFull { putAside() }
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
        case .begunAgain, .failed:
            putAside()
            commitEnded(outcome, of: history)
            flushSoon()
        }
    }

    /// Writes what could not be written before.
    private func flushWaiting(_ records: [Record], to history: PersistedFile) {
        putAside()
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
        do { try pruning?.schedule() } catch { logger.error("Could not forget old navigations: \(error)") }
    }

    /// Writes what waits, and closes the files.
    func close() {
        // Nothing comes later any more.
        (flushTimer, retryTimer, pruning, isRetryDue) = (nil, nil, nil, true)
        flush()
        tree?.close()
        history?.close()
    }
}
