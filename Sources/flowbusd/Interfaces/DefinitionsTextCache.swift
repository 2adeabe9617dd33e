import FlowCore
import FlowFile

/// The answer of `GetDefinitions`, written once for the definitions in use: a text of megabytes takes a while, and the service
/// has one thread. It keeps one text, of at most ``Limits/definitionBytes``.
struct DefinitionsTextCache {
    private var latest: (definitions: Definitions, text: String)?
    private let write: (Definitions) throws(FlowError) -> String

    init(
        write: @escaping (Definitions) throws(FlowError) -> String = { definitions throws(FlowError) in
            try definitions.fileText(hidesPrivateValues: true)
        }
    ) {
        self.write = write
    }

    /// Returns the text of these definitions.
    ///
    /// - Throws: ``FlowError/Code/limitExceeded`` for a text that is too long.
    mutating func text(of definitions: Definitions) throws(FlowError) -> String {
        // Two values that share their storage are compared in no time.
        if let latest, latest.definitions == definitions {
            self.latest = (definitions, latest.text)
            return latest.text
        }
        latest = nil
        let text = try write(definitions)
        latest = (definitions, text)
        return text
    }

    /// Releases the memory of definitions that are no longer used.
    mutating func drop() { latest = nil }
}
