import ArgumentParser
import FlowCore
import FlowWire

/// `start`
struct StartCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start a flow as a new root, and print its path.",
        discussion: """
            The arguments are those of the initial step, which --step or the flow's definition names. Without --step, an \
            argument needs to have the same type in all steps that declare it.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(help: ArgumentHelp("The flow's definition.", valueName: "flow"), completion: Completion.flows)
    var flow: String

    @Argument(help: ArgumentHelp("Arguments of the initial step.", valueName: "key=value"))
    var arguments: [String] = []

    @Option(help: ArgumentHelp("The id of the root (default: the name of the flow).", valueName: "id"))
    var id: String?

    @Option(
        help: ArgumentHelp("The initial step, instead of the one in the definition.", valueName: "step"),
        completion: Completion.steps)
    var step: String?

    @Option(
        help: ArgumentHelp("An argument of the flow itself; can be given several times.", valueName: "key=value"))
    var flowArgument: [String] = []

    @Option(help: ArgumentHelp("The display that the root stands on.", valueName: "output"))
    var output: String?

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let typed = try TypedArgument.all(arguments)
        let ofFlow = try TypedArgument.all(flowArgument)
        let client = try caller.connect(context)
        let values =
            if let step { try client.arguments(typed, of: step) } else { try client.likelyValues(of: typed) }
        var options: [(name: String, value: Value)] = []
        if let id { options.append(("id", .string(id))) }
        if let output { options.append(("output", .string(output))) }
        if !ofFlow.isEmpty {
            var values: [(name: String, value: Value)] = []
            // Their types are not known here; an integer of any type is accepted for any other.
            for argument in ofFlow { values.append((argument.name, try argument.naturalValue())) }
            options.append(("flowArguments", .dictionary(values)))
        }
        let answer = try client.coordinator(
            "Coordinate", .string(flow), .string(step ?? ""), values, .dictionary(options))
        let path = answer.first?.text ?? ""
        if context.output.isJSON {
            try context.output.line(.object([("path", .string(path.shortPath)), ("object", .string(path))]))
        } else {
            try context.output.line(path.shortPath)
        }
        return .success
    }
}

extension ServiceClient {
    /// Returns the values for a step whose name only the service knows: each has the type that all steps declare for
    /// its name, otherwise its natural type.
    fileprivate func likelyValues(of typed: [TypedArgument]) throws(Failure) -> Value {
        guard !typed.isEmpty else { return .dictionary([]) }
        let declared = try declarations().flatMap(\.parameters)
        var values: [(name: String, value: Value)] = []
        for argument in typed {
            let types = Set(declared.filter { $0.name == argument.name }.map(\.type))
            if let type = types.first, types.count == 1 {
                values.append((argument.name, try argument.value(as: type)))
            } else {
                values.append((argument.name, try argument.naturalValue()))
            }
        }
        return .dictionary(values)
    }
}
