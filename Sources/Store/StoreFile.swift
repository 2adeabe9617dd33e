public import FlowCore

/// A file of records and of the history; only this process has it open.
///
/// What was written outlives the process at whatever moment it ends. It does not always outlive the system: then the file
/// may be damaged, which is found out (D-6).
public final class StoreFile {
    /// The file.
    public let path: String
    private let format: Format
    /// Nil: it could not be opened again.
    private(set) var connection: Connection?
    /// How many navigations were ever written; nil: nobody asked the file yet, or a write failed.
    var written: Int64?

    /// Opens the file, or makes it, and the folders above it; only its owner can read it. One of an older format is
    /// migrated. One that may not be written is opened all the same, to be read.
    public convenience init(_ path: String) throws(StoreFailure) {
        try self.init(path, .current)
    }

    /// The same for files of another format.
    init(_ path: String, _ format: Format) throws(StoreFailure) {
        self.path = path
        self.format = format
        try Files.prepare(path)
        connection = try Connection.open(path, format)
    }

    /// Whether it can only be read. Each ``write(_:all:history:)`` tries anew.
    public var isReadOnly: Bool { connection?.isReadOnly ?? true }

    /// All records, in the order of their keys.
    public func records() throws(StoreFailure) -> [Record] {
        try reading { connection throws(StoreFailure) in
            let statement = connection.allRecords
            defer { statement.reset() }
            var records: [Record] = []
            while try statement.step() {
                let number = statement.integer(0)
                guard let key = UInt64(exactly: number).flatMap(RecordKey.init(rawValue:)) else {
                    throw StoreFailure(.unreadable, "'\(path)' has a record of the key \(number), which no record has")
                }
                records.append(Record(key, Array(try statement.bytes(1))))
            }
            return records
        }
    }

    /// Writes records and navigations, all of it or nothing. After a failure it may be tried again.
    ///
    /// - Parameter all: the records are all there are: others that are in the file go.
    public func write(
        _ records: [Record], all: Bool = false, history: HistoryBatch = HistoryBatch()
    ) throws(StoreFailure) {
        if records.isEmpty && !all && history.isEmpty { return }
        try writing { connection throws(StoreFailure) in
            // One change is a transaction by itself.
            if !all && records.count + (history.isEmpty ? 0 : 1) == 1 {
                try put(records, history, connection)
            } else {
                try connection.transaction { () throws(StoreFailure) in
                    if all { try connection.removeAllRecords.run() }
                    try put(records, history, connection)
                }
            }
        }
        if let written { self.written = written &+ Int64(history.count) }
    }

    private func put(_ records: [Record], _ history: HistoryBatch, _ connection: Connection) throws(StoreFailure) {
        for record in records {
            let key = Int64(bitPattern: record.key.rawValue)
            if let body = record.body {
                connection.putRecord.bind(1, key)
                try body.withUnsafeBufferPointer { body throws(StoreFailure) in
                    try connection.putRecord.run(2, body)
                }
            } else {
                connection.removeRecord.bind(1, key)
                try connection.removeRecord.run()
            }
        }
        if history.isEmpty { return }
        let statement = connection.putBatch
        statement.bind(1, Int64(clamping: history.first))
        statement.bind(2, Int64(clamping: history.last))
        statement.bind(3, Int64(clamping: history.time))
        statement.bind(4, try historyEnd(connection))
        statement.bind(5, Int64(history.count))
        try history.withEntries { entries throws(StoreFailure) in try statement.run(6, entries) }
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
        let opened = try Connection.open(path, format)
        connection = opened
        return opened
    }
}
