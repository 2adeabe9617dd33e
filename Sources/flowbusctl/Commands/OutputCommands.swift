import ArgumentParser
import FlowCore
import FlowWire

/// `move`
struct MoveCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a root to another output, usually a display.")

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(help: ArgumentHelp("The root.", valueName: "node"), completion: Completion.nodes)
    var node: String

    @Argument(help: ArgumentHelp("The output; empty for none.", valueName: "output"))
    var output: String

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let node = try Target(self.node)
        try caller.connect(context).coordinator("MoveRoot", .objectPath(node.objectPath), .string(output))
        return .success
    }
}

/// `outputs`
struct OutputsCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "outputs", abstract: "Show the outputs that there are, or set them.",
        discussion: """
            Without a name, the outputs are printed, each on a line. Names replace the list; an output that is not among them is gone after \
            10 s. Only the program that the definition files name may set them ([outputs] setter); --as makes this command that program.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(
        help: ArgumentHelp("The outputs, such as displays; the first one is where others move.", valueName: "output"))
    var outputs: [String] = []

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let client = try caller.connect(context)
        if !outputs.isEmpty {
            try client.coordinator("SetOutputs", .array(element: "s", outputs.map(Value.string)))
            return .success
        }
        let known = try client.properties(ServiceClient.root, BusNames.Interface.coordinator)["Outputs"]?.elements ?? []
        if context.output.isJSON {
            try context.output.line(.array(known.map { .string($0.text ?? "") }))
        } else {
            for output in known { try context.output.line(Names.line(output.text ?? "")) }
        }
        return .success
    }
}

/// `retry`
struct RetryCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Call at once the presenters of screens that wait.",
        discussion: """
            A presenter that can't show its screen is called again after a pause, and an empty flow takes its initial step again after
            one. This ends the pauses: what they waited for is there.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        try context.connect().coordinator("Retry")
        return .success
    }
}

/// `stack`
struct StackCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "stack", abstract: "List the screens in sight, the highest first.",
        discussion: """
            A screen is in sight if nothing covers it and its flow is presented. Windows of these screens stand in this order.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(help: ArgumentHelp("The output whose roots count (default: all of them).", valueName: "output"))
    var output: String?

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let answer = try context.connect().coordinator("GetStack", .string(output ?? ""))
        let screens = (answer.first?.elements ?? []).reversed().compactMap(StackedScreen.init)
        if context.output.isJSON {
            for screen in screens { try context.output.line(screen.json) }
        } else {
            for screen in screens { try context.output.line(screen.line(context.output)) }
        }
        return .success
    }
}

/// A screen in an answer of GetStack, `(ota{sv})`.
private struct StackedScreen {
    let path: String
    let instance: Int128
    let details: Value

    init?(_ value: Value) {
        let parts = value.elements
        guard parts.count == 3, let path = parts[0].text, let instance = parts[1].number else { return nil }
        self.path = path
        self.instance = Int128(instance)
        details = parts[2]
    }

    /// The details that are texts, in the order of the output.
    private static let texts = ["layer", "style", "title", "waiting", "owner", "output", "application"]

    private var isVisible: Bool { details["visible"]?.truth ?? false }

    func line(_ output: Output) -> String {
        var line = output.paint(path.shortPath, .bold)
        if !isVisible { line += " hidden" }
        for key in Self.texts { if let text = details[key]?.text { line += " \(key)=\(Names.line(text))" } }
        return line
    }

    var json: JSON {
        var members: [(String, JSON)] = [
            ("path", .string(path.shortPath)), ("object", .string(path)), ("instance", .number(instance)),
            ("visible", .bool(isVisible)),
        ]
        for key in Self.texts { members.append((key, .string(details[key]?.text ?? ""))) }
        return .object(members)
    }
}
