import BusTestSupport
import FlowCore
import Testing

/// Emitters and owners that are killed, many at once, and several at the same time.
@Suite("Crashes: emitters and owners")
struct CrashClientTests {
    private static let error = Service.name + ".Error."

    private static let definitions = """
        [steps]
        paid  = {}
        probe = {}
        sit   = {}
        show  = {}
        ask   = {}
        go    = {}
        gone  = { why = "string" }

        [screens]
        chair = {}
        seat  = { presenter = "org.example.Ui", patience = "0s" }

        [[autostart]]
        flow = "main"

        [[autostart]]
        flow = "hall"

        [flows.main]
        guard = { name = "org.example.Guard", steps = ["paid"] }
        [flows.main.on]
        paid  = { none = true }
        probe = { none = true }

        [flows.hall]
        [flows.hall.on]
        sit  = { screen = "chair", onDismissed = { step = "gone", arguments = { why = "$reason" } } }
        show = { screen = "seat", onDismissed = { step = "gone", arguments = { why = "$reason" } } }
        ask  = { flow = "talk", onDismissed = { step = "gone", arguments = { why = "$reason" } } }
        gone = { none = true }

        [flows.talk]
        initial   = "go"
        navigator = { name = "org.example.Talk", steps = ["go"] }
        """

    private let peers: Peers
    private let service: Service

    init() throws {
        peers = try Peers(startable: ["org.example.Guard": "", "org.example.Ui": "", "org.example.Talk": ""])
        service = try Service(Self.definitions, bus: peers.bus)
    }

    private func isResponsive() throws -> Bool { try service.emit("probe", on: "/main")[1] == "navigated" }

    /// Emits a step on the hall a number of times.
    private func take(_ step: String, _ count: Int) throws {
        let steps = Array(repeating: BusValue.structure([.string(step), .options()]), count: count)
        let answer = try service.client.call(
            Service.name, Service.tree + "/hall", Service.name + ".Stepper", "EmitSteps", .array(of: "(sa{sv})", steps))
        #expect(answer[0].elements.allSatisfy { $0.elements[1] == "navigated" })
    }

    private func reasons() -> [String?] {
        service.client.signals.filter { $0.member == "NavigationOccurred" && $0.values[3] == "gone" }.map {
            $0.values[4]["why"]?.text
        }
    }

    @Test func `S-9 an emitter crashes: its step ends all the same, and is not overtaken`() throws {
        let asked = try peers.start("org.example.Guard", "--Adapt=hold")
        try service.listen()
        let emitter = try peers.start("-", "--emit=/main:paid")
        try peers.wait(for: "Adapt /main paid", of: asked)
        let other = try service.start("paid", on: "/main")
        try service.client.ping(Service.name)
        let list = try peers.start("-", "--emit=/main:paid,probe,paid")
        try peers.kill(list, emitter)
        try peers.go(asked)
        #expect(try service.client.answer(to: other) == [.uint64(2), "navigated"])
        try service.waitForNavigation("probe", of: "/main")
        try service.waitForNavigation("paid", of: "/main")
        #expect(
            service.client.signals.filter { $0.member == "NavigationOccurred" }.map {
                Array($0.values[2...3]).map(\.brief)
            }
                == [
                    [emitter.uniqueName, "paid"], [service.client.uniqueName, "paid"], [list.uniqueName, "paid"],
                    [list.uniqueName, "probe"], [list.uniqueName, "paid"],
                ])
        #expect(!service.client.signals.contains { $0.member == "NavigationFailed" })
        #expect(try isResponsive())
    }

    @Test func `S-23 S-30 an owner of 1,000 presentables crashes: all are dismissed, with an onDismissed step each`()
        throws
    {
        try take("sit", 1_000)
        let owner = try peers.start("-", "--claim=/hall/chair:1000")
        try peers.wait(for: "claimed 1000", of: owner)
        #expect(
            try service.coordinator("ListOwned", .string(owner.uniqueName))[0].elements.count == 1_000)
        try service.listen()
        let serial = try service.coordinator("GetSerial")[0].number ?? 0
        try peers.kill(owner)
        try service.client.waitForSignal("InterfacesRemoved") { $0.values[0].text == Service.tree + "/hall/chair_1000" }
        #expect(try service.treeLines() == ["/hall visible presented", "/main visible presented"])
        // The parent takes its steps in slices, and others are answered in between.
        while try service.coordinator("GetSerial")[0].number ?? 0 < serial + 1_000 {}
        #expect(try service.coordinator("GetSerial")[0].number == serial + 1_000)
        #expect(reasons() == Array(repeating: "ownerGone", count: 1_000))
        #expect(!service.client.signals.contains { $0.member == "NavigationFailed" })
        #expect(try isResponsive())
    }

    @Test
    func
        `S-31 S-33 a presenter with 150 screens to show: those that it was called for go, the rest is shown by another`()
        throws
    {
        let ui = try peers.start("org.example.Ui", "--Present=hold")
        try take("show", 150)
        for number in 1...Limits.callsUnderWay {
            try peers.wait(for: "Present /hall/seat\(number == 1 ? "" : "_\(number)")", of: ui)
        }
        try service.listen()
        try peers.kill(ui)
        let next = try peers.wait(for: "Present /hall/seat_150", of: "org.example.Ui").uniqueName
        try service.waitForChange(of: "/hall/seat_150", "Owner", to: .string(next))
        #expect(reasons() == Array(repeating: "presentFailed", count: Limits.callsUnderWay))
        let lines = try service.treeLines()
        #expect(next != ui.uniqueName)
        #expect(
            Set(lines)
                == Set(
                    (101...150).map { "/hall/seat_\($0) owner=\(next)" } + [
                        "/hall visible presented", "/main visible presented",
                    ])
        )
        #expect(try peers.reports(by: "org.example.Ui").count == 150)
        #expect(try isResponsive())
    }

    @Test func `S-32 a navigator of 150 flows crashes: all are dismissed, and no program is started for them`() throws {
        let navigator = try peers.start("org.example.Talk", "--Navigate=hold")
        try take("ask", 150)
        for number in 1...Limits.callsUnderWay {
            try peers.wait(for: "Navigate /hall/talk\(number == 1 ? "" : "_\(number)") go", of: navigator)
        }
        try service.listen()
        try peers.kill(navigator)
        try service.client.waitForSignal("InterfacesRemoved") { $0.values[0].text == Service.tree + "/hall/talk_150" }
        #expect(try service.treeLines() == ["/hall visible presented", "/main visible presented"])
        #expect(reasons() == Array(repeating: "navigatorGone", count: 150))
        #expect(
            service.client.signals.filter { $0.member == "NavigationFailed" }.map { $0.values[4].text }
                == Array(repeating: Self.error + "NavigatorFailed", count: 150))
        // A new process is called for live flows only.
        try take("ask", 1)
        let next = try peers.wait(for: "Navigate /hall/talk go", of: "org.example.Talk") { $0 != navigator }
        try service.client.call(Service.name, Service.tree + "/hall/talk", Service.name + ".Flow", "WaitReady")
        #expect(try peers.reports(by: "org.example.Talk").count == Limits.callsUnderWay + 1)
        #expect(try service.treeLines().contains("/hall/talk visible presented"))
        withExtendedLifetime(next) {}
        #expect(try isResponsive())
    }

    @Test func `two at the same time: a guard during a call and an owner`() throws {
        let asked = try peers.start("org.example.Guard", "--Adapt=hold")
        let ui = try peers.start("org.example.Ui")
        try service.listen()
        try take("show", 1)
        try service.waitForChange(of: "/hall/seat", "Owner", to: .string(ui.uniqueName))
        let call = try service.start("paid", on: "/main")
        try peers.wait(for: "Adapt /main paid", of: asked)
        service.client.clearLog()
        try peers.kill(asked, ui)
        #expect(
            try service.refusal { try service.client.answer(to: call) }.name == Self.error + "GuardFailed")
        if reasons().isEmpty { try service.waitForNavigation("gone", of: "/hall") }
        #expect(reasons() == ["ownerGone"])
        #expect(try service.treeLines() == ["/hall visible presented", "/main visible presented"])
        #expect(try isResponsive())
    }

    @Test func `two at the same time: a navigator and its caller`() throws {
        let navigator = try peers.start("org.example.Talk", "--Navigate=answer:1")
        try take("ask", 1)
        try service.client.call(Service.name, Service.tree + "/hall/talk", Service.name + ".Flow", "WaitReady")
        let emitter = try peers.start("-", "--emit=/hall/talk:go")
        try peers.wait(for: "Navigate /hall/talk go", of: navigator)
        try peers.wait(for: "Navigate /hall/talk go", of: navigator)
        try service.listen()
        try peers.kill(emitter, navigator)
        try service.waitForNavigation("gone", of: "/hall")
        #expect(reasons() == ["navigatorGone"])
        #expect(try service.treeLines() == ["/hall visible presented", "/main visible presented"])
        #expect(try isResponsive())
    }
}
