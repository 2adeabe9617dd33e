/// The flows that clients implement (S-32), in addition to those of the definition files.
///
/// It computes the definitions that follow from both; the coordinator puts them in force.
struct Registrations: Sendable {
    /// The contents of the definition files, without registered flows.
    private(set) var files: Definitions
    /// The registrations, in the order in which they came.
    private(set) var all: [Registration] = []

    /// The flows whose records are out of date.
    private var unsaved: Set<String> = []
    /// The numbers of the records, by flow.
    private var numbers: [String: UInt64] = [:]
    /// The numbers of the records of removed registrations.
    private var gone: [UInt64] = []
    private var lastNumber: UInt64 = 0

    /// Creates an empty list, beside these definitions.
    init(files: Definitions) { self.files = files }

    /// The definitions of the files and of registered flows.
    var definitions: Definitions { files.adding(all) }

    subscript(flow: String) -> Registration? { all.first { $0.flow == flow } }

    /// Adds a registration, or replaces an earlier one of the same flow. Replacing keeps the numbers of most definitions,
    /// and the order that its record has.
    mutating func register(_ registration: Registration) {
        if let former = all.firstIndex(where: { $0.flow == registration.flow }) {
            all[former] = registration
        } else {
            all.append(registration)
        }
        unsaved.insert(registration.flow)
    }

    /// Removes registrations.
    ///
    /// - Returns: the removed ones.
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

    /// The files were read again. A definition in a file replaces a registered flow of the same name.
    ///
    /// - Returns: the removed registrations.
    mutating func read(_ files: Definitions) -> [Registration] {
        self.files = files
        return remove { files.flow(named: $0.flow) != nil }
    }

    /// Notes that the client of these flows has left them behind.
    mutating func leave(_ flows: Set<String>) {
        unsaved.formUnion(all.lazy.map(\.flow).filter(flows.contains))
    }

    // MARK: Records

    var hasUnsaved: Bool { !unsaved.isEmpty || !gone.isEmpty }

    /// Takes the changed records.
    ///
    /// - Parameter watches: the watched clients; a record says whether its client has left it behind.
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
        return Record(RecordKey(.registration, number), record.encoded())
    }

    /// Restores a registration.
    mutating func restore(_ registration: Registration, _ number: UInt64) {
        all.append(registration)
        numbers[registration.flow] = number
        lastNumber = number
    }
}
