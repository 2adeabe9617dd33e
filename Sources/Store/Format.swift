/// The format of the files of ``StoreFile``. Files of another one can't be read.
enum Format {
    /// "Flow": identifies files as ours; https://www.sqlite.org/fileformat2.html#application_id
    static let applicationID: Int64 = 0x466c_6f77

    /// The number of the format, which each change of it raises.
    static let version: Int64 = 4

    /// All tables as in `sqlite_schema`, by their names.
    static let schema = [history, records]

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
}
