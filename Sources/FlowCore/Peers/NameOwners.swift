/// Which clients own the bus names of emitters, guards, navigators and presenters, as far as the bus has reported.
///
/// The names that changed hands are recorded: after a restart on the same bus the coordinator compares who owned them.
struct NameOwners: Sendable {
    /// The owners by name.
    private(set) var owners: [String: Client] = [:]

    /// Names that have another owner than their records say, or none.
    private var unsaved: Set<String> = []
    /// The numbers of the records that names have.
    private var numbers: [String: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    subscript(name: String) -> Client? { owners[name] }

    /// Whether a client owns a bus name; its unique name is its own.
    func owns(_ client: Client, _ name: String) -> Bool { client.name == name || owners[name] == client }

    /// A bus name has another owner.
    ///
    /// - Returns: the client that owned it before; nil: none did, or the owner is the same.
    mutating func change(_ name: String, to owner: Client?) -> Client? {
        let before = owners[name]
        guard before != owner else { return nil }
        owners[name] = owner
        unsaved.insert(name)
        return before
    }

    // MARK: Records

    var hasUnsaved: Bool { !unsaved.isEmpty }

    /// The records that changed since they were last taken.
    mutating func takeRecords() -> [Record] {
        if unsaved.isEmpty { return [] }
        var records: [Record] = []
        for name in unsaved.sorted() {
            if let owner = owners[name] {
                if numbers[name] == nil {
                    lastNumber += 1
                    numbers[name] = lastNumber
                }
                if let number = numbers[name] { records.append(record(of: owner, of: name, number)) }
            } else if let number = numbers.removeValue(forKey: name) {
                records.append(Record(RecordKey(.nameOwner, number), nil))
            }
        }
        unsaved = []
        return records
    }

    var allRecords: [Record] {
        owners.compactMap { name, owner in numbers[name].map { record(of: owner, of: name, $0) } }
    }

    private func record(of owner: Client, of name: String, _ number: UInt64) -> Record {
        Record(RecordKey(.nameOwner, number), NameOwnerRecord(name: name, owner: owner).bytes)
    }

    /// Takes back the owner that a name had when the process ended.
    mutating func restore(_ record: NameOwnerRecord) {
        owners[record.name] = record.owner
        unsaved.insert(record.name)
    }
}
