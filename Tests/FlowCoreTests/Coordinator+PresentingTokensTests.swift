import Testing

@testable import FlowCore

/// Activation tokens of calls to presenters, and applications.
@Suite("Flow coordinator: presenters, tokens and applications")
struct PresentingTokensTests {
    private func builder(_ children: Children = .free, action: String? = nil) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.screen("a", presenter: "com.x", action: action)
        builder.screen("b", presenter: "com.y", action: action)
        builder.flow(
            "main", children: children,
            on: [
                "open": [.screen("a"), .screen("b")], "later": [.flow("sub", .init(step: "open"))],
                "plain": [.screen("plain", .init(step: "show"))], "show": [.screen("a")], "none": [],
                "reuse": [.screen("b", .init(reuses: true))],
            ])
        builder.flow("sub", guarded: (by: "com.guard", steps: []), on: ["open": [.screen("a")]])
        return builder
    }

    /// All calls to presenters that the latest event led to.
    private func calls(_ world: World) -> [String] {
        world.effects.compactMap { if case .present = $0 { $0.line } else { nil } }
    }

    private let options = EmissionOptions(activationToken: "t1")

    // MARK: Activation tokens

    @Test func `S-31 S-38 an activation token is given to the highest screen that its cascade brings in sight, once`()
        throws
    {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main", options: options)
        #expect(calls(world) == ["present com.x #1: /main/a", "present com.y #2: /main/b token=t1"])
        #expect(world.coordinator.activationTokens.isEmpty)
        // Reused by another cascade, the token is that cascade's.
        try world.emit("reuse", on: "/main", options: EmissionOptions(activationToken: "t2"))
        #expect(calls(world) == ["present com.y #3: /main/b token=t2"])
        try world.emit("reuse", on: "/main")
        #expect(calls(world) == ["present com.y #4: /main/b"])
    }

    @Test func `S-31 a token applies to triggered steps, too, and to Coordinate`() throws {
        let world = World(builder())
        try world.coordinate("main", step: "open", activationToken: "t1")
        #expect(calls(world) == ["present com.x #1: /main/a", "present com.y #2: /main/b token=t1"])
        try world.coordinate("main", step: "none", activationToken: "t1")
        #expect(world.coordinator.activationTokens.isEmpty)
        try world.coordinate("main", activationToken: "t1")
        #expect(world.coordinator.activationTokens.isEmpty)
    }

    @Test func `S-31 an activation token stays while its cascade waits for a guard, and is removed afterwards`() throws
    {
        let world = try World(root: "main", builder())
        try world.emit("later", on: "/main", options: options)
        #expect(calls(world) == [])
        #expect(world.coordinator.activationTokens.count == 1)
        try world.emit("show", on: "/main")
        #expect(calls(world) == ["present com.x #2: /main/a"])
        try world.adapt(1, to: "open")
        #expect(calls(world) == ["present com.x #3: /main/sub/a token=t1"])
        try world.emit("later", on: "/main", options: options)
        world.answer(4, GuardAnswer.rejected)
        #expect(world.coordinator.activationTokens.isEmpty)
    }

    @Test func `S-31 the activation token of a step that waits for a guard stays, whether its caller waits or not`()
        throws
    {
        for waits in [true, false] {
            let world = try World(root: "sub", builder())
            try world.emit("open", on: "/sub", options: EmissionOptions(waits: waits, activationToken: "t1"))
            #expect(world.coordinator.activationTokens.count == 1)
            if waits { world.wait(Limits.replyTimeout) }
            #expect(world.coordinator.activationTokens.count == 1)
            try world.adapt(1, to: "open")
            #expect(calls(world) == ["present com.x #2: /sub/a token=t1"])
            try world.emit("open", on: "/sub", options: options)
            world.answer(3, GuardAnswer.timedOut)
            #expect(world.coordinator.activationTokens.isEmpty)
        }
    }

    @Test func `S-31 an unused token is dropped with its cascade: rejected, ignored, deferred, without a call`()
        throws
    {
        var builder = builder()
        builder.flow("main", whenHidden: .latest, on: ["none": [], "open": [.screen("a")]])
        let world = try World(root: "main", builder)
        try world.emit("none", on: "/main", options: options)
        #expect(world.coordinator.activationTokens.isEmpty)
        try world.emit("none", ["x": .byte(1)], on: "/main", options: options)
        #expect(world.coordinator.activationTokens.isEmpty)
        try world.hide("/main")
        #expect(try world.emit("open", on: "/main", options: options) == ["= deferred 0"])
        #expect(world.coordinator.activationTokens.isEmpty)
        try world.show("/main")
        #expect(calls(world) == ["present com.x #1: /main/a"])
    }

    @Test func `S-16 S-31 a screen's waiting initial step keeps no activation token: the user does not wait for it`()
        throws
    {
        let world = try World(root: "main", builder())
        try world.emit("plain", on: "/main", options: options)
        #expect(world.coordinator.activationTokens.isEmpty)
        try world.show("/main/plain")
        #expect(calls(world) == ["present com.x #1: /main/a"])
    }

    @Test func `S-31 the first Present of a cascade has its token, also for a screen that is only uncovered`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("a", presenter: "com.x")
        builder.flow("main", children: .stack, on: ["open": [.screen("a"), .screen("b")], "back": [.pop("a")]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(calls(world) == [])
        try world.emit("back", on: "/main", options: options)
        #expect(calls(world) == ["present com.x #1: /main/a token=t1"])
        #expect(world.coordinator.activationTokens.isEmpty)
    }

    @Test func `S-28 S-31 the token of a path is given to the highest screen of a root that the path starts`() throws {
        for rest in [[], [("sub", "")], [("sub", "none")]] as [[(flow: String, step: String)]] {
            var builder = builder()
            builder.flow("main", initial: "open", isUnique: true, on: ["open": [.screen("a"), .flow("sub")]])
            builder.flow("sub", on: ["none": []])
            let world = World(builder)
            try world.navigateAlong([("main", "")] + rest, activationToken: "t1")
            #expect(calls(world) == ["present com.x #1: /main/a token=t1"])
            #expect(world.coordinator.activationTokens.isEmpty)
        }
    }

    @Test func `S-28 S-31 where a step of a path may not wait, what the path has shown before gets the token`() throws {
        var builder = builder()
        builder.flow("main", isUnique: true, on: ["open": [.screen("a"), .flow("sub")]])
        builder.flow("sub", guarded: (by: "com.guard", steps: []), on: ["open": []])
        var quotas = Quotas.service
        quotas.stepsPerFlow = Quotas.Quota(perClient: 0, total: 0)
        let world = World(builder, quotas: quotas)
        try world.navigateAlong([("main", "open"), ("sub", "open")], activationToken: "t1")
        #expect(calls(world) == ["present com.x #1: /main/a token=t1"])
        #expect(try world.refusal().code == .pathFailed)
        #expect(world.coordinator.activationTokens.isEmpty)
    }

    @Test func `S-33 an activation token has at most 1,024 bytes`() throws {
        let world = try World(root: "main", builder())
        let fits = EmissionOptions(activationToken: String(repeating: "t", count: Limits.activationTokenLength))
        let long = EmissionOptions(activationToken: String(repeating: "t", count: Limits.activationTokenLength + 1))
        let before = world.standing
        #expect(try world.emit("plain", on: "/main", options: long) == ["! LimitExceeded"])
        #expect(world.standing == before)
        #expect(try world.emit("plain", on: "/main", options: fits).last == "= navigated 1")
        #expect(try world.coordinate("main", activationToken: long.activationToken) == ["! LimitExceeded"])
    }

    // MARK: Applications

    @Test func `S-31 an application that shows a screen is its owner, and the screen is visible`() throws {
        let world = try World(root: "main", builder(action: "show-it"))
        try world.emit("show", on: "/main", options: options)
        #expect(calls(world) == ["present com.x action show-it #1: /main/a token=t1"])
        #expect(
            world.presented(1, by: ":1.9")
                == ["~ /main/a visible=true presented=true owner=:1.9"])
        #expect(try world.hide("/main/a", by: ":1.3") == ["! NotOwner"])
        #expect(try world.hide("/main/a", by: ":1.9").last == "= done")
    }

    @Test func `S-16 S-31 becoming visible triggers the steps that waited for it`() throws {
        var builder = builder(action: "show-it")
        builder.addRule("greet", [.screen("a", .init(step: "none"))], to: "main")
        let world = try World(root: "main", builder)
        try world.emit("greet", on: "/main")
        #expect(world.presented(1, by: ":1.9").last == "did 2 after 1 by :1.1: /main none []")
    }

    @Test func `S-14 S-31 an application that is slow does not select its tab again`() throws {
        let world = try World(root: "main", builder(.tabs, action: "show-it"))
        try world.emit("open", on: "/main")
        try world.show("/main/b")
        #expect(world.presented(2, by: ":1.9").count == 1)
        #expect(world.presented(1, by: ":1.8") == ["~ /main/a visible=true owner=:1.8"])
        #expect(try world.current("/main") == "/main/b")
        #expect(try world.isPresented("/main/b"))
    }

    @Test func `S-31 an application that fails loses the screen like any presenter`() throws {
        let world = try World(root: "main", builder(action: "show-it"))
        try world.emit("show", on: "/main")
        #expect(world.presentFails(1) == ["- /main/a"])
    }

    @Test func `S-40 an application gets its closing action instead of Withdraw, when the screen goes`() throws {
        var builder = builder(action: "show-it")
        builder.screen("b", presenter: "com.y", action: "show", closing: "quit")
        builder.flow("main", emitters: ["com.ui"], on: ["both": [.screen("a"), .screen("b")]])
        builder.autostart = [.init(flow: "main")]
        let world = World(builder)
        world.handle(.started)
        world.own("com.ui", ":1.1")
        try world.emit("both", on: "/main")
        world.presented(1, by: ":1.8")
        world.presented(2, by: ":1.9")
        // It can't dismiss its screen; whom the flow's `emitters` let may.
        #expect(try world.dismiss("/main/b", by: ":1.3") == ["! AccessDenied"])
        #expect(try world.hide("/main/b") == ["! NotOwner"])
        #expect(
            try world.dismiss("/main/b")
                == ["- /main/b", "withdraw /main/b from :1.9: dismissed action quit", "= done"])
        #expect(try world.dismiss("/main/a") == ["- /main/a", "= done"])
    }

    @Test func `S-40 an application that answers too late gets its closing action`() throws {
        var builder = builder()
        builder.screen("a", presenter: "com.x", action: "show", closing: "quit")
        let world = try World(root: "main", builder)
        try world.emit("show", on: "/main")
        world.presentTimesOut(1)
        #expect(world.presented(1, by: ":1.9") == ["withdraw /main/a from :1.9: presentFailed action quit"])
    }

    // MARK: Private arguments

    @Test func `S-31 only the presenter gets private arguments`() throws {
        var builder = DefinitionsBuilder()
        builder.step("pay", ["pin": "string"], isPrivate: true)
        builder.screen("pad", ["pin": "string"], presenter: "com.x")
        builder.flow("main", on: ["pay": [.screen("pad", .init(reuses: true))]])
        let world = try World(root: "main", builder)
        for secret in ["sesame", "abracadabra"] {
            try world.emit("pay", ["pin": .string(secret)], on: "/main")
            for effect in world.effects {
                if case .present(let it) = effect {
                    #expect(it.arguments["pin"]?.value == .string(secret))
                } else {
                    #expect(!String(reflecting: effect).contains(secret), "\(effect)")
                }
            }
            #expect(calls(world).count == 1)
        }
        #expect(world.coordinator.value(of: .arguments, at: try world.node("/main/pad")) == .arguments([]))
    }
}
