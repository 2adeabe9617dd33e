import BusTestSupport
import Glibc
import Testing

/// A bus that is lost.
@Suite("Bus lost")
struct ReconnectTests {
    @Test func `D-8 under a service manager the daemon ends with 75, and the next one restores the tree`() throws {
        let manager = try NotifySocket()
        let service = try Service(
            shopDefinitions, options: ["--restore", "always"], environment: ["NOTIFY_SOCKET": manager.path])
        try service.emit("pick", ["item": .int64(1)], on: "/shop")
        try service.bus.stop()
        #expect(try service.process.waitForExit() == .status(75))
        #expect(service.process.errors.contains("The connection to the bus is lost"))
        let next = try Service(shopDefinitions, options: ["--restore", "always"], stores: service.stores)
        #expect(try next.property("Arguments", of: "/shop/detail", "Presentable")["item"] == .int64(1))
        #expect(try next.history().entries.map { $0[3] } == ["begin", "pick"])
    }

    @Test func `D-8 with an address it reconnects in the same process; by default with a fresh tree`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        for round in 1...3 {
            try service.restartBus()
            #expect(try service.objects().keys == [Service.tree + "/shop", Service.tree + "/shop/list"])
            #expect(try service.coordinator("GetSerial")[0].number ?? 0 > 3)
            // What it has written may not be read yet.
            try service.client.wait(for: "both lines") {
                let lines = service.process.errors.split(separator: "\n")
                return lines.count { $0.contains("The connection to the bus is lost") } == round
                    && lines.count { $0.contains("The bus is there again") } == round
            }
        }
        #expect(service.process.exit == nil)
    }

    @Test func `D-8 D-3 --restore always: the tree survives, also without persistence`() throws {
        for options in [[], ["--runtime", "none", "--state", "none"]] {
            let service = try Service(shopDefinitions, options: ["--restore", "always"] + options)
            try service.emit("pick", ["item": .int64(1)], on: "/shop")
            let before = try service.objects()
            try service.restartBus()
            #expect(try service.objects().keys == before.keys)
            #expect(try service.property("Arguments", of: "/shop/detail", "Presentable")["item"] == .int64(1))
            #expect(try service.coordinator("GetSerial")[0].number ?? 0 >= 2)
        }
    }

    @Test func `D-8 definitions that were read again stay`() throws {
        let service = try Service(shopDefinitions)
        try service.write(shopDefinitions.replacing("nobody = {}", with: "nobody = {}\nnewer = {}"))
        try service.coordinator("Reload")
        try service.restartBus()
        #expect(try service.emit("newer", on: "/shop")[1] == "unhandled")
    }

    @Test func `D-8 SIGTERM ends it at once while there is no bus`() throws {
        let service = try Service(shopDefinitions)
        try service.bus.stop()
        try service.process.waitForLine(in: .errors) { $0.contains("it is looked for") }
        #expect(try service.process.terminate() == .status(0))
    }

    @Test func `D-8 without an address the daemon ends with 75`() throws {
        let bus = try PrivateBus()
        let flows = try TemporaryDirectory()
        let process = try Service.start(
            ["--flows", flows.path], environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
        try process.waitForLine(in: .errors) { $0.contains("Serving") }
        try bus.stop()
        #expect(try process.waitForExit() == .status(75))
    }

    @Test func `D-9 on a restarted bus a daemon that was faster keeps the name`() throws {
        let service = try Service(shopDefinitions, options: ["--replace"])
        service.process.send(signal: SIGSTOP)
        try service.bus.stop()
        try service.bus.start()
        let client = try TestClient(service.bus)
        try client.requestName(Service.name)
        service.process.send(signal: SIGCONT)
        #expect(try service.process.waitForExit() == .status(69))
    }
}
