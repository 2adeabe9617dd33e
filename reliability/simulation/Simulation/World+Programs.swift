import CSdBus
import FlowCore
import FlowWire
import SdBus

@testable import Worlds
@testable import flowbusd

// What programs do: calls with sense and without, and answers.

extension World {
    private static let steps = RandomDefinitions.stepNames + ["r1", "r2", "r3"]

    private var stepName: String { element(profile.isModelled ? modelSteps : Self.steps) ?? "" }
    private var modelSteps: [String] { definitions.steps.map(\.name) }
    private var flowName: String {
        element(profile.isModelled ? definitions.flows.map(\.name) : RandomDefinitions.flowNames + ["t", "q", "r"])
            ?? ""
    }

    /// A path that was there a moment ago, or that of an instance.
    private func path() -> String {
        guard let path = element(mirror.paths) else { return "\(BusNames.tree)/f0" }
        if chance(5), let daemon, let node = daemon.coordinator.node(at: path) {
            return "\(BusNames.instances)/\(node.instance)"
        }
        return path
    }

    private func ownPath(_ peer: Peer) -> String? {
        guard let daemon else { return nil }
        return element(daemon.coordinator.presentables(ownedBy: Client(peer.name)).map(\.path))
    }

    private func arguments(_ number: Int64? = nil) -> [(String, Body.Item)] {
        if let number { return [("n", .int64(number))] }
        if profile.isModelled { return modelArguments() }
        switch below(5) {
        case 0: return [("n", .int64(Int64(below(3)))), ("pin", .string("1234"))]
        case 1...2: return [("n", .int64(Int64(below(3))))]
        case 3 where chance(10): return [("n", .byte(1)), ("zzz", .string("?"))]
        default: return []
        }
    }

    private func modelArguments() -> [(String, Body.Item)] {
        var items: [(String, Body.Item)] = []
        if !chance(4) { items.append(("n", .int64(Int64(below(3))))) }
        if !chance(4) { items.append(("t", .string(element(["x", "y"]) ?? ""))) }
        return items
    }

    func act(_ peer: Peer) {
        let (path, stepper, presentable) = (path(), BusNames.Interface.stepper, BusNames.Interface.presentable)
        if mirror.paths.count > 40 || (isMirrorSynced && mirror.paths.isEmpty) || chance(25) { return begin(peer) }
        switch below(profile.isModelled ? 30 : 34) {
        case 0...6:
            call(peer, path, stepper, "EmitStep", "sa{sv}", flags: chance(20) ? 1 : 0) { body in
                body.string(stepName)
                body.items(arguments())
            }
        case 7...9: emitWithToken(peer, path)
        case 10:
            call(peer, path, stepper, "EmitSteps", "a(sa{sv})") { body in
                body.array(8) { body in
                    for _ in 0..<below(5) {
                        body.align(8)
                        body.string(stepName)
                        body.items(arguments())
                    }
                }
            }
        case 11...13: call(peer, path, presentable, "SetVisible", "b") { $0.bool(!chance(4)) }
        case 14: call(peer, chance(2) ? ownPath(peer) ?? path : path, presentable, "Dismiss")
        case 15: call(peer, path, BusNames.Interface.flow, "Back")
        case 16: call(peer, path, presentable, "Touch")
        case 17: call(peer, path, BusNames.Interface.flow, profile.isModelled ? "GetLastNavigation" : "WaitReady")
        case 18: query(peer, path)
        case 19:
            call(peer, "\(BusNames.root)", BusNames.Interface.coordinator, "Navigate", "sa{sv}a{sv}") { body in
                body.string(stepName)
                body.items(arguments())
                body.items([])
            }
        case 20: navigateAlong(peer)
        case 21:
            call(peer, path, stepper, "BackWithOptions", "a{sv}") { body in
                body.items([("token", .string("back \(below(3))"))])
            }
        case 22: nonsense(peer, path)
        case 23:
            guard let key = repeatable(peer) else { return }
            if chance(2) { repeatToken(peer, key) } else { cancel(peer, key) }
        case 24...29 where profile.isModelled: actAsModelled(peer, path)
        case 24...25: call(peer, path, presentable, chance(2) ? "Claim" : "Release")
        case 26: ask(peer, ownPath(peer) ?? path)
        default: owned(peer, ownPath(peer) ?? path)
        }
    }

    /// Options of steps, and what one program alone may set: in runs with the model, which knows what becomes of it.
    private func actAsModelled(_ peer: Peer, _ path: String) {
        let setter = chance(8) ? peer : element(busNames.compactMap { owners[$0] }) ?? peer
        switch below(6) {
        case 0...1:
            call(peer, path, BusNames.Interface.stepper, "EmitStepWithOptions", "sa{sv}a{sv}") { body in
                body.string(stepName)
                body.items(arguments())
                body.items(
                    (chance(3) ? [] : [("token", .string("m\(below(5))"))])
                        + (chance(2) ? [] : [("input", .bool(chance(4)))]))
            }
        case 2:
            call(peer, path, BusNames.Interface.stepper, "CancelStep", "s") { $0.string("m\(below(5))") }
        case 3:
            let isOfFlow = chance(2)
            call(
                setter, isOfFlow ? path : "\(BusNames.root)",
                isOfFlow ? BusNames.Interface.flow : BusNames.Interface.coordinator, "SetContext", "a{sv}"
            ) { $0.items(contextItems()) }
        case 4: setOutputs(setter, ["left", "right", "one", "L-1"])
        default: moveRoot(setter, path)
        }
    }

    private func contextItems() -> [(String, Body.Item)] {
        let all: [(String, Body.Item)] = [
            ("c", .string(element(["x", "y", "z"]) ?? "")), ("k", .int64(Int64(below(3)))),
            ("t", .string(element(["2s", "3500ms", "never", "x"]) ?? "")),
        ]
        return all.filter { _ in chance(2) }
    }

    /// What owners do with their screens.
    private func owned(_ peer: Peer, _ path: String) {
        let presentable = BusNames.Interface.presentable
        switch below(10) {
        case 0: call(peer, path, presentable, "SetTitle", "s") { $0.string(["Title", ""][below(2)]) }
        case 1: call(peer, path, presentable, "SaveState", "a{sv}") { $0.items([("number", .uint64(events))]) }
        case 2: call(peer, path, presentable, "SetBackStep", "s") { $0.string(chance(3) ? "" : stepName) }
        case 3: call(peer, path, presentable, "Finish", "a{sv}") { $0.items([("n", .int64(1))]) }
        case 4: call(peer, path, presentable, "AcknowledgeAnswer", "s") { $0.string("ask \(below(5))") }
        case 5: call(peer, path, presentable, "Release")
        case 6 where profile.changesDefinitions: register(peer)
        case 7 where chance(2): call(peer, path, presentable, "SetVisible", "b") { $0.bool(true) }
        case 7:
            call(peer, path, presentable, "SetVisibleWithOptions", "ba{sv}") { body in
                body.bool(true)
                body.items([("title", .string("t\(below(3))")), ("tellSight", .bool(chance(2)))])
            }
        case 8:
            let setter = element(RandomDefinitions.emitters.compactMap { owners[$0] }) ?? peer
            call(setter, "\(BusNames.root)", BusNames.Interface.coordinator, "SetContext", "a{sv}") { body in
                body.items([
                    ("c", chance(8) ? .int64(1) : .string(["x", "y"][below(2)])),
                    ("language", .string(["de", "en"][below(2)])),
                ])
            }
        default:
            // One program alone may.
            if events % 4 == 0 {
                return setOutputs(owners[RandomDefinitions.emitters[0]] ?? peer, ["left", "right", "middle"])
            }
            moveRoot(peer, path)
        }
    }

    private func setOutputs(_ peer: Peer, _ names: [String]) {
        call(peer, "\(BusNames.root)", BusNames.Interface.coordinator, "SetOutputs", "as") { body in
            body.array(4) { body in
                for name in names where chance(2) { body.string(name) }
            }
        }
    }

    private func moveRoot(_ peer: Peer, _ path: String) {
        call(peer, "\(BusNames.root)", BusNames.Interface.coordinator, "MoveRoot", "os") { body in
            body.string(path)
            body.string(["left", "right", ""][below(3)])
        }
    }

    private func begin(_ peer: Peer) {
        if mirror.paths.count > 40, let root = mirror.paths.first {
            return call(peer, root, BusNames.Interface.presentable, "Dismiss")
        }
        call(peer, "\(BusNames.root)", BusNames.Interface.coordinator, "Coordinate", "ssa{sv}a{sv}") { body in
            body.string(flowName)
            body.string(chance(3) ? stepName : "")
            body.items(arguments())
            body.items(chance(6) ? [("token", .string("root \(below(3))"))] : [])
        }
    }

    private func emitWithToken(_ peer: Peer, _ path: String) {
        // The model's arguments have other types.
        guard !profile.isModelled else { return }
        let token = "t\(peer.latest)"
        let step = stepName
        let entry = tokens.make(peer.number, token, path, step, at: sim_now)
        peer.tokens.append(token)
        if peer.tokens.count > 8 { peer.tokens.removeFirst() }
        emit(peer, TokenLedger.Key(peer: peer.number, token: token), entry)
    }

    private func emit(_ peer: Peer, _ key: TokenLedger.Key, _ entry: TokenLedger.Entry) {
        call(
            peer, entry.path, BusNames.Interface.stepper, "EmitStepWithOptions", "sa{sv}a{sv}", .token(key),
            flags: chance(5) ? 4 : 0
        ) { body in
            body.string(entry.step)
            body.items(arguments(entry.number))
            body.items([("token", .string(key.token))] + (chance(4) ? [("wait", .bool(false))] : []))
        }
    }

    private func repeatable(_ peer: Peer) -> TokenLedger.Key? {
        element(peer.tokens).map { TokenLedger.Key(peer: peer.number, token: $0) }
    }

    func repeatToken(_ peer: Peer, _ key: TokenLedger.Key) {
        // Later it may be forgotten, and would be another step.
        guard let entry = tokens.entries[key], sim_now + 2 * profile.latency < entry.first + 40_000_000 else { return }
        counts.repeatedTokens += 1
        emit(peer, key, entry)
    }

    private func cancel(_ peer: Peer, _ key: TokenLedger.Key) {
        guard let entry = tokens.entries[key] else { return }
        call(peer, entry.path, BusNames.Interface.stepper, "CancelStep", "s", .cancel(key)) { $0.string(key.token) }
    }

    private func ask(_ peer: Peer, _ path: String) {
        call(peer, path, BusNames.Interface.stepper, "EmitStepWithOptions", "sa{sv}a{sv}") { body in
            body.string(stepName)
            body.items(arguments())
            body.items([("token", .string("ask \(below(5))")), ("ask", .bool(true))])
        }
    }

    private func navigateAlong(_ peer: Peer) {
        call(peer, "\(BusNames.root)", BusNames.Interface.coordinator, "NavigateAlong", "a(ssa{sv})a{sv}") { body in
            body.array(8) { body in
                for _ in 0..<(1 + below(3)) {
                    body.align(8)
                    body.string(flowName)
                    body.string(chance(3) ? "" : stepName)
                    body.items([])
                }
            }
            body.items([])
        }
    }

    private func register(_ peer: Peer) {
        let coordinator = BusNames.Interface.coordinator
        if chance(4) {
            return call(peer, "\(BusNames.root)", coordinator, "UnregisterFlow", "s") {
                $0.string(["q", "r"][below(2)])
            }
        }
        call(peer, "\(BusNames.root)", coordinator, "RegisterFlow", "soa{sa{ss}}a{sv}") { body in
            body.string(["q", "r"][below(2)])
            body.string("/n")
            body.array(8) { body in
                for step in ["r1", "r2", "r3"].prefix(1 + below(3)) {
                    body.align(8)
                    body.string(step)
                    body.array(8) { _ in }
                }
            }
            body.items(
                [("initial", .string("r1"))] + (chance(3) ? [("guard", .bool(true))] : [])
                    + (chance(3) ? [("children", .string("stack"))] : []))
        }
    }

    private func query(_ peer: Peer, _ path: String) {
        let (root, coordinator) = ("\(BusNames.root)", BusNames.Interface.coordinator)
        switch below(7) {
        case 0: call(peer, root, coordinator, "GetSerial")
        case 1: call(peer, root, coordinator, "GetStack", "s") { $0.string("") }
        case 2: call(peer, root, coordinator, "ListOwned", "s") { $0.string(peer.name) }
        case 3: call(peer, path, BusNames.Interface.stepper, "PeekBack")
        case 4: call(peer, path, BusNames.Interface.stepper, "GetAcceptedSteps")
        case 5: call(peer, path, BusNames.Interface.flow, "GetLastNavigation")
        default:
            call(peer, path, BusNames.Interface.stepper, "Explain", "sa{sv}") { body in
                body.string(stepName)
                body.items(arguments())
            }
        }
    }

    /// Calls that fit nothing.
    private func nonsense(_ peer: Peer, _ path: String) {
        switch below(5) {
        case 0: call(peer, path, BusNames.Interface.stepper, "EmitStep", "u") { $0.uint32(1) }
        case 1: call(peer, "\(BusNames.tree)/no/such", BusNames.Interface.presentable, "Dismiss")
        case 2:
            call(peer, path, BusNames.Interface.stepper, "EmitStep", "sa{sv}") { body in
                body.string("no such step")
                body.items([("n", .byte(1))])
            }
        case 3: call(peer, "/elsewhere", BusNames.Interface.presentable, "Dismiss")
        default:
            call(peer, path, BusNames.Interface.stepper, "EmitStepWithOptions", "sa{sv}a{sv}") { body in
                body.string(stepName)
                body.items([])
                body.items([("nonsense", .bool(true))])
            }
        }
    }

    // MARK: Answers

    /// flowbusd asks a program.
    func takeQuestion(_ question: MessageReader, _ number: UInt32, _ peer: Peer) {
        let member = String(cString: question.member)
        if member == "Withdraw" { return leaveScreen(question, peer) }
        guard question.expectsReply else { return }
        asked = Int(String(cString: question.sender).dropFirst(3)) ?? 0
        guard asked == life else { return }
        var time = delay + self.number(0...20_000)
        if !isQuiet {
            switch below(40) {
            // It never answers, leaves, or answers late.
            case 0: return
            case 1: return schedule.add(.leave(peer), at: peer.nextToBus(sim_now + delay))
            case 2...3: time = self.number(0...70_000_000)
            case 4:
                // Another one answers in its place.
                if let other = program, other !== peer { reply(other, to: number, after: 0) }
            case 5:
                return reply(peer, to: number, after: time, "yy") { body in
                    body.byte(1)
                    body.byte(2)
                }
            case 6: return reply(peer, to: number, after: time, error: "org.flowbus.Navigation1.Error.Rejected")
            case 7: return reply(peer, to: number, after: time, error: "com.example.Error.No")
            default: break
            }
        }
        do {
            switch member {
            case "Adapt":
                _ = try question.readObjectPath()
                let step = String(cString: try question.readString())
                let adapted = chance(5) ? stepName : step
                reply(peer, to: number, after: time, "sa{sv}") { body in
                    body.string(adapted)
                    body.items([])
                }
            case "Navigate": reply(peer, to: number, after: time, "a(ssa{sv})") { contributors(&$0) }
            case "Present":
                let path = String(cString: try question.readObjectPath())
                if chance(2) {
                    return reply(peer, to: number, after: time, "a{sv}") { body in
                        body.items([
                            ("visible", .bool(!chance(4))), ("title", .string("t\(below(3))")),
                            ("tellSight", chance(8) ? .byte(1) : .bool(chance(2))),
                        ])
                    }
                }
                reply(peer, to: number, after: time)
                guard !chance(4) else { return }
                show(path, peer, after: time)
            default: reply(peer, to: number, after: time)
            }
        } catch {
            fail("a question can't be read: \(error)")
        }
    }

    /// The presenter shows the screen a moment after it answered.
    private func show(_ path: String, _ peer: Peer, after time: UInt64) {
        peer.latest += 1
        var body = Body()
        body.bool(true)
        let message = sim_message(
            1, 0, peer.latest, 0, peer.name, path, "\(BusNames.Interface.presentable)", "SetVisible", nil, "b",
            body.bytes,
            body.bytes.count)
        guard let message else { return }
        calls[CallKey(peer: peer.number, number: peer.latest)] = PendingCall(
            member: "SetVisible", kind: .any, sent: sim_now)
        schedule.add(.atBus(peer, message, life: nil), at: sim_now + time + 1)
    }

    private func contributors(_ body: inout Body) {
        body.array(8) { body in
            for _ in 0..<below(3) {
                body.align(8)
                switch below(4) {
                case 0...1:
                    body.string("screen")
                    body.string(["p0", "p1", "p2"][below(3)])
                case 2:
                    body.string("flow")
                    body.string(flowName)
                default:
                    body.string("parent")
                    body.string(stepName)
                }
                body.items([])
            }
        }
    }

    /// An owner that is told to leave saves what it has, or not.
    private func leaveScreen(_ call: MessageReader, _ peer: Peer) {
        guard let path = try? call.readObjectPath() else { return fail("Withdraw can't be read") }
        let text = String(cString: path)
        if chance(2) {
            self.call(peer, text, BusNames.Interface.presentable, "SaveState", "a{sv}") { $0.items([("n", .int64(1))]) }
        }
        if !chance(4) { self.call(peer, text, BusNames.Interface.presentable, "Release") }
    }
}
