import Testing

@testable import FlowCore

@Suite("Flow coordinator: deep links that wait")
struct WaitingDeepLinksTests {
    private func sketch() -> DefinitionsBuilder {
        var sketch = DefinitionsBuilder()
        sketch.flow(
            "main", isUnique: true, guarded: ("com.auth", ["gate"]),
            on: ["open": [.flow("sub"), .flow("free")], "gate": [], "go": [], "more": [.flow("late")]])
        sketch.flow(
            "sub", guarded: ("com.sub", ["gate"]),
            on: ["gate": [.flow("leaf")], "go": [], "more": [.flow("late")], "quit": [.end()]])
        sketch.flow("free", on: ["gate": [], "go": []])
        sketch.flow("leaf", on: ["go": []])
        sketch.flow(
            "late", initial: "begin", guarded: ("com.late", ["begin"]), on: ["begin": [.flow("leaf")], "go": []])
        return sketch
    }

    private func opened() throws -> World {
        let world = try World(root: "main", sketch())
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
        let world = try opened()
        #expect(
            try world.navigate("gate", by: ":1.4") == [
                "guard? com.auth #1: /main gate", "guard? com.sub #2: /main/sub gate",
                "did 2 after 0 by :1.4: /main/free gate [] deep link", "timer 20000000",
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

    @Test func `S-27 S-9 after 20 s it is pending where it is undecided, and that is concluded flow by flow`() throws {
        let world = try opened()
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

    // MARK: Along a path

    @Test func `S-28 the next flow is chosen when the step before is navigated`() throws {
        let world = try opened()
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
        let world = try opened()
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
        var sketch = sketch()
        sketch.flow(
            "late", initial: "begin", isUnique: true, guarded: ("com.late", ["begin"]), on: ["begin": [.flow("leaf")]])
        let world = World(sketch)
        #expect(
            try world.navigateAlong([("late", ""), ("leaf", "go")])
                == ["+ /late (visible presented)", "guard? com.late #1: /late begin", "timer 10000000"])
        #expect(try world.adapt(1, to: "begin").last == "= [/late -, /late/leaf navigated 2]")
        #expect(world.waiting == [])
    }

    @Test func `S-28 what is not navigated after a wait ends it, with the segment's number`() throws {
        let endings: [(String, (World) throws -> Void)] = [
            ("the step 'gate' is rejected", { $0.answer(1, GuardAnswer.rejected) }),
            ("the guard 'com.sub' did not answer in time", { $0.answer(1, GuardAnswer.timedOut) }),
            ("the flow that was to take step 'gate' has ended", { try $0.dismiss("/main/sub") }),
            ("flow 'sub' has no rule for step 'strange'", { try $0.adapt(1, to: "strange") }),
        ]
        for (why, event) in endings {
            var sketch = sketch()
            sketch.step("strange")
            let world = try World(root: "main", sketch)
            try world.emit("open", on: "/main")
            try world.navigateAlong([("main", "go"), ("sub", "gate"), ("leaf", "go")])
            try event(world)
            #expect(try failure(world) == "segment 2 ('sub'): \(why)")
            #expect(world.waiting == [])
        }
    }

    @Test func `S-28 a flow that goes while the path waits for it ends the path`() throws {
        let world = try opened()
        try world.navigateAlong([("main", "more"), ("late", ""), ("leaf", "go")])
        try world.dismiss("/main/late")
        #expect(try failure(world) == "segment 3 ('leaf'): the flow of the segment before has ended")
        #expect(world.waiting == [])
    }

    @Test func `S-28 S-9 its time is for the whole; a step under way then is concluded, and the rest is not taken`()
        throws
    {
        let world = try opened()
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

    @Test func `S-28 S-26 its time is over while a flow is not ready: nothing is left of it`() throws {
        let world = try opened()
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

    @Test func `S-28 S-9 S-34 what is decided as its time ends is answered once`() throws {
        var sketch = sketch()
        // The idle step dismisses the flow that waits, when the path's time is over, too.
        sketch.flow(
            "main", isUnique: true, idle: (300, "clean"),
            on: ["open": [.flow("sub")], "clean": [.screen("a", .init(clears: true))], "go": []])
        for path in [[("main", ""), ("sub", "gate")], [("main", ""), ("sub", "gate"), ("leaf", "")]] {
            let world = try World(root: "main", sketch)
            try world.emit("open", on: "/main")
            try world.navigateAlong(path, timeout: 300)
            #expect(world.wait(300).last == "! PathFailed")
            #expect(world.answers == ["3 ! PathFailed"])
            #expect(try failure(world) == "segment 2 ('sub'): the flow that was to take step 'gate' has ended")
            #expect(world.waiting == [])
        }
        let world = try World(root: "main", sketch)
        try world.emit("open", on: "/main")
        try world.emitAll(["gate", "quit"], on: "/main/sub")
        world.now = Limits.replyTimeout - 300
        try world.emit("go", on: "/main")
        #expect(world.wait(300).last == "= [FlowEnded, PresentableDismissed]")
        #expect(world.waiting == [])
    }

    @Test func `S-26 S-34 a flow that is ready as the time of who waits ends is ready, not late`() throws {
        var sketch = sketch()
        sketch.flow(
            "main", initial: "begin", idle: (Limits.replyTimeout, "clean"),
            on: ["begin": [.flow("late")], "clean": [.screen("a", .init(clears: true))]])
        let world = try World(root: "main", sketch)
        try world.waitReady("/main")
        #expect(world.wait(Limits.replyTimeout).last == "= done")
        #expect(world.waiting == [])
    }
}
