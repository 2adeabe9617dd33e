import BusTestSupport
import Glibc
import Testing

/// Two daemons on one bus.
@Suite("Taking over")
struct ReplaceTests {
    @Test func `D-9 --replace takes over: the tree, the owners and the history go on, the old one ends with 0`() throws
    {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        try service.presentable("Claim", "/shop/pay/basket")
        let before = try service.objects()
        let successor = try service.startAnother("--replace")
        try successor.waitForLine(in: .errors) { $0.contains("Serving") }
        #expect(try service.process.waitForExit() == .status(0))
        #expect(
            service.process.errors.contains(
                "notice: The name org.flowbus.Navigation1 was taken over by pid \(successor.processID) (flowbusd)"))
        #expect(successor.errors.contains("Restored 2 flows and 2 screens"))
        #expect(successor.warnings == [])
        #expect(try service.objects() == before)
        #expect(try service.history().entries.map { $0[3] } == ["begin", "check", "card"])
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `D-9 under load each call is answered once, by the old or the new process, and none is lost`(
        program: PrivateBus.Program
    ) throws {
        let service = try Service(shopDefinitions, bus: PrivateBus(program))
        let others = try (0..<3).map { _ in try service.peer(nil) }
        var serials: [UInt64] = []
        var underWay: [(client: TestClient, call: AwaitedReply)] = []
        for _ in 0..<5 {
            let next = try service.startAnother("--replace")
            // Many are with the old one when it gives up the name, and many come before the new one serves.
            while !next.errors.contains("Serving") {
                for client in [service.client] + others {
                    underWay.append((client, try service.startEmit("closed", on: "/shop", by: client)))
                }
                while underWay.count > 200 { serials.append(try serial(underWay.removeFirst())) }
            }
            #expect(try service.process.exit ?? service.process.waitForExit() == .status(0))
            service.adopt(next)
        }
        while !underWay.isEmpty { serials.append(try serial(underWay.removeFirst())) }
        // Each was taken once, and no other.
        let isWhole = serials.sorted() == Array(2..<UInt64(serials.count) + 2)
        #expect(isWhole)
        #expect(try service.coordinator("GetSerial") == [.uint64(UInt64(serials.count) + 1)])
    }

    private func serial(_ call: (client: TestClient, call: AwaitedReply)) throws -> UInt64 {
        let answer = try call.client.answer(to: call.call)
        guard case .uint64(let serial)? = answer.first, answer[1] == "navigated" else {
            throw TestFailure("it was answered \(answer)")
        }
        return serial
    }

    @Test func `D-4 D-9 a step that waits for its guard goes on with the new one, its caller gets NoReply`() throws {
        let service = try Service(GuardTests.definitions)
        let peer = try service.peer()
        peer.playGuard { _ in .later }
        let call = try service.startEmit("go", ["n": .int64(7)], on: "/main")
        try peer.waitForCall("Adapt")
        let next = try service.startAnother("--replace")
        #expect(try service.refusal(of: call).name == "org.freedesktop.DBus.Error.NoReply")
        #expect(try service.process.waitForExit() == .status(0))
        try peer.reply(to: try peer.waitForCall("Adapt"), [.string("go"), .options(["n": .int64(8)])])
        #expect(try service.client.waitForSignal("StepConcluded").values[2] == "navigated")
        withExtendedLifetime(next) {}
    }

    @Test func `--replace without a running service just starts`() throws {
        let service = try Service(shopDefinitions, options: ["--replace"])
        #expect(try service.coordinator("GetSerial") == [.uint64(1)])
    }

    @Test func `D-9 without --replace the second names the owner, exits with 69, and touches nothing`() throws {
        let service = try Service(shopDefinitions)
        let second = try service.startAnother()
        #expect(try second.waitForExit() == .status(69))
        #expect(second.errors.contains("taken by pid \(service.process.processID) (flowbusd)"))
        try service.emit("check", on: "/shop")
        let before = try service.objects()
        try service.restart()
        #expect(try service.objects() == before)
    }

    // MARK: Who keeps the name

    @Test func `D-9 --replace of a stopped process ends with 69, and leaves its files unchanged`() throws {
        let service = try Service(shopDefinitions)
        try service.emit("check", on: "/shop")
        let before = try service.objects()
        service.process.send(signal: SIGSTOP)
        let second = try service.startAnother("--replace")
        #expect(try second.waitForExit() == .status(69))
        #expect(
            second.errors.contains(
                "is taken by pid \(service.process.processID) (flowbusd), which did not hand it over within 10 s; "
                    + "nothing was changed"))
        #expect(!second.errors.contains("Serving"))
        service.process.send(signal: SIGCONT)
        // It is asked by one that is gone, and goes on.
        #expect(try service.objects() == before)
        #expect(try service.objects() == before)
        #expect(service.process.exit == nil)
        try service.restart()
        #expect(try service.objects() == before)
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `D-9 of two simultaneous takeovers one remains, with the tree`(program: PrivateBus.Program) throws {
        let service = try Service(shopDefinitions, bus: PrivateBus(program))
        let before = try service.objects()
        service.process.send(signal: SIGSTOP)
        let all = [try service.startAnother("--replace"), try service.startAnother("--replace")]
        while try queue(service).count < 3 {}
        service.process.send(signal: SIGCONT)
        #expect(try service.process.waitForExit() == .status(0))
        #expect(try service.objects() == before)
        // The one that is not the next is refused, or it asks the other when that has the name.
        while all.allSatisfy({ $0.exit == nil }) { _ = try queue(service) }
        let ended = try #require(all.first { $0.exit != nil })
        switch try ended.waitForExit() {
        case .status(69): #expect(ended.errors.contains("which does not hand it over"), "\(ended.errors)")
        case .status(0): #expect(ended.errors.contains("was taken over by"), "\(ended.errors)")
        default: Issue.record("\(ended.errors)")
        }
        #expect(try service.objects() == before)
        #expect(all.count { $0.exit == nil } == 1)
    }

    private func queue(_ service: Service) throws -> [BusValue] {
        let bus = "org.freedesktop.DBus"
        return try service.client.call(bus, "/", bus, "ListQueuedOwners", .string(Service.name))[0].elements
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `D-9 an owner other than flowbusd keeps the name: 69, with its identity`(program: PrivateBus.Program) throws {
        let bus = try PrivateBus(program)
        let flows = try TemporaryDirectory()
        try flows.write("version = 1\n", to: "a.toml")
        let other = try TestClient(bus)
        try other.requestName(Service.name)
        other.serve("/elsewhere", "org.example.Thing", "Do") { _ in .values([]) }
        let second = try Service.start(["--address", bus.address, "--flows", flows.path, "--replace"])
        try other.waitForCall("HandOver")
        #expect(try second.waitForExit() == .status(69))
        #expect(
            second.errors.contains(
                "is taken by pid \(getpid()) (") && second.errors.contains("does not hand it over: no object"),
            "\(second.errors)")
    }

    @Test func `D-9 S-31 an answer from an unexpected sender is ignored, the owner's counts`() throws {
        let bus = try PrivateBus()
        let flows = try TemporaryDirectory()
        try flows.write("version = 1\n", to: "a.toml")
        let (owner, other) = (try TestClient(bus), try TestClient(bus))
        try owner.requestName(Service.name)
        let second = try Service.start(["--address", bus.address, "--flows", flows.path, "--replace"])
        let call = try owner.waitForCall("HandOver")
        for cookie in 1...20 { try other.forge([], to: call.sender, call: UInt64(cookie)) }
        try other.ping()
        try owner.reply(to: call, BusError("org.example.Error.No", "not today"))
        #expect(try second.waitForExit() == .status(69))
        #expect(second.errors.contains("does not hand it over: not today"), "\(second.errors)")
    }

    @Test(arguments: PrivateBus.Program.allCases)
    func `D-9 no client takes the name from the bus, nor by HandOver`(program: PrivateBus.Program) throws {
        let service = try Service(shopDefinitions, bus: PrivateBus(program))
        let client = try service.peer(nil)
        let bus = "org.freedesktop.DBus"
        func request(_ flags: UInt32) throws -> [BusValue] {
            try client.call(bus, "/", bus, "RequestName", .string(Service.name), .uint32(flags))
        }
        // REPLACE_EXISTING with DO_NOT_QUEUE: the name exists.
        #expect(try request(2 | 4) == [.uint32(3)])
        let refusal = try service.refusal { try service.coordinator("HandOver", .string(client.uniqueName)) }
        #expect(refusal.name == Service.name + ".Error.InvalidArguments")
        #expect(refusal.message.contains("'\(client.uniqueName)' does not wait for the name"))
        // In the queue before one that takes over, it is in the way.
        #expect(try request(2) == [.uint32(2)])
        let second = try service.startAnother("--replace")
        #expect(try second.waitForExit() == .status(69))
        #expect(second.errors.contains("is not the next that waits for the name"), "\(second.errors)")
        #expect(second.errors.contains("pid \(getpid()) "), "\(second.errors)")
        #expect(try service.coordinator("GetSerial") == [.uint64(1)])
        #expect(service.process.exit == nil)
    }

    @Test func `D-9 of two that ask at the same time, the one that is next gets the name`() throws {
        let service = try Service(shopDefinitions)
        let client = try service.peer(nil)
        let bus = "org.freedesktop.DBus"
        // The default is to queue.
        #expect(try client.call(bus, "/", bus, "RequestName", .string(Service.name), .uint32(0)) == [.uint32(2)])
        let calls = try [":1.999999", client.uniqueName].map { successor in
            try service.client.start(
                Service.name, Service.root, Service.name + ".Coordinator", "HandOver", [.string(successor)])
        }
        #expect(try service.refusal(of: calls[0]).message.contains("':1.999999' does not wait for the name"))
        #expect(try service.client.answer(to: calls[1]) == [])
        #expect(try service.process.waitForExit() == .status(0))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can call as another user"))
    func `D-9 HandOver is for root and the service's user`() throws {
        let bus = try PrivateBus(policy: "<allow user=\"*\"/>")
        chmod(bus.directory.path, 0o755)
        let service = try Service(shopDefinitions, bus: bus)
        let other = try ChildProcess(
            "setpriv",
            [
                "--reuid=65534", "--clear-groups", "busctl", "--address=\(bus.address)", "call", Service.name,
                Service.root, Service.name + ".Coordinator", "HandOver", "s", ":1.1",
            ])
        #expect(try other.waitForExit() == .status(1))
        #expect(other.errors.contains("Access denied"), "\(other.errors)")
        #expect(try service.coordinator("GetSerial") == [.uint64(1)])
    }

    // MARK: Who goes

    @Test(arguments: PrivateBus.Program.allCases)
    func `D-9 an owner that dies is followed by the waiting process, with its written state`(
        program: PrivateBus.Program
    ) throws {
        let service = try Service(shopDefinitions, bus: PrivateBus(program))
        try service.emit("check", on: "/shop")
        let before = try service.objects()
        service.process.send(signal: SIGSTOP)
        let next = try service.startAnother("--replace")
        while try queue(service).count < 2 {}
        service.process.send(signal: SIGKILL)
        try next.waitForLine(in: .errors) { $0.contains("Serving") }
        #expect(try service.objects() == before)
    }

    @Test func `SIGTERM ends one that waits for the name`() throws {
        let service = try Service(shopDefinitions)
        // It can't give up the name while it stands still.
        service.process.send(signal: SIGSTOP)
        let second = try service.startAnother("--replace")
        while try queue(service).count < 2 {}
        #expect(try second.terminate() == .status(0))
        #expect(!second.errors.contains("Serving"))
        service.process.send(signal: SIGCONT)
        #expect(try service.coordinator("GetSerial") == [.uint64(1)])
    }

    @Test func `D-9 a process that loses the name unexpectedly ends with 75, and has written everything`() throws {
        let service = try Service(shopDefinitions)
        try service.process.terminate()
        let relay = try BusRelay(service.bus)
        let process = try Service.start(
            [
                "--address", relay.address, "--flows", service.flows.path, "--runtime", service.stores.path + "/run",
                "--state", service.stores.path + "/state",
            ])
        try process.waitForLine(in: .errors) { $0.contains("Serving") }
        try service.emit("check", on: "/shop")
        let before = try service.objects()
        relay.loseName()
        #expect(try process.waitForExit() == .status(75))
        #expect(process.errors.contains("critical: The name org.flowbus.Navigation1 is lost"), "\(process.errors)")
        try service.start()
        #expect(try service.objects() == before)
    }
}

/// A relay between a client and its bus, which can send messages that the bus would not.
private final class BusRelay {
    let address: String
    private let process: ChildProcess
    private let folder: TemporaryDirectory

    /// Python, as it has to read and write while the test waits for something else.
    private static let program = """
        import os, select, signal, socket, struct, sys
        def text(kind, value):
            data = value.encode()
            if kind == "g": return struct.pack("<B", len(data)) + data + b"\\0"
            return struct.pack("<I", len(data)) + data + b"\\0"
        def padded(data): return data + b"\\0" * (-len(data) % 8)
        def name_lost(name):
            body = text("s", name)
            fields = b""
            for code, kind, value in [
                (1, "o", "/org/freedesktop/DBus"), (2, "s", "org.freedesktop.DBus"), (3, "s", "NameLost"),
                (7, "s", "org.freedesktop.DBus"), (8, "g", "s")]:
                fields = padded(fields) + struct.pack("<BBcB", code, 1, kind.encode(), 0) + text(kind, value)
            return padded(b"l\\x04\\x00\\x01" + struct.pack("<III", len(body), 4711, len(fields)) + fields) + body
        here, there, name = sys.argv[1:]
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(here)
        listener.listen()
        wake = os.pipe()
        signal.signal(signal.SIGUSR1, lambda *_: os.write(wake[1], b"x"))
        print("ready", flush=True)
        client = listener.accept()[0]
        bus = socket.socket(socket.AF_UNIX)
        bus.connect(there)
        while True:
            for ready in select.select([client, bus, wake[0]], [], [])[0]:
                if ready is wake[0]:
                    os.read(wake[0], 1)
                    client.sendall(name_lost(name))
                    continue
                data = ready.recv(65536)
                if not data: sys.exit()
                (bus if ready is client else client).sendall(data)
        """

    init(_ bus: PrivateBus) throws {
        folder = try TemporaryDirectory()
        address = "unix:path=\(folder.path)/relay"
        process = try ChildProcess(
            "/usr/bin/python3", ["-c", Self.program, folder.path + "/relay", bus.directory.path + "/bus", Service.name])
        try process.waitForLine { $0 == "ready" }
    }

    /// Notifies the client that it has lost the name. No message may be on its way to it.
    func loseName() { process.send(signal: SIGUSR1) }
}
