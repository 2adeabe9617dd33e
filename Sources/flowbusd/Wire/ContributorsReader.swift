import FlowCore
import SdBus

/// Reads a navigator's answer, `a(ssa{sv})`: contributors by kind, name and options, which ``FlowCore/ContributorRules``
/// check.
struct ContributorsReader {
    private typealias Option = NamedContributor.Option

    private let message: MessageReader
    /// How many bytes of arguments may follow.
    private var budget = Limits.answerBytes

    private init(_ message: MessageReader) { self.message = message }

    /// Reads the contributors that are next in the message.
    ///
    /// - Throws: ``FlowError`` for a contributor that breaks a rule, ``SdError`` for a message that libsystemd can't read.
    static func read(_ message: MessageReader, in definitions: Definitions) throws -> [FlowContributor] {
        var reader = ContributorsReader(message)
        return try reader.read(ContributorRules(definitions))
    }

    private mutating func read(_ rules: ContributorRules) throws -> [FlowContributor] {
        var contributors: [FlowContributor] = []
        var kinds: [NamedContributor.Kind] = []
        _ = try message.enterContainer(.array, "(ssa{sv})")
        while try message.enterContainer(.structure, "ssa{sv}") {
            guard kinds.count < ContributorRules.limit else {
                throw FlowError(
                    .navigatorFailed, "it has more than \(ContributorRules.limit) contributors; that is the limit")
            }
            let kind = String(cString: try message.readString())
            let name = String(cString: try message.readString())
            do {
                let named = try contributor(ContributorRules.kind(named: kind), name)
                if let contributor = try rules.contributor(named) { contributors.append(contributor) }
                kinds.append(named.kind)
            } catch let error as FlowError {
                throw FlowError(.navigatorFailed, ContributorRules.text(of: error, at: kinds.count, kind, name))
            }
            try message.exitContainer()
        }
        try message.exitContainer()
        if let problem = ContributorRules.problem(together: kinds) { throw FlowError(.navigatorFailed, problem) }
        return contributors
    }

    /// A contributor whose options are next. A dictionary has no order, so they are checked when all are read.
    private mutating func contributor(_ kind: NamedContributor.Kind, _ name: String) throws -> NamedContributor {
        var options = NamedContributor.Options()
        // An end has a step with arguments, or a result.
        let known = kind != .end ? kind.options : name.isEmpty ? Option.ofEnd : Option.ofStep
        try read(known) { reader, option in
            switch option {
            case .id: options.id = try reader.text()
            case .step: options.step = try reader.text()
            case .arguments: options.arguments = try reader.arguments()
            case .stepArguments: options.stepArguments = try reader.arguments()
            case .style: options.style = try reader.text()
            case .whenHidden: options.whenHidden = try reader.text()
            case .reuse: options.reuse = try reader.reuse()
            case .layer: options.layer = try reader.text()
            case .clear: options.clear = try reader.message.readBool()
            case .onDismissed: options.onDismissed = try reader.dismissal()
            case .onResult: options.onResult = try reader.dismissal()
            case .result: options.result = try reader.arguments()
            }
        }
        return NamedContributor(kind, name, options)
    }

    private mutating func dismissal() throws -> NamedContributor.Dismissal {
        var dismissal = NamedContributor.Dismissal()
        try read(Option.ofDismissal) { reader, option in
            switch option {
            case .step: dismissal.step = try reader.text()
            default: dismissal.arguments = try reader.arguments()
            }
        }
        return dismissal
    }

    private mutating func read(
        _ known: [Option], _ body: (inout ContributorsReader, Option) throws -> Void
    ) throws {
        let known = known.flatMap { option in option.signatures.map { (option.rawValue, $0) } }
        try CallOptions.read(message, known: known) { name in
            if let option = Option(rawValue: name) { try body(&self, option) }
        }
    }

    /// Whether a child is reused: a Boolean, or a text.
    private func reuse() throws -> NamedContributor.Reuse {
        try message.peekType()?.type == UInt8(ascii: "b") ? .flag(message.readBool()) : .word(text())
    }

    private func text() throws -> String { String(cString: try message.readString()) }

    private mutating func arguments() throws -> Arguments {
        let arguments = try ArgumentsReader.read(message, for: [])
        budget -= arguments.byteCount
        guard budget >= 0 else {
            throw FlowError(
                .navigatorFailed,
                "the arguments of all contributors take more than \(Limits.answerBytes) bytes; that is the limit")
        }
        return arguments
    }
}
