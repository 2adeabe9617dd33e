import Logging
import SdBus

/// The connection to the service manager, for states and the status text. A failure is only logged, because nothing depends
/// on these messages.
final class ServiceManager {
    /// Makes the line of status.
    var status: () -> String = { "" }
    private let notifier = Notifier()
    private let logger: Logger
    private var statusUpdate: DeferredTask?

    /// The manager of this process, if it has one; failures go to this log.
    init(_ loop: EventLoop, _ logger: Logger) throws(SdError) {
        self.logger = logger
        statusUpdate = try loop.deferred { [unowned self] in notify { try $0.status(status()) } }
    }

    /// READY=1, with the status.
    func ready() { notify { try $0.ready(status: status()) } }

    /// RELOADING=1.
    func reloading() { notify { try $0.reloading() } }

    /// STOPPING=1.
    func stopping() { notify { try $0.stopping() } }

    /// Has the status sent soon.
    func statusChanged() {
        guard notifier.isEnabled else { return }
        do { try statusUpdate?.schedule() } catch { logger.error("Could not send the status later: \(error)") }
    }

    private func notify(_ send: (Notifier) throws -> Void) {
        do { try send(notifier) } catch { logger.warning("Could not notify the service manager: \(error)") }
    }
}
