/// What each origin has triggered: its cascade, as long as something of it waits (S-6, S-11).
struct Origins: Sendable {
    /// The cascade of one origin.
    struct Cascade: Equatable, Sendable {
        var triggered = 0
        /// How many of those steps wait: in the queue, for a guard or navigator, for their screen to be presented; and how
        /// many screens that it contributed wait for their presenter.
        var waiting = 0
        /// How many of those wait for their screen to be presented, which may take for ever.
        var held = 0
        /// Whether a dropped step was reported.
        var isReported = false
        /// Whether there is a record of it.
        fileprivate var isSaved = false
        /// Whether it has something that a record would say.
        fileprivate var isRecorded: Bool { triggered > 0 || isReported }
    }

    /// Whether an origin may trigger one more step.
    enum Admission: Equatable, Sendable {
        case admitted
        /// It may not; whether that is the first one that is dropped.
        case dropped(isFirst: Bool)
    }

    /// By the origins' numbers.
    private(set) var cascades: [UInt64: Cascade] = [:]
    /// The latest number.
    private(set) var latest: UInt64 = 0

    /// Whether somebody takes the records; if not, none are noted, as they would pile up.
    private let isRecorded: Bool
    /// Origins that triggered more than their records say.
    private var unsaved: [UInt64] = []
    /// Origins whose cascades are over, and that have records.
    private var gone: [UInt64] = []

    init(isRecorded: Bool = true) { self.isRecorded = isRecorded }

    var isEmpty: Bool { cascades.isEmpty }
    var count: Int { cascades.count }

    subscript(origin: UInt64) -> Cascade? { cascades[origin] }

    /// A new origin: something from outside begins a cascade (S-6).
    mutating func next() -> UInt64 {
        latest += 1
        return latest
    }

    /// Counts a step that an origin triggers, unless it is one too many (S-11).
    mutating func trigger(_ origin: UInt64) -> Admission {
        var cascade = cascades[origin] ?? Cascade()
        defer { cascades[origin] = cascade }
        if cascade.triggered < Limits.triggeredSteps {
            cascade.triggered += 1
            cascade.waiting += 1
            note(origin)
            return .admitted
        }
        let isFirst = !cascade.isReported
        if isFirst {
            cascade.isReported = true
            note(origin)
        }
        return .dropped(isFirst: isFirst)
    }

    /// Something of an origin waits that is no step that it triggers now: a screen for its presenter, or what an earlier
    /// process left.
    mutating func wait(_ origin: UInt64, isHeld: Bool = false) {
        cascades[origin, default: Cascade()].waiting += 1
        if isHeld { hold(origin) }
    }

    /// A step of an origin waits for its screen to be presented.
    mutating func hold(_ origin: UInt64) { cascades[origin]?.held += 1 }

    /// A step of an origin waits for its turn now, no longer for its screen.
    mutating func unhold(_ origin: UInt64) { cascades[origin]?.held -= 1 }

    /// Something of an origin waits no longer.
    mutating func release(_ origin: UInt64, isHeld: Bool = false) {
        guard var cascade = cascades[origin] else { return }
        cascade.waiting -= 1
        if isHeld { cascade.held -= 1 }
        cascades[origin] = cascade.waiting > 0 ? cascade : nil
        if cascade.waiting == 0, cascade.isSaved { gone.append(origin) }
    }

    /// Whether something of an origin waits for more than a screen to be presented.
    func isUnderWay(_ origin: UInt64) -> Bool { cascades[origin].map { $0.waiting > $0.held } ?? false }

    // MARK: Records

    var hasUnsaved: Bool { !unsaved.isEmpty || !gone.isEmpty }

    private mutating func note(_ origin: UInt64) {
        if isRecorded { unsaved.append(origin) }
    }

    /// At the end of an event: what came and went within it has no record.
    mutating func forgetEnded() {
        if unsaved.isEmpty { return }
        unsaved.removeAll { cascades[$0] == nil }
    }

    /// The records that changed since they were last taken.
    mutating func takeRecords() -> [Record] {
        if !hasUnsaved { return [] }
        var records: [Record] = []
        let changed = Set(unsaved)
        for origin in changed.sorted() {
            records += record(of: origin)
            cascades[origin]?.isSaved = true
        }
        for origin in Set(gone).subtracting(changed).sorted() {
            records.append(Record(RecordKey(.origin, origin), nil))
        }
        (unsaved, gone) = ([], [])
        return records
    }

    /// All records; each counts as saved from now on.
    mutating func takeAllRecords() -> [Record] {
        _ = takeRecords()
        for origin in cascades.keys where cascades[origin]?.isRecorded == true { cascades[origin]?.isSaved = true }
        return allRecords
    }

    var allRecords: [Record] { cascades.keys.flatMap(record(of:)) }

    /// None where the origin triggered nothing.
    private func record(of origin: UInt64) -> [Record] {
        guard let cascade = cascades[origin], cascade.isRecorded else { return [] }
        let record = OriginRecord(triggered: cascade.triggered, isReported: cascade.isReported)
        return [Record(RecordKey(.origin, origin), record.bytes)]
    }

    /// Takes back what an earlier process recorded.
    ///
    /// - Parameter latest: the greatest number that any of them had.
    mutating func restore(_ records: [UInt64: OriginRecord], latest: UInt64) {
        self.latest = latest
        for (origin, record) in records {
            cascades[origin] = Cascade(triggered: record.triggered, isReported: record.isReported)
        }
    }

    /// Forgets the cascades of which nothing came back.
    mutating func forgetRestored() {
        for (origin, cascade) in cascades where cascade.waiting == 0 { cascades[origin] = nil }
    }
}
