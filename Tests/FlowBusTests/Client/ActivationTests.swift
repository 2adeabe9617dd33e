import BusTestSupport
import FlowBus
import FlowBusClient
import Glibc
import Testing

/// A bus that can start the service.
@Suite("Activation", .fewAtOnce, .serialized)
@MainActor
struct ActivationTests {
    private let folder: TemporaryDirectory
    private let daemon: PrivateBus

    init() throws {
        folder = try TemporaryDirectory()
        try folder.write("version = 1\n" + shopDefinitions, to: "flows.toml")
        daemon = try PrivateBus(serviceDirectories: [folder.path])
        // Without its address, so that it ends with its bus: no test could stop it.
        try folder.write(
            """
            [D-BUS Service]
            Name=\(Service.name)
            Exec=\(try Service.program) --flows \(folder.path) --runtime none --state none

            """, to: "flowbus.service")
    }

    @Test func `the first call starts the service`() async throws {
        let bus = try NavigationBus(.address(daemon.address))
        #expect(try await bus.emit(ShopStep.pick(item: 1), on: "shop").isNavigated)
    }

    @Test func `watching starts it once, not after it ended; a call starts it again`() async throws {
        let bus = try NavigationBus(.address(daemon.address))
        let events = Events(bus.watch())
        try await events.first { $0.short == "live shop shop/list" }
        let client = try TestClient(daemon)
        let number = try client.call(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID", .string(Service.name))
        guard case .uint32(let process)? = number.first else { throw TestFailure("\(number)") }
        kill(pid_t(process), SIGKILL)
        try await events.first { $0.short == "serviceGone" }
        try await bus.setVisible(true, at: "shop/list")
        try await events.first { $0.short == "live shop shop/list" }
        #expect(events.all.count { $0.short == "serviceGone" } == 1)
        // Events during the read are in the snapshot, or follow it.
        try await bus.setVisible(false, at: "shop/list")
        try await events.first { $0.short == "shop/list visible(false)" }
    }
}
