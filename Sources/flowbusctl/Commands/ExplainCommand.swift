import ArgumentParser
import FlowCore
import FlowWire

/// `explain`
struct ExplainCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say what a step would do, and why not; nothing changes by it.")

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @OptionGroup var typed: TypedStep

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let (node, arguments) = (try typed.target, try typed.parsed)
        let navigation = try context.connect()
        let values = try navigation.arguments(arguments, of: typed.step)
        let answer = try ask(navigation, node, values)
        let verdict = answer.first?.text ?? ""
        let lines = (answer.dropFirst().first?.elements ?? []).compactMap(\.text)
        if context.output.isJSON {
            try context.output.line(
                .object([("verdict", .string(verdict)), ("explanation", .array(lines.map(JSON.string)))]))
        } else {
            try context.output.line(
                context.output.paint(
                    Names.line(BusNames.shortened(verdict)), .bold))
            for line in lines {
                // Nodes as a command line has them.
                try context.output.line("  " + Names.line(line.replacing("'\(BusNames.tree)/", with: "'")))
            }
        }
        switch verdict {
        case "navigated", "deferred", "pending": return .success
        default: return .negative
        }
    }

    private func ask(_ navigation: Navigation, _ node: Target, _ values: Value) throws(Failure) -> [Value] {
        do throws(Failure) {
            return try navigation.call(node, BusNames.Interface.stepper, "Explain", .string(typed.step), values)
        } catch  where error.isUnknownMethod {
            throw Failure(
                .refused,
                "the service can't explain steps: that is there since interface version 5; restart a newer one",
                errorName: error.errorName)
        }
    }
}
