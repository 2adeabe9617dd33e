import BusTestSupport
import Testing

/// Guards and navigators that are killed during a call.
@Suite("Crashes: guards and navigators")
struct CrashAskedTests {
    private static let guardName = "org.example.Guard"
    private static let navigatorName = "org.example.Settings"
    private static let error = Service.name + ".Error."

    private static let definitions = """
        [steps]
        open  = {}
        first = {}
        pick  = {}
        paid  = {}
        probe = {}
        gone  = { why = "string" }

        [screens]
        page = {}

        [[autostart]]
        flow = "main"

        [flows.main]
        guard = { name = "org.example.Guard", steps = ["paid"] }
        [flows.main.on]
        open  = { flow = "settings", onDismissed = { step = "gone", arguments = { why = "$reason" } } }
        paid  = { none = true }
        probe = { none = true }
        gone  = { none = true }

        [flows.settings]
        initial   = "first"
        navigator = { name = "org.example.Settings", steps = ["first", "pick"] }
        """

    private let peers: Peers
    private let service: Service

    init() throws {
        peers = try Peers(startable: [Self.guardName: "", Self.navigatorName: "--screen=page"])
        service = try Service(Self.definitions, bus: peers.bus)
    }

    private func isResponsive() throws -> Bool { try service.emit("probe", on: "/main")[1] == "navigated" }

    /// Emits a step from a client of its own, and waits until the service has received it.
    private func start(_ step: String, on path: String) throws -> (client: TestClient, call: AwaitedReply) {
        let client = try TestClient(peers.bus)
        let call = try service.start(step, on: path, by: client)
        try client.ping(Service.name)
        return (client, call)
    }

    private func refusal(of call: (client: TestClient, call: AwaitedReply)) throws -> BusError {
        try service.refusal { try call.client.answer(to: call.call) }
    }

    // MARK: Guards

    @Test func `S-5 a guard that crashes during a call: GuardFailed; for the next step the bus starts it`() throws {
        let asked = try peers.start(Self.guardName, "--Adapt=hold")
        try service.listen()
        let first = try start("paid", on: "/main")
        try peers.wait(for: "Adapt /main paid", of: asked)
        let others = try (0..<3).map { _ in try start("paid", on: "/main") }
        try peers.kill(asked)
        let refusal = try refusal(of: first)
        #expect(refusal.name == Self.error + "GuardFailed")
        #expect(refusal.message.contains("org.freedesktop.DBus.Error.NoReply"))
        for (place, other) in others.enumerated() {
            #expect(try other.client.answer(to: other.call) == [.uint64(UInt64(place + 1)), "navigated"])
            try service.waitForNavigation("paid", of: "/main")
        }
        let started = try peers.wait(for: "Adapt /main paid", of: Self.guardName)
        #expect(started.processID != asked.processID)
        #expect(
            service.client.signals.filter { $0.member == "NavigationOccurred" }.map { $0.values[2].text }
                == others.map { $0.client.uniqueName })
        #expect(try service.treeLines() == ["/main visible presented"])
        #expect(try isResponsive())
    }

    @Test func `S-5 a guard that the bus can't start again: each step that waits fails, and it goes on`() throws {
        let peers = try Peers()
        let service = try Service(Self.definitions, bus: peers.bus)
        let asked = try peers.start(Self.guardName, "--Adapt=hold")
        let clients = try (0..<3).map { _ in try TestClient(peers.bus) }
        let calls = try clients.map { client in
            let call = try service.start("paid", on: "/main", by: client)
            try client.ping(Service.name)
            return call
        }
        let probe = try service.start("probe", on: "/main")
        try service.client.ping(Service.name)
        try peers.wait(for: "Adapt /main paid", of: asked)
        try peers.kill(asked)
        for (client, call) in zip(clients, calls) {
            #expect(
                try service.refusal { try client.answer(to: call) }.name == Self.error + "GuardFailed")
        }
        #expect(try service.client.answer(to: probe) == [.uint64(1), "navigated"])
    }

    // MARK: Navigators

    @Test
    func `S-32 a navigator crashes: callers get NavigatorFailed, the flow is dismissed, onDismissed is triggered`()
        throws
    {
        let navigator = try peers.start(Self.navigatorName, "--Navigate=answer:1", "--screen=page")
        try service.emit("open", on: "/main")
        try service.client.call(Service.name, Service.tree + "/main/settings", Service.name + ".Flow", "WaitReady")
        #expect(
            try service.treeLines() == [
                "/main visible presented", "/main/settings visible presented", "/main/settings/page",
            ])
        try service.listen()
        let calls = try (0..<3).map { _ in try start("pick", on: "/main/settings") }
        try peers.wait(for: "Navigate /main/settings pick", of: navigator)
        let list = try TestClient(peers.bus)
        let steps = [BusValue.structure(["pick", .options()]), .structure(["pick", .options()])]
        let listed = try list.start(
            Service.name, Service.tree + "/main/settings", Service.name + ".Stepper", "EmitSteps",
            [.array(of: "(sa{sv})", steps)])
        try list.ping(Service.name)
        try peers.kill(navigator)
        for call in calls {
            let refusal = try refusal(of: call)
            #expect(refusal.name == Self.error + "NavigatorFailed")
            #expect(refusal.message.contains("'org.example.Settings'"))
        }
        #expect(
            try list.answer(to: listed)[0].outcomes
                == [Self.error + "NavigatorFailed", Self.error + "PresentableDismissed"])
        try service.waitForNavigation("gone", of: "/main")
        #expect(
            service.client.transcript == [
                "InterfacesRemoved /main/settings/page", "InterfacesRemoved /main/settings",
                "NavigationOccurred /main 3 0 \(navigator.uniqueName) gone {why: navigatorGone} [] {}",
            ])
        #expect(try service.treeLines() == ["/main visible presented"])
        #expect(try isResponsive())
        // The next instance of the flow belongs to a process that the bus starts.
        try service.emit("open", on: "/main")
        try peers.wait(for: "Navigate /main/settings first", of: navigator)
        let next = try peers.wait(for: "Navigate /main/settings first", of: Self.navigatorName)
        #expect(next.processID != navigator.processID)
    }

    @Test func `S-12 S-26 a navigator crashes during the initial step: the step is reported, WaitReady gets FlowEnded`()
        throws
    {
        let navigator = try peers.start(Self.navigatorName, "--Navigate=hold")
        try service.emit("open", on: "/main")
        try peers.wait(for: "Navigate /main/settings first", of: navigator)
        let reader = try TestClient(peers.bus)
        let call = try reader.start(
            Service.name, Service.tree + "/main/settings", Service.name + ".Flow", "WaitReady")
        try reader.ping(Service.name)
        try service.listen()
        try peers.kill(navigator)
        #expect(try service.refusal { try reader.answer(to: call) }.name == Self.error + "FlowEnded")
        try service.waitForNavigation("gone", of: "/main")
        let sender = service.client.uniqueName
        #expect(
            service.client.transcript == [
                "NavigationFailed /main/settings 1 \(sender) first  \(Self.error)NavigatorFailed "
                    + "the navigator 'org.example.Settings' of flow 'settings' is gone",
                "InterfacesRemoved /main/settings",
                "NavigationOccurred /main 2 0 \(navigator.uniqueName) gone {why: navigatorGone} [] {}",
            ])
        #expect(try service.treeLines() == ["/main visible presented"])
    }

    @Test(arguments: ["-", "org.example.Wizard"])
    func `S-32 a registered navigator that the bus can't start: its definition goes with it`(name: String) throws {
        let navigator = try peers.start(name, "--Navigate=answer:1", "--screen=page", "--register=wizard:turn")
        try peers.wait(for: "RegisterFlow", of: navigator)
        try service.coordinate("wizard")
        try service.client.call(Service.name, Service.tree + "/wizard", Service.name + ".Flow", "WaitReady")
        #expect(try service.treeLines().suffix(2) == ["/wizard visible presented", "/wizard/page"])
        try service.listen()
        let calls = try (0..<2).map { _ in try start("turn", on: "/wizard") }
        try peers.wait(for: "Navigate /wizard turn", of: navigator)
        try peers.wait(for: "Navigate /wizard turn", of: navigator)
        try peers.kill(navigator)
        for call in calls { #expect(try refusal(of: call).name == Self.error + "NavigatorFailed") }
        try service.client.waitForSignal("DefinitionsChanged")
        #expect(
            service.client.transcriptOfTree == [
                "InterfacesRemoved /wizard/page", "InterfacesRemoved /wizard", "DefinitionsChanged  ",
            ])
        #expect(try service.treeLines() == ["/main visible presented"])
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main", "settings"])])
        #expect(try service.refusal { try service.coordinate("wizard") }.name == Self.error + "UnknownFlow")
        #expect(try isResponsive())
    }

    @Test func `S-32 a registered navigator that the bus can start: its definition stays, and it registers again`()
        throws
    {
        let name = "org.example.Wizard"
        let options = "--screen=page --register=wizard:turn"
        let peers = try Peers(startable: [name: options])
        let service = try Service(Self.definitions, bus: peers.bus)
        var navigator = try peers.start(name, "--screen=page", "--register=wizard:turn")
        try peers.wait(for: "RegisterFlow", of: navigator)
        for _ in 1...2 {
            try service.coordinate("wizard")
            try peers.wait(for: "Navigate /wizard turn", of: navigator)
            try service.client.call(Service.name, Service.tree + "/wizard", Service.name + ".Flow", "WaitReady")
            try service.listen()
            try peers.kill(navigator)
            try service.client.waitForSignal("InterfacesRemoved") { $0.values[0].text == Service.tree + "/wizard" }
            #expect(try service.treeLines() == ["/main visible presented"])
            #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main", "settings", "wizard"])])

            // The bus starts another process, which is asked before it registers.
            try service.coordinate("wizard")
            let next = try peers.wait(for: "RegisterFlow", of: name)
            #expect(next.processID != navigator.processID)
            try peers.wait(for: "Navigate /wizard turn", of: next)
            try service.client.call(Service.name, Service.tree + "/wizard", Service.name + ".Flow", "WaitReady")
            #expect(try service.treeLines().suffix(2) == ["/wizard visible presented", "/wizard/page"])
            try service.dismiss("/wizard")
            navigator = next
        }
    }

    @Test func `S-32 a registered flow whose guard is asked, which is its navigator, too`() throws {
        let both = try peers.start("-", "--Adapt=hold", "--register=wizard:turn:guard")
        try peers.wait(for: "RegisterFlow", of: both)
        try service.coordinate("wizard")
        try peers.wait(for: "Adapt /wizard turn", of: both)
        let call = try start("turn", on: "/wizard")
        try service.listen()
        try peers.kill(both)
        #expect(try refusal(of: call).name == Self.error + "NavigatorFailed")
        try service.client.waitForSignal("DefinitionsChanged")
        #expect(
            service.client.transcript == [
                "NavigationFailed /wizard 0 \(service.client.uniqueName) turn  \(Self.error)NavigatorFailed "
                    + "the navigator '\(both.uniqueName)' of flow 'wizard' is gone",
                "InterfacesRemoved /wizard", "DefinitionsChanged  ",
            ])
        #expect(try service.treeLines() == ["/main visible presented"])
        #expect(try isResponsive())
    }

    @Test func `S-9 S-27 S-28 all kinds of calls that wait for a navigator are answered`() throws {
        let navigator = try peers.start(Self.navigatorName, "--Navigate=answer:1", "--screen=page")
        try service.emit("open", on: "/main")
        try service.client.call(Service.name, Service.tree + "/main/settings", Service.name + ".Flow", "WaitReady")
        let (flow, stepper) = (Service.tree + "/main/settings", Service.name + ".Stepper")
        let coordinator = Service.name + ".Coordinator"
        let first = try start("pick", on: "/main/settings")
        try peers.wait(for: "Navigate /main/settings first", of: navigator)
        try peers.wait(for: "Navigate /main/settings pick", of: navigator)
        let clients = try (0..<4).map { _ in try TestClient(peers.bus) }
        let along = try clients[0].start(
            Service.name, Service.root, coordinator, "NavigateAlong",
            [
                .array(
                    of: "(ssa{sv})",
                    [.structure(["main", "", .options()]), .structure(["settings", "pick", .options()])]), .options(),
            ])
        let link = try clients[1].start(
            Service.name, Service.root, coordinator, "Navigate", ["pick", .options(), .options()])
        let twice = try (0..<2).map { _ in
            try clients[2].start(
                Service.name, flow, stepper, "EmitStepWithOptions", ["pick", .options(), .options(["token": "t"])])
        }
        try clients[3].addMatch("type='signal',sender='\(Service.name)',member='StepConcluded'")
        let unwaited = try clients[3].call(
            Service.name, flow, stepper, "EmitStepWithOptions", "pick", .options(),
            .options(["wait": false, "token": "u"]))
        #expect(unwaited == [.uint64(0), "pending"])
        for client in clients { try client.ping(Service.name) }

        try peers.kill(navigator)
        #expect(try refusal(of: first).name == Self.error + "NavigatorFailed")
        let path = try refusal(of: (clients[0], along))
        #expect(path.name == Self.error + "PathFailed")
        #expect(path.message.contains("segment 2"))
        #expect(
            try clients[1].answer(to: link)[0].outcomes
                == ["/main unhandled", "/main/settings \(Self.error)NavigatorFailed"])
        for call in twice { #expect(try refusal(of: (clients[2], call)).name == Self.error + "NavigatorFailed") }
        let concluded = try clients[3].waitForSignal("StepConcluded")
        #expect(concluded.path == flow)
        #expect(concluded.values[0] == "u")
        #expect(concluded.values[3] == .string(Self.error + "NavigatorFailed"))
        #expect(try service.treeLines() == ["/main visible presented"])
        #expect(try isResponsive())
    }
}
