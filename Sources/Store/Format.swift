/// The format of the files of ``StoreFile``, and the migration of older versions.
struct Format: Sendable {
    /// The migration from one version to the next, and the tables after it.
    struct Migration: Sendable {
        /// The statements.
        let sql: String
        /// All tables as in `sqlite_schema`, by their names.
        let schema: [String]
    }

    /// The first one migrates an empty file, of version 0, to version 1, and so on.
    let migrations: [Migration]

    /// The version of the format: the number of migrations.
    var version: Int { migrations.count }

    /// "Flow": identifies files as ours; https://www.sqlite.org/fileformat2.html#application_id
    static let applicationID: Int64 = 0x466c_6f77

    /// The current format.
    static let current = Format(migrations: [
        Migration(sql: records1 + ";" + history1, schema: [history1, records1]),
        Migration(
            sql: """
                ALTER TABLE records RENAME TO oldRecords; ALTER TABLE history RENAME TO oldHistory; \
                \(records); \(history); \
                INSERT INTO records SELECT key, 0, 0, body FROM oldRecords; \
                INSERT INTO history SELECT first, last, time, before, count, 0, 0, 0, 0, entries FROM oldHistory; \
                DROP TABLE oldRecords; DROP TABLE oldHistory
                """, schema: [history, records]),
    ])

    /// The first version whose rows have checksums.
    static let withChecksums = 2

    /// Records by the raw values of their keys. The last row of a commit has the commit's number and the digest of the file
    /// (``Contents``); others have zeros.
    private static let records = """
        CREATE TABLE records (key INTEGER PRIMARY KEY, number INTEGER NOT NULL, digest INTEGER NOT NULL, \
        body BLOB NOT NULL) STRICT
        """

    /// Batches of navigations, by their first serial: the latest time, the number of navigations that were ever written
    /// before, and their number in the batch, so that nothing has to be counted. The witnessed time gives the batch's age. The
    /// entries come last, as they may continue on pages of their own.
    private static let history = """
        CREATE TABLE history (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, time INTEGER NOT NULL, \
        before INTEGER NOT NULL, count INTEGER NOT NULL, witnessed INTEGER NOT NULL, checksum INTEGER NOT NULL, \
        number INTEGER NOT NULL, digest INTEGER NOT NULL, entries BLOB NOT NULL) STRICT
        """

    // The tables of version 1.
    private static let records1 = "CREATE TABLE records (key INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT"
    private static let history1 = """
        CREATE TABLE history (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, time INTEGER NOT NULL, \
        before INTEGER NOT NULL, count INTEGER NOT NULL, entries BLOB NOT NULL) STRICT
        """
}
