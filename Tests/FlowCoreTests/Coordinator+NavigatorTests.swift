import Testing

@testable import FlowCore

@Suite("Flow coordinator: navigators")
struct NavigatorTests {
    private func builder(guarded: (by: String, steps: [String])? = nil) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["item": "int64?"])
        builder.step("buy", ["item": "int64"])
        builder.screen("page", ["item": "int64?"])
        builder.screen("strict", ["item": "int64"])
        builder.flow("main", on: ["open": [.flow("shop")], "closed": [], "buy": []])
        builder.flow("sub", initial: "begin", on: ["begin": []])
        builder.flow(
            "shop", announces: true, guarded: guarded, navigated: ("com.shop", ["pick", "buy", "next", "begin"]))
        builder.step("strange")
        return builder
    }

    private func makeWorld(guarded: (by: String, steps: [String])? = nil) throws -> World {
        let world = try World(root: "main", builder(guarded: guarded))
        try world.emit("open", on: "/main")
        return world
    }

    @Test func `S-5 the contributors of a navigator are applied and trigger steps like those of a rule`() throws {
        let world = try makeWorld()
        // The announcement precedes the question.
        #expect(
            try world.emit("pick", ["item": .byte(3)], on: "/main/shop") == [
                "will /main/shop pick {item=3}", "navigator? com.shop #1: /main/shop pick {item=3}", "timer 15000000",
            ])
        #expect(
            world.navigate(
                1,
                to: [
                    .screen("page", .init(style: "modal")), .flow("sub"), .current("next"),
                    .parent("buy", [Binding("item", .step("item"))]),
                ]) == [
                    "+ /main/shop/page {item=3} style=modal", "+ /main/shop/sub (visible presented)",
                    "did 2 after 0 by :1.1: /main/shop pick {item=3} [screen page /main/shop/page {item=3} style=modal, "
                        + "flow sub /main/shop/sub, current next /main/shop, parent buy /main {item=3}]",
                    "did 3 after 2 by :1.1: /main buy {item=3} []", "~ /main/shop/sub ready=true",
                    "did 4 after 2 by :1.1: /main/shop/sub begin []", "will /main/shop next",
                    "navigator? com.shop #2: /main/shop next", "= navigated 2",
                ])
        #expect(world.navigate(2, to: []) == ["did 5 after 2 by :1.1: /main/shop next []"])
        #expect(world.waiting == [])
    }

    @Test func `S-17 S-21 no contributors are a navigation, and a navigator can end its flow`() throws {
        let world = try makeWorld()
        try world.emit("pick", on: "/main/shop")
        #expect(world.navigate(1, to: []) == ["did 2 after 0 by :1.1: /main/shop pick []", "= navigated 2"])
        try world.emit("pick", on: "/main/shop")
        #expect(
            world.navigate(2, to: [.end("closed")]) == [
                "did 3 after 0 by :1.1: /main/shop pick [end closed /main]", "- /main/shop",
                "did 4 after 3 by :1.1: /main closed []", "= navigated 3",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-5 S-9 a navigator says that its flow does not take the step`() throws {
        let world = try makeWorld()
        let standing = world.standing
        try world.emit("pick", on: "/main/shop")
        #expect(world.answer(1, .unhandled) == ["= unhandled 0"])
        #expect(world.standing == standing)
        #expect(world.waiting == [])
    }

    private static let bad: [(NavigatorAnswer, FlowError.Code, String)] = [
        (.failed("'org.x.Bad': no"), .navigatorFailed, "the navigator 'com.shop' failed: 'org.x.Bad': no"),
        (.timedOut, .navigatorTimeout, "the navigator 'com.shop' did not answer in time"),
    ]

    @Test(arguments: bad.indices)
    func `S-5 S-13 a navigator that fails or is late fails the step alone`(index: Int) throws {
        let (answer, code, message) = Self.bad[index]
        let world = try makeWorld()
        let standing = world.standing
        try world.emit("pick", on: "/main/shop")
        #expect(world.answer(1, answer) == ["! \(code.rawValue)"])
        #expect(try world.refusal().message == message)
        #expect(world.standing == standing)
        #expect(world.waiting == [])
    }

    private static let refusedContributors: [([DefinitionsBuilder.Part], FlowError.Code, String)] = [
        (
            [.screen("page"), .screen("strict")], .navigatorFailed,
            "the navigator 'com.shop' answered what can't be: screen 'strict' needs the argument 'item' of type int64"
        ),
        (
            [.screen("page"), .current("buy", [Binding("item", .literal(.string("x")))])], .navigatorFailed,
            "the navigator 'com.shop' answered what can't be: the argument 'item' of step 'buy' is 'x', of type string; "
                + "it has to be of type int64"
        ),
        (
            [.screen("page", .init(id: "x")), .screen("page", .init(id: "x"))], .idTaken,
            "the id 'x' is taken below '/main/shop'"
        ),
        (
            Array(repeating: .screen("page"), count: Limits.children + 1), .limitExceeded,
            "'/main/shop' would have 1025 children of at most 1024"
        ),
    ]

    @Test(arguments: refusedContributors.indices)
    func `S-5 S-13 contributors of a navigator apply all or none`(index: Int) throws {
        let (parts, code, message) = Self.refusedContributors[index]
        let world = try makeWorld()
        let standing = world.standing
        try world.emit("pick", on: "/main/shop")
        #expect(world.navigate(1, to: parts) == ["! \(code.rawValue)"])
        #expect(try world.refusal().message == message)
        #expect(world.standing == standing)
        #expect(world.waiting == [])
    }

    @Test func `S-9 S-12 steps that a navigator does not take are unhandled, without an announcement or a question`()
        throws
    {
        let world = try makeWorld()
        #expect(try world.emit("strange", on: "/main/shop") == ["= unhandled 0"])
        try world.emit("pick", on: "/main/shop")
        world.navigate(1, to: [.current("strange")])
        #expect(
            world.failures.map(\.message)
                == ["the navigator 'com.shop' of flow 'shop' does not take step 'strange'"])
        #expect(world.waiting == [])
    }

    @Test func `S-12 a navigator's failure that no caller waits for is reported`() throws {
        let world = try makeWorld()
        try world.emit("pick", on: "/main/shop", by: ":1.4")
        world.navigate(1, to: [.current("next")])
        #expect(
            world.answer(2, NavigatorAnswer.timedOut)
                == ["failed after 2 by :1.4: /main/shop next NavigatorTimeout"])
    }

    @Test func `S-5 late, second and unknown answers of navigators are ignored`() throws {
        let world = try makeWorld()
        try world.emit("pick", on: "/main/shop")
        #expect(try world.adapt(1, to: "pick") == [])
        #expect(world.navigate(2, to: []) == [])
        #expect(world.navigate(1, to: []).last == "= navigated 2")
        #expect(world.navigate(1, to: []) == [])
        try world.emit("pick", on: "/main/shop")
        try world.dismiss("/main/shop")
        #expect(world.navigate(2, to: [.screen("page")]) == [])
        #expect(world.paths == ["/main"])
        #expect(world.waiting == [])
    }

    @Test func `S-26 a flow with a navigator is ready once the navigator has answered its initial step`() throws {
        var builder = builder()
        builder.flow("shop", initial: "begin", navigated: ("com.shop", ["begin"]))
        let world = World(builder)
        #expect(
            try world.coordinate("shop") == [
                "+ /shop (visible presented)", "navigator? com.shop #1: /shop begin", "= /shop",
            ])
        #expect(
            world.navigate(1, to: [.screen("page")]) == [
                "+ /shop/page", "~ /shop ready=true", "did 1 after 0 by :1.1: /shop begin [screen page /shop/page]",
            ])
        try world.coordinate("shop")
        #expect(
            world.answer(2, NavigatorAnswer.timedOut)
                == ["failed after 0 by :1.1: /shop_2 begin NavigatorTimeout", "~ /shop_2 ready=true"])
    }

    // MARK: Both

    @Test
    func
        `S-5 guard, declaration, announcement, navigator, check, apply, signal: in this order, and the flow waits for all`()
        throws
    {
        let world = try makeWorld(guarded: ("com.auth", []))
        #expect(
            try world.emit("pick", on: "/main/shop", by: ":1.4")
                == ["guard? com.auth #1: /main/shop pick", "timer 15000000"])
        #expect(try world.emit("next", on: "/main/shop", by: ":1.5") == [])
        #expect(
            try world.adapt(1, to: "buy", ["item": .byte(1)]) == [
                "will /main/shop buy {item=1}", "navigator? com.shop #2: /main/shop buy {item=1}",
            ])
        #expect(
            world.navigate(2, to: [.screen("strict")]) == [
                "+ /main/shop/strict {item=1}",
                "did 2 after 0 by :1.4: /main/shop buy {item=1} [screen strict /main/shop/strict {item=1}] for pick",
                "= navigated 2", "guard? com.auth #3: /main/shop next",
            ])
        #expect(world.answer(3, GuardAnswer.rejected) == ["= rejected 0"])
        #expect(world.waiting == [])
    }

    @Test func `S-5 a step that its guard refuses or makes invalid is not announced, and does not reach the navigator`()
        throws
    {
        let world = try makeWorld(guarded: ("com.auth", []))
        for answer in [GuardAnswer.rejected, .timedOut, .step(try world.id(ofStep: "buy"), [])] {
            try world.emit("pick", on: "/main/shop")
            let question = try #require(world.questions.first)
            #expect(world.answer(question.id.number, answer).count == 1)
        }
        try world.emit("pick", on: "/main/shop")
        #expect(try world.adapt(4, to: "strange") == ["= unhandled 0"])
        #expect(world.waiting == [])
    }
}
