import Testing

@testable import FlowCore

/// A coordinator inside a program that has no other client: the program shows its screens when it carries out the effect.
@Suite("Flow coordinator: the only client")
struct SoleClientTests {
    private static let program = ":1.0"

    /// A flow whose screen is shown again if it can't be shown.
    private func makeWorld() throws -> World {
        var builder = DefinitionsBuilder()
        builder.step("open", ["why": "string?", "message": "string?"])
        builder.screen("page", presenter: Self.program)
        let why = [Binding("why", .reason), Binding("message", .message)]
        builder.flow(
            "main", children: .stack,
            on: [
                "open": [.screen("page", .init(onDismissed: "open", onDismissedWith: why))],
                "cover": [.screen("plain")], "uncover": [.popRoot],
            ])
        let world = World(builder, soleClient: Client(Self.program))
        try world.coordinate("main", by: Self.program)
        return world
    }

    @discardableResult
    private func emit(_ step: String, _ world: World) throws -> [Presentation] {
        try world.emit(step, on: "/main", by: Self.program)
        return presentations(world.effects)
    }

    private func presentations(_ effects: [Effect]) -> [Presentation] {
        effects.compactMap { if case .present(let presentation) = $0 { presentation } else { nil } }
    }

    /// Says that the screen could not be shown.
    private func fail(_ path: String, _ world: World) throws -> [Effect] {
        var effects: [Effect] = []
        world.coordinator.failPresentation(
            of: try world.node(path), Fault("com.example.No", "no window"), at: Instant(microseconds: world.now),
            into: &effects)
        return effects
    }

    @Test func `S-29 S-31 it owns its screens from the beginning, and nothing waits for an answer`() throws {
        let world = try makeWorld()
        let shown = try emit("open", world)
        #expect(shown.map(\.path) == ["/main/page"])
        #expect(shown.map(\.reason) == [.launch])
        #expect(shown.map(\.direction) == [.push])
        #expect(try world.state("/main/page").owner == Self.program)
        #expect(world.coordinator.questions.isEmpty)
        #expect(world.coordinator.origins.isEmpty)
        let page = try world.node("/main/page")
        let title = world.handle(
            .titleSet(world.nextRequest(), of: page, "A page", by: Client(Self.program)))
        #expect(title == ["~ /main/page title=A page", "= done"])
    }

    @Test func `S-38 it shows a screen again that comes back in sight`() throws {
        let world = try makeWorld()
        try emit("open", world)
        #expect(try emit("cover", world) == [])
        let shown = try emit("uncover", world)
        #expect(shown.map(\.path) == ["/main/page"])
        #expect(shown.map(\.reason) == [.return])
        #expect(shown.map(\.direction) == [.pop])
        #expect(world.coordinator.questions.isEmpty)
    }

    @Test func `S-23 S-36 a screen that can't be shown goes, and has to wait at the third time`() throws {
        let world = try makeWorld()
        try emit("open", world)
        let effects = try fail("/main/page", world)
        #expect(
            effects.map(\.line).contains {
                $0.contains("open {message=no window, why=presentFailed}")
                    || $0.contains("open {why=presentFailed, message=no window}")
            })
        #expect(presentations(effects) == [])
        #expect(world.paths.contains("/main/page"))
        world.now = Limits.firstPause
        world.handle(.timerFired)
        #expect(presentations(world.effects).map(\.path) == ["/main/page"])
    }

    @Test func `S-22 a presentation that fails when the screen is gone changes nothing`() throws {
        let world = try makeWorld()
        try emit("open", world)
        let page = try world.node("/main/page")
        try world.dismiss("/main", by: Self.program)
        var effects: [Effect] = []
        world.coordinator.failPresentation(
            of: page, Fault("com.example.No", "no window"), at: Instant(microseconds: 0), into: &effects)
        #expect(presentations(effects) == [])
        #expect(world.paths == [])
    }
}
