import FlowCore

// Navigations are written into the history's file in batches, but the changes of the tree that they belong to at once. Until
// the batch is written, its entries are in the tree's file: each change adds those since the last one. The bytes are those of
// the batch, so that together they are its beginning.

/// Navigations in the tree's file until the history has them.
public struct PendingEntries: Sendable {
    /// The serial of the first one.
    let first: UInt64
    /// Whether they begin a batch, and their bytes.
    let body: [UInt8]

    /// The key of the row.
    var key: Int64 { Contents.pendingKeys | Int64(clamping: first & (1 << 56 - 1)) }

    /// The serial in a key.
    static func serial(_ key: Int64) -> UInt64 { UInt64(clamping: key &- Contents.pendingKeys) }
}

extension HistoryBatch {
    /// Batches of rows in their order.
    static func batches(of rows: [[UInt8]]) throws(RecordFailure) -> [HistoryBatch] {
        var batches: [HistoryBatch] = []
        var bytes: [UInt8] = []
        for row in rows {
            guard let begins = row.first, begins <= 1 else { throw RecordFailure("no row begins with such a byte") }
            if begins == 1 && !bytes.isEmpty {
                batches.append(try HistoryBatch(bytes))
                bytes = []
            }
            bytes += row.dropFirst()
        }
        if !bytes.isEmpty { batches.append(try HistoryBatch(bytes)) }
        return batches
    }
}
