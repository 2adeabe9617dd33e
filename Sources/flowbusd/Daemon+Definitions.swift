import FlowCore
import FlowFile
import FlowWire
import Logging
import SdBus

extension Daemon {
    /// Reads the definition files again, all or nothing.
    ///
    /// - Parameter client: the caller; nil for a signal.
    /// - Returns: the warnings.
    /// - Throws: ``FlowError/Code/invalidDefinition`` with all errors; then the definitions stay.
    func reload(by client: Client? = nil) throws -> [String] {
        var logger = logger
        if let client, !limiter.admits(.notice, "Reload", of: client.name) { logger.logLevel = .critical }
        manager.reloading()
        defer { manager.ready() }
        let loaded: DefinitionFiles
        do throws(DefinitionFailure) {
            loaded = try setup.definitionReader.load()
        } catch {
            logger.log(error.diagnostics)
            logger.error("The definitions stay as they were: the files have errors")
            let errors = error.diagnostics.filter { $0.severity == .error }
            throw FlowError(.invalidDefinition, lines(of: errors).joined(separator: "\n"))
        }
        logger.log(loaded.warnings)
        // Watched before, so that the coordinator knows the owners at once; and again after, because registered flows have
        // names, too.
        watchBusNames(of: loaded.definitions)
        handle(.definitionsRead(loaded.definitions))
        fileDefinitions = loaded.definitions
        watchBusNames()
        watchSteppers()
        commit()
        do { try sendDefinitionsChanged() } catch { connectionFailed(error) }
        logger.notice(
            "Read the definitions again: \(counted(loaded.definitions.flows.count, "flow")) defined; live are \(status)"
        )
        return lines(of: loaded.warnings)
    }

    /// A line for each diagnostic, up to what a message may hold.
    private func lines(of diagnostics: [Diagnostic]) -> [String] {
        let lines = diagnostics.prefix(Diagnostic.mostReported).map(\.description)
        let rest = diagnostics.count - lines.count
        return rest > 0 ? lines + ["\(rest) more; flowbusd --check prints them"] : lines
    }
}
