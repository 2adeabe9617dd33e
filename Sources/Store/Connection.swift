import CSQLite

/// An open store that is whole, with its statements.
final class Connection {
    let database: Database
    /// Whether it is read-only.
    let isReadOnly: Bool

    let allRecords: Statement
    let putRecord: Statement
    let removeRecord: Statement
    let removeAllRecords: Statement
    let removePending: Statement
    let putBatch: Statement
    let batches: Statement
    let oldestBatch: Statement
    let historyEnd: Statement
    let batchOf: Statement
    let removeBatch: Statement
    private let begin: Statement
    private let commit: Statement
    private let rollback: Statement

    /// The contents when it was opened, until they are taken.
    private var loaded: Contents.Loaded?

    /// Opens an existing file; read-only if it can't be written.
    ///
    /// - Parameters:
    ///   - written: the number of the last commit as far as known; above 0, a file without commits is not the same one.
    ///   - prepare: gives a new file its identity; not called for others.
    static func open(
        _ path: String, written: UInt64 = 0,
        prepare: () throws(StoreFailure) -> UInt64 = { () throws(StoreFailure) in 0 }
    ) throws(StoreFailure) -> Connection {
        do throws(StoreFailure) {
            return try Connection(path, .full, written, prepare)
        } catch {
            guard error.kind == .unwritable else { throw error }
            // SQLite indexes an existing log in memory. Without a log it would create one, unless the file is declared
            // immutable.
            var hasLog = false
            if case .file(let bytes, _) = try Files.sort(of: path + "-wal") { hasLog = bytes > 0 }
            do throws(StoreFailure) {
                return try Connection(path, .reading(isImmutable: !hasLog), written, prepare)
            } catch let second {
                // A damaged schema can make SQLite run out of memory, whatever there is.
                if error.isOutOfMemory, second.isOutOfMemory, Database.hasMemory {
                    throw StoreFailure(.unreadable, error.description, isOfSQLite: true)
                }
                throw second.kind == .unreadable ? second : error
            }
        }
    }

    private init(
        _ path: String, _ access: Database.Access, _ written: UInt64, _ prepare: () throws(StoreFailure) -> UInt64
    ) throws(StoreFailure) {
        let database = try Database(path, access)
        // The file may belong to another program, so it is not changed yet.
        database.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        database.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
        try database.run(Self.settings)
        switch access {
        case .full:
            isReadOnly = false
            try Self.checkOrSetUp(database, written, prepare)
            // After so many pages the log is checkpointed: it stays below 1 MiB, which is memory on a file system in
            // memory.
            try database.run("PRAGMA wal_autocheckpoint = 512")
        case .reading:
            isReadOnly = true
            guard try !Self.isEmpty(database) else {
                throw StoreFailure(.unwritable, "'\(path)' has nothing in it, and can only be read")
            }
            try Self.check(database)
            try Self.checkSchema(of: database)
        }
        loaded = try Contents.load(database)
        try database.run(Self.smallCache)
        self.database = database
        let (meta, pending) = (Contents.metaKey, Contents.pendingKeys)
        allRecords = try Statement(
            "SELECT key, body FROM records WHERE key <> \(meta) AND key < \(pending)", of: database)
        putRecord = try Statement(
            "REPLACE INTO records (key, number, digest, body) VALUES (?1, ?2, ?3, ?4)", of: database)
        removeRecord = try Statement("DELETE FROM records WHERE key = ?1", of: database)
        removeAllRecords = try Statement(
            "DELETE FROM records WHERE key <> \(meta) AND key < \(pending)", of: database)
        removePending = try Statement("DELETE FROM records WHERE key BETWEEN \(pending) AND ?1", of: database)
        putBatch = try Statement(
            """
            REPLACE INTO history (first, last, time, before, count, witnessed, checksum, number, digest, entries)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """, of: database)
        // Batches do not overlap, so the first one to read is the last that begins early enough.
        batches = try Statement(
            """
            SELECT first, last, entries FROM history
            WHERE first >= coalesce((SELECT max(first) FROM history WHERE first <= ?1), 0) AND last > ?1
            ORDER BY first
            """, of: database)
        oldestBatch = try Statement(
            "SELECT first, before, count, witnessed, checksum FROM history ORDER BY first LIMIT 1", of: database)
        historyEnd = try Statement("SELECT before + count FROM history ORDER BY first DESC LIMIT 1", of: database)
        batchOf = try Statement("SELECT 1 FROM history WHERE first <= ?1 AND last >= ?1", of: database)
        removeBatch = try Statement("DELETE FROM history WHERE first = ?1", of: database)
        begin = try Statement("BEGIN IMMEDIATE", of: database)
        commit = try Statement("COMMIT", of: database)
        rollback = try Statement("ROLLBACK", of: database)
    }

    /// Nothing is synced: the data have to outlive the process, not the system. As one process has the lock, no memory has to
    /// be shared. `page_size` is that of new files: small pages cost less for small records, large ones for batches of
    /// navigations. The check and the loading read the file several times, so until then all of a usual one is
    /// kept.
    private static let settings = """
        PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; \
        PRAGMA page_size = 2048; PRAGMA cache_size = -4096; PRAGMA cell_size_check = ON; \
        PRAGMA secure_delete = FAST
        """

    /// Later, few pages are read again.
    private static let smallCache = "PRAGMA cache_size = -512"

    /// Runs a closure in a transaction.
    func transaction(_ body: () throws(StoreFailure) -> Void) throws(StoreFailure) {
        try begin.run()
        do throws(StoreFailure) {
            try body()
            try commit.run()
        } catch {
            // Some failures have ended the transaction already.
            if !database.isOutsideTransaction { try? rollback.run() }
            throw error
        }
    }

    /// Takes the contents when it was opened; for one call.
    func takeLoaded() -> Contents.Loaded {
        defer { loaded = nil }
        return loaded ?? Contents.Loaded()
    }

    /// Whether closing checkpoints the log. Not before the file is known to be ours and whole, and not if it is damaged: then
    /// neither is changed.
    var isCleanedUp = false {
        didSet { database.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !isCleanedUp) }
    }

    /// Keeps closing from changing the file and its log: they are damaged.
    func leaveAsItIs() { isCleanedUp = false }
}

// Whether the file is ours, and whole.
extension Connection {
    /// Takes the lock, and checks the file, or sets it up if it is empty.
    private static func checkOrSetUp(
        _ database: Database, _ written: UInt64, _ prepare: () throws(StoreFailure) -> UInt64
    ) throws(StoreFailure) {
        let isEmpty = try isEmpty(database)
        if isEmpty && written > 0 {
            throw StoreFailure(
                .unreadable, "'\(database.path)' has nothing in it, and commit \(written) was written to it")
        }
        if !isEmpty { try check(database) }
        if database.isReadOnly && Files.isWritable(database.path) {
            throw StoreFailure(.unreadable, "'\(database.path)' demands a newer SQLite to be written")
        }
        // Before anything is written: a file with contents but without a commit file has lost that.
        let identity = isEmpty ? try prepare() : 0
        let mode = try database.text("PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw StoreFailure(.unwritable, "'\(database.path)' has a journal of the mode '\(mode)' instead of 'wal'")
        }
        if isEmpty {
            try setUp(database, identity)
        } else {
            try checkSchema(of: database)
            // If the log could not be opened for writing, for instance because of too many open files, SQLite reads it alone, and
            // would fail at each write from now on.
            try database.run("BEGIN IMMEDIATE; ROLLBACK")
        }
    }

    /// Makes an empty file a store, with its first commit.
    private static func setUp(_ database: Database, _ identity: UInt64) throws(StoreFailure) {
        try database.run("BEGIN EXCLUSIVE")
        do throws(StoreFailure) {
            for table in Format.schema { try database.run(table) }
            try database.run(
                "PRAGMA application_id = \(Format.applicationID); PRAGMA user_version = \(Format.version)")
            try Contents.establish(database, identity)
            try database.run("COMMIT")
        } catch {
            if !database.isOutsideTransaction { try? database.run("ROLLBACK") }
            throw error
        }
    }

    /// Whether nothing is in the file. Refuses one of another program or of another format.
    private static func isEmpty(_ database: Database) throws(StoreFailure) -> Bool {
        // The first read takes the lock.
        let application = try database.number("PRAGMA application_id")
        let version = try database.number("PRAGMA user_version")
        let tables = try database.number("SELECT count(*) FROM sqlite_schema")
        if version == 0 && tables == 0 && (application == 0 || application == Format.applicationID) { return true }
        guard application == Format.applicationID else {
            throw StoreFailure(
                .unreadable, "'\(database.path)' is of another program: its application_id is \(application)")
        }
        guard version == Format.version else {
            throw StoreFailure(
                .unreadable, "'\(database.path)' has format \(version); only format \(Format.version) can be read")
        }
        return false
    }

    /// Refuses a file whose tables are not exactly ours.
    private static func checkSchema(of database: Database) throws(StoreFailure) {
        let schema = try Statement("SELECT sql FROM sqlite_schema ORDER BY name", of: database)
        var found: [String] = []
        while try schema.step() { found.append(schema.text(0)) }
        guard found == Format.schema else {
            throw StoreFailure(.unreadable, "'\(database.path)' has other tables than format \(Format.version)")
        }
    }

    /// Refuses a file that is damaged.
    private static func check(_ database: Database) throws(StoreFailure) {
        let answer = try database.text("PRAGMA quick_check(1)")
        guard answer == "ok" else { throw StoreFailure(.unreadable, "'\(database.path)' is damaged: \(answer)") }
    }
}
