import BusTestSupport
import CSdBus
import Glibc
import Testing

@testable import SdBus

/// A ``MessagePump`` on a bus that the test plays. It answers each of its own calls with some bytes.
final class PumpedBus {
    let played: PlayedBus
    let loop: EventLoop
    let pump: MessagePump
    /// How many bytes the answers to its own calls have.
    var answerBytes: () -> Int = { 10 }
    /// Runs with each of its own calls, before the answer is made.
    var called: (MessageReader) -> Void = { _ in }
    var failures: [SdError] = []
    var disconnections = 0

    var output: MessageOutput { pump.output }

    init() throws {
        played = try PlayedBus()
        loop = try EventLoop()
        pump = try MessagePump(played.bus, loop)
        try played.shrink()
        pump.handleCall = { [unowned self] call in
            guard call.interface.map({ String(cString: $0) }) == "org.example.Own" else { return false }
            called(call)
            let bytes = [UInt8](repeating: 1, count: answerBytes())
            #expect(throws: Never.self) { try output.answer(Caller(call), "ay") { try $0.append(bytes) } }
            return true
        }
        output.failed = { [unowned self] in failures.append($0) }
        try played.bus.onDisconnect { [unowned self] in disconnections += 1 }
    }

    /// Runs the loop as long as it has something to do.
    func turn() throws { while try loop.runOnce(timeout: 0) {} }

    /// Reads everything that comes.
    func finish() throws {
        repeat { try turn() } while played.receive() > 0
    }

    /// The numbers of the answered calls, and 0 for each other message.
    func answers() throws -> [UInt32] { try played.messages().map { $0.answered ?? 0 } }

    /// Makes a signal with some bytes.
    func signal(_ count: Int) throws {
        let bytes = [UInt8](repeating: 2, count: count)
        try output.signal("a.B", "C", at: "/", "ay") { try $0.append(bytes) }
    }
}

@Suite("Full sockets")
struct FullSocketTests {
    @Test func `a message is written in parts, as the socket takes them`() throws {
        let pumped = try PumpedBus()
        try pumped.signal(300_000)
        try pumped.signal(5)
        try pumped.turn()
        #expect(pumped.output.isBlocked)
        let left = pumped.output.unsentBytes
        #expect(left > 250_000)
        // The loop goes on.
        var hasFired = false
        let timer = try pumped.loop.timer { hasFired = true }
        try timer.arm(at: 0)
        try pumped.turn()
        #expect(hasFired)
        pumped.played.receive(atMost: 100_000)
        try pumped.turn()
        #expect(pumped.output.unsentBytes < left)
        try pumped.finish()
        #expect(try pumped.played.messages().map(\.body.count) == [300_004, 9])
        #expect(!pumped.output.isBlocked && pumped.output.unsentBytes == 0)
    }

    @Test func `nothing is read while the socket is full`() throws {
        let pumped = try PumpedBus()
        try pumped.signal(100_000)
        var called = 0
        pumped.called = { _ in called += 1 }
        pumped.played.call("One")
        try pumped.turn()
        #expect(called == 0)
        try pumped.finish()
        #expect(called == 1)
    }

    @Test func `sd-bus answers a call when what came before is written`() throws {
        let pumped = try PumpedBus()
        pumped.answerBytes = { 30_000 }
        let numbers = [
            pumped.played.call("One"), pumped.played.ping(), pumped.played.call("Two"), pumped.played.ping(),
            pumped.played.call("Unknown", "org.example.Unknown"),
        ]
        try pumped.turn()
        #expect(pumped.output.isBlocked && !pumped.output.hasUnsentOfSdBus)
        try pumped.finish()
        #expect(try pumped.answers() == numbers)
        #expect(pumped.failures.isEmpty)
    }

    @Test func `a held call is answered if the bytes leave before the loop waits`() throws {
        let pumped = try PumpedBus()
        pumped.answerBytes = { 30_000 }
        let numbers = [pumped.played.call("One"), pumped.played.ping(), pumped.played.ping()]
        // The call is held; then everything fits into the socket before the loop looks at it again.
        while !pumped.output.isBlocked { try pumped.loop.runOnce(timeout: 0) }
        while !pumped.output.flush() { pumped.played.receive() }
        try pumped.finish()
        #expect(try pumped.answers() == numbers)
        let later = pumped.played.ping()
        try pumped.finish()
        #expect(try pumped.answers() == [later])
    }

    @Test func `messages made here wait for those of sd-bus`() throws {
        let pumped = try PumpedBus()
        let numbers = (1...100).map { _ in pumped.played.ping() }
        try pumped.turn()
        #expect(pumped.output.hasUnsentOfSdBus)
        try pumped.signal(10)
        try pumped.turn()
        #expect(pumped.output.isBlocked)
        try pumped.finish()
        #expect(try pumped.answers() == numbers + [0])
    }

    @Test func `held calls come before messages that sd-bus has read already`() throws {
        let pumped = try PumpedBus()
        let bus = pumped.played.bus
        var later: MessageReceiver?
        var order: [String] = []
        pumped.called = { call in
            order.append(String(cString: call.member))
            guard order.count == 1 else { return }
            // It reads what has come until the bus has answered.
            #expect((try? bus.uniqueName(ofOwnerOf: "org.example.Name")) == ":1.9")
        }
        pumped.answerBytes = { order.count == 1 ? 30_000 : 10 }
        // The calls that sd-bus will make have the next numbers; it has made one.
        later = try OutgoingMessage(call: bus, destination: ":1.9", path: "/", interface: "a.B", member: "C").call {
            _ in order.append("answer")
        }
        pumped.played.receive()
        let number = try #require(try pumped.played.messages().last).number
        let calls = [pumped.played.call("One"), pumped.played.ping()]
        pumped.played.answer(number, from: ":1.9")
        let others = (2...70).map { pumped.played.call("Call\($0)") } + [pumped.played.ping()]
        pumped.played.answer(number + 1, ":1.9")
        try pumped.turn()
        #expect(pumped.output.isBlocked)
        try pumped.finish()
        #expect(try pumped.answers().filter { $0 > 0 } == calls + others)
        #expect(order.filter { $0 != "answer" } == ["One"] + (2...70).map { "Call\($0)" })
        #expect(order.contains("answer"))
        withExtendedLifetime(later) {}
    }

    @Test func `the end of a registration waits for nothing`() throws {
        let pumped = try PumpedBus()
        var seen = 0
        var match: MessageReceiver? = try pumped.played.bus.match("type='signal'", refused: { _ in }) { _ in seen += 1 }
        try pumped.finish()
        #expect(try pumped.played.messages().map(\.member) == ["AddMatch"])
        pumped.answerBytes = { 30_000 }
        // The handler of the call ends the registration while the socket is full.
        pumped.called = { [unowned pumped] _ in
            #expect(throws: Never.self) { try pumped.signal(30_000) }
            #expect(!pumped.output.flush())
            match = nil
        }
        pumped.played.call("One")
        try pumped.turn()
        #expect(match == nil)
        var signal = WireMessage(.signal, pumped.played.nextNumber())
        (signal.path, signal.interface, signal.member, signal.sender) = ("/", "a.B", "C", ":1.7")
        pumped.played.send(signal.bytes)
        try pumped.finish()
        #expect(seen == 0)
        #expect(try pumped.played.messages().last?.member == "RemoveMatch")
    }

    @Test func `a bus that takes nothing holds nobody up for longer than allowed`() throws {
        let pumped = try PumpedBus()
        for _ in 1...60 { pumped.played.ping() }
        try pumped.turn()
        #expect(pumped.output.hasUnsentOfSdBus)
        #expect(throws: SdError("sd_bus_flush", errno: ETIMEDOUT)) { try pumped.played.bus.flush(within: 1000) }
        try pumped.signal(100_000)
        #expect(throws: SdError("sd_bus_flush", errno: ETIMEDOUT)) { try pumped.played.bus.flush(within: 0) }
        try pumped.finish()
        try pumped.played.bus.flush(within: 1000)
        pumped.played.end()
        try pumped.signal(10)
        try pumped.played.bus.flush(within: 60_000_000)
        #expect(pumped.failures.map(\.isDisconnected) == [true])
    }

    // MARK: Failures

    @Test func `too many unsent bytes end the connection`() throws {
        let played = try PlayedBus()
        try played.shrink()
        let output = try MessageOutput(played.bus.handle, mostUnsent: 200_000)
        var failures: [Int32] = []
        output.failed = { failures.append($0.code) }
        let bytes = [UInt8](repeating: 0, count: 100_000)
        var made = 0
        while failures.isEmpty {
            try output.signal("a.B", "C", at: "/", "ay") { try $0.append(bytes) }
            made += 1
        }
        #expect(failures == [ENOBUFS] && made <= 4)
        #expect(throws: SdError("MessageOutput", errno: ENOTCONN)) { try output.signal("a.B", "C", at: "/") }
        #expect(output.flush() && output.unsentBytes == 0)
    }

    @Test func `a closed connection is reported once, and nothing is written after it`() throws {
        let pumped = try PumpedBus()
        pumped.played.end()
        try pumped.signal(10)
        #expect(pumped.output.flush())
        #expect(pumped.failures.map(\.isDisconnected) == [true])
        #expect(throws: SdError("MessageOutput", errno: ENOTCONN)) { try pumped.signal(10) }
        try pumped.turn()
        #expect(pumped.disconnections == 1 && pumped.failures.count == 1)
    }

    @Test func `nothing is written to a descriptor that sd-bus has closed`() throws {
        let pumped = try PumpedBus()
        pumped.played.end()
        try pumped.signal(10)
        while pumped.disconnections == 0 {
            let result = sd_bus_process(pumped.played.bus.handle, nil)
            try #require(result > 0)
        }
        #expect(pumped.output.flush() && pumped.output.unsentBytes == 0)
        #expect(pumped.failures.isEmpty)
    }

    @Test(arguments: [false, true]) func `the end of the connection is reported while a call is held`(
        _ sdBusFirst: Bool
    ) throws {
        let pumped = try PumpedBus()
        pumped.answerBytes = { 30_000 }
        if sdBusFirst { for _ in 1...60 { pumped.played.ping() } }
        for _ in 1...3 {
            pumped.played.call("One")
            pumped.played.ping()
        }
        try pumped.turn()
        #expect(pumped.output.isBlocked)
        pumped.played.end()
        try pumped.turn()
        #expect(pumped.disconnections == 1)
    }

    // MARK: Anything in any order

    @Test(arguments: (1...30).map { UInt64($0) }) func `messages arrive whole, in order, and once`(_ seed: UInt64)
        throws
    {
        let pumped = try PumpedBus()
        var random = RandomValues(seed)
        var (calls, signals): ([UInt32], [Int]) = ([], [])
        var sizes: [Int] = []
        pumped.answerBytes = {
            sizes.append(random.chance(3) ? random.number(0...60_000) : random.number(0...300))
            return sizes.last ?? 0
        }
        var received: [WireMessage] = []
        var own: Set<UInt32> = []
        for _ in 1...300 {
            switch random.number(0...9) {
            case 0, 1: calls.append(pumped.played.ping())
            case 2: calls.append(pumped.played.call("Unknown", "org.example.Unknown"))
            case 3, 4:
                calls.append(pumped.played.call("Some"))
                own.insert(calls[calls.count - 1])
            case 5:
                signals.append(random.chance(4) ? random.number(0...100_000) : random.number(0...200))
                try pumped.signal(signals[signals.count - 1])
            case 6:
                // It waits until all is written, so that it would never end here otherwise.
                guard pumped.output.flush() else { continue }
                signals.append(-1)
                try OutgoingMessage(signal: pumped.played.bus, path: "/", interface: "a.B", member: "OfSdBus").send()
            case 7, 8: pumped.played.receive(atMost: random.number(1...random.one(of: [100, 5000, 100_000])))
            default: for _ in 0...random.number(0...3) { try pumped.loop.runOnce(timeout: 0) }
            }
            received += try pumped.played.messages()
        }
        try pumped.finish()
        received += try pumped.played.messages()
        #expect(received.compactMap(\.answered) == calls)
        let sent = received.filter { $0.kind == .signal }.map { $0.member == "C" ? $0.body.count - 4 : -1 }
        #expect(sent == signals)
        let answers = received.filter { $0.answered.map(own.contains) ?? false }
        #expect(answers.map { $0.body.count - 4 } == sizes)
        #expect(received.count == calls.count + signals.count && pumped.played.received.isEmpty)
        #expect(pumped.failures.isEmpty && pumped.disconnections == 0)
    }
}
