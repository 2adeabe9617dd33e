import BusTestSupport
import Glibc
import Testing

@Suite("ask")
struct AskCommandTests {
    private let service: Service
    private let peer: TestClient

    init() throws {
        service = try Service(
            """
            [steps]
            pick = { title = "string?" }
            dull = {}
            other = {}
            [screens]
            pad = { presenter = "com.example.Peer", arguments = { title = "string?" }, result = { contact = "int64", name = "string?" } }
            page = { presenter = "com.example.Peer", whenOwnerGone = "keep" }
            [[autostart]]
            flow = "main"
            [flows.main.on]
            dull = { screen = "page" }
            pick = { screen = "pad" }
            """)
        peer = try service.peer()
        peer.playPresenter()
    }

    /// Starts `ask`, and returns when the peer owns the screen that it leads to.
    private func ask(_ arguments: String...) throws -> ChildProcess {
        try service.listen()
        let run = try Program.start(["--address", service.bus.address, "ask"] + arguments)
        try service.client.waitForSignal("PropertiesChanged") {
            $0.path.hasPrefix(Service.tree + "/main/pad") && $0.values[1]["Owner"]?.text == peer.uniqueName
        }
        return run
    }

    /// The owner of the screen finishes it, or dismisses it.
    private func finish(_ result: BusValue) throws {
        try peer.call(Service.name, Service.tree + "/main/pad", Service.name + ".Presentable", "Finish", result)
    }

    private func dismiss() throws {
        try peer.call(Service.name, Service.tree + "/main/pad", Service.name + ".Presentable", "Dismiss")
    }

    @Test func `S-45 the answer is printed like arguments`() throws {
        let run = try ask("main", "pick", "title=Whom?")
        try finish(.options(["contact": .byte(5), "name": "two words"]))
        try run.waitForExit()
        #expect(run.exit == .status(0) && run.output == "contact=5 name=\"two words\"\n", "\(run.errors)")
        #expect(run.errors.isEmpty)

        let second = try ask("main", "pick", "--json")
        try finish(.options(["contact": .int64(.max)]))
        try second.waitForExit()
        #expect(second.output == "{\"outcome\":\"result\",\"result\":{\"contact\":9223372036854775807}}\n")
    }

    @Test func `S-45 without an answer the status is 1, and the reason is on standard error`() throws {
        let run = try ask("main", "pick")
        try dismiss()
        try run.waitForExit()
        #expect(run.exit == .status(1) && run.output.isEmpty)
        #expect(run.errors == "flowbusctl: no answer: dismissed: it was dismissed\n")

        let dull = try service.ctl("ask", "main", "dull", "--json")
        #expect(dull.status == .status(1) && dull.errors.isEmpty)
        #expect(dull.output == "{\"outcome\":\"nothing\",\"result\":null}\n")
        let unhandled = try service.ctl("ask", "main", "other")
        #expect(unhandled.status == .status(1) && unhandled.output.isEmpty)
        #expect(
            unhandled.errors.hasPrefix("flowbusctl: no answer: unhandled: no rule takes the step 'other' there"),
            "\(unhandled.errors)")
    }

    @Test(
        arguments: [
            (["main", "pikc"], 2, "did you mean 'pick'?"),
            (["mian", "pick"], 66, "did you mean 'main'?"),
            (["main", "pick", "title"], 64, "'title' is no argument; write it as name=value"),
            (["main", "pick", "--instance", "99"], 2, "instance"),
            (["main"], 64, "Missing expected argument '<step>'"),
        ] as [([String], Int32, String)])
    func `errors have a status of their own`(arguments: [String], status: Int32, text: String) throws {
        let run = try Program.run(["--address", service.bus.address, "ask"] + arguments)
        #expect(run.status == .status(status) && run.output.isEmpty)
        #expect(run.errors.contains(text), "\(run.errors)")
    }

    @Test func `S-45 D-3 a restart of the service does not lose the answer`() throws {
        let run = try ask("main", "pick")
        // It has the verdict by then.
        try service.client.ping(Service.name)
        try service.restart()
        try run.waitForLine(in: .errors) { $0.contains("the service is gone; waiting for its restart and the answer") }
        try finish(.options(["contact": .int64(5)]))
        try run.waitForExit()
        #expect(run.exit == .status(0) && run.output == "contact=5\n")
    }

    @Test func `a service that restarts without its tree is a 69`() throws {
        let run = try ask("main", "pick")
        try service.client.ping(Service.name)
        try service.restart("--runtime", "none", "--state", "none")
        try run.waitForExit()
        #expect(run.exit == .status(69) && run.output.isEmpty)
        #expect(
            run.errors.contains("has restarted without the tree that it had, so there is no answer"), "\(run.errors)")
    }

    @Test func `S-45 the ask ends with the program, and what it led to stays`() throws {
        let run = try ask("main", "pick")
        run.send(signal: SIGINT)
        try run.waitForExit()
        #expect(run.exit == .signal(SIGINT))
        try service.client.ping(Service.name)
        #expect(try service.objects().keys.contains(Service.tree + "/main/pad"))
        try finish(.options(["contact": .int64(5)]))
    }

    @Test func `tree shows how many asks of a screen are unanswered`() throws {
        try service.listen()
        try service.emit("dull", on: "/main")
        try service.client.waitForSignal("PropertiesChanged") {
            $0.path == Service.tree + "/main/page" && $0.values[1]["Owner"]?.text == peer.uniqueName
        }
        let page = Service.tree + "/main/page"
        try peer.call(Service.name, page, Service.name + ".Presentable", "SetVisible", true)
        #expect(try service.ctl("tree").lines.contains { $0.contains("unanswered") } == false)
        try peer.call(
            Service.name, page, Service.name + ".Stepper", "EmitStepWithOptions", "pick", .options(),
            .options(["ask": true, "token": "t1"]))
        let line = try #require(try service.ctl("tree").lines.first { $0.contains("page ") })
        #expect(line.contains(", 1 unanswered, owner "), "\(line)")
        let object = try #require(try service.ctl("tree", "main/page", "--json").objects.first)
        #expect(object["unanswered"] as? Int == 1)
        try peer.call(Service.name, page, Service.name + ".Presentable", "AcknowledgeAnswer", "t1")
        #expect(try service.ctl("tree").lines.contains { $0.contains("unanswered") } == false)
    }
}
