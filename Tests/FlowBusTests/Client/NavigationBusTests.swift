import BusTestSupport
import FlowBus
import FlowBusClient
import Testing

/// The calls of a plain client, and their errors.
@Suite("NavigationBus", .fewAtOnce, .serialized)
@MainActor
struct NavigationBusTests {
    private let service: Service
    private let bus: NavigationBus

    init() throws {
        service = try .shop()
        bus = try NavigationBus(service)
    }

    private func item(of path: String) throws -> BusValue? {
        try service.property("Arguments", of: path, "Presentable")["item"]
    }

    @Test func `a step is emitted by its type, and by its name`() async throws {
        let first = try await bus.emit(ShopStep.pick(item: 7), on: "shop")
        #expect(first.isNavigated && first.serial > 0)
        #expect(try item(of: "/shop/detail") == .int64(7))
        let second = try await bus.emit("pick", ["item": .int32(8)], on: "shop")
        #expect(second.verdict == .navigated && second.serial > first.serial)
        #expect(try await bus.emit(ShopStep.card, on: "shop").verdict == .unhandled)
        #expect(try await bus.emit(ShopStep.card, on: "shop/list").verdict == .hidden)
    }

    @Test func `errors of a step have a code and a message`() async throws {
        #expect(try await refusal { try await bus.emit("pikc", on: "shop") }.code == .unknownStep)
        let mistyped = try await refusal { try await bus.emit("pick", ["item": .string("x")], on: "shop") }
        #expect(mistyped.code == .invalidArguments && mistyped.message.contains("'item'"))
        #expect(try await refusal { try await bus.emit(ShopStep.begin, on: "shop/nothing") }.code == .unknownObject)
        #expect(try await refusal { try await bus.emit("begin", on: "not a path") }.code == .invalidArguments)
        #expect(try await refusal { try await bus.emit("begin", on: "") }.code == .invalidArguments)
        #expect(
            try await refusal { try await bus.emit("begin", on: "shop", options: EmitOptions(instance: 99)) }.code
                == .unknownObject)
        let token = String(repeating: "t", count: 129)
        #expect(
            try await refusal { try await bus.emit("begin", on: "shop", options: EmitOptions(token: token)) }.code
                == .invalidArguments)
    }

    @Test func `the same token gets the same outcome`() async throws {
        let first = try await bus.emit(ShopStep.pick(item: 1), on: "shop", options: EmitOptions(token: "mine"))
        #expect(try await bus.emit(ShopStep.pick(item: 1), on: "shop", options: EmitOptions(token: "mine")) == first)
        #expect(try await bus.emit(ShopStep.pick(item: 1), on: "shop", options: EmitOptions(token: "other")) != first)
    }

    @Test func `S-56 a step that is no input keeps no flow from being idle`() async throws {
        let service = try Service(
            """
            [steps]
            home = {}
            weather = {}
            [[autostart]]
            flow = "one"
            [[autostart]]
            flow = "two"
            [flows.one]
            idle = { after = "20ms", step = "home" }
            on = { home = { none = true }, weather = { none = true } }
            [flows.two]
            idle = { after = "20ms", step = "home" }
            on = { home = { none = true }, weather = { none = true } }
            """)
        let bus = try NavigationBus(service)
        try service.listen()
        for path in ["one", "two"] { try await bus.emit("weather", on: NodePath(path)) }
        // From here on, both are idle once, and then rest.
        for step in ["weather", "home"] {
            try service.client.waitForSignal("NavigationOccurred") {
                $0.path == Service.tree + "/two" && $0.values[3] == .string(step)
            }
        }
        try await bus.emit("weather", on: "one", options: EmitOptions(isInput: false))
        try await bus.emit("weather", on: "two")
        let home = try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == "home" }
        #expect(home.path == Service.tree + "/two")
    }

    @Test func `S-16 a step that waits is taken back by its token`() async throws {
        let service = try Service(
            """
            [steps]
            go = {}
            [[autostart]]
            flow = "desk"
            [flows.desk]
            whenHidden = "turn"
            on.go = { none = true }
            """)
        let bus = try NavigationBus(service)
        try service.show("/desk", false)
        for token in ["a", "b"] {
            #expect(try await bus.emit("go", on: "desk", options: EmitOptions(token: token)).verdict == .deferred)
        }
        try await bus.cancelStep("a", on: "desk")
        try await bus.cancelStep("a", on: "desk")
        #expect(try await bus.emit("go", on: "desk", options: EmitOptions(token: "a")).verdict == .hidden)
        #expect(try await refusal { try await bus.cancelStep("c", on: "desk") }.code == .invalidArguments)
        #expect(try await refusal { try await bus.cancelStep("b", on: "shop") }.code == .unknownObject)
        try service.listen()
        try service.show("/desk")
        _ = try service.client.waitForSignal("NavigationOccurred")
        try service.client.ping(Service.name)
        #expect(service.client.signals.count { $0.member == "NavigationOccurred" } == 1)
    }

    @Test func `calls are sent in the order in which they are made`() async throws {
        // Each is sent before the next begins, without waiting for a reply.
        let calls = (1...3).map { item in
            Task.immediate { @MainActor in try await bus.emit(ShopStep.pick(item: item), on: "shop").serial }
        }
        var serials: [UInt64] = []
        for call in calls { serials.append(try await call.value) }
        #expect(serials == serials.sorted())
        #expect(try item(of: "/shop/detail") == .int64(1))
        #expect(try item(of: "/shop/detail_3") == .int64(3))
    }

    @Test func `roots are started, with ids, steps and arguments`() async throws {
        #expect(try await bus.coordinate("pay") == "pay")
        #expect(try await bus.coordinate("pay", options: RootOptions(id: "till")) == "till")
        #expect(try await bus.coordinate("shop", with: ShopStep.pick(item: 3)) == "shop_2")
        #expect(
            try await bus.coordinate("shop", with: "pick", ["item": .int64(4)], options: RootOptions(id: "other"))
                == "other")
        #expect(try await bus.coordinate("pay", options: RootOptions(id: "one", token: "t")) == "one")
        #expect(try await bus.coordinate("pay", options: RootOptions(id: "one", token: "t")) == "one")
        #expect(try await refusal { try await bus.coordinate("nothing") }.code == .unknownFlow)
        #expect(
            try await refusal { try await bus.coordinate("pay", options: RootOptions(id: "till")) }.code == .idTaken)
        #expect(
            try await refusal { try await bus.coordinate("pay", options: RootOptions(id: "a b")) }.code == .invalidName)
        #expect(
            try await refusal { try await bus.coordinate("pay", options: RootOptions(arguments: ["x": .bool(true)])) }
                .code
                == .invalidArguments)
    }

    @Test func `a deep link has an outcome of each flow`() async throws {
        try await bus.emit(ShopStep.check, on: "shop")
        let outcomes = try await bus.navigate(to: ShopStep.card)
        #expect(outcomes.map(\.path) == ["shop", "shop/pay"])
        #expect(try outcomes.map { try $0.result?.get().verdict } == [.unhandled, .navigated])
        #expect(try await bus.navigate(to: "card").count == 2)
        #expect(try await refusal { try await bus.navigate(to: "nowhere") }.code == .unknownStep)
    }

    @Test func `a path of flows is navigated along`() async throws {
        let outcomes = try await bus.navigate(along: [
            PathSegment("shop", ShopStep.check), PathSegment("pay", step: "card"),
        ])
        #expect(outcomes.map(\.path) == ["shop", "shop/pay"])
        let onTheWay = try await bus.navigate(along: [PathSegment("shop"), PathSegment("pay", ShopStep.card)])
        #expect(onTheWay[0].result == nil)
        #expect(try onTheWay[1].result?.get().isNavigated == true)
        let failure = try await refusal { try await bus.navigate(along: [PathSegment("shop", ShopStep.card)]) }
        #expect(failure.code == .pathFailed)
    }

    @Test func `screens are shown, owned, left and dismissed`() async throws {
        try await bus.setVisible(true, at: "shop/list")
        #expect(try service.property("Presented", of: "/shop/list", "Presentable") == true)
        #expect(try await bus.ownedPresentables().isEmpty)
        try await bus.claim("shop/list")
        #expect(try await bus.ownedPresentables().map(\.path) == ["shop/list"])
        let other = try NavigationBus(service)
        #expect(try await refusal { try await other.claim("shop/list") }.code == .alreadyClaimed)
        #expect(try await refusal { try await other.dismiss("shop/list") }.code == .notOwner)
        try await bus.release("shop/list")
        #expect(try await refusal { try await bus.release("shop/list") }.code == .notOwner)
        try await other.dismiss("shop/list")
        #expect(try await refusal { try await other.dismiss("shop/list") }.code == .unknownObject)
    }

    private func instance(of path: String) throws -> UInt64 {
        let number = try service.property("Instance", of: path, "Presentable").number
        return UInt64(try #require(number))
    }

    @Test func `S-25 a call with an instance does not affect another at its path`() async throws {
        try await bus.emit(ShopStep.check, on: "shop")
        let old = try instance(of: "/shop/pay")
        try await bus.waitUntilReady("shop/pay", instance: old)
        try await bus.setVisible(true, at: "shop/pay", instance: old)
        try await bus.claim("shop/pay", instance: old)
        try await bus.release("shop/pay", instance: old)
        #expect(try await bus.back(on: "shop/pay", instance: old).verdict == .unhandled)
        try await bus.dismiss("shop/pay", instance: old)
        try await bus.emit(ShopStep.check, on: "shop")
        let calls: [() async throws -> Void] = [
            { try await bus.dismiss("shop/pay", instance: old) },
            { try await bus.setVisible(false, at: "shop/pay", instance: old) },
            { try await bus.claim("shop/pay", instance: old) },
            { try await bus.release("shop/pay", instance: old) },
            { try await bus.back(on: "shop/pay", instance: old) },
            { try await bus.waitUntilReady("shop/pay", instance: old) },
            { try await bus.emit(ShopStep.done(receipt: nil), on: "shop/pay", options: EmitOptions(instance: old)) },
        ]
        for call in calls { #expect(try await refusal { try await call() }.code == .unknownObject) }
        let new = try instance(of: "/shop/pay")
        #expect(new > old)
        #expect(try service.property("Visible", of: "/shop/pay", "Presentable") == true)
        // A step that ends its flow can be repeated with its token.
        let outcome = try await bus.emit(
            ShopStep.done(receipt: nil), on: "shop/pay", options: EmitOptions(token: "t", instance: new))
        #expect(outcome.isNavigated)
        #expect(
            try await bus.emit(
                ShopStep.done(receipt: nil), on: "shop/pay", options: EmitOptions(token: "t", instance: new)) == outcome
        )
    }

    @Test func `going back, and waiting until a flow is ready`() async throws {
        try await bus.waitUntilReady("shop")
        #expect(try await bus.back(on: "shop").verdict == .unhandled)
        try await bus.emit(ShopStep.pick(item: 1), on: "shop")
        #expect(try await bus.back(on: "shop").isNavigated)
        let failure = try await refusal { try await bus.waitUntilReady("shop/list") }
        #expect(failure.code == NavigationError.Code(rawValue: "org.freedesktop.DBus.Error.UnknownMethod"))
    }

    @Test func `declarations can be queried`() async throws {
        #expect(try await bus.definitionNames().sorted() == ["pay", "shop"])
        let text = try await bus.definitions()
        #expect(text.contains("[flows.pay]") && text.contains("[flows.shop.on]"))
        let steps = try await bus.declaredSteps()
        #expect(steps.map(\.name) == steps.map(\.name).sorted())
        let done = try #require(steps.first { $0.name == "done" })
        #expect(done.arguments.map(\.name) == ["receipt"])
        #expect(done.arguments.allSatisfy { $0.signature == "s" && $0.isOptional })
    }
}
