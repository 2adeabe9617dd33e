import FlowCore
import SdBus

/// Reads what a navigator answers, `a(ssa{sv})`: contributors by kind, name and options, as in a definition file.
///
/// What the file's reader would report as wrong is refused here, the first of it, with a text that names it. Values are
/// never shown: they can come from a step whose arguments are private, and everyone may read the text.
struct ContributorsReader {
    /// The most that one answer can have: as many as a flow has children.
    static let limit = Limits.children

    private static let forward = [(name: "arguments", type: "a{sv}")]
    private static let child = [
        (name: "id", type: "s"), (name: "arguments", type: "a{sv}"), (name: "step", type: "s"),
        (name: "stepArguments", type: "a{sv}"), (name: "style", type: "s"), (name: "whenHidden", type: "s"),
        (name: "reuse", type: "b"), (name: "clear", type: "b"), (name: "onDismissed", type: "a{sv}"),
    ]

    private let message: MessageReader
    private let definitions: Definitions
    /// Bytes of arguments that may still come.
    private var budget = Limits.answerBytes

    private init(_ message: MessageReader, _ definitions: Definitions) {
        self.message = message
        self.definitions = definitions
    }

    /// Reads the contributors that are next in the message.
    ///
    /// - Throws: ``FlowError`` for what can't be one, ``SdError`` for what libsystemd could not read.
    static func read(_ message: MessageReader, in definitions: Definitions) throws -> [FlowContributor] {
        var reader = ContributorsReader(message, definitions)
        return try reader.read()
    }

    private mutating func read() throws -> [FlowContributor] {
        var contributors: [FlowContributor] = []
        var (count, hasEnd) = (0, false)
        _ = try message.enterContainer(.array, "(ssa{sv})")
        while try message.enterContainer(.structure, "ssa{sv}") {
            count += 1
            guard count <= Self.limit else {
                throw FlowError(.navigatorFailed, "it has more than \(Self.limit) contributors; that is the limit")
            }
            let kind = String(cString: try message.readString())
            let name = String(cString: try message.readString())
            do {
                if let contributor = try contributor(kind, name) { contributors.append(contributor) }
            } catch let error as FlowError {
                let shown = "'\(Names.escaped(kind))'" + (name.isEmpty ? "" : " '\(Names.escaped(name))'")
                throw FlowError(.navigatorFailed, "contributor \(count), \(shown): \(error.message)")
            }
            if kind == "end" { hasEnd = true }
            try message.exitContainer()
        }
        try message.exitContainer()
        guard !hasEnd || count == 1 else {
            throw FlowError(
                .navigatorFailed,
                "'end' stands beside other contributors; the flow is gone with it, so it has to be the only one")
        }
        return contributors
    }

    /// The contributor whose options are next; nil for `none`, which is none.
    private mutating func contributor(_ kind: String, _ name: String) throws -> FlowContributor? {
        switch kind {
        case "screen":
            guard let screen = definitions.screen(named: name) else {
                throw wrong("no definition declares that screen" + suggestion(name, definitions.screens.map(\.name)))
            }
            let declared = Declared(parameters: definitions[screen].parameters, subject: "the screen")
            return .child(try child(.screen(screen), declared, initial: nil))
        case "flow":
            guard let flow = definitions.flow(named: name) else { throw definitions.unknownFlow(name) }
            let declared = Declared(parameters: definitions[flow].parameters, subject: "the flow")
            return .child(try child(.flow(flow), declared, initial: definitions[flow].initial))
        case "current": return .current(try forwarded(to: name))
        case "parent": return .parent(try forwarded(to: name))
        case "end":
            guard name.isEmpty else { return .end(try forwarded(to: name)) }
            try CallOptions.read(message, known: []) { _ in }
            return .end(nil)
        case "pop":
            try CallOptions.read(message, known: []) { _ in }
            if name == "root" { return .pop(.root) }
            guard definitions.screen(named: name) != nil || definitions.flow(named: name) != nil else {
                let names = definitions.screens.map(\.name) + definitions.flows.map(\.name)
                throw wrong("no definition declares a screen or flow of that name" + suggestion(name, names))
            }
            return .pop(.to(name: name))
        case "none":
            try CallOptions.read(message, known: []) { _ in }
            guard name.isEmpty else { throw wrong("'none' has no name; it has to be empty") }
            return nil
        default:
            let kinds = ["screen", "flow", "current", "parent", "end", "pop", "none"]
            let known = kinds.map { "'\($0)'" }.joined(separator: ", ")
            throw wrong("there is no such kind; known are \(known)" + Names.suggestion(for: kind, among: kinds))
        }
    }

    private mutating func forwarded(to name: String) throws -> StepTemplate {
        let step = try step(name)
        var given: Arguments?
        try CallOptions.read(message, known: Self.forward) { _ in given = try arguments() }
        return StepTemplate(step.id, arguments: try source(given, for: step.declared))
    }

    private mutating func child(
        _ presentable: ChildTemplate.Presentable, _ declared: Declared, initial: StepID?
    ) throws -> ChildTemplate {
        var options = ChildOptions()
        try CallOptions.read(message, known: Self.child) { option in
            switch option {
            case "id": options.id = try id()
            case "arguments": options.arguments = try arguments()
            case "step": options.step = try step(text())
            case "stepArguments": options.stepArguments = try arguments()
            case "style": options.style = try style()
            case "whenHidden": options.whenHidden = try whenHidden()
            case "reuse": options.reuses = try message.readBool()
            case "clear": options.clears = try message.readBool()
            default: options.onDismissed = try onDismissed(of: declared)
            }
        }
        let first = options.step?.declared ?? initial.map { declaration(of: $0) }
        if first == nil, options.stepArguments != nil {
            throw wrong("it has no initial step that could take 'stepArguments'; name one with 'step'")
        }
        return ChildTemplate(
            presentable, id: options.id, arguments: try source(options.arguments, for: declared),
            step: options.step?.id,
            stepArguments: try first.map { try source(options.stepArguments, for: $0) } ?? .inherited,
            style: options.style, whenHidden: options.whenHidden, reuses: options.reuses, clears: options.clears,
            onDismissed: options.onDismissed)
    }

    /// What can stand beside a child. A dictionary has no order, so the options are looked at when all are read.
    private struct ChildOptions {
        var id: String?
        var arguments: Arguments?
        var step: (id: StepID, declared: Declared)?
        var stepArguments: Arguments?
        var style = ""
        var whenHidden: WhenHidden?
        var reuses = false
        var clears = false
        var onDismissed: StepTemplate?
    }

    private mutating func onDismissed(of child: Declared) throws -> StepTemplate {
        var step: (id: StepID, declared: Declared)?
        var given: Arguments?
        try CallOptions.read(message, known: [("step", "s"), ("arguments", "a{sv}")]) { option in
            switch option {
            case "step": step = try self.step(text())
            default: given = try arguments()
            }
        }
        guard let step else { throw wrong("'onDismissed' has to name its step") }
        return StepTemplate(step.id, arguments: try source(given, for: step.declared, of: child))
    }

    private func id() throws -> String {
        let id = try text()
        guard Names.isPresentableName(id) else {
            throw wrong("'\(Names.escaped(id))' can't be an id: it has to be \(Names.presentableNameRule)")
        }
        return id
    }

    private func whenHidden() throws -> WhenHidden {
        let word = try text()
        guard let whenHidden = WhenHidden(rawValue: word) else {
            let words = WhenHidden.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            throw wrong("'whenHidden' is '\(Names.escaped(word))'; it has to be one of \(words)")
        }
        return whenHidden
    }

    private func style() throws -> String {
        let word = try text()
        guard word.utf8.count <= Limits.styleLength else {
            throw wrong("'style' has \(word.utf8.count) bytes; it can have at most \(Limits.styleLength)")
        }
        return word
    }

    private func text() throws -> String { String(cString: try message.readString()) }

    /// Arguments by name, whatever takes them.
    private mutating func arguments() throws -> Arguments {
        let arguments = try ArgumentsReader.read(message, for: [])
        budget -= arguments.byteCount
        guard budget >= 0 else {
            throw wrong(
                "the arguments of all contributors take more than \(Limits.answerBytes) bytes; that is the limit")
        }
        return arguments
    }

    private func wrong(_ text: String) -> FlowError { FlowError(.navigatorFailed, text) }

    private func suggestion(_ name: String, _ names: [String]) -> String { Names.suggestion(for: name, among: names) }
}

// MARK: - Arguments

extension ContributorsReader {
    /// What takes arguments, and how it is called.
    private struct Declared {
        let parameters: [Parameter]
        let subject: String

        subscript(name: String) -> Parameter? { parameters.first { $0.name == name } }
    }

    private func step(_ name: String) throws -> (id: StepID, declared: Declared) {
        guard let step = definitions.step(named: name) else { throw definitions.unknownStep(name) }
        return (step, declaration(of: step))
    }

    private func declaration(of step: StepID) -> Declared {
        Declared(parameters: definitions[step].parameters, subject: "step '\(definitions[step].name)'")
    }

    /// The arguments that are given, as what takes them declares them; where none are, those that it inherits (S-18).
    ///
    /// - Parameter child: what is dismissed: then a text can refer to its name, the reason, or an argument of its own.
    private func source(
        _ given: Arguments?, for target: Declared, of child: Declared? = nil
    ) throws -> ArgumentSource {
        guard let given else { return .inherited }
        var bindings: [Binding] = []
        for argument in given {
            guard let parameter = target[argument.name] else {
                let names = target.parameters.map(\.name)
                let takes = names.isEmpty ? "none" : names.map { "'\($0)'" }.joined(separator: ", ")
                throw wrong(
                    "\(target.subject) has no argument '\(Names.escaped(argument.name))': it takes \(takes)"
                        + suggestion(argument.name, names))
            }
            guard !bindings.contains(where: { $0.name == argument.name }) else {
                throw wrong("\(target.subject) was given the argument '\(argument.name)' more than once")
            }
            let source = try child.flatMap { try reference(argument.value, to: parameter, of: $0) }
            bindings.append(Binding(argument.name, try source ?? .literal(admit(argument.value, by: parameter, child))))
        }
        if let missing = target.parameters.first(where: { !$0.isOptional && given[$0.name] == nil }) {
            throw wrong(
                "\(target.subject) needs the argument '\(missing.name)' of type \(missing.type.description)")
        }
        return .given(bindings.sorted { $0.name < $1.name })
    }

    /// What a text in `onDismissed` refers to; nil where it stands for itself.
    private func reference(_ value: Value, to parameter: Parameter, of child: Declared) throws -> Binding.Source? {
        guard case .string(let text) = value, text.hasPrefix("$"), !text.hasPrefix("$$") else { return nil }
        let name = String(text.dropFirst())
        let source: Binding.Source
        let type: ValueType?
        switch name {
        case "name": (source, type) = (.childName, ValueType(signature: "s"))
        case "reason": (source, type) = (.reason, ValueType(signature: "s"))
        default: (source, type) = (.step(name), child[name]?.type)
        }
        guard let type else {
            throw wrong(
                "'\(Names.escaped(text))' refers to nothing (for the text itself write '$\(Names.escaped(text))'): "
                    + "\(child.subject) has no argument '\(Names.escaped(name))'")
        }
        guard parameter.type.canAdmit(type) else { throw misfit(parameter, "'\(text)' is of type \(type.description)") }
        return source
    }

    private func admit(_ value: Value, by parameter: Parameter, _ child: Declared?) throws -> Value {
        var value = value
        if child != nil, case .string(let text) = value, text.hasPrefix("$$") {
            value = .string(String(text.dropFirst()))
        }
        guard let admitted = parameter.type.admit(value) else {
            if value.integer != nil, "ynqiuxt".contains(parameter.type.signature) {
                throw misfit(parameter, "it is out of the range of that type")
            }
            let type = ValueType(signature: value.signature)?.description ?? value.signature
            throw misfit(parameter, "it is of type \(type)")
        }
        return admitted
    }

    private func misfit(_ parameter: Parameter, _ why: String) -> FlowError {
        wrong("the argument '\(parameter.name)' has to be of type \(parameter.type.description): \(why)")
    }
}
