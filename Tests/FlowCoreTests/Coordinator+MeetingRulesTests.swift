import Testing

@testable import FlowCore

/// What happens where two rules meet, and each of them alone would leave it open.
@Suite("Flow coordinator: where rules meet")
struct MeetingRulesTests {
    private func ordered(_ lines: [String]) -> [String] {
        lines.compactMap { line in
            guard line.hasPrefix("did ") else { return nil }
            return line.split(separator: " ").dropFirst(5).prefix(3).joined(separator: " ")
        }
    }

    @Test
    func
        `S-7 a step of a list that waits for its verdict holds up the rest, and later steps of others come before that`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", guarded: ("com.auth", ["gate", "locked"]),
            on: ["open": [.flow("sub")], "gate": [], "locked": [], "first": [], "last": [], "other": []])
        builder.flow("sub", on: ["up": [.parent("locked")], "last": []])
        let world = try World(root: "main", builder)
        try world.emitAll(["first", "gate", "last"], on: "/main")
        try world.emit("other", on: "/main", by: ":1.2")
        #expect(
            ordered(try world.adapt(1, to: "gate")) == [":1.1: /main gate", ":1.2: /main other", ":1.1: /main last"])
        // A forward that waits holds up nothing: it is not the step of the list.
        try world.emit("open", on: "/main")
        let lines = try world.emitAll(["up", "last"], on: "/main/sub")
        #expect(ordered(lines) == [":1.1: /main/sub up", ":1.1: /main/sub last"])
        #expect(lines.last?.hasPrefix("= [navigated") == true)
        #expect(ordered(try world.adapt(2, to: "locked")) == [":1.1: /main locked"])
    }

    @Test func `S-26 S-36 who waits for a flow that goes empty with its initial step gets FlowEnded`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["open": [.flow("sub")]])
        builder.flow("sub", initial: "fill", guarded: ("com.sub", ["fill"]), on: ["fill": [.screen("page")]])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        try world.waitReady("/main/sub")
        let lines = world.answer(1, GuardAnswer.rejected)
        #expect(lines.contains("- /main/sub") && lines.contains("! FlowEnded") && !lines.contains("= done"))
    }

    private func shown(_ children: Children = .stack) throws -> World {
        var builder = DefinitionsBuilder()
        builder.step("open", ["item": "int64?"])
        builder.screen("pad", ["item": "int64?"], presenter: "com.x", result: ["pin": "int64"])
        builder.flow(
            "main", children: children,
            on: [
                "open": [.screen("pad", .init(reuses: true))], "cover": [.screen("plain")], "back": [.pop("pad")],
                "clear": [.screen("plain", .init(clears: true))],
            ])
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        world.presented(1, by: ":1.8")
        try world.show("/main/pad", by: ":1.8")
        return world
    }

    @Test func `S-45 S-31 who finishes a screen gets Withdraw only with its answer to a Present, and not to a return`()
        throws
    {
        let idle = try shown()
        #expect(try idle.finish("/main/pad", ["pin": .int64(1)], by: ":1.8").filter { $0.hasPrefix("withdraw") } == [])
        let asked = try shown()
        #expect(try asked.emit("open", on: "/main").contains { $0.contains("#2") })
        #expect(try asked.finish("/main/pad", ["pin": .int64(1)], by: ":1.8").filter { $0.hasPrefix("withdraw") } == [])
        #expect(asked.presented(2, by: ":1.8") == ["withdraw /main/pad from :1.8: result"])
        let returned = try shown()
        try returned.emit("cover", on: "/main")
        try returned.emit("back", on: "/main")
        #expect(returned.presents == ["/main/pad return"])
        try returned.finish("/main/pad", ["pin": .int64(1)], by: ":1.8")
        #expect(returned.presented(2, by: ":1.8") == [])
    }

    @Test func `S-29 S-31 an owner with an update to answer gets Withdraw when its screen goes, and after the answer`()
        throws
    {
        let world = try shown()
        try world.emit("open", ["item": .byte(2)], on: "/main")
        #expect(try world.emit("clear", on: "/main").contains("withdraw /main/pad from :1.8: rule"))
        #expect(world.presented(2, by: ":1.8") == ["withdraw /main/pad from :1.8: rule"])
    }

    @Test
    func `S-31 of several calls the latest decides: an answer to an older one owns at once, its failure has no effect`()
        throws
    {
        func twice() throws -> World {
            var builder = DefinitionsBuilder()
            builder.step("open", ["item": "int64?"])
            builder.screen("pad", ["item": "int64?"], presenter: "com.x")
            builder.flow("main", on: ["open": [.screen("pad", .init(reuses: true))]])
            let world = try World(root: "main", builder)
            try world.emit("open", on: "/main")
            try world.emit("open", ["item": .byte(2)], on: "/main")
            return world
        }
        let failed = try twice()
        #expect(failed.presentFails(1) == [])
        #expect(failed.presented(2, by: ":1.8") == ["~ /main/pad owner=:1.8"])
        let owned = try twice()
        #expect(owned.presented(1, by: ":1.8") == ["~ /main/pad owner=:1.8"])
        #expect(try owned.saveState("/main/pad", [Argument("text", .string("x"))], by: ":1.8") == ["! StaleArguments"])
        #expect(owned.presentFails(2).prefix(2) == ["- /main/pad", "withdraw /main/pad from :1.8: presentFailed"])
    }

    @Test func `S-32 S-30 of a process that was navigator and owner, what the bus reports first counts`() throws {
        let world = World.registered()
        try world.coordinate("pay")
        try world.emit("abort", on: "/pay")
        world.navigate(1, to: [.screen("a")])
        try world.claim("/pay/a", by: ":1.5")
        #expect(try world.forestNode("/pay/a").owner == Client(":1.5"))
        let lines = world.vanish(":1.5")
        #expect(lines.first == "- /pay/a" && lines.contains("- /pay"))
        let named = World.registered(name: "com.pay")
        try named.coordinate("pay")
        try named.emit("abort", on: "/pay")
        named.navigate(1, to: [.screen("a")])
        try named.claim("/pay/a", by: ":1.5")
        #expect(named.own("com.pay", nil).contains("withdraw /pay/a from :1.5: parent"))
    }

    @Test func `D-4 S-5 a guard that is asked again has its whole time anew`() throws {
        var builder = DefinitionsBuilder()
        builder.flow("main", guarded: ("com.auth", ["gate"]), on: ["gate": []])
        let world = try World(root: "main", builder)
        try world.emit("gate", on: "/main")
        world.now += 9_000_000
        world.restart()
        guard case .askGuard(let question)? = world.effects.first else { throw World.UnexpectedEffect() }
        #expect(question.service.timeout == Limits.guardTimeout)
    }

    @Test
    func
        `S-45 of two guards in a chain, the ask is about what the first one to answer lets be made, also over a restart`()
        throws
    {
        var builder = DefinitionsBuilder()
        builder.screen("pad", result: ["pin": "int64"])
        builder.screen("list", result: ["item": "int64"])
        builder.flow(
            "main", guarded: ("com.a", ["pick"]),
            on: ["both": [.current("pick"), .flow("kid")], "pick": [.screen("list")]])
        builder.flow("kid", initial: "begin", guarded: ("com.b", ["begin"]), on: ["begin": [.screen("pad")]])
        let world = try World(root: "main", builder)
        try world.claim("/main", by: ":1.7")
        try world.ask("both", on: "/main", by: ":1.7")
        world.restart(owners: ["com.a": ":1.8", "com.b": ":1.9"])
        let numbers = world.coordinator.questions.numbers.sorted()
        #expect(numbers.count == 2)
        let kid = try #require(
            world.effects.compactMap { effect -> UInt64? in
                guard case .askGuard(let question) = effect, question.step == "begin" else { return nil }
                return question.id.number
            }.first)
        try world.adapt(kid, to: "begin")
        for number in numbers where number != kid { try world.adapt(number, to: "pick") }
        try world.claim("/main/list", by: ":1.3")
        #expect(
            try world.finish("/main/list", ["item": .int64(1)], by: ":1.3").contains { $0.hasPrefix("answered") }
                == false)
        try world.claim("/main/kid/pad", by: ":1.3")
        #expect(
            try world.finish("/main/kid/pad", ["pin": .int64(5)], by: ":1.3").contains {
                $0.hasPrefix("answered /main for :1.7") && $0.contains("pin=5")
            })
    }

    @Test func `S-42 S-12 values of a property that give way to a newer one while they wait are not reported`() throws {
        var builder = DefinitionsBuilder()
        builder.step("lid", ["n": "int64"])
        builder.flow("device", guarded: ("com.auth", ["gate"]), on: ["gate": [], "lid": []])
        builder.steppers = [
            .init(property: "Lid", step: "lid", with: [.init("n", .value)], absent: [Argument("n", .int64(0))])
        ]
        let world = try World(root: "device", builder)
        try world.emit("gate", on: "/device")
        var lines: [String] = []
        for number in 1...3 as ClosedRange<Int64> {
            lines += world.handle(.stepperChanged(StepperID(0), .value(.int64(number))))
            world.now += Limits.stepperPause
        }
        lines += try world.adapt(1, to: "gate")
        #expect(lines.filter { $0.contains("lid") } == ["did 2 after 0 by com.example.Vehicle: /device lid {n=3} []"])
        #expect(!lines.contains { $0.hasPrefix("failed") })
    }
}
