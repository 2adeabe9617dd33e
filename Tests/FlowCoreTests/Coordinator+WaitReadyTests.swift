import Testing

@testable import FlowCore

@Suite("Flow coordinator: readiness")
struct WaitReadyTests {
    /// A flow that is ready when the guards have answered for it, its child flow and that one's.
    private func builder() -> DefinitionsBuilder {
        var builder = DefinitionsBuilder()
        builder.flow(
            "main", initial: "begin", guarded: ("com.auth", ["begin"]), on: ["begin": [.flow("sub")], "over": []])
        builder.flow("sub", initial: "fill", guarded: ("com.sub", ["fill"]), on: ["fill": [.flow("leaf")]])
        builder.flow("leaf", initial: "bud", guarded: ("com.leaf", ["bud"]), on: ["bud": []])
        return builder
    }

    @Test func `S-26 WaitReady waits for guarded initial steps, also of flows that they contribute`() throws {
        let world = try World(root: "main", builder())
        #expect(try world.waitReady("/main", by: ":1.4") == ["timer 15000000"])
        try world.adapt(1, to: "begin")
        #expect(try world.waitReady("/main/sub", by: ":1.5") == [])
        try world.waitReady("/main", by: ":1.6")
        try world.adapt(2, to: "fill")
        #expect(
            try world.adapt(3, to: "bud") == [
                "~ /main/sub/leaf ready=true", "~ /main/sub ready=true", "~ /main ready=true",
                "did 3 after 2 by :1.0: /main/sub/leaf bud []", "= done", "= done", "= done",
            ])
        #expect(world.answers.map { $0.prefix(1) }.sorted() == ["2", "3", "4"])
        #expect(world.waiting == [])
        #expect(try world.waitReady("/main") == ["= done"])
        #expect(world.wait(Limits.replyTimeout) == [])
    }

    @Test func `S-26 a flow is ready also when its guard refuses its initial step`() throws {
        let world = try World(root: "main", builder())
        try world.waitReady("/main")
        #expect(
            world.answer(1, GuardAnswer.rejected)
                == ["failed after 0 by :1.0: /main begin rejected", "~ /main ready=true", "= done"])
        #expect(world.waiting == [])
    }

    @Test func `S-26 WaitReady fails if the flow ends first; its parent no longer waits for it`() throws {
        let world = try World(root: "main", builder())
        try world.waitReady("/main")
        try world.adapt(1, to: "begin")
        try world.waitReady("/main/sub")
        #expect(
            try world.dismiss("/main/sub") == [
                "- /main/sub", "~ /main ready=true", "drop #2", "failed after 1 by :1.0: /main fill FlowEnded",
                "= done",
                "! FlowEnded", "= done",
            ])
        #expect(world.answers == ["2 = done", "3 ! FlowEnded", "4 = done"])
        #expect(world.refusals.map(\.message) == ["the flow ended before it was ready"])
        #expect(world.waiting == [])
    }

    @Test func `S-26 after 15 s it is a Timeout`() throws {
        let world = try World(root: "main", builder())
        try world.waitReady("/main")
        #expect(world.wait(Limits.replyTimeout) == ["! Timeout"])
        #expect(try world.refusal().message == "the flow was not ready within 15 s")
        #expect(world.coordinator.calls.isEmpty && world.coordinator.calls.readers.isEmpty)
        #expect(try world.adapt(1, to: "begin").contains("= done") == false)
    }

    @Test func `S-26 waiting callers are answered in the order of their calls`() throws {
        let world = try World(root: "main", builder())
        try world.adapt(1, to: "begin")
        let flows = ["/main/sub", "/main"]
        for number in 0..<64 { try world.waitReady(flows[number / 3 % 2], by: ":1.\(number)") }
        try world.adapt(2, to: "fill")
        try world.adapt(3, to: "bud")
        // The inner one is ready first.
        let calls = (0..<64).map { (number: $0 + 2, isInner: $0 / 3 % 2 == 0) }
        let expected = calls.filter(\.isInner) + calls.filter { !$0.isInner }
        #expect(world.answers == expected.map { "\($0.number) = done" })
        // The same when the flow ends.
        try world.coordinate("main", by: ":1.0")
        for number in 0..<64 { try world.waitReady("/main_2", by: ":1.\(number)") }
        try world.dismiss("/main_2")
        #expect(world.answers == (0..<64).map { "\(67 + $0) ! FlowEnded" } + ["131 = done"])
    }

    @Test func `S-26 S-33 repeated calls for a flow that is never ready do not accumulate`() throws {
        let world = try World(root: "main", builder())
        for number in 0..<10_000 {
            let log = try world.waitReady("/main", by: ":1.\(number % 2)")
            if number >= 2 * Limits.waitingStepsPerClient { #expect(log == ["! LimitExceeded"]) }
        }
        #expect(
            try world.refusal().message == "':1.1' has 4096 steps waiting of at most 4096")
        #expect(world.coordinator.calls.count == 2 * Limits.waitingStepsPerClient)
        #expect(world.coordinator.alarms.count <= 2 * (1 + world.coordinator.calls.count) + 17)
        // Other clients are not affected.
        #expect(try world.waitReady("/main", by: ":1.9") == [])
        #expect(world.wait(Limits.replyTimeout).count == 2 * Limits.waitingStepsPerClient + 1)
        #expect(world.answers.count == 2 * Limits.waitingStepsPerClient + 1)
        #expect(world.coordinator.calls.isEmpty)
        #expect(world.coordinator.calls.readers.isEmpty)
        #expect(world.coordinator.accounting.clients.values.allSatisfy { $0.steps == 0 })
        for _ in 0..<1_000 {
            try world.waitReady("/main")
            world.wait(Limits.replyTimeout)
        }
        #expect(world.coordinator.alarms.count <= 2)
        #expect(world.coordinator.calls.readers.isEmpty)
    }
}
