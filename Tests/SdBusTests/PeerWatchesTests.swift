import BusTestSupport
import Glibc
import SdBus
import Testing

@Suite("Peers that go")
struct PeerWatchesTests {
    private final class Transcript {
        var gone: [String] = []
        var users: [String: UInt32] = [:]
        var watches: PeerWatches?

        func watch(_ service: ExampleService) throws {
            let output = try #require(service.pump?.output)
            watches = try PeerWatches(service.bus, output) { [unowned self] name, user in
                users[name] = user
            } gone: { [unowned self] name in
                gone.append(name)
            }
        }
    }

    private func turn(_ loop: EventLoop) throws { while try loop.runOnce(timeout: 0) {} }

    @Test func `S-33 the user of a connection is reported, and its end once`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon, withPump: true)
        let peer = try TestClient(daemon)
        let transcript = Transcript()
        try transcript.watch(service)
        for _ in 1...2 { try transcript.watches?.watch(peer.uniqueName) }
        try client.wait(for: "the user") { !transcript.users.isEmpty }
        try client.ping("org.example.Service")
        try turn(service.loop)
        #expect(transcript.users == [peer.uniqueName: geteuid()])
        #expect(transcript.gone.isEmpty)
        // A connection that is known to be live is queried once.
        transcript.users = [:]
        try transcript.watches?.watch(peer.uniqueName)
        try client.ping("org.example.Service")
        try turn(service.loop)
        #expect(transcript.users.isEmpty)
        peer.disconnect()
        try client.wait(for: "the end") { !transcript.gone.isEmpty }
        try client.ping("org.example.Service")
        try turn(service.loop)
        #expect(transcript.gone == [peer.uniqueName])
    }

    @Test func `a connection that is gone already is reported soon, and not during the call`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon, withPump: true)
        let peer = try TestClient(daemon)
        let name = peer.uniqueName
        peer.disconnect()
        try client.waitForEnd(of: name)
        let transcript = Transcript()
        try transcript.watch(service)
        try transcript.watches?.watch(name)
        #expect(transcript.gone.isEmpty)
        try client.wait(for: "the end") { !transcript.gone.isEmpty }
        try client.ping("org.example.Service")
        #expect(transcript.gone == [name])
    }

    @Test func `an unwatched connection is not reported, and the handler can watch again`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon, withPump: true)
        let transcript = Transcript()
        let peers = try (0..<2).map { _ in try TestClient(daemon) }
        let names = peers.map(\.uniqueName)
        // Its handler has it, too.
        defer { transcript.watches = nil }
        let output = try #require(service.pump?.output)
        transcript.watches = try PeerWatches(service.bus, output) { _, _ in
        } gone: { name in
            // It is gone for good, which is reported again.
            if transcript.gone.isEmpty { #expect(throws: Never.self) { try transcript.watches?.watch(name) } }
            transcript.gone.append(name)
        }
        try transcript.watches?.watch(names[1])
        for peer in peers { peer.disconnect() }
        try client.wait(for: "the end") { transcript.gone.count == 2 }
        try client.ping("org.example.Service")
        try turn(service.loop)
        #expect(transcript.gone == [names[1], names[1]])
    }

    @Test func `an invalid connection name is an error`() throws {
        let daemon = try PrivateBus()
        let bus = try Bus(.address(daemon.address))
        let pump = try MessagePump(bus, EventLoop())
        let watches = try PeerWatches(bus, pump.output) { _, _ in
            Issue.record("reported")
        } gone: { _ in
            Issue.record("reported")
        }
        for name in ["", "org.example.Service"] {
            #expect(throws: SdError("PeerWatches.watch", errno: EINVAL)) { try watches.watch(name) }
        }
    }
}
