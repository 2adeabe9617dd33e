import Testing

@testable import FlowCore

@Suite("Readiness")
struct ReadinessTests {
    @Test func `S-26 a flow without an initial step is ready at once`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main")
        #expect(try World(builder).coordinate("main") == ["+ /main (visible presented ready)", "= /main"])
    }

    @Test func `S-26 a flow is ready when its initial step has ended, before its navigation is reported`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", initial: "go", on: ["go": [.screen("a", .init(step: "hello")), .current("strange")], "hello": []])
        builder.step("strange")
        let world = World(builder)
        #expect(
            try world.coordinate("main") == [
                "+ /main (visible presented)", "+ /main/a", "~ /main ready=true",
                "did 1 after 0 by :1.1: /main go [screen a /main/a, current strange /main]",
                "failed after 1 by :1.1: /main strange unhandled", "= /main",
            ])
    }

    @Test(arguments: ["strange", "bad", "over"])
    func `S-26 a flow is ready also when its initial step ended badly`(step: String) throws {
        var builder = DefinitionsBuilder()
        builder.step("strange")
        builder.flow(
            "main", initial: step,
            on: ["bad": [.screen("a", .init(id: "x")), .screen("b", .init(id: "x"))], "over": [.end("strange")]])
        let world = World(builder)
        try world.coordinate("main")
        if step == "over" {
            #expect(world.paths.isEmpty)
        } else {
            #expect(try world.isReady("/main"))
            #expect(world.failures.map(\.reason) == [step == "bad" ? .error(.idTaken) : .verdict(.unhandled)])
            #expect(world.effects.last.map(\.line) == "= /main")
        }
    }

    @Test func `S-26 a flow waits for the child flows of its initial step, not for those of others`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", initial: "go", on: ["go": [.flow("sub"), .flow("calm"), .current("more")], "more": [.flow("sub")]])
        builder.flow("sub", initial: "begin", on: ["begin": [.flow("leaf")]])
        builder.flow("leaf", initial: "bud", on: ["bud": []])
        let world = World(builder)
        let readied = try world.coordinate("main").filter { $0.contains("ready") }
        #expect(
            readied == [
                "+ /main/calm (visible presented ready)", "~ /main/sub/leaf ready=true", "~ /main/sub ready=true",
                "~ /main ready=true", "~ /main/sub_2/leaf ready=true", "~ /main/sub_2 ready=true",
            ])
    }

    @Test func `S-26 removed child flows are no longer waited for`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "go", on: ["go": [.flow("sub"), .flow("sub")], "done": []])
        builder.flow("sub", initial: "begin", on: ["begin": [.end("done")]])
        let world = World(builder)
        #expect(
            try world.coordinate("main").dropFirst(4) == [
                "did 2 after 1 by :1.1: /main/sub begin [end done /main]", "- /main/sub", "~ /main ready=true",
                "did 3 after 1 by :1.1: /main/sub_2 begin [end done /main]", "- /main/sub_2",
                "did 4 after 2 by :1.1: /main done []", "did 5 after 3 by :1.1: /main done []", "= /main",
            ])
        #expect(world.paths == ["/main"])
    }

    @Test func `S-26 a flow removed while its children are not ready does not block its parent`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "go", on: ["go": [.flow("sub", .init(step: "begin"))]])
        builder.flow("sub", on: ["begin": [.flow("leaf"), .current("stop")], "stop": [.end()]])
        builder.flow("leaf", initial: "bud", on: ["bud": [.flow("leaf", .init(step: "x"))]])
        let world = World(builder)
        let log = try world.coordinate("main")
        #expect(log.contains("~ /main ready=true"))
        #expect(world.paths == ["/main"])
        #expect(world.failures.map(\.reason) == [.error(.flowEnded)])
    }

    @Test func `S-26 a child flow that ends after it was ready is not counted a second time`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "go", on: ["go": [.flow("brief"), .flow("slow")]])
        builder.flow("brief", initial: "begin", on: ["begin": [.current("stop")], "stop": [.end()]])
        builder.flow("slow", initial: "begin", on: ["begin": [.flow("leaf")]])
        builder.flow("leaf", initial: "bud", on: ["bud": []])
        let log = try World(builder).coordinate("main")
        let ended = try #require(log.firstIndex(of: "- /main/brief"))
        #expect(
            log[ended...].filter { $0.contains("ready") }
                == ["~ /main/slow/leaf ready=true", "~ /main/slow ready=true", "~ /main ready=true"])
    }

    @Test func `S-26 initial steps that the loop limit drops have ended, too`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "go", on: ["go": [.flow("deep")]])
        builder.flow(
            "deep", initial: "sink",
            on: ["sink": .first([DefinitionsBuilder.Branch(parts: Array(repeating: .flow("leaf"), count: 300))])])
        builder.flow("leaf", initial: "bud", whenEmpty: .stay, on: ["bud": []])
        let world = World(builder)
        try world.coordinate("main")
        #expect(world.failures.map(\.reason) == [.error(.navigationLoop)])
        for path in world.paths { #expect(try world.isReady(path), "\(path)") }
        #expect(world.paths.count == 302)
    }

    @Test func `S-26 a flow never becomes unready`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "go", on: ["go": [], "later": [.flow("sub")]])
        builder.flow("sub", initial: "begin", on: ["begin": []])
        let world = try World(root: "main", builder)
        #expect(try world.isReady("/main"))
        #expect(!(try world.emit("later", on: "/main").contains { $0.hasPrefix("~ /main ready") }))
        try world.emit("go", on: "/main")
        #expect(try world.isReady("/main"))
    }

    // MARK: Who would wait for itself

    /// `main` waits for `sub`, whose initial step its guard `:1.5` is asked about, `calm` is ready, and `late` waits for
    /// its navigator `:1.6`.
    private func waiting() throws -> World {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", initial: "go", on: ["go": [.flow("sub"), .flow("calm")], "more": [.flow("late")]])
        builder.flow("calm", guarded: ("com.auth", ["tell"]), on: ["tell": []])
        builder.flow("sub", initial: "begin", guarded: ("com.auth", []), on: ["begin": []])
        builder.flow("late", initial: "begin", navigated: ("com.nav", ["begin"]))
        let world = World(builder)
        world.own("com.auth", ":1.5")
        world.own("com.nav", ":1.6")
        try world.coordinate("main")
        try world.emit("more", on: "/main")
        return world
    }

    @Test func `S-26 S-32 a guard or navigator can't wait for a flow that is not ready before it has answered`() throws
    {
        let world = try waiting()
        let text = "flow '/main/sub' waits for its guard 'com.auth', which is the client that waits until "
        for path in ["/main/sub", "/main"] {
            try expectRefusal(world, .wouldDeadlock, with: text + "'\(path)' is ready; it has to answer first") {
                try world.waitReady(path, by: ":1.5")
            }
        }
        try expectRefusal(world, .wouldDeadlock, with: "flow '/main/late' waits for its navigator 'com.nav'") {
            try world.waitReady("/main/late", by: ":1.6")
        }
        // Others wait, and so does a client that is asked about something else.
        #expect(try world.waitReady("/main", by: ":1.7").filter { $0.hasPrefix("!") } == [])
        #expect(try world.waitReady("/main", by: ":1.6").filter { $0.hasPrefix("!") } == [])
        #expect(try world.waitReady("/main/late", by: ":1.5").filter { $0.hasPrefix("!") } == [])
        #expect(try world.adapt(1, to: "begin").suffix(2) == ["= done", "= done"])
        #expect(try world.waitReady("/main", by: ":1.5") == ["= done"])
        #expect(world.navigate(2, to: []).last == "= done")
        #expect(world.waiting == [])
    }

    @Test func `S-26 S-32 a flow that is ready is no deadlock, whatever its guard is asked`() throws {
        let world = try waiting()
        try world.emit("tell", on: "/main/calm")
        #expect(try world.waitReady("/main/calm", by: ":1.5") == ["= done"])
    }

    @Test func `S-28 S-32 nor can it continue along a path through such a flow`() throws {
        let world = try waiting()
        #expect(try world.navigateAlong([("main", ""), ("calm", "")], by: ":1.5") == ["! PathFailed"])
        #expect(try world.refusal().message.contains("flow '/main/sub' waits for its guard 'com.auth'"))
        #expect(try world.navigateAlong([("main", ""), ("calm", "")], by: ":1.7").filter { $0.hasPrefix("!") } == [])
    }
}
