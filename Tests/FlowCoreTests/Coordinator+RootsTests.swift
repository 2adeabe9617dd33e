import Testing

@testable import FlowCore

@Suite("Flow coordinator: roots and deep links")
struct RootsTests {
    @Test func `S-2 one definition can be live many times, anywhere`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("main"), .flow("main")]])
        let world = World(builder)
        #expect(try world.coordinate("main").last == "= /main")
        #expect(try world.coordinate("main").last == "= /main_2")
        try world.emit("open", on: "/main")
        #expect(world.paths == ["/main", "/main/main", "/main/main_2", "/main_2"])
    }

    @Test func `S-2 a unique definition is live at most once among the roots; starting it again returns the live one`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "go", isUnique: true, on: ["go": [], "open": [.flow("main")]])
        builder.flow("other", on: ["open": [.flow("main")]])
        let world = World(builder)
        try world.coordinate("other")
        try world.emit("open", on: "/other")
        #expect(try world.coordinate("main", id: "front").last == "= /front")
        #expect(try world.coordinate("main") == ["= /front"])
        #expect(try world.coordinate("main", id: "back") == ["= /front"])
        #expect(try world.emit("open", on: "/front").last?.hasPrefix("= navigated") == true)
        #expect(world.paths == ["/other", "/other/main", "/front", "/front/main"])
        try world.dismiss("/front")
        #expect(try world.coordinate("main").last == "= /main")
    }

    @Test func `a root is added, then its initial step is taken, then the call is answered`() throws {
        var builder = DefinitionsBuilder()
        builder.step("begin", ["item": "int64?"])
        builder.flow("main", ["lang": "string?"], initial: "begin", on: ["begin": [.screen("list")], "other": []])
        let world = World(builder)
        #expect(
            try world.coordinate("main", id: "front", ["lang": .string("en")], ["item": .byte(1)], by: ":1.7") == [
                "+ /front {lang=en} (visible presented)", "+ /front/list", "~ /front ready=true",
                "did 1 after 0 by :1.7: /front begin {item=1} [screen list /front/list]", "= /front",
            ])
        #expect(
            try world.coordinate("main", step: "other") == [
                "+ /main (visible presented)", "~ /main ready=true", "did 2 after 0 by :1.1: /main other []", "= /main",
            ])
    }

    @Test func `an invalid request for a root is refused, and nothing changes`() throws {
        var builder = DefinitionsBuilder()
        builder.step("begin", ["item": "int64"])
        builder.flow("main", ["lang": "string?"], on: ["begin": []])
        let world = World(builder)
        try world.coordinate("main")
        let before = world.coordinator.copy()
        func refusal(_ lines: [String], _ code: FlowError.Code) throws -> String {
            #expect(lines == ["! \(code.rawValue)"])
            return try world.refusal().message
        }
        #expect(
            try refusal(try world.coordinate("main", id: "main"), .idTaken)
                .contains("'main'"))
        #expect(
            try refusal(try world.coordinate("main", id: "a-b"), .invalidName)
                .contains("'a-b'"))
        #expect(
            try refusal(try world.coordinate("main", id: "root"), .invalidName).contains("'root'"))
        #expect(
            try refusal(try world.coordinate("main", ["lnag": .string("en")]), .invalidArguments)
                .contains("'lnag'"))
        #expect(
            try refusal(try world.coordinate("main", ["lang": .byte(1)]), .invalidArguments)
                .contains("'lang'"))
        #expect(
            try refusal(try world.coordinate("main", step: "begin"), .invalidArguments)
                .contains("'item'"))
        #expect(
            try refusal(try world.coordinate("main", [:], ["item": .byte(1)]), .invalidArguments)
                .contains("'item'"))
        #expect(world.paths == ["/main"])
        #expect(world.coordinator.accounting == before.accounting)
        #expect(world.coordinator.origins.isEmpty)
        try world.coordinate("main")
        #expect(try world.state("/main_2").instance == 2)
    }

    @Test
    func `roots of autostart begin in order, with the daemon as sender; one that fails is reported, the others begin`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.step("begin", ["item": "int64?"])
        builder.flow("main", ["lang": "string?"], initial: "begin", on: ["begin": []])
        builder.autostart = [
            .init(flow: "main", id: "front", arguments: [Argument("lang", .string("en"))]),
            .init(flow: "main", id: "front"),
            .init(flow: "main", step: "begin", stepArguments: [Argument("item", .byte(1))]),
        ]
        let world = World(builder)
        #expect(
            world.handle(.started) == [
                "+ /front {lang=en} (visible presented)", "~ /front ready=true", "did 1 after 0 by : /front begin []",
                "unstarted /front IdTaken", "+ /main (visible presented)", "~ /main ready=true",
                "did 2 after 0 by : /main begin {item=1} []",
            ])
    }

    @Test func `S-12 a failed initial step of a root is reported, the root stays`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "strange")
        let world = World(builder)
        #expect(
            try world.coordinate("main") == [
                "+ /main (visible presented)", "failed after 0 by :1.1: /main strange unhandled",
                "~ /main ready=true", "= /main",
            ])
        #expect(world.failures.first?.message == "flow 'main' has no rule for step 'strange'")
    }

    // MARK: - Deep links

    @Test
    func `S-27 to every live flow, parents before children, children in order, each an origin; the answer has all`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.step("go", ["item": "int64"])
        builder.flow(
            "main", on: ["open": [.flow("a"), .screen("x"), .flow("b")], "go": [.current("after")], "after": []])
        builder.flow("a", on: ["open": [.flow("b")]])
        builder.flow("b", on: ["go": []])
        let world = try World(root: "main", builder)
        try world.coordinate("b")
        try world.emit("open", on: "/main")
        try world.emit("open", on: "/main/a")
        #expect(
            try world.navigate("go", ["item": .byte(1)], by: ":1.9") == [
                "did 3 after 0 by :1.9: /main go {item=1} [current after /main] deep link",
                "did 4 after 3 by :1.9: /main after []", "did 5 after 0 by :1.9: /main/a/b go {item=1} [] deep link",
                "did 6 after 0 by :1.9: /main/b go {item=1} [] deep link",
                "did 7 after 0 by :1.9: /b go {item=1} [] deep link",
                "= [/main navigated 3, /main/a unhandled, /main/a/b navigated 5, /main/b navigated 6, /b navigated 7]",
            ])
    }

    @Test func `S-27 flows created by a deep link do not get it; one that an earlier one ended has FlowEnded`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("sub"), .flow("sub")], "go": [.flow("late")], "closed": []])
        builder.flow("sub", on: ["open": [.flow("leaf")], "go": [.end("closed")]])
        builder.flow("leaf", on: ["go": []])
        builder.flow("late", on: ["go": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("open", on: "/main/sub")
        let log = try world.navigate("go")
        #expect(
            log.last
                == "= [/main navigated 3, /main/sub navigated 4, /main/sub/leaf FlowEnded, /main/sub_2 navigated 6]")
        #expect(world.navigations == ["/main go", "/main/sub go", "/main closed", "/main/sub_2 go", "/main closed"])
        #expect(world.failures.isEmpty)
        #expect(world.paths == ["/main", "/main/late"])
    }

    @Test func `S-25 S-27 a flow created at the path of an ended one does not get its deep link`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("sub"), .flow("one")], "again": [.flow("sub")], "go": []])
        builder.flow("sub", on: ["open": [.flow("leaf")], "go": [.end("again")]])
        builder.flow("leaf", on: ["go": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("open", on: "/main/sub")
        let old = try world.node("/main/sub")
        #expect(
            try world.navigate("go").last?.hasPrefix(
                "= [/main navigated 3, /main/sub navigated 4, /main/sub/leaf FlowEnded, /main/one ") == true)
        #expect(try world.node("/main/sub").instance > old.instance)
        #expect(world.navigations.filter { $0 == "/main/sub go" }.count == 1)
    }

    @Test func `S-27 the announcement says, too, that it is a deep link`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", announces: true, on: ["go": []])
        let world = try World(root: "main", builder)
        #expect(
            try world.navigate("go").prefix(2) == [
                "will /main go deep link", "did 1 after 0 by :1.1: /main go [] deep link",
            ])
        #expect(try world.emit("go", on: "/main").first == "will /main go")
    }

    @Test func `S-27 a deep link with wrong arguments is refused; without live flows it has no outcomes`() throws {
        var builder = DefinitionsBuilder()
        builder.step("go", ["item": "int64"])
        builder.flow("main", on: ["go": []])
        let world = World(builder)
        #expect(try world.navigate("go", ["item": .byte(1)]) == ["= []"])
        try world.coordinate("main")
        #expect(try world.navigate("go") == ["! InvalidArguments"])
        #expect(world.coordinator.serial == 0)
    }
}
