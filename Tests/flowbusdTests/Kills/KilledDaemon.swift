import BusTestSupport
import Foundation
import Glibc

/// A flowbusd that is killed and restarted.
protocol KilledDaemon {
    var bus: PrivateBus { get }
    /// The folder of its definitions.
    var flows: TemporaryDirectory { get }
    /// Whether a call makes the bus start it: then messages of a client can reach two processes.
    var isActivated: Bool { get }
    /// Kills it now.
    func kill() throws
    /// Restarts it, if needed, and may kill it during the start.
    ///
    /// - Returns: the number of kills.
    func restartAfterKill(_ random: inout SeededGenerator) throws -> Int
    /// What it has logged.
    var log: String { get }
}

/// The folders of a daemon.
struct KilledFolders {
    let flows: TemporaryDirectory
    let files: TemporaryDirectory

    init() throws {
        flows = try TemporaryDirectory()
        files = try TemporaryDirectory()
        try flows.write("version = 1\n" + KillDefinitions.text, to: "flows.toml")
    }

    var options: [String] {
        ["--flows", flows.path, "--runtime", files.path + "/runtime", "--state", files.path + "/state"]
    }
}

/// A daemon with a supervisor, which restarts it.
final class SupervisedDaemon: KilledDaemon {
    let isActivated = false
    let bus: PrivateBus
    private let folders: KilledFolders
    private let watcher: TestClient
    private var process: ChildProcess
    private var logs: [String] = []

    init() throws {
        bus = try PrivateBus()
        folders = try KilledFolders()
        watcher = try TestClient(bus)
        let name = Service.name
        try watcher.addMatch("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(name)'")
        process = try Service.start(["--address", bus.address] + folders.options)
        try process.waitForLine(in: .errors, where: Self.serves)
    }

    var flows: TemporaryDirectory { folders.flows }
    var log: String { (logs.suffix(3) + [process.errors]).joined(separator: "--- killed\n") }

    func kill() throws { process.send(signal: SIGKILL) }

    func restartAfterKill(_ random: inout SeededGenerator) throws -> Int {
        var kills = 1
        try waitUntilDead()
        while random.chance(25) {
            process = try Service.start(["--address", bus.address] + folders.options)
            try watcher.run(for: random.time(upTo: 40)) {}
            try kill()
            try waitUntilDead()
            kills += 1
        }
        process = try Service.start(["--address", bus.address] + folders.options)
        try process.waitForLine(in: .errors, where: Self.serves)
        return kills
    }

    /// Waits until it is dead, and the bus knows.
    private func waitUntilDead() throws {
        guard try process.waitForExit() == .signal(SIGKILL) else {
            throw TestFailure("flowbusd ended before it was killed: \(process.errors)")
        }
        logs.append(process.errors)
        let bus = "org.freedesktop.DBus"
        while try watcher.call(bus, "/", bus, "NameHasOwner", .string(Service.name)) == [true] {
            try watcher.waitForSignal("NameOwnerChanged")
        }
        watcher.clearLog()
    }

    private static func serves(_ line: String) -> Bool { line.contains("Serving org.flowbus.Navigation1") }
}

/// A daemon that the bus starts for the next call.
final class ActivatedDaemon: KilledDaemon {
    let isActivated = true
    let bus: PrivateBus
    private let folders: KilledFolders
    private let services: TemporaryDirectory
    private let caller: TestClient

    init() throws {
        folders = try KilledFolders()
        services = try TemporaryDirectory()
        let words = ([try Service.program] + folders.options).map { "'\($0)'" }.joined(separator: " ")
        let script = try services.write(
            """
            echo $$ >\(services.path)/pid
            exec \(words) --address "$DBUS_STARTER_ADDRESS" 2>>\(services.path)/log

            """, to: "start")
        try services.write(
            "[D-BUS Service]\nName=\(Service.name)\nExec=/bin/sh \(script)\n", to: "\(Service.name).service")
        bus = try PrivateBus(policy: "", serviceDirectories: [services.path])
        caller = try TestClient(bus)
    }

    // It is no child of this process, and would look for its bus for ever.
    deinit { try? kill() }

    var flows: TemporaryDirectory { folders.flows }
    var log: String { (try? String(contentsOfFile: services.path + "/log", encoding: .utf8)) ?? "" }

    func kill() throws { if let processID, isOwn(processID) { Glibc.kill(processID, SIGKILL) } }

    /// Whether a process is still the one that wrote its id: its arguments name the script, or the folders.
    private func isOwn(_ processID: pid_t) -> Bool {
        // With a byte of 0 after each.
        let arguments = (try? String(contentsOfFile: "/proc/\(processID)/cmdline", encoding: .utf8)) ?? ""
        return arguments.contains(services.path) || arguments.contains(flows.path)
    }

    func restartAfterKill(_ random: inout SeededGenerator) throws -> Int {
        var kills = 1
        while random.chance(25) {
            // It starts with this call, and ends again; then the bus answers the call.
            let before = processID
            let call = try caller.start(Service.name, Service.root, "org.freedesktop.DBus.Peer", "Ping")
            try caller.run(for: random.time(upTo: 40)) {}
            guard processID != before else { continue }
            try kill()
            kills += 1
            _ = try? caller.answer(to: call)
            caller.clearLog()
        }
        return kills
    }

    /// The process id that the latest one wrote before it became flowbusd.
    private var processID: pid_t? {
        let text = (try? String(contentsOfFile: services.path + "/pid", encoding: .utf8)) ?? ""
        return pid_t(text.trimmingCharacters(in: .newlines))
    }
}
