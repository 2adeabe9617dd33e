import Testing

@testable import FlowCore

/// Navigators that are gone (S-32).
@Suite("Flow coordinator: flows whose navigator is gone")
struct RegistrationLossTests {
    /// `/main` with a child `pay` that waits for its navigator with one step, and one more behind that.
    private func waiting(name: String? = nil, isActivatable: Bool = false, _ builder: DefinitionsBuilder? = nil) throws
        -> World
    {
        let world = World.registered(name: name, isActivatable: isActivatable, builder)
        let reported = [Binding("name", .childName), Binding("why", .reason)]
        world.register("host", steps: ["host": [:], "closed": ["name": "string", "why": "string"]], by: ":1.6")
        try world.coordinate("host")
        try world.emit("host", on: "/host")
        world.navigate(1, to: [.flow("pay", .init(onDismissed: "closed", onDismissedWith: reported))])
        try world.emit("abort", on: "/host/pay", by: ":1.3")
        try world.emit("pay", ["sum": .byte(1)], on: "/host/pay", by: ":1.4")
        return world
    }

    private let lost = [
        "drop #2", "- /host/pay", "! NavigatorFailed", "! NavigatorFailed",
        "navigator? :1.6 #3: /host closed {name=pay, why=navigatorGone}",
    ]

    @Test
    func
        `S-23 S-32 a vanished client: waiting steps fail, its flows are dismissed, onDismissed is triggered, the definition goes`()
        throws
    {
        let world = try waiting()
        #expect(world.vanish(":1.5") == lost + ["definitions"])
        guard case .fail(_, let error) = world.effects[2] else { throw World.UnexpectedEffect() }
        #expect(error.message == "the navigator ':1.5' of flow 'pay' is gone")
        #expect(world.coordinator.definitions.flow(named: "pay") == nil)
        #expect(world.coordinator.definitions.step(named: "abort") == nil)
        #expect(world.navigate(2, to: []) == [])
        #expect(world.navigate(3, to: []) == ["did 2 after 0 by :1.5: /host closed {name=pay, why=navigatorGone} []"])
        #expect(world.coordinator.watches.counts == [Client(":1.6"): 1])
        #expect(world.coordinator.questions.isEmpty)
        #expect(world.coordinator.blocked.isEmpty)
        #expect(world.coordinator.origins.isEmpty)
        try world.dismiss("/host")
        #expect(world.coordinator.accounting == Accounting())
    }

    @Test func `S-32 a definition stays if the bus can start its navigator again, which is then asked`() throws {
        let world = try waiting(name: "com.pay", isActivatable: true)
        #expect(world.own("com.pay", nil) == lost)
        #expect(world.vanish(":1.5") == [])
        #expect(try world.coordinate("pay").last == "= /pay")
        #expect(try world.emit("abort", on: "/pay").first == "navigator? com.pay #4: /pay abort")
        // It arrives, and the roots that were started for it stay.
        #expect(world.own("com.pay", ":1.15") == [])
        #expect(world.navigate(4, to: []).last == "= navigated 2")
        // In the other order it is the same.
        let other = try waiting(name: "com.pay", isActivatable: true)
        #expect(other.vanish(":1.5") == lost)
        #expect(other.own("com.pay", nil) == [])
        #expect(other.coordinator.definitions.flow(named: "pay") != nil)
    }

    @Test func `S-32 the registration of a vanished client passes to the owner of its bus name`() throws {
        func restarted() -> World {
            let world = World.registered(name: "com.pay", isActivatable: true)
            world.own("com.pay", nil)
            world.vanish(":1.5")
            world.own("com.pay", ":1.15")
            return world
        }
        let world = restarted()
        try expectRefusal(world, .alreadyRegistered, with: "flow 'pay' is registered by ':1.5'") {
            world.register("pay", steps: ["pay": ["sum": "int64"]], by: ":1.16", name: "com.other")
        }
        try expectRefusal(world, .notOwner, with: "flow 'pay' is registered by ':1.5'") {
            world.unregister("pay", by: ":1.16")
        }
        try world.coordinate("pay")
        // By the new registration; live flows stay.
        #expect(
            world.register("pay", steps: ["pay": ["sum": "int64"], "more": [:]], by: ":1.15", name: "com.pay")
                == ["definitions", "= done"])
        #expect(world.coordinator.registrations.all.count == 1)
        #expect(world.coordinator.acceptedSteps(of: try world.node("/pay")) == ["more", "pay"])
        try expectRefusal(world, .alreadyRegistered, with: "flow 'pay' is registered by ':1.15'") {
            world.register("pay", steps: ["pay": ["sum": "int64"]], by: ":1.5", name: "com.pay")
        }
        #expect(
            world.register("pay", steps: ["pay": ["sum": "int64"]], by: ":1.15", name: "com.pay")
                == ["definitions", "= done"])
        #expect(world.unregister("pay", by: ":1.15").suffix(1) == ["= done"])
        let other = restarted()
        #expect(other.unregister("pay", by: ":1.15") == ["definitions", "= done"])
        #expect(other.coordinator.watches.counts.isEmpty)
    }

    @Test func `S-32 the loss of one client affects no other's flows, whatever names they owned in turn`() throws {
        let world = World.registered(name: "com.pay")
        world.own("com.pay", ":1.6")
        world.register("till", steps: ["till": [:]], by: ":1.6", name: "com.pay")
        try world.coordinate("pay")
        try world.coordinate("till")
        #expect(world.vanish(":1.5") == ["- /pay", "definitions"])
        #expect(world.paths == ["/till"])
    }

    @Test func `S-32 the same applies to a file's navigator when its name loses its owner or gets another`() throws {
        var builder = DefinitionsBuilder.host()
        let reported = DefinitionsBuilder.Child(
            onDismissed: "closed", onDismissedWith: [Binding("name", .childName), Binding("why", .reason)])
        builder.flow("main", on: ["open": [.flow("nav", reported)], "closed": []])
        builder.flow("nav", navigated: (by: "com.nav", steps: ["go"]))
        for (next, number) in [(nil, 1), (":1.9", 2)] as [(String?, Int)] {
            let world = try World(root: "main", builder)
            try world.emit("open", on: "/main")
            // Before it had an owner nothing was lost.
            #expect(world.own("com.nav", ":1.8") == [])
            #expect(world.own("com.nav", ":1.8") == [])
            for _ in 0..<number { try world.emit("go", on: "/main/nav") }
            #expect(
                world.own("com.nav", next) == ["drop #1", "- /main/nav"]
                    + Array(repeating: "! NavigatorFailed", count: number)
                    + ["did 2 after 0 by :1.8: /main closed {name=nav, why=navigatorGone} []"])
            #expect(world.own("com.other", nil) == [])
            #expect(try world.emit("open", on: "/main").last == "= navigated 3")
            #expect(world.coordinator.accounting.clients[Client(":1.1")]?.steps == 0)
        }
    }

    @Test func `S-12 S-32 steps that no caller waits for are reported as failures`() throws {
        var builder = DefinitionsBuilder.host()
        builder.flow("nav", initial: "go", navigated: (by: "com.nav", steps: ["go"]))
        builder.flow("main", on: ["open": [.flow("nav")]])
        let world = try World(root: "main", builder)
        world.own("com.nav", ":1.8")
        try world.emit("open", on: "/main")
        #expect(
            world.own("com.nav", nil) == [
                "drop #1", "failed after 1 by :1.1: /main/nav go NavigatorFailed", "~ /main/nav ready=true",
                "- /main/nav",
            ])
        #expect(world.coordinator.origins.isEmpty)
    }
}
