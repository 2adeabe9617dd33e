import ArgumentParser
import FlowCore
import Platform

/// `new`
struct NewCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Write a program to begin with: two screens, their definitions and a test.",
        discussion: """
            The files are in a new folder, whose README.md says what each is for, and what the program needs. 'NAME/test' runs \
            the program on a bus of its own, and plays the user; 'flowbusctl device NAME/flows.d' runs it in a window. This \
            command does not need the service.
            """)

    static let asksService = false

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Flag(exclusivity: .exclusive)
    var kind: Template.Kind?

    @Option(
        help: ArgumentHelp(
            "The bus name of the program (default: 'org.example.' and the name with a capital letter).",
            valueName: "bus-name"))
    var busName: String?

    @Argument(
        help: ArgumentHelp("The name of the program, of its flow and of the folder.", valueName: "name"))
    var name: String

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        guard let kind else {
            let kinds = Template.Kind.allCases.map { "--\($0.rawValue)" }.joined(separator: ", ")
            throw Failure(.usage, "the kind of the program is missing: give one of \(kinds)")
        }
        let template = try Template(kind, name: name, busName: busName)
        guard !InputFile.exists(name) else {
            throw Failure(.badValue, "there is a file or folder '\(name)' already; give another name, or remove it")
        }
        do throws(SystemError) {
            try NewFolder.make(
                name, template.files.map { NewFolder.File(path: $0.path, text: $0.text, isExecutable: $0.isExecutable) }
            )
        } catch {
            throw Failure(.inputOutput, "can't make the folder '\(name)': \(error.reason)")
        }
        for file in template.files {
            let path = "\(name)/\(file.path)"
            try context.output.isJSON
                ? context.output.line(.object([("path", .string(path))])) : context.output.line(path)
        }
        return .success
    }
}

extension Template.Kind: EnumerableFlag {
    static func name(for kind: Template.Kind) -> NameSpecification { .customLong(kind.rawValue) }

    static func help(for kind: Template.Kind) -> ArgumentHelp? {
        switch kind {
        case .gtkPython: "In Python, with GTK 4."
        case .gtkC: "In C, with GTK 4."
        case .gjs: "In JavaScript, with GTK 4."
        case .vala: "In Vala, with GTK 4."
        case .qml: "In QML, with Qt 6."
        case .swift: "In Swift, without a toolkit."
        case .rust: "In Rust, by lines (flowbusctl connect), without a toolkit."
        case .go: "In Go, by lines, without a toolkit."
        case .node: "In JavaScript of Node, by lines, without a toolkit."
        case .python: "In Python, by lines, without a toolkit."
        case .c: "In C, by lines, without a toolkit."
        case .run: "Command lines, as of programs that can't be changed (flowbus-run)."
        }
    }
}
