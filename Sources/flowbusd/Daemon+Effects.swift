import FlowCore
import FlowWire
import Logging
import SdBus

// The one place where effects are carried out. They come in the order of the bus contract, "Order on the wire"; each is
// one message, or a line of the log.

extension Daemon {
    /// Carries out what the core asks for, up to what can't be sent: that is the end of the connection
    /// (``connectionFailed(_:)``).
    ///
    /// A call that is not answered by one of these effects is kept until a later event answers it.
    ///
    /// - Parameter areInHistory: the history has the navigations among them, or the tree's file does.
    func perform(
        _ effects: [Effect], answering call: MessageReader? = nil, of request: RequestID, areInHistory: Bool = false
    ) {
        var open = call
        for effect in effects {
            // It happened also where nobody can be told any more.
            if !areInHistory, case .emitNavigationOccurred(let navigation) = effect {
                persistence.add(navigation, at: latestTime)
            }
            if isLost { continue }
            do { try perform(effect, request, &open) } catch { connectionFailed(error) }
        }
        guard let open, open.expectsReply, !isLost else { return }
        do { pendingCalls[request] = try PendingCall(open) } catch { connectionFailed(error) }
    }

    /// - Parameters:
    ///   - request: that of the call at hand.
    ///   - open: the call at hand; nil when it is answered.
    private func perform(_ effect: Effect, _ request: RequestID, _ open: inout MessageReader?) throws {
        switch effect {
        case .emitNavigationWillOccur(let announcement): try send(announcement)
        case .addPresentable(let state):
            try sendAdded(state)
            statusChanged()
        case .removePresentable(let path, let isFlow):
            try sendRemoved(path, isFlow: isFlow)
            statusChanged()
        case .changeProperties(let changes): try send(changes)
        case .emitNavigationOccurred(let navigation):
            try send(navigation)
            if logsNavigations { log(navigation) }
        case .emitNavigationFailed(let failure):
            try send(failure)
            log(failure)
        case .askGuard(let question): askGuard(question)
        case .askNavigator(let question): askNavigator(question)
        case .present(let presentation): present(presentation)
        case .dropQuestion(let question): outbox.drop(question)
        case .withdraw(let withdrawal): try send(withdrawal)
        case .emitStepConcluded(let conclusion): try send(conclusion)
        case .watchClient(let client): try watch(client)
        case .emitDefinitionsChanged: try sendDefinitionsChanged()
        case .reply(let answered, let answer):
            try self.answer(answered, request, &open) { try send(answer, to: $0) }
        case .fail(let answered, let error):
            try self.answer(answered, request, &open) { try refuse($0, error) }
        case .startTimer(let time): try startTimer(at: time)
        case .reportUnstarted(let path, let error):
            logger.error("Could not start '\(path)': \(error.message)", metadata: [LogField.flow: "\(path)"])
        case .reportUnrestored(let path, let why):
            logger.warning("Not brought back: '\(path)': \(why)", metadata: [LogField.flow: "\(path)"])
        }
    }
}

// MARK: - Answers

extension Daemon {
    /// Answers the call at hand, or one that was kept. One that wants no answer was not.
    private func answer(
        _ answered: RequestID, _ request: RequestID, _ open: inout MessageReader?,
        _ send: (MessageReader) throws -> Void
    ) throws {
        if answered == request, let call = open.take() {
            try send(call)
        } else if let held = pendingCalls.removeValue(forKey: answered) {
            try withExtendedLifetime(held) { try send(held.call) }
        }
    }

    private func send(_ answer: Answer, to call: MessageReader) throws {
        let message = try OutgoingMessage(replyTo: call)
        let body = message.body
        switch answer {
        case .done: break
        case .verdict(let verdict, let serial):
            try body.append(serial)
            try body.append(verdict.rawValue)
        case .flow(let path): try body.append(path: path)
        case .outcomes(let outcomes):
            try body.openContainer(.array, "(os)")
            for outcome in outcomes {
                try body.openContainer(.structure, "os")
                try body.append(path: outcome.path)
                try body.append(outcome.outcome?.busText ?? "")
                try body.closeContainer()
            }
            try body.closeContainer()
        case .verdicts(let outcomes):
            try body.openContainer(.array, "(ts)")
            for outcome in outcomes {
                try body.openContainer(.structure, "ts")
                try body.append(outcome.serial)
                try body.append(outcome.busText)
                try body.closeContainer()
            }
            try body.closeContainer()
        }
        try message.send()
    }
}

// MARK: - The log

extension Daemon {
    /// Many, so for those who look for something (`--log-level debug`).
    private func log(_ navigation: Navigation) {
        logger.debug(
            "Navigated: \(navigation.flow) took \(navigation.step)",
            metadata: [
                LogField.flow: "\(navigation.flow)", LogField.step: "\(navigation.step)",
                LogField.serial: "\(navigation.serial)", LogField.sender: "\(navigation.client.name)",
            ])
    }

    /// What a client brings about, it can bring about often, and everyone is told by a signal. What the daemon began by
    /// itself has nobody else who would look.
    private func log(_ failure: NavigationFailure) {
        limiter.log(
            failure.client == .daemon && !failure.isIdle ? .warning : .info, "A step was lost", of: failure.client.name,
            failure.message,
            metadata: [
                LogField.flow: "\(failure.flow)", LogField.step: "\(failure.step)",
                LogField.sender: "\(failure.client.name)",
            ])
    }
}
