import Testing

@testable import FlowCore

/// Ways to fill the memory or to take the daemon's time that no other limit bounds.
@Suite("Limits: floods")
struct LimitsFloodTests {
    /// One that takes about so many bytes, by an argument of that many letters in its type.
    private func register(_ flow: String, _ bytes: Int, by client: String, in world: World) throws -> [String] {
        // With what an argument counts for, and its name, that makes 250.
        let type = try #require(ValueType(signature: "(" + String(repeating: "i", count: 204) + ")"))
        let parameters = (0..<(bytes / 250)).map { Parameter("argument\(1_000 + $0)", type) }
        let steps = stride(from: 0, to: parameters.count, by: Limits.argumentCount).map { start in
            StepDeclaration(
                "\(flow).\(start)",
                parameters: Array(parameters[start..<min(start + Limits.argumentCount, parameters.count)]))
        }
        return world.handle(
            .flowRegistered(
                world.nextRequest(),
                Registration(flow, at: Service(client, path: "/", timeout: 1), steps: steps, by: Client(client))))
    }

    @Test func `S-32 S-33 bytes of the steps that one client has registered, and in total`() throws {
        let world = World(DefinitionsBuilder())
        let (most, part) = (Limits.registeredBytesPerClient, Limits.registeredBytesPerClient / 2 - 20_000)
        func isRefused(_ flow: String, _ bytes: Int, by client: String, with text: String) throws {
            let before = world.standing
            #expect(try register(flow, bytes, by: client, in: world) == ["! LimitExceeded"])
            let message = try world.refusal().message
            #expect(message.contains(text), "\(message)")
            #expect(world.standing == before)
        }
        try isRefused("f", most + 10_000, by: ":1.1", with: "beside the 0 of ':1.1', of at most 1048576")
        for number in 1...8 {
            let client = ":1.\((number + 1) / 2)"
            #expect(try register("f\(number)", part, by: client, in: world).last == "= done")
            if number == 2 { try isRefused("f", part, by: client, with: "of '\(client)', of at most 1048576") }
        }
        // Another client has less room left than its own limit.
        try isRefused("f", part, by: ":1.5", with: "in total, of at most 4194304")
        #expect(try register("f", 10_000, by: ":1.5", in: world).last == "= done")
        world.unregister("f1", by: ":1.1")
        #expect(try register("f1", part, by: ":1.5", in: world).last == "= done")
    }

    @Test func `S-32 S-33 the bytes of screens that come with a flow count like those of its steps`() throws {
        let type = try #require(ValueType(signature: "(" + String(repeating: "i", count: 204) + ")"))
        let parameters = (0..<Limits.argumentCount).map { Parameter("argument\(1_000 + $0)", type) }
        func register(_ flow: String, screens: Int, in world: World) -> [String] {
            var request = Registration(
                flow, at: Service(":1.1", path: "/", timeout: 1), steps: [StepDeclaration("s")], by: Client(":1.1"))
            request.bring((0..<screens).map { ScreenDeclaration("\(flow)\($0)", parameters: parameters) })
            return world.handle(.flowRegistered(world.nextRequest(), request))
        }
        // Each takes about 16,000 of 1,048,576 bytes.
        let world = World(DefinitionsBuilder())
        #expect(register("half", screens: 35, in: world).last == "= done")
        let before = world.standing
        #expect(register("more", screens: 35, in: world) == ["! LimitExceeded"])
        #expect(try world.refusal().message.hasPrefix("the steps and screens of flow 'more' take 56"))
        #expect(world.standing == before)
        #expect(register("less", screens: 25, in: world).last == "= done")
    }

    private func guarded() throws -> World {
        var builder = DefinitionsBuilder()
        builder.step("go")
        builder.flow("main", guarded: ("com.auth", ["go"]), on: ["go": []])
        return try World(root: "main", builder)
    }

    @Test func `S-9 S-33 calls with the token of a waiting one count as waiting steps`() throws {
        let world = try guarded()
        let tokens = Limits.waitingStepsPerClient / (Limits.callsPerToken + 1)
        for token in 0..<tokens {
            for _ in 0...Limits.callsPerToken { try world.emit("go", on: "/main", token: "t\(token)") }
        }
        let rest = Limits.waitingStepsPerClient - tokens * (Limits.callsPerToken + 1)
        for _ in 0...rest { try world.emit("go", on: "/main", token: "last") }
        #expect(world.effects.map(\.line) == ["! LimitExceeded"])
        let message = try world.refusal().message
        #expect(message == "':1.1' has 4096 steps waiting of at most 4096")
        #expect(try world.emit("go", on: "/main", by: ":1.2", token: "t0") == [])
        // Those that were refused are not remembered, and all room comes back.
        world.wait(Limits.replyTimeout)
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.steps == tokens + 1)
        try world.dismiss("/main")
        #expect(world.waiting == [])
    }

    @Test func `activation tokens are checked when part of their cascade has ended`() {
        var tokens = ActivationTokens()
        var looked: [UInt64] = []
        func forget(_ isOver: Bool) -> [UInt64] {
            looked = []
            tokens.forget { origin, _ in
                looked.append(origin)
                return isOver
            }
            return looked
        }
        for origin in 1...3 as ClosedRange<UInt64> { tokens.insert("t\(origin)", for: origin, of: RequestID(origin)) }
        #expect(forget(false) == [1, 2, 3])
        #expect(forget(true) == [])
        tokens.touch(2)
        tokens.touch(RequestID(3))
        tokens.touch(4)
        #expect(forget(true) == [2, 3])
        #expect(tokens.count == 1)
        #expect(tokens.take(for: 1) == "t1")
        #expect(tokens.take(for: 1) == nil)
        #expect(tokens.isEmpty)
    }
}
