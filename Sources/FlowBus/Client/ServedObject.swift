internal import FlowWire
internal import SdBus

/// An object of this program that the service calls, on this connection and all that follow it.
///
/// Calls of others are refused: what they would have it do is the service's to decide.
@MainActor
final class ServedObject: LinkListener {
    let path: String
    private let link: BusLink
    private let interfaces: [ServedInterface]
    private let take: (_ member: String, MessageReader, PendingReply) -> Void
    private var receiver: MessageReceiver?
    private var number: UInt64 = 0
    private var isEnded = false

    /// Serves it.
    ///
    /// - Parameter take: gets each call, in order, and answers it, now or later.
    /// - Throws: ``NavigationError``: that path is no path, or another object of this program.
    init(
        _ link: BusLink, _ path: String, _ interfaces: [ServedInterface],
        _ take: @escaping (_ member: String, MessageReader, PendingReply) -> Void
    ) throws(NavigationError) {
        self.link = link
        self.path = path
        self.interfaces = interfaces
        self.take = take
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

    /// Serves it no longer. Calls that are held get no answer.
    func end() {
        isEnded = true
        receiver = nil
        link.remove(number)
    }

    private func serve() throws(SdError) {
        guard let bus = link.bus else { return }
        receiver = try bus.serve(path: path, interfaces) { [unowned self] call in
            let kept = RetainedMessage(call)
            link.mainLoop.enqueue { [weak self] in self?.receive(kept.message) }
        }
    }

    private func receive(_ call: MessageReader) {
        guard !isEnded else { return }
        let sender = String(cString: call.sender)
        guard sender == link.owner else {
            let name = "\(BusNames.StandardError.accessDenied)"
            let text = "only the service, '\(BusNames.service)', may call this object"
            // Who can't be told does not wait.
            try? OutgoingMessage(errorTo: call, name: name, text: text).send()
            return link.mainLoop.wake()
        }
        guard let held = try? PendingCall(call) else { return }
        take(String(cString: call.member), call, PendingReply(link, held, to: sender))
    }

    func linkConnected() {
        receiver = nil
        // It was possible before; where it no longer is, the service is told that there is no such object.
        try? serve()
    }

    func linkLost() { receiver = nil }

    func linkClosed() { end() }
}

/// The answer to a call that is still to be given. The first counts; none comes to a service that is gone.
@MainActor
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

    // Its message is let go on the main actor, as all that belongs to a connection.
    isolated deinit { call = nil }

    /// Whether somebody may still wait for it.
    var isWanted: Bool {
        guard let link, let bus, call != nil else { return false }
        return link.bus === bus && link.owner == caller
    }

    /// Answers.
    func send(_ write: (MessageWriter) throws(SdError) -> Void = { _ in }) {
        answer { call throws(SdError) in
            let message = try OutgoingMessage(replyTo: call)
            try write(message.body)
            try message.send()
        }
    }

    /// Answers with an error.
    func fail(_ name: String, _ text: String) {
        answer { call throws(SdError) in
            // A NUL would end the text; what follows is of no use to anybody.
            try OutgoingMessage(errorTo: call, name: name, text: text).send()
        }
    }

    /// Answers what has no better name.
    func fail(_ text: String) { fail("\(BusNames.StandardError.failed)", text) }

    /// Answers a call of a method that the object does not have.
    func failUnknown(_ member: String) {
        fail("\(BusNames.StandardError.unknownMethod)", "there is no method '\(member)' here")
    }

    /// Answers a call that can't be read.
    func failUnread(_ what: String, _ error: SdError) {
        fail("\(BusNames.StandardError.invalidArgs)", "\(what) can't be read: \(error)")
    }

    private func answer(_ body: (MessageReader) throws(SdError) -> Void) {
        defer { call = nil }
        guard isWanted, let call else { return }
        do throws(SdError) {
            try body(call.call)
        } catch {
            // What can't be written must not leave the service waiting.
            try? OutgoingMessage(
                errorTo: call.call, name: "\(BusNames.StandardError.failed)",
                text: "the answer can't be sent: \(error)"
            ).send()
        }
        link?.mainLoop.wake()
    }
}

/// What this program implements for the service; the XML of the contract has the same.
@MainActor
enum ServedInterfaces {
    private typealias Argument = InterfaceDescription.Argument

    private static let question = [
        Argument("flow", "o"), Argument("step", "s"), Argument("arguments", "a{sv}"), Argument("details", "a{sv}"),
    ]

    static let `guard` = ServedInterface(
        InterfaceDescription(
            BusNames.Interface.guard,
            methods: [
                .init(
                    served: "Adapt", in: question,
                    out: [Argument("adaptedStep", "s"), Argument("adaptedArguments", "a{sv}")])
            ]))

    static let navigator = ServedInterface(
        InterfaceDescription(
            BusNames.Interface.navigator,
            methods: [.init(served: "Navigate", in: question, out: [Argument("contributors", "a(ssa{sv})")])]))

    static let presenter = ServedInterface(
        InterfaceDescription(
            BusNames.Interface.presenter,
            methods: [
                .init(
                    served: "Present",
                    in: [
                        Argument("presentable", "o"), Argument("name", "s"), Argument("arguments", "a{sv}"),
                        Argument("options", "a{sv}"),
                    ]),
                .init(
                    served: "Withdraw",
                    in: [Argument("presentable", "o"), Argument("instance", "t"), Argument("reason", "s")],
                    withoutReply: true),
            ]))
}
