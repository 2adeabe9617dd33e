/// The record of the owner of a bus name: if a navigator is another process after a restart, it does not have the state of
/// the one before (S-32).
struct NameOwnerRecord: RecordBody, Equatable, Sendable {
    var name = ""
    var owner = Client.daemon

    static var unread: NameOwnerRecord { NameOwnerRecord() }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(&name)
        try coder.code(&owner)
    }
}
