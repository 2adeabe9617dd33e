import BusTestSupport
import Glibc
import Platform
import SdBus
import Testing

/// A loop embedded in another one, and handlers as closures.
@Suite("Embedded loop")
struct EmbeddedLoopTests {
    private func isReadable(_ descriptor: Int32) -> Bool {
        var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&one, 1, 0) == 1
    }

    /// Runs turns until there is nothing to do.
    private func waitUntilIdle(_ loop: EventLoop) throws {
        while try loop.runOnce(timeout: 0) {}
    }

    @Test func `the descriptor can be read once for any number of wakeups`() throws {
        let loop = try EventLoop()
        let wakeup = try Wakeup(loop)
        try waitUntilIdle(loop)
        #expect(!isReadable(loop.descriptor))
        wakeup.signal()
        wakeup.signal()
        #expect(isReadable(loop.descriptor))
        #expect(try loop.runOnce(timeout: 0))
        #expect(try !loop.runOnce(timeout: 0))
        #expect(!isReadable(loop.descriptor))
        wakeup.signal()
        #expect(isReadable(loop.descriptor))
    }

    @Test func `a readable descriptor runs its closure until it is read, and while it is retained`() throws {
        let loop = try EventLoop()
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var turns = 0
        var input: Input? = try loop.onReadable(ends[0]) { turns += 1 }
        try waitUntilIdle(loop)
        #expect(turns == 0)
        #expect(write(ends[1], "x", 1) == 1)
        #expect(isReadable(loop.descriptor))
        try loop.runOnce(timeout: 0)
        try loop.runOnce(timeout: 0)
        #expect(turns == 2)
        withExtendedLifetime(input) {}
        input = nil
        try waitUntilIdle(loop)
        #expect(turns == 2)
    }

    @Test func `a timer that is armed between turns is waited for after a wakeup`() throws {
        let loop = try EventLoop()
        let wakeup = try Wakeup(loop)
        var fired = 0
        let timer = try loop.timer { fired += 1 }
        try waitUntilIdle(loop)
        try timer.arm(at: MonotonicClock.now + 1000)
        wakeup.signal()
        try waitUntilIdle(loop)
        var one = pollfd(fd: loop.descriptor, events: Int16(POLLIN), revents: 0)
        if fired == 0 { #expect(poll(&one, 1, 10_000) == 1) }
        try waitUntilIdle(loop)
        #expect(fired == 1)
    }

    @Test func `connecting does not block: messages are sent once the bus has answered`() throws {
        let daemon = try PrivateBus()
        let loop = try EventLoop()
        let bus = try Bus(connectingTo: .address(daemon.address))
        try bus.attach(to: loop)
        var answers: [String] = []
        let message = try OutgoingMessage(
            call: bus, destination: "org.freedesktop.DBus", path: "/", interface: "org.freedesktop.DBus",
            member: "GetId")
        let call = try message.call { answers.append(String(cString: $0.signature)) }
        while answers.isEmpty { try loop.runOnce(timeout: 10_000_000) }
        withExtendedLifetime(call) {}
        #expect(answers == ["s"] && bus.uniqueName.hasPrefix(":"))
        #expect(throws: SdError.self) { try Bus(connectingTo: .address("unix:path=/nonexistent/bus")) }
    }

    @Test func `an object is served until it is released, and so are answers`() throws {
        let daemon = try PrivateBus()
        let client = try TestClient(daemon)
        let loop = try EventLoop()
        let bus = try Bus(.address(daemon.address))
        try bus.attach(to: loop)
        client.turn(loop)
        let interface = ServedInterface(
            InterfaceDescription(
                "org.example.Echo",
                methods: [.init(served: "Echo", in: [.init("text", "s")], out: [.init("text", "s")])]))
        var members: [String] = []
        var object: MessageReceiver? = try bus.serve(path: "/echo", [interface]) { call in
            members.append(String(cString: call.member))
            guard let text = try? call.readString(), let reply = try? OutgoingMessage(replyTo: call) else { return }
            try? reply.body.append(text)
            try? reply.send()
        }
        #expect(throws: SdError.self) { try bus.serve(path: "/echo", [interface]) { _ in } }
        #expect(try client.call(bus.uniqueName, "/echo", "org.example.Echo", "Echo", "hello") == ["hello"])
        #expect(throws: BusError.self) { try client.call(bus.uniqueName, "/echo", "org.example.Echo", "Echo", true) }
        withExtendedLifetime(object) {}
        object = nil
        let error = #expect(throws: BusError.self) {
            try client.call(bus.uniqueName, "/echo", "org.example.Echo", "Echo", "hello")
        }
        #expect(error?.name == "org.freedesktop.DBus.Error.UnknownObject" && members == ["Echo"])
    }
}
