import FlowCore
import SdBus

/// The `a{sv}` of options that a call can have.
enum CallOptions {
    /// An option by its name and the D-Bus type of its value.
    typealias Option = (name: String, type: String)

    /// Reads the dictionary that is next in the message: the body gets the name of each option and reads its value,
    /// which is of that option's type.
    ///
    /// - Parameter subject: what the options are of, for messages; nil for the call itself.
    /// - Throws: ``FlowError/Code/invalidArguments`` for one that is not known, or not of its type.
    static func read(
        _ call: MessageReader, known: [Option], of subject: String? = nil, _ body: (_ option: String) throws -> Void
    ) throws {
        let of = subject.map { " of \($0)" } ?? ""
        guard try call.enterContainer(.array, "{sv}") else { return }
        var seen: Set<String> = []
        while try call.enterContainer(.dictEntry, "sv") {
            let option = String(cString: try call.readString())
            let type = try call.peekType()?.contents.map { String(cString: $0) } ?? ""
            guard known.contains(where: { $0 == (option, type) }) else { throw refusal(option, type, known, of) }
            guard seen.insert(option).inserted else {
                throw FlowError(.invalidArguments, "the option '\(option)'\(of) is given more than once")
            }
            _ = try call.enterContainer(.variant, type)
            try body(option)
            try call.exitContainer()
            try call.exitContainer()
        }
        try call.exitContainer()
    }

    /// The activation token, which is passed on unchanged.
    static let activationToken: Option = ("activation-token", "s")

    /// Reads the value of ``activationToken``; nil where it is empty, as it is where a program was given none.
    static func readActivationToken(_ call: MessageReader) throws -> String? {
        let text = try call.readString()
        return text.pointee == 0 ? nil : String(cString: text)
    }

    private static func refusal(_ option: String, _ type: String, _ known: [Option], _ of: String) -> FlowError {
        let wanted = known.filter { $0.name == option }.map { "'\($0.type)'" }
        if !wanted.isEmpty {
            return FlowError(
                .invalidArguments,
                "the option '\(option)'\(of) is of D-Bus type '\(type)'; it has to be of type "
                    + wanted.joined(separator: " or "))
        }
        let names = known.map { "'\($0.name)'" }.joined(separator: ", ")
        return FlowError(
            .invalidArguments,
            "there is no option '\(Names.escaped(option))'\(of); "
                + (known.isEmpty ? "none is known" : "known are \(names)")
                + Names.suggestion(for: option, among: known.map(\.name)))
    }
}
