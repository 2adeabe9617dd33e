import BusTestSupport
import FlowFile
import Foundation
import Testing

/// The bus is killed (SIGKILL) and restarted under flowbusd, which has to reconnect by itself, with the tree.
@Suite("The bus is killed", .serialized)
struct BusKilledTests {
    /// A flowbusd that survives its buses.
    private final class World {
        let bus: PrivateBus
        let folders: KilledFolders
        let process: ChildProcess

        init(_ options: String...) throws {
            bus = try PrivateBus()
            folders = try KilledFolders()
            process = try Service.start(["--address", bus.address] + folders.options + options)
            try process.waitForLine(in: .errors) { $0.contains("Serving org.flowbus.Navigation1") }
        }

        func snapshot(_ client: TestClient) throws -> TreeSnapshot {
            Oracle.snapshot(
                at: try client.call(
                    Service.name, Service.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")[0])
        }
    }

    /// The part of each line that survives on another bus: the presentable, without its owner.
    private func lasting(_ snapshot: TreeSnapshot) -> [String: String] {
        snapshot.mapValues { node in
            let words = node.line.split(separator: " ").filter {
                $0 != "visible" && $0 != "presented" && !$0.hasPrefix("owner=")
            }
            return words.joined(separator: " ")
        }
    }

    @Test func `D-3 D-8 killed repeatedly at random moments: the tree is there each time, unowned and hidden`() throws {
        let seed = SeededGenerator.given
        var random = SeededGenerator(seed)
        let world = try World("--restore", "always")
        let definitions = try DefinitionFiles.load(
            from: DefinitionFolders(named: [world.folders.flows.path])
        ).definitions
        var numbers = 0
        /// The presentables before the kill, which stay.
        var before: [String: String] = [:]
        var serials: Set<UInt64> = []
        var underWay = 0
        let rounds = 6
        for round in 1...rounds {
            let clients = try ["a", "b"].map { try KillClient(world.bus, prefix: "\($0)\(round)", definitions) }
            clients[0].client.turn(clients[1].client)
            var read = [0, 0]
            func receiveAll() throws {
                for (place, client) in clients.enumerated() {
                    let news = client.client.log[read[place]...]
                    read[place] += news.count
                    for message in news { _ = try client.take(message, serials: &serials) }
                }
            }
            try clients[0].client.run(for: random.time(upTo: 100)) {
                try receiveAll()
                for client in clients { try client.go(&random, window: 4, numbers: &numbers) }
            }
            for client in clients {
                for _ in 0..<16 { try client.go(&random, window: 12, numbers: &numbers, isLater: true) }
            }
            for client in clients { try client.send() }
            try world.bus.kill()
            underWay += clients.reduce(0) { $0 + $1.snapshots.count - 1 }

            try world.bus.start()
            let reader = try TestClient(world.bus)
            try reader.waitForOwner(of: Service.name)
            let snapshot = try world.snapshot(reader)
            let flows = ["free", "stack", "tabs", "nested", "shared", "guests"]
            for (path, node) in snapshot {
                let isScreen = !flows.contains { node.line.hasPrefix($0) }
                #expect(!node.line.contains("owner="), "\(path) \(node.line)")
                #expect(!isScreen || !node.line.contains(" visible"), "\(path) \(node.line)")
            }
            let seen = lasting(snapshot)
            for (path, line) in before {
                #expect(seen[path] == line, "seed \(seed), round \(round): '\(path)' was there before")
            }
            for client in clients {
                let own = seen.filter { $0.key.hasPrefix("/\(client.prefix)_") }
                #expect(
                    client.snapshots.contains { lasting($0) == own },
                    "seed \(seed), round \(round): \(own), of \(client.snapshots.map(lasting))")
            }
            before = seen.filter { $0.key.contains("_") && !$0.key.hasPrefix("/guests") }
            // New instances are greater than earlier ones.
            let answer = try reader.call(
                Service.name, Service.tree + "/guests", Service.name + ".Stepper", "EmitStep", "seat",
                .options(["number": .int64(Int64(round))]))
            let serial = UInt64(answer[0].number ?? 0)
            #expect(serials.allSatisfy { $0 < serial }, "S-10 \(serial)")
            serials.insert(serial)
        }
        let log = world.process.errors.split(separator: "\n").filter { !$0.contains("flows.toml:") }
        #expect(world.process.exit == nil)
        print(
            "The bus killed: seed \(seed): \(rounds) times survived; \(serials.count) navigations answered, \(underWay) "
                + "calls under way; \(before.count) presentables there at last; \(log.count) lines logged")
    }

    @Test func `D-3 D-8 without --restore the tree on the next bus is a fresh one`() throws {
        let world = try World()
        let old = try TestClient(world.bus)
        try old.call(
            Service.name, Service.tree + "/guests", Service.name + ".Stepper", "EmitStep", "seat",
            .options(["number": .int64(1)]))
        try world.bus.kill()
        try world.bus.start()
        let new = try TestClient(world.bus)
        try new.waitForOwner(of: Service.name)
        #expect(try world.snapshot(new).keys.sorted() == ["/guests", "/shared"])
    }
}
