import FlowCore
import FlowWire
import Logging
import SdBus

// Owners are asked whether they are alive: Alive (S-44).

extension Daemon {
    /// Calls `Alive` of the owner of a screen.
    func askAlive(_ check: AliveCheck) {
        outbox.send(
            Outbox.OutgoingCall(question: check.id, destination: check.client.name, timeout: check.timeout) {
                [unowned self] in
                var owner = MessageOutput.Callee(check.client.name, check.object, BusNames.Interface.presenter)
                owner.mayStart = false
                return try output.call(owner, "Alive")
            } conclude: { [unowned self] conclusion in
                switch conclusion {
                // The coordinator no longer waits for it.
                case .unsent(is Outbox.Dropped): break
                case .timedOut: lookForAnswer(to: check)
                // That it could not be sent says nothing about the owner.
                case .unsent, .unreadable: take(.alive, of: check)
                case .answered(let answer): take(read(answer, of: check), of: check)
                }
            } concludeLate: { [unowned self] answer in
                guard let answer else { return }
                overdueChecks[check.id] = nil
                take(read(answer, of: check), of: check)
            })
    }

    /// An answer may have come in time, and wait behind other messages while this process has much to do. The bus answers
    /// behind them.
    private func lookForAnswer(to check: AliveCheck) {
        do {
            overdueChecks[check.id] = try output.call(.bus, "NameHasOwner", "s") { body in
                try body.append(check.client.name)
            } answered: { [unowned self] answer in
                // Another process that guesses the number of the call does not end the check: the owner's answer may come yet.
                guard BusNames.bus.isSpelled(answer.sender) else { return lookForAnswer(to: check) }
                guard overdueChecks.removeValue(forKey: check.id) != nil, bus.isOpen, !isLost else { return }
                take(.silent, of: check)
            }
        } catch {
            connectionFailed(error)
        }
    }

    private func read(_ answer: MessageReader, of check: AliveCheck) -> AliveAnswer {
        guard let error = answer.errorName else { return .alive }
        if BusNames.bus.isSpelled(answer.sender) {
            // The bus has no room for more messages to an owner that reads none. That an owner is gone, it reports later.
            if BusNames.BusError.limitsExceeded.isSpelled(error) { return .silent }
            guard BusNames.BusError.accessDenied.isSpelled(error) else { return .alive }
        } else {
            let unknown = [
                BusNames.BusError.unknownMethod, BusNames.BusError.unknownInterface, BusNames.BusError.unknownObject,
            ]
            guard unknown.contains(where: { $0.isSpelled(error) }) else { return .alive }
        }
        return .unsupported
    }

    private func take(_ answer: AliveAnswer, of check: AliveCheck) {
        whenFree { [unowned self] in
            if coordinator.isAwaited(check) { log(answer, of: check) }
            handle(.aliveReplied(check.id, answer))
        }
    }

    private func log(_ answer: AliveAnswer, of check: AliveCheck) {
        let what: String
        switch answer {
        case .alive: return
        case .silent where coordinator.isExpectedToAnswer(check):
            what = "The owner of the screen '\(check.name)' hangs"
        case .silent, .unsupported:
            what =
                "The owner of the screen '\(check.name)' is not watched, because it does not answer the method 'Alive'"
        }
        limiter.log(
            .warning, what, of: check.client.name, "'\(check.client.name)', object '\(check.object)'",
            metadata: [LogField.screen: "\(check.name)", LogField.peer: "\(check.client.name)"])
    }
}
