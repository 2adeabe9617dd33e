import BusTestSupport
import Glibc
import Testing

@testable import FlowBus
@testable import FlowBusClient

/// Calls that end before their answers, and connections that do.
@Suite("Connections", .fewAtOnce, .serialized)
@MainActor
struct LifeTests {
    /// A guard delays the steps of `held`.
    private static let definitions = """
        [steps]
        go = {}
        open = {}
        [screens]
        page = {}
        [[autostart]]
        flow = "main"
        [flows.main.on]
        open = { screen = "page" }
        go = { none = true }
        [[autostart]]
        flow = "held"
        [flows.held]
        guard = { name = "com.example.Peer" }
        [flows.held.on]
        go = { screen = "page" }
        """

    private let service: Service
    private let bus: NavigationBus

    init() throws {
        service = try Service(Self.definitions)
        bus = try NavigationBus(service)
    }

    /// A guard that does not answer; it is a plain client with a synchronous loop.
    private func holdingGuard() throws -> TestClient {
        let client = try service.peer()
        client.playGuard { _ in .later }
        return client
    }

    @Test func `a cancelled task stops waiting immediately, and the step is taken all the same`() async throws {
        let holder = try holdingGuard()
        let emission = Task { try await bus.emit("go", on: "held") }
        let other = Task { try await bus.emit("go", on: "main") }
        #expect(try await other.value.isNavigated)
        emission.cancel()
        await #expect(throws: CancellationError.self) { try await emission.value }
        let question = try holder.waitForCall("Adapt")
        try holder.reply(to: question, [question.values[1], question.values[2]])
        try holder.ping(Service.name)
        try await bus.waitUntilReady("held")
        #expect(try service.objects()["/org/flowbus/Navigation1/tree/held/page"] != nil)
    }

    @Test func `a cancelled task makes no call`() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await bus.emit("open", on: "main")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        _ = try await bus.definitionNames()
        #expect(try service.objects()["/org/flowbus/Navigation1/tree/main/page"] == nil)
    }

    @Test func `a call without waiting gets 'pending'; one with waiting gets the outcome`() async throws {
        let holder = try holdingGuard()
        #expect(try await bus.emit("go", on: "held", options: EmitOptions(waits: false)).verdict == .pending)
        let question = try holder.waitForCall("Adapt")
        try holder.reply(to: question, Peer.rejected)
        // With the token of a pending call, the outcome comes by StepConcluded.
        #expect(
            try await bus.emit("go", on: "held", options: EmitOptions(token: "t", waits: false)).verdict == .pending)
        let waiting = Task { try await bus.emit("go", on: "held", options: EmitOptions(token: "t")) }
        let second = try holder.waitForCall("Adapt")
        _ = try await bus.definitionNames()
        try holder.reply(to: second, [second.values[1], second.values[2]])
        try holder.ping(Service.name)
        #expect(try await waiting.value.isNavigated)
    }

    @Test func `calls under way fail when the service goes`() async throws {
        _ = try holdingGuard()
        let emission = Task { try await bus.emit("go", on: "held") }
        _ = try await bus.definitionNames()
        service.process.send(signal: SIGKILL)
        #expect(try await refusal { try await emission.value }.code == .noReply)
    }

    @Test func `S-9 D-4 a step that is pending goes on in the service that takes over`() async throws {
        let holder = try holdingGuard()
        let steps = [Task { try await bus.emit("go", on: "held") }, Task { try await bus.emit("go", on: "held") }]
        _ = try await bus.definitionNames()
        try holder.waitForCall("Adapt")
        var successors: [ChildProcess] = []
        defer { withExtendedLifetime(successors) {} }
        for _ in 0..<2 {
            holder.clearLog()
            let successor = try service.startAnother("--replace")
            successors.append(successor)
            try successor.waitForLine(in: .errors) { $0.contains("Serving") }
            try holder.waitForCall("Adapt")
            // It has asked again by then.
            _ = try await bus.definitionNames()
        }
        let first = holder.calls("Adapt")[0]
        try holder.reply(to: first, [first.values[1], first.values[2]])
        #expect(try await steps[0].value.isNavigated)
        // Decided while the library got no signal.
        let second = try holder.waitForCall("Adapt")
        try holder.reply(to: second, Peer.rejected)
        #expect(try await steps[1].value.verdict == .rejected)
    }

    @Test func `S-9 D-4 a call that failed with the service can be repeated with its token`() async throws {
        let holder = try holdingGuard()
        let emission = Task { try await bus.emit("go", on: "held", options: EmitOptions(token: "t")) }
        _ = try await bus.definitionNames()
        try holder.waitForCall("Adapt")
        service.process.send(signal: SIGKILL)
        // No program starts it on this bus.
        #expect(try await refusal { try await emission.value }.code == .noReply)
        holder.clearLog()
        try service.process.waitForExit()
        try service.start()
        let again = Task { try await bus.emit("go", on: "held", options: EmitOptions(token: "t")) }
        _ = try await bus.definitionNames()
        let question = try holder.waitForCall("Adapt")
        try holder.reply(to: question, [question.values[1], question.values[2]])
        #expect(try await again.value.isNavigated)
        #expect(try service.objects().keys.filter { $0.contains("page") }.count == 1)
    }

    @Test func `D-4 a service without the tree does not take a step that was pending with the one before`() async throws
    {
        let holder = try holdingGuard()
        let emission = Task { try await bus.emit("go", on: "held") }
        _ = try await bus.definitionNames()
        try holder.waitForCall("Adapt")
        holder.clearLog()
        let successor = try service.startAnother("--replace", "--restore", "never")
        defer { withExtendedLifetime(successor) {} }
        #expect(try await refusal { try await emission.value }.code == .noReply)
        #expect(holder.calls("Adapt").isEmpty)
    }

    @Test func `calls under way fail when the bus goes`() async throws {
        _ = try holdingGuard()
        let emission = Task { try await bus.emit("go", on: "held") }
        _ = try await bus.definitionNames()
        try service.bus.kill()
        #expect(try await refusal { try await emission.value }.code == .disconnected)
        #expect(try await refusal { try await bus.emit("go", on: "main") }.code == .disconnected)
    }

    @Test func `calls under way fail when the connection is closed, and so do later ones`() async throws {
        _ = try holdingGuard()
        let emission = Task { try await bus.emit("go", on: "held") }
        _ = try await bus.definitionNames()
        bus.close()
        bus.close()
        #expect(try await refusal { try await emission.value }.code == .disconnected)
        #expect(try await refusal { try await bus.emit("go", on: "main") }.code == .disconnected)
    }

    @Test func `a connection without references and watches is closed`() async throws {
        let watcher = try TestClient(service.bus)
        var short: NavigationBus? = try NavigationBus(service)
        let name = try #require(short?.uniqueName)
        try watcher.addMatch("type='signal',member='NameOwnerChanged',arg0='\(name)'")
        weak let held = short
        let events = try #require(short?.watch())
        short = nil
        let (reported, tell) = AsyncStream.makeStream(of: Void.self)
        let watching = Task { for await _ in events { tell.yield(()) } }
        for await _ in reported { break }
        #expect(held != nil)
        watching.cancel()
        while held != nil { await Task.yield() }
        try watcher.waitForSignal("NameOwnerChanged") { $0.values[2] == "" }
    }

    @Test func `a missing bus, or an invalid address, is an error`() throws {
        for address in ["unix:path=/nonexistent/bus", "nonsense", ""] {
            do {
                _ = try NavigationBus(.address(address))
                Issue.record("connected to '\(address)'")
            } catch {
                #expect(error.code == .disconnected)
            }
        }
    }

    @Test func `texts that the bus can't carry are refused, and later calls work`() async throws {
        #expect(try await refusal { try await bus.emit("a\0b", on: "main") }.code == .unknownStep)
        #expect(try await refusal { try await bus.emit("\u{FFFE}", on: "main") }.code == .invalidArguments)
        let bad: [String: DBusValue] = ["x": .array(element: "nonsense", [])]
        #expect(try await refusal { try await bus.emit("go", bad, on: "main") }.code == .invalidArguments)
        let path: [String: DBusValue] = ["x": .objectPath("no path")]
        #expect(try await refusal { try await bus.emit("go", path, on: "main") }.code == .invalidArguments)
        #expect(try await bus.emit("go", on: "main").isNavigated)
    }

    @Test func `a callback can run a nested loop`() async throws {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let events = Events(lines)
        var inner: TreeWatch?
        var reportsFailure = false
        let outer = TreeWatch(bus.link, nil) { event in
            guard case .snapshot = event else { return }
            inner = TreeWatch(bus.link, nil) { if case .snapshot = $0 { reportsFailure = true } }
            while !reportsFailure {
                var one = pollfd(fd: bus.fileDescriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&one, 1, 10_000) == 1 else { break }
                bus.process()
            }
            line.yield(reportsFailure ? "reported" : "nothing came")
        }
        #expect(try await events.first() == "reported")
        outer.end()
        inner?.end()
    }

    @Test func `an embedded loop serves it, with the main actor's jobs`() async throws {
        let program = try Service.program(named: "embedded-loop")
        let service = try Service.shop()
        let process = try ChildProcess(program, [service.bus.address, "pay", "card"])
        let exit = try process.waitForExit()
        #expect(
            process.output.split(separator: "\n").map(String.init).filter { !$0.contains("basket") } == [
                "root pay", "detached 42", "live", "verdict navigated", "navigated card", "removed pay", "rounds few",
            ])
        #expect(exit == .status(0))
    }

    @Test func `S-44 the main loop answers the watchdog of systemd`() throws {
        let manager = try NotifySocket()
        let service = try Service.shop()
        let process = try ChildProcess(
            try Service.program(named: "embedded-loop"), ["idle", service.bus.address],
            environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "100000"])
        for _ in 1...3 { _ = try manager.wait(for: "WATCHDOG=1") }
        process.send(signal: SIGKILL)
        #expect(try process.waitForExit() == .signal(SIGKILL))
    }

    @Test func `an embedded loop serves flows without a bus`() throws {
        let process = try ChildProcess(try Service.program(named: "embedded-loop"), ["alone"])
        let exit = try process.waitForExit()
        #expect(process.output == "navigate one\nnavigate two\nverdict navigated\nrounds few\n")
        #expect(exit == .status(0))
    }
}
