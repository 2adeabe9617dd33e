import Testing

@testable import FlowCore

/// Limits on deferred steps, and limits that consider the presentables that a step dismisses (S-13, S-33).
@Suite("Limits: deferred steps, lists")
struct LimitsListsTests {
    private typealias Child = DefinitionsBuilder.Child

    /// Expects a refusal that changed nothing.
    private func isRefused(
        _ world: World, with text: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ event: () throws -> [String]
    ) throws {
        let before = world.standing
        #expect(try event() == ["! LimitExceeded"], sourceLocation: sourceLocation)
        let message = try world.refusal().message
        #expect(message.contains(text), "\(message)", sourceLocation: sourceLocation)
        #expect(world.standing == before, sourceLocation: sourceLocation)
    }

    private func text(_ count: Int) -> Value { .string(String(repeating: "x", count: count)) }

    // MARK: Deferred steps

    /// Many hidden screens that defer steps.
    private func keeping(_ screens: Int, roots: Int = 1) throws -> World {
        var builder = DefinitionsBuilder()
        builder.step("go", ["a": "string?"])
        let all = Array(repeating: DefinitionsBuilder.Part.screen("s", Child(whenHidden: .queue)), count: screens)
        builder.flow(
            "main", whenHidden: .queue,
            on: [
                "open": .first([DefinitionsBuilder.Branch(parts: all)]),
                "newest": [.screen("newest", Child(whenHidden: .latest))],
                "go": [],
            ])
        let world = World(builder)
        for root in 1...roots {
            try world.coordinate("main", by: "")
            for step in ["open", "newest"] { try world.emit(step, on: root == 1 ? "/main" : "/main_\(root)", by: "") }
        }
        return world
    }

    private func screen(_ number: Int, of root: String = "/main") -> String {
        "\(root)/s" + (number == 1 ? "" : "_\(number)")
    }

    @Test func `S-15 S-33 deferred steps of one presentable`() throws {
        let world = try keeping(2)
        for client in [":1.1", ":1.3"] {
            for _ in 0..<Limits.deferredStepsPerClient {
                #expect(try world.emit("go", on: "/main/s", by: client) == ["= deferred 0"])
            }
            // Others find room.
            try isRefused(world, with: "32 steps of '\(client)' are deferred for '/main/s' of at most 32") {
                try world.emit("go", on: "/main/s", by: client)
            }
        }
        try isRefused(world, with: "64 steps are deferred for '/main/s' of at most 64 in total") {
            try world.emit("go", on: "/main/s", by: ":1.2")
        }
        #expect(try world.emitAll(["go", "go"], on: "/main/s") == ["= [LimitExceeded, LimitExceeded]"])
        // Another has its own, and the newest takes the place of the one before however many came.
        #expect(try world.emit("go", on: "/main/s_2") == ["= deferred 0"])
        for _ in 0...Limits.deferredSteps { #expect(try world.emit("go", on: "/main/newest").last == "= deferred 0") }
        try world.show("/main/s")
        #expect(world.navigations.count == Limits.deferredSteps)
        try world.hide("/main/s")
        #expect(try world.emit("go", on: "/main/s") == ["= deferred 0"])
    }

    @Test func `S-33 deferred steps of one flow: its own and its screens'`() throws {
        let world = try keeping(16)
        try world.hide("/main")
        for number in 1...15 {
            for _ in 0..<Limits.deferredStepsPerClient { try world.emit("go", on: screen(number)) }
        }
        for _ in 0..<Limits.deferredStepsPerClient - 1 { try world.emit("go", on: "/main") }
        #expect(try world.emit("go", on: "/main/newest") == ["= deferred 0"])
        try isRefused(world, with: "512 steps of ':1.1' wait for '/main' of at most 512") {
            try world.emit("go", on: screen(16))
        }
        // What takes the place of its own is no more than there was.
        #expect(try world.emit("go", on: "/main/newest").last == "= deferred 0")
        for number in 1...16 {
            for _ in 0..<Limits.deferredStepsPerClient { try world.emit("go", on: screen(number), by: ":1.3") }
        }
        #expect(try world.forestNode("/main").flow?.waiting.count == Limits.waitingStepsPerFlow)
        for path in ["/main", screen(16)] {
            try isRefused(world, with: "1024 steps wait for '/main' of at most 1024 in total") {
                try world.emit("go", on: path, by: ":1.2")
            }
        }
        // One that takes another's place is no more than there was.
        #expect(try world.emit("go", on: "/main/newest", by: ":1.2").last == "= deferred 0")
        #expect(try world.forestNode("/main").flow?.waiting.count == Limits.waitingStepsPerFlow)
        try world.dismiss("/main/newest")
        #expect(try world.emit("go", on: screen(16)) == ["= deferred 0"])
    }

    @Test func `S-33 deferred steps of one client, without a cost to others`() throws {
        let world = try keeping(15, roots: 10)
        let roots = ["/main"] + (2...10).map { "/main_\($0)" }
        var left = Limits.waitingStepsPerClient - 1
        try world.emit("go", on: "/main/newest")
        for root in roots {
            for number in 1...15 where left > 0 {
                for _ in 0..<min(left, Limits.deferredStepsPerClient) {
                    try world.emit("go", on: screen(number, of: root))
                    left -= 1
                }
            }
        }
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.steps == Limits.waitingStepsPerClient)
        try isRefused(world, with: "':1.1' has 4096 steps waiting of at most 4096") {
            try world.emit("go", on: "/main_10/newest")
        }
        #expect(try world.emit("go", on: "/main_10/newest", by: ":1.2") == ["= deferred 0"])
        // It takes its own one's place, not another's.
        #expect(try world.emit("go", on: "/main/newest").last == "= deferred 0")
        try isRefused(world, with: "4096") { try world.emit("go", on: "/main_10/newest") }
        // What needs no waiting is let in.
        try world.show("/main/newest")
        #expect(world.navigations == ["/main go"])
        #expect(try world.emit("go", on: "/main/newest").last?.hasPrefix("= navigated") == true)
        #expect(try world.emit("go", on: "/main_10/newest").last == "= deferred 0")
    }

    @Test func `S-33 bytes of deferred steps count for their emitter`() throws {
        let world = try keeping(3)
        let most = Limits.argumentBytes - around
        for _ in 0..<32 { try world.emit("go", ["a": text(most)], on: "/main/s") }
        for _ in 0..<31 { try world.emit("go", ["a": text(most)], on: "/main/s_3") }
        #expect(try world.emit("go", ["a": text(most)], on: "/main/newest") == ["= deferred 0"])
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.bytes == Limits.liveArgumentBytesPerClient)
        try isRefused(world, with: "take 4194304 of at most 4194304 bytes") {
            try world.emit("go", ["a": text(0)], on: "/main/s_2")
        }
        #expect(try world.emit("go", on: "/main/s_2") == ["= deferred 0"])
        #expect(try world.emit("go", ["a": text(most)], on: "/main/s_2", by: ":1.2") == ["= deferred 0"])
        // The one that it replaces is given back: to its client.
        #expect(try world.emit("go", ["a": text(most)], on: "/main/newest").last == "= deferred 0")
        try world.emit("go", ["a": text(0)], on: "/main/newest", by: ":1.2")
        #expect(
            world.coordinator.accounting.clients[Client(":1.1")]?.bytes == Limits.liveArgumentBytesPerClient - 65_536)
        #expect(try world.emit("go", ["a": text(0)], on: "/main/s_2") == ["= deferred 0"])
    }

    @Test func `S-33 bytes of deferred steps in total`() throws {
        let world = try keeping(8)
        let most = Limits.argumentBytes - around
        for client in 1...4 {
            for number in [2 * client - 1, 2 * client] {
                for _ in 0..<32 { try world.emit("go", ["a": text(most)], on: screen(number), by: ":1.\(client)") }
            }
        }
        #expect(world.coordinator.accounting.total.bytes == Limits.liveArgumentBytes)
        try isRefused(world, with: "take 16777216 of at most 16777216 bytes in total") {
            try world.emit("go", ["a": text(0)], on: "/main/newest", by: ":1.9")
        }
        try world.dismiss("/main/s")
        #expect(try world.emit("go", ["a": text(0)], on: "/main/newest", by: ":1.9") == ["= deferred 0"])
        try world.dismiss("/main")
        #expect(world.coordinator.accounting == Accounting())
    }

    @Test func `S-33 steps in one call`() throws {
        let world = try keeping(1)
        let most = Array(repeating: "go", count: Limits.waitingStepsPerFlow)
        #expect(try world.emitAll(most, on: "/main").count == Limits.waitingStepsPerFlow + 1)
        try isRefused(world, with: "1025 steps in one call, of at most 1024") {
            try world.emitAll(most + ["go"], on: "/main")
        }
    }

    @Test func `S-28 S-33 segments of one path: at least one`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["down": [.flow("main")]])
        let world = try World(root: "main", builder)
        try world.emit("down", on: "/main")
        // No tree is that deep, so it fails on its way, not for its length.
        let most = Array(repeating: ("main", ""), count: Limits.waitingStepsPerFlow)
        #expect(try world.navigateAlong(most) == ["! PathFailed"])
        #expect(try world.refusal().message.hasPrefix("segment 3 ('main')"))
        try isRefused(world, with: "1025 segments in one path, of at most 1024") {
            try world.navigateAlong(most + [("main", "")])
        }
        #expect(try world.navigateAlong([]) == ["! InvalidArguments"])
    }

    // MARK: Lists

    @Test func `S-13 S-33 children of one flow: those that the step dismisses free their quota`() throws {
        var builder = DefinitionsBuilder()
        let many = Array(repeating: DefinitionsBuilder.Part.screen("s"), count: Limits.children)
        builder.flow(
            "main",
            on: [
                "fill": .first([DefinitionsBuilder.Branch(parts: many)]),
                "over": .first([DefinitionsBuilder.Branch(parts: [.popRoot] + many)]),
                "again": .first([
                    DefinitionsBuilder.Branch(parts: [.screen("s", Child(clears: true))] + many.dropFirst())
                ]),
                "swap": .first([DefinitionsBuilder.Branch(parts: [.popRoot] + many.dropFirst())]),
                "reuse": [.screen("s", Child(reuses: true))], "add": [.screen("s")],
            ])
        let world = try World(root: "main", builder)
        try world.emit("fill", on: "/main")
        try isRefused(world, with: "1025 children") { try world.emit("add", on: "/main") }
        try isRefused(world, with: "'/main' would have 1025 children of at most 1024") {
            try world.emit("over", on: "/main")
        }
        for step in ["again", "swap", "reuse"] {
            #expect(try world.emit(step, on: "/main").last?.hasPrefix("= navigated") == true)
            #expect(world.coordinator.forest.screenCount == Limits.children)
        }
    }

    @Test func `S-13 S-33 presentables of one client: its own that the step dismisses free quota, others' do not`()
        throws
    {
        var builder = DefinitionsBuilder()
        let many = Array(repeating: DefinitionsBuilder.Part.screen("s"), count: 999)
        builder.flow(
            "main",
            on: [
                "fill": .first([DefinitionsBuilder.Branch(parts: many)]), "again": [.screen("s", Child(clears: true))],
                "swap": [.pop("first"), .screen("s"), .screen("s")], "first": [.screen("first")],
                "reuse": [.screen("first", Child(reuses: true))], "add": [.screen("s")],
            ])
        let world = World(builder)
        for _ in 1...2 {
            try world.coordinate("main")
        }
        for path in ["/main", "/main_2"] { try world.emit("fill", on: path) }
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.nodes == Limits.nodesPerClient)
        #expect(try world.coordinate("main", by: ":1.2").last == "= /main_3")
        for step in ["first", "add"] { try world.emit(step, on: "/main_3", by: ":1.2") }
        // The removed child counts for another client.
        for step in ["again", "swap"] {
            try isRefused(world, with: "':1.1' has made 2000 live presentables of at most 2000") {
                try world.emit(step, on: "/main_3")
            }
        }
        // A reused child counts for this client from then on.
        try world.emit("swap", on: "/main_3", by: ":1.2")
        try world.emit("first", on: "/main_3", by: ":1.2")
        try isRefused(world, with: "2000") { try world.emit("reuse", on: "/main_3") }
        #expect(try world.emit("reuse", on: "/main_3", by: ":1.3").last?.hasPrefix("= navigated") == true)
        // The removed child counts for the same client.
        #expect(try world.emit("again", on: "/main").last?.hasPrefix("= navigated") == true)
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.nodes == Limits.nodesPerClient - 998)
        #expect(try world.emit("reuse", on: "/main_3").last?.hasPrefix("= navigated") == true)
    }

    @Test func `S-13 S-33 presentables in total: all dismissed ones free quota`() throws {
        var builder = DefinitionsBuilder()
        let many = Array(repeating: DefinitionsBuilder.Part.screen("s"), count: 999)
        builder.flow("own", initial: "fill", on: ["fill": .first([DefinitionsBuilder.Branch(parts: many)])])
        builder.flow(
            "main", initial: "fill",
            on: [
                "fill": .first([DefinitionsBuilder.Branch(parts: many)]), "over": [.popRoot, .screen("s")],
                "add": [.screen("s")],
                "again": .first([
                    DefinitionsBuilder.Branch(parts: [.screen("s", Child(clears: true))] + many.dropFirst())
                ]
                ),
                "both": .first([DefinitionsBuilder.Branch(parts: [.screen("s", Child(clears: true))] + many)]),
            ])
        builder.autostart = Array(repeating: .init(flow: "own"), count: 9) + [.init(flow: "main")]
        let world = World(builder)
        world.handle(.started)
        #expect(world.coordinator.accounting.total.nodes == Limits.nodes)
        for step in ["add", "both"] {
            try isRefused(world, with: "there are 10000 live presentables of at most 10000") {
                try world.emit(step, on: "/main")
            }
        }
        #expect(try world.emit("again", on: "/main").last?.hasPrefix("= navigated") == true)
        #expect(try world.emit("over", on: "/main").last?.hasPrefix("= navigated") == true)
        #expect(world.coordinator.accounting.total.nodes == Limits.nodes - 997)
    }

    /// A flow whose screens hold what its steps say.
    private func heavy() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        for step in ["add", "clear", "reuse", "flow", "wait", "hello", "keep"] { builder.step(step, ["a": "string?"]) }
        builder.screen("s", ["a": "string?"])
        builder.flow("sub", ["a": "string?"])
        let waits = Child(with: [], step: "hello", whenHidden: .queue, reuses: true)
        builder.flow(
            "main",
            on: [
                "add": [.screen("s")], "clear": [.screen("s", Child(clears: true))],
                "reuse": [.screen("s", Child(reuses: true))], "wait": [.screen("w", waits)], "keep": [],
                "flow": [.flow("sub", Child(with: [], step: "hello", reuses: true))], "hello": [],
            ])
        return builder
    }

    /// A world that is a number of KiB below the quota of one client.
    private func full(short: Int) throws -> World {
        let world = World(heavy())
        try world.coordinate("main")
        try world.coordinate("main", by: ":1.2")
        let part = 32 * 1_024
        var left = Limits.liveArgumentBytesPerClient - short * 1_024
        // The latest navigation holds as much as a screen.
        left -= part
        while left > 0 {
            try world.emit("add", ["a": text(min(part, left) - around)], on: "/main")
            left -= part
        }
        return world
    }

    @Test func `S-13 S-33 bytes: all usage of dismissed presentables is freed`() throws {
        let world = try full(short: 0)
        let half = 32 * 1_024 - around
        try isRefused(world, with: "4194304") { try world.emit("add", ["a": text(half)], on: "/main") }
        #expect(try world.emit("clear", ["a": text(half)], on: "/main").last?.hasPrefix("= navigated") == true)
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.bytes == 2 * 32_768)
        // Deferred and waiting steps of removed children count, too.
        let waiting = try full(short: 96)
        try waiting.emit("wait", ["a": text(half)], on: "/main")
        try waiting.emit("keep", ["a": text(half)], on: "/main/w")
        try waiting.emit("keep", ["a": text(half)], on: "/main/w")
        #expect(waiting.coordinator.accounting.clients[Client(":1.1")]?.bytes == Limits.liveArgumentBytesPerClient)
        try isRefused(waiting, with: "4194304") { try waiting.emit("add", ["a": text(half)], on: "/main") }
        #expect(try waiting.emit("clear", ["a": text(2 * half)], on: "/main").last?.hasPrefix("= navigated") == true)
        #expect(waiting.coordinator.accounting.clients[Client(":1.1")]?.bytes == 2 * (2 * half + around))
    }

    @Test func `S-19 S-33 bytes: a reuse frees the replaced arguments, and counts for its client from then on`() throws
    {
        let world = try full(short: 0)
        let half = 32 * 1_024 - around
        #expect(try world.emit("reuse", ["a": text(half)], on: "/main").last?.hasPrefix("= navigated") == true)
        try isRefused(world, with: "4194304") { try world.emit("reuse", ["a": text(half + 1)], on: "/main") }
        try world.emit("add", ["a": text(half)], on: "/main_2", by: ":1.2")
        try isRefused(world, with: "4194304") { try world.emit("reuse", ["a": text(0)], on: "/main_2") }
        #expect(
            try world.emit("reuse", ["a": text(0)], on: "/main", by: ":1.2").last?.hasPrefix("= navigated") == true)
        #expect(
            world.coordinator.accounting.clients[Client(":1.1")]?.bytes == Limits.liveArgumentBytesPerClient - 2
                * 32_768)
        #expect(
            world.coordinator.accounting.clients[Client(":1.2")]
                == Accounting.Usage(nodes: 3, bytes: 2 * 32_768 + 2 * around))
    }

    @Test func `S-19 S-33 bytes: a screen's step that waits counts, a flow's that never does, does not`() throws {
        let half = 32 * 1_024 - around
        let world = try full(short: 32)
        try world.emit("wait", ["a": text(half)], on: "/main")
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.bytes == Limits.liveArgumentBytesPerClient)
        #expect(try world.emit("wait", ["a": text(half)], on: "/main").last?.hasPrefix("= navigated") == true)
        try isRefused(world, with: "4194304") { try world.emit("wait", ["a": text(half + 1)], on: "/main") }
        let flow = try full(short: 16)
        try flow.emit("flow", ["a": text(half)], on: "/main")
        #expect(try flow.emit("flow", ["a": text(half)], on: "/main").last?.hasPrefix("= navigated") == true)
        #expect(flow.failures.map(\.reason) == [.verdict(.unhandled)])
    }
}
