import BusTestSupport
import SdBus
import Testing

@testable import flowbusd

/// Watched bus names alone, in this process.
@Suite("Watches of bus names")
struct BusNameWatchesTests {
    private let bus: PrivateBus
    private let client: TestClient
    private let connection: Bus
    private let loop: EventLoop
    private let watches: BusNameWatches

    init() throws {
        bus = try PrivateBus()
        client = try TestClient(bus)
        connection = try Bus(.address(bus.address))
        loop = try EventLoop()
        watches = BusNameWatches(connection)
        try connection.attach(to: loop)
    }

    @Test func `the owner is known at once, and each change is reported`() throws {
        try client.requestName("org.example.A")
        #expect(try watches.add("org.example.A") == client.uniqueName)
        #expect(try watches.add("org.example.B") == nil)
        #expect(watches.names == ["org.example.A", "org.example.B"])
        var changes: [String] = []
        watches.ownerChanged = { name, owner in changes.append("\(name) \(owner ?? "none")") }
        try client.requestName("org.example.B")
        client.disconnect()
        while changes.count < 3 { _ = try loop.runOnce(timeout: 5_000_000) }
        #expect(changes.first == "org.example.B \(client.uniqueName)")
        #expect(Set(changes.dropFirst()) == ["org.example.A none", "org.example.B none"])
    }

    @Test func `a name that is removed is watched no longer`() throws {
        _ = try watches.add("org.example.A")
        watches.remove("org.example.A")
        #expect(!watches.contains("org.example.A") && watches.names.isEmpty)
    }

    @Test func `a name on a lost connection is no refusal of the bus`() {
        connection.close()
        let failure = #expect(throws: BusNameWatches.Failure.self) { try watches.add("org.example.A") }
        #expect(failure?.isRefusal == false)
        #expect(watches.names.isEmpty)
    }
}
