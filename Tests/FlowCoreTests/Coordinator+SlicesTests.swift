import Testing

@testable import FlowCore

extension Coordinator {
    /// Handles an event in slices until nothing is left. Returns all effects.
    mutating func handle(
        _ event: Event, at now: Instant, inSlicesOf size: Int, between: (inout Coordinator) -> Void
    ) -> [Effect] {
        var effects = handle(event, at: now, upTo: size)
        while pendingWork.hasMore {
            between(&self)
            effects += handle(.continued, at: now, upTo: size)
        }
        return effects
    }
}

extension World {
    fileprivate var hasMore: Bool { coordinator.pendingWork.hasMore }
    fileprivate var deepLinkCount: Int { coordinator.calls.deepLinks.count }
}

@Suite("Flow coordinator: slices")
struct SlicesTests {
    /// Returns the answers and the other effects: a call is answered when its own cascade is done, whatever follows.
    private func reported(_ effects: [Effect]) -> (others: [String], answers: [String]) {
        var (others, answers) = ([String](), [String]())
        for effect in effects {
            switch effect {
            case .reply(let request, _), .fail(let request, _): answers.append("\(request.number) \(effect.line)")
            // They come at the end of each slice.
            case .emitAnswered: answers.append(effect.line)
            // These are requested at the end of each slice.
            case .startTimer, .watchClient: break
            default: others.append(effect.line)
            }
        }
        return (others, answers.sorted())
    }

    private func expectSame(
        _ one: [Effect], _ other: [Effect], _ seed: UInt64, withNumbers: Bool = true
    ) -> Bool {
        func compared(_ effects: [Effect]) -> (others: [String], answers: [String]) {
            let (others, answers) = reported(effects)
            if withNumbers { return (others, answers) }
            return (others.map { $0.filter { !$0.isNumber } }, answers.map { $0.filter { !$0.isNumber } }.sorted())
        }
        let (one, other) = (compared(one), compared(other))
        #expect(one.others == other.others, "seed \(seed)")
        #expect(one.answers == other.answers, "seed \(seed)")
        return one.others == other.others && one.answers == other.answers
    }

    @Test(arguments: [1, 2, 5])
    func `S-7 in slices the same happens, in the same order`(size: Int) throws {
        for seed in UInt64(size) * 1_000..<UInt64(size) * 1_000 + 24 {
            let (whole, sliced) = (RandomLife(seed: seed), RandomLife(seed: seed, sliceSize: size))
            for _ in 0..<24 {
                try whole.performRandomEvent()
                try sliced.performRandomEvent()
                guard expectSame(whole.effects, sliced.effects, seed) else { return }
                #expect(sliced.recordComplaints == [], "seed \(seed)")
            }
            #expect(
                CoordinatorSnapshot(of: whole.coordinator) == CoordinatorSnapshot(of: sliced.coordinator),
                "seed \(seed)")
        }
    }

    @Test(arguments: [1, 3])
    func `S-6 S-7 so it does with guards, navigators and presenters`(size: Int) {
        for seed in UInt64(size) * 2_000..<UInt64(size) * 2_000 + 24 {
            let (whole, sliced) = (RandomProcesses(seed: seed), RandomProcesses(seed: seed, sliceSize: size))
            for _ in 0..<40 {
                whole.performRandomEvent()
                sliced.performRandomEvent()
                // They restart sometimes, and the reserved serials are not defined (D-2).
                guard expectSame(whole.effects, sliced.effects, seed, withNumbers: false) else { return }
                #expect(sliced.recordComplaints == [], "seed \(seed)")
                // Between two slices a client has something for which it is watched, and then it can vanish, too.
                if whole.model.watched != sliced.model.watched { break }
            }
        }
    }

    /// Steps that each add a page, one that triggers another step, and pages that defer steps.
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", initial: "begin",
            on: [
                "begin": [], "page": [.screen("page", .init(whenHidden: .queue))], "twice": [.current("page")],
                "sub": [.flow("sub")], "none": [],
            ])
        builder.flow("sub", initial: "begin", on: ["begin": [], "page": [.screen("page")], "over": [.end()]])
        return builder
    }

    private func list(_ world: World, _ steps: [String], on path: String = "/main") throws -> Event {
        .stepsEmitted(
            world.nextRequest(), on: try world.node(path), try steps.map { .step(try world.id(ofStep: $0), []) },
            by: Client(":1.1"))
    }

    private func continueAll(_ world: World) -> [String] {
        var lines: [String] = []
        while world.hasMore { lines += world.begin(.continued) }
        return lines
    }

    @Test func `S-7 a slice ends with the cascade that fills it, and the next one continues`() throws {
        let world = try World(root: "main", builder())
        world.begin(try list(world, ["twice", "page", "none"]))
        #expect(world.navigations == ["/main twice", "/main page"])
        #expect(world.hasMore)
        world.begin(.continued)
        #expect(world.navigations == ["/main page"])
        #expect(world.begin(.continued).last == "= [navigated 2, navigated 4, navigated 5]")
        #expect(!world.hasMore && world.waiting == [])
        #expect(world.begin(.continued) == [])
    }

    @Test func `S-7 the rest is done before another event`() throws {
        let world = try World(root: "main", builder())
        world.begin(try list(world, ["page", "page", "page"]))
        try world.emit("none", on: "/main", by: ":1.2")
        #expect(world.navigations == ["/main page", "/main page", "/main none"])
        #expect(world.answers == ["2 = [navigated 2, navigated 3, navigated 4]", "3 = navigated 5"])
        #expect(!world.hasMore)
    }

    @Test func `S-7 Explain uses the current tree in the middle of a list`() throws {
        let world = try World(root: "main", builder())
        world.begin(try list(world, ["page", "page", "page"]))
        let explanation = world.coordinator.explain(
            try world.id(ofStep: "none"), [], on: try world.node("/main"), by: Client(":1.2"),
            at: Instant(microseconds: 0))
        #expect(explanation.outcome == .navigated(serial: 3))
        #expect(continueAll(world).last == "= [navigated 2, navigated 3, navigated 4]")
    }

    @Test func `S-9 a list that exceeds its caller's time limit is answered, and its rest is concluded`() throws {
        let world = try World(root: "main", builder())
        world.begin(try list(world, ["none", "none", "none"]))
        world.now += Limits.replyTimeout
        #expect(
            world.begin(.continued) == [
                "= [navigated 2, pending, pending]", "did 3 after 0 by :1.1: /main none []",
                "concluded /main for :1.1: navigated 3",
            ])
        #expect(continueAll(world).last == "concluded /main for :1.1: navigated 4")
        #expect(world.waiting == [])
    }

    @Test func `D-4 after a crash a list goes on with its rest, and takes no step twice`() throws {
        let world = try World(root: "main", builder())
        world.begin(try list(world, ["page", "page", "twice", "none"]))
        world.begin(.continued)
        #expect(
            world.restart() == [
                "did 4098 after 0 by :1.1: /main twice [current page /main]",
                "concluded /main for :1.1: navigated 4098",
                "+ /main/page_3", "did 4099 after 4098 by :1.1: /main page [screen page /main/page_3]",
                "did 4100 after 0 by :1.1: /main none []", "concluded /main for :1.1: navigated 4100",
            ])
        #expect(world.paths == ["/main", "/main/page", "/main/page_2", "/main/page_3"])
        #expect(world.waiting == [])
        #expect(world.handle(.continued) == [])
    }

    @Test func `D-3 on another bus nobody waits for the rest of a list`() throws {
        let world = try World(root: "main", builder())
        world.begin(try list(world, ["page", "page", "none"]))
        #expect(world.restart(onSameBus: false) == [])
        #expect(world.paths == ["/main", "/main/page"])
        #expect(world.waiting == [])
    }

    @Test func `S-27 D-4 a deep link goes on from flow to flow, also after a crash`() throws {
        let world = try World(root: "main", builder())
        for _ in 0..<3 { try world.emit("sub", on: "/main") }
        let link = Event.deepLinkOpened(
            world.nextRequest(), step: try world.id(ofStep: "page"), arguments: [], by: Client(":1.1"))
        world.begin(link)
        #expect(world.navigations == ["/main page"])
        world.begin(.continued)
        #expect(world.navigations == ["/main/sub page"])
        world.restart()
        #expect(world.navigations == ["/main/sub_2 page", "/main/sub_3 page"])
        #expect(
            world.lines.filter { $0.hasPrefix("concluded") }.map { String($0.prefix(27)) }
                == ["concluded /main/sub_2 for :", "concluded /main/sub_3 for :"])
        #expect(world.waiting == [] && world.deepLinkCount == 0)
    }

    @Test func `S-27 a deep link goes over a flow that refuses its client, in slices, too`() throws {
        var builder = builder()
        builder.flow(
            "main", initial: "begin",
            on: ["begin": [], "page": [], "sub": [.flow("sub")], "closed": [.flow("closed")]])
        builder.flow("closed", initial: "begin", emitters: ["org.example.Till"], on: ["begin": [], "page": []])
        let world = try World(root: "main", builder)
        for step in ["sub", "closed", "sub"] { try world.emit(step, on: "/main") }
        let link = Event.deepLinkOpened(
            world.nextRequest(), step: try world.id(ofStep: "page"), arguments: [], by: Client(":1.1"))
        world.begin(link)
        #expect(world.navigations == ["/main page"])
        world.begin(.continued)
        #expect(world.navigations == ["/main/sub page"])
        world.begin(.continued)
        #expect(world.navigations == ["/main/sub_2 page"])
        let outcomes = continueAll(world).last ?? world.lines.last ?? ""
        #expect(outcomes.hasPrefix("= [/main navigated"), "\(outcomes)")
        #expect(outcomes.contains("/main/closed AccessDenied, /main/sub_2 navigated"), "\(outcomes)")
        #expect(world.deepLinkCount == 0)
    }

    @Test func `S-28 a path goes on from segment to segment`() throws {
        let world = try World(root: "main", builder())
        let segments = [("main", "sub"), ("sub", "page"), ("sub", "")].prefix(2).map { flow, step in
            PathSegment(flow: flow, step: world.coordinator.definitions.step(named: step))
        }
        world.begin(.pathOpened(world.nextRequest(), segments, by: Client(":1.1")))
        #expect(world.hasMore)
        #expect(continueAll(world).last == "= [/main navigated 2, /main/sub navigated 4]")
        // Where its time is over meanwhile, no further segment is begun.
        world.begin(.pathOpened(world.nextRequest(), segments, by: Client(":1.1")))
        world.now += Limits.pathTimeout
        let lines = continueAll(world)
        #expect(lines.contains("! PathFailed"))
        #expect(lines.contains { $0.hasPrefix("concluded /main for :1.1: navigated") })
        #expect(!lines.contains { $0.contains("/main/sub_2 page") } && world.waiting == [])
    }

    @Test func `S-28 a path that is done is answered at once, however little time it has`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "begin", on: ["begin": []])
        builder.flow(
            "only", initial: "begin", isUnique: true,
            on: ["begin": [.screen("page"), .screen("page"), .screen("page")]])
        let world = World(builder)
        let segment = PathSegment(flow: "only", step: nil)
        world.begin(.pathOpened(world.nextRequest(), [segment], by: Client(":1.1"), timeout: 0))
        world.now += 1
        #expect(!continueAll(world).contains("! PathFailed"))
        #expect(try world.node("/only").instance > 0)
    }

    @Test func `S-15 S-16 D-3 released deferred steps continue in slices, also after a crash`() throws {
        let world = try World(root: "main", builder())
        try world.emit("sub", on: "/main")
        try world.emit("page", on: "/main")
        for _ in 0..<4 { try world.emit("none", on: "/main/page") }
        try world.emit("sub", on: "/main/page")
        world.begin(
            .visibilityChanged(
                world.nextRequest(), of: try world.node("/main/page"), isVisible: true, by: Client(":1.1")))
        #expect(world.navigations == [])
        #expect(world.answers == ["9 = done"])
        world.begin(.continued)
        #expect(world.navigations == ["/main none"])
        world.restart()
        #expect(world.navigations == ["/main none", "/main none", "/main none", "/main sub", "/main/sub_2 begin"])
        #expect(world.waiting == [])
    }

    @Test func `S-12 D-3 a released step whose flow is gone is reported, also after a crash`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "begin", on: ["begin": [.flow("sub")], "sub": [.flow("sub")]])
        builder.flow(
            "sub", initial: "begin", on: ["begin": [.screen("page", .init(whenHidden: .queue))], "over": [.end()]])
        let world = try World(root: "main", builder)
        for step in ["over", "begin", "begin"] { try world.emit(step, on: "/main/sub/page") }
        world.begin(
            .visibilityChanged(
                world.nextRequest(), of: try world.node("/main/sub/page"), isVisible: true, by: Client(":1.1")))
        world.begin(.continued)
        #expect(world.paths == ["/main"])
        #expect(world.hasMore)
        world.restart()
        let failed = "failed after 0 by :1.1: /main begin FlowEnded"
        #expect(world.lines == [failed, failed])
        #expect(world.waiting == [])
    }

    @Test func `S-34 flows that become idle at the same time continue one by one`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "begin", idle: (1_000_000, "rest"), on: ["begin": [], "rest": []])
        let world = World(builder)
        for _ in 0..<3 { try world.coordinate("main") }
        world.now += 2_000_000
        world.begin(.timerFired)
        #expect(world.navigations == ["/main rest"])
        #expect(continueAll(world).filter { $0.hasPrefix("did") }.count == 2)
        #expect(!world.hasMore)
    }
}
