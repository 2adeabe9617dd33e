import BusTestSupport
import Testing

@Suite("act")
struct ActTests: ActSuite {
    let service = try? Service(actDefinitions)
    let folder = try? TemporaryDirectory()

    // MARK: Screens

    @Test func `a screen is presented, and its actions follow one after the other`() throws {
        let act = try play(
            """
            [programs."com.x.Shop".screens.detail]
            onUpdate = { title = "$item" }
            onReturn = [{ touch = true }]
            do = [
                { save = { text = "Dear", n = 1 } }, { title = "Item" }, { show = true },
                { after = { presented = true }, emit = "paid", arguments = { cents = "$item" } },
                { after = { step = "left" }, show = false }, { after = "10ms", dismiss = true },
            ]
            """)
        try emit("opened", ["item": .int64(7)])
        try expect("com.x.Shop: Present main/detail item=7 (launch): answered", of: act)
        try expect("com.x.Shop: save main/detail text=Dear n=1: saved", of: act)
        try expect("com.x.Shop: title main/detail: titled 'Item'", of: act)
        try expect("com.x.Shop: show main/detail: visible", of: act)
        let failed = try act.waitForLine {
            $0.hasPrefix("com.x.Shop: emit main/detail paid cents=7: refused: GuardFailed")
        }
        #expect(failed.contains("com.x.Auth"))
        try emit("left", ["why": "test"])
        try expect("com.x.Shop: hide main/detail: hidden", of: act)
        try expect("com.x.Shop: dismiss main/detail: dismissed", of: act)
        #expect(try service?.objects().keys.contains(Service.tree + "/main/detail") == false)

        try emit("opened", ["item": .int64(8)])
        try act.waitForLine { $0 == "com.x.Shop: Present main/detail item=8 (launch): answered" }
        try emit("opened", ["item": .int64(9)])
        try expect("com.x.Shop: Present main/detail item=9 (update): answered", of: act)
        try expect("com.x.Shop: title main/detail: titled '9'", of: act)
        try end(act)
        #expect(act.errors.isEmpty)
    }

    @Test func `S-31 what a screen does first goes with the answer`() throws {
        let act = try play(
            "[programs.\"com.x.Shop\".screens]\ndetail = { do = [{ title = \"$item\" }, { show = true }, { show = false }] }"
        )
        let service = try #require(service)
        try service.listen()
        try emit("opened", ["item": .int64(7)])
        try expect("com.x.Shop: Present main/detail item=7 (launch): answered", of: act)
        try expect("com.x.Shop: title main/detail: titled '7'", of: act)
        try expect("com.x.Shop: show main/detail: visible", of: act)
        try expect("com.x.Shop: hide main/detail: hidden", of: act)
        let changed = try service.client.waitForSignal("PropertiesChanged") { $0.path.hasSuffix("/main/detail") }
        #expect(changed.values[1]["Title"] == "7" && changed.values[1]["Visible"] == true)
        try end(act)
    }

    @Test func `a list says what happens at each call`() throws {
        let act = try play(
            """
            [programs."com.x.Auth".guard]
            [programs."com.x.Pay"]
            paths = ["/pay", "/com/x/Pay"]
            [programs."com.x.Pay".screens]
            pay = [{ fail = "busy" }, { fail = { error = "com.x.NoCard", text = "no card" } }, { after = "20ms" }]
            """)
        try #require(service).listen()
        try emit("asked")
        try expect("com.x.Pay: Present main/pay (launch): failed: org.freedesktop.DBus.Error.Failed: busy", of: act)
        // It is called again after a pause (S-47).
        try expect("com.x.Pay: Present main/pay (launch): failed: com.x.NoCard: no card", of: act)
        try #require(service).client.waitForSignal("PropertiesChanged") {
            $0.values[1]["Waiting"] == "no card (com.x.NoCard)"
        }
        try expect("com.x.Pay: Present main/pay (launch): waits for 20 ms", of: act)
        try expect("com.x.Pay: Present main/pay (launch): answered", of: act)
        try expect("com.x.Pay: show main/pay: visible", of: act)
        #expect(act.output.contains("com.x.Auth: Adapt main asked: let through"))
        try end(act)
    }

    @Test func `S-45 a screen answers, with a value of the declared type`() throws {
        let act = try play(
            "[programs.\"com.x.Shop\".screens]\npicker = { do = [{ show = true }, { finish = { contact = 7 } }] }")
        try #require(service).listen()
        try emit("choose")
        try expect("com.x.Shop: finish main/picker contact=7: finished", of: act)
        // The step needs the value, which no signal shows.
        _ = try waitForNavigation("picked")
        try end(act)
    }

    @Test func `S-44 an evicted screen is released`() throws {
        let act = try play(
            """
            [programs."com.x.Shop".screens]
            detail = { onEvict = [{ save = { text = "x" } }, { release = true }] }
            """)
        let service = try #require(service)
        try service.listen()
        try emit("opened", ["item": .int64(7)])
        try expect("com.x.Shop: show main/detail: visible", of: act)
        // The flow is hidden, and so the screen is out of sight.
        try service.show("/main", false)
        try emit("evicted")
        try expect("com.x.Shop: Withdraw main/detail (evicted): to be released", of: act)
        try expect("com.x.Shop: release main/detail: released", of: act)
        try service.show("/main")
        try expect("com.x.Shop: Present main/detail item=7 (recover): answered", of: act)
        try end(act)
    }

    @Test func `screens without a presenter are claimed`() throws {
        let act = try play("[screens]\nlist = { do = [{ show = true }, { after = { step = \"left\" }, back = true }] }")
        try act.waitForLine { $0.hasSuffix(": claim main/list: claimed") }
        try act.waitForLine { $0.hasSuffix(": show main/list: visible") }
        try emit("left", ["why": "test"])
        try act.waitForLine { $0.hasSuffix(": back main/list: unhandled") }
        try #require(service).dismiss("/main")
        try act.waitForLine { $0.hasSuffix(": Withdraw main/list (parent): no longer shown") }
        try end(act)
        #expect(act.errors.isEmpty)
    }

    @Test func `an application is played, too`() throws {
        let act = try play(
            "[programs.\"com.x.Map\"]\napplication = [{ fail = \"no map\" }, { do = { after = \"10ms\", crash = true, restart = false } }]"
        )
        try emit("opens")
        try expect("com.x.Map: Activate: failed: org.freedesktop.DBus.Error.Failed: no map", of: act)
        try emit("opens")
        try expect("com.x.Map: Activate: answered", of: act)
        try expect("com.x.Map: crashed, and does not come back", of: act)
        try end(act)
    }

    // MARK: Guards and navigators

    @Test func `a guard lets through, replaces, rejects, fails and emits`() throws {
        let act = try play(
            """
            [programs."com.x.Auth".guard]
            asked = [{ reject = "not now" }, { replace = "left", arguments = { why = "$why" } }, { fail = "broken" }, { emit = "start", pass = true }]
            [programs."com.x.Auth".guard.paid]
            after = { step = "start" }
            """)
        try emit("asked")
        try expect("com.x.Auth: Adapt main asked: rejected, 'not now'", of: act)
        try emit("asked", ["why": "test"])
        try expect("com.x.Auth: Adapt main asked why=test: replaced with left why=test", of: act)
        let error = try #require(service).refusal { try emit("asked") }
        #expect(error.name == Service.name + ".Error.GuardFailed")
        try expect("com.x.Auth: Adapt main asked: failed: org.freedesktop.DBus.Error.Failed: broken", of: act)
        try emit("asked")
        try expect("com.x.Auth: Adapt main asked: let through", of: act)
        try expect("com.x.Auth: emit main start: pending", of: act)
        // Its outcome comes later, when the flow has taken the step that it waited for.
        try act.waitForLine { $0.hasPrefix("com.x.Auth: emit main: concluded: navigated ") }
        try end(act)
    }

    @Test func `a navigator decides`() throws {
        let act = try play(
            """
            [programs."com.x.Shop"]
            [programs."com.x.Wizard"]
            paths = ["/wizard"]
            [programs."com.x.Wizard".navigator]
            wizard = { screen = "page", style = "sheet" }
            chosen = { after = "10ms", do = [{ screen = "page", id = "next", arguments = { ssid = "$ssid" } }, { parent = "left", arguments = { why = "chosen" } }] }
            """)
        try emit("wizard")
        try expect("com.x.Wizard: Navigate main/wizard wizard: leads to screen page", of: act)
        try expect("com.x.Shop: Present main/wizard/page (launch): answered", of: act)
        try emit("chosen", ["ssid": "home"], on: "/main/wizard")
        try expect("com.x.Wizard: Navigate main/wizard chosen ssid=home: leads to screen page, parent left", of: act)
        try expect("com.x.Shop: Present main/wizard/next page ssid=home (launch): answered", of: act)
        try emit("opens", on: "/main/wizard")
        try expect("com.x.Wizard: Navigate main/wizard opens: not taken", of: act)
        try end(act)
    }
}
