import BusTestSupport
import Foundation
import Testing

@Suite("status, and where there is no service")
struct StatusTests {
    @Test func `status prints the state`() throws {
        let service = try Service(homeDefinitions)
        let run = try service.ctl("status")
        #expect(run.status == .status(0))
        let version = try #require(service.rootProperty("Version").text)
        #expect(run.lines[0].hasPrefix("running: flowbusd \(version), pid \(service.process.processID) ("))
        #expect(run.lines.contains("live:        1 flow, 1 screen"))
        #expect(run.lines.contains("definitions: 3 flows"))
        #expect(run.lines.contains("serial:      1"))
        #expect(run.lines.contains("durable:     yes"))
        let object = try #require(try service.ctl("status", "--json").objects.first)
        #expect(object["pid"] as? Int == Int(service.process.processID))
        #expect(object["running"] as? Bool == true)
        let since = try #require(object["since"] as? Double) / 1_000_000
        #expect(abs(since - Date().timeIntervalSince1970) < 60)
    }

    @Test func `S-42 status prints the steppers`() throws {
        let service = try Service(
            """
            [steps]
            moved = { by = "string" }
            [flows.device]
            [flows.device.on]
            moved = { none = true }
            [[steppers]]
            flow = "device"
            name = "com.example.Vehicle"
            path = "/vehicle"
            interface = "com.example.Vehicle1"
            property = "Gear"
            step = "moved"
            arguments = { by = "$value" }
            """)
        func stepper() throws -> String? { try service.ctl("status").lines.first { $0.hasPrefix("steppers:") } }
        try service.poll(for: "no vehicle") {
            try stepper()
                == "steppers:    moved on device: absent, nobody owns the name (com.example.Vehicle1.Gear)"
        }
        let vehicle = try service.peer("com.example.Vehicle")
        vehicle.serve("/vehicle", "org.freedesktop.DBus.Properties", "Get") { _ in
            .values([.variant("two words")])
        }
        try service.poll(for: "a gear") {
            try stepper()?.hasSuffix("moved on device: connected, \"two words\" (com.example.Vehicle1.Gear)") ?? false
        }
        let steppers = try #require(try service.ctl("status", "--json").objects.first?["steppers"] as? [[String: Any]])
        #expect(steppers.first?["value"] as? String == "two words" && steppers.first?["path"] as? String == "/vehicle")
    }

    @Test func `status prints the back end of the stacker where its name is owned`() throws {
        let service = try Service(homeDefinitions)
        /// The stacker answers while the status is waited for.
        func status(_ options: String...) throws -> CommandRun {
            var run: CommandRun?
            // On a busy machine, this test may answer later than a stacker would.
            try service.poll(for: "an answer in time") {
                let process = try Program.start(["--address", service.bus.address, "status"] + options)
                try service.poll(for: "status") { process.exit != nil }
                // What it has written may still be on its way.
                try process.waitForExit()
                run = CommandRun(status: process.exit, output: process.output, errors: process.errors)
                return !process.output.contains("does not answer")
            }
            return try #require(run)
        }
        func line() throws -> String? { try status().lines.first { $0.hasPrefix("stacker:") } }
        let before = try status("--json").objects.first
        #expect(try line() == nil && before?["stacker"] == nil)
        let stacker = try service.peer("org.flowbus.Stacker1")
        var properties: KeyValuePairs<String, BusValue> = [
            "Backend": "sway IPC", "Version": "1.9", "Can": "order, focus", "Status": "sway IPC: order, focus",
        ]
        stacker.serve("/org/flowbus/Stacker1", "org.freedesktop.DBus.Properties", "GetAll") { _ in
            .values([.options(properties)])
        }
        #expect(try line() == "stacker:     sway IPC 1.9: order, focus")
        let object = try status("--json").objects.first?["stacker"] as? [String: String]
        #expect(
            object == [
                "backend": "sway IPC", "version": "1.9", "can": "order, focus", "status": "sway IPC: order, focus",
            ])
        // It has no back end before there is a compositor.
        properties = ["Backend": "", "Version": "", "Can": "", "Status": "Waiting for the\ndisplay"]
        #expect(try line() == "stacker:     Waiting for the\\ndisplay")
    }

    @Test func `status does not wait for a stacker that hangs`() throws {
        let service = try Service(homeDefinitions)
        let silent = try TestClient(service.bus)
        try silent.requestName("org.flowbus.Stacker1")
        #expect(try service.ctl("status").lines.last == "stacker:     does not answer")
    }

    @Test func `status never starts the service: 69`() throws {
        let services = try TemporaryDirectory()
        let marker = services.path + "/started"
        try services.write(
            "[D-BUS Service]\nName=org.flowbus.Navigation1\nExec=/bin/sh -c \"touch \(marker); exit 1\"\n",
            to: "s.service")
        let bus = try PrivateBus(serviceDirectories: [services.path])
        let run = try Program.run("--address", bus.address, "status")
        #expect(run.status == .status(69))
        #expect(run.errors.contains("flowbusctl: no service on the bus at '\(bus.address)': start it with"))
        let json = try Program.run("--address", bus.address, "status", "--json")
        #expect(json.output == "{\"running\":false}\n")
        #expect(!FileManager.default.fileExists(atPath: marker))
        // Another command does; that program never serves.
        #expect(try Program.run("--address", bus.address, "tree").status == .status(69))
        #expect(FileManager.default.fileExists(atPath: marker))
    }

    @Test func `no service: each bus has its own advice`() throws {
        let bus = try PrivateBus()
        let user = try Program.run("tree", environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
        #expect(user.status == .status(69))
        #expect(
            user.errors
                == "flowbusctl: no service on the session bus: start it with 'systemctl --user start flowbusd', or name "
                + "another bus with --system or --address\n")
        let system = try Program.run("--system", "tree", environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
        #expect(system.status == .status(69))
        #expect(system.errors.contains("'systemctl start flowbusd'"))
    }

    @Test func `no bus: status 69, and a hint`() throws {
        let session = try Program.run("tree", environment: ["DBUS_SESSION_BUS_ADDRESS": nil])
        #expect(session.status == .status(69))
        #expect(session.errors.contains("can't connect to the session bus"))
        #expect(session.errors.contains("set DBUS_SESSION_BUS_ADDRESS"))
        #expect(try Program.run("tree").status == .status(69))
        #expect(try Program.run("--system", "tree").status == .status(69))
        #expect(try Program.run("--address", "unix:path=/nowhere", "tree").status == .status(69))
    }

    @Test(arguments: [
        ["--address", "nonsense", "tree"], ["--user", "--system", "tree"],
        ["--address", "unix:path=/x", "--user", "tree"],
        ["tre"], ["tree", "--nonsense"], ["tree", "--color", "sometimes"], ["wait", "main"], ["log", "--lines", "-1"],
        ["log", "--lines", "many"], ["along"], ["along", "main:"], ["along", "ma in"],
    ])
    func `wrong usage is a 64, with the program's name`(arguments: [String]) throws {
        let run = try Program.run(arguments)
        #expect(run.status == .status(64))
        #expect(run.errors.hasPrefix("flowbusctl: "))
        #expect(run.output.isEmpty)
    }

    @Test func `an unknown command has a suggestion`() throws {
        #expect(try Program.run("tre").errors.contains("'tre'; did you mean 'tree'?"))
    }

    @Test func `a write error is a 74`() throws {
        let service = try Service(homeDefinitions)
        let run = try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec \"$0\" \"$@\" > /dev/full", try Service.program(named: "flowbusctl"), "--address",
                service.bus.address, "tree",
            ])
        try run.waitForExit()
        #expect(run.exit == .status(74))
        #expect(run.errors.contains("could not write: No space left on device"))
    }

    @Test func `the manual lists the exit statuses that there are`() throws {
        let statuses = try Service.file("Sources/flowbusctl/ExitStatus.swift")
            .matches(of: #/case [a-zA-Z]+ = (\d+)/#).map { String($0.output.1) }
        let section = try Service.file("man/flowbusctl.1").split(separator: ".Sh EXIT STATUS")[1]
            .split(separator: ".Sh ")[0]
        #expect(section.matches(of: #/\.It (\d+)/#).map { String($0.output.1) } == statuses)
    }

    @Test func `both programs are of one version`() throws {
        let ours = try Program.run("--version").output
        let process = try Service.start(["--version"])
        try process.waitForExit()
        #expect(ours == process.output)
    }
}

extension Service {
    /// A property of the root object.
    fileprivate func rootProperty(_ name: String) throws -> BusValue {
        try client.property(Self.name, Self.root, Self.name + ".Coordinator", name)
    }
}
