import BusTestSupport
import FlowCore
import SdBus
import Testing

@testable import flowbusd

/// The queue of calls that wait while another continues in slices.
@Suite("Postponed calls")
struct BacklogTests {
    private let bus: PrivateBus
    private let connection: Bus

    init() throws {
        bus = try PrivateBus()
        connection = try Bus(.address(bus.address))
    }

    private func call(_ client: Int, bytes: Int = 0, since: UInt64 = 0) throws -> Backlog.PostponedCall {
        let message = try OutgoingMessage(
            call: connection, destination: "org.example.X", path: "/x", interface: "org.example.X", member: "X")
        return Backlog.PostponedCall(
            message: RetainedMessage(MessageReader(message.handle)), client: Client(":1.\(client)"), bytes: bytes,
            since: since, body: { _, _ in })
    }

    private func refusal(_ backlog: inout Backlog, _ call: Backlog.PostponedCall) -> FlowError? {
        do throws(FlowError) {
            try backlog.add(call)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the list does not grow while there is always a call that waits`() throws {
        var backlog = Backlog()
        try backlog.add(call(1))
        for _ in 0..<2_000 {
            try backlog.add(call(1))
            #expect(backlog.takeNext()?.call != nil)
        }
        #expect(backlog.placeCount < 200)
        #expect(backlog.takeNext()?.call != nil && backlog.isEmpty)
    }

    @Test func `S-33 of all clients 16,384 calls wait`() throws {
        var backlog = Backlog()
        for number in 0..<16_384 { try backlog.add(call(number / 1_024)) }
        let error = refusal(&backlog, try call(16))
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.hasPrefix("16384 calls wait until") == true)
        #expect(backlog.takeNext()?.call?.client == Client(":1.0"))
        #expect(refusal(&backlog, try call(16)) == nil)
        #expect(refusal(&backlog, try call(16))?.code == .limitExceeded)
    }

    @Test func `S-33 calls of a client wait with 4 MiB of values, and all with 16`() throws {
        var backlog = Backlog()
        let most = 4 * 1_024 * 1_024
        #expect(refusal(&backlog, try call(0, bytes: most + 1))?.code == .limitExceeded)
        for client in 0..<4 {
            try backlog.add(call(client, bytes: 1))
            try backlog.add(call(client, bytes: most - 1))
            // A call without values takes no bytes.
            try backlog.add(call(client))
            let error = refusal(&backlog, try call(client, bytes: 1))
            #expect(error?.code == .limitExceeded)
            #expect(error?.message.hasPrefix("4194304 bytes of ':1.\(client)' wait until") == true)
        }
        let error = refusal(&backlog, try call(4, bytes: 1))
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.hasPrefix("16777216 bytes wait until") == true)
        _ = backlog.takeNext()
        #expect(refusal(&backlog, try call(4, bytes: 2))?.code == .limitExceeded)
        #expect(refusal(&backlog, try call(4, bytes: 1)) == nil)
    }

    @Test func `S-7 a call that has waited for 15 s is refused with Timeout, events are not dropped`()
        throws
    {
        var backlog = Backlog()
        var happened = 0
        try backlog.add(call(0, bytes: 4_194_304, since: 1))
        backlog.add(event: { happened += 1 })
        try backlog.add(call(1, since: 2))
        try backlog.add(call(2, since: 3))
        #expect(backlog.takeOverdue(at: 15_000_000).isEmpty)
        #expect(backlog.takeOverdue(at: 15_000_002).map(\.client.name) == [":1.0", ":1.1"])
        #expect(Backlog.overdue.code == .timeout)
        #expect(Backlog.overdue.message.contains("within 15 s"))
        // The bytes of refused calls are free.
        try backlog.add(call(0, bytes: 4_194_304, since: 15_000_002))
        let event = backlog.takeNext()
        #expect(event?.call == nil)
        event?.event?()
        #expect(happened == 1)
        #expect(backlog.takeNext()?.call?.client == Client(":1.2"))
        #expect(backlog.takeNext()?.call?.client == Client(":1.0"))
        #expect(backlog.isEmpty)
    }
}
