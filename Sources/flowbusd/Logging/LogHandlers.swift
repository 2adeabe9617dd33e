import Logging
import SdBus

/// Sends lines to the journal, with their metadata as fields.
struct JournalLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }
        do throws(SdError) {
            try Journal.send(event.level.priority, "\(event.message)", fields: fields.map { ($0.key, "\($0.value)") })
        } catch {
            StandardError.writeLine("flowbusd: \(event.level): \(event.message)")
        }
    }
}

/// Writes one readable line to stderr, for people and for service managers that keep lines.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }
        let text =
            fields.isEmpty
            ? ""
            : " ("
                + fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                .joined(separator: " ") + ")"
        StandardError.writeLine("flowbusd: \(event.level.rawValue): \(event.message)\(text)")
    }
}

extension Logger.Level {
    /// What the journal calls it.
    var priority: Journal.Priority {
        switch self {
        case .trace, .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}
