import Foundation
import Glibc

/// A flowbusd on a bus of its own, with the test's definitions.
package final class Service {
    package static let name = "org.flowbus.Navigation1"
    package static let root = "/org/flowbus/Navigation1"
    package static let tree = "/org/flowbus/Navigation1/tree"

    package let bus: PrivateBus
    package let flows: TemporaryDirectory
    /// The folder of its stores, in `run` and `state`.
    package let stores: TemporaryDirectory
    package private(set) var process: ChildProcess
    /// The client for most calls of a test.
    package private(set) var client: TestClient
    private let options: [String]
    private let environment: [String: String?]

    /// Starts the service, and waits until it is ready.
    ///
    /// - Parameters:
    ///   - definitions: the definitions.
    ///   - options: further options of flowbusd.
    ///   - bus: the bus; by default one of its own.
    ///   - stores: the folder of its stores; by default one of its own.
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

    /// Starts another process with the same definitions, folders and options, and further options, without waiting for
    /// it.
    package func startAnother(_ options: String..., on bus: PrivateBus? = nil) throws -> ChildProcess {
        try Self.start(
            Self.arguments(bus ?? self.bus, flows, stores, self.options + options), environment: environment)
    }

    /// Starts the service again after it has ended, and waits until it is ready.
    package func start(_ options: String...) throws {
        process = try Self.start(Self.arguments(bus, flows, stores, self.options + options), environment: environment)
        try process.waitForLine(in: .errors) { $0.contains("Serving org.flowbus.Navigation1") }
    }

    /// Uses another process as the service from now on.
    package func adopt(_ process: ChildProcess) { self.process = process }

    /// Kills the service, as the kernel does when memory is short, and starts it again.
    package func restart(_ options: String..., by signal: Int32 = SIGKILL) throws {
        process.send(signal: signal)
        try process.waitForExit()
        process = try Self.start(Self.arguments(bus, flows, stores, self.options + options), environment: environment)
        try process.waitForLine(in: .errors) { $0.contains("Serving org.flowbus.Navigation1") }
    }

    /// Restarts the bus at the same address; the service has to notice by itself.
    package func restartBus() throws {
        try bus.stop()
        try bus.start()
        client = try TestClient(bus)
        try client.waitForOwner(of: Self.name)
        // Its earlier actions are complete when it answers.
        try client.ping(Self.name)
    }

    /// A file of its stores; by default that of the tree.
    package func storedFile(_ name: String? = nil) throws -> String {
        if let name { return stores.path + "/" + name }
        let files = try FileManager.default.contentsOfDirectory(atPath: stores.path + "/run")
        guard let tree = files.first(where: { $0.hasPrefix("tree-") && $0.hasSuffix(".db") }) else {
            throw TestFailure("there is no tree among \(files)")
        }
        return stores.path + "/run/" + tree
    }

    /// Starts the program that was built with the tests. It persists nothing unless it gets folders, and never in those
    /// of the user who runs the tests.
    package static func start(
        _ arguments: [String], environment: [String: String?] = [:], keepsNothing: Bool = true
    ) throws -> ChildProcess {
        let places = ["--runtime", "--state"].flatMap { option in
            !keepsNothing || arguments.contains(option) ? [] : [option, "none"]
        }
        return try ChildProcess(program, places + arguments, environment: environment)
    }

    package static var program: String { get throws { try program(named: "flowbusd") } }

    /// A program that was built with the tests.
    package static func program(named name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // In the folder of the tests, whether they are a program or a bundle.
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

    /// Replaces the definition files; the service does not read them by itself.
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

    /// All live objects, by path.
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

    /// Returns the error of a call; fails if there is none.
    package func refusal(_ call: () throws -> Void) throws -> BusError {
        do {
            try call()
        } catch let error as BusError {
            return error
        }
        throw TestFailure("the call was not refused")
    }

    /// Asks until the answer is the right one, for state that no signal reports.
    package func poll(for what: String, until done: () throws -> Bool) throws {
        let end = ContinuousClock.now + failureBound
        while try !done() {
            guard ContinuousClock.now < end else { throw TestFailure("asked in vain for \(what)") }
            // Simulated processes answer meanwhile.
            try client.ping(Self.name)
        }
    }

    /// Subscribes to all signals of the service.
    package func listen() throws {
        try client.addMatch("type='signal',sender='\(Self.name)'")
        client.clearLog()
    }
}

extension ChildProcess {
    /// Its warnings and errors, without those that the tests' definitions cause.
    package var warnings: [String] {
        errors.split(separator: "\n").map(String.init).filter {
            ($0.contains(" warning: ") || $0.contains(" error: ")) && !$0.contains(": [")
        }
    }
}

extension TestClient {
    /// Waits until a name has an owner.
    package func waitForOwner(of name: String) throws {
        let bus = "org.freedesktop.DBus"
        try addMatch("type='signal',sender='\(bus)',member='NameOwnerChanged',arg0='\(name)'")
        let isOwned = try call(bus, "/", bus, "NameHasOwner", .string(name)) == [true]
        if !isOwned { try waitForSignal("NameOwnerChanged") { $0.values[2] != "" } }
    }
}
