import BusTestSupport
import Glibc
import Testing

/// Steps that are pending while flowbusd ends in any way, and another one takes its place.
@Suite("Pending over restarts")
struct PendingRestartTests {
    /// The way in which one flowbusd replaces another.
    enum Way: CaseIterable {
        case killed
        case ended
        case replaced
    }

    private let service: Service
    private let peer: TestClient
    private let emitter: TestClient

    init() throws {
        service = try Service(
            """
            [steps]
            go = {}
            [screens]
            page = {}
            [[autostart]]
            flow = "main"
            [flows.main]
            guard = { name = "com.example.Peer" }
            [flows.main.on]
            go = { screen = "page" }
            """)
        peer = try service.peer()
        peer.playGuard { _ in .later }
        emitter = try service.peer(nil)
    }

    /// The caller has to keep a reference to the process that takes over.
    private func restart(_ way: Way) throws -> ChildProcess? {
        peer.clearLog()
        switch way {
        case .killed: try service.restart(by: SIGKILL)
        case .ended: try service.restart(by: SIGTERM)
        case .replaced:
            let heir = try service.startAnother("--replace")
            try heir.waitForLine(in: .errors) { $0.contains("Serving") }
            return heir
        }
        return nil
    }

    private func go(_ options: KeyValuePairs<String, BusValue>) throws -> [BusValue] {
        try service.emitWithOptions("go", on: "/main", options, by: emitter)
    }

    @Test(arguments: Way.allCases)
    func `S-9 D-4 a pending step has its token after a restart, in StepConcluded and for a repeated call`(
        way: Way
    ) throws {
        #expect(try go(["wait": false, "token": "one"]) == [.uint64(0), "pending"])
        var heir = try restart(way)
        let question = try peer.waitForCall("Adapt")
        #expect(try go(["token": "one"]) == [.uint64(0), "pending"])
        // And over another one.
        heir = try restart(heir == nil ? way : .replaced)
        let again = try peer.waitForCall("Adapt")
        try peer.reply(to: question, Peer.rejected)
        #expect(try go(["wait": false, "token": "one"]) == [.uint64(0), "pending"])
        try peer.reply(to: again, [again.values[1], again.values[2]])
        let told = try emitter.waitForSignal("StepConcluded")
        #expect(told.values[0] == "one" && told.values[2...4] == ["navigated", "", ""], "\(told)")
        #expect(try go(["token": "one"]) == [told.values[1], "navigated"])
        #expect(try service.objects().keys.filter { $0.contains("page") }.count == 1)
        withExtendedLifetime(heir) {}
    }

    @Test(arguments: Way.allCases)
    func `S-9 D-4 an unanswered call is repeated with its token, and waits for the outcome`(
        way: Way
    ) throws {
        let first = try emitter.start(
            Service.name, Service.tree + "/main", Service.name + ".Stepper", "EmitStepWithOptions",
            ["go", .options(), .options(["token": "one"])])
        try peer.waitForCall("Adapt")
        let heir = try restart(way)
        #expect(try service.refusal(of: first, to: emitter).name == "org.freedesktop.DBus.Error.NoReply")
        let second = try emitter.start(
            Service.name, Service.tree + "/main", Service.name + ".Stepper", "EmitStepWithOptions",
            ["go", .options(), .options(["token": "one"])])
        let question = try peer.waitForCall("Adapt")
        try service.synchronize(emitter)
        try peer.reply(to: question, [question.values[1], question.values[2]])
        let told = try emitter.waitForSignal("StepConcluded")
        #expect(told.values[0] == "one" && told.values[2] == "navigated")
        #expect(try emitter.answer(to: second) == [told.values[1], "navigated"])
        withExtendedLifetime(heir) {}
    }
}
