import ArgumentParser
import FlowCore
import FlowFile
import Platform

/// `units`
struct UnitsCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "units",
        abstract: "Write systemd units and D-Bus service files for the programs of definition files.",
        discussion: """
            This is for images of devices: elsewhere, a systemd user generator does the same at each login. Without --output the programs \
            are listed. What an earlier run wrote for a program that is gone is removed. The exit status is 1 if the files have errors, \
            and nothing is written then. This command does not need the service; see flowbus.flows(5), "PROGRAMS".
            """)

    static let asksService = false

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Option(
        help: ArgumentHelp(
            "Write to systemd/user and dbus-1/services in this directory, such as /usr/share.", valueName: "dir"),
        completion: .directory)
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The version of systemd on the device, such as 252.",
            discussion: "It logs keys that it does not know: without this option, units have some that came with 254.",
            valueName: "version"))
    var systemd: Int?

    @OptionGroup var files: DefinitionArguments

    mutating func validate() throws {
        if let systemd, !(1...9999).contains(systemd) {
            throw ValidationError("--systemd '\(systemd)' is no version of systemd: one is a number, such as 252.")
        }
    }

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let loaded: DefinitionFiles
        switch try files.load() {
        case .success(let files): loaded = files
        case .failure(let failure):
            try context.output.report(failure.diagnostics)
            return .negative
        }
        if loaded.files.isEmpty, let warning = loaded.warnings.first {
            StandardError.writeLine("flowbusctl: \(Names.line(warning.message))")
        }
        guard let output else {
            for program in loaded.programs {
                try context.output.isJSON ? context.output.line(program.json) : context.output.line(program.line)
            }
            return .success
        }
        let folders = UnitFolders(units: "\(output)/systemd/user", services: "\(output)/dbus-1/services")
        for path in try folders.write(loaded.programs, systemd: systemd) {
            try context.output.isJSON
                ? context.output.line(.object([("path", .string(path))])) : context.output.line(path)
        }
        return .success
    }
}

extension ProgramDeclaration {
    /// The command line, as definition files have it.
    private var words: [String] {
        [path]
            + arguments.map { word in
                switch word {
                case .text(let text): text.hasPrefix("$") ? "$" + text : text
                case .variable(let name): "$" + name
                }
            }
    }

    fileprivate var line: String { "\(name) \(start.rawValue): \(words.joined(separator: " "))" }

    fileprivate var json: JSON {
        .object([
            ("program", .string(name)), ("busName", busName.map(JSON.string) ?? .null),
            ("start", .string(start.rawValue)),
            ("command", .array(words.map(JSON.string))),
        ])
    }
}
