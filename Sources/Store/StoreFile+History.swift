import FlowCore

// Navigations in the history.
extension StoreFile {
    /// Navigations after this serial, oldest first: see ``HistoryPage``.
    public func entries(
        after serial: UInt64, limit: Int, bytes: Int, below path: String?
    ) throws(StoreFailure) -> HistoryPage {
        var page = HistoryPage(after: serial, limit: limit, bytes: bytes, below: path)
        guard let after = Int64(exactly: serial) else { return page }
        return try reading { connection throws(StoreFailure) in
            let statement = connection.batches
            defer { statement.reset() }
            statement.bind(1, after)
            while try statement.step() {
                let bytes = try statement.bytes(2)
                do throws(RecordFailure) {
                    guard let last = try page.add(bytes) else { return page }
                    if last != UInt64(bitPattern: statement.integer(1)) {
                        throw RecordFailure("the last serial is \(last)")
                    }
                } catch {
                    throw StoreFailure(
                        .unreadable,
                        "'\(self.path)': the history from \(statement.integer(0)) to \(statement.integer(1)) is damaged: "
                            + error.message)
                }
            }
            return page
        }
    }

    /// Whether the batch that would have this serial is in the history.
    public func hasEntry(_ serial: UInt64) throws(StoreFailure) -> Bool {
        try reading { connection throws(StoreFailure) in
            let statement = connection.batchOf
            defer { statement.reset() }
            statement.bind(1, Int64(clamping: serial))
            return try statement.step()
        }
    }

    /// How many navigations there are.
    public func entryCount() throws(StoreFailure) -> Int {
        try reading { connection throws(StoreFailure) in
            guard let oldest = try oldest(connection) else { return 0 }
            return max(0, Int(clamping: try historyEnd(connection) &- oldest.before))
        }
    }

    /// A removal of old navigations: at most a share of all, whatever their age seems to be.
    public struct Aging: Sendable {
        /// Batches that were written before this witnessed time are too old.
        public let before: UInt64
        /// How many are removed at most; more only if one batch has more.
        public let most: Int
        /// How many have been removed.
        public internal(set) var forgotten = 0

        /// A removal of none yet.
        public init(before: UInt64, most: Int) {
            self.before = before
            self.most = most
        }

        func includes(_ witnessed: Int64, _ count: Int64) -> Bool {
            witnessed < Int64(clamping: before) && (forgotten == 0 || Int64(forgotten) &+ count <= Int64(most))
        }
    }

    /// How many batches one call of ``prune(keeping:aging:)`` removes at most.
    private static let piece = 16

    /// Removes navigations beyond a number, and those that are too old, a few batches at a time. Only whole batches are
    /// removed, so that a little more than that number may stay.
    ///
    /// - Returns: whether there are more to remove.
    public func prune(keeping count: Int, aging: inout Aging?) throws(StoreFailure) -> Bool {
        var age = aging
        defer { aging = age }
        return try writing { connection throws(StoreFailure) in
            let end = try historyEnd(connection)
            /// Whether it is one too many; nil if it stays.
            func isTooMany(_ batch: OldestBatch) -> Bool? {
                // A damaged file may have any number.
                if end &- (batch.before &+ batch.count) >= Int64(clamping: count) { return true }
                return age?.includes(batch.witnessed, batch.count) == true ? false : nil
            }
            guard let oldest = try oldest(connection), isTooMany(oldest) != nil else { return false }
            var hasMore = true
            try commit(connection) { () throws(StoreFailure) in
                for _ in 0..<Self.piece {
                    guard let oldest = try self.oldest(connection), let isTooMany = isTooMany(oldest) else {
                        hasMore = false
                        break
                    }
                    contents.removeBatch(oldest.checksum)
                    self.oldest = nil
                    connection.removeBatch.bind(1, oldest.first)
                    try connection.removeBatch.run()
                    if !isTooMany { age?.forgotten += Int(clamping: oldest.count) }
                }
                try putMeta(connection)
            }
            note()
            return hasMore
        }
    }

    /// The oldest batch.
    struct OldestBatch {
        let first: Int64
        /// How many navigations were written before it.
        let before: Int64
        let count: Int64
        let witnessed: Int64
        let checksum: UInt64
    }

    /// Reads the oldest batch, unless it is known: each batch that is written asks for it.
    private func oldest(_ connection: Connection) throws(StoreFailure) -> OldestBatch? {
        if let oldest { return oldest }
        let statement = connection.oldestBatch
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let found = OldestBatch(
            first: statement.integer(0), before: statement.integer(1), count: statement.integer(2),
            witnessed: statement.integer(3), checksum: UInt64(bitPattern: statement.integer(4)))
        oldest = found
        return found
    }

    /// How many navigations were ever written.
    func historyEnd(_ connection: Connection) throws(StoreFailure) -> Int64 {
        if let written { return written }
        let statement = connection.historyEnd
        defer { statement.reset() }
        let end = try statement.step() ? statement.integer(0) : 0
        written = end
        return end
    }
}
