import BusTestSupport
import Foundation
import Glibc
import Testing

/// `units`, and the generator: the units and service files of `[programs]`. `reliability/user` runs them under a user manager.
@Suite("units")
struct UnitsCommandTests {
    private let folder = try? TemporaryDirectory()

    private var path: String { get throws { try #require(folder).path } }

    private static let definitions = """
        version = 1
        [programs."com.park.Reader"]
        command  = ["/bin/reader", "--tty", "$PARK_TTY", "50% \\"of\\" $5", "$$X", "a=b"]
        start    = "session"
        memory   = "300M"
        watchdog = "1500ms"
        hardening = ["PrivateTmp"]
        [programs]
        clock      = { command = ["./clock"], hardening = "none" }
        "com.a.B" = { command = ["/bin/b"] }
        """

    /// Runs `units` for the definitions.
    private func units(_ text: String = definitions, _ options: String...) throws -> CommandRun {
        try #require(folder).write(text, to: "flows/a.toml")
        return try Program.run(["units", path + "/flows"] + options)
    }

    private func lines(_ file: String) throws -> [String] {
        try String(contentsOfFile: path + "/" + file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private var written: [String] {
        get throws {
            let all = FileManager.default.enumerator(atPath: try path + "/out")?.compactMap { $0 as? String } ?? []
            return all.filter { $0.hasSuffix(".service") }.sorted()
        }
    }

    private static let files = [
        "dbus-1/services/com.a.B.service", "dbus-1/services/com.park.Reader.service",
        "systemd/user/app-flowbus-clock.service", "systemd/user/app-flowbus-com.a.B.service",
        "systemd/user/app-flowbus-com.park.Reader.service",
        "systemd/user/graphical-session.target.wants/app-flowbus-clock.service",
        "systemd/user/graphical-session.target.wants/app-flowbus-com.park.Reader.service",
    ]

    @Test func `a folder without files is said`() throws {
        try #require(folder).write("", to: "empty/none")
        let run = try Program.run(["units", path + "/empty"])
        #expect(run.status == .status(0) && run.output.isEmpty)
        #expect(run.errors == "flowbusctl: there are no definition files in '\(try path)/empty'\n")
    }

    @Test func `programs are listed`() throws {
        let run = try units()
        #expect(run.status == .status(0) && run.errors.isEmpty, "\(run.errors)")
        #expect(
            run.lines == [
                "clock session: \(try path)/flows/clock", "com.a.B demand: /bin/b",
                #"com.park.Reader session: /bin/reader --tty $PARK_TTY 50% "of" $5 $$X a=b"#,
            ])
        let objects = try units(Self.definitions, "--json").objects
        #expect(objects.map { $0["busName"] as? String } == [nil, "com.a.B", "com.park.Reader"])
        #expect(
            objects.last?["command"] as? [String] == [
                "/bin/reader", "--tty", "$PARK_TTY", "50% \"of\" $5", "$$X", "a=b",
            ])
    }

    @Test func `keys of systemd 254 are for those who know them`() throws {
        let file = "out/systemd/user/app-flowbus-clock.service"
        func hasSteps(_ options: String...) throws -> Bool {
            let run = try Program.run(["units", path + "/flows", "--output", path + "/out"] + options)
            #expect(run.status == .status(0), "\(run)")
            #expect(try lines(file).contains("RestartSec=1s"))
            return try lines(file).contains("RestartSteps=5") && lines(file).contains("RestartMaxDelaySec=30s")
        }
        _ = try units()
        #expect(try hasSteps() && hasSteps("--systemd", "254") && !hasSteps("--systemd", "253"))
        let wrong = try units(Self.definitions, "--systemd", "0")
        #expect(wrong.status == .status(64) && wrong.errors.contains("'0' is no version of systemd"))
        // The generator knows the version by what its parent, here the test, has mapped.
        let folder = try TemporaryDirectory()
        try folder.write(
            "version = 1\n[programs]\nclock = { command = [\"/bin/true\"] }\n", to: "config/flowbus/flows.d/a.toml")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/flowbus-generator",
            withDestinationPath: BusTestSupport.Service.program(named: "flowbusctl"))
        func generated() throws -> String {
            let process = try ChildProcess(
                folder.path + "/flowbus-generator", [folder.path + "/units"],
                environment: ["XDG_RUNTIME_DIR": folder.path + "/run", "XDG_CONFIG_HOME": folder.path + "/config"])
            try process.waitForExit()
            #expect(process.errors.isEmpty, "\(process.errors)")
            return try String(contentsOfFile: folder.path + "/units/app-flowbus-clock.service", encoding: .utf8)
        }
        #expect(try generated().contains("RestartSteps=5"))
        let library = open(try folder.write("x", to: "libsystemd-core-252.so"), O_RDONLY)
        defer { close(library) }
        let mapping = mmap(nil, 1, PROT_READ, MAP_PRIVATE, library, 0)
        defer { munmap(mapping, 1) }
        #expect(try !generated().contains("RestartSteps"))
    }

    @Test func `the units and the service files`() throws {
        let run = try units(Self.definitions, "--output", path + "/out")
        #expect(run.status == .status(0) && run.errors.isEmpty, "\(run.errors)")
        let out = try path + "/out/"
        #expect(run.lines.map { $0.replacing(out, with: "") } == Self.files)
        #expect(try written == Self.files)
        let reader = try lines("out/systemd/user/app-flowbus-com.park.Reader.service")
        for line in [
            "Type=dbus", "BusName=com.park.Reader", "Restart=always", "MemoryMax=300M", "WatchdogSec=1500ms",
            "NoNewPrivileges=yes", "PrivateTmp=yes", "PrivateUsers=yes", "SourcePath=\(try path)/flows/a.toml",
            #"ExecStart=/bin/reader --tty "${PARK_TTY}" "50%% \"of\" $$5" "$$X" a=b"#,
        ] {
            #expect(reader.contains(line), "\(line)")
        }
        let demand = try lines("out/systemd/user/app-flowbus-com.a.B.service")
        #expect(demand.contains("Restart=on-failure") && demand.contains("NoNewPrivileges=yes"))
        #expect(!demand.contains("PrivateUsers=yes"))
        let clock = try lines("out/systemd/user/app-flowbus-clock.service")
        #expect(clock.contains("Type=exec") && !clock.contains("NoNewPrivileges=yes"))
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: out + Self.files[5])
        #expect(link == "../app-flowbus-clock.service")
        let service = try lines("out/dbus-1/services/com.a.B.service")
        #expect(
            service.dropFirst() == [
                "[D-BUS Service]", "Name=com.a.B", "Exec=/bin/b", "SystemdService=app-flowbus-com.a.B.service",
            ])
    }

    @Test func `a relative folder leads to absolute paths, as systemd wants them`() throws {
        _ = try units(Self.definitions, "--output", path + "/first")
        let arguments = try [
            "-c", "cd '\(path)' && exec \"$0\" units flows --output out", Service.program(named: "flowbusctl"),
        ]
        let run = try ChildProcess("/bin/sh", arguments)
        #expect(try run.waitForExit() == .status(0), "\(run.errors)")
        let reader = try lines("out/systemd/user/app-flowbus-com.park.Reader.service")
        #expect(try reader == lines("first/systemd/user/app-flowbus-com.park.Reader.service"))
        #expect(reader.contains("SourcePath=\(try path)/flows/a.toml"))
    }

    @Test func `a bus without systemd starts the program with the same words`() throws {
        let script = "printf '%s\\\\n' \\\"$@\\\" >\(try path)/words; exit 1"
        _ = try units(
            """
            version = 1
            [programs."com.a.B"]
            command = ["/bin/sh", "-c", "\(script)", "-", "it's", "a \\"b\\" \\\\ c", "$WORD", "$$WORD", "", "$"]
            """.replacing("\"$\"", with: "\"$$\""), "--output", path + "/out")
        let bus = try PrivateBus(.daemon, serviceDirectories: [path + "/out/dbus-1/services"])
        let call = try ChildProcess(
            "busctl",
            [
                "--address=\(bus.address)", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
                "org.freedesktop.DBus",
                "UpdateActivationEnvironment", "a{ss}", "1", "WORD", "two words",
            ])
        #expect(try call.waitForExit() == .status(0), "\(call.errors)")
        let start = try ChildProcess(
            "busctl", ["--address=\(bus.address)", "call", "com.a.B", "/", "org.freedesktop.DBus.Peer", "Ping"])
        #expect(try start.waitForExit() == .status(1))
        #expect(start.errors.contains("exited with status 1"), "\(start.errors)")
        let words = try String(contentsOfFile: path + "/words", encoding: .utf8)
        #expect(words == "it's\na \"b\" \\ c\ntwo words\n$WORD\n\n$\n")
    }

    @Test func `what an earlier run wrote goes, and what others wrote stays`() throws {
        _ = try units(Self.definitions, "--output", path + "/out")
        try #require(folder).write("[Unit]\n", to: "out/systemd/user/app-flowbus-own.service")
        try #require(folder).write("[D-BUS Service]\n", to: "out/dbus-1/services/com.other.service")
        let fewer = "version = 1\n[programs]\nclock = { command = ['/bin/clock'] }"
        #expect(try units(fewer, "--output", path + "/out").status == .status(0))
        #expect(
            try written == [
                "dbus-1/services/com.other.service", "systemd/user/app-flowbus-clock.service",
                "systemd/user/app-flowbus-own.service",
                "systemd/user/graphical-session.target.wants/app-flowbus-clock.service",
            ])
        let file = try path + "/out/systemd/user/app-flowbus-own.service"
        let run = try units(
            "version = 1\n[programs]\nclock = { command = ['/a'] }\nown = { command = ['/b'] }", "--output",
            path + "/out")
        #expect(run.status == .status(65))
        #expect(
            run.errors
                == "flowbusctl: '\(file)' is there, and flowbusctl has not written it; remove it, or name another folder\n"
        )
        #expect(try lines("out/systemd/user/app-flowbus-clock.service").contains("ExecStart=/bin/clock"))
    }

    @Test func `files with errors change nothing`() throws {
        _ = try units(Self.definitions, "--output", path + "/out")
        let run = try units("version = 1\n[programs]\na = { command = [] }", "--output", path + "/out")
        #expect(run.status == .status(1) && run.output.isEmpty)
        #expect(run.errors.contains("a.toml:3: error: [programs.a.command] the list is empty"))
        #expect(try written == Self.files)
        #expect(try Program.run("units", "/nowhere/at/all").status == .status(66))
    }

    @Test func `reload says where no systemd reads the units again`() throws {
        let service = try Service(homeDefinitions)
        let environment = [
            "DBUS_SESSION_BUS_ADDRESS": service.bus.address, "XDG_RUNTIME_DIR": try path + "/run",
            "XDG_CONFIG_HOME": try path + "/config",
        ]
        #expect(try Program.run("reload", environment: environment).errors.contains("[programs]") == false)
        try #require(folder).write(Self.definitions, to: "config/flowbus/flows.d/a.toml")
        let run = try Program.run("reload", environment: environment)
        #expect(run.status == .status(0))
        #expect(
            run.errors.contains("flowbusctl: the definitions are read again, but not the units of [programs] ("),
            "\(run.errors)")
        #expect(run.errors.hasSuffix("; 'systemctl --user daemon-reload' reads them\n"))
        // A bus that is named need not be that of the user's units.
        #expect(try service.ctl("reload", environment: environment).errors.contains("[programs]") == false)
    }

    /// Runs the generator as systemd does.
    private func generate(_ folders: String...) throws -> CommandRun {
        let program = try path + "/flowbus-generator"
        try? FileManager.default.createSymbolicLink(
            atPath: program, withDestinationPath: BusTestSupport.Service.program(named: "flowbusctl"))
        let process = try ChildProcess(
            program, folders, environment: ["XDG_CONFIG_HOME": path + "/config", "XDG_RUNTIME_DIR": path + "/run"])
        try process.waitForExit()
        return CommandRun(status: process.exit, output: process.output, errors: process.errors)
    }

    @Test func `the generator, which never fails`() throws {
        let folder = try #require(folder)
        try FileManager.default.createDirectory(atPath: folder.path + "/units", withIntermediateDirectories: true)
        #expect(try generate(folder.path + "/units") == CommandRun(status: .status(0), output: "", errors: ""))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/run"))
        try folder.write(Self.definitions, to: "config/flowbus/flows.d/a.toml")
        #expect(try generate(folder.path + "/units") == CommandRun(status: .status(0), output: "", errors: ""))
        let unit = "units/app-flowbus-com.park.Reader.service"
        #expect(try lines(unit).contains("BusName=com.park.Reader"))
        #expect(try lines("run/dbus-1/services/com.park.Reader.service").contains("Name=com.park.Reader"))
        try folder.write("nonsense", to: "config/flowbus/flows.d/b.toml")
        let wrong = try generate(folder.path + "/units")
        #expect(wrong.status == .status(0) && wrong.output.isEmpty && wrong.lines.isEmpty)
        #expect(wrong.errors.split(separator: "\n").count == 1, "\(wrong.errors)")
        #expect(wrong.errors.hasPrefix("flowbus-generator: no units, as the definition files have errors: "))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/run/dbus-1/services") == [])
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/" + unit))
        #expect(try generate().errors.hasPrefix("flowbus-generator: it is started by systemd --user"))
    }
}

extension CommandRun: Equatable {
    static func == (one: CommandRun, other: CommandRun) -> Bool {
        one.status == other.status && one.output == other.output && one.errors == other.errors
    }
}
