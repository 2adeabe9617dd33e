import BusTestSupport
import FlowBus
import FlowBusClient
import Glibc
import Testing

/// A tree is watched without a race, over restarts of the service and of the bus.
@Suite("Watching", .fewAtOnce, .serialized)
@MainActor
struct WatchTests {
    private let service: Service
    private let bus: NavigationBus

    init() throws {
        service = try .shop()
        bus = try NavigationBus(service)
    }

    private func live(_ events: Events<TreeEvent>) async throws -> [Node] {
        let event = try await events.first { if case .snapshot = $0 { true } else { false } }
        guard case .snapshot(let nodes) = event else { return [] }
        return nodes
    }

    @Test func `the snapshot comes first, then the events, in the order of the wire`() async throws {
        let events = Events(bus.watch())
        let nodes = try await live(events)
        #expect(nodes.map(\.path) == ["shop", "shop/list"])
        #expect(nodes.map(\.isFlow) == [true, false])
        #expect(nodes[0].name == "shop" && nodes[0].isPresented && nodes[0].isReady && nodes[0].current == "shop/list")
        #expect(nodes[1].name == "list" && !nodes[1].isVisible && nodes[1].instance > nodes[0].instance)
        let outcome = try await bus.emit(ShopStep.pick(item: 5), on: "shop")
        try await bus.setVisible(true, at: "shop/detail")
        try await bus.dismiss("shop/detail")
        try await events.first { if case .removed("shop/detail") = $0 { true } else { false } }
        // Without changes of the current child.
        let reported = events.all.dropFirst().map(\.short).filter { !$0.contains("current") }
        #expect(
            reported == [
                "added shop/detail", "navigated shop pick \(outcome.serial) [screen detail shop/detail]",
                "shop/detail visible(true)", "shop/detail presented(true)", "removed shop/detail",
            ])
    }

    @Test func `a navigation during the subscription is not lost, and its screen is not reported twice`() async throws {
        // The calls are independent: the step can come before the tree is read, or after.
        for round in 1...20 {
            let events = Events(bus.watch())
            let outcome = try await bus.emit(ShopStep.pick(item: round), on: "shop")
            try await events.first { if case .navigated(let it) = $0 { it.serial == outcome.serial } else { false } }
            let path = NodePath(round == 1 ? "shop/detail" : "shop/detail_\(round)")
            var reported = 0
            for event in events.all {
                switch event {
                case .snapshot(let nodes): reported += nodes.count { $0.path == path }
                case .added(let node): reported += node.path == path ? 1 : 0
                case .changed, .removed, .navigated, .failed, .lost, .serviceGone: continue
                }
            }
            #expect(reported == 1)
            guard case .snapshot? = events.all.first else {
                throw TestFailure("the tree does not come first: \(events.all)")
            }
            events.stop()
        }
    }

    @Test func `a subtree can be watched, also next to the whole tree`() async throws {
        let all = Events(bus.watch())
        let events = Events(bus.watch("shop/pay"))
        _ = try await live(all)
        #expect(try await live(events).isEmpty)
        try await bus.emit(ShopStep.pick(item: 5), on: "shop")
        try await bus.emit(ShopStep.check, on: "shop")
        try await bus.emit(ShopStep.done(receipt: nil), on: "shop/pay")
        try await events.first { if case .removed("shop/pay") = $0 { true } else { false } }
        let reported = events.all.dropFirst().map(\.short)
        #expect(reported.first == "added shop/pay" && reported.contains("added shop/pay/basket"))
        #expect(reported.allSatisfy { $0.contains("shop/pay") })
        try await all.first { if case .removed("shop/pay") = $0 { true } else { false } }
        #expect(all.all.contains { $0.short == "added shop/detail" })
    }

    @Test func `failed steps are reported`() async throws {
        let events = Events(bus.watch("shop"))
        _ = try await live(events)
        try await bus.emit("spin", ["again": .bool(true)], on: "shop")
        let event = try await events.first { if case .failed = $0 { true } else { false } }
        guard case .failed(let failure) = event else { return }
        #expect(failure.error?.code == .navigationLoop && failure.path == "shop" && failure.step == "spun")
    }

    @Test func `ending the iteration removes the match rules`() async throws {
        let limited = try PrivateBus(limits: ["max_match_rules_per_connection": 4])
        let service = try Service(shopDefinitions, bus: limited)
        let bus = try NavigationBus(service)
        for _ in 1...5 {
            let events = Events(bus.watch("shop"))
            _ = try await live(events)
            events.stop()
            try await events.end()
            // The main actor learns of its end; the rules are removed before the next call.
            await Task.yield()
            _ = try await bus.definitionNames()
        }
        let one = Events(bus.watch("shop"))
        _ = try await live(one)
        let two = Events(bus.watch("shop"))
        try await two.end()
        #expect(two.all.isEmpty)
        // The refused subscription has not affected the other.
        _ = try await bus.definitionNames()
        try await bus.emit(ShopStep.pick(item: 1), on: "shop")
        try await one.first { $0.short == "added shop/detail" }
    }

    @Test func `the service restarts: the tree is reported again`() async throws {
        let events = Events(bus.watch())
        let before = try await live(events)
        try service.restart()
        let after = try await live(events)
        #expect(after.map(\.path) == before.map(\.path) && after.map(\.instance) == before.map(\.instance))
        #expect(events.all.count { if case .serviceGone = $0 { true } else { false } } == 1)
        try await bus.emit(ShopStep.pick(item: 1), on: "shop")
        try await events.first { $0.short == "added shop/detail" }
    }

    @Test func `another service takes over: the tree is reported again, and calls go to it`() async throws {
        let events = Events(bus.watch())
        let before = try await live(events)
        let other = try service.startAnother("--replace")
        let after = try await live(events)
        #expect(after.map(\.instance) == before.map(\.instance))
        #expect(events.all.count { if case .serviceGone = $0 { true } else { false } } == 1)
        #expect(try await bus.emit(ShopStep.pick(item: 1), on: "shop").isNavigated)
        try await events.first { $0.short == "added shop/detail" }
        try service.process.waitForExit()
        try other.terminate()
    }

    @Test func `without a service it reports that, and waits for it`() async throws {
        let lonely = try PrivateBus()
        let bus = try NavigationBus(.address(lonely.address))
        let events = Events(bus.watch())
        guard case .serviceGone = try await events.first() else { throw TestFailure("\(events.all)") }
        #expect(try await refusal { try await bus.emit("begin", on: "shop") }.code == .serviceUnknown)
        let service = try Service(shopDefinitions, bus: lonely)
        #expect(try await live(events).map(\.path) == ["shop", "shop/list"])
        // Navigations of its autostart are reported after the tree.
        try await events.first { $0.short.hasPrefix("navigated shop begin") }
        #expect(events.all.count == 3)
        service.process.send(signal: SIGKILL)
        guard case .serviceGone = try await events.first() else { throw TestFailure("\(events.all)") }
    }

    @Test func `the bus restarts: the connection is made again, and the tree is reported again`() async throws {
        let events = Events(bus.watch())
        _ = try await live(events)
        let name = bus.uniqueName
        try service.bus.kill()
        try await events.first { if case .serviceGone = $0 { true } else { false } }
        #expect(bus.uniqueName.isEmpty)
        #expect(try await refusal { try await bus.definitionNames() }.code == .disconnected)
        try service.bus.start()
        #expect(try await live(events).map(\.path) == ["shop", "shop/list"])
        #expect(!bus.uniqueName.isEmpty && !name.isEmpty)
        try await bus.emit(ShopStep.pick(item: 1), on: "shop")
        try await events.first { $0.short == "added shop/detail" }
    }

    @Test func `closing ends all watches`() async throws {
        let events = Events(bus.watch())
        _ = try await live(events)
        bus.close()
        try await events.end()
        let late = Events(bus.watch())
        try await late.end()
    }

    @Test func `signals of other senders, and invalid ones, are ignored`() async throws {
        let events = Events(bus.watch())
        _ = try await live(events)
        let liar = try TestClient(service.bus)
        let node = "/org/flowbus/Navigation1/tree/shop"
        for receiver in [bus.uniqueName] {
            try liar.signal(
                to: receiver, "/org/flowbus/Navigation1", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
                .objectPath(node), .array(of: "s", [.string(Service.name + ".Presentable")]))
            try liar.signal(
                to: receiver, "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
                .string(Service.name), "", .string(liar.uniqueName))
            try liar.signal(to: receiver, node, "org.flowbus.Navigation1.Flow", "NavigationOccurred", "nonsense")
        }
        try liar.ping()
        try await bus.emit(ShopStep.pick(item: 1), on: "shop")
        try await events.first { $0.short.hasPrefix("navigated") }
        #expect(!events.all.contains { $0.short == "removed shop" })
    }
}

extension TreeEvent {
    /// The event in a line.
    var short: String {
        switch self {
        case .snapshot(let nodes): "live " + nodes.map(\.path.text).joined(separator: " ")
        case .added(let node): "added \(node.path)"
        case .lost(let count): "lost \(count)"
        case .changed(let path, let change): "\(path) \(change)"
        case .removed(let path): "removed \(path)"
        case .navigated(let it):
            "navigated \(it.flow) \(it.step) \(it.serial) ["
                + it.contributions.map { "\($0.kind) \($0.name) \($0.path?.text ?? "")" }.joined(separator: ", ") + "]"
        case .failed(let failure): "failed \(failure.path) \(failure.step) \(failure.outcome)"
        case .serviceGone: "serviceGone"
        }
    }
}
