import Testing

@testable import FlowCore

@Suite("Forest")
struct ForestTests {
    @Test func `S-1 children are in creation order, a path consists of the root's id and each child's`() {
        var forest = Forest(base: "/base")
        let main = forest.add("main", .free)
        let a = forest.add("a", below: main)
        let sub = forest.add("sub", .free, below: main)
        let b = forest.add("b", below: sub)
        let next = forest.add("next", .free)
        #expect(forest.paths == ["/base/main", "/base/main/a", "/base/main/sub", "/base/main/sub/b", "/base/next"])
        #expect(forest.roots == [main, next])
        #expect(forest.children(of: main) == [a, sub])
        #expect(forest.children(of: b) == [])
        #expect(forest.node(at: "/base/main/sub/b") == forest.id(of: b))
        #expect(forest.node(at: "/main") == nil)
        #expect((forest.flowCount, forest.screenCount, forest.count) == (3, 2, 5))
        #expect([main, sub, b].map { forest[$0].depth } == [1, 2, 3])
        #expect(forest[b].parentPath == "/base/main/sub")
        #expect(forest[main].parentPath == "/base")
    }

    @Test func `S-1 without objects, a path begins with the root's id`() {
        var forest = Forest(base: nil)
        let main = forest.add("main", .free)
        let a = forest.add("a", below: main)
        _ = forest.add("main", .free)
        #expect(forest.paths == ["main", "main/a", "main_2"])
        #expect(forest.node(at: "main/a") == forest.id(of: a))
        #expect(forest.parentPath(of: a) == "main" && forest.parentPath(of: main) == nil)
        #expect(forest[a].parentPath == "main")
    }

    @Test func `S-22 removal is newest leaf first`() {
        var forest = Forest(base: "")
        let main = forest.add("main", .free)
        let a = forest.add("a", .free, below: main)
        _ = forest.add("x", below: a)
        let b = forest.add("b", .free, below: main)
        _ = forest.add("y", below: a)
        _ = forest.add("z", below: b)
        #expect(
            forest.remove(main).map(\.path)
                == ["/main/b/z", "/main/b", "/main/a/y", "/main/a/x", "/main/a", "/main"])
        #expect(forest.count == 0)
        #expect(forest.roots.isEmpty)
        #expect(forest.node(at: "/main") == nil)
    }

    @Test func `S-22 everything below a flow can be removed without the flow`() {
        var forest = Forest(base: "")
        let main = forest.add("main", .tabs)
        let a = forest.add("a", .free, below: main)
        _ = forest.add("x", below: a)
        _ = forest.add("b", below: main)
        forest.updateVisibility(of: main)
        #expect(forest.removeChildren(of: main).map(\.path) == ["/main/b", "/main/a/x", "/main/a"])
        #expect(forest.paths == ["/main"])
        #expect(forest.freeID(for: "a", below: main, besides: SiblingIDs.PlannedIDs()) == "a")
        #expect(forest[main].flow?.kept.selected == [])
    }

    @Test func `S-1 S-25 slots are reused, instances never`() {
        var forest = Forest(base: "")
        let main = forest.add("main", .free)
        let first = forest.add("a", below: main)
        let old = forest.id(of: first)
        _ = forest.remove(old.slot)
        let second = forest.add("a", below: main)
        let new = forest.id(of: second)
        #expect(new.slot == old.slot)
        #expect(new.instance == 3)
        #expect(forest.slot(of: old) == nil)
        #expect(forest.slot(of: new) == new.slot)
        #expect(forest.node(at: "/main/a") == new)
    }

    @Test func `changes are reported once: new presentables whole, of others the new values`() throws {
        var forest = Forest(base: "")
        let main = forest.add("main", .stack)
        forest.updateVisibility(below: nil, changed: [main])
        let a = forest.add("a", below: main)
        forest.updateVisibility(of: main)
        let first = forest.takeChanges()
        #expect(Array(first.born) == [main, a])
        forest.setVisible(a, true)
        let b = forest.add("b", below: main)
        forest.updateVisibility(of: main)
        let (born, changes) = forest.takeChanges()
        #expect(Array(born) == [b])
        #expect(
            changes == [
                PropertyChanges(
                    path: "/main/a", [.visible: .flag(true), .presented: .flag(false), .inSight: .flag(false)]),
                PropertyChanges(path: "/main", [.current: .path("/main/b")]),
            ])
        let rest = forest.takeChanges()
        #expect(rest.born.isEmpty && rest.changes.isEmpty)
    }

    @Test func `nothing is reported for a removed node, nor for its successor in the same slot`() {
        var forest = Forest(base: "")
        let main = forest.add("main", .free)
        let a = forest.add("a", below: main)
        forest.updateVisibility(below: nil, changed: [main])
        _ = forest.takeChanges()
        forest.setVisible(a, true)
        _ = forest.remove(a)
        let presented = forest.takePresented()
        #expect(presented == [main])
        let nearestLiveAncestor = forest.add("a", below: main)
        let (born, changes) = forest.takeChanges()
        #expect(Array(born) == [nearestLiveAncestor])
        #expect(changes.isEmpty)
    }

    @Test func `S-35 names are counted as soon as rules ask for them`() {
        var forest = Forest(base: "")
        forest.setCountsNames(false)
        let (main, other) = (forest.add("main", .free), forest.add("other", .free))
        let first = forest.add("a", below: main)
        let second = forest.add("b", below: main)
        _ = forest.remove(second)
        forest.setCountsNames(true)
        #expect(forest.isAlive(Sought(name: "a"), near: main) && !forest.isAlive(Sought(name: "a"), near: other))
        #expect(forest.isAlive(Sought(name: "main"), near: other) && !forest.isAlive(Sought(name: "b"), near: main))
        _ = forest.remove(first)
        #expect(!forest.isAlive(Sought(name: "a"), near: main))
    }

    @Test func `S-35 a presentable counts as alive in the same tree, or as a root anywhere`() {
        var forest = Forest(base: "")
        let main = forest.add("main", .free)
        let sub = forest.add("sub", .free, below: main)
        let screen = forest.add("a", below: sub)
        let other = forest.add("other", .free)
        let far = forest.add("far", below: other)
        #expect([main, sub, screen].map { forest.isAlive(Sought(name: "a"), near: $0) } == [true, true, true])
        #expect(forest.isAlive(Sought(name: "a"), near: other) == false)
        #expect(["main", "other"].map { forest.isAlive(Sought(name: $0), near: far) } == [true, true])
        #expect(forest.isAlive(Sought(name: "sub"), near: sub))
        #expect(forest.isAlive(Sought(name: "none"), near: main) == false)
        // A root of that name elsewhere is enough, also where another tree has one below.
        let root = forest.add("a", .free)
        #expect(forest.isAlive(Sought(name: "a"), near: far))
        _ = forest.remove(root)
        #expect(forest.isAlive(Sought(name: "a"), near: far) == false)
        _ = forest.removeChildren(of: sub)
        #expect(forest.isAlive(Sought(name: "a"), near: main) == false)
        let again = forest.add("b", below: main)
        #expect(again == screen || again == root)
        #expect(forest.isAlive(Sought(name: "a"), near: main) == false)
        #expect(forest.isAlive(Sought(name: "b"), near: sub))
    }

    @Test func `S-28 the newest flow of a name: among the roots, or anywhere below`() {
        var forest = Forest(base: "")
        let main = forest.add("main", .free)
        let old = forest.add("list", .free, below: main)
        let deep = forest.add("list", .free, below: old)
        let sub = forest.add("sub", .free, below: main)
        let root = forest.add("list", .free)
        _ = forest.add("list", below: sub)
        #expect(forest.newestFlow(Sought(name: "list"), below: main) == deep)
        #expect(forest.newestFlow(Sought(name: "list"), below: deep) == nil)
        #expect(forest.newestFlow(Sought(name: "list"), below: sub) == nil)
        #expect(forest.newestFlow(Sought(name: "main"), below: main) == nil)
        #expect(forest.newestFlow(Sought(name: "list"), below: nil) == root)
        #expect(forest.newestFlow(Sought(name: "sub"), below: nil) == nil)
        let newest = forest.add("list", .free, below: sub)
        #expect(forest.newestFlow(Sought(name: "list"), below: main) == newest)
        _ = forest.remove(newest)
        #expect(forest.newestFlow(Sought(name: "list"), below: main) == deep)
    }

    @Test func `S-22 the nodes that would be removed, in order`() {
        var forest = Forest(base: "")
        let main = forest.add("main", .free)
        let a = forest.add("a", .free, below: main)
        let x = forest.add("x", below: a)
        let b = forest.add("b", below: main)
        let y = forest.add("y", below: a)
        #expect(forest.postorder(main) == [b, y, x, a, main])
        #expect(forest.postorder(b) == [b])
        let order = forest.postorder(a).map { forest[$0].path }
        #expect(forest.remove(a).map(\.path) == order)
    }

    @Test func `S-25 state of a node does not pass to the next one in its slot`() {
        var forest = Forest(base: "")
        let main = forest.add("main", .free)
        let first = forest.add("a", below: main)
        let held = DeferredStep(step: StepID(0), arguments: [], origin: 1, cause: 0, client: Client(":1.1"))
        forest.updateUsage(first) { node in
            (node.initialStep, node.deferredSteps) = (held, [held])
            node.kept.onDismissed = Boxed(Node.KeptStep(step: "go"))
        }
        let gone = forest.remove(first)
        #expect(gone.map(\.deferredSteps) == [[held]])
        #expect(gone.first?.onDismissed?.step == "go")
        let second = forest.add("a", below: main)
        #expect(second == first)
        #expect(forest[second].deferredSteps.isEmpty)
        #expect(forest[second].initialStep == nil)
        #expect(forest[second].onDismissed == nil)
    }

    @Test func `a state contains everything except private arguments`() throws {
        var forest = Forest(base: "")
        let main = forest.add("main", .stack)
        let a = forest.insert(
            Forest.Birth(
                kept: Node.Kept(
                    name: "list", id: "a", style: "modal",
                    arguments: [Argument("pin", .string("1"), isPrivate: true), Argument("item", .byte(1))],
                    client: Client(":1.1"))),
            below: main)
        forest.updateVisibility(below: nil, changed: [main])
        forest.updateVisibility(of: main)
        #expect(
            forest.state(of: a)
                == PresentableState(
                    path: "/main/a", isFlow: false,
                    properties: [
                        .name: .text("list"), .parentFlow: .path("/main"), .style: .text("modal"),
                        .instance: .number(2),
                        .arguments: .arguments([Argument("item", .byte(1))]), .visible: .flag(false),
                        .presented: .flag(false), .inSight: .flag(true), .presenter: .text(""), .owner: .text(""),
                        .title: .text(""),
                    ]))
        #expect(
            forest.state(of: main)
                == PresentableState(
                    path: "/main", isFlow: true,
                    properties: [
                        .name: .text("main"), .parentFlow: .path(nil), .style: .text(""), .instance: .number(1),
                        .arguments: .arguments([]), .visible: .flag(true), .presented: .flag(true),
                        .presenter: .text(""), .owner: .text(""), .definition: .text("main"), .ready: .flag(true),
                        .current: .path("/main/a"), .output: .text(""),
                    ]))
    }
}

@Suite("Forest: live presentables")
struct LiveNamesTests {
    /// Flows of two names 50 deep, several trees, and some removed ones.
    private func grown(_ count: Int) -> Forest {
        var random = Seeded(seed: 7)
        var forest = Forest(base: "")
        var flows: [NodeSlot] = []
        for number in 0..<count {
            let parent = number % 50 == 0 ? nil : flows.last
            flows.append(forest.add(number % 3 == 0 ? "odd" : "even", .free, below: parent))
        }
        for _ in 0..<count / 20 {
            guard let slot = flows.randomElement(using: &random) else { continue }
            let gone = Set(forest.remove(slot).map(\.slot))
            flows.removeAll(where: gone.contains)
        }
        return forest
    }

    private func isBelow(_ top: NodeSlot, _ slot: NodeSlot, _ forest: Forest) -> Bool {
        var place = forest[slot].parent
        while let node = place, node != top { place = forest[node].parent }
        return place == top
    }

    @Test func `S-28 S-35 live presentables are found after any additions and removals`() {
        let forest = grown(600)
        let live = forest.preorder()
        for slot in live {
            #expect(forest.children(of: slot) == live.filter { forest[$0].parent == slot })
            for name in ["odd", "even", "none"] {
                let named = live.filter { forest[$0].name == name }
                let root = live.last { forest[$0].parent == nil && ($0 == slot || isBelow($0, slot, forest)) }
                #expect(
                    forest.isAlive(Sought(name: name), near: slot)
                        == named.contains {
                            forest[$0].parent == nil || $0 == root || isBelow(root ?? NodeSlot(-1), $0, forest)
                        })
                let newest = named.filter { isBelow(slot, $0, forest) }.max {
                    forest[$0].instance < forest[$1].instance
                }
                #expect(forest.newestFlow(Sought(name: name), below: slot) == newest)
            }
        }
    }

    @Test func `S-28 the search for the newest flow visits no presentable twice, however deep they are`() {
        let forest = grown(4_000)
        let live = forest.preorder()
        for top in [live[0], live[1], live[40]] {
            var search = Forest.Descent(from: top, in: forest)
            for slot in live { #expect(search.contains(slot, in: forest) == isBelow(top, slot, forest)) }
            #expect(search.visits <= live.count)
        }
    }
}

extension Forest {
    /// Adds a node: a screen, or a ready flow with this covering.
    mutating func add(_ name: String, _ covering: Children? = nil, below parent: NodeSlot? = nil) -> NodeSlot {
        insert(
            Birth(
                kept: Node.Kept(
                    name: name, id: freeID(for: name, below: parent, besides: SiblingIDs.PlannedIDs()),
                    isVisible: covering != nil),
                flow: covering.map {
                    Boxed(Node.FlowState(definition: FlowID(0), covering: $0))
                }),
            below: parent)
    }

    /// Updates it for all children of a flow.
    mutating func updateVisibility(of flow: NodeSlot) {
        updateVisibility(below: flow, changed: Array(children(of: flow)))
    }

    var paths: [String] { preorder().map { self[$0].path } }

    /// Takes the changes of live nodes: the new ones, and new values of the others.
    mutating func takeChanges() -> (born: [NodeSlot], changes: [PropertyChanges]) {
        let born = changedPlaces.compactMap { takeBorn(at: $0) }
        let changes = changedPlaces.compactMap { takeChanges(at: $0) }
        forgetChanges()
        return (born, changes)
    }
}
