import FlowCore
import FlowWire

/// A line about something that happened in a play.
struct PlayReport {
    /// What it is about.
    enum Subject: String {
        /// The service.
        case service
        /// A program.
        case program
        /// A call that a program got.
        case call
        /// A call that a program made.
        case action
    }

    let subject: Subject
    /// The bus name of the program, or its unique one; empty for the service.
    var program = ""
    /// The method, or the action.
    var name = ""
    /// The object path of the presentable.
    var path = ""
    var instance: UInt64?
    /// The name of the screen, or of the step.
    var about = ""
    var arguments = Value.dictionary([])
    var reason = ""
    /// What became of it.
    let did: String
    /// The error that was sent or received.
    var error: PlayedCall.Refusal?

    init(_ subject: Subject, did: String) { (self.subject, self.did) = (subject, did) }

    /// `com.kiosk.Shop: Present shop/detail item=7 (launch): answered`
    func line(_ output: Output) -> String {
        var line = output.paint(program.isEmpty ? "\(BusNames.service)" : program, .bold)
        let path = path.shortPath
        // The id of a screen is its name, unless there are several.
        let isPlain = ["Present", "claim"].contains(name) && path.split(separator: "/").last.map(String.init) == about
        let words = [name, path, isPlain ? "" : about, arguments.argumentText, reason.isEmpty ? "" : "(\(reason))"]
        let text = words.filter { !$0.isEmpty }.joined(separator: " ")
        if !text.isEmpty { line += ": \(Names.line(text))" }
        line += text.isEmpty && program.isEmpty ? " \(did)" : ": \(did)"
        guard let error else { return line }
        let message = [BusNames.shortened(error.name), error.text].filter { !$0.isEmpty }.joined(separator: ": ")
        return line + output.paint(" \(Names.line(message))", .red)
    }

    var json: JSON {
        .object([
            ("event", .string(subject.rawValue)), ("program", .nonEmpty(program)), ("name", .nonEmpty(name)),
            ("path", .nonEmpty(path.shortPath)), ("object", .nonEmpty(path)),
            ("instance", instance.map { .number(Int128($0)) } ?? .null), ("about", .nonEmpty(about)),
            ("arguments", JSON(arguments)), ("reason", .nonEmpty(reason)), ("did", .string(did)),
            ("errorName", .nonEmpty(error?.name ?? "")), ("errorMessage", .nonEmpty(error?.text ?? "")),
        ])
    }
}

extension Output {
    /// Writes a line about a play.
    func line(_ report: PlayReport) throws(Failure) { try isJSON ? line(report.json) : line(report.line(self)) }
}
