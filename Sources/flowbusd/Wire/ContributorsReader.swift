import FlowCore
import SdBus

/// Reads a navigator's answer, `a(ssa{sv})`: contributors by kind, name and options, which ``FlowCore/ContributorRules``
/// check.
struct ContributorsReader {
    private typealias Option = NamedContributor.Option

    private static let known = types(of: Option.allCases)
    private static let knownInTable = types(of: Option.ofTable)

    private let message: MessageReader
    /// How many bytes of arguments may follow.
    private var budget = Limits.answerBytes

    private init(_ message: MessageReader) { self.message = message }

    /// Reads the contributors that are next in the message.
    ///
    /// - Throws: ``FlowError`` for a contributor that breaks a rule, ``SdError`` for a message that libsystemd can't read.
    static func read(_ message: MessageReader, in definitions: Definitions) throws -> [FlowContributor] {
        var reader = ContributorsReader(message)
        return try ContributorRules(definitions).contributors(reader.read())
    }

    private mutating func read() throws -> [NamedContributor] {
        var contributors: [NamedContributor] = []
        _ = try message.enterContainer(.array, "(ssa{sv})")
        while try message.enterContainer(.structure, "ssa{sv}") {
            guard contributors.count < ContributorRules.limit else {
                throw FlowError(
                    .navigatorFailed, "it has more than \(ContributorRules.limit) contributors; that is the limit")
            }
            let word = String(cString: try message.readString())
            let name = String(cString: try message.readString())
            do {
                let kind = try ContributorRules.kind(named: word)
                contributors.append(NamedContributor(kind, name, try options(Self.known)))
            } catch let error as FlowError {
                throw ContributorRules.error(error, at: contributors.count, word, name)
            }
            try message.exitContainer()
        }
        try message.exitContainer()
        return contributors
    }

    /// Options, which are next. A dictionary has no order, so they are checked when all are read.
    private mutating func options(_ known: [CallOptions.Option]) throws -> NamedContributor.Options {
        var options: NamedContributor.Options = [:]
        try CallOptions.read(message, known: known) { name in
            if let option = Option(rawValue: name) { options[option] = try value(of: option) }
        }
        return options
    }

    private mutating func value(of option: Option) throws -> NamedContributor.Given {
        switch option.type {
        case .text: .text(try text())
        case .flag: .flag(try message.readBool())
        case .flagOrText:
            try message.peekType()?.type == UInt8(ascii: "b") ? .flag(message.readBool()) : .text(text())
        case .arguments: .arguments(try arguments())
        case .table: .table(try options(Self.knownInTable))
        }
    }

    private static func types(of options: [Option]) -> [CallOptions.Option] {
        options.flatMap { option in option.type.signatures.map { (option.rawValue, $0) } }
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
