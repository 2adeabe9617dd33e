import FlowCore

// Navigations are written into the history's file in batches, and belong to changes of the tree that are written at once.
// Until a batch is there, what is in it so far waits in the tree's file, written with the changes: each time what came since
// the last time. The bytes are those of the batch, so one after the other they are its beginning.

/// Navigations that wait in a file until the history has them.
public struct PendingEntries: Sendable {
    /// The serial of the first one.
    let first: UInt64
    /// Whether they begin a batch, and their bytes.
    let body: [UInt8]

    /// The key of the row.
    var key: Int64 { Contents.pendingKeys | Int64(clamping: first & (1 << 56 - 1)) }

    /// The serial that a key stands for.
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
