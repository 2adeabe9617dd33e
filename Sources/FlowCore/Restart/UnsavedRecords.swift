/// Records that are out of date, except those of nodes and tokens, which are tracked there.
struct UnsavedRecords: Sendable {
    /// How many serials and instances are reserved at a time.
    static let block: UInt64 = 4_096

    /// Whether the driver takes the records; if not, those of steps and origins are not noted, as they would pile up.
    let isWanted: Bool

    /// The new contents of the records of steps; nil if the step no longer waits. They are encoded when they are taken: until
    /// then, many steps have gone on.
    private var steps: [UInt64: StepRecord?] = [:]
    /// Steps that have records.
    private var savedSteps: Set<UInt64> = []
    /// Serials and instances up to these are reserved: after a crash they continue from here (D-2).
    private var reserved = CountersRecord()
    /// Whether the reservation has changed since it was recorded.
    private var hasCounters = false

    init(isWanted: Bool) { self.isWanted = isWanted }

    /// Whether a record has to be written before clients learn of the change.
    var isUrgent: Bool { hasSteps || hasCounters }
    /// Whether a record of a step is out of date.
    var hasSteps: Bool { !steps.isEmpty }

    // MARK: - Steps

    /// Notes the new content of a step's record, if the driver takes it.
    mutating func set(_ record: StepRecord, ofStep number: UInt64) {
        if isWanted { steps[number] = record }
    }

    /// Notes that a step no longer waits. A step that has no record yet gets none.
    mutating func remove(step number: UInt64) {
        if savedSteps.contains(number) {
            steps[number] = .some(nil)
        } else {
            steps[number] = nil
        }
    }

    /// Takes the changed records of steps, in their order, which count as written.
    mutating func takeSteps() -> [Record] {
        if steps.isEmpty { return [] }
        defer { steps = [:] }
        return steps.sorted { $0.key < $1.key }.map { number, record in
            if record == nil { savedSteps.remove(number) } else { savedSteps.insert(number) }
            return Record(RecordKey(.step, number), record?.encoded())
        }
    }

    /// Notes the steps that have records, after all records were taken at once.
    mutating func setSavedSteps(among records: [Record]) {
        savedSteps = Set(records.lazy.filter { $0.key.kind == .step }.map(\.key.number))
    }

    // MARK: - Serials and instances

    /// The record of the reservation; nil if nothing was ever reserved.
    var counters: Record? {
        reserved.serial > 0 || reserved.instance > 0 ? Record(RecordKey(.counters, 0), reserved.encoded()) : nil
    }

    /// Whether these numbers are reserved.
    func covers(serial: UInt64, instance: UInt64) -> Bool { serial <= reserved.serial && instance <= reserved.instance }

    /// Reserves the next block of numbers after these.
    mutating func reserve(after serial: UInt64, instance: UInt64) {
        reserved = CountersRecord(serial: serial + Self.block, instance: instance + Self.block)
        hasCounters = true
    }

    /// Gives back the numbers after these.
    mutating func release(after serial: UInt64, instance: UInt64) {
        reserved = CountersRecord(serial: serial, instance: instance)
        hasCounters = true
    }

    /// Sets the numbers that an earlier process had reserved, as its record has them.
    mutating func restore(serial: UInt64, instance: UInt64) {
        reserved = CountersRecord(serial: serial, instance: instance)
    }

    /// Takes the record of the reservation if it has changed; it counts as written.
    mutating func takeCounters() -> Record? {
        guard hasCounters else { return nil }
        hasCounters = false
        return Record(RecordKey(.counters, 0), reserved.encoded())
    }
}

/// The record of the reserved serials and instances.
struct CountersRecord: RecordBody, Equatable, Sendable {
    var serial: UInt64 = 0
    var instance: UInt64 = 0

    static var unread: CountersRecord { CountersRecord() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&serial)
        try coder.code(&instance)
        try coder.check(serial < .max / 2 && instance < .max / 2, "its numbers are at their end")
    }
}
