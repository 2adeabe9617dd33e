import FlowCore
import FlowFile
import FlowWire
import Logging
import SdBus

// The daemon's life: start, loss of the bus, end.

extension Daemon {
    /// How a daemon ended.
    enum ExitReason {
        /// The process ends with this status.
        case exit(ExitStatus)
        /// The bus is lost, and the process looks for it.
        case busLost(HandoverState?)
    }

    /// Serves until a signal ends it, or the bus is lost.
    ///
    /// The objects exist before the name, so that no client sees the name without them. Roots are restored and started
    /// after it, because before no client matches the signals. Calls wait until then.
    func run() -> ExitReason {
        do {
            try addObjects()
            try bus.onDisconnect { [unowned self] in busLost() }
            for signal in [UnixSignal.terminate, .interrupt] {
                try loop.onSignal(signal) { [unowned self] in stop(.success) }
            }
            // The errors are in the log.
            try loop.onSignal(.hangUp) { [unowned self] in
                whenFree { [unowned self] in _ = try? reload() }
            }
            try loop.enableWatchdog()
            try watchClients()
            try bus.onNameLost("\(BusNames.service)") { [unowned self] in nameLost() }
            guard try takeName(), try begin() else { return .exit(.success) }
            if isLost { throw SdError.notConnected }
        } catch {
            // The state from the last bus goes on to the next one.
            if isLost || !bus.isOpen { return setup.reconnects ? .busLost(session.handover) : .exit(.busLost) }
            return .exit(explain(error))
        }
        // Who waits for the service finds what it began with on the bus.
        output.flush()
        manager.ready()
        let definitions = coordinator.definitions
        logger.notice(
            """
            Serving \(BusNames.service): \(counted(definitions.flows.count, "flow")) and \
            \(counted(definitions.steps.count, "step")) defined; live are \(status)
            """)
        return serve()
    }

    private func serve() -> ExitReason {
        let status: ExitStatus
        do {
            status = ExitStatus(rawValue: try loop.run()) ?? .systemError
        } catch {
            logger.critical("The event loop failed: \(error)")
            status = .systemError
        }
        endPersistence()
        if status == .busLost, setup.reconnects, !bus.isOpen { return .busLost(handoverState()) }
        nameHandover?.answer()
        // The answers have to be delivered; this fails on a lost bus, and on one that takes no messages any more.
        try? bus.flush(within: 3_000_000)
        return .exit(status)
    }

    func stop(_ status: ExitStatus) {
        state.isEnding = true
        pump.stop()
        limiter.finish()
        manager.stopping()
        do { try loop.exit(status.rawValue) } catch { logger.error("\(error)") }
    }

    /// Gives up the connection, because a message could not be made or sent, even when tried again. A caller would wait for its
    /// answer, or an observer would miss a change. A connection that is lost (D-8) makes both look again.
    func connectionFailed(_ error: any Error) {
        guard !isLost else { return }
        state.isLost = true
        // If sd-bus has found out that the bus is gone, it reports that soon.
        guard bus.isOpen else { return }
        if (error as? SdError)?.isDisconnected != true {
            logger.error("A message could not be sent, so the connection is given up: \(error)")
        }
        bus.close()
        if !state.isEnding { busLost() }
    }

    private func busLost() {
        state.isLost = true
        if setup.reconnects {
            logger.error("The connection to the bus is lost; it is looked for until it is there again")
        } else {
            logger.critical("The connection to the bus is lost")
        }
        stop(.busLost)
    }

    /// Ends the process with a failure, so that the service manager acts: clients can't call this service any more, and the
    /// name was not handed over. Changes are written at the end.
    private func nameLost() {
        if nameHandover?.isReleasing == true { return }
        let owner = bus.owner(of: "\(BusNames.service)")?.description ?? "nobody"
        logger.critical("The name \(BusNames.service) is lost; it is owned by \(owner) now")
        stop(.busLost)
    }

    /// A summary of the tree, for `systemctl status`.
    var status: String {
        counted(coordinator.flowCount, "flow") + ", " + counted(coordinator.screenCount, "screen")
            + (persistence.trouble.map { "; not stored: \($0)" } ?? "")
    }

    /// Arms the coordinator's timer.
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
