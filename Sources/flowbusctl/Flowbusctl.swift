import ArgumentParser
import FlowCore
import FlowWire
import Platform

/// The command line of the service, for people and scripts. It is a client like any other.
@main
enum Program {
    static func main() {
        if let arguments = try? CurrentProcess.arguments(),
            arguments.first?.split(separator: "/").last.map(String.init) == UnitGenerator.name
        {
            return UnitGenerator.run(Array(arguments.dropFirst()))
        }
        do {
            try CommandPrograms.run(Array(CommandLine.arguments.dropFirst()))
            var command = try Flowbusctl.parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            StandardError.writeLine("flowbusctl: \(failure.message)")
            CurrentProcess.exit(failure.status.rawValue)
        } catch {
            end(error)
        }
    }

    /// Prints the output of ArgumentParser: help, the version, a completion script, or an error in the command line.
    private static func end(_ error: any Error) -> Never {
        let code = Flowbusctl.exitCode(for: error).rawValue
        guard code == ExitStatus.usage.rawValue else {
            guard let text = withPrograms(Flowbusctl.fullMessage(for: error)) else { Flowbusctl.exit(withError: error) }
            StandardOutput.writeLine(text)
            CurrentProcess.exit(code)
        }
        // "Error: " is replaced with the name of the program.
        var text = Flowbusctl.fullMessage(for: error)
        if text.hasPrefix("Error: ") { text.removeFirst(7) }
        StandardError.writeLine("flowbusctl: " + withSuggestion(text))
        CurrentProcess.exit(code)
    }

    /// Adds commands that are programs to the list of commands, or to a completion script; nil for any other text.
    private static func withPrograms(_ text: String) -> String? {
        if text.isEmpty { return nil }
        if text == Flowbusctl.helpMessage() { return text + CommandPrograms.help }
        guard CommandLine.arguments.contains(where: { $0.hasPrefix("--generate-completion-script") }) else {
            return nil
        }
        let shell = CompletionShell.allCases.first { text == Flowbusctl.completionScript(for: $0) }
        return shell.map { CommandPrograms.extending(text, for: $0) }
    }

    /// Adds a suggestion to the error for an unknown command.
    private static func withSuggestion(_ text: String) -> String {
        let opening = "Unexpected argument '"
        guard text.hasPrefix(opening), let end = text.dropFirst(opening.count).firstIndex(of: "'") else { return text }
        let typed = String(text[..<end].dropFirst(opening.count))
        if CommandPrograms.names.contains(typed) {
            return
                "the options of '\(typed)' come after it, as it is a program of its own; write 'flowbusctl \(typed) …'"
        }
        return text[...end] + Names.suggestion(for: typed, among: Flowbusctl.commandNames + CommandPrograms.names)
            + text[text.index(after: end)...]
    }
}

/// `flowbusctl` without a command, and the options before one.
struct Flowbusctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flowbusctl",
        abstract: "Inspects and controls the navigation of flowbusd.",
        discussion: """
            A NODE is a live flow or screen: its path in the forest, such as 'main' or 'main/watched', or its object path. \
            See flowbusctl(1).
            """,
        version: "\(Release.version)",
        groupedSubcommands: [
            CommandGroup(
                name: "Information",
                subcommands: [
                    TreeCommand.self, StatusCommand.self, LogCommand.self, StepsCommand.self, FlowsCommand.self,
                    ExplainCommand.self, StackCommand.self, ContextCommand.self, TimingsCommand.self,
                    RecordCommand.self, DoctorCommand.self,
                ]),
            CommandGroup(
                name: "Navigation",
                subcommands: [
                    EmitCommand.self, AskCommand.self, ShowCommand.self, HideCommand.self, DismissCommand.self,
                    BackCommand.self,
                    StartCommand.self, MoveCommand.self, OutputsCommand.self, RetryCommand.self, NavigateCommand.self,
                    AlongCommand.self, WaitCommand.self,
                ]),
            CommandGroup(
                name: "Definitions",
                subcommands: [
                    CheckCommand.self, GraphCommand.self, UnitsCommand.self, ReloadCommand.self, ActCommand.self,
                    NewCommand.self,
                ]),
        ])

    @OptionGroup
    var options: Options

    /// The names of all commands.
    static let commandNames = configuration.groupedSubcommands.flatMap { group in
        group.subcommands.compactMap { command in command.configuration.commandName }
    }
}
