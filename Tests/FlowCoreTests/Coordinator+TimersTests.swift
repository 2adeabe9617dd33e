import Testing

@testable import FlowCore

/// Timers of flows (S-55).
@Suite("Flow coordinator: timers")
struct TimersTests {
    private typealias Timer = DefinitionsBuilder.Timer

    /// A stack `main` whose flow `view` has these timers; `over` covers it, and `off` uncovers it again.
    private func builder(_ timers: [Timer], whenHidden: WhenHidden = .ignore) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", initial: "open", children: .stack, whenHidden: .allow, whenEmpty: .stay,
            on: [
                "open": [.flow("view")], "over": [.flow("cover")], "off": [.pop("view")],
                "again": [.flow("view", .init(reuses: true))],
            ])
        builder.flow(
            "view", whenHidden: whenHidden, whenEmpty: .stay, timers: timers, on: ["next": [], "last": [], "ask": []])
        builder.flow("cover", whenEmpty: .stay)
        return builder
    }

    private func makeWorld(_ timers: Timer..., whenHidden: WhenHidden = .ignore) throws -> World {
        try World(root: "main", builder(timers, whenHidden: whenHidden))
    }

    private func timer(_ world: World) -> UInt64? { world.coordinator.alarms.timer?.microseconds }

    /// Lets the time pass as a driver does, which wakes the coordinator only when it has asked for that. Returns the steps of timers with
    /// their times; `-` stands for a wake-up for nothing.
    private func run(_ world: World, until end: UInt64) -> [String] {
        var steps: [String] = []
        while let due = timer(world), due <= end {
            world.now = max(world.now, due)
            world.handle(.timerFired)
            let taken = world.navigations.map { "\(world.now) \($0.split(separator: " ").last ?? "")" }
            steps +=
                taken.isEmpty && world.failures.isEmpty
                ? ["-"] : taken + world.failures.map { "\(world.now) !\($0.step)" }
        }
        world.now = max(world.now, end)
        return steps
    }

    // MARK: When

    @Test func `S-55 every: a timer triggers its step again and again, with the daemon as sender`() throws {
        let world = try makeWorld(.every(100, "next"))
        #expect(timer(world) == 100)
        #expect(world.wait(100) == ["did 2 after 0 by : /main/view next []", "timer 200"])
        #expect(run(world, until: 450) == ["200 next", "300 next", "400 next"])
    }

    @Test func `S-55 after: a timer triggers its step once, whatever becomes of it`() throws {
        let world = try makeWorld(.after(100, "next"), .after(150, "unknown"))
        #expect(run(world, until: 10_000) == ["100 next", "150 !unknown"])
        #expect(timer(world) == nil)
    }

    @Test
    func `S-55 the timers of a flow are independent of each other and of idle, in order where they are due at once`()
        throws
    {
        var builder = builder([.every(100, "next"), .after(200, "last"), .every(200, "ask")])
        builder.flow(
            "view", idle: (200, "calm"), timers: [.every(100, "next"), .after(200, "last"), .every(200, "ask")],
            on: ["next": [], "last": [], "ask": [], "calm": []])
        let world = try World(root: "main", builder)
        #expect(
            run(world, until: 400)
                == ["100 next", "200 calm", "200 next", "200 last", "200 ask", "300 next", "400 next", "400 ask"])
    }

    @Test func `S-55 a step does not begin times anew, as it does those of idle`() throws {
        let world = try makeWorld(.every(100, "next"), .after(150, "last"))
        world.now = 90
        try world.emit("ask", on: "/main/view")
        try world.touch("/main/view")
        #expect(run(world, until: 200) == ["100 next", "150 last", "200 next"])
    }

    @Test func `S-55 since presented: the time begins each time the flow becomes presented`() throws {
        let world = try makeWorld(.every(100, "next", since: .presented), .after(150, "last", since: .presented))
        #expect(run(world, until: 250) == ["100 next", "150 last", "200 next"])
        try world.emit("over", on: "/main")
        #expect(timer(world) == nil && run(world, until: 1_030) == [])
        try world.emit("off", on: "/main")
        #expect(run(world, until: 1_250) == ["1130 next", "1180 last", "1230 next"])
    }

    @Test func `S-55 since presented: a flow that was never presented has no time, even with allow`() throws {
        var builder = builder([.after(100, "next", since: .presented, whenHidden: .allow)])
        builder.flow(
            "main", initial: "open", children: .stack,
            on: ["open": [.flow("view"), .flow("cover")], "off": [.pop("view")]])
        let world = try World(root: "main", builder)
        #expect(timer(world) == nil)
        world.now = 500
        try world.emit("off", on: "/main")
        #expect(run(world, until: 1_000) == ["600 next"])
    }

    // MARK: Covered

    @Test func `S-55 S-15 covered: nothing happens, and what was missed is not made up for`() throws {
        let world = try makeWorld(.every(100, "next"), .after(150, "last"))
        world.now = 50
        // Not even a wake-up.
        #expect(try world.emit("over", on: "/main").contains("timer off"))
        world.now = 330
        #expect(try world.emit("off", on: "/main").contains("timer 400"))
        #expect(run(world, until: 550) == ["400 next", "500 next"])
    }

    @Test func `S-55 S-15 covered with allow: the step is taken all the same`() throws {
        let world = try makeWorld(.every(100, "next", whenHidden: .allow), .after(150, "last", whenHidden: .allow))
        world.now = 50
        try world.emit("over", on: "/main")
        #expect(run(world, until: 200) == ["100 next", "150 last", "200 next"])
    }

    @Test(arguments: [WhenHidden.latest, .queue])
    func `S-55 S-15 covered with latest or queue: one step of each timer waits, and then it goes on`(
        whenHidden: WhenHidden
    ) throws {
        let world = try makeWorld(.every(100, "next", whenHidden: whenHidden), .after(250, "last", whenHidden: .queue))
        try world.emit("over", on: "/main")
        world.wait(100)
        #expect(try world.forestNode("/main/view").deferredSteps.count == 1)
        #expect(timer(world) == 250)
        world.wait(150)
        #expect(try world.forestNode("/main/view").deferredSteps.count == 2)
        // While they wait there is nothing to wake up for.
        #expect(timer(world) == nil)
        world.now = 730
        try world.emit("off", on: "/main")
        #expect(world.navigations == ["/main off", "/main/view next", "/main/view last"])
        #expect(run(world, until: 900) == ["800 next", "900 next"])
    }

    @Test func `S-55 S-15 a step that waits at the gate is enough, also where the times began anew`() throws {
        let world = try makeWorld(.every(100, "next", whenHidden: .queue))
        try world.hide("/main/view")
        world.wait(100)
        try world.emit("again", on: "/main")
        world.wait(1_000)
        #expect(try world.forestNode("/main/view").deferredSteps.count == 1)
        #expect(timer(world) == nil)
        try world.show("/main/view")
        #expect(world.navigations == ["/main/view next"] && timer(world) == 1_200)
    }

    @Test func `S-55 a hidden flow is like a covered one`() throws {
        let world = try makeWorld(.every(100, "next"))
        world.now = 10
        #expect(try world.hide("/main/view").contains("timer off"))
        world.now = 120
        #expect(try world.show("/main/view").contains("timer 200"))
    }

    // MARK: Late

    @Test func `S-55 a timer that comes late triggers its step once, and goes on in its rhythm`() throws {
        let world = try makeWorld(.every(100, "next", whenHidden: .allow))
        world.wait(570)
        #expect(world.navigations == ["/main/view next"])
        #expect(run(world, until: 750) == ["600 next", "700 next"])
    }

    @Test func `S-55 S-6 a step that waits for its guard is the only one of its timer`() throws {
        var builder = builder([.every(100, "next")])
        builder.flow("view", timers: [.every(100, "next")], guarded: ("com.auth", ["next"]), on: ["next": []])
        let world = try World(root: "main", builder)
        #expect(world.wait(100) == ["guard? com.auth #1: /main/view next"])
        world.now = 330
        #expect(world.answer(1, .rejected).last == "timer 400")
        // After reuse the time begins anew, and the former step still waits.
        world.wait(70)
        world.now = 410
        try world.emit("again", on: "/main")
        #expect(timer(world) == 510)
        world.wait(100)
        #expect(
            world.coordinator.questions.aboutSteps.count == 1 && world.coordinator.blocked.all.isEmpty
                && timer(world) == nil)
        world.now = 640
        #expect(world.answer(2, .rejected).last == "timer 710")
    }

    // MARK: Restarts

    @Test func `S-55 D-2 D-3 after a restart times go on, and what is over is done once`() throws {
        let world = try makeWorld(.every(100, "next"), .after(150, "last"), .every(1_000, "ask", since: .presented))
        #expect(run(world, until: 130) == ["100 next"])
        #expect(world.restart() == ["timer 150"])
        #expect(run(world, until: 160) == ["150 last"])
        world.now = 570
        world.restart()
        #expect(
            run(world, until: 1_000)
                == ["570 next", "600 next", "700 next", "800 next", "900 next", "1000 next", "1000 ask"])
        #expect(timer(world) == 1_100)
    }

    @Test func `S-55 D-3 a timer that has done its work does not do it again after a restart`() throws {
        let world = try makeWorld(.after(100, "next"))
        #expect(run(world, until: 100) == ["100 next"])
        #expect(world.restart() == [])
        #expect(run(world, until: 1_000) == [])
    }

    @Test func `S-55 D-3 a step that waits at the gate is still the only one after a restart`() throws {
        let world = try makeWorld(.every(100, "next", whenHidden: .queue))
        try world.emit("over", on: "/main")
        world.wait(100)
        world.restart()
        #expect(timer(world) == nil)
        world.now = 350
        try world.emit("off", on: "/main")
        #expect(world.navigations == ["/main off", "/main/view next"] && timer(world) == 400)
    }

    @Test func `S-55 D-3 on another bus the times begin anew`() throws {
        let world = try makeWorld(.every(100, "next"), .after(150, "last", since: .presented))
        #expect(run(world, until: 160) == ["100 next", "150 last"])
        world.restart(onSameBus: false)
        #expect(run(world, until: 310) == ["260 next", "310 last"])
    }

    @Test
    func
        `S-55 D-3 a step that waits for its guard is asked again after a restart, and its timer goes on with the outcome`()
        throws
    {
        var builder = builder([])
        builder.flow("view", timers: [.every(100, "next")], guarded: ("com.auth", ["next"]), on: ["next": []])
        let world = try World(root: "main", builder)
        world.wait(100)
        #expect(world.restart().contains { $0.hasPrefix("guard? com.auth #1: /main/view next") })
        #expect(timer(world) == nil)
        world.now = 250
        #expect(world.answer(1, .rejected) == ["failed after 0 by : /main/view next rejected", "timer 300"])
        #expect(world.failures.map(\.isTimed) == [true])
    }

    // MARK: Other definitions

    @Test func `S-55 after a reload timers that are the same go on, and the others begin`() throws {
        let world = try makeWorld(.every(100, "next"), .after(500, "last"))
        #expect(run(world, until: 130) == ["100 next"])
        // Another place in the list, and another time; `whenHidden` is no other timer.
        world.reload(builder([.after(400, "last"), .every(100, "next", whenHidden: .allow)]))
        #expect(run(world, until: 530) == ["200 next", "300 next", "400 next", "500 next", "530 last"])
        world.reload(builder([]))
        #expect(timer(world) == nil)
        world.reload(builder([.every(100, "next", since: .presented), .after(50, "last")]))
        #expect(run(world, until: 640) == ["580 last", "630 next"])
    }

    @Test func `S-55 a flow that is covered when its definition gets a timer has no time since presented`() throws {
        let world = try makeWorld()
        try world.emit("over", on: "/main")
        world.reload(builder([.after(100, "next", since: .presented, whenHidden: .allow)]))
        #expect(run(world, until: 500) == [])
        try world.emit("off", on: "/main")
        #expect(run(world, until: 1_000) == ["600 next"])
    }

    @Test func `S-55 S-34 the timers whose time runs are told, with their next step and the time that is left`() throws
    {
        var builder = builder([])
        builder.screen("film", keepsAwake: true)
        builder.flow(
            "view", initial: "start", whenEmpty: .stay, stages: [(100, "calm"), (300, "next")],
            timers: [
                .every(200, "next"), .after(150, "last", since: .presented), .after(400, "ask", whenHidden: .allow),
            ],
            on: ["start": [.screen("film")], "next": [], "last": [], "ask": [], "calm": []])
        let world = try World(root: "main", builder)
        func timers() -> [String] {
            world.coordinator.runningTimers(at: Instant(microseconds: world.now)).map {
                "\($0.flow) \($0.kind) \($0.step) \($0.left)"
            }
        }
        #expect(
            timers() == [
                "/main/view idle calm 100", "/main/view every next 200", "/main/view after last 150",
                "/main/view after ask 400",
            ])
        #expect(run(world, until: 160) == ["100 calm", "150 last"])
        // The second stage counts from the same moment; what has been done is no more.
        #expect(
            timers() == ["/main/view idle next 140", "/main/view every next 40", "/main/view after ask 240"])
        // A covered flow has those alone that go on, and a film keeps it from being idle.
        try world.emit("over", on: "/main")
        #expect(timers() == ["/main/view idle next 140", "/main/view after ask 240"])
        try world.emit("off", on: "/main")
        try world.show("/main/view/film")
        #expect(timers().map { $0.split(separator: " ")[1] } == ["every", "after", "after"])
    }

    // MARK: Meeting other rules

    @Test func `S-55 S-34 S-19 reuse begins all times of the flow anew`() throws {
        let world = try makeWorld(.every(100, "next"), .after(150, "last"), .after(150, "ask", since: .presented))
        #expect(run(world, until: 160) == ["100 next", "150 last", "150 ask"])
        try world.emit("again", on: "/main")
        #expect(run(world, until: 320) == ["260 next", "310 last", "310 ask"])
    }

    @Test func `S-55 S-34 keepsAwake is for idle: timers run on`() throws {
        var builder = builder([])
        builder.screen("film", keepsAwake: true)
        builder.flow(
            "view", initial: "start", idle: (100, "calm"), timers: [.every(100, "next")],
            on: ["start": [.screen("film")], "next": [], "calm": []])
        let world = try World(root: "main", builder)
        try world.show("/main/view/film")
        #expect(run(world, until: 250) == ["100 next", "200 next"])
    }

    @Test func `S-55 the timers of a flow that goes are gone`() throws {
        let world = try makeWorld(.every(100, "next"), .after(150, "last", whenHidden: .allow))
        #expect(try world.dismiss("/main/view").contains("timer off"))
        #expect(run(world, until: 1_000) == [])
    }

    @Test func `S-55 a timer may end its own flow, and others that are due with it`() throws {
        var builder = builder([])
        builder.flow("view", timers: [.after(100, "end"), .every(100, "next")], on: ["end": [.end()], "next": []])
        let world = try World(root: "main", builder)
        #expect(run(world, until: 1_000) == ["100 end"])
    }

    @Test func `S-55 S-7 timers that are due together continue one by one`() throws {
        var builder = builder([.every(100, "next")])
        builder.flow("main", initial: "open", on: ["open": [.flow("view"), .flow("view"), .flow("view")]])
        let world = try World(root: "main", builder)
        world.sliceSize = 1
        world.wait(100)
        #expect(world.navigations == ["/main/view next", "/main/view_2 next", "/main/view_3 next"])
        #expect(timer(world) == 200)
    }

    // MARK: No wake-up for nothing

    @Test func `S-55 1,000 timers cost no wake-up that is not due`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", children: .tabs, on: ["open": [.flow("view")]])
        builder.flow(
            "view", whenEmpty: .stay, timers: [.every(100, "next"), .after(1_000_000, "last", since: .presented)],
            on: ["next": []])
        let world = try World(root: "main", builder)
        for number in 0..<1_000 {
            world.now = UInt64(number)
            try world.emit("open", on: "/main")
        }
        // The first tab is selected.
        #expect(run(world, until: 2_050) == ["999 next"] + (10...20).map { "\($0 * 100) next" })
        // Each is selected for a moment: its alarm stays behind.
        for number in 2...1_000 { try world.show("/main/view_\(number)") }
        #expect(run(world, until: 2_500) == ["2099 next", "2199 next", "2299 next", "2399 next", "2499 next"])
        try world.hide("/main")
        #expect(timer(world) == nil && world.coordinator.alarms.count <= 3 * 1_000 + 16)
    }

    @Test func `S-55 1,000 timers that are due at 1,000 times wake up 1,000 times`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("view")]])
        builder.flow("view", whenEmpty: .stay, timers: [.every(2_000, "next")], on: ["next": []])
        let world = try World(root: "main", builder)
        for number in 0..<1_000 {
            world.now = UInt64(number)
            try world.emit("open", on: "/main")
        }
        #expect(run(world, until: 2_999).count == 1_000)
        #expect(run(world, until: 3_999) == [])
    }
}
