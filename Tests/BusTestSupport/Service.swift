import Foundation
import Glibc

/// A flowbusd on a bus of its own, with definitions of the test's.
package final class Service {
    package static let name = "org.flowbus.Navigation1"
    package static let root = "/org/flowbus/Navigation1"
    package static let tree = "/org/flowbus/Navigation1/tree"

    package let bus: PrivateBus
    package let flows: TemporaryDirectory
    /// What it keeps is in `run` and `state` of this folder.
    package let stores: TemporaryDirectory
    package private(set) var process: ChildProcess
    /// The client that most calls of a test come from.
    package private(set) var client: TestClient
    private let options: [String]
    private let environment: [String: String?]

    /// Starts it, and waits until it serves.
    ///
    /// - Parameter stores: where it keeps what outlives it; a folder of its own unless given.
    package init(
        _ definitions: String, bus: PrivateBus? = nil, options: [String] = [], environment: [String: String?] = [:],
        stores: TemporaryDirectory? = nil
    ) throws {
        self.bus = try bus ?? PrivateBus()
        flows = try TemporaryDirectory()
        self.stores = try stores ?? TemporaryDirectory()
        try SchemaValidator.expectGood("version = 1\n" + definitions)
        try flows.write("version = 1\n" + definitions, to: "flows.toml")
        self.options = options
        self.environment = environment
        process = try Self.start(
            Self.arguments(self.bus, flows, self.stores, options), environment: environment)
        try process.waitForLine(in: .errors) { $0.contains("Serving org.flowbus.Navigation1") }
        client = try TestClient(self.bus)
    }

    private static func arguments(
        _ bus: PrivateBus, _ flows: TemporaryDirectory, _ stores: TemporaryDirectory, _ options: [String]
    ) -> [String] {
        var arguments = ["--address", bus.address, "--flows", flows.path]
        for (option, folder) in [("--runtime", "run"), ("--state", "state")] where !options.contains(option) {
            arguments += [option, stores.path + "/" + folder]
        }
        return arguments + options
    }

    // MARK: Another process

    /// Starts another process with the same definitions, folders and options, and others more; it does not wait.
    package func startAnother(_ options: String..., on bus: PrivateBus? = nil) throws -> ChildProcess {
        try Self.start(
            Self.arguments(bus ?? self.bus, flows, stores, self.options + options), environment: environment)
    }

    /// Starts it again, once it has ended, and waits until it serves.
    package func start(_ options: String...) throws {
        process = try Self.start(Self.arguments(bus, flows, stores, self.options + options), environment: environment)
        try process.waitForLine(in: .errors) { $0.contains("Serving org.flowbus.Navigation1") }
    }

    /// Another process is the service from now on.
    package func adopt(_ process: ChildProcess) { self.process = process }

    /// Kills it, as the kernel does where memory is short, and starts it again.
    package func restart(_ options: String..., by signal: Int32 = SIGKILL) throws {
        process.send(signal: signal)
        try process.waitForExit()
        process = try Self.start(Self.arguments(bus, flows, stores, self.options + options), environment: environment)
        try process.waitForLine(in: .errors) { $0.contains("Serving org.flowbus.Navigation1") }
    }

    /// Restarts the bus under it, at the same address; it has to find that by itself.
    package func restartBus() throws {
        try bus.stop()
        try bus.start()
        client = try TestClient(bus)
        try client.waitForOwner(of: Self.name)
        // What it does before it answers is done then.
        try client.ping(Self.name)
    }

    /// A file in what it keeps; the tree's, unless named.
    package func storedFile(_ name: String? = nil) throws -> String {
        if let name { return stores.path + "/" + name }
        let files = try FileManager.default.contentsOfDirectory(atPath: stores.path + "/run")
        guard let tree = files.first(where: { $0.hasPrefix("tree-") && $0.hasSuffix(".db") }) else {
            throw TestFailure("there is no tree among \(files)")
        }
        return stores.path + "/run/" + tree
    }

    /// Starts the program that was built beside the tests. It keeps nothing, unless told where: never in the folders of who
    /// runs the tests.
    package static func start(
        _ arguments: [String], environment: [String: String?] = [:], keepsNothing: Bool = true
    ) throws -> ChildProcess {
        let places = ["--runtime", "--state"].flatMap { option in
            !keepsNothing || arguments.contains(option) ? [] : [option, "none"]
        }
        return try ChildProcess(program, places + arguments, environment: environment)
    }

    package static var program: String { get throws { try program(named: "flowbusd") } }

    /// A program that was built beside the tests.
    package static func program(named name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // Beside the tests, whether they are a program or a bundle that another one loads.
        for start in [tests, CommandLine.arguments.first ?? ""] + CommandLine.arguments {
            let path = (start as NSString).deletingLastPathComponent + "/" + name
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw TestFailure("there is no \(name) beside \(tests) \(CommandLine.arguments)")
    }

    /// The repository's root.
    package static var repository: String {
        ((#filePath as NSString).deletingLastPathComponent as NSString).appendingPathComponent("../..")
    }

    /// A file of the repository.
    package static func file(_ path: String) throws -> String {
        try String(contentsOfFile: repository + "/" + path, encoding: .utf8)
    }

    /// Puts other definitions in place; it does not read them by itself.
    package func write(_ definitions: String) throws {
        try flows.write("version = 1\n" + definitions, to: "flows.toml")
    }

    // MARK: Calls

    @discardableResult
    package func emit(
        _ step: String, _ arguments: KeyValuePairs<String, BusValue> = [:], on path: String, by other: TestClient? = nil
    ) throws -> [BusValue] {
        try (other ?? client).call(
            Self.name, Self.tree + path, Self.name + ".Stepper", "EmitStep", .string(step), .options(arguments))
    }

    package func show(_ path: String, _ isVisible: Bool = true) throws {
        try client.call(Self.name, Self.tree + path, Self.name + ".Presentable", "SetVisible", .bool(isVisible))
    }

    package func dismiss(_ path: String) throws {
        try client.call(Self.name, Self.tree + path, Self.name + ".Presentable", "Dismiss")
    }

    @discardableResult
    package func coordinator(_ member: String, _ arguments: BusValue...) throws -> [BusValue] {
        let call = try client.start(Self.name, Self.root, Self.name + ".Coordinator", member, arguments)
        return try client.answer(to: call)
    }

    @discardableResult
    package func coordinate(
        _ flow: String, step: String = "", _ arguments: KeyValuePairs<String, BusValue> = [:],
        options: KeyValuePairs<String, BusValue> = [:]
    ) throws -> [BusValue] {
        try coordinator("Coordinate", .string(flow), .string(step), .options(arguments), .options(options))
    }

    package func property(_ name: String, of path: String, _ role: String) throws -> BusValue {
        try client.property(Self.name, Self.tree + path, Self.name + "." + role, name)
    }

    /// All that is live, by path.
    package func objects() throws -> BusValue {
        try client.call(Self.name, Self.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")[0]
    }

    /// `GetHistory`.
    package func history(
        after serial: UInt64 = 0, limit: UInt32 = 0, _ options: KeyValuePairs<String, BusValue> = [:]
    ) throws -> (entries: [[BusValue]], more: Bool) {
        let answer = try client.call(
            Self.name, Self.root, Self.name + ".History", "GetHistory", .uint64(serial), .uint32(limit),
            .options(options))
        return (answer[0].elements.map(\.elements), answer[1] == true)
    }

    /// The refusal of a call; a failure where it is none.
    package func refusal(_ call: () throws -> Void) throws -> BusError {
        do {
            try call()
        } catch let error as BusError {
            return error
        }
        throw TestFailure("the call was not refused")
    }

    /// Hears all signals of the service from now on.
    package func listen() throws {
        try client.addMatch("type='signal',sender='\(Self.name)'")
        client.clearLog()
    }
}

extension ChildProcess {
    /// What it warned of, and its errors; but for what the definitions of tests bring about.
    package var warnings: [String] {
        errors.split(separator: "\n").map(String.init).filter {
            ($0.contains(" warning: ") || $0.contains(" error: ")) && !$0.contains(": [")
        }
    }
}

extension TestClient {
    /// Waits until somebody owns a name.
    package func waitForOwner(of name: String) throws {
        let bus = "org.freedesktop.DBus"
        try addMatch("type='signal',sender='\(bus)',member='NameOwnerChanged',arg0='\(name)'")
        let isOwned = try call(bus, "/", bus, "NameHasOwner", .string(name)) == [true]
        if !isOwned { try waitForSignal("NameOwnerChanged") { $0.values[2] != "" } }
    }
}
