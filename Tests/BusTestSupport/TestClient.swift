import CSdBus
import Glibc
public import SdBus

/// A client with a connection of its own, which logs everything it receives in the order of the wire: signals, calls,
/// and replies.
///
/// It reads only while it waits for something, or while a client that it is coupled with does (``turn(_:)``). Other
/// messages that arrive then are in ``log``, too, and incoming calls go to the methods that it serves, or to
/// ``onCall``.
public final class TestClient {
    /// The answer to a call to the client.
    public enum Answer {
        /// A reply with values.
        case values([BusValue])
        /// An error reply.
        case error(BusError)
        /// No answer yet; ``TestClient/reply(to:_:)`` sends it later.
        case later
    }

    /// The client's unique name.
    public var uniqueName: String { bus.uniqueName }

    /// Everything received since it connected, oldest first.
    public private(set) var log: [ReceivedMessage] = []

    /// Answers calls to the client, in order. Without it they are only logged.
    public var onCall: ((ReceivedMessage) -> Answer)?
    /// The methods that it serves.
    private var methods: [Method: (ReceivedMessage) -> Answer] = [:]

    let bus: Bus
    /// The bus lives as long as its clients.
    private var daemon: PrivateBus?
    private var loops: [EventLoop] = []
    private var peers: [TestClient] = []
    private weak var leader: TestClient?
    private var readSignals = 0
    private var readCalls = 0

    /// Connects to a bus.
    public init(_ address: String) throws {
        bus = try Bus(.address(address))
        // The bus sends every new client its name, which is part of connecting.
        try ping()
        clearLog()
    }

    /// Connects to a private bus.
    public convenience init(_ bus: PrivateBus) throws {
        try self.init(bus.address)
        daemon = bus
    }

    /// Runs a loop of this thread while the client waits, so that a test can be service and client.
    public func turn(_ loop: EventLoop) { loops.append(loop) }

    /// Lets another client receive and answer while this one waits, and vice versa, so that a test can be several
    /// processes. They live as long as this one.
    public func turn(_ peer: TestClient) {
        peers.append(peer)
        peer.leader = self
    }

    /// The clients that receive while this one waits.
    private var others: [TestClient] {
        ([leader].compactMap(\.self) + (leader ?? self).peers).filter { $0 !== self && $0.bus.isOpen }
    }

    // MARK: Calling

    /// Calls a method and waits for the reply.
    ///
    /// - Returns: the values of the reply.
    /// - Throws: ``BusError`` for an error reply, ``TestFailure`` if there is no reply in time.
    @discardableResult
    public func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: BusValue...
    ) throws -> [BusValue] {
        try answer(to: start(destination, path, interface, member, arguments))
    }

    /// Sends a call without waiting for its reply, optionally with interactive authorization.
    public func start(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        isInteractive: Bool = false
    ) throws -> AwaitedReply {
        let message = try OutgoingMessage(
            call: bus, destination: destination, path: path, interface: interface, member: member)
        if isInteractive { try message.setAllowsInteractiveAuthorization(true) }
        for argument in arguments { try argument.write(to: message.body) }
        var cookie: UInt64 = 0
        try check("sd_bus_send", sd_bus_send(nil, message.handle, &cookie))
        return AwaitedReply(cookie: cookie)
    }

    /// Sends a call without a reply.
    public func post(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: BusValue...
    ) throws {
        let message = try OutgoingMessage(
            call: bus, destination: destination, path: path, interface: interface, member: member)
        try message.setExpectsNoReply()
        for argument in arguments { try argument.write(to: message.body) }
        try message.send()
    }

    /// Sends a signal to everyone.
    public func signal(_ path: String, _ interface: StaticString, _ member: StaticString, _ arguments: BusValue...)
        throws
    {
        let message = try OutgoingMessage(signal: bus, path: path, interface: interface, member: member)
        for argument in arguments { try argument.write(to: message.body) }
        try message.send()
    }

    /// Sends a signal to one client only.
    public func signal(
        to receiver: String, _ path: String, _ interface: StaticString, _ member: StaticString, _ arguments: BusValue...
    ) throws {
        let message = try OutgoingMessage(signal: bus, path: path, interface: interface, member: member)
        try message.setDestination(receiver)
        for argument in arguments { try argument.write(to: message.body) }
        try message.send()
    }

    /// Waits for the answer to a call.
    @discardableResult
    public func answer(to call: AwaitedReply, within bound: Duration = failureBound) throws -> [BusValue] {
        var start = 0
        let message = try wait(within: bound, for: "the answer to call \(call.cookie)", from: &start) {
            $0.replyTo == call
        }
        if case .error(let error) = message.kind { throw error }
        return message.values
    }

    /// Reads a property.
    public func property(_ destination: String, _ path: String, _ interface: String, _ name: String) throws -> BusValue
    {
        let answer = try call(
            destination, path, "org.freedesktop.DBus.Properties", "Get", .string(interface), .string(name))
        guard case .variant(let value)? = answer.first else { throw TestFailure("Get answers \(answer)") }
        return value
    }

    // MARK: Receiving

    /// Adds a match rule, and waits until the bus has confirmed it.
    public func addMatch(_ rule: String) throws {
        try call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", .string(rule))
    }

    /// Waits for the next signal that matches. The search begins after the last one that was waited for.
    @discardableResult
    public func waitForSignal(
        _ member: String? = nil, within bound: Duration = failureBound,
        where matches: (ReceivedMessage) -> Bool = { _ in true }
    ) throws -> ReceivedMessage {
        try wait(within: bound, for: "signal \(member ?? "")", from: &readSignals) {
            $0.kind == .signal && (member == nil || $0.member == member) && matches($0)
        }
    }

    /// Waits for the next call to this client that matches. The search begins after the last one that was waited for.
    @discardableResult
    public func waitForCall(
        _ member: String? = nil, within bound: Duration = failureBound,
        where matches: (ReceivedMessage) -> Bool = { _ in true }
    ) throws -> ReceivedMessage {
        try wait(within: bound, for: "call \(member ?? "")", from: &readCalls) {
            $0.kind == .call && (member == nil || $0.member == member) && matches($0)
        }
    }

    /// The signals received so far.
    public var signals: [ReceivedMessage] { log.filter { $0.kind == .signal } }

    /// Clears the log.
    public func clearLog() {
        log = []
        readSignals = 0
        readCalls = 0
    }

    /// Waits for a reply of the peer: everything it sent to this client before is in ``log`` then. Messages of other
    /// clients have no order relative to it.
    public func ping(_ destination: String = "org.freedesktop.DBus") throws {
        try call(destination, "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping")
    }

    // MARK: Answering and serving

    /// Answers a call with values.
    public func reply(to call: ReceivedMessage, _ values: [BusValue] = []) throws {
        let message = try OutgoingMessage(replyTo: MessageReader(call.handle))
        for value in values { try value.write(to: message.body) }
        try message.send()
    }

    /// Answers a call with an error.
    public func reply(to call: ReceivedMessage, _ error: BusError) throws {
        try MessageReader(call.handle).replyError(name: error.name, text: error.message)
    }

    /// Sends a reply to a call that another client received, if the caller gave it this number.
    public func forge(_ values: [BusValue], to caller: String, call cookie: UInt64) throws {
        // For sd-bus it is the reply to a received call.
        var made: OpaquePointer?
        try check(
            "sd_bus_message_new_method_call",
            sd_bus_message_new_method_call(bus.handle, &made, nil, "/", nil, "Forged"))
        defer { sd_bus_message_unref(made) }
        try check("sd_bus_message_set_sender", sd_bus_message_set_sender(made, caller))
        try check("sd_bus_message_seal", sd_bus_message_seal(made, cookie, 0))
        guard let made else { throw TestFailure("no message") }
        let message = try OutgoingMessage(replyTo: MessageReader(made))
        for value in values { try value.write(to: message.body) }
        try message.send()
    }

    /// Serves a method of an object. After the first one, all other calls get the error for an unknown method.
    public func serve(
        _ path: String, _ interface: String, _ member: String, _ answer: @escaping (ReceivedMessage) -> Answer
    ) {
        methods[Method(path: path, name: interface + "." + member)] = answer
    }

    /// Returns the answer to a call.
    private func served(_ call: ReceivedMessage) -> Answer {
        if let method = methods[Method(path: call.path, name: call.interface + "." + call.member)] {
            return method(call)
        }
        if let onCall { return onCall(call) }
        if methods.isEmpty { return .later }
        return methods.keys.contains { $0.path == call.path }
            ? .error(BusError("org.freedesktop.DBus.Error.UnknownMethod", "no method '\(call.member)'"))
            : .error(BusError("org.freedesktop.DBus.Error.UnknownObject", "no object '\(call.path)'"))
    }

    /// Becomes the owner of a name.
    public func requestName(_ name: String) throws {
        let flagDoNotQueue: UInt32 = 4
        let answer = try call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName", .string(name),
            .uint32(flagDoNotQueue))
        guard answer == [.uint32(1)] else { throw TestFailure("RequestName \(name) answers \(answer)") }
    }

    /// Closes the connection, as a client that crashes does.
    public func disconnect() { bus.close() }

    // MARK: Waiting

    /// Reads and serves until a condition holds.
    ///
    /// - Throws: ``TestFailure`` with everything received, if the time limit has passed.
    public func wait(within bound: Duration = failureBound, for what: String, until done: () throws -> Bool) throws {
        let deadline = Deadline(bound)
        while try !done() {
            var moved = try receive()
            for loop in loops where try loop.runOnce(timeout: 0) { moved = true }
            for other in others where try other.receive() { moved = true }
            guard !moved else { continue }
            guard !deadline.isOver else {
                let received = log.suffix(100).map { "  \($0)" }.joined(separator: "\n")
                throw TestFailure("\(uniqueName) waited in vain for \(what); it received\n\(received)")
            }
            waitForInput(try descriptors(), until: deadline)
        }
    }

    /// Reads and serves for a time, for tests that act at random moments.
    ///
    /// - Parameters:
    ///   - time: how long.
    ///   - turn: further actions, after each message and before each wait.
    public func run(for time: Duration, _ turn: () throws -> Void) throws {
        let deadline = Deadline(time)
        while !deadline.isOver {
            try turn()
            var moved = try receive()
            for other in others where try other.receive() { moved = true }
            if !moved { waitForInput(try descriptors(), until: deadline) }
        }
    }

    /// Returns the first message in the log that matches, from an index on; `start` moves behind it.
    private func wait(
        within bound: Duration, for what: String, from start: inout Int, where matches: (ReceivedMessage) -> Bool
    ) throws -> ReceivedMessage {
        var next = start
        var found: ReceivedMessage?
        try wait(within: bound, for: what) {
            while next < log.count && found == nil {
                if matches(log[next]) { found = log[next] }
                next += 1
            }
            return found != nil
        }
        guard let found else { throw TestFailure("no \(what)") }
        start = next
        return found
    }

    /// Receives at most one pending message.
    ///
    /// No reply has a callback and no signal a match in sd-bus, so that sd_bus_process(3) returns every message in the
    /// order of the wire.
    private func receive() throws -> Bool {
        var message: OpaquePointer?
        let result = try check("sd_bus_process", sd_bus_process(bus.handle, &message))
        guard let message else { return result > 0 }
        let received = try ReceivedMessage(taking: message)
        log.append(received)
        if received.kind == .call {
            switch served(received) {
            case .values(let values): try reply(to: received, values)
            case .error(let error): try reply(to: received, error)
            case .later: break
            }
        }
        return true
    }

    private func descriptors() throws -> [pollfd] {
        try [descriptor()] + others.map { try $0.descriptor() }
            + loops.map { pollfd(fd: sd_event_get_fd($0.handle), events: Int16(POLLIN), revents: 0) }
    }

    private func descriptor() throws -> pollfd {
        let events = try check("sd_bus_get_events", sd_bus_get_events(bus.handle))
        return pollfd(fd: sd_bus_get_fd(bus.handle), events: Int16(truncatingIfNeeded: events), revents: 0)
    }
}

/// A method that a client serves.
private struct Method: Hashable {
    let path: String
    let name: String
}
