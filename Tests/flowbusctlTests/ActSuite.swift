import BusTestSupport
import Glibc
import Testing

/// Tests that play programs against a service of their own.
protocol ActSuite {
    var service: Service? { get }
    var folder: TemporaryDirectory? { get }
}

extension ActSuite {
    func program(_ arguments: [String], on bus: PrivateBus? = nil) throws -> ChildProcess {
        let address = try #require(bus?.address ?? service?.bus.address)
        return try Program.start(["--address", address, "act"] + arguments)
    }

    func path(of text: String) throws -> String {
        let folder = try #require(folder)
        try folder.write("version = 1\n" + text, to: "a.act.toml")
        return folder.path + "/a.act.toml"
    }

    /// Plays a file, and returns when its programs own their names and know the definitions and the tree.
    func play(_ text: String) throws -> ChildProcess {
        let act = try program([path(of: text)])
        try act.waitForLine { $0 == "org.flowbus.Navigation1 is there" }
        return act
    }

    /// Waits for a line.
    func expect(_ line: String, of act: ChildProcess) throws {
        try act.waitForLine { $0 == line }
    }

    func emit(_ step: String, _ arguments: KeyValuePairs<String, BusValue> = [:], on path: String = "/main")
        throws
    {
        try #require(service).emit(step, arguments, on: path)
    }

    /// Waits for a navigation by a step, after `listen`.
    func waitForNavigation(_ step: String) throws -> BusValue {
        try #require(service).client.waitForSignal("NavigationOccurred") { $0.values[3].text == step }.values[4]
    }

    func end(_ act: ChildProcess, by signal: Int32 = SIGTERM) throws {
        act.send(signal: signal)
        #expect(try act.waitForExit() == .status(0), "\(act.errors)")
    }
}

/// A screen for each of what `act` does.
let actDefinitions = """
    [steps]
    start   = {}
    opened  = { item = "int64" }
    asked   = { why = "string?" }
    left    = { why = "string", error = "string?", message = "string?" }
    paid    = { cents = "uint32" }
    picked  = { contact = "uint32" }
    choose  = {}
    wizard  = {}
    chosen  = { ssid = "string" }
    unknown = {}
    evicted = {}
    opens   = {}
    [private]
    steps = ["paid"]
    [screens]
    list   = {}
    detail = { presenter = "com.x.Shop", whenOwnerGone = "present", evictAfter = "30d", arguments = { item = "int64" } }
    pay    = { presenter = { name = "com.x.Pay", path = "/pay" } }
    picker = { presenter = "com.x.Shop", result = { contact = "uint32" } }
    alive  = { presenter = "com.x.Pay", watchdog = "100ms" }
    map    = { application = "com.x.Map" }
    page   = { presenter = "com.x.Shop", arguments = { ssid = "string?" } }
    [[autostart]]
    flow = "main"
    [flows.main]
    initial    = "start"
    whenHidden = "allow"
    guard      = { name = "com.x.Auth", steps = ["paid", "asked"] }
    [flows.main.on]
    start   = { screen = "list" }
    opened  = { screen = "detail", reuse = true }
    asked   = { screen = "pay", onDismissed = { step = "left", arguments = { why = "$reason", error = "$error", message = "$message" } } }
    left    = { none = true }
    paid    = { none = true }
    choose  = { screen = "picker", onResult = { step = "picked" } }
    picked  = { none = true }
    wizard  = { flow = "wizard" }
    unknown = { screen = "alive", onDismissed = { step = "left", arguments = { why = "$reason" } } }
    evicted = { evict = true }
    opens   = { screen = "map" }
    [flows.wizard]
    initial   = "wizard"
    children  = "stack"
    navigator = { name = "com.x.Wizard", path = "/wizard", steps = ["wizard", "chosen", "opens"] }
    """
