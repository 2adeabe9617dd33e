import BusTestSupport
import Foundation
import Glibc
import Testing

/// `doctor`: each finding is made to appear.
@Suite("doctor")
struct DoctorTests {
    /// A home and a runtime folder of a user.
    private let home: TemporaryDirectory
    private let environment: [String: String?]

    init() throws {
        home = try TemporaryDirectory()
        try home.write("", to: "run/empty")
        environment = [
            "HOME": home.path, "XDG_RUNTIME_DIR": home.path + "/run", "XDG_STATE_HOME": nil, "XDG_CONFIG_HOME": nil,
            "WAYLAND_DISPLAY": nil, "DISPLAY": nil,
        ]
        try #require(chmod(home.path + "/run", 0o700) == 0)
    }

    private struct Found: Equatable, CustomStringConvertible {
        let area: String
        let state: String
        let message: String
        let advice: String
        let said: [String]
        var description: String { "\(state) \(area): \(message) -> \(advice) \(said)" }
    }

    private func findings(_ run: CommandRun) throws -> [Found] {
        try run.objects.map { object in
            Found(
                area: object["area"] as? String ?? "", state: object["state"] as? String ?? "",
                message: object["message"] as? String ?? "", advice: object["advice"] as? String ?? "",
                said: object["said"] as? [String] ?? [])
        }
    }

    /// Runs `doctor` without a service.
    private func examine(_ address: String, _ changes: [String: String?] = [:]) throws -> (CommandRun, [Found]) {
        let run = try Program.run(
            "--address", address, "doctor", "--json", environment: environment.merging(changes) { $1 })
        return (run, try findings(run))
    }

    /// Runs `doctor` until this finding is among the others: on a busy machine, a peer of the test may answer later than a
    /// service would.
    private func examine(
        _ service: Service, _ options: [String] = [], _ changes: [String: String?] = [:], until area: String,
        _ state: String, _ text: String
    ) throws -> [Found] {
        var found: [Found] = []
        try service.poll(for: "\(state) \(area): \(text)") {
            let process = try Program.start(
                ["--address", service.bus.address, "doctor", "--json"] + options,
                environment: environment.merging(changes) { $1 })
            try service.poll(for: "the end of doctor") { process.exit != nil }
            try process.waitForExit()
            let run = CommandRun(status: process.exit, output: process.output, errors: process.errors)
            found = try findings(run)
            let isWrong = found.contains { $0.state == "wrong" }
            guard run.status == .status(isWrong ? 1 : 0), run.errors.isEmpty else { throw TestFailure("\(run)") }
            #expect(found.allSatisfy { $0.state != "wrong" || !$0.advice.isEmpty }, "\(found)")
            return found.contains { $0.area == area && $0.state == state && $0.message.contains(text) }
        }
        return found
    }

    private static let definitions = """
        [steps]
        begin = {}
        [screens]
        list = { presenter = "com.example.Peer", patience = "1h", arguments = { pin = "string?" } }
        [[autostart]]
        flow = "main"
        [flows.main]
        initial = "begin"
        [flows.main.on]
        begin = { screen = "list", arguments = { pin = "4711" } }
        """

    // MARK: A service manager and a stacker, played

    /// A unit: its name, and its states.
    private typealias Unit = (name: String, load: String, active: String, sub: String)

    private func playSystemd(
        _ service: Service, _ units: [Unit], environment: [String] = ["DISPLAY=:9"]
    ) throws {
        let systemd = try service.peer("org.freedesktop.systemd1")
        let (path, manager) = ("/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager")
        systemd.serve(path, "org.freedesktop.DBus.Properties", "GetAll") { _ in
            .values([.options(["Version": "257.1", "Environment": .strings(environment)])])
        }
        systemd.serve(path, manager, "ListUnitsByPatterns") { _ in
            let list = units.map { unit in
                BusValue.structure([
                    .string(unit.name), "", .string(unit.load), .string(unit.active), .string(unit.sub), "",
                    .objectPath(path + "/unit/it"), .uint32(0), "", .objectPath("/"),
                ])
            }
            return .values([.array(of: "(ssssssouso)", list)])
        }
        systemd.serve(path + "/unit/it", "org.freedesktop.DBus.Properties", "GetAll") { _ in
            .values([
                .options([
                    "Result": "exit-code", "ExecMainStatus": .int32(3), "ExecMainCode": .int32(1),
                    "NRestarts": .uint32(5),
                ])
            ])
        }
    }

    private func playStacker(_ service: Service, status: String) throws {
        let stacker = try service.peer("org.flowbus.Stacker1")
        stacker.serve("/org/flowbus/Stacker1", "org.freedesktop.DBus.Properties", "GetAll") { _ in
            .values([
                .options(["Backend": "sway IPC", "Version": "1.9", "Can": "order", "Status": .string(status)])
            ])
        }
    }

    // MARK: All is well

    @Test func `nothing wrong: 0, one line for each area, and nothing private`() throws {
        let service = try Service(Self.definitions)
        let peer = try service.peer()
        peer.playPresenter()
        try service.poll(for: "Present") { !peer.calls("Present").isEmpty }
        try service.waitForOwner(peer, of: "/main/list")
        try peer.call(
            Service.name, Service.tree + "/main/list", Service.name + ".Presentable", "SetVisible", true)
        try playStacker(service, status: "sway IPC: order")
        try playSystemd(
            service,
            [
                ("flowbusd.service", "loaded", "active", "running"),
                ("graphical-session.target", "loaded", "active", "active"),
            ])
        let found = try examine(service, until: "compositor", "ok", "sway IPC 1.9: order")
        #expect(found.allSatisfy { $0.state == "ok" || $0.area == "checks" }, "\(found)")
        #expect(
            found.map(\.area) == [
                "versions", "bus", "service", "checks", "units", "rights", "screens", "compositor", "disk",
            ])
        let version = try #require(
            service.client.property(Service.name, Service.root, Service.name + ".Coordinator", "Version").text)
        #expect(
            found[0].message
                == "flowbusctl \(version), flowbusd \(version), systemd 257.1, dbus-daemon, sway IPC 1.9")
        #expect(found[4].message == "running: flowbusd.service")
        #expect(found[6].message == "visible: main/list")
        #expect(!"\(found)".contains("4711") && !"\(found)".contains(home.path), "\(found)")
        let text = try Program.start(
            ["--address", service.bus.address, "doctor", "--color", "never"], environment: environment)
        try service.poll(for: "doctor") { text.exit != nil }
        try text.waitForExit()
        #expect(text.output.contains("ok     screens    visible: main/list\n"), "\(text.output)")
    }

    // MARK: Buses and services

    @Test func `no bus, and one that hangs`() throws {
        let (run, none) = try examine("unix:path=/nowhere/bus")
        #expect(run.status == .status(1))
        #expect(none[0].message.hasPrefix("flowbusctl ") && none[0].message.contains("no flowbusd, no systemd, no bus"))
        #expect(none[1].state == "wrong" && none[1].message.contains("can't connect to the bus at"), "\(none)")
        let bus = try PrivateBus()
        bus.pause()
        defer { bus.resume() }
        let (_, silent) = try examine(bus.address)
        #expect(silent[1].state == "wrong" && silent[1].message.contains("timed out"), "\(silent)")
    }

    @Test func `no service, which the bus can start or can't`() throws {
        let bus = try PrivateBus()
        let (run, found) = try examine(bus.address)
        #expect(run.status == .status(1))
        #expect(found.contains { $0.message == "flowbusd does not run, and the bus can't start it" }, "\(found)")
        #expect(found.contains { $0.area == "units" && $0.state == "note" && $0.message.contains("no systemd") })
        #expect(found.contains { $0.area == "compositor" && $0.state == "note" })
        #expect(found.contains { $0.area == "disk" && $0.message.contains("no '~/.local/state/flowbus' yet") })
        #expect(
            found.contains {
                $0.area == "checks" && $0.message.hasPrefix("there are no definition files in '~/.config/")
            })
        let services = try TemporaryDirectory()
        let marker = services.path + "/started"
        try services.write(
            "[D-BUS Service]\nName=org.flowbus.Navigation1\nExec=/usr/bin/touch \(marker)\n", to: "s.service")
        let other = try PrivateBus(.daemon, serviceDirectories: [services.path])
        let (_, known) = try examine(other.address)
        #expect(known.contains { $0.message == "flowbusd does not run, and the bus would start it for a call" })
        #expect(!FileManager.default.fileExists(atPath: marker))
        // Nothing is advised that needs a systemd, which is not there.
        #expect(known.contains { $0.advice.hasPrefix("'flowbusctl flows' has the bus start it") }, "\(known)")
        #expect(known.allSatisfy { !$0.advice.contains("systemctl") }, "\(known)")
    }

    @Test func `a service that hangs, and one without a flow`() throws {
        let service = try Service("[flows.main]\n[flows.main.on]\n")
        let found = try examine(service, until: "service", "wrong", "no flow is live")
        #expect(found.contains { $0.area == "screens" } == false)
        service.process.send(signal: SIGSTOP)
        defer { service.process.send(signal: SIGCONT) }
        let (_, silent) = try examine(service.bus.address)
        #expect(silent[0].message.contains(", a flowbusd that does not answer, "), "\(silent)")
        let line = try #require(silent.first { $0.area == "service" })
        #expect(line.message.hasSuffix(", does not answer: a signal or a debugger has stopped it"), "\(line)")
        #expect(line.advice.hasPrefix("'kill -CONT "), "\(line)")
        // What it reads is seen all the same.
        #expect(silent.contains { $0.area == "checks" && $0.message.hasPrefix("1 file: 1 flow") }, "\(silent)")
    }

    // MARK: Screens

    @Test func `S-47 a screen that waits, for which program, since when, and the name of its error`() throws {
        let service = try Service(Self.definitions)
        let found = try examine(service, until: "screens", "wrong", "waits for 'com.example.Peer'")
        let line = try #require(found.first { $0.area == "screens" }).message
        #expect(line.hasPrefix("'main/list' (in the tree since 20"), "\(line)")
        #expect(line.hasSuffix(": org.freedesktop.DBus.Error.ServiceUnknown"), "\(line)")
        let texts = try examine(service, ["--texts"], until: "screens", "wrong", "waits for 'com.example.Peer'")
        #expect(texts.contains { $0.message.contains(": The name com.example.Peer was not provided") }, "\(texts)")
    }

    @Test func `a screen that is not visible yet, one that nobody claims, and S-48 an empty flow`() throws {
        // It is there before the screen is, and never answers. Each root has a display, as the newest covers the others of its own.
        let bus = try PrivateBus()
        let silent = try TestClient(bus)
        try silent.requestName("com.example.Peer")
        let service = try Service(
            Self.definitions + """

                [screens.nobody]
                [[autostart]]
                flow = "other"
                output = "two"
                [flows.other]
                initial = "begin"
                [flows.other.on]
                begin = { screen = "nobody" }
                [[autostart]]
                flow = "empty"
                output = "three"
                [flows.empty]
                initial = "begin"
                guard = { name = "com.example.Missing" }
                [flows.empty.on]
                begin = { screen = "nobody" }
                """, bus: bus)
        let found = try examine(service, until: "screens", "wrong", "is not visible yet")
        #expect(found.contains { $0.message.contains("'com.example.Peer' has not said that it shows it") }, "\(found)")
        #expect(found.contains { $0.message.contains("'other/nobody'") && $0.message.contains("claim it") }, "\(found)")
        #expect(found.contains { $0.message.contains("the flow 'empty'") && $0.message.contains("is empty") })
    }

    // MARK: The compositor

    @Test func `a stacker that reports trouble`() throws {
        let service = try Service(Self.definitions)
        try playStacker(service, status: "waiting for the display")
        _ = try examine(service, until: "compositor", "wrong", "waiting for the display")
    }

    // MARK: Units

    @Test func `units that failed, that end again and again, that systemd can't use`() throws {
        let service = try Service(Self.definitions)
        try playSystemd(
            service,
            [
                ("app-flowbus-clock.service", "loaded", "failed", "failed"),
                ("flowbus-run.service", "bad-setting", "inactive", "dead"),
                ("flowbus-stacker.service", "loaded", "activating", "auto-restart"),
                ("flowbusd.service", "loaded", "failed", "failed"),
            ])
        let journal = try home.write("#!/bin/sh\necho \"said by $*, in $HOME\"\n", to: "bin/journalctl")
        try #require(chmod(journal, 0o755) == 0)
        let path = ["PATH": "\(home.path)/bin:/usr/bin:/bin"]
        var found = try examine(service, [], path, until: "units", "wrong", "flowbusd.service has failed")
        let units = found.filter { $0.area == "units" }
        #expect(
            units.map(\.message) == [
                "app-flowbus-clock.service has failed: exit-code, status 3, started again 5 times",
                "systemd can't use flowbus-run.service: bad-setting",
                "flowbus-stacker.service ends, and is started again and again: exit-code, status 3, started again 5 times",
                "flowbusd.service has failed: exit-code, status 3, started again 5 times",
            ])
        // What programs say is for who asks for it, and the steps that flowbusd notes are no warnings.
        #expect(units[0].said.isEmpty)
        #expect(units[3].said.count == 1 && units[3].said[0].hasSuffix("--priority warning, in ~"), "\(units[3])")
        found = try examine(service, ["--texts"], path, until: "units", "wrong", "flowbusd.service has failed")
        #expect(found.first { $0.message.hasPrefix("app-flowbus-clock") }?.said.count == 1)
        // A journal that says nothing is not waited for.
        try home.write("#!/bin/sh\nexec sleep 1000\n", to: "bin/journalctl")
        found = try examine(service, [], path, until: "units", "wrong", "flowbusd.service has failed")
        #expect(found.first { $0.message.hasPrefix("flowbusd.service") }?.said == [])
    }

    @Test func `programs of the session that do not run, and programs that the bus can't start`() throws {
        let service = try Service(
            Self.definitions + """

                [programs]
                clock = { command = ["/bin/true"] }
                "com.example.Demand" = { command = ["/bin/true"] }
                """)
        try playSystemd(service, [("graphical-session.target", "loaded", "inactive", "dead")])
        let found = try examine(service, until: "units", "wrong", "graphical-session.target is not active")
        #expect(found.contains { $0.advice.contains("flowbus-session") })
        #expect(found.contains { $0.message == "the bus can't start 'com.example.Demand', a program of [programs]" })
        #expect(!found.contains { $0.message.contains("find no display") })
    }

    @Test func `a session that has begun without a display`() throws {
        let service = try Service(Self.definitions + "\n[programs]\nclock = { command = [\"/bin/true\"] }\n")
        try playSystemd(
            service, [("graphical-session.target", "loaded", "active", "active")], environment: ["LANG=C"])
        let found = try examine(service, until: "units", "wrong", "programs that units start find no display")
        #expect(
            found.contains {
                $0.message == "app-flowbus-clock.service does not run, and 'clock' is a program of the session"
            }, "\(found)")
    }

    // MARK: Rights, files, the disk

    @Test func `folders and sockets that are not as they have to be`() throws {
        let bus = try PrivateBus()
        func rights(_ changes: [String: String?]) throws -> Found? {
            try examine(bus.address, changes).1.first { $0.area == "rights" }
        }
        #expect(try rights([:])?.state == "ok")
        #expect(try rights(["XDG_RUNTIME_DIR": nil])?.message.hasPrefix("XDG_RUNTIME_DIR is not set") == true)
        #expect(try rights(["XDG_RUNTIME_DIR": "/nowhere"])?.message.contains("No such file or directory") == true)
        let display = try #require(try rights(["WAYLAND_DISPLAY": "wayland-7"]))
        #expect(
            display.message
                == "WAYLAND_DISPLAY is 'wayland-7', and no compositor answers there: No such file or directory")
        #expect(display.advice.contains("~/run"), "\(display)")
        // A file is no socket, and a socket of the bus is one.
        let refused = try #require(try rights(["WAYLAND_DISPLAY": home.path + "/run/empty"]))
        #expect(refused.message.hasSuffix("Connection refused"), "\(refused)")
        let socket = bus.address.split(separator: "=").last.map { String($0.prefix { $0 != "," }) } ?? ""
        #expect(try rights(["WAYLAND_DISPLAY": socket])?.state == "ok")
        try #require(chmod(home.path + "/run", 0o755) == 0)
        let open = try #require(try rights([:]))
        #expect(open.message == "XDG_RUNTIME_DIR, '~/run', is open to other users" && open.state == "wrong")
    }

    @Test func `definition files with errors, those that are named, and warnings`() throws {
        let service = try Service(Self.definitions)
        try service.flows.write("version = 1\nnonsense = 1\n", to: "wrong.toml")
        // Those that flowbusd reads, by its command line.
        let found = try examine(service, until: "checks", "wrong", "the definition files have 1 error")
        #expect(found.contains { $0.said.contains { $0.contains("no key 'nonsense'") } }, "\(found)")
        #expect(found.contains { $0.message.contains("flowbusd goes on with what it has read before") })
        let folder = try TemporaryDirectory()
        try folder.write("version = 1\n[screens]\nlist = {}\n[flows.main]\n", to: "a.toml")
        _ = try examine(service, [folder.path], until: "checks", "note", "1 file: 1 flow, 1 screen")
        let missing = try service.ctl("doctor", folder.path + "/none")
        #expect(missing.status == .status(66) && missing.errors.contains("there is no folder"))
        let replayed = try Program.run("--replay", "x", "doctor")
        #expect(replayed.status == .status(64) && replayed.errors.contains("--replay: a recording has no machine"))
    }

    @Test func `a folder of the history that is gone, and none at all`() throws {
        let service = try Service(Self.definitions)
        try FileManager.default.removeItem(atPath: service.stores.path + "/state")
        _ = try examine(service, until: "disk", "wrong", "No such file or directory")
        let forgetful = try Service(Self.definitions, options: ["--state", "none", "--runtime", "none"])
        let found = try examine(forgetful, until: "disk", "note", "flowbusd keeps no history")
        #expect(found.contains { $0.area == "service" && $0.state == "note" && $0.message.contains("does not store") })
    }

    @Test(.enabled(if: geteuid() == 0, "only root may write to /proc, which has no space"))
    func `a disk without space`() throws {
        let service = try Service(Self.definitions)
        let state = service.stores.path + "/state"
        try FileManager.default.removeItem(atPath: state)
        try FileManager.default.createSymbolicLink(atPath: state, withDestinationPath: "/proc")
        _ = try examine(service, until: "disk", "wrong", "its file system has 0 KiB left")
    }
}
