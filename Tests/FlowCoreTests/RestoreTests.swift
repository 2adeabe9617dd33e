import Glibc
import Testing

@testable import FlowCore

@Suite("Restore")
struct RestoreTests {
    /// The state of a world as clients see it.
    private func states(_ world: World) -> [PresentableState] {
        world.coordinator.forest.preorder().map { world.coordinator.forest.state(of: $0) }
    }

    private func shop() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64"])
        builder.step("pin", ["code": "string"], isPrivate: true)
        builder.screen("page", ["item": "int64"])
        builder.screen("pad", ["code": "string"])
        builder.flow(
            "tabs", initial: "start", children: .tabs,
            on: ["start": [.flow("one", .init(step: "go")), .flow("two", .init(step: "go"))]])
        builder.flow(
            "one", children: .stack, on: ["go": [.screen("plain")], "open": [.screen("page", .init(style: "modal"))]])
        builder.flow(
            "two", whenHidden: .queue,
            on: [
                "go": [.screen("held", .init(step: "seen", whenHidden: .queue))], "seen": [], "open": [.screen("page")],
            ])
        let secret = DefinitionsBuilder.Child(
            onDismissed: "pin", onDismissedWith: [Binding("code", .literal(.string("5678")))])
        builder.flow(
            "safe", isRestored: false, on: ["pin": [.screen("pad")], "go": [.flow("one", secret)]])
        return builder
    }

    /// A world with some of everything.
    private func stocked() throws -> World {
        let world = try World(root: "tabs", shop())
        try world.emit("open", ["item": .int64(7)], on: "/tabs/one", by: ":1.7")
        try world.show("/tabs/one/page", by: ":1.7")
        try world.claim("/tabs/one/page", by: ":1.7")
        try world.emit("open", ["item": .int64(1)], on: "/tabs/two")
        try world.emit("open", ["item": .int64(2)], on: "/tabs/two")
        try world.emit("go", on: "/tabs/two/held")
        try world.coordinate("safe")
        try world.emit("pin", ["code": .string("1234")], on: "/safe")
        try world.emit("go", on: "/safe")
        return world
    }

    /// The time that this thread takes for something, in ns. Other threads and processes don't count, however busy the machine
    /// is.
    private func processorTime(_ work: () -> Void) -> Int {
        func now() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }
        let start = now()
        work()
        return now() - start
    }

    @Test func `D-3 restoring many screens takes no longer for each than restoring a few`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["go": [.screen("plain")]])
        let world = World(builder)
        for (number, client) in [":1.1", ":1.2", ":1.3", ":1.4"].enumerated() {
            try world.coordinate("main", id: "m\(number)", by: client)
            for _ in 0..<1_000 { try world.emit("go", on: "/m\(number)", by: client) }
        }
        var coordinator = Coordinator(definitions: builder.definitions, basePath: "")
        _ = coordinator.handle(.restored(world.records, onSameBus: true), at: Instant(microseconds: 1))
        // To take them is not much more work than to read them.
        let records = world.records
        let once = processorTime { _ = try? RecordSet(records) }
        let all = processorTime { #expect(coordinator.takeAllRecords().count > 4_000) }
        #expect(all < once * 20, "\(all), \(once)")
    }

    // MARK: On the same bus

    @Test
    func `D-3 on the same bus the same presentables come back, with paths, instances, flags, arguments and owners`()
        throws
    {
        let world = try stocked()
        let (before, accounting) = (states(world), world.coordinator.accounting)
        #expect(world.restart() == [])
        #expect(states(world) == before)
        #expect(world.coordinator.accounting == accounting)
        #expect(try world.hide("/tabs/one/page", by: ":1.1") == ["! NotOwner"])
        // Private arguments are kept, and stay private.
        let pad = try #require(world.coordinator.forest.slot(of: try world.node("/safe/pad")))
        #expect(world.coordinator.forest[pad].arguments == [Argument("code", .string("1234"), isPrivate: true)])
        #expect(try world.state("/safe/pad").arguments == [])
    }

    @Test func `D-3 deferred steps are taken in order when their presentable is shown, for their callers`() throws {
        let world = try stocked()
        world.restart()
        let reported = try world.show("/tabs/two")
        #expect(
            reported.filter { $0.hasPrefix("did") } == [
                "did 4100 after 0 by :1.1: /tabs/two open {item=1} [screen page /tabs/two/page {item=1}]",
                "did 4101 after 0 by :1.1: /tabs/two open {item=2} [screen page /tabs/two/page_2 {item=2}]",
            ])
        // The screen's initial step keeps the cause that contributed it, and precedes the deferred steps (S-16).
        #expect(
            try world.show("/tabs/two/held").filter { $0.hasPrefix("did") || $0.hasPrefix("failed") } == [
                "did 4102 after 3 by :1.0: /tabs/two seen []",
                "did 4103 after 0 by :1.1: /tabs/two go [screen held /tabs/two/held_2]",
            ])
    }

    @Test
    func `D-2 serials and instances jump after a crash, and continue after a clean end`()
        throws
    {
        let world = try World(root: "tabs", shop())
        let (serial, instance) = (world.coordinator.serial, world.coordinator.forest.lastInstance)
        world.restart()
        #expect(world.coordinator.serial > serial)
        try world.emit("go", on: "/tabs/one")
        #expect(try world.state("/tabs/one/plain_2").instance > instance + 1)
        let last = world.coordinator.serial
        world.coordinator.releaseReservedNumbers()
        world.handle(.timerFired)
        world.restart()
        #expect(world.coordinator.serial == last)
        #expect(try world.emit("go", on: "/tabs/one").contains { $0.hasPrefix("did \(last + 1) ") })
    }

    @Test func `D-2 a navigation that changes no presentable has no urgent record`() throws {
        let world = try World(root: "tabs", shop())
        try world.show("/tabs/two")
        let flow = try world.node("/tabs/two")
        var coordinator = world.coordinator.copy()
        for number in 0..<10 as Range<UInt64> {
            let event = Event.stepEmitted(
                RequestID(number + 100), on: flow, step: try world.id(ofStep: "seen"), arguments: [],
                by: Client(":1.1"),
                options: nil)
            let effects = coordinator.handle(event, at: Instant(microseconds: 0))
            let (isUrgent, isAny) = (coordinator.pendingWork.hasUrgentRecords, coordinator.pendingWork.hasRecords)
            #expect(effects.count == 2 && !isUrgent && isAny)
        }
        let keys = coordinator.takeRecords().map(\.key)
        #expect(keys == [RecordKey(.activity, flow.instance)])
        _ = coordinator.handle(
            .visibilityChanged(RequestID(90), of: flow, isVisible: false, by: Client(":1.1")),
            at: Instant(microseconds: 0))
        let isUrgent = coordinator.pendingWork.hasUrgentRecords
        #expect(isUrgent)
    }

    @Test func `D-3 the latest navigation and the idle time are restored`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", idle: (after: 10_000_000, step: "home"), on: ["go": [], "home": [.screen("attract")]])
        let world = try World(root: "main", builder)
        world.now = 3_000_000
        try world.emit("go", on: "/main")
        world.now = 5_000_000
        #expect(world.restart() == ["timer 13000000"])
        #expect(world.coordinator.lastNavigation(of: try world.node("/main"))?.step == "go")
        world.now = 13_000_000
        #expect(world.handle(.timerFired).contains { $0.hasPrefix("did") && $0.contains("/main home") })
        // One that was navigated rests until the flow is reached.
        #expect(world.restart() == [])
    }

    @Test func `D-5 a step that has become private is reported without its arguments`() throws {
        let world = try World(root: "tabs", shop())
        try world.emit("open", ["item": .int64(7)], on: "/tabs/one")
        var builder = shop()
        builder.step("open", ["item": "int64"], isPrivate: true)
        world.restart(builder)
        let last = world.coordinator.lastNavigation(of: try world.node("/tabs/one"))
        #expect(last?.step == "open" && last?.arguments == [])
    }

    @Test func `D-3 roots of autostart that are live are not started again, others are`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "go", on: ["go": [.screen("a")]])
        builder.flow("other")
        builder.autostart = [.init(flow: "main", id: "front"), .init(flow: "other")]
        let world = World(builder)
        world.handle(.started)
        try world.dismiss("/other")
        world.restart()
        #expect(world.handle(.started) == ["+ /other (visible presented ready)"])
        #expect(world.paths == ["/front", "/front/a", "/other"])
    }

    @Test func `D-3 S-26 a flow that waits for its child is ready once the child is`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "go", on: ["go": [.flow("child", .init(step: "late"))]])
        builder.flow("child", guarded: ("com.auth", []), on: ["late": [.screen("a")]])
        let world = try World(root: "main", builder)
        #expect(try !world.isReady("/main"))
        #expect(world.restart() == ["guard? com.auth #1: /main/child late"])
        #expect(try !world.isReady("/main"))
        #expect(try world.adapt(1, to: "late").contains("~ /main ready=true"))
    }

    // MARK: Presenters and owners

    private func presented(_ whenOwnerGone: WhenOwnerGone = .keep) throws -> World {
        var builder = DefinitionsBuilder()
        builder.screen("a", presenter: "com.x", whenOwnerGone: whenOwnerGone)
        builder.flow("main", children: .stack, on: ["open": [.screen("a")], "cover": [.screen("b")]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main", by: ":1.3")
        return world
    }

    @Test func `D-3 S-31 an unanswered Present is called again, an answered one is not`() throws {
        let world = try presented()
        #expect(world.restart() == ["present com.x #1: /main/a"])
        #expect(world.presented(1, by: ":1.9") == ["~ /main/a owner=:1.9"])
        #expect(world.restart() == [])
        #expect(try world.state("/main/a").owner == ":1.9")
    }

    @Test
    func `D-3 S-31 a screen that was covered before its presenter answered is presented when it is uncovered`()
        throws
    {
        let world = try presented()
        try world.emit("cover", on: "/main")
        #expect(world.restart() == [])
        #expect(try world.dismiss("/main/b").contains("present com.x #1: /main/a"))
    }

    @Test func `D-3 S-30 an owner that left meanwhile counts as gone; a kept screen is not presented immediately`()
        throws
    {
        let world = try presented()
        world.presented(1, by: ":1.9")
        try world.show("/main/a", by: ":1.9")
        world.restart()
        #expect(
            world.vanish(":1.9") == ["~ /main/a visible=false presented=false owner=-"])
        // Neither is it after another restart: it waits until it comes in sight again.
        #expect(world.restart() == [])
        try world.emit("cover", on: "/main")
        #expect(try world.dismiss("/main/b").contains("present com.x #1: /main/a recover"))

        let other = try presented(.dismiss)
        other.presented(1, by: ":1.9")
        other.restart()
        #expect(other.vanish(":1.9").contains("- /main/a"))
    }

    @Test func `D-3 S-7 S-38 a Present that was due between two slices is called after a restart`() throws {
        var builder = DefinitionsBuilder()
        for name in ["again", "change"] { builder.step(name, ["item": "int64?"]) }
        builder.screen("a", ["item": "int64?"], presenter: "com.x")
        builder.flow(
            "main", initial: "start",
            on: ["start": [.flow("sub"), .screen("a")], "again": [.screen("a", .init(reuses: true))]])
        builder.flow("sub", whenHidden: .queue, on: ["change": [.parent("again")], "rest": []])
        let world = try World(root: "main", builder)
        world.presented(1, by: ":1.9")
        try world.hide("/main/sub")
        try world.emit("change", ["item": .int64(1)], on: "/main/sub")
        try world.emit("rest", on: "/main/sub")
        let sub = try world.node("/main/sub")
        world.begin(.visibilityChanged(world.nextRequest(), of: sub, isVisible: true, by: Client(":1.1")))
        world.begin(.continued)
        #expect(world.navigations == ["/main/sub change", "/main again"] && world.presents == [])
        world.restart()
        #expect(world.navigations == ["/main/sub rest"] && world.presents == ["/main/a update"])
    }

    // MARK: On another bus

    @Test
    func `D-3 on another bus all presentables are unowned and hidden, and flows that are not restored are left out`()
        throws
    {
        let world = try stocked()
        #expect(world.restart(onSameBus: false) == [])
        #expect(
            world.paths == ["/tabs", "/tabs/one", "/tabs/one/plain", "/tabs/one/page", "/tabs/two", "/tabs/two/held"])
        #expect(states(world).allSatisfy { $0.owner.isEmpty && $0.isVisible == $0.isFlow })
        #expect(try world.state("/tabs/one/page").arguments == [Argument("item", .int64(7))])
        // The steps that were kept are, but nobody knows any more who emitted them.
        #expect(
            try world.show("/tabs/two").contains(
                "did 4100 after 0 by : /tabs/two open {item=1} [screen page /tabs/two/page {item=1}]"))
        // The usage belongs to clients that are gone.
        #expect(Set(world.coordinator.accounting.clients.keys).isSubset(of: [Client(":1.1"), .former]))
    }

    @Test func `D-3 on another bus presented screens are presented again, and calls have no caller`() throws {
        let world = try presented()
        world.presented(1, by: ":1.9")
        try world.emit("open", on: "/main", by: ":1.3", token: "t")
        #expect(
            world.restart(onSameBus: false) == ["present com.x #1: /main/a_2 restore"])
        #expect(world.coordinator.tokens.count == 0)
        #expect(try world.dismiss("/main/a_2", by: ":1.3") == ["! NotOwner"])
        world.presentFails(1)
        #expect(world.presented(2, by: ":1.9").contains("~ /main/a owner=:1.9"))
    }

    @Test func `D-3 no record for another bus contains private arguments`() throws {
        let world = try stocked()
        try world.coordinate("two")
        try world.hide("/two")
        try world.emit("pin", ["code": .string("5678")], on: "/two")
        let records = world.records
        #expect(records.contains { $0.body.map(holdsPin) ?? false })
        #expect(records.map(\.withoutPrivateArguments).allSatisfy { $0.body.map { !holdsPin($0) } ?? true })
        world.restart(onSameBus: false)
        #expect(world.coordinator.node(at: "/two") != nil)
    }

    private func holdsPin(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body, as: UTF8.self)
        return text.contains("1234") || text.contains("5678")
    }

    @Test func `D-3 nor the private arguments of a step that a dismissal triggers`() throws {
        let records = try stocked().records
        #expect(records.contains { $0.body.map { String(decoding: $0, as: UTF8.self).contains("5678") } ?? false })
        #expect(records.map(\.withoutPrivateArguments).allSatisfy { $0.body.map { !holdsPin($0) } ?? true })
    }

    @Test func `D-3 a fresh start keeps only the numbers`() throws {
        let world = try stocked()
        let serial = world.coordinator.serial
        let counters = world.records.filter { $0.key.kind == .counters }
        var fresh = Coordinator(definitions: shop().definitions, basePath: "")
        let effects = fresh.handle(.restored(counters, onSameBus: false), at: Instant(microseconds: 0))
        let (paths, next, instance) = (fresh.paths, fresh.serial, fresh.forest.lastInstance)
        #expect(effects == [] && paths == [] && next > serial)
        #expect(instance > world.coordinator.forest.lastInstance)
    }

    // MARK: Other definitions

    @Test func `D-5 presentables without a declaration are dismissed, the others stay, and each is reported`() throws {
        let world = try stocked()
        try world.claim("/safe/pad", by: ":1.8")
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64"])
        builder.screen("page", ["item": "int64"])
        builder.flow("tabs", children: .tabs)
        builder.flow("one", children: .stack, on: ["open": [.screen("page")], "go": [.screen("plain")]])
        let reported = world.restart(builder)
        #expect(world.paths == ["/tabs", "/tabs/one", "/tabs/one/plain", "/tabs/one/page"])
        #expect(
            reported == [
                "unrestored /tabs/two no definition has a flow 'two' any more",
                "unrestored /tabs/two/held the flow that it was in is gone",
                "unrestored /safe no definition has a flow 'safe' any more",
                "unrestored /safe/pad the flow that it was in is gone", "withdraw /safe/pad from :1.8: parent",
                "unrestored /safe/one the flow that it was in is gone",
                "failed after 3 by :1.0: /tabs seen FlowEnded", "failed after 0 by :1.1: /tabs open FlowEnded",
                "failed after 0 by :1.1: /tabs open FlowEnded", "failed after 0 by :1.1: /tabs go FlowEnded",
            ])
        #expect(try world.state("/tabs").current == "/tabs/one")
    }

    @Test func `D-5 a waiting step that is no longer declared, or declared differently, is dropped and reported`()
        throws
    {
        let world = try stocked()
        var builder = shop()
        builder.step("open", ["item": "string"])
        builder.screen("page", ["item": "string"])
        #expect(
            world.restart(builder) == [
                "failed after 0 by :1.1: /tabs/two open InvalidArguments",
                "failed after 0 by :1.1: /tabs/two open InvalidArguments",
            ])
        #expect(world.live.allSatisfy { $0.flow?.waiting.count ?? 0 <= 1 })
    }
}
