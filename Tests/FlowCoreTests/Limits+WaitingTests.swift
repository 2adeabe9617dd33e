import Testing

@testable import FlowCore

/// Limits on steps that wait for guards and navigators (S-33).
@Suite("Limits: steps that wait")
struct LimitsWaitingTests {
    /// Expects a refusal that changed nothing.
    private func isRefused(
        _ world: World, with text: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ event: () throws -> [String]
    ) throws {
        let before = world.standing
        let calls = world.coordinator.calls.count
        #expect(try event() == ["! LimitExceeded"], sourceLocation: sourceLocation)
        let message = try world.refusal().message
        #expect(message.contains(text), "\(message)", sourceLocation: sourceLocation)
        #expect(world.standing == before, sourceLocation: sourceLocation)
        #expect(world.coordinator.calls.count == calls, sourceLocation: sourceLocation)
    }

    private func text(_ count: Int) -> Value { .string(String(repeating: "x", count: count)) }

    /// A number of roots of a flow whose guard is asked about `go`.
    private func world(_ roots: Int) throws -> (World, [String]) {
        var builder = DefinitionsBuilder()
        builder.step("go", ["a": "string?"])
        builder.screen("s", ["a": "string?"])
        builder.flow(
            "main", guarded: ("com.auth", ["go", "more"]),
            on: ["go": [], "free": [], "open": [.flow("sub"), .screen("page", .init(whenHidden: .queue))], "more": []])
        builder.addRule("add", [.screen("s")], to: "main")
        builder.flow("sub", on: ["up": [.parent("more")]])
        let world = World(builder)
        for _ in 0..<roots { try world.coordinate("main", by: "") }
        return (world, world.paths)
    }

    @Test func `S-33 steps that wait for one flow: deferred, and for its guard`() throws {
        let (world, _) = try world(2)
        try world.emit("open", on: "/main")
        for _ in 0..<10 { #expect(try world.emit("go", on: "/main/page") == ["= deferred 0"]) }
        for number in 10..<Limits.waitingStepsPerFlow {
            // No client has more than half of it, so that others find room.
            if number == Limits.waitingStepsPerFlowAndClient {
                for path in ["/main", "/main/page"] {
                    try isRefused(world, with: "512 steps of ':1.1' wait for '/main' of at most 512") {
                        try world.emit("go", on: path)
                    }
                }
            }
            let client = number < Limits.waitingStepsPerFlowAndClient ? ":1.1" : ":1.3"
            #expect(
                try world.emit(number % 2 == 0 ? "go" : "free", on: "/main", by: client).last != "! LimitExceeded")
        }
        #expect(try world.forestNode("/main").flow?.waiting.count == Limits.waitingStepsPerFlow)
        for step in ["go", "free"] {
            try isRefused(world, with: "1024 steps wait for '/main' of at most 1024 in total") {
                try world.emit(step, on: "/main", by: ":1.2")
            }
        }
        #expect(try world.emit("go", on: "/main/page", by: ":1.2") == ["! LimitExceeded"])
        #expect(try world.emitAll(["free", "go"], on: "/main", by: ":1.2") == ["= [LimitExceeded, LimitExceeded]"])
        #expect(
            try world.navigate("free", by: ":1.2").last
                == "= [/main LimitExceeded, /main/sub unhandled, /main_2 navigated 2]")
        #expect(try world.navigateAlong([("main", "free")], by: ":1.2").last == "= [/main_2 navigated 3]")
        // Triggered steps are bounded by their origin, and other flows are not affected.
        #expect(try world.emit("up", on: "/main/sub", by: ":1.2").last == "= navigated 4")
        #expect(try world.forestNode("/main").flow?.waiting.count == Limits.waitingStepsPerFlow)
        // One place more, one step more.
        world.pass(try question(1, of: world))
        #expect(try world.emit("free", on: "/main", by: ":1.2") == [])
        #expect(try world.emit("free", on: "/main", by: ":1.2") == [])
        #expect(try world.emit("free", on: "/main", by: ":1.2") == ["! LimitExceeded"])
        try world.show("/main/page")
        try finish(world)
    }

    /// Returns an earlier question.
    private func question(_ number: UInt64, of world: World) throws -> Question {
        let asked = try #require(world.coordinator.questions[QuestionID(number)])
        guard case .guard(let step, _) = asked else { throw World.UnexpectedEffect() }
        let slot = try #require(world.coordinator.forest.slot(of: step.flow))
        return Question(
            id: QuestionID(number), service: Service("com.auth", path: "/guard", timeout: Limits.guardTimeout),
            flow: world.coordinator.forest[slot].path, step: world.coordinator.definitions[step.step].name,
            arguments: step.arguments, client: step.client, presentable: "", instance: 0, cause: step.cause,
            isInteractive: false)
    }

    /// Answers everything, and checks that nothing is left.
    private func finish(_ world: World, sourceLocation: SourceLocation = #_sourceLocation) throws {
        while let number = world.coordinator.questions.numbers.min() {
            world.pass(try question(number, of: world))
        }
        #expect(world.waiting == [], sourceLocation: sourceLocation)
        for path in world.paths where world.coordinator.node(at: path) != nil { try world.dismiss(path) }
        #expect(world.coordinator.accounting == Accounting(), sourceLocation: sourceLocation)
        #expect(world.coordinator.alarms.count <= 2 * Limits.waitingSteps)
    }

    @Test func `S-33 waiting steps of one client, without a cost to others`() throws {
        let (world, paths) = try world(9)
        for path in paths.prefix(8) {
            for _ in 0..<Limits.waitingStepsPerFlowAndClient { try world.emit("go", on: path, by: ":1.1") }
        }
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.steps == Limits.waitingStepsPerClient)
        try isRefused(world, with: "':1.1' has 4096 steps waiting of at most 4096") {
            try world.emit("go", on: "/main_9", by: ":1.1")
        }
        try isRefused(world, with: "4096 steps") { try world.emitAll(["go"], on: "/main_9", by: ":1.1") }
        #expect(try world.navigate("go", by: ":1.1").last?.hasSuffix("/main_9 LimitExceeded]") == true)
        #expect(try world.emit("go", on: "/main_9", by: ":1.2").count == 1)
        world.answer(1, GuardAnswer.rejected)
        #expect(try world.emit("go", on: "/main_9", by: ":1.1") == [])
        try finish(world)
    }

    @Test func `S-33 S-27 each flow that a deep link waits for counts`() throws {
        let (world, paths) = try world(10)
        for path in paths.prefix(8) {
            for _ in 0..<Limits.waitingStepsPerFlowAndClient - 1 { try world.emit("go", on: path, by: ":1.1") }
        }
        let log = try world.navigate("go", by: ":1.1")
        #expect(log.count { $0.hasPrefix("guard?") } == 0)
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.steps == Limits.waitingStepsPerClient)
        try world.emit("go", on: "/main_10", by: ":1.2")
        #expect(world.wait(Limits.replyTimeout).contains { $0.contains("/main_8 pending, /main_9 LimitExceeded") })
        try finish(world)
    }

    @Test func `S-33 bytes of the arguments of waiting steps count for their client`() throws {
        let (world, _) = try world(2)
        let most = text(Limits.argumentBytes - around)
        for _ in 0..<Limits.liveArgumentBytesPerClient / Limits.argumentBytes {
            try world.emit("go", ["a": most], on: "/main")
        }
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.bytes == Limits.liveArgumentBytesPerClient)
        try isRefused(world, with: "':1.1' has made take 4194304 of at most 4194304 bytes") {
            try world.emit("go", ["a": text(0)], on: "/main_2")
        }
        #expect(try world.emit("go", on: "/main_2") == ["guard? com.auth #2: /main_2 go"])
        #expect(try world.emit("go", ["a": text(0)], on: "/main_2", by: ":1.2") == [])
        world.answer(1, GuardAnswer.rejected)
        #expect(try world.emit("go", ["a": text(0)], on: "/main_2") == [])
        try finish(world)
    }

    @Test func `S-33 S-13 a step that waited has the quota that it used while it waited`() throws {
        var builder = DefinitionsBuilder()
        for step in ["add", "plain"] { builder.step(step, ["a": "string"]) }
        builder.screen("s", ["a": "string"])
        builder.flow("main", guarded: ("com.auth", ["add"]), on: ["add": [.screen("s")], "plain": [.screen("s")]])
        builder.flow("other", guarded: ("com.auth", ["add"]), navigated: ("com.nav", ["add", "plain"]))
        let world = World(builder)
        for flow in ["main", "other"] { try world.coordinate(flow) }
        // A screen's arguments each, and the latest navigation's: the last screen takes the rest.
        let half = text(Limits.argumentBytes / 2 - around)
        for _ in 0..<126 { try world.emit("plain", ["a": half], on: "/main") }
        #expect(
            world.coordinator.accounting.clients[Client(":1.1")]?.bytes == Limits.liveArgumentBytesPerClient - 32_768)
        try world.emit("add", ["a": half], on: "/main")
        #expect(world.pass().last == "= navigated 127")
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.bytes == Limits.liveArgumentBytesPerClient)
        // The same with a navigator.
        try world.dismiss("/main/s")
        try world.dismiss("/main/s_2")
        try world.emit("plain", ["a": half], on: "/other")
        #expect(world.navigate(2, to: []).last == "= navigated 128")
        try world.emit("plain", ["a": half], on: "/other")
        #expect(world.navigate(3, to: [.screen("s")]).last == "= navigated 129")
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.bytes == Limits.liveArgumentBytesPerClient)
        try finish(world)
    }

    @Test func `S-33 steps in lists and paths count from the start`() throws {
        let (world, paths) = try world(5)
        let steps = Array(repeating: "go", count: Limits.waitingStepsPerFlow - 1)
        for path in paths.prefix(4) { #expect(try world.emitAll(steps, on: path).last?.hasPrefix("!") == false) }
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.steps == Limits.waitingStepsPerClient)
        try isRefused(world, with: "has 4096 steps waiting") { try world.emitAll(["go"], on: "/main_5") }
        try isRefused(world, with: "has 4096 steps waiting") { try world.navigateAlong([("main", "go")]) }
        try isRefused(world, with: "4096 steps waiting") { try world.emit("go", on: "/main_5") }
        #expect(try world.emitAll(["go"], on: "/main_5", by: ":1.2").first?.hasPrefix("guard?") == true)
        try finish(world)
    }

    @Test func `S-33 steps that wait in total`() throws {
        let (world, paths) = try world(65)
        let steps = Array(repeating: "go", count: Limits.waitingStepsPerFlow - 1)
        for (number, path) in paths.prefix(64).enumerated() {
            try world.emitAll(steps, on: path, by: ":1.\(number / 4)")
        }
        #expect(world.coordinator.accounting.total.steps == Limits.waitingSteps)
        try isRefused(world, with: "there are 65536 steps waiting of at most 65536 in total") {
            try world.emit("go", on: "/main_65", by: ":1.99")
        }
        try world.dismiss("/main")
        #expect(try world.emit("go", on: "/main_65", by: ":1.99").first?.hasPrefix("guard?") == true)
    }

    @Test func `S-33 the arguments of onDismissed count for the client that contributed the child`() throws {
        var builder = DefinitionsBuilder()
        builder.step("reported", ["a": "string"])
        builder.screen("s")
        builder.flow(
            "main", children: .stack, navigated: ("com.shop", ["fill", "again", "drop"]), on: ["reported": []])
        for step in ["fill", "again", "drop"] { builder.step(step) }
        let world = try World(root: "main", builder)
        let binding = Binding("a", .literal(text(Limits.argumentBytes - 100)))
        let screen = DefinitionsBuilder.Part.screen("s", .init(onDismissed: "reported", onDismissedWith: [binding]))
        let most = Limits.liveArgumentBytesPerClient / (Limits.argumentBytes - 40)
        try world.emit("fill", on: "/main")
        #expect(world.navigate(1, to: Array(repeating: screen, count: most)).last == "= navigated 1")
        try world.emit("fill", on: "/main")
        #expect(world.navigate(2, to: [screen]).last == "! LimitExceeded")
        #expect(
            try world.refusal().message.contains(
                "arguments and saved states of live presentables that ':1.1' has made take"))
        // A reused child counts for the client that reused it, with its arguments.
        let held = try #require(world.coordinator.accounting.clients[Client(":1.1")])
        let one = try world.forestNode("/main/s").byteCount
        try world.emit("again", on: "/main", by: ":1.2")
        #expect(world.navigate(3, to: [.screen("s", .init(reuses: true))]).last == "= navigated 2")
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.bytes == held.bytes - one)
        #expect(world.coordinator.accounting.clients[Client(":1.2")] == Accounting.Usage(nodes: 1, bytes: one))
        try world.emit("drop", on: "/main")
        #expect(world.navigate(4, to: [.popRoot]).last == "= navigated 3")
        #expect(world.coordinator.accounting.total.bytes == one)
        #expect(world.coordinator.accounting.clients[Client(":1.2")] == nil)
    }

    @Test func `S-33 the names in a waiting path count, too`() throws {
        let (world, _) = try world(1)
        let long = String(repeating: "x", count: Limits.liveArgumentBytesPerClient)
        try isRefused(world, with: "':1.1' has made take 0 of at most") {
            try world.navigateAlong([("main", "go"), (long, "")])
        }
    }
}
