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
            let successor = try service.startAnother("--replace")
            try successor.waitForLine(in: .errors) { $0.contains("Serving") }
            return successor
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
        var successor = try restart(way)
        let question = try peer.waitForCall("Adapt")
        #expect(try go(["token": "one"]) == [.uint64(0), "pending"])
        // And over another one.
        successor = try restart(successor == nil ? way : .replaced)
        let again = try peer.waitForCall("Adapt")
        try peer.reply(to: question, Peer.rejected)
        #expect(try go(["wait": false, "token": "one"]) == [.uint64(0), "pending"])
        try peer.reply(to: again, [again.values[1], again.values[2]])
        let reported = try emitter.waitForSignal("StepConcluded")
        #expect(reported.values[0] == "one" && reported.values[2...4] == ["navigated", "", ""], "\(reported)")
        #expect(try go(["token": "one"]) == [reported.values[1], "navigated"])
        #expect(try service.objects().keys.filter { $0.contains("page") }.count == 1)
        withExtendedLifetime(successor) {}
    }

    @Test(arguments: Way.allCases)
    func `S-9 D-4 an unanswered call is repeated with its token, and waits for the outcome`(
        way: Way
    ) throws {
        let first = try emitter.start(
            Service.name, Service.tree + "/main", Service.name + ".Stepper", "EmitStepWithOptions",
            ["go", .options(), .options(["token": "one"])])
        try peer.waitForCall("Adapt")
        let successor = try restart(way)
        #expect(try service.refusal(of: first, to: emitter).name == "org.freedesktop.DBus.Error.NoReply")
        let second = try emitter.start(
            Service.name, Service.tree + "/main", Service.name + ".Stepper", "EmitStepWithOptions",
            ["go", .options(), .options(["token": "one"])])
        let question = try peer.waitForCall("Adapt")
        try service.synchronize(emitter)
        try peer.reply(to: question, [question.values[1], question.values[2]])
        let reported = try emitter.waitForSignal("StepConcluded")
        #expect(reported.values[0] == "one" && reported.values[2] == "navigated")
        #expect(try emitter.answer(to: second) == [reported.values[1], "navigated"])
        withExtendedLifetime(successor) {}
    }
}
