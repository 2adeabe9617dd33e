import BusTestSupport
import Foundation
import Glibc
import Testing

@Suite("act: failures, options and output")
struct ActFailureTests: ActSuite {
    let service = try? Service(actDefinitions)
    let folder = try? TemporaryDirectory()

    // MARK: Failures of programs

    @Test func `a program crashes, and is there again at once`() throws {
        let act = try play(
            """
            [programs."com.x.Shop".screens]
            detail = [{ do = [{ show = true }, { crash = true }] }, { do = [{ show = true }, { title = "again" }] }]
            """)
        try emit("opened", ["item": .int64(7)])
        try expect("com.x.Shop: crashed, and is there again", of: act)
        // The service calls the name at once: it never was without an owner.
        try expect("com.x.Shop: Present main/detail item=7 (recover): answered", of: act)
        try expect("com.x.Shop: title main/detail: titled 'again'", of: act)
        try end(act)
    }

    @Test func `S-44 a frozen program does not answer Alive, and loses its screen`() throws {
        let act = try play(
            """
            [programs."com.x.Pay"]
            paths = ["/pay", "/com/x/Pay"]
            [programs."com.x.Pay".screens]
            alive = { do = [{ show = true }, { freeze = "1s" }, { title = "late" }] }
            """)
        try #require(service).listen()
        try emit("unknown")
        try expect("com.x.Pay: freezes", of: act)
        try expect("com.x.Pay: Alive: not answered, as the program is frozen", of: act)
        try expect("com.x.Pay: Withdraw main/alive (ownerHangs): not answered, as the program is frozen", of: act)
        try expect("com.x.Pay: goes on", of: act)
        try expect("com.x.Pay: Withdraw main/alive (ownerHangs): no longer shown", of: act)
        #expect(try waitForNavigation("left")["why"] == "ownerHangs")
        try end(act)
    }

    @Test func `calls that the service did not get are made when it is back`() throws {
        let act = try play(
            """
            [screens]
            list = { do = [{ show = true }, { after = "200ms", title = "late" }] }
            """)
        let service = try #require(service)
        try act.waitForLine { $0.hasSuffix(": show main/list: visible") }
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        try expect("org.flowbus.Navigation1 is gone; waiting for its restart", of: act)
        try service.start()
        try act.waitForLine { $0.hasSuffix(": title main/list: titled 'late'") }
        // Nothing is claimed anew, as the screen is still its own.
        #expect(act.output.split(separator: "\n").count { $0.contains(": claim ") } == 1)
        // Without its tree, there is a new screen.
        try service.restart("--runtime", "none")
        try act.waitForLine { $0.hasSuffix(": show main/list: visible") }
        try service.client.wait(for: "the second claim") {
            act.output.split(separator: "\n").count { $0.contains(": claim ") } == 2
        }
        try end(act)
    }

    // MARK: All programs

    @Test func `without a file all programs of a folder are played`() throws {
        let service = try #require(service)
        let act = try program(["--all", service.flows.path])
        try expect("com.x.Auth: owns the name, object /com/x/Auth", of: act)
        try act.waitForLine { $0.hasSuffix(": show main/list: visible") }
        try emit("asked")
        try expect("com.x.Auth: Adapt main asked: let through", of: act)
        try expect("com.x.Pay: show main/pay: visible", of: act)
        try end(act, by: SIGINT)
        #expect(
            act.errors
                == "flowbusctl: the navigator of the flow 'wizard', 'com.x.Wizard', is not played: only a FILE can say where its steps lead\n"
        )

        // With a file, that says what its programs do.
        let both = try program([
            path(of: "[programs.\"com.x.Pay\".screens]\npay = { fail = \"busy\" }"), "--all", service.flows.path,
        ])
        try expect("com.x.Auth: owns the name, object /com/x/Auth", of: both)
        try emit("asked")
        try both.waitForLine {
            $0 == "com.x.Pay: Present main/pay (launch): failed: org.freedesktop.DBus.Error.Failed: busy"
        }
        try end(both)
    }

    @Test func `the objects are there before the names are`() throws {
        let service = try #require(service)
        let peer = try TestClient(service.bus)
        try peer.addMatch("type='signal',member='NameOwnerChanged',arg0='com.x.Shop'")
        let act = try program([path(of: "[programs.\"com.x.Shop\"]")])
        try peer.waitForSignal("NameOwnerChanged")
        try peer.call("com.x.Shop", "/com/x/Shop", Service.name + ".Presenter", "Alive")
        try expect("com.x.Shop: Alive: answered", of: act)
        try end(act)
        let isOwned = try peer.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner", "com.x.Shop")
        #expect(isOwned == [false])
    }

    @Test func `the example plays a payment that crashes, and one with a PIN`() throws {
        let bus = try PrivateBus()
        let example = Service.repository + "/examples/act"
        let act = try program([example + "/kiosk.act.toml"], on: bus)
        try expect("com.kiosk.Auth: owns the name, object /com/kiosk/Auth", of: act)
        let service = try Service("", bus: bus, options: ["--flows", example + "/flows.d"])
        try expect("com.kiosk.Ui: Activate: answered", of: act)
        try service.emit("itemPicked", ["item": .int64(7)], on: "/session")
        try expect("com.kiosk.Shop: title session/detail: titled '7'", of: act)
        try service.emit("payAsked", ["cents": .uint32(450)], on: "/session")
        try expect("com.vendor.Pay: crashed, and is there again", of: act)
        try expect("com.kiosk.Shop: Withdraw session/detail (rule): no longer shown", of: act)
        try service.emit("payAsked", ["cents": .uint32(450)], on: "/session")
        try act.waitForLine { $0.hasPrefix("com.vendor.Pay: emit session/payment/pay paid: navigated ") }
        let guarded = act.output.split(separator: "\n").filter { $0.hasPrefix("com.kiosk.Auth: ") }.dropFirst()
        #expect(
            guarded.map { $0.replacing(#/navigated \d+/#, with: "navigated") } == [
                "com.kiosk.Auth: Adapt session/payment paid: waits for the step 'pinEntered'",
                "com.kiosk.Auth: emit session pinAsked: navigated",
                "com.kiosk.Auth: Adapt session/pin pinEntered pin=1234: rejected, 'wrong PIN'",
                "com.kiosk.Auth: Adapt session/pin pinEntered pin=4711: let through",
                "com.kiosk.Auth: Adapt session/payment paid: let through",
            ])
        try end(act)
        #expect(act.errors.isEmpty)
    }

    // MARK: Output and errors

    @Test func `each line can be JSON`() throws {
        let act = try program([path(of: "[screens.list]\n[programs.\"com.x.Shop\"]"), "--json"])
        try act.waitForLine { $0.contains("\"visible\"") }
        try emit("opened", ["item": .int64(7)])
        let line = try act.waitForLine { $0.contains("\"Present\"") }
        try end(act)
        let call = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(call["event"] as? String == "call" && call["program"] as? String == "com.x.Shop")
        #expect(call["path"] as? String == "main/detail" && call["about"] as? String == "detail")
        #expect(call["reason"] as? String == "launch" && call["did"] as? String == "answered")
        #expect((call["arguments"] as? [String: Any])?["item"] as? Int == 7)
    }

    @Test func `a file that does not fit the definitions of the service leads to warnings`() throws {
        let act = try play("[programs.\"com.x.Shop\".screens]\ndetial = {}")
        try act.waitForLine(in: .errors) {
            $0.hasSuffix(
                "a.act.toml:3: warning: [programs.\"com.x.Shop\".screens.detial] no definition declares a screen 'detial'; did you mean 'detail'?"
            )
        }
        try end(act)
    }

    @Test func `a file with errors is not played`() throws {
        let act = try program([path(of: "[programs.shop]")])
        #expect(try act.waitForExit() == .status(1))
        #expect(
            act.output.isEmpty
                && act.errors.contains("a.act.toml:2: error: [programs.shop] 'shop' can't be a well-known"))
        let json = try program([path(of: "[programs.shop]"), "--json"])
        #expect(try json.waitForExit() == .status(1))
        #expect(json.errors.isEmpty && json.output.hasPrefix("{\"severity\":\"error\""))
    }

    @Test func `a name that another program owns is an error, or is left out`() throws {
        let service = try #require(service)
        let peer = try service.peer("com.x.Shop")
        let act = try program([path(of: "[programs.\"com.x.Shop\"]")])
        #expect(try act.waitForExit() == .status(69))
        #expect(act.errors.hasPrefix("flowbusctl: another program, pid "), "\(act.errors)")
        #expect(act.errors.hasSuffix(", owns the bus name 'com.x.Shop'; end that program first\n"), "\(act.errors)")
        let all = try program(["--all", service.flows.path])
        try all.waitForLine(in: .errors) { $0.hasSuffix(" owns the bus name 'com.x.Shop'; it is not played") }
        try expect("com.x.Auth: owns the name, object /com/x/Auth", of: all)
        try end(all)
        try peer.ping()
    }

    @Test func `the end of the bus is an error`() throws {
        let bus = try PrivateBus()
        let act = try program([path(of: "[programs.\"com.x.Shop\"]")], on: bus)
        try expect("com.x.Shop: owns the name, object /com/x/Shop", of: act)
        try bus.stop()
        #expect(try act.waitForExit() == .status(69))
        #expect(act.errors == "flowbusctl: the connection to the bus at '\(bus.address)' is lost\n")
    }

    @Test(
        arguments: [
            (["/nowhere/a.toml"], 66, "flowbusctl: there is no file '/nowhere/a.toml'\n"),
            (["--all", "/nowhere"], 66, "flowbusctl: there is no folder '/nowhere'\n"),
            (["--all", "/proc/self/task"], 66, "flowbusctl: there are no definition files in '/proc/self/task'\n"),
            (
                [], 66,
                "flowbusctl: there are no definition files whose programs could be played; give a FILE, or --all DIR\n"
            ),
            (["a", "b"], 64, "flowbusctl: Unexpected argument 'b'"),
        ] as [([String], Int32, String)])
    func `errors have a status of their own`(arguments: [String], status: Int32, text: String) throws {
        let run = try Program.run(["act"] + arguments, environment: ["HOME": "/nowhere", "XDG_CONFIG_HOME": nil])
        #expect(run.status == .status(status) && run.output.isEmpty)
        #expect(run.errors.hasPrefix(text), "\(run.errors)")
    }
}
