import Testing

@testable import FlowCore

@Suite("Flow coordinator")
struct CoordinatorTests {
    /// A root with steps of one effect each.
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["item": "int64"])
        builder.screen("detail", ["item": "int64"])
        builder.flow(
            "main",
            on: [
                "open": [.screen("list"), .screen("eager", .init(whenHidden: .allow))], "pick": [.screen("detail")],
                "sub": [.flow("sub"), .flow("sub", .init(whenHidden: .allow))], "nothing": [],
                "chain": [.current("nothing"), .current("strange")],
            ])
        builder.flow("sub", on: ["nothing": [], "stop": [.end("nothing")]])
        builder.step("strange")
        return builder
    }

    @Test func `S-4 a flow takes a step that is emitted on it, the parent one that is emitted on a screen`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        try world.show("/main/list")
        #expect(
            try world.emit("nothing", on: "/main/list") == ["did 2 after 0 by :1.1: /main nothing []", "= navigated 2"])
        try world.emit("sub", on: "/main")
        #expect(try world.emit("nothing", on: "/main/sub").first == "did 4 after 0 by :1.1: /main/sub nothing []")
    }

    @Test func `S-3 invalid arguments are refused, and nothing changes`() throws {
        let world = try World(root: "main", builder())
        #expect(try world.emit("pick", on: "/main") == ["! InvalidArguments"])
        #expect(try world.refusal().message == "step 'pick' needs the argument 'item' of type int64")
        #expect(try world.emit("pick", ["item": .string("x")], on: "/main") == ["! InvalidArguments"])
        #expect(try world.emit("nothing", ["item": .byte(1)], on: "/main") == ["! InvalidArguments"])
        #expect(world.coordinator.serial == 0)
        #expect(
            try world.emit("pick", ["item": .byte(1)], on: "/main").last == "= navigated 1")
        #expect(try world.state("/main/detail").arguments == [Argument("item", .int64(1))])
    }

    @Test func `S-3 arguments are refused also where the step would be ignored`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        #expect(try world.emit("pick", on: "/main/list") == ["! InvalidArguments"])
    }

    @Test func `S-15 ignore: a step on a presentable that is not presented is hidden`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        #expect(try world.emit("nothing", on: "/main/list") == ["= hidden 0"])
        try world.show("/main/list")
        #expect(try world.emit("nothing", on: "/main/list").last == "= navigated 2")
        try world.hide("/main")
        #expect(try world.emit("nothing", on: "/main/list") == ["= hidden 0"])
        #expect(try world.emit("nothing", on: "/main") == ["= hidden 0"])
    }

    @Test func `S-15 allow: only the presentable's own setting counts`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        try world.emit("sub", on: "/main")
        try world.hide("/main")
        #expect(try world.emit("nothing", on: "/main/eager").last == "= navigated 3")
        #expect(try world.emit("nothing", on: "/main/list") == ["= hidden 0"])
        #expect(try world.emit("nothing", on: "/main/sub") == ["= hidden 0"])
        #expect(try world.emit("nothing", on: "/main/sub_2").last == "= navigated 4")
    }

    @Test func `S-15 allow: a flow's definition sets it for the flow alone, and its contributor can override it`()
        throws
    {
        var builder = builder()
        builder.flow("main", whenHidden: .allow, on: ["open": [.screen("list"), .flow("sub"), .flow("quiet")]])
        builder.flow("quiet", whenHidden: .allow, on: ["nothing": []])
        var other = builder
        other.flow("main", whenHidden: .allow, on: ["open": [.flow("quiet", .init(whenHidden: .ignore))]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.hide("/main")
        #expect(try world.emit("stop", on: "/main") == ["= unhandled 0"])
        #expect(try world.emit("open", on: "/main/list") == ["= hidden 0"])
        #expect(try world.emit("nothing", on: "/main/sub") == ["= hidden 0"])
        #expect(try world.emit("nothing", on: "/main/quiet").last == "= navigated 2")
        let strict = try World(root: "main", other)
        try strict.emit("open", on: "/main")
        try strict.hide("/main")
        #expect(try strict.emit("nothing", on: "/main/quiet") == ["= hidden 0"])
    }

    @Test func `S-15 steps that the coordinator triggers, and deep links, are not gated`() throws {
        let world = try World(root: "main", builder())
        try world.emit("sub", on: "/main")
        try world.hide("/main")
        #expect(
            try world.navigate("nothing").last
                == "= [/main navigated 2, /main/sub navigated 3, /main/sub_2 navigated 4]")
        #expect(
            try world.emit("stop", on: "/main/sub_2") == [
                "did 5 after 0 by :1.1: /main/sub_2 stop [end nothing /main]", "- /main/sub_2",
                "did 6 after 5 by :1.1: /main nothing []", "= navigated 5",
            ])
    }

    @Test func `S-9 the verdict is that of the step's own navigation, whatever it triggers`() throws {
        let world = try World(root: "main", builder())
        #expect(
            try world.emit("chain", on: "/main") == [
                "did 1 after 0 by :1.1: /main chain [current nothing /main, current strange /main]",
                "did 2 after 1 by :1.1: /main nothing []", "failed after 1 by :1.1: /main strange unhandled",
                "= navigated 1",
            ])
        #expect(try world.emit("strange", on: "/main") == ["= unhandled 0"])
    }

    @Test func `S-9 a request gets its own number back`() throws {
        let world = try World(root: "main", builder())
        let node = try world.node("/main")
        let step = try world.id(ofStep: "nothing")
        world.handle(.stepEmitted(RequestID(77), on: node, step: step, arguments: [], by: Client(":1.1")))
        #expect(world.effects.last == .reply(RequestID(77), .verdict(.navigated, serial: 1)))
        world.handle(
            .stepEmitted(RequestID(78), on: node, step: step, arguments: [Argument("a", .byte(1))], by: Client(":1.1")))
        guard case .fail(RequestID(78), _) = world.effects.last else {
            Issue.record("\(world.effects)")
            return
        }
    }

    @Test func `S-14 showing a visible presentable again changes nothing`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        #expect(try world.show("/main/list") == ["~ /main/list visible=true presented=true", "= done"])
        #expect(try world.show("/main/list") == ["= done"])
        #expect(try world.hide("/main/list") == ["~ /main/list visible=false presented=false", "= done"])
    }

    @Test func `S-25 a call applies to the node that was at its path, not to its successor`() throws {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        let old = try world.node("/main/list")
        try world.dismiss("/main/list")
        try world.emit("open", on: "/main")
        let nearestLiveAncestor = try world.node("/main/list")
        #expect(nearestLiveAncestor.instance > old.instance)
        let step = try world.id(ofStep: "nothing")
        #expect(
            world.handle(.visibilityChanged(world.nextRequest(), of: old, isVisible: true, by: Client(":1.1"))) == [
                "! PresentableDismissed"
            ])
        #expect(
            world.handle(.presentableDismissed(world.nextRequest(), old, by: Client(":1.1"))) == [
                "! PresentableDismissed"
            ])
        #expect(
            world.handle(.stepEmitted(world.nextRequest(), on: old, step: step, arguments: [], by: Client(":1.1")))
                == ["! PresentableDismissed"])
        #expect(try world.state("/main/list").isVisible == false)
    }

    // MARK: - Loops

    /// A root that forwards a step to itself until the limit.
    private func loop(_ parts: DefinitionsBuilder.Part...) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("count", ["n": "int64?"])
        builder.flow(
            "main",
            on: ["again": .first([DefinitionsBuilder.Branch(parts: parts)]), "once": [], "start": [.current("again")]])
        return builder
    }

    @Test func `S-11 one origin triggers 256 steps, the next is dropped and reported once, and earlier changes stay`()
        throws
    {
        let world = try World(root: "main", loop(.screen("a"), .current("again")))
        let log = try world.emit("again", on: "/main")
        // The emitted step, and 256 that it triggered.
        #expect(log.count { $0.hasPrefix("did") } == 257)
        #expect(log.count { $0.hasPrefix("failed") } == 1)
        #expect(log.suffix(2) == ["failed after 257 by :1.1: /main again NavigationLoop", "= navigated 1"])
        let message = try #require(world.failures.first).message
        #expect(message == "step 'again' and further ones were dropped: one origin may trigger 256 steps")
        #expect(world.coordinator.screenCount == 257)
        #expect(world.coordinator.origins.isEmpty)
        #expect(try world.emit("once", on: "/main").last == "= navigated 258")
    }

    @Test func `S-11 exactly 256 steps are no loop`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main",
            on: [
                "all": .first([DefinitionsBuilder.Branch(parts: Array(repeating: .current("once"), count: 256))]),
                "once": [],
            ])
        let world = try World(root: "main", builder)
        #expect(try world.emit("all", on: "/main").count { $0.hasPrefix("did") } == 257)
        #expect(world.failures.isEmpty)
    }

    @Test func `S-11 of many that are dropped at once one is reported, those before it are taken`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main",
            on: [
                "all": .first([DefinitionsBuilder.Branch(parts: Array(repeating: .current("once"), count: 300))]),
                "once": [],
            ])
        let world = try World(root: "main", builder)
        let log = try world.emit("all", on: "/main")
        #expect(log.count { $0.hasPrefix("did") } == 257)
        #expect(world.failures.map(\.reason) == [.error(.navigationLoop)])
        #expect(try world.emit("all", on: "/main").count { $0.hasPrefix("failed") } == 1)
    }

    @Test
    func `S-11 S-6 a screen's waiting initial step counts for the origin that contributed it, however long it waits`()
        throws
    {
        let world = try World(
            root: "main", loop(.screen("a", .init(step: "again")), .current("once")))
        try world.emit("again", on: "/main")
        // Each again triggers two: its forward, and the initial step of its screen, which waits to be shown.
        for number in 1..<128 {
            #expect(try world.show(number == 1 ? "/main/a" : "/main/a_\(number)").count { $0.hasPrefix("did") } == 2)
            #expect(world.failures.isEmpty)
        }
        let log = try world.show("/main/a_128")
        #expect(log.count { $0.hasPrefix("did") } == 1)
        #expect(log.suffix(2) == ["failed after 257 by :1.1: /main again NavigationLoop", "= done"])
        #expect(world.coordinator.origins.isEmpty)
        #expect(try world.show("/main/a_129").count == 2)
    }

    @Test func `S-11 each step from outside is an origin of its own`() throws {
        let world = try World(root: "main", loop(.current("once")))
        for number in 0..<300 { #expect(try world.emit("again", on: "/main").last == "= navigated \(2 * number + 1)") }
    }
}
