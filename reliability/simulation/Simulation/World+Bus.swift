import CSdBus
import FlowCore
import FlowWire
import SdBus

@testable import Worlds
@testable import flowbusd

// The bus: connections, names, and where messages go.

extension World {
    func add(_ peer: Peer) {
        peers.append(peer)
        peersByName[peer.name] = peer
    }

    /// Another program comes.
    func join() {
        lastPeer += 1
        let peer = Peer(number: lastPeer)
        add(peer)
        schedule.add(.act(peer), at: sim_now + number(0...profile.pause))
    }

    /// A program is gone, and another one comes in its place.
    func replace(_ peer: Peer) {
        guard !peer.isGone, peer !== watcher else { return }
        peer.isGone = true
        goneSince[peer.name] = sim_now
        peers.removeAll { $0 === peer }
        peersByName[peer.name] = nil
        for name in owners.keys.sorted() where owners[name] === peer { own(name, nil) }
        signalOwner(of: peer.name, from: peer.name, to: "")
        // The bus answers for it.
        for number in peer.questions.sorted() { answer(number, from: nil, error: "org.freedesktop.DBus.Error.NoReply") }
        peer.questions = []
        for key in calls.keys where key.peer == peer.number { calls[key] = nil }
        join()
    }

    func own(_ name: String, _ peer: Peer?) {
        let before = owners[name]
        guard before !== peer else { return }
        owners[name] = peer
        isAsBefore = false
        signalOwner(of: name, from: before?.name ?? "", to: peer?.name ?? "")
    }

    private func signalOwner(of name: String, from before: String, to after: String) {
        guard daemon != nil else { return }
        var body = Body()
        for text in [name, before, after] { body.string(text) }
        hand(
            sim_message(
                4, 1, 0, 0, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
                nil, "sss",
                body.bytes, body.bytes.count))
    }

    /// Hands a message of the bus itself to flowbusd.
    private func hand(_ message: OpaquePointer?) {
        guard let message else { return }
        counts.messages += 1
        sim_deliver(message)
        sd_bus_message_unref(message)
    }

    /// The owner of a name, for flowbusd; its own is asked for by the empty name.
    func uniqueName(of name: String) -> String? {
        if name.isEmpty { return ":0.\(life)" }
        if name.hasPrefix(":") { return peersByName[name]?.name }
        return owners[name]?.name
    }

    // MARK: From programs

    /// A message of a program has reached the bus. Takes over the reference.
    func arrived(_ message: OpaquePointer, from peer: Peer, life wanted: Int?) {
        if let wanted, wanted != life || daemon == nil { return release(message) }
        if peer.isGone { return release(message) }
        guard daemon != nil else {
            held.append((peer, message))
            return
        }
        if wanted != nil { peer.questions.remove(sim_message_answered(message)) }
        deliver(message, from: peer)
    }

    private func release(_ message: OpaquePointer) { sd_bus_message_unref(message) }

    /// Puts a message into the connection of flowbusd. Takes over the reference.
    func deliver(_ message: OpaquePointer, from peer: Peer) {
        counts.messages += 1
        if sim_message_type(message) == 1 {
            let key = CallKey(peer: peer.number, number: sim_message_number(message))
            calls[key]?.life = life
            calls[key]?.delivered = sim_now - busyTime
        }
        sim_deliver(message)
        release(message)
    }

    /// The time that a message takes.
    var delay: UInt64 { profile.latency == 0 ? 0 : number(0...profile.latency) }

    /// A program calls flowbusd.
    func call(
        _ peer: Peer, _ path: String, _ interface: StaticString, _ member: String, _ signature: String = "",
        _ kind: PendingCall.Kind = .any, flags: UInt8 = 0, _ body: (inout Body) -> Void = { _ in }
    ) {
        var content = Body()
        body(&content)
        peer.latest += 1
        let message = sim_message(
            1, flags, peer.latest, 0, peer.name, path, "\(interface)", member, nil, signature, content.bytes,
            content.bytes.count)
        guard let message else { return }
        if flags & 1 == 0 {
            calls[CallKey(peer: peer.number, number: peer.latest)] = PendingCall(
                member: member, kind: kind, sent: sim_now)
        }
        schedule.add(.atBus(peer, message, life: nil), at: peer.nextToBus(sim_now + delay))
    }

    /// A program answers flowbusd after a while.
    func reply(
        _ peer: Peer, to number: UInt32, after time: UInt64, error: String? = nil, _ signature: String = "",
        _ body: (inout Body) -> Void = { _ in }
    ) {
        var content = Body()
        body(&content)
        if error != nil { content.string("for the sake of it") }
        peer.latest += 1
        let message = sim_message(
            error == nil ? 2 : 3, 1, peer.latest, number, peer.name, nil, nil, nil, error,
            error == nil ? signature : "s",
            content.bytes, content.bytes.count)
        // Answers of a program need not be in the order of the calls, so they don't wait for what it does later.
        if let message { schedule.add(.atBus(peer, message, life: life), at: sim_now + time) }
    }

    /// The bus answers flowbusd at once.
    private func answer(
        _ number: UInt32, from sender: Peer?, error: String? = nil, _ signature: String = "",
        _ body: (inout Body) -> Void = { _ in }
    ) {
        guard daemon != nil else { return }
        var content = Body()
        body(&content)
        hand(
            sim_message(
                error == nil ? 2 : 3, 1, 0, number, sender?.name ?? "org.freedesktop.DBus", nil, nil, nil, error,
                error == nil ? signature : "", content.bytes, content.bytes.count))
    }

    // MARK: From flowbusd

    /// Bytes that flowbusd writes. Returns how many the socket takes.
    func written(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
        var taken = count
        if profile.fillsSocket, chance(60) { taken = below(count + 1) }
        if taken == 0 { return 0 }
        if partial.isEmpty {
            let rest = takeMessages(bytes, taken)
            if rest < taken { partial = Array(UnsafeBufferPointer(start: bytes + rest, count: taken - rest)) }
        } else {
            partial += UnsafeBufferPointer(start: bytes, count: taken)
            let all = partial
            let rest = all.withUnsafeBufferPointer { all in all.baseAddress.map { takeMessages($0, all.count) } ?? 0 }
            partial.removeFirst(rest)
        }
        return taken
    }

    /// Takes all whole messages. Returns how many bytes they have.
    private func takeMessages(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
        var place = 0
        while true {
            let size = sim_message_size(bytes + place, count - place)
            if size == 0 || place + size > count { return place }
            guard let message = sim_parse(bytes + place, size, ":0.\(life)") else {
                fail("flowbusd wrote what is no message")
                return count
            }
            counts.messages += 1
            route(message)
            place += size
        }
    }

    /// Takes over the reference.
    private func route(_ message: OpaquePointer) {
        let destination = sim_message_destination(message).map { String(cString: $0) }
        switch sim_message_type(message) {
        case 1: return routeCall(message, to: destination ?? "")
        case 4:
            if destination == nil { watchSent(MessageReader(message)) }
            let receiver = destination.map { peersByName[$0] } ?? watcher
            guard let receiver else { return release(message) }
            schedule.add(.toPeer(receiver, message), at: receiver.nextFromBus(sim_now + delay))
        default:
            guard let destination, let peer = peersByName[destination] else { return release(message) }
            let key = CallKey(peer: peer.number, number: sim_message_answered(message))
            guard let call = calls.removeValue(forKey: key), call.life == life else {
                fail(
                    "\(destination) got an answer to its call \(key.number), which has one already, or wants none (S-9)"
                )
                return release(message)
            }
            counts.answers += 1
            checkDelay(of: call, by: peer)
            schedule.add(.answer(peer, message, call), at: peer.nextFromBus(sim_now + delay))
        }
    }

    private func routeCall(_ message: OpaquePointer, to destination: String) {
        let number = sim_message_number(message)
        let call = MessageReader(message)
        if destination == "org.freedesktop.DBus" {
            serve(call, number)
            return release(message)
        }
        guard let peer = peersByName[destination] ?? owners[destination] else {
            if call.expectsReply { answer(number, from: nil, error: "org.freedesktop.DBus.Error.ServiceUnknown") }
            return release(message)
        }
        if call.expectsReply { peer.questions.insert(number) }
        presenters.insert(peer.name)
        schedule.add(.toPeer(peer, message), at: peer.nextFromBus(sim_now + delay))
    }

    /// Methods of the bus.
    private func serve(_ call: MessageReader, _ number: UInt32) {
        switch String(cString: call.member) {
        case "GetConnectionUnixUser":
            let name = (try? call.readString()).map { String(cString: $0) } ?? ""
            guard let peer = peersByName[name] else {
                return answer(number, from: nil, error: "org.freedesktop.DBus.Error.NameHasNoOwner")
            }
            answer(number, from: nil, "u") { $0.uint32(peer.number % 3 == 0 ? 1_001 : 0) }
        case "GetId": answer(number, from: nil, "s") { $0.string("00") }
        case "StartServiceByName": answer(number, from: nil, "u") { $0.uint32(1) }
        default: answer(number, from: nil, error: "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }

    /// A call that nothing in flowbusd serves: sd-bus answers it.
    func unserved(_ message: OpaquePointer) {
        guard let sender = sd_bus_message_get_sender(message).map({ String(cString: $0) }),
            let peer = peersByName[sender]
        else { return }
        let key = CallKey(peer: peer.number, number: sim_message_number(message))
        guard MessageReader(message).expectsReply else { return }
        guard calls.removeValue(forKey: key) != nil else {
            return fail("a call of \(sender) is answered, and left to sd-bus, too")
        }
    }
}
