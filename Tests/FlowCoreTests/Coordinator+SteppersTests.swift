import Testing

@testable import FlowCore

@Suite("Flow coordinator: steppers")
struct CoordinatorSteppersTests {
    private static let lid = DefinitionsBuilder.Stepper(
        property: "LidClosed", step: "lid", with: [.init("closed", .value)], absent: [Argument("closed", .bool(false))])
    private static let lock = DefinitionsBuilder.Stepper(
        signal: "Lock", step: "locked", with: [.init("why", .argument(1)), .init("by", .literal(.string("x")))])

    private func builder(_ steppers: [DefinitionsBuilder.Stepper] = [lid, lock]) -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.step("lid", ["closed": "bool"])
        builder.step("locked", ["why": "string?", "by": "string"])
        builder.flow(
            "device", initial: "start",
            on: ["start": [], "lid": [], "locked": [.screen("lock")], "home": [.flow("device")]])
        builder.flow("other", on: ["start": []])
        builder.steppers = steppers
        return builder
    }

    private func changed(_ world: World, to value: StepperValue, _ stepper: Int = 0) -> [String] {
        world.handle(.stepperChanged(StepperID(stepper), value))
    }

    private func signalled(_ world: World, _ values: [Value], _ stepper: Int = 1) -> [String] {
        world.handle(.stepperSignalled(StepperID(stepper), values))
    }

    @Test func `S-42 a property emits on each live root of its flow, when it changes`() throws {
        let world = try World(root: "device", builder())
        try world.coordinate("device")
        try world.coordinate("other")
        try world.emit("home", on: "/device")
        #expect(
            changed(world, to: .value(.bool(true))) == [
                "did 5 after 0 by com.example.Vehicle: /device lid {closed=true} []",
                "did 6 after 0 by com.example.Vehicle: /device_2 lid {closed=true} []",
            ])
        world.now += Limits.stepperPause
        #expect(changed(world, to: .value(.bool(true))) == [])
        world.now += Limits.stepperPause
        #expect(
            changed(world, to: .absent).first == "did 7 after 0 by com.example.Vehicle: /device lid {closed=false} []")
        // Nothing counts for the service, and nobody watches it.
        #expect(world.watched.contains("com.example.Vehicle") == false)
    }

    @Test func `S-42 a property emits when the flow begins, after its initial step`() throws {
        let world = World(builder())
        #expect(changed(world, to: .value(.bool(true))) == [])
        try world.coordinate("device")
        #expect(world.navigations == ["/device start", "/device lid"])
    }

    @Test func `S-42 a property emits at most 10 times a second, and then its newest value`() throws {
        let world = try World(root: "device", builder())
        #expect(changed(world, to: .value(.bool(true))).count == 1)
        world.now = 60_000
        #expect(changed(world, to: .value(.bool(false))) == ["timer 100000"])
        #expect(changed(world, to: .value(.bool(true))) == [])
        #expect(changed(world, to: .absent) == [])
        #expect(world.wait(39_999).contains { $0.hasPrefix("did") } == false)
        #expect(world.wait(1).contains("did 3 after 0 by com.example.Vehicle: /device lid {closed=false} []"))
        // The same value as before needs no step.
        world.now += 1
        _ = changed(world, to: .value(.bool(true)))
        _ = changed(world, to: .absent)
        #expect(world.wait(Limits.stepperPause).contains { $0.hasPrefix("did") } == false)
    }

    @Test func `S-42 each signal is a step, and an argument that it does not have is left out`() throws {
        let world = try World(root: "device", builder())
        #expect(
            signalled(world, [.byte(1), .string("lid")]).last
                == "did 2 after 0 by com.example.Vehicle: /device locked {why=lid, by=x} [screen lock /device/lock]")
        #expect(signalled(world, []).last?.contains("locked {by=x}") == true)
    }

    @Test func `S-42 what does not fit is reported with InvalidArguments`() throws {
        let world = try World(root: "device", builder())
        #expect(
            changed(world, to: .value(.string("yes")))
                == ["failed after 0 by com.example.Vehicle: /device lid InvalidArguments"])
        #expect(
            signalled(world, [.byte(1), .byte(2)])
                == ["failed after 0 by com.example.Vehicle: /device locked InvalidArguments"])
        let error = FlowError(.limitExceeded, "too large")
        #expect(
            world.handle(.stepperFailed(StepperID(1), error))
                == ["failed after 0 by com.example.Vehicle: /device locked LimitExceeded"])
    }

    @Test func `S-42 steps of steppers skip the gate, and do not reach the flow`() throws {
        var builder = builder()
        builder.flow(
            "device", idle: (1_000_000, "start"), idleWhenHidden: .ignore, on: ["start": [], "lid": [], "locked": []])
        let world = try World(root: "device", builder)
        try world.hide("/device")
        world.now = 500_000
        #expect(changed(world, to: .value(.bool(true))).count == 1)
        #expect(signalled(world, []).count == 1)
        #expect(world.wait(500_000).contains { $0.hasPrefix("failed after 0 by : /device start hidden") })
    }

    // MARK: First values

    /// A device with a home screen, which a lid that is closed covers, and another root.
    private func covered(guarded: Bool = false) -> World {
        var builder = builder([Self.lid, Self.lock])
        for name in ["home", "cover", "clock"] { builder.screen(name, presenter: "com.\(name)") }
        builder.flow(
            "device", initial: "start", children: .stack,
            on: [
                "start": [.screen("home")], "locked": [],
                "lid": .first([
                    DefinitionsBuilder.Branch(when: [.argument("closed", .bool(true))], parts: [.screen("cover")]),
                    DefinitionsBuilder.Branch(parts: []),
                ]),
            ])
        builder.flow("other", initial: "start", on: ["start": [.screen("clock")]])
        builder.autostart = [.init(flow: "device"), .init(flow: "other")]
        if guarded { builder.ask(about: "device", guarded: (by: "com.guard", steps: ["lid"]), navigated: nil) }
        return World(builder)
    }

    private func presented(_ lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix("present ") }.map { String($0.split(separator: " ")[3]) }
    }

    @Test func `S-49 no presenter is called before the first values have led where they lead`() throws {
        let world = covered()
        // A root without properties waits for nothing.
        #expect(presented(world.handle(.started)) == ["/other/clock"])
        #expect(presented(changed(world, to: .value(.bool(true)))) == ["/device/cover"])
        // Once.
        #expect(presented(world.wait(Limits.firstValueTime)) == [])
        // Another root begins with what is known.
        #expect(presented(try world.coordinate("device")) == ["/device_2/cover"])
    }

    @Test(arguments: [GuardAnswer.rejected, .timedOut, nil])
    func `S-49 no presenter is called while a guard is asked about a first value`(answer: GuardAnswer?) throws {
        let world = covered(guarded: true)
        world.handle(.started)
        #expect(presented(changed(world, to: .value(.bool(true)))) == [])
        let lines =
            if let answer { world.answer(2, answer) } else { try world.adapt(2, to: "lid", ["closed": .bool(true)]) }
        #expect(presented(lines) == [answer == nil ? "/device/cover" : "/device/home"])
        // The next value finds the presenters called.
        world.now += Limits.stepperPause
        #expect(presented(changed(world, to: .value(.bool(false)))) == [])
    }

    @Test func `S-49 who does not answer in time is absent, and what comes later counts`() throws {
        let world = covered()
        world.handle(.started)
        #expect(presented(world.wait(Limits.firstValueTime - 1)) == [])
        let lines = world.wait(1)
        #expect(presented(lines) == ["/device/home"])
        #expect(lines.contains("did 3 after 0 by com.example.Vehicle: /device lid {closed=false} []"))
        world.now += Limits.stepperPause
        #expect(presented(changed(world, to: .value(.bool(true)))) == ["/device/cover"])
    }

    @Test func `S-49 D-3 a restart waits, too, and asks for what is in sight then`() throws {
        let world = covered()
        world.handle(.started)
        #expect(presented(changed(world, to: .value(.bool(false)))) == ["/device/home"])
        #expect(presented(world.restart()) == ["/other/clock"])
        #expect(presented(changed(world, to: .value(.bool(true)))) == ["/device/cover"])
        world.own("com.cover", ":1.8")
        try world.dismiss("/device/cover", by: ":1.8")
        #expect(presented(world.effects.map(\.line)) == ["/device/home"])
    }

    @Test func `S-42 emitters do not limit steppers`() throws {
        var builder = builder()
        builder.flow("device", emitters: ["com.example.Ui"], on: ["lid": [], "locked": []])
        builder.autostart = [.init(flow: "device")]
        let world = World(builder)
        world.handle(.started)
        #expect(changed(world, to: .value(.bool(true))).count == 1)
    }

    @Test func `S-42 of the steps of a property that wait only the newest stays, at its own place`() throws {
        var builder = builder()
        builder.flow("device", guarded: ("com.auth", []), on: ["lid": [], "locked": [], "go": []])
        let world = try World(root: "device", builder)
        try world.emit("go", on: "/device")
        let usage = world.coordinator.machine.accounting.total
        _ = changed(world, to: .value(.bool(true)))
        _ = signalled(world, [.byte(0), .string("first")])
        world.now += Limits.stepperPause
        _ = changed(world, to: .absent)
        _ = signalled(world, [.byte(0), .string("second")])
        #expect(world.coordinator.machine.accounting.total.steps == usage.steps + 3)
        #expect(world.effects == [])
        world.restart()
        #expect(world.effects.map(\.line) == ["guard? com.auth #1: /device go", "timer 1100000"])
        var asked: [String] = []
        while case .askGuard(let question)? = world.effects.last(where: {
            if case .askGuard = $0 { true } else { false }
        }) {
            asked.append("\(question.step) \(question.arguments.map(\.value.description))")
            world.answer(question.id.number, .rejected)
        }
        #expect(asked == ["go []", "locked [\"first\", \"x\"]", "lid [\"false\"]", "locked [\"second\", \"x\"]"])
        #expect(world.coordinator.machine.accounting.total.steps == 0)
    }

    @Test func `S-33 S-42 signals have a share of the steps that may wait; one beyond is dropped and reported`() throws
    {
        var builder = builder()
        builder.flow("device", guarded: ("com.auth", []), on: ["lid": [], "locked": [], "go": []])
        let world = try World(root: "device", builder)
        for _ in 0..<Limits.waitingSignalsPerFlow { _ = signalled(world, []) }
        #expect(
            signalled(world, []) == ["failed after 0 by com.example.Vehicle: /device locked LimitExceeded"])
        #expect(world.failures.first?.message.contains("may have 256") == true)
        // Clients and properties have the rest.
        #expect(changed(world, to: .value(.bool(true))) == [])
        for _ in 0..<Limits.waitingStepsPerFlowAndClient {
            #expect(try world.emit("go", on: "/device").allSatisfy { !$0.hasPrefix("!") })
        }
        // When some were taken, there is room again.
        for question in 1...2 as ClosedRange<UInt64> { world.answer(question, GuardAnswer.rejected) }
        #expect(signalled(world, []) == [])
    }

    @Test func `S-42 a root has not got a value whose step was refused`() throws {
        var builder = builder()
        let world = try World(root: "device", builder)
        #expect(changed(world, to: .value(.bool(true))).count == 1)
        world.now += Limits.stepperPause
        #expect(changed(world, to: .value(.string("no"))).first?.contains("InvalidArguments") == true)
        world.now += Limits.stepperPause
        #expect(changed(world, to: .value(.bool(true))) == [])

        // Where it had to wait and could not, the root gets it after a restart.
        builder.flow("device", guarded: ("com.auth", ["go", "lid"]), on: ["lid": [], "locked": [], "go": []])
        let full = try World(root: "device", builder)
        for client in [":1.1", ":1.2"] {
            for _ in 0..<Limits.waitingStepsPerFlowAndClient { try full.emit("go", on: "/device", by: client) }
        }
        #expect(changed(full, to: .value(.bool(true))).first?.contains("lid LimitExceeded") == true)
        full.restart()
        full.answer(1, GuardAnswer.rejected)
        #expect(changed(full, to: .value(.bool(true))) == [])
        #expect(full.records.contains { $0.key.kind == .stepper })
    }

    @Test func `S-42 a restart and a reload emit only what differs`() throws {
        let world = try World(root: "device", builder())
        _ = changed(world, to: .value(.bool(true)))
        for onSameBus in [true, false] {
            world.restart(onSameBus: onSameBus)
            #expect(changed(world, to: .value(.bool(true))) == [])
        }
        world.reload(builder([Self.lock, Self.lid]))
        #expect(changed(world, to: .value(.bool(true)), 1) == [])
        world.now += Limits.stepperPause
        #expect(changed(world, to: .absent, 1).count == 1)
        // Another stepper for the same property is new.
        var other = Self.lid
        other.flow = "other"
        world.reload(builder([other]))
        #expect(world.records.contains { $0.key.kind == .stepper } == false)
        other.flow = "device"
        other.absent = nil
        world.reload(builder([other]))
        #expect(changed(world, to: .value(.bool(false))).count == 1)
    }

    @Test func `S-42 without arguments for it a property that is absent emits nothing, but when it comes back`() throws
    {
        var lid = Self.lid
        lid.absent = nil
        let world = try World(root: "device", builder([lid]))
        #expect(changed(world, to: .absent) == [])
        world.now += Limits.stepperPause
        #expect(changed(world, to: .value(.bool(true))).count == 1)
        world.now += Limits.stepperPause
        #expect(changed(world, to: .absent) == [])
        world.restart()
        #expect(changed(world, to: .value(.bool(true))).count == 1)
    }

    @Test func `S-42 an alarm survives a reload`() throws {
        let world = try World(root: "device", builder())
        _ = changed(world, to: .value(.bool(true)))
        _ = changed(world, to: .absent)
        world.reload(builder([Self.lock, Self.lid]))
        #expect(world.wait(Limits.stepperPause).contains { $0.contains("lid {closed=false}") })
    }

    @Test func `S-42 the value of a private step is in no record on a disk`() throws {
        var builder = builder()
        builder.step("lid", ["closed": "bool"], isPrivate: true)
        let world = try World(root: "device", builder)
        _ = changed(world, to: .value(.bool(true)))
        #expect(world.effects.map(\.line) == ["did 2 after 0 by com.example.Vehicle: /device lid []"])
        let record = try #require(world.records.first { $0.key.kind == .stepper })
        #expect(record.withoutPrivateArguments.body == nil)
    }

    @Test func `S-42 records of a root go with it`() throws {
        let world = try World(root: "device", builder())
        _ = changed(world, to: .value(.bool(true)))
        #expect(world.records.contains { $0.key.kind == .stepper })
        try world.dismiss("/device")
        #expect(!world.records.contains { $0.key.kind == .stepper })
    }

    @Test func `S-42 without records, roots that are gone leave nothing`() throws {
        let definitions = builder().definitions
        var coordinator = Coordinator(definitions: definitions, basePath: "", isRecorded: false)
        let flow = try #require(definitions.flow(named: "device"))
        let client = Client(":1.1")
        let now = Instant(microseconds: 0)
        _ = coordinator.handle(.flowRequested(RequestID(1), FlowRequest(flow, by: client)), at: now)
        _ = coordinator.handle(.stepperChanged(StepperID(0), .value(.bool(true))), at: now)
        #expect(coordinator.steppers.book.isDirty)
        let root = coordinator.node(at: "/device")
        let node = try #require(root)
        _ = coordinator.handle(.presentableDismissed(RequestID(2), node, by: client), at: now)
        #expect(coordinator.node(at: "/device") == nil)
        #expect(!coordinator.steppers.book.isDirty && !coordinator.allRecords.contains { $0.key.kind == .stepper })
    }

    @Test func `S-42 what a stepper creates counts for nobody, and stays on another bus`() throws {
        let world = try World(root: "device", builder())
        _ = signalled(world, [])
        #expect(world.coordinator.machine.accounting.clients[Client("com.example.Vehicle")] == nil)
        world.restart(onSameBus: false)
        #expect(try world.forestNode("/device/lock").client == Client("com.example.Vehicle"))
    }

    @Test func `steppers have names, and numbers if others have the same`() {
        let definitions = builder([Self.lid, Self.lock, Self.lid]).definitions
        let names = (0..<3).map { definitions.name(of: StepperID($0)) }
        #expect(names[0] == "com.example.Vehicle1.LidClosed for device")
        #expect(names[2] == "com.example.Vehicle1.LidClosed for device (2)")
        #expect(names.map { definitions.stepper(named: $0)?.index } == [0, 1, 2])
    }
}
