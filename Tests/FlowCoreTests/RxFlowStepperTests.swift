import Testing

@testable import FlowCore

// More of RxFlow's own tests (RxFlowTests.swift): steppers, their pausing, and waiting for flows.

@Suite("RxFlow's StepperTests")
struct RxFlowStepperTests {
    /// Three screens, each with an initial step and a next one; and the step `reference` that adds them.
    private let world: World
    private let next = ["four", "five", "six"]
    private let screens = ["/main/first", "/main/second", "/main/third"]

    init() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main",
            on: [
                "reference": [
                    .screen("first", .init(step: "one", whenHidden: .allow)),
                    .screen("second", .init(step: "two", whenHidden: .allow)),
                    .screen("third", .init(step: "three", whenHidden: .allow)),
                ],
                "list": [.current("one"), .current("two"), .current("three")],
                "one": [], "two": [], "three": [], "four": [], "five": [], "six": [],
            ])
        world = World(builder)
    }

    private func initialSteps() throws -> [String] {
        try world.coordinate("main", step: "reference")
        return world.navigations
    }

    private func nextSteps() throws -> [String] {
        try zip(next, screens).flatMap { step, screen in
            try world.emit(step, on: screen)
            return world.navigations
        }
    }

    @Test func `S-16 testStepperEmitStep: the initial step, then the next one`() throws {
        try world.coordinate("main", step: "one")
        #expect(world.navigations == ["/main one"])
        try world.emit("two", on: "/main")
        #expect(world.navigations == ["/main two"])
    }

    @Test func `S-16 testOneStepper: the one step, once`() throws {
        try world.coordinate("main", step: "one")
        #expect(world.navigations == ["/main one"])
        try world.hide("/main")
        try world.show("/main")
        #expect(world.coordinator.serial == 1)
    }

    @Test func `S-26 testNoneStepper: no step, and the flow is ready without one`() throws {
        #expect(try world.coordinate("main") == ["+ /main (visible presented ready)", "= /main"])
    }

    @Test func `S-8 testCompositeStepperInitialSteps: several initial steps, in order`() throws {
        try world.coordinate("main", step: "list")
        #expect(world.navigations == ["/main list", "/main one", "/main two", "/main three"])
    }

    @Test func `S-4 testCompositeStepperReadyToEmitSteps: all contributed steppers can emit immediately`() throws {
        _ = try initialSteps()
        for screen in screens { #expect(try world.emit("four", on: screen).last?.hasPrefix("= navigated") == true) }
    }

    @Test func `S-8 testCompositeStepper: initial steps in list order, then the next ones as they come`() throws {
        #expect(try initialSteps().dropFirst() == ["/main one", "/main two", "/main three"])
        #expect(try nextSteps() == ["/main four", "/main five", "/main six"])
    }

    @Test func `S-8 testCompositeStepperWithInitialStep: the flow's own initial step comes before theirs`() throws {
        #expect(
            try initialSteps() + nextSteps() == [
                "/main reference", "/main one", "/main two", "/main three", "/main four", "/main five", "/main six",
            ])
    }
}

@Suite("RxFlow's ObservableType_PausableTests")
struct RxFlowPausableTests {
    @Test func `S-15 testPausable: dropped, never queued, while hidden`() throws {
        var builder = DefinitionsBuilder()
        builder.step("number", ["n": "int64"])
        builder.flow("main", initial: "open", on: ["open": [.screen("page")], "number": []])
        let world = try World(root: "main", builder)
        var passed: [Arguments] = []
        for number in Int64(1)...10 {
            if number.isMultiple(of: 2) { try world.show("/main/page") } else { try world.hide("/main/page") }
            #expect(world.navigations.isEmpty)
            try world.emit("number", ["n": .int64(number)], on: "/main/page")
            passed += world.effects.compactMap {
                if case .emitNavigationOccurred(let it) = $0 { it.arguments } else { nil }
            }
        }
        #expect(passed == [2, 4, 6, 8, 10].map { [Argument("n", .int64($0))] })
    }

    @Test func `S-15 S-16 testPausableAfterCount: initial steps pass, later steps are gated`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("sub")]])
        builder.flow("sub", initial: "one", on: ["one": [.current("two")], "two": [.current("three")], "three": []])
        let world = try World(root: "main", builder)
        try world.hide("/main")
        try world.navigate("open")
        #expect(world.navigations == ["/main open", "/main/sub one", "/main/sub two", "/main/sub three"])
        #expect(try world.emit("three", on: "/main/sub") == ["= hidden 0"])
        try world.show("/main")
        #expect(world.navigations.isEmpty)
        #expect(try world.emit("three", on: "/main/sub").last == "= navigated 5")
    }
}

@Suite("RxFlow's FlowsTests")
struct RxFlowFlowsTests {
    private static var builder: DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow("main", initial: "one", on: ["one": [.flow("sub")]])
        builder.flow("sub", initial: "two", on: ["two": [.flow("leaf")]])
        builder.flow("leaf")
        return builder
    }

    private let world = World(builder)

    private func paths(_ count: Int) -> [String] { (1...count).map { $0 == 1 ? "/main" : "/main_\($0)" } }

    @Test(arguments: 1...5)
    func `S-26 test_use_triggers_block_when_n_flows_are_ready: a subscription before the flows exist`(count: Int) throws
    {
        var listener = try Listener(paths(count), when: .ready, in: world)
        for number in 1...count {
            #expect(listener.calls == 0)
            try world.coordinate("main")
            listener.observe(world.effects)
            #expect(listener.calls == (number == count ? 1 : 0))
        }
        try world.emit("one", on: "/main")
        listener.observe(world.effects)
        #expect(listener.calls == 1)
    }

    @Test(arguments: 1...5)
    func `S-26 test_use_triggers_block_when_n_flows_are_ready: a late subscription is called immediately`(count: Int)
        throws
    {
        for _ in 1...count { try world.coordinate("main") }
        #expect(try Listener(paths(count), when: .ready, in: world).calls == 1)
    }

    @Test(arguments: 2...5)
    func `S-26 test_use_triggers_block_when_n_flows_are_ready: a subscription in between misses nothing`(count: Int)
        throws
    {
        for ready in 1..<count {
            let world = World(Self.builder)
            for _ in 1...ready { try world.coordinate("main") }
            var listener = try Listener(paths(count), when: .ready, in: world)
            for _ in ready..<count {
                #expect(listener.calls == 0)
                try world.coordinate("main")
                listener.observe(world.effects)
            }
            #expect(listener.calls == 1)
        }
    }

    @Test(arguments: 1...5)
    func `S-26 test_use_triggers_block_when_n_flows_are_created: creation is reported before readiness`(
        count: Int
    ) throws {
        var created = try Listener(paths(count), when: .created, in: world)
        var ready = try Listener(paths(count), when: .ready, in: world)
        for _ in 1...count {
            try world.coordinate("main")
            created.observe(world.effects)
            ready.observe(world.effects)
        }
        let (first, second) = (try #require(created.calledAfter), try #require(ready.calledAfter))
        #expect(first < second)
        #expect(try Listener(paths(count), when: .created, in: world).calls == 1)
    }

    @Test func `S-26 test_use_triggers_block_when_one_flow_is_ready: a child without a stepper does not delay it`()
        throws
    {
        try world.coordinate("main")
        for path in ["/main", "/main/sub", "/main/sub/leaf"] { #expect(try world.isReady(path)) }
    }
}

/// Waits for flows as a client does: reads their state, then follows the signals.
private struct Listener {
    enum Strategy { case created, ready }

    private let moment: Strategy
    private var awaited: Set<String>
    private var eventCount = 0
    private(set) var calls = 0
    /// The number of effects before it was called.
    private(set) var calledAfter: Int?

    init(_ paths: [String], when moment: Strategy, in world: World) throws {
        self.moment = moment
        awaited = try Set(
            paths.filter { path in
                guard world.coordinator.node(at: path) != nil else { return true }
                return try moment == .ready && !world.isReady(path)
            })
        if awaited.isEmpty { calls = 1 }
    }

    mutating func observe(_ effects: [Effect]) {
        for effect in effects {
            eventCount += 1
            switch effect {
            case .addPresentable(let it):
                if moment == .created || it.isFlow && it.isReady { arrived(it.path) }
            case .changeProperties(let it):
                if moment == .ready, it.properties.flag(.ready) == true { arrived(it.path) }
            default: break
            }
        }
    }

    private mutating func arrived(_ path: String) {
        guard awaited.remove(path) != nil, awaited.isEmpty else { return }
        calls += 1
        calledAfter = eventCount
    }
}
