import BusTestSupport
import CSdBus
import Foundation
import SdBus
import Testing

/// Every kind of message that flowbusd sends is read by other implementations of D-Bus as sd-bus reads it.
@Suite("Other readers of the messages")
struct ReadersTests {
    private enum Reader: String {
        case gdbus = "with_gdbus.py"
        case jeepney = "with_jeepney.py"
    }

    private static func has(_ module: String) -> Bool {
        let trial = try? ChildProcess("/usr/bin/python3", ["-c", "import \(module)"])
        return (try? trial?.waitForExit()) == .status(0)
    }

    private static let values: [(String, BusValue)] = [
        ("b", true), ("y", .byte(255)), ("n", .int16(.min)), ("q", .uint16(.max)), ("i", .int32(.min)),
        ("u", .uint32(.max)), ("x", .int64(.min)), ("t", .uint64(.max)), ("d", .double(-0.5)), ("s", "é\u{1F3AC}"),
        ("o", .objectPath("/a/b")), ("g", .signature("a{sv}")), ("as", .strings(["a", ""])), ("as", .strings([])),
        ("ay", .array(of: "y", [.byte(1), .byte(2)])), ("(sx)", .structure(["a", .int64(1)])),
        ("at", .array(of: "t", [])),
        ("a{sv}", .options(["k": .variant(.variant(.byte(1)))])), ("a{sv}", .options()),
        ("a{us}", .array(of: "{us}", [.dictEntry(.uint32(1), "x"), .dictEntry(.uint32(2), "")])),
        (
            "aa(ib)",
            .array(of: "a(ib)", [.array(of: "(ib)", [.structure([.int32(1), true])]), .array(of: "(ib)", [])])
        ),
        ("v", .structure([.uint16(1), "any"])), ("v", .variant(.byte(3))),
    ]

    private static var definitions: String {
        let arguments = values.enumerated().map { "a\($0) = \"\($1.0)\"" }.joined(separator: ", ")
        return """
            [steps]
            begin = {}
            typed = { \(arguments) }
            check = {}
            card = {}
            done = {}
            later = { n = "x" }
            pick = {}
            remote = {}
            go = {}
            window = { n = "x" }
            file = { uri = "s" }
            program = {}
            nobody = {}
            [screens]
            page = { presenter = "com.example.Peer", watchdog = "1s", arguments = { \(arguments) } }
            pad = { result = { pin = "x" } }
            basket = {}
            window = { application = { name = "com.example.Peer", action = "win.show", parameter = "$n", close = "quit" }, arguments = { n = "x" } }
            file = { application = { name = "com.example.Peer", open = "$uri" }, arguments = { uri = "s" } }
            program = { application = "com.example.Peer" }
            [[autostart]]
            flow = "main"
            [flows.main]
            initial = "begin"
            children = "stack"
            guard = { name = "com.example.Peer", steps = ["typed", "nobody"] }
            [flows.main.on]
            begin = { flow = "other", whenHidden = "latest" }
            typed = { screen = "page", style = "slide" }
            check = { flow = "pay", style = "modal" }
            pick = { screen = "pad" }
            remote = { flow = "remote" }
            done = { none = true }
            window = { screen = "window" }
            file = { screen = "file" }
            program = { screen = "program" }
            [flows.pay]
            initial = "card"
            announce = true
            [flows.pay.on]
            card = { screen = "basket" }
            done = { end = "done" }
            [flows.other]
            initial = "card"
            [flows.other.on]
            card = { screen = "basket" }
            later = { none = true }
            [flows.remote]
            navigator = { name = "com.example.Peer", steps = ["go"] }
            """
    }

    @Test(.enabled(if: has("gi"), "missing: python3-gi"))
    func `GDBus reads every message as sd-bus does`() throws { try compare(.gdbus) }

    @Test(.enabled(if: has("jeepney"), "missing: python3-jeepney"))
    func `jeepney reads every message as sd-bus does`() throws { try compare(.jeepney) }

    private func compare(_ reader: Reader) throws {
        let service = try Service(Self.definitions)
        let watcher = try TestClient(service.bus)
        service.client.turn(watcher)
        try watcher.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Monitoring", "BecomeMonitor",
            .strings(["sender='\(Service.name)'"]), .uint32(0))
        watcher.clearLog()
        let other = try ChildProcess(
            "/usr/bin/python3",
            [Service.repository + "/Tests/readers/" + reader.rawValue, service.bus.address, Service.name])
        try other.waitForLine { $0 == "reading" }
        try play(service)
        // The last one of all.
        try service.coordinator("Reload")
        try service.client.wait(for: "the end") { watcher.log.contains { $0.member == "DefinitionsChanged" } }
        try other.waitForLine { $0.contains("|DefinitionsChanged|") }
        let sent = watcher.log.filter { $0.sender != "org.freedesktop.DBus" }
        let end = try #require(sent.firstIndex { $0.member == "DefinitionsChanged" })
        let expected = try sent[...end].map(Self.line)
        let read = other.output.split(separator: "\n").map(String.init).dropFirst()
        for (one, two) in zip(expected, read) where one != two { Issue.record("\(one)\n\(two)") }
        #expect(read.count >= expected.count)
        let members = Set(sent.map { $0.kind == .signal || $0.kind == .call ? $0.member : "\($0.kind)".prefix(5) + "" })
        let missing = Self.members.subtracting(members)
        #expect(missing.isEmpty, "\(members)")
    }

    private static let members: Set<String> = [
        "NavigationWillOccur", "NavigationOccurred", "NavigationFailed", "StepConcluded", "Answered", "InterfacesAdded",
        "InterfacesRemoved", "PropertiesChanged", "DefinitionsChanged", "Adapt", "Navigate", "Present", "Withdraw",
        "Alive", "Activate", "Open", "ActivateAction", "GetConnectionUnixUser", "reply", "error",
    ]

    /// Has flowbusd send each kind of message.
    private func play(_ service: Service) throws {
        let client = service.client
        let peer = try service.peer()
        peer.playPresenter()
        peer.playGuard { .pass($0) }
        peer.playNavigator { _ in .contributors(("screen", "basket", .options(["style": "modal"]))) }
        peer.serve(Peer.path, Peer.presenter, "Alive") { _ in .values([]) }
        for member in ["Activate", "Open", "ActivateAction"] {
            peer.serve(Peer.path, "org.freedesktop.Application", member) { _ in .values([]) }
        }
        try service.listen()
        let typed = Self.values.enumerated().map { ("a\($0)", BusValue.variant($1.1)) }
        let arguments = BusValue.array(of: "{sv}", typed.map { .dictEntry(.string($0.0), $0.1) })
        let main = Service.tree + "/main"
        try client.call(Service.name, main, Service.name + ".Stepper", "EmitStep", "typed", arguments)
        try service.waitForOwner(peer, of: "/main/page")
        try service.presentable("SetVisible", "/main/page", true, by: peer)
        try peer.waitForCall("Alive")
        try client.call(Service.name, main, Service.name + ".Flow", "GetLastNavigation")
        _ = try service.objects()
        try service.emit("check", on: "/main")
        try service.emitWithOptions("done", on: "/main/pay", ["token": "t1"])
        try service.emit("remote", on: "/main")
        try service.emit("go", on: "/main/remote")
        try service.emit("window", ["n": .int64(3)], on: "/main")
        try peer.waitForCall("ActivateAction")
        try service.emit("file", ["uri": "file:///a"], on: "/main")
        try peer.waitForCall("Open")
        try service.emit("program", on: "/main")
        try peer.waitForCall("Activate")
        // Asks, with an answer and without.
        for step in ["pick", "done"] {
            try service.emitWithOptions(step, on: "/main", ["ask": true, "token": .string(step)])
        }
        try service.presentable("Claim", "/main/pad")
        try service.presentable("Finish", "/main/pad", .options(["pin": .int64(4711)]))
        try client.waitForSignal("Answered") { $0.values[1] == "result" }
        // A step that waits and is concluded later, and one that is replaced.
        try service.emitWithOptions("nobody", on: "/main", ["wait": false, "token": "t2"])
        try client.waitForSignal("StepConcluded")
        for number in 1...2 { try service.emit("later", ["n": .int64(Int64(number))], on: "/main/other") }
        try client.waitForSignal("NavigationFailed")
        // Answers of all kinds.
        let steps = BusValue.array(
            of: "(sa{sv})", [.structure(["done", .options()]), .structure(["card", .options()])])
        try client.call(Service.name, main, Service.name + ".Stepper", "EmitSteps", steps)
        try service.coordinator("Navigate", "done", .options(), .options())
        for (member, texts) in [
            ("GetStack", [""]), ("GetTimings", []), ("GetTimers", []), ("GetSteps", []), ("GetSteppers", []),
            ("GetDefinitions", []),
            ("GetDefinitionNames", []), ("GetSerial", []), ("ListOwned", [peer.uniqueName]),
        ] as [(String, [String])] {
            try service.client.answer(
                to: client.start(
                    Service.name, Service.root, Service.name + ".Coordinator", member, texts.map { .string($0) }))
        }
        _ = try service.history()
        for path in ["/main", "/main/page"] {
            for interface in ["Presentable", "Flow"] where path == "/main" || interface == "Presentable" {
                try client.call(
                    Service.name, Service.tree + path, "org.freedesktop.DBus.Properties", "GetAll",
                    .string(Service.name + "." + interface))
            }
        }
        _ = try service.refusal { try service.emit("unknown", on: "/main") }
        _ = try service.refusal { try service.emit("done", on: "/gone") }
        try service.dismiss("/main")
        try peer.waitForCall("Withdraw")
        try service.synchronize(peer)
    }

    /// A message as the other readers print it.
    private static func line(_ message: ReceivedMessage) throws -> String {
        try message.withReader { reader in
            var (cookie, flags): (UInt64, Int) = (0, 0)
            sd_bus_message_get_cookie(reader.handle, &cookie)
            if !reader.expectsReply { flags |= 1 }
            if sd_bus_message_get_auto_start(reader.handle) == 0 { flags |= 2 }
            if reader.allowsInteractiveAuthorization { flags |= 4 }
            var fields: [String] = []
            var error = ""
            switch message.kind {
            case .call: fields.append("1")
            case .reply: fields.append("2")
            case .error(let name):
                fields.append("3")
                error = name.name
            case .signal: fields.append("4")
            }
            fields += [
                flags == 0 ? "" : "\(flags)", "\(cookie)", reader.answeredCall.map { "\($0)" } ?? "", message.path,
            ]
            fields += [
                message.interface, message.member, error, message.destination, String(cString: reader.signature),
            ]
            return (fields + [message.values.map(text).joined(separator: ",")]).joined(separator: "|")
        }
    }

    private static func text(_ value: BusValue) -> String {
        func all(_ values: [BusValue]) -> String { values.map(text).joined(separator: ",") }
        switch value {
        case .byte(let value): return "y:\(value)"
        case .bool(let value): return "b:\(value ? 1 : 0)"
        case .int16(let value): return "n:\(value)"
        case .uint16(let value): return "q:\(value)"
        case .int32(let value): return "i:\(value)"
        case .uint32(let value): return "u:\(value)"
        case .int64(let value): return "x:\(value)"
        case .uint64(let value): return "t:\(value)"
        case .double(let value):
            return "d:" + hexadecimal(withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) })
        case .string(let text), .objectPath(let text), .signature(let text):
            return value.type + ":" + hexadecimal(Array(text.utf8))
        case .fileDescriptor: return "h"
        case .array(let element, let elements): return "a\(element)[\(all(elements))]"
        case .structure(let members): return "(\(all(members)))"
        case .dictEntry(let key, let value): return "{\(text(key)),\(text(value))}"
        case .variant(let value): return "v<\(text(value))>"
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
