import FlowWire
import SdBus

/// Asks the owner of the bus name to hand it over (D-9), on a connection of its own, so that messages of clients wait in the
/// daemon's.
final class Takeover {
    /// The result.
    enum TakeoverResult {
        /// The owner has closed its files, and the bus has passed the name on.
        case handedOver
        /// The owner is gone; the name may be handed over or not.
        case ownerGone
        /// The owner, or the bus in its place, refuses.
        case refused(name: String, text: String)
        /// The owner did not answer in time.
        case unanswered
        /// A signal ended the process.
        case terminated
    }

    private let bus: Bus
    private let waiting: BlockingWait
    private var answer: TakeoverResult = .ownerGone
    /// Whether to give up when the time is over, rather than to wait for the answer or the end of the owner.
    var isOver: () -> Bool = { true }

    init(_ bus: Bus) throws(SdError) {
        self.bus = bus
        waiting = try BlockingWait()
    }

    /// Asks, and waits for the answer.
    ///
    /// - Parameters:
    ///   - owner: the unique name of the owner.
    ///   - successor: the unique name of the connection that waits for it.
    ///   - time: how long to wait at the most, in µs.
    func ask(_ owner: String, for successor: String, atMost time: UInt64) throws(SdError) -> TakeoverResult {
        let call = try OutgoingMessage(
            call: bus, destination: owner, path: BusNames.root.cString,
            interface: BusNames.Interface.coordinator.cString, member: "HandOver")
        try call.setAutoStart(false)
        try call.body.append(successor)
        // sd-bus would accept an answer from anybody, and has one error for a timeout and for an owner that is gone.
        let cookie = try call.sendCall()
        let filter = try bus.filter { [unowned self] message in
            guard message.answeredCall == cookie, Self.mayAnswer(message, owner) else { return }
            answer = Self.outcome(of: message)
            waiting.end()
        }
        try bus.onDisconnect { [unowned self] in waiting.end() }
        waiting.isOver = isOver
        try bus.attach(to: waiting.loop)
        let outcome = try waiting.wait(atMost: time)
        return withExtendedLifetime(filter) {
            switch outcome {
            case .ended: answer
            case .over: .unanswered
            case .terminated: .terminated
            }
        }
    }

    /// Whether it is from the owner, or an error from the bus in its place.
    private static func mayAnswer(_ answer: MessageReader, _ owner: String) -> Bool {
        let sender = String(cString: answer.sender)
        return sender == owner || (answer.errorName != nil && sender == "\(BusNames.bus)")
    }

    private static func outcome(of answer: MessageReader) -> TakeoverResult {
        guard let error = answer.errorName.map({ String(cString: $0) }) else { return .handedOver }
        let ofOneGone = [
            BusNames.BusError.noReply, BusNames.BusError.serviceUnknown,
            BusNames.BusError.nameHasNoOwner,
        ]
        if ofOneGone.contains(where: { "\($0)" == error }) { return .ownerGone }
        return .refused(name: error, text: answer.errorMessage.map { String(cString: $0) } ?? error)
    }
}
