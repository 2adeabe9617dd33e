import BusTestSupport
import Foundation
import Glibc
import Testing

@Suite("Life of the service")
struct LifeTests {
    @Test func `the service manager is notified: ready, status, reloading, stopping`() throws {
        let manager = try NotifySocket()
        let service = try Service(shopDefinitions, environment: ["NOTIFY_SOCKET": manager.path])
        #expect(try manager.wait(for: "READY=1").contains("STATUS=1 flow, 1 screen"))
        try service.emit("check", on: "/shop")
        _ = try manager.wait(for: "STATUS=2 flows, 2 screens")
        service.process.send(signal: SIGHUP)
        _ = try manager.wait(for: "RELOADING=1")
        _ = try manager.wait(for: "READY=1")
        service.process.send(signal: SIGTERM)
        _ = try manager.wait(for: "STOPPING=1")
        #expect(try service.process.waitForExit() == .status(0))
    }

    @Test func `the watchdog is served`() throws {
        let manager = try NotifySocket()
        let service = try Service(
            shopDefinitions, environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "100000"])
        _ = try manager.wait(for: "WATCHDOG=1")
        _ = try manager.wait(for: "WATCHDOG=1")
        #expect(try service.process.terminate() == .status(0))
    }

    @Test(arguments: [SIGTERM, SIGINT]) func `a signal ends it cleanly`(signal: Int32) throws {
        let service = try Service(shopDefinitions)
        service.process.send(signal: signal)
        #expect(try service.process.waitForExit() == .status(0))
        #expect(!service.process.errors.contains("error"))
    }

    @Test func `the name is taken: 69, with its owner`() throws {
        let service = try Service(shopDefinitions)
        let second = try Service.start(["--address", service.bus.address, "--flows", service.flows.path])
        #expect(try second.waitForExit() == .status(69))
        #expect(second.errors.contains("taken by pid \(service.process.processID) (flowbusd)"))
        #expect(try service.coordinator("GetSerial") == [.uint64(1)])
    }

    @Test func `no permission to own the name: 77`() throws {
        let bus = try PrivateBus(policy: "<deny own=\"org.flowbus.Navigation1\"/>")
        let flows = try TemporaryDirectory()
        let process = try Service.start(["--address", bus.address, "--flows", flows.path])
        #expect(try process.waitForExit() == .status(77))
        #expect(process.errors.contains("does not let this user own the name org.flowbus.Navigation1"))
    }

    @Test func `no bus: 69`() throws {
        let flows = try TemporaryDirectory()
        let nowhere = try Service.start(["--address", "unix:path=\(flows.path)/none", "--flows", flows.path])
        #expect(try nowhere.waitForExit() == .status(69))
        #expect(nowhere.errors.contains("'unix:path=\(flows.path)/none': No such file or directory"))
        let session = try Service.start(
            ["--flows", flows.path], environment: ["DBUS_SESSION_BUS_ADDRESS": nil, "XDG_RUNTIME_DIR": nil])
        #expect(try session.waitForExit() == .status(69))
        #expect(session.errors.contains("DBUS_SESSION_BUS_ADDRESS is not set"))
    }

    @Test func `definitions with errors: 78, and each of them`() throws {
        let bus = try PrivateBus()
        let flows = try TemporaryDirectory()
        try flows.write("version = 1\n[stps]\n", to: "a.toml")
        try flows.write("version = 1\n[flows.main.on]\npick = { screen = \"list\" }\n", to: "b.toml")
        let process = try Service.start(["--address", bus.address, "--flows", flows.path])
        #expect(try process.waitForExit() == .status(78))
        #expect(
            process.errors.contains(
                "\(flows.path)/a.toml:2: [stps] a definition file has no key 'stps'; did you mean 'steps'?"))
        #expect(process.errors.contains("\(flows.path)/b.toml:3: [flows.main.on.pick] no file declares a step 'pick'"))
    }

    @Test func `failures of steps that the daemon itself began are logged as warnings`() throws {
        let bus = try PrivateBus()
        let flows = try TemporaryDirectory()
        try flows.write(
            "version = 1\n[steps]\na = {}\n[[autostart]]\nflow = \"main\"\nstep = \"a\"\n[flows.main]\n", to: "a.toml")
        let process = try Service.start(["--address", bus.address, "--flows", flows.path])
        try process.waitForLine(in: .errors) { $0.hasPrefix("flowbusd: warning: A step was lost") }
    }

    @Test func `a log without a reader does not block the service`() throws {
        let folder = try TemporaryDirectory()
        let bus = try PrivateBus()
        try folder.write("version = 1\n" + shopDefinitions, to: "flows/shop.toml")
        let fifo = folder.path + "/log"
        #expect(mkfifo(fifo, 0o600) == 0)
        let reader = open(fifo, O_RDWR | O_CLOEXEC)
        defer { close(reader) }
        // A shell, because the test support reads the pipes of its child processes.
        let command =
            "exec \"$0\" --runtime none --state none --address \"$1\" --flows \"$2\" --log-level debug 2>\"$3\""
        let process = try ChildProcess(
            "sh", ["-c", command, try Service.program, bus.address, folder.path + "/flows", fifo])
        let client = try TestClient(bus)
        try client.waitForOwner(of: Service.name)
        // Each line has far over 64 bytes: a pipe of 64 KiB is full long before the end.
        for _ in 0..<1_000 {
            try client.call(
                Service.name, Service.tree + "/shop", Service.name + ".Stepper", "EmitStep", "closed", .options())
        }
        #expect(try process.terminate() == .status(0))
    }

    @Test func `a line of the log has its fields`() throws {
        let service = try Service(shopDefinitions, options: ["--log-level", "debug"])
        try service.emit("pick", ["item": .int64(1)], on: "/shop")
        try service.process.waitForLine(in: .errors) { line in
            line.hasPrefix("flowbusd: debug: ") && line.contains("FLOWBUS_FLOW=\(Service.tree)/shop")
                && line.contains("FLOWBUS_STEP=pick") && line.contains("FLOWBUS_SERIAL=2")
                && line.contains("FLOWBUS_SENDER=\(service.client.uniqueName)")
        }
        try service.coordinate("shop", step: "nobody")
        try service.process.waitForLine(in: .errors) { line in
            line.hasPrefix("flowbusd: info: A step was lost") && line.contains("FLOWBUS_STEP=nobody")
        }
    }
}
