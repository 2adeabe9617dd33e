import Testing

@testable import FlowCore

@Suite("Flow coordinator: steps that are taken back")
struct CancelTests {
    private func builder(_ whenHidden: WhenHidden = .turn) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("go", ["n": "int64?"])
        builder.screen("pick", result: ["n": "int64?"])
        builder.flow(
            "main", whenHidden: whenHidden, on: ["go": [], "choose": [.screen("pick")], "open": [.flow("sub")]])
        builder.flow("sub", whenHidden: .queue, on: ["go": [], "page": [.screen("page")]])
        return builder
    }

    private func makeWorld(_ whenHidden: WhenHidden = .turn) throws -> World {
        let world = try World(root: "main", builder(whenHidden))
        try world.hide("/main")
        return world
    }

    @discardableResult
    private func go(_ number: UInt8, _ world: World, by client: String = ":1.1", token: String? = nil) throws
        -> [String]
    {
        try world.emit("go", ["n": .byte(number)], on: "/main", by: client, token: token)
    }

    @Test(arguments: [WhenHidden.turn, .queue, .latest])
    func `S-16 CancelStep takes back a step that waits, and the others stay`(whenHidden: WhenHidden) throws {
        let world = try makeWorld(whenHidden)
        try go(1, world, token: "a")
        if whenHidden != .latest {
            for number in 2...3 as ClosedRange<UInt8> { try go(number, world, token: "t\(number)") }
        }
        #expect(try world.cancel("a", on: "/main").last == "= done")
        #expect(
            world.failures.map(\.message) == [
                "step 'go' waited for its turn, until its client took it back (CancelStep)"
            ])
        #expect(world.failures.map(\.reason) == [.verdict(.hidden)])
        try world.show("/main")
        #expect(world.navigations.count == (whenHidden == .latest ? 0 : 2))
    }

    @Test func `S-16 CancelStep can be repeated, and a call with the token does not bring the step again`() throws {
        let world = try makeWorld()
        try go(1, world, token: "a")
        // The call is forgotten after 60 s, and its step waits.
        world.now += Limits.tokenLifetime + 1
        #expect(try world.cancel("a", on: "/main") == ["failed after 0 by :1.1: /main go hidden", "= done"])
        for restarts in [false, true] {
            if restarts { world.restart() }
            #expect(try world.cancel("a", on: "/main") == ["= done"])
            #expect(try go(1, world, token: "a") == ["= hidden 0"])
        }
        world.now += Limits.tokenLifetime - 1
        #expect(try go(1, world, token: "a") == ["= hidden 0"])
        world.now += 1
        #expect(try world.cancel("a", on: "/main") == ["! InvalidArguments"])
        #expect(try go(1, world, token: "a") == ["= deferred 0"])
    }

    @Test func `S-16 S-9 a step that was taken back within the 60 s of its call is remembered for 60 s more`() throws {
        let world = try makeWorld()
        try go(1, world, token: "a")
        try go(2, world, token: "b")
        world.now += Limits.tokenLifetime - 1
        try world.cancel("a", on: "/main")
        world.now += 2
        #expect(try go(1, world, token: "a") == ["= hidden 0"])
        #expect(world.coordinator.tokens.count == 1)
        world.now += Limits.tokenLifetime
        #expect(try go(1, world, token: "c") == ["= deferred 0"])
        #expect(world.coordinator.tokens.count == 1)
    }

    @Test func `S-16 CancelStep is refused for what does not wait here`() throws {
        let world = try makeWorld()
        try go(1, world, token: "a")
        let standing = world.standing
        for (token, client, path) in [("b", ":1.1", "/main"), ("a", ":1.2", "/main"), ("", ":1.1", "/main")] {
            #expect(try world.cancel(token, on: path, by: client) == ["! InvalidArguments"])
        }
        #expect(world.standing == standing)
        try world.cancel("b", on: "/main")
        #expect(
            try world.refusal().message
                == "no step of ':1.1' with the token 'b' waits at '/main'; it has to be that of a "
                + "call of EmitStepWithOptions with the verdict 'deferred', whose step was not taken yet")
        // A step without a token can't be taken back, nor one of another presentable, nor one that was taken.
        try world.emit("go", on: "/main", by: ":1.5")
        #expect(try world.cancel("", on: "/main", by: ":1.5") == ["! InvalidArguments"])
        try world.show("/main")
        try world.emit("open", on: "/main")
        #expect(try world.cancel("a", on: "/main/sub") == ["! InvalidArguments"])
        #expect(try world.cancel("a", on: "/main") == ["! InvalidArguments"])
        let gone = try world.node("/main/sub")
        try world.dismiss("/main/sub")
        #expect(
            world.handle(.stepCancelled(world.nextRequest(), on: gone, token: "a", by: Client(":1.1")))
                == ["! PresentableDismissed"])
    }

    @Test func `S-16 S-9 all steps that wait by a token are taken back`() throws {
        let world = try makeWorld()
        try go(1, world, token: "a")
        world.now += Limits.tokenLifetime
        try go(2, world, token: "b")
        // Two wait with the token, as the first call was forgotten: both are taken back.
        try go(3, world, token: "a")
        #expect(try world.cancel("a", on: "/main").count == 3)
        #expect(try world.forestNode("/main").deferredSteps.map(\.token) == ["b"])
    }

    @Test func `S-16 S-9 an outcome of a later call with the token stays`() throws {
        let world = try makeWorld()
        try world.emit("go", on: "/main", token: "a")
        world.now += Limits.tokenLifetime
        try world.coordinate("sub")
        #expect(try world.emit("go", on: "/sub", token: "a") == ["did 1 after 0 by :1.1: /sub go []", "= navigated 1"])
        #expect(try world.cancel("a", on: "/main").last == "= done")
        #expect(try world.emit("go", on: "/sub", token: "a") == ["= navigated 1"])
    }

    @Test func `S-16 S-45 an ask whose step is taken back is answered with nothing`() throws {
        let world = try makeWorld()
        #expect(try world.ask("choose", on: "/main") == ["= deferred 0"])
        try world.cancel("t", on: "/main")
        #expect(world.effects.map(\.line).suffix(2).first == "= done")
        #expect(world.told.count == 1)
        #expect(world.told.first?.contains("nothing") == true)
        // The verdict is the step's, and the answer comes again.
        #expect(try world.ask("choose", on: "/main").first == "= hidden 0")
        #expect(world.told.count == 1)
        #expect(try world.cancel("t", on: "/main") == ["= done"])
        try world.show("/main")
        #expect(world.navigations == [])
    }

    @Test func `S-16 S-45 the next owner of the presentable that asked can take the step back`() throws {
        let world = try makeWorld()
        try world.claim("/main", by: ":1.7")
        #expect(try world.ask("choose", on: "/main", by: ":1.7") == ["= deferred 0"])
        try world.release("/main", by: ":1.7")
        try world.claim("/main", by: ":1.8")
        #expect(try world.cancel("t", on: "/main", by: ":1.9") == ["! InvalidArguments"])
        #expect(try world.cancel("t", on: "/main", by: ":1.8").contains("= done"))
        #expect(world.told.count == 1)
    }

    @Test func `S-16 S-36 a flow that lived for the step alone goes`() throws {
        var builder = builder()
        builder.flow("sub", whenHidden: .queue, on: ["go": [], "page": [.screen("page")]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("page", on: "/main/sub")
        try world.hide("/main/sub")
        try world.emit("go", on: "/main/sub", token: "a")
        try world.dismiss("/main/sub/page")
        #expect(world.paths.contains("/main/sub"))
        #expect(try world.cancel("a", on: "/main/sub").contains("- /main/sub"))
        #expect(!world.paths.contains("/main/sub"))
    }

    @Test func `S-16 S-33 CancelStep makes room, and is refused where no token can be remembered`() throws {
        var quotas = Quotas.service
        quotas.tokens = Quotas.Quota(perClient: 2, total: 4)
        let world = World(builder(), quotas: quotas)
        try world.coordinate("main")
        try world.hide("/main")
        try go(1, world, token: "a")
        world.now += Limits.tokenLifetime
        for token in ["b", "c"] { try go(1, world, token: token) }
        let standing = world.standing
        #expect(try world.cancel("a", on: "/main") == ["! LimitExceeded"])
        #expect(world.standing == standing)
        // The others are remembered already.
        #expect(try world.cancel("b", on: "/main").last == "= done")
        #expect(world.coordinator.accounting.clients[Client(":1.1")]?.steps == 2)
    }

    @Test func `S-16 D-3 on another bus nobody can take the step back`() throws {
        var builder = builder()
        builder.flow("main", on: ["open": [.screen("page", .init(whenHidden: .turn))], "go": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(try world.emit("go", on: "/main/page", token: "a") == ["= deferred 0"])
        world.restart()
        #expect(try world.forestNode("/main/page").deferredSteps.map(\.token) == ["a"])
        world.restart(onSameBus: false)
        #expect(try world.forestNode("/main/page").deferredSteps.map(\.token) == [""])
        #expect(try world.cancel("a", on: "/main/page") == ["! InvalidArguments"])
    }
}
