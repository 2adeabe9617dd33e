import Testing

@testable import FlowCore

/// Roots that come and go with outputs (S-53).
@Suite("Flow coordinator: the list of outputs")
struct OutputListTests {
    private typealias Root = DefinitionsBuilder.Root

    private static let setter = ":1.5"

    private func builder(
        _ roots: [Root], _ change: (inout DefinitionsBuilder) -> Void = { _ in }
    ) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("to", ["output": "string?"])
        builder.step("key", ["output": "string"])
        builder.screen("a", presenter: "com.x")
        builder.screen("b", presenter: "com.x", evictAfter: 1_000_000)
        builder.screen("panel", ["where": "string?"])
        for name in ["desk", "bar", "film"] {
            builder.flow(
                name, initial: "open", children: .stack,
                on: ["open": [.screen("a")], "more": [.screen("b")], "to": [.move(.step("output"))], "tap": []])
        }
        builder.flow("lock", initial: "open", emitters: ["com.lock"], on: ["open": [.screen("a")]])
        builder.autostart = roots
        builder.outputSetter = "com.stacker"
        change(&builder)
        return builder
    }

    private func world(_ roots: Root..., change: (inout DefinitionsBuilder) -> Void = { _ in }) -> World {
        let world = World(builder(roots, change))
        world.own("com.stacker", Self.setter)
        world.own("com.lock", ":1.6")
        _ = world.handle(.started)
        return world
    }

    @discardableResult
    private func set(_ world: World, _ names: String..., by client: String = setter) -> [String] {
        world.handle(.outputsSet(world.nextRequest(), names, by: Client(client)))
    }

    /// The roots on an output, the lowest first.
    private func roots(_ world: World, on output: String) -> [String] {
        let forest = world.coordinator.machine.forest
        return forest.roots(on: output).map { forest[$0].path }
    }

    private func move(_ world: World, _ path: String, to output: String, by client: String = ":1.1") throws {
        world.handle(.rootMoved(world.nextRequest(), try world.node(path), to: output, by: Client(client)))
    }

    private static let each = Root(flow: "desk", output: "DP-*", isPerOutput: true)

    private func each(_ what: WhenOutputGone, _ flow: String = "desk", output: String = "*") -> Root {
        Root(flow: flow, output: output, isPerOutput: true, whenOutputGone: what)
    }

    // MARK: - The list

    @Test func `S-53 only the setter sets the outputs`() throws {
        let world = world(Self.each)
        try expectRefusal(world, .accessDenied, with: "'com.stacker' on the bus, which ':1.1' is not") {
            set(world, "DP-1", by: ":1.1")
        }
        let nobody = self.world(Self.each) { $0.outputSetter = nil }
        try expectRefusal(nobody, .accessDenied, with: "[outputs] setter") { set(nobody, "DP-1") }
        #expect(set(world, "DP-1").last == "= done" && world.coordinator.outputs == ["DP-1"])
        world.own("com.stacker", nil)
        try expectRefusal(world, .accessDenied, with: "com.stacker") { set(world, "DP-2") }
        #expect(world.coordinator.outputs == ["DP-1"])
    }

    @Test func `S-33 S-53 wrong names, too many and those given twice are refused`() throws {
        let world = world(each(.end))
        try expectRefusal(world, .invalidArguments, with: "'a b'") { set(world, "DP-1", "a b") }
        try expectRefusal(world, .invalidArguments, with: "''") { set(world, "") }
        try expectRefusal(world, .invalidArguments, with: "'DP-1' is given twice") { set(world, "DP-1", "DP-1") }
        let many = (1...Limits.outputs + 1).map { "o\($0)" }
        try expectRefusal(world, .limitExceeded, with: "17 outputs of at most 16") {
            world.handle(.outputsSet(world.nextRequest(), many, by: Client(Self.setter)))
        }
        world.handle(.outputsSet(world.nextRequest(), Array(many.dropLast()), by: Client(Self.setter)))
        #expect(world.paths.filter { $0.hasPrefix("/desk_o") && !$0.hasSuffix("/a") }.count == 16)
        // A setter that floods has no more of them at a time: those that are missing longest are gone.
        world.handle(.outputsSet(world.nextRequest(), ["new"] + many.dropFirst(3).dropLast(), by: Client(Self.setter)))
        #expect(world.coordinator.outputs.count == 16 && !world.coordinator.outputs.contains("o1"))
        #expect(world.coordinator.outputs.suffix(2) == ["o2", "o3"])
        #expect(
            !world.paths.contains("/desk_o1") && world.paths.contains("/desk_o2") && world.paths.contains("/desk_new"))
    }

    private func set(_ world: World, _ names: [String], _ sizes: OutputSize...) {
        world.handle(.outputsSet(world.nextRequest(), names, by: Client(Self.setter), sizes: sizes))
    }

    @Test func `S-53 a wrong size is refused, and changes nothing`() throws {
        let world = world(each(.end))
        set(world, ["DP-1"], OutputSize("DP-1", width: 800, height: 600))
        for (sizes, text) in [
            ([OutputSize("DP-9", width: 1, height: 1)], "'DP-9', which is none of the outputs"),
            ([OutputSize("DP-2", width: 0, height: 720)], "'0x720'"),
            ([OutputSize("DP-2", width: 720, height: 65_536)], "from 1 to 65535"),
            (
                [OutputSize("DP-2", width: 1, height: 1), OutputSize("DP-2", width: 1, height: 1)],
                "two sizes for the output 'DP-2'"
            ),
        ] {
            try expectRefusal(world, .invalidArguments, with: text) {
                world.handle(.outputsSet(world.nextRequest(), ["DP-2"], by: Client(Self.setter), sizes: sizes))
            }
            #expect(world.coordinator.outputs == ["DP-1"])
        }
    }

    @Test func `S-53 Present has the size of the output, also of that of roots without one`() throws {
        let world = world(each(.keep)) { $0.screen("a", presenter: "com.x", whenOwnerGone: .present) }
        func sizes() -> [String] {
            world.effects.compactMap { effect in
                guard case .present(let it) = effect else { return nil }
                return "\(it.path) \(it.size.map { "\($0.width)x\($0.height)" } ?? "-")"
            }
        }
        set(world, ["DP-1", "DP-2"], OutputSize("DP-1", width: 1_280, height: 720))
        #expect(sizes() == ["/desk_DP_1/a 1280x720", "/desk_DP_2/a -"])
        // A new size alone calls nobody, and what is left out is not known any more.
        set(world, ["DP-1", "DP-2"], OutputSize("DP-2", width: 800, height: 600))
        #expect(sizes() == [])
        world.presented(1, by: ":1.9")
        world.presented(2, by: ":1.9")
        world.vanish(":1.9")
        #expect(sizes() == ["/desk_DP_1/a -", "/desk_DP_2/a 800x600"])
        // One that is missing for a moment keeps its size.
        set(world, ["DP-1"], OutputSize("DP-1", width: 640, height: 480))
        world.presented(3, by: ":1.9")
        world.presented(4, by: ":1.9")
        try move(world, "/desk_DP_1", to: "DP-2")
        #expect(sizes() == ["/desk_DP_1/a 800x600"])
        world.presented(5, by: ":1.9")
        try move(world, "/desk_DP_1", to: "")
        // What it covered there is in sight again.
        #expect(sizes() == ["/desk_DP_2/a 800x600", "/desk_DP_1/a 640x480"])
        world.presented(6, by: ":1.9")
        world.presented(7, by: ":1.9")
        world.wait(10_000_000)
        try move(world, "/desk_DP_1", to: "DP-2")
        #expect(sizes() == ["/desk_DP_1/a -"])
    }

    @Test func `S-53 an empty list never counts, and the list outlives its sender`() throws {
        let world = world(each(.end))
        set(world, "DP-1", "DP-2")
        #expect(set(world) == ["= done"])
        world.vanish(Self.setter)
        world.own("com.stacker", nil)
        world.wait(60_000_000)
        #expect(world.coordinator.outputs == ["DP-1", "DP-2"])
        #expect(world.paths.filter { !$0.hasSuffix("/a") } == ["/desk_DP_1", "/desk_DP_2"])
    }

    @Test func `S-53 an output is gone after 10 s, and one that is back before was never gone`() throws {
        let world = world(each(.end))
        set(world, "DP-1", "DP-2")
        let instance = try world.state("/desk_DP_2").instance
        set(world, "DP-1")
        #expect(world.coordinator.outputs == ["DP-1", "DP-2"])
        world.wait(9_999_999)
        #expect(world.coordinator.outputs == ["DP-1", "DP-2"])
        set(world, "DP-2", "DP-1")
        world.wait(10_000_000)
        #expect(try world.state("/desk_DP_2").instance == instance)
        set(world, "DP-1")
        // The same list again does not begin the time anew.
        world.wait(5_000_000)
        set(world, "DP-1")
        world.wait(5_000_000)
        #expect(world.coordinator.outputs == ["DP-1"] && !world.paths.contains("/desk_DP_2"))
        set(world, "DP-2", "DP-1")
        #expect(try world.state("/desk_DP_2").instance != instance)
    }

    // MARK: - Roots for each output

    @Test func `S-53 a root starts on each output whose name matches, in the order of the files, with its output`()
        throws
    {
        let world = world(
            Root(flow: "lock", output: "DP-1"), Self.each, Root(flow: "bar", id: "top", output: "*", isPerOutput: true))
        #expect(world.paths == ["/lock", "/lock/a"])
        set(world, "DP-1", "HDMI-A-1")
        #expect(world.navigations == ["/desk_DP_1 open", "/top_DP_1 open", "/top_HDMI_A_1 open"])
        #expect(try world.state("/desk_DP_1").output == "DP-1" && world.state("/top_HDMI_A_1").output == "HDMI-A-1")
        #expect(roots(world, on: "DP-1") == ["/lock", "/desk_DP_1", "/top_DP_1"])
        // It counts for the service, and begins again when it is empty (S-48).
        #expect(try world.forestNode("/desk_DP_1").client == .daemon)
    }

    @Test func `S-53 S-41 a root with emitters that stands later in the files stays above those for each output`()
        throws
    {
        let world = world(Self.each, Root(flow: "lock", output: "DP-1"))
        set(world, "DP-1")
        #expect(roots(world, on: "DP-1") == ["/desk_DP_1", "/lock"])
        #expect(try !world.isPresented("/desk_DP_1"))
    }

    @Test(arguments: [
        ("DP-1", "DP_1"), ("HDMI-A-1", "HDMI_A_1"), ("eDP1", "eDP1"), ("DP_1", "DP_1_9dd4f5f0"), ("ä", "___3ad7ab1d"),
    ])
    func `S-53 S-1 ids come from the names of outputs, and are those of no other`(output: String, part: String) throws {
        let found = Names.idPart(of: output, atMost: 23)
        #expect(found.prefix(3) == part.prefix(3) && Names.isPresentableName("x_" + found))
        #expect(
            output.allSatisfy { $0.isLetter && $0.isASCII || $0.isNumber || $0 == "-" }
                ? found == part : found.count > 8)
    }

    @Test func `S-53 S-1 two outputs whose names are alike have two roots, and a long name is cut`() throws {
        let world = world(each(.keep))
        let long = String(repeating: "x", count: 64)
        set(world, "DP-1", "DP_1", "DP.1", long, String(long.dropLast()))
        let tops = world.paths.filter { !$0.hasSuffix("/a") }
        #expect(tops.count == 5 && Set(tops).count == 5 && tops.contains("/desk_DP_1"))
        #expect(tops.allSatisfy { $0.utf8.count <= Limits.nameLength + 1 })
        #expect(Set(tops.compactMap { try? world.state($0).output }).count == 5)
        // The ids are the same at each start.
        world.restart()
        _ = world.handle(.started)
        #expect(world.paths.filter { !$0.hasSuffix("/a") } == tops)
    }

    @Test(arguments: [
        ("*", "DP-1", true), ("DP-*", "DP-1", true), ("DP-*", "HDMI-1", false), ("DP-?", "DP-1", true),
        ("DP-?", "DP-12", false), ("*-1", "DP-1-1", true), ("*a*b*", "xaxbx", true), ("*a*b*", "xbxa", false),
        ("DP-1", "DP-1", true), ("", "DP-1", false), ("?", "ä", true), ("**", "x", true),
        (String(repeating: "*a", count: 30), String(repeating: "a", count: 64), true),
        (String(repeating: "*a", count: 30) + "b", String(repeating: "a", count: 64), false),
    ])
    func `S-53 patterns of outputs`(pattern: String, name: String, matches: Bool) {
        #expect(Names.matches(name, pattern) == matches)
    }

    @Test func `S-53 a live root of that id counts, a root of another flow is reported, and the others start`() throws {
        let world = world(Self.each, Root(flow: "bar", id: "desk", output: "*", isPerOutput: true))
        try world.coordinate("film", id: "desk_DP_2", by: ":1.1")
        set(world, "DP-1", "DP-2", "HDMI-1")
        #expect(try world.state("/desk_DP_1").name == "desk" && world.state("/desk_HDMI_1").name == "bar")
        #expect(try world.state("/desk_DP_2").name == "film")
        let unstarted = world.effects.compactMap { effect -> String? in
            if case .reportUnstarted(let path, let error) = effect { "\(path) \(error.code.rawValue)" } else { nil }
        }
        #expect(Set(unstarted) == ["/desk_DP_2 IdTaken", "/desk_DP_1 IdTaken"])
    }

    @Test func `S-53 a root that somebody dismissed starts again when its output was gone`() throws {
        let world = world(Self.each)
        set(world, "DP-1", "DP-2")
        try world.dismiss("/desk_DP_2")
        set(world, "DP-2", "DP-1")
        #expect(!world.paths.contains("/desk_DP_2"))
        set(world, "DP-1")
        world.wait(10_000_000)
        set(world, "DP-1", "DP-2")
        #expect(world.paths.contains("/desk_DP_2"))
    }

    // MARK: - Outputs that go, and come back

    /// Roots on two outputs, of which the second is gone.
    private func gone(_ what: WhenOutputGone) throws -> World {
        let world = world(each(what))
        set(world, "DP-1", "DP-2")
        world.presented(1, by: ":1.8")
        world.presented(2, by: ":1.9")
        for path in ["/desk_DP_1/a", "/desk_DP_2/a"] {
            try world.show(path, by: path.contains("DP_1") ? ":1.8" : ":1.9")
        }
        set(world, "DP-1")
        world.wait(10_000_000)
        return world
    }

    @Test func `S-53 S-41 with move a root goes below those of the first output, and back to its own`() throws {
        let world = try gone(.move)
        #expect(roots(world, on: "DP-1") == ["/desk_DP_2", "/desk_DP_1"] && roots(world, on: "DP-2").isEmpty)
        #expect(try world.isPresented("/desk_DP_1/a") && !world.isPresented("/desk_DP_2/a"))
        #expect(world.presents.isEmpty)
        #expect(
            !world.effects.contains { if case .withdraw = $0 { true } else { false } }
                && world.sight.contains { $0.contains("DP-2") })
        // Somebody chooses it.
        try move(world, "/desk_DP_2", to: "DP-1")
        #expect(try world.isPresented("/desk_DP_2/a") && world.presents == ["/desk_DP_2/a return"])
        set(world, "DP-1", "DP-2")
        #expect(roots(world, on: "DP-1") == ["/desk_DP_1"] && roots(world, on: "DP-2") == ["/desk_DP_2"])
        #expect(Set(world.presents) == ["/desk_DP_1/a return", "/desk_DP_2/a update"])
        #expect(try world.state("/desk_DP_2/a").owner == ":1.9" && world.isPresented("/desk_DP_2/a"))
        #expect(Set(world.paths.filter { !$0.hasSuffix("/a") }) == ["/desk_DP_1", "/desk_DP_2"])
    }

    @Test func `S-53 with end a root is dismissed as by the service, and starts again`() throws {
        let world = world(each(.end), Root(flow: "bar", output: "DP-2", whenOutputGone: .end))
        set(world, "DP-1", "DP-2")
        world.presented(1, by: ":1.7")
        set(world, "DP-1")
        let lines = world.wait(10_000_000)
        #expect(world.paths.filter { !$0.hasSuffix("/a") } == ["/desk_DP_1"])
        #expect(lines.contains { $0.hasPrefix("withdraw") })
        set(world, "DP-2", "DP-1")
        #expect(Set(world.navigations) == ["/desk_DP_2 open", "/bar open"])
        #expect(roots(world, on: "DP-2") == ["/desk_DP_2", "/bar"])
    }

    @Test func `S-53 with keep a root stays, and no other is started for its output`() throws {
        let world = try gone(.keep)
        let instance = try world.state("/desk_DP_2").instance
        #expect(roots(world, on: "DP-2") == ["/desk_DP_2"])
        #expect(set(world, "DP-1", "DP-2") == ["= done"])
        #expect(try world.state("/desk_DP_2").instance == instance)
    }

    @Test func `S-53 roots of clients stay where they are, and a root with a fixed output goes as the files say`()
        throws
    {
        let world = world(Root(flow: "bar", output: "DP-2", whenOutputGone: .move))
        try world.coordinate("film", by: ":1.1")
        try move(world, "/film", to: "DP-2")
        // The output was never in a list.
        set(world, "DP-1")
        #expect(roots(world, on: "DP-2") == ["/bar", "/film"])
        world.wait(10_000_000)
        #expect(roots(world, on: "DP-2") == ["/film"] && roots(world, on: "DP-1") == ["/bar"])
        set(world, "DP-1", "DP-2")
        #expect(roots(world, on: "DP-2") == ["/bar", "/film"])
    }

    @Test func `S-53 several roots of one output keep their order there and back, whatever is raised meanwhile`() throws
    {
        let world = world(each(.move), Root(flow: "bar", output: "*", isPerOutput: true, whenOutputGone: .move))
        try world.coordinate("film", by: ":1.1")
        set(world, "DP-2", "DP-1")
        try move(world, "/film", to: "DP-2")
        let before = roots(world, on: "DP-2")
        #expect(before == ["/desk_DP_2", "/bar_DP_2", "/film"])
        set(world, "DP-1")
        world.wait(10_000_000)
        #expect(roots(world, on: "DP-1") == ["/desk_DP_2", "/bar_DP_2", "/desk_DP_1", "/bar_DP_1"])
        try move(world, "/desk_DP_2", to: "DP-1")
        try move(world, "/bar_DP_2", to: "DP-1")
        #expect(roots(world, on: "DP-1").suffix(2) == ["/desk_DP_2", "/bar_DP_2"])
        set(world, "DP-1", "DP-2")
        #expect(roots(world, on: "DP-2") == before)
        #expect(roots(world, on: "DP-1") == ["/desk_DP_1", "/bar_DP_1"])
    }

    @Test func `S-53 S-41 neither way leads over a root with emitters`() throws {
        let world = world(
            Root(flow: "desk", output: "DP-2", whenOutputGone: .move), Root(flow: "lock", output: "DP-1"),
            Root(flow: "lock", id: "lock2", output: "DP-2"))
        try move(world, "/lock2", to: "DP-2", by: ":1.6")
        set(world, "DP-1")
        world.wait(10_000_000)
        #expect(roots(world, on: "DP-1") == ["/desk", "/lock"])
        // A client raises it where nothing is fenced, and it goes back below the lock.
        try move(world, "/lock", to: "", by: ":1.6")
        try move(world, "/desk", to: "DP-1")
        set(world, "DP-1", "DP-2")
        #expect(roots(world, on: "DP-2") == ["/desk", "/lock2"])
    }

    @Test func `S-53 a root goes on when the output where it waits is gone, too, and back to its own`() throws {
        let world = world(Root(flow: "desk", output: "DP-2", whenOutputGone: .move))
        set(world, "DP-1", "DP-2")
        set(world, "DP-1")
        world.wait(10_000_000)
        set(world, "DP-3")
        world.wait(10_000_000)
        #expect(try world.state("/desk").output == "DP-3")
        set(world, "DP-1", "DP-3")
        #expect(try world.state("/desk").output == "DP-3")
        set(world, "DP-1", "DP-3", "DP-2")
        #expect(try world.state("/desk").output == "DP-2")
    }

    @Test func `S-53 a root that a client moves to another output stays there`() throws {
        let world = try gone(.move)
        set(world, "DP-1", "DP-3")
        try move(world, "/desk_DP_2", to: "DP-3")
        set(world, "DP-1", "DP-2", "DP-3")
        #expect(try world.state("/desk_DP_2").output == "DP-3")
        #expect(!world.paths.contains("/desk_DP_2_2"))
    }

    @Test func `S-53 S-34 no move is input, and S-44 an evicted screen is called when it is in sight there`() throws {
        let world = world(each(.move)) { builder in
            builder.flow(
                "desk", initial: "open", children: .stack, idle: (after: 100_000_000, step: "tap"),
                on: ["open": [.screen("b")], "more": [.screen("a")], "less": [.dismiss("a")], "tap": []])
        }
        set(world, "DP-1", "DP-2")
        world.presented(2, by: ":1.9")
        try world.emit("more", on: "/desk_DP_2")
        let reached = try world.forestNode("/desk_DP_2").flow?.activity.idle.begun
        world.wait(1_000_000)
        try world.release("/desk_DP_2/b", by: ":1.9")
        set(world, "DP-1")
        world.wait(10_000_000)
        try move(world, "/desk_DP_2", to: "DP-1")
        set(world, "DP-1", "DP-2")
        #expect(try world.forestNode("/desk_DP_2").flow?.activity.idle.begun == reached)
        try world.emit("less", on: "/desk_DP_2")
        #expect(world.presents.contains { $0.hasPrefix("/desk_DP_2/b ") })
    }

    @Test func `S-53 S-5 a question goes on while its root moves`() throws {
        let world = world(each(.move)) { $0.ask(about: "desk", guarded: ("com.g", ["tap"]), navigated: nil) }
        set(world, "DP-1", "DP-2")
        try world.emit("tap", on: "/desk_DP_2")
        set(world, "DP-1")
        world.wait(10_000_000)
        #expect(try world.state("/desk_DP_2").output == "DP-1")
        #expect(try world.adapt(3, to: "tap").contains { $0.contains("/desk_DP_2 tap") })
    }

    @Test func `S-53 S-30 a screen whose owner is gone is presented where its root stands then`() throws {
        let world = world(each(.move)) { $0.screen("a", presenter: "com.x", whenOwnerGone: .present) }
        set(world, "DP-2")
        world.presented(1, by: ":1.9")
        set(world, "DP-1")
        world.presented(2, by: ":1.8")
        world.wait(10_000_000)
        try world.dismiss("/desk_DP_1")
        world.presented(3, by: ":1.9")
        world.vanish(":1.9")
        let outputs = world.effects.compactMap { if case .present(let it) = $0 { it.output } else { nil } }
        #expect(outputs == ["DP-1"])
        #expect(world.presents == ["/desk_DP_2/a recover"])
    }

    @Test
    func `S-53 S-48 a root that is empty on an output that is gone begins again there, and one that ended does not`()
        throws
    {
        let kept = try gone(.keep)
        try kept.dismiss("/desk_DP_2/a", by: ":1.9")
        #expect(kept.navigations == ["/desk_DP_2 open"] && roots(kept, on: "DP-2") == ["/desk_DP_2"])
        let ended = try gone(.end)
        ended.wait(60_000_000)
        #expect(!ended.paths.contains("/desk_DP_2"))
    }

    // MARK: - Restarts and reloads

    @Test(arguments: [true, false])
    func `S-53 D-1 D-3 a restart keeps the list, and where a root goes back to`(onSameBus: Bool) throws {
        let world = try gone(.move)
        set(world, "DP-1", "DP-3")
        set(world, "DP-1")
        world.restart(onSameBus: onSameBus, owners: ["com.stacker": Self.setter])
        _ = world.handle(.started)
        #expect(world.coordinator.outputs == ["DP-1", "DP-3"])
        #expect(roots(world, on: "DP-1") == ["/desk_DP_2", "/desk_DP_1"])
        // The time of what is missing has begun anew.
        world.wait(10_000_000)
        #expect(world.coordinator.outputs == ["DP-1"])
        set(world, "DP-1", "DP-2")
        #expect(roots(world, on: "DP-2") == ["/desk_DP_2"] && roots(world, on: "DP-1").first == "/desk_DP_3")
    }

    @Test func `S-53 what was unplugged while flowbusd was down is gone 10 s after the next list`() throws {
        let world = world(each(.end))
        set(world, "DP-1", "DP-2")
        world.restart(owners: ["com.stacker": Self.setter])
        _ = world.handle(.started)
        world.wait(60_000_000)
        #expect(world.paths.contains("/desk_DP_2"))
        set(world, "DP-1")
        world.wait(10_000_000)
        #expect(!world.paths.contains("/desk_DP_2"))
    }

    @Test
    func
        `S-53 a start without the tree has a root for each output of the list, and none for one that ends with its output`()
        throws
    {
        let world = world(each(.keep), Root(flow: "bar", output: "DP-2", whenOutputGone: .end)) {
            $0.flow("desk", initial: "open", isRestored: false, on: ["open": [.screen("a")]])
            $0.flow("bar", initial: "open", isRestored: false, on: ["open": [.screen("a")]])
        }
        set(world, "DP-1")
        world.wait(10_000_000)
        #expect(!world.paths.contains("/bar"))
        world.restart(onSameBus: false)
        #expect(world.paths.isEmpty)
        _ = world.handle(.started)
        #expect(world.paths == ["/desk_DP_1", "/desk_DP_1/a"])
    }

    @Test func `S-53 a reload starts and ends no root; its roots count from the next output on, its setter at once`()
        throws
    {
        let world = world(each(.keep, output: "DP-*"))
        set(world, "DP-1", "HDMI-1")
        let others = builder([each(.end), Root(flow: "bar", output: "*", isPerOutput: true)]) {
            $0.outputSetter = "com.other"
        }
        world.reload(others)
        #expect(world.paths == ["/desk_DP_1", "/desk_DP_1/a"])
        try expectRefusal(world, .accessDenied, with: "com.other") { set(world, "DP-1") }
        world.own("com.other", ":1.7")
        set(world, "DP-2", by: ":1.7")
        #expect(
            world.paths.contains("/bar_DP_2") && world.paths.contains("/desk_DP_2")
                && !world.paths.contains("/bar_DP_1"))
        // What the files say now holds for a root of before.
        world.wait(10_000_000)
        #expect(!world.paths.contains("/desk_DP_1"))
    }

    // MARK: - Rules

    @Test func `S-53 move takes the root to an output with its owner and state, and is reported`() throws {
        let world = world(Root(flow: "film", output: "front"))
        world.presented(1, by: ":1.9")
        try world.show("/film/a", by: ":1.9")
        let instance = try world.state("/film/a").instance
        let lines = try world.emit("to", ["output": .string("rear")], on: "/film")
        #expect(lines.contains { $0.hasSuffix("/film to {output=rear} [move rear /film]") }, "\(lines)")
        #expect(lines.contains("~ /film output=rear") && !lines.contains { $0.hasPrefix("withdraw") })
        #expect(world.presents == ["/film/a update"])
        #expect(try world.state("/film/a").instance == instance && world.state("/film/a").owner == ":1.9")
        // Without the argument nothing moves, and an empty one stands for none.
        #expect(try world.emit("to", on: "/film").contains { $0.hasSuffix("/film to []") })
        #expect(try world.state("/film").output == "rear")
        try world.emit("to", ["output": .string("")], on: "/film")
        #expect(try world.state("/film").output == "")
        try expectRefusal(world, .invalidArguments, with: "'a b' can't be the name of an output") {
            try world.emit("to", ["output": .string("a b")], on: "/film")
        }
    }

    @Test func `S-53 S-41 a move by a rule comes above a root with emitters only for a client that these permit`()
        throws
    {
        let world = world(Root(flow: "lock", output: "left"), Root(flow: "film", output: "right")) {
            $0.flow(
                "film", initial: "open", children: .stack, whenHidden: .allow, idle: (after: 5_000_000, step: "home"),
                on: [
                    "open": [.screen("a")], "to": [.move(.step("output"))], "home": [.move(.literal(.string("left")))],
                ])
        }
        try world.emit("to", ["output": .string("left")], on: "/film")
        #expect(roots(world, on: "left") == ["/film", "/lock"])
        try world.emit("to", ["output": .string("left")], on: "/film", by: ":1.6")
        #expect(roots(world, on: "left") == ["/lock", "/film"])
        try world.emit("to", ["output": .string("right")], on: "/film")
        // A step of the service itself may, as the file names the film behind the lock.
        world.wait(5_000_000)
        #expect(roots(world, on: "left") == ["/lock", "/film"])
    }

    @Test func `S-53 a flow below the root moves the root, and the last move of a list counts`() throws {
        let world = world(Root(flow: "film", output: "left")) {
            $0.flow("film", initial: "open", on: ["open": [.flow("sub")]])
            $0.flow(
                "sub", whenEmpty: .stay,
                on: ["go": [.move(.literal(.string("x"))), .move(.literal(.string("right")))]])
        }
        try world.emit("go", on: "/film/sub")
        #expect(try world.state("/film").output == "right")
    }

    @Test func `S-53 S-10 no report has the output that a private value names`() throws {
        let world = world(Root(flow: "film", output: "left")) {
            $0.step("secret", ["output": "string"], isPrivate: true)
            $0.flow("film", initial: "open", on: ["open": [.screen("a")], "secret": [.move(.step("output"))]])
        }
        let lines = try world.emit("secret", ["output": .string("right")], on: "/film")
        #expect(lines.contains { $0.hasSuffix("/film secret [move /film]") }, "\(lines)")
        try expectRefusal(world, .invalidArguments, with: "a private value") {
            try world.emit("secret", ["output": .string("a b")], on: "/film")
        }
    }

    @Test func `S-53 when, unless and arguments know the output of the root`() throws {
        let world = world(each(.keep)) { builder in
            builder.flow(
                "desk", ["lang": "string?"], initial: "open", children: .stack,
                on: [
                    "open": [.screen("a")],
                    "key": .first([
                        .init(
                            when: [.same(.step("output"), .output)],
                            parts: [
                                .screen("panel", .init(with: [Binding("where", .output)]))
                            ]),
                        .init(when: [.same(.output, .literal(.string("DP-2")))], parts: [.current("other")]),
                        .init(parts: []),
                    ]), "other": [],
                ])
        }
        set(world, "DP-1", "DP-2", "DP-3")
        try world.navigate("key", ["output": .string("DP-1")])
        #expect(world.navigations == ["/desk_DP_1 key", "/desk_DP_2 key", "/desk_DP_2 other", "/desk_DP_3 key"])
        #expect(try world.state("/desk_DP_1/panel").arguments["where"]?.value == .string("DP-1"))
        let explanation = world.coordinator.explain(
            try world.id(ofStep: "key"), [Argument("output", .string("DP-1"))], on: try world.node("/desk_DP_3"),
            by: Client(":1.1"), at: Instant(microseconds: world.now))
        #expect(
            explanation.lines.contains { $0.contains("'$output' ('DP-1') is not '$flow.output' ('DP-3')") },
            "\(explanation.lines)")
    }

    @Test func `S-53 a value that is absent is equal to nothing, and equal values of other types are the same`() throws
    {
        let world = world(Root(flow: "film")) { builder in
            builder.step("ask", ["n": "int64?"])
            builder.flow(
                "film", ["n": "byte?"], initial: "open",
                on: [
                    "open": [.screen("a")],
                    "ask": .first([
                        .init(when: [.same(.step("n"), .flow("n"))], parts: [.screen("b")]), .init(parts: []),
                    ]),
                ])
        }
        try world.emit("ask", on: "/film")
        #expect(!world.paths.contains("/film/b"))
        try world.coordinate("film", ["n": .byte(7)], by: ":1.1")
        try world.emit("ask", ["n": .int64(7)], on: "/film_2")
        #expect(world.paths.contains("/film_2/b"))
    }

    @Test func `S-53 a navigator moves the root by its answer, but not to what is no output`() throws {
        let world = world(Root(flow: "film", output: "left")) {
            $0.ask(about: "film", guarded: nil, navigated: ("com.n", ["open", "to"]))
        }
        try world.emit("to", on: "/film")
        let rules = ContributorRules(world.coordinator.definitions)
        #expect(
            try rules.contributors([NamedContributor(.move, "right"), NamedContributor(.move)]) == [
                .move(.literal(.string("right"))), .move(.literal(.string(""))),
            ])
        #expect(throws: FlowError.self) { try rules.contributors([NamedContributor(.move, "a b")]) }
        #expect(throws: FlowError.self) {
            try rules.contributors([NamedContributor(.move, "right", [.style: .text("x")])])
        }
    }
}
