import BusTestSupport
import Glibc
import Testing

/// RegisterFlow: flows that clients define.
@Suite("Registered flows")
struct RegistrationTests {
    private static let definitions = """
        [steps]
        open = {}
        gone = { why = "string" }
        typed = { n = "int64" }
        [screens]
        page = {}
        pad = { result = { n = "int64" } }
        [[autostart]]
        flow = "main"
        [flows.main.on]
        open = { none = true }
        gone = { none = true }
        typed = { none = true }
        """

    typealias Steps = KeyValuePairs<String, KeyValuePairs<String, String>>

    private let service: Service
    private let peer: TestClient

    init() throws {
        service = try Service(Self.definitions)
        peer = try service.peer()
    }

    private func error(_ name: String) -> String { Service.name + ".Error." + name }

    private func steps(_ steps: Steps) -> BusValue {
        .array(
            of: "{sa{ss}}",
            steps.map { name, types in
                .dictEntry(.string(name), declared(types))
            })
    }

    /// Screens with these arguments.
    private func screens(_ screens: Steps) -> BusValue {
        self.screens(screens.map { name, types in (name, ["arguments": declared(types)]) })
    }

    private func screens(_ screens: [(String, KeyValuePairs<String, BusValue>)]) -> BusValue {
        .array(of: "{sa{sv}}", screens.map { .dictEntry(.string($0), .options($1)) })
    }

    private func declared(_ types: KeyValuePairs<String, String>) -> BusValue {
        .array(of: "{ss}", types.map { .dictEntry(.string($0), .string($1)) })
    }

    private func register(
        _ flow: String, at path: String = "/nav", _ declared: Steps = ["hello": ["who": "string?"]],
        _ options: KeyValuePairs<String, BusValue> = [:], by client: TestClient? = nil
    ) throws {
        try (client ?? peer).call(
            Service.name, Service.root, Service.name + ".Coordinator", "RegisterFlow", .string(flow),
            .objectPath(path), steps(declared), .options(options))
    }

    private func register(
        _ flow: String, _ options: KeyValuePairs<String, BusValue>, by client: TestClient? = nil
    ) throws { try register(flow, at: "/nav", ["hello": [:]], options, by: client) }

    private func unregister(_ flow: String, by client: TestClient? = nil) throws {
        try (client ?? peer).call(
            Service.name, Service.root, Service.name + ".Coordinator", "UnregisterFlow", .string(flow))
    }

    @Test func `S-32 a client implements a flow, with steps of its own`() throws {
        try service.listen()
        peer.playNavigator(at: "/nav") { _ in .contributors(("screen", "page", .options())) }
        try register(
            "mine", ["hello": ["who": "string?", "n": "as"], "open": [:]], ["initial": "open", "children": "stack"])
        try service.client.waitForSignal("DefinitionsChanged")
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main", "mine"])])
        let known = try service.coordinator("GetSteps")[0]
        #expect(known.keys == ["gone", "open", "typed", "hello"] || known.keys == ["gone", "hello", "open", "typed"])
        #expect(known["hello"]?["who"] == "s?" && known["hello"]?["n"] == "as")
        #expect(try service.coordinate("mine")[0].brief == "/mine")
        let call = try peer.waitForCall("Navigate")
        #expect(call.values[0...1] == [.objectPath(Service.tree + "/mine"), "open"])
        #expect(try service.emit("hello", ["n": .strings(["a"])], on: "/mine")[1] == "navigated")
        #expect(try service.objects().keys.contains(Service.tree + "/mine/page_2"))
        #expect(try service.property("Current", of: "/mine", "Flow").brief == "/mine/page_2")
        try unregister("mine")
        try service.client.waitForSignal("DefinitionsChanged")
        #expect(try service.objects().keys == [Service.tree + "/main"])
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main"])])
        #expect(try service.refusal { try service.coordinate("mine") }.name == error("UnknownFlow"))
        try register("mine")
    }

    @Test func `S-32 a second registration changes the flow's steps: live flows and waiting steps follow it`() throws {
        peer.playNavigator(at: "/nav") { _ in .later }
        peer.playNavigator(at: "/new") { _ in .contributors(("screen", "page", .options())) }
        try register("mine", at: "/nav", ["hello": [:], "bye": [:]])
        try service.coordinate("mine")
        let steps = try ["hello", "bye", "hello"].map { try service.startEmit($0, on: "/mine") }
        let call = try peer.waitForCall("Navigate")
        try service.listen()
        try register("mine", at: "/new", ["hello": [:], "more": ["n": "byte"]], ["children": "stack"])
        try service.client.waitForSignal("DefinitionsChanged")
        #expect(try service.coordinator("GetSteps")[0]["more"]?["n"] == "y")
        #expect(
            try service.client.call(
                Service.name, Service.tree + "/mine", Service.name + ".Stepper", "GetAcceptedSteps")
                == [.strings(["hello", "more"])])
        #expect(try service.refusal(of: steps[1]).name == error("UnknownStep"))
        // The former object answers; the next question goes to the new one.
        try peer.reply(to: call, [.array(of: "(ssa{sv})", [.structure(["screen", "page", .options()])])])
        for step in [steps[0], steps[2]] { #expect(try service.client.answer(to: step)[1] == "navigated") }
        #expect(try service.emit("more", ["n": .byte(1)], on: "/mine")[1] == "navigated")
        #expect(try service.property("Current", of: "/mine", "Flow").brief == "/mine/page_3")
        #expect(peer.calls("Navigate").map(\.path) == ["/nav", "/new", "/new"])
        try unregister("mine")
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main"])])
    }

    @Test func `S-5 the object is the guard, too, with the option`() throws {
        peer.playGuard(at: "/nav") { _ in .error(Peer.rejected) }
        peer.playNavigator(at: "/nav") { _ in .contributors() }
        try register("mine", ["hello": [:]], ["guard": true])
        try service.coordinate("mine")
        #expect(try service.emit("hello", on: "/mine") == [.uint64(0), "rejected"])
        peer.playGuard(at: "/nav") { .pass($0) }
        #expect(try service.emit("hello", on: "/mine")[1] == "navigated")
    }

    @Test func `S-32 flows of a client that leaves are dismissed`() throws {
        let other = try service.peer(nil)
        try register("mine", by: other)
        try service.coordinate("mine")
        try service.listen()
        other.disconnect()
        try service.client.waitForSignal("InterfacesRemoved") { $0.values[0].brief == "/mine" }
        try service.client.waitForSignal("DefinitionsChanged")
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main"])])
        try register("mine")
    }

    @Test func `S-32 a flow whose navigator the bus can start stays, and the new process takes over`() throws {
        let services = try TemporaryDirectory()
        try services.write("[D-BUS Service]\nName=\(Peer.name)\nExec=/bin/true\n", to: "peer.service")
        let bus = try PrivateBus(policy: "", serviceDirectories: [services.path])
        let service = try Service(Self.definitions, bus: bus)
        let first = try service.peer()
        let options: KeyValuePairs<String, BusValue> = ["name": .string(Peer.name)]
        try register("mine", options, by: first)
        try service.coordinate("mine")
        try service.listen()
        first.disconnect()
        try service.client.waitForSignal("InterfacesRemoved") { $0.values[0].brief == "/mine" }
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main", "mine"])])
        try service.coordinate("mine")
        let step = try service.startEmit("hello", on: "/mine")
        try service.synchronize()
        let second = try service.peer(nil)
        second.playNavigator(at: "/nav") { _ in .contributors() }
        try second.requestName(Peer.name)
        #expect(try service.client.answer(to: step)[1] == "navigated")
        // A program that starts registers what it implements, whether it did so in another life or not.
        let refused = try service.refusal { try register("mine", [:], by: service.client) }
        #expect(refused.name == error("AlreadyRegistered"))
        try register("mine", options, by: second)
        #expect(try service.emit("hello", on: "/mine")[1] == "navigated")
        try unregister("mine", by: second)
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main"])])
    }

    @Test func `S-22 steps and calls that wait for a navigator fail when it unregisters its flow`()
        throws
    {
        peer.playNavigator(at: "/nav") { _ in .later }
        try register("mine", at: "/nav", ["hello": [:]], ["initial": "hello"])
        try service.coordinate("mine")
        let ready = try service.client.start(Service.name, Service.tree + "/mine", Service.name + ".Flow", "WaitReady")
        let step = try service.startEmit("hello", on: "/mine")
        let call = try peer.waitForCall("Navigate")
        try service.synchronize()
        try unregister("mine")
        #expect(try service.refusal(of: step).name == error("FlowEnded"))
        #expect(try service.refusal(of: ready).name == error("FlowEnded"))
        try peer.reply(to: call, [.array(of: "(ssa{sv})", [.structure(["screen", "page", .options()])])])
        try service.synchronize(peer)
        #expect(try service.objects().keys == [Service.tree + "/main"])
    }

    @Test func `a missing object fails the steps of that flow only`() throws {
        peer.playNavigator(at: "/nav") { _ in .contributors() }
        try register("mine", at: "/nowhere", ["hello": [:]], ["initial": "hello"])
        try service.listen()
        try service.coordinate("mine")
        let failed = try service.client.waitForSignal("NavigationFailed")
        #expect(failed.path == Service.tree + "/mine")
        #expect(failed.values[4].text == error("NavigatorFailed"))
        let refusal = try service.refusal { try service.emit("hello", on: "/mine") }
        #expect(refusal.name == error("NavigatorFailed"))
        #expect(try service.emit("open", on: "/main")[1] == "navigated")
    }

    @Test func `a path that would end the service's connection, or is too long, is refused`() throws {
        let reserved = try service.refusal { try register("mine", at: "/org/freedesktop/DBus/Local") }
        #expect(reserved.name == error("InvalidArguments"))
        #expect(reserved.message.contains("'/org/freedesktop/DBus/Local' is reserved"), "\(reserved.message)")
        let long = try service.refusal { try register("mine", at: "/" + String(repeating: "x", count: 512)) }
        #expect(long.name == error("LimitExceeded"))
        #expect(long.message.contains("513 bytes"), "\(long.message)")
    }

    @Test func `an invalid registration is refused, with the value and what would be right`() throws {
        try register("taken", ["screens": screens(["own": ["n": "int64"]])])
        let unique = peer.uniqueName
        let wrong: [(String, Steps, KeyValuePairs<String, BusValue>, String, String)] = [
            ("taken", ["typed": [:]], [:], "InvalidArguments", "n: int64"),
            ("main", ["hello": [:]], [:], "AlreadyRegistered", "'main'"),
            ("my-flow", ["hello": [:]], [:], "InvalidName", "'my-flow'"),
            ("root", ["hello": [:]], [:], "InvalidName", "'root'"),
            ("", ["hello": [:]], [:], "InvalidName", "''"),
            ("mine", [:], [:], "InvalidArguments", "at least one"),
            ("mine", ["he llo": [:]], [:], "InvalidName", "'he llo'"),
            ("mine", ["a": [:], "a": [:]], [:], "InvalidArguments", "'a'"),
            ("mine", ["a": ["x": "text"]], [:], "InvalidArguments", "'text'"),
            ("mine", ["a": ["x": "h"]], [:], "InvalidArguments", "'h'"),
            ("mine", ["a": ["x": "("]], [:], "InvalidArguments", "'('"),
            ("mine", ["a": ["x": "?"]], [:], "InvalidArguments", "'?'"),
            ("mine", ["a": ["x y": "s"]], [:], "InvalidName", "'x y'"),
            ("mine", ["a": ["x": "s", "x": "s"]], [:], "InvalidArguments", "'x'"),
            ("mine", ["typed": ["n": "string"]], [:], "InvalidArguments", "n: int64"),
            ("mine", ["hello": ["who": "string?"]], [:], "InvalidArguments", "arguments: none"),
            ("mine", ["a": [:]], ["initial": "b"], "InvalidArguments", "'b'"),
            ("mine", ["a": [:]], ["children": "tiles"], "InvalidArguments", "'tiles'"),
            ("mine", ["a": [:]], ["children": "layers"], "InvalidArguments", "'layers'"),
            ("mine", ["a": [:]], ["guard": "yes"], "InvalidArguments", "of type 'b'"),
            ("mine", ["a": [:]], ["gaurd": true], "InvalidArguments", "did you mean 'guard'?"),
            ("mine", ["a": [:]], ["timeout": .uint64(1)], "InvalidArguments", "10 ms"),
            ("mine", ["a": [:]], ["timeout": .uint64(.max)], "InvalidArguments", "1 hour"),
            ("mine", ["a": [:]], ["screens": screens(["my-page": [:]])], "InvalidName", "'my-page'"),
            ("mine", ["a": [:]], ["screens": screens(["root": [:]])], "InvalidName", "'root'"),
            ("mine", ["a": [:]], ["screens": screens(["a": ["x y": "s"]])], "InvalidName", "an argument of screen 'a'"),
            ("mine", ["a": [:]], ["screens": screens(["a": ["x": "text"]])], "InvalidArguments", "of screen 'a' is of"),
            ("mine", ["a": [:]], ["screens": screens(["a": [:], "a": [:]])], "InvalidArguments", "more than once"),
            ("mine", ["a": [:]], ["screens": screens(["page": ["n": "s"]])], "InvalidArguments", "arguments: none"),
            ("mine", ["a": [:]], ["screens": screens(["own": ["n": "s"]])], "InvalidArguments", "n: int64"),
            (
                "mine", ["a": [:]], ["screens": screens(["own": ["n": "x"]]), "presenter": .objectPath("/x")],
                "InvalidArguments", "'\(unique)' at '/x'"
            ),
            (
                "mine", ["a": [:]],
                ["screens": screens([("own", ["arguments": declared(["n": "x"]), "keepsAwake": true])])],
                "InvalidArguments", "screen 'own' is declared with other options by flow 'taken'"
            ),
            (
                "mine", ["a": [:]], ["screens": screens([("pad", ["result": declared([:])])])], "InvalidArguments",
                "screen 'pad' is declared with another result: n: int64;"
            ),
            (
                "mine", ["a": [:]], ["screens": screens([("page", ["result": declared(["n": "s"])])])],
                "InvalidArguments", "screen 'page' is declared with another result: it declares none;"
            ),
            (
                "mine", ["a": [:]], ["screens": screens([("a", ["result": declared(["n": "text"])])])],
                "InvalidArguments", "the argument 'n' of the result of screen 'a' is of type 'text'"
            ),
            (
                "mine", ["a": [:]], ["screens": screens([("a", ["result": declared(["n": "s", "n": "s"])])])],
                "InvalidArguments", "the argument 'n' of the result of screen 'a' is given more than once"
            ),
            (
                "mine", ["a": [:]], ["screens": screens([("a", ["answer": true])])], "InvalidArguments",
                "there is no option 'answer' of screen 'a'; known are 'arguments', 'key', 'result'"
            ),
            (
                "mine", ["a": [:]], ["screens": screens([("a", ["watchdog": .uint64(9_999)])])], "InvalidArguments",
                "the option 'watchdog' of screen 'a' is '9999' µs; it has to be at least 10 ms and at most 1 hour"
            ),
            (
                "mine", ["a": [:]], ["screens": screens([("a", ["budget": .uint64(3_600_000_001)])])],
                "InvalidArguments", "the option 'budget' of screen 'a' is '3600000001' µs"
            ),
            (
                "mine", ["a": [:]], ["result": declared(["n": "text"])], "InvalidArguments",
                "the result of flow 'mine' is"
            ),
            ("mine", ["a": [:]], ["result": declared(["n m": "s"])], "InvalidName", "'n m'"),
            ("mine", ["a": [:]], ["result": true], "InvalidArguments", "of type 'a{ss}'"),
            ("mine", ["a": [:]], ["screens": "page"], "InvalidArguments", "of type 'a{sa{sv}}'"),
            ("mine", ["a": [:]], ["presenter": "/page"], "InvalidArguments", "of type 'o'"),
            (
                "mine", ["a": [:]], ["presenter": .objectPath("/org/freedesktop/DBus/Local")], "InvalidArguments",
                "is reserved for libraries"
            ),
            (
                "mine", ["a": [:]], ["presenter": .objectPath("/" + String(repeating: "x", count: 512))],
                "LimitExceeded", "the presenter's path has 513 bytes"
            ),
            ("mine", ["a": [:]], ["name": "com.example.Other"], "InvalidArguments", "'com.example.Other' is not yours"),
            ("mine", ["a": [:]], ["name": "org.freedesktop.DBus"], "InvalidArguments", "is not yours"),
            ("mine", ["a": [:]], ["name": "x"], "InvalidArguments", "'x'"),
            ("mine", ["a": [:]], ["name": .string(unique)], "InvalidArguments", "'\(unique)'"),
        ]
        for (flow, declared, options, name, text) in wrong {
            do {
                try register(flow, declared, options)
                Issue.record("'\(flow)' \(declared) \(options) was not refused")
            } catch let refusal as BusError {
                #expect(refusal.name == error(name), "\(refusal)")
                #expect(refusal.message.contains(text), "\(refusal.message)")
            }
        }
        let foreign = try service.refusal {
            try register("mine", ["screens": screens(["own": ["n": "x"]])], by: service.client)
        }
        #expect(foreign.name == error("AlreadyRegistered"))
        #expect(foreign.message == "screen 'own' is registered by '\(unique)', with flow 'taken'")
        let taken = try service.refusal { try register("taken", [:], by: service.client) }
        #expect(taken.name == error("AlreadyRegistered"))
        #expect(taken.message == "flow 'taken' is registered by '\(unique)'")
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main", "taken"])])
        let unknown = try service.refusal { try unregister("takne") }
        #expect(unknown.name == error("UnknownFlow"))
        #expect(unknown.message.contains("did you mean 'taken'?"), "\(unknown.message)")
        #expect(try service.refusal { try unregister("main") }.name == error("NotOwner"))
        #expect(try service.refusal { try unregister("taken", by: service.client) }.name == error("NotOwner"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can call as another user"))
    func `RegisterFlow is for root and the service's user: AccessDenied for others`() throws {
        let bus = try PrivateBus(policy: "<allow user=\"*\"/>")
        chmod(bus.directory.path, 0o755)
        let service = try Service(Self.definitions, bus: bus)
        let call = [
            "--address=\(bus.address)", "call", Service.name, Service.root, Service.name + ".Coordinator",
        ]
        let register = ["RegisterFlow", "soa{sa{ss}}a{sv}", "mine", "/nav", "1", "hello", "0", "0"]
        let other = try ChildProcess("setpriv", ["--reuid=65534", "--clear-groups", "busctl"] + call + register)
        #expect(try other.waitForExit() == .status(1))
        #expect(other.errors.contains("Access denied"), "\(other.errors)")
        let own = try ChildProcess("busctl", call + register)
        #expect(try own.waitForExit() == .status(0), "\(own.errors)")
        // Who may not register may still claim, and list what it owns.
        let list = try ChildProcess(
            "setpriv", ["--reuid=65534", "--clear-groups", "busctl"] + call + ["ListOwned", "s", ""])
        #expect(try list.waitForExit() == .status(0), "\(list.errors)")
        withExtendedLifetime(service) {}
    }

    @Test func `S-33 limits: steps and arguments of a flow, flows of a client`() throws {
        let many = BusValue.array(
            of: "{sa{ss}}", (0..<257).map { .dictEntry(.string("s\($0)"), .array(of: "{ss}", [])) })
        let manyScreens = BusValue.array(of: "{sa{sv}}", (0..<257).map { .dictEntry(.string("s\($0)"), .options()) })
        let refused = try service.refusal { try register("mine", ["screens": manyScreens]) }
        #expect(refused.name == error("LimitExceeded"))
        #expect(refused.message == "more than 256 screens of one flow; that is the limit")
        func values(_ count: Int) -> BusValue {
            .array(of: "{ss}", (0..<count).map { .dictEntry(.string("v\($0)"), "s") })
        }
        try register("widest", ["result": values(64), "screens": screens([("pin", ["result": values(64)])])])
        for options: KeyValuePairs in [
            ["result": values(65)], ["screens": screens([("pad2", ["result": values(65)])])],
        ] {
            let refusal = try service.refusal { try register("wider", options) }
            #expect(refusal.name == error("LimitExceeded"))
            #expect(refusal.message.contains("more than 64 arguments"), "\(refusal.message)")
        }
        try unregister("widest")
        let wide = BusValue.array(
            of: "{sa{ss}}",
            [.dictEntry("s", .array(of: "{ss}", (0..<65).map { .dictEntry(.string("a\($0)"), "s") }))])
        for (steps, text) in [(many, "256"), (wide, "64")] {
            let refusal = try service.refusal {
                try peer.call(
                    Service.name, Service.root, Service.name + ".Coordinator", "RegisterFlow", "mine",
                    .objectPath("/nav"), steps, .options())
            }
            #expect(refusal.name == error("LimitExceeded"))
            #expect(refusal.message.contains(text), "\(refusal.message)")
        }
        for number in 0..<256 { try register("f\(number)") }
        let refusal = try service.refusal { try register("f256") }
        #expect(refusal.name == error("LimitExceeded"))
        #expect(refusal.message.contains("256"))
        // Another client has its own.
        let other = try service.peer(nil)
        try register("f256", by: other)
        #expect(try service.coordinator("GetDefinitionNames")[0].elements.count == 258)
        try service.listen()
        peer.disconnect()
        #expect(try service.client.waitForSignal("DefinitionsChanged").path == Service.root)
        #expect(try service.coordinator("GetDefinitionNames") == [.strings(["main", "f256"])])
    }
}
