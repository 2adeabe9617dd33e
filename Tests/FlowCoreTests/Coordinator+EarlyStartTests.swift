import Testing

@testable import FlowCore

/// Programs of presenters that start before they are needed (S-44).
@Suite("Flow coordinator: early starts")
struct EarlyStartTests {
    /// A root that shows a page, and screens of other programs for later.
    private func builder(early: [String] = ["com.list", "com.shop"]) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        // In the order of their names.
        builder.screen("a_page", presenter: "com.page", startsEarly: early.contains("com.page"))
        builder.screen("b_cart", presenter: "com.shop", startsEarly: early.contains("com.shop"))
        builder.screen("c_detail", presenter: "com.shop", startsEarly: early.contains("com.shop"))
        builder.screen("d_list", presenter: "com.list", startsEarly: early.contains("com.list"))
        builder.screen("e_map", presenter: "com.map", startsEarly: early.contains("com.map"))
        builder.flow(
            "main", initial: "begin", children: .stack,
            on: [
                "begin": [.screen("a_page")], "cart": [.screen("b_cart")], "detail": [.screen("c_detail")],
                "list": [.screen("d_list")], "map": [.screen("e_map")],
            ])
        builder.autostart = [.init(flow: "main")]
        return builder
    }

    private func starts(_ world: World) -> [String] {
        world.effects.compactMap { if case .startService(let name) = $0 { name } else { nil } }
    }

    @Test func `S-44 they start when the roots stand, each once, after the calls for the roots' own screens`() {
        let builder = builder()
        #expect(builder.definitions.earlyPresenters == ["com.shop", "com.list"])
        let world = World(builder)
        let lines = world.handle(.started)
        #expect(lines.suffix(3) == ["present com.page #1: /main/a_page", "start com.shop", "start com.list"])
        world.wait(1_000_000)
        #expect(starts(world) == [])
    }

    @Test func `S-44 a program that runs is not started`() {
        let world = World(builder())
        world.own("com.shop", ":1.5")
        world.handle(.started)
        #expect(starts(world) == ["com.list"])
    }

    @Test func `S-44 after a reload those start that were not early before`() {
        let world = World(builder())
        world.handle(.started)
        world.own("com.shop", nil)
        world.reload(builder(early: ["com.shop", "com.map", "com.list"]))
        #expect(starts(world) == ["com.map"])
        world.reload(builder(early: ["com.list"]))
        #expect(starts(world) == [])
        world.own("com.shop", ":1.5")
        world.reload(builder(early: ["com.list", "com.shop", "com.page"]))
        #expect(starts(world) == ["com.page"])
    }

    @Test func `D-3 S-44 after a restart they start again`() {
        let world = World(builder())
        world.handle(.started)
        world.restart(owners: ["com.list": ":1.7"])
        #expect(starts(world) == [])
        world.handle(.started)
        #expect(starts(world) == ["com.shop"])
    }
}
