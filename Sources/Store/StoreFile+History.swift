import FlowCore

// Navigations that were written.
extension StoreFile {
    /// Navigations after this serial, oldest first, and whether there are more.
    ///
    /// - Parameters:
    ///   - limit: not more than so many.
    ///   - bytes: not more than so many bytes of them in an answer, but at least one entry, if there is one.
    ///   - path: only those of the flow at this path and of flows below it; nil: all.
    ///   - time: only those that happened at this time or later, in µs since 1970.
    public func entries(
        after serial: UInt64, limit: Int, bytes: Int, below path: String?, since time: UInt64
    ) throws(StoreFailure) -> (entries: [HistoryEntry], hasMore: Bool) {
        guard let after = Int64(exactly: serial), let since = Int64(exactly: time) else { return ([], false) }
        return try reading { connection throws(StoreFailure) in
            let statement = connection.batches
            defer { statement.reset() }
            statement.bind(1, after)
            statement.bind(2, since)
            var entries: [HistoryEntry] = []
            var room = bytes
            var reader = EntryReader(below: path)
            while try statement.step() {
                reader.begin(try statement.bytes(2))
                do throws(RecordFailure) {
                    while try reader.next() {
                        guard reader.serial > serial && reader.time >= time && reader.isBelow else { continue }
                        if entries.count >= limit { return (entries, true) }
                        let entry = try reader.entry()
                        room -= entry.byteCount
                        if room < 0 && !entries.isEmpty { return (entries, true) }
                        entries.append(entry)
                    }
                    if reader.serial != UInt64(bitPattern: statement.integer(1)) {
                        throw RecordFailure("the last serial is \(reader.serial)")
                    }
                } catch {
                    throw StoreFailure(
                        .unreadable,
                        "'\(self.path)': the history from \(statement.integer(0)) to \(statement.integer(1)) is damaged: "
                            + error.message)
                }
            }
            return (entries, false)
        }
    }

    /// How many batches one call of ``prune(keeping:since:)`` forgets at most.
    private static let piece = 16

    /// Forgets navigations beyond a number of them, and those that are too old, in a small piece. What was written at once
    /// goes at once, so that a little more than that number may stay.
    ///
    /// - Returns: whether there is more to forget.
    public func prune(keeping count: Int, since time: UInt64) throws(StoreFailure) -> Bool {
        try writing { connection throws(StoreFailure) in
            let end = try historyEnd(connection)
            func isForgotten(_ batch: Oldest) -> Bool {
                // What a damaged file says may be any number.
                end &- batch.end >= Int64(clamping: count) || batch.time < Int64(clamping: time)
            }
            guard let oldest = try oldest(connection), isForgotten(oldest) else { return false }
            var hasMore = true
            try connection.transaction { () throws(StoreFailure) in
                for _ in 0..<Self.piece {
                    guard let oldest = try self.oldest(connection), isForgotten(oldest) else {
                        hasMore = false
                        return
                    }
                    connection.removeBatch.bind(1, oldest.first)
                    try connection.removeBatch.run()
                }
            }
            return hasMore
        }
    }

    /// The oldest batch.
    private struct Oldest {
        let first: Int64
        let time: Int64
        /// How many navigations were written up to its end.
        let end: Int64
    }

    private func oldest(_ connection: Connection) throws(StoreFailure) -> Oldest? {
        let statement = connection.oldestBatch
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return Oldest(first: statement.integer(0), time: statement.integer(1), end: statement.integer(2))
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
