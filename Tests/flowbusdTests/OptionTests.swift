import BusTestSupport
import Foundation
import Testing

@Suite("Options")
struct OptionTests {
    private func run(_ arguments: String..., environment: [String: String?] = [:]) throws -> ChildProcess {
        let process = try Service.start(arguments, environment: environment)
        try process.waitForExit()
        return process
    }

    @Test func `--check prints errors and warnings and exits with 0 or 1`() throws {
        let flows = try TemporaryDirectory()
        try flows.write("version = 1\n[steps]\nalone = {}\n", to: "a.toml")
        let good = try run("--check", "--flows", flows.path)
        #expect(good.exit == .status(0))
        #expect(good.output == "1 file: 0 flows, 0 screens, 1 step; no errors, 1 warning\n")
        #expect(
            good.errors == "\(flows.path)/a.toml:3: warning: [steps.alone] no flow has a rule for the step 'alone'\n")
        try flows.write("version = 2\n", to: "b.toml")
        let bad = try run("--check", "--flows", flows.path)
        #expect(bad.exit == .status(1))
        #expect(bad.output.isEmpty)
        #expect(
            bad.errors.contains("b.toml:1: error: [version] version '2' of the format is not known; it has to be 1"))
    }

    @Test func `--flows: several folders, the first hides the others' files`() throws {
        let (first, second) = (try TemporaryDirectory(), try TemporaryDirectory())
        try first.write("version = 1\n[flows.one.on]\n", to: "a.toml")
        try second.write("version = 1\n[flows.hidden.on]\n", to: "a.toml")
        try second.write("version = 1\n[flows.two.on]\n", to: "b.toml")
        let bus = try PrivateBus()
        let process = try Service.start(["--address", bus.address, "--flows", first.path, "--flows", second.path])
        try process.waitForLine(in: .errors) { $0.contains("Serving") }
        let names = try TestClient(bus).call(
            Service.name, Service.root, Service.name + ".Coordinator", "GetDefinitionNames")
        #expect(names == [.strings(["one", "two"])])
    }

    @Test func `a file that needs TOML 1.1 is read, and no matter for the log`() throws {
        let flows = try TemporaryDirectory()
        try flows.write(
            """
            version = 1
            [steps]
            go = {
            }
            [[autostart]]
            flow = "one"
            [flows.one.on]
            go = { none = true, }

            """, to: "a.toml")
        let bus = try PrivateBus()
        let process = try Service.start(["--address", bus.address, "--flows", flows.path])
        try process.waitForLine(in: .errors) { $0.contains("Serving") }
        #expect(!process.errors.contains("a.toml"))
        let client = try TestClient(bus)
        #expect(
            try client.call(Service.name, Service.root, Service.name + ".Coordinator", "Reload") == [.strings([])])
    }

    @Test func `--flows: a folder that is not there is named: 78`() throws {
        let process = try run("--flows", "/nowhere/at/all", "--address", "unix:path=/nowhere")
        #expect(process.exit == .status(78))
        #expect(process.errors.contains("/nowhere/at/all: the folder can't be read: no such file or directory"))
    }

    @Test func `without --flows the user's own folder is read`() throws {
        let home = try TemporaryDirectory()
        try home.write("version = 1\n[flows.mine.on]\n", to: "flowbus/flows.d/a.toml")
        let process = try run("--check", environment: ["XDG_CONFIG_HOME": home.path])
        #expect(process.errors.contains("\(home.path)/flowbus/flows.d/a.toml:2: warning: [flows.mine]"))
    }

    @Test(arguments: [
        ("--session", "DBUS_SESSION_BUS_ADDRESS"), (nil, "DBUS_SESSION_BUS_ADDRESS"),
        ("--system", "DBUS_SYSTEM_BUS_ADDRESS"),
    ])
    func `each bus has its option, the session's is the default`(option: String?, variable: String) throws {
        let bus = try PrivateBus()
        let flows = try TemporaryDirectory()
        var environment: [String: String?] = [
            "DBUS_SESSION_BUS_ADDRESS": nil, "DBUS_SYSTEM_BUS_ADDRESS": nil, "XDG_RUNTIME_DIR": nil,
        ]
        environment[variable] = .some(bus.address)
        let process = try Service.start(
            ["--flows", flows.path] + (option.map { [$0] } ?? []), environment: environment)
        try process.waitForLine(in: .errors) { $0.contains("Serving") }
        #expect(
            try TestClient(bus).property(Service.name, Service.root, Service.name + ".Coordinator", "InterfaceVersion")
                == .uint32(1))
    }

    @Test func `contradicting options and invalid words are refused: 64`() throws {
        for (arguments, text) in [
            (["--session", "--system"], "--system"), (["--address", "unix:path=/x", "--system"], "'unix:path=/x'"),
            (["--address", "nonsense"], "'nonsense'"), (["word"], "'word'"), (["--log-level", "loud"], "'loud'"),
            (["--flow", "x"], "--help"), (["--flows"], "--flows"), (["--flows", ""], "--flows ''"),
            (["--check", "--introspect"], "--check and --introspect exclude each other"),
            (["--runtime", ""], "--runtime ''"), (["--state", ""], "--state ''"), (["--runtime"], "--runtime"),
            (["--restore", "sometimes"], "'sometimes'"), (["--restore", ""], "--restore"),
            (["--history-entries", "-1"], "--history-entries"), (["--history-entries", "many"], "'many'"),
            (["--history-days", "0"], "--history-days '0' can't be: give 1 to 36500"),
            (["--history-days", "36501"], "'36501'"), (["--history-days", "x"], "'x'"),
            (["--replay", "x", "--check"], "--check and --replay"), (["--check", "--record", "x"], "--record"),
        ] {
            let process = try Service.start(arguments)
            #expect(try process.waitForExit() == .status(64))
            #expect(process.errors.contains(text), "\(process.errors)")
        }
    }

    // MARK: Persistence

    /// The files below a folder, without those of SQLite beside them, and without the bus's number.
    private func files(below folder: TemporaryDirectory) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".db") }.map { $0.replacing(#/tree-[0-9a-f]{32}/#, with: "tree-GUID") }
            .sorted()
    }

    @Test(
        arguments: [
            (
                [], ["XDG_RUNTIME_DIR": "/x", "XDG_STATE_HOME": "/s", "HOME": "/h"],
                ["s/flowbus/history.db", "x/flowbus/tree"]
            ),
            (
                [],
                ["RUNTIME_DIRECTORY": "/r:/r2", "XDG_RUNTIME_DIR": "/x", "STATE_DIRECTORY": "/t:/t2", "HOME": "/h"],
                ["r/tree", "t/history.db"]
            ),
            ([], ["XDG_RUNTIME_DIR": "/x", "HOME": "/h"], ["h/.local/state/flowbus/history.db", "x/flowbus/tree"]),
            (
                ["--runtime", "/o/a", "--state", "/o/b"], ["RUNTIME_DIRECTORY": "/r", "STATE_DIRECTORY": "/t"],
                ["o/a/tree", "o/b/history.db"]
            ),
            (["--runtime", "none", "--state", "none"], ["XDG_RUNTIME_DIR": "/x", "HOME": "/h"], []),
            (["--runtime", "none"], ["XDG_RUNTIME_DIR": "/x", "HOME": "/h"], ["h/.local/state/flowbus/history.db"]),
        ] as [([String], [String: String], [String])])
    func `--runtime, --state, and the default folders of the tree and the history`(
        options: [String], variables: [String: String], expected: [String]
    ) throws {
        let root = try TemporaryDirectory()
        let flows = try TemporaryDirectory()
        try flows.write("version = 1\n[flows.one.on]\n", to: "a.toml")
        let bus = try PrivateBus()
        var environment: [String: String?] = [:]
        for name in ["RUNTIME_DIRECTORY", "STATE_DIRECTORY", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "HOME"] {
            environment[name] = .some(
                variables[name].map { $0.split(separator: ":").map { root.path + $0 }.joined(separator: ":") })
        }
        let process = try Service.start(
            ["--address", bus.address, "--flows", flows.path]
                + options.map { $0.hasPrefix("/") ? root.path + $0 : $0 }, environment: environment, keepsNothing: false
        )
        try process.waitForLine(in: .errors) { $0.contains("Serving") }
        #expect(files(below: root) == expected.map { $0.hasSuffix("tree") ? $0 + "-GUID.db" : $0 })
        #expect(process.warnings == [])
    }

    @Test func `without any folder there is a warning, and nothing is persisted`() throws {
        let flows = try TemporaryDirectory()
        try flows.write("version = 1\n[flows.one.on]\n", to: "a.toml")
        let bus = try PrivateBus()
        let process = try Service.start(
            ["--address", bus.address, "--flows", flows.path],
            environment: [
                "RUNTIME_DIRECTORY": "", "STATE_DIRECTORY": "", "XDG_RUNTIME_DIR": "relative", "XDG_STATE_HOME": nil,
                "HOME": nil,
            ], keepsNothing: false)
        try process.waitForLine(in: .errors) { $0.contains("Serving") }
        #expect(process.warnings.count == 2)
        #expect(process.errors.contains("warning: The tree is not stored: XDG_RUNTIME_DIR names no folder"))
        #expect(process.errors.contains("warning: The history is not stored: neither XDG_STATE_HOME nor HOME"))
        #expect(
            try TestClient(bus).property(Service.name, Service.root, Service.name + ".Coordinator", "Durable") == false)
    }

    // MARK: The log

    @Test(arguments: ["trace", "debug", "info", "notice", "warning", "error", "critical"])
    func `--log-level`(level: String) throws {
        let bus = try PrivateBus()
        let flows = try TemporaryDirectory()
        let process = try Service.start(["--address", bus.address, "--flows", flows.path, "--log-level", level])
        let client = try TestClient(bus)
        try client.waitForOwner(of: Service.name)
        // Its log lines are written before it answers.
        try client.ping(Service.name)
        try process.terminate()
        let isLogged = ["trace", "debug", "info", "notice"].contains(level)
        #expect(process.errors.contains("flowbusd: notice: Serving") == isLogged)
    }

    @Test func `--version is the property Version`() throws {
        let service = try Service(shopDefinitions)
        let version = try service.client.property(
            Service.name, Service.root, Service.name + ".Coordinator", "Version")
        #expect(try run("--version").output == (version.text ?? "") + "\n")
        #expect(try Service.file("man/flowbusd.8").contains(".Os flowbus \(version.text ?? "?")"))
    }

    @Test func `--help and the manual name the same options`() throws {
        let help = try run("--help").output
        let options = Set(help.matches(of: #/--[a-z-]+/#).map { String($0.output) })
        let manual = try Service.file("man/flowbusd.8").replacing("Fl -", with: "--")
        let section = manual.split(separator: ".Sh OPTIONS")[1].split(separator: ".Sh ")[0]
        let entries = section.matches(of: #/\.It .*?(--[a-z-]+)/#).map { String($0.output.1) }
        #expect(Set(entries) == options)
        #expect(entries.count == options.count)
    }

    @Test func `the manual lists the exit statuses that there are`() throws {
        let statuses = try Service.file("Sources/flowbusd/Main/ExitStatus.swift")
            .matches(of: #/case [a-zA-Z]+ = (\d+)/#).map { String($0.output.1) }
        let section = try Service.file("man/flowbusd.8").split(separator: ".Sh EXIT STATUS")[1]
            .split(separator: ".Sh ")[0]
        #expect(section.matches(of: #/\.It (\d+)/#).map { String($0.output.1) } == statuses)
    }
}
