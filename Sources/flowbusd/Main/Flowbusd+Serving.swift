import FlowCore
import FlowFile
import Logging
import Platform
import SdBus

// The default mode: connect, serve, and when the bus is lost, connect again.

extension Flowbusd {
    func serve() -> ExitStatus {
        let logger = makeLogger()
        let reader = DefinitionReader(folders)
        let loaded: DefinitionFiles
        do throws(DefinitionFailure) {
            loaded = try reader.load()
        } catch {
            logger.log(error.diagnostics)
            logger.critical("Not started: the definition files have errors")
            return .invalidDefinitions
        }
        logger.log(loaded.warnings)
        var traceWriter: TraceWriter?
        if let path = options.record {
            do throws(SystemError) {
                traceWriter = try TraceWriter(path, logger: logger)
            } catch {
                logger.critical("Could not make the file '\(path)' to record to: \(error.reason)")
                return .cannotCreate
            }
        }
        let folders = StoreFolders(
            runtime: options.runtime, state: options.state, environment: Environment.all)
        for warning in folders.warnings { logger.warning("\(warning)") }
        return serve(
            Setup(
                logger: logger, definitionReader: reader, traceWriter: traceWriter,
                callsUnderWay: options.bus == .system ? Limits.callsUnderWayOnSystemBus : Limits.callsUnderWayInTotal,
                endsProcesses: options.bus != .system, folders: folders,
                retention: Persistence.Retention(entries: options.historyEntries, days: options.historyDays),
                restore: options.restore,
                // A service manager restarts the process, with the environment of the new bus.
                reconnects: options.address != nil && !Notifier().isEnabled, connect: connect),
            loaded.definitions)
    }

    /// Serves one bus after the other.
    private func serve(_ setup: Setup, _ definitions: Definitions) -> ExitStatus {
        var handover: HandoverState?
        do throws(SdError) {
            var bus = try connect()
            var isFirst = true
            while true {
                let daemon = try Daemon(
                    bus: bus, loop: EventLoop(), setup: setup, definitions: handover?.definitions ?? definitions,
                    replaces: options.replace && isFirst, handover: handover)
                isFirst = false
                switch withExtendedLifetime(daemon, { daemon.run() }) {
                case .exit(let status): return status
                case .busLost(let taken): handover = taken
                }
                guard let found = try findBus() else { return .success }
                bus = found
                setup.logger.notice("The bus is there again")
            }
        } catch {
            return explain(error, setup.logger)
        }
    }

    /// Tries to connect, with growing pauses; nil if a signal ended the process.
    private func findBus() throws(SdError) -> Bus? {
        var pause: UInt64 = 100_000
        while true {
            switch try BlockingWait().wait(atMost: pause) {
            case .terminated: return nil
            case .over, .ended: break
            }
            if let bus = try? connect() { return bus }
            pause = min(2 * pause, 5_000_000)
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
        if options.address == nil, options.bus != .system {
            let variable = "DBUS_SESSION_BUS_ADDRESS"
            hint = "; \(variable) is " + (Environment.value(of: variable).map { "'\($0)'" } ?? "not set")
        }
        logger.critical("Could not connect to the \(which): \(error.reason)\(hint)")
        return .unavailable
    }
}
