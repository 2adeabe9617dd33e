import ArgumentParser
import FlowCore
import FlowWire

/// `context`
struct ContextCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "context", abstract: "Show the values of the context, or set some.",
        discussion: """
            Without a value, the values that are not private are printed. With --flow, they are those of this flow itself, and values \
            are set as this flow sees them. The declaration of a value gives its type. Only the setters of a value may set it; --as \
            makes this command one of them.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(help: ArgumentHelp("The values to set.", valueName: "key=value"), completion: Completion.contextNames)
    var values: [String] = []

    @Option(help: ArgumentHelp("The flow.", valueName: "node"), completion: Completion.nodes)
    var flow: String?

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        var (path, interface) = (ServiceClient.root, BusNames.Interface.coordinator)
        if let flow { (path, interface) = (try Target(flow).objectPath, BusNames.Interface.flow) }
        let typed = try TypedArgument.all(values)
        let client = try caller.connect(context)
        if typed.isEmpty {
            let values = try client.properties(path, interface)["Context"] ?? .dictionary([])
            if context.output.isJSON { try context.output.line(JSON(values)) } else { try context.output.list(values) }
        } else {
            try client.call(path, interface, "SetContext", [try client.settings(typed)])
        }
        return .success
    }
}

extension Output {
    /// Prints a line for each value.
    fileprivate func list(_ values: Value) throws(Failure) {
        for entry in values.entries { try line("\(entry.name)=\(entry.value.commandLineText)") }
    }
}

extension ServiceClient {
    /// The values to set, with their declared types.
    ///
    /// The service refuses undeclared ones, and suggests a similar name.
    fileprivate func settings(_ typed: [TypedArgument]) throws(Failure) -> Value {
        let definitions = try definitions()
        let declared = definitions.context + definitions.flows.flatMap(\.context)
        var values: [(name: String, value: Value)] = []
        for argument in typed {
            let type = declared.first { $0.name == argument.name }?.type
            let value = if let type { try argument.value(as: type) } else { try argument.naturalValue() }
            values.append((argument.name, value))
        }
        return .dictionary(values)
    }
}
