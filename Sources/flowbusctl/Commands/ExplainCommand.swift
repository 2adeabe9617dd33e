import ArgumentParser
import FlowCore
import FlowWire

/// `explain`
struct ExplainCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show what a step would do if it were emitted now, and why.",
        discussion: "Nothing changes.")

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @OptionGroup var typed: TypedStep

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let (node, arguments) = (try typed.target, try typed.parsed)
        let client = try caller.connect(context)
        let values = try client.arguments(arguments, of: typed.step)
        let answer = try client.call(
            node, BusNames.Interface.stepper, "Explain", .string(typed.step), values)
        let verdict = answer.first?.text ?? ""
        let error = answer.dropFirst().first?.text ?? ""
        let lines = (answer.dropFirst(2).first?.elements ?? []).compactMap(\.text)
        if context.output.isJSON {
            try context.output.line(
                .object([
                    ("verdict", .nonEmpty(verdict)), ("errorName", .nonEmpty(error)),
                    ("explanation", .array(lines.map(JSON.string))),
                ]))
        } else {
            let word = verdict.isEmpty ? BusNames.shortened(error) : verdict
            try context.output.line(context.output.paint(Names.line(word), .bold))
            for line in lines {
                // Paths are shown as on the command line.
                try context.output.line("  " + Names.line(line.replacing("'\(BusNames.tree)/", with: "'")))
            }
        }
        switch verdict {
        case "navigated", "deferred", "pending": return .success
        default: return .negative
        }
    }
}
