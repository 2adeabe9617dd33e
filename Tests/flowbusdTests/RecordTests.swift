import BusTestSupport
import Testing

/// `--record` and `--replay`.
@Suite("Recording")
struct RecordTests {
    private func run(_ arguments: String...) throws -> (status: ChildProcess.Exit, output: String, errors: String) {
        let process = try Service.start(arguments)
        return (try process.waitForExit(), process.output, process.errors)
    }

    /// Records a run. Returns the file and the folder of its definitions.
    private func record(in folder: TemporaryDirectory) throws -> (trace: String, service: Service) {
        let trace = folder.path + "/trace"
        let service = try Service(shopDefinitions, options: ["--record", trace])
        try service.show("/shop/list")
        try service.emit("pick", ["item": .int32(5)], on: "/shop/list")
        try service.emit("check", on: "/shop")
        try service.emit("done", ["receipt": "a \"b\"\n"], on: "/shop/pay")
        _ = try? service.emit("pick", on: "/shop")
        try service.coordinator("Reload")
        try service.process.terminate()
        return (trace, service)
    }

    @Test func `a recording replays to the same effects; with other definitions the difference is reported`() throws {
        let folder = try TemporaryDirectory()
        let (trace, service) = try record(in: folder)
        let same = try run("--replay", trace, "--flows", service.flows.path)
        #expect(same.status == .status(0))
        #expect(same.output == "\(trace): 7 events, the same effects\n")

        try service.write(shopDefinitions.replacing("style = \"slide\"", with: "style = \"fade\""))
        let other = try run("--replay", trace, "--flows", service.flows.path)
        #expect(other.status == .status(1))
        #expect(other.errors.contains("\"slide\"") && other.errors.contains("\"fade\""))

        try service.write("nonsense")
        #expect(try run("--replay", trace, "--flows", service.flows.path).status == .status(78))
    }

    @Test func `answers of other processes are recorded, too`() throws {
        let folder = try TemporaryDirectory()
        let trace = folder.path + "/trace"
        let service = try Service(
            PresenterTests.definitions.replacing(
                "[flows.sub.on]", with: "[flows.sub]\nguard = \"com.example.Peer\"\n[flows.sub.on]"),
            options: ["--record", trace])
        let peer = try service.peer()
        peer.playPresenter()
        peer.playGuard { $0.values[1] == "stop" ? .error(Peer.rejected) : .pass($0) }
        peer.playNavigator { call in
            .contributors(
                ("screen", call.values[1] == "hello" ? "own" : "page", .options()), ("parent", "pop", .options()))
        }
        try service.emit("secret", ["pin": "1234"], on: "/main")
        try service.emit("sub", on: "/main")
        for step in ["open", "stop", "open"] { try service.emit(step, on: "/main/sub") }
        try peer.call(
            Service.name, Service.root, Service.name + ".Coordinator", "RegisterFlow", "mine",
            .objectPath(Peer.path),
            .array(of: "{sa{ss}}", [.dictEntry("hello", .array(of: "{ss}", [.dictEntry("who", "as?")]))]),
            .options([
                "name": .string(Peer.name), "guard": true, "presenter": .objectPath(Peer.path),
                "screens": .array(of: "{sa{sv}}", [.dictEntry("own", .options())]),
            ]))
        try service.coordinate("mine")
        try service.emit("hello", ["who": .strings(["a", "b"])], on: "/mine")
        try service.synchronize(peer)
        peer.disconnect()
        try service.client.waitUntilFree(Peer.name)
        try service.synchronize()
        try service.process.terminate()
        let same = try run("--replay", trace, "--flows", service.flows.path)
        #expect(same.status == .status(0), "\(same.errors)")
        #expect(same.output.hasSuffix("events, the same effects\n"))
    }

    @Test func `the file is for its owner alone, as it holds private arguments`() throws {
        let folder = try TemporaryDirectory()
        let (trace, _) = try record(in: folder)
        let list = try ChildProcess("stat", ["--format=%a", trace])
        #expect(try list.waitForExit() == .status(0))
        #expect(list.output == "600\n")
    }

    @Test func `a file that can't be created or read is an error: 73, 66`() throws {
        let folder = try TemporaryDirectory()
        let bus = try PrivateBus()
        let made = try run("--address", bus.address, "--flows", folder.path, "--record", folder.path)
        #expect(made.status == .status(73))
        #expect(made.errors.contains("Could not make the file '\(folder.path)' to record to: Is a directory"))
        let read = try run("--flows", folder.path, "--replay", folder.path + "/none")
        #expect(read.status == .status(66))
        #expect(read.errors == "flowbusd: could not read '\(folder.path)/none': No such file or directory\n")
    }

    @Test func `when recording fails it continues without, and reports that once`() throws {
        let service = try Service(shopDefinitions, options: ["--record", "/dev/full"])
        try service.show("/shop/list")
        try service.show("/shop/list", false)
        try service.process.terminate()
        #expect(service.process.errors.split(separator: "\n").count { $0.contains("the trace ends here") } == 1)
    }
}
