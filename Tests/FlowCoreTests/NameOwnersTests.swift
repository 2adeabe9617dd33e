import Testing

@testable import FlowCore

@Suite("Owners of bus names")
struct NameOwnersTests {
    private let one = Client(":1.1")
    private let other = Client(":1.2")

    @Test func `S-32 a change of a name's owner returns the former owner`() {
        var owners = NameOwners()
        #expect(owners.change("com.pay", to: one) == nil)
        #expect(owners.owns(one, "com.pay") && !owners.owns(other, "com.pay"))
        #expect(owners.change("com.pay", to: one) == nil)
        #expect(owners.change("com.pay", to: other) == one)
        #expect(owners.change("com.pay", to: nil) == other)
        #expect(owners["com.pay"] == nil)
        // A unique name is its own.
        #expect(owners.owns(one, ":1.1") && !owners.owns(one, ":1.2"))
    }

    @Test func `D-3 each change has one record, in the same number`() throws {
        var owners = NameOwners()
        #expect(!owners.book.isDirty && owners.takeRecords() == [])
        _ = owners.change("com.pay", to: one)
        _ = owners.change("com.auth", to: one)
        let first = owners.takeRecords()
        #expect(first.map(\.key.number) == [1, 2])
        #expect(owners.takeRecords() == [])
        _ = owners.change("com.pay", to: other)
        let records = owners.takeRecords()
        let record = try #require(records.first)
        #expect(record.key == RecordKey(.nameOwner, 2))
        let read = try NameOwnerRecord(record.body ?? [])
        #expect(read.owner == other)
        _ = owners.change("com.pay", to: nil)
        #expect(owners.takeRecords() == [Record(RecordKey(.nameOwner, 2), nil)])
        #expect(owners.takeRecords(all: true).map(\.key.number) == [1])
    }

    @Test func `D-3 a name that came and went before records were taken leaves nothing`() {
        var owners = NameOwners()
        _ = owners.change("com.pay", to: one)
        #expect(owners.book.isDirty)
        _ = owners.change("com.pay", to: nil)
        #expect(!owners.book.isDirty && owners.takeRecords() == [])
    }
}
