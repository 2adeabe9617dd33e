import Testing

@testable import FlowCore

@Suite("Steps behind a question")
struct BlockedStepsTests {
    private let flow = NodeID(slot: NodeSlot(0), instance: 1)

    private func step(_ number: UInt64, origin: UInt64) -> WaitingStep {
        var step = WaitingStep(
            origin: origin, client: Client(":1.1"), flow: flow,
            step: StepID(0), arguments: [], cause: 0, purpose: .triggered)
        step.number = number
        return step
    }

    @Test func `S-6 the next step is that of the oldest origin, and within it the first triggered`() {
        var random = SystemRandomNumberGenerator()
        for count in [0, 1, 2, 3, 10, 300] {
            let numbers = (0..<UInt64(count)).shuffled(using: &random)
            var blocked = BlockedSteps()
            for number in numbers { blocked.insert(step(number, origin: number / 3)) }
            #expect(blocked.steps(for: flow).map(\.number) == numbers.sorted())
            var taken: [UInt64] = []
            for place in 0..<count {
                #expect(blocked.count(for: flow) == count - place)
                // One that is put back is the next again.
                if place % 2 == 0, let first = blocked.takeNext(for: flow) { blocked.insert(first) }
                if let next = blocked.takeNext(for: flow) { taken.append(next.number) }
            }
            #expect(taken == numbers.sorted())
            #expect(blocked.isEmpty && blocked.takeNext(for: flow) == nil)
        }
    }

    /// A flow whose guard is asked about `go`, with a number of steps that wait behind its question.
    private func world(_ count: Int, of step: String = "go", quotas: Quotas = .service) throws -> World {
        var builder = DefinitionsBuilder()
        builder.step("note", ["text": "string"])
        builder.flow("main", guarded: ("com.auth", ["go", "note"]), on: ["go": [], "free": [], "note": []])
        let world = World(builder, quotas: quotas)
        try world.coordinate("main")
        try world.emit("go", on: "/main")
        for _ in 0..<count { try world.emit(step, on: "/main") }
        return world
    }

    @Test func `S-6 an answer moves the step that is next, and none of those behind it`() throws {
        for count in [1, 256] {
            let world = try world(count)
            let step = try world.id(ofStep: "go")
            var copy = world.coordinator.copy()
            _ = copy.handle(.guardReplied(QuestionID(1), .step(step, [])), at: Instant(microseconds: 0))
            // The one that was asked about, the one that is asked about now, and where their flow is.
            let records = copy.takeRecords().filter { $0.key.kind == .step }
            #expect(records.map(\.key.number) == [1, 2], "\(count) behind it")
            #expect(copy.blocked.all.values.map(\.count) == (count == 1 ? [] : [count - 1]))
        }
    }

    @Test func `S-6 steps that the guard is not asked about are taken with the answer, one after the other`() throws {
        let world = try world(3, of: "free")
        try world.emit("go", on: "/main")
        try world.emit("free", on: "/main")
        world.pass(world.questions.first ?? question(1))
        #expect(world.navigations == ["/main go", "/main free", "/main free", "/main free"])
        #expect(world.asked == ["/main go"])
        world.pass()
        #expect(world.navigations == ["/main go", "/main free"])
        #expect(world.waiting == [])
    }

    private func question(_ number: UInt64) -> Question {
        Question(
            id: QuestionID(number), service: Service("com.auth", path: "/guard", timeout: Limits.guardTimeout),
            flow: "/main", step: "go", arguments: [], client: Client(":1.1"), presentable: "", instance: 0, cause: 0,
            isInteractive: false)
    }

    @Test func `S-33 within one program as many steps wait as it emits, with all their arguments`() throws {
        let count = Limits.waitingStepsPerClient + 10
        let world = try world(0, quotas: .none)
        let text = Value.string(String(repeating: "x", count: 2 * Limits.liveArgumentBytesPerClient / count))
        for _ in 0..<count { #expect(try world.emit("note", ["text": text], on: "/main") == []) }
        #expect(world.coordinator.accounting.total.steps == count + 1)
        #expect(world.coordinator.accounting.total.bytes > Limits.liveArgumentBytesPerClient)
    }

    @Test func `without persistence, no records are noted`() throws {
        var builder = DefinitionsBuilder()
        builder.screen("page", ["a": "int64?"])
        builder.flow(
            "main", guarded: ("com.auth", ["slow"]), on: ["go": [.screen("page", .init(step: "later"))], "slow": []])
        builder.step("later")
        let definitions = builder.definitions
        let flow = try #require(definitions.flow(named: "main"))
        let steps = ["go", "slow", "slow"].compactMap { definitions.step(named: $0) }
        func live(_ coordinator: inout Coordinator) throws {
            func handle(_ event: Event, by coordinator: inout Coordinator) {
                _ = coordinator.handle(event, at: Instant(microseconds: 0))
            }
            handle(.flowRequested(RequestID(1), FlowRequest(flow, by: Client(":1.1"))), by: &coordinator)
            let main = coordinator.node(at: "/main")
            let node = try #require(main)
            for (number, step) in steps.enumerated() {
                handle(
                    .stepEmitted(
                        RequestID(UInt64(number) + 2), on: node, step: step, arguments: [], by: Client(":1.1"),
                        options: nil), by: &coordinator)
            }
        }
        var recorded = Coordinator(definitions: definitions, basePath: "")
        var coordinator = Coordinator(definitions: definitions, basePath: "", isRecorded: false)
        try live(&recorded)
        try live(&coordinator)
        #expect(coordinator.blocked.all.values.map(\.count) == [1] && coordinator.origins.count == 1)
        #expect(!coordinator.unsaved.hasSteps && !coordinator.origins.book.isDirty)
        #expect(recorded.pendingWork.hasUrgentRecords && recorded.pendingWork.hasRecords)
        #expect(!coordinator.pendingWork.hasUrgentRecords && !coordinator.pendingWork.hasRecords)
        // A tree that moves to another bus is taken whole.
        let (all, allOfRecorded) = (coordinator.takeAllRecords(), recorded.takeAllRecords())
        #expect(!all.isEmpty && all == allOfRecorded)
    }
}
