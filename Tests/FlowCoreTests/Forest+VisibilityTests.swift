import Testing

@testable import FlowCore

@Suite("Forest: visibility")
struct ForestVisibilityTests {
    private var forest = Forest(base: "")

    /// A presented root with these children, screens all, each shown.
    private mutating func root(_ covering: Children, _ names: [String], isShown: Bool = true) -> (NodeSlot, [NodeSlot])
    {
        let main = forest.add("main", covering)
        forest.updateVisibility(below: nil, changed: [main])
        let children = names.map { name in
            let slot = forest.add(name, below: main)
            forest.updateVisibility(of: main)
            return slot
        }
        if isShown { for child in children where covering != .tabs { forest.setVisible(child, true) } }
        _ = forest.takeChanges()
        _ = forest.takePresented()
        return (main, children)
    }

    private var presented: [String] {
        forest.preorder().filter { forest[$0].isPresented }.map { forest[$0].path }
    }

    @Test(arguments: [Children.free, .stack, .tabs])
    func `S-14 no contributor looks at siblings that stay as they are`(covering: Children) {
        /// How many children are looked at when a step adds a screen to so many, and another dismisses one.
        func visits(among count: Int) -> [Int] {
            let (add, drop) = (StepID(0), StepID(1))
            let main = FlowDefinition(
                "main", children: covering,
                rules: [
                    Rule(add, [Alternative(contributors: [.child(ChildTemplate(.screen(ScreenID(0))))])]),
                    Rule(drop, [Alternative(contributors: [.dismiss("page")])]),
                ])
            var coordinator = Coordinator(
                definitions: Definitions(
                    steps: [StepDeclaration("add"), StepDeclaration("drop")], screens: [ScreenDeclaration("page")],
                    flows: [main], autostart: [Autostart(FlowID(0))]),
                basePath: "")
            _ = coordinator.handle(.started, at: Instant(microseconds: 0))
            var visits: [Int] = []
            for number in 1...UInt64(count + 2) {
                guard let root = coordinator.node(at: "/main") else { return [] }
                let before = coordinator.machine.forest.visits
                _ = coordinator.handle(
                    .stepEmitted(
                        RequestID(number), on: root, step: number == count + 2 ? drop : add, arguments: [],
                        by: Client(":1.1")), at: Instant(microseconds: number))
                visits.append(coordinator.machine.forest.visits - before)
            }
            let screens = coordinator.screenCount
            #expect(screens == count)
            return visits.suffix(2)
        }
        let few = visits(among: 10)
        #expect(visits(among: 450) == few && few.allSatisfy { $0 <= 2 })
    }

    @Test mutating func `S-14 a screen starts hidden, a flow starts visible`() {
        let (main, children) = root(.free, ["a"], isShown: false)
        #expect(forest[main].isVisible && !forest[children[0]].isVisible)
        #expect(presented == ["/main"])
    }

    @Test mutating func `S-14 free: no child covers another`() {
        let (main, _) = root(.free, ["a", "b"])
        #expect(presented == ["/main", "/main/a", "/main/b"])
        #expect(forest.currentPath(of: main) == nil)
    }

    @Test mutating func `S-14 stack: the newest child covers the others, whichever is shown`() {
        let (main, children) = root(.stack, ["a", "b"])
        #expect(presented == ["/main", "/main/b"])
        forest.setVisible(children[0], true)
        #expect(presented == ["/main", "/main/b"])
        _ = forest.remove(children[1])
        forest.updateVisibility(of: main)
        #expect(presented == ["/main", "/main/a"])
        #expect(forest.currentPath(of: main) == "/main/a")
    }

    @Test mutating func `S-14 a child covers from birth, before it is visible, and while it is hidden`() {
        let (main, children) = root(.stack, ["a"])
        let b = forest.add("b", below: main)
        forest.updateVisibility(of: main)
        #expect(presented == ["/main"])
        forest.setVisible(b, true)
        forest.setVisible(b, false)
        #expect(presented == ["/main"])
        #expect(forest[children[0]].isVisible)
    }

    @Test mutating func `S-14 tabs: the first is selected at first, showing selects, hiding does not`() {
        let (main, children) = root(.tabs, ["a", "b", "c"])
        #expect(forest.currentPath(of: main) == "/main/a")
        forest.setVisible(children[1], true)
        #expect(forest.currentPath(of: main) == "/main/b")
        forest.setVisible(children[0], true)
        forest.setVisible(children[1], true)
        #expect(presented == ["/main", "/main/b"])
        forest.setVisible(children[1], false)
        #expect(forest.currentPath(of: main) == "/main/b")
        #expect(presented == ["/main"])
    }

    @Test mutating func `S-14 tabs: showing one that is visible already selects it`() {
        let (main, children) = root(.tabs, ["a", "b"])
        forest.setVisible(children[0], true)
        forest.setVisible(children[1], true)
        forest.setVisible(children[0], true)
        #expect(forest.currentPath(of: main) == "/main/a")
    }

    @Test
    mutating func `S-14 tabs: after the selected child, the previously selected live one, otherwise the oldest`() {
        let (main, children) = root(.tabs, ["a", "b", "c", "d"])
        for child in [2, 1, 3, 1] { forest.setVisible(children[child], true) }
        func goes(_ child: Int) -> String? {
            _ = forest.remove(children[child])
            forest.updateVisibility(of: main)
            return forest.currentPath(of: main)
        }
        // Selected so far: a, c, d, b.
        #expect(goes(2) == "/main/b")
        #expect(goes(1) == "/main/d")
        #expect(goes(3) == "/main/a")
        #expect(goes(0) == nil)
    }

    @Test mutating func `S-14 tabs: the history of selections has each child once`() {
        let (main, children) = root(.tabs, ["a", "b"])
        for _ in 0..<10 {
            for child in children {
                forest.setVisible(child, true)
                _ = forest.takeChanges()
            }
        }
        #expect(forest[main].flow?.kept.selected.map(\.slot) == children)
        forest.setVisible(children[0], true)
        #expect(forest.currentPath(of: main) == "/main/a")
    }

    @Test mutating func `S-14 tabs: the oldest if none was selected before`() {
        let (main, children) = root(.tabs, ["a", "b", "c"])
        _ = forest.remove(children[0])
        forest.updateVisibility(of: main)
        #expect(forest.currentPath(of: main) == "/main/b")
    }

    @Test mutating func `S-14 presented requires a presented parent, all the way up`() {
        let main = forest.add("main", .free)
        forest.updateVisibility(below: nil, changed: [main])
        let sub = forest.add("sub", .stack, below: main)
        forest.updateVisibility(of: main)
        let a = forest.add("a", below: sub)
        forest.updateVisibility(of: sub)
        forest.setVisible(a, true)
        #expect(presented == ["/main", "/main/sub", "/main/sub/a"])
        forest.setVisible(main, false)
        #expect(presented == [])
        #expect(forest[sub].isVisible && forest[a].isVisible)
        forest.setVisible(sub, false)
        forest.setVisible(main, true)
        #expect(presented == ["/main"])
    }

    @Test mutating func `S-16 newly presented screens are visited parents first, in order, once`() {
        let main = forest.add("main", .free)
        let slots = ["a", "b"].map { name in
            let sub = forest.add(name, .free, below: main)
            forest.setVisible(forest.add("x", below: sub), true)
            return sub
        }
        forest.setVisible(forest.add("c", below: main), true)
        #expect(forest.takePresented().isEmpty)
        forest.setVisible(main, true)
        #expect(
            forest.takePresented().map { forest[$0].path }
                == ["/main", "/main/a", "/main/a/x", "/main/b", "/main/b/x", "/main/c"])
        #expect(forest.takePresented().isEmpty)
        forest.setVisible(slots[0], true)
        #expect(forest.takePresented().isEmpty)
    }
}
