import Testing

@testable import FlowCore

@Suite("Client")
struct ClientTests {
    @Test(arguments: [
        ("", false, false), (":1.42", false, true), (":busd.42.7", false, true), ("former", false, true),
        ("org.example.App", true, false), ("this process", false, true),
    ])
    func `is what its name is`(name: String, isService: Bool, isConnection: Bool) {
        #expect(Client(name).name == name)
        #expect(Client(name).isService == isService && Client(name).isConnection == isConnection)
    }
}
