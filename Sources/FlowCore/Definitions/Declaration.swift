/// Checks arguments against a declaration (S-3).
enum Declaration {
    /// Returns the arguments, in the same order, with each value converted to its declared type. The subject names the
    /// owner of the arguments in messages: `step 'moviePicked'`.
    ///
    /// - Throws: ``FlowError/Code/invalidArguments`` for an argument that is not declared, given twice, missing, or of
    ///   the wrong type; ``FlowError/Code/limitExceeded`` for too many or too large arguments.
    static func admit(
        _ arguments: Arguments, as parameters: [Parameter], of subject: @autoclosure () -> String,
        isPrivate: Bool = false
    ) throws(FlowError) -> Arguments {
        if arguments.isEmpty && parameters.isEmpty { return [] }
        guard arguments.count <= Limits.argumentCount else {
            throw FlowError(
                .limitExceeded,
                "\(subject()) was given \(arguments.count) arguments; at most \(Limits.argumentCount) are allowed")
        }
        var admitted = arguments
        for index in admitted.indices {
            let name = admitted[index].name
            guard let parameter = parameters.first(where: { $0.name == name }) else {
                throw unknownArgument(name, parameters, subject())
            }
            guard let value = parameter.type.admit(admitted[index].value) else {
                throw FlowError(
                    .invalidArguments,
                    mismatch(admitted[index], parameter, subject(), isPrivate: isPrivate || admitted[index].isPrivate))
            }
            // Most values have the declared type already, and a list that is not written to is not copied.
            if value != admitted[index].value { admitted[index].value = value }
            if isPrivate { admitted[index].isPrivate = true }
        }
        var given = 0
        for parameter in parameters {
            if arguments[parameter.name] != nil {
                given += 1
            } else if !parameter.isOptional {
                throw FlowError(
                    .invalidArguments,
                    "\(subject()) needs the argument '\(parameter.name)' of type \(parameter.type.description)")
            }
        }
        // If there are fewer names than arguments, a name is given twice.
        guard given == arguments.count else {
            let repeated = arguments.first { argument in arguments.count { $0.name == argument.name } > 1 }
            throw FlowError(
                .invalidArguments, "\(subject()) was given the argument '\(repeated?.name ?? "")' more than once")
        }
        // The message does not say how many bytes they have: anyone can read it, and some arguments are private.
        guard admitted.byteCount <= Limits.argumentBytes else {
            throw FlowError(
                .limitExceeded,
                "the arguments of \(subject()) take more than \(Limits.argumentBytes) bytes, which is the limit")
        }
        return admitted
    }

    private static func unknownArgument(_ name: String, _ parameters: [Parameter], _ subject: String) -> FlowError {
        let names = parameters.map(\.name)
        let known =
            names.isEmpty ? "it takes none" : "it takes " + names.map { "'\($0)'" }.joined(separator: ", ")
        let suggestion = Names.suggestion(for: name, among: names)
        return FlowError(
            .invalidArguments, "\(subject) has no argument '\(Names.escaped(name))': \(known)\(suggestion)")
    }

    private static func mismatch(
        _ argument: Argument, _ parameter: Parameter, _ subject: String, isPrivate: Bool
    ) -> String {
        let came = ValueType(signature: argument.value.signature)?.description ?? argument.value.signature
        let wanted = parameter.type.description
        let place = "the argument '\(argument.name)' of \(subject)"
        guard !isPrivate else { return "\(place) does not fit: it has to be of type \(wanted), not \(came)" }
        if parameter.type.isInteger, argument.value.integer != nil {
            return "\(place) is '\(argument.value)', which is out of the range of the type \(wanted)"
        }
        return
            "\(place) is '\(Names.escaped(argument.value.description))', of type \(came); it has to be of type \(wanted)"
            + hint(argument.value, wanted: parameter.type)
    }

    /// What the caller's D-Bus library has done, where the value can have come of nothing else; empty otherwise. Not for private arguments, as
    /// it tells what the value looks like. The value is refused all the same: a text that reads as a number may be a mistake of the caller.
    private static func hint(_ value: Value, wanted: ValueType) -> String {
        switch value {
        case .string(let text) where wanted.isInteger && Int128(text) != nil:
            "; some libraries send a number as a text unless its type is given: dbus_int64 of Net::DBus"
        case .string(let text) where wanted.signature == "d" && Double(text) != nil:
            "; some libraries send a number as a text unless its type is given: dbus_double of Net::DBus"
        case .string(let text) where wanted.signature == "b" && ["0", "1", ""].contains(text):
            "; some libraries send a truth value as a text unless its type is given: dbus_boolean of Net::DBus"
        case .double(let number) where wanted.isInteger && number.isFinite && number.rounded() == number:
            "; some languages have no other numbers: give their library the type"
        default: ""
        }
    }
}

// MARK: - What follows from definitions

extension Definitions {
    /// Values of a flow's key as the flow declares them, some or all (S-51). If none is declared, no such flow is live either.
    func admit(key: Arguments, of flow: String) throws(FlowError) -> Arguments {
        if key.isEmpty { return [] }
        guard let id = self.flow(named: flow) else { throw unknownFlow(flow) }
        return try Declaration.admit(key, as: self[id].keyParameters, of: "the key of flow '\(flow)'")
    }

    /// The arguments as the step's declaration has them (S-3).
    func admit(_ arguments: Arguments, of step: StepID) throws(FlowError) -> Arguments {
        let declaration = steps[step.index]
        return try Declaration.admit(
            arguments, as: declaration.parameters, of: "step '\(declaration.name)'", isPrivate: declaration.isPrivate)
    }
}
