import ArgumentParser
import FlowCore
import FlowWire

/// `back`
struct BackCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "back", abstract: "Go back, at the innermost flow that can go back.",
        discussion: """
            On a flow, the search begins at the innermost flow that is shown below it. On a screen, it begins at the \
            screen's flow and goes up, if the screen is presented.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(help: ArgumentHelp("The flow or screen.", valueName: "node"), completion: Completion.nodes)
    var node: String

    @Flag(help: "Print what Back would do, and do nothing.")
    var peek = false

    @Option(
        help: ArgumentHelp(
            "Do nothing unless this instance would go, which --peek prints.", valueName: "number"))
    var goes: UInt64?

    @Option(help: ArgumentHelp("The token of the call: it is not carried out a second time.", valueName: "token"))
    var token: String?

    @Option(help: ArgumentHelp("The token that lets a window come to the front.", valueName: "token"))
    var activationToken: String?

    @OptionGroup var caller: Caller

    func validate() throws {
        if peek, goes != nil || token != nil || activationToken != nil {
            throw ValidationError(
                "--peek does nothing, so that --goes, --token and --activation-token have no meaning.")
        }
    }

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let node = try Target(self.node)
        let client = try caller.connect(context)
        if peek {
            let answer = try client.call(node, BusNames.Interface.stepper, "PeekBack")
            return try context.output.report(BackForecast(answer), node)
        }
        var options: [(name: String, value: Value)] = []
        if let goes { options.append(("goes", .uint64(goes))) }
        if let token { options.append(("token", .string(token))) }
        if let activationToken { options.append(("activation-token", .string(activationToken))) }
        let answer = try client.call(
            node, BusNames.Interface.stepper, "BackWithOptions", .dictionary(options))
        return try context.output.report(StepOutcome(answer), node: node, step: "")
    }
}

/// What Back would do.
private struct BackForecast {
    let kind: String
    /// The instance that would go.
    let goes: UInt64?
    /// The object path of what would be uncovered.
    let reveals: String?
    let step: String?

    /// Reads `s kind, a{sv} details`.
    init(_ answer: [Value]) {
        kind = answer.first?.text ?? ""
        let details = answer.dropFirst().first
        goes = details?["goes"]?.number
        reveals = details?["reveals"]?.text
        step = details?["step"]?.text
    }
}

extension Output {
    /// Prints what Back would do. Returns the exit status for that.
    fileprivate func report(_ forecast: BackForecast, _ node: Target) throws(Failure) -> ExitStatus {
        if isJSON {
            var members: [(String, JSON)] = [("kind", .string(forecast.kind))]
            if let goes = forecast.goes { members.append(("goes", .number(Int128(goes)))) }
            if let reveals = forecast.reveals { members.append(("reveals", .string(reveals.shortPath))) }
            if let step = forecast.step { members.append(("step", .string(step))) }
            try line(.object(members))
        } else {
            var text = Names.line(forecast.kind)
            if let goes = forecast.goes { text += " \(goes)" }
            if let reveals = forecast.reveals { text += ", reveals \(Names.line(reveals.shortPath))" }
            if let step = forecast.step { text += " \(Names.line(step))" }
            try line(text)
        }
        switch forecast.kind {
        case "hidden":
            if !isJSON { note("'\(node.text)' is not presented; 'flowbusctl tree' shows what covers it") }
            return .negative
        case "unhandled":
            if !isJSON { note("there is nothing to go back to") }
            return .negative
        default: return .success
        }
    }
}
