internal import FlowCore

/// What a screen of this program asks, and the handlers of the answers.
///
/// An ask has a name in the program, and a token on the bus that begins with the name. So an answer finds its handler in a process
/// that knows nothing of the ask.
@FlowActor
package final class ScreenAsks {
    /// The calls of the host for the screen.
    package struct Calls {
        package var ask: (StepMessage, _ token: String, @escaping Done<StepOutcome>) -> Void
        package var acknowledge: (_ token: String, @escaping Done<Void>) -> Void
        /// Makes the message of a step.
        fileprivate let message: @FlowActor (any Step) throws(NavigationError) -> StepMessage

        package init(
            message: @escaping @FlowActor (any Step) throws(NavigationError) -> StepMessage,
            ask: @escaping (StepMessage, _ token: String, @escaping Done<StepOutcome>) -> Void,
            acknowledge: @escaping (_ token: String, @escaping Done<Void>) -> Void
        ) {
            self.message = message
            self.ask = ask
            self.acknowledge = acknowledge
        }
    }

    package typealias Handler = @FlowActor (AskMessage) async throws -> Void

    static var finder = PropertyFinder<any AnyAsk>()

    private let calls: Calls
    /// Receives the errors that nobody waits for.
    package var failed: @FlowActor (NavigationError) -> Void
    /// Waits until what the handlers have changed is saved.
    package var whenSaved: (@escaping @FlowActor () -> Void) -> Void = { $0() }
    private var handlers: [String: Handler] = [:]
    /// Answers that have no handler yet, or came before this program was the owner.
    private var waiting: [AskMessage] = []
    /// Asks that came before this program was the owner.
    private var heldBack: [(step: StepMessage, token: String)] = []
    /// The tokens of the answers that were given to a handler. A Present that is under way can still have them.
    private var handled: Set<String> = []
    private var isOwner = false
    private var isEnded = false

    package init(_ calls: Calls, _ failed: @escaping @FlowActor (NavigationError) -> Void) {
        (self.calls, self.failed) = (calls, failed)
    }

    package func end() {
        isEnded = true
        handlers = [:]
    }

    /// The handler of the answers to asks of a name.
    package func handle(_ name: String, _ handler: @escaping Handler) {
        handlers[name] = handler
        deliver()
    }

    /// Emits a step, and has the handler of the name called with the answer.
    package func ask(_ step: any Step, named name: String) throws(NavigationError) {
        ask(try calls.message(step), named: name)
    }

    /// Emits a step, and has the handler of the name called with the answer.
    package func ask(_ step: StepMessage, named name: String) {
        let token = "\(name)-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        if isOwner { send(step, token) } else { heldBack.append((step, token)) }
    }

    /// This program has presented the screen.
    package func becomeOwner() {
        isOwner = true
        let asks = heldBack
        heldBack = []
        for ask in asks { send(ask.step, ask.token) }
        deliver()
    }

    /// Answers of the service, possibly again.
    package func take(_ answers: [AskMessage]) {
        waiting += answers
        deliver()
    }

    private func send(_ step: StepMessage, _ token: String) {
        calls.ask(step, token) { [weak self] result in
            guard let self, !isEnded else { return }
            switch result {
            case .success(let outcome):
                guard ![.navigated, .deferred, .pending].contains(outcome.verdict) else { return }
                // Nothing was asked, so no answer follows.
                let answer = AskMessage(token: token, outcome: outcome.verdict.rawValue)
                if let handler = handler(of: token) { run(handler, answer, isAcknowledged: false) }
            // The service knows the token if it has restored the tree, and then asks nothing anew.
            case .failure(let error) where error.code == .noReply: send(step, token)
            case .failure(let error): failed(error)
            }
        }
    }

    private func handler(of token: String) -> Handler? {
        token.lastIndex(of: "-").flatMap { handlers[String(token[..<$0])] }
    }

    private func deliver() {
        guard isOwner, !isEnded else { return }
        let answers = waiting
        waiting = []
        for answer in answers {
            if handled.contains(answer.token) {
                acknowledge(answer.token)
            } else if let handler = handler(of: answer.token) {
                handled.insert(answer.token)
                run(handler, answer, isAcknowledged: true)
            } else if !waiting.contains(where: { $0.token == answer.token }) {
                waiting.append(answer)
            }
        }
    }

    private func run(_ handler: @escaping Handler, _ answer: AskMessage, isAcknowledged: Bool) {
        Task.immediate { @FlowActor [weak self] in
            do {
                try await handler(answer)
                guard isAcknowledged else { return }
                self?.whenSaved { [weak self] in self?.acknowledge(answer.token) }
            } catch {
                // It is not acknowledged, so the next Present has it again.
                self?.handled.remove(answer.token)
                self?.failed(error as? NavigationError ?? NavigationError(.handlerFailed, "\(error)"))
            }
        }
    }

    private func acknowledge(_ token: String) {
        calls.acknowledge(token) { [weak self] result in
            guard case .failure(let error) = result, let self, !isEnded else { return }
            // Another Present with the answer follows where the service is gone.
            if error.code != .unknownObject { failed(error) }
        }
    }
}
