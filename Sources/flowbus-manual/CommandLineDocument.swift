import Foundation

/// The command line of a program as the program describes it, in the form of ArgumentParser's `--experimental-dump-help`: the options and
/// commands of the man pages are the texts of `--help`.
struct CommandLineDocument: Decodable {
    let command: Command

    /// Asks a program, which is beside this one.
    init(of program: String) throws(ManualError) {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let process = Process()
        let output = Pipe()
        process.executableURL = folder.appendingPathComponent(program)
        process.arguments = ["--experimental-dump-help"]
        process.standardOutput = output
        do {
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            self = try JSONDecoder().decode(Self.self, from: data)
        } catch {
            throw ManualError("\(program) --experimental-dump-help: \(error)")
        }
    }

    /// The options of the program itself.
    var options: [String] { command.items(except: []) }

    /// Commands with their arguments and options, without the options of the program.
    func commands(_ names: [String], at place: String) throws(ManualError) -> [String] {
        let common = Set((command.arguments ?? []).map(\.head))
        var lines: [String] = []
        for name in names {
            guard let found = command.subcommands?.first(where: { $0.commandName == name }) else {
                throw ManualError("\(place): there is no command '\(name)'")
            }
            lines += found.mdoc(except: common)
        }
        return lines
    }
}

extension CommandLineDocument {
    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let arguments: [Argument]?
        let subcommands: [Command]?

        func mdoc(except common: Set<String>) -> [String] {
            let own = (arguments ?? []).filter { $0.isShown && !common.contains($0.head) }
            let needed = own.filter { $0.isPositional || !$0.isOptional && $0.takesValue }.map(\.usage)
            let others = own.contains { !$0.isPositional } ? [" Op Ar options"] : []
            let items = items(except: common)
            return [".It Cm \(commandName)" + (needed + others).joined()] + HelpText.mdoc(abstract, discussion)
                + (items.isEmpty ? [] : [".Bl -tag -width Ds"] + items + [".El"])
        }

        /// An item for each argument and option.
        func items(except common: Set<String>) -> [String] {
            (arguments ?? []).filter { $0.isShown && !common.contains($0.head) }.flatMap(\.mdoc)
        }
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }
        let kind: String
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let allValues: [String]?
        let abstract: String?
        let discussion: String?

        var isPositional: Bool { kind == "positional" }
        var takesValue: Bool { kind != "flag" }
        var isShown: Bool { shouldDisplay }

        /// `Fl w , Fl -watch`, `Fl -since Ar time | serial`, `Ar node`.
        var head: String {
            let flags = (names ?? []).sorted { $0.kind > $1.kind }
                .map { "Fl \($0.kind == "long" ? "-" : "")\($0.name)" }.joined(separator: " , ")
            return [flags, takesValue ? value : ""].filter { !$0.isEmpty }.joined(separator: " ")
        }

        /// As an argument in the head of a command.
        var usage: String {
            let repeated = isRepeating ? "\(head) ..." : head
            return isOptional ? " Oo \(repeated) Oc" : " \(repeated)"
        }

        private var value: String {
            let name = valueName ?? "value"
            guard name != "key=value" else { return "Ar key Ns Cm = Ns Ar value" }
            return "Ar " + name.replacing("|", with: " | ")
        }

        var mdoc: [String] {
            var more: [String] = []
            if takesValue, !isPositional {
                // Where the placeholder does not have them.
                if let allValues, allValues.joined(separator: "|") != valueName {
                    more.append("The values are \(allValues.map { "'\($0)'" }.joined(separator: ", ")).")
                }
                if let defaultValue { more.append("The default is '\(defaultValue)'.") }
            }
            return [".It \(head)"] + HelpText.mdoc(abstract, discussion, more)
        }
    }
}

/// The texts of `--help`, as mdoc(7): paragraphs and lists as in ``Markup``, literals in quotes.
enum HelpText {
    static func mdoc(_ abstract: String?, _ discussion: String?, _ more: [String] = []) -> [String] {
        // The abstract and the first paragraph of the discussion are one.
        let text = ([abstract, discussion].compactMap(\.self)).joined(separator: "\n")
        let lines = Markup.mdoc(Markup.blocks(marked(text).split(separator: "\n", omittingEmptySubsequences: false)))
        return (lines + more.flatMap { Markup.sentences(marked($0)) })
            // As two minus signs, not hyphens.
            .map { $0.replacing("\\fB--", with: "\\fB\\-\\-") }
    }

    /// Puts quoted words, options and the names of list items in backticks.
    private static func marked(_ text: String) -> String {
        text.replacing(#/(?m)^- ([^:'`\n]+): /#) { "- `\($0.output.1)`: " }
            .replacing(#/(?m)(^|[ (])'([^'\n]+)'/#) { "\($0.output.1)`\($0.output.2)`" }
            .replacing(#/(?m)(^|[ (])(--[a-z][a-z-]*)/#) { "\($0.output.1)`\($0.output.2)`" }
    }
}
