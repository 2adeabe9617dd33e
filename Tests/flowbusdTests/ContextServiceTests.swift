import BusTestSupport
import FlowCore
import Testing

/// The context through a bus (S-57), and titles in its language (S-58).
@Suite("The context on the bus")
struct ContextServiceTests {
    private static let definitions = """
        [steps]
        open = {}
        [context.language]
        type = "string"
        initial = "en"
        setters = ["com.example.Peer"]
        kept = "reboot"
        [context.customer]
        type = "string"
        initial = ""
        setters = ["com.example.Peer"]
        private = true
        [screens.bill]
        presenter = "com.example.Peer"
        whenOwnerGone = "keep"
        context = ["language", "customer"]
        title = { en = "Bill", de = "Rechnung" }
        [[autostart]]
        flow = "main"
        [flows.main]
        title = "Shop"
        [flows.main.context.volume]
        type = "byte"
        initial = 5
        setters = ["com.example.Peer"]
        [flows.main.on]
        open = { screen = "bill" }
        """

    private func set(
        _ service: Service, _ values: KeyValuePairs<String, BusValue>, on path: String? = nil, by client: TestClient
    ) throws {
        try client.call(
            Service.name, path.map { Service.tree + $0 } ?? Service.root,
            Service.name + (path == nil ? ".Coordinator" : ".Flow"), "SetContext", .options(values))
    }

    private func context(_ service: Service) throws -> BusValue {
        try service.client.property(Service.name, Service.root, Service.name + ".Coordinator", "Context")
    }

    @Test func `S-57 S-58 a setter sets values, and the owner of a screen learns of them`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        peer.playPresenter()
        try service.emit("open", on: "/main")
        try service.waitForOwner(peer, of: "/main/bill")
        #expect(
            try peer.waitForCall("Present").values[3]["context"] == .options(["customer": "", "language": "en"]))
        #expect(try service.property("Title", of: "/main/bill", "Presentable") == "Bill")
        #expect(try service.property("Title", of: "/main", "Presentable") == "Shop")
        try set(service, ["language": "de", "customer": "Ada"], by: peer)
        let signal = try peer.waitForSignal("ContextChanged")
        #expect(signal.path == Service.tree + "/main/bill")
        #expect(signal.values == [.options(["customer": "Ada", "language": "de"])])
        #expect(try context(service) == .options(["language": "de"]))
        #expect(try service.property("Title", of: "/main/bill", "Presentable") == "Rechnung")
        try service.restart()
        #expect(try context(service) == .options(["language": "de"]))
        #expect(try service.property("Title", of: "/main/bill", "Presentable") == "Rechnung")
    }

    @Test func `S-57 others are refused, and a flow has its own values`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        let refusal = try service.refusal { try set(service, ["language": "de"], by: service.client) }
        #expect(refusal.name == Service.name + ".Error.AccessDenied" || refusal.name.hasSuffix("AccessDenied"))
        let wrong = try service.refusal { try set(service, ["volume": .byte(3)], by: peer) }
        #expect(wrong.name.hasSuffix("InvalidArguments"))
        try set(service, ["volume": .byte(3), "language": "fr"], on: "/main", by: peer)
        #expect(try service.property("Context", of: "/main", "Flow") == .options(["volume": .byte(3)]))
        #expect(try context(service) == .options(["language": "fr"]))
        let twice = BusValue.array(
            of: "{sv}", ["a", "b"].map { .dictEntry("language", .variant(.string($0))) })
        let repeated = try service.refusal {
            try peer.call(Service.name, Service.root, Service.name + ".Coordinator", "SetContext", twice)
        }
        #expect(repeated.name.hasSuffix("InvalidArguments"))
    }

    @Test(arguments: ["always", "bus", "never"])
    func `S-57 D-3 on another bus, what is kept over a reboot is there`(option: String) throws {
        let service = try Service(Self.definitions, options: ["--restore", option])
        let peer = try service.peer()
        try set(service, ["language": "de", "customer": "Ada"], by: peer)
        try set(service, ["volume": .byte(3)], on: "/main", by: peer)
        try service.process.terminate()
        let other = try Service(Self.definitions, options: ["--restore", option], stores: service.stores)
        #expect(try context(other) == .options(["language": option == "never" ? "en" : "de"]))
    }
}
