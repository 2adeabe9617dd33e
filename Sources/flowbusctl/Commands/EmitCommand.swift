import ArgumentParser
import FlowCore
import FlowWire
import Platform

/// The arguments of `emit`, `ask` and `explain`: a step on a flow or screen.
struct TypedStep: ParsableArguments {
    @Argument(help: ArgumentHelp("The flow or screen.", valueName: "node"), completion: Completion.nodes)
    var node: String

    @Argument(help: ArgumentHelp("The step's name.", valueName: "step"), completion: Completion.stepsOfNode)
    var step: String

    @Argument(
        help: ArgumentHelp("The step's arguments.", valueName: "key=value"), completion: Completion.argumentsOfStep)
    var arguments: [String] = []

    /// The node that it is emitted on.
    var target: Target { get throws(Failure) { try Target(node) } }

    /// Its arguments, whose types are not known yet.
    var parsed: [TypedArgument] { get throws(Failure) { try TypedArgument.all(arguments) } }
}

/// The options of `emit` and `ask` that the service gets as they are.
struct EmissionDetails: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Refuse the step unless the node is this instance.", valueName: "number"))
    var instance: UInt64?

    @Option(help: ArgumentHelp("The token that lets a window come to the front.", valueName: "token"))
    var activationToken: String?

    @Flag(help: "The step is no input of a person: idle flows stay idle.")
    var noInput = false

    /// The options of EmitStepWithOptions.
    var values: [(name: String, value: Value)] {
        var values: [(name: String, value: Value)] = []
        if let instance { values.append(("instance", .uint64(instance))) }
        if let activationToken { values.append(("activation-token", .string(activationToken))) }
        if noInput { values.append(("input", .bool(false))) }
        return values
    }
}

/// `emit`
struct EmitCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "emit", abstract: "Emit a step on a node, and print the verdict.",
        discussion: """
            If the flow navigated, the serial follows the verdict: 'navigated 17'. The declaration of the step gives the \
            types of the values. If a guard or a navigator has to decide, the command waits for it.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @OptionGroup var typed: TypedStep

    @Option(help: ArgumentHelp("The token of the call, which the signal StepConcluded carries.", valueName: "token"))
    var token: String?

    @Flag(help: "If the step is not decided at once, print 'pending' and exit.")
    var noWait = false

    @OptionGroup var details: EmissionDetails

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let (node, arguments) = (try typed.target, try typed.parsed)
        let client = try caller.connect(context)
        let values = try client.arguments(arguments, of: typed.step)
        var options: [(name: String, value: Value)] = []
        if let token { options.append(("token", .string(token))) }
        // This program waits for the outcome itself: a method call would be lost if the service restarts.
        options.append(("wait", .bool(false)))
        options += details.values
        // First, so that no restart is missed while waiting.
        if !noWait { try client.subscribeToOwner() }
        let answer = try client.call(
            node, BusNames.Interface.stepper, "EmitStepWithOptions", .string(typed.step), values, .dictionary(options))
        var outcome = StepOutcome(answer)
        if outcome.verdict == "pending", !noWait {
            if Terminal.isErrors { context.output.note("pending: waiting for the outcome") }
            outcome = try PendingOutcome(client, context.output).wait()
        }
        return try context.output.report(outcome, isWaiting: noWait, node: node, step: typed.step)
    }
}

/// The outcome of a step.
struct StepOutcome: Equatable {
    let serial: UInt64
    /// Empty where it failed.
    let verdict: String
    /// Empty where it did not fail.
    let errorName: String
    /// Empty where it did not fail.
    let errorMessage: String

    /// Reads `t serial, s verdict`, and where they follow `s errorName, s errorMessage`.
    init(_ answer: [Value]) {
        serial = answer.first?.number ?? 0
        let texts = answer.dropFirst().map { $0.text ?? "" }
        verdict = texts.first ?? ""
        errorName = texts.count > 1 ? texts[1] : ""
        errorMessage = texts.count > 2 ? texts[2] : ""
    }

    /// The verdict, and the serial if there is one: `navigated 17`.
    var text: String { serial == 0 ? verdict : "\(verdict) \(serial)" }
}

/// The outcome of a step that was answered `pending`.
///
/// StepConcluded is sent to this connection without a subscription, so it can't be missed.
private struct PendingOutcome {
    private let client: ServiceClient
    private let output: Output

    init(_ client: ServiceClient, _ output: Output) {
        self.client = client
        self.output = output
    }

    /// Waits for the outcome. A service that restarts meanwhile continues the step, and reports the outcome.
    func wait() throws(Failure) -> StepOutcome {
        while true {
            guard let signal = try client.next() else { continue }
            if signal.newOwner == "" {
                output.note("the service is gone; waiting for its restart and the outcome")
            }
            guard signal.interface == "\(BusNames.Interface.stepper)", signal.member == "StepConcluded",
                signal.values.count == 5
            else { continue }
            let outcome = StepOutcome(Array(signal.values[1...]))
            guard outcome.errorName.isEmpty else {
                throw Failure(.refused, Names.line(outcome.errorMessage), errorName: outcome.errorName)
            }
            return outcome
        }
    }
}

extension Output {
    /// Prints the outcome of a step.
    ///
    /// - Returns: The exit status for the outcome.
    func report(
        _ outcome: StepOutcome, isWaiting: Bool = false, node: Target, step: String
    ) throws(Failure) -> ExitStatus {
        let verdict = Names.line(outcome.verdict)
        if isJSON {
            try line(.object([("verdict", .string(outcome.verdict)), ("serial", .number(Int128(outcome.serial)))]))
        } else {
            try line(outcome.serial == 0 ? verdict : "\(verdict) \(outcome.serial)")
        }
        switch outcome.verdict {
        case "navigated", "deferred": return .success
        case "pending" where isWaiting: return .success
        default:
            if !isJSON, let explanation = Self.explanation(of: outcome.verdict, node, step) { note(explanation) }
            return .negative
        }
    }

    /// Returns an explanation of a verdict.
    static func explanation(of verdict: String, _ node: Target, _ step: String) -> String? {
        switch verdict {
        case "hidden":
            "'\(node.text)' is not presented, and ignores steps then; 'flowbusctl tree' shows what covers it, "
                + "'flowbusctl show' shows it"
        case "unhandled":
            step.isEmpty
                ? "there is nothing to go back to"
                : "no rule takes the step '\(step)' there; 'flowbusctl explain \(node.text) \(step)' explains it"
        case "rejected": "the flow's guard refused the step '\(step)'"
        default: nil
        }
    }
}
