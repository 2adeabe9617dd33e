import BusTestSupport
import Glibc
import SdBus
import Testing

@Suite("Peers that go")
struct PeerWatchesTests {
    private final class Told {
        var gone: [String] = []
        var users: [String: UInt32] = [:]
        var watches: PeerWatches?

        func watch(_ bus: Bus) throws {
            watches = try PeerWatches(bus) { [unowned self] name, user in
                users[name] = user
            } gone: { [unowned self] name in
                gone.append(name)
            }
        }
    }

    private func turn(_ loop: EventLoop) throws { while try loop.runOnce(timeout: 0) {} }

    @Test func `S-33 the user of a connection is told, and its end once`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        let peer = try TestClient(daemon)
        let told = Told()
        try told.watch(service.bus)
        for _ in 1...2 { try told.watches?.watch(peer.uniqueName) }
        try client.wait(for: "the user") { !told.users.isEmpty }
        try client.ping("org.example.Service")
        try turn(service.loop)
        #expect(told.users == [peer.uniqueName: geteuid()])
        #expect(told.gone.isEmpty)
        // One that is known to be there is asked about once.
        told.users = [:]
        try told.watches?.watch(peer.uniqueName)
        try client.ping("org.example.Service")
        try turn(service.loop)
        #expect(told.users.isEmpty)
        peer.disconnect()
        try client.wait(for: "the end") { !told.gone.isEmpty }
        try client.ping("org.example.Service")
        try turn(service.loop)
        #expect(told.gone == [peer.uniqueName])
    }

    @Test func `one that is gone already is told soon, and not while it comes to be watched`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        let peer = try TestClient(daemon)
        let name = peer.uniqueName
        peer.disconnect()
        try client.waitForEnd(of: name)
        let told = Told()
        try told.watch(service.bus)
        try told.watches?.watch(name)
        #expect(told.gone.isEmpty)
        try client.wait(for: "the end") { !told.gone.isEmpty }
        try client.ping("org.example.Service")
        #expect(told.gone == [name])
    }

    @Test func `one that nobody watches is not told, and the handler may watch anew`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        let told = Told()
        let peers = try (0..<2).map { _ in try TestClient(daemon) }
        let names = peers.map(\.uniqueName)
        told.watches = try PeerWatches(service.bus) { _, _ in
        } gone: { name in
            // It is gone for good, which is told again.
            if told.gone.isEmpty { #expect(throws: Never.self) { try told.watches?.watch(name) } }
            told.gone.append(name)
        }
        try told.watches?.watch(names[1])
        for peer in peers { peer.disconnect() }
        try client.wait(for: "the end") { told.gone.count == 2 }
        try client.ping("org.example.Service")
        try turn(service.loop)
        #expect(told.gone == [names[1], names[1]])
    }

    @Test func `what is no name of a connection is an error`() throws {
        let daemon = try PrivateBus()
        let bus = try Bus(.address(daemon.address))
        let watches = try PeerWatches(bus) { _, _ in
            Issue.record("told")
        } gone: { _ in
            Issue.record("told")
        }
        for name in ["", "org.example.Service"] {
            #expect(throws: SdError("PeerWatches.watch", errno: EINVAL)) { try watches.watch(name) }
        }
    }
}
