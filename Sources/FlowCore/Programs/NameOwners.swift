/// The owners of the bus names of emitters, guards, navigators and presenters, as the bus reported them.
///
/// They are recorded: after a restart on the same bus the coordinator compares them.
struct NameOwners: Sendable {
    /// The owners by name.
    private(set) var owners: [String: Client] = [:]

    /// By name.
    private(set) var book = RecordBook<String>(.nameOwner)
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
        if owner != nil { book.touch(name) } else { book.remove(name, numbers.removeValue(forKey: name)) }
        return before
    }

    // MARK: Records

    /// Takes the changed records, or all.
    mutating func takeRecords(all: Bool = false) -> [Record] {
        for name in book.changed.sorted() where numbers[name] == nil {
            lastNumber += 1
            numbers[name] = lastNumber
        }
        return book.take(all: all ? Array(owners.keys) : []) { [owners, numbers] name in
            guard let owner = owners[name], let number = numbers[name] else { return nil }
            return Record(.nameOwner, number, NameOwnerRecord(name: name, owner: owner))
        }
    }

    /// Restores the owner of a name.
    mutating func restore(_ record: NameOwnerRecord) {
        owners[record.name] = record.owner
        book.touch(record.name)
    }
}
