public import FlowCore

/// A file of records and of the history; only this process has it open.
///
/// What was written outlives the process at whatever moment it ends. It does not always outlive the system: then the file
/// may be damaged. That is found out when it is opened, as is what others did to it (D-6): by a digest of all that is in it
/// (``Contents``), and by a file beside it that says how far it was written (``CommitFile``).
public final class StoreFile {
    /// The file.
    public let path: String
    private let format: Format
    let clock: BootClock
    /// Nil: it could not be opened again.
    private(set) var connection: Connection?
    /// How many navigations were ever written; nil: nobody asked the file yet, or a write failed.
    var written: Int64?
    /// What is in it.
    var contents = Contents()
    /// What is in it, until somebody asks for it.
    private var loaded: [Record]?
    /// Navigations that waited for the history when it was opened, until somebody asks for them.
    private var pendingRows: [[UInt8]] = []
    /// The rows of those that wait now.
    private var pendingKeys: [Int64] = []
    /// The serial of the last navigation that was in the history when it was opened; 0: there was none.
    public private(set) var lastSerial: UInt64 = 0
    /// The time that was witnessed when the machine had run for so long; and whether the file says so.
    var base: (sinceBoot: UInt64, witnessed: UInt64) = (0, 0)
    var isBaseWritten = false

    private var mark = CommitFile.Mark()
    private var commitFile: CommitFile?
    /// What opening it showed.
    public private(set) var finding = Finding()

    /// Opens the file, or makes it, and the folders above it; only its owner can read it. One of an older format is
    /// migrated. One that may not be written is opened all the same, to be read.
    ///
    /// - Parameter startsOver: the file was moved aside, as it could not be read: that it is not there is no surprise.
    public convenience init(
        _ path: String, startsOver: Bool = false, clock: BootClock = .system
    ) throws(StoreFailure) {
        try self.init(path, .current, startsOver: startsOver, clock: clock)
    }

    /// The same for files of another format.
    init(
        _ path: String, _ format: Format, startsOver: Bool = false, clock: BootClock = .system
    ) throws(StoreFailure) {
        self.path = path
        self.format = format
        self.clock = clock
        try open(startsOver: startsOver)
    }

    deinit {
        guard connection?.isCleanedUp == true else { return }
        // While the lock is there: who opens it next writes into the same one.
        mark.isClosed = true
        commitFile?.write(mark)
    }

    private func open(startsOver: Bool = false) throws(StoreFailure) {
        var found = CommitFile.read(beside: path)
        let written = startsOver ? 0 : found.mark?.number ?? 0
        let isFresh = try Files.prepare(path, written: written)
        var made: CommitFile.Mark?
        let opened = try Connection.open(path, format, written: written) { () throws(StoreFailure) in
            let mark = CommitFile.Mark(
                identity: .random(in: 1...UInt64.max), boot: clock.boot, counters: found.mark?.counters ?? [])
            made = mark
            // That there is none is found out below.
            if commitFile == nil { commitFile = try? CommitFile(beside: path) }
            commitFile?.write(mark)
            return mark.identity
        }
        // Who had it open before may have written to it until the lock was there.
        if made == nil { found = CommitFile.read(beside: path) }
        let read = opened.takeLoaded()
        finding = try judge(read, found, made: made, isFresh: isFresh)
        loaded = try records(read.records)
        contents = read.contents
        pendingKeys = read.pending.map(\.key)
        pendingRows = read.pending.map(\.body)
        lastSerial = UInt64(clamping: read.lastSerial)
        findBase(read)
        connection = opened
        guard !opened.isReadOnly else { return }
        opened.isCleanedUp = true
        mark = CommitFile.Mark(
            identity: contents.meta.identity, number: contents.number, boot: clock.boot,
            counters: found.mark?.counters ?? [])
        if mark.counters.isEmpty { mark.counters = loaded?.first { $0.key.kind == .counters }?.body ?? [] }
        do throws(StoreFailure) {
            if commitFile == nil { commitFile = try CommitFile(beside: path) }
            commitFile?.write(mark)
        } catch {
            finding.warning = "damage to '\(path)' may not be found: \(error)"
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

    /// Whether it can only be read. Each ``write(_:all:history:pending:dropping:)`` tries anew.
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

    /// Navigations that wait for the history since an earlier process; to be asked for once.
    public func takePending() throws(StoreFailure) -> [HistoryBatch] {
        defer { pendingRows = [] }
        do throws(RecordFailure) {
            return try HistoryBatch.batches(of: pendingRows)
        } catch {
            throw StoreFailure(.unreadable, "'\(path)': navigations that wait are damaged: \(error.message)")
        }
    }

    /// Writes records and navigations, all of it or nothing. After a failure it may be tried again.
    ///
    /// - Parameters:
    ///   - all: the records are all there are: others that are in the file go.
    ///   - history: for those who ask what happened.
    ///   - pending: what is to go into the history of another file.
    ///   - serial: those that wait up to this serial are there now.
    public func write(
        _ records: [Record], all: Bool = false, history: HistoryBatch = HistoryBatch(), pending: [PendingEntries] = [],
        dropping serial: UInt64 = 0
    ) throws(StoreFailure) {
        let dropped = pendingKeys.prefix { PendingEntries.serial($0) <= serial }.count
        let changes = records.count + (history.isEmpty ? 0 : 1) + pending.count + dropped
        if changes == 0 && !all { return }
        // The last record that stays, if there is no batch: its row can have the number of the commit.
        var last = history.isEmpty ? records.lastIndex { $0.body != nil } : nil
        if let place = last, records[(place + 1)...].contains(where: { $0.key == records[place].key }) { last = nil }
        // How much time was witnessed is written where navigations are, at each start of the machine and now and then.
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
        if let counters { mark.counters = counters.body ?? [] }
        note()
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

    /// The row of a batch; nil: there is nothing in it.
    private func row(
        of batch: HistoryBatch, _ connection: Connection
    ) throws(StoreFailure) -> (row: BatchRow, checksum: UInt64)? {
        if batch.isEmpty { return nil }
        let row = BatchRow(
            first: Int64(clamping: batch.first), last: Int64(clamping: batch.last), time: Int64(clamping: batch.time),
            before: try historyEnd(connection), count: Int64(batch.count), witnessed: Int64(clamping: witnessed))
        var checksum: UInt64 = 0
        try batch.withEntries { checksum = row.checksum($0) }
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

    /// Writes what the file says of itself, as the last row of a commit.
    func putMeta(_ connection: Connection) throws(StoreFailure) {
        try put(Contents.metaKey, contents.meta.bytes, isLast: true, connection)
    }

    /// Does something all of it or not at all.
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

    /// Notes that the latest commit is there; before its effects are carried out. Where that fails, the next one says it.
    func note() {
        mark.number = contents.number
        commitFile?.write(mark)
    }
}

// What has to be done around each use.
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
        // It may be opened anew only if it was closed before: to close it later would take away the new one's lock.
        if connection?.isReadOnly == true && Files.isWritable(path) { connection = nil }
        let connection = try connected()
        if connection.isReadOnly { throw StoreFailure(.unwritable, "'\(path)' can only be read") }
        do throws(StoreFailure) {
            return try body(connection)
        } catch {
            written = nil
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
