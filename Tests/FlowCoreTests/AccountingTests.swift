import Testing

@testable import FlowCore

@Suite("Accounting")
struct AccountingTests {
    private let one = Client(":1.1")
    private let other = Client(":1.2")

    private func refusal(_ accounting: Accounting, _ more: Accounting.Usage, _ client: Client) -> FlowError? {
        do throws(FlowError) {
            try accounting.check(more, for: client)
            return nil
        } catch {
            return error
        }
    }

    @Test func `S-33 a client at its limit of presentables does not affect others`() {
        var accounting = Accounting()
        accounting.count(Accounting.Usage(nodes: Limits.nodesPerClient - 1), for: one)
        #expect(refusal(accounting, Accounting.Usage(nodes: 1), one) == nil)
        accounting.count(Accounting.Usage(nodes: 1), for: one)
        #expect(
            refusal(accounting, Accounting.Usage(nodes: 1), one)
                == FlowError(.limitExceeded, "':1.1' has made 2000 live presentables of at most 2000"))
        #expect(refusal(accounting, Accounting.Usage(nodes: 1), other) == nil)
        #expect(refusal(accounting, Accounting.Usage(nodes: 1), .daemon) == nil)
    }

    @Test func `S-33 a client at its limit of bytes does not affect others`() {
        var accounting = Accounting()
        accounting.count(Accounting.Usage(bytes: Limits.liveArgumentBytesPerClient - 1), for: one)
        #expect(refusal(accounting, Accounting.Usage(bytes: 1), one) == nil)
        let error = refusal(accounting, Accounting.Usage(bytes: 2), one)
        #expect(error?.code == .limitExceeded)
        #expect(
            error?.message
                == "arguments and saved states of live presentables that ':1.1' has made take 4194303 of at most 4194304 bytes"
        )
        #expect(refusal(accounting, Accounting.Usage(bytes: 2), other) == nil)
        #expect(refusal(accounting, Accounting.Usage(nodes: 1), one) == nil)
    }

    @Test func `S-33 flows that the daemon starts count in total only`() {
        var accounting = Accounting()
        accounting.count(Accounting.Usage(nodes: Limits.nodes - 1, bytes: Limits.liveArgumentBytes - 1), for: .daemon)
        #expect(accounting.clients.isEmpty)
        #expect(refusal(accounting, Accounting.Usage(nodes: 1, bytes: 1), one) == nil)
        #expect(refusal(accounting, Accounting.Usage(nodes: 1, bytes: 1), .daemon) == nil)
        #expect(
            refusal(accounting, Accounting.Usage(nodes: 2), one)
                == FlowError(.limitExceeded, "there are 9999 live presentables of at most 10000 in total"))
        #expect(
            refusal(accounting, Accounting.Usage(bytes: 2), .daemon)
                == FlowError(
                    .limitExceeded,
                    "arguments and saved states of live presentables take 16777215 of at most 16777216 bytes in total"))
    }

    @Test func `S-33 a client at its limit of waiting steps does not affect others`() {
        var accounting = Accounting()
        accounting.count(Accounting.Usage(steps: Limits.waitingStepsPerClient - 1), for: one)
        #expect(refusal(accounting, Accounting.Usage(steps: 1), one) == nil)
        accounting.count(Accounting.Usage(steps: 1), for: one)
        #expect(
            refusal(accounting, Accounting.Usage(steps: 1), one)
                == FlowError(.limitExceeded, "':1.1' has 4096 steps waiting of at most 4096"))
        #expect(refusal(accounting, Accounting.Usage(nodes: 1, bytes: 1), one) == nil)
        #expect(refusal(accounting, Accounting.Usage(steps: 1), other) == nil)
        #expect(refusal(accounting, Accounting.Usage(steps: 1), .daemon) == nil)
    }

    @Test func `S-13 the total can grow by less than the usage of a client`() throws {
        var accounting = Accounting()
        accounting.count(Accounting.Usage(nodes: Limits.nodes, bytes: Limits.liveArgumentBytes), for: .daemon)
        let more = Accounting.Usage(nodes: 1, bytes: 1)
        #expect(refusal(accounting, more, one)?.code == .limitExceeded)
        try accounting.check(more, inTotal: Accounting.Usage(), for: one)
        accounting.count(Accounting.Usage(nodes: Limits.nodesPerClient), for: one)
        #expect(throws: FlowError.self) { try accounting.check(more, inTotal: Accounting.Usage(), for: one) }
    }

    @Test func `S-33 a node returns its usage to the client that it counted for`() throws {
        var forest = Forest(base: "")
        let main = forest.insert(
            Forest.Birth(
                kept: Node.Kept(
                    name: "main", id: "main", arguments: [Argument("a", .byte(1))], isVisible: true, client: one),
                flow: Boxed(Node.FlowState(definition: FlowID(0), covering: .free))),
            below: nil)
        let arguments = [Argument("b", .byte(1))]
        for (origin, client) in [(UInt64(1), other), (2, one)] {
            let step = DeferredStep(step: StepID(0), arguments: arguments, origin: origin, cause: 0, client: client)
            forest.updateUsage(main) { $0.deferredSteps.append(step) }
        }
        forest.updateUsage(main) { [other] node in
            node.initialStep = DeferredStep(
                step: StepID(0), arguments: arguments, origin: 1, cause: 0, client: other)
        }
        forest.setLast(
            LastNavigation(
                serial: 1, step: "", arguments: arguments, client: other), of: main)
        let size = arguments.byteCount
        let own = forest[main].holding(for: one)
        #expect(own.own == Accounting.Usage(nodes: 1, steps: 1, bytes: 2 * size))
        #expect(own.total == Accounting.Usage(nodes: 1, steps: 2, bytes: 5 * size))
        #expect(forest[main].holding(for: other).own == Accounting.Usage(steps: 1, bytes: 3 * size))
        #expect(forest.accounting.clients == [one: own.own, other: Accounting.Usage(steps: 1, bytes: 3 * size)])
        #expect(forest[main].flow?.waiting.count == 2)
        _ = forest.remove(main)
        #expect(forest.accounting == Accounting())
    }

    @Test func `a client without usage has an account until it disconnects`() {
        var accounting = Accounting()
        accounting.count(Accounting.Usage(nodes: 1, bytes: 5), for: one)
        #expect(accounting.clients[one] == Accounting.Usage(nodes: 1, bytes: 5))
        #expect(accounting.takeOpened() == [one])
        accounting.count(Accounting.Usage(nodes: -1, bytes: -5), for: one)
        #expect(accounting == Accounting())
        accounting.count(Accounting.Usage(nodes: 1), for: one)
        accounting.count(Accounting.Usage(nodes: -1), for: one)
        #expect(accounting.takeOpened() == [])
        #expect(accounting.presentClients == [one])
        #expect(accounting.close(one) == Accounting.Usage())
        #expect(accounting.presentClients == [])
    }

    @Test func `S-33 another user than the service's own has half of each quota, with any number of clients`() {
        var accounting = Accounting()
        let clients = (0..<5).map { Client(":1.\($0)") }
        for client in clients.prefix(3) { accounting.count(Accounting.Usage(nodes: 2_000), for: client) }
        // Until their users are known, each has its own limits.
        for client in clients { accounting.open(client) }
        #expect(refusal(accounting, Accounting.Usage(nodes: 1), clients[3]) == nil)
        for client in clients.prefix(4) { accounting.identify(client, as: 1_000) }
        let error = FlowError(
            .limitExceeded, "the clients of user '1000' have made 6000 live presentables of at most 5000")
        #expect(refusal(accounting, Accounting.Usage(nodes: 1), clients[3]) == error)
        #expect(refusal(accounting, Accounting.Usage(nodes: 1), clients[4]) == nil)
        accounting.count(Accounting.Usage(nodes: -2_000), for: clients[0])
        #expect(refusal(accounting, Accounting.Usage(nodes: 1_000), clients[3]) == nil)
        #expect(refusal(accounting, Accounting.Usage(nodes: 1_001), clients[3])?.code == .limitExceeded)
        // Usage of a vanished user's clients is in the pool.
        #expect(accounting.close(clients[1]) == Accounting.Usage(nodes: 2_000))
        #expect(accounting.pool == Accounting.Usage(nodes: 2_000))
        #expect(refusal(accounting, Accounting.Usage(nodes: 2_000), clients[3]) == nil)
        accounting.identify(clients[3], as: 1_001)
        #expect(accounting.clients(of: 1_000).sorted { $0.name < $1.name } == [clients[0], clients[2]])
    }

    @Test func `S-33 usage of vanished clients is pooled until it is released, without a further limit`() {
        var accounting = Accounting()
        accounting.count(Accounting.Usage(nodes: 2_000, steps: 3, bytes: 4), for: one)
        _ = accounting.takeOpened()
        #expect(accounting.close(one) == Accounting.Usage(nodes: 2_000, steps: 3, bytes: 4))
        #expect(accounting.close(one) == Accounting.Usage())
        #expect(
            accounting.isGone(one) && accounting.isFree(one) && accounting.isFree(.daemon) && !accounting.isFree(other))
        #expect(accounting.pool == accounting.total)
        accounting.count(Accounting.Usage(nodes: 1), for: one)
        #expect(refusal(accounting, Accounting.Usage(nodes: 1), one) == nil)
        #expect(accounting.pool.nodes == 2_001)
        accounting.count(Accounting.Usage(nodes: -2_001, steps: -3, bytes: -4), for: one)
        // Until the event is over: its cascade can add more.
        #expect(accounting.pool == Accounting.Usage() && accounting.isGone(one))
        #expect(accounting.takeOpened() == [] && !accounting.isGone(one))
        // Presentables from another bus have no client.
        accounting.count(Accounting.Usage(nodes: 1), for: .former)
        #expect(accounting.isGone(.former) && accounting.takeOpened() == [] && accounting.pool.nodes == 1)
    }

    @Test func `a change that reduces usage is admitted above a limit`() {
        var accounting = Accounting()
        accounting.count(Accounting.Usage(nodes: Limits.nodes, bytes: Limits.liveArgumentBytes), for: one)
        #expect(refusal(accounting, Accounting.Usage(nodes: 0, bytes: -1), one) == nil)
    }
}
