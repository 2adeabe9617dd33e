import Testing

@testable import FlowCore

@Suite("Flow coordinator: queries")
struct QueriesTests {
    private let world: World

    init() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", children: .stack, on: ["open": [.screen("b"), .flow("sub")], "zap": [], "about": []])
        builder.flow("sub", on: ["fill": [.screen("b")]])
        world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("fill", on: "/main/sub")
    }

    @Test func `presentables are found by path`() throws {
        let (found, slash, empty) = (
            world.coordinator.node(at: "/main/sub"), world.coordinator.node(at: "/main/"),
            world.coordinator.node(at: "")
        )
        let node = try #require(found)
        #expect(slash == nil)
        #expect(empty == nil)
        let (name, instance) = (
            world.coordinator.forest[node.slot].name, world.coordinator.forest[node.slot].instance
        )
        #expect(name == "sub")
        #expect(instance == node.instance)
    }

    @Test func `the state of a presentable in the tree`() throws {
        let (main, sub) = (try world.node("/main"), try world.node("/main/sub"))
        let leaf = try world.node("/main/sub/b")
        let coordinator = world.coordinator.copy()
        #expect(coordinator.value(of: .parentFlow, at: main) == .path(nil))
        #expect(coordinator.value(of: .parentFlow, at: leaf) == .path("/main/sub"))
        #expect(coordinator.value(of: .current, at: main) == .path("/main/sub"))
        #expect(coordinator.value(of: .current, at: sub) == .path(nil))
        #expect(coordinator.value(of: .definition, at: sub) == .text("sub"))
        #expect(coordinator.value(of: .definition, at: leaf) == .text(""))
        #expect(coordinator.acceptedSteps(of: main) == ["about", "open", "zap"])
        #expect(coordinator.acceptedSteps(of: leaf) == ["fill"])
        #expect(coordinator.childPaths(of: main) == ["/main/b", "/main/sub"])
        #expect(coordinator.childPaths(of: nil) == ["/main"])
        #expect(coordinator.paths == ["/main", "/main/b", "/main/sub", "/main/sub/b"])
        #expect((coordinator.flowCount, coordinator.screenCount) == (2, 2))
    }

    @Test func `S-25 queries for removed presentables return nothing`() throws {
        let sub = try world.node("/main/sub")
        try world.dismiss("/main/sub")
        let coordinator = world.coordinator.copy()
        #expect(coordinator.acceptedSteps(of: sub) == [])
        #expect(coordinator.childPaths(of: sub) == [])
    }
}
