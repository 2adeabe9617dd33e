/// Which records of a room are out of date, which exist, and which are to be removed. The room tells what has changed; what a record says
/// is asked when it is taken, so many changes make one record.
struct RecordBook<Part: Hashable & Sendable>: Sendable {
    private let kind: RecordKey.Kind
    /// The parts of the room whose records are out of date.
    private(set) var changed: Set<Part> = []
    /// The numbers of the records that exist, and of those that are to be removed.
    private var saved: Set<UInt64> = []
    private var gone: Set<UInt64> = []

    /// Whether the driver takes the records; if not, they are not noted, as they would pile up.
    private let isWanted: Bool

    init(_ kind: RecordKey.Kind, isWanted: Bool = true) { (self.kind, self.isWanted) = (kind, isWanted) }

    /// Whether a record has to be written before clients learn of the change.
    var hasChanged: Bool { !changed.isEmpty }
    /// Whether a record is to be removed.
    var hasGone: Bool { !gone.isEmpty }
    var isDirty: Bool { hasChanged || hasGone }

    /// A part is new, or has changed.
    mutating func touch(_ part: Part) {
        if isWanted { changed.insert(part) }
    }

    /// A part is gone. If it came and went between two writes, it has no record.
    mutating func remove(_ part: Part, _ number: UInt64?) {
        changed.remove(part)
        if let number, saved.remove(number) != nil { gone.insert(number) }
    }

    /// Notes a record that an earlier process has written.
    mutating func restore(_ number: UInt64) { saved.insert(number) }

    /// Takes the changed records, in the order of their numbers; they count as written.
    ///
    /// - Parameters:
    ///   - all: these parts have changed, too.
    ///   - record: the record of a part, without a body if it is to be removed; nil if there is nothing to write.
    mutating func take(all: [Part] = [], _ record: (Part) -> Record?) -> [Record] {
        changed.formUnion(all)
        if !isDirty { return [] }
        var records: [Record] = []
        for part in changed {
            guard let record = record(part) else { continue }
            let number = record.key.number
            if record.body == nil {
                if saved.remove(number) != nil { gone.insert(number) }
                continue
            }
            saved.insert(number)
            gone.remove(number)
            records.append(record)
        }
        for number in gone { records.append(Record(RecordKey(kind, number), nil)) }
        (changed, gone) = ([], [])
        return records.sorted { $0.key < $1.key }
    }
}
