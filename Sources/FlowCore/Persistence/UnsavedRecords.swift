/// The dirty records of steps, and the reserved serials and instances. The rooms track their own dirty records.
struct UnsavedRecords: Sendable {
    /// How many serials and instances are reserved at a time.
    static let block: UInt64 = 4_096

    /// Whether the shell takes the records; if not, those of steps are not noted, as they would pile up.
    let isWanted: Bool

    /// The new contents of the records of steps; nil if the step no longer waits.
    var steps: [UInt64: [UInt8]?] = [:]
    /// Steps that have records.
    var savedSteps: Set<UInt64> = []
    /// Serials and instances up to these are reserved: after a crash they continue from here (D-2).
    var reservedSerial: UInt64 = 0
    var reservedInstance: UInt64 = 0
    /// Whether the reservation has changed since it was recorded.
    var hasCounters = false

    init(isWanted: Bool) { self.isWanted = isWanted }

    /// Whether a record has to be written before clients learn of the change.
    var isUrgent: Bool {
        !steps.isEmpty || hasCounters
    }
}
