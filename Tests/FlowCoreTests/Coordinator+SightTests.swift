import Testing

@testable import FlowCore

/// What is reported once at the end of an event: the screens in sight, and where Back leads (S-10). What a program says of its screen.
@Suite("Flow coordinator: what is in sight")
struct SightTests {
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        for name in ["list", "film", "note"] { builder.screen(name, presenter: "com.x") }
        builder.step("back")
        builder.step("sized", ["n": "int64"])
        builder.flow(
            "main", initial: "list", children: .stack,
            on: [
                "list": [.screen("list")], "film": [.screen("film")], "both": [.screen("film"), .current("note")],
                "note": [.screen("note")], "nothing": [], "pop": [.pop("list")], "back": [], "sized": [],
            ])
        return builder
    }

    private func shown() throws -> World {
        let world = try World(root: "main", builder())
        world.presented(1, by: ":1.9")
        try world.show("/main/list", by: ":1.9")
        return world
    }

    @Test func `S-10 a step reports the stack of its output and what Back does there, once, and only if that is new`()
        throws
    {
        let world = try World(root: "main", builder())
        #expect(world.sight == ["stack: /main/list"])
        world.presented(1, by: ":1.9")
        // Its owner is new.
        #expect(world.sight == ["stack: /main/list"])
        try world.show("/main/list", by: ":1.9")
        #expect(world.sight == ["stack: /main/list*"])
        try world.show("/main/list", by: ":1.9")
        #expect(world.sight == [])
        try world.emit("both", on: "/main")
        #expect(world.sight == ["stack: /main/note", "back on /main: dismiss, to /main/film"])
        try world.emit("nothing", on: "/main")
        #expect(world.sight == [])
        try world.emit("pop", on: "/main")
        #expect(world.sight == ["stack: /main/list*", "back on /main: unhandled"])
        try world.dismiss("/main/list", by: ":1.9")
        #expect(world.sight == ["stack: "])
    }

    private func move(_ world: World, to output: String) throws {
        world.handle(.rootMoved(world.nextRequest(), try world.node("/main"), to: output, by: Client(":1.1")))
    }

    @Test func `S-10 S-41 each output has its stack, also one that a root leaves`() throws {
        let world = try shown()
        try move(world, to: "left")
        #expect(world.sight == ["stack: ", "stack of left: /main/list*"])
        try move(world, to: "right")
        #expect(world.sight == ["stack of left: ", "stack of right: /main/list*"])
        #expect(try world.coordinator.stack(on: "right").map(\.path) == ["/main/list"])
    }

    @Test func `S-10 S-33 of many screens the highest are reported`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["more": [.screen("a")]])
        let world = try World(root: "main", builder)
        for _ in 0..<Limits.reportedStack + 5 { try world.emit("more", on: "/main") }
        let paths = try world.coordinator.stack(on: "").map(\.path).suffix(Limits.reportedStack)
        #expect(world.sight == ["stack: " + paths.joined(separator: ", ")])
    }

    @Test func `S-10 D-3 nothing is reported because of a restart, and what is new after it is`() throws {
        let world = try shown()
        try world.emit("film", on: "/main")
        world.restart()
        #expect(world.sight == [])
        try world.emit("pop", on: "/main")
        #expect(world.sight == ["stack: /main/list*", "back on /main: unhandled"])
    }

    @Test func `S-31 the answer of a presenter says that its screen is visible, its title, and the step for Back`()
        throws
    {
        let world = try World(root: "main", builder())
        let report = ScreenReport(isVisible: true, title: "Films", backStep: "back")
        #expect(
            world.handle(.presenterReplied(QuestionID(1), .presented(by: Client(":1.9"), report))) == [
                "~ /main/list visible=true presented=true owner=:1.9 title=Films"
            ])
        #expect(world.sight == ["stack: /main/list*", "back on /main: step back"])
        #expect(world.presents == [])
    }

    @Test func `S-38 of the answer to a return, the report counts, and only from the owner`() throws {
        let world = try shown()
        try world.emit("film", on: "/main")
        world.presented(2, by: ":1.8")
        try world.emit("pop", on: "/main")
        let title = ScreenReport(title: "Films")
        #expect(
            world.handle(.presenterReplied(QuestionID(3), .presented(by: Client(":1.9"), title))) == [
                "~ /main/list title=Films"
            ])
        try world.emit("film", on: "/main")
        world.presented(4, by: ":1.8")
        try world.emit("pop", on: "/main")
        let other = ScreenReport(title: "Other")
        #expect(world.handle(.presenterReplied(QuestionID(5), .presented(by: Client(":1.7"), other))) == [])
    }

    @Test func `S-14 S-39 S-44 SetVisible takes all that is new of a screen, from its owner alone, or nothing`() throws
    {
        let world = try shown()
        func report(_ report: ScreenReport, on path: String = "/main/list", by client: String = ":1.9") throws
            -> [String]
        {
            world.handle(
                .visibilityChanged(
                    world.nextRequest(), of: try world.node(path), isVisible: false, by: Client(client), report))
        }
        #expect(try report(ScreenReport(title: String(repeating: "a", count: 257))) == ["! LimitExceeded"])
        #expect(try report(ScreenReport(title: "a", backStep: "sized")) == ["! InvalidArguments"])
        #expect(try report(ScreenReport(title: "a"), by: ":1.7") == ["! NotOwner"])
        #expect(try report(ScreenReport(title: "a"), on: "/main") == ["! NotSupported"])
        #expect(try world.state("/main/list").isVisible)
        #expect(
            try report(ScreenReport(title: "a", backStep: "back")) == [
                "~ /main/list visible=false presented=false title=a", "= done",
            ])
        // Nothing else is needed for SetVisible alone.
        #expect(try world.hide("/main") == ["~ /main visible=false presented=false", "= done"])
    }

    @Test func `S-38 an owner that asks for it is told that its screen is out of sight, and in sight again`() throws {
        let world = try shown()
        try world.emit("film", on: "/main")
        #expect(!world.sight.contains { $0.hasPrefix("sight") })
        try world.emit("pop", on: "/main")
        world.handle(
            .visibilityChanged(
                world.nextRequest(), of: try world.node("/main/list"), isVisible: true, by: Client(":1.9"),
                ScreenReport(wantsSight: true)))
        try world.emit("film", on: "/main")
        #expect(world.sight.first == "sight /main/list false for :1.9")
        world.restart(owners: ["com.x": ":1.9"])
        try world.emit("pop", on: "/main")
        #expect(world.sight.first == "sight /main/list true for :1.9")
        // It ends with the ownership.
        world.handle(.presentableReleased(world.nextRequest(), try world.node("/main/list"), by: Client(":1.9")))
        world.handle(.presentableClaimed(world.nextRequest(), try world.node("/main/list"), by: Client(":1.9")))
        try world.emit("film", on: "/main")
        #expect(!world.sight.contains { $0.hasPrefix("sight") })
    }

    @Test func `S-31 Present has the title and the visibility that an earlier owner gave`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("list", presenter: "com.x", whenOwnerGone: .present)
        builder.flow("main", initial: "list", on: ["list": [.screen("list")]])
        let world = try World(root: "main", builder)
        world.handle(
            .presenterReplied(
                QuestionID(1), .presented(by: Client(":1.9"), ScreenReport(isVisible: true, title: "Films"))))
        world.vanish(":1.9")
        let calls = world.effects.compactMap { if case .present(let call) = $0 { call } else { nil } }
        #expect(calls.map(\.title) == ["Films"] && calls.map(\.isVisible) == [false])
    }
}

/// The order in which clients learn of an event (S-10).
@Suite("Order of effects")
struct EffectOrderTests {
    private func change(_ path: String, _ properties: PropertyList) -> Effect {
        .changeProperties(PropertyChanges(path: path, properties))
    }

    private func arranged(_ effects: [Effect]) -> [Effect] {
        var effects = effects
        effects.arrange()
        return effects
    }

    @Test func `S-10 programs are called before anyone is told`() {
        let call = Effect.present(Presentation(path: "/a/b", arguments: [], instance: 2, serial: 1, reason: .launch))
        let added = Effect.addPresentable(PresentableState(path: "/a/b", isFlow: false))
        let start = Effect.startService("com.x")
        let reply = Effect.reply(RequestID(1), .done)
        #expect(arranged([added, call, start, reply]) == [call, start, added, reply])
        #expect(arranged([added, reply]) == [added, reply])
    }

    @Test func `S-10 the changes of a presentable are one, at the place of the last, with the last values`() {
        let first = change("/a", [.ready: .flag(true), .current: .path("/a/b")])
        let other = change("/c", [.visible: .flag(true)])
        let last = change("/a", [.current: .path("/a/c")])
        #expect(
            arranged([first, other, last]) == [other, change("/a", [.ready: .flag(true), .current: .path("/a/c")])])
    }

    @Test func `S-10 S-38 an owner is told once whether its screen is in sight, with the last value`() {
        func sight(_ path: String, _ isInSight: Bool, _ owner: String) -> Effect {
            .emitSightChanged(path: path, isInSight: isInSight, owner: Client(owner))
        }
        let change = change("/a", [.inSight: .flag(true)])
        let last = sight("/a", true, ":1.9")
        #expect(
            arranged([sight("/a", true, ":1.9"), sight("/b", false, ":1.9"), sight("/a", false, ":1.9"), change, last])
                == [sight("/b", false, ":1.9"), change, last])
        // The former owner lost it.
        #expect(arranged([sight("/a", false, ":1.8"), change, last]) == [sight("/a", false, ":1.8"), change, last])
    }

    @Test func `S-10 one that goes has no changes before, and another one at its path its own`() {
        let old = change("/a", [.ready: .flag(true)])
        let new = change("/a", [.current: .path(nil)])
        let gone = Effect.removePresentable(path: "/a", isFlow: true)
        let added = Effect.addPresentable(PresentableState(path: "/a", isFlow: true))
        #expect(arranged([old, gone]) == [gone])
        #expect(arranged([old, gone, added, new]) == [gone, added, new])
    }
}
