import BusTestSupport
import FlowCore
import Logging
import SdBus
import Testing

@testable import flowbusd

/// The gate at which effects wait, alone, in this process.
@Suite("Commit gate")
struct CommitGateTests {
    private let bus: PrivateBus
    private let connection: Bus
    private let loop: EventLoop
    private let pump: MessagePump
    private let gate: CommitGate

    init() throws {
        bus = try PrivateBus()
        connection = try Bus(.address(bus.address))
        loop = try EventLoop()
        pump = try MessagePump(connection, loop)
        gate = try CommitGate(loop, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func effects(_ number: UInt64) -> CommitGate.PendingEffects {
        CommitGate.PendingEffects(
            effects: [.emitDefinitionsChanged], call: nil, request: RequestID(number),
            time: Instant(microseconds: number))
    }

    @Test func `D-1 effects wait for the messages at hand, and keep their order`() throws {
        var requests: [UInt64] = []
        gate.commit = { [gate] in requests += gate.removeAll().map(\.request.number) }
        for number in 1...3 { gate.add(effects(UInt64(number))) }
        #expect(requests.isEmpty && !gate.isEmpty)
        while requests.isEmpty { _ = try loop.runOnce(timeout: 5_000_000) }
        #expect(requests == [1, 2, 3])
        #expect(gate.isEmpty)
        gate.commit = {}
    }

    @Test func `D-1 a full gate commits at once`() {
        var sizes: [Int] = []
        gate.commit = { [gate] in sizes.append(gate.removeAll().count) }
        for number in 1...CommitGate.capacity { gate.add(effects(UInt64(number))) }
        #expect(sizes == [CommitGate.capacity])
        for number in 1...100 { gate.add(effects(UInt64(number)), upTo: .max) }
        #expect(sizes.count == 1)
        gate.commit = {}
    }

    @Test func `D-1 a call that is answered without an event makes the commit come first`() throws {
        let client = try TestClient(bus)
        client.turn(loop)
        var commits = 0
        // The scheduled task runs anyway, and finds nothing.
        gate.commit = { [gate] in if !gate.removeAll().isEmpty { commits += 1 } }
        pump.beforeOthers = { [gate] in gate.commit() }
        gate.add(effects(1))
        try client.call(connection.uniqueName, "/", "org.freedesktop.DBus.Peer", "Ping")
        #expect(commits == 1)
        gate.commit = {}
    }
}
