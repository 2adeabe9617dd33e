import FlowCore
import FlowWire
import SdBus

/// A call of the service, without waiting for it. If the service ends before it answers, the call is made again when it is back:
/// all calls of a play can be repeated.
final class PlayedCall {
    /// An error as an answer.
    struct Refusal: Error {
        let name: String
        let text: String

        /// Whether the presentable that was called is gone.
        var isOfGoneObject: Bool { name == "\(BusNames.BusError.unknownObject)" }
    }

    typealias Outcome = Result<[Value], Refusal>

    let bus: Bus
    private unowned let play: Play
    private let path: String
    private let interface: StaticString
    private let member: String
    private let arguments: [Value]
    /// What follows; nil when the call is over.
    private var done: ((Outcome) -> Void)?
    private var receiver: MessageReceiver?

    init(
        _ play: Play, _ bus: Bus, _ path: String, _ interface: StaticString, _ member: String, _ arguments: [Value],
        done: @escaping (Outcome) -> Void
    ) {
        self.play = play
        self.bus = bus
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.done = done
    }

    /// Makes the call, which never starts the service.
    func send(_ generation: Int) {
        do throws(SdError) {
            let call = try OutgoingMessage(
                call: bus, destination: BusNames.service.cString, path: path, interface: interface.cString,
                member: member)
            try call.setAutoStart(false)
            for argument in arguments { try call.body.append(argument) }
            receiver = try call.call { [weak self] answer in self?.take(answer, generation) }
        } catch {
            // The end of the bus is reported by itself.
            end(.failure(Refusal(name: "\(BusNames.BusError.failed)", text: "could not send the call: \(error)")))
        }
    }

    /// Ends the call; its answer is ignored.
    func cancel() {
        done = nil
        receiver = nil
    }

    private func take(_ answer: MessageReader, _ generation: Int) {
        guard done != nil else { return }
        guard let error = answer.errorName.map({ String(cString: $0) }) else {
            return end(.success((try? answer.readValues()) ?? []))
        }
        if Self.areLost.contains(error) {
            play.whenServiceReturns(since: generation) { [weak self] in
                guard let self, done != nil else { return }
                send(play.currentGeneration)
            }
            return
        }
        end(.failure(Refusal(name: error, text: answer.errorMessage.map { String(cString: $0) } ?? "")))
    }

    /// The errors of a call that the service did not get, or did not answer before it ended.
    private static let areLost: Set<String> = [
        "\(BusNames.BusError.noReply)", "\(BusNames.BusError.serviceUnknown)", "\(BusNames.BusError.nameHasNoOwner)",
    ]

    private func end(_ outcome: Outcome) {
        let done = done
        cancel()
        done?(outcome)
    }
}
