import Testing

@testable import FlowCore

@Suite("Restore: steps that wait")
struct RestoreStepsTests {
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["item": "int64?"])
        builder.screen("page", ["item": "int64?"])
        builder.flow(
            "main", guarded: ("com.auth", ["pick"]),
            on: [
                "pick": [.screen("page")], "go": [.flow("far", .init(step: "fetch"))], "twice": [.current("pick", [])],
            ])
        builder.flow("far", guarded: ("com.auth", []), navigated: ("com.far", ["fetch"]))
        return builder
    }

    private func dids(_ reported: [String]) -> [String] {
        reported.filter { $0.hasPrefix("did") || $0.hasPrefix("concluded") }
    }

    // MARK: Guards and navigators

    @Test func `D-4 a guard is asked again, the step is navigated once, and its emitter gets the outcome`() throws {
        let world = try World(root: "main", builder())
        try world.emit("pick", ["item": .int64(4)], on: "/main", by: ":1.4")
        #expect(world.restart() == ["guard? com.auth #1: /main pick {item=4}"])
        // The call failed at its caller, when the process died: there is nothing to answer.
        let reported = try world.adapt(1, to: "pick", ["item": .int64(4)])
        #expect(
            reported == [
                "+ /main/page {item=4}",
                "did 4097 after 0 by :1.4: /main pick {item=4} [screen page /main/page {item=4}]",
                "concluded /main for :1.4: navigated 4097",
            ])
        #expect(world.waiting == [])
        #expect(world.restart() == [])
        #expect(world.paths == ["/main", "/main/page"])
    }

    @Test func `D-4 S-5 a step that has passed its guard is not adapted again: its navigator is asked`() throws {
        let world = try World(root: "main", builder())
        try world.emit("go", on: "/main")
        try world.adapt(1, to: "fetch")
        #expect(world.restart() == ["navigator? com.far #1: /main/far fetch"])
        #expect(
            dids(world.navigate(1, to: [.screen("page")])) == [
                "did 4097 after 1 by :1.1: /main/far fetch [screen page /main/far/page]"
            ])
    }

    @Test func `D-3 S-6 steps that wait behind others keep their order, in their own flow and in their origin`() throws
    {
        let world = try World(root: "main", builder())
        try world.emit("pick", ["item": .int64(1)], on: "/main", by: ":1.1")
        try world.emit("twice", on: "/main", by: ":1.2")
        try world.emit("pick", ["item": .int64(3)], on: "/main", by: ":1.3")
        #expect(world.restart() == ["guard? com.auth #1: /main pick {item=1}"])
        var order: [String] = []
        for question in 1...3 as ClosedRange<UInt64> {
            order += dids(try world.adapt(question, to: "pick")).filter {
                $0.hasPrefix("concluded") || $0.contains("twice")
            }
        }
        #expect(
            order == [
                "concluded /main for :1.1: navigated 4097",
                "did 4098 after 0 by :1.2: /main twice [current pick /main]",
                "concluded /main for :1.2: navigated 4098",
                "concluded /main for :1.3: navigated 4100",
            ])
    }

    @Test func `D-5 without its guard, a waiting step is taken by the current rules`() throws {
        let world = try World(root: "main", builder())
        try world.emit("pick", on: "/main", by: ":1.4")
        var other = DefinitionsBuilder()
        other.step("pick", ["item": "int64?"])
        other.flow("main", on: ["pick": [.screen("page")]])
        #expect(dids(world.restart(other)).last == "concluded /main for :1.4: navigated 4097")
        #expect(world.paths == ["/main", "/main/page"])
    }

    @Test
    func `S-32 D-3 a different navigator process after the restart does not know its flows: they are dismissed`()
        throws
    {
        var builder = builder()
        builder.flow("main", on: ["go": [.flow("far")]])
        let world = try World(root: "main", builder)
        world.own("com.far", ":1.5")
        try world.emit("go", on: "/main")
        world.restart(owners: ["com.far": ":1.5"])
        #expect(world.paths == ["/main", "/main/far"])
        #expect(world.restart(owners: ["com.far": ":1.9"]) == ["- /main/far"])
        world.own("com.far", ":1.9")
        try world.emit("go", on: "/main")
        #expect(world.restart() == ["- /main/far"])
    }

    // MARK: Calls

    @Test func `D-4 a caller without an answer gets the first outcome by repeating the token`() throws {
        let world = try World(root: "main", builder())
        world.now = 1_000_000
        let first = try world.emit("go", on: "/main", by: ":1.4", token: "t").last
        try world.emit("pick", on: "/main", by: ":1.4", token: "late")
        try world.coordinate("main", id: "other", by: ":1.4", token: "t")
        let paths = world.paths
        world.restart()
        #expect(try world.emit("go", on: "/main", by: ":1.4", token: "t") == [first])
        #expect(try world.coordinate("main", id: "other", by: ":1.4", token: "t") == ["= /other"])
        // One that waits, waits on with its first call.
        #expect(try world.emit("pick", on: "/main", by: ":1.4", token: "late") == [])
        let reported = try world.adapt(2, to: "pick")
        #expect(
            reported.suffix(2) == ["concluded /main for :1.4 late: navigated 4097", "= navigated 4097"], "\(reported)")
        #expect(world.paths.count == paths.count + 1)
        // The time of a token goes on, too.
        world.restart()
        world.now = 1_000_000 + Limits.tokenLifetime
        #expect(try world.emit("go", on: "/main", by: ":1.4", token: "t").contains("+ /main/far_2 (visible presented)"))
    }

    @Test func `D-4 a list goes on after the step that waited, and each is concluded`() throws {
        let world = try World(root: "main", builder())
        try world.emitAll(["twice", "pick", "nonsense", "pick"], on: "/main", by: ":1.4")
        #expect(world.restart() == ["guard? com.auth #1: /main pick"])
        // The steps that the first one triggered wait, and the rest of the list behind them.
        var reported: [String] = []
        for question in 1...3 as ClosedRange<UInt64> {
            reported += try world.adapt(question, to: "pick").filter { $0.hasPrefix("concluded") }
        }
        #expect(
            reported == [
                "concluded /main for :1.4: navigated 4098", "concluded /main for :1.4: UnknownStep",
                "concluded /main for :1.4: navigated 4099",
            ])
        #expect(world.waiting == [])
    }

    @Test func `D-4 a deep link continues at each flow where it waited; of a path only the current step is finished`()
        throws
    {
        let world = try World(root: "main", builder())
        try world.coordinate("main")
        try world.navigate("pick", by: ":1.4")
        try world.navigateAlong([("main", "pick"), ("far", "")], by: ":1.5")
        #expect(
            world.restart() == ["guard? com.auth #1: /main pick", "guard? com.auth #2: /main_2 pick"])
        #expect(
            dids(try world.adapt(1, to: "pick")) == [
                "did 4097 after 0 by :1.4: /main pick [screen page /main/page] deep link",
                "concluded /main for :1.4: navigated 4097",
            ])
        #expect(dids(try world.adapt(2, to: "pick")).contains("concluded /main_2 for :1.4: navigated 4098"))
        #expect(dids(try world.adapt(3, to: "pick")).contains("concluded /main_2 for :1.5: navigated 4099"))
        #expect(world.waiting == [])
    }

    @Test func `D-5 a call whose step is no longer declared gets an error`() throws {
        let world = try World(root: "main", builder())
        try world.emit("pick", on: "/main", by: ":1.4", token: "t")
        try world.navigate("pick", by: ":1.5")
        var other = DefinitionsBuilder()
        other.flow("main")
        #expect(
            world.restart(other) == [
                "concluded /main for :1.4 t: UnknownStep", "concluded /main for :1.5: UnknownStep",
            ])
        #expect(world.waiting == [])
        #expect(world.coordinator.calls.isEmpty && world.coordinator.calls.deepLinks.isEmpty)
    }

    @Test func `D-3 on another bus a waiting step has no caller: it is handled like a deferred one`() throws {
        let world = try World(root: "main", builder())
        try world.emit("pick", on: "/main", by: ":1.4")
        #expect(world.restart(onSameBus: false) == ["guard? com.auth #1: /main pick"])
        #expect(dids(try world.adapt(1, to: "pick")) == ["did 4097 after 0 by : /main pick [screen page /main/page]"])
    }

    // MARK: Origins

    @Test func `D-3 S-11 steps that an origin triggered before a restart count after it`() throws {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", guarded: ("com.auth", ["stop"]),
            on: ["go": [.current("stop", [])], "stop": [.current("loop", [])], "loop": [.current("loop", [])]])
        let world = try World(root: "main", builder)
        try world.emit("go", on: "/main")
        world.restart()
        let reported = try world.adapt(1, to: "stop")
        #expect(reported.filter { $0.hasPrefix("did") }.count == Limits.triggeredSteps)
        #expect(reported.last == "failed after 4352 by :1.1: /main loop NavigationLoop", "\(reported.last ?? "")")
        #expect(world.coordinator.origins.isEmpty)
    }

    // MARK: Registered flows

    @Test func `D-1 D-3 registered flows are restored with their clients, and without them if the bus can start those`()
        throws
    {
        let world = World(DefinitionsBuilder())
        world.register("pay", steps: ["buy": ["sum": "int64"]], by: ":1.5", children: .stack, initial: nil)
        world.register("shop", steps: ["go": [:]], by: ":1.6", name: "com.shop", hasGuard: true, isActivatable: true)
        try world.coordinate("pay")
        world.vanish(":1.6")
        let definitions = world.coordinator.definitions
        #expect(world.restart() == [])
        #expect(world.coordinator.definitions == definitions)
        #expect(world.paths == ["/pay"])
        // One that was left behind is for the same program, started again.
        world.own("com.shop", ":1.9")
        #expect(
            world.register("shop", steps: ["go": [:]], by: ":1.9", name: "com.shop").last == "= done")
        #expect(world.vanish(":1.5").contains("- /pay"))

        world.register("lost", steps: ["lost": [:]], by: ":1.7")
        world.vanish(":1.9")
        world.register("shop", steps: ["go": [:]], by: ":1.9", name: "com.shop", isActivatable: true)
        #expect(world.restart(onSameBus: false) == [])
        #expect(world.coordinator.definitions.flows.map(\.name) == ["shop"])
    }

    @Test func `D-5 a registered flow that a file defines by now is the file's`() throws {
        let world = World(DefinitionsBuilder())
        world.register("pay", steps: ["buy": [:]], by: ":1.5")
        try world.coordinate("pay")
        var other = DefinitionsBuilder()
        other.flow("pay", on: ["buy": [.screen("a")]])
        #expect(world.restart(other) == ["unrestored pay flow 'pay' is defined by a file"])
        #expect(try world.emit("buy", on: "/pay").contains("+ /pay/a"))
    }

    // MARK: Damage

    @Test func `D-6 damaged records are refused, or make a valid tree; none does harm`() throws {
        let world = try World(root: "main", builder())
        try world.emit("go", on: "/main", by: ":1.4", token: "t")
        try world.emitAll(["pick", "pick"], on: "/main")
        world.register("pay", steps: ["buy": ["sum": "int64"]], by: ":1.5")
        try world.coordinate("pay")
        let good = world.records.sorted { $0.key < $1.key }
        try Record.check(good)
        var random = Seeded(seed: 5)
        var refused = 0
        for _ in 0..<20_000 {
            var records = good
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let place = records.indices.randomElement(using: &random), var body = records[place].body else {
                    continue
                }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: records.remove(at: place)
                case 1:
                    body.removeLast(Int.random(in: 0...body.count, using: &random))
                    records[place] = Record(records[place].key, body)
                case 2:
                    let key = RecordKey(records[place].key.kind, UInt64.random(in: 0..<40, using: &random))
                    records[place] = Record(key, body)
                default:
                    guard let byte = body.indices.randomElement(using: &random) else { continue }
                    body[byte] = UInt8.random(in: 0...255, using: &random)
                    records[place] = Record(records[place].key, body)
                }
            }
            do throws(RecordFailure) {
                try Record.check(records)
            } catch {
                refused += 1
                #expect(!error.message.isEmpty)
            }
            // Restored all the same, they make a working machine.
            var coordinator = Coordinator(definitions: builder().definitions, basePath: "")
            _ = coordinator.handle(.restored(records, onSameBus: true), at: Instant(microseconds: 1))
            _ = coordinator.handle(.clientVanished(Client(":1.5")), at: Instant(microseconds: 2))
            _ = coordinator.handle(.timerFired, at: Instant(microseconds: 100_000_000))
            _ = coordinator.takeAllRecords()
        }
        #expect(refused > 1_000 && refused < 20_000)
    }

    @Test func `D-6 impossible numbers are refused`() throws {
        let world = try World(root: "main", builder())
        try world.emit("pick", on: "/main", by: ":1.4")
        let good = world.records
        let kept = try #require(good.first { $0.key.kind == .step })
        let step = try StepRecord(#require(kept.body))
        func damaged(_ change: (inout StepRecord) -> Void) -> [Record] {
            var step = step
            change(&step)
            return good.map { $0.key == kept.key ? Record(kept.key, step.encoded()) : $0 }
        }
        let link = Record(
            RecordKey(.step, 4_000),
            {
                var other = step
                (other.purpose, other.index) = (.deepLink, 0)
                return other.encoded()
            }())
        let counters = Record(RecordKey(.counters, 0), CountersRecord(serial: 1 << 55, instance: 1).encoded())
        let instances = Record(RecordKey(.counters, 0), CountersRecord(serial: 1, instance: 1 << 55).encoded())
        for records in [
            damaged { $0.origin = .max }, damaged { $0.request = .max }, good + [counters], good + [instances],
            damaged { ($0.purpose, $0.index) = (.deepLink, .max) } + [link],
        ] {
            #expect(throws: RecordFailure.self) { try Record.check(records) }
            // Restored all the same, they make a working machine.
            var coordinator = Coordinator(definitions: builder().definitions, basePath: "")
            _ = coordinator.handle(.restored(records, onSameBus: true), at: Instant(microseconds: 1))
            #expect(coordinator.latestRequest.number < .max)
            _ = coordinator.machine.origins.next()
            _ = coordinator.takeAllRecords()
        }
        try Record.check(good + [link])
    }
}
