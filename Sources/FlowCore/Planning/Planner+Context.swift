// Values of the context that a rule or a client sets (S-57).

extension Planner {
    /// The values as declared, each for what has it, seen from a flow; nil stands for the coordinator.
    static func settings(
        _ given: Arguments, from flow: NodeSlot?, _ forest: Forest, _ definitions: Definitions
    ) throws(FlowError) -> [Plan.ContextSetting] {
        var settings: [Plan.ContextSetting] = []
        for argument in given {
            let (holder, declared) = try context(argument.name, from: flow, forest, definitions)
            let parameter = Parameter(argument.name, declared.type)
            let value = Argument(
                argument.name, argument.value, isPrivate: argument.isPrivate || declared.isPrivate)
            let admitted = try Declaration.admit([value], as: [parameter], of: "the context")
            if let argument = admitted.first, let fault = definitions.fault(ofSpan: argument.name, argument.value) {
                throw FlowError(
                    .invalidArguments,
                    "the value '\(argument.name)' of the context is a time, or '\(TimeSpan.never)': "
                        + (value.isPrivate ? "the private one given is no such time" : fault))
            }
            settings += admitted.map { Plan.ContextSetting(holder: holder, argument: $0) }
        }
        return settings
    }

    /// What has the value of this name that a flow sees, and its declaration.
    static func context(
        _ name: String, from flow: NodeSlot?, _ forest: Forest, _ definitions: Definitions
    ) throws(FlowError) -> (ContextHolder, ContextDeclaration) {
        guard let holder = forest.contextHolder(of: name, from: flow) else {
            let place = flow.map { "'\(forest[$0].path)' sees no such value: " } ?? ""
            throw FlowError(.invalidArguments, place + definitions.unknownContext(name))
        }
        guard let declaration = forest.declarations(of: holder, definitions).first(where: { $0.name == name }) else {
            throw FlowError(.invalidArguments, definitions.unknownContext(name))
        }
        return (holder, declaration)
    }

    /// Refuses values of which something would have too many bytes.
    static func checkContext(_ settings: [Plan.ContextSetting], _ forest: Forest) throws(FlowError) {
        for holder in Set(settings.map(\.holder)) {
            var values = forest.contextValues(of: holder)
            for setting in settings where setting.holder == holder { values.set(setting.argument) }
            // The message does not say how many bytes they have: some values are private.
            guard values.arguments.byteCount <= Limits.contextBytes else {
                throw FlowError(
                    .limitExceeded,
                    "the values of the context would take more than \(Limits.contextBytes) bytes, which is the limit")
            }
        }
    }
}
