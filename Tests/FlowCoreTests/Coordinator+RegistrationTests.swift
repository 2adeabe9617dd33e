import Testing

@testable import FlowCore

@Suite("Flow coordinator: flows that clients register")
struct RegistrationTests {
    // MARK: Register

    @Test func `S-32 a registered flow can be started immediately, and its client is asked where its steps lead`()
        throws
    {
        let world = World(DefinitionsBuilder.host())
        #expect(
            world.register(
                "pay", steps: ["pay": ["sum": "int64", "by": "string?"], "abort": [:]], by: ":1.5", initial: "abort",
                isActivatable: true) == ["definitions", "= done"])
        #expect(
            try world.coordinate("pay") == [
                "+ /pay (visible presented)", "navigator? :1.5 #1: /pay abort", "= /pay",
            ])
        #expect(world.navigate(1, to: []) == ["~ /pay ready=true", "did 1 after 0 by :1.1: /pay abort []"])
        #expect(world.coordinator.acceptedSteps(of: try world.node("/pay")) == ["abort", "pay"])
        #expect(try world.emit("pay", ["sum": .byte(3)], on: "/pay").first == "navigator? :1.5 #2: /pay pay {sum=3}")
        #expect(
            world.navigate(2, to: [.screen("a")]) == [
                "+ /pay/a", "did 2 after 0 by :1.1: /pay pay {sum=3} [screen a /pay/a]", "= navigated 2",
            ])
        #expect(try world.emit("pay", ["sum": .string("x")], on: "/pay") == ["! InvalidArguments"])
        #expect(try world.emit("pay", on: "/pay") == ["! InvalidArguments"])
        #expect(
            try world.emit("pay", ["sum": .byte(1), "som": .byte(1)], on: "/pay") == ["! InvalidArguments"])
        #expect(
            try world.refusal().message
                == "step 'pay' has no argument 'som': it takes 'by', 'sum'; did you mean 'sum'?")
        #expect(try world.emit("open", on: "/pay") == ["= unhandled 0"])
    }

    @Test func `S-15 S-32 a hidden root takes steps where its own client has started it`() throws {
        let world = World.registered()
        try world.coordinate("pay", by: ":1.5")
        try world.coordinate("pay", by: ":1.1")
        for (root, verdict) in [("/pay", "navigator? :1.5 #1: /pay abort"), ("/pay_2", "= hidden 0")] {
            try world.hide(root)
            #expect(try world.emit("abort", on: root).first == verdict)
        }
    }

    @Test func `S-5 S-14 S-32 the options of a registration: a guard, covering, a well-known name`() throws {
        let world = World(DefinitionsBuilder.host())
        world.register(
            "pay", steps: ["pay": [:]], by: ":1.5", name: "com.pay", hasGuard: true, children: .stack)
        #expect(world.coordinator.definitions.busNames == ["com.pay"])
        try world.coordinate("pay")
        #expect(try world.emit("pay", on: "/pay").first == "guard? com.pay #1: /pay pay")
        #expect(try world.adapt(1, to: "pay") == ["navigator? com.pay #2: /pay pay"])
        #expect(world.navigate(2, to: [.screen("a")]).contains("~ /pay current=/pay/a"))
    }

    @Test func `S-32 a name that a file or another client defined can't be registered`() throws {
        let world = World.registered()
        try expectRefusal(world, .alreadyRegistered, with: "flow 'main' is defined by a file") {
            world.register("main", steps: ["go": [:]], by: ":1.5")
        }
        try expectRefusal(world, .alreadyRegistered, with: "flow 'pay' is registered by ':1.5'") {
            world.register("pay", steps: ["pay": ["sum": "int64"], "abort": [:]], by: ":1.6")
        }
        try expectRefusal(world, .alreadyRegistered, with: "flow 'main' is defined by a file") {
            world.register("main", steps: ["go": [:]], by: ":1.6")
        }
    }

    @Test func `S-32 S-33 an invalid registration is refused: names`() throws {
        let world = World.registered()
        for (name, shown) in [("", "''"), ("root", "'root'"), ("1pay", "'1pay'"), ("pay-me", "'pay-me'")] {
            try expectRefusal(world, .invalidName, with: "\(shown) can't be the name of a flow: letters, digits") {
                world.register(name, steps: ["go": [:]], by: ":1.5")
            }
        }
        let long = String(repeating: "f", count: Limits.nameLength + 1)
        try expectRefusal(world, .invalidName, with: "at most 64 bytes") {
            world.register(long, steps: ["go": [:]], by: ":1.5")
        }
        try expectRefusal(world, .invalidName, with: "'go on' can't be the name of a step") {
            world.register("go", steps: ["go": [:], "go on": [:]], by: ":1.5")
        }
        try expectRefusal(world, .invalidName, with: "'go-on' can't be the name of an argument") {
            world.register("go", steps: ["go": ["go-on": "int64"]], by: ":1.5")
        }
    }

    @Test func `S-32 S-33 an invalid registration is refused: steps`() throws {
        let world = World.registered()
        try expectRefusal(world, .invalidArguments, with: "flow 'go' would take 0 steps; it has to be at least one") {
            world.register("go", steps: [:], by: ":1.5")
        }
        try expectRefusal(world, .invalidArguments, with: "step 'go' is given more than once") {
            world.register("go", steps: ["go": [:], "go": [:]], by: ":1.5")
        }
        try expectRefusal(world, .invalidArguments, with: "the argument 'n' of step 'go' is given more than once") {
            world.register("go", steps: ["go": ["n": "int64", "n": "string"]], by: ":1.5")
        }
        try expectRefusal(
            world, .invalidArguments,
            with: "the initial step 'goo' is none of the steps of flow 'go'; did you mean 'go'?"
        ) {
            world.register("go", steps: ["go": [:]], by: ":1.5", initial: "goo")
        }
        let other = "step 'open' is declared with other arguments: item: int64?; the same step has to have the same"
        let wrong: [KeyValuePairs<String, String>] = [
            [:], ["item": "int64"], ["item": "string?"], ["item": "int64?", "more": "string?"],
        ]
        for parameters in wrong {
            try expectRefusal(world, .invalidArguments, with: other) {
                world.register("go", steps: ["open": parameters], by: ":1.5")
            }
        }
        // What another registered counts as well.
        try expectRefusal(world, .invalidArguments, with: "step 'abort' is declared with other arguments: none") {
            world.register("go", steps: ["abort": ["n": "byte"]], by: ":1.6")
        }
    }

    // MARK: Unregister

    @Test func `S-32 S-33 only the client that registered a flow can unregister it; a file's flow can't be`() throws {
        let world = World.registered()
        try expectRefusal(world, .notOwner, with: "flow 'pay' is registered by ':1.5', not by ':1.6'") {
            world.unregister("pay", by: ":1.6")
        }
        try expectRefusal(world, .notOwner, with: "flow 'main' is defined by a file") {
            world.unregister("main", by: ":1.5")
        }
        try expectRefusal(world, .unknownFlow, with: "no flow 'pey' is registered; did you mean 'pay'?") {
            world.unregister("pey", by: ":1.5")
        }
        #expect(world.unregister("pay", by: ":1.5") == ["definitions", "= done"])
        #expect(world.coordinator.definitions == DefinitionsBuilder.host().definitions)
        try expectRefusal(world, .unknownFlow, with: "no flow 'pay' is registered") {
            world.unregister("pay", by: ":1.5")
        }
        #expect(world.register("pay", steps: ["pay": [:]], by: ":1.6").last == "= done")
    }

    @Test func `S-32 its live flows are dismissed as undeclared, and their waiting steps fail`() throws {
        let world = World.registered()
        world.register("host", steps: ["host": [:]], by: ":1.6")
        try world.coordinate("host")
        try world.coordinate("pay")
        try world.emit("host", on: "/host")
        world.navigate(1, to: [.flow("pay", .init(onDismissed: "host"))])
        try world.claim("/host/pay", by: ":1.7")
        try world.emit("abort", on: "/host/pay", by: ":1.3")
        try world.emit("abort", on: "/host/pay", by: ":1.3")
        #expect(
            world.unregister("pay", by: ":1.5") == [
                "- /host/pay", "withdraw /host/pay from :1.7: undeclared", "drop #2", "- /pay",
                "! FlowEnded", "definitions", "! FlowEnded", "= done",
            ])
        #expect(world.paths == ["/host"])
        #expect(world.navigate(2, to: []) == [])
        #expect(world.coordinator.questions.isEmpty)
        #expect(world.coordinator.blocked.isEmpty)
        // The other one's numbers moved.
        #expect(try world.emit("host", on: "/host").first == "navigator? :1.6 #3: /host host")
        world.navigate(3, to: [])
        try world.dismiss("/host")
        world.unregister("host", by: ":1.6")
        #expect(world.coordinator.watches.counts.isEmpty)
        #expect(world.coordinator.accounting == Accounting())
        #expect(world.coordinator.origins.isEmpty)
        #expect(world.coordinator.definitions == DefinitionsBuilder.host().definitions)
    }

    @Test func `S-3 S-32 a step that a file or another registration declares, too, stays`() throws {
        let world = World(DefinitionsBuilder.host())
        world.register("pay", steps: ["open": ["item": "int64?"], "both": ["n": "byte"], "own": [:]], by: ":1.5")
        world.register("other", steps: ["both": ["n": "byte"]], by: ":1.6")
        try world.coordinate("main")
        try world.coordinate("other")
        world.unregister("pay", by: ":1.5")
        #expect(world.coordinator.definitions.step(named: "own") == nil)
        #expect(try world.emit("open", ["item": .byte(1)], on: "/main").last == "= navigated 1")
        #expect(try world.emit("both", ["n": .byte(1)], on: "/other").first == "navigator? :1.6 #1: /other both {n=1}")
    }

    // MARK: Reload

    @Test func `S-32 a file that defines a registered flow replaces it: live ones follow its rules`() throws {
        let world = World.registered()
        try world.coordinate("pay")
        try world.emit("abort", on: "/pay")
        var new = DefinitionsBuilder.host()
        new.flow("pay", on: ["abort": [.screen("a")], "pay": []])
        new.step("pay", ["sum": "int64"])
        #expect(world.reload(new) == [])
        #expect(world.coordinator.registrations.all.isEmpty)
        #expect(world.navigate(1, to: []).last == "= navigated 1")
        #expect(try world.emit("abort", on: "/pay").first == "+ /pay/a")
        try expectRefusal(world, .notOwner, with: "defined by a file") { world.unregister("pay", by: ":1.5") }
        #expect(world.vanish(":1.5") == [])
        #expect(world.paths == ["/pay", "/pay/a"])
    }

    @Test func `S-32 registered flows survive a reload, with their waiting steps, under new ids`() throws {
        let world = World.registered()
        world.register("till", steps: ["till": ["n": "byte?"]], by: ":1.6")
        for flow in ["pay", "till"] { try world.coordinate(flow) }
        try world.emit("abort", on: "/pay")
        try world.emit("pay", ["sum": .byte(1)], on: "/pay")
        try world.emit("till", ["n": .byte(1)], on: "/till")
        var new = DefinitionsBuilder.host()
        for name in ["aa", "zz"] { new.flow(name, on: [name: []]) }
        #expect(world.reload(new) == [])
        #expect(world.coordinator.registrations.all.map(\.flow) == ["pay", "till"])
        #expect(
            world.navigate(1, to: [.screen("a")]) == [
                "+ /pay/a", "did 1 after 0 by :1.1: /pay abort [screen a /pay/a]",
                "= navigated 1", "navigator? :1.5 #3: /pay pay {sum=1}",
            ])
        #expect(world.navigate(2, to: []).first == "did 2 after 0 by :1.1: /till till {n=1} []")
        world.unregister("pay", by: ":1.5")
        #expect(try world.emit("till", ["n": .byte(2)], on: "/till").first == "navigator? :1.6 #4: /till till {n=2}")
        // A step that the files declare by now, with other arguments, is theirs.
        new.step("till", ["m": "byte?"])
        world.reload(new)
        #expect(world.failures.isEmpty)
        #expect(try world.emit("till", ["n": .byte(1)], on: "/till") == ["! InvalidArguments"])
        #expect(try world.emit("till", ["m": .byte(1)], on: "/till").first == "navigator? :1.6 #5: /till till {m=1}")
    }
}
