import FlowCore
import SdBus

/// Reads the steps that a client registers for a flow, `a{sa{ss}}`: names, and the types of their arguments. What they mean
/// together is the core's to check.
enum RegistrationReader {
    /// Reads the dictionary that is next in the message.
    ///
    /// - Throws: ``FlowError`` for a name or a type that is not allowed, and for more than the limits allow.
    static func steps(_ call: MessageReader) throws -> [StepDeclaration] {
        var steps: [StepDeclaration] = []
        guard try call.enterContainer(.array, "{sa{ss}}") else { return steps }
        while try call.enterContainer(.dictEntry, "sa{ss}") {
            guard steps.count < Limits.stepsPerRegistration else {
                throw FlowError(
                    .limitExceeded, "more than \(Limits.stepsPerRegistration) steps of one flow; that is the limit")
            }
            let name = String(cString: try call.readString())
            guard Names.isStepName(name) else {
                throw FlowError(
                    .invalidName, "'\(Names.shown(name))' can't be the name of a step: \(Names.stepNameRule)")
            }
            steps.append(StepDeclaration(name, parameters: try parameters(call, of: name)))
            try call.exitContainer()
        }
        try call.exitContainer()
        return steps.sorted { $0.name < $1.name }
    }

    /// The path of an object that can be called.
    static func path(_ path: String) throws(FlowError) -> String {
        guard path.utf8.count <= Limits.pathLength else {
            throw FlowError(
                .limitExceeded,
                "the navigator's path has \(path.utf8.count) bytes, of at most \(Limits.pathLength)")
        }
        guard path != BusName.reservedPath else {
            throw FlowError(
                .invalidArguments,
                "the path '\(path)' is kept for libraries, and the bus ends the connection of who calls it; give that of "
                    + "an object")
        }
        return path
    }

    /// Who covers whom among the children, by its word.
    static func children(_ word: String) throws(FlowError) -> Children {
        guard let children = Children(rawValue: word) else {
            let words = Children.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            throw FlowError(
                .invalidArguments, "the option 'children' is '\(Names.shown(word))'; it has to be one of \(words)")
        }
        return children
    }

    /// How long an answer may take, in µs: what a definition file can say, too.
    static func timeout(_ microseconds: UInt64) throws(FlowError) -> UInt64 {
        guard Limits.answerTimeouts.contains(microseconds) else {
            throw FlowError(
                .invalidArguments,
                "the option 'timeout' is '\(microseconds)' µs; it has to be at least 10 ms and at most 1 hour")
        }
        return microseconds
    }

    private static func parameters(_ call: MessageReader, of step: String) throws -> [Parameter] {
        var parameters: [Parameter] = []
        _ = try call.enterContainer(.array, "{ss}")
        while try call.enterContainer(.dictEntry, "ss") {
            guard parameters.count < Limits.argumentCount else {
                throw FlowError(
                    .limitExceeded,
                    "step '\(step)' has more than \(Limits.argumentCount) arguments; that is the limit")
            }
            let name = String(cString: try call.readString())
            guard Names.isPresentableName(name) else {
                throw FlowError(
                    .invalidName,
                    "'\(Names.shown(name))' can't be an argument of step '\(step)': it has to be "
                        + Names.presentableNameRule)
            }
            let text = String(cString: try call.readString())
            let isOptional = text.hasSuffix("?")
            guard let type = ValueType(name: isOptional ? String(text.dropLast()) : text) else {
                let words = ValueType.words.map { "'\($0.name)'" }.joined(separator: ", ")
                throw FlowError(
                    .invalidArguments,
                    "the argument '\(name)' of step '\(step)' is of type '\(Names.shown(text))'; it has to be one of "
                        + "\(words), or a D-Bus signature, with '?' behind it where it may be left out")
            }
            parameters.append(Parameter(name, type, isOptional: isOptional))
            try call.exitContainer()
        }
        try call.exitContainer()
        return parameters.sorted { $0.name < $1.name }
    }
}
