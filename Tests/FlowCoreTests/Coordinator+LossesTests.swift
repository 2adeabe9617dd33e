import Testing

@testable import FlowCore

/// Screens whose program crashes again and again (S-36).
@Suite("Flow coordinator: lost owners")
struct LossesTests {
    /// A lock that is shown again whatever happens.
    private func world(_ whenOwnerGone: WhenOwnerGone = .dismiss) throws -> World {
        var builder = DefinitionsBuilder()
        builder.step("again", ["why": "string", "error": "string"])
        builder.screen("lock", presenter: "com.lock", whenOwnerGone: whenOwnerGone)
        builder.flow(
            "main", whenEmpty: .stay,
            on: [
                "again": [
                    .screen(
                        "lock",
                        .init(
                            onDismissed: "again", onDismissedWith: [Binding("why", .reason), Binding("error", .error)]))
                ]
            ])
        let world = try World(root: "main", builder)
        try world.emit("again", ["why": .string(""), "error": .string("")], on: "/main")
        return world
    }

    /// The latest call to the presenter, if the latest event made one.
    private func call(_ world: World) -> UInt64? {
        world.effects.compactMap { if case .present(let presentation) = $0 { presentation.id.number } else { nil } }
            .last
    }

    private func reason(_ world: World) -> String? {
        world.effects.compactMap { effect in
            if case .emitNavigationOccurred(let it) = effect, case .string(let why)? = it.arguments["why"]?.value {
                why
            } else {
                nil
            }
        }.last
    }

    /// Owns the screen and crashes.
    private func crash(_ world: World, _ number: UInt64) throws {
        let question = try #require(call(world))
        world.presented(question, by: ":1.\(number)")
        world.vanish(":1.\(number)")
    }

    @Test(arguments: WhenOwnerGone.allCases)
    func `S-36 at the third owner lost within 10 s the screen goes by presentFailed`(whenOwnerGone: WhenOwnerGone)
        throws
    {
        let world = try world(whenOwnerGone)
        for number in 10...11 as ClosedRange<UInt64> {
            try crash(world, number)
            #expect(reason(world) == (whenOwnerGone == .dismiss ? "ownerGone" : nil))
            // A screen that is kept is presented when it is in sight again.
            if whenOwnerGone == .keep {
                try world.hide("/main")
                try world.show("/main")
            }
        }
        try crash(world, 12)
        #expect(reason(world) == "presentFailed")
        #expect(world.navigations == ["/main again"])
        #expect(world.effects.contains { $0.line.contains("error=org.freedesktop.DBus.Error.Disconnected") })
        #expect(call(world) == nil)
    }

    @Test func `S-36 then Presents wait 1 s, 2 s, 4 s and so on, up to 1 min`() throws {
        let world = try world()
        for number in 10...12 as ClosedRange<UInt64> { try crash(world, number) }
        var number: UInt64 = 13
        for seconds in [1, 2, 4] as [UInt64] {
            world.wait(seconds * 1_000_000 - 1)
            #expect(call(world) == nil)
            world.wait(1)
            #expect(call(world) != nil, "\(seconds)")
            try crash(world, number)
            #expect(call(world) == nil)
            number += 1
        }
        var losses = OwnerLosses()
        var waits: [UInt64] = []
        for _ in 0..<12 {
            if losses.note(at: Instant(microseconds: 5)) { waits.append(losses.until.microseconds - 5) }
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map { $0 * 1_000_000 })
    }

    private func delays(_ world: World) -> [String] {
        world.effects.compactMap { effect in
            if case .reportDelay = effect { effect.line } else { nil }
        }
    }

    @Test func `S-36 a wait is reported once, however often its screen comes in sight, and each longer one again`()
        throws
    {
        let world = try world()
        for number in 10...12 as ClosedRange<UInt64> {
            #expect(delays(world) == [])
            try crash(world, number)
        }
        #expect(delays(world) == ["delay /main/lock com.lock 1000000"])
        world.wait(250_000)
        try world.hide("/main")
        try world.show("/main")
        #expect(delays(world) == [])
        // It is another screen, whose wait is what is left of that.
        try world.dismiss("/main/lock")
        #expect(delays(world) == ["delay /main/lock com.lock 750000"])
        world.wait(750_000)
        #expect(delays(world) == [])
        try crash(world, 13)
        #expect(delays(world) == ["delay /main/lock com.lock 2000000"])
    }

    @Test func `S-36 explain says that a presenter is not called, and for how long`() throws {
        let world = try world()
        for number in 10...12 as ClosedRange<UInt64> { try crash(world, number) }
        world.wait(250_000)
        let arguments = [Argument("why", .string("")), Argument("error", .string(""))]
        let explanation = world.coordinator.explain(
            try world.id(ofStep: "again"), arguments, on: try world.node("/main"), by: Client(":1.1"),
            at: Instant(microseconds: world.now))
        let line = "the presenter 'com.lock' is not called to show '/main/lock_2' for 750 ms: too many owners were lost"
        #expect(explanation.lines.contains { $0.contains(line) }, "\(explanation.lines)")
    }

    @Test func `S-36 an owner that lives 1 min ends it`() throws {
        let world = try world()
        for number in 10...12 as ClosedRange<UInt64> { try crash(world, number) }
        world.wait(1_000_000)
        let question = try #require(call(world))
        world.presented(question, by: ":1.20")
        world.wait(Limits.survival)
        world.vanish(":1.20")
        #expect(reason(world) == "ownerGone")
        #expect(call(world) != nil)
    }

    @Test func `S-36 a program that crashes with many screens of one name has crashed once`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("page", presenter: "com.x", whenOwnerGone: .keep)
        builder.flow("main", on: ["page": [.screen("page")]])
        let world = try World(root: "main", builder)
        for number in 1...5 as ClosedRange<UInt64> {
            try world.emit("page", on: "/main")
            world.presented(number, by: ":1.9")
        }
        world.vanish(":1.9")
        #expect(world.paths.count == 6)
    }

    @Test func `S-36 a client that claims the screen meanwhile is not replaced when the wait is over`() throws {
        let world = try world()
        for number in 10...12 as ClosedRange<UInt64> { try crash(world, number) }
        try world.claim("/main/lock", by: ":1.30")
        world.wait(1_000_000)
        #expect(call(world) == nil)
        #expect(try world.state("/main/lock").owner == ":1.30")
    }

    // MARK: While presenters wait

    /// A lock that has gone, because its program crashed too often.
    private func crashed() throws -> World {
        var builder = DefinitionsBuilder()
        builder.step("lock", ["item": "int64?"])
        builder.screen("lock", ["item": "int64?"], presenter: "com.lock", whenOwnerGone: .present)
        builder.flow("main", whenEmpty: .stay, on: ["lock": [.screen("lock", .init(reuses: true))]])
        let world = try World(root: "main", builder)
        try world.emit("lock", on: "/main")
        for number in 10...12 as ClosedRange<UInt64> { try crash(world, number) }
        return world
    }

    /// A lock whose presenter has to wait.
    private func waiting() throws -> World {
        let world = try crashed()
        try world.emit("lock", on: "/main")
        #expect(world.presents == [] && world.paths == ["/main", "/main/lock"])
        return world
    }

    @Test func `S-33 S-36 a screen that comes in sight often while its presenter waits has one alarm`() throws {
        let world = try waiting()
        for _ in 0..<100 {
            try world.hide("/main")
            try world.show("/main")
        }
        #expect(world.coordinator.alarms.count == 1)
        world.wait(1_000_000)
        #expect(world.presents == ["/main/lock launch"])
        #expect(world.coordinator.alarms.count == 0)
    }

    @Test func `S-36 S-38 new arguments reach the presenter though a client claimed the screen while it waited`() throws
    {
        let world = try waiting()
        try world.claim("/main/lock", by: ":1.30")
        try world.hide("/main")
        try world.navigate("lock", ["item": .int64(1)])
        #expect(world.navigations == ["/main lock"])
        world.wait(1_000_000)
        #expect(world.presents == [])
        try world.show("/main")
        #expect(world.presents == ["/main/lock update"])
    }

    @Test(arguments: [(false, false), (false, true), (true, false)])
    func `S-36 S-38 a client that claims the screen meanwhile is the one to whom it returns`(
        waits: Bool, restarts: Bool
    ) throws {
        let world = try waiting()
        try world.claim("/main/lock", by: ":1.30")
        try world.show("/main/lock", by: ":1.30")
        if restarts { world.restart() }
        if waits { world.wait(1_000_000) }
        try world.hide("/main")
        try world.show("/main")
        #expect(world.presents == ["/main/lock return"])
        #expect(try world.state("/main/lock").owner == ":1.30")
    }

    @Test func `S-30 S-38 a kept screen returns to the client that claimed it`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("lock", presenter: "com.lock", whenOwnerGone: .keep)
        builder.flow("main", on: ["lock": [.screen("lock")]])
        let world = try World(root: "main", builder)
        try world.emit("lock", on: "/main")
        try crash(world, 10)
        try world.claim("/main/lock", by: ":1.30")
        try world.hide("/main")
        try world.show("/main")
        #expect(world.presents == ["/main/lock return"])
    }

    @Test func `S-36 S-31 new arguments reach the process that answers an older call while the presenter waits`() throws
    {
        let world = try crashed()
        world.wait(Limits.lossTime)
        try world.emit("lock", ["item": .int64(1)], on: "/main")
        world.presented(try #require(call(world)), by: ":1.20")
        try world.emit("lock", ["item": .int64(2)], on: "/main")
        let older = try #require(call(world))
        world.vanish(":1.20")
        try world.emit("lock", ["item": .int64(3)], on: "/main")
        #expect(world.presents == [])
        world.presented(older, by: ":1.21")
        #expect(world.presents == ["/main/lock recover"])
    }

    @Test func `S-33 S-36 a screen that is claimed and released often while its presenter waits has one alarm`() throws
    {
        let world = try waiting()
        for number in 0..<50 as Range<Int64> {
            try world.claim("/main/lock", by: ":1.30")
            try world.emit("lock", ["item": .int64(number)], on: "/main")
            if let call = call(world) { world.presented(call, by: ":1.30") }
            try world.release("/main/lock", by: ":1.30")
            try world.emit("lock", ["item": .int64(-number)], on: "/main")
        }
        #expect(world.coordinator.alarms.count <= 2)
    }

    @Test func `S-11 S-36 an owner that lives long does not end the losses of others that come later`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("song", presenter: "com.music")
        builder.flow("main", whenEmpty: .stay, on: ["again": [.screen("song", .init(onDismissed: "again"))]])
        for fails in [true, false] {
            let world = try World(root: "main", builder)
            try world.emit("again", on: "/main")
            world.presented(try #require(call(world)), by: ":1.10")
            world.wait(Limits.survival)
            try world.emit("again", on: "/main")
            var count: UInt64 = 0
            while let question = call(world), count < 20 {
                world.now += 1_000
                count += 1
                if fails { world.presentFails(question) } else { try crash(world, 100 + count) }
            }
            #expect(count == UInt64(Limits.losses))
        }
    }

    @Test(arguments: [WhenOwnerGone.dismiss, .present], [true, false])
    func `S-36 a flow that goes with its screen hands its losses on to the next one of its name`(
        policy: WhenOwnerGone, isDeep: Bool
    ) throws {
        var builder = DefinitionsBuilder()
        builder.screen("lock", presenter: "com.lock", whenOwnerGone: policy)
        builder.flow(
            "main", initial: "open", children: .stack,
            on: ["open": [.flow(isDeep ? "deep" : "sub", .init(onDismissed: "open"))]])
        builder.flow("deep", initial: "begin", on: ["begin": [.flow("sub")]])
        builder.flow("sub", initial: "start", on: ["start": [.screen("lock")]])
        let world = try World(root: "main", builder)
        var count: UInt64 = 0
        while call(world) != nil, count < 20 {
            count += 1
            try crash(world, 10 + count)
        }
        #expect(count == UInt64(Limits.losses))
        // The wait survives a restart, and the lock is shown by itself when it is over.
        world.restart()
        world.wait(1_000_000)
        #expect(world.presents.count == 1)
        try crash(world, 90)
        #expect(call(world) == nil)
        world.wait(1_999_999)
        #expect(call(world) == nil)
        world.wait(1)
        world.presented(try #require(call(world)), by: ":1.99")
        // One that lives long ends it.
        world.wait(Limits.survival)
        world.vanish(":1.99")
        #expect(call(world) != nil)
    }

    @Test func `S-36 D-3 an owner that lives 1 min ends it, also over a restart`() throws {
        let world = try waiting()
        world.wait(1_000_000)
        world.presented(try #require(call(world)), by: ":1.20")
        world.wait(Limits.survival)
        world.restart()
        world.vanish(":1.20")
        #expect(world.presents == ["/main/lock recover"])
    }

    @Test func `S-36 D-3 a client that claims the screen meanwhile is not replaced after a restart either`() throws {
        let world = try waiting()
        try world.claim("/main/lock", by: ":1.30")
        world.restart()
        #expect(world.presents == [])
        world.wait(1_000_000)
        #expect(world.presents == [])
        #expect(try world.state("/main/lock").owner == ":1.30")
    }

    @Test func `S-36 a screen that was claimed and released meanwhile is presented when the wait is over`() throws {
        let world = try waiting()
        try world.claim("/main/lock", by: ":1.30")
        try world.release("/main/lock", by: ":1.30")
        world.wait(1_000_000)
        #expect(world.presents == ["/main/lock launch"])
    }

    // MARK: What ends it, and what counts

    @Test(arguments: ["dismiss", "release", "pop"])
    func `S-36 an owner that lives 1 min ends it, however the screen goes`(how: String) throws {
        var builder = DefinitionsBuilder()
        builder.screen("lock", presenter: "com.lock")
        builder.flow("main", whenEmpty: .stay, on: ["lock": [.screen("lock")], "clear": [.dismiss("lock")]])
        let world = try World(root: "main", builder)
        for number in 10...12 as ClosedRange<UInt64> {
            try world.emit("lock", on: "/main")
            try crash(world, number)
        }
        try world.emit("lock", on: "/main")
        world.wait(1_000_000)
        world.presented(try #require(call(world)), by: ":1.20")
        world.wait(Limits.survival)
        if how == "dismiss" { try world.dismiss("/main/lock", by: ":1.20") }
        if how == "release" { try world.release("/main/lock", by: ":1.20") }
        try world.emit("clear", on: "/main")
        try world.emit("lock", on: "/main")
        try crash(world, 21)
        try world.emit("lock", on: "/main")
        #expect(world.presents == ["/main/lock launch"])
    }

    @Test func `S-36 of many screens of one name, the one that had its owner longest counts`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("page", presenter: "com.x")
        builder.flow("main", whenEmpty: .stay, on: ["page": [.screen("page")]])
        let world = try World(root: "main", builder)
        for number in 10...12 as ClosedRange<UInt64> {
            try world.emit("page", on: "/main")
            try crash(world, number)
        }
        world.wait(1_000_000)
        try world.emit("page", on: "/main")
        let first = try #require(call(world))
        try world.emit("page", on: "/main")
        world.presented(try #require(call(world)), by: ":1.20")
        world.now += 55_000_000
        world.presented(first, by: ":1.20")
        world.now += 10_000_000
        world.vanish(":1.20")
        #expect(world.paths == ["/main"])
        try world.emit("page", on: "/main")
        #expect(world.presents == ["/main/page launch"])
    }

    @Test func `S-36 a flow that has the name of a screen, and its owner, does not hide the screen's losses`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("lock", presenter: "com.lock")
        builder.flow("lock", whenEmpty: .stay)
        builder.flow("main", whenEmpty: .stay, on: ["flow": [.flow("lock")], "screen": [.screen("lock")]])
        let world = try World(root: "main", builder)
        for number in 10...12 as ClosedRange<UInt64> {
            try world.emit("flow", on: "/main")
            try world.claim("/main/lock", by: ":1.\(number)")
            try world.emit("screen", on: "/main")
            try crash(world, number)
            #expect(world.paths == ["/main"])
        }
        try world.emit("screen", on: "/main")
        #expect(world.presents == [])
    }

    @Test func `S-33 S-36 losses that no longer count are forgotten, and those of undeclared screens`() throws {
        var builder = DefinitionsBuilder()
        for name in ["a", "b"] { builder.screen(name, presenter: "com.x") }
        builder.flow("main", whenEmpty: .stay, on: ["a": [.screen("a")], "b": [.screen("b")]])
        let world = try World(root: "main", builder)
        for name in ["a", "b"] {
            try world.emit(name, on: "/main")
            world.presentFails(try #require(call(world)))
            #expect(try world.forestNode("/main").flow?.losses.keys.sorted() == [name])
            world.wait(Limits.lossTime)
        }
        var other = DefinitionsBuilder()
        other.flow("main", whenEmpty: .stay)
        world.reload(other)
        #expect(try world.forestNode("/main").flow?.losses.isEmpty == true)
    }

    @Test func `S-36 losses more than 10 s apart don't count, nor those of another screen or flow`() throws {
        let world = try world()
        for number in 10...15 as ClosedRange<UInt64> {
            try crash(world, number)
            #expect(reason(world) == "ownerGone")
            world.wait(5_000_000)
            if call(world) == nil { try world.emit("again", ["why": .string(""), "error": .string("")], on: "/main") }
        }
    }
}
