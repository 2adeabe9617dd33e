import BusTestSupport
import Glibc
import Testing

@Suite("emit, show, hide, dismiss, back")
struct EmitTests {
    @Test func `emit prints the verdict and the serial, and takes types from the declaration`() throws {
        let service = try Service(homeDefinitions)
        try service.listen()
        let run = try service.ctl("emit", "main", "open", "item=7", "note=two words")
        #expect(run.status == .status(0))
        #expect(run.output == "navigated 2\n")
        let signal = try service.client.waitForSignal("NavigationOccurred")
        #expect(signal.values[4]["item"] == .int64(7))
        #expect(signal.values[4]["note"] == "two words")
        #expect(signal.sender != "")
    }

    @Test func `every D-Bus type can be given as text`() throws {
        let service = try Service(homeDefinitions)
        try service.listen()
        let run = try service.ctl(
            "emit", "main", "every", "b=true", "y=255", "n=-3", "q=65535", "i=-2147483648", "u=4294967295",
            "x=-9223372036854775808", "t=18446744073709551615", "d=-1.5e3", "s=[not a list] = text", "o=/a/b",
            "g=a{sv}",
            "l=['one', \"two, three\"]", #"m={"a": 1, "b:c": "x", d = [true]}"#, "r=[-4, \"four\"]", "v=plain text",
            "z=[1, 2]"
        )
        #expect(run.status == .status(0), "\(run.errors)")
        let values = try service.client.waitForSignal("NavigationOccurred").values[4]
        #expect(values["b"] == .bool(true))
        #expect(values["y"] == .byte(255))
        #expect(values["n"] == .int16(-3))
        #expect(values["q"] == .uint16(65535))
        #expect(values["i"] == .int32(.min))
        #expect(values["u"] == .uint32(.max))
        #expect(values["x"] == .int64(.min))
        #expect(values["t"] == .uint64(.max))
        #expect(values["d"] == .double(-1500))
        #expect(values["s"] == "[not a list] = text")
        #expect(values["o"] == .objectPath("/a/b"))
        #expect(values["g"] == .signature("a{sv}"))
        #expect(values["l"] == .strings(["one", "two, three"]))
        #expect(values["m"]?["a"] == .int64(1))
        #expect(values["m"]?["b:c"] == "x")
        #expect(values["m"]?["d"] == .array(of: "b", [true]))
        #expect(values["r"] == .structure([.int32(-4), "four"]))
        #expect(values["v"] == "plain text")
        #expect(values["z"] == .array(of: "y", [.byte(1), .byte(2)]))
    }

    @Test(
        arguments: [
            (["main", "open", "item=x"], 65, "the argument 'item' of type int64: 'x' has to be a whole number"),
            (["main", "open", "item=9223372036854775808"], 65, "out of the range of the type int64"),
            (["main", "open", "itm=1"], 65, "has no argument 'itm'; did you mean 'item'?"),
            (["main", "open"], 65, "needs the argument 'item' of type int64: give item=VALUE"),
            (["main", "open", "item"], 64, "'item' is no argument; write it as name=value"),
            (["main", "open", "item=1", "item=2"], 64, "the argument 'item' is given twice"),
            (["main", "opne"], 2, "no definition declares a step 'opne'; did you mean 'open'?"),
            (["mian", "open", "item=1"], 66, "there is no live flow or screen 'mian'; did you mean 'main'?"),
            (["ma in", "open", "item=1"], 65, "'ma in' can't be a node"),
            (["main//list", "open", "item=1"], 65, "an empty name is no name of one"),
            (["main", "open", "item=1", "--instance", "99"], 2, "instance"),
            (["main", "open", "item=1", "--instance", "x"], 64, "instance"),
            (["main", "open", "item=1", "--token", ""], 2, "token"),
            (["main"], 64, "Missing expected argument '<step>'"),
            (["main", "nobody"], 1, "no rule takes the step 'nobody' there"),
        ] as [([String], Int32, String)])
    func `errors are printed, with a status of their own`(
        arguments: [String], status: Int32, text: String
    ) throws {
        let service = try Service(homeDefinitions)
        let run = try Program.run(["--address", service.bus.address, "emit"] + arguments)
        #expect(run.status == .status(status))
        #expect(run.errors.hasPrefix("flowbusctl: "))
        #expect(run.errors.contains(text), "\(run.errors)")
        #expect(try service.coordinator("GetSerial") == [.uint64(1)])
    }

    @Test func `hidden is a 1, deferred a 0; show, hide, dismiss and back work`() throws {
        let service = try Service(homeDefinitions)
        #expect(try service.ctl("emit", "main/list", "open", "item=1").output == "deferred\n")
        #expect(try service.ctl("show", "main/list").status == .status(0))
        #expect(try service.property("Visible", of: "/main/list", "Presentable") == true)
        // The deferred step is taken now.
        #expect(try service.objects().keys.contains(Service.tree + "/main/page"))
        let hidden = try service.ctl("emit", "/org/flowbus/Navigation1/tree/main/page", "open", "item=2")
        #expect(hidden.status == .status(1))
        #expect(hidden.output == "hidden\n")
        #expect(hidden.errors.contains("'main/page' is not presented"))
        #expect(try service.ctl("back", "main").output == "navigated 3\n")
        let nothing = try service.ctl("back", "main")
        #expect(nothing.status == .status(1))
        #expect(nothing.output == "unhandled\n")
        #expect(nothing.errors.contains("nothing to go back to"))
        #expect(try service.ctl("hide", "main/list").status == .status(0))
        #expect(try service.property("Visible", of: "/main/list", "Presentable") == false)
        #expect(try service.ctl("dismiss", "main/list").status == .status(0))
        // The root of autostart has begun again (S-48).
        #expect(try service.ctl("retry").status == .status(0))
        #expect(try service.property("Visible", of: "/main/list", "Presentable") == false)
        #expect(try service.ctl("dismiss", "main").status == .status(0))
        #expect(try service.ctl("show", "main/list").status == .status(66))
    }

    @Test func `S-5 with --as a command owns a bus name for the call`() throws {
        let fenced = homeDefinitions.replacing(
            "initial  = \"begin\"\nchildren", with: "initial  = \"begin\"\nemitters = [\"com.example.Panel\"]\nchildren"
        )
        let service = try Service(fenced)
        let name = ["--as", "com.example.Panel"]
        let refused = try service.ctl("emit", "main", "open", "item=1")
        #expect(refused.status == .status(2))
        #expect(refused.errors.contains("only from the owner of 'com.example.Panel' on the bus"), "\(refused.errors)")
        #expect(refused.errors.contains("'--as' owns a name for the call"), "\(refused.errors)")
        let explained = try service.ctl("explain", "main", "open", "item=1")
        #expect(
            explained.output.hasPrefix("org.freedesktop.DBus.Error.AccessDenied\n")
                && explained.output.contains("if one of those emitted it: navigated"))
        func run(_ arguments: [String]) throws -> CommandRun {
            try Program.run(["--address", service.bus.address] + arguments + name)
        }
        #expect(try run(["explain", "main", "open", "item=1"]).output.hasPrefix("navigated\n"))
        #expect(try run(["emit", "main", "open", "item=1"]).output.hasPrefix("navigated "))
        #expect(try service.ctl("show", "main/page").status == .status(2))
        for command in ["show", "hide", "show"] { #expect(try run([command, "main/page"]).status == .status(0)) }
        #expect(try service.ctl("back", "main").status == .status(2))
        #expect(try run(["back", "main", "--peek"]).output.hasPrefix("dismiss "))
        #expect(try run(["back", "main"]).output.hasPrefix("navigated "))
        #expect(try run(["along", "main:open,item=1"]).status == .status(0))
        #expect(try run(["navigate", "open", "item=2"]).status == .status(0))
        #expect(try run(["move", "main", "HDMI-A-1"]).status == .status(0))
        #expect(try run(["dismiss", "main/page_2"]).status == .status(0))
        #expect(try service.ctl("start", "main").status == .status(2))
        #expect(try run(["start", "main"]).output == "main_2\n")
        // It has the name no longer, and can't take it from a program.
        try service.client.requestName("com.example.Panel")
        let taken = try run(["emit", "main", "open", "item=1"])
        #expect(taken.status == .status(69))
        #expect(
            taken.errors.contains("owns the bus name 'com.example.Panel'; while it runs, it alone is that emitter"),
            "\(taken.errors)")
        let wrong = try service.ctl("emit", "main", "open", "item=1", "--as", "panel")
        #expect(
            wrong.status == .status(64) && wrong.errors.contains("--as: 'panel' can't be a well-known bus name"),
            "\(wrong.errors)")
    }

    @Test func `S-39 back from a screen, and back known beforehand`() throws {
        let service = try Service(homeDefinitions)
        #expect(try service.ctl("emit", "main", "open", "item=1").status == .status(0))
        let instance = try #require(try service.property("Instance", of: "/main/page", "Presentable").number)
        for arguments in [["back", "--peek", "main/page"], ["back", "main/page"]] {
            let hidden = try Program.run(["--address", service.bus.address] + arguments)
            #expect(hidden.status == .status(1) && hidden.output == "hidden\n")
            #expect(hidden.errors.contains("'main/page' is not presented"))
        }
        #expect(try service.ctl("show", "main/page").status == .status(0))
        #expect(try service.ctl("back", "main/page", "--peek").output == "dismiss \(instance), reveals main/list\n")
        #expect(
            try service.ctl("--json", "back", "--peek", "main").output
                == "{\"kind\":\"dismiss\",\"goes\":\(instance),\"reveals\":\"main/list\"}\n")
        #expect(try service.ctl("back", "main", "--peek", "--goes", "1").status == .status(64))
        let stale = try service.ctl("back", "main/page", "--goes", "1")
        #expect(stale.status == .status(2) && stale.errors.contains("'1'"))
        let options = ["--goes", "\(instance)", "--token", "t", "--activation-token", "a"]
        let done = try Program.run(["--address", service.bus.address, "back", "main/page"] + options)
        #expect(done.output == "navigated 3\n")
        let nothing = try service.ctl("back", "main", "--peek")
        #expect(nothing.status == .status(1) && nothing.output == "unhandled\n")
    }

    @Test func `S-25 a node can be the path of an instance`() throws {
        let service = try Service(homeDefinitions)
        func path(of node: String) throws -> String {
            let instance = try service.property("Instance", of: node, "Presentable").number
            return "\(Service.root)/instance/\(try #require(instance))"
        }
        let (main, list) = (try path(of: "/main"), try path(of: "/main/list"))
        #expect(try service.ctl("emit", main, "open", "item=1").output == "navigated 2\n")
        let page = try path(of: "/main/page")
        let hidden = try service.ctl("emit", page, "open", "item=2")
        #expect(hidden.status == .status(1) && hidden.output == "hidden\n")
        #expect(hidden.errors.contains("'\(page)' is not presented"))
        #expect(try service.ctl("show", page).status == .status(0))
        #expect(try service.property("Visible", of: "/main/page", "Presentable") == true)
        #expect(try service.ctl("hide", page).status == .status(0))
        #expect(try service.ctl("explain", main, "open", "item=2").output.hasPrefix("navigated\n"))
        #expect(try service.ctl("wait", main, "--ready").status == .status(0))
        #expect(try service.ctl("steps", page).output == service.ctl("steps", "main/page").output)
        #expect(try service.ctl("tree", page).output == service.ctl("tree", "main/page").output)
        let log = try service.ctl("log", main)
        #expect(log.output == (try service.ctl("log", "main").output))
        #expect(log.errors == "flowbusctl: '\(main)' is 'main'; this is the log of that path\n")
        #expect(try service.ctl("back", page).output == "hidden\n")
        let screen = try service.ctl("wait", page, "--ready")
        #expect(screen.status == .status(65) && screen.errors.contains("is a screen, and the command is for flows"))
        #expect(try service.ctl("back", main).output == "navigated 3\n")
        // Another one comes to its path.
        #expect(try service.ctl("emit", main, "open", "item=2").status == .status(0))
        let commands = [["dismiss", page], ["show", page], ["emit", page, "ready"], ["tree", page], ["log", page]]
        for arguments in commands {
            let run = try Program.run(["--address", service.bus.address] + arguments)
            #expect(run.status == .status(66), "\(arguments)")
            #expect(run.errors.contains("no live flow or screen has the instance"), "\(run.errors)")
        }
        #expect(try service.ctl("dismiss", list).status == .status(0))
        #expect(
            try service.objects().keys.sorted() == ["/main", "/main/page"].map { Service.tree + $0 })
        let odd = try service.ctl("dismiss", Service.root + "/instance/007")
        #expect(odd.status == .status(65))
        #expect(odd.errors.contains("'\(Service.root)/instance/007' can't be a node"))
    }

    @Test func `a presentable of another owner is refused: 2`() throws {
        let service = try Service(homeDefinitions)
        try service.presentable("Claim", "/main/list")
        let run = try service.ctl("dismiss", "main/list")
        #expect(run.status == .status(2))
        #expect(run.errors.hasPrefix("flowbusctl: "))
    }

    @Test func `S-56 --no-input: a step that is no input does not keep a flow from being idle`() throws {
        let service = try Service(
            """
            [steps]
            home = {}
            tick = {}
            [[autostart]]
            flow = "main"
            [flows.main]
            idle = { after = "20ms", step = "home" }
            timers = [{ every = "1s", step = "tick" }]
            on = { home = { none = true }, tick = { none = true } }
            """)
        try service.listen()
        try service.emit("home", on: "/main")
        try service.client.waitForSignal("NavigationOccurred") { $0.values[2] == "" && $0.values[3] == "home" }
        let run = try service.ctl("emit", "main", "tick", "--no-input")
        #expect(run.status == .status(0) && run.output.hasPrefix("navigated "))
        try service.client.waitForSignal("NavigationOccurred") { $0.values[2] != "" }
        // In the second between these two steps it would have been idle again.
        var last: BusValue?
        for _ in 0..<2 {
            let tick = try service.client.waitForSignal("NavigationOccurred") {
                $0.values[2] == "" && $0.values[3] == "tick"
            }
            if case .uint64(let former)? = last { #expect(tick.values[0] == .uint64(former + 1)) }
            last = tick.values[0]
        }
    }

    @Test func `a pending step is waited for, except with --no-wait`() throws {
        let service = try Service(homeDefinitions)
        let peer = try service.peer()
        try service.coordinate("asking")
        peer.serve(Peer.path, Peer.guard, "Adapt") { _ in .later }
        let impatient = try service.startCtl("emit", "asking", "asked", "--no-wait")
        let first = try peer.waitForCall("Adapt")
        try impatient.waitForExit()
        #expect(impatient.exit == .status(0))
        #expect(impatient.output == "pending\n")
        try peer.reply(to: first, [first.values[1], first.values[2]])

        let patient = try service.startCtl("--json", "emit", "asking", "asked", "--token", "mine")
        let second = try peer.waitForCall("Adapt")
        try peer.reply(to: second, [second.values[1], second.values[2]])
        try patient.waitForExit()
        #expect(patient.exit == .status(0))
        #expect(patient.output == "{\"verdict\":\"navigated\",\"serial\":3}\n")

        let refused = try service.startCtl("emit", "asking", "asked")
        try peer.reply(to: peer.waitForCall("Adapt"), Peer.rejected)
        try refused.waitForExit()
        #expect(refused.exit == .status(1))
        #expect(refused.output == "rejected\n")
    }
}
