internal import FlowBus
internal import FlowWire
internal import SdBus

/// An object of this program that the service calls, on this connection and on those that replace it.
///
/// Calls of other clients are refused: only the service decides on navigation.
@FlowActor
final class ServedObject: LinkListener {
    let path: String
    private let link: BusLink
    private let interfaces: [ServedInterface]
    private let handler: (_ member: String, MessageReader, PendingReply) -> Void
    private var receiver: MessageReceiver?
    private var number: UInt64 = 0
    private var isEnded = false

    /// Begins to serve the object.
    ///
    /// - Parameters:
    ///   - link: the connection.
    ///   - path: the object path.
    ///   - interfaces: the interfaces of the object.
    ///   - handler: receives each call in order, and answers it immediately or later.
    /// - Throws: ``NavigationError`` if the path is invalid, or is that of another object of this program.
    init(
        _ link: BusLink, _ path: String, _ interfaces: [ServedInterface],
        _ handler: @escaping (_ member: String, MessageReader, PendingReply) -> Void
    ) throws(NavigationError) {
        self.link = link
        self.path = path
        self.interfaces = interfaces
        self.handler = handler
        do throws(SdError) {
            try serve()
        } catch {
            guard error.isTaken else { throw NavigationError(error, path: path) }
            throw NavigationError(
                .alreadyRegistered, "this connection serves '\(path)' already; end that first, or give another path")
        }
        number = link.add(self)
    }

    isolated deinit { end() }

    /// Stops serving the object. Pending calls get no answer.
    func end() {
        isEnded = true
        receiver = nil
        link.remove(number)
    }

    private func serve() throws(SdError) {
        guard let bus = link.bus else { return }
        receiver = try bus.serve(path: path, interfaces) { [unowned self] call in
            let retained = RetainedMessage(call)
            link.mainLoop.enqueue { [weak self] in self?.receive(retained.message) }
        }
    }

    private func receive(_ call: MessageReader) {
        guard !isEnded else { return }
        let sender = String(cString: call.sender)
        guard sender == link.owner else {
            let name = "\(BusNames.BusError.accessDenied)"
            let text = "only the service, '\(BusNames.service)', may call this object"
            // If this fails, the caller has no connection to wait on.
            try? OutgoingMessage(errorTo: call, name: name, text: text).send()
            return link.mainLoop.wake()
        }
        guard let pending = try? PendingCall(call) else { return }
        handler(String(cString: call.member), call, PendingReply(link, pending, to: sender))
    }

    func linkConnected() {
        receiver = nil
        // It worked before. If it fails now, the service gets an error for an unknown object.
        try? serve()
    }

    func linkLost() { receiver = nil }

    func linkClosed() { end() }
}

/// A reply that is still to be sent. Only the first answer counts, and none is sent to a service that is gone.
@FlowActor
final class PendingReply {
    private weak var link: BusLink?
    private let bus: Bus?
    private var call: PendingCall?
    private let caller: String

    fileprivate init(_ link: BusLink, _ call: PendingCall, to caller: String) {
        self.link = link
        self.call = call
        self.caller = caller
        bus = link.bus
    }

    // The message belongs to the connection, and is released on the main actor.
    isolated deinit { call = nil }

    /// Whether the caller can still be waiting.
    var isWanted: Bool {
        guard let link, let bus, call != nil else { return false }
        return link.bus === bus && link.owner == caller
    }

    /// Sends the reply.
    func send(_ write: (MessageWriter) throws(SdError) -> Void = { _ in }) {
        answer { call throws(SdError) in
            let message = try OutgoingMessage(replyTo: call)
            try write(message.body)
            try message.send()
        }
    }

    /// Sends an error.
    func fail(_ name: String, _ text: String) {
        answer { call throws(SdError) in
            // A NUL would end the text; the rest is dropped.
            try OutgoingMessage(errorTo: call, name: name, text: text).send()
        }
    }

    /// Sends an error without a specific name.
    func fail(_ text: String) { fail("\(BusNames.BusError.failed)", text) }

    /// Sends the error for an unknown method.
    func failUnknown(_ member: String) {
        fail("\(BusNames.BusError.unknownMethod)", "there is no method '\(member)' here")
    }

    /// Sends the error for a call that can't be read.
    func failUnread(_ what: String, _ error: SdError) {
        fail("\(BusNames.BusError.invalidArgs)", "\(what) can't be read: \(error)")
    }

    private func answer(_ body: (MessageReader) throws(SdError) -> Void) {
        defer { call = nil }
        guard isWanted, let call else { return }
        do throws(SdError) {
            try body(call.call)
        } catch {
            // An answer that can't be encoded must not leave the service waiting.
            try? OutgoingMessage(
                errorTo: call.call, name: "\(BusNames.BusError.failed)",
                text: "the answer can't be sent: \(error)"
            ).send()
        }
        link?.mainLoop.wake()
    }
}

/// The interfaces that this program implements for the service. Their tables are made once.
@FlowActor
enum ServedInterfaces {
    static let `guard` = ServedInterface(.guard)
    static let navigator = ServedInterface(.navigator)
    static let presenter = ServedInterface(.presenter)
}
