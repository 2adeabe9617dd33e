import FlowCore
import FlowWire
import Logging
import SdBus

// The one place where effects are carried out, in their order (`OrderTests`). Most send a message or write a line to the log; some set
// a timer, or watch a client.

extension Daemon {
    /// Carries out effects, in the order in which clients are to learn of them, and takes them out of their list, whose memory can be used again.
    ///
    /// A message that can't be sent ends the connection (``connectionFailed(_:)``).
    ///
    /// A call that none of these effects answers is kept until a later event answers it.
    ///
    /// - Parameters:
    ///   - effects: the effects of one event.
    ///   - call: the call that brought the event.
    ///   - request: the call's request.
    ///   - time: when the event occurred.
    ///   - areInHistory: whether the navigations among them are in the history, or in the tree's file.
    func perform(
        _ effects: inout [Effect], answering call: MessageReader?, of request: RequestID, at time: Instant,
        areInHistory: Bool = false
    ) {
        var open = call
        effects.arrange()
        let added = areInHistory ? nil : time
        // Moved out of the list, which is done at its end: an effect that stays there is copied to be looked at. Its buffer is
        // reversed, as the list itself copies what it swaps.
        effects.withUnsafeMutableBufferPointer { $0.reverse() }
        while let effect = effects.popLast() {
            if isLost {
                // It occurred, even if nothing can be sent any more.
                if let added, case .emitNavigationOccurred(let navigation) = effect {
                    persistence.add(navigation, at: added)
                }
                continue
            }
            do { try perform(effect, addedAt: added, request, &open) } catch { connectionFailed(error) }
        }
        guard let open, open.expectsReply, !isLost else { return }
        unansweredCalls.add(Caller(open), for: request)
    }

    /// - Parameters:
    ///   - effect: what to do.
    ///   - added: when a navigation occurred that is not in the history yet; nil if it is there.
    ///   - request: the request of the current call.
    ///   - open: the current call; nil once it is answered.
    private func perform(
        _ effect: Effect, addedAt added: Instant?, _ request: RequestID, _ open: inout MessageReader?
    ) throws {
        switch effect {
        case .emitNavigationWillOccur(let announcement): try send(announcement)
        case .addPresentable(let state):
            try sendAdded(state)
            manager.statusChanged()
        case .removePresentable(let path, let isFlow):
            try sendRemoved(path, isFlow: isFlow)
            manager.statusChanged()
        case .changeProperties(let changes): try send(changes)
        case .emitNavigationOccurred(let navigation):
            if let added { persistence.add(navigation, at: added) }
            try send(navigation)
            if logsNavigations { log(navigation) }
        case .emitNavigationFailed(let failure):
            try send(failure)
            log(failure)
        case .emitStackChanged(let output, let screens): try sendStackChanged(screens, on: output)
        case .emitBackChanged(let path, let preview): try sendBackChanged(preview, at: path)
        case .emitSightChanged(let path, let isInSight, let owner):
            try sendSightChanged(isInSight, of: path, to: owner)
        case .askGuard(let question): askGuard(question)
        case .askNavigator(let question): askNavigator(question)
        case .changeContext(let values): try sendContext(values)
        case .emitContextChanged(let news): try send(news)
        case .present(let presentation): present(presentation)
        case .askAlive(let check): askAlive(check)
        case .endProcess(let client, let screen): endProcess(of: client, screen: screen)
        case .startService(let name): try startService(name)
        case .dropQuestion(let question): outbox.drop(question)
        case .withdraw(let withdrawal): try send(withdrawal)
        case .emitStepConcluded(let conclusion): try send(conclusion)
        case .emitAnswered(let answered): try send(answered)
        case .watchClient(let client): try watch(client)
        case .emitDefinitionsChanged: try sendDefinitionsChanged()
        case .reply(let answered, let answer):
            try self.answer(answered, request, &open) { try send(answer, to: $0) }
        case .fail(let answered, let error):
            try self.answer(answered, request, &open) { try answer($0, with: error) }
        case .startTimer(let time): try startTimer(at: time)
        case .reportUnstarted(let path, let error):
            logger.error("Could not start '\(path)': \(error.message)", metadata: [LogField.flow: "\(path)"])
        case .reportUnrestored(let path, let why):
            logger.warning("Could not restore '\(path)': \(why)", metadata: [LogField.flow: "\(path)"])
        case .reportTiming(let timing): log(timing)
        case .reportDelay(let path, let presenter, let microseconds, let fault):
            log(presenter, isNotCalledFor: microseconds, toShow: path, fault)
        }
    }
}

// MARK: - Answers

extension Daemon {
    /// Answers the current call, or a pending one. A call that wants no answer is neither.
    private func answer(
        _ answered: RequestID, _ request: RequestID, _ open: inout MessageReader?,
        _ send: (Caller) throws -> Void
    ) throws {
        if answered == request, let call = open.take() {
            try send(Caller(call))
        } else if let caller = unansweredCalls.remove(answered) {
            try send(caller)
        }
    }

    private func send(_ answer: Answer, to caller: Caller) throws {
        switch answer {
        case .done: try output.answer(caller)
        case .verdict(let verdict, let serial):
            try output.answer(caller, "ts") { body in
                try body.append(serial)
                try body.append(verdict.rawValue)
            }
        case .flow(let path): try output.answer(caller, "o") { body in try body.append(path: path) }
        case .outcomes(let outcomes):
            try output.answer(caller, "a(otsss)") { body in
                try body.openContainer(.array, "(otsss)")
                for outcome in outcomes {
                    try body.openContainer(.structure, "otsss")
                    try body.append(path: outcome.path)
                    try body.append(outcome: outcome.outcome)
                    try body.closeContainer()
                }
                try body.closeContainer()
            }
        case .verdicts(let outcomes):
            try output.answer(caller, "a(tsss)") { body in
                try body.openContainer(.array, "(tsss)")
                for outcome in outcomes {
                    try body.openContainer(.structure, "tsss")
                    try body.append(outcome: outcome)
                    try body.closeContainer()
                }
                try body.closeContainer()
            }
        }
    }
}

// MARK: - The log

extension Daemon {
    /// There are many, so they are logged for debugging alone (`--log-level debug`).
    private func log(_ navigation: Navigation) {
        logger.debug(
            "Navigated: \(navigation.flow) took \(navigation.step)",
            metadata: [
                LogField.flow: "\(navigation.flow)", LogField.step: "\(navigation.step)",
                LogField.serial: "\(navigation.serial)", LogField.sender: "\(navigation.client.name)",
            ])
    }

    /// Screens that exceed their budget are worth a warning, all others only a line for debugging (S-46).
    private func log(_ timing: PresentationTiming) {
        let metadata: Logger.Metadata = [
            LogField.screen: "\(timing.screen)", LogField.displayed: "\(timing.total)",
            LogField.waited: "\(timing.waited)",
        ]
        let times =
            "called after \(timing.sent) µs, answered after \(timing.answered) µs, visible after \(timing.visible) µs"
        logger.debug("Displayed: \(timing.path), \(timing.start.rawValue), \(times)", metadata: metadata)
        let definitions = coordinator.definitions
        guard let screen = definitions.screen(named: timing.screen), let budget = definitions[screen].budget,
            timing.total > budget
        else { return }
        limiter.log(
            .warning, "The screen '\(timing.screen)' took longer than its budget", of: timing.screen,
            "\(timing.total) µs of \(budget) µs", metadata: metadata)
    }

    /// Without this line, nobody would see why a screen is not there (S-47, S-48). The failures before it have lines of their own.
    private func log(_ presenter: String, isNotCalledFor microseconds: UInt64, toShow path: String, _ fault: Fault) {
        if presenter.isEmpty {
            return limiter.log(
                .warning, "An empty flow takes its initial step again", of: path, "'\(path)': \(fault.text)",
                metadata: [LogField.flow: "\(path)"])
        }
        limiter.log(
            .warning, "'\(presenter)' can't show a screen, and is called again", of: presenter,
            "'\(path)' waits \(Double(microseconds / 100_000) / 10) s: \(fault.text)",
            metadata: [LogField.peer: "\(presenter)"])
    }

    /// A client can cause many failures, and a signal reports each. No client watches for those of the daemon's own steps.
    private func log(_ failure: NavigationFailure) {
        limiter.log(
            failure.client == .daemon && !failure.isTimed ? .warning : .info, "A step was lost",
            of: failure.client.name,
            failure.message,
            metadata: [
                LogField.flow: "\(failure.flow)", LogField.step: "\(failure.step)",
                LogField.sender: "\(failure.client.name)",
            ])
    }
}
