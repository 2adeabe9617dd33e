import BusTestSupport
import Glibc
import Testing

/// A bus that reads nothing any more, so that flowbusd's socket is full.
@Suite("A bus that reads nothing")
struct StoppedBusTests {
    /// The answers to GetSteps of all calls that are handled in one turn of the loop are larger than any socket.
    private static let definitions =
        "[steps]\n" + (1...5000).map { "step\($0)_with_a_name_that_is_long_enough_for_the_purpose = {}\n" }.joined()
        + "[screens]\nlist = {}\n[flows.shop]\ninitial = \"step1_with_a_name_that_is_long_enough_for_the_purpose\"\n"
        + "[flows.shop.on]\nstep1_with_a_name_that_is_long_enough_for_the_purpose = { screen = \"list\" }\n"

    /// A service with calls at hand, whose answers the bus does not read.
    private func serviceWithCalls() throws -> (Service, [AwaitedReply]) {
        let service = try Service(Self.definitions)
        try service.coordinate("shop")
        service.process.send(signal: SIGSTOP)
        var calls: [AwaitedReply] = []
        let (name, root, standard) = (Service.name, Service.root, "org.freedesktop.DBus.")
        for _ in 1...40 {
            calls += [
                try service.client.start(name, root, name + ".Coordinator", "GetSteps"),
                try service.client.start(name, "/", standard + "Peer", "Ping"),
                try service.client.start(
                    name, Service.tree + "/shop", standard + "Properties", "Get",
                    [.string(name + ".Presentable"), "Name"]),
                try service.client.start(name, Service.tree + "/shop", name + ".Flow", "GetLastNavigation"),
                try service.client.start(name, Service.tree + "/nothing", name + ".Flow", "GetLastNavigation"),
            ]
        }
        // The bus has read all of them, and passed on what fits into a socket.
        try service.client.ping()
        service.bus.pause()
        service.process.send(signal: SIGCONT)
        return (service, calls)
    }

    @Test func `each call is answered once and in order, when the bus reads again`() throws {
        let (service, calls) = try serviceWithCalls()
        service.client.clearLog()
        service.bus.resume()
        for call in calls { _ = try? service.client.answer(to: call) }
        #expect(service.client.log.compactMap(\.replyTo) == calls)
        #expect(try service.coordinator("GetSerial")[0].number == 1)
        #expect(!service.process.errors.contains("connection"))
    }

    @Test func `SIGTERM ends the service while nothing is read`() throws {
        let (service, _) = try serviceWithCalls()
        service.process.send(signal: SIGTERM)
        #expect(try service.process.waitForExit() == .status(0))
        service.bus.resume()
    }

    @Test func `D-8 a bus that is killed while nothing is read is looked for`() throws {
        let (service, _) = try serviceWithCalls()
        try service.bus.kill()
        try service.bus.start()
        let client = try TestClient(service.bus)
        try client.waitForOwner(of: Service.name)
        let serial = try client.call(Service.name, Service.root, Service.name + ".Coordinator", "GetSerial")
        #expect(serial[0].number == 1)
        let lines = service.process.errors.split(separator: "\n")
        #expect(lines.count { $0.contains("The connection to the bus is lost") } == 1)
    }
}
