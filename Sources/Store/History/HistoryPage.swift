public import FlowCore

/// A part of the history that fits into one answer: navigations in the order of their serials.
public struct HistoryPage {
    /// The navigations, oldest first.
    public private(set) var entries: [HistoryEntry] = []
    /// Whether there are more.
    public private(set) var hasMore = false

    /// The serial of the last one.
    private var serial: UInt64
    private let limit: Int
    private var room: Int
    private var reader: EntryReader

    /// An empty page.
    ///
    /// - Parameters:
    ///   - serial: the serial before the first one.
    ///   - limit: how many at most.
    ///   - bytes: how many bytes in an answer at most; but at least one entry, if there is one.
    ///   - path: selects the flow at this path and flows below it; nil for all.
    public init(after serial: UInt64, limit: Int, bytes: Int, below path: String?) {
        self.serial = serial
        self.limit = limit
        room = bytes
        reader = EntryReader(below: path)
    }

    /// Adds those of a batch that is in no file yet.
    public mutating func add(_ batch: HistoryBatch) throws(RecordFailure) {
        _ = try batch.withEntries { bytes throws(RecordFailure) in try add(bytes) }
    }

    /// Adds those of an encoded batch that are later than the last one.
    ///
    /// - Returns: the serial of the batch's last navigation; nil if the page has no place for all of them.
    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) throws(RecordFailure) -> UInt64? {
        guard !hasMore else { return nil }
        reader.begin(bytes)
        while try reader.next() {
            guard reader.serial > serial && reader.isBelow else { continue }
            if entries.count >= limit {
                hasMore = true
                return nil
            }
            let entry = try reader.entry()
            room -= entry.byteCount
            if room < 0 && !entries.isEmpty {
                hasMore = true
                return nil
            }
            entries.append(entry)
            serial = reader.serial
        }
        return reader.serial
    }
}
