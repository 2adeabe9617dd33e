import Testing

@testable import FlowCore

/// Presentables that vanished clients left behind are reclaimed before calls of others are refused (S-33).
@Suite("Flow coordinator: reclaiming")
struct CoordinatorReclaimingTests {
    /// Quotas low enough to be reached.
    private func quotas(nodes: Int, steps: Int = 1_000) -> Quotas {
        var quotas = Quotas.none
        quotas.nodes.total = nodes
        quotas.steps.total = steps
        return quotas
    }

    private func builder(_ count: Int = 3) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "app",
            on: ["fill": .first([DefinitionsBuilder.Branch(parts: Array(repeating: .screen("s"), count: count))])])
        builder.addRule("add", [.screen("s")], to: "app")
        builder.addRule("keep", [.screen("k", .init(whenHidden: .queue, onDismissed: "closed"))], to: "app")
        builder.addRule("sub", [.flow("app", .init(onDismissed: "closed"))], to: "app")
        builder.addRule("closed", [], to: "app")
        builder.addRule("one", [.screen("s", .init(clears: true))], to: "app")
        return builder
    }

    private func leave(_ world: World, _ clients: String...) {
        for client in clients { world.handle(.clientVanished(Client(client))) }
    }

    /// Ten clients connect, create 1,000 presentables each, and leave, which once filled flowbusd.
    @Test func `S-33 presentables of ten vanished clients block no one, and are reclaimed in linear time`() throws {
        let world = World(builder(999))
        for number in 1...10 {
            try world.coordinate("app", id: "a\(number)", by: ":1.\(number)")
            try world.emit("fill", on: "/a\(number)", by: ":1.\(number)")
        }
        #expect(world.coordinator.accounting.total.nodes == Limits.nodes)
        // Each of these stays: owned, presented, or of a connected client.
        try world.claim("/a1/s", by: ":1.20")
        try world.show("/a2/s")
        for number in 1...9 { leave(world, ":1.\(number)") }
        #expect(world.coordinator.accounting.pool.nodes == 9_000)
        // The oldest as a whole where nothing keeps it; in /a1 and /a2 there is something, and their screens go by one.
        #expect(
            try world.coordinate("app", id: "b", by: ":1.21") == [
                "- /a1/s_2", "+ /b (visible presented ready)", "= /b",
            ])
        #expect(try world.emit("fill", on: "/b", by: ":1.21").last?.hasPrefix("= navigated") == true)
        #expect(world.paths.contains("/a1/s") && world.paths.contains("/a2/s") && !world.paths.contains("/a1/s_3"))
        #expect(world.coordinator.accounting.total.nodes == Limits.nodes)
        #expect(world.paths.contains("/a10/s_999") && world.paths.contains("/a2/s"))
        for number in 22...25 {
            try world.coordinate("app", id: "c\(number)", by: ":1.\(number)")
            try world.emit("fill", on: "/c\(number)", by: ":1.\(number)")
        }
        #expect(["/a1", "/a1/s", "/a2", "/a2/s", "/a10"].allSatisfy(world.paths.contains))
        #expect(world.coordinator.accounting.total.nodes <= Limits.nodes)
    }

    @Test func `S-22 S-23 S-33 reclaiming acts like Dismiss without a client, and only as far as needed`() throws {
        let world = World(builder(), quotas: quotas(nodes: 5))
        try world.coordinate("app", by: "")
        for client in [":1.1", ":1.2"] { try world.emit("keep", on: "/app", by: client) }
        try world.emit("sub", on: "/app", by: ":1.1")
        try world.emit("add", on: "/app/app", by: ":1.1")
        try world.emit("add", on: "/app/k", by: ":1.2")
        leave(world, ":1.1")
        // The parent's step is triggered when the current cascade is done.
        #expect(
            try world.emit("add", on: "/app", by: ":1.3") == [
                "- /app/k", "failed after 0 by :1.2: /app add PresentableDismissed", "+ /app/s",
                "did 5 after 0 by :1.3: /app add [screen s /app/s]", "did 6 after 0 by : /app closed []",
                "= navigated 5",
            ])
        // Of a parent and a child the parent counts, even if others of its client stay.
        #expect(
            try world.emit("add", on: "/app", by: ":1.3").prefix(3) == ["- /app/app/s", "- /app/app", "+ /app/s_2"])
        // Nothing else can be reclaimed, and a refusal changes nothing.
        try world.emit("add", on: "/app", by: ":1.3")
        let before = world.standing
        for _ in 0..<2 { #expect(try world.emit("add", on: "/app", by: ":1.3") == ["! LimitExceeded"]) }
        #expect(try world.refusal().message == "there are 5 live presentables of at most 5 in total")
        #expect(world.standing == before)
        leave(world, ":1.2")
        #expect(try world.emit("add", on: "/app", by: ":1.3").first == "- /app/k_2")
    }

    @Test func `S-33 if reclaiming can't free enough, nothing is reclaimed`() throws {
        let world = World(builder(), quotas: quotas(nodes: 4))
        try world.coordinate("app", by: "")
        try world.emit("add", on: "/app", by: ":1.1")
        try world.coordinate("app", by: "")
        leave(world, ":1.1")
        let before = world.standing
        #expect(try world.emit("fill", on: "/app", by: ":1.2") == ["! LimitExceeded"])
        #expect(world.standing == before)
        #expect(try world.coordinate("app", by: ":1.2").last == "= /app_3")
        #expect(
            try world.coordinate("app", by: ":1.2") == ["- /app/s", "+ /app_4 (visible presented ready)", "= /app_4"])
    }

    @Test func `S-33 nothing is reclaimed for a client at its own limits`() throws {
        var quotas = quotas(nodes: 3)
        quotas.nodes.perClient = 1
        let world = World(builder(), quotas: quotas)
        for client in [":1.1", ":1.2", ":1.3"] { try world.coordinate("app", by: client) }
        leave(world, ":1.1")
        #expect(try world.coordinate("app", by: ":1.2") == ["! LimitExceeded"])
        #expect(try world.refusal().message == "':1.2' has made 1 live presentables of at most 1")
        #expect(try world.coordinate("app", by: ":1.4").first == "- /app")
    }

    @Test func `S-33 the flow that takes the step and its ancestors stay; so do flows that the daemon started`() throws
    {
        let world = World(builder(), quotas: quotas(nodes: 4))
        try world.coordinate("app", by: "")
        try world.emit("sub", on: "/app", by: ":1.1")
        try world.emit("sub", on: "/app/app", by: ":1.1")
        try world.emit("add", on: "/app/app", by: ":1.1")
        leave(world, ":1.1")
        #expect(
            try world.emit("add", on: "/app/app/app", by: ":1.2").first == "- /app/app/s")
        // It belongs to a connected client, so its parent stays, too.
        #expect(try world.coordinate("app", by: ":1.3") == ["! LimitExceeded"])
        #expect(world.paths == ["/app", "/app/app", "/app/app/app", "/app/app/app/s"])
    }

    @Test func `S-14 S-33 presented ones are reclaimed last, and only while vanished clients have more than half`()
        throws
    {
        let world = World(builder(), quotas: quotas(nodes: 8))
        try world.coordinate("app", by: "")
        try world.emit("fill", on: "/app", by: ":1.1")
        try world.emit("fill", on: "/app", by: ":1.2")
        try world.emit("add", on: "/app", by: ":1.2")
        for path in world.paths.dropFirst() where path != "/app/s_2" { try world.show(path) }
        leave(world, ":1.1", ":1.2")
        #expect(world.coordinator.accounting.pool.nodes == 7)
        let gone = try (0..<4).map { _ in try world.emit("add", on: "/app", by: ":1.3").first ?? "" }
        #expect(gone == ["- /app/s_2", "- /app/s", "- /app/s_3", "! LimitExceeded"])
        #expect(world.coordinator.accounting.pool.nodes == 4)
        // Hidden, it may go.
        try world.hide("/app/s_7")
        #expect(try world.emit("add", on: "/app", by: ":1.3").first == "- /app/s_7")
    }

    @Test func `S-29 S-33 released and reused presentables count for their current owner`() throws {
        let world = World(builder(), quotas: quotas(nodes: 3))
        try world.coordinate("app", by: "")
        try world.emit("add", on: "/app", by: ":1.1")
        try world.emit("add", on: "/app", by: ":1.1")
        try world.claim("/app/s", by: ":1.2")
        leave(world, ":1.1")
        #expect(try world.emit("add", on: "/app", by: ":1.3").first == "- /app/s_2")
        #expect(try world.emit("add", on: "/app", by: ":1.3") == ["! LimitExceeded"])
        try world.release("/app/s", by: ":1.2")
        #expect(try world.emit("add", on: "/app", by: ":1.3").first == "- /app/s")
    }

    @Test func `S-15 S-33 deferred steps are reclaimed with their presentable`() throws {
        let world = World(builder(), quotas: quotas(nodes: 100, steps: 3))
        try world.coordinate("app", by: "")
        for _ in 0..<3 { try world.emit("keep", on: "/app", by: ":1.1") }
        try world.emit("add", on: "/app/k_2", by: ":1.1")
        try world.emit("add", on: "/app/k_2", by: ":1.2")
        try world.emit("add", on: "/app/k_3", by: ":1.2")
        leave(world, ":1.1")
        // A subtree without usage is not reclaimed.
        #expect(
            try world.emit("add", on: "/app/k", by: ":1.2").prefix(2) == [
                "- /app/k_2", "failed after 0 by :1.1: /app add PresentableDismissed",
            ])
        #expect(world.paths == ["/app", "/app/k", "/app/k_3"])
    }

    @Test func `S-33 another user than the service's own has half, its clients together`() throws {
        let world = World(builder(), quotas: quotas(nodes: 8))
        for client in [":1.1", ":1.2"] { try world.coordinate("app", by: client) }
        for client in [":1.1", ":1.2"] { world.handle(.clientIdentified(Client(client), user: 1_000)) }
        for client in [":1.1", ":1.2"] { try world.emit("add", on: "/app", by: client) }
        #expect(try world.emit("add", on: "/app", by: ":1.2") == ["! LimitExceeded"])
        let message = "the clients of user '1000' have made 4 live presentables of at most 4"
        #expect(try world.refusal().message == message)
        #expect(try world.emit("fill", on: "/app", by: ":1.3").last == "= navigated 3")
        leave(world, ":1.1")
        #expect(try world.emit("add", on: "/app", by: ":1.2").last == "= navigated 4")
    }

    @Test func `D-3 S-33 a restart does not change which clients exist; on another bus there are none`() throws {
        let world = World(builder(), quotas: quotas(nodes: 4))
        try world.coordinate("app", by: "")
        try world.emit("add", on: "/app", by: ":1.1")
        try world.emit("add", on: "/app", by: ":1.2")
        try world.emit("add", on: "/app", by: "")
        leave(world, ":1.1")
        world.restart()
        // Until the bus has said that it is gone.
        #expect(world.watched.sorted() == [":1.1", ":1.2"])
        #expect(try world.emit("add", on: "/app", by: ":1.3") == ["! LimitExceeded"])
        leave(world, ":1.1")
        #expect(try world.emit("add", on: "/app", by: ":1.3").first == "- /app/s")
        world.restart(onSameBus: false)
        #expect(world.watched == [])
        #expect(world.coordinator.accounting.pool.nodes == 2)
        #expect(try world.emit("add", on: "/app", by: ":1.1").first == "- /app/s_2")
        world.restart()
        #expect(world.watched == [":1.1"])
        #expect(world.coordinator.accounting.pool.nodes == 1)
        #expect(try world.coordinate("app", by: ":1.1").first == "- /app/s")
        // What the daemon began stays.
        #expect(try world.coordinate("app", by: ":1.1") == ["! LimitExceeded"])
        #expect(world.paths.prefix(2) == ["/app", "/app/s_3"])
    }

    @Test func `S-32 S-33 flows registered without a live client have half of the quota`() throws {
        var quotas = Quotas.none
        quotas.flows.total = 4
        let world = World(DefinitionsBuilder(), quotas: quotas)
        for number in 1...3 {
            world.own("com.x\(number)", ":1.\(number)")
            world.register(
                "f\(number)", steps: ["s": [:]], by: ":1.\(number)", name: "com.x\(number)", isActivatable: true)
        }
        leave(world, ":1.1", ":1.2", ":1.3")
        #expect(world.coordinator.registrations.all.map(\.flow) == ["f1", "f2"])
    }
}
