import Testing

@testable import FlowCore

@Suite("Ledger")
struct LedgerTests {
    private let one = Client(":1.1")
    private let other = Client(":1.2")

    private func refusal(_ ledger: Ledger, _ more: Ledger.Tally, _ client: Client) -> FlowError? {
        do throws(FlowError) {
            try ledger.check(more, for: client)
            return nil
        } catch {
            return error
        }
    }

    @Test func `S-33 a client at its limit of presentables costs no other a call`() {
        var ledger = Ledger()
        ledger.count(Ledger.Tally(nodes: Limits.nodesPerClient - 1), for: one)
        #expect(refusal(ledger, Ledger.Tally(nodes: 1), one) == nil)
        ledger.count(Ledger.Tally(nodes: 1), for: one)
        #expect(
            refusal(ledger, Ledger.Tally(nodes: 1), one)
                == FlowError(.limitExceeded, "':1.1' has made 2000 live presentables of at most 2000"))
        #expect(refusal(ledger, Ledger.Tally(nodes: 1), other) == nil)
        #expect(refusal(ledger, Ledger.Tally(nodes: 1), .daemon) == nil)
    }

    @Test func `S-33 a client at its limit of bytes costs no other a call`() {
        var ledger = Ledger()
        ledger.count(Ledger.Tally(bytes: Limits.heldBytesPerClient - 1), for: one)
        #expect(refusal(ledger, Ledger.Tally(bytes: 1), one) == nil)
        let error = refusal(ledger, Ledger.Tally(bytes: 2), one)
        #expect(error?.code == .limitExceeded)
        #expect(
            error?.message
                == "arguments of live presentables that ':1.1' has made take 4194303 of at most 4194304 bytes")
        #expect(refusal(ledger, Ledger.Tally(bytes: 2), other) == nil)
        #expect(refusal(ledger, Ledger.Tally(nodes: 1), one) == nil)
    }

    @Test func `S-33 what the daemon began counts in total alone`() {
        var ledger = Ledger()
        ledger.count(Ledger.Tally(nodes: Limits.nodes - 1, bytes: Limits.heldBytes - 1), for: .daemon)
        #expect(ledger.clients.isEmpty)
        #expect(refusal(ledger, Ledger.Tally(nodes: 1, bytes: 1), one) == nil)
        #expect(refusal(ledger, Ledger.Tally(nodes: 1, bytes: 1), .daemon) == nil)
        #expect(
            refusal(ledger, Ledger.Tally(nodes: 2), one)
                == FlowError(.limitExceeded, "there are 9999 live presentables of at most 10000 in total"))
        #expect(
            refusal(ledger, Ledger.Tally(bytes: 2), .daemon)
                == FlowError(
                    .limitExceeded, "arguments of live presentables take 16777215 of at most 16777216 bytes in total"))
    }

    @Test func `S-33 a client at its limit of waiting steps costs no other a call`() {
        var ledger = Ledger()
        ledger.count(Ledger.Tally(steps: Limits.waitingStepsPerClient - 1), for: one)
        #expect(refusal(ledger, Ledger.Tally(steps: 1), one) == nil)
        ledger.count(Ledger.Tally(steps: 1), for: one)
        #expect(
            refusal(ledger, Ledger.Tally(steps: 1), one)
                == FlowError(.limitExceeded, "':1.1' has 4096 steps waiting of at most 4096"))
        #expect(refusal(ledger, Ledger.Tally(nodes: 1, bytes: 1), one) == nil)
        #expect(refusal(ledger, Ledger.Tally(steps: 1), other) == nil)
        #expect(refusal(ledger, Ledger.Tally(steps: 1), .daemon) == nil)
    }

    @Test func `S-13 what comes in total may be less than what comes for a client`() throws {
        var ledger = Ledger()
        ledger.count(Ledger.Tally(nodes: Limits.nodes, bytes: Limits.heldBytes), for: .daemon)
        let more = Ledger.Tally(nodes: 1, bytes: 1)
        #expect(refusal(ledger, more, one)?.code == .limitExceeded)
        try ledger.check(more, inTotal: Ledger.Tally(), for: one)
        ledger.count(Ledger.Tally(nodes: Limits.nodesPerClient), for: one)
        #expect(throws: FlowError.self) { try ledger.check(more, inTotal: Ledger.Tally(), for: one) }
    }

    @Test func `S-33 a node gives back what it held, to whom it held it`() throws {
        var forest = Forest(base: "")
        var ledger = Ledger()
        let main = forest.insert(
            Forest.Birth(
                name: "main", id: "main",
                flow: Node.FlowState(definition: FlowID(0), covering: .free, readiness: .ready),
                style: "", arguments: [Argument("a", .byte(1))], client: one),
            below: nil)
        let arguments = [Argument("b", .byte(1))]
        forest.nodes[main].keptSteps = [
            HeldStep(step: StepID(0), arguments: arguments, origin: 1, cause: 0, client: other),
            HeldStep(step: StepID(0), arguments: arguments, origin: 2, cause: 0, client: one),
        ]
        forest.nodes[main].initialStep = HeldStep(
            step: StepID(0), arguments: arguments, origin: 1, cause: 0, client: other)
        forest.nodes[main].flow?.last = LastNavigation(
            serial: 1, step: "", arguments: arguments, client: other, byteCount: arguments.byteCount)
        let size = arguments.byteCount
        let own = forest.nodes[main].holding(for: one)
        #expect(own.own == Ledger.Tally(nodes: 1, steps: 1, bytes: 2 * size))
        #expect(own.total == Ledger.Tally(nodes: 1, steps: 2, bytes: 5 * size))
        #expect(forest.nodes[main].holding(for: other).own == Ledger.Tally(steps: 1, bytes: 3 * size))
        ledger.count(own.own, for: one)
        ledger.count(Ledger.Tally(steps: 1, bytes: 3 * size), for: other)
        ledger.release(forest.nodes[main])
        #expect(ledger == Ledger())
    }

    @Test func `who holds nothing more is known until it is gone`() {
        var ledger = Ledger()
        ledger.count(Ledger.Tally(nodes: 1, bytes: 5), for: one)
        #expect(ledger.clients[one] == Ledger.Tally(nodes: 1, bytes: 5))
        #expect(ledger.takeOpened() == [one])
        ledger.count(Ledger.Tally(nodes: -1, bytes: -5), for: one)
        #expect(ledger == Ledger())
        ledger.count(Ledger.Tally(nodes: 1), for: one)
        ledger.count(Ledger.Tally(nodes: -1), for: one)
        #expect(ledger.takeOpened() == [])
        #expect(ledger.presentClients == [one])
        #expect(ledger.close(one) == Ledger.Tally())
        #expect(ledger.presentClients == [])
    }

    @Test func `S-33 a user beside the service's own has half of what there is, by however many clients`() {
        var ledger = Ledger()
        let clients = (0..<5).map { Client(":1.\($0)") }
        for client in clients.prefix(3) { ledger.count(Ledger.Tally(nodes: 2_000), for: client) }
        // Until it is known whose they are, each has its own limits.
        for client in clients { ledger.open(client) }
        #expect(refusal(ledger, Ledger.Tally(nodes: 1), clients[3]) == nil)
        for client in clients.prefix(4) { ledger.identify(client, as: 1_000) }
        let error = FlowError(
            .limitExceeded, "the clients of user '1000' have made 6000 live presentables of at most 5000")
        #expect(refusal(ledger, Ledger.Tally(nodes: 1), clients[3]) == error)
        #expect(refusal(ledger, Ledger.Tally(nodes: 1), clients[4]) == nil)
        ledger.count(Ledger.Tally(nodes: -2_000), for: clients[0])
        #expect(refusal(ledger, Ledger.Tally(nodes: 1_000), clients[3]) == nil)
        #expect(refusal(ledger, Ledger.Tally(nodes: 1_001), clients[3])?.code == .limitExceeded)
        // What another user left is nobody's, and in the pool.
        #expect(ledger.close(clients[1]) == Ledger.Tally(nodes: 2_000))
        #expect(ledger.pool == Ledger.Tally(nodes: 2_000))
        #expect(refusal(ledger, Ledger.Tally(nodes: 2_000), clients[3]) == nil)
        ledger.identify(clients[3], as: 1_001)
        #expect(ledger.clients(of: 1_000).sorted { $0.name < $1.name } == [clients[0], clients[2]])
    }

    @Test func `S-33 what clients that are gone hold is in the pool until it goes, and has no other limit`() {
        var ledger = Ledger()
        ledger.count(Ledger.Tally(nodes: 2_000, steps: 3, bytes: 4), for: one)
        _ = ledger.takeOpened()
        #expect(ledger.close(one) == Ledger.Tally(nodes: 2_000, steps: 3, bytes: 4))
        #expect(ledger.close(one) == Ledger.Tally())
        #expect(ledger.isGone(one) && ledger.isFree(one) && ledger.isFree(.daemon) && !ledger.isFree(other))
        #expect(ledger.pool == ledger.total)
        ledger.count(Ledger.Tally(nodes: 1), for: one)
        #expect(refusal(ledger, Ledger.Tally(nodes: 1), one) == nil)
        #expect(ledger.pool.nodes == 2_001)
        ledger.count(Ledger.Tally(nodes: -2_001, steps: -3, bytes: -4), for: one)
        // Until the event is over: its chain can make more.
        #expect(ledger.pool == Ledger.Tally() && ledger.isGone(one))
        #expect(ledger.takeOpened() == [] && !ledger.isGone(one))
        // Nobody was ever who made what came back from another bus.
        ledger.count(Ledger.Tally(nodes: 1), for: .former)
        #expect(ledger.isGone(.former) && ledger.takeOpened() == [] && ledger.pool.nodes == 1)
    }

    @Test func `what holds less is let in above a limit`() {
        var ledger = Ledger()
        ledger.count(Ledger.Tally(nodes: Limits.nodes, bytes: Limits.heldBytes), for: one)
        #expect(refusal(ledger, Ledger.Tally(nodes: 0, bytes: -1), one) == nil)
    }
}
