import BusTestSupport
import Foundation
import Testing

@Suite("record, and --replay")
struct RecordTests {
    private static let definitions = """
        [context]
        language = { type = "string", initial = "en" }
        pin = { type = "string", initial = "secret-pin", private = true }
        [steps]
        begin = {}
        open  = { item = "int64" }
        login = { user = "string", code = "string" }
        [private]
        steps = ["login"]
        [screens]
        list  = { whenOwnerGone = "keep" }
        page  = { arguments = { item = "int64" } }
        login = { arguments = { user = "string", code = "string" } }
        [[autostart]]
        flow = "main"
        [flows.main]
        initial  = "begin"
        children = "stack"
        whenHidden = "queue"
        [flows.main.on]
        begin = { screen = "list" }
        open  = { screen = "page" }
        login = { screen = "login" }
        """

    /// A service with a private step in its tree and its history, and a file about it.
    private func recorded() throws -> (service: Service, file: String, folder: TemporaryDirectory) {
        let service = try Service(Self.definitions)
        for words in [["open", "item=7"], ["login", "user=secret-user", "code=secret-code"]] {
            #expect(try Program.run(["--address", service.bus.address, "emit", "main"] + words).status == .status(0))
        }
        let presentable = Service.name + ".Presentable"
        _ = try service.client.call(Service.name, Service.tree + "/main/list", presentable, "Claim")
        _ = try service.client.call(Service.name, Service.tree + "/main/list", presentable, "SetTitle", "secret-title")
        let folder = try TemporaryDirectory()
        let file = folder.path + "/box"
        let run = try service.ctl("record", "--since", "10min", "--output", file)
        #expect(run.status == .status(0) && run.output.isEmpty, "\(run)")
        #expect(run.errors.contains("titles and texts of errors are left out"))
        return (service, file, folder)
    }

    @Test(arguments: [
        ["tree", "--arguments"], ["tree", "--json"], ["tree", "main/page", "--json"], ["log"], ["log", "--json"],
        ["log", "main", "-n", "1"], ["log", "--since", "2", "--json"], ["steps"], ["flows"], ["context"],
        ["timings", "--json"],
        ["graph", "--live"], ["outputs", "--json"], ["stack"],
        ["stack", "--json"],
    ])
    func `a recording shows what the service showed`(command: [String]) throws {
        let (service, file, folder) = try recorded()
        let live = try Program.run(["--address", service.bus.address] + command)
        let replayed = try Program.run(["--replay", file] + command)
        #expect(replayed.status == .status(0) && replayed.errors.isEmpty, "\(replayed)")
        #expect(replayed.output == live.output.replacing("secret-title", with: "(left out)"))
        // The words before the command or after it.
        #expect(try Program.run(command + ["--replay", file]).output == replayed.output)
        withExtendedLifetime(folder) {}
    }

    @Test func `S-10 no private value is in the file, which is for its owner alone`() throws {
        let (service, file, folder) = try recorded()
        let bytes = try String(contentsOfFile: file, encoding: .utf8)
        #expect(try service.ctl("tree", "--arguments").output.contains("secret-title"))
        #expect(!bytes.contains("secret"), "\(bytes)")
        #expect(bytes.contains("\"login\""))
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        // It goes to standard output without a name.
        let run = try service.ctl("record")
        #expect(run.output.hasPrefix("flowbus-recording 1 ") && run.output.hasSuffix("\nend\n"))
        withExtendedLifetime(folder) {}
    }

    @Test func `status says when it was recorded, and that it does not run`() throws {
        let (service, file, folder) = try recorded()
        let lines = try Program.run("status", "--replay", file).lines
        let live = try service.ctl("status").lines
        #expect(lines[0].hasPrefix("recorded: flowbusd "))
        #expect(lines.dropFirst() == live.dropFirst().filter { !$0.hasPrefix("since:") }[...])
        let object = try #require(try Program.run("status", "--replay", file, "--json").objects.first)
        #expect(object["running"] is NSNull && object["recorded"] is Int && object["serial"] as? Int == 3)
        withExtendedLifetime(folder) {}
    }

    @Test func `only navigations since the time are in it`() throws {
        let service = try Service(homeDefinitions)
        #expect(try service.ctl("emit", "main", "open", "item=7").status == .status(0))
        let none = try service.ctl("record", "--since", "now").output
        let folder = try TemporaryDirectory()
        let file = try folder.write(none, to: "none")
        #expect(try Program.run("log", "--replay", file).output.isEmpty)
        #expect(try Program.run("tree", "--replay", file).output == service.ctl("tree").output)
    }

    @Test(arguments: [
        (["emit", "main", "open", "item=7"], "leave out --replay"), (["tree", "--watch"], "leave out --replay"),
        (["log", "--follow"], "leave out --replay"), (["explain", "main", "begin"], "has no answer to 'Explain'"),
        (["record"], "leave out --replay"), (["stack", "DP-1"], "has no answer to 'GetStack'"),
    ])
    func `what only a service can do is refused`(command: [String], message: String) throws {
        let (service, file, folder) = try recorded()
        let run = try Program.run(command + ["--replay", file])
        #expect(run.status != .status(0) && run.errors.contains(message), "\(run)")
        let play = try Program.run("act", "--all", service.flows.path, "--replay", file)
        #expect(play.status == .status(69) && play.errors.contains("leave out --replay"), "\(play)")
        withExtendedLifetime(folder) {}
    }

    @Test func `what is no recording is refused: 65, and no file: 66`() throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write("hello\n", to: "other")
        let run = try Program.run("tree", "--replay", file)
        #expect(run.status == .status(65) && run.errors.contains("line 1: this is no recording"))
        let missing = try Program.run("tree", "--replay", folder.path + "/none")
        #expect(missing.status == .status(66) && missing.errors.contains("No such file"))
        let both = try Program.run("tree", "--replay", file, "--system")
        #expect(both.status == .status(64) && both.errors.contains("--replay and --system exclude each other"))
        for words in [
            ["--replay", file, "check", "."], ["check", "--replay", file, "."], ["new", "a", "--c", "--replay", file],
        ] {
            let ignored = try Program.run(words)
            #expect(ignored.status == .status(64) && ignored.output.isEmpty, "\(words)")
            #expect(
                ignored.errors.contains("asks no service, and has no use for --replay '\(file)'"), "\(ignored.errors)")
        }
    }

    @Test(arguments: ["10mim", "-5min", "0min", "tomorrow", "10"])
    func `a wrong time is a 65, and says what would be right`(since: String) throws {
        let run = try Program.run("record", "--since=\(since)")
        #expect(run.status == .status(65))
        #expect(
            run.errors.contains("--since '\(since)' is neither a time span above 0 nor a time")
                && run.errors.contains("'10min'"))
    }

    @Test(arguments: [["--state", "none"], ["--history-entries", "0"]])
    func `without a history there is nothing to record, and how to have one is said: 69`(options: [String]) throws {
        let service = try Service(homeDefinitions, options: options)
        let folder = try TemporaryDirectory()
        let run = try service.ctl("record", "--output", folder.path + "/box")
        #expect(run.status == .status(69) && run.errors.contains("'--history-entries' above 0"), "\(run)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/box"))
    }

    @Test func `record never starts the service, and says where it can't write`() throws {
        let bus = try PrivateBus()
        #expect(try Program.run("--address", bus.address, "record").errors.contains("no service on the bus"))
        let service = try Service(homeDefinitions)
        let run = try service.ctl("record", "--output", "/nowhere/box")
        #expect(run.status == .status(74) && run.errors.contains("could not write '/nowhere/box'"))
    }
}
