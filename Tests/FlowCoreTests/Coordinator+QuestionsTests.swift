import Testing

@testable import FlowCore

@Suite("Flow coordinator: guards")
struct QuestionsTests {
    /// A flow whose guard is asked about everything.
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["item": "int64?"])
        builder.step("buy", ["item": "int64"])
        builder.screen("page", ["item": "int64?"])
        builder.flow(
            "main", announces: true, guarded: ("com.auth", []),
            on: ["pick": [.screen("page")], "buy": [.screen("page")], "go": [.current("pick", [])]])
        builder.step("strange")
        return builder
    }

    // MARK: Its answers

    @Test func `S-5 S-9 a guard lets a step pass, and the verdict comes with its answer`() throws {
        let world = try World(root: "main", builder())
        #expect(
            try world.emit("pick", ["item": .byte(1)], on: "/main")
                == ["guard? com.auth #1: /main pick {item=1}", "timer 15000000"])
        #expect(world.paths == ["/main"])
        #expect(
            try world.adapt(1, to: "pick", ["item": .byte(1)]) == [
                "will /main pick {item=1}", "+ /main/page {item=1}",
                "did 1 after 0 by :1.1: /main pick {item=1} [screen page /main/page {item=1}]", "= navigated 1",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-5 S-10 a guard replaces a step, and the replacement is reported and not adapted again`() throws {
        let world = try World(root: "main", builder())
        try world.emit("pick", ["item": .byte(1)], on: "/main")
        #expect(
            try world.adapt(1, to: "buy", ["item": .byte(7)]) == [
                "will /main buy {item=7}", "+ /main/page {item=7}",
                "did 1 after 0 by :1.1: /main buy {item=7} [screen page /main/page {item=7}] for pick",
                "= navigated 1",
            ])
        guard case .emitNavigationWillOccur(let will)? = world.effects.first else { throw World.UnexpectedEffect() }
        #expect(will.adaptedFrom == "pick")
        // The same step with other arguments counts as the same step.
        try world.emit("pick", ["item": .byte(1)], on: "/main")
        #expect(
            try world.adapt(2, to: "pick").contains("did 2 after 0 by :1.1: /main pick [screen page /main/page_2]"))
        #expect(world.waiting == [])
    }

    @Test func `S-5 S-9 a step that its guard refuses is rejected, and nothing else happens`() throws {
        let world = try World(root: "main", builder())
        let standing = world.standing
        try world.emit("pick", on: "/main")
        #expect(world.answer(1, GuardAnswer.rejected) == ["= rejected 0"])
        #expect(world.standing == standing)
        #expect(world.waiting == [])
    }

    @Test func `S-5 S-12 a rejected step that no caller waits for is reported`() throws {
        let world = try World(root: "main", builder())
        try world.emit("go", on: "/main", by: ":1.7")
        #expect(
            try world.adapt(1, to: "go") == [
                "will /main go", "did 1 after 0 by :1.7: /main go [current pick /main]",
                "guard? com.auth #2: /main pick", "= navigated 1",
            ])
        #expect(world.answer(2, GuardAnswer.rejected) == ["failed after 1 by :1.7: /main pick rejected"])
        #expect(world.failures.first?.message == "the guard of '/main' refused step 'pick'")
        try world.emit("go", on: "/main", by: ":1.7")
        try world.adapt(3, to: "go")
        #expect(world.answer(4, GuardAnswer.timedOut) == ["failed after 2 by :1.7: /main pick GuardTimeout"])
        #expect(world.waiting == [])
    }

    private static let bad: [(GuardAnswer, FlowError.Code, String)] = [
        (.failed("'org.x.Bad': no"), .guardFailed, "the guard 'com.auth' failed: 'org.x.Bad': no"),
        (.timedOut, .guardTimeout, "the guard 'com.auth' did not answer in time"),
        (
            .step(StepID(0), []), .guardFailed,
            "the guard 'com.auth' answered what can't be: step 'buy' needs the argument 'item' of type int64"
        ),
        (
            .step(StepID(0), [Argument("item", .string("x"))]), .guardFailed,
            "the guard 'com.auth' answered what can't be: the argument 'item' of step 'buy' is 'x', of type string; "
                + "it has to be of type int64"
        ),
        (
            .step(StepID(0), (0...64).map { Argument("a\($0)", .byte(1)) }), .guardFailed,
            "the guard 'com.auth' answered what can't be: step 'buy' was given 65 arguments; at most 64 are allowed"
        ),
    ]

    @Test(arguments: bad.indices)
    func `S-5 S-13 a guard that fails, is late or answers with something invalid fails the step only`(index: Int) throws
    {
        let (answer, code, message) = Self.bad[index]
        let world = try World(root: "main", builder())
        #expect(try world.id(ofStep: "buy") == StepID(0))
        let standing = world.standing
        try world.emit("pick", on: "/main")
        #expect(world.answer(1, answer) == ["! \(code.rawValue)"])
        #expect(try world.refusal().message == message)
        #expect(world.standing == standing)
        #expect(world.waiting == [])
        try world.emit("pick", on: "/main")
        #expect(world.pass().last == "= navigated 1")
    }

    // MARK: What it is asked

    @Test func `S-5 a guard is asked about its own steps only, also after it replaced one`() throws {
        var builder = builder()
        builder.flow(
            "main", guarded: ("com.auth", ["pick", "buy"]), on: ["pick": [], "buy": [], "go": [.current("pick", [])]])
        let world = try World(root: "main", builder)
        #expect(try world.emit("strange", on: "/main") == ["= unhandled 0"])
        #expect(
            try world.emit("go", on: "/main") == [
                "did 1 after 0 by :1.1: /main go [current pick /main]", "guard? com.auth #1: /main pick",
                "= navigated 1",
            ])
        #expect(
            try world.adapt(1, to: "buy", ["item": .byte(1)])
                == ["did 2 after 1 by :1.1: /main buy {item=1} [] for pick"])
        #expect(world.waiting == [])
    }

    /// Each way in which a step reaches a flow.
    private static let branches: [(String, @Sendable (World) throws -> Void)] = [
        ("on the flow", { try $0.emit("pick", on: "/main") }),
        ("on a screen", { try $0.emit("pick", on: "/main/a") }),
        ("in a list", { try $0.emitAll(["pick"], on: "/main") }),
        ("to all flows", { try $0.navigate("pick") }),
        ("along a path", { try $0.navigateAlong([("main", "pick")]) }),
        ("by Back", { try $0.back("/main") }),
        ("by a dismissal", { try $0.dismiss("/main/a") }),
        ("by time", { $0.wait(100) }),
        ("from a child flow", { try $0.emit("up", on: "/main/sub") }),
        ("from a child flow that ends", { try $0.emit("stop", on: "/main/sub") }),
        ("by the flow itself", { try $0.emit("again", on: "/main") }),
        ("when a screen is presented", { try $0.show("/main/late") }),
        ("kept until a screen is presented", { try $0.show("/main/kept") }),
        ("when the flow begins", { try $0.coordinate("main", id: "other", step: "pick") }),
        ("when a child flow begins", { try $0.emit("more", on: "/main") }),
    ]

    @Test(arguments: branches.indices)
    func `S-5 S-16 S-20 S-21 S-23 S-24 S-27 S-34 a guard is asked once about each step, however it comes`(
        index: Int
    ) throws {
        let (what, event) = Self.branches[index]
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", onBack: "pick", idle: (100, "pick"), guarded: ("com.auth", ["pick"]),
            on: [
                "open": [
                    .screen("a", .init(onDismissed: "pick")), .screen("late", .init(step: "pick")),
                    .screen("kept", .init(whenHidden: .queue)), .flow("sub"),
                ],
                "pick": [], "again": [.current("pick")], "more": [.flow("main", .init(step: "pick"))],
            ])
        builder.flow("sub", on: ["up": [.parent("pick")], "stop": [.end("pick")]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.show("/main/a")
        if what.hasPrefix("kept") { try world.emit("pick", on: "/main/kept") }
        try event(world)
        let flow = ["when the flow begins": "/other", "when a child flow begins": "/main/main"][what] ?? "/main"
        #expect(world.asked == ["\(flow) pick"], "\(what)")
        #expect(!world.navigations.contains("\(flow) pick"), "\(what)")
        let question = try #require(world.questions.first)
        world.pass(question)
        #expect(world.navigations == ["\(flow) pick"], "\(what)")
        #expect(world.asked == [], "\(what)")
        #expect(world.coordinator.questions.isEmpty && world.coordinator.blocked.isEmpty, "\(what)")
    }

    @Test func `S-5 the question has the sender, the emitting presentable, the cause, and whether it may ask the user`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["pin": "string"], isPrivate: true)
        builder.flow(
            "main", guarded: ("com.auth", ["pick"]),
            on: ["open": [.screen("a"), .flow("sub")], "pick": []])
        let pin = Binding("pin", .literal(.string("1234")))
        builder.flow("sub", on: ["up": [.parent("pick", [pin])]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.show("/main/a")
        try world.emit(
            "pick", ["pin": .string("99")], on: "/main/a", by: ":1.7", options: EmissionOptions(isInteractive: true))
        let service = Service("com.auth", path: "/guard", timeout: Limits.guardTimeout)
        let arguments = [Argument("pin", .string("99"), isPrivate: true)]
        let question = Question(
            id: QuestionID(1), service: service, flow: "/main", step: "pick", arguments: arguments,
            client: Client(":1.7"), presentable: "/main/a", instance: try world.state("/main/a").instance, cause: 0,
            isInteractive: true)
        #expect(world.questions == [question])
        world.pass()
        #expect(world.effects.last.map(\.line) == "= navigated 2")
        for isInteractive in [true, false] {
            try world.emit(
                "up", on: "/main/sub", by: ":1.8", options: EmissionOptions(isInteractive: isInteractive))
            let asked = try #require(world.questions.first)
            #expect(asked.presentable == "/main")
            #expect(asked.instance == (try world.state("/main").instance))
            #expect(asked.cause == world.coordinator.serial)
            #expect(asked.client == Client(":1.8"))
            #expect(asked.isInteractive == isInteractive)
            #expect(asked.arguments == [Argument("pin", .string("1234"), isPrivate: true)])
            world.pass()
        }
    }

    // MARK: Answers that no caller waits for

    @Test func `S-5 a second answer, a late one and one without a question are ignored`() throws {
        let world = try World(root: "main", builder())
        let pick = GuardAnswer.step(try world.id(ofStep: "pick"), [])
        try world.emit("pick", on: "/main")
        #expect(world.answer(2, pick) == [])
        #expect(world.answer(1, NavigatorAnswer.contributors([])) == [])
        #expect(world.presented(1, by: ":1.1") == [])
        #expect(world.waiting.contains("questions"))
        #expect(world.answer(1, pick).last == "= navigated 1")
        let standing = world.standing
        #expect(world.answer(1, pick) == [])
        #expect(world.answer(1, GuardAnswer.rejected) == [])
        #expect(world.standing == standing)
        try world.emit("pick", on: "/main")
        try world.dismiss("/main")
        #expect(world.answer(2, pick) == [])
        #expect(world.coordinator.accounting == Accounting())
    }

    @Test func `S-5 S-25 an answer for a removed flow does not apply to another at the same path`() throws {
        let world = try World(root: "main", builder())
        try world.emit("pick", on: "/main")
        try world.dismiss("/main")
        try world.coordinate("main")
        try world.emit("pick", on: "/main")
        #expect(world.asked == ["/main pick"])
        #expect(try world.adapt(1, to: "pick") == [])
        #expect(try world.adapt(2, to: "pick").last == "= navigated 1")
    }

    // MARK: Who may not emit

    /// Flows of a guard and of a navigator that each wait for it, and one more.
    private func deadlock() throws -> World {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", isUnique: true, onBack: "pick", guarded: ("com.auth", ["pick"]),
            on: ["pick": [], "open": [.screen("a", .init(whenHidden: .queue))], "go": []])
        builder.flow("shop", onBack: "pick", navigated: ("com.shop", ["pick"]), on: [:])
        builder.flow("other", on: ["go": [], "pick": []])
        let world = World(builder)
        for flow in ["main", "shop", "other"] { try world.coordinate(flow) }
        try world.emit("open", on: "/main")
        world.own("com.auth", ":1.5")
        world.own("com.shop", ":1.6")
        for path in ["/main", "/shop"] { try world.emit("pick", on: path) }
        return world
    }

    @Test(arguments: [":1.5", "com.auth"])
    func `S-32 a guard that emits on the flow that waits for it is refused at once; other flows take its steps`(
        client: String
    ) throws {
        let world = try deadlock()
        let standing = world.standing
        for path in ["/main", "/main/a"] {
            // Also a step that it would not be asked about, as that would wait behind the other.
            for step in ["pick", "go"] {
                #expect(try world.emit(step, on: path, by: client) == ["! WouldDeadlock"])
            }
        }
        #expect(
            try world.refusal().message
                == "flow '/main' waits for its guard 'com.auth', which is the client that emits on it; it has to answer "
                + "first")
        #expect(try world.emitAll(["pick", "go"], on: "/main", by: client) == ["= [WouldDeadlock, WouldDeadlock]"])
        #expect(try world.back("/main", by: client) == ["! WouldDeadlock"])
        #expect(try world.navigateAlong([("main", "go")], by: client) == ["! PathFailed"])
        #expect(try world.refusal().message.hasPrefix("segment 1 ('main'): flow '/main' waits for its guard"))
        #expect(world.standing == standing)
        #expect(try world.emit("go", on: "/other", by: client).last == "= navigated 2")
        try world.navigate("go", by: client)
        #expect(world.navigations == ["/other go"])
        world.answer(1, GuardAnswer.rejected)
        world.answer(2, NavigatorAnswer.contributors([]))
        #expect(world.lines.last == "= [/main WouldDeadlock, /shop unhandled, /other navigated 3]")
        #expect(try world.emit("go", on: "/main", by: client).last?.hasPrefix("= navigated") == true)
    }

    @Test func `S-32 a guard that emits without waiting for the outcome is no deadlock: its step is taken afterwards`()
        throws
    {
        let world = try deadlock()
        let options = EmissionOptions(waits: false)
        #expect(try world.emit("go", on: "/main", by: ":1.5", options: options) == ["= pending 0"])
        world.answer(1, GuardAnswer.rejected)
        #expect(
            world.lines == [
                "= rejected 0", "did 2 after 0 by :1.5: /main go []", "concluded /main for :1.5: navigated 2",
            ])
    }

    @Test(arguments: [":1.5", "com.auth"])
    func `S-32 a path of a guard that does not block waits for it`(client: String) throws {
        let world = try deadlock()
        #expect(try !world.navigateAlong([("main", "go")], by: client, blocks: false).contains { $0.hasPrefix("!") })
        world.answer(1, GuardAnswer.rejected)
        #expect(
            world.lines
                == ["= rejected 0", "did 2 after 0 by \(client): /main go [] deep link", "= [/main navigated 2]"])
    }

    @Test(arguments: [":1.6", "com.shop"])
    func `S-32 so is a navigator; in a deep link it is that flow's outcome`(client: String) throws {
        let world = try deadlock()
        #expect(try world.emit("pick", on: "/shop", by: client) == ["! WouldDeadlock"])
        #expect(try world.back("/shop", by: client) == ["! WouldDeadlock"])
        #expect(try world.refusal().message.hasPrefix("flow '/shop' waits for its navigator 'com.shop'"))
        #expect(try world.navigate("pick", by: client) == ["did 2 after 0 by \(client): /other pick [] deep link"])
        world.answer(1, GuardAnswer.rejected)
        world.pass()
        #expect(
            world.lines.last == "= [/main navigated 3, /shop WouldDeadlock, /other navigated 2]")
    }

    @Test func `S-32 the owner of another name, or a former owner of the guard's, may emit`() throws {
        let world = try deadlock()
        #expect(try world.emit("go", on: "/main", by: ":1.6") == [])
        world.own("com.auth", ":1.9")
        #expect(try world.emit("go", on: "/main", by: ":1.5") == [])
        #expect(try world.emit("go", on: "/main", by: ":1.9") == ["! WouldDeadlock"])
        world.answer(1, GuardAnswer.rejected)
        #expect(world.navigations == ["/main go", "/main go"])
    }
}
