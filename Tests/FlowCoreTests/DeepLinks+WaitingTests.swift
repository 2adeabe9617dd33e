import Testing

@testable import FlowCore

@Suite("Flow coordinator: deep links that wait")
struct WaitingDeepLinksTests {
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", isUnique: true, guarded: ("com.auth", ["gate"]),
            on: ["open": [.flow("sub"), .flow("free")], "gate": [], "go": [], "more": [.flow("late")]])
        builder.flow(
            "sub", guarded: ("com.sub", ["gate"]),
            on: ["gate": [.flow("leaf")], "go": [], "more": [.flow("late")], "quit": [.end()]])
        builder.flow("free", on: ["gate": [], "go": []])
        builder.flow("leaf", on: ["go": []])
        builder.flow(
            "late", initial: "begin", guarded: ("com.late", ["begin"]), on: ["begin": [.flow("leaf")], "go": []])
        return builder
    }

    private func makeWorld() throws -> World {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        return world
    }

    /// Why the latest path failed.
    private func failure(_ world: World) throws -> String {
        let refusal = try #require(world.refusals.last)
        #expect(refusal.code == .pathFailed)
        return refusal.message
    }

    // MARK: To all flows

    @Test func `S-27 S-9 a deep link is answered when it is decided at each flow`() throws {
        let world = try makeWorld()
        #expect(
            try world.navigate("gate", by: ":1.4") == [
                "guard? com.auth #1: /main gate", "guard? com.sub #2: /main/sub gate",
                "did 2 after 0 by :1.4: /main/free gate [] deep link", "timer 15000000",
            ])
        #expect(
            try world.adapt(2, to: "gate").last
                == "did 3 after 0 by :1.4: /main/sub gate [flow leaf /main/sub/leaf] deep link")
        #expect(
            world.answer(1, GuardAnswer.rejected)
                == ["= [/main rejected, /main/sub navigated 3, /main/free navigated 2]"])
        #expect(world.waiting == [])
        #expect(world.wait(Limits.replyTimeout) == [])
    }

    @Test func `S-27 S-9 after 15 s it is pending where it is undecided, and that is concluded flow by flow`() throws {
        let world = try makeWorld()
        try world.navigate("gate", by: ":1.4")
        #expect(
            world.wait(Limits.replyTimeout) == ["= [/main pending, /main/sub pending, /main/free navigated 2]"])
        #expect(
            try world.dismiss("/main/sub")
                == ["- /main/sub", "drop #2", "concluded /main/sub for :1.4: FlowEnded", "= done"])
        #expect(
            try world.adapt(1, to: "go") == [
                "did 3 after 0 by :1.4: /main go [] deep link for gate", "concluded /main for :1.4: navigated 3",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-27 S-32 a caller that does not wait is answered at once, also if a flow waits for it`() throws {
        let world = try makeWorld()
        world.own("com.auth", ":1.4")
        try world.emit("gate", on: "/main")
        #expect(try world.navigate("go", by: ":1.4").last?.contains("/main WouldDeadlock") == true)
        #expect(
            try world.navigate("go", by: ":1.4", waits: false) == [
                "did 4 after 0 by :1.4: /main/sub go [] deep link", "did 5 after 0 by :1.4: /main/free go [] deep link",
                "= [/main pending, /main/sub navigated 4, /main/free navigated 5]",
            ])
        let concluded = try world.adapt(1, to: "gate")
        #expect(concluded.contains("did 7 after 0 by :1.4: /main go [] deep link"))
        #expect(concluded.contains("concluded /main for :1.4: navigated 7"))
        #expect(world.waiting == [])
        #expect(try world.navigate("go", by: ":1.4", waits: false).last?.contains("pending") == false)
    }

    // MARK: Along a path

    @Test func `S-28 the next flow is chosen when the step before is navigated`() throws {
        let world = try makeWorld()
        #expect(
            try world.navigateAlong([("main", "go"), ("sub", "gate"), ("leaf", "go")], by: ":1.4") == [
                "did 2 after 0 by :1.4: /main go [] deep link", "guard? com.sub #1: /main/sub gate", "timer 10000000",
            ])
        #expect(
            try world.adapt(1, to: "gate") == [
                "+ /main/sub/leaf (visible presented ready)",
                "did 3 after 0 by :1.4: /main/sub gate [flow leaf /main/sub/leaf] deep link",
                "did 4 after 0 by :1.4: /main/sub/leaf go [] deep link",
                "= [/main navigated 2, /main/sub navigated 3, /main/sub/leaf navigated 4]",
            ])
        #expect(world.waiting == [])
        #expect(world.wait(Limits.pathTimeout) == [])
    }

    @Test func `S-28 S-26 the next flow is chosen when the one before is ready`() throws {
        let world = try makeWorld()
        try world.navigateAlong([("main", "more"), ("late", ""), ("leaf", "go")])
        #expect(world.asked == ["/main/late begin"])
        #expect(world.coordinator.calls.readers.count == 1)
        #expect(
            try world.adapt(1, to: "begin") == [
                "+ /main/late/leaf (visible presented ready)", "~ /main/late ready=true",
                "did 3 after 2 by :1.1: /main/late begin [flow leaf /main/late/leaf]",
                "did 4 after 0 by :1.1: /main/late/leaf go [] deep link",
                "= [/main navigated 2, /main/late -, /main/late/leaf navigated 4]",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-28 a unique root that it starts is waited for, too`() throws {
        var builder = builder()
        builder.flow(
            "late", initial: "begin", isUnique: true, guarded: ("com.late", ["begin"]), on: ["begin": [.flow("leaf")]])
        let world = World(builder)
        #expect(
            try world.navigateAlong([("late", ""), ("leaf", "go")])
                == ["+ /late (visible presented)", "guard? com.late #1: /late begin", "timer 10000000"])
        #expect(try world.adapt(1, to: "begin").last == "= [/late -, /late/leaf navigated 2]")
        #expect(world.waiting == [])
    }

    @Test func `S-28 a step that is not navigated after a wait ends the path, with the segment's number`() throws {
        let endings: [(String, (World) throws -> Void)] = [
            ("the step 'gate' is rejected", { $0.answer(1, GuardAnswer.rejected) }),
            ("the guard 'com.sub' did not answer in time", { $0.answer(1, GuardAnswer.timedOut) }),
            ("the flow that was to take step 'gate' has ended", { try $0.dismiss("/main/sub") }),
            ("flow 'sub' has no rule for step 'strange'", { try $0.adapt(1, to: "strange") }),
        ]
        for (why, event) in endings {
            var builder = builder()
            builder.step("strange")
            let world = try World(root: "main", builder)
            try world.emit("open", on: "/main")
            try world.navigateAlong([("main", "go"), ("sub", "gate"), ("leaf", "go")])
            try event(world)
            #expect(try failure(world) == "segment 2 ('sub'): \(why)")
            #expect(world.waiting == [])
        }
    }

    @Test func `S-28 a flow that ends while the path waits for it ends the path`() throws {
        let world = try makeWorld()
        try world.navigateAlong([("main", "more"), ("late", ""), ("leaf", "go")])
        try world.dismiss("/main/late")
        #expect(try failure(world) == "segment 3 ('leaf'): the flow of the segment before has ended")
        #expect(world.waiting == [])
    }

    @Test
    func
        `S-28 S-9 the time limit is for the whole path; the current step is concluded then, and the rest is not taken`()
        throws
    {
        let world = try makeWorld()
        try world.navigateAlong([("main", "gate"), ("sub", "gate"), ("leaf", "go")], by: ":1.4")
        world.now += Limits.pathTimeout / 2
        try world.adapt(1, to: "gate")
        #expect(world.asked == ["/main/sub gate"])
        #expect(world.wait(Limits.pathTimeout / 2) == ["! PathFailed"])
        #expect(
            try failure(world) == "segment 2 ('sub'): its step was not decided in the time that the call may take")
        #expect(world.wait(Limits.replyTimeout) == [])
        #expect(
            try world.adapt(2, to: "gate") == [
                "+ /main/sub/leaf (visible presented ready)",
                "did 3 after 0 by :1.4: /main/sub gate [flow leaf /main/sub/leaf] deep link",
                "concluded /main/sub for :1.4: navigated 3",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-28 S-26 the time limit passes while a flow is not ready: no state is left`() throws {
        let world = try makeWorld()
        try world.navigateAlong([("main", "more"), ("late", ""), ("leaf", "go")], timeout: 300)
        #expect(world.wait(299) == ["timer 300"])
        #expect(world.wait(1) == ["! PathFailed"])
        #expect(
            try failure(world)
                == "segment 3 ('leaf'): the flow before it was not ready in the time that the call may take")
        #expect(world.coordinator.calls.isEmpty)
        #expect(world.coordinator.calls.readers.isEmpty)
        try world.adapt(1, to: "begin")
        #expect(world.navigations == ["/main/late begin"])
        #expect(world.waiting == [])
    }

    @Test func `S-28 S-9 S-34 an outcome at the time limit is answered once`() throws {
        var builder = builder()
        // The idle step dismisses the flow that waits, when the path's time is over, too.
        builder.flow(
            "main", isUnique: true, idle: (300, "clean"),
            on: ["open": [.flow("sub")], "clean": [.screen("a", .init(clears: true))], "go": []])
        for path in [[("main", ""), ("sub", "gate")], [("main", ""), ("sub", "gate"), ("leaf", "")]] {
            let world = try World(root: "main", builder)
            try world.emit("open", on: "/main")
            try world.navigateAlong(path, timeout: 300)
            #expect(world.wait(300).last == "! PathFailed")
            #expect(world.answers == ["3 ! PathFailed"])
            #expect(try failure(world) == "segment 2 ('sub'): the flow that was to take step 'gate' has ended")
            #expect(world.waiting == [])
        }
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emitAll(["gate", "quit"], on: "/main/sub")
        world.now = Limits.replyTimeout - 300
        try world.emit("go", on: "/main")
        #expect(world.wait(300).last == "= [FlowEnded, PresentableDismissed]")
        #expect(world.waiting == [])
    }

    @Test func `S-26 S-34 a flow that becomes ready at the time limit is ready, not late`() throws {
        var builder = builder()
        builder.flow(
            "main", initial: "begin", idle: (Limits.replyTimeout, "clean"),
            on: ["begin": [.flow("late")], "clean": [.screen("a", .init(clears: true))]])
        let world = try World(root: "main", builder)
        try world.waitReady("/main")
        #expect(world.wait(Limits.replyTimeout).last == "= done")
        #expect(world.waiting == [])
    }
}
