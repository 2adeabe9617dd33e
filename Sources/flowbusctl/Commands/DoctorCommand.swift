import ArgumentParser
import FlowCore
import Platform

/// `doctor`
struct DoctorCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find out why a device does not show what it should.",
        discussion: """
            It looks at the versions, the bus, the service, the units, the rights to folders and sockets, the definition files, the \
            screens that are not seen, the compositor, and the disk. Each line is 'ok', a 'note', or 'wrong', which an arrow with what to do follows. \
            The exit status is 1 if something is wrong. The output is meant for reports: it has no arguments, no values of the \
            context, no titles, no texts of programs, and '~' for the home directory. What does not answer in 2 s counts as not there, \
            and nothing is started.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Flag(
        help: ArgumentHelp(
            "Also show what programs wrote.",
            discussion: """
                These are the last lines of those that failed, and the texts of their errors. Nothing declares whether something private is \
                among them: look before you send them to somebody.
                """))
    var texts = false

    @Argument(
        help: ArgumentHelp(
            "Check the definition files in these directories (default: those that flowbusd reads).", valueName: "dir"),
        completion: .directory)
    var folders: [String] = []

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        guard context.options.replay == nil else {
            throw Failure(.usage, "--replay: a recording has no machine to look at; leave it out")
        }
        if let missing = folders.first(where: { !InputFile.exists($0) }) {
            throw Failure(.noInput, "there is no folder '\(Names.escaped(missing))'")
        }
        var examination = Examination(context.options, folders: folders, showsTexts: texts)
        let findings = examination.all()
        for finding in findings {
            if context.output.isJSON {
                try context.output.line(finding.json)
            } else {
                for line in finding.lines(context.output) { try context.output.line(line) }
            }
        }
        return findings.contains { $0.state == .wrong } ? .negative : .success
    }
}

/// What `doctor` has found out.
struct Finding {
    enum State: String {
        case ok
        /// Worth knowing, or could not be found out.
        case note
        case wrong
    }

    /// Where it was looked.
    enum Area: String {
        case versions, bus, service, units, rights, checks, screens, compositor, disk
    }

    let area: Area
    let state: State
    /// What is found, without anything private.
    let message: String
    /// What to do; nil where nothing is wrong.
    let advice: String?
    /// What a program said, its last lines.
    let said: [String]

    init(_ area: Area, _ state: State, _ message: String, advice: String? = nil, said: [String] = []) {
        (self.area, self.state, self.message, self.advice, self.said) = (area, state, message, advice, said)
    }

    func lines(_ output: Output) -> [String] {
        let style: Output.Style = state == .ok ? .green : state == .note ? .yellow : .red
        func padded(_ word: String, _ width: Int) -> String {
            word + String(repeating: " ", count: max(width - word.count, 0))
        }
        let indent = String(repeating: " ", count: 18)
        var lines = [
            output.paint(padded(state.rawValue, 7), style) + padded(area.rawValue, 11) + Names.line(message)
        ]
        lines += said.map { indent + "| " + Names.line($0) }
        if let advice { lines.append(indent + (output.hasUnicode ? "→ " : "-> ") + Names.line(advice)) }
        return lines
    }

    var json: JSON {
        .object([
            ("area", .string(area.rawValue)), ("state", .string(state.rawValue)), ("message", .string(message)),
            ("advice", advice.map(JSON.string) ?? .null), ("said", .array(said.map(JSON.string))),
        ])
    }
}
