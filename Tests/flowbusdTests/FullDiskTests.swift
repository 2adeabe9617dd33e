import BusTestSupport
import Foundation
import Glibc
import Testing

/// flowbusd with its files on a small file system that fills up, or is read-only for a time (D-7).
@Suite("A disk that is full", .enabled(if: SmallDisk.obstacle == nil, Comment(rawValue: SmallDisk.obstacle ?? "")))
struct FullDiskTests {
    private static let definitions = """
        [steps]
        begin = {}
        add   = { number = "int64" }
        fat   = { number = "int64", text = "string" }
        wipe  = {}

        [screens]
        home = {}
        page = { arguments = { number = "int64" } }

        [[autostart]]
        flow = "main"

        [flows.main]
        initial = "begin"
        [flows.main.on]
        begin = { screen = "home" }
        add   = { screen = "page" }
        fat   = { screen = "page", arguments = { number = "$number" } }
        wipe  = { pop = "home" }
        """

    /// A flowbusd whose files are on the small disk.
    private final class World {
        let disk: SmallDisk
        let bus: PrivateBus
        let flows: TemporaryDirectory
        let client: TestClient
        private(set) var process: ChildProcess
        private var number = 0

        init(_ size: String, isReadOnly: Bool = false) throws {
            disk = try SmallDisk(size)
            bus = try PrivateBus()
            flows = try TemporaryDirectory()
            try flows.write("version = 1\n" + FullDiskTests.definitions, to: "flows.toml")
            if isReadOnly { try disk.run("mount", "-o", "remount,ro", disk.path) }
            process = try Self.start(disk, bus, flows)
            client = try TestClient(bus)
            try client.addMatch("type='signal',sender='\(Service.name)'")
        }

        private static func start(
            _ disk: SmallDisk, _ bus: PrivateBus, _ flows: TemporaryDirectory
        ) throws -> ChildProcess {
            let process = try disk.start(
                Service.program, "--address", bus.address, "--flows", flows.path, "--runtime", disk.path + "/run",
                "--state", disk.path + "/state")
            try process.waitForLine(in: .errors) { $0.contains("Serving org.flowbus.Navigation1") }
            return process
        }

        /// Kills it, and starts another one.
        func restart() throws {
            process.send(signal: SIGKILL)
            try process.waitForExit()
            process = try Self.start(disk, bus, flows)
        }

        /// Adds a page with a step of a size; it has to be navigated.
        func add(bytes: Int = 0) throws {
            number += 1
            let answer = try client.call(
                Service.name, Service.tree + "/main", Service.name + ".Stepper", "EmitStep",
                bytes == 0 ? "add" : "fat",
                bytes == 0
                    ? .options(["number": .int64(Int64(number))])
                    : .options([
                        "number": .int64(Int64(number)), "text": .string(String(repeating: "x", count: bytes)),
                    ]))
            guard answer[1] == "navigated" else { throw TestFailure("page \(number): \(answer)") }
        }

        func wipe() throws {
            try client.call(
                Service.name, Service.tree + "/main", Service.name + ".Stepper", "EmitStep", "wipe", .options())
        }

        var isDurable: Bool {
            get throws {
                try client.property(Service.name, Service.root, Service.name + ".Coordinator", "Durable") == true
            }
        }

        /// Returns whether a change of `Durable` to this value was signaled.
        func wasReported(_ isDurable: Bool) -> Bool {
            client.log.contains { $0.member == "PropertiesChanged" && $0.values[1]["Durable"] == .bool(isDurable) }
        }

        func waitUntilDurable() throws {
            // It tries again after 1 s, 2 s, 4 s, ….
            try client.wait(within: .seconds(60), for: "Durable") { wasReported(true) }
            client.clearLog()
        }

        /// All live presentables.
        func snapshot() throws -> TreeSnapshot {
            Oracle.snapshot(
                at: try client.call(
                    Service.name, Service.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")[0])
        }

        /// The serials in the history.
        func history() throws -> [Int] {
            var serials: [Int] = []
            while true {
                let page = try client.call(
                    Service.name, Service.root, Service.name + ".History", "GetHistory",
                    .uint64(UInt64(serials.last ?? 0)), .uint32(0), .options())
                serials += page[0].elements.compactMap { $0.elements[0].number }
                if page[1] != true { return serials }
            }
        }

        /// The errors in its log.
        var complaints: [Substring] {
            process.errors.split(separator: "\n").filter { $0.contains(" error: ") || $0.contains(" critical: ") }
        }
    }

    @Test
    func
        `D-7 a full disk: navigation continues, Durable is false; after space is freed, all is written and survives a SIGKILL`()
        throws
    {
        let world = try World("1m")
        #expect(try world.isDurable)
        for _ in 0..<20 { try world.add() }

        try world.disk.fill()
        var count = 20
        // Pages that exist can be written again; then the disk is full.
        while !world.wasReported(false), count < 1_000 {
            try world.add()
            count += 1
        }
        #expect(world.wasReported(false), "after \(count) pages on a full disk Durable is still true")
        #expect(try !world.isDurable)
        for _ in 0..<50 { try world.add() }
        #expect(!world.wasReported(true))
        #expect((1...2).contains(world.complaints.count), "one for each file: \(world.complaints)")
        #expect(try world.history().count == count + 50 + 1)

        try world.disk.free()
        try world.waitUntilDurable()
        #expect(try world.isDurable)
        #expect((1...2).contains(world.complaints.count), "one for each file: \(world.complaints)")
        for _ in 0..<5 { try world.add() }
        let (snapshot, history) = (try world.snapshot(), try world.history())
        #expect(snapshot.count == count + 50 + 5 + 2)
        #expect(history.count == count + 50 + 5 + 1)

        try world.restart()
        #expect(try world.snapshot() == snapshot)
        #expect(try world.history() == history)
        #expect(try world.isDurable)
        for _ in 0..<5 { try world.add() }
        #expect(world.complaints.isEmpty, "\(world.complaints)")
    }

    @Test func `D-7 repeatedly full: no file is damaged`() throws {
        let world = try World("4m")
        for round in 1...3 {
            for _ in 0..<30 { try world.add(bytes: 500) }
            try world.disk.fill()
            var count = 0
            while !world.wasReported(false), count < 1_000 {
                try world.add(bytes: 500)
                count += 1
            }
            // Killed with a full disk: everything reported as written is there.
            if round == 2 {
                try world.restart()
                #expect(try world.snapshot().keys.contains("/main/home"))
            }
            try world.disk.free()
            if try !world.isDurable { try world.waitUntilDurable() }
            let snapshot = try world.snapshot()
            try world.restart()
            #expect(try world.snapshot() == snapshot, "round \(round)")
            #expect(!world.process.errors.contains("moved"), "round \(round): \(world.process.errors)")
            try world.wipe()
            world.client.clearLog()
        }
    }

    @Test func `D-7 a read-only file system: it starts, reports that, and writes once it can`() throws {
        let world = try World("4m", isReadOnly: true)
        #expect(try !world.isDurable)
        for _ in 0..<5 { try world.add() }
        #expect((1...2).contains(world.complaints.count), "one for each file: \(world.complaints)")
        try world.disk.run("mount", "-o", "remount,rw", world.disk.path)
        try world.waitUntilDurable()
        let snapshot = try world.snapshot()
        try world.restart()
        #expect(try world.snapshot() == snapshot)
        #expect(try world.isDurable)
    }
}

/// A file system of a few megabytes in memory, which only processes started in it can see. It ends with the last of
/// them.
final class SmallDisk {
    /// The reason why this machine can't have one; nil if it can.
    static let obstacle: String? = {
        do {
            let disk = try SmallDisk("1m")
            try disk.run("true")
            return nil
        } catch {
            return "a file system of one's own can't be made here: \(error)"
        }
    }()

    private let place: TemporaryDirectory
    private let holder: ChildProcess
    private let isRoot = geteuid() == 0

    /// Its path for the processes started in it.
    var path: String { place.path }

    init(_ size: String) throws {
        place = try TemporaryDirectory()
        let namespaces = isRoot ? ["--mount"] : ["--user", "--map-root-user", "--mount"]
        // It holds the namespace until it is killed.
        holder = try ChildProcess(
            "unshare",
            namespaces + [
                "sh", "-c",
                "mount -t tmpfs -o size=\(size) tmpfs '\(place.path)' && echo there && exec tail -f /dev/null",
            ])
        try holder.waitForLine { $0 == "there" }
    }

    deinit { holder.send(signal: SIGKILL) }

    /// Starts a program that sees it.
    func start(_ program: String, _ arguments: String...) throws -> ChildProcess { try start(program, arguments) }

    private func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        let namespaces = isRoot ? ["--mount"] : ["--user", "--preserve-credentials", "--mount"]
        return try ChildProcess(
            "nsenter", ["--target", "\(holder.processID)"] + namespaces + ["--", program] + arguments)
    }

    /// Runs a program that sees it.
    func run(_ program: String, _ arguments: String...) throws {
        let process = try start(program, arguments)
        guard try process.waitForExit() == .status(0) else {
            throw TestFailure("\(program) \(arguments): \(process.errors)")
        }
    }

    /// Fills the disk.
    func fill() throws {
        let process = try start("dd", "if=/dev/zero", "of=\(path)/filler", "bs=4096")
        guard try process.waitForExit() == .status(1), process.errors.contains("No space left") else {
            throw TestFailure("dd: \(process.errors)")
        }
    }

    /// Frees the disk again.
    func free() throws { try run("rm", path + "/filler") }
}
