import BusTestSupport
import Foundation
import Testing

/// A flowbusd on a bus of its own, with definitions of the test's.
final class Service {
    static let name = "org.flowbus.Navigation1"
    static let root = "/org/flowbus/Navigation1"
    static let tree = "/org/flowbus/Navigation1/tree"

    let bus: PrivateBus
    let flows: TemporaryDirectory
    let process: ChildProcess
    /// The client that most calls of a test come from.
    let client: TestClient

    /// Starts it, and waits until it serves.
    init(
        _ definitions: String, bus: PrivateBus? = nil, options: [String] = [], environment: [String: String?] = [:]
    ) throws {
        let bus = try bus ?? PrivateBus()
        let flows = try TemporaryDirectory()
        try flows.write("version = 1\n" + definitions, to: "flows.toml")
        let process = try Self.start(
            ["--address", bus.address, "--flows", flows.path] + options, environment: environment)
        try process.waitForLine(in: .errors) { $0.contains("Serving org.flowbus.Navigation1") }
        (self.bus, self.flows, self.process) = (bus, flows, process)
        client = try TestClient(bus)
    }

    /// Starts the program that was built beside the tests.
    static func start(_ arguments: [String], environment: [String: String?] = [:]) throws -> ChildProcess {
        try ChildProcess(program, arguments, environment: environment)
    }

    static var program: String { get throws { try program(named: "flowbusd") } }

    /// A program that was built beside the tests.
    static func program(named name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // Beside the tests, whether they are a program or a bundle that another one loads.
        for start in [tests, CommandLine.arguments.first ?? ""] + CommandLine.arguments {
            let path = (start as NSString).deletingLastPathComponent + "/" + name
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw TestFailure("there is no \(name) beside \(tests) \(CommandLine.arguments)")
    }

    /// The repository's root.
    static var repository: String {
        ((#filePath as NSString).deletingLastPathComponent as NSString).appendingPathComponent("../..")
    }

    /// A file of the repository.
    static func file(_ path: String) throws -> String {
        try String(contentsOfFile: repository + "/" + path, encoding: .utf8)
    }

    /// Puts other definitions in place; it does not read them by itself.
    func write(_ definitions: String) throws {
        try flows.write("version = 1\n" + definitions, to: "flows.toml")
    }

    // MARK: Calls

    @discardableResult
    func emit(
        _ step: String, _ arguments: KeyValuePairs<String, BusValue> = [:], on path: String, by other: TestClient? = nil
    ) throws -> [BusValue] {
        try (other ?? client).call(
            Self.name, Self.tree + path, Self.name + ".Stepper", "EmitStep", .string(step), .options(arguments))
    }

    func show(_ path: String, _ isVisible: Bool = true) throws {
        try client.call(Self.name, Self.tree + path, Self.name + ".Presentable", "SetVisible", .bool(isVisible))
    }

    func dismiss(_ path: String) throws {
        try client.call(Self.name, Self.tree + path, Self.name + ".Presentable", "Dismiss")
    }

    @discardableResult
    func coordinator(_ member: String, _ arguments: BusValue...) throws -> [BusValue] {
        let call = try client.start(Self.name, Self.root, Self.name + ".Coordinator", member, arguments)
        return try client.answer(to: call)
    }

    @discardableResult
    func coordinate(
        _ flow: String, step: String = "", _ arguments: KeyValuePairs<String, BusValue> = [:],
        options: KeyValuePairs<String, BusValue> = [:]
    ) throws -> [BusValue] {
        try coordinator("Coordinate", .string(flow), .string(step), .options(arguments), .options(options))
    }

    func property(_ name: String, of path: String, _ role: String) throws -> BusValue {
        try client.property(Self.name, Self.tree + path, Self.name + "." + role, name)
    }

    /// All that is live, by path.
    func objects() throws -> BusValue {
        try client.call(Self.name, Self.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")[0]
    }

    /// The refusal of a call; a failure where it is none.
    func refusal(_ call: () throws -> Void) throws -> BusError {
        do {
            try call()
        } catch let error as BusError {
            return error
        }
        throw TestFailure("the call was not refused")
    }

    /// Hears all signals of the service from now on.
    func listen() throws {
        try client.addMatch("type='signal',sender='\(Self.name)'")
        client.clearLog()
    }
}

extension TestClient {
    /// Waits until somebody owns a name.
    func waitForOwner(of name: String) throws {
        let bus = "org.freedesktop.DBus"
        try addMatch("type='signal',sender='\(bus)',member='NameOwnerChanged',arg0='\(name)'")
        let isOwned = try call(bus, "/", bus, "NameHasOwner", .string(name)) == [true]
        if !isOwned { try waitForSignal("NameOwnerChanged") { $0.values[2] != "" } }
    }
}
