import FlowCore
import FlowFile
import FlowWire

/// What a step takes: `GetSteps`.
struct StepDeclaration: Equatable {
    struct Argument: Equatable {
        let name: String
        let type: ValueType
        let isOptional: Bool
    }

    let name: String
    let arguments: [Argument]

    /// `pick item=int64 receipt=string?`
    var text: String {
        ([name] + arguments.map { "\($0.name)=\($0.type.description)\($0.isOptional ? "?" : "")" }).joined(
            separator: " ")
    }
}

extension Navigation {
    /// Every declared step, sorted by name.
    func declarations(activates: Bool = true) throws(Failure) -> [StepDeclaration] {
        let answer = try call(Navigation.root, BusNames.Interface.coordinator, "GetSteps", activates: activates)
        let steps = answer.first ?? .dictionary([])
        return steps.entries.map { step in
            StepDeclaration(
                name: step.name,
                arguments: step.value.entries.compactMap { argument in
                    let type = argument.value.text ?? ""
                    let isOptional = type.hasSuffix("?")
                    guard let type = ValueType(signature: isOptional ? String(type.dropLast()) : type) else {
                        return nil
                    }
                    return StepDeclaration.Argument(name: argument.name, type: type, isOptional: isOptional)
                })
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The arguments of a step, of the types that its declaration says.
    ///
    /// A step that nobody declares gets none: the service refuses it, and says which is near.
    func arguments(_ typed: [TypedArgument], of step: String) throws(Failure) -> Value {
        guard let declaration = try declarations().first(where: { $0.name == step }) else { return .dictionary([]) }
        return try declaration.values(of: typed)
    }
}

/// `key=value`, as it was typed.
struct TypedArgument: Equatable {
    let name: String
    let text: String

    /// Splits what was typed.
    init(_ typed: String) throws(Failure) {
        guard let equals = typed.firstIndex(of: "="), equals > typed.startIndex else {
            throw Failure(.usage, "'\(Names.escaped(typed))' is no argument of a step: one reads as name=value")
        }
        name = String(typed[..<equals])
        text = String(typed[typed.index(after: equals)...])
    }

    /// Splits all of them; none may be there twice.
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

    /// Its value as this type.
    func value(as type: ValueType) throws(Failure) -> Value {
        do throws(ArgumentText.InvalidValue) {
            return try ArgumentText.value(of: text, as: type)
        } catch {
            throw Failure(.badValue, "the argument '\(Names.escaped(name))' of type \(type.description): \(error.text)")
        }
    }

    /// Its value, where no type is known.
    func naturalValue() throws(Failure) -> Value {
        do throws(ArgumentText.InvalidValue) {
            return try ArgumentText.value(of: text)
        } catch {
            throw Failure(.badValue, "the argument '\(Names.escaped(name))': \(error.text)")
        }
    }
}

extension StepDeclaration {
    /// The values of typed arguments, each of its declared type.
    func values(of typed: [TypedArgument]) throws(Failure) -> Value {
        var values: [(name: String, value: Value)] = []
        for argument in typed {
            guard let declared = arguments.first(where: { $0.name == argument.name }) else {
                let names = arguments.map(\.name)
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
        let missing = arguments.first { declared in
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
