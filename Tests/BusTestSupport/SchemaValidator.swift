import Foundation
import Glibc
import Synchronization

/// Validates definition files against `schema/flowbus.flows.schema.json`, and act files against theirs: one process of `tools/validate` for all
/// tests, because its start takes longer than a check.
public final class SchemaValidator: Sendable {
    /// The validator, or the error in starting it.
    public static let shared: Result<SchemaValidator, any Error> = Result { try SchemaValidator() }

    /// The error for a validator that ended; its standard error has the reason.
    public struct Gone: Error {}

    private struct Ends {
        let process = Process()
        let texts = Foundation.Pipe()
        let answers = Foundation.Pipe()
    }

    private let ends: Mutex<Ends>

    private init() throws {
        let here = (#filePath as NSString).deletingLastPathComponent
        // A program that outlives the tests must not have its ends: it would live as long as that, and whoever waits until nobody writes
        // to its standard error, as `swift test` does, would wait, too.
        let ends = Ends()
        for end in [ends.texts.fileHandleForWriting, ends.answers.fileHandleForReading] {
            guard fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0 else {
                throw TestFailure("fcntl: errno \(errno)")
            }
        }
        ends.process.executableURL = URL(fileURLWithPath: "\(here)/../../tools/validate")
        ends.process.arguments = ["--serve"]
        ends.process.standardInput = ends.texts
        ends.process.standardOutput = ends.answers
        // A validator that ended is an error, and must not end all tests.
        signal(SIGPIPE, SIG_IGN)
        try ends.process.run()
        self.ends = Mutex(ends)
        _ = try errors(of: "version = 1")
    }

    /// Throws if the schema refuses a valid text.
    public static func expectGood(_ text: String) throws {
        let errors = try shared.get().errors(of: text)
        guard errors.isEmpty else { throw TestFailure("the schema refuses: \(errors)\n\(text)") }
    }

    /// Returns the errors in a definition file by the schema, or the TOML error.
    public func errors(of text: String) throws -> [String] { try answer(to: JSONEncoder().encode(text)) }

    /// Returns the errors in an act file by its schema, or the TOML error.
    public func errors(ofAct text: String) throws -> [String] { try answer(to: JSONEncoder().encode(["act", text])) }

    private func answer(to question: Data) throws -> [String] {
        let question = question + [UInt8(ascii: "\n")]
        return try ends.withLock { ends in
            try ends.texts.fileHandleForWriting.write(contentsOf: question)
            var answer = Data()
            // It answers each line with one line.
            while answer.last != UInt8(ascii: "\n") {
                let part = ends.answers.fileHandleForReading.availableData
                if part.isEmpty { throw Gone() }
                answer += part
            }
            return try JSONDecoder().decode([String].self, from: answer)
        }
    }
}
