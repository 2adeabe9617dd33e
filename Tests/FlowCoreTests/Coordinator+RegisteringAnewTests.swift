import Testing

@testable import FlowCore

/// A client registers its flow again with other steps and screens (S-32).
@Suite("Flow coordinator: flows that are registered anew")
struct RegisteringAnewTests {
    private typealias Declared = KeyValuePairs<String, KeyValuePairs<String, String>>

    private static let steps: Declared = ["pay": ["sum": "int64"], "abort": [:]]

    private func steps(_ world: World) throws -> [String] {
        world.coordinator.acceptedSteps(of: try world.node("/pay"))
    }

    /// The service that the latest event asked.
    private func service(_ world: World) throws -> Service { try #require(world.questions.last).service }

    // MARK: What counts then

    @Test
    func
        `S-32 its live flows take other steps from then on; its client is watched once, and the change is announced once`()
        throws
    {
        let world = World.registered()
        try world.coordinate("pay")
        #expect(
            world.register("pay", steps: ["pay": ["sum": "int64"], "more": [:]], by: ":1.5")
                == ["definitions", "= done"])
        #expect(try steps(world) == ["more", "pay"])
        #expect(try world.emit("more", on: "/pay").first == "navigator? :1.5 #1: /pay more")
        #expect(world.navigate(1, to: []).last == "= navigated 1")
        #expect(world.coordinator.definitions.step(named: "abort") == nil)
        // With other arguments it is another step, if nobody else has it.
        #expect(world.register("pay", steps: ["pay": ["sum": "string"]], by: ":1.5").last == "= done")
        #expect(try world.emit("pay", ["sum": .byte(1)], on: "/pay") == ["! InvalidArguments"])
        #expect(try world.emit("pay", ["sum": .string("x")], on: "/pay") == ["navigator? :1.5 #2: /pay pay {sum=x}"])
        #expect(world.navigate(2, to: []).last == "= navigated 2")
        #expect(world.coordinator.watches.counts == [Client(":1.5"): 1])
        #expect(world.coordinator.registrations.all.count == 1)
        #expect(world.unregister("pay", by: ":1.5") == ["- /pay", "definitions", "= done"])
        #expect(world.coordinator.definitions == DefinitionsBuilder.host().definitions)
        #expect(world.coordinator.accounting == Accounting())
    }

    @Test func `S-14 S-32 covering, the guard, the steps it triggers, and the time limit of an answer`() throws {
        let world = World.registered()
        try world.coordinate("pay")
        for question in 1...2 as ClosedRange<UInt64> {
            try world.emit("abort", on: "/pay")
            world.navigate(question, to: [.screen("a")])
        }
        func register(
            hasGuard: Bool = false, _ children: Children, initial: String? = nil,
            timeout: UInt64 = Limits.guardTimeout
        ) -> [String] {
            world.register(
                "pay", steps: Self.steps, by: ":1.5", hasGuard: hasGuard, children: children, initial: initial,
                timeout: timeout)
        }
        #expect(register(.stack) == ["~ /pay current=/pay/a_2", "definitions", "= done"])
        #expect(register(.tabs) == ["~ /pay current=/pay/a", "definitions", "= done"])
        #expect(register(.free) == ["~ /pay current=/", "definitions", "= done"])
        // Live flows began long ago.
        #expect(register(.free, initial: "abort") == ["definitions", "= done"])
        #expect(try world.coordinate("pay").contains("navigator? :1.5 #3: /pay_2 abort"))
        #expect(register(hasGuard: true, .free, timeout: 7) == ["definitions", "= done"])
        #expect(try world.emit("abort", on: "/pay") == ["guard? :1.5 #4: /pay abort"])
        #expect(try service(world).timeout == 7)
        #expect(try world.adapt(4, to: "abort") == ["navigator? :1.5 #5: /pay abort"])
    }

    @Test func `S-32 a refused registration leaves the previous one unchanged`() throws {
        let world = World.registered()
        world.register("till", steps: ["till": ["n": "byte"]], by: ":1.6", screens: ["slip": [:]])
        world.register("desk", steps: ["desk": [:]], by: ":1.5", screens: ["form": [:]], presenter: "/desk")
        try world.coordinate("pay")
        let wrong: [(Declared, Declared, FlowError.Code, String)] = [
            ([:], [:], .invalidArguments, "flow 'pay' would take 0 steps"),
            (["p y": [:]], [:], .invalidName, "'p y' can't be the name of a step"),
            (["till": [:]], [:], .invalidArguments, "step 'till' is declared with other arguments: n: byte"),
            (["open": [:]], [:], .invalidArguments, "step 'open' is declared with other arguments: item: int64?"),
            (
                ["pay": [:]], ["slip": [:]], .alreadyRegistered,
                "screen 'slip' is registered by ':1.6', with flow 'till'"
            ),
            (["pay": [:]], ["form": [:]], .invalidArguments, "with flow 'desk' it is by ':1.5' at '/desk'"),
            (
                ["pay": [:]], ["a": ["n": "byte"]], .invalidArguments,
                "screen 'a' is declared with other arguments: none"
            ),
        ]
        for (steps, screens, code, text) in wrong {
            try expectRefusal(world, code, with: text) {
                world.register("pay", steps: steps, by: ":1.5", screens: screens)
            }
        }
        #expect(try steps(world) == ["abort", "pay"])
    }

    @Test func `S-32 ids of other declarations stay, and the flow's own if it declares no less`() {
        let world = World.registered()
        world.register("till", steps: ["till": [:]], by: ":1.6", screens: ["slip": [:]])
        let before = world.coordinator.definitions
        world.register("pay", steps: ["pay": ["sum": "int64"], "abort": [:]], by: ":1.5", screens: ["cash": [:]])
        #expect(world.coordinator.definitions.steps == before.steps)
        #expect(world.coordinator.definitions.flows == before.flows)
        #expect(world.coordinator.definitions.screens.map(\.name) == ["a", "cash", "slip"])
        #expect(world.coordinator.registrations.all.map(\.flow) == ["pay", "till"])
    }

    // MARK: Steps that wait

    @Test func `S-9 S-12 S-32 steps that it no longer takes are dropped, as after Reload; the next one is asked about`()
        throws
    {
        let world = World.registered()
        try world.coordinate("pay")
        try world.emit("pay", ["sum": .byte(1)], on: "/pay", by: ":1.2")
        world.navigate(1, to: [.screen("a", .init(whenHidden: .queue))])
        for (step, sum) in [("pay", 2), ("abort", nil), ("pay", 3)] as [(String, UInt8?)] {
            if let sum {
                try world.emit(step, ["sum": .byte(sum)], on: "/pay/a", by: ":1.3")
            } else {
                try world.emit(step, on: "/pay/a", by: ":1.3")
            }
        }
        #expect(try world.forestNode("/pay/a").deferredSteps.count == 3)
        try world.emit("pay", ["sum": .byte(4)], on: "/pay", by: ":1.4")
        try world.emit("pay", ["sum": .byte(5)], on: "/pay", by: ":1.4")
        try world.emit("abort", on: "/pay", by: ":1.4")
        let failed = "failed after 0 by :1.3: /pay pay UnknownStep"
        #expect(
            world.register("pay", steps: ["abort": [:]], by: ":1.5") == [
                failed, failed, "drop #2", "definitions", "! UnknownStep", "! UnknownStep",
                "navigator? :1.5 #3: /pay abort", "= done",
            ])
        #expect(world.navigate(2, to: []) == [])
        #expect(world.navigate(3, to: []).last == "= navigated 2")
        #expect(try world.show("/pay/a").contains("navigator? :1.5 #4: /pay abort"))
        world.navigate(4, to: [])
        #expect(world.waiting == [])
    }

    @Test func `S-3 S-12 S-32 waiting steps get the newly declared type, or are dropped`() throws {
        let world = World.registered()
        try world.coordinate("pay")
        try world.emit("abort", on: "/pay")
        try world.emit("pay", ["sum": .byte(4)], on: "/pay")
        #expect(
            world.register("pay", steps: ["pay": ["sum": "uint16"], "abort": [:]], by: ":1.5")
                == ["definitions", "= done"])
        world.navigate(1, to: [])
        #expect(world.questions.first?.arguments == [Argument("sum", .uint16(4))])
        #expect(
            world.register("pay", steps: ["pay": ["sum": "string"], "abort": [:]], by: ":1.5")
                == ["drop #2", "definitions", "! InvalidArguments", "= done"])
        #expect(world.waiting == [])
    }

    @Test
    func `S-32 a step that others declare stays declared: open questions are answered, new steps are unhandled`()
        throws
    {
        let world = World(.host())
        world.register("pay", steps: ["open": ["item": "int64?"], "pay": [:]], by: ":1.5")
        try world.coordinate("pay")
        for _ in 0..<2 { try world.emit("open", on: "/pay") }
        #expect(world.register("pay", steps: ["pay": [:]], by: ":1.5") == ["definitions", "= done"])
        #expect(
            world.navigate(1, to: [.screen("a")]) == [
                "+ /pay/a", "did 1 after 0 by :1.1: /pay open [screen a /pay/a]", "= navigated 1", "= unhandled 0",
            ])
        #expect(try world.emit("open", on: "/pay") == ["= unhandled 0"])
        #expect(world.waiting == [])
    }

    // MARK: Questions that are out

    @Test func `S-5 S-32 a former guard still answers its open question; a new one is asked from then on`()
        throws
    {
        let world = World(.host())
        func register(hasGuard: Bool) -> [String] {
            world.register("pay", steps: Self.steps, by: ":1.5", hasGuard: hasGuard)
        }
        #expect(register(hasGuard: true).last == "= done")
        try world.coordinate("pay")
        try world.emit("abort", on: "/pay")
        try world.emit("pay", ["sum": .byte(1)], on: "/pay")
        #expect(register(hasGuard: false) == ["definitions", "= done"])
        #expect(try world.adapt(1, to: "abort") == ["navigator? :1.5 #2: /pay abort"])
        #expect(
            world.navigate(2, to: []) == [
                "did 1 after 0 by :1.1: /pay abort []", "= navigated 1", "navigator? :1.5 #3: /pay pay {sum=1}",
            ])
        try world.emit("abort", on: "/pay")
        #expect(register(hasGuard: true) == ["definitions", "= done"])
        // A step that passed before is not asked about.
        #expect(world.navigate(3, to: []).suffix(2) == ["= navigated 2", "guard? :1.5 #4: /pay abort"])
        #expect(register(hasGuard: false) == ["definitions", "= done"])
        #expect(world.answer(4, GuardAnswer.failed("no")) == ["! GuardFailed"])
        #expect(try world.refusal().message == "the guard ':1.5' failed: no")
        #expect(world.waiting == [])
    }

    @Test
    func `S-32 with another name or object, open questions are answered from there, the next goes to the new one`()
        throws
    {
        let world = World.registered()
        world.own("com.pay", ":1.5")
        try world.coordinate("pay")
        for _ in 0..<3 { try world.emit("abort", on: "/pay") }
        #expect(
            world.register("pay", steps: Self.steps, by: ":1.5", name: "com.pay", at: "/other")
                == ["definitions", "= done"])
        #expect(world.answer(1, NavigatorAnswer.failed("no")).first == "! NavigatorFailed")
        guard case .fail(_, let error)? = world.effects.first else { throw World.UnexpectedEffect() }
        #expect(error.message == "the navigator ':1.5' failed: no")
        #expect(try service(world) == Service("com.pay", path: "/other", timeout: Limits.guardTimeout))
        // It goes by that name now.
        #expect(world.own("com.pay", ":1.6") == ["drop #2", "- /pay", "! NavigatorFailed", "! NavigatorFailed"])
        #expect(world.coordinator.watches.counts == [Client(":1.5"): 1])
        #expect(world.waiting == [])
    }

    @Test(arguments: [true, false])
    func `S-32 WouldDeadlock depends on the process that was asked`(isGuard: Bool) throws {
        let world = World(.host())
        world.register("pay", steps: Self.steps, by: ":1.5", hasGuard: isGuard)
        try world.coordinate("pay")
        try world.emit("abort", on: "/pay")
        world.own("com.pay", ":1.6")
        world.register("pay", steps: Self.steps, by: ":1.5", name: "com.pay", hasGuard: false)
        let text = "flow '/pay' waits for its \(isGuard ? "guard" : "navigator") ':1.5', which is the client that emits"
        try expectRefusal(world, .wouldDeadlock, with: text) { try world.emit("abort", on: "/pay", by: ":1.5") }
        // No flow waits for the owner of that name.
        #expect(try world.emit("abort", on: "/pay", by: ":1.6") == [])
    }

    // MARK: Limits

    @Test func `S-33 the replaced registration does not count`() throws {
        let world = World(DefinitionsBuilder())
        let type = try #require(ValueType(signature: "(" + String(repeating: "i", count: 204) + ")"))
        let parameters = (0..<Limits.argumentCount).map { Parameter("argument\(1_000 + $0)", type) }
        // Each takes about 16,000 of 1,048,576 bytes.
        func register(_ flow: String, steps: Int, hasGuard: Bool = false) -> [String] {
            world.handle(
                .flowRegistered(
                    world.nextRequest(),
                    Registration(
                        flow, at: Service(":1.1", path: "/", timeout: 1),
                        steps: (0..<steps).map { StepDeclaration("\(flow)\($0)", parameters: parameters) },
                        hasGuard: hasGuard, by: Client(":1.1"))))
        }
        #expect(register("most", steps: 40).last == "= done")
        #expect(register("most", steps: 50) == ["definitions", "= done"])
        #expect(register("most", steps: 40, hasGuard: true) == ["definitions", "= done"])
        try expectRefusal(world, .limitExceeded, with: "beside the 0 of ':1.1', of at most 1048576") {
            register("most", steps: 80)
        }
        let few = World(DefinitionsBuilder())
        for number in 0..<Limits.registeredFlowsPerClient { few.register("f\(number)", steps: ["s": [:]], by: ":1.1") }
        #expect(few.register("f3", steps: ["s": [:], "t": [:]], by: ":1.1") == ["definitions", "= done"])
        try expectRefusal(few, .limitExceeded, with: "has registered 256 flows of at most 256") {
            few.register("more", steps: ["s": [:]], by: ":1.1")
        }
        #expect(few.coordinator.watches.counts == [Client(":1.1"): 256])
    }

    // MARK: What the bus can start

    @Test func `S-32 whether the bus can start it is evaluated now, and not announced`() throws {
        let world = World.registered(name: "com.pay")
        let register = { (isActivatable: Bool) in
            world.register("pay", steps: Self.steps, by: ":1.5", name: "com.pay", isActivatable: isActivatable)
        }
        #expect(register(true) == ["= done"])
        world.restart(owners: ["com.pay": ":1.5"])
        world.own("com.pay", nil)
        #expect(world.vanish(":1.5") == [])
        #expect(world.coordinator.definitions.flow(named: "pay") != nil)
        // Without the name it goes with its client again.
        world.own("com.pay", ":1.15")
        #expect(
            world.register("pay", steps: Self.steps, by: ":1.15") == ["definitions", "= done"])
        #expect(world.vanish(":1.15") == ["definitions"])
        #expect(world.coordinator.registrations.all.isEmpty)
    }

    @Test func `S-32 the owner of a vanished client's name takes its place, once; repeating it is not announced`()
        throws
    {
        let world = World.registered(name: "com.pay", isActivatable: true)
        world.register("till", steps: ["till": [:]], by: ":1.6")
        world.own("com.pay", nil)
        world.vanish(":1.5")
        world.own("com.pay", ":1.15")
        let register = { (steps: Declared) in
            world.register("pay", steps: steps, by: ":1.15", name: "com.pay", isActivatable: true)
        }
        #expect(register(Self.steps) == ["= done"])
        #expect(register(Self.steps) == ["= done"])
        #expect(register(["more": [:]]) == ["definitions", "= done"])
        #expect(world.coordinator.registrations.all.map(\.flow) == ["pay", "till"])
        #expect(world.coordinator.watches.counts == [Client(":1.6"): 1, Client(":1.15"): 1])
        #expect(world.unregister("pay", by: ":1.15") == ["definitions", "= done"])
    }

    @Test func `S-32 a client whose call arrives after its end is watched for the state it leaves behind`() throws {
        let world = World.registered(name: "com.pay", isActivatable: true)
        world.vanish(":1.5")
        #expect(
            world.register("pay", steps: ["more": [:]], by: ":1.5", name: "com.pay")
                == ["definitions", "= done"])
        #expect(world.vanish(":1.5") == ["definitions"])
        #expect(world.coordinator.registrations.all.isEmpty)
    }
}
