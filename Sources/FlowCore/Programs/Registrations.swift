/// The flows that clients implement (S-32), in addition to those of the definition files.
///
/// It computes the definitions that follow from both; the coordinator puts them in force.
struct Registrations: Sendable {
    /// The contents of the definition files, without registered flows.
    private(set) var files: Definitions
    /// The registrations, in the order in which they came.
    private(set) var all: [Registration] = []

    /// By flow.
    private(set) var book = RecordBook<String>(.registration)
    /// The numbers of the records, by flow.
    private var numbers: [String: UInt64] = [:]
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
            lastNumber += 1
            numbers[registration.flow] = lastNumber
        }
        book.touch(registration.flow)
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
            book.remove(registration.flow, numbers.removeValue(forKey: registration.flow))
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
        for registration in all where flows.contains(registration.flow) { book.touch(registration.flow) }
    }

    // MARK: Records

    /// Takes the changed records, or all.
    ///
    /// - Parameter watches: the watched clients; a record says whether its client has left it behind.
    mutating func takeRecords(all isWhole: Bool = false, _ watches: ClientWatches) -> [Record] {
        book.take(all: isWhole ? all.map(\.flow) : []) { [all, numbers] flow in
            guard let number = numbers[flow], let registration = all.first(where: { $0.flow == flow }) else {
                return nil
            }
            return Record(
                .registration, number,
                RegistrationRecord(registration: registration, isLeft: !watches.contains(registration.client)))
        }
    }

    /// Restores a registration.
    mutating func restore(_ registration: Registration, _ number: UInt64) {
        all.append(registration)
        numbers[registration.flow] = number
        lastNumber = number
        book.restore(number)
    }
}
