import FlowCore
import FlowWire
import Logging
import SdBus

/// The handover of the bus name to another flowbusd (D-9).
///
/// The new one queues for the name at the bus, and calls HandOver of the owner. The owner gives up the name, handles the
/// calls that had come by then, closes its files, answers, and ends. Later calls go to the new one, which opens the files
/// when it gets the answer.
final class NameHandover {
    /// The unique name of the connection that waits for the name.
    let successor: String
    /// Whether the name is being given up, so that its loss is expected.
    private(set) var isReleasing = false
    private unowned let daemon: Daemon
    /// The call of the successor, which is answered when the files are closed.
    private let caller: Caller
    /// A call to the bus.
    private var question: AwaitedAnswer?
    /// Whether the bus was asked again, because an event was handled in slices when it answered.
    private var wasAskedAgain = false
    /// Whether the name is given up.
    private var isReleased = false

    /// A handover that begins when no event is handled in slices: those may take longer than the successor waits, which
    /// must not have the name by then.
    init(_ daemon: Daemon, to successor: String, call: MessageReader) {
        self.daemon = daemon
        self.successor = successor
        caller = Caller(call)
    }

    /// Begins. A successor that has left the queue must not leave the name without an owner.
    func askForQueue() {
        do {
            question = try ask("ListQueuedOwners") { [unowned self] in takeQueue($0) }
        } catch {
            refuse("the bus can't be asked for the queue of the name: \(error)")
        }
    }

    private func takeQueue(_ answer: MessageReader) {
        let bus = daemon.bus
        do {
            guard answer.isFromBus else { return refuse("another process answered in place of the bus") }
            // Another event in slices came in between. Only once, as there may be no end of them.
            if daemon.pendingWork.hasMore, !wasAskedAgain {
                wasAskedAgain = true
                return daemon.whenFree { [weak self] in self?.askForQueue() }
            }
            let queue = try answer.readStrings()
            guard queue.first == bus.uniqueName, queue.dropFirst().first == successor else {
                return refuse(reason(against: successor, queue))
            }
            // Pending effects are sent while this connection still has the name.
            daemon.commit()
            isReleasing = true
            question = try ask("ReleaseName") { [unowned self] in takeRelease($0) }
        } catch {
            refuse("the bus does not report the queue of the name: \(error)")
        }
    }

    private func reason(against successor: String, _ queue: [String]) -> String {
        guard queue.contains(successor), queue.count > 1 else {
            return
                "'\(Names.escaped(successor))' does not wait for the name \(BusNames.service); it has to be the unique "
                + "name of a connection that has requested it, and is queued"
        }
        let first = daemon.bus.owner(of: queue[1])?.description ?? "'\(queue[1])'"
        return "'\(successor)' is not the next that waits for the name \(BusNames.service): \(first) is"
    }

    /// All calls to the name came before this answer, and are handled or postponed.
    private func takeRelease(_ answer: MessageReader) {
        guard answer.isFromBus else { return refuse("not the bus answered that the name is given up") }
        if let error = answer.errorMessage ?? answer.errorName {
            return refuse("the bus does not let the name be given up: \(String(cString: error))")
        }
        isReleased = true
        let owner = daemon.bus.owner(of: successor)?.description ?? "'\(successor)'"
        daemon.logger.notice("The name \(BusNames.service) was taken over by \(owner)")
        daemon.whenFree { [unowned daemon] in daemon.stop(.success) }
    }

    /// Ends the handover; this flowbusd goes on.
    private func refuse(_ why: String) {
        daemon.commit()
        daemon.beginNextHandover()
        do { try daemon.answer(caller, with: FlowError(.invalidArguments, why)) } catch {
            daemon.logger.error("Could not answer: \(error)")
        }
    }

    /// Answers the successor when the files are closed. If the name was not given up, the loss of this connection has the
    /// same effect.
    func answer() {
        guard isReleased else { return }
        do {
            try daemon.output.answer(caller)
        } catch {
            daemon.logger.error("Could not answer the flowbusd that takes over: \(error)")
        }
    }

    private func ask(
        _ member: String, answered: @escaping (MessageReader) -> Void
    ) throws -> AwaitedAnswer {
        try daemon.output.call(.bus, member, "s", { body in try body.append(BusNames.service) }, answered: answered)
    }
}

extension MessageReader {
    /// Whether the bus itself sent it; any connection can answer a call.
    fileprivate var isFromBus: Bool { String(cString: sender) == "\(BusNames.bus)" }
}

extension Daemon {
    /// Handles HandOver: another flowbusd wants the name.
    func handOver(_ call: MessageReader) throws {
        try checkPrivileged(call, "take over the name")
        let successor = String(cString: try call.readString())
        // If two ask at the same time, only the next in the queue gets the name, whoever was first to ask.
        nextHandovers.append(NameHandover(self, to: successor, call: call))
        if nameHandover == nil { beginNextHandover() }
    }

    /// Begins the handover that was asked for next; the last one is over.
    fileprivate func beginNextHandover() {
        let handover = nextHandovers.isEmpty ? nil : nextHandovers.removeFirst()
        nameHandover = handover
        guard let handover else { return }
        whenFree { [weak handover] in handover?.askForQueue() }
    }
}
