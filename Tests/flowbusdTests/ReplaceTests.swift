import BusTestSupport
import Glibc
import Testing

/// Two daemons on one bus.
@Suite("Taking over")
struct ReplaceTests {
    @Test func `D-9 --replace takes over: the tree, the owners and the history go on, the old one ends with 0`() throws
    {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        try service.presentable("Claim", "/shop/pay/basket")
        let before = try service.objects()
        let heir = try service.startAnother("--replace")
        try heir.waitForLine(in: .errors) { $0.contains("Serving") }
        #expect(try service.process.waitForExit() == .status(0))
        #expect(
            service.process.errors.contains(
                "notice: The name org.flowbus.Navigation1 was taken over by pid \(heir.processID) (flowbusd)"))
        #expect(heir.errors.contains("Restored 2 flows and 2 screens"))
        #expect(heir.warnings == [])
        #expect(try service.objects() == before)
        #expect(try service.history().entries.map { $0[3] } == ["begin", "check", "card"])
    }

    @Test func `D-9 calls that come while one takes over are each answered once, by one of both`() throws {
        let service = try Service(shopDefinitions)
        var processes: [ChildProcess] = []
        var serials: [Int] = []
        var lost = 0
        for _ in 0..<5 {
            processes.append(try service.startAnother("--replace"))
            var isServing = false
            while !isServing {
                isServing = processes[processes.count - 1].errors.contains("Serving")
                do {
                    serials.append(try service.emit("closed", on: "/shop")[0].number ?? 0)
                } catch let error as BusError {
                    // It was with the old one, which left without taking it.
                    #expect(error.name == "org.freedesktop.DBus.Error.NoReply", "\(error)")
                    lost += 1
                }
            }
        }
        #expect(zip(serials, serials.dropFirst()).allSatisfy(<))
        #expect(serials.count > lost)
        #expect(try service.property("Visible", of: "/shop/list", "Presentable") == false)
    }

    @Test func `--replace where nobody serves just starts`() throws {
        let service = try Service(shopDefinitions, options: ["--replace"])
        #expect(try service.coordinator("GetSerial") == [.uint64(1)])
    }

    @Test func `D-9 without --replace the second says who owns the name, exits with 69, and touches nothing`() throws {
        let service = try Service(shopDefinitions)
        let second = try service.startAnother()
        #expect(try second.waitForExit() == .status(69))
        #expect(second.errors.contains("taken by pid \(service.process.processID) (flowbusd)"))
        try service.emit("check", on: "/shop")
        let before = try service.objects()
        try service.restart()
        #expect(try service.objects() == before)
    }

    @Test func `SIGTERM ends one that waits for its predecessor`() throws {
        let service = try Service(shopDefinitions)
        // It can't give up the name while it stands still.
        service.process.send(signal: SIGSTOP)
        defer { service.process.send(signal: SIGCONT) }
        try service.client.addMatch("type='signal',member='NameOwnerChanged',arg0='\(Service.name)'")
        service.client.clearLog()
        let heir = try service.startAnother("--replace")
        try service.client.waitForSignal("NameOwnerChanged")
        #expect(try heir.terminate() == .status(0))
        #expect(!heir.errors.contains("Serving"))
    }
}
