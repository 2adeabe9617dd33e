import FlowCore

/// The sources of `$name`.
struct References {
    let step: Arguments
    let flow: Arguments
    /// The flow from which the context is seen.
    var place: ModelNode?
    /// In `onDismissed` and `onResult`: the child's name, and the reason.
    var childName = ""
    var reason = ""
    /// The name of the error that led to it.
    var error = ""
    /// In `onResult`: the result, and what it keeps of the step that contributed the child.
    var result: Arguments?
    var asked: Arguments = []
}

extension Model {
    /// Returns the arguments with their declared types (S-3).
    func admit(_ arguments: Arguments, _ parameters: [Parameter], isPrivate: Bool = false) throws(FlowError)
        -> Arguments
    {
        guard arguments.count <= Limits.argumentCount else { throw FlowError(.limitExceeded) }
        var admitted: Arguments = []
        for argument in arguments {
            guard let parameter = parameters.first(where: { $0.name == argument.name }),
                let value = parameter.type.admit(argument.value), admitted[argument.name] == nil
            else { throw FlowError(.invalidArguments) }
            admitted.append(Argument(argument.name, value, isPrivate: isPrivate || argument.isPrivate))
        }
        for parameter in parameters where !parameter.isOptional && admitted[parameter.name] == nil {
            throw FlowError(.invalidArguments)
        }
        guard admitted.byteCount <= Limits.argumentBytes else { throw FlowError(.limitExceeded) }
        return admitted
    }

    func admit(_ arguments: Arguments, for step: StepID) throws(FlowError) -> Arguments {
        let declaration = definitions[step]
        return try admit(arguments, declaration.parameters, isPrivate: declaration.isPrivate)
    }

    /// The arguments that a rule gives (S-18).
    func resolve(
        _ source: ArgumentSource, _ parameters: [Parameter], isPrivate: Bool = false, _ references: References
    ) throws(FlowError) -> Arguments {
        try admit(values(source, parameters, references), parameters, isPrivate: isPrivate)
    }

    /// The same, as they are.
    func values(_ source: ArgumentSource, _ parameters: [Parameter], _ references: References) -> Arguments {
        var resolved: Arguments = []
        switch source {
        case .inherited:
            resolved = (references.result ?? references.step).filter { argument in
                parameters.contains { $0.name == argument.name }
            }
        case .given(let bindings):
            for binding in bindings {
                let found: Argument? =
                    switch binding.source {
                    case .literal(let value): Argument(binding.name, value)
                    case .step(let name): references.step[name]
                    case .flow(let name): references.flow[name]
                    case .output:
                        Argument(binding.name, .string(references.place.map { root(of: $0).output } ?? ""))
                    case .context(let name): contextValue(name, references.place)
                    case .result(let name): references.result?[name]
                    case .asked(let name): references.asked[name]
                    case .childName: Argument(binding.name, .string(references.childName))
                    case .reason: Argument(binding.name, .string(references.reason))
                    case .error: Argument(binding.name, .string(references.error))
                    case .message: preconditionFailure("the model has no texts")
                    }
                if let found { resolved.append(Argument(binding.name, found.value, isPrivate: found.isPrivate)) }
            }
        }
        return resolved
    }

    func resolve(_ source: ArgumentSource, for step: StepID, _ references: References) throws(FlowError) -> Arguments {
        let declaration = definitions[step]
        return try resolve(source, declaration.parameters, isPrivate: declaration.isPrivate, references)
    }

    // MARK: - Alternatives

    /// Returns the first matching alternative (S-35); nil if the step is `unhandled`.
    func alternative(for step: ModelStep) -> Alternative? {
        let rule = definitions.flows[step.flow.definition].rules.first { $0.step == step.step }
        return rule?.alternatives.first { alternative in
            alternative.when.allSatisfy { holds($0, step) }
                && (alternative.unless.isEmpty || !alternative.unless.allSatisfy { holds($0, step) })
        }
    }

    private func holds(_ condition: Condition, _ step: ModelStep) -> Bool {
        switch condition {
        case .context(let name, let value): return contextValue(name, step.flow)?.value == value
        case .same(let one, let other):
            let references = References(step: step.arguments, flow: step.flow.arguments, place: step.flow)
            let found = values(.given([Binding("a", one), Binding("b", other)]), [], references)
            guard let one = found["a"]?.value, let other = found["b"]?.value else { return false }
            // Values that mean the same may have been stored with other types.
            return one == other || ValueType(signature: one.signature)?.admit(other) == one
        case .argument(let name, let value): return step.arguments[name]?.value == value
        case .alive(let name):
            let meant = Meant(name, References(step: step.arguments, flow: step.flow.arguments))
            var root = step.flow
            while let parent = root.parent { root = parent }
            var isAlive = roots.contains { meant.fits($0) }
            root.visit { if meant.fits($0) { isAlive = true } }
            return isAlive
        }
    }
}
