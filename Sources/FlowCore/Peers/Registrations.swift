/// The flows that clients implement (S-32), beside those that the definition files define.
///
/// It gives the definitions that follow from both; the coordinator puts them in force.
struct Registrations: Sendable {
    /// What the definition files declare, without what clients registered.
    private(set) var files: Definitions
    /// In the order they came.
    private(set) var all: [Registration] = []

    /// Names of flows whose registrations are others than their records say.
    private var unsaved: Set<String> = []
    /// The numbers of the records that registered flows have.
    private var numbers: [String: UInt64] = [:]
    /// The numbers of the records of registrations that are gone.
    private var gone: [UInt64] = []
    private var lastNumber: UInt64 = 0

    /// No registrations beside these definitions.
    init(files: Definitions) { self.files = files }

    /// What the files declare and clients registered.
    var definitions: Definitions { files.adding(all) }

    subscript(flow: String) -> Registration? { all.first { $0.flow == flow } }

    /// Puts a registration in the place of a former one of the same flow, or behind all. In its place few definitions get
    /// another number, and the order is the one that its record keeps.
    mutating func register(_ registration: Registration) {
        if let former = all.firstIndex(where: { $0.flow == registration.flow }) {
            all[former] = registration
        } else {
            all.append(registration)
        }
        unsaved.insert(registration.flow)
    }

    /// Takes registrations out.
    ///
    /// - Returns: those.
    mutating func remove(where isOver: (Registration) -> Bool) -> [Registration] {
        var removed: [Registration] = []
        all.removeAll { registration in
            guard isOver(registration) else { return false }
            removed.append(registration)
            return true
        }
        for registration in removed {
            unsaved.remove(registration.flow)
            if let number = numbers.removeValue(forKey: registration.flow) { gone.append(number) }
        }
        return removed
    }

    /// The files were read again. What a file defines takes the place of what a client registered.
    ///
    /// - Returns: the registrations that are over.
    mutating func read(_ files: Definitions) -> [Registration] {
        self.files = files
        return remove { files.flow(named: $0.flow) != nil }
    }

    /// The registrations of these flows were left behind by their client.
    mutating func leave(_ flows: Set<String>) {
        unsaved.formUnion(all.lazy.map(\.flow).filter(flows.contains))
    }

    // MARK: Records

    var hasUnsaved: Bool { !unsaved.isEmpty || !gone.isEmpty }

    /// The records that changed since they were last taken.
    ///
    /// - Parameter watches: whether a registration was left behind is recorded with it.
    mutating func takeRecords(_ watches: ClientWatches) -> [Record] {
        if !hasUnsaved { return [] }
        var records = gone.map { Record(RecordKey(.registration, $0), nil) }
        for registration in all where unsaved.contains(registration.flow) {
            let number = numbers[registration.flow] ?? lastNumber + 1
            numbers[registration.flow] = number
            lastNumber = max(lastNumber, number)
            records.append(record(of: registration, number, watches))
        }
        (unsaved, gone) = ([], [])
        return records
    }

    func allRecords(_ watches: ClientWatches) -> [Record] {
        all.compactMap { registration in
            numbers[registration.flow].map { record(of: registration, $0, watches) }
        }
    }

    private func record(of registration: Registration, _ number: UInt64, _ watches: ClientWatches) -> Record {
        let record = RegistrationRecord(
            registration: registration, isLeft: !watches.contains(registration.client))
        return Record(RecordKey(.registration, number), record.bytes)
    }

    /// Takes back a registration of an earlier process.
    mutating func restore(_ registration: Registration, _ number: UInt64) {
        all.append(registration)
        numbers[registration.flow] = number
        lastNumber = number
    }
}
