import ArgumentParser
import FlowCore
import FlowFile
import Logging
import SdBus

/// The program: reads the command line and the definitions, connects, and serves.
@main
struct Flowbusd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flowbusd",
        abstract: "Coordinates navigation between the processes of a user interface, on D-Bus.",
        discussion: "See flowbusd(8), and flowbus-flows(5) for the definition files.",
        version: "\(Release.version)")

    @OptionGroup
    var options: Options

    func run() throws {
        // Before anything can start a thread: signals are the loop's to take.
        do throws(SdError) {
            try Signal.block([.terminate, .interrupt, .hangUp])
        } catch {
            StandardError.writeLine("flowbusd: could not block signals: \(error)")
            throw ExitCode(ExitStatus.systemError.rawValue)
        }
        Signal.ignoreBrokenPipes()
        let status: ExitStatus =
            if options.introspect {
                printInterfaces()
            } else if options.check {
                checkDefinitions()
            } else {
                serve()
            }
        throw ExitCode(status.rawValue)
    }

    /// `--introspect`
    private func printInterfaces() -> ExitStatus {
        let all = [
            StepperInterface.description, PresentableInterface.description, FlowInterface.description,
            CoordinatorInterface.description,
        ]
        let wanted = all.filter { options.interface == nil || $0.name.description == options.interface }
        guard !wanted.isEmpty else {
            let names = all.map(\.name.description)
            let asked = options.interface ?? ""
            StandardError.writeLine(
                "flowbusd: there is no interface '\(asked)'; known are \(names.joined(separator: ", "))"
                    + Names.suggestion(for: asked, among: names))
            return .usage
        }
        StandardOutput.writeLine(InterfaceDescription.document(of: wanted))
        return .success
    }

    /// `--check`
    private func checkDefinitions() -> ExitStatus {
        let loaded: DefinitionFiles
        do throws(DefinitionFailure) {
            loaded = try DefinitionFiles.load(from: folders)
        } catch {
            for diagnostic in error.diagnostics { StandardError.writeLine("\(diagnostic)") }
            return .checkFailed
        }
        for warning in loaded.warnings { StandardError.writeLine("\(warning)") }
        let definitions = loaded.definitions
        StandardOutput.writeLine(
            counted(loaded.files.count, "file") + ": " + counted(definitions.flows.count, "flow") + ", "
                + counted(definitions.screens.count, "screen") + ", " + counted(definitions.steps.count, "step")
                + "; no errors, " + counted(loaded.warnings.count, "warning"))
        return .success
    }

    private func serve() -> ExitStatus {
        let logger = makeLogger()
        let loaded: DefinitionFiles
        do throws(DefinitionFailure) {
            loaded = try DefinitionFiles.load(from: folders)
        } catch {
            for diagnostic in error.diagnostics { logger.log(diagnostic) }
            logger.critical("Not started: the definition files have errors")
            return .invalidDefinitions
        }
        for warning in loaded.warnings { logger.log(warning) }
        do throws(SdError) {
            let loop = try EventLoop()
            let bus = try connect()
            let daemon = Daemon(
                bus: bus, loop: loop, logger: logger, folders: folders, definitions: loaded.definitions,
                isSystemBus: options.bus == .system)
            return withExtendedLifetime(daemon) { daemon.run() }
        } catch {
            return explain(error, logger)
        }
    }

    private func connect() throws(SdError) -> Bus {
        if let address = options.address { return try Bus(.address(address)) }
        return try Bus(options.bus == .system ? .system : .session)
    }

    private func explain(_ error: SdError, _ logger: Logger) -> ExitStatus {
        if error.isPermissionDenied {
            logger.critical("The bus does not let this user connect: \(error.reason)")
            return .noPermission
        }
        let which =
            options.address.map { "bus at '\($0)'" } ?? (options.bus == .system ? "system bus" : "session bus")
        var hint = ""
        if options.address == nil, options.bus != .system, Environment.value(of: "DBUS_SESSION_BUS_ADDRESS") == nil {
            hint = "; DBUS_SESSION_BUS_ADDRESS is not set"
        }
        logger.critical("Could not connect to the \(which): \(error.reason)\(hint)")
        return .unavailable
    }

    private var folders: DefinitionFolders {
        DefinitionFolders(named: options.flows, environment: Environment.all)
    }

    private func makeLogger() -> Logger {
        Logger(label: "flowbusd") { _ in ServiceLogHandler(logLevel: options.logLevel) }
    }
}

extension Logger {
    /// Logs what is wrong or odd in a definition file.
    func log(_ diagnostic: Diagnostic) {
        switch diagnostic.severity {
        case .error: error("\(diagnostic.logged)")
        case .warning: warning("\(diagnostic.logged)")
        }
    }
}

/// A number of things, for people: `1 flow`, `2 flows`.
func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
}
