import BusTestSupport
import FlowCore
import Glibc
import Testing

/// Presenters that are killed, before and after their answer.
@Suite("Crashes: presenters")
struct CrashPresenterTests {
    private static let name = "org.example.Ui"
    private static let application = "org.example.App"

    private static let definitions = """
        [steps]
        begin   = {}
        cover   = {}
        plain   = {}
        kept    = {}
        lasting = {}
        act     = {}
        enter   = {}
        probe   = {}
        gone    = { name = "string", why = "string" }

        [screens]
        home    = {}
        sheet   = {}
        plain   = { presenter = "org.example.Ui", patience = "0s" }
        kept    = { presenter = "org.example.Ui", whenOwnerGone = "keep" }
        lasting = { presenter = "org.example.Ui", whenOwnerGone = "present" }
        act     = { application = { name = "org.example.App", action = "act" }, whenOwnerGone = "keep" }

        [[autostart]]
        flow = "shop"

        [flows.shop]
        initial  = "begin"
        children = "stack"
        [flows.shop.on]
        begin   = { screen = "home" }
        cover   = { screen = "sheet" }
        plain   = { screen = "plain", onDismissed = { step = "gone", arguments = { name = "$name", why = "$reason" } } }
        kept    = { screen = "kept", reuse = true, whenHidden = "queue", onDismissed = { step = "gone", arguments = { name = "$name", why = "$reason" } } }
        lasting = { screen = "lasting", onDismissed = { step = "gone", arguments = { name = "$name", why = "$reason" } } }
        act     = { screen = "act" }
        enter   = { flow = "inner", onDismissed = { step = "gone", arguments = { name = "$name", why = "$reason" } } }
        probe   = { none = true }
        gone    = { none = true }

        [flows.inner]
        initial = "plain"
        [flows.inner.on]
        plain = { screen = "plain", onDismissed = { step = "gone", arguments = { name = "$name", why = "$reason" } } }
        gone  = { none = true }
        """

    private let peers: Peers
    private let service: Service

    init() throws {
        peers = try Peers(startable: [Self.name: "--Present=show", Self.application: ""])
        service = try Service(Self.definitions, bus: peers.bus)
    }

    /// Returns whether the service takes the next step.
    private func isResponsive() throws -> Bool {
        try service.emit("probe", on: "/shop")[1] == "navigated"
    }

    /// A screen that a presenter of its own shows, visible.
    private func present(_ step: String) throws -> Peers.Peer {
        let ui = try peers.start(Self.name, "--Present=show")
        try service.listen()
        try service.emit(step, on: "/shop")
        try service.waitForChange(of: "/shop/\(step)", "Visible", to: true)
        return ui
    }

    @Test func `S-23 S-31 killed before its answer: the screen is dismissed with presentFailed`() throws {
        let ui = try peers.start(Self.name, "--Present=hold")
        #expect(try service.emit("plain", on: "/shop") == [.uint64(2), "navigated"])
        try peers.wait(for: "Present /shop/plain", of: ui)
        #expect(try service.treeLines().last == "/shop/plain")
        #expect(
            try service.refusal { try service.show("/shop/plain") }.name == Service.name + ".Error.NotOwner")
        try service.listen()
        try peers.kill(ui)
        try service.waitForNavigation("gone", of: "/shop")
        #expect(
            service.client.transcript == [
                "InterfacesRemoved /shop/plain", "PropertiesChanged /shop Current=/shop/home",
                "NavigationOccurred /shop 3 2 \(service.client.uniqueName) gone {name: plain, why: presentFailed} [] {}",
            ])
        #expect(try service.treeLines() == ["/shop visible presented", "/shop/home"])
        #expect(try isResponsive())
        // The next one is presented by a process that the bus starts.
        try service.emit("plain", on: "/shop")
        let next = try peers.wait(for: "Present /shop/plain", of: Self.name)
        try service.waitForChange(of: "/shop/plain", "Visible", to: true)
        #expect(
            try service.treeLines().last == "/shop/plain visible presented owner=\(next.uniqueName)")
    }

    @Test func `S-30 killed after its answer, dismiss: the screen is dismissed with ownerGone`() throws {
        let ui = try present("plain")
        try service.listen()
        try peers.kill(ui)
        try service.waitForNavigation("gone", of: "/shop")
        #expect(
            service.client.transcript == [
                "InterfacesRemoved /shop/plain", "PropertiesChanged /shop Current=/shop/home",
                "NavigationOccurred /shop 3 0 \(ui.uniqueName) gone {name: plain, why: ownerGone} [] {}",
            ])
        #expect(try service.treeLines() == ["/shop visible presented", "/shop/home"])
        #expect(try isResponsive())
    }

    @Test func `S-30 keep, killed while covered: presented by another process when it is uncovered`() throws {
        let ui = try present("kept")
        try service.emit("cover", on: "/shop")
        try service.listen()
        try peers.kill(ui)
        try service.waitForChange(of: "/shop/kept", "Owner", to: "")
        #expect(try service.treeLines() == ["/shop visible presented", "/shop/home", "/shop/kept", "/shop/sheet"])
        #expect(try isResponsive())
        #expect(try peers.reports(by: Self.name) == ["Present /shop/kept"])

        try service.dismiss("/shop/sheet")
        let next = try peers.wait(for: "Present /shop/kept again", of: Self.name)
        #expect(next.processID != ui.processID)
        try service.waitForChange(of: "/shop/kept", "Owner", to: .string(next.uniqueName))
        try service.waitForChange(of: "/shop/kept", "Visible", to: true)
        #expect(
            try service.treeLines() == [
                "/shop visible presented", "/shop/home", "/shop/kept visible presented owner=\(next.uniqueName)",
            ])
    }

    @Test func `S-30 keep, killed while presented: hidden until it would be presented again`() throws {
        let ui = try present("kept")
        try service.listen()
        try peers.kill(ui)
        try service.waitForChange(of: "/shop/kept", "Owner", to: "")
        #expect(service.client.transcript == ["PropertiesChanged /shop/kept Owner= Presented=false Visible=false"])
        #expect(try service.treeLines() == ["/shop visible presented", "/shop/home", "/shop/kept"])
        try service.emit("cover", on: "/shop")
        #expect(try isResponsive())
        #expect(try peers.reports(by: Self.name) == ["Present /shop/kept"])
        try service.dismiss("/shop/sheet")
        let next = try peers.wait(for: "Present /shop/kept again", of: Self.name)
        try service.waitForChange(of: "/shop/kept", "Visible", to: true)
        #expect(try service.treeLines().last == "/shop/kept visible presented owner=\(next.uniqueName)")
    }

    @Test func `S-30 keep, killed during another call: the lost call does not dismiss the screen`() throws {
        let ui = try peers.start(Self.name, "--Present=answer:1")
        try service.listen()
        try service.emit("kept", on: "/shop")
        try service.waitForChange(of: "/shop/kept", "Owner", to: .string(ui.uniqueName))
        try service.emit("kept", on: "/shop")
        try peers.wait(for: "Present /shop/kept again", of: ui)
        try peers.kill(ui)
        try service.waitForChange(of: "/shop/kept", "Owner", to: "")
        #expect(try isResponsive())
        #expect(try service.treeLines() == ["/shop visible presented", "/shop/home", "/shop/kept"])
        // Reused once more, it is presented at once.
        try service.emit("kept", on: "/shop")
        let next = try peers.wait(for: "Present /shop/kept again", of: Self.name)
        try service.waitForChange(of: "/shop/kept", "Visible", to: true)
        #expect(try service.treeLines().last == "/shop/kept visible presented owner=\(next.uniqueName)")
    }

    @Test func `S-30 keep, an application: its action is called when it is uncovered, and it is visible again`() throws
    {
        let app = try peers.start(Self.application)
        try service.listen()
        try service.emit("act", on: "/shop")
        try service.waitForChange(of: "/shop/act", "Visible", to: true)
        try service.emit("cover", on: "/shop")
        try peers.kill(app)
        try service.waitForChange(of: "/shop/act", "Owner", to: "")
        #expect(try service.treeLines() == ["/shop visible presented", "/shop/act", "/shop/home", "/shop/sheet"])
        try service.dismiss("/shop/sheet")
        try service.waitForChange(of: "/shop/act", "Visible", to: true)
        try peers.wait(for: "ActivateAction act", of: app)
        let next = try peers.wait(for: "ActivateAction act", of: Self.application)
        #expect(
            try service.treeLines() == [
                "/shop visible presented", "/shop/act visible presented owner=\(next.uniqueName)", "/shop/home",
            ])
        #expect(try isResponsive())
    }

    @Test func `S-30 S-47 present: again immediately, and then after pauses`() throws {
        var ui = try present("lasting")
        let shown = "PropertiesChanged /shop/lasting Presented=true Visible=true"
        let client = service.client
        let lost = "'\(Self.name)', which showed it, has left the bus (org.freedesktop.DBus.Error.Disconnected)"
        for _ in 1...3 {
            try service.listen()
            try peers.kill(ui)
            let next = try peers.wait(for: "Present /shop/lasting again", of: Self.name)
            try client.wait(for: "the screen") { client.transcript.contains(shown) }
            #expect(next.processID != ui.processID)
            #expect(
                client.transcriptOfTree == [
                    "PropertiesChanged /shop/lasting Owner= Presented=false Visible=false Waiting=\(lost)",
                    "PropertiesChanged /shop/lasting Owner=\(next.uniqueName) Waiting=", shown,
                ])
            ui = next
        }
        #expect(try peers.reports(by: Self.name).count == 4)
        #expect(try isResponsive())
    }

    @Test func `S-30 D-1 stopped just after an owner was lost, it ends in order`() throws {
        let ui = try present("lasting")
        // It learns of both at once.
        service.process.send(signal: SIGSTOP)
        try peers.kill(ui)
        service.process.send(signal: SIGTERM)
        service.process.send(signal: SIGCONT)
        #expect(try service.process.waitForExit() == .status(0))
    }

    @Test func `S-30 present, killed before the answer of its second process: presentFailed`() throws {
        let peers = try Peers(startable: [Self.name: "--Present=hold"])
        let service = try Service(
            Self.definitions.replacing(
                "whenOwnerGone = \"present\" }", with: "whenOwnerGone = \"present\", patience = \"0s\" }"),
            bus: peers.bus)
        let ui = try peers.start(Self.name)
        try service.listen()
        try service.emit("lasting", on: "/shop")
        try service.waitForChange(of: "/shop/lasting", "Owner", to: .string(ui.uniqueName))
        try peers.kill(ui)
        let next = try peers.wait(for: "Present /shop/lasting again", of: Self.name)
        try peers.kill(next)
        let reported = try service.waitForNavigation("gone", of: "/shop")
        #expect(reported.values[4]["why"] == "presentFailed")
        #expect(try service.treeLines() == ["/shop visible presented", "/shop/home"])
    }

    @Test func `S-22 S-30 an owner of several: each follows its policy, nested ones go with their parent`() throws {
        let ui = try peers.start(Self.name)
        for step in ["kept", "plain", "enter"] { try service.emit(step, on: "/shop") }
        for path in ["/shop/kept", "/shop/plain", "/shop/inner/plain"] {
            try peers.wait(for: "Present \(path)", of: ui)
        }
        try peers.perform("--claim=/shop/inner:1", by: ui)
        try peers.wait(for: "claimed 1", of: ui)
        try service.emit("cover", on: "/shop")
        try service.listen()
        try peers.kill(ui)
        try service.waitForNavigation("gone", of: "/shop")
        try service.waitForNavigation("gone", of: "/shop")
        #expect(try service.treeLines() == ["/shop visible presented", "/shop/home", "/shop/kept", "/shop/sheet"])
        #expect(
            service.client.signals.filter { $0.member == "InterfacesRemoved" }.map { $0.values[0].brief }
                == ["/shop/plain", "/shop/inner/plain", "/shop/inner"])
        #expect(
            service.client.signals.filter { $0.member == "NavigationOccurred" }.map { $0.values[4].brief }
                == ["{name: plain, why: ownerGone}", "{name: inner, why: ownerGone}"])
        #expect(!service.client.signals.contains { $0.member == "NavigationFailed" })
        #expect(try isResponsive())
    }

    @Test func `S-23 S-30 S-36 a nested flow that stays live gets its own onDismissed step`() throws {
        let ui = try peers.start(Self.name)
        try service.listen()
        for step in ["plain", "enter"] { try service.emit(step, on: "/shop") }
        for path in ["/shop/plain", "/shop/inner/plain"] {
            try service.waitForChange(of: path, "Owner", to: .string(ui.uniqueName))
        }
        try peers.kill(ui)
        #expect(try service.waitForNavigation("gone", of: "/shop").values[4].brief == "{name: plain, why: ownerGone}")
        try service.waitForNavigation("gone", of: "/shop/inner")
        // It has no child then, and goes (S-36).
        try service.client.waitForSignal("InterfacesRemoved") { $0.values[0].brief == "/shop/inner" }
        #expect(try service.treeLines() == ["/shop visible presented", "/shop/home"])
        #expect(try isResponsive())
    }

    @Test func `S-15 S-30 keep: steps emitted on it meanwhile are deferred until it is presented again`() throws {
        let ui = try present("kept")
        try service.emit("cover", on: "/shop")
        try peers.kill(ui)
        try service.waitForChange(of: "/shop/kept", "Owner", to: "")
        #expect(try service.emit("probe", on: "/shop/kept") == [.uint64(0), "deferred"])
        try service.listen()
        try service.dismiss("/shop/sheet")
        let next = try peers.wait(for: "Present /shop/kept again", of: Self.name)
        try service.waitForNavigation("probe", of: "/shop")
        #expect(
            service.client.transcriptOfTree == [
                "InterfacesRemoved /shop/sheet", "PropertiesChanged /shop Current=/shop/kept", "answer ",
                "PropertiesChanged /shop/kept Owner=\(next.uniqueName)",
                "PropertiesChanged /shop/kept Presented=true Visible=true",
                "NavigationOccurred /shop 4 0 \(service.client.uniqueName) probe {} [] {}",
            ])
    }

    @Test func `S-31 killed with the maximum of calls under way: another process shows the waiting arguments`()
        throws
    {
        let ui = try peers.start(Self.name, "--Present=hold")
        for _ in 0...Limits.callsPerScreen { try service.emit("kept", on: "/shop") }
        try peers.wait(for: "Present /shop/kept", of: ui)
        for _ in 1..<Limits.callsPerScreen { try peers.wait(for: "Present /shop/kept", of: ui) }
        try service.listen()
        try peers.kill(ui)
        let next = try peers.wait(for: "Present /shop/kept", of: Self.name)
        try service.waitForChange(of: "/shop/kept", "Visible", to: true)
        #expect(try service.treeLines().last == "/shop/kept visible presented owner=\(next.uniqueName)")
        #expect(try peers.reports(by: Self.name).count == Limits.callsPerScreen + 1)
        #expect(try isResponsive())
    }

    @Test func `S-30 S-31 a presenter that can't be started again: presentFailed`() throws {
        let peers = try Peers(broken: [Self.name])
        let definitions = Self.definitions.replacing("whenOwnerGone", with: "patience = \"1s\", whenOwnerGone")
        let service = try Service(definitions, bus: peers.bus)
        let ui = try peers.start(Self.name, "--Present=show")
        try service.listen()
        for step in ["kept", "lasting"] {
            try service.emit(step, on: "/shop")
            try service.waitForChange(of: "/shop/\(step)", "Visible", to: true)
        }
        service.client.clearLog()
        try peers.kill(ui)
        // The presenter of the upper one is called at once; when it is gone, the lower one is uncovered.
        for step in ["lasting", "kept"] {
            #expect(
                try service.waitForNavigation("gone", of: "/shop").values[4].brief
                    == "{name: \(step), why: presentFailed}")
        }
        #expect(try service.treeLines() == ["/shop visible presented", "/shop/home"])
        #expect(!service.client.signals.contains { $0.member == "NavigationFailed" })
        #expect(try service.emit("probe", on: "/shop")[1] == "navigated")
    }
}
