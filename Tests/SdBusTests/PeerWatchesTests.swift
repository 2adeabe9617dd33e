import BusTestSupport
import Glibc
import SdBus
import Testing

@Suite("Peers that go")
struct PeerWatchesTests {
    private final class Told {
        var gone: [String] = []
        var watches: PeerWatches?
    }

    private func turn(_ loop: EventLoop) throws { while try loop.runOnce(timeout: 0) {} }

    @Test func `the end of a connection is told once`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        let peer = try TestClient(daemon)
        let told = Told()
        told.watches = try PeerWatches(service.bus) { told.gone.append($0) }
        for _ in 1...2 { try told.watches?.watch(peer.uniqueName) }
        try client.ping("org.example.Service")
        try turn(service.loop)
        #expect(told.gone.isEmpty)
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
        try client.waitUntilGone(name)
        let told = Told()
        told.watches = try PeerWatches(service.bus) { told.gone.append($0) }
        try told.watches?.watch(name)
        #expect(told.gone.isEmpty)
        try client.wait(for: "the end") { !told.gone.isEmpty }
        try client.ping("org.example.Service")
        #expect(told.gone == [name])
    }

    @Test func `one that is watched no longer is not told, and the handler may watch anew`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        let told = Told()
        let peers = try (0..<3).map { _ in try TestClient(daemon) }
        let names = peers.map(\.uniqueName)
        told.watches = try PeerWatches(service.bus) { name in
            // It is gone for good, which is told again.
            if told.gone.isEmpty { #expect(throws: Never.self) { try told.watches?.watch(name) } }
            told.gone.append(name)
        }
        for name in names.prefix(2) { try told.watches?.watch(name) }
        told.watches?.unwatch(names[0])
        for peer in peers { peer.disconnect() }
        try client.wait(for: "the end") { told.gone.count == 2 }
        try client.ping("org.example.Service")
        try turn(service.loop)
        #expect(told.gone == [names[1], names[1]])
    }

    @Test func `what is no name of a connection is an error`() throws {
        let daemon = try PrivateBus()
        let bus = try Bus(.address(daemon.address))
        let watches = try PeerWatches(bus) { _ in Issue.record("told") }
        for name in ["", "org.example.Service"] {
            #expect(throws: SdError("PeerWatches.watch", errno: EINVAL)) { try watches.watch(name) }
        }
    }
}

extension TestClient {
    /// Waits until a connection is gone.
    fileprivate func waitUntilGone(_ name: String) throws {
        let bus = "org.freedesktop.DBus"
        try addMatch("type='signal',sender='\(bus)',member='NameOwnerChanged',arg0='\(name)'")
        let isThere = try call(bus, "/", bus, "NameHasOwner", .string(name)) == [true]
        if isThere { try waitForSignal("NameOwnerChanged") { $0.values[2] == "" } }
    }
}
