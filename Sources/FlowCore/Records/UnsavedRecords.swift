/// Records that are out of date, beside those of nodes and tokens, which know it themselves.
struct UnsavedRecords: Sendable {
    /// How many serials, and how many instances, are reserved at once.
    static let block: UInt64 = 4_096

    /// Whether somebody takes records; if not, those of steps and origins are not noted, as they would pile up.
    let isWanted: Bool

    /// Records of nodes that are gone.
    var goneNodes: [RecordKey] = []
    /// What the records of steps say from now on; nil: the step waits no longer.
    var steps: [UInt64: [UInt8]?] = [:]
    /// Steps that have records.
    var savedSteps: Set<UInt64> = []
    /// Origins that set off more than their records say.
    var origins: [UInt64] = []
    /// Origins that are over and have records.
    var goneOrigins: [UInt64] = []
    /// Calls of `EmitSteps` that began to wait, or do no longer.
    var lists: Set<UInt64> = []
    /// Those that have records.
    var savedLists: Set<UInt64> = []
    /// Those of them whose steps are others than before.
    var rewrittenLists: Set<UInt64> = []
    /// Whether calls went on in slices since that was recorded.
    var hasProgress = false
    /// What the records of those say.
    var savedProgress: [UInt64: ProgressRecord] = [:]
    /// Names of flows that came to be registered, perhaps anew, or whose clients have gone.
    var registrations: Set<String> = []
    /// The numbers of the records that registered flows have.
    var registrationNumbers: [String: UInt64] = [:]
    /// Those of registrations that are gone.
    var goneRegistrations: [UInt64] = []
    var lastRegistration: UInt64 = 0
    /// Bus names that have another owner, or none.
    var names: Set<String> = []
    /// The numbers of the records that bus names have.
    var nameNumbers: [String: UInt64] = [:]
    var lastName: UInt64 = 0

    /// Serials and instances up to these are reserved: after a crash they count on from here (D-2).
    var reservedSerial: UInt64 = 0
    var reservedInstance: UInt64 = 0
    /// Whether more of them are reserved than is recorded.
    var hasCounters = false

    init(isWanted: Bool) { self.isWanted = isWanted }

    /// Whether there is something here that has to be kept before anybody hears of it.
    var isUrgent: Bool {
        !goneNodes.isEmpty || !steps.isEmpty || !origins.isEmpty || !goneOrigins.isEmpty || !lists.isEmpty
            || !registrations.isEmpty
            || !goneRegistrations.isEmpty || !names.isEmpty || hasCounters || hasProgress
    }

    /// An origin set off more than its record says.
    mutating func note(origin: UInt64) {
        if isWanted { origins.append(origin) }
    }

    /// A flow is registered no longer.
    mutating func unregister(_ flow: String) {
        registrations.remove(flow)
        if let number = registrationNumbers.removeValue(forKey: flow) { goneRegistrations.append(number) }
    }

    /// A list waits no longer; if it does again, that is noted again.
    mutating func drop(list: UInt64) {
        if savedLists.contains(list) { lists.insert(list) } else { lists.remove(list) }
    }

    /// A list's steps are others than before.
    mutating func rewrite(list: UInt64) {
        rewrittenLists.insert(list)
        lists.insert(list)
    }
}
