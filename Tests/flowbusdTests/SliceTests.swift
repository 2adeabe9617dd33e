import BusTestSupport
import Testing

/// Long calls, and other calls meanwhile. Serials show the order: no test measures time.
@Suite("Slices")
struct SliceTests {
    private static let definitions = """
        [steps]
        loop = { stop = "bool?" }
        page = {}
        none = {}
        [screens]
        page = {}
        [[autostart]]
        flow = "main"
        [flows.main.on]
        loop = { unless = { stop = true }, current = "loop" }
        page = { screen = "page" }
        none = { none = true }
        """
    /// A step and the 256 that it triggers (S-11).
    private static let chain = 257
    private let stepper = Service.name + ".Stepper"
    private let presentable = Service.name + ".Presentable"

    private func list(_ steps: [String]) -> [BusValue] {
        [.array(of: "(sa{sv})", steps.map { .structure([.string($0), .options()]) })]
    }

    /// A client whose list is under way: the bus has it, so it comes before all that is sent from now on.
    private func begin(_ steps: [String], _ service: Service) throws -> (client: TestClient, call: AwaitedReply) {
        let client = try TestClient(service.bus)
        let call = try client.start(Service.name, Service.tree + "/main", stepper, "EmitSteps", list(steps))
        try client.ping()
        return (client, call)
    }

    private func serials(_ answer: [BusValue]) -> [Int] {
        guard case .array(_, let verdicts)? = answer.first else { return [] }
        return verdicts.compactMap { if case .structure(let fields) = $0 { fields.first?.number } else { nil } }
    }

    @Test func `S-7, S-22 during a list reads are answered, and changes wait for its end, in order`() throws {
        let service = try Service(Self.definitions)
        try service.emit("page", on: "/main")
        let steps = 24
        let (lister, call) = try begin(Array(repeating: "loop", count: steps), service)
        let other = try TestClient(service.bus)
        let path = Service.tree + "/main"
        let shown = try other.start(Service.name, path + "/page", presentable, "SetVisible", [.bool(true)])
        let anew = Self.definitions.split(separator: "\n").map { $0 == "none = {}" ? "none = {}\nfresh = {}" : $0 }
        try service.write(anew.joined(separator: "\n") + "\nfresh = { none = true }\n")
        let reloaded = try other.start(Service.name, Service.root, Service.name + ".Coordinator", "Reload", [])
        let fresh = try other.start(Service.name, path, stepper, "EmitStep", ["fresh", .options()])
        let gone = try other.start(Service.name, path + "/page", presentable, "Dismiss", [])
        let late = try other.start(Service.name, path + "/page", presentable, "SetVisible", [.bool(false)])
        let lateStep = try other.start(
            Service.name, path + "/page", stepper, "EmitStepWithOptions", ["none", .options(), .options()])
        // Serial 1 is the page's.
        let last = 1 + steps * Self.chain
        let serial = try service.coordinator("GetSerial").first?.number ?? 0
        #expect(serial < last)
        #expect(try service.property("Visible", of: "/main/page", "Presentable") == .bool(false))

        #expect(serials(try lister.answer(to: call)) == (0..<steps).map { 2 + $0 * Self.chain })
        try other.answer(to: shown)
        try other.answer(to: reloaded)
        #expect(try other.answer(to: fresh) == [.uint64(UInt64(last + 1)), "navigated"])
        try other.answer(to: gone)
        for late in [late, lateStep] {
            let refusal = try service.refusal { try other.answer(to: late) }
            #expect(refusal.name == Service.name + ".Error.PresentableDismissed")
        }
    }

    @Test func `S-7 a slice begins when the messages of the one before are sent`() throws {
        let service = try Service(Self.definitions)
        let (bus, path) = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
        let monitor = try TestClient(service.bus)
        let name = try monitor.call(bus, path, bus, "GetNameOwner", .string(Service.name)).first?.text ?? ""
        try monitor.call(
            bus, path, bus + ".Monitoring", "BecomeMonitor", .array(of: "s", [.string("sender='\(name)'")]), .uint32(0))
        let steps = 8
        let (lister, call) = try begin(Array(repeating: "loop", count: steps), service)
        #expect(serials(try lister.answer(to: call)).count == steps)
        // How many steps were reported between the calls to the bus.
        var slices = [0]
        var next = 0
        try monitor.wait(for: "the last step") {
            for message in monitor.log[next...] {
                if message.member == "NavigationOccurred" { slices[slices.count - 1] += 1 }
                if message.member == "GetId" { slices.append(0) }
            }
            next = monitor.log.count
            return slices.reduce(0, +) == steps * Self.chain
        }
        #expect(slices == Array(repeating: Self.chain, count: steps))
    }

    @Test func `D-4 a list continues after flowbusd is killed, and takes no step twice`() throws {
        let service = try Service(Self.definitions)
        let (lister, _) = try begin(["page"] + Array(repeating: "loop", count: 24) + ["page"], service)
        try service.client.wait(for: "a slice") {
            try service.coordinator("GetSerial").first?.number ?? 0 > Self.chain
        }
        try service.restart()
        try lister.wait(for: "the last step") {
            try service.objects().keys.contains(Service.tree + "/main/page_2")
        }
        let concluded = try lister.waitForSignal("StepConcluded")
        #expect(concluded.path == Service.tree + "/main")
        #expect(try service.objects().keys.sorted() == ["", "/page", "/page_2"].map { Service.tree + "/main" + $0 })
    }

    @Test func `S-33 during a list a client can have 1,024 waiting calls, at no cost to others`() throws {
        let service = try Service(Self.definitions)
        let (lister, call) = try begin(Array(repeating: "loop", count: 48), service)
        let (greedy, other) = (try TestClient(service.bus), try TestClient(service.bus))
        let path = Service.tree + "/main"
        let calls = try (0..<1_030).map { _ in
            try greedy.start(Service.name, path, presentable, "SetVisible", [.bool(true)])
        }
        try greedy.ping()
        let fair = try other.start(Service.name, path, stepper, "EmitStep", ["none", .options()])
        for call in calls.prefix(1_024) { try greedy.answer(to: call) }
        for call in calls.dropFirst(1_024) {
            let refusal = try service.refusal { try greedy.answer(to: call) }
            #expect(refusal.name == Service.name + ".Error.LimitExceeded")
            #expect(refusal.message.contains("1024 calls of"))
        }
        #expect(try other.answer(to: fair).last == "navigated")
        #expect(serials(try lister.answer(to: call)).count == 48)
    }
}
