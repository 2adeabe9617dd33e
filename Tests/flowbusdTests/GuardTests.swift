import BusTestSupport
import Testing

/// Guards: processes that a flow asks before it takes a step.
@Suite("Guards")
struct GuardTests {
    static let definitions = """
        [steps]
        go = { n = "int64?" }
        other = { text = "string" }
        free = {}
        ask = {}
        [screens]
        page = { arguments = { n = "int64?" } }
        [[autostart]]
        flow = "main"
        [[autostart]]
        flow = "side"
        [flows.main]
        guard = { name = "com.example.Peer", steps = ["go", "other"] }
        [flows.main.on]
        go = { screen = "page", whenHidden = "allow" }
        other = { none = true }
        free = { none = true }
        [flows.side.on]
        go = { screen = "page" }
        free = { none = true }
        ask = { screen = "page" }
        """

    private func error(_ name: String) -> String { Service.name + ".Error." + name }

    @Test func `S-5 the question to a guard, and its consent`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        peer.playGuard { .pass($0) }
        try service.listen()
        #expect(try service.emit("go", ["n": .byte(7)], on: "/main") == [.uint64(1), "navigated"])
        let call = try peer.waitForCall("Adapt")
        #expect(call.path == Peer.path && call.interface == Peer.guard && !call.isInteractive)
        #expect(call.values[0...1] == [.objectPath(Service.tree + "/main"), "go"])
        #expect(call.values[2] == .options(["n": .int64(7)]))
        #expect(
            call.values[3]
                == .options([
                    "sender": .string(service.client.uniqueName), "presentable": .objectPath(Service.tree + "/main"),
                    "instance": .uint64(1), "cause": .uint64(0), "interactive": false,
                ]))
        let reported = try service.client.waitForSignal("NavigationOccurred")
        #expect(reported.values[6] == .options())
        // On a screen of the flow, by another client.
        let other = try service.peer(nil)
        #expect(try service.emit("go", on: "/main/page", by: other) == [.uint64(2), "navigated"])
        let details = try peer.waitForCall("Adapt").values[3]
        #expect(details["sender"]?.text == other.uniqueName)
        #expect(details["presentable"]?.text == Service.tree + "/main/page")
        #expect(details["instance"]?.number == 3)
        // Steps that the guard does not watch, and flows that it does not guard.
        try service.emit("free", on: "/main")
        try service.emit("go", on: "/side")
        #expect(peer.calls("Adapt").count == 2)
    }

    @Test func `S-5 S-10 a guard's replacement is reported as adapted, and is not adapted again`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        peer.playGuard { _ in .step("other", ["text": "instead"]) }
        try service.listen()
        #expect(try service.emit("go", on: "/main") == [.uint64(1), "navigated"])
        let reported = try service.client.waitForSignal("NavigationOccurred")
        #expect(reported.values[3] == "other")
        #expect(reported.values[4] == .options(["text": "instead"]))
        #expect(reported.values[6] == .options(["adaptedFrom": "go"]))
        // The same step with other arguments; an integer takes the declared type.
        peer.playGuard { _ in .step("go", ["n": .uint16(9)]) }
        try service.emit("go", ["n": .int64(1)], on: "/main")
        #expect(try service.client.waitForSignal("NavigationOccurred").values[4] == .options(["n": .int64(9)]))
        #expect(try service.property("Arguments", of: "/main/page", "Presentable") == .options(["n": .int64(9)]))
        // A step that the flow has no rule for.
        peer.playGuard { _ in .step("ask") }
        #expect(try service.emit("go", on: "/main") == [.uint64(0), "unhandled"])
        #expect(peer.calls("Adapt").count == 3)
    }

    @Test func `S-5 a guard's refusal is the verdict 'rejected'`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        peer.playGuard { _ in .error(Peer.rejected) }
        #expect(try service.emit("go", on: "/main") == [.uint64(0), "rejected"])
        #expect(try service.coordinator("GetSerial") == [.uint64(0)])
    }

    @Test func `S-5 GuardFailed: after any invalid answer of a guard nothing changes, and the message has the reason`()
        throws
    {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        var answer = TestClient.Answer.later
        peer.playGuard { _ in answer }
        let before = try service.objects()
        let many = BusValue.array(
            of: "{sv}", (0..<65).map { .dictEntry(.string("a\($0)"), .variant(.byte(1))) })
        let wrong: [(TestClient.Answer, String)] = [
            (.error(BusError("com.example.Broken", "two\nlines")), "'com.example.Broken': two\\nlines"),
            (.error(BusError("org.freedesktop.DBus.Error.NoReply", "")), "'org.freedesktop.DBus.Error.NoReply'"),
            // As dbus-python sends an exception.
            (
                .error(
                    BusError(
                        "org.freedesktop.DBus.Python.KeyError",
                        "Traceback (most recent call last):\n\(String(repeating: "  File \"guard\"\n", count: 100))KeyError: 'price'\n"
                    )
                ), " … "
            ),
            (.values([]), "it answered with the type ''; it has to be 'sa{sv}'"),
            (.values(["go"]), "it answered with the type 's'; it has to be 'sa{sv}'"),
            (.values([.uint32(1), .options()]), "with the type 'ua{sv}'"),
            (.values(["go", .options(), "more"]), "with the type 'sa{sv}s'"),
            (.step("og"), "'og'"),
            (.step(""), "''"),
            (.step(String(repeating: "x", count: 100_000)), "xxx"),
            (.step("go", ["n": "five"]), "'five'"),
            (.step("go", ["m": .int64(1)]), "'m'"),
            (.step("go", ["n": .uint64(.max)]), "'18446744073709551615'"),
            (.step("other"), "'text'"),
            (.step("other", ["text": .fileDescriptor(2)]), "file descriptor"),
            (.values(["go", many]), "more than 64 arguments"),
        ]
        for (given, text) in wrong {
            answer = given
            let refusal = try service.refusal { try service.emit("go", on: "/main") }
            #expect(refusal.name == error("GuardFailed"), "\(given)")
            #expect(refusal.message.hasPrefix("the guard 'com.example.Peer' "), "\(refusal.message)")
            #expect(refusal.message.contains(text), "\(refusal.message)")
            // An error without a text leaves no colon.
            #expect(!refusal.message.hasSuffix(": ") && refusal.message.utf8.count < 900)
            if text == " … " { #expect(refusal.message.hasSuffix("\\nKeyError: 'price'"), "\(refusal.message)") }
        }
        #expect(try service.objects() == before)
        #expect(try service.coordinator("GetSerial") == [.uint64(0)])
        peer.playGuard { .pass($0) }
        #expect(try service.emit("go", on: "/main") == [.uint64(1), "navigated"])
    }

    @Test func `S-31 GuardTimeout: a late answer is ignored, and the flow continues`() throws {
        let service = try Service(
            Self.definitions.replacing("\"com.example.Peer\",", with: "\"com.example.Peer\", timeout = \"50ms\","))
        let peer = try service.peer()
        peer.playGuard { _ in .later }
        let refusal = try service.refusal { try service.emit("go", on: "/main") }
        #expect(refusal.name == error("GuardTimeout"))
        #expect(refusal.message == "the guard 'com.example.Peer' did not answer in time")
        let late = try peer.waitForCall("Adapt")
        try peer.reply(to: late, [late.values[1], late.values[2]])
        try peer.ping(Service.name)
        peer.playGuard { .pass($0) }
        #expect(try service.emit("go", on: "/main") == [.uint64(1), "navigated"])
    }

    @Test func `S-9 the second answer of a guard is ignored`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        peer.playGuard { _ in .later }
        let step = try service.startEmit("go", on: "/main")
        let call = try peer.waitForCall("Adapt")
        for _ in 0..<2 { try peer.reply(to: call, [call.values[1], call.values[2]]) }
        try peer.reply(to: call, Peer.rejected)
        #expect(try service.client.answer(to: step) == [.uint64(1), "navigated"])
        try service.synchronize(peer)
        #expect(try service.coordinator("GetSerial") == [.uint64(1)])
    }

    @Test func `S-5 GuardFailed if the name has no owner, and if its owner leaves without an answer`() throws {
        let service = try Service(Self.definitions)
        let nobody = try service.refusal { try service.emit("go", on: "/main") }
        #expect(nobody.name == error("GuardFailed"))
        #expect(nobody.message.contains("'org.freedesktop.DBus.Error.ServiceUnknown'"), "\(nobody.message)")
        let peer = try service.peer()
        let step = try service.startEmit("go", on: "/main")
        try peer.waitForCall("Adapt")
        peer.disconnect()
        let gone = try service.refusal(of: step)
        #expect(gone.name == error("GuardFailed"))
        #expect(gone.message.contains("'org.freedesktop.DBus.Error.NoReply'"), "\(gone.message)")
        // A name that is owned, with no such object.
        let other = try service.peer()
        other.playGuard(at: "/elsewhere") { .pass($0) }
        let object = try service.refusal { try service.emit("go", on: "/main") }
        #expect(object.message.contains("UnknownObject': no object '/com/example/Peer'"), "\(object.message)")
    }

    @Test func `S-31 the bus starts a guard that is not running`() throws {
        let services = try TemporaryDirectory()
        try services.write(
            "[D-BUS Service]\nName=com.example.Peer\nExec=/bin/true\n", to: "com.example.Peer.service")
        try services.write(
            "[D-BUS Service]\nName=com.example.Broken\nExec=/bin/false\n", to: "com.example.Broken.service")
        let bus = try PrivateBus(policy: "", serviceDirectories: [services.path])
        let service = try Service(
            Self.definitions.replacing(
                "[flows.side.on]", with: "[flows.side]\nguard = \"com.example.Broken\"\n[flows.side.on]"),
            bus: bus)
        let failed = try service.refusal { try service.emit("go", on: "/side") }
        #expect(failed.name == error("GuardFailed"))
        #expect(failed.message.contains("'org.freedesktop.DBus.Error.Spawn.ChildExited'"), "\(failed.message)")
        // The started process owns the name soon, and gets the waiting call.
        let step = try service.startEmit("go", on: "/main")
        try service.synchronize()
        let peer = try service.peer(nil)
        peer.playGuard { .pass($0) }
        try peer.requestName(Peer.name)
        #expect(try service.client.answer(to: step) == [.uint64(1), "navigated"])
    }

    @Test func `S-5 'interactive' says whether the caller allows a question to the user`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        peer.playGuard { .pass($0) }
        _ = try service.client.answer(to: service.startEmit("go", on: "/main", isInteractive: true))
        let call = try peer.waitForCall("Adapt")
        #expect(call.values[3]["interactive"] == true)
        #expect(call.isInteractive)
        // busctl allows it by default.
        for (flag, expected) in [("yes", true), ("no", false)] {
            let busctl = try ChildProcess(
                "busctl",
                [
                    "--address=\(service.bus.address)", "--allow-interactive-authorization=\(flag)", "call",
                    Service.name,
                    Service.tree + "/main", Service.name + ".Stepper", "EmitStep", "sa{sv}", "go", "0",
                ])
            let call = try peer.waitForCall("Adapt")
            #expect(call.values[3]["interactive"]?.truth == expected)
            #expect(try busctl.waitForExit() == .status(0), "\(busctl.errors)")
        }
        #expect(try service.coordinator("GetSerial") == [.uint64(3)])
    }
}
