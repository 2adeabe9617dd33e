import BusTestSupport
import Foundation
import Glibc
import Store
import Testing

/// When records are written, and the behavior if they can't be.
@Suite("Persistence")
struct PersistenceTests {
    private func setVisible(_ service: Service, _ path: String, _ isVisible: Bool) throws -> AwaitedReply {
        try service.client.start(
            Service.name, Service.tree + path, Service.name + ".Presentable", "SetVisible", [.bool(isVisible)])
    }

    private func get(_ service: Service, _ path: String, _ name: String) throws -> AwaitedReply {
        try service.client.start(
            Service.name, Service.tree + path, "org.freedesktop.DBus.Properties", "Get",
            [.string(Service.name + ".Presentable"), .string(name)])
    }

    private func durable(_ service: Service, by client: TestClient? = nil) throws -> Bool {
        try (client ?? service.client).property(
            Service.name, Service.root, Service.name + ".Coordinator", "Durable") == true
    }

    @Test
    func `S-10 D-9 while another process locks the tree, serials jump beyond those it can assign`()
        throws
    {
        let service = try Service(shopDefinitions)
        try service.emit("pick", ["item": .int64(1)], on: "/shop")
        service.process.send(signal: SIGKILL)
        _ = try service.process.waitForExit()
        let other = try StoreFile(try service.storedFile())
        try withExtendedLifetime(other) {
            try service.start()
            #expect(try service.emit("pick", ["item": .int64(1)], on: "/shop")[0].number ?? 0 > 1 << 48)
            #expect(try durable(service) == false)
        }
    }

    // MARK: D-1, D-2

    @Test func `D-1 a burst of changes shares commits, is answered in order, and is persisted`() throws {
        let service = try Service(shopDefinitions)
        for _ in 0..<50 { try service.emit("pick", ["item": .int64(1)], on: "/shop") }
        let paths = ["/shop/detail"] + (2...50).map { "/shop/detail_\($0)" }
        service.client.clearLog()
        let calls = try paths.map { try setVisible(service, $0, true) }
        for call in calls { #expect(try service.client.answer(to: call) == []) }
        #expect(service.client.log.compactMap(\.replyTo) == calls)
        try service.restart()
        for path in paths { #expect(try service.property("Visible", of: path, "Presentable") == true) }
    }

    @Test func `D-1 immediate answers do not overtake those that wait for a commit`() throws {
        let service = try Service(shopDefinitions)
        let (client, bus, list) = (service.client, "org.freedesktop.DBus", Service.tree + "/shop/list")
        let atOnce: [() throws -> AwaitedReply] = [
            { try get(service, "/shop/list", "Visible") },
            // sd-bus answers these by itself.
            { try client.start(Service.name, "/", bus + ".Peer", "Ping") },
            { try setVisible(service, "/shop/none", true) },
            { try client.start(Service.name, list, Service.name + ".Presentable", "SetVisible", ["yes"]) },
            { try client.start(Service.name, list, Service.name + ".Presentable", "Nonsense") },
            { try client.start(Service.name, "/elsewhere", Service.name + ".Presentable", "Claim") },
            { try client.start(Service.name, list, bus + ".Introspectable", "Introspect") },
            { try client.start(Service.name, Service.root, bus + ".ObjectManager", "GetManagedObjects") },
            { try service.startEmit("nonsense", on: "/shop") },
            { try client.start(Service.name, list, Service.name + ".Stepper", "GetAcceptedSteps") },
            { try client.start(Service.name, Service.root, Service.name + ".Coordinator", "GetSerial") },
        ]
        client.clearLog()
        var calls: [AwaitedReply] = []
        var isVisible = false
        for _ in 0..<10 {
            for call in atOnce {
                isVisible.toggle()
                calls += [try setVisible(service, "/shop/list", isVisible), try call()]
            }
        }
        try service.synchronize()
        #expect(Array(client.log.compactMap(\.replyTo).prefix(calls.count)) == calls)
        // Each Get returns the result of the change before it.
        let reported = try stride(from: 1, to: calls.count, by: 2 * atOnce.count).map {
            try client.answer(to: calls[$0])[0]
        }
        #expect(reported == (0..<10).map { .variant(.bool($0.isMultiple(of: 2))) })
    }

    @Test func `D-1 signals of a change come before its answer, also in a burst`() throws {
        let service = try Service(shopDefinitions)
        try service.listen()
        let calls = try [true, false, true].map { try setVisible(service, "/shop/list", $0) }
        for call in calls { try service.client.answer(to: call) }
        #expect(
            service.client.transcriptOfTree
                == [true, false, true].flatMap { isVisible in
                    ["PropertiesChanged /shop/list Presented=\(isVisible) Visible=\(isVisible)", "answer "]
                })
    }

    @Test func `D-2 serials and instances may jump over a crash, and never repeat`() throws {
        let service = try Service(shopDefinitions)
        var (serial, instance) = (0, 0)
        for _ in 0..<5 {
            for _ in 0..<3 {
                let next = try service.emit("pick", ["item": .int64(1)], on: "/shop")[0].number ?? 0
                #expect(next > serial)
                serial = next
            }
            // A navigation that changes no node.
            let next = try service.emit("closed", on: "/shop")[0].number ?? 0
            #expect(next > serial)
            serial = next
            let path = try #require(service.objects().keys.last)
            let number =
                try service.property(
                    "Instance", of: String(path.dropFirst(Service.tree.count)), "Presentable"
                ).number ?? 0
            #expect(number > instance)
            instance = number
            try service.restart()
            #expect(try service.coordinator("GetSerial")[0].number ?? 0 >= serial)
        }
    }

    @Test func `D-3 a trace of a restored coordinator replays to the same effects`() throws {
        let folder = try TemporaryDirectory()
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        try service.presentable("Claim", "/shop/pay/basket")
        let trace = folder.path + "/trace"
        try service.restart("--record", trace)
        try service.emit("done", on: "/shop/pay/basket")
        // And another life in the same process.
        try service.restartBus()
        try service.emit("check", on: "/shop")
        try service.process.terminate()
        let replay = try Service.start(["--replay", trace, "--flows", service.flows.path])
        #expect(try replay.waitForExit() == .status(0), "\(replay.errors)")
        #expect(replay.output.contains("the same effects"))
        #expect(try String(contentsOfFile: trace, encoding: .utf8).contains(" restored "))
    }

    // MARK: D-6

    /// Kinds of damage to a file.
    enum Damage: String, CaseIterable, CustomTestStringConvertible {
        case noise, truncated, foreign, older, newer, empty, text

        var testDescription: String { rawValue }

        private var format: Int { self == .older ? 1 : 999 }

        /// What the log says of the file, as far as it is certain.
        func reason(_ file: String) -> String {
            self == .older || self == .newer ? "'\(file)' has format \(format); only format 4 can be read" : file
        }

        func happen(to file: String) throws {
            let url = URL(fileURLWithPath: file)
            switch self {
            case .noise:
                let data = try Data(contentsOf: url)
                try Data(data.indices.map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 11) }).write(to: url)
            case .truncated: try Data(contentsOf: url).prefix(3_000).write(to: url)
            case .foreign: try sqlite(file, "PRAGMA application_id = 1234567")
            case .older, .newer: try sqlite(file, "PRAGMA user_version = \(format)")
            // Another program's, which is a database as well.
            case .empty:
                try FileManager.default.removeItem(atPath: file)
                try sqlite(file, "CREATE TABLE bookmarks (name TEXT)")
            case .text: try Data("not a database at all\n".utf8).write(to: url)
            }
        }

        private func sqlite(_ file: String, _ command: String) throws {
            let python = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"
            let process = try ChildProcess("python3", ["-c", python, file, command])
            let exit = try process.waitForExit()
            guard exit == .status(0) else { throw TestFailure("\(command): \(process.errors)") }
        }
    }

    @Test(arguments: Damage.allCases)
    func `D-6 an unreadable tree file is moved aside, never deleted, and does not block the start`(damage: Damage)
        throws
    {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        let serial = try service.coordinator("GetSerial")[0].number ?? 0
        try service.process.terminate()
        let file = try service.storedFile()
        try damage.happen(to: file)
        let content = try Data(contentsOf: URL(fileURLWithPath: file))
        try service.start()
        #expect(try service.objects().keys == [Service.tree + "/shop", Service.tree + "/shop/list"])
        #expect(try durable(service))
        // The history's file knows how far serials are reserved, too.
        #expect(try service.coordinator("GetSerial")[0].number ?? 0 > serial)
        let line = try service.process.waitForLine(in: .errors) { $0.contains("'\(file)' can't be read") }
        #expect(line.hasPrefix("flowbusd: error: ") && line.contains(damage.reason(file)))
        let folder = (file as NSString).deletingLastPathComponent
        let aside = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder).map { folder + "/" + $0 }.first {
                line.contains("'\($0)'") && $0 != file
            }, "\(line)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == content)
        // The new file is written.
        try service.emit("check", on: "/shop")
        let before = try service.objects()
        try service.restart()
        #expect(try service.objects() == before)
    }

    @Test(arguments: Damage.allCases) func `D-6 an unreadable history does not affect the tree`(
        damage: Damage
    ) throws {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        let before = try service.objects()
        try service.process.terminate()
        try damage.happen(to: service.storedFile("state/history.db"))
        try service.start()
        #expect(try service.objects() == before)
        let line = "The history in '\(service.stores.path)/state/history.db' can't be read"
        #expect(service.process.errors.contains(line))
        try service.emit("closed", on: "/shop")
        #expect(try service.history().entries.last?[3] == "closed")
    }

    @Test func `D-6 S-10 damage of the history that SQLite does not notice is detected, and serials continue`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("closed", on: "/shop")
        try service.process.terminate()
        let file = URL(fileURLWithPath: try service.storedFile("state/history.db"))
        var data = try Data(contentsOf: file)
        let place = try #require(data.range(of: Data("closed".utf8)))
        data[place.lowerBound] ^= 1
        try data.write(to: file)
        try service.start()
        let serial = try service.emit("check", on: "/shop")[0].number ?? 0
        let steps = try service.history().entries.map { $0[3] }
        #expect(steps.suffix(2) == ["check", "card"] && !steps.contains("closed"))
        try service.process.waitForLine(in: .errors) { $0.contains("The history in '\(file.path)' can't be read") }
        // Now it is all there is.
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        let tree = try service.storedFile()
        for suffix in ["", "-wal", "-commit"] { try FileManager.default.removeItem(atPath: tree + suffix) }
        try service.start()
        #expect(try service.coordinator("GetSerial")[0].number ?? 0 > serial)
    }

    // MARK: D-7

    @Test func `D-7 if the tree can't be written everything continues, Durable is false, and it is written later`()
        throws
    {
        let stores = try TemporaryDirectory()
        // A file where there should be a folder: for root, too.
        try stores.write("", to: "run")
        let manager = try NotifySocket()
        let service = try Service(shopDefinitions, environment: ["NOTIFY_SOCKET": manager.path], stores: stores)
        #expect(try manager.wait(for: "READY=1").contains("STATUS=1 flow, 1 screen; not stored: "))
        #expect(try !durable(service))
        try service.listen()
        try service.emit("check", on: "/shop")
        try service.show("/shop/pay/basket")
        try FileManager.default.removeItem(atPath: stores.path + "/run")
        let change = try service.client.waitForSignal("PropertiesChanged") { $0.path == Service.root }
        #expect(change.values == [.string(Service.name + ".Coordinator"), .options(["Durable": true]), .strings([])])
        #expect(try durable(service))
        _ = try manager.wait(for: "STATUS=2 flows, 2 screens")
        let file = try service.storedFile()
        try service.process.waitForLine(in: .errors) { $0.contains("The tree is stored again in '\(file)'") }
        let lines = service.process.errors.split(separator: "\n")
        #expect(lines.count { $0.contains("error") && $0.contains("The tree is not stored") } == 1)
        #expect(lines.count { $0.contains("The tree is stored again in '\(file)'") } == 1)
        let before = try service.objects()
        service.process.send(signal: SIGKILL)
        try service.process.waitForExit()
        try service.start()
        #expect(try service.objects() == before)
    }

    @Test func `D-7 a tree file that can be opened only after the start is moved aside, not overwritten`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        let former = try service.objects()
        try service.process.terminate()
        let file = try service.storedFile()
        let folder = (file as NSString).deletingLastPathComponent
        let manager = FileManager.default
        try manager.moveItem(atPath: folder, toPath: folder + ".away")
        try service.stores.write("", to: String(folder.dropFirst(service.stores.path.utf8.count + 1)))
        try service.start()
        #expect(try !durable(service))
        #expect(try service.objects().keys != former.keys)
        try service.listen()
        try service.emit("closed", on: "/shop")
        let before = try service.objects()
        try manager.removeItem(atPath: folder)
        try manager.moveItem(atPath: folder + ".away", toPath: folder)
        let content = try Data(contentsOf: URL(fileURLWithPath: file))
        try service.client.waitForSignal("PropertiesChanged") { $0.path == Service.root }
        #expect(try durable(service))
        let line = try service.process.waitForLine(in: .errors) {
            $0.contains("The tree in '\(file)' could not be opened at the start, and starts over")
        }
        let aside = try #require(
            manager.contentsOfDirectory(atPath: folder).map { folder + "/" + $0 }.first {
                line.contains("the file is now '\($0)'")
            }, "\(line)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == content)
        // What serves is what the next start has, and with the other file in its place, what was there before.
        try service.restart()
        #expect(try service.objects() == before)
        try service.process.terminate()
        try manager.removeItem(atPath: file)
        try manager.moveItem(atPath: aside, toPath: file)
        for suffix in ["-wal", "-commit"] where manager.fileExists(atPath: aside + suffix) {
            try? manager.removeItem(atPath: file + suffix)
            try manager.moveItem(atPath: aside + suffix, toPath: file + suffix)
        }
        try service.start()
        #expect(try service.objects() == former)
    }

    @Test func `D-7 navigations wait in memory for a history that can't be written; GetHistory has them`() throws {
        let stores = try TemporaryDirectory()
        try stores.write("", to: "state")
        let service = try Service(shopDefinitions, stores: stores)
        #expect(try !durable(service))
        try service.listen()
        for _ in 0..<300 { try service.emit("closed", on: "/shop") }
        let before = try service.history()
        #expect(before.entries.count == 301)
        try FileManager.default.removeItem(atPath: stores.path + "/state")
        try service.client.waitForSignal("PropertiesChanged") { $0.path == Service.root }
        #expect(try service.history() == before)
    }

    @Test func `Durable is false without a tree file`() throws {
        let none = try Service(shopDefinitions, options: ["--runtime", "none"])
        #expect(try !durable(none))
        let tree = try Service(shopDefinitions, options: ["--state", "none"])
        #expect(try durable(tree))
        #expect(try tree.history().entries.isEmpty)
    }

    @Test func `D-7 a locked tree is waited for briefly, then done without until it is free`()
        throws
    {
        let service = try Service(shopDefinitions)
        try service.process.terminate()
        let python = """
            import signal, sqlite3, sys
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            c.execute("PRAGMA locking_mode = EXCLUSIVE")
            c.execute("BEGIN EXCLUSIVE")
            print("has it", flush=True)
            signal.pause()
            """
        let file = try service.storedFile()
        let other = try ChildProcess("python3", ["-c", python, file])
        try other.waitForLine { $0 == "has it" }
        try service.start()
        #expect(try !durable(service))
        #expect(service.process.errors.contains("warning: The tree is not stored for now: '\(file)'"))
        try service.listen()
        try service.emit("check", on: "/shop")
        let before = try service.objects()
        other.send(signal: SIGKILL)
        try service.client.waitForSignal("PropertiesChanged") { $0.path == Service.root }
        try service.restart()
        #expect(try service.objects() == before)
    }

    @Test func `D-9 a locked history is done without, and logged`() throws {
        let first = try Service(shopDefinitions)
        let second = try Service(shopDefinitions, stores: first.stores)
        #expect(try durable(second))
        let warnings = second.process.warnings
        #expect(warnings.count == 1 && warnings[0].contains("history.db"), "\(warnings)")
        #expect(try second.history().entries.isEmpty)
        // What the other one kept is not mixed with navigations that have the same serials.
        try first.process.terminate()
        try second.process.waitForLine(in: .errors) { $0.contains("is not used until the next start") }
        try second.emit("closed", on: "/shop")
        #expect(try second.history().entries.isEmpty)
        try second.restart()
        #expect(try second.history().entries.map { $0[3] } == ["begin"])
        #expect(try second.emit("closed", on: "/shop")[0].number ?? 0 > 2)
        #expect(try second.history().entries.map { $0[3] } == ["begin", "closed"])
    }
}
