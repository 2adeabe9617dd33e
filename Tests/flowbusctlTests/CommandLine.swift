import BusTestSupport
import Foundation
import Testing

/// FlowCore and flowbusctl have types of these names, too.
typealias Service = BusTestSupport.Service

/// flowbusctl, run by a test.
struct CommandRun {
    let status: ChildProcess.Exit?
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Returns each line of the output as JSON; an invalid line fails the test.
    var objects: [[String: Any]] {
        get throws {
            try lines.map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                return try #require(object as? [String: Any], "no object: \(line)")
            }
        }
    }
}

/// flowbusctl without the environment of the tests.
enum Program {
    static let environment: [String: String?] = [
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/session",
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/system",
        "XDG_RUNTIME_DIR": nil, "LC_ALL": "C.UTF-8", "NO_COLOR": nil, "TERM": "xterm", "TZ": "UTC",
    ]

    static func start(
        _ arguments: [String], environment: [String: String?] = [:], terminal: PseudoTerminal? = nil
    ) throws -> ChildProcess {
        try ChildProcess(
            BusTestSupport.Service.program(named: "flowbusctl"), arguments,
            environment: Self.environment.merging(environment) { $1 }, terminal: terminal)
    }

    static func run(
        _ arguments: String..., environment: [String: String?] = [:], terminal: PseudoTerminal? = nil
    ) throws -> CommandRun { try run(arguments, environment: environment, terminal: terminal) }

    static func run(
        _ arguments: [String], environment: [String: String?] = [:], terminal: PseudoTerminal? = nil
    ) throws -> CommandRun {
        let process = try start(arguments, environment: environment, terminal: terminal)
        try process.waitForExit()
        return CommandRun(status: process.exit, output: process.output, errors: process.errors)
    }
}

extension Service {
    /// Runs flowbusctl against this service.
    func ctl(
        _ arguments: String..., environment: [String: String?] = [:], terminal: PseudoTerminal? = nil
    ) throws -> CommandRun {
        try Program.run(["--address", bus.address] + arguments, environment: environment, terminal: terminal)
    }

    /// Starts flowbusctl against this service, without waiting.
    func startCtl(_ arguments: String..., terminal: PseudoTerminal? = nil) throws -> ChildProcess {
        try Program.start(["--address", bus.address] + arguments, terminal: terminal)
    }
}

/// A root with tabs, a stack and arguments of every type.
let homeDefinitions = """
    [steps]
    begin  = {}
    ready  = {}
    open   = { item = "int64", note = "string?" }
    every  = { b = "bool", y = "byte", n = "int16", q = "uint16", i = "int32", u = "uint32", x = "int64", t = "uint64", d = "double", s = "string", o = "path", g = "g", l = "as", m = "a{sv}", r = "(is)", v = "v", z = "ay" }
    nobody = {}
    asked  = {}
    left   = {}

    [screens]
    list   = {}
    page   = { whenOwnerGone = "keep", arguments = { item = "int64" } }
    form   = {}

    [[autostart]]
    flow = "main"

    [flows.main]
    initial  = "begin"
    children = "stack"
    [flows.main.on]
    begin = { screen = "list", whenHidden = "queue" }
    open  = { screen = "page", style = "sheet" }
    every = { none = true }
    left  = { flow = "side" }

    [flows.side]
    initial   = "ready"
    arguments = { lang = "string?" }
    [flows.side.on]
    ready = { screen = "form" }

    [flows.asking]
    guard = { name = "com.example.Peer", path = "/com/example/Peer" }
    [flows.asking.on]
    asked = { screen = "form" }
    """
