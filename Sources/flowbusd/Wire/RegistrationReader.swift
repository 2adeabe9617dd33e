import FlowCore
import SdBus

/// Reads what a client registers with a flow: its steps, `a{sa{ss}}`, by their names and the types of their arguments, and its
/// screens, `a{sa{sv}}`. The coordinator checks how they fit together.
enum RegistrationReader {
    /// Reads the next value, a dictionary of steps.
    ///
    /// - Throws: ``FlowError`` for a name or a type that is not allowed, and for more than the limits allow.
    static func steps(_ call: MessageReader) throws -> [StepDeclaration] {
        var steps: [StepDeclaration] = []
        try read(call, "step", "a{ss}", atMost: Limits.stepsPerRegistration) { name in
            guard Names.isStepName(name) else {
                throw FlowError(
                    .invalidName, "'\(Names.escaped(name))' can't be the name of a step: \(Names.stepNameRule)")
            }
            steps.append(StepDeclaration(name, parameters: try parameters(call, of: "step '\(name)'")))
        }
        return steps.sorted { $0.name < $1.name }
    }

    /// Reads the next value, a dictionary of screens.
    ///
    /// - Throws: ``FlowError``, as ``steps(_:)`` does.
    static func screens(_ call: MessageReader) throws -> [ScreenDeclaration] {
        var screens: [ScreenDeclaration] = []
        try read(call, "screen", "a{sv}", atMost: Limits.screensPerRegistration) { name in
            guard Names.isPresentableName(name) else {
                throw FlowError(
                    .invalidName,
                    "'\(Names.escaped(name))' can't be the name of a screen: \(Names.presentableNameRule)")
            }
            screens.append(try screen(name, call))
        }
        return screens.sorted { $0.name < $1.name }
    }

    /// Reads the options of a screen, by the names that they have in definition files.
    private static func screen(_ name: String, _ call: MessageReader) throws -> ScreenDeclaration {
        var (parameters, key, result): ([Parameter], [String], [Parameter]?) = ([], [], nil)
        var (keepsAwake, isPresentedOnReturn) = (false, true)
        var (budget, watchdog): (UInt64?, UInt64?)
        let known = [
            ("arguments", "a{ss}"), ("key", "as"), ("result", "a{ss}"), ("keepsAwake", "b"), ("presentOnReturn", "b"),
            ("budget", "t"), ("watchdog", "t"),
        ]
        let subject = "screen '\(name)'"
        try CallOptions.read(call, known: known, of: subject) { option in
            switch option {
            case "arguments": parameters = try self.parameters(call, of: subject)
            case "key": key = try self.key(call, of: subject)
            case "result": result = try self.parameters(call, of: "the result of \(subject)")
            case "keepsAwake": keepsAwake = try call.readBool()
            case "presentOnReturn": isPresentedOnReturn = try call.readBool()
            case "budget": budget = try time(try call.readUInt64(), option: "budget", of: subject)
            default: watchdog = try time(try call.readUInt64(), option: "watchdog", of: subject)
            }
        }
        return ScreenDeclaration(
            name, parameters: parameters, key: key, isPresentedOnReturn: isPresentedOnReturn, keepsAwake: keepsAwake,
            budget: budget,
            watchdog: watchdog, result: result)
    }

    /// Reads the names of a key. Whether they are those of arguments is known when these are (S-51).
    private static func key(_ call: MessageReader, of subject: String) throws -> [String] {
        var names: [String] = []
        _ = try call.enterContainer(.array, "s")
        while try call.peekType() != nil {
            guard names.count < Limits.keyArguments else {
                throw FlowError(
                    .limitExceeded,
                    "the key of \(subject) names more than \(Limits.keyArguments) arguments; that is the limit")
            }
            names.append(String(cString: try call.readString()))
        }
        try call.exitContainer()
        return names
    }

    /// Reads the values that a flow can answer with.
    static func result(_ call: MessageReader, of flow: String) throws -> [Parameter] {
        try parameters(call, of: "the result of flow '\(flow)'")
    }

    /// Reads a dictionary with names as keys.
    private static func read(
        _ call: MessageReader, _ what: String, _ type: String, atMost limit: Int,
        _ body: (_ name: String) throws -> Void
    ) throws {
        var count = 0
        guard try call.enterContainer(.array, "{s\(type)}") else { return }
        while try call.enterContainer(.dictEntry, "s\(type)") {
            guard count < limit else {
                throw FlowError(.limitExceeded, "more than \(limit) \(what)s of one flow; that is the limit")
            }
            count += 1
            try body(String(cString: try call.readString()))
            try call.exitContainer()
        }
        try call.exitContainer()
    }

    /// The path of an object that can be called.
    static func path(_ path: String, of what: String) throws(FlowError) -> String {
        guard path.utf8.count <= Limits.pathLength else {
            throw FlowError(
                .limitExceeded,
                "the \(what)'s path has \(path.utf8.count) bytes, of at most \(Limits.pathLength)")
        }
        guard path != BusName.reservedPath else {
            throw FlowError(
                .invalidArguments,
                "the path '\(path)' is reserved for libraries, and the bus disconnects a client that calls it; give that of "
                    + "an object")
        }
        return path
    }

    /// Which children cover others, by its word.
    static func children(_ word: String) throws(FlowError) -> Children {
        try choice(word, of: "children", among: Children.ofRegistrations)
    }

    /// What becomes of the flow when it is empty, by its word.
    static func whenEmpty(_ word: String) throws(FlowError) -> WhenEmpty {
        try choice(word, of: "whenEmpty", among: WhenEmpty.allCases)
    }

    private static func choice<Choice: RawRepresentable<String>>(
        _ word: String, of option: String, among choices: [Choice]
    ) throws(FlowError) -> Choice {
        if let choice = choices.first(where: { $0.rawValue == word }) { return choice }
        let words = choices.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw FlowError(
            .invalidArguments, "the option '\(option)' is '\(Names.escaped(word))'; it has to be one of \(words)")
    }

    /// A time limit, in µs, as in definition files.
    static func time(
        _ microseconds: UInt64, option: String, of subject: String? = nil
    ) throws(FlowError) -> UInt64 {
        guard Limits.answerTimeouts.contains(microseconds) else {
            throw FlowError(
                .invalidArguments,
                "the option '\(option)'\(subject.map { " of \($0)" } ?? "") is '\(microseconds)' µs; it has to be at least 10 ms and at most 1 hour"
            )
        }
        return microseconds
    }

    private static func parameters(_ call: MessageReader, of subject: String) throws -> [Parameter] {
        var parameters: [Parameter] = []
        _ = try call.enterContainer(.array, "{ss}")
        while try call.enterContainer(.dictEntry, "ss") {
            guard parameters.count < Limits.argumentCount else {
                throw FlowError(
                    .limitExceeded,
                    "\(subject) has more than \(Limits.argumentCount) arguments; that is the limit")
            }
            let name = String(cString: try call.readString())
            guard Names.isPresentableName(name) else {
                throw FlowError(
                    .invalidName,
                    "'\(Names.escaped(name))' can't be an argument of \(subject): it has to be "
                        + Names.presentableNameRule)
            }
            let text = String(cString: try call.readString())
            let isOptional = text.hasSuffix("?")
            guard let type = ValueType(name: isOptional ? String(text.dropLast()) : text) else {
                let words = ValueType.words.map { "'\($0.name)'" }.joined(separator: ", ")
                throw FlowError(
                    .invalidArguments,
                    "the argument '\(name)' of \(subject) is of type '\(Names.escaped(text))'; it has to be one of "
                        + "\(words), or a D-Bus signature, with '?' behind it where it may be left out")
            }
            parameters.append(Parameter(name, type, isOptional: isOptional))
            try call.exitContainer()
        }
        try call.exitContainer()
        return parameters.sorted { $0.name < $1.name }
    }
}
