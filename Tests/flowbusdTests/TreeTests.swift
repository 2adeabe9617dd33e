import BusTestSupport
import FlowCore
import FlowFile
import Testing

/// The tree as clients see it: properties, GetManagedObjects, and signals agree.
@Suite("Tree")
struct TreeTests {
    private let definitions = """
        [steps]
        push = {}
        open = {}
        stop = {}
        [screens]
        s = {}
        [[autostart]]
        flow = "main"
        [flows.main]
        children = "tabs"
        [flows.main.on]
        open = [{ flow = "stack" }, { flow = "stack", style = "modal" }, { screen = "s" }]
        push = { screen = "s", whenHidden = "allow" }
        [flows.stack]
        children = "stack"
        [flows.stack.on]
        push = { screen = "s" }
        stop = { end = true }
        """

    /// The state that a client derives from all signals since the tree had only its root.
    private func follow(_ messages: [ReceivedMessage], from start: BusValue) -> [String: [String: BusValue]] {
        var known: [String: [String: BusValue]] = [:]
        func add(_ path: String, _ interfaces: BusValue) {
            for case .dictEntry(let name, let values) in interfaces.elements {
                guard name.text?.hasPrefix(Service.name) == true else { continue }
                for key in values.keys { known[path, default: [:]][key] = values[key] }
            }
        }
        for case .dictEntry(let path, let interfaces) in start.elements { add(path.text ?? "", interfaces) }
        for message in messages where message.kind == .signal {
            switch message.member {
            case "InterfacesAdded": add(message.values[0].text ?? "", message.values[1])
            case "InterfacesRemoved": known[message.values[0].text ?? ""] = nil
            case "PropertiesChanged":
                for key in message.values[1].keys { known[message.path]?[key] = message.values[1][key] }
            default: break
            }
        }
        // Of a flow, no signal reports this one.
        for (path, properties) in known where properties["Ready"] != nil { known[path]?["InSight"] = nil }
        return known
    }

    @Test func `S-14 S-22 the state from signals equals that of GetManagedObjects and of the properties`() throws {
        let service = try Service(definitions)
        let start = try service.objects()
        try service.listen()
        try service.emit("open", on: "/main")
        for path in ["/main/stack", "/main/stack_2"] {
            try service.emit("push", on: path)
            try service.show(path)
            try service.emit("push", on: path)
            try service.emit("push", on: path)
        }
        for path in ["/main/s", "/main/stack/s", "/main/stack/s_2", "/main/stack_2/s_2"] { try service.show(path) }
        try service.show("/main/stack")
        try service.show("/main/stack/s_2", false)
        try service.dismiss("/main/stack/s_2")
        try service.show("/main/stack_2")
        try service.emit("stop", on: "/main/stack_2")
        try service.emit("push", on: "/main")

        let known = follow(service.client.log, from: start)
        #expect(known.count == 6)
        #expect(known == follow([], from: try service.objects()))
        let ofFlows = ["Definition", "Ready", "Current", "Output", "Context"]
        for (path, properties) in known {
            let short = String(path.dropFirst(Service.tree.count))
            for (name, value) in properties {
                let role = ofFlows.contains(name) ? "Flow" : "Presentable"
                #expect(try service.property(name, of: short, role) == value)
            }
        }
        // The tab that was selected before the one that ended.
        #expect(known[Service.tree + "/main"]?["Current"] == .objectPath(Service.tree + "/main/stack"))
        // S-38: a flow's can be read.
        #expect(try service.property("InSight", of: "/main/stack", "Presentable") == true)
        try service.show("/main/s")
        #expect(try service.property("InSight", of: "/main/stack", "Presentable") == false)
    }

    @Test func `methods of flows: accepted steps, readiness, the latest navigation`() throws {
        let service = try Service(shopDefinitions)
        func flow(_ member: String, _ role: String = "Flow") throws -> [BusValue] {
            try service.client.call(Service.name, Service.tree + "/shop", Service.name + "." + role, member)
        }
        #expect(
            try flow("GetAcceptedSteps", "Stepper")
                == [.strings(["begin", "check", "closed", "pick", "spin", "spun"])])
        #expect(
            try service.client.call(
                Service.name, Service.tree + "/shop/list", Service.name + ".Stepper", "GetAcceptedSteps")
                == flow("GetAcceptedSteps", "Stepper"))
        #expect(try flow("WaitReady") == [])
        #expect(try flow("GetLastNavigation") == [.uint64(1), "begin", .options()])
        #expect(try service.property("Instance", of: "/shop", "Presentable") == .uint64(1))
        #expect(try service.property("ParentFlow", of: "/shop/list", "Presentable").brief == "/shop")
        #expect(try service.property("ParentFlow", of: "/shop", "Presentable") == .objectPath("/"))
    }

    @Test func `Children are read by name alone, and in the order of their creation`() throws {
        let service = try Service(shopDefinitions)
        func children(_ path: String) throws -> BusValue { try service.property("Children", of: path, "Flow") }
        #expect(try children("/shop").brief == "[/shop/list]")
        try service.emit("check", on: "/shop")
        #expect(try children("/shop").brief == "[/shop/list, /shop/pay]")
        #expect(try children("/shop/pay").type == "ao")
        try service.dismiss("/shop/pay")
        try service.dismiss("/shop/list")
        #expect(try children("/shop") == .array(of: "o", []))
        // These trees would lack reported changes.
        let all = try service.client.call(
            Service.name, Service.tree + "/shop", "org.freedesktop.DBus.Properties", "GetAll",
            .string("\(Service.name).Flow"))
        #expect(all[0].keys.sorted() == ["Context", "Current", "Definition", "Output", "Ready"])
        let flow = try service.objects()[Service.tree + "/shop"]?["\(Service.name).Flow"]
        #expect(flow?.keys.sorted() == ["Context", "Current", "Definition", "Output", "Ready"])
    }

    @Test func `S-10 GetDefinitions is a definition file, with registered flows and without private values`() throws {
        let service = try Service(
            """
            [steps]
            open = {}
            pin = { code = "string" }
            [private]
            steps = ["pin"]
            [screens]
            page = {}
            [[autostart]]
            flow = "main"
            [flows.main]
            children = "stack"
            [flows.main.on]
            open = { current = "pin", arguments = { code = "secret" } }
            pin = { screen = "page" }
            """)
        func text() throws -> String { try #require(service.coordinator("GetDefinitions")[0].text) }
        let loaded = try DefinitionFiles.definitions(in: text())
        #expect(loaded.flows.map(\.name) == ["main"] && loaded.screens.map(\.name) == ["page"])
        #expect(try !text().contains("secret"))
        // What it says is a file that the service takes, and says again.
        let before = try text()
        try service.write(before.replacing("version = 1\n", with: ""))
        #expect(try service.coordinator("Reload") == [.strings([])])
        #expect(try text() == before)

        let client = try TestClient(service.bus)
        let steps = BusValue.array(
            of: "{sa{ss}}", [.dictEntry("hello", .array(of: "{ss}", [.dictEntry("who", "string?")]))])
        let options = BusValue.options([
            "arguments": .array(of: "{ss}", [.dictEntry("who", "string?")]), "keepsAwake": true,
            "presentOnReturn": false, "budget": .uint64(200_000), "watchdog": .uint64(300_000),
            "result": .array(of: "{ss}", [.dictEntry("n", "x")]),
        ])
        try client.call(
            Service.name, Service.root, Service.name + ".Coordinator", "RegisterFlow", "mine", .objectPath("/nav"),
            steps,
            .options([
                "guard": true, "screens": .array(of: "{sa{sv}}", [.dictEntry("hello", options)]),
                "timeout": .uint64(1_500_000), "result": .array(of: "{ss}", []),
            ]))
        let registered = try DefinitionFiles.definitions(in: text())
        #expect(
            registered.flows.map(\.name) == ["main", "mine"] && registered.screens.map(\.name) == ["hello", "page"])
        let flow = registered.flows[1]
        let screen = registered.screens[0]
        #expect(flow.result == [] && screen.result?.map(\.name) == ["n"] && screen.parameters.map(\.name) == ["who"])
        #expect(screen.keepsAwake && !screen.isPresentedOnReturn)
        #expect(screen.budget == 200_000 && screen.watchdog == 300_000)
        let asked = FlowCore.Service(client.uniqueName, path: "/nav", timeout: 1_500_000)
        #expect(flow.navigator?.service == asked && flow.guard?.service == asked)
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main", "mine"])])
    }

    @Test func `GetDefinitions changes with a reload, and with flows that clients register`() throws {
        let service = try Service("[steps]\nopen = {}\n[flows.main.on]\nopen = { none = true }\n")
        func text() throws -> String { try #require(service.coordinator("GetDefinitions")[0].text) }
        let first = try text()
        #expect(try text() == first)
        try service.write("[steps]\nopen = {}\nshut = {}\n[flows.main.on]\nopen = { none = true }\n")
        #expect(try text() == first)
        try service.coordinator("Reload")
        let second = try text()
        #expect(second != first && second.contains("shut"))
        let client = try TestClient(service.bus)
        try client.call(
            Service.name, Service.root, Service.name + ".Coordinator", "RegisterFlow", "mine", .objectPath("/nav"),
            BusValue.array(of: "{sa{ss}}", [.dictEntry("open", .array(of: "{ss}", []))]), .options())
        #expect(try text().contains("[flows.mine]"))
        try client.call(Service.name, Service.root, Service.name + ".Coordinator", "UnregisterFlow", "mine")
        #expect(try text() == second)
    }

    @Test func `GetSteps has every argument's type, with a mark on optional ones`() throws {
        let service = try Service(shopDefinitions)
        let steps = try service.coordinator("GetSteps")[0]
        #expect(steps.keys == ["begin", "card", "check", "closed", "done", "nobody", "pick", "spin", "spun"])
        #expect(steps["pick"]?["item"] == "x")
        #expect(steps["done"]?["receipt"] == "s?")
    }

    @Test func `S-2 Coordinate: ids, arguments, a unique flow`() throws {
        let service = try Service(
            """
            [steps]
            hello = { name = "string" }
            [flows.guest]
            initial = "hello"
            arguments = { lang = "string" }
            [flows.guest.on]
            hello = { none = true }
            [flows.only]
            unique = true
            [flows.only.on]
            hello = { none = true }
            """)
        try service.listen()
        let first = try service.coordinate(
            "guest", ["name": "a"], options: ["flowArguments": .options(["lang": "en"])])
        #expect(first[0].brief == "/guest")
        #expect(try service.property("Arguments", of: "/guest", "Presentable") == .options(["lang": "en"]))
        let second = try service.coordinate(
            "guest", step: "hello", ["name": "b"], options: ["flowArguments": .options(["lang": "de"])])
        #expect(second[0].brief == "/guest_2")
        #expect(try service.coordinate("only", options: ["id": "one"])[0].brief == "/one")
        #expect(try service.coordinate("only")[0].brief == "/one")
        #expect(
            service.client.signals.filter { $0.member == "NavigationOccurred" }.map(\.values[0].brief) == ["1", "2"])
    }

    @Test func `S-33 limits of presentables, by client and in total; calls stay fast with ten thousand`() throws {
        let service = try Service(
            """
            [steps]
            push = {}
            [screens]
            s = {}
            [flows.main]
            [flows.main.on]
            push = { screen = "s" }
            """)
        let refused = "org.flowbus.Navigation1.Error.LimitExceeded"
        // What clients made that are gone would make room.
        var clients: [TestClient] = []
        /// Makes presentables until one more is refused; how many that were.
        func fill() throws -> Int {
            let client = try TestClient(service.bus)
            clients.append(client)
            var made = 0
            while true {
                let flow: String
                do {
                    let root = try client.call(
                        Service.name, Service.root, Service.name + ".Coordinator", "Coordinate", "main", "",
                        .options(), .options())
                    flow = root[0].text ?? ""
                    made += 1
                } catch let error as BusError {
                    #expect(error.name == refused)
                    return made
                }
                let calls = try (0..<1_025).map { _ in
                    try client.start(
                        Service.name, flow, Service.name + ".Stepper", "EmitStep", ["push", .options()])
                }
                for call in calls where (try? client.answer(to: call)) != nil { made += 1 }
            }
        }
        #expect(try fill() == 2_000)
        for _ in 0..<4 { #expect(try fill() == 2_000) }
        #expect(try fill() == 0)
        #expect(try service.objects().elements.count == 10_000)
        let introspection = try service.client.call(
            Service.name, Service.tree + "/main/s_1024", "org.freedesktop.DBus.Introspectable", "Introspect")
        #expect(introspection[0].text?.contains("<node name") == false)
        let error = try service.refusal { try service.emit("push", on: "/main_2") }
        #expect(error.name == refused)
        #expect(error.message == "there are 10000 live presentables of at most 10000 in total")
        try service.dismiss("/main_3")
        #expect(try service.emit("push", on: "/main_2")[1] == "navigated")
    }

    @Test func `the interfaces in signals are those in GetManagedObjects`() throws {
        let service = try Service(definitions)
        try service.listen()
        try service.emit("open", on: "/main")
        let objects = try service.objects()
        let paths = ["/main/stack", "/main/stack_2", "/main/s"].map { Service.tree + $0 }
        for path in paths {
            let added = try service.client.waitForSignal("InterfacesAdded") { $0.values[0].text == path }
            #expect(Set(added.values[1].keys) == Set(objects[path]?.keys ?? []))
        }
        try service.dismiss("/main")
        for path in paths.reversed() {
            let removed = try service.client.waitForSignal("InterfacesRemoved") { $0.values[0].text == path }
            #expect(Set(removed.values[1].elements.compactMap(\.text)) == Set(objects[path]?.keys ?? []))
        }
    }

    @Test func `the guide's matches let a client follow a tree, its root included`() throws {
        let guide = try Service.file("docs/processes.md")
        let section = try #require(guide.split(separator: "## Following a tree without a race").last)
        let rules = section.prefix(1_500).matches(of: /`(type='signal',[^`]+)`/).map { String($0.output.1) }
        #expect(rules.count == 2)
        let root = Service.tree + "/main"
        let service = try Service(definitions)
        for rule in rules { try service.client.addMatch(rule) }
        try service.client.addMatch(rules[1].replacing("arg0path='\(root)/'", with: "arg0path='\(root)'"))
        try service.coordinate("main")
        try service.emit("open", on: "/main_2")
        try service.emit("open", on: "/main")
        try service.dismiss("/main")
        try service.coordinate("main")
        try service.client.ping(Service.name)
        let reported = service.client.signals.compactMap { signal in
            signal.member.hasPrefix("Interfaces") ? signal.member + " " + (signal.values[0].text ?? "") : nil
        }
        let children = ["/stack", "/stack_2", "/s"].map { root + $0 }
        #expect(
            reported == children.map { "InterfacesAdded \($0)" } + children.reversed().map { "InterfacesRemoved \($0)" }
                + ["InterfacesRemoved \(root)", "InterfacesAdded \(root)"])
    }

    @Test func `S-33 the largest tree within the limits fits into one answer of GetManagedObjects`() throws {
        let service = try Service(
            """
            [steps]
            add = { list = "a(y)" }
            [screens]
            s = { arguments = { list = "a(y)" } }
            [[autostart]]
            flow = "main"
            [flows.main.on]
            add = { screen = "s" }
            """)
        // Each element takes one byte of content, and eight on the wire.
        let element = BusValue.structure([.byte(1)])
        let list = BusValue.array(of: "(y)", Array(repeating: element, count: 2_000))
        var refusals: Set<String> = []
        for _ in 0..<5 {
            let client = try TestClient(service.bus)
            for _ in 0..<66 {
                do {
                    try service.emit("add", ["list": list], on: "/main", by: client)
                } catch let error as BusError {
                    refusals.insert(error.name)
                }
            }
        }
        #expect(refusals == [Service.name + ".Error.LimitExceeded"])
        #expect(try service.objects().elements.count > 200)
    }
}
