import BusTestSupport
import SdBus
import Testing

@testable import flowbusd

/// The schedule of slices alone, in this process.
@Suite("Schedule of slices")
struct SliceScheduleTests {
    private let bus: PrivateBus
    private let connection: Bus
    private let loop: EventLoop
    private let pump: MessagePump
    private let slices: SliceSchedule

    init() throws {
        bus = try PrivateBus()
        connection = try Bus(.address(bus.address))
        loop = try EventLoop()
        pump = try MessagePump(connection, loop)
        slices = try SliceSchedule(pump.output, loop)
    }

    @Test func `S-7 a slice follows when the bus has answered, once`() throws {
        var text = ""
        slices.prepare = {
            text += "p"
            return true
        }
        slices.next = { text += "n" }
        try slices.schedule()
        try slices.schedule()
        while text.count < 2 { _ = try loop.runOnce(timeout: 5_000_000) }
        #expect(text == "pn")
        try slices.schedule()
        while text.count < 4 { _ = try loop.runOnce(timeout: 5_000_000) }
        #expect(text == "pnpn")
    }

    @Test func `a slice that is not needed any more does not ask the bus`() throws {
        var count = 0
        slices.prepare = {
            count += 1
            return false
        }
        try slices.schedule()
        while count == 0 { _ = try loop.runOnce(timeout: 5_000_000) }
        try slices.schedule()
        while count == 1 { _ = try loop.runOnce(timeout: 5_000_000) }
        #expect(count == 2)
    }

    @Test func `a bus that can't be asked is reported`() throws {
        var failures = 0
        slices.prepare = { true }
        slices.failed = { _ in failures += 1 }
        try connection.onDisconnect {}
        connection.close()
        try slices.schedule()
        while failures == 0 { _ = try loop.runOnce(timeout: 5_000_000) }
        #expect(failures == 1)
    }
}
