import FlowCore
import FlowFile
import FlowWire

extension StepDeclaration {
    /// `pick item=int64 receipt=string?`
    var text: String {
        ([name] + parameters.map { "\($0.name)=\($0.type.description)\($0.isOptional ? "?" : "")" }).joined(
            separator: " ")
    }
}

extension ServiceClient {
    /// Returns all declared steps, sorted by name.
    func declarations(activates: Bool = true) throws(Failure) -> [StepDeclaration] {
        let answer = try call(ServiceClient.root, BusNames.Interface.coordinator, "GetSteps", activates: activates)
        let steps = answer.first ?? .dictionary([])
        return steps.entries.map { step in
            StepDeclaration(
                step.name,
                parameters: step.value.entries.compactMap { argument in
                    let type = argument.value.text ?? ""
                    let isOptional = type.hasSuffix("?")
                    guard let type = ValueType(signature: isOptional ? String(type.dropLast()) : type) else {
                        return nil
                    }
                    return Parameter(argument.name, type, isOptional: isOptional)
                })
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns the arguments of a step, with their declared types.
    ///
    /// An undeclared step gets none: the service refuses it, and suggests a similar name.
    func arguments(_ typed: [TypedArgument], of step: String) throws(Failure) -> Value {
        guard let declaration = try declarations().first(where: { $0.name == step }) else { return .dictionary([]) }
        return try declaration.values(of: typed)
    }
}

/// An argument of the command line, `key=value`.
struct TypedArgument: Equatable {
    let name: String
    let text: String

    /// Splits an argument at its '='.
    init(_ typed: String) throws(Failure) {
        guard let equals = typed.firstIndex(of: "="), equals > typed.startIndex else {
            throw Failure(.usage, "'\(Names.escaped(typed))' is no argument; write it as name=value")
        }
        name = String(typed[..<equals])
        text = String(typed[typed.index(after: equals)...])
    }

    /// Splits several arguments. No name may be repeated.
    static func all(_ typed: [String]) throws(Failure) -> [TypedArgument] {
        var arguments: [TypedArgument] = []
        for text in typed {
            let argument = try TypedArgument(text)
            guard !arguments.contains(where: { $0.name == argument.name }) else {
                throw Failure(.usage, "the argument '\(Names.escaped(argument.name))' is given twice")
            }
            arguments.append(argument)
        }
        return arguments
    }

    /// Returns its value as a type.
    func value(as type: ValueType) throws(Failure) -> Value {
        do throws(ArgumentText.InvalidValue) {
            return try ArgumentText.value(of: text, as: type)
        } catch {
            throw Failure(.badValue, "the argument '\(Names.escaped(name))' of type \(type.description): \(error.text)")
        }
    }

    /// Returns its value as a type, or as it is if none is known.
    func value(as type: ValueType?) throws(Failure) -> Value {
        guard let type else { return try naturalValue() }
        return try value(as: type)
    }

    /// Returns its value if no type is known.
    func naturalValue() throws(Failure) -> Value {
        do throws(ArgumentText.InvalidValue) {
            return try ArgumentText.value(of: text)
        } catch {
            throw Failure(.badValue, "the argument '\(Names.escaped(name))': \(error.text)")
        }
    }
}

extension StepDeclaration {
    /// Returns the values of arguments, each of its declared type.
    func values(of typed: [TypedArgument]) throws(Failure) -> Value {
        var values: [(name: String, value: Value)] = []
        for argument in typed {
            guard let declared = parameters.first(where: { $0.name == argument.name }) else {
                let names = parameters.map(\.name)
                let takes =
                    names.isEmpty ? "it takes none" : "it takes " + names.map { "'\($0)'" }.joined(separator: ", ")
                let suggestion = Names.suggestion(for: argument.name, among: names)
                throw Failure(
                    .badValue,
                    "the step '\(name)' has no argument '\(Names.escaped(argument.name))'"
                        + (suggestion.isEmpty ? "; \(takes)" : suggestion))
            }
            values.append((argument.name, try argument.value(as: declared.type)))
        }
        let missing = parameters.first { declared in
            !declared.isOptional && !typed.contains { $0.name == declared.name }
        }
        if let missing {
            throw Failure(
                .badValue,
                "the step '\(name)' needs the argument '\(missing.name)' of type \(missing.type.description): give "
                    + "\(missing.name)=VALUE")
        }
        return .dictionary(values)
    }
}
