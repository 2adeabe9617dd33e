import FlowCore
import FlowTrace
import Logging
import Platform

/// In place of what writes the trace of `--record`: tells the simulation of each event and its effects.
final class TraceWriter {
    /// What a world wants to know.
    let handled: (_ event: Event, _ now: Instant, _ coordinator: inout Coordinator) -> [Effect]

    init(_ handled: @escaping (_ event: Event, _ now: Instant, _ coordinator: inout Coordinator) -> [Effect]) {
        self.handled = handled
    }

    /// The option of the service, which nobody gives here.
    init(_ path: String, logger: Logger) throws(SystemError) { handled = { $2.handle($0, at: $1) } }

    func begin() {}

    func handle(_ event: Event, at now: Instant, by coordinator: inout Coordinator) -> [Effect] {
        handled(event, now, &coordinator)
    }
}
