import FlowCore
import Logging
import Platform
import SdBus
import Store

/// One of the stores. Moves an unreadable file aside (D-6), and keeps the reason why it can't be written (D-7).
final class PersistedFile {
    /// Where it is.
    let path: String
    /// Its contents, for the log: "tree", "history".
    let content: String
    /// Why it can't be written; nil if it can.
    private(set) var trouble: StoreFailure?
    /// Whether it is not used until the next start.
    private(set) var isGivenUp = false
    /// The result of inspecting it when it was opened; of a file that was moved aside, as far as known.
    private(set) var inspection = StoreFile.Inspection()
    /// Whether it has been open, so that this process knows what is in it.
    private var wasOpen = false
    /// Navigations in it that wait for the history.
    private(set) var pending: [HistoryBatch] = []
    private let logger: Logger
    private let clock: BootClock
    private var file: StoreFile?

    /// Whether it is open, and can be written.
    var isWorking: Bool { file != nil && trouble == nil }

    /// A file that is not open yet.
    init(_ path: String, _ content: String, logger: Logger, clock: BootClock = .system) {
        self.path = path
        self.content = content
        self.logger = logger
        self.clock = clock
    }

    /// Opens the file; an unreadable one is moved aside, and a new one begun.
    ///
    /// - Parameter maySoonBeFree: whether to retry while another process has it open.
    /// - Returns: its records; none if there is ``trouble``.
    func open(while maySoonBeFree: () -> Bool = { false }) -> [Record] {
        while true {
            do throws(StoreFailure) {
                return try openAndRead()
            } catch {
                if error.kind == .locked && maySoonBeFree() { continue }
                report(error)
                return []
            }
        }
    }

    private func openAndRead() throws(StoreFailure) -> [Record] {
        do throws(StoreFailure) {
            return try openWhole()
        } catch {
            guard error.kind == .unreadable else { throw error }
            inspection = StoreFile.reserved(beside: path, clock: clock)
            try startOver(because: error)
            return []
        }
    }

    /// Opens the file if it is whole. A failure counts only if there is one at the second look, too: a call of the system can fail
    /// once, which SQLite takes for damage in some places. A start without the file would go on without its contents.
    private func openWhole() throws(StoreFailure) -> [Record] {
        do throws(StoreFailure) {
            return try openOnce()
        } catch {
            guard error.kind != .locked else { throw error }
            return try openOnce()
        }
    }

    private func openOnce() throws(StoreFailure) -> [Record] {
        file = nil
        let opened = try StoreFile(path, clock: clock)
        let records = try Self.records(of: opened)
        pending = try opened.takePending()
        file = opened
        wasOpen = true
        inspection = opened.inspection
        if let warning = inspection.warning { logger.warning("The \(content): \(warning)") }
        if let notice = inspection.notice { logger.notice("The \(content): \(notice)") }
        if opened.isReadOnly { report(StoreFailure(.unwritable, "'\(path)' can only be read")) }
        return records
    }

    private static func records(of file: StoreFile) throws(StoreFailure) -> [Record] {
        let records = try file.records()
        do throws(RecordFailure) {
            return try Record.checked(records)
        } catch {
            throw StoreFailure(.unreadable, error.message)
        }
    }

    /// Takes ``pending``.
    func takePending() -> [HistoryBatch] {
        defer { pending = [] }
        return pending
    }

    /// Moves the file aside, and opens an empty one in its place.
    private func startOver(_ what: String = "can't be read", because failure: StoreFailure) throws(StoreFailure) {
        file = nil
        let aside = try StoreFile.moveAside(path, at: RealtimeClock.now)
        logger.error("The \(content) in '\(path)' \(what), and starts over; the file is now '\(aside)': \(failure)")
        file = try StoreFile(path, startsOver: true, clock: clock)
        wasOpen = true
    }

    /// Writes records and navigations.
    ///
    /// - Parameters:
    ///   - records: the records that changed.
    ///   - all: whether these are all records.
    ///   - history: navigations for the history.
    ///   - pending: navigations that the history does not have yet.
    ///   - serial: the history has pending navigations up to this one.
    /// - Returns: the outcome.
    func write(
        _ records: [Record], all: Bool = false, history: HistoryBatch? = nil, pending: [PendingEntries] = [],
        dropping serial: UInt64 = 0
    ) -> WriteResult {
        guard let file else { return .failed }
        do throws(StoreFailure) {
            try file.write(
                records, all: all, history: history ?? HistoryBatch(), pending: pending, dropping: serial)
            return .written
        } catch {
            return recover(from: error)
        }
    }

    /// The outcome of a write.
    enum WriteResult {
        case written
        /// There is ``trouble``.
        case failed
        /// The file was unreadable, and is whole when it is opened again, or an empty one is in its place.
        case startedOver
    }

    /// Handles a failure as far as possible.
    private func recover(from failure: StoreFailure) -> WriteResult {
        do throws(StoreFailure) {
            guard failure.kind == .unreadable else { throw failure }
            if failure.isOfSQLite {
                // Whole or begun anew: all records are written to it again.
                _ = try openAndRead()
            } else {
                // What a checksum says is so. Opening the file does not look at all of the history.
                try startOver(because: failure)
            }
            return .startedOver
        } catch {
            report(error)
            return .failed
        }
    }

    /// Logs a failure, but not its repetitions.
    private func report(_ failure: StoreFailure) {
        let isNew = trouble == nil
        trouble = failure
        guard isNew else { return }
        switch failure.kind {
        case .locked: logger.warning("The \(content) is not stored for now: \(failure)")
        case .unreadable, .unwritable: logger.error("The \(content) is not stored for now: \(failure)")
        }
    }

    /// Tries to open the file again; ``trouble`` stays until something is written.
    ///
    /// - Returns: whether it is open, and its records if it was opened now.
    func reopen() -> (isOpen: Bool, records: [Record]) {
        if file != nil { return (true, []) }
        let records = open()
        return (file != nil, records)
    }

    /// The same for the tree's file. If it could not be opened at the start, it may have a tree that was not restored: it is moved
    /// aside (D-7).
    ///
    /// - Returns: whether it is open.
    func reopenTree() -> Bool {
        let wasKnown = wasOpen
        let (isOpen, records) = reopen()
        guard isOpen, let failure = trouble, !wasKnown, records.contains(where: { $0.key.kind != .counters }) else {
            return isOpen
        }
        do throws(StoreFailure) {
            try startOver("could not be opened at the start", because: failure)
            return true
        } catch {
            wasOpen = false
            report(error)
            return false
        }
    }

    /// Does not use the file until the next start.
    func giveUp(_ why: String) {
        file = nil
        isGivenUp = true
        trouble = StoreFailure(.locked, why)
        logger.warning("The \(content) in '\(path)' is not used until the next start: \(why)")
    }

    /// Logs that the file works again.
    func recovered(_ more: String) {
        guard trouble != nil else { return }
        trouble = nil
        logger.notice("The \(content) is stored again in '\(path)'\(more)")
    }

    /// Closes the file, so that others can open it.
    func close() { file = nil }
}

// MARK: - The history

extension PersistedFile {
    /// Navigations, none if they can't be read, and the outcome.
    func entries(
        after serial: UInt64, limit: Int, bytes: Int, below path: String?
    ) -> (page: HistoryPage, outcome: WriteResult) {
        let none = HistoryPage(after: serial, limit: limit, bytes: bytes, below: path)
        guard let file else { return (none, .failed) }
        do throws(StoreFailure) {
            return (try file.entries(after: serial, limit: limit, bytes: bytes, below: path), .written)
        } catch {
            return (none, recover(from: error))
        }
    }

    /// The place of navigations relative to those in the file.
    enum HistoryPosition {
        case later, present, missing
    }

    /// The place of navigations of an earlier process relative to those in the file.
    func place(of batch: HistoryBatch) -> HistoryPosition {
        guard let file, batch.first <= file.lastSerial else { return .later }
        let isPresent = try? file.hasEntry(batch.first) && file.hasEntry(batch.last)
        return isPresent == true ? .present : .missing
    }

    /// The witnessed time, in µs, and the number of navigations; nil if they are not known.
    var age: (witnessed: UInt64, count: Int)? {
        guard trouble == nil, let file, let count = try? file.entryCount() else { return nil }
        return (file.witnessed, count)
    }

    /// Removes a few of the old or excess navigations. Returns whether there are more, and the outcome.
    func prune(keeping count: Int, aging: inout StoreFile.Aging?) -> (hasMore: Bool, outcome: WriteResult) {
        guard trouble == nil, let file else { return (false, .failed) }
        do throws(StoreFailure) {
            return (try file.prune(keeping: count, aging: &aging), .written)
        } catch {
            return (false, recover(from: error))
        }
    }
}
