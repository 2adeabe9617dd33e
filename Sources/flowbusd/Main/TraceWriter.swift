import FlowCore
import FlowTrace
import FlowWire
import Logging
import Platform

/// Writes the trace of a run: the events and effects of the coordinator (`--record`).
final class TraceWriter {
    private let file: OutputFile
    private let path: String
    private let logger: Logger
    /// Whether writing has failed, and the trace has ended: a trace with a gap is useless.
    private var hasFailed = false

    init(_ path: String, logger: Logger) throws(SystemError) {
        self.path = path
        self.logger = logger
        file = try OutputFile(path)
        begin()
    }

    /// Begins the trace of a coordinator: of the first one, or of the next after the bus was lost.
    func begin() { write(Trace.header(basePath: "\(BusNames.tree)") + "\n") }

    /// Hands an event to the coordinator, and writes it with its effects at once.
    func handle(_ event: Event, at now: Instant, by coordinator: inout Coordinator) -> [Effect] {
        var text = Trace.line(of: event, at: now, in: coordinator) + "\n"
        let effects = coordinator.handle(event, at: now, upTo: Limits.slice)
        for effect in effects { text += Trace.line(of: effect) + "\n" }
        write(text)
        return effects
    }

    private func write(_ text: String) {
        if hasFailed { return }
        do {
            try file.write(text)
        } catch {
            hasFailed = true
            logger.error("Could not write to '\(path)'; the trace ends here: \(error)")
        }
    }
}
