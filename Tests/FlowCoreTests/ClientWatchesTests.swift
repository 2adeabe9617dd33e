import Testing

@testable import FlowCore

@Suite("Watched clients")
struct ClientWatchesTests {
    @Test func `S-29 a client is watched as long as it has something`() {
        var watches = ClientWatches()
        let client = Client(":1.1")
        let hadAny = watches.removeAll(of: client)
        #expect(!watches.contains(client) && !hadAny)
        watches.add(client)
        watches.add(client)
        watches.remove(client)
        #expect(watches.contains(client) && watches.counts == [client: 1])
        watches.remove(client)
        #expect(watches.isEmpty)
        // One that is gone has nothing any more.
        watches.remove(client)
        #expect(watches.isEmpty)
        watches.add(client)
        let hadOne = watches.removeAll(of: client)
        #expect(hadOne && watches.isEmpty)
    }
}
