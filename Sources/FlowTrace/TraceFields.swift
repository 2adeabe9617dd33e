import FlowCore

/// The fields of values. Steps, screens and flows are written by name, and presentables by path, because numbers are valid
/// in one run of the daemon only.
enum TraceFields {
    typealias Failure = TraceScanner.Failure

    /// A text from outside, in quotes.
    static let text = TraceField<String>({ $0.add(quoted: $1) }) { scanner throws(Failure) in try scanner.word() }
    /// A text without quotes.
    static let word = TraceField<String>({ $0.add($1) }) { scanner throws(Failure) in try scanner.word() }
    static let bool = TraceField<Bool>({ $0.add($1) }) { scanner throws(Failure) in try scanner.bool() }
    static let number: TraceField<UInt64> = integer()
    static let value = TraceField<Value>({ $0.add(variant: $1) }) { scanner throws(Failure) in try scanner.variant() }
    static let arguments = TraceField(text, value, make: { Argument($0, $1) }) { ($0.name, $0.value) }.list
    static let request = number.mapped(RequestID.init) { $0.number }
    static let question = number.mapped(QuestionID.init) { $0.number }
    static let client = text.mapped(Client.init) { $0.name }
    static let error = TraceField(oneOf(FlowError.Code.self), text, make: FlowError.init) { ($0.code, $0.message) }

    static func integer<Number: FixedWidthInteger & Sendable>() -> TraceField<Number> {
        TraceField({ $0.add($1) }) { scanner throws(Failure) in try scanner.number() }
    }

    /// The word of a case.
    static func oneOf<Words: CaseIterable & RawRepresentable<String> & Sendable>(_: Words.Type) -> TraceField<Words> {
        TraceField({ $0.add($1.rawValue) }) { scanner throws(Failure) in try scanner.oneOf() }
    }

    /// A boolean, by whether the word is there.
    static func flag(_ word: String, means meaning: Bool = true) -> TraceField<Bool> {
        TraceField({ if $1 == meaning { $0.add(word) } }) { scanner throws(Failure) in
            try scanner.skip(word) ? meaning : !meaning
        }
    }

    /// A fixed word, which is required.
    static func mark(_ word: String) -> TraceField<Void> {
        TraceField({ line, _ in line.add(word) }) { scanner throws(Failure) in
            guard try scanner.skip(word) else { throw Failure("'\(word)' is missing") }
        }
    }

    /// One of two words.
    static func either(_ yes: String, or no: String) -> TraceField<Bool> {
        TraceField({ $0.add($1 ? yes : no) }) { scanner throws(Failure) in
            let word = try scanner.word()
            guard word == yes || word == no else { throw Failure("'\(word)' is neither '\(yes)' nor '\(no)'") }
            return word == yes
        }
    }

    /// The field of what definitions declare.
    private static func named<ID>(
        _ name: @escaping @Sendable (ID, Definitions) -> String,
        _ find: @escaping @Sendable (String, Definitions) throws(Failure) -> ID
    ) -> TraceField<ID> {
        TraceField { id, line, coordinator in
            line.add(name(id, coordinator.definitions))
        } read: { scanner, coordinator throws(Failure) in
            try find(try scanner.word(), coordinator.definitions)
        }
    }

    static let step = named({ $1[$0].name }) { name, definitions throws(Failure) -> StepID in
        guard let step = definitions.step(named: name) else { throw Failure(definitions.unknownStep(name).message) }
        return step
    }

    static let flow = named({ $1[$0].name }) { name, definitions throws(Failure) -> FlowID in
        guard let flow = definitions.flow(named: name) else { throw Failure(definitions.unknownFlow(name).message) }
        return flow
    }

    static let screen = named({ $1[$0].name }) { name, definitions throws(Failure) -> ScreenID in
        guard let id = definitions.screen(named: name) else {
            throw Failure("no definition declares a screen '\(name)'")
        }
        return id
    }

    static let stepper = TraceField<StepperID> { stepper, line, coordinator in
        line.add(quoted: coordinator.definitions.name(of: stepper))
    } read: { scanner, coordinator throws(Failure) in
        let name = try scanner.word()
        guard let stepper = coordinator.definitions.stepper(named: name) else {
            throw Failure("there is no stepper '\(name)'")
        }
        return stepper
    }

    static let node = TraceField<NodeID> { node, line, coordinator in
        line.add(coordinator.path(of: node))
    } read: { scanner, coordinator throws(Failure) in
        let path = try scanner.word()
        guard let node = coordinator.node(at: path) else { throw Failure("nothing is live at '\(path)'") }
        return node
    }

    /// A trace contains no definitions: a reload gets those that the reader has.
    static let definitions = TraceField<Definitions> { _, _, _ in
    } read: { scanner, coordinator in
        scanner.definitions ?? coordinator.definitions
    }
}
