import Testing

@testable import FlowCore

/// Records of what flows and their children keep, damaged: none does harm (D-6).
@Suite("Restore: damaged records")
struct DamagedRecordsTests {
    private typealias Child = DefinitionsBuilder.Child

    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.screen("page", presenter: "com.x")
        builder.flow(
            "main", initial: "home", children: .stack, emitters: [],
            on: [
                "home": [.screen("home", Child(reuses: true, raises: true))], "page": [.screen("page")],
                "pay": [.flow("pay")], "tabs": [.flow("tabs")],
            ])
        builder.flow(
            "pay", initial: "open", guarded: ("com.auth", ["wait"]), on: ["open": [.screen("home")], "wait": []])
        builder.flow("tabs", initial: "one", children: .tabs, on: ["one": [.screen("home"), .screen("home")]])
        return builder
    }

    /// `home` was raised, `pay` is empty but for a step that waits, a `page` has lost its owner.
    private func world() throws -> World {
        let world = try World(root: "main", builder())
        for step in ["tabs", "pay", "page"] { try world.emit(step, on: "/main") }
        world.presented(1, by: ":1.9")
        world.vanish(":1.9")
        try world.emit("wait", on: "/main/pay")
        try world.dismiss("/main/pay/home")
        try world.show("/main/tabs/home_2")
        try world.emit("home", on: "/main")
        #expect(world.paths.last == "/main/home" && world.coordinator.emptied.count == 1)
        return world
    }

    /// Restored all the same, records make a working machine.
    private func live(_ records: [Record]) {
        var coordinator = Coordinator(definitions: builder().definitions, basePath: "")
        _ = coordinator.handle(.restored(records, onSameBus: true), at: Instant(microseconds: 1))
        if let main = coordinator.node(at: "/main") ?? coordinator.paths.first.flatMap({ coordinator.node(at: $0) }) {
            for (number, name) in ["home", "pay", "page", "tabs"].enumerated() {
                guard let step = coordinator.definitions.step(named: name) else { continue }
                _ = coordinator.handle(
                    .stepEmitted(
                        RequestID(UInt64(number) + 100), on: main, step: step, arguments: [], by: Client(":1.2"),
                        options: nil), at: Instant(microseconds: 2))
            }
        }
        _ = coordinator.handle(.definitionsRead(builder().definitions), at: Instant(microseconds: 3))
        _ = coordinator.handle(.timerFired, at: Instant(microseconds: 100_000_000))
        for path in coordinator.paths.reversed() {
            guard let node = coordinator.node(at: path) else { continue }
            _ = coordinator.handle(
                .presentableDismissed(RequestID(200), node, by: Client(":1.2")), at: Instant(microseconds: 100_000_001))
        }
        _ = coordinator.takeAllRecords()
    }

    @Test func `D-6 S-26 a flow that waits for fewer children than are not ready is refused`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", initial: "home", on: ["home": [.flow("pay", Child(id: "one")), .flow("pay", Child(id: "two"))]])
        builder.flow("pay", initial: "open", guarded: ("com.auth", ["open"]), on: ["open": []])
        let world = try World(root: "main", builder)
        var records = world.records.sorted { $0.key < $1.key }
        try Record.check(records)
        let place = try #require(records.firstIndex { $0.key.kind == .node })
        var node = try NodeRecord(try #require(records[place].body))
        #expect(node.flow?.readiness == .awaitingChildren(2))
        for (count, isRight) in [(0, false), (1, false), (2, true), (3, true), (Limits.children + 1, false)] {
            node.flow?.readiness = .awaitingChildren(count)
            records[place] = Record(records[place].key, node.encoded())
            if isRight {
                try Record.check(records)
            } else {
                #expect(throws: RecordFailure.self, "\(count)") { try Record.check(records) }
            }
        }
    }

    @Test func `D-6 damaged records of flows are refused, or make a valid tree; none does harm`() throws {
        let good = try world().records.sorted { $0.key < $1.key }
        try Record.check(good)
        var random = Seeded(seed: 36)
        var refused = 0
        for _ in 0..<20_000 {
            var records = good
            guard let place = records.indices.randomElement(using: &random), var body = records[place].body else {
                continue
            }
            var key = records[place].key
            switch Int.random(in: 0..<3, using: &random) {
            case 0: key = RecordKey(key.kind, UInt64.random(in: 0..<20, using: &random))
            case 1:
                guard let byte = body.indices.randomElement(using: &random) else { continue }
                body[byte] = UInt8.random(in: 0...255, using: &random)
            default:
                // A number becomes the greatest one.
                guard let byte = body.indices.randomElement(using: &random) else { continue }
                body.replaceSubrange(byte...byte, with: Array(repeating: 0xff, count: 9) + [1])
            }
            records[place] = Record(key, body)
            do throws(RecordFailure) { try Record.check(records) } catch { refused += 1 }
            live(records)
        }
        #expect(refused > 1_000 && refused < 20_000)
    }

    @Test func `D-6 S-36 S-37 impossible numbers of flows and children are refused`() throws {
        let good = try world().records
        func damaged(_ name: String, _ change: (inout NodeRecord) -> Void) throws -> [Record] {
            try good.map { record in
                guard record.key.kind == .node, let body = record.body else { return record }
                var node = try NodeRecord(body)
                guard node.name == name else { return record }
                change(&node)
                return Record(record.key, node.encoded())
            }
        }
        func refuses(_ records: [Record], _ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
            let error = #expect(throws: RecordFailure.self, sourceLocation: sourceLocation) {
                try Record.check(records)
            }
            #expect(error?.message.contains(text) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
            live(records)
        }
        let end = "is at its end"
        refuses(try damaged("pay") { $0.flow?.birth = .max }, end)
        refuses(try damaged("pay") { $0.flow?.emptiedBy?.origin = .max }, end)
        refuses(
            try damaged("main") {
                $0.flow?.pauses[""] = Pause(
                    failures: .max, since: Instant(microseconds: 0), isCut: false, fault: Fault("", ""), origin: 0)
            }, end)
        refuses(try damaged("tabs") { $0.kept.raised = .max }, end)
        // A step would be sent to a screen.
        let home = try good.filter { $0.key.kind == .node }.first {
            try NodeRecord(#require($0.body)).name == "home"
        }
        let alone = try #require(home)
        var record = try NodeRecord(#require(alone.body))
        record.parent = 0
        record.kept.raised = 0
        refuses([Record(alone.key, record.encoded())], "is a screen, and has no flow")
        let places = try good.filter { $0.key.kind == .node }.map { ($0.key.number, try NodeRecord(#require($0.body))) }
        let pay = try #require(places.first { $0.1.name == "pay" })
        refuses(try damaged("tabs") { $0.kept.raised = pay.0 }, "presentable")
        // Under another id the same instance would be at two places.
        var twin = pay.1
        twin.kept.id = "twin"
        refuses(good + [Record(RecordKey(.node, pay.0), twin.encoded())], "several records")
        refuses(good + [Record(RecordKey(.origin, 1 << 55), OriginRecord().encoded())], end)
    }

    @Test func `D-6 S-14 only a child of a flow is selected in it`() throws {
        let world = try world()
        let page = try world.forestNode("/main/pay").instance
        let records = try world.records.map { record in
            guard record.key.kind == .node, let body = record.body else { return record }
            var node = try NodeRecord(body)
            if node.name == "tabs" { node.flow?.selected.append(NodeID(slot: NodeSlot(0), instance: page)) }
            return Record(record.key, node.encoded())
        }
        var coordinator = Coordinator(definitions: builder().definitions, basePath: "")
        _ = coordinator.handle(.restored(records, onSameBus: true), at: Instant(microseconds: 1))
        let tabs = coordinator.node(at: "/main/tabs")
        let current = coordinator.forest.currentPath(of: try #require(tabs).slot)
        #expect(current == "/main/tabs/home_2")
    }
}
