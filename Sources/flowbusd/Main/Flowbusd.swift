import FlowCore
import FlowFile
import FlowTrace
import FlowWire
import Logging
import Platform
import SdBus

/// The program: reads the command line and the definitions, connects, and serves.
@main
struct Flowbusd {
    let options: Options

    static func main() {
        let arguments: [String]
        do throws(SystemError) {
            arguments = try CurrentProcess.arguments()
        } catch {
            StandardError.writeLine("flowbusd: could not read the command line in '/proc/self/cmdline': \(error)")
            CurrentProcess.exit(ExitStatus.systemError.rawValue)
        }
        do throws(UsageError) {
            switch try ArgumentList.request(of: Array(arguments.dropFirst())) {
            case .run(let options): CurrentProcess.exit(Flowbusd(options: options).run().rawValue)
            case .help: StandardOutput.writeLine(Usage.help)
            case .version: StandardOutput.writeLine("\(Release.version)")
            case .description: StandardOutput.writeLine(Usage.description)
            }
        } catch {
            StandardError.writeLine(Usage.text(of: error))
            CurrentProcess.exit(ExitStatus.usage.rawValue)
        }
    }

    private func run() -> ExitStatus {
        // Before anything can start a thread: the loop receives the signals.
        do throws(SdError) {
            try UnixSignal.block([.terminate, .interrupt, .hangUp])
        } catch {
            StandardError.writeLine("flowbusd: could not block signals: \(error)")
            return .systemError
        }
        UnixSignal.ignoreBrokenPipes()
        if options.introspect { return printInterfaces() }
        if let trace = options.replay { return replay(trace) }
        if options.check { return checkDefinitions() }
        return serve()
    }

    /// `--introspect`
    private func printInterfaces() -> ExitStatus {
        let all = OwnInterfaces.all
        let wanted = all.filter { options.interface == nil || $0.name.description == options.interface }
        guard !wanted.isEmpty else {
            let names = all.map(\.name.description)
            let asked = options.interface ?? ""
            StandardError.writeLine(
                "flowbusd: there is no interface '\(asked)'; known are \(names.joined(separator: ", "))"
                    + suggestion(for: asked, among: names))
            return .usage
        }
        StandardOutput.writeLine(InterfaceDescription.document(of: wanted))
        return .success
    }

    private func suggestion(for asked: String, among names: [String]) -> String {
        let short = names.first { $0.lowercased().hasSuffix("." + asked.lowercased()) }
        return short.map { "; did you mean '\($0)'?" } ?? Names.suggestion(for: asked, among: names)
    }

    /// `--check`
    private func checkDefinitions() -> ExitStatus {
        let loaded: DefinitionFiles
        do throws(DefinitionFailure) {
            loaded = try DefinitionFiles.load(
                from: folders, services: ServiceFiles(environment: Environment.all))
        } catch {
            for diagnostic in error.diagnostics + error.notes { StandardError.writeLine("\(diagnostic)") }
            return .checkFailed
        }
        for diagnostic in loaded.warnings + loaded.notes { StandardError.writeLine("\(diagnostic)") }
        StandardOutput.writeLine(loaded.summary)
        return .success
    }

    /// `--replay`
    private func replay(_ path: String) -> ExitStatus {
        let text: String
        do throws(SystemError) {
            text = try InputFile.text(of: path)
        } catch {
            StandardError.writeLine("flowbusd: could not read '\(path)': \(error.reason)")
            return .noInput
        }
        let definitions: Definitions
        do throws(DefinitionFailure) {
            let loaded = try DefinitionFiles.load(from: folders)
            for warning in loaded.warnings where warning.file.isEmpty { StandardError.writeLine("\(warning)") }
            definitions = loaded.definitions
        } catch {
            for diagnostic in error.diagnostics { StandardError.writeLine("\(diagnostic)") }
            return .invalidDefinitions
        }
        do throws(Trace.Mismatch) {
            let count = try Trace.replay(text, definitions: definitions)
            StandardOutput.writeLine("\(path): \(counted(count, "event")), the same effects")
            return .success
        } catch {
            StandardError.writeLine("\(path):\(error.line): \(error.message)")
            return .checkFailed
        }
    }

    var folders: DefinitionFolders {
        DefinitionFolders(named: options.flows, environment: Environment.all)
    }

    func makeLogger() -> Logger {
        Logger(label: "flowbusd") { _ in ServiceLogHandler(logLevel: options.logLevel) }
    }
}

extension Logger {
    /// Logs diagnostics of the definition files, up to a readable number.
    func log(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics.prefix(Diagnostic.mostReported) {
            switch diagnostic.severity {
            case .error: error("\(diagnostic.logged)")
            case .warning: warning("\(diagnostic.logged)")
            // What one has to know to write the file is of no use in a log.
            case .note: debug("\(diagnostic.logged)")
            }
        }
        let rest = diagnostics.count - Diagnostic.mostReported
        if rest > 0 { warning("\(rest) more errors and warnings; flowbusd --check prints them") }
    }
}

extension Diagnostic {
    /// How many diagnostics the log and the answer to Reload have.
    static let mostReported = 100
}

/// A number with its noun: `1 flow`, `2 flows`.
func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
}
