import Testing

@testable import FlowCore

@Suite("Index of slots")
struct SlotIndexTests {
    @Test func `S-25 an instance is found while it is live, and finds no other`() {
        var forest = Forest(base: "")
        #expect(forest.node(instance: 1) == nil)
        let main = forest.add("main", .free)
        let slot = forest.add("a", below: main)
        let first = forest.id(of: slot)
        #expect(forest.node(instance: first.instance) == first)
        _ = forest.remove(first.slot)
        // It gets the same path and the same slot.
        #expect(forest.add("a", below: main) == slot)
        let second = forest.id(of: slot)
        #expect(forest.node(instance: first.instance) == nil)
        #expect(forest.node(instance: second.instance) == second)
        for other in [0, 4, 17, 1 << 40, UInt64.max] { #expect(forest.node(instance: other) == nil) }
        _ = forest.remove(main)
        #expect((0...20).allSatisfy { forest.node(instance: $0) == nil })
    }

    @Test func `equals a dictionary after any insertions and removals`() {
        var random = Seeded(seed: 7)
        var forest = Forest(base: "")
        var known: [UInt64: NodeID] = [:]
        for round in 0..<4_000 {
            if known.count < 600, Int.random(in: 0..<10, using: &random) < (round / 500 % 2 == 0 ? 7 : 3) {
                // Instances jump after a crash (D-2), by what makes them meet in the table, too.
                let jump = [1, 1, 1, 64, 1_024, 4_096].randomElement(using: &random) ?? 1
                let slot = forest.insert(
                    Forest.Birth(
                        traits: NodeTraits(name: "n", id: "n\(round)", client: Client(":1.1"))), below: nil,
                    instance: forest.lastInstance + UInt64(jump))
                known[forest[slot].instance] = forest.id(of: slot)
            } else if let gone = known.keys.sorted().randomElement(using: &random), let id = known[gone] {
                _ = forest.remove(id.slot)
                known[gone] = nil
                #expect(forest.node(instance: gone) == nil)
            }
            guard round % 100 == 0 else { continue }
            for (instance, id) in known { #expect(forest.node(instance: instance) == id) }
        }
        for instance in 0...forest.lastInstance where known[instance] != forest.node(instance: instance) {
            Issue.record("instance \(instance)")
        }
    }

    @Test func `S-25 instances are restored with their presentables`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.screen("a")]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.emit("open", on: "/main")
        let gone = try world.node("/main/a").instance
        try world.dismiss("/main/a")
        let left = try world.node("/main/a_2").instance
        world.restart()
        #expect(world.coordinator.node(instance: left)?.instance == left)
        #expect(try world.coordinator.node(instance: left) == world.node("/main/a_2"))
        #expect(world.coordinator.node(instance: gone) == nil)
    }
}
