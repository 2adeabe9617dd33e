import FlowCore
import FlowWire
import Logging
import Platform
import SdBus

// One flowbusd takes over from another (D-9). The new one queues for the name at the bus, and asks the owner by HandOver.
// The owner gives up the name, takes the calls that had come by it until then, closes its files, answers, and ends. What is
// called later is with the new one, which opens the files when it has the answer.

/// A hand-over under way.
struct HandOver {
    /// The unique name of the connection that waits for the name.
    let successor: String
    /// What it asked by; answered when the files are closed.
    let call: PendingCall
    /// What the bus was asked.
    var question: MessageReceiver?
    /// Whether the bus is asked once more, as something went on in slices when it had answered.
    var isAskedAgain = false
    /// Whether the name is being given up, so that its loss is no surprise.
    var isReleasing = false
    /// Whether the name is given up.
    var isReleased = false
}

/// Why the name was not handed over.
struct TakeoverFailure: Error {
    let status: ExitStatus
    let message: String
}

// MARK: - The owner

extension Daemon {
    /// Another flowbusd wants the name.
    func handOver(_ call: MessageReader) throws {
        try checkPrivileged(call, "take over the name")
        let successor = String(cString: try call.readString())
        if let handOver {
            throw FlowError(.invalidArguments, "'\(handOver.successor)' takes over at this moment")
        }
        handOver = HandOver(successor: successor, call: try PendingCall(call))
        // A call that goes on in slices may take longer than the other one waits, which must not have the name by then.
        whenFree { [unowned self] in askForQueue() }
    }

    /// One that has given up meanwhile shall not leave the name without an owner.
    private func askForQueue() {
        do throws(SdError) {
            handOver?.question = try ask("ListQueuedOwners") { [unowned self] in queueReported($0) }
        } catch {
            refuseHandOver("the bus can't be asked who waits for the name: \(error)")
        }
    }

    private func queueReported(_ answer: MessageReader) {
        guard let successor = handOver?.successor else { return }
        do throws(SdError) {
            guard answer.isFromBus else {
                return refuseHandOver("another than the bus answered who waits for the name")
            }
            // Another call that goes on in slices came in between. Once: there may be no end of them.
            if coordinator.hasMore, handOver?.isAskedAgain == false {
                handOver?.isAskedAgain = true
                return whenFree { [unowned self] in askForQueue() }
            }
            let queue = try answer.readStrings()
            guard queue.first == bus.uniqueName, queue.dropFirst().first == successor else {
                return refuseHandOver(reason(against: successor, queue))
            }
            // What happened so far is told while the signals are those of the name's owner.
            commit()
            handOver?.isReleasing = true
            handOver?.question = try ask("ReleaseName") { [unowned self] in released($0) }
        } catch {
            refuseHandOver("the bus does not say who waits for the name: \(error)")
        }
    }

    private func reason(against successor: String, _ queue: [String]) -> String {
        guard queue.contains(successor), queue.count > 1 else {
            return
                "'\(Names.escaped(successor))' does not wait for the name \(BusNames.service); it has to be the unique "
                + "name of a connection that has requested it, and is queued"
        }
        let first = bus.owner(of: queue[1])?.description ?? "'\(queue[1])'"
        return "'\(successor)' is not the next that waits for the name \(BusNames.service): \(first) is"
    }

    /// All calls that came by the name were before this in the connection, and are handled, or wait for their turn.
    private func released(_ answer: MessageReader) {
        guard let successor = handOver?.successor else { return }
        guard answer.isFromBus else { return refuseHandOver("another than the bus answered that the name is given up") }
        if let error = answer.errorMessage ?? answer.errorName {
            return refuseHandOver("the bus does not let the name be given up: \(String(cString: error))")
        }
        handOver?.isReleased = true
        let owner = bus.owner(of: successor)?.description ?? "'\(successor)'"
        logger.notice("The name \(BusNames.service) was taken over by \(owner)")
        whenFree { [unowned self] in stop(.success) }
    }

    /// It stays as it is.
    private func refuseHandOver(_ why: String) {
        guard let call = handOver?.call else { return }
        handOver = nil
        commit()
        do { try refuse(call.call, FlowError(.invalidArguments, why)) } catch {
            logger.error("Could not answer: \(error)")
        }
    }

    /// Has the one that takes over go on, now that the files are closed. Where the name was not given up, its loss tells it.
    func answerHandOver() {
        guard let handOver, handOver.isReleased else { return }
        do {
            try handOver.call.call.replyEmpty()
        } catch {
            logger.error("Could not answer the flowbusd that takes over: \(error)")
        }
    }

    private func ask(
        _ member: StaticString, answered: @escaping (MessageReader) -> Void
    ) throws(SdError) -> MessageReceiver {
        let question = try OutgoingMessage(
            call: bus, destination: BusNames.bus.cString, path: BusNames.busPath.cString,
            interface: BusNames.bus.cString, member: member.cString)
        try question.body.append("\(BusNames.service)")
        return try question.call(timeout: .max, answered: answered)
    }
}

extension MessageReader {
    /// Whether the bus itself sent it: anybody can answer a call.
    fileprivate var isFromBus: Bool { String(cString: sender) == "\(BusNames.bus)" }
}

// MARK: - The one that takes over

extension Daemon {
    /// How long the owner of the name may take to hand it over, in µs.
    static let handOverBound: UInt64 = 10_000_000

    /// Becomes the owner of the name. With `--replace` another flowbusd that owns it gives it up, once it has closed its
    /// files (D-9).
    ///
    /// - Returns: false: the process was told to end meanwhile.
    /// - Throws: ``SdError``, or ``TakeoverFailure`` where the owner keeps the name; nothing is changed then.
    func takeName() throws -> Bool {
        let name = "\(BusNames.service)"
        guard replaces else {
            try bus.requestName(name)
            return true
        }
        let end = MonotonicClock.now + Self.handOverBound
        while try !bus.queue(forName: name) {
            let owner = try bus.uniqueName(ofOwnerOf: name)
            let who = bus.owner(of: name)?.description ?? owner ?? "another process"
            let now = MonotonicClock.now
            guard now < end else { throw unanswered(by: who) }
            // It may have left just now, and there may be others that wait.
            guard let owner, owner != bus.uniqueName else { continue }
            let takeover = try Takeover(setup.connect())
            // Where the bus has passed the name on, nobody would serve without this one: it waits for the files to be closed.
            takeover.isOver = { [unowned self] in (try? bus.queue(forName: name)) != true }
            switch try takeover.ask(owner, for: bus.uniqueName, atMost: end - now) {
            case .handedOver, .ownerGone: continue
            case .terminated: return false
            case .unanswered: throw unanswered(by: who)
            case .refused(let error, let text):
                throw TakeoverFailure(
                    status: error == "\(BusNames.StandardError.accessDenied)" ? .noPermission : .unavailable,
                    message: "The name \(name) is taken by \(who), which does not hand it over: \(text)")
            }
        }
        return true
    }

    private func unanswered(by owner: String) -> TakeoverFailure {
        let seconds = Self.handOverBound / 1_000_000
        return TakeoverFailure(
            status: .unavailable,
            message: "The name \(BusNames.service) is taken by \(owner), which did not hand it over within "
                + "\(seconds) s; nothing was changed")
    }
}
