import BusTestSupport
import Testing

/// Navigation other than single steps: Back, deep links along a path, idle steps.
@Suite("Back, paths and idle flows")
struct NavigationPathTests {
    private let definitions = """
        [steps]
        open = { n = "int64?" }
        push = {}
        leave = {}
        gone = { what = "string", reason = "string" }
        home = {}
        [screens]
        page = {}
        start = {}
        [[autostart]]
        flow = "main"
        [flows.main]
        children = "stack"
        [flows.main.on]
        open = { flow = "inner", onDismissed = { step = "gone", arguments = { what = "$name", reason = "$reason" } } }
        push = { screen = "page" }
        gone = { none = true }
        home = { clear = true, screen = "start" }
        [flows.inner]
        children = "stack"
        onBack = "leave"
        [flows.inner.on]
        leave = { end = "push" }
        push = { screen = "page" }
        [flows.extra]
        unique = true
        [flows.extra.on]
        open = { flow = "inner" }
        """

    private func back(_ path: String, of service: Service) throws -> [BusValue] {
        try service.client.call(Service.name, Service.tree + path, Service.name + ".Flow", "Back")
    }

    private func path(_ segments: [(String, String)]) -> BusValue {
        .array(of: "(ssa{sv})", segments.map { .structure([.string($0.0), .string($0.1), .options()]) })
    }

    @Test func `S-24 Back ends at the innermost flow that has something to go back to`() throws {
        let service = try Service(definitions)
        #expect(try back("/main", of: service) == [.uint64(0), "unhandled"])
        for step in ["push", "push", "open"] { try service.emit(step, on: "/main") }
        try service.listen()
        // Into the flow in sight, whose onBack ends it; that pushes a page.
        #expect(try back("/main", of: service) == [.uint64(4), "navigated"])
        #expect(try service.property("Current", of: "/main", "Flow") == .objectPath(Service.tree + "/main/page_3"))
        service.client.clearLog()
        #expect(try back("/main", of: service) == [.uint64(6), "navigated"])
        let signals = service.client.signals
        // The current child of the flow, and that the child is in sight.
        #expect(
            signals.map(\.member)
                == [
                    "InterfacesRemoved", "PropertiesChanged", "PropertiesChanged", "NavigationOccurred", "StackChanged",
                    "BackChanged",
                ])
        let page = BusValue.objectPath(Service.tree + "/main/page_3")
        #expect(
            signals.first { $0.member == "NavigationOccurred" }?.values == [
                .uint64(6), .uint64(0), .string(service.client.uniqueName), "", .options(),
                .array(of: "(ssoa{sv})", [.structure(["back", "page", page, .options()])]), .options(),
            ])
        let last = try service.client.call(
            Service.name, Service.tree + "/main", Service.name + ".Flow", "GetLastNavigation")
        #expect(last == [.uint64(6), "", .options()])
    }

    @Test func `S-39 Back from a screen is known beforehand, and repeated by a token`() throws {
        let service = try Service(definitions)
        for step in ["push", "push"] { try service.emit(step, on: "/main") }
        let page = Service.tree + "/main/page_2"
        func call(_ member: String, _ arguments: BusValue...) throws -> [BusValue] {
            let serial = try service.client.start(
                Service.name, page, "\(Service.name).Stepper", member, arguments)
            return try service.client.answer(to: serial)
        }
        #expect(try call("BackWithOptions", .options()) == [.uint64(0), "hidden"])
        try service.show("/main/page_2")
        let instance = try service.property("Instance", of: "/main/page_2", "Presentable")
        #expect(
            try call("PeekBack") == [
                "dismiss", .options(["goes": instance, "reveals": .objectPath(Service.tree + "/main/page")]),
            ])
        let stale = try service.refusal { _ = try call("BackWithOptions", .options(["goes": .uint64(1)])) }
        #expect(stale.name == "\(Service.name).Error.StaleInstance")
        let wrong = try service.refusal { _ = try call("BackWithOptions", .options(["went": .uint64(1)])) }
        #expect(wrong.name == "\(Service.name).Error.InvalidArguments")
        let options = BusValue.options(["goes": instance, "token": "t"])
        let first = try call("BackWithOptions", options)
        #expect(first[1] == "navigated")
        // The screen that was called is gone.
        #expect(try call("BackWithOptions", options) == first)
        try service.restart()
        #expect(try call("BackWithOptions", options) == first)
        #expect(try service.refusal { _ = try call("BackWithOptions", .options()) }.name.hasSuffix(".UnknownObject"))
    }

    @Test func `S-39 the owner of a screen sets the step that Back takes; a flow has none`() throws {
        let service = try Service(definitions)
        for step in ["push", "push"] { try service.emit(step, on: "/main") }
        try service.show("/main/page_2")
        func set(_ step: String, on path: String = "/main/page_2") throws {
            try service.client.call(
                Service.name, Service.tree + path, "\(Service.name).Presentable", "SetBackStep", .string(step))
        }
        func refusal(_ body: () throws -> Void) throws -> String { try service.refusal { try body() }.name }
        #expect(try refusal { try set("home") }.hasSuffix(".NotOwner"))
        try service.client.call(
            Service.name, Service.tree + "/main/page_2", "\(Service.name).Presentable", "Claim")
        #expect(try refusal { try set("hme") }.hasSuffix(".UnknownStep"))
        #expect(try refusal { try set("gone") }.hasSuffix(".InvalidArguments"))
        for step in ["home", "hme", ""] {
            #expect(try refusal { try set(step, on: "/main") } == "org.freedesktop.DBus.Error.NotSupported")
        }
        try set("home")
        try service.restart()
        #expect(try back("/main", of: service)[1] == "navigated")
        #expect(try service.objects().keys.sorted() == ["/main", "/main/start"].map { Service.tree + $0 })
    }

    @Test func `S-23 onDismissed is triggered when a child is dismissed by anything but a rule`() throws {
        let service = try Service(definitions)
        try service.emit("open", on: "/main")
        try service.listen()
        try service.dismiss("/main/inner")
        let reported = try service.client.waitForSignal("NavigationOccurred")
        #expect(reported.values[3] == "gone")
        #expect(reported.values[4] == .options(["reason": "dismissed", "what": "inner"]))
        #expect(reported.values[2] == .string(service.client.uniqueName))
    }

    @Test func `S-28 the option root: below that root, which has to be live`() throws {
        let service = try Service(definitions)
        try service.emit("open", on: "/main")
        _ = try service.coordinator("Coordinate", "main", "", .options(), .options(["id": "other"]))
        try service.emit("open", on: "/other")
        func along(_ root: String) throws -> [String] {
            try service.coordinator(
                "NavigateAlong", path([("inner", "push")]), .options(["root": .objectPath(Service.tree + root)]))[0]
                .outcomes
        }
        #expect(try along("/main").map { $0.split(separator: " ")[0] } == ["/main/inner"])
        #expect(try along("/other").map { $0.split(separator: " ")[0] } == ["/other/inner"])
        for path in ["/gone", "/main/inner", ""] {
            let refusal = try service.refusal { _ = try along(path) }
            #expect(refusal.name == "org.freedesktop.DBus.Error.UnknownObject", "\(path)")
        }
    }

    @Test func `S-28 NavigateAlong goes from flow to flow, and names the segment that failed`() throws {
        let service = try Service(definitions)
        let along = { (segments: [(String, String)]) in
            try service.coordinator("NavigateAlong", path(segments), .options(["timeout": .uint64(1)]))
        }
        #expect(
            try along([("main", "open"), ("inner", "push")])[0].outcomes
                == ["/main 1 navigated", "/main/inner 2 navigated"])
        // A unique flow is started; at a segment without a step the path only passes through.
        #expect(
            try along([("extra", "open"), ("inner", "")])[0].outcomes
                == ["/extra 3 navigated", "/extra/inner"])
        for (segments, part) in [
            ([("main", "push"), ("maps", "push")], "segment 2 ('maps')"),
            ([("main", "push"), ("inner", "home")], "segment 2 ('inner'): flow 'inner' has no rule for step 'home'"),
            ([("inner", "push")], "segment 1 ('inner')"), ([("mian", "push")], "did you mean 'main'?"),
        ] {
            let refusal = try service.refusal { _ = try along(segments) }
            #expect(refusal.name == Service.name + ".Error.PathFailed")
            #expect(refusal.message.contains(part), "\(refusal.message)")
        }
        let serial = try service.coordinator("GetSerial")
        for (call, name, part) in [
            ({ _ = try along([]) }, "InvalidArguments", "empty"),
            ({ _ = try along([("main", "push"), ("inner", "pusch")]) }, "UnknownStep", "did you mean 'push'?"),
            (
                {
                    _ = try service.coordinator(
                        "NavigateAlong",
                        .array(
                            of: "(ssa{sv})",
                            [
                                .structure(["main", "push", .options()]),
                                .structure(["inner", "push", .options(["n": .byte(1)])]),
                            ]), .options())
                }, "InvalidArguments", "'n'"
            ),
            ({ _ = try along(Array(repeating: ("main", "push"), count: 1_025)) }, "LimitExceeded", "1024"),
            (
                { _ = try service.coordinator("NavigateAlong", path([("main", "push")]), .options(["x": true])) },
                "InvalidArguments", "'timeout'"
            ),
        ] as [(() throws -> Void, String, String)] {
            let refusal = try service.refusal(call)
            #expect(refusal.name == Service.name + ".Error." + name)
            #expect(refusal.message.contains(part), "\(refusal.message)")
        }
        #expect(try service.coordinator("GetSerial") == serial)
    }

    @Test func `S-34 an idle flow takes its idle step, once`() throws {
        let service = try Service(
            definitions.replacing(
                "[flows.main]\n", with: "[flows.main]\nidle = { after = \"20ms\", step = \"home\" }\n"))
        try service.listen()
        // It may be idle already.
        let pushed = try #require(service.emit("push", on: "/main")[0].number)
        let home = try service.client.waitForSignal("NavigationOccurred") {
            $0.values[3] == "home" && $0.values[0].number ?? 0 > pushed
        }
        #expect(Array(home.values[1...2]) == [.uint64(0), ""])
        #expect(home.values[5].elements.map { $0.elements[0] } == ["clear", "screen"])
        let serial = try service.coordinator("GetSerial")
        #expect(home.values[0] == serial[0])
        // Reached again, it goes home again.
        try service.emit("push", on: "/main")
        try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "home" }
    }

    @Test func `S-55 a timer takes its step again and again, and a change of its time in the context counts`() throws {
        let service = try Service(
            """
            [steps]
            home = {}
            [context]
            time = { type = "string", initial = "never", setters = ["com.example.Peer"] }
            [[autostart]]
            flow = "main"
            [flows.main]
            timers = [{ every = "$context.time", step = "home" }]
            on.home = { none = true }
            """)
        try service.listen()
        let peer = try service.peer()
        func set(_ time: BusValue) throws {
            try peer.call(
                Service.name, Service.root, Service.name + ".Coordinator", "SetContext", .options(["time": time]))
        }
        let refusal = try service.refusal { try set("soon") }
        #expect(refusal.name == Service.name + ".Error.InvalidArguments" && refusal.message.contains("'soon'"))
        try set("1s")
        for _ in 0..<2 {
            let home = try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "home" }
            #expect(Array(home.values[1...2]) == [.uint64(0), ""])
        }
    }

    @Test func `S-55 GetTimers has the timers whose time runs, and the time that is left`() throws {
        let service = try Service(
            """
            [steps]
            home = {}
            tick = {}
            [[autostart]]
            flow = "main"
            [flows.main]
            idle = { after = "1h", step = "home" }
            timers = [{ every = "20min", step = "tick" }]
            on = { home = { none = true }, tick = { none = true } }
            """)
        func timers() throws -> [BusValue] {
            try #require(try service.coordinator("GetTimers").first).elements
        }
        let main = BusValue.objectPath(Service.tree + "/main")
        let all = try timers()
        #expect(all.map { Array($0.elements.prefix(3)) } == [[main, "idle", "home"], [main, "every", "tick"]])
        let left = all.compactMap { if case .uint64(let left) = $0.elements[3] { left } else { nil } }
        #expect((1...3_600_000_000).contains(left[0]) && (1...1_200_000_000).contains(left[1]))
        try service.show("/main", false)
        #expect(try timers().map { $0.elements[1] } == ["idle"])
    }

    @Test(arguments: [false, true])
    func `S-56 a step that is no input does not keep a flow from being idle`(isDeclared: Bool) throws {
        let service = try Service(
            """
            [steps]
            home = {}
            tick = {}
            weather = { \(isDeclared ? "input = false" : "") }
            [[autostart]]
            flow = "main"
            [flows.main]
            idle = { after = "20ms", step = "home" }
            timers = [{ every = "1s", step = "tick" }]
            on = { home = { none = true }, weather = { none = true }, tick = { none = true } }
            """)
        try service.listen()
        // Since now it rests.
        try service.emit("home", on: "/main")
        try service.client.waitForSignal("NavigationOccurred") { $0.values[2] == "" && $0.values[3] == "home" }
        let options: BusValue = isDeclared ? .options() : .options(["input": false])
        try service.client.call(
            Service.name, Service.tree + "/main", Service.name + ".Stepper", "EmitStepWithOptions", "weather",
            .options(), options)
        // In the second between these two steps it would have been idle again.
        var last: BusValue?
        for _ in 0..<2 {
            let tick = try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "tick" }
            if case .uint64(let former)? = last { #expect(tick.values[0] == .uint64(former + 1)) }
            last = tick.values[0]
        }
    }
}
