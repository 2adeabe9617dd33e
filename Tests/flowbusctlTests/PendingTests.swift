import BusTestSupport
import Testing

@Suite("emit: late decisions")
struct PendingTests {
    /// A service that answers `pending`, and sends the outcome before its answer can be read.
    @Test func `the outcome is not missed, however early it comes`() throws {
        let bus = try PrivateBus()
        let service = try TestClient(bus)
        try service.requestName(Service.name)
        service.serve(Service.root, Service.name + ".Coordinator", "GetSteps") { _ in
            .values([.array(of: "{sa{ss}}", [.dictEntry("go", .array(of: "{ss}", []))])])
        }
        let path = Service.tree + "/main"
        service.serve(path, Service.name + ".Stepper", "EmitStepWithOptions") { _ in .later }
        let run = try Program.start(["--address", bus.address, "emit", "main", "go"])
        let call = try service.waitForCall("EmitStepWithOptions")
        try service.signal(
            to: call.sender, path, "org.flowbus.Navigation1.Stepper", "StepConcluded", "", .uint64(0), "",
            "org.flowbus.Navigation1.Error.GuardFailed", "the guard said nothing\nthat can be used")
        try service.reply(to: call, [.uint64(0), "pending"])
        try run.waitForExit()
        #expect(run.exit == .status(2))
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("flowbusctl: the guard said nothing\\nthat can be used\n"))
    }

    @Test func `a restart of the service does not lose the outcome`() throws {
        let service = try Service(homeDefinitions)
        let peer = try service.peer()
        try service.coordinate("asking")
        peer.serve(Peer.path, Peer.guard, "Adapt") { _ in .later }
        let run = try service.startCtl("emit", "asking", "asked")
        try peer.waitForCall("Adapt")
        // It has said "pending" by then.
        try service.client.ping(Service.name)
        try service.restart()
        try run.waitForLine(in: .errors) { $0.contains("the service is gone; waiting") }
        let again = try peer.waitForCall("Adapt")
        try peer.reply(to: again, [again.values[1], again.values[2]])
        try run.waitForExit()
        #expect(run.exit == .status(0))
        #expect(run.output.hasPrefix("navigated "))
    }

    @Test func `a service that ends without an answer is a 69`() throws {
        let bus = try PrivateBus()
        let service = try TestClient(bus)
        try service.requestName(Service.name)
        let run = try Program.start(["--address", bus.address, "dismiss", "main"])
        try service.waitForCall("Dismiss")
        service.disconnect()
        try run.waitForExit()
        #expect(run.exit == .status(69))
        #expect(run.errors.contains("ended before it answered"))
    }

    @Test func `a missing answer is a 124`() throws {
        let bus = try PrivateBus()
        let service = try TestClient(bus)
        try service.requestName(Service.name)
        service.serve(Service.tree + "/main", "org.freedesktop.DBus.Properties", "GetAll") { _ in
            .values([.options(["Instance": .uint64(7)])])
        }
        service.serve(Service.root + "/instance/7", Service.name + ".Flow", "WaitReady") { _ in .later }
        let run = try Program.start(
            ["--address", bus.address, "wait", "main", "--ready", "--timeout", "50ms"])
        try service.waitForCall("WaitReady")
        try run.waitForExit()
        #expect(run.exit == .status(124))
        #expect(run.errors.contains("'main' is not ready in time"))
    }

    @Test func `S-25 a flow that ended during the wait is not confused with another at its path`() throws {
        let bus = try PrivateBus()
        let service = try TestClient(bus)
        try service.requestName(Service.name)
        service.serve(Service.tree + "/main", "org.freedesktop.DBus.Properties", "GetAll") { _ in
            .values([.options(["Instance": .uint64(7)])])
        }
        service.serve(Service.tree + "/main", Service.name + ".Flow", "WaitReady") { _ in .values([]) }
        var asked = 0
        service.serve(Service.root + "/instance/7", Service.name + ".Flow", "WaitReady") { _ in
            asked += 1
            return .error(
                asked == 1
                    ? BusError(Service.name + ".Error.Timeout", "not ready within 15 s")
                    : BusError("org.freedesktop.DBus.Error.UnknownObject", "gone"))
        }
        let run = try Program.start(["--address", bus.address, "wait", "main", "--ready"])
        try service.waitForCall("GetAll")
        for _ in 0..<2 { try service.waitForCall("WaitReady") }
        try run.waitForExit()
        #expect(run.exit == .status(2))
        #expect(run.errors == "flowbusctl: 'main' ended before it was ready\n")
    }
}
