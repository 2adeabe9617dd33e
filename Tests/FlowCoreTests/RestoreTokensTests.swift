import Testing

@testable import FlowCore

/// Calls with a token whose step waits while the process restarts, once or several times (S-9, D-4).
@Suite("Restore: tokens of steps that wait")
struct RestoreTokensTests {
    private func world() throws -> World {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["item": "int64?"])
        builder.screen("page")
        builder.flow("main", guarded: ("com.auth", ["pick"]), on: ["pick": [.screen("page")], "go": []])
        let world = try World(root: "main", builder)
        world.now = 1_000_000
        return world
    }

    /// Its guard is asked about a step of `:1.4`, which is known by this token.
    private func pending(_ token: String = "t", waits: Bool = false) throws -> World {
        let world = try world()
        try world.emit("pick", on: "/main", by: ":1.4", options: EmissionOptions(token: token, waits: waits))
        return world
    }

    private func again(_ world: World, waits: Bool = true) throws -> [String] {
        try world.emit("pick", on: "/main", by: ":1.4", options: EmissionOptions(token: "t", waits: waits))
            .filter { !$0.hasPrefix("timer") }
    }

    private func conclusions(_ lines: [String]) -> [String] { lines.filter { $0.hasPrefix("concluded") } }

    @Test(arguments: 1...3)
    func `S-9 D-4 a pending step keeps its token over restarts, and the token gets its outcome`(
        restarts: Int
    ) throws {
        let world = try pending()
        for _ in 0..<restarts {
            #expect(world.restart().first == "guard? com.auth #1: /main pick")
            #expect(try again(world) == ["= pending 0"])
        }
        #expect(conclusions(try world.adapt(1, to: "pick")) == ["concluded /main for :1.4 t: navigated 4097"])
        #expect(try again(world) == ["= navigated 4097"])
        world.restart()
        #expect(try again(world) == ["= navigated 4097"])
        #expect(world.paths == ["/main", "/main/page"])
        #expect(world.waiting == [])
    }

    @Test func `S-9 D-4 a step that failed has its error by the token, too`() throws {
        let world = try pending()
        world.restart()
        #expect(conclusions(world.answer(1, GuardAnswer.failed("no"))) == ["concluded /main for :1.4 t: GuardFailed"])
        #expect(try again(world) == ["! GuardFailed"])
    }

    @Test func `S-9 D-4 a step that became pending after 15 s has its token after a restart`() throws {
        let world = try pending(waits: true)
        world.now += Limits.replyTimeout
        #expect(world.handle(.timerFired) == ["= pending 0"])
        world.restart()
        #expect(try again(world) == ["= pending 0"])
        #expect(conclusions(try world.adapt(1, to: "pick")) == ["concluded /main for :1.4 t: navigated 4097"])
        #expect(try again(world) == ["= navigated 4097"])
    }

    @Test func `S-9 D-4 a step is concluded with its token also when the 60 s of that are over`() throws {
        let world = try pending()
        world.now += Limits.tokenLifetime
        // The token is another call's now, and both go on.
        #expect(try again(world, waits: false) == ["= pending 0"])
        world.restart()
        world.restart()
        #expect(conclusions(try world.adapt(1, to: "pick")) == ["concluded /main for :1.4 t: navigated 4097"])
        #expect(try again(world) == ["= pending 0"])
        #expect(conclusions(try world.adapt(2, to: "pick")) == ["concluded /main for :1.4 t: navigated 4098"])
        #expect(try again(world) == ["= navigated 4098"])
    }

    @Test func `S-9 D-4 a call repeated after a restart waits for the outcome, at most 15 s`() throws {
        let world = try pending(waits: true)
        world.restart()
        #expect(try again(world) == [])
        world.now += Limits.replyTimeout - 1
        #expect(world.handle(.timerFired) == ["timer \(world.now + 1)"])
        #expect(try again(world) == [])
        world.now += 1
        #expect(world.handle(.timerFired) == ["= pending 0", "= pending 0"])
        #expect(world.coordinator.accounting.total.steps == 1)
        #expect(try again(world) == ["= pending 0"])
        world.restart()
        #expect(conclusions(try world.adapt(1, to: "pick")) == ["concluded /main for :1.4 t: navigated 4097"])
        #expect(try again(world) == ["= navigated 4097"])
    }

    @Test func `S-9 D-4 calls that wait with the token get the outcome, in addition to StepConcluded`() throws {
        let world = try pending(waits: true)
        world.restart()
        #expect(try again(world) == [])
        #expect(
            try world.adapt(1, to: "pick").suffix(2) == [
                "concluded /main for :1.4 t: navigated 4097", "= navigated 4097",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-22 D-4 a waiting step is concluded with its token when its flow ends`() throws {
        let world = try pending()
        world.restart()
        #expect(conclusions(try world.dismiss("/main")) == ["concluded /main for :1.4 t: FlowEnded"])
        #expect(world.coordinator.calls.isEmpty)
    }

    @Test func `D-3 on another bus tokens are gone, and are not written to a disk`() throws {
        let world = try pending("secret")
        let bytes = world.records.compactMap(\.withoutPrivateArguments.body)
        #expect(!bytes.contains { String(decoding: $0, as: UTF8.self).contains("secret") })
        #expect(world.records.contains { $0.key.kind == .token })
        #expect(world.restart(onSameBus: false) == ["guard? com.auth #1: /main pick"])
        #expect(conclusions(try world.adapt(1, to: "pick")) == [])
    }

    @Test func `D-6 a token without its call's record is dropped, and blocks no other`() throws {
        let world = try pending(waits: true)
        var rebuilt = Coordinator(definitions: world.coordinator.definitions, basePath: "")
        _ = rebuilt.handle(
            .restored(world.records.filter { $0.key.kind != .step }, onSameBus: true), at: Instant(microseconds: 1))
        #expect(rebuilt.tokens.count == 0)
    }
}
