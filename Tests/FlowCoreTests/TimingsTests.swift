import Testing

@testable import FlowCore

@Suite("Timings")
struct TimingsTests {
    private let screen = NodeID(slot: NodeSlot(0), instance: 1)

    private func at(_ time: UInt64) -> Instant { Instant(microseconds: time) }

    private func total(_ timings: inout Timings, _ end: UInt64) -> UInt64? {
        timings.end(screen, path: "/a", name: "a", isShown: true, at: at(end))?.total
    }

    @Test func `S-46 percentiles are within 1/32 of those of a sorted list`() throws {
        var random = Seeded(seed: 46)
        var durations = Durations()
        var all: [UInt64] = []
        for _ in 0..<3_000 {
            let time = UInt64.random(in: 0..<(1 << UInt64.random(in: 1..<40, using: &random)), using: &random)
            durations.add(time)
            all.append(time)
        }
        all.sort()
        for percent in [1, 50, 90, 99, 100] as [UInt64] {
            let expected = all[(all.count * Int(percent) + 99) / 100 - 1]
            let found = durations.percentile(percent)
            #expect(found >= expected && found <= expected + expected / 32 + 1, "\(percent) %")
        }
        #expect(durations.max == all.last && durations.count == 3_000)
        #expect(Durations().percentile(50) == 0)
        durations.add(.max)
        #expect(durations.percentile(100) == .max && durations.last == .max)
    }

    @Test func `S-46 the time of guards and navigators is left out, once where several are asked at a time`() {
        var timings = Timings()
        timings.suspend(7, at: at(100))
        timings.suspend(7, at: at(150))
        timings.resume(7, at: at(200))
        timings.forgetEnded()
        timings.resume(7, at: at(300))
        timings.begin(screen, .warm, origin: 7, at: at(300))
        timings.forgetEnded()
        #expect(timings.emissions.isEmpty)
        #expect(total(&timings, 350) == 50)
        #expect(timings.isIdle && total(&timings, 400) == nil)
    }

    @Test(arguments: [(900, 110), (1_001, 10), (0, 1_010)] as [(UInt64, UInt64)])
    func `S-46 inputTime counts, unless it is in the future`(input: UInt64, expected: UInt64) {
        var timings = Timings()
        timings.note(input: input, of: 1, at: at(1_000))
        timings.begin(screen, .cold, origin: 1, at: at(1_000))
        #expect(total(&timings, 1_010) == expected)
    }

    @Test func `S-33 S-46 inputTime more than a minute ago is ignored`() {
        let now = 2 * Limits.inputAge
        for age in [Limits.inputAge, Limits.inputAge + 1] {
            var timings = Timings()
            timings.note(input: now - age, of: 1, at: at(now))
            timings.begin(screen, .cold, origin: 1, at: at(now))
            #expect(total(&timings, now) == (age > Limits.inputAge ? 0 : age))
        }
    }

    @Test func `S-33 screens beyond the limit are timed, and have no statistics`() {
        var timings = Timings()
        for number in 0...Limits.timedScreens {
            timings.begin(screen, .cold, origin: 1, at: at(0))
            #expect(timings.end(screen, path: "/a", name: "a\(number)", isShown: true, at: at(1)) != nil)
        }
        #expect(timings.statistics.count == Limits.timedScreens)
    }
}

// `World` compares the times of cascades with what waits, after every event of every test (`stopsTimes`).
@Suite("Flow coordinator: timings")
struct CoordinatorTimingsTests {
    private func world() throws -> World {
        var builder = DefinitionsBuilder()
        builder.step("open")
        builder.step("cover")
        builder.screen("a", presenter: "com.x")
        builder.screen("app", ["n": "int64?"], presenter: "com.y", action: "show")
        builder.step("again", ["n": "int64?"])
        builder.flow(
            "main", initial: "begin", children: .stack, guarded: (by: "com.guard", steps: ["ask"]),
            on: [
                "begin": [.screen("home")], "open": [.screen("a")], "cover": [.screen("app")], "uncover": [.pop("a")],
                "ask": [], "moved": [], "again": [.screen("app", .init(reuses: true))],
            ])
        builder.steppers = [.init(flow: "main", property: "Gear", step: "moved")]
        return try World(root: "main", builder)
    }

    private func timings(_ world: World) -> [String] {
        world.timings.map { "\($0.path) \($0.start.rawValue) \($0.total)" }
    }

    @Test func `S-46 from the step until the screen is visible: once, cold or warm`() throws {
        let world = try world()
        world.now = 1_000
        try world.emit("open", on: "/main", options: EmissionOptions(inputTime: 400))
        world.now = 1_500
        world.presented(1, by: ":1.9")
        world.now = 2_000
        try world.show("/main/a", by: ":1.9")
        #expect(timings(world) == ["/main/a cold 1600"])
        try world.show("/main/a", by: ":1.9")
        #expect(timings(world) == [])
        world.own("com.y", ":1.8")
        try world.emit("cover", on: "/main")
        world.now = 2_030
        world.presented(2, by: ":1.8")
        #expect(timings(world) == ["/main/app warm 30"])
        let statistics = world.coordinator.timings
        #expect(statistics.map(\.screen) == ["a", "app"] && statistics.map(\.count) == [1, 1])
        #expect(statistics.map(\.last) == [1_600, 30] && statistics.map(\.start) == [.cold, .warm])
    }

    @Test func `S-46 a screen that is covered before it is visible is not timed`() throws {
        let world = try world()
        try world.emit("open", on: "/main")
        world.presented(1, by: ":1.9")
        try world.emit("cover", on: "/main")
        try world.show("/main/a", by: ":1.9")
        #expect(timings(world) == [] && world.coordinator.timings.isEmpty)
    }

    @Test func `S-46 nor is it timed when it is in sight again`() throws {
        let world = try world()
        try world.emit("open", on: "/main")
        world.presented(1, by: ":1.9")
        try world.emit("cover", on: "/main")
        try world.emit("uncover", on: "/main")
        world.now = 5_000_000
        try world.show("/main/a", by: ":1.9")
        #expect(try world.isPresented("/main/a") && timings(world) == [])
    }

    @Test func `S-31 S-46 an application that answers late, while it is called again, shows its screen then`() throws {
        let world = try world()
        try world.emit("cover", on: "/main")
        try world.emit("again", ["n": .int64(2)], on: "/main")
        world.presentTimesOut(1)
        world.now = 70
        world.presented(1, by: ":1.8")
        #expect(timings(world) == ["/main/app cold 70"])
        world.now = 90
        world.presented(2, by: ":1.8")
        #expect(timings(world) == [])
    }

    @Test func `S-46 the time in which a step waits behind a question is left out`() throws {
        let world = try world()
        try world.emit("ask", on: "/main")
        world.now = 100
        try world.emit("open", on: "/main", by: ":1.2")
        world.now = 1_000
        try world.adapt(1, to: "ask")
        world.now = 1_050
        world.presented(2, by: ":1.9")
        try world.show("/main/a", by: ":1.9")
        #expect(timings(world) == ["/main/a cold 50"])
        #expect(world.waiting == [])
    }

    @Test func `S-46 the time begins with the step that brings the screen in sight, whichever steps follow`() throws {
        let world = try world()
        world.now = 1_000
        world.handle(.stepperChanged(StepperID(0), .value(.bool(true))))
        var request = FlowRequest(
            try #require(world.coordinator.definitions.flow(named: "main")), step: try world.id(ofStep: "open"),
            by: Client(":1.1"))
        request.inputTime = 400
        world.handle(.flowRequested(world.nextRequest(), request))
        // The step of the property came last.
        #expect(world.navigations == ["/main_2 open", "/main_2 moved"])
        world.now = 1_500
        world.presented(1, by: ":1.9")
        try world.show("/main_2/a", by: ":1.9")
        #expect(timings(world) == ["/main_2/a cold 1100"])
    }
}
