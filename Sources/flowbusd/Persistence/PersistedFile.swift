import FlowCore
import Logging
import Platform
import SdBus
import Store

/// One of the files that outlive the process. It moves aside what can't be read (D-6), and remembers why nothing can be
/// written (D-7).
final class PersistedFile {
    /// Where it is.
    let path: String
    /// What is in it, for the log: "tree", "history".
    let content: String
    /// Why nothing can be written; nil: it can.
    private(set) var trouble: StoreFailure?
    /// Whether it is not to be tried again.
    private(set) var isLeftAlone = false
    /// What opening it showed; of one that was moved aside, what is known of it all the same.
    private(set) var finding = StoreFile.Finding()
    /// Navigations that were in it, and were to go into the history.
    private(set) var pending: [HistoryBatch] = []
    private let logger: Logger
    private let clock: BootClock
    private var file: StoreFile?

    /// Whether it is open, and can be written.
    var isWorking: Bool { file != nil && trouble == nil }

    /// A file that is not opened yet.
    init(_ path: String, _ content: String, logger: Logger, clock: BootClock = .system) {
        self.path = path
        self.content = content
        self.logger = logger
        self.clock = clock
    }

    /// Opens it; one that can't be read is moved aside, and another begun.
    ///
    /// - Parameter maySoonBeFree: where another process has it open, it is tried again as often as this says yes.
    /// - Returns: the records that are in it; none where there is ``trouble``.
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
        file = nil
        do throws(StoreFailure) {
            let opened = try StoreFile(path, clock: clock)
            let records = try Self.records(of: opened)
            pending = try opened.takePending()
            file = opened
            finding = opened.finding
            if let warning = finding.warning { logger.warning("The \(content): \(warning)") }
            if let notice = finding.notice { logger.notice("The \(content): \(notice)") }
            if opened.isReadOnly { report(StoreFailure(.unwritable, "'\(path)' can only be read")) }
            return records
        } catch {
            guard error.kind == .unreadable else { throw error }
            finding = StoreFile.reserved(beside: path, clock: clock)
            try beginAgain(because: error)
            return []
        }
    }

    private static func records(of file: StoreFile) throws(StoreFailure) -> [Record] {
        let records = try file.records()
        do throws(RecordFailure) {
            try Record.check(records)
        } catch {
            throw StoreFailure(.unreadable, error.message)
        }
        return records
    }

    /// Gives navigations that were in it, once.
    func takePending() -> [HistoryBatch] {
        defer { pending = [] }
        return pending
    }

    /// Moves aside what can't be read, and opens an empty file in its place.
    private func beginAgain(because failure: StoreFailure) throws(StoreFailure) {
        file = nil
        let aside = try StoreFile.moveAside(path, at: RealtimeClock.now)
        logger.error(
            "The \(content) in '\(path)' can't be read, and begins afresh; the file is now '\(aside)': \(failure)")
        file = try StoreFile(path, startsOver: true, clock: clock)
    }

    /// Writes records and navigations.
    ///
    /// - Parameters:
    ///   - all: the records are all there are.
    ///   - pending: navigations that the history does not have yet.
    ///   - serial: those up to this one it has now.
    /// - Returns: what came of it.
    func write(
        _ records: [Record], all: Bool = false, history: HistoryBatch? = nil, pending: [PendingEntries] = [],
        dropping serial: UInt64 = 0
    ) -> Outcome {
        guard let file else { return .failed }
        do throws(StoreFailure) {
            try file.write(
                records, all: all, history: history ?? HistoryBatch(), pending: pending, dropping: serial)
            return .written
        } catch {
            return took(error)
        }
    }

    /// What came of an attempt to write.
    enum Outcome {
        case written
        /// There is ``trouble``.
        case failed
        /// It could not be read any more: another one is in its place, which is empty.
        case begunAgain
    }

    /// Does what can be done about a failure.
    private func took(_ failure: StoreFailure) -> Outcome {
        do throws(StoreFailure) {
            guard failure.kind == .unreadable else { throw failure }
            try beginAgain(because: failure)
            return .begunAgain
        } catch {
            report(error)
            return .failed
        }
    }

    /// Once for each time: attempts that fail again say nothing new.
    private func report(_ failure: StoreFailure) {
        let isNew = trouble == nil
        trouble = failure
        guard isNew else { return }
        switch failure.kind {
        case .locked: logger.warning("The \(content) is not kept for now: \(failure)")
        case .unreadable, .unwritable: logger.error("The \(content) is not kept for now: \(failure)")
        }
    }

    /// Tries again to have a file that can be written; there is trouble until something is.
    ///
    /// - Returns: whether there is one open, and what was in it, if it had to be opened.
    func reopen() -> (isOpen: Bool, records: [Record]) {
        if file != nil { return (true, []) }
        let records = open()
        return (file != nil, records)
    }

    /// Leaves it alone until the next start.
    func leaveAlone(_ why: String) {
        file = nil
        isLeftAlone = true
        trouble = StoreFailure(.locked, why)
        logger.warning("The \(content) in '\(path)' is left alone until the next start: \(why)")
    }

    /// Says that it works again.
    func recovered(_ more: String) {
        guard trouble != nil else { return }
        trouble = nil
        logger.notice("The \(content) is kept again in '\(path)'\(more)")
    }

    /// Closes it; it can be opened by others then.
    func close() { file = nil }
}

// MARK: - The history

extension PersistedFile {
    /// Navigations, none where they can't be read; and whether the file is still the one that was written to.
    func entries(
        after serial: UInt64, limit: Int, bytes: Int, below path: String?
    ) -> (found: (entries: [HistoryEntry], hasMore: Bool), outcome: Outcome) {
        guard let file else { return (([], false), .failed) }
        do throws(StoreFailure) {
            return (try file.entries(after: serial, limit: limit, bytes: bytes, below: path), .written)
        } catch {
            return (([], false), took(error))
        }
    }

    /// How these navigations stand to those that are in it.
    enum Place {
        case later, present, missing
    }

    /// How navigations of an earlier process stand to those that are in it.
    func place(of batch: HistoryBatch) -> Place {
        guard let file, batch.first <= file.lastSerial else { return .later }
        let isPresent = try? file.hasEntry(batch.first) && file.hasEntry(batch.last)
        return isPresent == true ? .present : .missing
    }

    /// How much time was witnessed, in µs, and how many navigations there are; nil: nobody knows.
    var age: (witnessed: UInt64, count: Int)? {
        guard trouble == nil, let file, let count = try? file.entryCount() else { return nil }
        return (file.witnessed, count)
    }

    /// Forgets a small piece of what is too much or too old; whether there is more, and what came of it.
    func prune(keeping count: Int, aging: inout StoreFile.Aging?) -> (hasMore: Bool, outcome: Outcome) {
        guard trouble == nil, let file else { return (false, .failed) }
        do throws(StoreFailure) {
            return (try file.prune(keeping: count, aging: &aging), .written)
        } catch {
            return (false, took(error))
        }
    }
}
