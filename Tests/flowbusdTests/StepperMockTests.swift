import BusTestSupport
import Foundation
import Testing

/// The services that python-dbusmock plays.
private enum MockServices {
    static let areThere =
        (try? ChildProcess("/usr/bin/python3", ["-c", "import dbusmock"]).waitForExit()) == .status(0)
}

/// Steppers on the services that a device has, as python-dbusmock plays them on a system bus of the test's own.
@Suite("Steppers of a system bus", .enabled(if: MockServices.areThere, "python3-dbusmock is missing"))
struct StepperMockTests {
    private static let mock = "org.freedesktop.DBus.Mock"
    private static let login = "org.freedesktop.login1"
    private static let power = "org.freedesktop.UPower"
    private static let memory = "org.freedesktop.LowMemoryMonitor"

    private static let definitions = """
        [steps]
        start    = {}
        locked   = {}
        unlocked = {}
        idle     = { hint = "bool" }
        power    = { onBattery = "bool", isKnown = "bool" }
        memory   = { level = "byte" }
        open     = {}
        cover    = {}
        uncover  = {}
        [screens]
        letter = { presenter = "com.example.Peer", evictAfter = "30d" }
        page   = {}
        [[autostart]]
        flow = "device"
        [[steppers]]
        flow      = "device"
        bus       = "system"
        name      = "org.freedesktop.login1"
        path      = { call = "GetSession", arguments = ["auto"] }
        interface = "org.freedesktop.login1.Session"
        signal    = "Lock"
        step      = "locked"
        [[steppers]]
        flow      = "device"
        bus       = "system"
        name      = "org.freedesktop.login1"
        interface = "org.freedesktop.login1.Session"
        signal    = "Unlock"
        step      = "unlocked"
        [[steppers]]
        flow      = "device"
        bus       = "system"
        name      = "org.freedesktop.login1"
        path      = { call = "GetSession", arguments = ["auto"] }
        interface = "org.freedesktop.login1.Session"
        property  = "IdleHint"
        step      = "idle"
        arguments = { hint = "$value" }
        [[steppers]]
        flow      = "device"
        bus       = "system"
        name      = "org.freedesktop.UPower"
        path      = "/org/freedesktop/UPower"
        interface = "org.freedesktop.UPower"
        property  = "OnBattery"
        step      = "power"
        arguments = { onBattery = "$value", isKnown = true }
        absent    = { onBattery = false, isKnown = false }
        [[steppers]]
        flow      = "device"
        bus       = "system"
        name      = "org.freedesktop.LowMemoryMonitor"
        path      = "/org/freedesktop/LowMemoryMonitor"
        interface = "org.freedesktop.LowMemoryMonitor"
        signal    = "LowMemoryWarning"
        step      = "memory"
        arguments = { level = "$0" }
        [flows.device]
        initial  = "start"
        children = "stack"
        [flows.device.on]
        start    = { none = true }
        locked   = { none = true }
        unlocked = { none = true }
        idle     = { none = true }
        power    = { none = true }
        memory   = { evict = true }
        open     = { screen = "letter" }
        cover    = { screen = "page" }
        uncover  = { pop = "letter" }
        """

    private let system: PrivateBus
    private let owner: TestClient
    private let service: Service

    init() throws {
        system = try PrivateBus()
        owner = try TestClient(system)
        service = try Service(
            Self.definitions, environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.address])
        try service.listen()
    }

    /// Starts a service of python-dbusmock: one of its templates, or one of ours.
    private func start(_ template: String, _ name: String) throws -> ChildProcess {
        let process = try ChildProcess(
            "/usr/bin/python3", ["-m", "dbusmock", "--system", "--template", template],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.address])
        try owner.waitForOwner(of: name)
        return process
    }

    private func startLogin() throws -> ChildProcess {
        let process = try ChildProcess(
            "/usr/bin/python3", ["-m", "dbusmock", "--template", Service.repository + "/Tests/mocks/logind.py"],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.address])
        try owner.waitForOwner(of: Self.login)
        let manager = "/org/freedesktop/login1"
        for session in ["c1", "c2"] {
            _ = try owner.call(
                Self.login, manager, Self.mock, "AddSession", .string(session), "seat0", .uint32(1000), "kim", true)
        }
        return process
    }

    /// Waits until a stepper has this state, as `flowbusctl status` shows it.
    private func wait(for step: String, toBe state: String) throws {
        let member = "GetSteppers"
        try service.poll(for: "\(step) \(state)") {
            guard case .array(_, let steppers)? = try service.coordinator(member).first else { return false }
            return steppers.contains { stepper in
                guard case .structure(let fields) = stepper else { return false }
                return fields[1] == .string(step) && fields[4]["state"] == .string(state)
            }
        }
    }

    private func waitForStep(_ step: String) throws -> ReceivedMessage {
        try service.client.waitForSignal("NavigationOccurred") { $0.values[3] == .string(step) }
    }

    @Test func `S-42 logind locks and unlocks, by signals from the path of the session`() throws {
        let login = try startLogin()
        try wait(for: "locked", toBe: "connected")
        try wait(for: "unlocked", toBe: "connected")
        let session = "/org/freedesktop/login1/session/"
        // That of another session does not count, where a path is given.
        try owner.call(Self.login, session + "c2", Self.login + ".Session", "Lock")
        try owner.call(Self.login, session + "c1", Self.login + ".Session", "Lock")
        try owner.call(Self.login, session + "c1", Self.login + ".Session", "Unlock")
        let locked = try waitForStep("locked")
        #expect(locked.path == Service.tree + "/device" && locked.values[2] == .string(Self.login))
        _ = try waitForStep("unlocked")
        #expect(service.client.signals.count { $0.member == "NavigationOccurred" && $0.values[3] == "locked" } == 1)
        try login.terminate()
    }

    @Test func `S-42 the battery of UPower, whether it is there or not`() throws {
        try wait(for: "power", toBe: "absent")
        service.client.clearLog()
        var power = try start("upower", Self.power)
        let known = try waitForStep("power")
        #expect(known.values[4]["isKnown"] == true && known.values[4]["onBattery"] == false)
        try owner.call(
            Self.power, "/org/freedesktop/UPower", Self.mock, "UpdateProperties", .string(Self.power),
            .options(["OnBattery": true]))
        #expect(try waitForStep("power").values[4]["onBattery"] == true)
        // A restart emits only what differs; the next step is the one of the end.
        try service.restart()
        try service.listen()
        try wait(for: "power", toBe: "connected")
        try power.terminate()
        #expect(try waitForStep("power").values[4]["isKnown"] == false)
        #expect(service.client.signals.count { $0.member == "NavigationOccurred" } == 1)
        power = try start("upower", Self.power)
        #expect(try waitForStep("power").values[4]["isKnown"] == true)
        try power.terminate()
    }

    @Test func `S-42 the level of low-memory-monitor's warning`() throws {
        let memory = try start("low_memory_monitor", Self.memory)
        try wait(for: "memory", toBe: "connected")
        try owner.call(
            Self.memory, "/org/freedesktop/LowMemoryMonitor", Self.mock, "EmitWarning", .byte(100))
        #expect(try waitForStep("memory").values[4]["level"] == .byte(100))
        try memory.terminate()
    }

    @Test
    func `S-42 S-44 a warning of low-memory-monitor evicts what is out of sight, and a new process gets its state`()
        throws
    {
        let memory = try start("low_memory_monitor", Self.memory)
        try wait(for: "memory", toBe: "connected")
        let peer = try service.peer()
        peer.playPresenter()
        try service.emit("open", on: "/device")
        try service.client.waitForSignal("PropertiesChanged") {
            $0.path == Service.tree + "/device/letter" && $0.values[1]["Owner"]?.text == peer.uniqueName
        }
        func warn() throws {
            try owner.call(Self.memory, "/org/freedesktop/LowMemoryMonitor", Self.mock, "EmitWarning", .byte(50))
            _ = try waitForStep("memory")
        }
        func change(_ member: String, _ values: BusValue...) throws {
            try peer.answer(
                to: peer.start(
                    Service.name, Service.tree + "/device/letter", Service.name + ".Presentable", member, values))
        }
        // What is in sight stays.
        try warn()
        try service.synchronize(peer)
        #expect(!peer.log.contains { $0.member == "Withdraw" })
        try service.emit("cover", on: "/device")
        try warn()
        try peer.waitForCall("Withdraw") { $0.values[2] == "evicted" }
        try change("SaveState", .options(["text": "Dear K"]))
        try change("Release")
        #expect(try service.property("Evicted", of: "/device/letter", "Presentable") == true)
        peer.clearLog()
        try service.emit("uncover", on: "/device")
        let details = try peer.waitForCall("Present").values[3]
        #expect(details["reason"] == "recover" && details["state"] == .options(["text": "Dear K"]))
        try memory.terminate()
    }

    @Test func `S-42 a system bus that ends makes properties absent, and is connected again when it is back`() throws {
        let power = try start("upower", Self.power)
        try wait(for: "power", toBe: "connected")
        _ = try waitForStep("power")
        try power.terminate()
        try system.stop()
        try wait(for: "power", toBe: "absent")
        try system.start()
        let other = try TestClient(system)
        let again = try ChildProcess(
            "/usr/bin/python3", ["-m", "dbusmock", "--system", "--template", "upower"],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.address])
        try other.waitForOwner(of: Self.power)
        try wait(for: "power", toBe: "connected")
        try again.terminate()
    }
}
