import ArgumentParser
import FlowCore
import FlowWire

/// `navigate`
struct NavigateCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "navigate", abstract: "Follow a deep link: emit a step on every live flow, and print the verdicts."
    )

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(help: ArgumentHelp("The step's name.", valueName: "step"), completion: Completion.steps)
    var step: String

    @Argument(
        help: ArgumentHelp("The step's arguments.", valueName: "key=value"), completion: Completion.argumentsOfFirst)
    var arguments: [String] = []

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let typed = try TypedArgument.all(arguments)
        let client = try caller.connect(context)
        let values = try client.arguments(typed, of: step)
        let answer = try client.coordinator("Navigate", .string(step), values, .dictionary([]))
        let outcomes = try context.output.reportOutcomes(answer)
        if outcomes.isEmpty, !context.output.isJSON {
            context.output.note("no flow is live; 'flowbusctl start' starts one")
        }
        return outcomes.contains { $0.verdict == "navigated" } ? .success : .negative
    }
}

/// `along`
struct AlongCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "along", abstract: "Follow a deep link along a path of flows, each below the previous one.",
        discussion: """
            A segment is the name of a flow's definition and, optionally, a step for that flow: 'main:open,item=7'. A comma \
            inside quotes or brackets belongs to the value. Of several flows of a name, 'main[user=anna]:open' means the one with \
            this value of its key.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(
        help: ArgumentHelp("A flow of the path.", valueName: "flow[:step[,key=value...]]"), completion: Completion.flows
    )
    var segments: [String]

    @Option(help: ArgumentHelp("How long all segments together may take (default: 10s).", valueName: "time"))
    var timeout: String?

    @Option(
        name: .customLong("root"),
        help: ArgumentHelp("Begin below this live root.", valueName: "node"), completion: Completion.nodes)
    var start: String?

    @OptionGroup var caller: Caller

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let time = try TypedTime.span(timeout)
        var typed: [PathSegment] = []
        for text in segments { typed.append(try PathSegment(text)) }
        let client = try caller.connect(context)
        let declarations = try client.declarations()
        var path: [Value] = []
        for segment in typed { path.append(try segment.value(declarations)) }
        let keys = try keys(of: typed, client)
        var options: [(name: String, value: Value)] = []
        if let time { options.append(("timeout", .uint64(time))) }
        if let keys { options.append(("keys", keys)) }
        if let start { options.append(("root", .objectPath(try NodePath(start).objectPath))) }
        do throws(Failure) {
            let answer = try client.coordinator(
                "NavigateAlong", .array(element: "(ssa{sv})", path), .dictionary(options),
                timeout: (time ?? 10_000_000) + 15_000_000)
            try context.output.reportOutcomes(answer)
            return .success
        } catch  where error.errorName == FlowError.Code.pathFailed.busName {
            throw Failure(.negative, error.message, errorName: error.errorName)
        }
    }

    /// Returns the values of keys, with their declared types; nil if none is given.
    private func keys(of segments: [PathSegment], _ client: ServiceClient) throws(Failure) -> Value? {
        if segments.allSatisfy(\.key.isEmpty) { return nil }
        let definitions = try client.definitions()
        var keys: [Value] = []
        for segment in segments {
            let flow = definitions.flow(named: segment.flow).map { definitions[$0] }
            var values: [(name: String, value: Value)] = []
            for argument in segment.key {
                // The service refuses what is not in the key.
                let type = flow?.parameters.first { $0.name == argument.name }?.type
                values.append((argument.name, try argument.value(as: type)))
            }
            keys.append(.dictionary(values))
        }
        return .array(element: "a{sv}", keys)
    }
}

/// A segment of a path of flows on the command line.
struct PathSegment: Equatable {
    let flow: String
    let key: [TypedArgument]
    let step: String
    let arguments: [TypedArgument]

    init(_ text: String) throws(Failure) {
        let name = text.prefix { $0 != ":" && $0 != "[" }
        var rest = text[name.endIndex...]
        var key: Substring = ""
        if rest.first == "[" {
            guard let end = Self.closing(rest) else {
                throw Failure(.usage, "'\(Names.escaped(text))' has no ']' behind the values of its key")
            }
            key = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
        }
        flow = String(name)
        self.key = try TypedArgument.all(key.isEmpty ? [] : Self.split(key))
        guard Names.isPresentableName(flow), rest.isEmpty || rest.first == ":" else {
            throw Failure(
                .usage,
                "'\(Names.escaped(text))' is no segment of a path; write it as flow, flow:step or flow:step,name=value, with "
                    + "flow[name=value] for one of several"
            )
        }
        let parts = rest.isEmpty ? [] : Self.split(rest.dropFirst())
        step = parts.first ?? ""
        if !rest.isEmpty, step.isEmpty {
            throw Failure(.usage, "'\(Names.escaped(text))' has no step after the ':'")
        }
        arguments = try TypedArgument.all(Array(parts.dropFirst()))
    }

    /// `(ssa{sv})`
    fileprivate func value(_ declarations: [StepDeclaration]) throws(Failure) -> Value {
        let declared = declarations.first { $0.name == step }
        // The service refuses an undeclared step, and suggests a similar name.
        let values = try declared?.values(of: arguments) ?? .dictionary([])
        return .structure([.string(flow), .string(step), values])
    }

    /// The place of the bracket that closes the one at the beginning.
    private static func closing(_ text: Substring) -> Substring.Index? {
        var depth = 0
        var quote: Character?
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "[" {
                depth += 1
            } else if character == "]" {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }

    /// Splits at the commas outside quotes and brackets.
    static func split(_ text: Substring) -> [String] {
        var parts = [""]
        var depth = 0
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if "[{(".contains(character) {
                depth += 1
            } else if "]})".contains(character) {
                depth -= 1
            } else if character == ",", depth <= 0 {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
        }
        return parts
    }
}

extension Output {
    /// Prints what became of the step of each flow, `a(otsss)`.
    @discardableResult
    func reportOutcomes(_ answer: [Value]) throws(Failure) -> [StepOutcome] {
        var outcomes: [StepOutcome] = []
        for entry in answer.first?.elements ?? [] {
            let path = entry.elements.first?.text ?? ""
            let outcome = StepOutcome(Array(entry.elements.dropFirst()))
            outcomes.append(outcome)
            if isJSON {
                try line(
                    .object([
                        ("path", .string(path.shortPath)), ("object", .string(path)),
                        ("serial", .number(Int128(outcome.serial))), ("verdict", .nonEmpty(outcome.verdict)),
                        ("errorName", .nonEmpty(outcome.errorName)), ("errorMessage", .nonEmpty(outcome.errorMessage)),
                    ]))
            } else {
                let parts = [outcome.verdict, BusNames.shortened(outcome.errorName), outcome.errorMessage]
                let text = parts.filter { !$0.isEmpty }.joined(separator: ": ")
                try line(path.shortPath + (text.isEmpty ? "" : ": " + Names.line(text)))
            }
        }
        return outcomes
    }
}
