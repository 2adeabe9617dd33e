import Testing

@testable import FlowCore

/// Back from a screen, known beforehand, and by a step of the screen (S-39).
@Suite("Flow coordinator: Back from a screen")
struct BackStepTests {
    /// A stack of screens in a stack: `/main` with `page`, and `sub` with `one` and `two`, of which the latter is shown.
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("need", ["n": "int64"])
        builder.step("gone", ["name": "string?"])
        builder.flow(
            "main", initial: "open", children: .stack,
            on: ["open": [.screen("page"), .flow("sub", .init(onDismissed: "gone"))], "gone": []])
        builder.flow(
            "sub", initial: "fill", children: .stack,
            on: [
                "fill": [.screen("one"), .screen("two", .init(onDismissed: "gone"))], "ask": [.screen("sure")],
                "gone": [],
                "need": [],
            ])
        return builder
    }

    private func makeWorld(_ builder: DefinitionsBuilder? = nil) throws -> World {
        let world = try World(root: "main", builder ?? self.builder())
        for path in ["/main/page", "/main/sub/one", "/main/sub/two"] { try world.show(path) }
        return world
    }

    @Test func `S-39 on a screen it begins at its flow and goes up to the root`() throws {
        let world = try makeWorld()
        let two = try world.node("/main/sub/two").instance
        #expect(try world.peekBack("/main/sub/two") == .dismiss(instance: two, reveals: "/main/sub/one"))
        #expect(try world.back("/main/sub/two", by: ":1.5").first == "- /main/sub/two")
        let sub = try world.node("/main/sub").instance
        #expect(try world.peekBack("/main/sub/one") == .dismiss(instance: sub, reveals: "/main/page"))
        #expect(try world.back("/main/sub/one").contains("- /main/sub"))
        #expect(try world.peekBack("/main/page") == .unhandled)
        #expect(try world.back("/main/page") == ["= unhandled 0"])
    }

    @Test func `S-39 a screen that is not presented has no Back, and nothing goes`() throws {
        let world = try makeWorld()
        for path in ["/main/page", "/main/sub/one"] {
            #expect(try world.peekBack(path) == .hidden)
            #expect(try world.back(path) == ["= hidden 0"])
        }
        try world.hide("/main/sub/two")
        #expect(try world.back("/main/sub/two") == ["= hidden 0"])
    }

    @Test func `S-39 S-5 it needs the permission of each flow that it comes to, and of no other`() throws {
        var builder = builder()
        builder.flow(
            "main", initial: "open", children: .stack, emitters: ["com.main"],
            on: ["open": [.screen("page"), .flow("sub")]])
        let world = World(builder)
        world.own("com.main", ":1.1")
        try world.coordinate("main")
        for path in ["/main/sub/one", "/main/sub/two"] { try world.show(path) }
        // The upper flow is not asked as long as the lower one goes back.
        #expect(try world.back("/main/sub/two", by: ":1.9").contains("- /main/sub/two"))
        let standing = world.standing
        #expect(throws: FlowError.self) { try world.peekBack("/main/sub/one", by: ":1.9") }
        #expect(try world.back("/main/sub/one", by: ":1.9") == ["! AccessDenied"])
        #expect(world.standing == standing)
        #expect(try world.back("/main/sub/one", by: ":1.1").contains("- /main/sub"))
    }

    @Test func `S-39 goes: Back dismisses what the caller expects, or does nothing`() throws {
        let world = try makeWorld()
        let (one, two) = (try world.node("/main/sub/one").instance, try world.node("/main/sub/two").instance)
        let standing = world.standing
        try expectRefusal(world, .staleInstance, with: "'/main/sub/two'") {
            try world.back("/main", options: BackOptions(goes: one))
        }
        #expect(world.standing == standing)
        #expect(try world.back("/main", options: BackOptions(goes: two)).first == "- /main/sub/two")
        // A second tap comes too late.
        #expect(try world.back("/main", options: BackOptions(goes: two)) == ["! StaleInstance"])
        #expect(try world.back("/main/page", options: BackOptions(goes: two)) == ["! StaleInstance"])
        #expect(world.paths == ["/main", "/main/page", "/main/sub", "/main/sub/one"])
    }

    @Test func `S-39 S-9 a repeated Back with the same token gets the first answer, also where its screen is gone`()
        throws
    {
        let world = try makeWorld()
        let two = try world.node("/main/sub/two")
        let options = BackOptions(token: "t")
        #expect(try world.back("/main/sub/two", options: options).last == "= navigated 3")
        func isRemembered(by client: String) -> Bool {
            world.coordinator.remembersBack("t", by: Client(client), at: Instant(microseconds: world.now))
        }
        #expect(isRemembered(by: ":1.1") && !isRemembered(by: ":1.2"))
        #expect(
            world.handle(.backRepeated(world.nextRequest(), token: "t", by: Client(":1.1"))) == ["= navigated 3"])
        #expect(
            world.handle(.backPressed(world.nextRequest(), on: two, by: Client(":1.1"), options: options))
                == ["= navigated 3"])
        world.restart()
        #expect(try world.back("/main", options: options) == ["= navigated 3"])
        // Tokens of other calls are separate.
        #expect(try world.emit("gone", on: "/main", token: "t").last != "= navigated 3")
        #expect(try world.back("/main", options: BackOptions(token: "")) == ["! InvalidArguments"])
    }

    @Test func `S-39 the owner of a screen sets the step that Back takes on it while it is presented`() throws {
        let world = try makeWorld()
        try world.claim("/main/sub/two", by: ":1.7")
        #expect(try world.setBackStep("/main/sub/two", "ask", by: ":1.7") == ["= done"])
        for path in ["/main", "/main/sub", "/main/sub/two"] {
            #expect(try world.peekBack(path) == .step("ask"))
        }
        #expect(
            try world.back("/main", by: ":1.5").filter { $0.hasPrefix("did") || $0.hasPrefix("=") } == [
                "did 3 after 0 by :1.5: /main/sub ask [screen sure /main/sub/sure]", "= navigated 3",
            ])
        // Covered, it has no say.
        let sure = try world.node("/main/sub/sure").instance
        #expect(try world.peekBack("/main") == .dismiss(instance: sure, reveals: "/main/sub/two"))
        try world.back("/main")
        #expect(try world.peekBack("/main") == .step("ask"))
        #expect(try world.setBackStep("/main/sub/two", nil, by: ":1.7") == ["= done"])
        #expect(try world.back("/main").contains("- /main/sub/two"))
    }

    @Test func `S-39 it comes before onBack, and goes with the owner`() throws {
        var builder = builder()
        builder.flow(
            "sub", initial: "fill", children: .free, onBack: "leave",
            on: ["fill": [.screen("one"), .screen("two")], "leave": [.end()], "ask": []])
        let world = try makeWorld(builder)
        for (path, client) in [("/main/sub/one", ":1.6"), ("/main/sub/two", ":1.7")] {
            try world.claim(path, by: client)
        }
        try world.setBackStep("/main/sub/one", "ask", by: ":1.6")
        // With `free`, of several screens the newest presented one counts, or the one that was called.
        #expect(try world.peekBack("/main") == .step("leave"))
        #expect(try world.peekBack("/main/sub/one") == .step("ask"))
        #expect(try world.peekBack("/main/sub/two") == .step("leave"))
        try world.setBackStep("/main/sub/two", "ask", by: ":1.7")
        #expect(try world.peekBack("/main") == .step("ask"))
        try world.release("/main/sub/two", by: ":1.7")
        #expect(try world.peekBack("/main") == .step("leave"))
        try world.claim("/main/sub/two", by: ":1.7")
        #expect(try world.peekBack("/main") == .step("leave"))
    }

    @Test func `S-39 only the owner of a screen sets it, and only to a step without required arguments`() throws {
        let world = try makeWorld()
        let refusals: [(FlowError.Code, String, String, String)] = [
            (.notOwner, "/main/sub/two", "ask", ":1.7"), (.notSupported, "/main/sub", "ask", ":1.1"),
        ]
        for (code, path, step, client) in refusals {
            #expect(try world.setBackStep(path, step, by: client) == ["! \(code.rawValue)"])
        }
        try world.claim("/main/sub/two", by: ":1.7")
        let standing = world.standing
        try expectRefusal(world, .invalidArguments, with: "'n'") {
            try world.setBackStep("/main/sub/two", "need", by: ":1.7")
        }
        #expect(try world.setBackStep("/main/sub/two", "ask", by: ":1.8") == ["! NotOwner"])
        #expect(world.standing == standing)
    }

    @Test func `S-39 D-3 a restart on the same bus keeps it, another bus does not`() throws {
        let world = try makeWorld()
        try world.claim("/main/sub/two", by: ":1.7")
        try world.setBackStep("/main/sub/two", "ask", by: ":1.7")
        world.restart()
        #expect(try world.peekBack("/main") == .step("ask"))
        world.restart(onSameBus: false)
        #expect(try world.forestNode("/main/sub/two").backStep == nil)
    }

    @Test func `S-39 a reload that no longer has the step takes it away`() throws {
        let world = try makeWorld()
        try world.claim("/main/sub/two", by: ":1.7")
        try world.setBackStep("/main/sub/two", "ask", by: ":1.7")
        var builder = builder()
        builder.step("ask", ["n": "int64"])
        world.reload(builder)
        let two = try world.node("/main/sub/two").instance
        #expect(try world.peekBack("/main") == .dismiss(instance: two, reveals: "/main/sub/one"))
    }

    @Test func `S-39 S-31 the activation token of Back goes to what it uncovers`() throws {
        var builder = builder()
        builder.screen("page", presenter: "com.ui")
        builder.flow("main", children: .stack, on: ["open": [.screen("page"), .screen("over")]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.back("/main", options: BackOptions(activationToken: "click"))
        let tokens = world.effects.compactMap { effect -> String? in
            if case .present(let presentation) = effect { presentation.activationToken } else { nil }
        }
        #expect(tokens == ["click"])
        #expect(world.coordinator.activationTokens.isEmpty)
        let long = String(repeating: "t", count: Limits.activationTokenLength + 1)
        #expect(try world.back("/main", options: BackOptions(activationToken: long)) == ["! LimitExceeded"])
    }

    @Test func `S-39 S-37 what is beneath a layer is out of the reach of Back`() throws {
        var builder = builder()
        builder.flow(
            "device", children: .layers, layers: [Layer("apps"), Layer("lock")],
            on: ["open": [.flow("main")], "locked": [.flow("lock", .init(layer: "lock"))]])
        builder.flow("lock", initial: "code", children: .stack, on: ["code": [.screen("code")]])
        builder.flow("top", initial: "boot", children: .stack, on: ["boot": [.screen("page"), .flow("device")]])
        let world = try World(root: "top", builder)
        for step in ["open", "locked"] { try world.emit(step, on: "/top/device") }
        try world.show("/top/device/lock/code")
        for path in ["/top/device/lock/code", "/top/device/lock", "/top/device", "/top"] {
            #expect(try world.peekBack(path) == .unhandled, "\(path)")
            #expect(try world.back(path) == ["= unhandled 0"])
        }
        builder.flow(
            "device", children: .layers, layers: [Layer("apps"), Layer("lock")], onBack: "open",
            on: ["open": [], "locked": []])
        world.reload(builder)
        #expect(try world.peekBack("/top/device/lock/code") == .step("open"))
    }
}
