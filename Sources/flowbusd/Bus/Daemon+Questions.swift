import FlowCore
import FlowWire
import Logging
import SdBus

// Calls to guards and navigators; each answer is one event.

extension Daemon {
    /// Calls `Adapt` of a guard.
    func askGuard(_ question: Question) { send(QuestionCall(question, self, isNavigator: false)) }

    /// Calls `Navigate` of a navigator.
    func askNavigator(_ question: Question) { send(QuestionCall(question, self, isNavigator: true)) }

    private func send(_ call: QuestionCall) {
        let service = call.question.service
        knowOwner(of: service.name)
        outbox.send(
            Outbox.OutgoingCall(question: call.question.id, destination: service.name, timeout: service.timeout) {
                try call.send()
            } conclude: {
                call.conclude($0)
            })
    }

    fileprivate func takeGuardAnswer(_ conclusion: Outbox.CallResult, to question: Question) {
        let answer: GuardAnswer =
            switch read(conclusion, "sa{sv}", { try readStepAnswer($0) }) {
            case .values(let (step, arguments)): .step(step, arguments)
            case .error(FlowError.Code.rejected.busName, _): .rejected
            case .error(FlowError.Code.guardTimeout.busName, _): .timedOut
            case .error(let name, let text): .failed(Names.error(name, text))
            case .failed(let text): .failed(text)
            case .timedOut: .timedOut
            }
        switch answer {
        case .step, .rejected: break
        case .failed(let text): log("A guard failed", text, question)
        case .timedOut: log("A guard did not answer in time", nil, question)
        }
        handle(.guardReplied(question.id, answer))
    }

    fileprivate func takeNavigatorAnswer(_ conclusion: Outbox.CallResult, to question: Question) {
        let definitions = coordinator.definitions
        let answer: NavigatorAnswer =
            switch read(conclusion, "a(ssa{sv})", { try ContributorsReader.read($0, in: definitions) }) {
            case .values(let contributors): .contributors(contributors)
            case .error(FlowError.Code.unhandled.busName, _): .unhandled
            case .error(let name, let text): .failed(Names.error(name, text))
            case .failed(let text): .failed(text)
            case .timedOut: .timedOut
            }
        switch answer {
        case .contributors, .unhandled: break
        case .failed(let text): log("A navigator failed", text, question)
        case .timedOut: log("A navigator did not answer in time", nil, question)
        }
        handle(.navigatorReplied(question.id, answer))
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

/// A call to a guard or navigator. One object for all closures of the call, so that the question is not copied into each.
private final class QuestionCall {
    let question: Question
    private unowned let daemon: Daemon
    private let isNavigator: Bool

    init(_ question: Question, _ daemon: Daemon, isNavigator: Bool) {
        (self.question, self.daemon, self.isNavigator) = (question, daemon, isNavigator)
    }

    func send() throws -> UInt32 {
        let interface = isNavigator ? BusNames.Interface.navigator : BusNames.Interface.guard
        var callee = MessageOutput.Callee(question.service.name, question.service.path, interface)
        callee.isInteractive = question.isInteractive
        return try daemon.output.call(callee, isNavigator ? "Navigate" : "Adapt", "osa{sv}a{sv}") { body in
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
    }

    func conclude(_ result: Outbox.CallResult) {
        // The coordinator no longer waits for it.
        if case .unsent(is Outbox.Dropped) = result { return }
        daemon.whenFree(result) { self.take($0) }
    }

    private func take(_ result: Outbox.CallResult) {
        if isNavigator {
            daemon.takeNavigatorAnswer(result, to: question)
        } else {
            daemon.takeGuardAnswer(result, to: question)
        }
    }
}

// MARK: - Answers

/// The answer of another process.
enum PeerAnswer<Values> {
    /// These values.
    case values(Values)
    /// An error with this name and text.
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
            return .error(name, answer.errorMessage.map { String(cString: $0) } ?? "")
        }
        guard signature.isSpelled(answer.signature) else {
            let came = Names.escaped(String(cString: answer.signature))
            return .failed("it answered with the type '\(came)'; it has to be '\(signature)'")
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
