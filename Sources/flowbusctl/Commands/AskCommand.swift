import ArgumentParser
import FlowCore
import FlowWire
import Platform

/// `ask`
struct AskCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "ask", abstract: "Emit a step on a node, wait for the answer of what it leads to, and print that.",
        discussion: """
            The answer is the result of the first screen or flow that declares one and to which the step leads, such as a picker. It \
            is printed as 'name=value' in one line; without an answer nothing is, and the exit status is 1. The wait can take any \
            time. Ctrl-C ends it; what the step led to stays.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @OptionGroup var typed: TypedStep

    @OptionGroup var details: EmissionDetails

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let (node, arguments) = (try typed.target, try typed.parsed)
        let client = try caller.connect(context)
        let values = try client.arguments(arguments, of: typed.step)
        let ask = PendingAnswer(client, context.output, node)
        // First, so that no restart is missed while waiting.
        try client.subscribeToOwner()
        let outcome = try ask.emit(.string(typed.step), values, details.values)
        switch outcome.verdict {
        case "navigated", "deferred", "pending": break
        default: return try context.output.reportMissing(outcome.verdict, node, typed.step)
        }
        let answer = try ask.wait()
        guard answer.outcome == FlowCore.AskOutcome.result.rawValue else {
            return try context.output.reportMissing(answer.outcome, node, typed.step)
        }
        if context.output.isJSON {
            try context.output.line(.object([("outcome", .string(answer.outcome)), ("result", JSON(answer.result))]))
        } else {
            try context.output.line(answer.result.argumentText)
        }
        return .success
    }
}

/// The answer to an ask.
///
/// Answered is sent to this connection without a subscription, so it can't be missed. The ask belongs to the connection, and ends
/// with this program.
private final class PendingAnswer {
    private let client: ServiceClient
    private let output: Output
    private let node: Target
    private let token = "flowbusctl-\(String(UInt64.random(in: .min ... .max), radix: 36))"

    init(_ client: ServiceClient, _ output: Output, _ node: Target) {
        (self.client, self.output, self.node) = (client, output, node)
    }

    /// Emits the step, or repeats the call.
    func emit(
        _ step: Value, _ arguments: Value, _ options: [(name: String, value: Value)] = []
    ) throws(Failure) -> StepOutcome {
        // This program waits itself: a method call would be lost if the service restarts.
        let all = options + [("ask", .bool(true)), ("token", .string(token)), ("wait", .bool(false))]
        return StepOutcome(
            try client.call(
                node, BusNames.Interface.stepper, "EmitStepWithOptions", step, arguments, .dictionary(all)))
    }

    /// Waits for the answer. A service that restarts meanwhile, and restores the tree, sends it.
    func wait() throws(Failure) -> (outcome: String, result: Value) {
        if Terminal.isErrors { output.note("waiting for the answer") }
        var failure: Failure?
        var verdict: String?
        while true {
            guard let signal = try client.next() else { continue }
            if let owner = signal.newOwner {
                if owner.isEmpty {
                    output.note("the service is gone; waiting for its restart and the answer")
                } else {
                    try repeatCall()
                }
            }
            guard signal.interface == "\(BusNames.Interface.stepper)", signal.values.first?.text == token else {
                continue
            }
            if signal.member == "StepConcluded", signal.values.count == 5 {
                let outcome = StepOutcome(Array(signal.values[1...]))
                if !outcome.errorName.isEmpty {
                    failure = Failure(.refused, Names.line(outcome.errorMessage), errorName: outcome.errorName)
                } else if outcome.verdict != "navigated" {
                    verdict = outcome.verdict
                }
            }
            guard signal.member == "Answered", signal.values.count == 3 else { continue }
            // What became of the step says more than that there is nothing.
            if let failure { throw failure }
            return (verdict ?? signal.values[1].text ?? "", signal.values[2])
        }
    }

    /// A service that restored the tree knows the token. The call names no step, so that another one takes none.
    private func repeatCall() throws(Failure) {
        do throws(Failure) {
            _ = try emit(.string(""), .dictionary([]))
        } catch {
            throw Failure(
                .unavailable, "the service has restarted without the tree that it had, so there is no answer",
                errorName: error.errorName)
        }
    }
}

extension Output {
    /// Reports that there is no result, by its outcome or by the verdict on the step.
    fileprivate func reportMissing(_ outcome: String, _ node: Target, _ step: String) throws(Failure) -> ExitStatus {
        if isJSON {
            try line(.object([("outcome", .string(outcome)), ("result", .null)]))
        } else {
            let reason = Self.explanation(of: outcome, node, step) ?? Self.reason(outcome)
            note("no answer: \(Names.line(outcome))" + (reason.map { ": \($0)" } ?? ""))
        }
        return .negative
    }

    private static func reason(_ outcome: String) -> String? {
        switch outcome {
        case "nothing": "the step led to no screen or flow that declares a 'result'"
        case "ended": "the flow ended without a result"
        case "back", "dismissed": "it was dismissed"
        case "ownerGone": "its program has ended"
        case "ownerHangs": "its program hangs"
        case "navigatorGone": "the program of its flow has ended"
        case "presentFailed": "its program could not show it"
        case "failed":
            "its program gave up, because something failed; 'flowbusctl log' shows what, if the step of 'onDismissed' has $error or $message"
        case "rule": "a rule of its flow removed it"
        case "parent": "it was removed with what is above it"
        case "replaced": "another step reused it"
        case "undeclared": "the definitions have it no longer"
        default: nil
        }
    }
}
