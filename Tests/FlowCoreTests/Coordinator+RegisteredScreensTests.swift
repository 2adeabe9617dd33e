import Testing

@testable import FlowCore

/// Screens that come with flows that clients register (S-31, S-32).
@Suite("Flow coordinator: screens of registered flows")
struct RegisteredScreensTests {
    /// `pay` of `:1.5` declares `cash` and `card`; `main` is a file's.
    private func paying(_ builder: DefinitionsBuilder? = nil) -> World {
        let world = World(builder ?? .host())
        world.register(
            "pay", steps: ["pay": ["sum": "int64"]], by: ":1.5", screens: ["cash": [:], "card": ["sum": "int64"]],
            presenter: "/presenter")
        return world
    }

    private func screens(_ world: World) -> [String] { world.coordinator.definitions.screens.map(\.name) }

    /// The Present of the latest event.
    private func presentation(_ world: World) throws -> Presentation {
        let asked = world.effects.lazy.compactMap { if case .present(let it) = $0 { it } else { nil } }.first
        return try #require(asked)
    }

    // MARK: Present

    @Test func `S-31 S-32 the flow contributes a screen of its own, which its client is asked to present`() throws {
        let world = paying()
        try world.coordinate("pay")
        try world.emit("pay", ["sum": .byte(3)], on: "/pay")
        #expect(
            world.navigate(1, to: [.screen("card")]) == [
                "+ /pay/card {sum=3} (presenter=:1.5)",
                "did 1 after 0 by :1.1: /pay pay {sum=3} [screen card /pay/card {sum=3}]",
                "present :1.5 #2: /pay/card {sum=3}", "= navigated 1",
            ])
        #expect(
            try presentation(world).presenter
                == .service(Service(":1.5", path: "/presenter", timeout: Limits.presenterTimeout)))
        #expect(world.presented(2, by: ":1.5") == ["~ /pay/card owner=:1.5"])
        try expectRefusal(world, .notOwner, with: "it is owned by ':1.5'") { try world.show("/pay/card") }
        #expect(try world.show("/pay/card", by: ":1.5") == ["~ /pay/card visible=true presented=true", "= done"])
    }

    @Test func `S-31 S-32 it is called by its bus name, at its navigator's path unless it gives another`() throws {
        let world = World(.host())
        world.own("com.pay", ":1.5")
        world.register("pay", steps: ["pay": [:]], by: ":1.5", name: "com.pay", screens: ["cash": [:]])
        #expect(world.coordinator.definitions.busNames == ["com.pay"])
        try world.coordinate("pay")
        try world.emit("pay", on: "/pay")
        world.navigate(1, to: [.screen("cash")])
        #expect(
            try presentation(world).presenter
                == .service(Service("com.pay", path: "/navigator", timeout: Limits.presenterTimeout)))
    }

    @Test func `S-31 S-32 any flow can contribute it, of another client or of a file`() throws {
        var builder = DefinitionsBuilder.host()
        builder.flow("nav", navigated: (by: "com.nav", steps: ["go"]))
        let world = paying(builder)
        world.register("host", steps: ["host": [:]], by: ":1.6")
        for (number, (flow, step)) in [("host", "host"), ("nav", "go")].enumerated() {
            try world.coordinate(flow)
            try world.emit(step, on: "/\(flow)")
            let question = UInt64(2 * number + 1)
            let reported = world.navigate(question, to: [.screen("cash")])
            #expect(reported.contains("present :1.5 #\(question + 1): /\(flow)/cash"), "\(reported)")
        }
        // Its arguments are checked like any.
        try world.emit("host", on: "/host")
        #expect(world.navigate(5, to: [.screen("card")]) == ["! NavigatorFailed"])
    }

    // MARK: Declarations

    @Test func `S-32 ids of declarations stay: files first, then registrations in order`() {
        let world = World(.host())
        world.register("z", steps: ["z": [:]], by: ":1.5", screens: ["z": [:], "c": [:]])
        world.register("b", steps: ["b": [:]], by: ":1.6", screens: ["b": [:], "a": [:]])
        #expect(screens(world) == ["a", "z", "c", "b"])
        let before = world.coordinator.definitions
        world.register("y", steps: ["y": [:]], by: ":1.5", screens: ["z": [:], "aa": [:]])
        #expect(Array(world.coordinator.definitions.screens.prefix(4)) == before.screens)
        #expect(screens(world) == ["a", "z", "c", "b", "aa"])
    }

    @Test func `S-32 a file's declaration stays, and its presenter, if the arguments are the same`() throws {
        var builder = DefinitionsBuilder.host()
        builder.screen("page", ["n": "int64", "of": "string?"], presenter: "com.shop", whenOwnerGone: .keep)
        let world = World(builder)
        world.register(
            "pay", steps: ["pay": ["n": "int64"]], by: ":1.5", screens: ["page": ["of": "string?", "n": "int64"]])
        #expect(world.coordinator.definitions.screens == builder.definitions.screens)
        // Another client may say the same.
        world.register(
            "till", steps: ["till": ["n": "int64"]], by: ":1.6", screens: ["page": ["n": "int64", "of": "string?"]])
        try world.coordinate("pay")
        try world.emit("pay", ["n": .byte(1)], on: "/pay")
        #expect(world.navigate(1, to: [.screen("page")]).contains("present com.shop #2: /pay/page {n=1}"))
        let text =
            "screen 'page' is declared with other arguments: n: int64, of: string?; the same screen has to have the same"
        let wrong: [KeyValuePairs<String, String>] = [
            [:], ["n": "int64"], ["n": "int64", "of": "string"], ["n": "byte", "of": "string?"],
        ]
        for parameters in wrong {
            try expectRefusal(world, .invalidArguments, with: text) {
                world.register("go", steps: ["go": [:]], by: ":1.7", screens: ["new": [:], "page": parameters])
            }
        }
    }

    @Test func `S-32 a screen that another client registered is that client's`() throws {
        let world = paying()
        try expectRefusal(
            world, .alreadyRegistered, with: "screen 'card' is registered by ':1.5', with flow 'pay'"
        ) {
            world.register("go", steps: ["go": [:]], by: ":1.6", screens: ["new": [:], "card": ["sum": "int64"]])
        }
        #expect(world.unregister("pay", by: ":1.5").last == "= done")
        #expect(world.register("go", steps: ["go": [:]], by: ":1.6", screens: ["card": [:]]).last == "= done")
    }

    @Test func `S-32 flows of one client can declare the same screen, with the same arguments`() throws {
        let world = paying()
        try expectRefusal(world, .invalidArguments, with: "'card' is declared with other arguments: sum: int64") {
            world.register("go", steps: ["go": [:]], by: ":1.5", screens: ["card": [:]], presenter: "/presenter")
        }
        try expectRefusal(
            world, .invalidArguments,
            with: "screen 'cash' would be presented by ':1.5' at '/other'; with flow 'pay' it is by ':1.5' at "
                + "'/presenter', and has to be the same"
        ) {
            world.register("go", steps: ["go": [:]], by: ":1.5", screens: ["cash": [:]], presenter: "/other")
        }
        try expectRefusal(world, .invalidArguments, with: "would be presented by 'com.go' at '/presenter'; with") {
            world.register(
                "go", steps: ["go": [:]], by: ":1.5", name: "com.go", screens: ["cash": [:]], presenter: "/presenter")
        }
        #expect(
            world.register("go", steps: ["go": [:]], by: ":1.5", screens: ["cash": [:]], presenter: "/presenter")
                == ["definitions", "= done"])
        #expect(screens(world) == ["a", "cash", "card"])
    }

    @Test func `S-32 so can the next owner of the bus name by which they were registered`() throws {
        let world = World(.host())
        world.own("com.pay", ":1.5")
        for flow in ["pay", "till"] {
            world.register(
                flow, steps: ["go": [:]], by: ":1.5", name: "com.pay", isActivatable: true, screens: ["cash": [:]])
        }
        world.own("com.pay", nil)
        world.vanish(":1.5")
        world.own("com.pay", ":1.15")
        try expectRefusal(world, .alreadyRegistered, with: "screen 'cash' is registered by ':1.5', with flow 'pay'") {
            world.register("go", steps: ["go": [:]], by: ":1.16", screens: ["cash": [:]])
        }
        #expect(
            world.register(
                "pay", steps: ["go": [:]], by: ":1.15", name: "com.pay", isActivatable: true,
                screens: ["cash": [:], "card": [:]]) == ["definitions", "= done"])
        #expect(screens(world) == ["a", "cash", "card"])
    }

    @Test func `S-32 S-33 an invalid registration is refused: screens`() throws {
        let world = paying()
        typealias Screens = KeyValuePairs<String, KeyValuePairs<String, String>>
        let long = String(repeating: "s", count: Limits.nameLength + 1)
        let wrong: [(Screens, FlowError.Code, String)] = [
            (["": [:]], .invalidName, "'' can't be the name of a screen: letters, digits"),
            (["my-page": [:]], .invalidName, "'my-page' can't be the name of a screen"),
            (["root": [:]], .invalidName, "'root' can't be the name of a screen"),
            ([long: [:]], .invalidName, "at most 64 bytes, and not 'root'"),
            (["page": ["a-b": "int64"]], .invalidName, "'a-b' can't be the name of an argument"),
            (["page": [:], "page": [:]], .invalidArguments, "screen 'page' is given more than once"),
            (["a": ["n": "int64"]], .invalidArguments, "screen 'a' is declared with other arguments: none"),
            (
                ["page": ["n": "int64", "n": "string"]], .invalidArguments,
                "the argument 'n' of screen 'page' is given more than once"
            ),
        ]
        for (screens, code, text) in wrong {
            try expectRefusal(world, code, with: text) {
                world.register("go", steps: ["go": [:]], by: ":1.5", screens: screens)
            }
        }
        // A flow, a step and a screen may have one name.
        #expect(world.register("go", steps: ["go": [:]], by: ":1.5", screens: ["go": [:]]).last == "= done")
    }

    // MARK: The same again

    @Test func `S-32 the same registration again is answered, and changes nothing`() throws {
        let world = World(.host())
        func register() -> [String] {
            world.register(
                "pay", steps: ["pay": ["n": "byte"]], by: ":1.5", hasGuard: true, children: .stack,
                screens: ["cash": ["n": "byte"]], presenter: "/p")
        }
        #expect(register() == ["definitions", "= done"])
        try world.coordinate("pay")
        let before = world.standing
        #expect(register() == ["= done"])
        #expect(world.standing == before)
        #expect(world.coordinator.registrations.all.count == 1)
        // It was known when the files said nothing of these.
        var new = DefinitionsBuilder.host()
        new.step("pay", ["m": "byte"])
        new.screen("cash")
        world.reload(new)
        #expect(register() == ["= done"])
        #expect(world.unregister("pay", by: ":1.5").suffix(2) == ["definitions", "= done"])
        try expectRefusal(world, .invalidArguments, with: "step 'pay' is declared with other arguments") { register() }
    }
}
