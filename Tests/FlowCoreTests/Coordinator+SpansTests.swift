import Testing

@testable import FlowCore

/// Times that are values of the context (S-55), and steps that are no input (S-56).
@Suite("Flow coordinator: times of the context, and no input")
struct SpansTests {
    private func builder(initial: String = "10s") -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("choose", ["time": "string"])
        builder.flow(
            "main", idle: (0, "calm"), idleSpan: .context("time"),
            on: ["calm": [], "go": [], "choose": [.set([Binding("time", .step("time"))])]])
        builder.context = [.init(name: "time", initial: initial, setters: ["com.settings"])]
        return builder
    }

    private func makeWorld(_ builder: DefinitionsBuilder) throws -> World {
        let world = World(builder)
        world.own("com.settings", ":1.5")
        try world.coordinate("main", by: ":1.0")
        return world
    }

    private func set(_ world: World, _ time: String, of name: String = "time") -> [String] {
        world.handle(.contextSet(world.nextRequest(), [Argument(name, .string(time))], of: nil, by: Client(":1.5")))
    }

    private func timer(_ world: World) -> UInt64? { world.coordinator.alarms.timer.map { $0.microseconds / 1_000_000 } }

    @Test func `S-55 S-57 a time can be a value of the context, and a change counts from the same moment`() throws {
        let world = try makeWorld(builder())
        #expect(timer(world) == 10)
        world.now = 4_000_000
        #expect(set(world, "6s").contains("timer 6000000"))
        // A longer one does not wake up at the time of before. Signals have to be 100 ms apart.
        world.wait(100_000)
        #expect(set(world, "1min").contains("timer 60000000"))
        #expect(world.wait(2_000_000) == ["timer 60000000"])
        // What is over by now follows at once.
        #expect(set(world, "5s").contains("timer 5000000"))
        #expect(world.wait(0) == ["did 1 after 0 by : /main calm []"])
    }

    @Test func `S-55 S-57 never: what waits for the time does not happen`() throws {
        let world = try makeWorld(builder(initial: "never"))
        #expect(timer(world) == nil)
        #expect(set(world, "3s").contains("timer 3000000"))
        world.wait(100_000)
        #expect(set(world, "never").contains("timer off"))
        #expect(world.wait(100_000_000) == [])
    }

    @Test(arguments: [
        ("soon", "no time span"), ("60", "no unit"), ("9ms", "at least 10ms"), ("31d", "at most 30 days"),
    ])
    func `S-55 S-57 a value that is no time is refused, and nothing changes`(text: String, why: String) throws {
        let world = try makeWorld(builder())
        #expect(set(world, text) == ["! InvalidArguments"])
        let error = try world.refusal().message
        #expect(
            error.contains("'time' of the context is a time, or 'never'") && error.contains(why)
                && error.contains(text == "60" ? "'60'" : "'\(text)'"))
        // So is that of a rule.
        #expect(try world.emit("choose", ["time": .string(text)], on: "/main").last == "! InvalidArguments")
        #expect(timer(world) == 10)
    }

    @Test func `S-55 S-57 a private value stays out of the error`() throws {
        var builder = builder()
        builder.context = [.init(name: "time", initial: "10s", setters: ["com.settings"], isPrivate: true)]
        let world = try makeWorld(builder)
        #expect(set(world, "secret") == ["! InvalidArguments"])
        #expect(try !world.refusal().message.contains("secret"))
    }

    @Test func `S-55 S-57 a timer asks for at least a second, and idle for less`() throws {
        var builder = builder()
        #expect(builder.definitions.spans == ["time": TimeSpan.usual])
        builder.flow("main", idle: (0, "calm"), idleSpan: .context("time"), timers: [.every(.context("time"), "go")])
        builder.screen("slow", presenter: "com.page", evictAfter: .context("late"), patience: .context("patience"))
        #expect(
            builder.definitions.spans == [
                "time": TimeSpan.ofTimers, "late": TimeSpan.usual, "patience": 0...TimeSpan.usual.upperBound,
            ])
    }

    @Test func `S-55 S-57 a flow's own value comes first`() throws {
        var builder = builder()
        builder.add(.init(name: "time", initial: "4s", setters: ["com.settings"]), to: "main")
        let world = try makeWorld(builder)
        #expect(timer(world) == 4)
        #expect(!set(world, "2s").contains { $0.hasPrefix("timer 2") })
        #expect(timer(world) == 4)
    }

    @Test func `S-55 S-57 after a reload a value that is no time where one is needed now is the initial one`() throws {
        var plain = builder()
        plain.flow("main", on: ["calm": [], "go": [], "choose": [.set([Binding("time", .step("time"))])]])
        let world = try makeWorld(plain)
        #expect(!set(world, "soon").contains("! InvalidArguments"))
        world.wait(100_000)
        world.reload(builder())
        #expect(timer(world) == 10)
        #expect(world.coordinator.context["time"]?.value == .string("10s"))
    }

    @Test func `S-55 S-57 D-3 a restart keeps the value, and the time goes on`() throws {
        let world = try makeWorld(builder())
        world.now = 2_000_000
        _ = set(world, "5s")
        world.restart(owners: ["com.settings": ":1.5"])
        #expect(timer(world) == 5)
    }

    @Test func `S-55 every: another time counts from the latest step`() throws {
        var builder = builder()
        builder.flow("main", timers: [.every(.context("time"), "go")], on: ["go": []])
        let world = try makeWorld(builder)
        world.wait(10_000_000)
        #expect(world.navigations == ["/main go"] && timer(world) == 20)
        world.now = 12_000_000
        #expect(set(world, "3s").contains("timer 13000000"))
        world.wait(1_000_000)
        #expect(world.navigations == ["/main go"] && timer(world) == 16)
    }

    @Test func `S-55 S-47 the patience for a screen can be a value of the context`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("page", presenter: "com.page", patience: .context("time"))
        builder.flow("main", initial: "open", whenEmpty: .stay, on: ["open": [.screen("page")]])
        builder.context = [.init(name: "time", initial: "never", setters: ["com.settings"])]
        let world = try makeWorld(builder)
        world.presentFails(1, Fault("a.b", "not yet"))
        for question: UInt64 in 2...20 {
            world.wait(30_000_000)
            world.presentFails(question, Fault("a.b", "not yet"))
        }
        #expect(world.paths == ["/main", "/main/page"])
        // Now it is over.
        _ = set(world, "1min")
        world.wait(0)
        #expect(world.paths == ["/main"])
    }

    @Test func `S-55 S-44 the time after which a screen is evicted can be a value of the context`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("page", presenter: "com.page", evictAfter: .context("time"))
        builder.screen("top")
        builder.flow(
            "main", initial: "open", children: .stack, on: ["open": [.screen("page")], "more": [.screen("top")]])
        builder.context = [.init(name: "time", initial: "never", setters: ["com.settings"])]
        let world = try makeWorld(builder)
        world.presented(1, by: ":1.7")
        try world.emit("more", on: "/main")
        #expect(timer(world) == nil)
        world.now = 5_000_000
        #expect(set(world, "10s").contains("timer 15000000"))
        #expect(world.wait(10_000_000).contains { $0.hasPrefix("withdraw") })
    }

    // MARK: No input

    private func quiet() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("weather", isInput: false)
        builder.flow("main", idle: (100, "calm"), on: ["weather": [], "go": [], "calm": []])
        return builder
    }

    @Test(arguments: [false, true])
    func `S-56 a step that is declared as no input restarts no time`(saysItIs: Bool) throws {
        let world = try World(root: "main", quiet())
        world.now = 60
        let options = saysItIs ? EmissionOptions(isInput: true) : nil
        #expect(try world.emit("weather", on: "/main", options: options).last == "= navigated 1")
        try world.emitAll(["weather"], on: "/main")
        world.wait(40)
        #expect(world.navigations == ["/main calm"])
    }

    @Test func `S-56 a call can say that its step is no input`() throws {
        let world = try World(root: "main", quiet())
        world.now = 60
        try world.emit("go", on: "/main", options: EmissionOptions(isInput: false))
        world.wait(40)
        #expect(world.navigations == ["/main calm"])
        // It does not wake up the flow either, which goes on to rest.
        try world.emit("go", on: "/main", options: EmissionOptions(isInput: false))
        #expect(world.coordinator.alarms.timer == nil)
        try world.emit("go", on: "/main")
        #expect(world.coordinator.alarms.timer != nil)
    }

    @Test func `S-56 S-15 nor does one that the gate defers`() throws {
        var builder = quiet()
        builder.flow("main", whenHidden: .queue, idle: (100, "calm"), on: ["weather": [], "calm": []])
        let world = try World(root: "main", builder)
        try world.hide("/main")
        world.now = 60
        #expect(try world.emit("weather", on: "/main").last == "= deferred 0")
        world.wait(40)
        #expect(world.navigations == ["/main calm"])
    }

    @Test func `S-56 S-27 a deep link reaches the flow, whatever its step is`() throws {
        let world = try World(root: "main", quiet())
        world.now = 60
        try world.navigate("weather")
        world.wait(40)
        #expect(world.navigations == [])
        world.wait(60)
        #expect(world.navigations == ["/main calm"])
    }
}
