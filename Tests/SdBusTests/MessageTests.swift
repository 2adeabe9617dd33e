import BusTestSupport
import CSdBus
import Glibc
import SdBus
import Testing

@Suite("Messages")
struct MessageTests {
    private let name = "org.example.Service"
    private let one = ExampleService.tree + "/one"
    private let interface = "org.example.Example"

    private static var everything: [BusValue] {
        [
            .byte(255), .bool(true), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max), .int64(.min),
            .uint64(.max),
            .double(-0.5), .string("ä€🚌"), .string(""), .objectPath("/a/b"), .signature("a{sv}"), .strings(["x", "y"]),
            .array(of: "(ib)", []), .structure([.int32(1), .structure([.string("in"), .variant(.byte(1))])]),
            .options(["k": .uint64(1), "l": .variant(.options(["m": .strings([])]))]), .variant(.variant(.string("v"))),
            .array(of: "{ias}", [.dictEntry(.int32(3), .strings(["z"]))]),
        ]
    }

    @Test(arguments: everything)
    func `every type goes out and comes back`(value: BusValue) throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        let sent = BusValue.array(of: "(sv)", [.structure([.string(value.type), .variant(value)])])
        #expect(try client.call(name, one, interface, "Echo", sent) == [sent])
        withExtendedLifetime(service) {}
    }

    @Test func `a descriptor is handed on`() throws {
        let daemon = try PrivateBus()
        let client = try TestClient(daemon)
        let other = try TestClient(daemon)
        try other.post(client.uniqueName, "/x", "org.example.X", "Take", .fileDescriptor(STDERR_FILENO))
        let call = try client.waitForCall("Take")
        guard case .fileDescriptor(let descriptor)? = call.values.first else {
            Issue.record("\(call)")
            return
        }
        var sent = stat()
        var received = stat()
        #expect(fstat(STDERR_FILENO, &sent) == 0 && fstat(descriptor, &received) == 0)
        #expect(descriptor != STDERR_FILENO && sent.st_ino == received.st_ino)
    }

    @Test func `an error has its name and text`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        // The text is no format string, though some calls of sd-bus take one.
        #expect(throws: BusError("org.example.Error.Refused", "100 %s 'x'")) {
            try client.call(name, one, interface, "Refuse", "100 %s 'x'")
        }
        #expect(throws: BusError("org.example.Error.Set", "set by the handler")) {
            try client.call(name, one, interface, "SetError")
        }
        withExtendedLifetime(service) {}
    }

    @Test func `a handler that misreads answers with an error and goes on`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        #expect(throws: BusError.self) { try client.call(name, one, interface, "Misread", .uint32(1)) }
        let error = #expect(throws: BusError.self) { try client.call(name, one, interface, "Tell", .uint32(1)) }
        #expect(error?.name == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(
            try client.call(name, one, interface, "Sum", .strings(["a", "b", ""])) == [.string("ab"), .uint32(3)])
        #expect(try client.call(name, one, interface, "Sum", .strings([])) == [.string(""), .uint32(0)])
        withExtendedLifetime(service) {}
    }

    @Test func `signals and answers arrive in the order they were sent`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        try client.addMatch("interface='org.example.Example'")
        client.clearLog()
        let calls = try ["a", "b", "c"].map { try client.start(name, one, interface, "Tell", [.string($0)]) }
        for call in calls.reversed() { try client.answer(to: call) }
        let order = client.log.map { message in
            message.replyTo.flatMap { calls.firstIndex(of: $0) }.map { "answer \($0)" }
                ?? "\(message.member) \(message.values.first?.text ?? "")"
        }
        #expect(order == ["Notified a", "answer 0", "Notified b", "answer 1", "Notified c", "answer 2"])
        #expect(try client.waitForSignal("Notified").values.first == "a")
        #expect(try client.waitForSignal("Notified") { $0.values.first == "c" }.sender == service.bus.uniqueName)
    }

    @Test func `a call without a reply gets none`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        client.clearLog()
        try client.post(name, one, interface, "Tell", "quietly")
        try client.post(name, one, interface, "Fire", .uint64(3))
        try client.ping(name)
        #expect(service.seen == ["\(one) quietly", "fire 3 false"])
        #expect(client.log.count == 1, "only the answer of the ping: \(client.log)")
    }

    @Test func `an outgoing call has its answer, its error or its timeout`() throws {
        final class Answers { var texts: [String] = [] }
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        client.onCall = { call in
            switch call.member {
            case "Yes": .values([.string("yes")])
            case "No": .error(BusError("org.example.No", "no"))
            default: .later
            }
        }
        let answers = Answers()
        let slots = try ["Yes", "No", "Late"].map { member in
            let call = try OutgoingMessage(
                call: service.bus, destination: client.uniqueName, path: "/x", interface: "org.example.X",
                member: member)
            return try call.call(timeout: 20_000, userdata: Unmanaged.passUnretained(answers).toOpaque()) {
                message, userdata, _ in
                guard let message, let userdata else { return 0 }
                let reader = MessageReader(message)
                let answers = Unmanaged<Answers>.fromOpaque(userdata).takeUnretainedValue()
                let text = reader.errorName ?? (try? reader.readString())
                answers.texts.append(text.map { String(cString: $0) } ?? "?")
                return 0
            }
        }
        // The loop's own timer ends the wait, as the client has nothing to read by then.
        while answers.texts.count < 3 {
            try client.wait(for: "calls") { client.log.count { $0.kind == .call } == 3 }
            try service.loop.runOnce(timeout: 1_000_000)
        }
        #expect(answers.texts == ["yes", "org.example.No", "org.freedesktop.DBus.Error.NoReply"])
        #expect(slots.count == 3)
    }

    @Test func `a call is retained beyond its handler and answered later`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        let long = String(repeating: "b", count: 1_000_000)
        let calls = try ["a", long].map { try client.start(name, one, interface, "Hold", [.string($0)]) }
        try client.wait(for: "both calls") { service.held.count == 2 }
        try client.ping(name)
        #expect(client.log.allSatisfy { message in !calls.contains { $0 == message.replyTo } })
        let call = service.held[1].call
        // The caller is retained, and not the destination.
        #expect(String(cString: call.sender) == client.uniqueName)
        #expect(String(cString: call.signature).isEmpty)
        let answer = try OutgoingMessage(replyTo: call)
        try answer.body.append("later" as StaticString)
        try answer.send()
        try service.held[0].call.replyError(name: "org.example.Error.Refused", text: "no")
        service.held = []
        #expect(try client.answer(to: calls[1]) == ["later"])
        #expect(throws: BusError("org.example.Error.Refused", "no")) { try client.answer(to: calls[0]) }
    }

    @Test(arguments: [true, false])
    func `the flag for questions to the user, and that for starting a program`(isSet: Bool) throws {
        let daemon = try PrivateBus()
        let bus = try Bus(.address(daemon.address))
        let client = try TestClient(daemon)
        let call = try OutgoingMessage(
            call: bus, destination: client.uniqueName, path: "/x", interface: "org.example.X", member: "Y")
        try call.setAllowsInteractiveAuthorization(isSet)
        try call.setExpectsNoReply()
        try call.send()
        let received = try client.waitForCall("Y")
        #expect(received.isInteractive == isSet)

        let missing = try OutgoingMessage(
            call: bus, destination: "org.example.Missing", path: "/x", interface: "org.example.X", member: "Y")
        try missing.setAutoStart(isSet)
        #expect((sd_bus_message_get_auto_start(missing.handle) > 0) == isSet)
    }

    @Test func `a directed signal reaches one client`() throws {
        let daemon = try PrivateBus()
        let (service, client) = try ExampleService.start(on: daemon)
        let other = try TestClient(daemon)
        try other.addMatch("interface='org.example.Example'")
        let signal = try OutgoingMessage(
            signal: service.bus, path: "/x", interface: "org.example.Example", member: "Notified")
        try signal.setDestination(client.uniqueName)
        try signal.body.append("only you" as StaticString)
        try signal.send()
        #expect(try client.waitForSignal("Notified").values == ["only you"])
        try other.ping()
        #expect(other.signals.allSatisfy { $0.member != "Notified" })
    }

    @Test func `a value that does not fit is an error`() throws {
        let daemon = try PrivateBus()
        let bus = try Bus(.address(daemon.address))
        #expect(throws: SdError("sd_bus_message_new_signal", errno: EINVAL)) {
            _ = try OutgoingMessage(signal: bus, path: "no path", interface: "org.example.X", member: "Y")
        }
        let signal = try OutgoingMessage(signal: bus, path: "/x", interface: "org.example.X", member: "Y")
        try signal.body.openContainer(.array, "s")
        #expect(throws: SdError("sd_bus_message_append_basic", errno: ENXIO)) { try signal.body.append(1 as UInt32) }
        #expect(throws: SdError.self) { try signal.body.appendObjectPath("no path") }
    }
}
