/// What `--help` and errors in the command line print, and the description of the command line for programs.
enum Usage {
    private static let abstract = "Coordinates navigation between the processes of a user interface, on D-Bus."
    private static let discussion = "See flowbusd(8), and flowbus.flows(5) for the definition files."
    private static let usage = "flowbusd [<options>] [<interface>]"
    private static let interface = "The interface to print, with --introspect."
    private static let columns = 80
    /// Where the second column begins.
    private static let indent = 26

    /// The text of `--help`.
    static var help: String {
        let options = CommandOption.all.map { option in
            var notes: [String] = []
            if !option.choices.isEmpty { notes.append("values: \(option.choices.joined(separator: ", "))") }
            if let standard = option.standard { notes.append("default: \(standard)") }
            let text = option.abstract + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
            let entry = entry(option.name == "--help" ? "-h, --help" : option.usage, text)
            return entry + (option.discussion.map { "\n" + wrapped($0, indent: 8) } ?? "")
        }
        return """
            \(wrapped("OVERVIEW: " + abstract, indent: 0))

            \(discussion)

            USAGE: \(usage)

            ARGUMENTS:
            \(entry("<interface>", interface))

            OPTIONS:
            \(options.joined(separator: "\n"))

            """
    }

    /// The text of an error.
    static func text(of error: UsageError) -> String {
        let option = CommandOption.all.first { $0.name == error.option }
        let help = option.map { "\nHelp:  \($0.usage)  \($0.abstract)" } ?? ""
        return "Error: \(error.message)\(help)\nUsage: \(usage)\n  See 'flowbusd --help' for more information."
    }

    /// An option in two columns.
    private static func entry(_ head: String, _ text: String) -> String {
        let lines = wrapped(text, indent: indent)
        guard head.count + 2 < indent else { return "  \(head)\n\(lines)" }
        return "  \(head)" + lines.dropFirst(head.count + 2)
    }

    /// Breaks the lines of a text at spaces.
    private static func wrapped(_ text: String, indent: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { paragraph in
            var lines: [String] = []
            for word in paragraph.split(separator: " ") {
                if let line = lines.last, indent + line.count + 1 + word.count < columns {
                    lines[lines.count - 1] = line + " " + word
                } else {
                    lines.append(String(word))
                }
            }
            return lines.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    // MARK: For programs

    /// The command line in JSON, in the form of swift-argument-parser's `--experimental-dump-help`, as flowbusctl has it.
    static var description: String {
        var arguments = CommandOption.all.map { option in
            var names = [object([("kind", string("long")), ("name", string(String(option.name.dropFirst(2))))])]
            if option.name == "--help" {
                names.insert(object([("kind", string("short")), ("name", string("h"))]), at: 0)
            }
            return object(
                common(option.value == nil ? "flag" : "option", option.abstract, isRepeating: option.isRepeating) + [
                    ("names", list(names)), ("valueName", option.value.map(string)),
                    ("discussion", option.discussion.map(string)), ("defaultValue", option.standard.map(string)),
                    ("allValues", option.choices.isEmpty ? nil : list(option.choices.map(string))),
                ])
        }
        let positional = common("positional", interface, isRepeating: false) + [("valueName", string("interface"))]
        arguments.insert(object(positional), at: CommandOption.all.firstIndex { $0.name == "--record" } ?? 0)
        let command = [
            ("commandName", string("flowbusd")), ("abstract", string(abstract)), ("discussion", string(discussion)),
            ("arguments", list(arguments)),
        ]
        return object([("command", object(command))])
    }

    private static func common(_ kind: String, _ abstract: String, isRepeating: Bool) -> [(String, String?)] {
        [
            ("kind", string(kind)), ("shouldDisplay", "true"), ("isOptional", "true"),
            ("isRepeating", "\(isRepeating)"),
            ("abstract", string(abstract)),
        ]
    }

    private static func object(_ members: [(String, String?)]) -> String {
        "{" + members.compactMap { name, value in value.map { "\(string(name)):\($0)" } }.joined(separator: ",") + "}"
    }

    private static func list(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }

    private static func string(_ text: String) -> String {
        let escaped = text.map { $0 == "\n" ? "\\n" : $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }
        return "\"\(escaped.joined())\""
    }
}
