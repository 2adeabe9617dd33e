import Testing

@testable import FlowCore

/// The screens of a flow that is registered again, also after a restart (S-32, D-3).
@Suite("Flow coordinator: screens and restarts of flows that are registered anew")
struct RegisteringAnewScreensTests {
    private typealias Declared = KeyValuePairs<String, KeyValuePairs<String, String>>

    private static let steps: Declared = ["pay": ["sum": "int64"], "abort": [:]]

    /// `/main` of a file's navigator with the screens `cash`, which `:1.5` shows, and `card`, for which it is asked.
    private func showing(_ presenter: String = "/presenter") throws -> World {
        var builder = DefinitionsBuilder.host()
        builder.flow("main", navigated: (by: "com.nav", steps: ["open"]))
        let world = World(builder)
        bring(["cash": [:], "card": [:]], presenter, in: world)
        try world.coordinate("main")
        try world.emit("open", on: "/main")
        world.navigate(1, to: [.screen("cash"), .screen("card")])
        world.presented(2, by: ":1.5")
        #expect(world.paths == ["/main", "/main/cash", "/main/card"])
        return world
    }

    @discardableResult
    private func bring(_ screens: Declared, _ presenter: String = "/presenter", in world: World) -> [String] {
        world.register("pay", steps: Self.steps, by: ":1.5", screens: screens, presenter: presenter)
    }

    /// The effects of `open` on `/main`, with its Presents.
    private func open(_ screens: String..., in world: World) throws -> [String] {
        try world.emit("open", on: "/main")
        let question = try #require(world.questions.last)
        world.answer(
            question.id.number,
            .contributors(
                screens.map { DefinitionsBuilder.contributor(.screen($0), in: world.coordinator.definitions) }))
        return world.effects.compactMap { effect in
            guard case .present(let it) = effect else { return nil }
            return "\(it.path) by \(it.presenter.service.name) at \(it.presenter.service.path)"
        }
    }

    @Test func `S-31 S-32 additional screens can be contributed immediately; the existing ones are unchanged`() throws {
        let world = try showing()
        #expect(bring(["slip": [:], "cash": [:], "card": [:]], in: world) == ["definitions", "= done"])
        #expect(world.presented(3, by: ":1.5") == ["~ /main/card owner=:1.5"])
        #expect(try open("slip", in: world) == ["/main/slip by :1.5 at /presenter"])
        #expect(world.paths == ["/main", "/main/cash", "/main/card", "/main/slip"])
    }

    @Test func `S-32 a navigator that registers a screen while it is asked can contribute it then`() throws {
        let world = World.registered()
        try world.coordinate("pay")
        try world.emit("abort", on: "/pay")
        #expect(bring(["slip": [:]], in: world) == ["definitions", "= done"])
        #expect(
            world.navigate(1, to: [.screen("slip")]) == [
                "+ /pay/slip (presenter=:1.5)", "did 1 after 0 by :1.1: /pay abort [screen slip /pay/slip]",
                "present :1.5 #2: /pay/slip", "= navigated 1",
            ])
    }

    @Test func `S-32 screens that it drops are dismissed as undeclared; a late answer gets Withdraw with the reason`()
        throws
    {
        let world = try showing()
        #expect(
            bring(["slip": [:]], in: world) == [
                "- /main/cash", "withdraw /main/cash from :1.5: undeclared", "- /main/card", "drop #3", "definitions",
                "= done",
            ])
        #expect(world.presented(3, by: ":1.5") == ["withdraw /main/card from :1.5: undeclared"])
        #expect(world.coordinator.watches.counts == [Client(":1.5"): 1])
        #expect(world.waiting == [])
    }

    @Test func `S-32 screens that another of its flows, or a file, declares stay`() throws {
        let world = try showing()
        world.register("till", steps: ["till": [:]], by: ":1.5", screens: ["cash": [:]], presenter: "/presenter")
        #expect(bring([:], in: world) == ["- /main/card", "drop #3", "definitions", "= done"])
        #expect(try open("cash", in: world) == ["/main/cash_2 by :1.5 at /presenter"])
        // Its first screen belongs to the other flow by now.
        try expectRefusal(world, .invalidArguments, with: "with flow 'till' it is by ':1.5' at '/presenter'") {
            bring(["cash": [:]], "/other", in: world)
        }
        var new = DefinitionsBuilder.host()
        new.flow("main", navigated: (by: "com.nav", steps: ["open"]))
        new.screen("cash")
        world.reload(new)
        #expect(
            world.register("till", steps: ["till": [:]], by: ":1.5", presenter: "/presenter")
                == ["= done"], "The file has it, so nothing is different for anybody.")
        #expect(world.paths == ["/main", "/main/cash", "/main/cash_2"])
        #expect(world.coordinator.registrations.all.map(\.screens.count) == [0, 0])
    }

    @Test
    func `S-31 S-32 D-3 with another object, live screens keep their presenter until a restart, new ones have the new`()
        throws
    {
        let world = try showing()
        #expect(bring(["cash": [:], "card": [:]], "/new", in: world) == ["definitions", "= done"])
        #expect(try open("card", in: world) == ["/main/card_2 by :1.5 at /new"])
        try world.dismiss("/main/cash", by: ":1.5")
        let asked = try #require(world.coordinator.questions[QuestionID(3)])
        guard case .presenter(let presenter) = asked else { throw World.UnexpectedEffect() }
        #expect(presenter.object == "/presenter")
        world.restart()
        let again = world.effects.compactMap { effect in
            if case .present(let it) = effect { "\(it.path) at \(it.presenter.service.path)" } else { nil }
        }
        #expect(again == ["/main/card at /new", "/main/card_2 at /new"])
    }

    // MARK: Restart

    @Test func `D-3 after a crash the latest registration counts, in the same order among the others`() throws {
        let world = World.registered()
        world.register("till", steps: ["till": [:]], by: ":1.6", screens: ["slip": [:]])
        try world.coordinate("pay")
        let keys = { world.records.map(\.key).filter { $0.kind == .registration }.sorted() }
        let before = keys()
        bring(["cash": [:], "card": [:]], in: world)
        bring(["card": [:], "slot": [:]], "/new", in: world)
        #expect(keys() == before)
        let definitions = world.coordinator.definitions
        world.restart()
        #expect(world.coordinator.definitions == definitions)
        #expect(world.coordinator.registrations.all.map(\.flow) == ["pay", "till"])
        #expect(bring(["card": [:], "slot": [:]], "/new", in: world) == ["= done"])
        #expect(bring(["slot": [:]], in: world) == ["definitions", "= done"])
        #expect(world.coordinator.watches.counts == [Client(":1.5"): 1, Client(":1.6"): 1])
        #expect(world.paths == ["/pay"])
    }

    @Test func `D-3 open questions are asked again under the new registration`() throws {
        let world = World.registered()
        try world.coordinate("pay")
        try world.emit("pay", ["sum": .byte(1)], on: "/pay")
        try world.emit("abort", on: "/pay")
        world.register(
            "pay", steps: ["pay": ["sum": "uint16"], "abort": [:]], by: ":1.5", hasGuard: true, at: "/other")
        world.restart()
        let question = try #require(world.questions.first)
        #expect(question.service == Service(":1.5", path: "/other", timeout: Limits.guardTimeout))
        #expect(question.arguments == [Argument("sum", .uint16(1))])
        world.navigate(question.id.number, to: [])
        #expect(world.asked == ["/pay abort"])
    }
}
