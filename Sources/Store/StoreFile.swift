public import FlowCore

/// A file of records and of the history; only this process has it open.
///
/// The contents outlive the process at whatever moment it ends. They may not outlive the system, and then the file may be
/// damaged. Opening finds that, and changes by others (D-6): by a digest of the contents (``Contents``), and by a file with
/// the number of the last commit (``CommitFile``).
public final class StoreFile {
    /// The file.
    public let path: String
    let clock: BootClock
    /// Nil if it could not be reopened.
    private(set) var connection: Connection?
    /// How many navigations were ever written; nil until the file is read, and after a failed write.
    var written: Int64?
    /// The oldest batch of the history; nil until it is read, and after it may have changed.
    var oldest: OldestBatch?
    /// Its contents.
    var contents = Contents()
    /// The records when it was opened, until they are taken.
    private var loaded: [Record]?
    /// The pending navigations when it was opened, until they are taken.
    private var pendingRows: [[UInt8]] = []
    /// The rows of the pending navigations.
    private var pendingKeys: [Int64] = []
    /// The serial of the last navigation in the history when it was opened; 0 if there was none.
    public private(set) var lastSerial: UInt64 = 0
    /// The witnessed time at an uptime of the machine, and whether the file has it.
    var base: (sinceBoot: UInt64, witnessed: UInt64) = (0, 0)
    var isBaseWritten = false

    private var mark = CommitFile.CommitMark()
    private var commitFile: CommitFile?
    /// The result of inspecting it when it was opened.
    public private(set) var inspection = Inspection()

    /// Opens or creates the file, and the folders above it, for its owner alone. A file without write permission is
    /// opened read-only.
    ///
    /// - Parameter startsOver: whether the file was moved aside because it could not be read, so that it is expected to be
    ///   missing.
    public init(_ path: String, startsOver: Bool = false, clock: BootClock = .system) throws(StoreFailure) {
        self.path = path
        self.clock = clock
        try open(startsOver: startsOver)
    }

    deinit {
        guard connection?.isCleanedUp == true else { return }
        // While the lock is held: the next process writes into the same commit file.
        mark.isClosed = true
        commitFile?.write(mark)
    }

    private func open(startsOver: Bool = false) throws(StoreFailure) {
        oldest = nil
        var found = CommitFile.read(beside: path)
        let written = startsOver ? 0 : found.mark?.number ?? 0
        let isFresh = try Files.prepare(path, written: written)
        var made: CommitFile.CommitMark?
        let opened = try Connection.open(path, written: written) { () throws(StoreFailure) in
            let mark = CommitFile.CommitMark(
                identity: .random(in: 1...UInt64.max), boot: clock.boot,
                isUncertain: Self.isUncertain(found, startsOver: startsOver, clock),
                counters: found.mark?.counters ?? [])
            made = mark
            // That it is missing is handled below.
            if commitFile == nil { commitFile = try? CommitFile(beside: path) }
            commitFile?.write(mark)
            return mark.identity
        }
        // Another process may have written to it until the lock was taken.
        if made == nil { found = CommitFile.read(beside: path) }
        let read = opened.takeLoaded()
        inspection = try judge(read, found, made: made, isFresh: isFresh)
        loaded = try records(read.records)
        contents = read.contents
        pendingKeys = read.pending.map(\.key)
        pendingRows = read.pending.map(\.body)
        lastSerial = UInt64(clamping: read.lastSerial)
        findBase(read)
        connection = opened
        guard !opened.isReadOnly else { return }
        opened.isCleanedUp = true
        mark = CommitFile.CommitMark(
            identity: contents.meta.identity, number: contents.number, boot: clock.boot,
            isUncertain: made?.isUncertain ?? [.unknown, .late].contains(inspection.certainty),
            counters: found.mark?.counters ?? [])
        if mark.counters.isEmpty { mark.counters = loaded?.first { $0.key.kind == .counters }?.body ?? [] }
        do throws(StoreFailure) {
            if commitFile == nil { commitFile = try CommitFile(beside: path) }
            commitFile?.write(mark)
            // While the disk has the mark of the orderly end, a machine that goes down makes the next start give the numbers of
            // this one again. To wait for the disk would make each start slower.
            if found.mark?.isClosed == true { commitFile?.beginSync() }
        } catch {
            inspection.warning = "damage to '\(path)' may not be found: \(error)"
        }
    }

    private func records(_ found: [(key: Int64, body: [UInt8])]) throws(StoreFailure) -> [Record] {
        var records: [Record] = []
        records.reserveCapacity(found.count)
        for (key, body) in found { records.append(Record(try self.key(key), body)) }
        return records
    }

    private func key(_ number: Int64) throws(StoreFailure) -> RecordKey {
        guard let key = UInt64(exactly: number).flatMap(RecordKey.init(rawValue:)) else {
            throw StoreFailure(.unreadable, "'\(path)' has a record of the key \(number), which no record has")
        }
        return key
    }

    /// Whether it is read-only. Each ``write(_:all:history:pending:dropping:)`` tries again.
    public var isReadOnly: Bool { connection?.isReadOnly ?? true }

    /// All records, in the order of their keys.
    public func records() throws(StoreFailure) -> [Record] {
        try reading { connection throws(StoreFailure) in
            if let loaded {
                self.loaded = nil
                return loaded
            }
            let statement = connection.allRecords
            defer { statement.reset() }
            var records: [Record] = []
            while try statement.step() {
                records.append(Record(try key(statement.integer(0)), Array(try statement.bytes(1))))
            }
            return records
        }
    }

    /// Takes the navigations that wait for the history since an earlier process; for one call.
    public func takePending() throws(StoreFailure) -> [HistoryBatch] {
        defer { pendingRows = [] }
        do throws(RecordFailure) {
            return try HistoryBatch.batches(of: pendingRows)
        } catch {
            throw StoreFailure(.unreadable, "'\(path)': navigations that wait are damaged: \(error.message)")
        }
    }

    /// Writes records and navigations in one transaction. After a failure the call may be repeated.
    ///
    /// - Parameters:
    ///   - all: whether other records are removed from the file.
    ///   - history: navigations for this file's history.
    ///   - pending: navigations that wait for the history of another file.
    ///   - serial: pending navigations up to this serial are in that history now.
    public func write(
        _ records: [Record], all: Bool = false, history: HistoryBatch = HistoryBatch(), pending: [PendingEntries] = [],
        dropping serial: UInt64 = 0
    ) throws(StoreFailure) {
        let dropped = pendingKeys.prefix { PendingEntries.serial($0) <= serial }.count
        let changes = records.count + (history.isEmpty ? 0 : 1) + pending.count + dropped
        if changes == 0 && !all { return }
        // If there is no batch, the row of the last remaining record gets the number of the commit.
        var last = history.isEmpty ? records.lastIndex { $0.body != nil } : nil
        if let place = last, records[(place + 1)...].contains(where: { $0.key == records[place].key }) { last = nil }
        // The witnessed time is written with navigations, at each boot, and now and then.
        let counters = records.last { $0.key.kind == .counters }
        let isTimed = isBaseWritten ? counters != nil : !history.isEmpty
        let hasMeta = isTimed || history.isEmpty && last == nil
        try writing { connection throws(StoreFailure) in
            try commit(connection, isTransaction: all || hasMeta || changes > 1) { () throws(StoreFailure) in
                if all {
                    contents.removeRecords()
                    try connection.removeAllRecords.run()
                }
                for key in pendingKeys.prefix(dropped) { contents.remove(key) }
                for row in pending { contents.put(row.key, row.body) }
                for record in records { contents.note(record) }
                if isTimed { contents.put(timedMeta()) }
                let batch = try row(of: history, connection)
                if let batch { contents.putBatch(batch.checksum) }

                if dropped > 0 {
                    connection.removePending.bind(1, pendingKeys[dropped - 1])
                    try connection.removePending.run()
                }
                for row in pending { try put(row.key, row.body, isLast: false, connection) }
                for (place, record) in records.enumerated() {
                    let key = Int64(bitPattern: record.key.rawValue)
                    if let body = record.body {
                        try put(key, body, isLast: place == last, connection)
                    } else {
                        try remove(key, connection)
                    }
                }
                if let batch { try put(batch, history, connection) }
                if hasMeta {
                    let isLast = history.isEmpty && last == nil
                    try put(Contents.metaKey, contents.meta.bytes, isLast: isLast, connection)
                }
            }
        }
        loaded = nil
        isBaseWritten = isBaseWritten || isTimed
        pendingKeys.removeFirst(dropped)
        pendingKeys += pending.map(\.key)
        if let written { self.written = written &+ Int64(history.count) }
        // Serials grow, but a damaged file may have begun with any.
        if let first = oldest?.first, !history.isEmpty, Int64(clamping: history.first) <= first { oldest = nil }
        let wasUncertain = mark.isUncertain && counters != nil
        if let counters { (mark.counters, mark.isUncertain) = (counters.body ?? [], false) }
        note()
        // If the machine goes down again soon, the next start has to go beyond these numbers, not to them.
        if wasUncertain { commitFile?.sync() }
    }
}

// The rows of a commit.
extension StoreFile {
    private func put(_ key: Int64, _ body: [UInt8], isLast: Bool, _ connection: Connection) throws(StoreFailure) {
        let statement = connection.putRecord
        statement.bind(1, key)
        statement.bind(2, isLast ? Int64(bitPattern: contents.number) : 0)
        statement.bind(3, isLast ? Int64(bitPattern: contents.digest) : 0)
        try body.withUnsafeBufferPointer { body throws(StoreFailure) in try statement.run(4, body) }
    }

    private func remove(_ key: Int64, _ connection: Connection) throws(StoreFailure) {
        connection.removeRecord.bind(1, key)
        try connection.removeRecord.run()
    }

    /// The row of a batch; nil for an empty one.
    private func row(
        of batch: HistoryBatch, _ connection: Connection
    ) throws(StoreFailure) -> (row: BatchRow, checksum: UInt64)? {
        if batch.isEmpty { return nil }
        let row = BatchRow(
            first: Int64(clamping: batch.first), last: Int64(clamping: batch.last), time: Int64(clamping: batch.time),
            before: try historyEnd(connection), count: Int64(batch.count), witnessed: Int64(clamping: witnessed))
        var checksum: UInt64 = 0
        batch.withEntries { checksum = row.checksum($0) }
        return (row, checksum)
    }

    private func put(
        _ batch: (row: BatchRow, checksum: UInt64), _ history: HistoryBatch, _ connection: Connection
    ) throws(StoreFailure) {
        let statement = connection.putBatch
        statement.bind(1, batch.row.first)
        statement.bind(2, batch.row.last)
        statement.bind(3, batch.row.time)
        statement.bind(4, batch.row.before)
        statement.bind(5, batch.row.count)
        statement.bind(6, batch.row.witnessed)
        statement.bind(7, Int64(bitPattern: batch.checksum))
        statement.bind(8, Int64(bitPattern: contents.number))
        statement.bind(9, Int64(bitPattern: contents.digest))
        try history.withEntries { entries throws(StoreFailure) in try statement.run(10, entries) }
    }

    /// Writes the file's metadata as the last row of a commit.
    func putMeta(_ connection: Connection) throws(StoreFailure) {
        try put(Contents.metaKey, contents.meta.bytes, isLast: true, connection)
    }

    /// Runs a closure in a transaction.
    func commit(
        _ connection: Connection, isTransaction: Bool = true, _ body: () throws(StoreFailure) -> Void
    ) throws(StoreFailure) {
        contents.begin()
        do throws(StoreFailure) {
            if isTransaction { try connection.transaction(body) } else { try body() }
        } catch {
            contents.undo()
            throw error
        }
    }

    /// Writes the number of the latest commit to the commit file, before its effects are carried out. After a failure the
    /// next commit does.
    func note() {
        mark.number = contents.number
        commitFile?.write(mark)
    }
}

// Opening and closing around each use.
extension StoreFile {
    func reading<Result>(
        _ body: (Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        let connection = try connected()
        do throws(StoreFailure) {
            return try body(connection)
        } catch {
            if error.kind == .unreadable { connection.leaveAsItIs() }
            throw error
        }
    }

    func writing<Result>(
        _ body: (Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        // Close it before it is opened again: closing it later would release the lock of the new one.
        if connection?.isReadOnly == true && Files.isWritable(path) { connection = nil }
        let connection = try connected()
        if connection.isReadOnly { throw StoreFailure(.unwritable, "'\(path)' can only be read") }
        do throws(StoreFailure) {
            return try body(connection)
        } catch {
            (written, oldest) = (nil, nil)
            if error.kind == .unreadable { connection.leaveAsItIs() }
            throw error
        }
    }

    private func connected() throws(StoreFailure) -> Connection {
        if let connection { return connection }
        try open()
        guard let connection else { throw StoreFailure(.unwritable, "'\(path)' is closed") }
        return connection
    }
}
