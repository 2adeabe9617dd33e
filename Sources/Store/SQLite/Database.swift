import CSQLite

/// A connection to a file of SQLite: `sqlite3`, which it owns.
///
/// One thread uses it. It never waits for a lock, and prints nothing.
final class Database {
    /// How a file is opened.
    enum Access {
        /// For reading and writing, with the file's lock.
        case full
        /// For reading alone, without a lock, which would need write access.
        case reading(isImmutable: Bool)
    }

    /// The file.
    let path: String
    fileprivate let handle: OpaquePointer

    /// Opens an existing file; sqlite3_open_v2. SQLite reads nothing of it yet.
    init(_ path: String, _ access: Access) throws(StoreFailure) {
        var name = path
        var flags = SQLITE_OPEN_NOMUTEX
        var system: String?
        switch access {
        case .full: flags |= SQLITE_OPEN_READWRITE
        case .reading(let isImmutable):
            flags |= SQLITE_OPEN_READONLY
            system = "unix-none"
            if isImmutable {
                flags |= SQLITE_OPEN_URI
                name = Self.uri(of: path) + "?immutable=1"
            }
        }
        var handle: OpaquePointer?
        let result =
            if let system {
                system.withCString { sqlite3_open_v2(name, &handle, flags, $0) }
            } else {
                sqlite3_open_v2(name, &handle, flags, nil)
            }
        guard let handle, result == SQLITE_OK else {
            let failure = Self.failure(path, "opening", result, of: handle)
            sqlite3_close_v2(handle)
            throw failure
        }
        self.path = path
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
    }

    // Statements own their database, so that none is left here.
    deinit { sqlite3_close_v2(handle) }

    /// The path as a URI; a path may have any bytes but NUL.
    private static func uri(of path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var uri = Array("file:".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                uri.append(byte)
            case let other: uri += [UInt8(ascii: "%"), digits[Int(other >> 4)], digits[Int(other & 15)]]
            }
        }
        return String(decoding: uri, as: UTF8.self)
    }

    /// Whether no transaction has begun; sqlite3_get_autocommit.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// Whether the file can't be written, or demands a newer SQLite to be written; sqlite3_db_readonly.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

    /// Turns an option of the connection on or off; sqlite3_db_config.
    func configure(_ option: Int32, _ isOn: Bool) { _ = flowbus_db_config(handle, option, isOn ? 1 : 0) }

    /// Runs statements that need no values; sqlite3_exec.
    func run(_ sql: String) throws(StoreFailure) {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(sql, result) }
    }

    /// The first column of the first row, as a number.
    func number(_ sql: String) throws(StoreFailure) -> Int64 {
        let statement = try Statement(sql, of: self)
        guard try statement.step() else { throw StoreFailure(.unreadable, "'\(path)': '\(sql)' gives no row") }
        return statement.integer(0)
    }

    /// The first column of the first row, as a text.
    func text(_ sql: String) throws(StoreFailure) -> String {
        let statement = try Statement(sql, of: self)
        guard try statement.step() else { throw StoreFailure(.unreadable, "'\(path)': '\(sql)' gives no row") }
        return statement.text(0)
    }

    /// The failure for the result of a call, with the message of the connection.
    fileprivate func failure(_ action: String, _ result: Int32) -> StoreFailure {
        Self.failure(path, action, result, of: handle)
    }

    private static func failure(
        _ path: String, _ action: String, _ result: Int32, of handle: OpaquePointer?
    ) -> StoreFailure {
        var reason = sqlite3_errstr(result).map { String(cString: $0) } ?? "failed"
        if let handle, let message = sqlite3_errmsg(handle), sqlite3_extended_errcode(handle) == result {
            reason = String(cString: message)
        }
        return StoreFailure(
            StoreFailure.Kind(result), "'\(path)': \(action): \(reason) (SQLite \(result))", isOfSQLite: true,
            isOutOfMemory: result & 0xff == SQLITE_NOMEM)
    }

    /// Whether SQLite can have more memory than opening a file takes.
    static var hasMemory: Bool {
        let memory = sqlite3_malloc64(8 << 20)
        sqlite3_free(memory)
        return memory != nil
    }
}

extension StoreFailure.Kind {
    /// The kind of failure for a result code; https://www.sqlite.org/rescode.html
    fileprivate init(_ result: Int32) {
        self =
            switch result & 0xff {
            case SQLITE_BUSY, SQLITE_LOCKED: .locked
            // The statements are correct for our files, so this is another one.
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
                .unreadable
            // Disk full, read-only, no permission, no memory, a disk error.
            default: .unwritable
            }
    }
}

/// A prepared statement: `sqlite3_stmt`, which it owns.
final class Statement {
    private let database: Database
    private let handle: OpaquePointer

    /// Prepares a statement that is used more than once; sqlite3_prepare_v3.
    init(_ sql: String, of database: Database) throws(StoreFailure) {
        var handle: OpaquePointer?
        let result = sqlite3_prepare_v3(database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard let handle, result == SQLITE_OK else { throw database.failure(sql, result) }
        self.database = database
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Steps to the next row; sqlite3_step.
    ///
    /// - Returns: whether there is one.
    func step() throws(StoreFailure) -> Bool {
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        let failure = database.failure(sqlite3_sql(handle).map { String(cString: $0) } ?? "", result)
        sqlite3_reset(handle)
        throw failure
    }

    /// Runs it to its end, and resets it.
    func run() throws(StoreFailure) {
        while try step() {}
        reset()
    }

    /// Resets it for the next run; sqlite3_reset.
    func reset() { sqlite3_reset(handle) }

    /// Binds a number to a parameter, counted from 1; sqlite3_bind_int64.
    func bind(_ index: Int32, _ number: Int64) { sqlite3_bind_int64(handle, index, number) }

    /// Runs it with bytes bound to a parameter, which SQLite reads in place during this call.
    func run(_ index: Int32, _ bytes: UnsafeBufferPointer<UInt8>) throws(StoreFailure) {
        // An address that is nil would be NULL, not a blob without bytes. A nil destructor is SQLITE_STATIC.
        let result =
            if let start = bytes.baseAddress, !bytes.isEmpty {
                sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), nil)
            } else {
                sqlite3_bind_zeroblob(handle, index, 0)
            }
        guard result == SQLITE_OK else { throw database.failure("binding \(bytes.count) bytes", result) }
        defer { sqlite3_bind_null(handle, index) }
        try run()
    }

    /// A number of the row; sqlite3_column_int64.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// A text of the row; sqlite3_column_text.
    func text(_ column: Int32) -> String { sqlite3_column_text(handle, column).map { String(cString: $0) } ?? "" }

    /// Bytes of the row, valid until the next step; sqlite3_column_blob.
    func bytes(_ column: Int32) throws(StoreFailure) -> UnsafeBufferPointer<UInt8> {
        guard sqlite3_column_type(handle, column) == SQLITE_BLOB else {
            throw StoreFailure(.unreadable, "'\(database.path)': there are no bytes where they belong")
        }
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        guard let start else {
            guard count == 0 else { throw database.failure("reading \(count) bytes", SQLITE_NOMEM) }
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        return UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
    }
}
