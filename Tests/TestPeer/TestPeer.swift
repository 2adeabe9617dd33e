import BusTestSupport
import Glibc

/// A process of its own for tests that kill it: it plays a presenter, a guard, a navigator, an emitter, an owner.
///
/// ```
/// test-peer NAME [OPTION…]       NAME is a bus name, or - for none
///   --MEMBER=BEHAVIOUR           Present, Alive, ActivateAction, Adapt, Navigate: answer (also without the option), hold,
///                                answer:N (hold those after the first N), fail; for Present, show: answer, then SetVisible
///   --screen=NAME                a navigator's answer: this screen; without it, none
///   --register=FLOW:STEP[:guard] RegisterFlow, with its bus name, for an initial step; as its guard, too
///   --claim=PATH:COUNT           Claim a presentable, and those whose paths end with _2, _3, …
///   --show=PATH                  SetVisible
///   --emit=PATH:STEP[,STEP…]     EmitStep, or EmitSteps
///   --watch                      report owners of flowbusd's name
/// ```
///
/// The options are handled in order; those about answers before it owns its name. It prints a line for each event, and sends it
/// as the signal `Report`, which also reports about a process that the bus started. It ends with the bus.
@main
struct TestPeer {
    static func main() {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            guard let name = arguments.first, let bus = getenv("DBUS_STARTER_ADDRESS") else {
                throw TestFailure("usage: DBUS_STARTER_ADDRESS=… test-peer NAME [OPTION…]")
            }
            try Peer(name, Array(arguments.dropFirst()), at: String(cString: bus)).run()
        } catch {
            writeLine("test-peer: \(error)", on: STDERR_FILENO)
            exit(1)
        }
    }
}

/// Writes a line. Who reads it may be gone.
private func writeLine(_ line: String, on descriptor: Int32) {
    let bytes = Array((line + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
}

/// The peer's connection, and how it behaves.
private final class Peer {
    private enum Behaviour {
        case answer
        case show
        case fail
        /// Holds the calls after so many.
        case hold(after: Int)
    }

    private static let service = "org.flowbus.Navigation1"
    private static let tree = "/org/flowbus/Navigation1/tree"

    private let client: TestClient
    private let name: String
    private var behaviours: [String: Behaviour] = [:]
    private var screen: String?
    private var held: [ReceivedMessage] = []
    /// The line to print when a call is answered.
    private var calls: [AwaitedReply: String] = [:]
    /// What has to wait until a call is answered.
    private var later: [() throws -> Void] = []
    private var read = 0

    init(_ name: String, _ options: [String], at address: String) throws {
        self.name = name
        client = try TestClient(address)
        // Before others know the name: they may call at once.
        for option in options where try !behave(option) { later.append { [unowned self] in try take(option) } }
        client.onCall = { [unowned self] call in answer(call) }
        if name != "-" { try client.requestName(name) }
    }

    // MARK: Commands

    /// Takes an option that says how to answer; false where it is another.
    private func behave(_ option: String) throws -> Bool {
        let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
        switch (parts[0], parts.count) {
        case ("--screen", 2): screen = parts[1]
        case ("--Present", 2), ("--Alive", 2), ("--ActivateAction", 2), ("--Adapt", 2), ("--Navigate", 2):
            behaviours[String(parts[0].dropFirst(2))] = try behaviour(
                parts[1].split(separator: ":").map(String.init))
        default: return false
        }
        return true
    }

    /// Takes an option that says what to do.
    private func take(_ option: String) throws {
        let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
        let value = parts.count > 1 ? parts[1].split(separator: ":").map(String.init) : []
        switch (parts[0], value.count) {
        case ("--register", 2...3): try register(value[0], step: value[1], isGuard: value.count == 3)
        case ("--claim", 2): try claim(value[0], count: Int(value[1]) ?? 0)
        case ("--show", 1):
            expect(
                try client.start(
                    Self.service, Self.tree + value[0], Self.service + ".Presentable", "SetVisible", [true]),
                "shown \(value[0])")
        case ("--emit", 2): try emit(value[1].split(separator: ",").map(String.init), on: value[0])
        case ("--watch", 0):
            try client.addMatch(
                "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.service)'")
        default: throw TestFailure("the option \(option)")
        }
    }

    private func behaviour(_ value: [String]) throws -> Behaviour {
        switch (value[0], value.count) {
        case ("answer", 1): return .answer
        case ("show", 1): return .show
        case ("fail", 1): return .fail
        case ("hold", 1): return .hold(after: 0)
        case ("answer", 2): return .hold(after: Int(value[1]) ?? 0)
        default: throw TestFailure("the behaviour \(value)")
        }
    }

    private func register(_ flow: String, step: String, isGuard: Bool) throws {
        let steps = BusValue.array(of: "{sa{ss}}", [.dictEntry(.string(step), .array(of: "{ss}", []))])
        let initial = BusValue.string(step)
        let options: BusValue =
            name == "-"
            ? .options(["initial": initial, "guard": .bool(isGuard)])
            : .options(["initial": initial, "guard": .bool(isGuard), "name": .string(name)])
        let call = try client.start(
            Self.service, "/org/flowbus/Navigation1", Self.service + ".Coordinator", "RegisterFlow",
            [.string(flow), .objectPath("/navigator"), steps, options])
        expect(call, "RegisterFlow")
    }

    private func claim(_ path: String, count: Int) throws {
        // One by one: a bus allows few calls under way.
        for number in 1..<max(count, 1) {
            let path = Self.tree + path + (number == 1 ? "" : "_\(number)")
            try client.call(Self.service, path, Self.service + ".Presentable", "Claim")
        }
        let last = Self.tree + path + (count < 2 ? "" : "_\(count)")
        expect(
            try client.start(Self.service, last, Self.service + ".Presentable", "Claim"), "claimed \(count)")
    }

    private func emit(_ steps: [String], on path: String) throws {
        let list = steps.map { BusValue.structure([.string($0), .options()]) }
        let isOne = steps.count == 1
        let member = isOne ? "EmitStep" : "EmitSteps"
        let call = try client.start(
            Self.service, Self.tree + path, Self.service + ".Stepper", member,
            isOne ? [.string(steps[0]), .options()] : [.array(of: "(sa{sv})", list)])
        expect(call, member)
    }

    private func expect(_ call: AwaitedReply, _ what: String) {
        calls[call] = what
    }

    // MARK: What happens

    func run() throws {
        try doLater()
        try report("ready")
        try client.wait(within: .seconds(3_600), for: "the end of the bus") {
            try doLater()
            while read < client.log.count {
                let message = client.log[read]
                read += 1
                try handle(message)
            }
            return false
        }
    }

    private func doLater() throws {
        let actions = later
        later = []
        for action in actions { try action() }
    }

    private func handle(_ message: ReceivedMessage) throws {
        if message.member == "NameOwnerChanged", message.values[0].text == Self.service {
            try report(message.values[2] == "" ? "flowbusd gone" : "flowbusd there")
        }
        guard let call = message.replyTo, let what = calls.removeValue(forKey: call) else { return }
        if case .error(let error) = message.kind { return try report("\(what) \(error.name)") }
        try report(what)
    }

    private func answer(_ call: ReceivedMessage) -> TestClient.Answer {
        do {
            return try take(call)
        } catch {
            return .error(BusError("org.flowbus.TestPeer.Error", "\(error)"))
        }
    }

    private func take(_ call: ReceivedMessage) throws -> TestClient.Answer {
        switch call.member {
        case "Go":
            // From now on it answers everything.
            behaviours = [:]
            for call in held { try client.reply(to: call, values(for: call)) }
            held = []
            return .values([])
        case "Do":
            let option = call.values[0].text ?? ""
            later.append { [unowned self] in try take(option) }
            return .values([])
        default: break
        }
        try report("\(call.member) \(subject(of: call))")
        guard call.expectsReply else { return .later }
        switch behaviours[call.member] ?? .answer {
        case .answer: break
        case .show:
            let path = call.values[0].text ?? ""
            later.append { [client] in
                try client.post(Self.service, path, Self.service + ".Presentable", "SetVisible", true)
            }
        case .fail: return .error(BusError("org.flowbus.TestPeer.Failed", "it was asked to fail"))
        case .hold(after: let count) where count > 0: behaviours[call.member] = .hold(after: count - 1)
        case .hold:
            held.append(call)
            return .later
        }
        return .values(values(for: call))
    }

    /// The description of a call in a line: the presentable or flow, the step, and whether the screen is presented again.
    private func subject(of call: ReceivedMessage) -> String {
        func local(_ path: BusValue) -> String { String((path.text ?? "").dropFirst(Self.tree.count)) }
        switch call.member {
        case "Present": return local(call.values[0]) + (call.values[3]["again"] == true ? " again" : "")
        case "Withdraw": return "\(local(call.values[0])) \(call.values[2].text ?? "")"
        case "ActivateAction": return call.values[0].text ?? ""
        case "Adapt", "Navigate": return "\(local(call.values[0])) \(call.values[1].text ?? "")"
        default: return call.path
        }
    }

    private func values(for call: ReceivedMessage) -> [BusValue] {
        switch call.member {
        case "Adapt": return [call.values[1], call.values[2]]
        case "Navigate":
            let contributor = screen.map { BusValue.structure(["screen", .string($0), .options()]) }
            return [.array(of: "(ssa{sv})", contributor.map { [$0] } ?? [])]
        default: return []
        }
    }

    private func report(_ text: String) throws {
        writeLine(text, on: STDOUT_FILENO)
        try client.signal(
            "/peer", "org.flowbus.TestPeer", "Report", .string(name), .uint32(UInt32(getpid())), .string(text))
    }
}
