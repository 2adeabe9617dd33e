import FlowCore
import Foundation

/// Why nothing can be written.
struct ManualError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Writes the generated parts of the man pages and documents: what the XML of the interfaces, the tables of the code, the
/// help texts of the programs and the recipes of `examples` say.
///
/// A part stands between two comments, `<!-- limits: quotas -->` and `<!-- end -->`, or `.\" limits: quotas` and `.\" end`.
@main
enum Manual {
    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let isCheck = arguments.first == "--check"
        if isCheck { arguments = arguments.dropFirst() }
        guard let interfaces = arguments.popFirst(), !arguments.isEmpty else {
            fail("usage: flowbus-manual [--check] INTERFACES FILE...", status: 64)
        }
        do {
            var isCurrent = true
            for file in arguments where try !update(file, interfaces: interfaces, isCheck: isCheck) {
                isCurrent = false
            }
            if !isCurrent { fail("run 'make docs'", status: 1) }
        } catch let error as ManualError {
            fail(error.message, status: 1)
        } catch {
            fail("\(error)", status: 1)
        }
    }

    /// Writes the parts of one file anew; with `isCheck`, only compares them.
    private static func update(_ file: String, interfaces: String, isCheck: Bool) throws -> Bool {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let isPage = !file.hasSuffix(".md")
        var written: [String] = []
        var open: String?
        for (index, line) in lines.enumerated() {
            if let part = part(line, isPage) {
                guard open == nil else {
                    throw ManualError("\(file):\(index + 1): '\(part)' before the end of '\(open ?? "")'")
                }
                open = part
                written +=
                    [line] + (try content(part, isPage: isPage, interfaces: interfaces, at: "\(file):\(index + 1)"))
            } else if line == (isPage ? ".\\\" end" : "<!-- end -->") {
                open = nil
                written.append(line)
            } else if open == nil {
                written.append(line)
            }
        }
        if let open { throw ManualError("\(file): '\(open)' has no end") }
        guard written != lines else { return true }
        if isCheck {
            let differing = zip(written, lines).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            let line = differing ?? min(written.count, lines.count)
            ErrorOutput.write("flowbus-manual: \(file):\(line + 1) differs from its source\n")
            return false
        }
        try written.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        return true
    }

    /// The part that begins in this line.
    private static func part(_ line: String, _ isPage: Bool) -> String? {
        let match =
            isPage
            ? line.firstMatch(of: #/^\.\\" ((?:limits|errors|interface|options|commands):.*)$/#)
            : line.firstMatch(of: #/^<!-- ((?:limits|errors|interface|recipes):.*) -->$/#)
        return match.map { String($0.output.1) }
    }

    private static func content(
        _ part: String, isPage: Bool, interfaces: String, at place: String
    ) throws(ManualError) -> [String] {
        switch part {
        case "limits: quotas": Tables.limits(Limits.quotas, ["what", "a client", "in total"], isPage: isPage)
        case "limits: bounds": Tables.limits(Limits.bounds, ["what", "limit"], isPage: isPage)
        case "limits: definitions": Tables.limits(Limits.definitions, ["what", "limit"], isPage: isPage)
        case "limits: times": Tables.limits(Limits.times, ["what", "time"], isPage: isPage)
        case "errors: all": Tables.errors(isPage: isPage)
        case "recipes: questions" where !isPage: try RecipeDocument(besides: interfaces).questions
        case "recipes: answers" where !isPage: try RecipeDocument(besides: interfaces).answers
        default:
            try sectionOfPage(part, isPage, interfaces, at: place)
        }
    }

    private static func sectionOfPage(
        _ part: String, _ isPage: Bool, _ interfaces: String, at place: String
    ) throws(ManualError) -> [String] {
        let words = part.split(separator: " ").map(String.init)
        switch words.first {
        case "interface:" where isPage && words.count == 2:
            return try InterfaceDocument(file: "\(interfaces)/\(words[1]).xml").mdoc
        case "options:" where isPage && words.count == 2:
            return try CommandLineDocument(of: words[1]).options
        case "commands:" where isPage && words.count > 2:
            return try CommandLineDocument(of: words[1]).commands(Array(words.dropFirst(2)), at: place)
        default:
            throw ManualError("\(place): there is no part '\(part)'")
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        ErrorOutput.write("flowbus-manual: \(message)\n")
        exit(status)
    }
}

private enum ErrorOutput {
    static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
