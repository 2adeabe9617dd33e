/// The cascades of the origins, as long as a part of them waits (S-6, S-11).
struct Origins: Sendable {
    /// The cascade of one origin.
    struct Cascade: Equatable, Sendable {
        var triggered = 0
        /// How many of its steps wait in the queue, for a guard or navigator, or until their screen is presented; plus the
        /// number of its screens that wait for their presenter.
        var waiting = 0
        /// How many of those wait until their screen is presented, which may take forever.
        var deferred = 0
        /// Whether a dropped step was reported.
        var isReported = false
        /// Whether it needs a record.
        fileprivate var isRecorded: Bool { triggered > 0 || isReported }
    }

    /// Whether an origin may trigger one more step.
    enum Admission: Equatable, Sendable {
        case admitted
        /// It may not. `isFirst` is true for the first dropped step.
        case dropped(isFirst: Bool)
    }

    /// By the numbers of the origins.
    private var table: [UInt64: Cascade] = [:]
    /// The latest number.
    private(set) var latest: UInt64 = 0

    private(set) var book: RecordBook<UInt64>
    /// Origins to release when presenters were called.
    private var postponed: [(origin: UInt64, isDeferred: Bool)] = []

    /// How many steps one origin can trigger.
    let limit: Int

    init(isRecorded: Bool = true, limit: Int = Limits.triggeredSteps) {
        (book, self.limit) = (RecordBook(.origin, isWanted: isRecorded), limit)
    }

    var isEmpty: Bool { table.isEmpty }
    var count: Int { table.count }
    /// The cascades, by the numbers of the origins.
    var cascades: [UInt64: Cascade] { table }

    subscript(origin: UInt64) -> Cascade? { table[origin] }

    /// Begins a new origin, for an event from outside (S-6).
    mutating func next() -> UInt64 {
        latest += 1
        return latest
    }

    /// Counts a step that an origin triggers, unless the limit is reached (S-11).
    mutating func trigger(_ origin: UInt64) -> Admission {
        var cascade = table[origin] ?? Cascade()
        defer { table[origin] = cascade }
        if cascade.triggered < limit {
            cascade.triggered += 1
            cascade.waiting += 1
            book.touch(origin)
            return .admitted
        }
        let isFirst = !cascade.isReported
        if isFirst {
            cascade.isReported = true
            book.touch(origin)
        }
        return .dropped(isFirst: isFirst)
    }

    /// Counts a waiting part that is not triggered now: a screen that waits for its presenter, or a restored step.
    mutating func wait(_ origin: UInt64, isDeferred: Bool = false) {
        table[origin, default: Cascade()].waiting += 1
        if isDeferred { addDeferred(origin) }
    }

    /// A step of an origin waits until its screen is presented.
    mutating func addDeferred(_ origin: UInt64) { table.update(origin) { $0.deferred += 1 } }

    /// A step of an origin waits for its turn, and no longer for its screen.
    mutating func removeDeferred(_ origin: UInt64) { table.update(origin) { $0.deferred -= 1 } }

    /// A part of an origin no longer waits.
    mutating func release(_ origin: UInt64, isDeferred: Bool = false) {
        guard var cascade = table[origin] else { return }
        cascade.waiting -= 1
        if isDeferred { cascade.deferred -= 1 }
        table[origin] = cascade.waiting > 0 ? cascade : nil
        if cascade.waiting == 0 { book.remove(origin, origin) }
    }

    /// A part of an origin no longer waits, but another part may be about to.
    mutating func postpone(_ origin: UInt64, isDeferred: Bool) { postponed.append((origin, isDeferred)) }

    /// Takes the postponed releases.
    mutating func takePostponed() -> [(origin: UInt64, isDeferred: Bool)] {
        if postponed.isEmpty { return [] }
        defer { postponed = [] }
        return postponed
    }

    /// Whether a part of an origin waits for more than the presentation of a screen.
    func isUnderWay(_ origin: UInt64) -> Bool { table[origin].map { $0.waiting > $0.deferred } ?? false }

    // MARK: Records

    /// Takes the records that have changed, or all. An origin that triggered nothing has none.
    mutating func takeRecords(all: Bool = false) -> [Record] {
        book.take(all: all ? Array(table.keys) : []) { [table] origin in
            guard let cascade = table[origin], cascade.isRecorded else { return nil }
            return Record(.origin, origin, OriginRecord(triggered: cascade.triggered, isReported: cascade.isReported))
        }
    }

    /// Restores the records of an earlier process.
    ///
    /// - Parameter latest: the greatest number of an origin.
    mutating func restore(_ records: [UInt64: OriginRecord], latest: UInt64) {
        self.latest = latest
        for (origin, record) in records {
            table[origin] = Cascade(triggered: record.triggered, isReported: record.isReported)
        }
    }

    /// Removes the cascades of which nothing was restored.
    mutating func forgetRestored() {
        table = table.filter { $0.value.waiting != 0 }
    }
}
