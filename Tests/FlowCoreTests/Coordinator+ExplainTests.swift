import Testing

@testable import FlowCore

/// Explanations of steps. Each emission of every test is compared with its explanation: ``World/handle(_:)``.
@Suite("Flow coordinator: explanations")
struct ExplainTests {
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["item": "int64"])
        builder.step("paid", ["result": "string?"])
        builder.step("pin", ["pin": "string"], isPrivate: true)
        builder.screen("list")
        builder.screen("detail", ["item": "int64?"], presenter: "com.shop")
        builder.flow(
            "main", children: .stack,
            on: [
                "open": [.screen("list", .init(step: "loaded"))],
                "loaded": [],
                "pick": .first([
                    DefinitionsBuilder.Branch(
                        unless: [.alive("payment")], parts: [.screen("detail", .init(style: "modal", reuses: true))]),
                    DefinitionsBuilder.Branch(parts: [.current("busy")]),
                ]),
                "pay": [.flow("payment", .init(onDismissed: "paid"))],
                "paid": .first([
                    DefinitionsBuilder.Branch(when: [.argument("result", .string("done"))], parts: [.popRoot]),
                    DefinitionsBuilder.Branch(when: [.argument("result", .string("later"))], parts: []),
                ]),
                "pin": .first([DefinitionsBuilder.Branch(when: [.argument("pin", .string("1234"))], parts: [])]),
                "home": [.screen("list", .init(clears: true))],
                "back": [.pop("list")],
                "up": [.parent("paid")],
            ])
        builder.flow(
            "payment", initial: "ask", on: ["ask": [.screen("till")], "done": [.end("paid")]])
        return builder
    }

    private func explain(
        _ world: World, _ step: String, _ arguments: KeyValuePairs<String, Value> = [:], on path: String,
        by client: String = ":1.1"
    ) throws -> Explanation {
        let (step, node) = (try world.id(ofStep: step), try world.node(path))
        let before = (world.standing, world.coordinator.serial)
        let explanation = world.coordinator.explain(
            step, arguments.map { Argument($0.key, $0.value) }, on: node, by: Client(client),
            at: Instant(microseconds: world.now))
        #expect(before == (world.standing, world.coordinator.serial))
        return explanation
    }

    @Test func `the navigation, and the steps that it triggers`() throws {
        let world = try World(root: "main", builder())
        let explanation = try explain(world, "pay", on: "/main")
        #expect(explanation.outcome == .navigated(serial: 1))
        #expect(
            explanation.lines == [
                "step 'pay' on flow '/main'",
                "  flow '/main/payment' is made",
                "  '/main' has '/main/payment' in front",
                "then the initial step 'ask' for flow '/main/payment'",
                "  screen '/main/payment/till' is made",
                "  '/main/payment' is ready",
            ])
        #expect(world.paths == ["/main"])
    }

    @Test func `S-35 which alternative is taken, and why the others are not`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        #expect(
            try explain(world, "pick", ["item": .uint16(7)], on: "/main").lines == [
                "step 'pick' (item = 7) on flow '/main'",
                "  alternative 1 of 2 is taken: no 'payment' is live in the tree",
                "  screen '/main/detail' is made (item = 7), style 'modal'",
                "  '/main' has '/main/detail' in front",
                "  the presenter 'com.shop' is called to show '/main/detail'",
            ])
        try world.emit("pay", on: "/main")
        #expect(
            try explain(world, "pick", ["item": .int64(7)], on: "/main").lines == [
                "step 'pick' (item = 7) on flow '/main'",
                "  alternative 1 of 2 is not taken: a 'payment' is live in the tree, which bars it (unless)",
                "  alternative 2 of 2 is taken",
                "  step 'busy' is triggered on the same flow",
                "then step 'busy' for flow '/main'",
                "  flow 'main' has no rule for step 'busy'",
                "  NavigationFailed reports it, as nobody waits for it",
            ])
        let unmatched = try explain(world, "paid", ["result": .string("never")], on: "/main")
        #expect(unmatched.outcome == .ignored(.unhandled))
        #expect(
            unmatched.lines == [
                "step 'paid' (result = 'never') on flow '/main'",
                "  alternative 1 of 2 is not taken: 'result' is 'never', not 'done'",
                "  alternative 2 of 2 is not taken: 'result' is 'never', not 'later'",
                "  no alternative of flow 'main' for step 'paid' matches",
            ])
        #expect(
            try explain(world, "paid", on: "/main").lines[1]
                == "  alternative 1 of 2 is not taken: the step has no argument 'result'")
    }

    @Test func `S-15 the gate names the cause of hiding, and the fate of the step`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        let hidden = try explain(world, "pay", on: "/main/list")
        #expect(hidden.outcome == .ignored(.hidden))
        #expect(
            hidden.lines == [
                "step 'pay' on screen '/main/list', for flow '/main'",
                "  it is not presented: nobody shows '/main/list' (SetVisible)",
                "  so it ignores steps (whenHidden = \"ignore\")",
            ])
        try world.show("/main/list")
        try world.emit("pay", on: "/main")
        #expect(
            try explain(world, "pay", on: "/main/list").lines[1]
                == "  it is not presented: '/main/payment' covers '/main/list'")
        try world.hide("/main/list")
        #expect(
            try explain(world, "pay", on: "/main/list").lines[1]
                == "  it is not presented: nobody shows '/main/list' (SetVisible), and '/main/payment' covers it")
        try world.hide("/main")
        #expect(
            try explain(world, "pay", on: "/main/list").lines[1]
                == "  it is not presented: nobody shows '/main' (SetVisible)")
    }

    @Test func `S-15 steps deferred earlier go first, or are dropped for it`() throws {
        for (whenHidden, line) in [
            (WhenHidden.queue, "  so the step is deferred until it is (whenHidden = \"queue\"), behind 2 others"),
            (.latest, "  step 'b', which was deferred, is dropped for it"),
            (.allow, "  it takes steps all the same (whenHidden = \"allow\")"),
        ] {
            var builder = DefinitionsBuilder()
            builder.flow("main", whenHidden: whenHidden, on: ["a": [], "b": []])
            let world = try World(root: "main", builder)
            try world.hide("/main")
            for step in ["a", "b"] { try world.emit(step, on: "/main") }
            let explanation = try explain(world, "a", on: "/main")
            #expect(explanation.lines.contains(line), "\(explanation.lines)")
            #expect(explanation.outcome == (whenHidden == .allow ? .navigated(serial: 3) : .ignored(.deferred)))
        }
    }

    @Test func `S-16 an initial step waits with its screen, and a deferred one is taken when the screen is presented`()
        throws
    {
        var builder = builder()
        builder.flow("tabs", children: .tabs, on: ["next": [.screen("list", .init(reuses: true))], "loaded": []])
        let world = try World(root: "main", builder)
        #expect(
            try explain(world, "open", on: "/main").lines[1]
                == "  screen '/main/list' is made; its initial step 'loaded' waits until it is presented")
    }

    @Test func `S-19 S-20 S-21 dismissed and reused children, and the targets of forwards`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        try world.emit("pick", ["item": .int64(1)], on: "/main")
        #expect(
            try explain(world, "pick", ["item": .int64(2)], on: "/main").lines[2...] == [
                "  '/main/detail' is used again (reuse), style 'modal'",
                "  '/main/detail' has (item = 2)",
                "  the presenter 'com.shop' is called to show '/main/detail'",
            ])
        #expect(
            try explain(world, "back", on: "/main").lines[1...] == [
                "  the children that are newer than 'list' go (pop)",
                "  screen '/main/detail' goes",
                "  '/main' has '/main/list' in front",
            ])
        #expect(
            try explain(world, "home", on: "/main").lines[1...3] == [
                "  all children of the flow go first (clear)",
                "  screen '/main/detail' goes",
                "  screen '/main/list' goes",
            ])
        #expect(
            try explain(world, "up", on: "/main").lines[1...] == [
                "  step 'paid' is for the parent, but the flow is a root",
                "  '/main' is a root: it has no parent that could take step 'paid'",
            ])
        try world.emit("pay", on: "/main")
        #expect(
            try explain(world, "done", on: "/main/payment").lines == [
                "step 'done' on flow '/main/payment'",
                "  the flow ends, and step 'paid' is triggered on its parent '/main'",
                "  screen '/main/payment/till' goes",
                "  '/main' has '/main/detail' in front",
                "  flow '/main/payment' goes",
                "then step 'paid' for flow '/main'",
                "  alternative 1 of 2 is not taken: the step has no argument 'result'",
                "  alternative 2 of 2 is not taken: the step has no argument 'result'",
                "  no alternative of flow 'main' for step 'paid' matches",
                "  NavigationFailed reports it, as nobody waits for it",
            ])
    }

    @Test func `S-17 a rule that contributes nothing`() throws {
        let world = try World(root: "main", builder())
        #expect(
            try explain(world, "loaded", on: "/main").lines[1...]
                == ["  the rule contributes nothing, which is a navigation all the same"])
    }

    @Test func `S-3 S-13 an error has a reason, and changes nothing`() throws {
        var builder = builder()
        builder.flow("fixed", on: ["two": [.screen("list", .init(id: "a")), .screen("list", .init(id: "a"))]])
        let world = try World(root: "fixed", builder)
        let taken = try explain(world, "two", on: "/fixed")
        #expect(taken.outcome == .refused(FlowError(.idTaken, "the id 'a' is taken below '/fixed'")))
        #expect(taken.lines == ["step 'two' on flow '/fixed'", "  the id 'a' is taken below '/fixed'"])
        let mistyped = try explain(world, "pick", ["itm": .int64(1)], on: "/fixed")
        guard case .refused(let error) = mistyped.outcome else {
            Issue.record("\(mistyped)")
            return
        }
        #expect(error.code == .invalidArguments)
        #expect(mistyped.lines == ["step 'pick' (itm = 1) on flow '/fixed'", "  " + error.message])
        #expect(error.message.hasSuffix("did you mean 'item'?"))
        #expect(Explanation(refusal: error).lines == [error.message])
    }

    @Test func `S-5 other processes are not asked: it names them`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", guarded: (by: "com.auth", steps: ["go"]), on: ["go": [], "on": []])
        builder.flow("far", navigated: (by: "com.far", steps: ["go"]))
        let world = try World(root: "main", builder)
        try world.coordinate("far")
        let asked = try explain(world, "go", on: "/main")
        #expect(asked.outcome == .ignored(.pending))
        #expect(asked.lines.count == 2 && asked.lines[1].contains("guard 'com.auth'"))
        #expect(try explain(world, "go", on: "/far").lines[1].contains("navigator 'com.far'"))
        let untaken = try explain(world, "on", on: "/far").lines[1]
        #expect(untaken.contains("navigator 'com.far'") && untaken.contains("'on'"))
        #expect(try explain(world, "on", on: "/main").outcome == .navigated(serial: 1))
        try world.emit("go", on: "/main")
        try world.emit("on", on: "/main", by: ":1.2")
        let behind = try explain(world, "on", on: "/main")
        #expect(behind.outcome == .ignored(.pending))
        #expect(behind.lines[1].contains("behind 1 other"))
        // Explain asked nobody.
        #expect(world.coordinator.questions.count == 1)
    }

    @Test func `S-32 emitters are named, and the caller if it is one`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", emitters: ["com.till"], on: ["go": []])
        let world = World(builder)
        world.own("com.till", ":1.7")
        try world.coordinate("main", by: ":1.7")
        let refused = try explain(world, "go", on: "/main")
        #expect(refused.lines.contains { $0.contains("only from the owner of 'com.till'") })
        #expect(
            try explain(world, "go", on: "/main", by: ":1.7").lines[1]
                == "  ':1.7' may emit here, as it owns 'com.till'")
    }

    @Test func `S-11 an endless cascade ends, and so does its text`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["go": [.screen("a"), .screen("a"), .current("go")]])
        let world = try World(root: "main", builder)
        let explanation = try explain(world, "go", on: "/main")
        #expect(explanation.outcome == .navigated(serial: 1))
        #expect(explanation.lines.count == Limits.explanationLines + 2)
        #expect(explanation.lines[Limits.explanationLines].hasPrefix("… and "))
        #expect(explanation.lines.last?.contains("further ones were dropped") == true)
        var short = DefinitionsBuilder()
        short.flow("main", on: ["go": [.current("go")]])
        let looped = try explain(try World(root: "main", short), "go", on: "/main")
        #expect(looped.lines.last?.contains("further ones were dropped") == true, "\(looped.lines.suffix(3))")
        #expect(world.paths == ["/main"])
    }

    @Test
    func `private arguments are shown if the caller gave them, and no text reveals the values that a rule expects`()
        throws
    {
        let world = try World(root: "main", builder())
        let lines = try explain(world, "pin", ["pin": .string("4711")], on: "/main").lines
        #expect(lines[0] == "step 'pin' (pin = '4711') on flow '/main'")
        #expect(lines[1] == "  alternative 1 of 1 is not taken: 'pin' is not what it asks for")
        #expect(!lines.joined().contains("1234"))
        let met = try explain(world, "pin", ["pin": .string("1234")], on: "/main").lines
        #expect(met[1] == "  alternative 1 of 1 is taken: 'pin' is what it asks for")
    }

    @Test func `S-10 of what follows it says that a value is private, and not the value`() throws {
        var builder = builder()
        builder.screen("pad", ["pin": "string?", "digits": "int64?"])
        let child = DefinitionsBuilder.Child(
            with: [Binding("pin", .step("pin")), Binding("digits", .literal(.int64(4)))])
        builder.flow("main", on: ["pin": [.screen("pad", child)]])
        let lines = try explain(World(root: "main", builder), "pin", ["pin": .string("4711")], on: "/main").lines
        #expect(lines.contains("  screen '/main/pad' is made (pin = (private), digits = 4)"), "\(lines)")
    }

    @Test func `a text of the caller stays in its line`() throws {
        let world = try World(root: "main", builder())
        let text = "never\n" + String(repeating: "x", count: 1_000)
        let lines = try explain(world, "paid", ["result": .string(text)], on: "/main").lines
        #expect(lines[0].hasPrefix("step 'paid' (result = 'never\\nxxx"))
        #expect(lines[0].utf8.count < 250)
    }

    @Test func `a presentable that is gone`() throws {
        let world = try World(root: "main", builder())
        let (node, step) = (try world.node("/main"), try world.id(ofStep: "pay"))
        try world.dismiss("/main")
        let explanation = world.coordinator.explain(
            step, [], on: node, by: Client(":1.1"), at: Instant(microseconds: 0))
        #expect(explanation.outcome == .refused(FlowError(.presentableDismissed, "the presentable is gone")))
    }

    @Test func `a copy is independent, with its own timers`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", idle: (after: 1_000, step: "home"), on: ["home": []])
        let world = try World(root: "main", builder)
        var copy = world.coordinator.copy()
        let (timer, original) = (copy.alarms.timer, world.coordinator.alarms.timer)
        #expect(timer == original)
        #expect(timer == Instant(microseconds: 1_000))
        let effects = copy.handle(.timerFired, at: Instant(microseconds: 1_000))
        #expect(world.coordinator.serial == 0)
        #expect(world.wait(1_000) == effects.map(\.line))
    }
}
