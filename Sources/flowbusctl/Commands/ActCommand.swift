import ArgumentParser
import FlowCore
import FlowFile
import Platform

/// `act`
struct ActCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "act",
        abstract: "Play the programs that show screens, check steps or decide, to try definitions without them.",
        discussion: """
            FILE says which bus names the programs own, and what each does when it is called; see flowbus.act(5). Without FILE, or with \
            --all, the programs are those that definition files name as presenters, applications and guards: each shows every screen \
            at once, and lets every step through. Screens that have no presenter are claimed and shown. A line is printed for each call \
            that a program gets or makes, until Ctrl-C. The command never starts the service, and waits for it when it restarts.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Option(
        help: ArgumentHelp(
            "Also play the programs that the definition files in this directory name (default without a file: those that flowbusd reads).",
            discussion: "Programs of the file are played as it says. The option can be given several times.",
            valueName: "dir"),
        completion: .directory)
    var all: [String] = []

    @Argument(
        help: ArgumentHelp("What the programs do, a file as in flowbus.act(5)."),
        completion: .file(extensions: ["toml"]))
    var file: String?

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        var act: ActFile?
        if let file {
            guard InputFile.exists(file) else {
                throw Failure(.noInput, "there is no file '\(Names.escaped(file))'")
            }
            do throws(DefinitionFailure) {
                act = try ActFile.load(file)
            } catch {
                try context.output.report(error.diagnostics + error.notes)
                return .negative
            }
            try context.output.report(act?.notes ?? [])
        }
        if act == nil || !all.isEmpty {
            guard let definitions = try definitions(context.output) else { return .negative }
            let others = ActFile(playing: definitions)
            if let given = act {
                try context.output.report(given.warnings(for: definitions))
                act = given.adding(others)
            } else {
                act = others
            }
            noteNavigators(of: definitions, besides: act, context.output)
        }
        if let act { try Play(act, context).run() }
        return .success
    }

    /// Returns the definitions of the folders; nil, with the errors printed, if they have any.
    private func definitions(_ output: Output) throws(Failure) -> Definitions? {
        switch try DefinitionArguments.load(all) {
        case .success(let loaded):
            guard !loaded.files.isEmpty else {
                throw Failure(
                    .noInput,
                    all.isEmpty
                        ? "there are no definition files whose programs could be played; give a FILE, or --all DIR"
                        : "there are no definition files in '\(all.map(Names.escaped).joined(separator: "', '"))'")
            }
            return loaded.definitions
        case .failure(let failure):
            try output.report(failure.diagnostics)
            return nil
        }
    }

    /// Definitions do not say what a navigator answers.
    private func noteNavigators(of definitions: Definitions, besides act: ActFile?, _ output: Output) {
        for flow in definitions.flows {
            guard let name = flow.navigator?.service.name,
                act?.programs.contains(where: { $0.name == name && !$0.navigations.isEmpty }) != true
            else { continue }
            output.note(
                "the navigator of the flow '\(flow.name)', '\(name)', is not played: only a FILE can say where its steps lead"
            )
        }
    }
}
