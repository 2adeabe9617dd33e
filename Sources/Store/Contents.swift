import FlowCore

// The digest of a file is the sum of the checksums of all rows, so that a commit can update it without reading the others. It
// is written with the number of the commit into the last row of the commit; the row with the greatest number has the current
// one. So opening finds rows that are missing, changed, old or added, and a commit needs no further row.

/// The contents that a file has to have: enough to check it.
struct Contents {
    /// Metadata of a file: the body of the record with key 0.
    struct Meta: Equatable {
        /// Identifies the file: a random number that its ``CommitFile`` has, too.
        var identity: UInt64 = 0
        /// The witnessed time (``StoreFile/witnessed``) at an uptime of the machine.
        var boot = BootClock.Boot(high: 0, low: 0)
        var sinceBoot: UInt64 = 0
        var witnessed: UInt64 = 0

        var bytes: [UInt8] {
            [identity, boot.high, boot.low, sinceBoot, witnessed].flatMap { number in
                (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            }
        }
    }

    /// The key of ``Meta``, which no record has.
    static let metaKey: Int64 = 0
    /// Pending navigations have keys from this one on, by the serial of their first navigation.
    static let pendingKeys: Int64 = 127 << 56

    /// The state that a commit changes.
    private struct State {
        var number: UInt64 = 0
        var meta = Meta()
        var records: UInt64 = 0
        var history: UInt64 = 0
    }

    private var state = State()
    /// The checksums of all records.
    private var checksums: [Int64: UInt64] = [:]
    /// The state before the current commit.
    private var before = State()
    private var replaced: [(key: Int64, checksum: UInt64?)] = []
    private var allReplaced: [Int64: UInt64]?

    /// The number of the last commit.
    var number: UInt64 { state.number }
    /// The metadata.
    var meta: Meta { state.meta }
    /// The digest beside ``number`` in the file.
    var digest: UInt64 {
        Checksum.mix(Checksum.mix(Checksum.mix(0, state.records), state.history), state.number)
    }

    // MARK: A commit

    /// Begins a commit, which succeeds or is undone.
    mutating func begin() {
        before = state
        replaced.removeAll(keepingCapacity: true)
        allReplaced = nil
        state.number &+= 1
    }

    /// Undoes the commit.
    mutating func undo() {
        state = before
        if let all = allReplaced {
            checksums = all
        } else {
            for (key, checksum) in replaced.reversed() { checksums[key] = checksum }
        }
        replaced.removeAll(keepingCapacity: true)
        allReplaced = nil
    }

    /// A record with this body was read or written.
    mutating func put(_ key: Int64, _ body: [UInt8]) {
        let checksum = Checksum.of(body, seed: UInt64(bitPattern: key))
        let old = checksums.updateValue(checksum, forKey: key)
        state.records = state.records &- (old ?? 0) &+ checksum
        replaced.append((key, old))
    }

    /// A record was removed.
    mutating func remove(_ key: Int64) {
        guard let old = checksums.removeValue(forKey: key) else { return }
        state.records = state.records &- old
        replaced.append((key, old))
    }

    /// A record was written or removed.
    mutating func note(_ record: Record) {
        let key = Int64(bitPattern: record.key.rawValue)
        if let body = record.body { put(key, body) } else { remove(key) }
    }

    /// All records were removed but ``Meta`` and pending navigations.
    mutating func removeRecords() {
        allReplaced = checksums
        checksums = checksums.filter { $0.key == Self.metaKey || $0.key >= Self.pendingKeys }
        state.records = checksums.values.reduce(0, &+)
    }

    /// The metadata were written.
    mutating func put(_ meta: Meta) {
        state.meta = meta
        put(Self.metaKey, meta.bytes)
    }

    /// A batch of navigations was read or written.
    mutating func putBatch(_ checksum: UInt64) { state.history = state.history &+ checksum }

    /// A batch of navigations was removed.
    mutating func removeBatch(_ checksum: UInt64) { state.history = state.history &- checksum }
}

extension Contents.Meta {
    /// Reads metadata; nil for other bytes.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 40 else { return nil }
        func number(_ index: Int) -> UInt64 {
            bytes[(8 * index)..<(8 * index + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(
            identity: number(0), boot: BootClock.Boot(high: number(1), low: number(2)), sinceBoot: number(3),
            witnessed: number(4))
    }
}

/// A batch of navigations as a row.
struct BatchRow {
    var first: Int64
    var last: Int64
    var time: Int64
    var before: Int64
    var count: Int64
    var witnessed: Int64

    /// The checksum of all of it.
    func checksum(_ entries: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = Checksum.of(UnsafeRawBufferPointer(entries), seed: UInt64(bitPattern: first))
        for number in [last, time, before, count, witnessed] { hash = Checksum.mix(hash, UInt64(bitPattern: number)) }
        return hash
    }
}

// MARK: - Reading

extension Contents {
    /// The result of reading a file when it is opened.
    struct Loaded {
        var contents = Contents()
        /// All other records, by their keys.
        var records: [(key: Int64, body: [UInt8])] = []
        /// Pending navigations.
        var pending: [(key: Int64, body: [UInt8])] = []
        /// The latest witnessed time of a batch.
        var witnessed: UInt64 = 0
        /// The serial of the last navigation in the history; 0 if there is none.
        var lastSerial: Int64 = 0
    }

    /// Reads a file, and compares it with its digest.
    static func load(_ database: Database) throws(StoreFailure) -> Loaded {
        var loaded = Loaded()
        var (number, digest): (UInt64, UInt64) = (0, 0)
        func note(_ statement: borrowing Statement, _ column: Int32) {
            let found = UInt64(bitPattern: statement.integer(column))
            if found >= number { (number, digest) = (found, UInt64(bitPattern: statement.integer(column + 1))) }
        }

        let count = Int(try database.number("SELECT count(*) FROM records"))
        loaded.records.reserveCapacity(count)
        loaded.contents.checksums.reserveCapacity(count)
        let records = try Statement("SELECT key, number, digest, body FROM records", of: database)
        while try records.step() {
            let key = records.integer(0)
            note(records, 1)
            let bytes = try records.bytes(3)
            let checksum = Checksum.of(UnsafeRawBufferPointer(bytes), seed: UInt64(bitPattern: key))
            loaded.contents.checksums[key] = checksum
            loaded.contents.state.records = loaded.contents.state.records &+ checksum
            if key == metaKey, let meta = Meta(bytes) {
                loaded.contents.state.meta = meta
            } else if key >= pendingKeys {
                loaded.pending.append((key, Array(bytes)))
            } else {
                loaded.records.append((key, Array(bytes)))
            }
        }
        let history = try Statement(
            "SELECT first, last, time, before, count, witnessed, checksum, number, digest, entries FROM history",
            of: database)
        while try history.step() {
            note(history, 7)
            let row = BatchRow(
                first: history.integer(0), last: history.integer(1), time: history.integer(2),
                before: history.integer(3), count: history.integer(4), witnessed: history.integer(5))
            let checksum = row.checksum(try history.bytes(9))
            guard checksum == UInt64(bitPattern: history.integer(6)) else {
                throw StoreFailure(
                    .unreadable,
                    "'\(database.path)' is damaged: navigations \(row.first) to \(row.last) are not as they were written"
                )
            }
            loaded.contents.state.history = loaded.contents.state.history &+ checksum
            loaded.witnessed = max(loaded.witnessed, UInt64(clamping: row.witnessed))
            loaded.lastSerial = max(loaded.lastSerial, row.last)
        }
        loaded.contents.state.number = number
        guard digest == loaded.contents.digest else {
            throw StoreFailure(
                .unreadable,
                "'\(database.path)' is damaged: what is in it is not what was there after commit \(number)")
        }
        return loaded
    }

    /// Writes the first commit of a file: its metadata.
    static func establish(_ database: Database, _ identity: UInt64) throws(StoreFailure) {
        var contents = Contents()
        contents.begin()
        contents.put(Meta(identity: identity))
        let insert = try Statement(
            "INSERT INTO records (key, number, digest, body) VALUES (\(metaKey), ?1, ?2, ?3)", of: database)
        insert.bind(1, Int64(bitPattern: contents.number))
        insert.bind(2, Int64(bitPattern: contents.digest))
        try contents.meta.bytes.withUnsafeBufferPointer { bytes throws(StoreFailure) in try insert.run(3, bytes) }
    }
}
