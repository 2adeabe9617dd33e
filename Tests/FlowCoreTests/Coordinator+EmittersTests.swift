import Testing

@testable import FlowCore

/// The calls that `emitters` restrict besides steps and Back (S-5): starting the flow, and claiming, showing, hiding
/// and dismissing it and its children while they have no owner.
@Suite("Flow coordinator: emitters")
struct EmittersTests {
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("open", ["n": "int64?"])
        builder.screen("shown", presenter: "com.ui")
        builder.flow("main", on: ["open": [.flow("pay"), .screen("page")]])
        builder.flow(
            "pay", initial: "fill", children: .stack, onBack: "stop", emitters: ["com.till"],
            on: ["fill": [.screen("card"), .flow("sub")], "show": [.screen("shown")], "stop": [.end()]])
        builder.flow("sub", initial: "leaf", emitters: ["com.sub"], on: ["leaf": [.screen("leaf")]])
        return builder
    }

    /// `/main` with `pay` and `page`; `:1.5` owns com.till, `:1.6` com.sub, `:1.7` com.ui, `:1.9` nothing.
    private func makeWorld() throws -> World {
        let world = try World(root: "main", builder())
        for (name, client) in [("com.till", ":1.5"), ("com.sub", ":1.6"), ("com.ui", ":1.7")] {
            world.own(name, client)
        }
        try world.emit("open", on: "/main", by: ":1.9")
        return world
    }

    private func expectDenied(
        _ world: World, _ path: String, by client: String, naming name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let text =
            "lets '\(path)', which nobody owns, be claimed, shown, hidden and dismissed only by the owner of '\(name)' "
            + "on the bus, which '\(client)' is not"
        func refused(_ call: () throws -> [String]) throws {
            try expectRefusal(world, .accessDenied, with: text, sourceLocation: sourceLocation, call)
        }
        try refused { try world.claim(path, by: client) }
        try refused { try world.show(path, by: client) }
        try refused { try world.hide(path, by: client) }
        try refused { try world.dismiss(path, by: client) }
    }

    @Test func `S-5 S-33 Claim, SetVisible and Dismiss of the flow and of its children are for its emitters`() throws {
        let world = try makeWorld()
        try expectDenied(world, "/main/pay", by: ":1.9", naming: "com.till")
        try expectDenied(world, "/main/pay/card", by: ":1.9", naming: "com.till")
        #expect(try world.hide("/main/pay", by: ":1.5").last == "= done")
        #expect(try world.show("/main/pay/card", by: ":1.5").last == "= done")
        #expect(try world.dismiss("/main/pay/card", by: ":1.5").first == "- /main/pay/card")
        // Emitters do not restrict its siblings and ancestors.
        #expect(try world.show("/main/page", by: ":1.9").last == "= done")
        #expect(try world.hide("/main", by: ":1.9").last == "= done")
    }

    @Test func `S-5 a nested flow obeys both lists; flows below it only their own`() throws {
        let world = try makeWorld()
        try expectDenied(world, "/main/pay/sub", by: ":1.5", naming: "com.sub")
        try expectDenied(world, "/main/pay/sub", by: ":1.6", naming: "com.till")
        try expectDenied(world, "/main/pay/sub/leaf", by: ":1.5", naming: "com.sub")
        #expect(try world.show("/main/pay/sub/leaf", by: ":1.6").last == "= done")
        world.own("com.sub", ":1.5")
        #expect(try world.dismiss("/main/pay/sub", by: ":1.5").last == "= done")
        // It is dismissed with its ancestor.
        #expect(try world.dismiss("/main", by: ":1.9").last == "= done")
    }

    @Test func `S-5 S-29 an owner can use its presentable and release it; then emitters apply again`()
        throws
    {
        let world = try makeWorld()
        try world.claim("/main/pay/card", by: ":1.5")
        // NotOwner comes before AccessDenied.
        try expectRefusal(world, .notOwner, with: "owned by ':1.5'") { try world.dismiss("/main/pay/card", by: ":1.9") }
        try expectRefusal(world, .alreadyClaimed, with: "claimed by ':1.5'") {
            try world.claim("/main/pay/card", by: ":1.9")
        }
        world.own("com.till", ":1.8")
        #expect(try world.show("/main/pay/card", by: ":1.5").last == "= done")
        try expectRefusal(world, .notOwner, with: "nobody does") { try world.release("/main/pay", by: ":1.9") }
        #expect(try world.release("/main/pay/card", by: ":1.5").last == "= done")
        try expectDenied(world, "/main/pay/card", by: ":1.5", naming: "com.till")
        #expect(try world.claim("/main/pay/card", by: ":1.8").last == "= done")
    }

    @Test func `S-5 S-31 a presenter need not be an emitter while it is called, nor when it has answered`() throws {
        let world = try makeWorld()
        try world.emit("show", on: "/main/pay", by: ":1.5")
        #expect(world.effects.contains { if case .present = $0 { true } else { false } })
        try expectRefusal(world, .notOwner, with: "presented by 'com.ui'") {
            try world.show("/main/pay/shown", by: ":1.5")
        }
        #expect(try world.show("/main/pay/shown", by: ":1.7").last == "= done")
        world.presented(1, by: ":1.7")
        #expect(try world.hide("/main/pay/shown", by: ":1.7").last == "= done")
        try world.release("/main/pay/shown", by: ":1.7")
        try expectDenied(world, "/main/pay/shown", by: ":1.7", naming: "com.till")
    }

    @Test func `S-5 Coordinate requires an emitter, before it checks arguments, also for a live unique flow`()
        throws
    {
        var builder = builder()
        builder.flow("one", ["lang": "string"], isUnique: true, emitters: ["com.till"], on: ["open": []])
        let world = World(builder)
        world.own("com.till", ":1.5")
        let text =
            "is started, or found where it is live, only for the owner of 'com.till' on the bus, which ':1.9' is not"
        try expectRefusal(world, .accessDenied, with: "flow 'pay' " + text) { try world.coordinate("pay", by: ":1.9") }
        try expectRefusal(world, .accessDenied, with: "flow 'one' " + text) { try world.coordinate("one", by: ":1.9") }
        try expectRefusal(world, .invalidArguments, with: "lang") { try world.coordinate("one", by: ":1.5") }
        #expect(try world.coordinate("pay", by: ":1.5").last == "= /pay")
        try expectRefusal(world, .accessDenied, with: text) { try world.coordinate("pay", by: ":1.9") }
        // A token has the first outcome, as of a step.
        #expect(try world.coordinate("pay", by: ":1.9", token: "t") == ["! AccessDenied"])
        world.own("com.till", ":1.9")
        #expect(try world.coordinate("pay", by: ":1.9", token: "t") == ["! AccessDenied"])
        #expect(try world.coordinate("pay", by: ":1.9").last == "= /pay_2")
        // A unique flow that is live.
        let unique = FlowRequest(
            try #require(world.coordinator.definitions.flow(named: "one")),
            arguments: [Argument("lang", .string("de"))], by: Client(":1.9"))
        #expect(world.handle(.flowRequested(world.nextRequest(), unique)).last == "= /one")
        world.own("com.till", ":1.5")
        try expectRefusal(world, .accessDenied, with: text) {
            world.handle(.flowRequested(world.nextRequest(), unique))
        }
    }

    @Test func `S-5 S-28 a path neither starts nor finds a flow for clients other than its emitters`() throws {
        var builder = builder()
        builder.flow("one", isUnique: true, emitters: ["com.till"], on: ["open": []])
        let world = World(builder)
        #expect(try world.navigateAlong([("one", "")], by: ":1.9") == ["! PathFailed"])
        #expect(try world.refusal().message.contains("is started, or found where it is live, only for the owner of"))
        world.own("com.till", ":1.5")
        #expect(try world.navigateAlong([("one", "")], by: ":1.5").last == "= [/one -]")
    }

    @Test func `S-5 emitters do not restrict the coordinator: autostart, rules, Back answered by rules, and below`()
        throws
    {
        var builder = builder()
        builder.autostart = [.init(flow: "pay")]
        let world = World(builder)
        world.handle(.started)
        #expect(world.paths == ["/pay", "/pay/card", "/pay/sub", "/pay/sub/leaf"])
        world.own("com.till", ":1.5")
        #expect(try world.emit("stop", on: "/pay", by: ":1.5").contains("- /pay"))
    }

    // MARK: Owners (S-43)

    /// `/main` of owners alone, with a stack of `low` and `top`; `:1.5` owns `top`, `:1.6` `low`.
    private func makeOwnedWorld(_ emitters: [String] = ["owner"]) throws -> World {
        var builder = DefinitionsBuilder()
        builder.screen("shown", presenter: "com.ui")
        builder.flow(
            "main", initial: "fill", children: .stack, emitters: emitters,
            on: ["fill": [.screen("low"), .screen("top")], "go": [], "show": [.screen("shown")]])
        let world = World(builder)
        world.own("com.till", ":1.1")
        try world.coordinate("main")
        for (path, client) in [("/main/low", ":1.6"), ("/main/top", ":1.5")] {
            world.own("com.till", client)
            try world.claim(path, by: client)
            try world.show(path, by: client)
        }
        world.own("com.till", nil)
        return world
    }

    @Test func `S-43 the owner of a screen may emit on it; on the flow, that of a presented screen`() throws {
        let world = try makeOwnedWorld()
        #expect(try world.emit("go", on: "/main/top", by: ":1.5").last == "= navigated 2")
        #expect(try world.emit("go", on: "/main", by: ":1.5").last == "= navigated 3")
        // The screen below is covered.
        #expect(try world.emit("go", on: "/main/low", by: ":1.6") == ["= hidden 0"])
        for (path, client) in [("/main", ":1.6"), ("/main/low", ":1.5"), ("/main/top", ":1.6"), ("/main", ":1.9")] {
            try expectRefusal(world, .accessDenied, with: "flow 'main' takes steps and Back only from the owners") {
                try world.emit("go", on: path, by: client)
            }
        }
        #expect(try world.back("/main", by: ":1.9") == ["! AccessDenied"])
        #expect(try world.navigate("go", by: ":1.9") == ["= [/main AccessDenied]"])
        #expect(try world.back("/main/top", by: ":1.5").last == "= navigated 4")
        // What was covered is presented now.
        #expect(try world.emit("go", on: "/main", by: ":1.6").last == "= navigated 5")
        try world.hide("/main/low", by: ":1.6")
        #expect(try world.emit("go", on: "/main", by: ":1.6") == ["! AccessDenied"])
        try world.claim("/main", by: ":1.7")
        #expect(try world.emit("go", on: "/main", by: ":1.7").last == "= navigated 6")
    }

    @Test func `S-43 S-29 a presenter may emit on the screen while it is called`() throws {
        let world = try makeOwnedWorld()
        world.own("com.ui", ":1.8")
        try world.emit("show", on: "/main", by: ":1.5")
        #expect(try world.emit("go", on: "/main/shown", by: ":1.9") == ["! AccessDenied"])
        #expect(try world.emit("go", on: "/main/shown", by: ":1.8") == ["= hidden 0"])
    }

    @Test func `S-43 bus names beside it are for those who own nothing; alone it fences no other call`() throws {
        let world = try makeOwnedWorld(["com.till", "owner"])
        world.own("com.till", ":1.9")
        #expect(try world.emit("go", on: "/main", by: ":1.9").last == "= navigated 2")
        #expect(try world.emit("go", on: "/main/top", by: ":1.5").last == "= navigated 3")
        let text =
            "only from the owner of 'com.till' on the bus, or from the owners of its presentables; ':1.6' is none of them"
        try expectRefusal(world, .accessDenied, with: text) { try world.emit("go", on: "/main", by: ":1.6") }
        // It does not permit owners to start the flow.
        try expectRefusal(world, .accessDenied, with: "'com.till' on the bus, which ':1.5' is not") {
            try world.coordinate("main", by: ":1.5")
        }
        #expect(try world.hide("/main", by: ":1.5") == ["! AccessDenied"])
        #expect(try world.coordinate("main", by: ":1.5") == ["! AccessDenied"])
        let free = try makeOwnedWorld()
        #expect(try free.coordinate("main", by: ":1.9").last == "= /main_2")
        for call in [free.hide, free.claim, free.dismiss] {
            #expect(try call("/main_2/top", ":1.9").last == "= done")
        }
    }

    @Test func `S-43 Explain names the reason`() throws {
        let world = try makeOwnedWorld()
        let explanation = world.coordinator.explain(
            try world.id(ofStep: "go"), [], on: try world.node("/main/top"), by: Client(":1.5"),
            at: Instant(microseconds: world.now))
        #expect(explanation.lines.contains { $0.contains("as an owner") })
    }

    @Test func `S-5 S-7 Explain says what a step would do for those who may emit it, and who they are`() throws {
        var builder = DefinitionsBuilder()
        builder.step("fill")
        builder.step("go")
        builder.step("pin", ["pin": "string"], isPrivate: true)
        builder.screen("low")
        builder.flow(
            "main", initial: "fill", emitters: ["com.till"],
            on: ["fill": [.screen("low")], "go": [.parent("fill")], "pin": []])
        let world = World(builder)
        world.own("com.till", ":1.1")
        try world.coordinate("main", by: ":1.1")
        func explain(_ step: String, _ arguments: Arguments = [], by client: String) throws -> Explanation {
            world.coordinator.explain(
                try world.id(ofStep: step), arguments, on: try world.node("/main"), by: Client(client),
                at: Instant(microseconds: world.now))
        }
        let allowed = try explain("go", by: ":1.1")
        let denied = try explain("go", by: ":1.9")
        guard case .refused(let error) = denied.outcome else {
            Issue.record("it is \(denied.outcome)")
            return
        }
        #expect(error.code == .accessDenied && denied.effects == [])
        #expect(
            denied.lines.prefix(3) == [
                "step 'go' on flow '/main'", "  " + error.message, "  if one of those emitted it: navigated",
            ])
        #expect(denied.lines.dropFirst(3) == allowed.lines.dropFirst(2))
        #expect(
            try explain("fill", [Argument("x", .bool(true))], by: ":1.9").lines[2]
                == "  if one of those emitted it: InvalidArguments")
        // What a private step does would tell its arguments to whoever tries them.
        let secret = try explain("pin", [Argument("pin", .string("1234"))], by: ":1.9")
        #expect(secret.outcome == .refused(error) && secret.lines.count == 3 && secret.lines[2].contains("private"))
    }
}
