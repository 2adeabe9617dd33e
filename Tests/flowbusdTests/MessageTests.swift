import BusTestSupport
import Testing

/// The messages of a tap: who has to show something hears once, with everything, and says once, with everything.
@Suite("Messages of a navigation")
struct MessageTests {
    private static let definitions = """
        [steps]
        begin  = {}
        picked = {}
        back   = {}
        sized  = { n = "int64" }
        [screens]
        list = { presenter = "com.example.Peer" }
        film = { presenter = "com.example.Peer" }
        [[autostart]]
        flow = "app"
        [flows.app]
        initial  = "begin"
        children = "stack"
        [flows.app.on]
        begin  = { screen = "list" }
        picked = { screen = "film" }
        back   = { pop = "list" }
        """
    private static let report = BusValue.options(["visible": true, "title": "Films"])

    /// A service whose presenter answers so as soon as it is turned.
    private func start(
        on program: PrivateBus.Program = .daemon, _ report: BusValue = report
    ) throws -> (service: Service, peer: TestClient) {
        let bus = try PrivateBus(program)
        let peer = try TestClient(bus)
        try peer.requestName(Peer.name)
        peer.playPresenter { _ in .values([report]) }
        return (try Service(Self.definitions, bus: bus), peer)
    }

    /// The list is shown.
    private func show(_ service: Service, _ peer: TestClient) throws {
        service.client.turn(peer)
        try service.waitForOwner(peer, of: "/app/list")
    }

    @Test(arguments: [PrivateBus.Program.daemon, .broker])
    func `S-10 a tap takes 12 messages, and a bar, a stacker and a log hear 14 of them`(program: PrivateBus.Program)
        throws
    {
        let (service, peer) = try start(on: program)
        try show(service, peer)
        func subscriber(_ rules: String...) throws -> TestClient {
            let subscriber = try service.peer(nil)
            for rule in rules { try subscriber.addMatch("type='signal',sender='\(Service.name)',\(rule)") }
            subscriber.clearLog()
            return subscriber
        }
        let bar = try subscriber("member='BackChanged'", "member='StackChanged'")
        let stacker = try subscriber("member='StackChanged'")
        let log = try subscriber("")
        // The service asks once whose a new client is.
        try service.emit("picked", on: "/app/list")
        try log.waitForSignal("StackChanged") { $0.values[1].brief.contains("visible: true") }
        try service.emit("back", on: "/app")
        try service.synchronize(peer, bar, stacker, log)
        for client in [bar, stacker, log] { client.clearLog() }
        let monitor = try TestClient(service.bus)
        service.client.turn(monitor)
        try monitor.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Monitoring", "BecomeMonitor",
            .strings(["sender='\(Service.name)'", "destination='\(Service.name)'"]), .uint32(0))
        monitor.clearLog()
        try service.emit("picked", on: "/app/list")
        try log.waitForSignal("StackChanged") { $0.values[1].brief.contains("visible: true") }
        try monitor.waitForSignal("StackChanged") { $0.values[1].brief.contains("visible: true") }
        let sent = monitor.log.filter { !["NameAcquired", "NameLost"].contains($0.member) }
        #expect(sent.count == 12, "\(sent.map(\.member))")
        #expect(bar.signals.count + stacker.signals.count == 5)
        #expect(log.signals.count == 8, "\(log.transcript)")
    }

    private func peekBack(_ service: Service) throws -> [BusValue] {
        try service.client.call(Service.name, Service.tree + "/app", Service.name + ".Stepper", "PeekBack")
    }

    @Test func `S-31 the answer to Present is all that a program has to say`() throws {
        let (service, peer) = try start(.options(["visible": true, "title": "Films", "backStep": "back"]))
        try service.listen()
        try show(service, peer)
        #expect(
            service.client.transcript.filter { !$0.hasPrefix("answer") } == [
                "PropertiesChanged /app/list Owner=\(peer.uniqueName) Presented=true Title=Films Visible=true",
                "StackChanged   [(/app/list 2 {visible: true, owner: \(peer.uniqueName), title: Films})]",
                "BackChanged /app step {step: back}",
            ])
    }

    @Test(
        arguments: [
            (BusValue.options(["visible": "yes"]), "option 'visible' is of D-Bus type 's'"),
            (.options(["titel": "Films"]), "there is no option 'titel'"),
            (.options(["titel": "Films", "visible": true]), "did you mean 'title'"),
            (.options(["visible": true, "backStep": "nowhere"]), "no definition declares a step 'nowhere'"),
            (.options(["visible": true, "backStep": "sized"]), "needs the argument 'n'"),
            (
                .options(["visible": true, "title": .string(String(repeating: "a", count: 257))]),
                "can have at most 256"
            ),
        ])
    func `S-31 of an answer in which something is wrong only 'visible' counts, and the log says what is wrong`(
        report: BusValue, why: String
    ) throws {
        let (service, peer) = try start(report)
        try show(service, peer)
        try service.process.waitForLine(in: .errors) {
            $0.contains("'com.example.Peer' shows the screen 'list', and its answer is wrong") && $0.contains(why)
        }
        let isVisible = report["visible"] == true
        #expect(try service.property("Visible", of: "/app/list", "Presentable") == .bool(isVisible))
        #expect(try service.property("Title", of: "/app/list", "Presentable") == "")
    }

    @Test func `S-14 S-39 S-44 SetVisibleWithOptions says it later`() throws {
        let (service, peer) = try start(.options())
        try show(service, peer)
        let call = { (options: BusValue) throws -> Void in
            try service.presentable("SetVisibleWithOptions", "/app/list", true, options, by: peer)
        }
        try call(.options(["title": "Films", "backStep": "back"]))
        #expect(try service.property("Title", of: "/app/list", "Presentable") == "Films")
        #expect(try peekBack(service) == ["step", .options(["step": "back"])])
        try call(.options(["backStep": ""]))
        #expect(try peekBack(service) == ["unhandled", .options()])
        for (options, error) in [
            (BusValue.options(["title": true]), "InvalidArguments"), (.options(["nobody": true]), "InvalidArguments"),
            (.options(["backStep": "nowhere"]), "UnknownStep"), (.options(["backStep": "sized"]), "InvalidArguments"),
        ] {
            let refusal = try service.refusal { try call(options) }
            #expect(refusal.name == Service.name + ".Error." + error)
        }
        let stranger = try service.refusal {
            try service.presentable("SetVisibleWithOptions", "/app/list", true, .options(["title": "a"]))
        }
        #expect(stranger.name == Service.name + ".Error.NotOwner")
    }

    @Test func `S-38 SightChanged comes to the owner alone that asked for it, without a match rule`() throws {
        let (service, peer) = try start(.options(["visible": true, "tellSight": true]))
        try service.listen()
        try show(service, peer)
        peer.playPresenter { _ in .values([Self.report]) }
        try service.emit("picked", on: "/app/list")
        let signal = try peer.waitForSignal("SightChanged")
        #expect(signal.path == Service.tree + "/app/list" && signal.values == [false])
        try service.emit("back", on: "/app")
        try peer.waitForSignal("SightChanged") { $0.values == [true] }
        #expect(!service.client.signals.contains { $0.member == "SightChanged" })
    }
}

private enum GDBus {
    static let isThere =
        (try? ChildProcess("/usr/bin/python3", ["-c", "from gi.repository import Gio"]).waitForExit()) == .status(0)
}

/// A client that only follows signals (S-10).
@Suite("GDBus' object manager", .enabled(if: GDBus.isThere, "python3-gi is missing"))
struct ObjectManagerTests {
    private static let definitions = """
        [steps]
        open  = {}
        both  = {}
        sheet = {}
        tab   = {}
        pop   = {}
        swap  = {}
        over  = {}
        end   = {}
        loop  = {}
        [screens]
        list  = {}
        film  = {}
        [[autostart]]
        flow = "app"
        [flows.app]
        initial  = "open"
        children = "stack"
        [flows.app.on]
        open  = { screen = "list" }
        both  = [{ screen = "film" }, { current = "tab" }, { current = "sheet" }]
        sheet = { flow = "sheet", style = "modal" }
        tab   = { flow = "tabs", reuse = "raise" }
        pop   = { pop = "list" }
        swap  = { clear = true, screen = "film" }
        over  = [{ screen = "film" }, { current = "pop" }]
        loop  = [{ unless = { alive = "sheet" }, current = "both" }, { current = "over" }]
        [flows.tabs]
        initial  = "both"
        children = "tabs"
        [flows.tabs.on]
        both  = [{ screen = "list" }, { screen = "film" }]
        open  = { show = "film" }
        swap  = { show = "list" }
        tab   = { parent = "both" }
        [flows.sheet]
        initial  = "open"
        [flows.sheet.on]
        open  = [{ screen = "list" }, { screen = "film" }]
        end   = { end = "over" }
        """

    @Test(arguments: [PrivateBus.Program.daemon, .broker])
    func `S-10 by signals alone it has the objects of GetManagedObjects, after each random call`(
        program: PrivateBus.Program
    ) throws {
        let bus = try PrivateBus(program)
        let service = try Service(Self.definitions, bus: bus)
        for seed in 1...3 {
            let client = try ChildProcess(
                "/usr/bin/python3",
                [
                    Service.repository + "/Tests/readers/object_manager.py", service.bus.address, Service.name,
                    "\(seed)",
                    "300",
                ])
            #expect(try client.waitForExit(within: failureBound * 3) == .status(0), "\(client.output)\(client.errors)")
            #expect(client.output == "300 calls\n")
        }
    }
}
