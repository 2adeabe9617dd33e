#if Macros
    /// Declares the cases of an enum as steps of the bus: makes it a ``BusStep``.
    ///
    /// What the bus can't have is an error where it stands: a case whose name D-Bus does not allow, an argument of a type that is no
    /// ``StepArgument``, a generic enum. The enum is not a local one. `CodingKeys` stand inside the enum: in an extension they are an
    /// error, as the macro declares those that are not there.
    @attached(
        member, names: named(stepCases), named(caseName), named(encode), named(init), named(CodingKeys), arbitrary)
    @attached(extension, conformances: BusStep)
    public macro Step() = #externalMacro(module: "FlowBusMacros", type: "StepMacro")

    /// Declares the properties of a struct as the values of an answer on the bus (S-45): makes it ``AnswerValues``.
    ///
    /// A property is of a type that is a ``StepArgument``, or an optional of such a type. Its type stands in the source. `CodingKeys` stand
    /// inside the struct, as those of steps.
    @attached(member, names: named(answerValues), named(CodingKeys))
    @attached(extension, conformances: AnswerValues)
    public macro AnswerValues() = #externalMacro(module: "FlowBusMacros", type: "AnswerValuesMacro")
#endif
