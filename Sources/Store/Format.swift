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
        Step(sql: records + ";" + history, schema: [history, records])
    ])

    /// Records by the raw values of their keys.
    private static let records = "CREATE TABLE records (key INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT"

    /// Batches of navigations, by the first serial in them: the latest time, how many navigations were written before
    /// this batch, ever, and how many are in it. So nobody has to count them all. What is asked for stands before the
    /// entries, as these may go on in pages of their own.
    private static let history = """
        CREATE TABLE history (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, time INTEGER NOT NULL, \
        before INTEGER NOT NULL, count INTEGER NOT NULL, entries BLOB NOT NULL) STRICT
        """
}
