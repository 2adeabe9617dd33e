import Logging
import Platform
import SdBus

/// Writes the log: to the journal, with metadata as fields, if stderr is the journal; else as readable lines to stderr.
struct ServiceLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    private let isJournal = Journal.isStandardErrorJournal

    init(logLevel: Logger.Level) {
        self.logLevel = logLevel
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        guard isJournal else { return writeLine(event, fields) }
        do throws(SdError) {
            try Journal.send(event.level.priority, "\(event.message)", fields: fields.map { ($0.key, "\($0.value)") })
        } catch {
            writeLine(event, fields)
        }
    }

    private func writeLine(_ event: LogEvent, _ fields: [(key: String, value: Logger.MetadataValue)]) {
        let text = fields.isEmpty ? "" : " (" + fields.map { "\($0.key)=\($0.value)" }.joined(separator: " ") + ")"
        StandardError.log("flowbusd: \(event.level.rawValue): \(event.message)\(text)")
    }
}

extension Logger.Level {
    /// The level of the journal.
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
