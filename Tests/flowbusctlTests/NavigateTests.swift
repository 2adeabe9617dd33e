import BusTestSupport
import Foundation
import Testing

@Suite("start, navigate, along, wait")
struct NavigateTests {
    @Test func `start prints the node; arguments get the types of steps that have them`() throws {
        let service = try Service(homeDefinitions)
        let run = try service.ctl("start", "main", "--id", "second", "--step", "open", "item=4")
        #expect(run.output == "second\n")
        let arguments = try service.property("Arguments", of: "/second/page", "Presentable")
        #expect(arguments["item"] == .int64(4))
        #expect(try service.ctl("start", "side", "--flow-argument", "lang=en").output == "side\n")
        #expect(try service.property("Arguments", of: "/side", "Presentable")["lang"] == "en")
        #expect(try service.ctl("start", "side", "--json").objects.first?["path"] as? String == "side_2")
    }

    @Test func `start without --step: types that steps agree on`() throws {
        let definitions = """
            [steps]
            go = { number = "uint32", text = "string" }
            [screens]
            one = { arguments = { number = "uint32", text = "string" } }
            [flows.shop]
            initial = "go"
            [flows.shop.on]
            go = { screen = "one" }
            """
        let service = try Service(definitions)
        #expect(try service.ctl("start", "shop", "number=7", "text=8").status == .status(0))
        let arguments = try service.property("Arguments", of: "/shop/one", "Presentable")
        #expect(arguments["number"] == .uint32(7))
        #expect(arguments["text"] == "8")
    }

    @Test(
        arguments: [
            (["start", "mian"], 2, "no flow 'mian' is defined; did you mean 'main'?"),
            (["start", "main", "--id", "main"], 2, "main"),
            (["start", "main", "--step", "open", "item=x"], 65, "has to be a whole number"),
            (["navigate", "nobdy"], 2, "did you mean 'nobody'?"),
            (["navigate", "open"], 65, "needs the argument 'item'"),
            (["along", "main", "side"], 1, "side"),
            (["along", "main:open,item=x"], 65, "has to be a whole number"),
            (["along", "main", "--timeout", "soon"], 65, "'soon'"),
            (["wait", "main/list", "--ready"], 65, "is a screen"),
            (["wait", "nowhere", "--ready"], 66, "no live flow or screen 'nowhere'"),
            (["wait", "main", "--ready", "--timeout", "5"], 65, "has no unit"),
            (["steps", "asking"], 66, "no flow 'asking' is live; 'flowbusctl start asking' starts one"),
            (["steps", "nowhere"], 66, "no flow of that name"),
        ] as [([String], Int32, String)])
    func `errors are printed, with a status of their own`(
        arguments: [String], status: Int32, text: String
    ) throws {
        let service = try Service(homeDefinitions)
        let run = try Program.run(["--address", service.bus.address] + arguments)
        #expect(run.status == .status(status), "\(run.errors)")
        #expect(run.errors.hasPrefix("flowbusctl: "))
        #expect(run.errors.contains(text), "\(run.errors)")
    }

    @Test func `navigate prints each flow's verdict; 1 if none takes it`() throws {
        let service = try Service(homeDefinitions)
        try service.emit("left", on: "/main")
        let run = try service.ctl("navigate", "open", "item=3")
        #expect(run.status == .status(0))
        #expect(run.output == "main: navigated\nmain/side: unhandled\n")
        let none = try service.ctl("navigate", "nobody", "--json")
        #expect(none.status == .status(1))
        #expect(try none.objects.map { $0["verdict"] as? String } == ["unhandled", "unhandled"])
        #expect(try none.objects.allSatisfy { $0["errorName"] is NSNull && $0["errorMessage"] is NSNull })
        try service.dismiss("/main")
        #expect(try service.ctl("navigate", "nobody").errors.contains("no flow is live"))
    }

    @Test func `along follows the path; commas in values belong to these`() throws {
        let service = try Service(homeDefinitions)
        let run = try service.ctl("along", "main:left", "side:ready", "--timeout", "5s")
        #expect(run.status == .status(0), "\(run.errors)")
        #expect(run.output == "main: navigated\nmain/side: navigated\n")
        #expect(try service.ctl("along", "side", "--root", "main").output == "main/side\n")
        let inner = try service.ctl("along", "side", "--root", "main/side")
        #expect(inner.status != .status(0) && inner.errors.contains("is not the path of a live root"))
        let comma = try service.ctl("along", #"main:open,item=1,note="a,b""#)
        #expect(comma.status == .status(0))
        try service.listen()
        _ = try service.ctl("along", "main:open,item=1,note=[a,b]")
        #expect(try service.client.waitForSignal("NavigationOccurred").values[4]["note"] == "[a,b]")
    }

    @Test func `S-51 a document that is open comes to the front, and along means the flow with these values`() throws {
        let definitions = """
            [steps]
            start   = {}
            docOpen = { uri = "string" }
            edit    = { line = "int64?" }
            [screens]
            list = {}
            page = { arguments = { line = "int64?" } }
            [[autostart]]
            flow = "app"
            [flows.app]
            initial  = "start"
            children = "stack"
            [flows.app.on]
            start   = { screen = "list" }
            docOpen = { flow = "doc", reuse = "raise" }
            [flows.doc]
            arguments = { uri = "string" }
            key       = ["uri"]
            whenEmpty = "stay"
            [flows.doc.on]
            edit = { screen = "page" }
            """
        let service = try Service(definitions)
        for uri in ["a", "b", "a"] {
            #expect(try service.ctl("emit", "app", "docOpen", "uri=\(uri)").status == .status(0))
        }
        let documents = try service.ctl("tree", "--json").objects.filter { $0["name"] as? String == "doc" }
        #expect(documents.compactMap { ($0["arguments"] as? [String: Any])?["uri"] as? String } == ["b", "a"])
        let run = try service.ctl("along", "app", "doc[uri=b]:edit,line=7")
        #expect(run.output == "app\napp/doc_2: navigated\n", "\(run.errors)")
        let absent = try service.ctl("along", "app", "doc[uri=c]:edit")
        #expect(absent.status == .status(1) && absent.errors.contains("no flow of that name and key is live below"))
        let unknown = try service.ctl("along", "app", "doc[url=c]:edit")
        #expect(
            unknown.errors.contains("has no argument 'url': it takes 'uri'; did you mean 'uri'?"), "\(unknown.errors)")
    }

    @Test func `wait ends at once where the flow is ready`() throws {
        let service = try Service(homeDefinitions)
        #expect(try service.ctl("wait", "main", "--ready").status == .status(0))
    }

    @Test func `explain prints the verdict and the lines`() throws {
        let bus = try PrivateBus()
        let service = try TestClient(bus)
        try service.requestName(Service.name)
        service.serve(Service.root, Service.name + ".Coordinator", "GetSteps") { _ in
            .values([.array(of: "{sa{ss}}", [.dictEntry("go", .array(of: "{ss}", [.dictEntry("n", "u")]))])])
        }
        service.serve(Service.tree + "/main", Service.name + ".Stepper", "Explain") { call in
            call.values[1]["n"] == .uint32(3)
                ? .values(["navigated", "", .strings(["makes 'page'", "ends\n'side'"])])
                : .values(["", .string(Service.name + ".Error.FlowEnded"), .strings([])])
        }
        func explain(_ arguments: String...) throws -> ChildProcess {
            let run = try Program.start(["--address", bus.address, "explain", "main", "go"] + arguments)
            try service.waitForCall("Explain")
            try run.waitForExit()
            return run
        }
        let good = try explain("n=3")
        #expect(good.exit == .status(0))
        #expect(good.output == "navigated\n  makes 'page'\n  ends\\n'side'\n")
        let json = try explain("n=3", "--json")
        #expect(
            json.output == #"{"verdict":"navigated","errorName":null,"explanation":["makes 'page'","ends\n'side'"]}"#
                + "\n")
        let bad = try explain("n=4")
        #expect(bad.exit == .status(1))
        #expect(bad.output == "FlowEnded\n")
        let worse = try explain("n=4", "--json")
        #expect(
            worse.output == #"{"verdict":null,"errorName":"\#(Service.name).Error.FlowEnded","explanation":[]}"# + "\n")
    }
}
