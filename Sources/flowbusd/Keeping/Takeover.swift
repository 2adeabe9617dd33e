import FlowWire
import SdBus

/// Asks the flowbusd that owns the bus name to hand it over (D-9), by a connection of its own: what clients send meanwhile
/// waits in the daemon's.
final class Takeover {
    /// What became of it.
    enum Outcome {
        /// The owner has closed its files, and the bus has passed the name on.
        case handedOver
        /// The owner is gone, before or after it did.
        case ownerGone
        /// The owner, or the bus in its place, says no.
        case refused(name: String, text: String)
        /// The owner did not answer in time.
        case unanswered
        /// The process was told to end.
        case terminated
    }

    private let bus: Bus
    private let waiting: Waiting
    private var answer: Outcome = .ownerGone

    init(_ bus: Bus) throws(SdError) {
        self.bus = bus
        waiting = try Waiting()
    }

    /// Asks, and waits for the answer.
    ///
    /// - Parameters:
    ///   - owner: the unique name of the one that owns the name.
    ///   - successor: the unique name of the connection that waits for it.
    ///   - time: how long to wait at the most, in µs.
    func ask(_ owner: String, for successor: String, atMost time: UInt64) throws(SdError) -> Outcome {
        let call = try OutgoingMessage(
            call: bus, destination: owner, path: BusNames.root.cString,
            interface: BusNames.Interface.coordinator.cString, member: "HandOver")
        try call.setAutoStart(false)
        try call.body.append(successor)
        // The clock of `waiting` tells silence from an owner that is gone; sd-bus has one error for both.
        let receiver = try call.call(timeout: .max) { [unowned self] in take($0) }
        try bus.attach(to: waiting.loop)
        let outcome = try waiting.wait(atMost: time)
        return withExtendedLifetime(receiver) {
            switch outcome {
            case .ended: answer
            case .over: .unanswered
            case .terminated: .terminated
            }
        }
    }

    private func take(_ message: MessageReader) {
        answer = Self.outcome(of: message)
        waiting.end()
    }

    private static func outcome(of answer: MessageReader) -> Outcome {
        guard let error = answer.errorName.map({ String(cString: $0) }) else { return .handedOver }
        let ofOneGone = [
            BusNames.StandardError.noReply, BusNames.StandardError.serviceUnknown,
            BusNames.StandardError.nameHasNoOwner,
        ]
        if ofOneGone.contains(where: { "\($0)" == error }) { return .ownerGone }
        return .refused(name: error, text: answer.errorMessage.map { String(cString: $0) } ?? error)
    }
}
