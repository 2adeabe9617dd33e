import Testing

@testable import FlowCore

/// Asks whose askers no longer own the presentable, or are gone (S-45).
@Suite("Flow coordinator: asks that were left")
struct LeftAsksTests {
    private var builder: DefinitionsBuilder {
        var builder = AsksTests.builder()
        builder.screen("editor", whenOwnerGone: .keep)
        builder.flow(
            "main", initial: "home", children: .stack,
            on: ["home": [.screen("editor", .init(whenHidden: .allow))], "ask": [.screen("pad")]])
        return builder
    }

    /// A world with `/main/editor`, shown and owned by `:1.7`.
    private func owned(quotas: Quotas = .none) throws -> World {
        let world = World(builder, quotas: quotas)
        try world.coordinate("main", by: ":1.7")
        try world.claim("/main/editor", by: ":1.7")
        try world.show("/main/editor", by: ":1.7")
        return world
    }

    @Test func `S-45 S-9 a client that repeats its call after Release gets the verdict, and nothing is asked anew`()
        throws
    {
        let world = try owned()
        try world.ask("ask", on: "/main/editor", by: ":1.7")
        try world.release("/main/editor", by: ":1.7")
        #expect(try world.ask("ask", on: "/main/editor", by: ":1.7") == ["= navigated 2"])
        #expect(try world.emit("ask", on: "/main/editor", by: ":1.7", token: "t") == ["= navigated 2"])
        #expect(world.paths.filter { $0.hasPrefix("/main/pad") } == ["/main/pad"])
        // The answer is for the owner alone.
        try world.dismiss("/main/pad")
        #expect(try world.ask("ask", on: "/main/editor", by: ":1.7") == ["= navigated 2"])
        try world.claim("/main/editor", by: ":1.8")
        #expect(world.told == ["answered /main/editor for :1.8 t: dismissed"])
        // For others, the token is one of their own.
        #expect(try world.ask("ask", on: "/main/editor", by: ":1.9").last?.hasPrefix("= navigated 3") == true)
    }

    @Test func `S-45 the next owner gets the signal from the path that it called`() throws {
        let world = try owned()
        let options = EmissionOptions(token: "t", calledAt: "/instance/2", asks: true)
        try world.emit("ask", on: "/main/editor", by: ":1.7", options: options)
        try world.release("/main/editor", by: ":1.7")
        try world.claim("/main/editor", by: ":1.8")
        try world.ask("ask", on: "/main/editor", by: ":1.8")
        try world.dismiss("/main/pad")
        #expect(world.told == ["answered /main/editor for :1.8 t: dismissed"])
    }

    @Test func `S-45 D-3 an answer without values goes on on another bus`() throws {
        var builder = builder
        builder.screen("pad", result: [:])
        let world = World(builder)
        try world.coordinate("main")
        try world.claim("/main/editor", by: ":1.7")
        try world.show("/main/editor", by: ":1.7")
        try world.ask("ask", on: "/main/editor", by: ":1.7")
        try world.claim("/main/pad", by: ":1.3")
        try world.finish("/main/pad", by: ":1.3")
        #expect(world.told == ["answered /main/editor for :1.7 t: result"])
        world.restart(onSameBus: false)
        #expect(try world.forestNode("/main/editor").askCount == 1)
        try world.claim("/main/editor", by: ":1.2")
        #expect(world.told == ["answered /main/editor for :1.2 t: result"])
    }

    @Test func `S-45 nothing stays of a call whose caller left before its guard answered`() throws {
        let world = World(builder)
        try world.coordinate("safe")
        let request = world.nextRequest()
        world.handle(
            .stepEmitted(
                request, on: try world.node("/safe"), step: try world.id(ofStep: "ask"), arguments: [],
                by: Client(":1.2"), options: EmissionOptions(token: "t", asks: true)))
        #expect(world.coordinator.machine.asks.undecided(request) != nil)
        world.vanish(":1.2")
        #expect(world.coordinator.machine.asks.undecided(request) == nil)
        try world.adapt(1, to: "ask")
        #expect(world.paths.contains("/safe/pad") && world.told.isEmpty)
    }

    @Test func `S-45 S-33 asks of clients that are gone are reclaimed with their presentables`() throws {
        var quotas = Quotas.none
        quotas.bytes.total = 6 * Limits.argumentBytes
        let world = try owned(quotas: quotas)
        for number in 1...5 { try world.ask("ask", on: "/main/editor", by: ":1.7", token: "\(number)") }
        try world.coordinate("main", id: "b", by: ":1.9")
        let before = world.standing
        try world.ask("ask", on: "/b", by: ":1.9")
        #expect(try world.refusal().code == .limitExceeded)
        #expect(world.standing == before)
        world.vanish(":1.7")
        #expect(world.paths.contains("/main/editor"))
        #expect(world.coordinator.accounting.pool.bytes > 5 * Limits.argumentBytes)
        #expect(try world.ask("ask", on: "/b", by: ":1.9").last?.hasPrefix("= navigated") == true)
        #expect(!world.paths.contains("/main"))
        #expect(world.coordinator.accounting.pool.bytes == 0)
        #expect(world.coordinator.machine.asks.count == 1)
    }

    @Test func `S-45 S-33 what clients that are gone asked counts no more than the answers for what can be reclaimed`()
        throws
    {
        var quotas = Quotas.none
        quotas.bytes.total = 6 * Limits.argumentBytes
        let world = try owned(quotas: quotas)
        for number in 1...5 { try world.ask("ask", on: "/main/editor", by: ":1.7", token: "\(number)") }
        try world.coordinate("main", id: "b", by: ":1.9")
        world.vanish(":1.7")
        // They shrink to their tokens.
        for path in world.paths where path.hasPrefix("/main/pad") { try world.dismiss(path, by: ":1.9") }
        #expect(world.coordinator.accounting.pool.bytes < 100)
        for number in 1...5 {
            #expect(try world.ask("ask", on: "/b", by: ":1.9", token: "\(number)").last?.hasPrefix("= nav") == true)
        }
        let before = world.standing
        try world.ask("ask", on: "/b", by: ":1.9", token: "6")
        #expect(try world.refusal().code == .limitExceeded)
        #expect(world.standing == before)
    }

    @Test func `S-45 thousands of acknowledged asks of a presentable are forgotten, and others of it are not`() {
        var asks = Asks()
        let client = Client(":1.7")
        func begin(_ number: UInt64) -> UInt64 {
            asks.begin(
                Asks.Key(asker: .presentable(5), token: "\(number)"), by: client, at: "/a", origin: number,
                of: RequestID(number))
        }
        let first = begin(1)
        for number in UInt64(2)...20_000 { asks.close(begin(number), at: Instant(microseconds: number)) }
        #expect(asks.pendingCount(of: 5) == 1)
        #expect(asks.asks(of: 5) == Array(1...20_000))
        for number in asks.takeExpired(at: Instant(microseconds: Limits.tokenLifetime + 10_000)) { asks.forget(number) }
        #expect(asks.asks(of: 5) == [first] + Array(10_001...20_000))
        #expect(asks.pendingCount(of: 5) == 1)
        asks.forget(first)
        #expect(asks.pendingCount(of: 5) == 0)
    }
}
