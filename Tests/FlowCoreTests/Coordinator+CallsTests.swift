import Testing

@testable import FlowCore

@Suite("Flow coordinator: calls that are answered later")
struct CallsTests {
    /// A flow whose guard is asked about `gate` and `locked`, with a child flow that has a guard, too.
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", onBack: "gate", guarded: ("com.auth", ["gate", "locked"]),
            on: [
                "open": [.screen("a"), .flow("sub")], "gate": [.current("next")], "next": [], "locked": [], "go": [],
                "bad": [.screen("a", .init(id: "1"))],
            ])
        builder.flow("sub", guarded: ("com.sub", ["gate"]), on: ["gate": [.parent("gate")], "go": []])
        builder.step("strange")
        return builder
    }

    private func makeWorld() throws -> World {
        let world = try World(root: "main", builder())
        try world.emit("open", on: "/main")
        try world.show("/main/a")
        return world
    }

    // MARK: When

    @Test func `S-9 S-7 each call is answered once, in order, when its cascade is done`() throws {
        let world = try makeWorld()
        try world.emit("gate", on: "/main", by: ":1.4")
        try world.emit("go", on: "/main", by: ":1.5")
        try world.emit("strange", on: "/main/a", by: ":1.6")
        try world.emit("bad", on: "/main", by: ":1.7")
        #expect(world.coordinator.calls.count == 4)
        #expect(
            try world.adapt(1, to: "gate") == [
                "did 2 after 0 by :1.4: /main gate [current next /main]", "did 3 after 2 by :1.4: /main next []",
                "= navigated 2", "did 4 after 0 by :1.5: /main go []", "= navigated 4", "= unhandled 0",
                "! InvalidName",
            ])
        #expect(world.answers == ["4 = navigated 2", "5 = navigated 4", "6 = unhandled 0", "7 ! InvalidName"])
        #expect(world.waiting == [])
        #expect(world.wait(Limits.replyTimeout) == [])
    }

    @Test func `S-9 the answer is sent when its cascade waits, and later results do not change it`() throws {
        let world = try makeWorld()
        try world.emit("gate", on: "/main/sub")
        #expect(
            try world.adapt(1, to: "gate") == [
                "did 2 after 0 by :1.1: /main/sub gate [parent gate /main]", "guard? com.auth #2: /main gate",
                "= navigated 2",
            ])
        #expect(world.answer(2, GuardAnswer.rejected) == ["failed after 2 by :1.1: /main gate rejected"])
        #expect(world.waiting == [])
    }

    @Test func `S-9 S-22 one event answers many calls, each once and in their order`() throws {
        let world = try makeWorld()
        for number in 2...5 { try world.emit(number == 4 ? "go" : "gate", on: "/main/sub", by: ":1.\(number)") }
        try world.emitAll(["go"], on: "/main/sub", by: ":1.6")
        try world.back("/main", by: ":1.7")
        #expect(
            try world.dismiss("/main") == [
                "- /main/sub", "- /main/a", "- /main", "drop #1", "drop #2", "! FlowEnded", "! FlowEnded",
                "! FlowEnded", "! FlowEnded",
                "! FlowEnded", "= [FlowEnded]", "= done",
            ])
        #expect(Set(world.answers.compactMap { $0.split(separator: " ").first }).count == 7)
        #expect(world.waiting == [])
    }

    // MARK: Pending

    @Test func `S-9 undecided after 15 s the verdict is pending, and the emitter gets the outcome once`() throws {
        let world = try makeWorld()
        world.now = 1_000
        #expect(
            try world.emit("gate", on: "/main/a", by: ":1.4", token: "t")
                == ["guard? com.auth #1: /main gate", "timer 15001000"])
        #expect(world.wait(Limits.replyTimeout - 1) == ["timer 15001000"])
        #expect(world.wait(1) == ["= pending 0"])
        #expect(world.answers == ["4 = pending 0"])
        #expect(world.wait(Limits.replyTimeout) == [])
        try world.dismiss("/main/a")
        #expect(
            try world.adapt(1, to: "gate") == [
                "did 2 after 0 by :1.4: /main gate [current next /main]", "concluded /main/a for :1.4 t: navigated 2",
                "did 3 after 2 by :1.4: /main next []",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-9 a repeated call with a token waits for the first outcome, also if the screen is gone`() throws {
        let world = try makeWorld()
        let again = { (client: String) in
            world.handle(.emissionRepeated(world.nextRequest(), token: "t", by: Client(client)))
        }
        try world.emit("gate", on: "/main/a", by: ":1.4", token: "t")
        try world.dismiss("/main/a")
        let isKnown = { (client: String) in
            world.coordinator.remembersEmission("t", by: Client(client), at: Instant(microseconds: world.now))
        }
        #expect(isKnown(":1.4"))
        #expect(!isKnown(":1.5"))
        #expect(again(":1.4") == [])
        #expect(
            try world.adapt(1, to: "gate").filter { $0.hasPrefix("=") } == ["= navigated 2", "= navigated 2"])
        #expect(again(":1.4") == ["= navigated 2"])
        // A shell that did not ask first.
        #expect(again(":1.5") == ["! PresentableDismissed"])
        #expect(!isKnown(":1.5"))
        world.wait(Limits.tokenLifetime)
        #expect(!isKnown(":1.4"))
        #expect(world.waiting == [])
    }

    private static let ends: [(GuardAnswer, String)] = [
        (.rejected, "rejected"), (.timedOut, "GuardTimeout"), (.failed("x"), "GuardFailed"),
    ]

    @Test(arguments: ends.indices)
    func `S-9 S-12 other outcomes are concluded, and not broadcast`(index: Int) throws {
        let (answer, text) = Self.ends[index]
        let world = try makeWorld()
        try world.emit("gate", on: "/main")
        world.wait(Limits.replyTimeout)
        #expect(world.answer(1, answer) == ["concluded /main for :1.1: \(text)"])
        #expect(world.waiting == [])
        try world.emit("gate", on: "/main")
        world.wait(Limits.replyTimeout)
        #expect(try world.dismiss("/main").suffix(2) == ["concluded /main for :1.1: FlowEnded", "= done"])
        #expect(world.waiting == [])
    }

    @Test func `S-9 a caller that does not wait gets pending immediately, or the verdict if there is one`() throws {
        let world = try makeWorld()
        let hurried = EmissionOptions(waits: false)
        #expect(
            try world.emit("gate", on: "/main", options: hurried) == ["guard? com.auth #1: /main gate", "= pending 0"])
        #expect(try world.emit("go", on: "/main", options: hurried) == ["= pending 0"])
        #expect(try world.emit("go", on: "/main/sub", options: hurried).last == "= navigated 2")
        #expect(try world.emit("strange", on: "/main/sub", options: hurried) == ["= unhandled 0"])
        #expect(
            world.answer(1, GuardAnswer.rejected) == [
                "concluded /main for :1.1: rejected", "did 3 after 0 by :1.1: /main go []",
                "concluded /main for :1.1: navigated 3",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-9 S-24 Back with a guarded step waits like one, and is concluded like one`() throws {
        let world = try makeWorld()
        #expect(try world.back("/main/sub", by: ":1.4") == ["= unhandled 0"])
        #expect(try world.back("/main", by: ":1.4") == ["guard? com.auth #1: /main gate", "timer 15000000"])
        try world.back("/main", by: ":1.5")
        #expect(
            try world.adapt(1, to: "gate").filter { $0.hasPrefix("=") || $0.hasPrefix("guard?") }
                == ["= navigated 2", "guard? com.auth #2: /main gate"])
        #expect(world.wait(Limits.replyTimeout) == ["= pending 0"])
        #expect(world.answer(2, GuardAnswer.rejected) == ["concluded /main for :1.5: rejected"])
        #expect(world.waiting == [])
    }

    @Test(arguments: [false, true])
    func `S-9 S-25 StepConcluded comes from the path that was called, also after a restart`(
        isRestarted: Bool
    ) throws {
        func concluded(_ call: (World) throws -> Void) throws -> [String] {
            let world = try makeWorld()
            try world.emit("go", on: "/main/sub")
            try call(world)
            if isRestarted { world.restart() } else { world.wait(Limits.replyTimeout) }
            let question = try #require(world.coordinator.questions.open.keys.first)
            return world.answer(question.number, GuardAnswer.rejected).filter { $0.hasPrefix("concluded") }
        }
        let (page, other) = ("/instance/2", ":1.4")
        #expect(
            try concluded {
                try $0.emit("gate", on: "/main/a", by: other, options: EmissionOptions(token: "t", calledAt: page))
            } == ["concluded /instance/2 for :1.4 t: rejected"])
        #expect(
            try concluded { try $0.emit("gate", on: "/main/a", by: other, options: EmissionOptions(token: "t")) }
                == ["concluded /main/a for :1.4 t: rejected"])
        // The screen is gone by then.
        #expect(
            try concluded {
                try $0.emit("gate", on: "/main/a", by: other, options: EmissionOptions(calledAt: page))
                try $0.dismiss("/main/a")
            } == ["concluded /instance/2 for :1.4: rejected"])
        #expect(
            try concluded {
                let gate = EmittedStep.step(try $0.id(ofStep: "gate"), [])
                $0.handle(
                    .stepsEmitted(
                        $0.nextRequest(), on: try $0.node("/main/a"), [gate], by: Client(other), calledAt: page))
            } == ["concluded /instance/2 for :1.4: rejected"])
        #expect(
            try concluded {
                $0.handle(
                    .backPressed(
                        $0.nextRequest(), on: try $0.node("/main"), by: Client(other),
                        options: BackOptions(calledAt: "/instance/1")))
            } == ["concluded /instance/1 for :1.4: rejected"])
    }

    @Test(arguments: [false, true])
    func `S-9 S-24 the step of a Back that a flow further down takes is concluded where Back was called`(
        isRestarted: Bool
    ) throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", children: .stack, on: ["open": [.flow("sub")]])
        builder.flow("sub", onBack: "gate", guarded: ("com.auth", ["gate"]), on: ["gate": []])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        #expect(try world.back("/main", by: ":1.4").first == "guard? com.auth #1: /main/sub gate")
        if isRestarted { world.restart() } else { world.wait(Limits.replyTimeout) }
        let question = try #require(world.coordinator.questions.open.keys.first)
        #expect(world.answer(question.number, GuardAnswer.rejected) == ["concluded /main for :1.4: rejected"])
    }

    // MARK: Lists

    @Test func `S-9 S-7 EmitSteps waits with each step, and continues when its cascade is done`() throws {
        let world = try makeWorld()
        #expect(
            try world.emitAll(["go", "gate", "strange", "locked", "go"], on: "/main") == [
                "did 2 after 0 by :1.1: /main go []", "guard? com.auth #1: /main gate", "timer 15000000",
            ])
        // Steps of others go before the rest of the list.
        try world.emit("go", on: "/main", by: ":1.5")
        #expect(
            try world.adapt(1, to: "gate") == [
                "did 3 after 0 by :1.1: /main gate [current next /main]", "did 4 after 3 by :1.1: /main next []",
                "did 5 after 0 by :1.5: /main go []", "= navigated 5", "guard? com.auth #2: /main locked",
            ])
        #expect(
            world.answer(2, GuardAnswer.rejected) == [
                "did 6 after 0 by :1.1: /main go []",
                "= [navigated 2, navigated 3, unhandled, rejected, navigated 6]",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-9 EmitSteps is answered after 15 s, and undecided steps are concluded one by one`() throws {
        let world = try makeWorld()
        try world.emitAll(["go", "gate", "nonsense", "locked", "go"], on: "/main/a")
        #expect(world.wait(Limits.replyTimeout) == ["= [navigated 2, pending, pending, pending, pending]"])
        #expect(
            world.answer(1, GuardAnswer.timedOut) == [
                "concluded /main/a for :1.1: GuardTimeout", "concluded /main/a for :1.1: UnknownStep",
                "guard? com.auth #2: /main locked",
            ])
        #expect(world.wait(Limits.replyTimeout) == [])
        #expect(
            try world.adapt(2, to: "locked") == [
                "did 3 after 0 by :1.1: /main locked []", "concluded /main/a for :1.1: navigated 3",
                "did 4 after 0 by :1.1: /main go []", "concluded /main/a for :1.1: navigated 4",
            ])
        #expect(world.waiting == [])
    }

    @Test func `S-9 S-22 EmitSteps: the rest is refused when its presentable is removed`() throws {
        let world = try makeWorld()
        try world.emitAll(["gate", "go"], on: "/main/a")
        try world.dismiss("/main/a")
        try world.adapt(1, to: "gate")
        #expect(world.lines.last == "= [navigated 2, PresentableDismissed]")
        try world.emitAll(["gate", "go"], on: "/main/sub")
        #expect(try world.dismiss("/main/sub").suffix(2) == ["= [FlowEnded, PresentableDismissed]", "= done"])
        #expect(world.waiting == [])
    }

    // MARK: Activation tokens

    @Test func `S-9 an activation token waits with its step for the screen, and is removed with the cascade`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.screen("a", presenter: "com.shop")
        builder.flow("main", guarded: ("com.auth", ["gate"]), on: ["gate": [.screen("a"), .screen("a")], "go": []])
        let world = try World(root: "main", builder)
        let options = EmissionOptions(activationToken: "x11")
        try world.emit("gate", on: "/main", options: options)
        try world.emit("go", on: "/main")
        let log = try world.adapt(1, to: "gate")
        #expect(
            log.filter { $0.hasPrefix("present") }
                == ["present com.shop #2: /main/a", "present com.shop #3: /main/a_2 token=x11"])
        #expect(world.coordinator.activationTokens.isEmpty)
        for answer in [GuardAnswer.rejected, .step(try world.id(ofStep: "go"), [])] {
            try world.emit("gate", on: "/main", options: options)
            #expect(world.coordinator.activationTokens.count == 1)
            let question = try #require(world.questions.first)
            world.answer(question.id.number, answer)
            #expect(world.coordinator.activationTokens.isEmpty)
        }
        #expect(try world.emit("go", on: "/main", options: options).last?.hasPrefix("= navigated") == true)
        #expect(world.coordinator.activationTokens.isEmpty)
    }
}
