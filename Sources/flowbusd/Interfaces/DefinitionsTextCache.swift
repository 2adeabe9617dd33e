import FlowCore
import FlowFile

/// The answer of `GetDefinitions`, written once for the definitions in use: a text of megabytes takes a while, and the service
/// has one thread. It keeps one text, of at most ``Limits/definitionBytes``, or the error of a text that is longer.
struct DefinitionsTextCache {
    private var latest: (definitions: Definitions, result: Result<String, FlowError>)?
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
        // Two values that share their storage are compared in no time: from now on it has the storage of these.
        let result = latest.flatMap { $0.definitions == definitions ? $0.result : nil }
        // A former text is released before the next is written.
        latest = nil
        let current = result ?? Result { () throws(FlowError) in try write(definitions) }
        latest = (definitions, current)
        return try current.get()
    }

    /// Releases the memory of definitions that are no longer used.
    mutating func drop() { latest = nil }
}
