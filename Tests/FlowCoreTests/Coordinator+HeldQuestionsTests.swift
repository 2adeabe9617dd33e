import Testing

@testable import FlowCore

/// Questions that the shell answers itself, before the next event: what comes of them is what comes of a guard and a navigator on the
/// bus that answer at once.
@Suite("Flow coordinator: held questions")
struct HeldQuestionsTests {
    private func makeWorld() throws -> World {
        var builder = DefinitionsBuilder()
        builder.step("pick", ["item": "int64?"])
        builder.step("buy", ["item": "int64"])
        builder.step("strange")
        builder.screen("page", ["item": "int64?"])
        builder.flow("main", on: ["open": [.flow("shop")], "closed": [], "buy": []])
        builder.flow("shop", guarded: ("com.guard", ["pick"]), navigated: ("com.shop", ["pick", "buy", "next"]))
        let world = try World(root: "main", builder)
        try world.emit("open", on: "/main")
        return world
    }

    /// What comes of a step, but for the questions and the timer.
    private func outcome(_ lines: [String]) -> [String] {
        lines.filter { line in !["timer", "guard?", "navigator?"].contains { line.hasPrefix($0) } }
    }

    private func emit(
        _ world: World, waits: Bool = true, into effects: inout [Effect]
    ) throws -> HeldQuestion? {
        world.coordinator.emit(
            try world.id(ofStep: "pick"), [Argument("item", .int64(7))], on: try world.node("/main/shop"),
            by: Client(":1.1"), waits: waits, world.nextRequest(), at: Instant(microseconds: 0), into: &effects)
    }

    /// What a guard and a navigator answer about a step.
    enum Dialogue: CaseIterable {
        case adapted, otherStep, sameStep, unhandled, navigatorFailed, navigatorLate
        case strangeStep, lacksArgument, rejected, guardFailed, guardLate

        func guarding(_ world: World) throws -> GuardAnswer {
            switch self {
            case .adapted: .step(try world.id(ofStep: "pick"), [Argument("item", .int64(8))])
            case .otherStep: .step(try world.id(ofStep: "buy"), [Argument("item", .int64(8))])
            case .sameStep, .unhandled, .navigatorFailed, .navigatorLate: .step(try world.id(ofStep: "pick"), [])
            case .strangeStep: .step(try world.id(ofStep: "strange"), [])
            case .lacksArgument: .step(try world.id(ofStep: "buy"), [])
            case .rejected: .rejected
            case .guardFailed: .failed("no")
            case .guardLate: .timedOut
            }
        }

        /// nil where the navigator is not asked.
        func navigating(_ world: World) -> NavigatorAnswer? {
            switch self {
            case .adapted: .contributors([world.contributor(.screen("page")), world.contributor(.current("next"))])
            case .otherStep: .contributors([world.contributor(.end("closed"))])
            case .sameStep: .contributors([])
            case .unhandled: .unhandled
            case .navigatorFailed: .failed("no")
            case .navigatorLate: .timedOut
            case .strangeStep, .lacksArgument, .rejected, .guardFailed, .guardLate: nil
            }
        }
    }

    @Test(arguments: Dialogue.allCases)
    func `S-5 an answer at once leads to what an answer by an event leads to`(dialogue: Dialogue) throws {
        let (onTheBus, inProcess) = (try makeWorld(), try makeWorld())

        var expected = outcome(try onTheBus.emit("pick", ["item": .int64(7)], on: "/main/shop"))
        expected += outcome(onTheBus.answer(1, try dialogue.guarding(onTheBus)))
        if let answer = dialogue.navigating(onTheBus) { expected += outcome(onTheBus.answer(2, answer)) }

        var effects: [Effect] = []
        var lines: [String] = []
        func collect() {
            lines += effects.map(\.line)
            effects = []
        }
        let now = Instant(microseconds: 0)
        let first = try emit(inProcess, into: &effects)
        collect()
        let asked = try #require(first)
        #expect(asked.isForGuard)
        #expect(asked.arguments == [Argument("item", .int64(7))])
        let second = inProcess.coordinator.answer(asked, try dialogue.guarding(inProcess), at: now, into: &effects)
        collect()
        #expect((second != nil) == (dialogue.navigating(inProcess) != nil))
        if let second, let answer = dialogue.navigating(inProcess) {
            #expect(!second.isForGuard)
            inProcess.coordinator.answer(second, answer, at: now, into: &effects)
            collect()
        }
        // A step that follows has a question of its own.
        #expect(outcome(lines.filter { !$0.hasPrefix("watch") }) == expected)
        #expect(inProcess.paths == onTheBus.paths)
        #expect(inProcess.waiting == onTheBus.waiting)
        #expect(inProcess.coordinator.serial == onTheBus.coordinator.serial)
    }

    @Test(arguments: [true, false])
    func `S-5 S-9 a question that is not answered at once is one as any other`(waits: Bool) throws {
        let world = try makeWorld()
        var effects: [Effect] = []
        let now = Instant(microseconds: 0)
        let held = try emit(world, waits: waits, into: &effects)
        effects = []
        let asked = try #require(held)
        let id = world.coordinator.ask(asked, at: now, into: &effects)
        let question = try #require(id)
        #expect(effects.map(\.line).filter { $0.hasPrefix("=") } == (waits ? [] : ["= pending 0"]))
        // What follows waits, too.
        try world.emit("pick", on: "/main/shop", by: ":1.2")
        #expect(world.asked == [])
        let lines = world.answer(question.number, GuardAnswer.rejected)
        #expect(lines.contains(waits ? "= rejected 0" : "concluded /main/shop for :1.1: rejected"))
        #expect(world.asked == ["/main/shop pick"])
        world.answer(question.number + 1, GuardAnswer.rejected)
        #expect(world.waiting == [])
    }

    @Test func `S-5 a flow that ends before the answer refuses the step`() throws {
        let world = try makeWorld()
        let now = Instant(microseconds: 0)
        for answersAtOnce in [true, false] {
            if !answersAtOnce { try world.emit("open", on: "/main") }
            var effects: [Effect] = []
            let begun = try emit(world, into: &effects)
            let held = try #require(begun)
            try world.dismiss("/main/shop")
            if answersAtOnce {
                _ = world.coordinator.answer(held, GuardAnswer.rejected, at: now, into: &effects)
            } else {
                #expect(world.coordinator.ask(held, at: now, into: &effects) == nil)
            }
            #expect(effects.map(\.line).contains("! FlowEnded"))
            #expect(world.waiting == [])
        }
    }
}
