import Testing

@testable import FlowCore

/// The limits of the core: reaching one is fine, exceeding it is refused and changes nothing (S-33).
@Suite("Limits")
struct LimitsTests {
    /// Expects a refusal that changed nothing.
    private func isRefused(
        _ world: World, with text: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ event: () throws -> [String]
    ) throws {
        let before = world.standing
        #expect(try event().last == "! LimitExceeded", sourceLocation: sourceLocation)
        let message = try world.refusal().message
        #expect(message.contains(text), "\(message)", sourceLocation: sourceLocation)
        #expect(world.standing == before, sourceLocation: sourceLocation)
        #expect(world.effects.count == 1, sourceLocation: sourceLocation)
    }

    /// A definition whose step adds a number of screens at once.
    private func adding(_ count: Int) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main",
            on: [
                "fill": .first([DefinitionsBuilder.Branch(parts: Array(repeating: .screen("s"), count: count))]),
                "add": [.screen("s")],
                "two": [.screen("s"), .screen("s")], "none": [],
            ])
        return builder
    }

    @Test func `S-33 children of one flow`() throws {
        let world = try World(root: "main", adding(Limits.children - 1))
        try world.emit("fill", on: "/main")
        try isRefused(world, with: "'/main' would have 1025 children of at most 1024") {
            try world.emit("two", on: "/main")
        }
        #expect(try world.emit("add", on: "/main").last == "= navigated 2")
        try isRefused(world, with: "1025 children") { try world.emit("add", on: "/main") }
        #expect(try world.emit("none", on: "/main").last == "= navigated 3")
        try world.dismiss("/main/s_7")
        #expect(try world.emit("add", on: "/main").last == "= navigated 4")
        #expect(world.paths.last == "/main/s_7")
    }

    @Test func `S-33 presentables of one client, without a cost to others`() throws {
        let world = World(adding(1_000))
        try world.coordinate("main", by: ":1.1")
        try world.coordinate("main", by: ":1.2")
        try world.emit("fill", on: "/main", by: ":1.1")
        // 1,001 so far, and 998 more in the other's flow: who set it off counts, not whose flow it is.
        try world.emit("fill", on: "/main_2", by: ":1.2")
        try world.dismiss("/main_2")
        try world.coordinate("main", by: ":1.2")
        for _ in 0..<Limits.nodesPerClient - 1_001 { try world.emit("add", on: "/main_2", by: ":1.1") }
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.nodes == Limits.nodesPerClient)
        try isRefused(world, with: "':1.1' has made 2000 live presentables of at most 2000") {
            try world.emit("add", on: "/main_2", by: ":1.1")
        }
        try isRefused(world, with: "':1.1' has made 2000") { try world.coordinate("main", by: ":1.1") }
        #expect(try world.emit("none", on: "/main", by: ":1.1").last?.hasPrefix("= navigated") == true)
        #expect(try world.emit("add", on: "/main_2", by: ":1.2").last?.hasPrefix("= navigated") == true)
        #expect(try world.coordinate("main", by: ":1.2").last == "= /main_3")
        try world.dismiss("/main/s")
        #expect(try world.emit("add", on: "/main_2", by: ":1.1").last?.hasPrefix("= navigated") == true)
    }

    @Test func `S-33 presentables in total; the daemon's own count there only`() throws {
        var builder = adding(999)
        builder.flow(
            "own", initial: "fill",
            on: ["fill": .first([DefinitionsBuilder.Branch(parts: Array(repeating: .screen("s"), count: 999))])])
        builder.autostart = Array(repeating: .init(flow: "own"), count: 9)
        let world = World(builder)
        world.handle(.started)
        #expect(world.coordinator.accounting.total.nodes == 9_000)
        #expect(world.coordinator.accounting.clients.isEmpty)
        try world.coordinate("main")
        try world.emit("fill", on: "/main")
        try isRefused(world, with: "there are 10000 live presentables of at most 10000 in total") {
            try world.emit("add", on: "/main")
        }
        try isRefused(world, with: "10000") { try world.coordinate("own", by: "") }
        #expect(try world.emit("none", on: "/main").last == "= navigated 11")
    }

    @Test func `S-33 depth`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("f", on: ["down": [.flow("f")], "leaf": [.screen("s")], "none": []])
        let world = try World(root: "f", builder)
        var path = "/f"
        for _ in 1..<Limits.depth {
            try world.emit("down", on: path)
            path += "/f"
        }
        #expect(world.coordinator.forest[try world.node(path).slot].depth == 64)
        try isRefused(world, with: "'\(path)/s' would be deeper in the tree than 64 presentables") {
            try world.emit("leaf", on: path)
        }
        #expect(try world.emit("none", on: path).last == "= navigated 64")
    }

    @Test func `S-33 bytes of an id, given numbers included`() throws {
        let most = String(repeating: "s", count: Limits.nameLength)
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["most": [.screen(most)], "none": []])
        let world = try World(root: "main", builder)
        #expect(try world.emit("most", on: "/main").last == "= navigated 1")
        #expect(try world.emit("most", on: "/main") == ["! LimitExceeded"])
        #expect(try world.refusal().message.contains("'\(most)_2' would have 66 bytes of at most 64"))
        #expect(world.paths == ["/main", "/main/\(most)"])
        #expect(try world.coordinate("main", id: most).last == "= /\(most)")
        #expect(try world.coordinate("main", id: most + "s") == ["! InvalidName"])
    }

    @Test func `S-33 bytes of an object path`() throws {
        let long = String(repeating: "f", count: 63)
        var builder = DefinitionsBuilder()
        builder.flow(
            long,
            on: [
                "down": [.flow(long)], "most": [.screen("s", .init(id: String(repeating: "s", count: 63)))],
                "over": [.screen("s", .init(id: String(repeating: "s", count: 64)))],
            ])
        let world = try World(root: long, builder)
        var path = "/\(long)"
        for _ in 0..<6 {
            try world.emit("down", on: path)
            path += "/\(long)"
        }
        // Seven times 64; one more of as many is 512.
        try isRefused(world, with: "would have 513 bytes of at most 512") { try world.emit("over", on: path) }
        #expect(try world.emit("most", on: path).last == "= navigated 7")
    }

    @Test func `S-33 arguments of one step: how many`() throws {
        var builder = DefinitionsBuilder()
        builder.step("go", ["a": "v"])
        builder.flow("main", on: ["go": []])
        let world = try World(root: "main", builder)
        let (node, step) = (try world.node("/main"), try world.id(ofStep: "go"))
        for (count, code) in [(64, "! InvalidArguments"), (65, "! LimitExceeded")] {
            let many = (0..<count).map { Argument("a\($0)", .byte(1)) }
            #expect(
                world.handle(.stepEmitted(world.nextRequest(), on: node, step: step, arguments: many, by: .daemon))
                    == [code])
        }
        #expect(try world.refusal().message == "step 'go' was given 65 arguments; at most 64 are allowed")
    }

    @Test func `S-33 arguments of one step: 64 that are declared are fine`() throws {
        let text = try #require(ValueType(name: "byte"))
        let parameters = (0..<64).map { Parameter("a\($0)", text) }
        let arguments = parameters.map { Argument($0.name, .byte(1)) }
        #expect(try Declaration.admit(arguments, as: parameters, of: "step 'go'") == arguments)
    }

    @Test func `S-33 arguments of one step: bytes`() throws {
        var builder = DefinitionsBuilder()
        builder.step("go", ["a": "string"])
        builder.flow("main", on: ["go": []])
        let world = try World(root: "main", builder)
        let most = Limits.argumentBytes - around
        #expect(try world.emit("go", ["a": text(most)], on: "/main").last == "= navigated 1")
        try isRefused(world, with: "the arguments of step 'go' take more than 65536 bytes, which is the limit") {
            try world.emit("go", ["a": text(most + 1)], on: "/main")
        }
        try isRefused(world, with: "65536") { try world.navigate("go", ["a": text(most + 1)]) }
    }

    private func text(_ count: Int) -> Value { .string(String(repeating: "x", count: count)) }

    /// Screens with 32 KiB each, a step that keeps up to 64 KiB, and one that waits with as much.
    private func heavy() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        for step in ["add", "keep", "hello"] { builder.step(step, ["a": "string"]) }
        builder.step("wait", ["a": "string"])
        builder.screen("s", ["a": "string"])
        builder.flow(
            "main", ["a": "string?"],
            on: ["add": [.screen("s")], "keep": [], "wait": [.screen("plain", .init(step: "hello"))], "hello": []])
        return builder
    }

    @Test func `S-33 bytes of the arguments of one client's presentables`() throws {
        let world = World(heavy())
        for root in 1...2 { try world.coordinate("main", by: ":1.\(root)") }
        let half = Limits.argumentBytes / 2 - around
        // A screen's arguments and the latest navigation's: 32 KiB each, the latter once.
        for _ in 0..<127 { try world.emit("add", ["a": text(half)], on: "/main") }
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.bytes == Limits.liveArgumentBytesPerClient)
        try isRefused(world, with: "':1.1' has made take 4194304 of at most 4194304 bytes") {
            try world.emit("add", ["a": text(0)], on: "/main_2")
        }
        try isRefused(world, with: "4194304") { try world.emit("keep", ["a": text(half + 1)], on: "/main") }
        try isRefused(world, with: "4194304") { try world.coordinate("main", ["a": text(0)]) }
        // What holds no more needs no leave, and another client has a share of its own.
        #expect(try world.emit("keep", ["a": text(half)], on: "/main").last == "= navigated 128")
        #expect(try world.emit("add", ["a": text(half)], on: "/main_2", by: ":1.2").last == "= navigated 129")
        // What the other client leaves there is counted for it.
        try world.emit("keep", ["a": text(0)], on: "/main", by: ":1.2")
        #expect(
            world.coordinator.accounting.clients[Client(":1.1")]?.bytes == Limits.liveArgumentBytesPerClient - 32_768)
        try world.emit("add", ["a": text(0)], on: "/main_2")
        try isRefused(world, with: "4161634 of") { try world.emit("wait", ["a": text(half)], on: "/main") }
    }

    @Test func `S-33 a waiting initial step counts until it is triggered`() throws {
        let world = World(heavy())
        try world.coordinate("main")
        func held() -> Int? { world.coordinator.accounting.clients[Client(":1.1")]?.bytes }
        try world.emit("wait", ["a": text(100)], on: "/main")
        #expect(held() == 2 * (100 + around))
        try world.show("/main/plain")
        #expect(held() == 100 + around)
        try world.emit("wait", ["a": text(100)], on: "/main")
        try world.dismiss("/main/plain_2")
        #expect(held() == 100 + around)
    }

    @Test func `S-33 bytes of arguments in total`() throws {
        let world = World(heavy())
        for root in 1...4 { try world.coordinate("main", by: ":1.\(root)") }
        let half = Limits.argumentBytes / 2 - around
        let paths = ["/main", "/main_2", "/main_3", "/main_4"]
        for (number, path) in paths.enumerated() {
            for _ in 0..<127 { try world.emit("add", ["a": text(half)], on: path, by: ":1.\(number + 1)") }
        }
        #expect(world.coordinator.accounting.total.bytes == Limits.liveArgumentBytes)
        try isRefused(world, with: "take 16777216 of at most 16777216 bytes") {
            try world.coordinate("main", ["a": text(0)], by: ":1.9")
        }
        try world.dismiss("/main/s")
        #expect(try world.coordinate("main", ["a": text(0)], by: ":1.9").last == "= /main_5")
    }

    // MARK: Other processes

    @Test func `S-32 S-33 flows that one client has registered, and in total`() throws {
        let world = World(DefinitionsBuilder())
        func register(_ number: Int, by client: String) -> [String] {
            world.register("f\(number)", steps: ["s": [:]], by: client)
        }
        let clients = [":1.1", ":1.2", ":1.3", ":1.4"]
        for (place, client) in clients.enumerated() {
            for number in 0..<Limits.registeredFlowsPerClient {
                #expect(register(place * Limits.registeredFlowsPerClient + number, by: client).last == "= done")
            }
            guard place == 0 else { continue }
            try isRefused(world, with: "':1.1' has registered 256 flows of at most 256") {
                register(9_999, by: client)
            }
        }
        #expect(world.coordinator.registrations.all.count == Limits.registeredFlows)
        try isRefused(world, with: "1024 flows are registered in total of at most 1024") {
            register(9_999, by: ":1.5")
        }
        world.unregister("f3", by: ":1.1")
        #expect(register(9_999, by: ":1.5").last == "= done")
        #expect(world.vanish(":1.2") == ["definitions"])
        #expect(world.coordinator.registrations.all.count == Limits.registeredFlows - Limits.registeredFlowsPerClient)
        #expect(register(9_998, by: ":1.5").last == "= done")
    }

    @Test func `S-32 S-33 steps of a registered flow, and their arguments`() throws {
        let world = World(DefinitionsBuilder())
        func register(_ name: String, steps: Int, arguments: Int = 0) throws -> [String] {
            let byte = try #require(ValueType(name: "byte"))
            let parameters = (0..<arguments).map { Parameter("a\($0)", byte) }
            return world.handle(
                .flowRegistered(
                    world.nextRequest(),
                    Registration(
                        name, at: Service(":1.1", path: "/", timeout: 1),
                        steps: (0..<steps).map { StepDeclaration("\(name)\($0)", parameters: parameters) },
                        by: Client(":1.1"))))
        }
        #expect(try register("most", steps: Limits.stepsPerRegistration).last == "= done")
        try isRefused(world, with: "flow 'over' would take 257 steps; it has to be at least one and at most 256") {
            try register("over", steps: Limits.stepsPerRegistration + 1)
        }
        #expect(try register("wide", steps: 1, arguments: Limits.argumentCount).last == "= done")
        try isRefused(world, with: "step 'over0' would have 65 arguments of at most 64") {
            try register("over", steps: 1, arguments: Limits.argumentCount + 1)
        }
    }

    @Test func `S-32 S-33 screens that come with a registered flow, and their arguments`() throws {
        let world = World(DefinitionsBuilder())
        let byte = try #require(ValueType(name: "byte"))
        func register(_ name: String, screens: Int, arguments: Int = 0) -> [String] {
            var request = Registration(
                name, at: Service(":1.1", path: "/", timeout: 1), steps: [StepDeclaration("s")], by: Client(":1.1"))
            let parameters = (0..<arguments).map { Parameter("a\($0)", byte) }
            request.bring((0..<screens).map { ScreenDeclaration("\(name)\($0)", parameters: parameters) })
            return world.handle(.flowRegistered(world.nextRequest(), request))
        }
        #expect(register("most", screens: Limits.screensPerRegistration).last == "= done")
        try isRefused(world, with: "flow 'over' would bring 257 screens of at most 256") {
            register("over", screens: Limits.screensPerRegistration + 1)
        }
        #expect(register("wide", screens: 1, arguments: Limits.argumentCount).last == "= done")
        try isRefused(world, with: "screen 'over0' would have 65 arguments of at most 64") {
            register("over", screens: 1, arguments: Limits.argumentCount + 1)
        }
    }

    @Test func `S-31 S-33 calls of a presenter that are under way for one screen: the newest arguments wait`() throws {
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64"])
        builder.screen("a", ["item": "int64"], presenter: "com.x")
        builder.flow("main", on: ["open": [.screen("a", .init(reuses: true))]])
        let world = try World(root: "main", builder)
        var calls: [String] = []
        for item in 1...9 as ClosedRange<Int64> {
            try world.emit("open", ["item": .int64(item)], on: "/main")
            calls += world.effects.map(\.line).filter { $0.hasPrefix("present ") }
        }
        #expect(calls.count == Limits.callsPerScreen)
        #expect(world.coordinator.questions.count == Limits.callsPerScreen)
        // Whatever the answer, there is room for one more, which is not yet said to fail.
        #expect(world.presentFails(4) == ["present com.x #5: /main/a {item=9}"])
        #expect(world.presented(1, by: ":1.9") == ["~ /main/a owner=:1.9"])
        try world.emit("open", ["item": .int64(10)], on: "/main")
        try world.emit("open", ["item": .int64(11)], on: "/main")
        #expect(world.presented(6, by: ":1.9") == ["present com.x #7: /main/a {item=11} again"])
        for question in [2, 3, 5] as [UInt64] { #expect(world.presented(question, by: ":1.9") == []) }
        #expect(world.presentFails(7).first == "- /main/a")
        #expect(world.coordinator.questions.isEmpty)
        #expect(world.coordinator.origins.isEmpty)
    }
}

/// What an argument 'a' counts for beside the text that is its value.
let around = Limits.argumentNameBytes + 1 + Limits.valueBytes
