import FlowCore
import FlowFile
import Logging
import SdBus

// The daemon's life: start, new definitions, state for the service manager, end.

extension Daemon {
    /// Serves until told to end.
    ///
    /// The objects are there before the name is, so that nobody who hears of the name finds nothing; the roots start
    /// when the name is there, as their signals are worth nothing before.
    func run() -> ExitStatus {
        do {
            try addObjects()
            try bus.onDisconnect { [unowned self] in busLost() }
            for signal in [Signal.terminate, .interrupt] {
                try loop.onSignal(signal) { [unowned self] in stop(.success) }
            }
            // Errors are logged; there is nobody else to tell.
            try loop.onSignal(.hangUp) { [unowned self] in _ = try? reload() }
            statusUpdate = try loop.deferred { [unowned self] in notify { try $0.status(status) } }
            try loop.enableWatchdog()
            try bus.attach(to: loop)
            try watchClients()
            watchBusNames()
            try bus.requestName("\(BusNames.service)")
        } catch {
            return explain(error)
        }
        handle(.started)
        notify { try $0.ready(status: status) }
        let definitions = coordinator.definitions
        logger.notice(
            """
            Serving \(BusNames.service): \(counted(definitions.flows.count, "flow")) and \
            \(counted(definitions.steps.count, "step")) defined; live are \(status)
            """)
        do {
            let code = try loop.run()
            // What was answered shall arrive; on a bus that is lost there is nobody.
            try? bus.flush()
            return ExitStatus(rawValue: code) ?? .systemError
        } catch {
            logger.critical("The event loop failed: \(error)")
            return .systemError
        }
    }

    private func stop(_ status: ExitStatus) {
        notify { try $0.stopping() }
        do { try loop.exit(status.rawValue) } catch { logger.error("\(error)") }
    }

    private func busLost() {
        logger.critical("The connection to the bus is lost")
        stop(.busLost)
    }

    /// The tree in short, for `systemctl status`.
    private var status: String {
        counted(coordinator.flowCount, "flow") + ", " + counted(coordinator.screenCount, "screen")
    }

    /// Has the service manager told of the new counts when there is time, if there is one.
    func statusChanged() {
        guard notifier.isEnabled else { return }
        do { try statusUpdate?.schedule() } catch { logger.error("\(error)") }
    }

    /// Has the loop tell the core when its time has come.
    func startTimer(at time: Instant?) throws {
        guard let time else {
            try timer?.disarm()
            return
        }
        if timer == nil { timer = try loop.timer { [unowned self] in handle(.timerFired) } }
        try timer?.arm(at: time.microseconds)
    }

    /// Tells the service manager. What it misses costs nobody their place, so a failure is worth a line, no more.
    private func notify(_ tell: (Notifier) throws -> Void) {
        do { try tell(notifier) } catch { logger.warning("Could not tell the service manager: \(error)") }
    }

    private func explain(_ error: any Error) -> ExitStatus {
        guard let error = error as? SdError, error.call.description == "sd_bus_request_name" else {
            logger.critical("Could not serve the bus: \(error)")
            return .systemError
        }
        switch error {
        case _ where error.isTaken:
            let owner = bus.owner(of: "\(BusNames.service)")?.description ?? "another process"
            logger.critical("The name \(BusNames.service) is taken by \(owner)")
            return .unavailable
        case _ where error.isPermissionDenied:
            logger.critical("The bus does not let this user own the name \(BusNames.service): \(error.reason)")
            return .noPermission
        default:
            logger.critical("Could not get the name \(BusNames.service): \(error)")
            return .unavailable
        }
    }
}

// MARK: - Definitions

extension Daemon {
    /// Reads the definition files again, all or nothing; gives the warnings.
    ///
    /// - Throws: ``FlowError/Code/invalidDefinition`` with every error; then the definitions are what they were.
    func reload() throws -> [String] {
        notify { try $0.reloading() }
        defer { notify { try $0.ready(status: status) } }
        let loaded: DefinitionFiles
        do throws(DefinitionFailure) {
            loaded = try definitionReader.load()
        } catch {
            logger.log(error.diagnostics)
            logger.error("The definitions stay as they were: the files have errors")
            let errors = error.diagnostics.filter { $0.severity == .error }
            throw FlowError(.invalidDefinition, told(errors).joined(separator: "\n"))
        }
        logger.log(loaded.warnings)
        // Before, so that the core knows at once who owns them; and after, as what is registered has names, too.
        watchBusNames(of: loaded.definitions)
        handle(.definitionsRead(loaded.definitions))
        watchBusNames()
        try sendDefinitionsChanged()
        logger.notice(
            "Read the definitions again: \(counted(loaded.definitions.flows.count, "flow")) defined; live are \(status)"
        )
        return told(loaded.warnings)
    }

    /// A line for each, as far as a message can hold them.
    private func told(_ diagnostics: [Diagnostic]) -> [String] {
        let lines = diagnostics.prefix(Diagnostic.mostTold).map(\.description)
        let rest = diagnostics.count - lines.count
        return rest > 0 ? lines + ["\(rest) more; flowbusd --check prints them"] : lines
    }
}
