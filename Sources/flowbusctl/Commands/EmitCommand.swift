import ArgumentParser
import FlowCore
import FlowWire
import Platform

/// A step on a flow or screen: of `emit` and `explain`.
struct TypedStep: ParsableArguments {
    @Argument(help: ArgumentHelp("The flow or screen.", valueName: "node"), completion: Completion.nodes)
    var node: String

    @Argument(help: ArgumentHelp("The step's name.", valueName: "step"), completion: Completion.stepsOfNode)
    var step: String

    @Argument(
        help: ArgumentHelp("The step's arguments.", valueName: "key=value"), completion: Completion.argumentsOfStep)
    var arguments: [String] = []

    /// Where it is emitted.
    var target: Target { get throws(Failure) { try Target(node) } }

    /// Its arguments, whose types are not known yet.
    var parsed: [TypedArgument] { get throws(Failure) { try TypedArgument.all(arguments) } }
}

/// `emit`
struct EmitCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "emit", abstract: "Emit a step on a node, and print the verdict.",
        discussion: """
            If the flow navigated, the serial follows the verdict: 'navigated 17'. The declaration of the step gives the \
            types of the values.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @OptionGroup var typed: TypedStep

    @Option(help: ArgumentHelp("The token of the call, which the signal StepConcluded carries.", valueName: "token"))
    var token: String?

    @Flag(help: "If the step is not decided at once, print 'pending' and exit.")
    var noWait = false

    @Option(
        help: ArgumentHelp(
            "Refuse the step unless the node is this instance.", valueName: "number"))
    var instance: UInt64?

    @Option(help: ArgumentHelp("The token that lets a window come to the front.", valueName: "token"))
    var activationToken: String?

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let (node, arguments) = (try typed.target, try typed.parsed)
        let navigation = try context.connect()
        let values = try navigation.arguments(arguments, of: typed.step)
        var options: [(name: String, value: Value)] = []
        if let token { options.append(("token", .string(token))) }
        // The outcome is waited for here, as long as it takes: a call would be lost with a service that is restarted.
        options.append(("wait", .bool(false)))
        if let instance { options.append(("instance", .uint64(instance))) }
        if let activationToken { options.append(("activation-token", .string(activationToken))) }
        // Before, so that no restart is missed while the outcome is waited for.
        if !noWait { try navigation.subscribeToOwner() }
        let answer = try navigation.call(
            node, BusNames.Interface.stepper, "EmitStepWithOptions", .string(typed.step), values, .dictionary(options))
        var outcome = StepOutcome(answer)
        if outcome.verdict == "pending", !noWait {
            if Terminal.isErrors { context.output.note("pending: waiting for the outcome") }
            outcome = try Conclusion(navigation, context.output).wait()
        }
        return try context.output.tell(outcome, isWaiting: noWait, node: node, step: typed.step)
    }
}

/// What became of a step.
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
}

/// The outcome of a step that was answered with `pending`.
///
/// StepConcluded is sent to this connection alone, asked for or not; so nothing is lost before it is looked at.
private struct Conclusion {
    private let navigation: Navigation
    private let output: Output

    init(_ navigation: Navigation, _ output: Output) {
        self.navigation = navigation
        self.output = output
    }

    /// Waits for it. A service that is restarted meanwhile goes on with the step, and tells the outcome all the same.
    func wait() throws(Failure) -> StepOutcome {
        while true {
            guard let signal = try navigation.next() else { continue }
            if signal.newOwner == "" {
                output.note("the service is gone; waiting until it is there again, and tells the outcome")
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
    /// Prints what became of a step.
    ///
    /// - Returns: the status that says the same.
    func tell(
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
            if !isJSON, let why = Self.why(outcome.verdict, node, step) { note(why) }
            return .negative
        }
    }

    /// What a verdict means, for a person.
    private static func why(_ verdict: String, _ node: Target, _ step: String) -> String? {
        switch verdict {
        case "hidden":
            "'\(node.text)' is not presented, and ignores steps then; 'flowbusctl tree' shows what covers it, "
                + "'flowbusctl show' shows it"
        case "unhandled":
            step.isEmpty
                ? "there is nothing to go back to"
                : "no rule takes the step '\(step)' there; 'flowbusctl explain \(node.text) \(step)' says why"
        case "rejected": "the flow's guard refused the step '\(step)'"
        default: nil
        }
    }
}
