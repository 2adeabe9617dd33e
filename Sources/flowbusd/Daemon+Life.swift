import FlowCore
import FlowFile
import FlowWire
import Logging
import SdBus

// The daemon's life: start, new definitions, state for the service manager, end.

extension Daemon {
    /// How a daemon's life ended.
    enum End {
        /// The process is to end with this status.
        case exit(ExitStatus)
        /// The bus is lost, and is to be looked for.
        case busLost(HandoverState?)
    }

    /// Serves until told to end, or until the bus is lost.
    ///
    /// The objects are there before the name is, so that nobody who hears of the name finds nothing; the roots come back
    /// and start when the name is there, as their signals are worth nothing before. Calls wait for that.
    func run() -> End {
        do {
            try addObjects()
            try bus.onDisconnect { [unowned self] in busLost() }
            for signal in [Signal.terminate, .interrupt] {
                try loop.onSignal(signal) { [unowned self] in stop(.success) }
            }
            // Errors are logged; there is nobody else to tell.
            try loop.onSignal(.hangUp) { [unowned self] in
                whenFree { [unowned self] in _ = try? reload() }
            }
            statusUpdate = try loop.deferred { [unowned self] in notify { try $0.status(status) } }
            try loop.enableWatchdog()
            try bus.attach(to: loop)
            try watchClients()
            try bus.onNameLost("\(BusNames.service)") { [unowned self] in nameLost() }
            try preparePersistence()
            try prepareSlices()
            guard try takeName(), try begin() else { return .exit(.success) }
            if isLost { throw SdError.notConnected }
        } catch {
            // What was taken along is taken along once more.
            if isLost || !bus.isOpen { return setup.reconnects ? .busLost(handover) : .exit(.busLost) }
            return .exit(explain(error))
        }
        notify { try $0.ready(status: status) }
        let definitions = coordinator.definitions
        logger.notice(
            """
            Serving \(BusNames.service): \(counted(definitions.flows.count, "flow")) and \
            \(counted(definitions.steps.count, "step")) defined; live are \(status)
            """)
        return serve()
    }

    private func serve() -> End {
        let status: ExitStatus
        do {
            status = ExitStatus(rawValue: try loop.run()) ?? .systemError
        } catch {
            logger.critical("The event loop failed: \(error)")
            status = .systemError
        }
        endPersistence()
        if status == .busLost, setup.reconnects, !bus.isOpen { return .busLost(handoverState()) }
        answerHandOver()
        // What was answered shall arrive; on a bus that is lost there is nobody.
        try? bus.flush()
        return .exit(status)
    }

    func stop(_ status: ExitStatus) {
        isEnding = true
        limiter.finish()
        notify { try $0.stopping() }
        do { try loop.exit(status.rawValue) } catch { logger.error("\(error)") }
    }

    /// A message could not be sent, or not even be made, and trying again was of no use. Somebody would be left with half of
    /// what happened: one who was called has no answer, or one who looks on keeps what is gone. So the connection counts as
    /// lost (D-8), and whoever wants to know looks again.
    func connectionFailed(_ error: any Error) {
        guard !isLost else { return }
        isLost = true
        // Where the bus is gone, it is told by that, soon.
        guard bus.isOpen else { return }
        logger.error("A message could not be sent, so the connection is given up: \(error)")
        bus.close()
        if !isEnding { busLost() }
    }

    private func busLost() {
        isLost = true
        if setup.reconnects {
            logger.error("The connection to the bus is lost; it is looked for until it is there again")
        } else {
            logger.critical("The connection to the bus is lost")
        }
        stop(.busLost)
    }

    /// Nobody is called here any more who asks for the service, and nobody was meant to take the name: a failure, so that
    /// the service manager acts. What changed is written at the end.
    private func nameLost() {
        if handOver?.isReleasing == true { return }
        let owner = bus.owner(of: "\(BusNames.service)")?.description ?? "nobody"
        logger.critical("The name \(BusNames.service) is lost; it is owned by \(owner) now")
        stop(.busLost)
    }

    /// The tree in short, for `systemctl status`.
    private var status: String {
        counted(coordinator.flowCount, "flow") + ", " + counted(coordinator.screenCount, "screen")
            + (persistence.trouble.map { "; not kept: \($0)" } ?? "")
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
        if timer == nil {
            timer = try loop.timer { [unowned self] in whenFree { [unowned self] in handle(.timerFired) } }
        }
        try timer?.arm(at: time.microseconds)
    }

    /// Tells the service manager. What it misses costs nobody their place, so a failure is worth a line, no more.
    private func notify(_ tell: (Notifier) throws -> Void) {
        do { try tell(notifier) } catch { logger.warning("Could not tell the service manager: \(error)") }
    }

    private func explain(_ error: any Error) -> ExitStatus {
        if let failure = error as? TakeoverFailure {
            logger.critical("\(failure.message)")
            return failure.status
        }
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
    /// - Parameter client: who asked for it; nil: the service manager.
    /// - Throws: ``FlowError/Code/invalidDefinition`` with every error; then the definitions are what they were.
    func reload(by client: Client? = nil) throws -> [String] {
        var logger = logger
        if let client, !limiter.admits(.notice, "Reload", of: client.name) { logger.logLevel = .critical }
        notify { try $0.reloading() }
        defer { notify { try $0.ready(status: status) } }
        let loaded: DefinitionFiles
        do throws(DefinitionFailure) {
            loaded = try setup.definitionReader.load()
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
        fileDefinitions = loaded.definitions
        watchBusNames()
        commit()
        do { try sendDefinitionsChanged() } catch { connectionFailed(error) }
        logger.notice(
            "Read the definitions again: \(counted(loaded.definitions.flows.count, "flow")) defined; live are \(status)"
        )
        return told(loaded.warnings)
    }

    /// A line for each, as far as a message can hold them.
    private func told(_ diagnostics: [Diagnostic]) -> [String] {
        let lines = diagnostics.prefix(Diagnostic.mostReported).map(\.description)
        let rest = diagnostics.count - lines.count
        return rest > 0 ? lines + ["\(rest) more; flowbusd --check prints them"] : lines
    }
}
