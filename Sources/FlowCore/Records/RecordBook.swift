/// Which records of a room are out of date, which exist, and which are to be removed. The room tells what has changed; what a record says
/// is asked when it is taken, so many changes make one record.
struct RecordBook<Part: Hashable & Sendable>: Sendable {
    private let kind: RecordKey.Kind
    /// The parts of the room whose records are out of date.
    private(set) var changed: Set<Part> = []
    /// The numbers of the records that exist, and of those that are to be removed.
    private var saved: Set<UInt64> = []
    private var gone: Set<UInt64> = []

    init(_ kind: RecordKey.Kind) { self.kind = kind }

    /// Whether a record has to be written before clients learn of the change.
    var hasChanged: Bool { !changed.isEmpty }
    /// Whether a record is to be removed.
    var hasGone: Bool { !gone.isEmpty }
    var isDirty: Bool { hasChanged || hasGone }

    /// A part is new, or has changed.
    mutating func touch(_ part: Part) { changed.insert(part) }

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
    ///   - record: the number and content of a part's record; nil if it has none.
    mutating func take(
        all: [Part] = [], _ record: (Part) -> (number: UInt64, body: any RecordBody)?
    ) -> [Record] {
        changed.formUnion(all)
        if !isDirty { return [] }
        var records: [Record] = []
        for part in changed {
            guard let (number, body) = record(part) else { continue }
            saved.insert(number)
            gone.remove(number)
            records.append(Record(RecordKey(kind, number), body.encoded()))
        }
        for number in gone { records.append(Record(RecordKey(kind, number), nil)) }
        (changed, gone) = ([], [])
        return records.sorted { $0.key < $1.key }
    }
}
