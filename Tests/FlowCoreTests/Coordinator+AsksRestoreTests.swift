import Testing

@testable import FlowCore

/// Asks that outlive the asker, the answerer and the process (S-45, D-3).
@Suite("Flow coordinator: restored asks")
struct AsksRestoreTests {
    /// Who is gone between the ask and the answer, in this order.
    enum Death: String, CaseIterable {
        case asker, answerer, process
    }

    private static var builder: DefinitionsBuilder {
        var builder = AsksTests.builder()
        builder.screen("editor", presenter: "com.editor", whenOwnerGone: .present)
        builder.screen("pad", presenter: "com.pad", whenOwnerGone: .present, result: ["pin": "int64"])
        return builder
    }

    /// A world with `/main/editor`, shown and owned by `:1.7`.
    private func owned() throws -> World {
        let world = World(Self.builder)
        try world.coordinate("main")
        try present(world, as: ":1.7")
        return world
    }

    /// Answers the call of Present, and shows the screen.
    @discardableResult
    private func present(_ world: World, as client: String) throws -> [AskAnswer] {
        let found = world.effects.lazy.compactMap { if case .present(let call) = $0 { call } else { nil } }.last
        let call = try #require(found)
        world.handle(.presenterReplied(call.id, .presented(by: Client(client))))
        try world.show(call.path, by: client)
        return call.answers
    }

    private static let orders: [[Death]] = [
        [], [.asker], [.answerer], [.process], [.asker, .answerer], [.asker, .process], [.answerer, .asker],
        [.answerer, .process], [.process, .asker], [.process, .answerer], [.asker, .answerer, .process],
        [.asker, .process, .answerer], [.answerer, .asker, .process], [.answerer, .process, .asker],
        [.process, .asker, .answerer], [.process, .answerer, .asker],
    ]

    /// Lets them die in this order; the answerer's screen has another owner then, which is returned.
    private func die(_ deaths: [Death], _ world: World) throws -> String {
        var answerer = ":1.3"
        for death in deaths {
            switch death {
            case .asker: lose(":1.7", world)
            case .answerer:
                lose(answerer, world)
                answerer = ":1.4"
                try present(world, as: answerer)
            case .process: world.restart()
            }
        }
        return answerer
    }

    @Test(arguments: orders)
    func `S-45 an ask survives these deaths before the answer`(_ deaths: [Death]) throws {
        let world = try owned()
        try world.ask("ask", on: "/main/editor", by: ":1.7")
        try present(world, as: ":1.3")
        let answerer = try die(deaths, world)
        try world.finish("/main/pad", ["pin": .int64(5)], by: answerer)
        if deaths.contains(.asker) {
            #expect(try present(world, as: ":1.8") == [AskAnswer(token: "t", outcome: .result, result: [pin])])
        } else {
            #expect(world.told == ["answered /main/editor for :1.7 t: result {pin=5}"])
        }
        try acknowledgeOnce(world, by: deaths.contains(.asker) ? ":1.8" : ":1.7")
    }

    @Test(arguments: orders)
    func `S-45 an answer survives these deaths before it is acknowledged`(_ deaths: [Death]) throws {
        let world = try owned()
        try world.ask("ask", on: "/main/editor", by: ":1.7")
        try present(world, as: ":1.3")
        try world.finish("/main/pad", ["pin": .int64(5)], by: ":1.3")
        var owner = ":1.7"
        for death in deaths {
            switch death {
            case .asker:
                lose(owner, world)
                // Another owner, which dies, too.
                #expect(try present(world, as: ":1.6") == [AskAnswer(token: "t", outcome: .result, result: [pin])])
                lose(":1.6", world)
                owner = ":1.8"
                #expect(try present(world, as: owner) == [AskAnswer(token: "t", outcome: .result, result: [pin])])
            case .answerer: world.vanish(":1.3")
            case .process:
                world.restart()
                #expect(world.told == ["answered /main/editor for \(owner) t: result {pin=5}"])
            }
        }
        try acknowledgeOnce(world, by: owner)
    }

    /// A client dies, some time after others did (S-36).
    private func lose(_ client: String, _ world: World) {
        world.wait(Limits.survival)
        world.vanish(client)
    }

    private let pin = Argument("pin", .int64(5), isPrivate: true)

    /// The owner acknowledges the answer, and nobody gets it again.
    private func acknowledgeOnce(_ world: World, by owner: String) throws {
        #expect(try world.acknowledge("/main/editor", by: owner) == ["= done"])
        world.restart()
        #expect(world.told.isEmpty)
        #expect(try world.ask("ask", on: "/main/editor", by: owner) == ["= navigated 2"])
        lose(owner, world)
        #expect(try present(world, as: ":1.9") == [])
        #expect(try world.forestNode("/main/editor").askCount == 0)
        world.wait(60_000_000)
        #expect(world.coordinator.machine.asks.isEmpty)
    }

    @Test func `S-45 D-4 a step that waits goes on after a restart, and is followed`() throws {
        let world = World(AsksTests.builder())
        try world.coordinate("safe")
        try world.ask("ask", on: "/safe", waits: false)
        try world.ask("ask", on: "/safe", token: "u", waits: false)
        world.restart()
        #expect(world.told.isEmpty)
        let questions = world.effects.compactMap { if case .askGuard(let it) = $0 { it.id.number } else { nil } }
        try world.adapt(try #require(questions.first), to: "ask")
        let next = world.effects.compactMap { if case .askGuard(let it) = $0 { it.id.number } else { nil } }
        world.answer(try #require(next.first), GuardAnswer.rejected)
        #expect(world.told == ["answered /safe for :1.1 u: nothing"])
        try world.dismiss("/safe/pad")
        #expect(world.told == ["answered /safe for :1.1 t: dismissed"])
    }

    @Test func `S-45 D-4 a deferred step of an ask is followed after a restart`() throws {
        let world = World(AsksTests.builder())
        try world.coordinate("shy")
        try world.hide("/shy")
        try world.ask("ask", on: "/shy")
        world.restart()
        #expect(world.told.isEmpty)
        try world.show("/shy")
        try world.dismiss("/shy/pad")
        #expect(world.told == ["answered /shy for :1.1 t: dismissed"])
    }

    @Test func `S-45 D-3 an ask of a connection survives a restart, and goes when the connection is gone`() throws {
        let world = World(AsksTests.builder())
        try world.coordinate("main")
        try world.ask("ask", on: "/main", by: ":1.2")
        world.restart()
        #expect(world.watched.contains(":1.2"))
        try world.dismiss("/main/pad")
        #expect(world.told == ["answered /main for :1.2 t: dismissed"])
        // It may have died before it sent the signal.
        world.restart()
        #expect(world.told == ["answered /main for :1.2 t: dismissed"])
        #expect(try world.ask("ask", on: "/main", by: ":1.2").first == "= navigated 2")
        world.vanish(":1.2")
        #expect(world.coordinator.machine.asks.isEmpty)
    }

    @Test(arguments: [true, false])
    func `S-45 D-5 definitions that changed meanwhile end an ask`(isScreenGone: Bool) throws {
        let world = try owned()
        try world.ask("ask", on: "/main/editor", by: ":1.7")
        var builder = AsksTests.builder()
        builder.screen("editor", presenter: "com.editor", whenOwnerGone: .present)
        if isScreenGone {
            builder = DefinitionsBuilder()
            builder.screen("editor", presenter: "com.editor", whenOwnerGone: .present)
            builder.flow("main", initial: "home", on: ["home": [.screen("editor")]])
        } else {
            builder.screen("pad")
        }
        world.restart(builder)
        #expect(world.told == ["answered /main/editor for :1.7 t: undeclared"])
    }

    @Test func `S-45 D-3 on another bus asks of presentables go on, without values that were answered`() throws {
        let world = try owned()
        try world.ask("ask", on: "/main/editor", by: ":1.7", token: "a")
        try present(world, as: ":1.3")
        try world.finish("/main/pad", ["pin": .int64(5)], by: ":1.3")
        try world.ask("ask", on: "/main/editor", by: ":1.7", token: "b")
        try world.ask("ask", on: "/main", by: ":1.2", token: "c")
        world.restart(onSameBus: false)
        #expect(world.told.isEmpty)
        #expect(try world.forestNode("/main/editor").askCount == 1)
        try present(world, as: ":1.1")
        try world.dismiss("/main/pad_2", by: ":1.1")
        try present(world, as: ":1.1")
        try world.dismiss("/main/pad", by: ":1.1")
        #expect(try present(world, as: ":1.2") == [AskAnswer(token: "b", outcome: .dismissed)])
    }
}
