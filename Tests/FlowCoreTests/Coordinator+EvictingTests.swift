import Testing

@testable import FlowCore

/// Screens that are taken from their processes while they are out of sight (S-44).
@Suite("Flow coordinator: evicted screens")
struct EvictingTests {
    private static let after: UInt64 = 5_000_000

    private func builder(after: UInt64? = after, watchdog: UInt64? = nil, whenOwnerGone: WhenOwnerGone = .dismiss)
        -> DefinitionsBuilder
    {
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64?"])
        builder.step("gone", ["reason": "string"])
        builder.screen(
            "note", ["item": "int64?"], presenter: "com.note", whenOwnerGone: whenOwnerGone,
            evictAfter: after.map { .fixed($0) },
            watchdog: watchdog)
        builder.screen("app", presenter: "com.app", action: "show")
        builder.flow(
            "main", initial: "open", children: .stack,
            on: [
                "open": [.screen("note", .init(reuses: true, onDismissed: "gone"))], "more": [.screen("note")],
                "cover": [.screen("page")], "uncover": [.pop("note")], "back": [.popRoot], "free": [.evict],
                "gone": [], "new": [.screen("note", .init(with: [Binding("item", .literal(.int64(7)))], reuses: true))],
            ])
        return builder
    }

    /// `/main/note`, owned by `:1.7`, and covered.
    private func makeWorld(_ builder: DefinitionsBuilder? = nil) throws -> World {
        let world = try World(root: "main", builder ?? self.builder())
        try own(world, as: ":1.7")
        try world.emit("cover", on: "/main")
        try world.show("/main/page")
        return world
    }

    private func presentation(_ world: World) -> Presentation? {
        world.effects.lazy.compactMap { if case .present(let presentation) = $0 { presentation } else { nil } }.last
    }

    private func own(_ world: World, as client: String) throws {
        let call = try #require(presentation(world))
        world.handle(.presenterReplied(call.id, .presented(by: Client(client))))
        try world.show(call.path, by: client)
    }

    /// What happens when this much time has passed.
    @discardableResult
    private func wait(_ world: World, _ time: UInt64) -> [String] {
        world.wait(time).filter { !$0.hasPrefix("timer") }
    }

    private func isEvicted(_ world: World, _ path: String = "/main/note") throws -> Bool {
        world.coordinator.copy().value(of: .evicted, at: try world.node(path)) == .flag(true)
    }

    private let withdrawn = "withdraw /main/note from :1.7: evicted"
    private let left = "~ /main/note visible=false owner=-"

    @Test func `S-44 a screen that was out of sight for so long is withdrawn, and stays, hidden and without an owner`()
        throws
    {
        let world = try makeWorld()
        #expect(wait(world, Self.after - 1) == [])
        #expect(wait(world, 1).first == withdrawn)
        // Until its owner leaves, it has an owner, which may save.
        #expect(try !isEvicted(world))
        #expect(try world.saveState("/main/note", [Argument("at", .byte(1))], by: ":1.7") == ["= done"])
        #expect(try world.claim("/main/note", by: ":1.8") == ["! AlreadyClaimed"])
        #expect(try world.release("/main/note", by: ":1.7") == [left, "= done"])
        #expect(try isEvicted(world))
        // It is not in sight, so nobody is called.
        #expect(wait(world, 3 * Limits.leaveTime).allSatisfy { !$0.hasPrefix("present") })
        try world.emit("uncover", on: "/main")
        #expect(presentation(world)?.reason == .recover)
        #expect(presentation(world)?.state == [Argument("at", .byte(1))])
        #expect(try !isEvicted(world))
    }

    @Test(arguments: [WhenOwnerGone.dismiss, .keep, .present])
    func `S-44 S-30 the end of its connection ends it, too, and whenOwnerGone does not apply`(policy: WhenOwnerGone)
        throws
    {
        let world = try makeWorld(builder(whenOwnerGone: policy))
        wait(world, Self.after)
        #expect(world.handle(.clientVanished(Client(":1.7"))) == [left])
        #expect(try isEvicted(world))
        // It is no failure of the kind that S-47 counts.
        let flow = try #require(world.coordinator.copy().forest.slot(of: try world.node("/main")))
        #expect(world.coordinator.copy().forest[flow].flow?.kept.pauses == [:])
    }

    @Test func `S-44 after 10 s it has no owner in any case`() throws {
        let world = try makeWorld()
        wait(world, Self.after)
        #expect(wait(world, Limits.leaveTime - 1) == [])
        #expect(wait(world, 1).first == left)
        #expect(try isEvicted(world))
        #expect(try world.saveState("/main/note", [], by: ":1.7") == ["! NotOwner"])
    }

    @Test func `S-44 S-47 a call that meets the end of the process is repeated`() throws {
        let world = try makeWorld()
        wait(world, Self.after)
        try world.saveState("/main/note", [Argument("at", .byte(1))], by: ":1.7")
        try world.release("/main/note", by: ":1.7")
        try world.emit("uncover", on: "/main")
        for pause in [1, 2] as [UInt64] {
            let call = try #require(presentation(world))
            #expect(call.reason == .recover && call.state == [Argument("at", .byte(1))])
            world.handle(
                .presenterReplied(call.id, .failed(Fault("org.freedesktop.DBus.Error.NoReply", "disconnected"))))
            wait(world, pause * Limits.firstPause)
        }
        #expect(presentation(world)?.reason == .recover)
    }

    @Test(arguments: ["release", "dismiss", "late"], [false, true])
    func `S-44 an owner that leaves twice, or late, does not take the screen along`(first: String, isRestarted: Bool)
        throws
    {
        let world = try makeWorld()
        wait(world, Self.after)
        try world.saveState("/main/note", [Argument("at", .byte(1))], by: ":1.7")
        switch first {
        case "release": try world.release("/main/note", by: ":1.7")
        case "dismiss": try world.dismiss("/main/note", by: ":1.7")
        default: wait(world, Limits.leaveTime)
        }
        #expect(try world.dismiss("/main/note", by: ":1.7") == ["= done"])
        #expect(try world.show("/main/note", by: ":1.7") == ["= done"])
        // Its presenter is called again, and may be the same client.
        try world.emit("uncover", on: "/main")
        let call = try #require(presentation(world))
        if isRestarted { world.restart() }
        #expect(try world.dismiss("/main/note", by: ":1.7") == ["= done"])
        let id = isRestarted ? 1 : call.id.number
        world.handle(.presenterReplied(QuestionID(id), .presented(by: Client(":1.7"))))
        try world.show("/main/note", by: ":1.7")
        // A second Release from before: it is called once more, and not again.
        try world.release("/main/note", by: ":1.7")
        #expect(presentation(world)?.reason == .recover)
        #expect(presentation(world)?.state == [Argument("at", .byte(1))])
        try own(world, as: ":1.7")
        try world.release("/main/note", by: ":1.7")
        #expect(presentation(world) == nil)
        try world.claim("/main/note", by: ":1.7")
        try world.dismiss("/main/note", by: ":1.7")
        #expect(!world.paths.contains("/main/note"))
    }

    @Test func `S-44 in sight again meanwhile, it is presented once its owner has left`() throws {
        let world = try makeWorld()
        wait(world, Self.after)
        #expect(try world.emit("uncover", on: "/main").allSatisfy { !$0.hasPrefix("present") })
        try world.release("/main/note", by: ":1.7")
        #expect(presentation(world)?.reason == .recover)
        try own(world, as: ":1.8")
        #expect(try world.forestNode("/main/note").isPresented)
    }

    @Test func `S-44 a Dismiss of the owner that was told to leave takes its window away, and not the screen`() throws {
        let world = try makeWorld()
        wait(world, Self.after)
        #expect(try world.dismiss("/main/note", by: ":1.7") == [left, "= done"])
        #expect(try isEvicted(world))
    }

    @Test func `S-44 each time out of sight counts for itself`() throws {
        let world = try makeWorld()
        wait(world, Self.after - 1)
        try world.emit("uncover", on: "/main")
        #expect(wait(world, 10 * Self.after) == [])
        try world.emit("cover", on: "/main")
        #expect(wait(world, Self.after - 1) == [])
        #expect(wait(world, 1).first == withdrawn)
    }

    @Test func `S-44 a client that claims it while it is out of sight has the whole time`() throws {
        let world = try makeWorld()
        wait(world, Self.after)
        try world.release("/main/note", by: ":1.7")
        try world.claim("/main/note", by: ":1.8")
        #expect(try !isEvicted(world))
        #expect(wait(world, Self.after - 1) == [])
        #expect(wait(world, 1).first == "withdraw /main/note from :1.8: evicted")
    }

    @Test(arguments: [false, true])
    func `S-38 S-44 it is launched if a restart lost the first answer of its presenter`(isAnswered: Bool) throws {
        let world = try World(root: "main", builder())
        let call = try #require(presentation(world))
        if isAnswered { world.handle(.presenterReplied(call.id, .presented(by: Client(":1.7")))) }
        try world.emit("cover", on: "/main")
        try world.show("/main/page")
        world.restart()
        if !isAnswered { #expect(try world.claim("/main/note", by: ":1.7").last == "= done") }
        wait(world, Self.after)
        try world.saveState("/main/note", [Argument("at", .byte(1))], by: ":1.7")
        try world.release("/main/note", by: ":1.7")
        #expect(try isEvicted(world))
        try world.emit("uncover", on: "/main")
        #expect(presentation(world)?.reason == (isAnswered ? .recover : .launch))
        #expect(presentation(world)?.state == [Argument("at", .byte(1))])
    }

    @Test func `S-44 with new arguments it is presented with them, to a new process`() throws {
        let world = try makeWorld()
        try world.emit("uncover", on: "/main")
        try world.emit("more", on: "/main")
        try own(world, as: ":1.8")
        wait(world, Self.after)
        #expect(try world.emit("back", on: "/main").contains { $0.hasPrefix("withdraw /main/note_2") })
        // The owner has not left yet; the new arguments wait for that.
        #expect(try world.emit("new", on: "/main").allSatisfy { !$0.hasPrefix("present") })
        try world.release("/main/note", by: ":1.7")
        #expect(presentation(world)?.arguments["item"]?.value == .int64(7))
        #expect(presentation(world)?.reason == .recover)
    }

    @Test func `S-44 evict takes all covered screens of the tree with the key from their processes at once`() throws {
        let world = try makeWorld()
        try world.emit("uncover", on: "/main")
        try world.emit("more", on: "/main")
        try own(world, as: ":1.8")
        let effects = try world.emit("free", on: "/main")
        #expect(effects.filter { $0.hasPrefix("withdraw") } == [withdrawn])
        #expect(effects.contains { $0.hasPrefix("did") && $0.hasSuffix("/main free [evict]") })
        // Once is enough.
        #expect(try world.emit("free", on: "/main").allSatisfy { !$0.hasPrefix("withdraw") })
        // Without the key, nothing is evicted.
        let other = try makeWorld(builder(after: nil))
        #expect(try other.emit("free", on: "/main").allSatisfy { !$0.hasPrefix("withdraw") })
        #expect(wait(other, 100 * Self.after) == [])
    }

    @Test func `S-44 it is not evicted in the midst of a call of its presenter`() throws {
        let world = try World(root: "main", builder())
        try world.emit("cover", on: "/main")
        let early = presentation(world)
        #expect(early == nil)
        #expect(try world.emit("free", on: "/main").allSatisfy { !$0.hasPrefix("withdraw") })
        #expect(wait(world, 3 * Self.after).allSatisfy { !$0.hasPrefix("withdraw") })
    }

    @Test func `S-44 D-3 a restart repeats the Withdraw, and times begin anew`() throws {
        let world = try makeWorld()
        wait(world, Self.after - 1)
        world.restart()
        #expect(wait(world, Self.after - 1) == [])
        #expect(wait(world, 1).first == withdrawn)
        #expect(world.restart().contains(withdrawn))
        #expect(wait(world, Limits.leaveTime - 1) == [])
        #expect(wait(world, 1).first == left)
        world.restart()
        #expect(try isEvicted(world))
        try world.emit("uncover", on: "/main")
        #expect(presentation(world)?.reason == .recover)
    }

    @Test func `S-44 a reload gives the key to screens that are out of sight, and takes it from them`() throws {
        let world = try makeWorld(builder(after: nil))
        world.reload(builder())
        #expect(wait(world, Self.after - 1) == [])
        world.reload(builder(after: nil))
        #expect(wait(world, Self.after) == [])
        world.reload(builder())
        #expect(wait(world, Self.after).first == withdrawn)
    }

    @Test func `S-44 a check of its owner that is due or under way does not put it off`() throws {
        for interval in [Self.after / 2, Self.after, 2 * Self.after] {
            let world = try World(root: "main", builder(watchdog: interval))
            try own(world, as: ":1.7")
            world.answer(2, .alive)
            world.wait(interval)
            #expect(world.effects.map(\.line).first?.hasPrefix("alive? :1.7") == true)
            try world.emit("cover", on: "/main")
            #expect(wait(world, Self.after - 1) == [])
            #expect(wait(world, 1).first == withdrawn)
            #expect(world.answer(3, AliveAnswer.silent) == [])
        }
    }

    @Test func `S-44 an owner that leaves is not asked whether it hangs`() throws {
        let world = try makeWorld(builder(watchdog: Self.after))
        wait(world, Self.after)
        try world.emit("uncover", on: "/main")
        #expect(try world.forestNode("/main/note").isPresented)
        #expect(wait(world, Limits.leaveTime - 1) == [])
        #expect(wait(world, 1).contains { $0.hasPrefix("~ /main/note visible=false") })
        // Its next owner is.
        try own(world, as: ":1.8")
        #expect(world.effects.contains { $0.line.hasPrefix("alive? :1.8") })
    }

    @Test func `S-7 S-44 its time counts when the event that is handled in slices is over`() throws {
        let world = try makeWorld()
        let steps = try ["cover", "uncover"].map { EmittedStep.step(try world.id(ofStep: $0), []) }
        world.now += Self.after - 1
        var lines = world.begin(
            .stepsEmitted(world.nextRequest(), on: try world.node("/main"), steps, by: Client(":1.1")))
        world.now += 1
        while world.coordinator.pendingWork.hasMore { lines += world.begin(.continued) }
        #expect(lines.contains { $0.contains("/main uncover") } && !lines.contains(withdrawn))
    }
}
