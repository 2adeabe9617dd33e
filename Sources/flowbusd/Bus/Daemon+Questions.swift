import FlowCore
import FlowWire
import Logging
import SdBus

// Calls to guards and navigators; each answer is one event.

extension Daemon {
    /// Calls `Adapt` of a guard.
    func askGuard(_ question: Question) {
        ask(question, BusNames.Interface.guard, "Adapt") { daemon, conclusion in
            let answer: GuardAnswer =
                switch daemon.read(conclusion, "sa{sv}", { try daemon.readStepAnswer($0) }) {
                case .values(let (step, arguments)): .step(step, arguments)
                case .error(FlowError.Code.rejected.busName, _): .rejected
                case .error(let name, let text): .failed("'\(name)': \(text)")
                case .failed(let text): .failed(text)
                case .timedOut: .timedOut
                }
            switch answer {
            case .step, .rejected: break
            case .failed(let text): daemon.log("A guard failed", text, question)
            case .timedOut: daemon.log("A guard did not answer in time", nil, question)
            }
            daemon.handle(.guardReplied(question.id, answer))
        }
    }

    /// Calls `Navigate` of a navigator.
    func askNavigator(_ question: Question) {
        ask(question, BusNames.Interface.navigator, "Navigate") { daemon, conclusion in
            let definitions = daemon.coordinator.definitions
            let answer: NavigatorAnswer =
                switch daemon.read(
                    conclusion, "a(ssa{sv})", { try ContributorsReader.read($0, in: definitions) })
                {
                case .values(let contributors): .contributors(contributors)
                case .error(let name, let text): .failed("'\(name)': \(text)")
                case .failed(let text): .failed(text)
                case .timedOut: .timedOut
                }
            switch answer {
            case .contributors: break
            case .failed(let text): daemon.log("A navigator failed", text, question)
            case .timedOut: daemon.log("A navigator did not answer in time", nil, question)
            }
            daemon.handle(.navigatorReplied(question.id, answer))
        }
    }

    private func ask(
        _ question: Question, _ interface: StaticString, _ member: String,
        _ conclude: @escaping (Daemon, Outbox.CallResult) -> Void
    ) {
        let service = question.service
        knowOwner(of: service.name)
        outbox.send(
            Outbox.OutgoingCall(question: question.id, destination: service.name, timeout: service.timeout) {
                [unowned self] in
                var callee = MessageOutput.Callee(service.name, service.path, interface)
                callee.isInteractive = question.isInteractive
                return try output.call(callee, member, "osa{sv}a{sv}") { body in
                    try body.append(path: question.flow)
                    try body.append(question.step)
                    try body.append(question.arguments)
                    try body.openContainer(.array, "{sv}")
                    try body.appendEntry("sender", "s") { body in try body.append(question.client.name) }
                    try body.appendEntry("presentable", "o") { body in try body.append(path: question.presentable) }
                    try body.appendEntry("instance", "t") { body in try body.append(question.instance) }
                    try body.appendEntry("cause", "t") { body in try body.append(question.cause) }
                    try body.appendEntry("interactive", "b") { body in try body.append(question.isInteractive) }
                    try body.closeContainer()
                }
            } conclude: { [unowned self] conclusion in
                // The coordinator no longer waits for it.
                if case .unsent(is Outbox.Dropped) = conclusion { return }
                whenFree(conclusion) { [unowned self] in conclude(self, $0) }
            })
    }

    private func readStepAnswer(_ answer: MessageReader) throws -> (StepID, Arguments) {
        let step = try readStep(answer)
        return (step, try ArgumentsReader.read(answer, for: coordinator.definitions[step].parameters))
    }

    /// Not a warning: clients can cause many, and the emitter of the step gets an error.
    private func log(_ what: String, _ why: String?, _ question: Question) {
        limiter.log(
            .info, what, of: question.service.name, why,
            metadata: [
                LogField.flow: "\(question.flow)", LogField.step: "\(question.step)",
                LogField.sender: "\(question.client.name)", LogField.peer: "\(question.service.name)",
            ])
    }
}

// MARK: - Answers

/// The answer of another process.
enum PeerAnswer<Values> {
    /// These values.
    case values(Values)
    /// An error with this name and text, each in one line.
    case error(String, String)
    /// No valid answer, with the reason.
    case failed(String)
    /// No answer in time.
    case timedOut
}

extension Daemon {
    /// Reads the result of a call: an error, or values of this signature.
    func read<Values>(
        _ conclusion: Outbox.CallResult, _ signature: StaticString, _ body: (MessageReader) throws -> Values
    ) -> PeerAnswer<Values> {
        let answer: MessageReader
        switch conclusion {
        case .unsent(let error): return .failed("it could not be called: \(error)")
        case .unreadable(let why): return .failed(why)
        case .timedOut: return .timedOut
        case .answered(let message): answer = message
        }
        if let name = answer.errorName.map({ String(cString: $0) }) {
            return .error(Names.escaped(name), Names.escaped(answer.errorMessage.map { String(cString: $0) } ?? ""))
        }
        let came = String(cString: answer.signature)
        guard came == "\(signature)" else {
            return .failed("it answered with the type '\(Names.escaped(came))'; it has to be '\(signature)'")
        }
        do {
            return .values(try body(answer))
        } catch let error as FlowError {
            return .failed(error.message)
        } catch {
            return .failed("its answer can't be read: \(error)")
        }
    }
}
