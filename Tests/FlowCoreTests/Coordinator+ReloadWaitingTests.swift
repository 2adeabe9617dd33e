import Testing

@testable import FlowCore

@Suite("Flow coordinator: reload while steps wait")
struct ReloadWaitingTests {
    private func builder(guarded: Bool = true, item: String? = "int32?") -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        if let item { builder.step("pick", ["item": item]) }
        builder.flow(
            "main", isUnique: true, guarded: guarded ? ("com.auth", []) : nil,
            on: ["go": [.flow("sub")], "more": [.current("go")]])
        if item != nil { builder.addRule("pick", [], to: "main") }
        builder.flow("sub", on: ["play": []])
        return builder
    }

    /// The same with other numbers for all steps and flows.
    private func renumbered(guarded: Bool = true, item: String? = "int32?") -> DefinitionsBuilder {
        var builder = builder(guarded: guarded, item: item)
        builder.flow("aaa", on: ["aa": [], "ab": []])
        return builder
    }

    @Test func `S-5 S-9 steps that wait go on under their new numbers`() throws {
        let world = try World(root: "main", builder())
        try world.emit("pick", ["item": .byte(1)], on: "/main", by: ":1.4")
        try world.emit("more", on: "/main", by: ":1.5")
        try world.emitAll(["go", "pick"], on: "/main", by: ":1.6")
        try world.navigateAlong([("main", "go"), ("sub", "play")], by: ":1.7")
        #expect(world.reload(renumbered(item: "int64?")) == [])
        #expect(
            try world.adapt(1, to: "go") == [
                "+ /main/sub (visible presented ready)",
                "did 1 after 0 by :1.4: /main go [flow sub /main/sub] for pick", "= navigated 1",
                "guard? com.auth #2: /main more",
            ])
        var log: [String] = []
        while !world.questions.isEmpty { log += world.pass().filter { !$0.hasPrefix("guard?") } }
        #expect(
            log == [
                "did 2 after 0 by :1.5: /main more [current go /main]", "= navigated 2",
                "+ /main/sub_2 (visible presented ready)", "did 3 after 2 by :1.5: /main go [flow sub /main/sub_2]",
                "+ /main/sub_3 (visible presented ready)", "did 4 after 0 by :1.6: /main go [flow sub /main/sub_3]",
                "+ /main/sub_4 (visible presented ready)",
                "did 5 after 0 by :1.7: /main go [flow sub /main/sub_4] deep link",
                "did 6 after 0 by :1.7: /main/sub_4 play [] deep link",
                "= [/main navigated 5, /main/sub_4 navigated 6]", "did 7 after 0 by :1.6: /main pick []",
                "= [navigated 4, navigated 7]",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-12 S-9 steps that are no longer declared, or no longer fit, fail in order; the next is asked about`()
        throws
    {
        for (item, code) in [("string?", "InvalidArguments"), (nil, "UnknownStep")] {
            let world = try World(root: "main", builder())
            for client in [":1.4", ":1.5"] { try world.emit("pick", ["item": .byte(1)], on: "/main", by: client) }
            try world.emit("go", on: "/main", by: ":1.6")
            #expect(
                world.reload(renumbered(item: item))
                    == ["drop #1", "! \(code)", "! \(code)", "guard? com.auth #2: /main go"])
            #expect(world.answers.map { $0.prefix(1) } == ["2", "3"])
            #expect(world.coordinator.accounting.clients[Client(":1.4")] == nil)
            let question = try #require(world.questions.first)
            #expect(world.answer(1, GuardAnswer.rejected) == [])
            #expect(world.pass(question).last == "= navigated 1")
            #expect(world.waiting == [])
        }
    }

    @Test func `S-12 triggered steps that are no longer declared are reported`() throws {
        var old = builder()
        old.flow("main", guarded: ("com.auth", ["old"]), on: ["go": [.current("old"), .current("old")], "old": []])
        let world = try World(root: "main", old)
        try world.emit("go", on: "/main")
        var new = DefinitionsBuilder()
        new.flow("main", guarded: ("com.auth", []), on: ["go": []])
        #expect(
            world.reload(new)
                == Array(repeating: "failed after 1 by :1.1: /main old UnknownStep", count: 2) + ["drop #1"])
        #expect(world.waiting == [])
    }

    @Test func `S-26 an initial step that fails so has ended`() throws {
        var old = builder()
        old.flow("main", initial: "old", guarded: ("com.auth", []), on: ["old": []])
        let world = try World(root: "main", old)
        try world.waitReady("/main")
        var new = DefinitionsBuilder()
        new.flow("main", on: ["go": []])
        #expect(
            world.reload(new) == [
                "failed after 0 by :1.0: /main old UnknownStep", "~ /main ready=true", "drop #1", "= done",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-6 a removed guard still answers its open question, and no step overtakes it`() throws {
        let world = try World(root: "main", builder())
        try world.emit("pick", on: "/main", by: ":1.4")
        try world.emit("go", on: "/main", by: ":1.5")
        #expect(world.reload(builder(guarded: false)) == [])
        let standing = world.standing
        #expect(try world.emit("more", on: "/main", by: ":1.6") == [])
        #expect(world.standing != standing)
        #expect(world.coordinator.accounting.clients[Client(":1.6")]?.steps == 1)
        #expect(
            world.answer(1, GuardAnswer.rejected) == [
                "= rejected 0", "+ /main/sub (visible presented ready)",
                "did 1 after 0 by :1.5: /main go [flow sub /main/sub]", "= navigated 1",
                "did 2 after 0 by :1.6: /main more [current go /main]", "+ /main/sub_2 (visible presented ready)",
                "did 3 after 2 by :1.6: /main go [flow sub /main/sub_2]", "= navigated 2",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-5 a guard that is new is asked about steps from then on`() throws {
        let world = try World(root: "main", builder(guarded: false))
        try world.emit("go", on: "/main")
        #expect(world.reload(builder()) == [])
        #expect(try world.emit("go", on: "/main").first == "guard? com.auth #1: /main go")
        world.reload(builder(guarded: false))
        #expect(world.answer(1, GuardAnswer.failed("x")) == ["! GuardFailed"])
        #expect(try world.refusal().message == "the guard 'com.auth' failed: x")
        #expect(try world.emit("go", on: "/main").last == "= navigated 2")
        #expect(world.waiting == [])
    }

    @Test func `S-22 a flow that is no longer declared is dismissed with its waiting steps`() throws {
        let world = try World(root: "main", builder())
        try world.emit("pick", on: "/main", by: ":1.4")
        try world.emit("go", on: "/main", by: ":1.5")
        try world.waitReady("/main")
        #expect(world.reload(DefinitionsBuilder()) == ["- /main", "drop #1", "! FlowEnded", "! FlowEnded"])
        #expect(world.waiting == [])
        #expect(world.coordinator.accounting == Accounting())
    }

    @Test func `S-9 EmitSteps: later steps that are no longer declared are refused in their turn`() throws {
        let world = try World(root: "main", builder())
        try world.emitAll(["go", "pick", "go"], on: "/main")
        #expect(world.reload(builder(item: nil)) == [])
        world.pass(Question(of: 1, "go"))
        #expect(world.asked == ["/main go"])
        world.pass()
        #expect(world.lines.last == "= [navigated 1, UnknownStep, navigated 2]")
        #expect(world.waiting == [])
    }

    /// A root with a child flow, and its steps `go`, guarded, and `play`, for the child flow.
    private func path(_ item: String?) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        if let item { builder.step("play", ["item": item]) }
        builder.flow(
            "main", isUnique: true, guarded: ("com.auth", ["go"]), on: ["open": [.flow("sub")], "go": []])
        builder.flow("sub", on: ["last": [.flow("leaf")]])
        if item != nil { builder.addRule("play", [], to: "sub") }
        return builder
    }

    @Test func `S-28 a later segment whose step is no longer declared fails in its turn`() throws {
        let world = try World(root: "main", path("int64?"))
        try world.emit("open", on: "/main")
        try world.navigateAlong([("main", "go"), ("sub", "last"), ("leaf", "play")])
        #expect(world.reload(path(nil)) == [])
        world.pass(Question(of: 1, "go"))
        #expect(world.navigations == ["/main go", "/main/sub last"])
        #expect(
            try world.refusal().message
                .hasPrefix("segment 3 ('leaf'): no definition declares a step 'play'"))
        #expect(world.waiting == [])
    }

    @Test func `S-28 S-9 a path that was answered still concludes its step, whatever happens to later ones`() throws {
        let world = try World(root: "main", path("int64?"))
        try world.emit("open", on: "/main")
        try world.navigateAlong([("main", "go"), ("sub", "play")], by: ":1.4")
        #expect(world.wait(Limits.pathTimeout) == ["! PathFailed"])
        #expect(world.reload(path(nil)) == [])
        #expect(world.pass(Question(of: 1, "go")).last == "concluded /main for :1.4: navigated 2")
        #expect(world.waiting == [])
    }

    @Test func `S-28 a step under way that is no longer declared ends its path`() throws {
        let world = try World(root: "main", path("int64?"))
        try world.emit("open", on: "/main")
        try world.navigateAlong([("main", "go"), ("sub", "play")])
        var new = DefinitionsBuilder()
        new.flow("main", isUnique: true, guarded: ("com.auth", []), on: ["open": [.flow("sub")]])
        new.flow("sub", on: ["play": []])
        #expect(world.reload(new) == ["drop #1", "! PathFailed"])
        #expect(try world.refusal().message.hasPrefix("segment 1 ('main'): no definition declares a step 'go'"))
        #expect(world.waiting == [])
    }
}

extension Question {
    /// One that was asked before.
    fileprivate init(of number: UInt64, _ step: String) {
        self.init(
            id: QuestionID(number), service: Service("com.auth", path: "/guard", timeout: 1), flow: "/main", step: step,
            arguments: [], client: .daemon, presentable: "/main", instance: 0, cause: 0, isInteractive: false)
    }
}
