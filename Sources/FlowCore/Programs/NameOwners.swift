/// The owners of the bus names of emitters, guards, navigators and presenters, as the bus reported them.
///
/// They are recorded: after a restart on the same bus the coordinator compares them.
struct NameOwners: Sendable {
    /// The owners by name.
    private(set) var owners: [String: Client] = [:]

    /// Names whose records are out of date.
    private var unsaved: Set<String> = []
    /// The numbers of the records.
    private var numbers: [String: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    subscript(name: String) -> Client? { owners[name] }

    /// Whether a client owns a bus name; also true for its own unique name.
    func owns(_ client: Client, _ name: String) -> Bool { owners[name] == client || client.name == name }

    /// A bus name has a new owner.
    ///
    /// - Returns: the former owner; nil if there was none, or the owner is the same.
    mutating func change(_ name: String, to owner: Client?) -> Client? {
        let before = owners[name]
        guard before != owner else { return nil }
        owners[name] = owner
        // A name that came and went before records were taken has none.
        if owner == nil, numbers[name] == nil { unsaved.remove(name) } else { unsaved.insert(name) }
        return before
    }

    // MARK: Records

    var hasUnsaved: Bool { !unsaved.isEmpty }

    /// Takes the changed records.
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
        Record(RecordKey(.nameOwner, number), NameOwnerRecord(name: name, owner: owner).encoded())
    }

    /// Restores the owner of a name.
    mutating func restore(_ record: NameOwnerRecord) {
        owners[record.name] = record.owner
        unsaved.insert(record.name)
    }
}
