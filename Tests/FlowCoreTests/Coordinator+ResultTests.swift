import Testing

@testable import FlowCore

/// Screens and flows that answer (S-45).
@Suite("Flow coordinator: results")
struct ResultTests {
    /// What `onResult` gives to its step by default here.
    private static let handed = [
        Binding("contact", .result("contact")), Binding("movie", .asked("movieId")), Binding("who", .childName),
        Binding("own", .flow("lang")), Binding("mode", .step("mode")),
    ]

    /// `/main` shows a screen `pad` or a flow `picker`, both with a result; it takes `picked` for a result, and `gone` for
    /// a dismissal.
    private func builder(
        isReused: Bool = false, isPublic: Bool = false, onResult: String? = "picked", with bindings: [Binding]? = handed
    ) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("ask", ["movieId": "int64?", "mode": "string?"])
        builder.step("pick", ["movieId": "int64?", "mode": "string?"])
        builder.step(
            "picked",
            ["contact": "int64?", "movie": "int64?", "who": "string?", "own": "string?", "mode": "string?"])
        builder.step("gone", ["why": "string?"])
        builder.step("chosen", ["contact": "int64?"])
        builder.screen(
            "pad", ["mode": "string?"], result: ["contact": "int64", "note": "string?"], isResultPublic: isPublic)
        builder.screen("plain")
        let child = DefinitionsBuilder.Child(
            reuses: isReused, onDismissed: "gone", onDismissedWith: [Binding("why", .reason)], onResult: onResult,
            onResultWith: bindings)
        builder.flow(
            "main", ["lang": "string?"], initial: "start", children: .stack,
            on: [
                "start": [.screen("plain")], "ask": [.screen("pad", child)], "pick": [.flow("picker", child)],
                "again": [.screen("pad", .init(reuses: true))], "picked": [], "gone": [], "clear": [.popRoot],
            ])
        builder.flow(
            "picker", ["mode": "string?"], result: ["contact": "int64"], isResultPublic: isPublic, initial: "open",
            children: .stack,
            on: [
                "open": [.screen("list")], "chosen": [.answer([Binding("contact", .step("contact"))])],
                "close": [.end()], "leave": [.end("gone")],
            ])
        return builder
    }

    private func makeWorld(_ builder: DefinitionsBuilder) throws -> World {
        let world = World(builder)
        try world.coordinate("main", ["lang": .string("en")])
        return world
    }

    /// A world with `/main/pad`, owned by `:1.7` and contributed for the movie 7.
    private func asked(_ builder: DefinitionsBuilder) throws -> World {
        let world = try makeWorld(builder)
        try world.emit("ask", ["movieId": .int64(7), "mode": .string("all")], on: "/main", by: ":1.2")
        try world.claim("/main/pad", by: ":1.7")
        return world
    }

    @Test func `S-45 a screen that its owner finishes triggers onResult with the result, and with what was asked`()
        throws
    {
        var builder = builder()
        builder.screen(
            "shown", ["contact": "int64?", "movie": "int64?", "who": "string?", "own": "string?", "mode": "string?"])
        let shown = DefinitionsBuilder.Part.screen("shown")
        builder.flow(
            "main", ["lang": "string?"], children: .stack,
            on: [
                "ask": [.screen("pad", .init(onDismissed: "gone", onResult: "picked", onResultWith: Self.handed))],
                "picked": [shown], "gone": [],
            ])
        let world = try asked(builder)
        let lines = try world.finish("/main/pad", ["contact": .byte(5)], by: ":1.7")
        #expect(
            lines == [
                "- /main/pad", "~ /main current=/", "+ /main/shown {movie=7, who=pad, own=en, mode=all}",
                "~ /main current=/main/shown",
                "did 2 after 0 by :1.7: /main picked {movie=7, who=pad, own=en, mode=all} "
                    + "[screen shown /main/shown {movie=7, who=pad, own=en, mode=all}]",
                "= done",
            ])
        // The value of the result has its declared type, and stays private.
        let contact = try world.forestNode("/main/shown").arguments["contact"]
        #expect(contact == Argument("contact", .int64(5), isPrivate: true))
        #expect(world.effects.allSatisfy { if case .withdraw = $0 { false } else { true } })
    }

    @Test func `S-45 without arguments the step gets those values of the result that it declares`() throws {
        let builder = builder(with: nil)
        let world = try asked(builder)
        try world.finish("/main/pad", ["contact": .int64(5), "note": .string("x")], by: ":1.7")
        #expect(world.navigations == ["/main picked"])
        #expect(try world.forestNode("/main").flow?.activity.last?.arguments == [])
    }

    @Test func `S-45 a rule ends its flow with a result, which sets off onResult alone`() throws {
        let world = try makeWorld(builder())
        try world.emit("pick", ["movieId": .int64(7)], on: "/main")
        let lines = try world.emit("chosen", ["contact": .int64(5)], on: "/main/picker", by: ":1.3")
        #expect(world.navigations == ["/main/picker chosen", "/main picked"])
        // The contributor has no value and no path; the step has those that are not private.
        #expect(
            lines.contains { $0.hasPrefix("did 5 after 4 by :1.3: /main picked {movie=7, who=picker, own=en} []") },
            "\(lines)")
        #expect(lines.contains { $0.contains("/main/picker chosen {contact=5} [end]") }, "\(lines)")
        #expect(lines.last == "= navigated 4")
    }

    @Test func `S-45 the values of a public result are as public as those of a step`() throws {
        let world = try asked(builder(isPublic: true))
        #expect(
            try world.finish("/main/pad", ["contact": .int64(5)], by: ":1.7").contains {
                $0.contains("/main picked {contact=5, movie=7, who=pad, own=en, mode=all} []")
            })
        try world.emit("pick", ["movieId": .int64(7)], on: "/main")
        let lines = try world.emit("chosen", ["contact": .int64(6)], on: "/main/picker")
        #expect(lines.contains { $0.contains("/main picked {contact=6, movie=7, who=picker, own=en} []") }, "\(lines)")
    }

    @Test func `S-10 S-45 a private value stays private in a public result`() throws {
        var builder = builder(isPublic: true)
        builder.step("chosen", ["contact": "int64?"], isPrivate: true)
        let world = try makeWorld(builder)
        try world.emit("pick", ["movieId": .int64(7)], on: "/main")
        let lines = try world.emit("chosen", ["contact": .int64(6)], on: "/main/picker")
        #expect(lines.contains { $0.contains("/main picked {movie=7, who=picker, own=en} []") }, "\(lines)")
    }

    @Test func `S-45 S-23 a flow with a result that ends without one sets off onDismissed with ended`() throws {
        let world = try makeWorld(builder())
        try world.emit("pick", on: "/main")
        try world.emit("close", on: "/main/picker")
        #expect(world.navigations == ["/main/picker close", "/main gone"])
        #expect(try world.forestNode("/main").flow?.activity.last?.arguments == [Argument("why", .string("ended"))])
        // Its own step comes first.
        try world.emit("pick", on: "/main")
        try world.emit("leave", on: "/main/picker")
        #expect(world.navigations == ["/main/picker leave", "/main gone", "/main gone"])
        // Without a declared result, `end` sets off nothing.
        var silent = builder(onResult: nil)
        silent.flow("picker", initial: "open", on: ["open": [.screen("list")], "close": [.end()]])
        let other = try makeWorld(silent)
        try other.emit("pick", on: "/main")
        try other.emit("close", on: "/main/picker")
        #expect(other.navigations == ["/main/picker close"])
    }

    @Test func `S-45 S-23 a rule of the flow that removes it sets off nothing, others set off onDismissed`() throws {
        let world = try asked(builder())
        try world.emit("clear", on: "/main")
        #expect(world.navigations == ["/main clear"])
        let dismissed = try asked(builder())
        try dismissed.dismiss("/main/pad", by: ":1.7")
        #expect(dismissed.navigations == ["/main gone"])
        #expect(
            try dismissed.forestNode("/main").flow?.activity.last?.arguments == [Argument("why", .string("dismissed"))])
    }

    @Test func `S-45 S-36 a flow that its last screen's result empties goes after the step for the result`() throws {
        var builder = builder()
        builder.flow(
            "picker", result: ["contact": "int64"], initial: "open",
            on: [
                "open": [.screen("pad", .init(onResult: "chosen"))],
                "chosen": .first([
                    .init(
                        when: [.argument("contact", .int64(1))],
                        parts: [.answer([Binding("contact", .step("contact"))])]),
                    .init(parts: []),
                ]),
            ])
        for (contact, why) in [(Int64(1), "picked"), (2, "gone")] {
            let world = try makeWorld(builder)
            try world.emit("pick", on: "/main")
            try world.claim("/main/picker/pad", by: ":1.7")
            try world.finish("/main/picker/pad", ["contact": .int64(contact)], by: ":1.7")
            #expect(world.navigations == ["/main/picker chosen", "/main \(why)"])
        }
    }

    @Test func `S-45 only the owner of a screen with a result finishes it, and a refused call changes nothing`() throws
    {
        let world = try asked(builder())
        try world.claim("/main/plain", by: ":1.7")
        try world.claim("/main", by: ":1.7")
        func refused(
            _ path: String, _ result: KeyValuePairs<String, Value>, by client: String = ":1.7",
            _ code: FlowError.Code, _ text: String
        ) throws {
            try expectRefusal(world, code, with: text) { try world.finish(path, result, by: client) }
        }
        try refused("/main/pad", ["contact": .int64(1)], by: ":1.8", .notOwner, "':1.8'")
        try refused("/main", [:], .notSupported, "'/main' is a flow")
        try refused("/main/plain", [:], .notSupported, "screen 'plain' declares no 'result'")
        try refused("/main/pad", [:], .invalidArguments, "the result of screen 'pad' needs the argument 'contact'")
        try refused(
            "/main/pad", ["contact": .int64(1), "conta": .int64(2)], .invalidArguments,
            "the result of screen 'pad' has no argument 'conta'")
        try refused("/main/pad", ["contact": .string("secret")], .invalidArguments, "of type int64, not string")
        try refused(
            "/main/pad", ["contact": .int64(1), "contact": .int64(2)], .invalidArguments, "more than once")
    }

    @Test func `S-45 S-33 a result can take 64 KiB, and not one byte more`() throws {
        let world = try asked(builder())
        let contact = Argument("contact", .int64(1))
        let empty = [contact, Argument("note", .string(""))].byteCount
        let text = String(repeating: "x", count: Limits.argumentBytes - empty)
        try expectRefusal(world, .limitExceeded, with: "\(Limits.argumentBytes)") {
            try world.finish("/main/pad", ["contact": .int64(1), "note": .string(text + "x")], by: ":1.7")
        }
        #expect(
            try world.finish("/main/pad", ["contact": .int64(1), "note": .string(text)], by: ":1.7").last == "= done")
    }

    @Test func `S-45 S-33 what was asked counts like the arguments of the child, as far as it is kept`() throws {
        func usage(_ bindings: [Binding]?) throws -> Int {
            let world = try asked(builder(with: bindings))
            return world.coordinator.copy().forest.accounting.clients[Client(":1.2")]?.bytes ?? 0
        }
        let kept = [Argument("movieId", .int64(7))].byteCount
        #expect(try usage([Binding("movie", .asked("movieId"))]) == usage(nil) + kept)
        #expect(try usage([Binding("contact", .result("contact"))]) == usage(nil))
    }

    @Test func `S-45 S-19 who reuses the child gets its answer, and keeps the former onDismissed`() throws {
        let world = try asked(builder(isReused: true))
        try world.emit("ask", ["movieId": .int64(8)], on: "/main", by: ":1.3")
        try world.finish("/main/pad", ["contact": .int64(5)], by: ":1.7")
        #expect(try world.forestNode("/main").flow?.activity.last?.arguments["movie"]?.value == .int64(8))
        // A contributor without `onResult` expects no answer.
        let other = try asked(builder())
        try other.emit("again", on: "/main")
        let lines = try other.finish("/main/pad", ["contact": .int64(5)], by: ":1.7")
        #expect(
            lines == [
                "- /main/pad", "~ /main current=/main/plain", "= done",
            ])
        let dismissed = try asked(builder())
        try dismissed.emit("again", on: "/main")
        try dismissed.dismiss("/main/pad", by: ":1.7")
        #expect(dismissed.navigations == ["/main gone"])
    }

    @Test func `S-45 S-12 S-23 a reload without the step forgets onResult; without the result, nothing can answer`()
        throws
    {
        let world = try asked(builder())
        var without = builder(onResult: nil)
        without.flow(
            "main", ["lang": "string?"], on: ["ask": [.screen("pad")], "gone": []])
        let steps = without.definitions
        let left = Definitions(
            steps: steps.steps.filter { $0.name != "picked" }, screens: steps.screens,
            flows: [FlowDefinition("main", parameters: steps.flows[0].parameters)])
        world.handle(.definitionsRead(left))
        #expect(try world.forestNode("/main/pad").onResult == nil)
        #expect(try world.finish("/main/pad", ["contact": .int64(5)], by: ":1.7").first == "- /main/pad")
        #expect(world.failures.isEmpty)

        let other = try asked(builder())
        var silent = builder(onResult: nil)
        silent.screen("pad", ["mode": "string?"])
        other.reload(silent)
        #expect(try other.finish("/main/pad", ["contact": .int64(5)], by: ":1.7") == ["! NotSupported"])
        // With the result again, whoever contributed it is told.
        other.reload(builder())
        try other.finish("/main/pad", ["contact": .int64(5)], by: ":1.7")
        #expect(other.navigations == ["/main picked"])
        // Without the screen it goes, and nobody is told.
        let gone = try asked(builder())
        let all = builder().definitions
        let missing = Definitions(
            steps: all.steps, screens: all.screens.filter { $0.name == "plain" },
            flows: [FlowDefinition("main", parameters: all.flows[0].parameters)])
        gone.handle(.definitionsRead(missing))
        #expect(gone.navigations.isEmpty && gone.failures.isEmpty)
    }

    @Test func `S-45 S-12 a step that does not fit any more is reported, without the value`() throws {
        let world = try asked(builder())
        var other = builder()
        other.step("picked", ["contact": "string?"])
        world.reload(other)
        try world.finish("/main/pad", ["contact": .int64(4_711)], by: ":1.7")
        #expect(world.failures.map(\.reason) == [.error(.invalidArguments)])
        #expect(world.effects.allSatisfy { !String(reflecting: $0).contains("4711") })
    }

    @Test(arguments: [true, false])
    func `S-45 D-3 a restart keeps what follows a result, another bus all but private values`(isPrivate: Bool) throws {
        var builder = builder()
        builder.step("ask", ["movieId": "int64?", "mode": "string?"], isPrivate: isPrivate)
        let world = try asked(builder)
        let before = try world.forestNode("/main/pad").onResult
        #expect(before?.asked == [Argument("movieId", .int64(7), isPrivate: isPrivate)])
        world.restart()
        #expect(try world.forestNode("/main/pad").onResult == before)
        world.restart(onSameBus: false)
        #expect(try world.forestNode("/main/pad").onResult?.asked == (isPrivate ? [] : before?.asked))
        try world.claim("/main/pad", by: ":1.8")
        try world.finish("/main/pad", ["contact": .int64(5)], by: ":1.8")
        #expect(world.navigations == ["/main picked"])
    }

    @Test func `S-45 S-5 a navigator can answer, if the flow declares a result that the values fit`() throws {
        var builder = builder()
        builder.flow(
            "picker", result: ["contact": "int64"], navigated: (by: "com.picker", steps: ["chosen", "open"]))
        builder.flow("silent", navigated: (by: "com.picker", steps: ["chosen"]))
        builder.addRule("other", [.flow("silent")], to: "main")
        let world = try makeWorld(builder)
        world.own("com.picker", ":1.9")
        try world.emit("pick", on: "/main")
        func answer(_ path: String, _ value: Value) throws -> [String] {
            try world.emit("chosen", on: path)
            let question = try #require(
                world.effects.lazy.compactMap { if case .askNavigator(let it) = $0 { it.id.number } else { nil } }.last)
            return world.navigate(question, to: [.answer([Binding("contact", .literal(value))])])
        }
        #expect(try answer("/main/picker", .string("x")).contains { $0.contains("NavigatorFailed") })
        #expect(try answer("/main/picker", .byte(5)).contains { $0.contains("/main picked") })
        try world.emit("other", on: "/main")
        #expect(try answer("/main/silent", .int64(5)).contains { $0.contains("NavigatorFailed") })
    }

    @Test func `S-45 S-32 a registration anew takes the result away, and its limits count the result`() throws {
        var builder = DefinitionsBuilder()
        builder.step("open", [:])
        builder.flow("main", navigated: (by: "com.main", steps: ["open"]))
        let world = World(builder)
        world.own("com.main", ":1.9")
        world.register(
            "pay", steps: ["buy": [:]], by: ":1.5", result: ["sum": "int64"], screens: ["pin": [:]],
            screenResult: ["pin": "string"])
        #expect(world.coordinator.definitions.flows.last?.result?.map(\.name) == ["sum"])
        try world.coordinate("main")
        try world.emit("open", on: "/main")
        world.navigate(1, to: [.screen("pin")])
        world.presented(2, by: ":1.5")
        world.register("pay", steps: ["buy": [:]], by: ":1.5", screens: ["pin": [:]])
        try expectRefusal(world, .notSupported, with: "declares no 'result'") {
            try world.finish("/main/pin", [:], by: ":1.5")
        }
        world.register(
            "pay", steps: ["buy": [:]], by: ":1.5", screens: ["pin": [:]], screenResult: ["pin": "string"])
        let before = world.coordinator.registrations.all[0].byteCount
        #expect(try world.finish("/main/pin", ["pin": .string("1")], by: ":1.5").last == "= done")
        world.register("pay", steps: ["buy": [:]], by: ":1.5", screens: ["pin": [:]])
        #expect(world.coordinator.registrations.all[0].byteCount < before)
    }

    @Test func `S-45 S-11 a result whose step is over the limit of its origin is dropped and reported`() throws {
        var builder = builder()
        // Each result has the flow ask again.
        builder.flow(
            "picker", result: ["contact": "int64"], initial: "open",
            on: ["open": [.answer([Binding("contact", .literal(.int64(1)))])]])
        builder.flow(
            "main", ["lang": "string?"],
            on: ["pick": [.flow("picker", .init(onResult: "pick"))]])
        let world = try makeWorld(builder)
        try world.emit("pick", on: "/main")
        #expect(world.failures.map(\.reason) == [.error(.navigationLoop)])
        #expect(world.coordinator.origins.isEmpty)
    }

    @Test func `S-45 Explain tells which step a result sets off, and none of its values`() throws {
        let world = try makeWorld(builder())
        try world.emit("pick", ["movieId": .int64(7)], on: "/main")
        let coordinator = world.coordinator.copy()
        let text = coordinator.explain(
            try world.id(ofStep: "chosen"), [Argument("contact", .int64(4_711))], on: try world.node("/main/picker"),
            by: Client(":1.1"), at: Instant(microseconds: 0)
        ).lines.joined(separator: "\n")
        #expect(text.contains("step 'picked'") && text.contains("movie = 7"), "\(text)")
        // The caller's own argument is in its first line.
        #expect(text.split(separator: "4711").count == 2, "\(text)")
    }
}
