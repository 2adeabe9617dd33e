import BusTestSupport
import FlowCore
import FlowFile
import Foundation

/// A daemon that is killed at random moments while clients navigate, with the conditions that have to hold.
final class KillRun {
    private let daemon: any KilledDaemon
    private let definitions: Definitions
    private let seed: UInt64
    private var random: SeededGenerator
    private var clients: [KillClient] = []
    private let shared: SharedRoots
    /// Receives all signals, and reads the tree.
    private let listener: TestClient
    /// Processes that emit on request.
    private let others: [ChildProcess]
    private var owners: [(client: TestClient, path: String)] = []
    /// The position in each client's log.
    private var read: [ObjectIdentifier: Int] = [:]
    private var numbers = 0
    private var serials: Set<UInt64> = []
    private var received = ReceivedNavigations()
    private var kills = 0
    private var isDead = false
    private var ownersGone = 0

    init(_ daemon: any KilledDaemon, seed: UInt64) throws {
        self.daemon = daemon
        self.seed = seed
        random = SeededGenerator(seed)
        definitions = try DefinitionFiles.load(from: DefinitionFolders(named: [daemon.flows.path])).definitions
        listener = try TestClient(daemon.bus)
        shared = try SharedRoots(daemon.bus)
        others = try (1...2).map { number in
            let other = try ChildProcess(
                Service.program(named: "test-peer"), ["org.example.Other\(number)"],
                environment: ["DBUS_STARTER_ADDRESS": daemon.bus.address])
            try other.waitForLine { $0 == "ready" }
            return other
        }
        listener.turn(shared.guard)
        listener.turn(shared.presenter)
        try listener.addMatch("type='signal',sender='\(Service.name)'")
        for name in ["a", "b", "c"] {
            let client = try KillClient(daemon.bus, prefix: name, definitions)
            clients.append(client)
            listener.turn(client.client)
        }
    }

    /// Kills it at least a number of times.
    ///
    /// - Returns: a summary.
    func play(_ wanted: Int) throws -> String {
        do {
            var lives = 0
            while kills < wanted {
                lives += 1
                try live(isLong: lives % 10 == 3)
                if lives % 4 == 0 { try waitUntilIdle() }
            }
            try waitUntilIdle()
        } catch {
            throw TestFailure("seed \(seed), after \(kills) kills: \(error)\n--- flowbusd\n\(log)")
        }
        var counts = KillCounts()
        for client in clients { counts += client.counts }
        return """
            seed \(seed): \(kills) kills survived; \(counts.made) calls of \(clients.count) clients, beside \(others.count) \
            processes; \(counts.answered) of them answered, \(counts.lost) \
            lost with flowbusd and made again, of which \(counts.firstOutcomes) got the first outcome by their token; \
            \(counts.recalled) answers were given once more; \(shared.taken) steps with a late guard, \
            \(shared.concludedLate) of them pending over a restart, \(shared.repeats) questions and \
            Presents asked again; \(ownersGone) owners left meanwhile; \(received.count) navigations received
            """
    }

    /// The end of its log, without warnings about definitions.
    private var log: String {
        daemon.log.split(separator: "\n").filter { !$0.contains("flows.toml:") }.suffix(20).joined(separator: "\n")
    }

    // MARK: One life

    private func live(isLong: Bool) throws {
        try listener.ping(Service.name)
        let window = random.number(1...8)
        let time: Duration = isLong ? .milliseconds(1_200) : random.time(upTo: 30)
        try addOwners()
        var asking = random.number(0...4)
        try listener.run(for: time) {
            try receiveAll()
            for client in clients { try client.go(&random, window: window, numbers: &numbers) }
            if asking > 0, random.chance(20), let client = clients.randomElement(using: &random) {
                asking -= 1
                numbers += 1
                try shared.ask(numbers, by: client.client)
            }
            try shared.answer(&random)
        }
        // Many calls, in the middle of which it is killed.
        for client in clients {
            for _ in 0..<32 { try client.go(&random, window: 24, numbers: &numbers, isLater: true) }
        }
        for number in 1...others.count {
            for _ in 0..<random.number(0...3) {
                try listener.post(
                    "org.example.Other\(number)", "/peer", "org.flowbus.TestPeer", "Do", "--emit=/shared:nudge")
            }
        }
        for client in clients { try client.send() }
        if daemon.isActivated {
            // All calls have to be on their way to this process, and none left for the next one.
            for client in clients { try client.client.ping() }
        }
        try listener.run(for: random.time(upTo: random.chance(60) ? 2 : 8)) {}
        try daemon.kill()
        try listener.wait(for: "the bus to answer what flowbusd does not") {
            try receiveAll()
            return clients.allSatisfy(\.isQuiet) && shared.isQuiet
        }
        let gone = try dismissOwned()
        kills += try daemon.restartAfterKill(&random)

        let snapshot = try snapshot()
        for client in clients { try client.compare(snapshot) }
        try shared.compare(snapshot)
        for owner in owners {
            guard snapshot[owner.path]?.line.contains("owner=\(owner.client.uniqueName)") == true else {
                throw TestFailure("D-3: '\(owner.path)' has lost its owner: \(snapshot[owner.path]?.line ?? "gone")")
            }
        }
        for path in gone where snapshot[path] != nil {
            // That takes a question to the bus.
            while try self.snapshot()[path] != nil { try listener.waitForSignal("InterfacesRemoved") }
        }
        for client in clients { try client.again(&random) }
        try shared.again()
    }

    /// Waits until everything is answered, and checks the whole state.
    private func waitUntilIdle() throws {
        repeat {
            try listener.wait(for: "all answers") {
                try receiveAll()
                try shared.answer(&random, all: true)
                return clients.allSatisfy(\.isDone) && shared.isDecided
            }
            // Their pings come back after all that their answers led to, and after its signals.
            for client in [shared.presenter, shared.guard, listener] { try client.ping(Service.name) }
            try receiveAll()
        } while !shared.isDecided
        let snapshot = try snapshot()
        for client in clients {
            try client.compare(snapshot)
            client.forgetAnswers()
        }
        try shared.compare(snapshot, isDecided: true)
        try received.compare(with: listener, answered: clients.flatMap { $0.takeAcknowledged() })
        if snapshot.keys.count(where: { $0.hasPrefix("/shared/") }) > 20 {
            try listener.call(
                Service.name, Service.tree + "/shared", Service.name + ".Stepper", "EmitStep", "wipe", .options())
            shared.forget()
        }
        for client in [listener, shared.guard, shared.presenter] + clients.map(\.client) { client.clearLog() }
        read = [:]
    }

    // MARK: Owners that leave

    private func addOwners() throws {
        guard owners.count < 3 else { return }
        let owner = try TestClient(daemon.bus)
        numbers += 1
        let seat = ClientOperation.emit(.init(name: "seat", number: numbers), on: "/guests")
        try owner.answer(to: seat.start(by: owner, token: nil))
        let path = try snapshot().first { $0.key.hasPrefix("/guests/") && $0.value.line.hasPrefix("chair \(numbers)") }?
            .key
        guard let path else { throw TestFailure("D-1: chair \(numbers) is not there, which was answered") }
        try owner.answer(to: ClientOperation.claim(path).start(by: owner, token: nil))
        owners.append((owner, path))
    }

    private func dismissOwned() throws -> [String] {
        var gone: [String] = []
        while let owner = owners.first, random.chance(40) {
            owner.client.disconnect()
            gone.append(owner.path)
            owners.removeFirst()
            ownersGone += 1
        }
        return gone
    }

    // MARK: Receiving and reading

    /// Reads the tree; with bus activation this starts the daemon.
    private func snapshot() throws -> TreeSnapshot {
        while true {
            do {
                return Oracle.snapshot(
                    at: try listener.call(
                        Service.name, Service.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")[0])
            } catch let error as BusError where error.name == "org.freedesktop.DBus.Error.NoReply" {
                // The bus had not noticed its death yet.
            }
        }
    }

    /// Takes what arrived.
    private func receiveAll() throws {
        for message in news(of: listener) where message.kind == .signal && message.member == "NavigationOccurred" {
            try received.note(message)
        }
        for client in clients {
            for message in news(of: client.client) {
                if try client.take(message, serials: &serials) { continue }
                _ = try shared.take(message, by: client.client)
            }
        }
    }

    private func news(of client: TestClient) -> ArraySlice<ReceivedMessage> {
        let start = read[ObjectIdentifier(client)] ?? 0
        read[ObjectIdentifier(client)] = client.log.count
        return client.log[start...]
    }
}

/// The signaled navigations, compared with the history.
struct ReceivedNavigations {
    private struct Navigation {
        let serial: UInt64
        let flow: String
        let step: String
        /// Whether it can have changed a presentable.
        let hasContributors: Bool
    }

    /// The navigations of each process, by its unique name, and the time when it was killed.
    private var reported: [String: [Navigation]] = [:]
    private var latest: UInt64 = 0
    private(set) var count = 0
    private var compared: UInt64 = 0

    mutating func note(_ message: ReceivedMessage) throws {
        let serial = UInt64(message.values[0].number ?? 0)
        guard serial > latest else { throw TestFailure("S-10: serial \(serial) after \(latest): \(message)") }
        latest = serial
        count += 1
        reported[message.sender, default: []].append(
            Navigation(
                serial: serial, flow: message.path, step: message.values[3].text ?? "",
                hasContributors: !message.values[5].elements.isEmpty))
    }

    /// Compares them, and the answers, with the history: it is in the order of serials, and lacks at most the last
    /// navigations of a process that changed nothing (D-2).
    mutating func compare(with client: TestClient, answered: [UInt64]) throws {
        var entries: [UInt64: BusValue] = [:]
        var last = compared
        var hasMore = true
        while hasMore {
            let page = try client.call(
                Service.name, Service.root, Service.name + ".History", "GetHistory", .uint64(last), .uint32(100),
                .options())
            for entry in page[0].elements {
                let serial = UInt64(entry.elements[0].number ?? 0)
                guard serial > last else { throw TestFailure("the history has \(serial) after \(last)") }
                last = serial
                entries[serial] = entry
            }
            hasMore = page[1] == true
        }
        let bus = "org.freedesktop.DBus"
        let live = try client.call(bus, "/", bus, "GetNameOwner", .string(Service.name))[0].text ?? ""
        for (name, reported) in reported {
            let missing = reported.filter { entries[$0.serial] == nil }
            guard missing.map(\.serial) == reported.suffix(missing.count).map(\.serial) else {
                throw TestFailure("the history of one life has holes: \(missing) of \(reported.map(\.serial))")
            }
            if name == live, let first = missing.first {
                throw TestFailure("the history lacks \(first), which is not lost")
            }
            if let first = missing.first(where: \.hasContributors) {
                throw TestFailure("D-2: the history lacks \(first), which may have changed the tree")
            }
            guard missing.count < 400 else { throw TestFailure("the history lacks \(missing.count) navigations") }
            for navigation in reported {
                guard let entry = entries[navigation.serial]?.elements else { continue }
                guard entry[1].text == navigation.flow, entry[3].text == navigation.step else {
                    throw TestFailure("the history says \(entry) of \(navigation)")
                }
            }
        }
        let unchanging = Set(reported.values.joined().filter { !$0.hasContributors }.map(\.serial))
        if let serial = answered.first(where: { entries[$0] == nil && !unchanging.contains($0) }) {
            throw TestFailure("D-2: the history lacks \(serial), which was answered")
        }
        compared = last
        reported = [:]
    }
}
