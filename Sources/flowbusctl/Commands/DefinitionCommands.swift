import ArgumentParser
import FlowCore
import FlowFile
import FlowWire
import Platform
import SdBus

/// `steps`
struct StepsCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "steps", abstract: "List the declared steps and the types of their arguments.",
        discussion: "A '?' after a type marks an optional argument.")

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Argument(
        help: ArgumentHelp(
            "Only steps for which this node, or a live instance of this definition, has a rule.",
            valueName: "node|flow"), completion: Completion.nodesAndFlows)
    var place: String?

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let client = try context.connect()
        var declarations = try client.declarations()
        if let place {
            let node = try find(place, client)
            let answer = try client.call(node, BusNames.Interface.stepper, "GetAcceptedSteps")
            let accepted = (answer.first?.elements ?? []).compactMap(\.text)
            declarations = accepted.map { name in
                declarations.first { $0.name == name } ?? StepDeclaration(name)
            }
        }
        for declaration in declarations {
            if context.output.isJSON {
                try context.output.line(declaration.json)
            } else {
                try context.output.line(declaration.text)
            }
        }
        return .success
    }

    /// Returns the node at a path, otherwise the first live flow of a definition.
    private func find(_ place: String, _ client: ServiceClient) throws(Failure) -> Target {
        let target = try Target(place)
        guard case .place(let node) = target else { return target }
        let live = try client.liveNodes()
        if live.contains(where: { $0.path == node }) { return target }
        if let flow = live.first(where: { $0.isFlow && $0.name == place }) { return .instance(flow.instance) }
        let flows = try client.coordinator("GetDefinitionNames").first?.elements.compactMap(\.text) ?? []
        if flows.contains(place) {
            throw Failure(.noInput, "no flow '\(place)' is live; 'flowbusctl start \(place)' starts one")
        }
        let suggestion = Names.suggestion(for: place, among: live.map(\.path.text) + flows)
        throw Failure(
            .noInput,
            "there is no live flow or screen '\(Names.escaped(place))', and no flow of that name"
                + (suggestion.isEmpty ? "; 'flowbusctl tree' and 'flowbusctl flows' list them" : suggestion))
    }
}

extension StepDeclaration {
    fileprivate var json: JSON {
        .object([
            ("step", .string(name)),
            (
                "arguments",
                .array(
                    parameters.map { argument in
                        .object([
                            ("name", .string(argument.name)), ("type", .string(argument.type.description)),
                            ("signature", .string(argument.type.signature)), ("optional", .bool(argument.isOptional)),
                        ])
                    })
            ),
        ])
    }
}

/// `flows`
struct FlowsCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "flows", abstract: "List the defined flows, and the paths of their live instances.")

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let client = try context.connect()
        let flows = try client.coordinator("GetDefinitionNames").first?.elements.compactMap(\.text) ?? []
        let live = try client.liveNodes().filter(\.isFlow)
        let width = flows.map(\.count).max() ?? 0
        for flow in flows {
            let nodes = live.filter { $0.name == flow }.map(\.path.text)
            if context.output.isJSON {
                try context.output.line(
                    .object([("flow", .string(flow)), ("live", .array(nodes.map(JSON.string)))]))
            } else if nodes.isEmpty {
                try context.output.line(flow)
            } else {
                let padding = String(repeating: " ", count: width - flow.count + 2)
                try context.output.line(flow + padding + "live: " + nodes.joined(separator: ", "))
            }
        }
        return .success
    }
}

/// `reload`
struct ReloadCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Make the service read its definition files again, and print the warnings.",
        discussion: """
            If the files have errors, the service keeps the old definitions. Where they declare programs, systemd and the bus read their \
            units and service files again, too.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let client = try context.connect()
        let answer: [Value]
        do throws(Failure) {
            answer = try client.coordinator("Reload")
        } catch  where error.errorName == FlowError.Code.invalidDefinition.busName {
            for line in error.lines { StandardError.writeLine(Names.line(line)) }
            throw Failure(.refused, "not reloaded, as the definition files have errors; the definitions in use stay")
        }
        for warning in answer.first?.elements.compactMap(\.text) ?? [] {
            if context.output.isJSON {
                try context.output.line(.object([("warning", .string(warning))]))
            } else {
                StandardError.writeLine(Names.line(warning))
            }
        }
        try reloadUnits(client, context)
        return .success
    }
}

extension ReloadCommand {
    /// Has systemd run the generator again, and the bus read the service files that this writes, where there are programs or were some.
    private func reloadUnits(_ client: ServiceClient, _ context: Context) throws(Failure) {
        let environment = Environment.all
        // Only the session bus is that of the user's units.
        guard context.options.bus != .system, context.options.address == nil,
            let runtime = environment["XDG_RUNTIME_DIR"]
        else { return }
        let files = try? DefinitionFiles.load(from: DefinitionFolders(named: [], environment: environment))
        let haveServices = UnitGenerator.folders("", runtime: runtime).haveServices
        guard haveServices || files?.programs.isEmpty == false else { return }
        let systemd: StaticString = "org.freedesktop.systemd1"
        let bus = try client.bus
        do throws(CallFailure) {
            _ = try bus.calling(
                systemd.cString, ("/org/freedesktop/systemd1" as StaticString).cString,
                ("org.freedesktop.systemd1.Manager" as StaticString).cString, "Reload", activates: false
            ) { (_) throws(SdError) in }
            _ = try bus.calling(
                BusNames.bus.cString, BusNames.busPath.cString, BusNames.bus.cString, "ReloadConfig"
            ) { (_) throws(SdError) in }
        } catch {
            let reason =
                switch error {
                case .refused(let name, let text): text.isEmpty ? name : Names.line(text)
                case .failed(let error): error.reason
                }
            context.output.note(
                "the definitions are read again, but not the units of [programs] (\(reason)); 'systemctl --user daemon-reload' reads them"
            )
        }
    }
}

/// The definition files that `check` and `graph` read.
struct DefinitionArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Read the definition files in these directories (default: those that flowbusd reads).",
            discussion: "A file hides files of the same name in later directories.", valueName: "dir"),
        completion: .directory)
    var folders: [String] = []

    /// Reads and checks the files, as flowbusd does.
    func load() throws(Failure) -> Result<DefinitionFiles, DefinitionFailure> { try Self.load(folders) }

    /// Reads and checks the files of some folders, as flowbusd does.
    ///
    /// - Parameter services: the programs that a bus can start, where those that nothing starts are to be a warning.
    static func load(
        _ folders: [String], services: ServiceFiles? = nil
    ) throws(Failure) -> Result<DefinitionFiles, DefinitionFailure> {
        if let missing = folders.first(where: { !InputFile.exists($0) }) {
            throw Failure(.noInput, "there is no folder '\(Names.escaped(missing))'")
        }
        return Result { () throws(DefinitionFailure) in
            try DefinitionFiles.load(
                from: DefinitionFolders(named: folders, environment: Environment.all), services: services)
        }
    }
}

/// `check`
struct CheckCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check definition files, and print all errors and warnings.",
        discussion: """
            A note says where a file needs TOML 1.1, which many programs can't read yet. The exit status is 1 if there are errors. This \
            command does not need the service; see flowbus.flows(5).
            """)

    static let asksService = false

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @OptionGroup var files: DefinitionArguments

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let loaded: DefinitionFiles
        let services = ServiceFiles(environment: Environment.all)
        switch try DefinitionArguments.load(files.folders, services: services) {
        case .success(let files): loaded = files
        case .failure(let failure):
            try context.output.report(failure.diagnostics + failure.notes)
            return .negative
        }
        try context.output.report(loaded.warnings + loaded.notes)
        if !context.output.isJSON { try context.output.line(loaded.summary) }
        return .success
    }
}

extension Output {
    /// Reports errors, warnings and notes about files: on standard error or, as JSON, on standard output.
    func report(_ diagnostics: [Diagnostic]) throws(Failure) {
        for diagnostic in diagnostics {
            if isJSON {
                try line(diagnostic.json)
            } else {
                StandardError.writeLine("\(diagnostic)")
            }
        }
    }
}

extension Diagnostic {
    fileprivate var json: JSON {
        .object([
            ("severity", .string(severity.rawValue)), ("file", .nonEmpty(file)),
            ("line", line.map { .number(Int128($0)) } ?? .null),
            ("column", column.map { .number(Int128($0)) } ?? .null),
            ("place", .nonEmpty(place)), ("message", .string(message)),
        ])
    }
}
