/// Records that are out of date, beside those of nodes and tokens, which know it themselves.
struct UnsavedRecords: Sendable {
    /// How many serials, and how many instances, are reserved at once.
    static let block: UInt64 = 4_096

    /// Whether somebody takes records; if not, those of steps and origins are not noted, as they would pile up.
    let isWanted: Bool

    /// What the records of steps say from now on; nil: the step waits no longer.
    var steps: [UInt64: [UInt8]?] = [:]
    /// Steps that have records.
    var savedSteps: Set<UInt64> = []
    /// Serials and instances up to these are reserved: after a crash they count on from here (D-2).
    var reservedSerial: UInt64 = 0
    var reservedInstance: UInt64 = 0
    /// Whether more of them are reserved than is recorded.
    var hasCounters = false

    init(isWanted: Bool) { self.isWanted = isWanted }

    /// Whether there is something here that has to be kept before anybody hears of it.
    var isUrgent: Bool {
        !steps.isEmpty || hasCounters
    }
}
