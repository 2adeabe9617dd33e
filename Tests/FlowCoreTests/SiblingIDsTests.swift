import Testing

@testable import FlowCore

@Suite("Sibling ids")
struct SiblingIDsTests {
    /// Takes and returns the free id for a name.
    private func take(_ name: String, _ ids: inout SiblingIDs) -> String {
        let id = ids.free(for: name)
        ids.insert(id)
        return id
    }

    @Test func `S-1 an id is the name, then the smallest number that is free`() {
        var ids = SiblingIDs()
        #expect((1...3).map { _ in take("a", &ids) } == ["a", "a_2", "a_3"])
        #expect(take("b", &ids) == "b")
        ids.remove("a_2")
        #expect(take("a", &ids) == "a_2")
        #expect(take("a", &ids) == "a_4")
        ids.remove("a")
        #expect(take("a", &ids) == "a")
    }

    @Test func `S-1 a default id skips a requested one`() {
        var ids = SiblingIDs()
        ids.insert("a_3")
        ids.insert("a_2")
        #expect(ids.contains("a_3"))
        #expect((1...3).map { _ in take("a", &ids) } == ["a", "a_4", "a_5"])
        ids.remove("a_2")
        #expect(take("a", &ids) == "a_2")
    }

    @Test func `S-1 names that look numbered`() {
        var ids = SiblingIDs()
        #expect((1...2).map { _ in take("a_2", &ids) } == ["a_2", "a_2_2"])
        #expect((1...2).map { _ in take("a", &ids) } == ["a", "a_3"])
        ids.insert("a_04")
        #expect(take("a", &ids) == "a_4")
    }

    @Test func `S-13 a plan can use the ids that it frees, and not those that it plans`() {
        var ids = SiblingIDs()
        for _ in 1...4 { _ = take("a", &ids) }
        var planned = SiblingIDs.PlannedIDs()
        func plan() -> String {
            let id = ids.free(for: "a", besides: planned)
            planned.insert(id, givenFor: "a")
            return id
        }
        #expect(plan() == "a_5")
        planned.remove("a_2")
        planned.remove("a_4")
        #expect(ids.isTaken("a_2", besides: planned) == false)
        #expect((1...3).map { _ in plan() } == ["a_2", "a_4", "a_6"])
        planned.remove("a")
        #expect(plan() == "a")
        #expect(ids.isTaken("a", besides: planned))
        // A planned id is free again if the plan fails, and the live child with its id is still to be removed.
        planned.remove("a_2")
        #expect(ids.isTaken("a_2", besides: planned) == false)
        planned.insert("a_2", givenFor: nil)
        #expect(plan() == "a_7")
        #expect(ids.contains("a_2"))
    }

    @Test func `S-1 after many ids were given back, the smallest come first`() {
        var ids = SiblingIDs()
        for _ in 1...2_000 { _ = take("a", &ids) }
        for number in stride(from: 2, through: 2_000, by: 2) { ids.remove("a_\(number)") }
        for number in stride(from: 2, through: 2_000, by: 2) { #expect(take("a", &ids) == "a_\(number)") }
        #expect(take("a", &ids) == "a_2001")
        var planned = SiblingIDs.PlannedIDs()
        for number in [7, 9, 1_000] { ids.remove("a_\(number)") }
        let plan = (1...5).map { _ in
            let id = ids.free(for: "a", besides: planned)
            planned.insert(id, givenFor: "a")
            return id
        }
        #expect(plan == ["a_7", "a_9", "a_1000", "a_2002", "a_2003"])
    }

    @Test func `S-1 the smallest free number is found after any additions and removals`() {
        var random = Seeded(seed: 2)
        var ids = SiblingIDs()
        var taken: Set<String> = []
        for _ in 0..<3_000 {
            let name = ["a", "b", "a_2"].randomElement(using: &random) ?? "a"
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let smallest =
                    taken.contains(name)
                    ? (2...).lazy.map { "\(name)_\($0)" }.first { !taken.contains($0) } ?? "" : name
                #expect(take(name, &ids) == smallest)
                taken.insert(smallest)
            case 2:
                let id = "\(name)_\(Int.random(in: 1..<9, using: &random))"
                if taken.insert(id).inserted { ids.insert(id) }
            default:
                guard let id = taken.sorted().randomElement(using: &random) else { continue }
                ids.remove(id)
                taken.remove(id)
            }
        }
    }
}
