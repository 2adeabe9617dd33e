import Testing

@testable import FlowCore

@Suite("Client: a name as a number")
struct ClientTests {
    static let names = [
        "", ":1.0", ":1.1", ":1.42", ":1.4294967293", ":1.4294967294", ":1.4294967295", ":1.4294967296",
        ":1.99999999999",
        ":1.18446744073709551616", ":1.042", ":1.", ":1", ":", ".", ":1.x", ":1.4x", ":1.4 ", ":1.-1", ":1.+1",
        ":10.42",
        ":2.42", ":busd.42", ":busd.43", ":busd.42.7", ":busd", ":1.42.", "1.42", "former", "former.1", "daemon",
        "org.example.App", "org.example.App.1", "org.example.App1", "ä", ":ä.1", "this process",
    ]

    @Test(arguments: names) func `has its name`(_ name: String) {
        #expect(Client(name).name == name)
        #expect(Client(name) == Client(name))
        #expect(Client.known(name) == Client(name))
        let bytes = Array(name.utf8)
        #expect(bytes.withUnsafeBytes { Client(utf8: $0) } == Client(name))
    }

    @Test func `is equal to those of the same name alone`() {
        #expect(Set(Self.names.map { Client($0) }).count == Self.names.count)
        #expect(Client.daemon == Client(""))
        #expect(Client.former == Client("former"))
    }

    @Test(arguments: names) func `is what its name is`(_ name: String) {
        let isService = name.first != ":" && name.contains(".")
        #expect(Client(name).isService == isService)
        #expect(Client(name).isConnection == (!name.isEmpty && !isService))
    }

    @Test func `is not known before its name came, and looking it up makes it no better known`() {
        #expect(Client.known(":nobody-has-this-name.7") == nil)
        #expect(Client.known("nobody.has.this.name") == nil)
        #expect(Client.known(":nobody-has-this-name.7") == nil)
        // Those of the usual family need no table.
        #expect(Client.known(":1.987654321") == Client(":1.987654321"))
        let client = Client("some.name.that.comes")
        #expect(Client.known("some.name.that.comes") == client)
    }

    @Test func `can be made by many tasks at once`() async {
        let numbers = await withTaskGroup(of: [Client].self) { group in
            for _ in 0..<8 { group.addTask { (0..<500).map { Client(":family\($0 % 50).\($0)") } } }
            var all: [[Client]] = []
            for await clients in group { all.append(clients) }
            return all
        }
        for clients in numbers {
            #expect(clients == numbers[0])
            for (place, client) in clients.enumerated() { #expect(client.name == ":family\(place % 50).\(place)") }
        }
    }
}
