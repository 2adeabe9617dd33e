import Foundation
import Glibc
import Synchronization

/// What holds definition files against `schema/flowbus.flows.schema.json`: one process of `tools/validate` for all tests, as
/// it takes longer to start than to look at a file.
public final class SchemaValidator: Sendable {
    /// The one; or why it can't be started.
    public static let shared: Result<SchemaValidator, any Error> = Result { try SchemaValidator() }

    /// It ended, and says on standard error why.
    public struct Gone: Error {}

    private struct Ends {
        let process = Process()
        let texts = Foundation.Pipe()
        let answers = Foundation.Pipe()
    }

    private let ends: Mutex<Ends>

    private init() throws {
        let ends = Ends()
        let here = (#filePath as NSString).deletingLastPathComponent
        ends.process.executableURL = URL(fileURLWithPath: "\(here)/../../tools/validate")
        ends.process.arguments = ["--serve"]
        ends.process.standardInput = ends.texts
        ends.process.standardOutput = ends.answers
        // A process that is gone shall be an error, not the end of all tests.
        signal(SIGPIPE, SIG_IGN)
        try ends.process.run()
        self.ends = Mutex(ends)
        _ = try errors(of: "version = 1")
    }

    /// Throws where the schema refuses a text that is all right.
    public static func expectGood(_ text: String) throws {
        let errors = try shared.get().errors(of: text)
        guard errors.isEmpty else { throw TestFailure("the schema refuses: \(errors)\n\(text)") }
    }

    /// What the schema refuses in a text, or why the text is no TOML.
    public func errors(of text: String) throws -> [String] {
        let question = try JSONEncoder().encode(text) + [UInt8(ascii: "\n")]
        return try ends.withLock { ends in
            try ends.texts.fileHandleForWriting.write(contentsOf: question)
            var answer = Data()
            // It answers each line with one line, and says nothing else.
            while answer.last != UInt8(ascii: "\n") {
                let part = ends.answers.fileHandleForReading.availableData
                if part.isEmpty { throw Gone() }
                answer += part
            }
            return try JSONDecoder().decode([String].self, from: answer)
        }
    }
}
