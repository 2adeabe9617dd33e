/// What the files of ``StoreFile`` look like, and how those of older versions become such.
struct Format: Sendable {
    /// How a file of one version becomes one of the next, and how the tables look then.
    struct Step: Sendable {
        /// What SQLite is to run.
        let sql: String
        /// All tables, in the words of `sqlite_schema`, by their names.
        let schema: [String]
    }

    /// From an empty file, of version 0, to that of version 1, and so on.
    let steps: [Step]

    /// The version that files have: how many steps there are.
    var version: Int { steps.count }

    /// "Flow": marks files as ours; https://www.sqlite.org/fileformat2.html#application_id
    static let applicationID: Int64 = 0x466c_6f77

    /// The one of today.
    static let current = Format(steps: [
        Step(sql: records1 + ";" + history1, schema: [history1, records1]),
        Step(
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

    /// Records by the raw values of their keys. The last row that a commit writes has the commit's number, and the digest
    /// of all that is in the file then (``Contents``); others have zeros.
    private static let records = """
        CREATE TABLE records (key INTEGER PRIMARY KEY, number INTEGER NOT NULL, digest INTEGER NOT NULL, \
        body BLOB NOT NULL) STRICT
        """

    /// Batches of navigations, by the first serial in them: the latest time, how many navigations were written before
    /// this batch, ever, and how many are in it. So nobody has to count them all. What was witnessed of time when it was
    /// written says how old it is. What is asked for stands before the entries, as these may go on in pages of their own.
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
