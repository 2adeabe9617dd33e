import Foundation
import Testing

/// A source of FlowCore.
struct CoreFile {
    /// `FlowCore` for those beside the folders.
    let folder: String
    /// Without `.swift`.
    let name: String
    /// The text without comments and literal texts.
    let code: String

    static var all: [CoreFile] {
        get throws {
            let sources = Documented.top + "/Sources/FlowCore"
            return try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }.map {
                path in
                let parts = path.components(separatedBy: "/")
                let text = try String(contentsOfFile: "\(sources)/\(path)", encoding: .utf8)
                return CoreFile(
                    folder: parts.count > 1 ? parts[0] : "FlowCore",
                    name: parts[parts.count - 1].replacingOccurrences(of: ".swift", with: ""),
                    code: ("\n" + text).replacing(#/\/\/[^\n]*/#, with: "").replacing(#/"[^"\\\n]*"/#, with: ""))
            }
        }
    }

    /// The types that it declares.
    var types: [Substring] { declared(#/\n([a-z]+ )*(struct|enum|class|protocol|typealias) ([A-Za-z0-9]+)/#) }
    /// Those inside of others.
    var innerTypes: [Substring] { declared(#/\n +([a-z]+ )*(struct|enum|class|protocol|typealias) ([A-Za-z0-9]+)/#) }

    private func declared(_ pattern: Regex<(Substring, Substring?, Substring, Substring)>) -> [Substring] {
        code.matches(of: pattern).map(\.output.3)
    }
}

/// The tables of docs/architecture.md.
enum Documented {
    static let top = (#filePath as NSString).deletingLastPathComponent + "/../.."

    /// The cells of a table's rows.
    static func rows(after heading: String) throws -> [[String]] {
        let text = try String(contentsOfFile: top + "/docs/architecture.md", encoding: .utf8)
        let table = try #require(text.components(separatedBy: heading).dropFirst().first).components(
            separatedBy: "\n\n")[0]
        return table.components(separatedBy: "\n").dropFirst(2).map { row in
            row.components(separatedBy: "|").dropFirst().dropLast().map(\.self)
        }
    }

    /// The names in a cell.
    static func names(in cell: String) -> [String] { cell.matches(of: #/`([A-Za-z]+)`/#).map { String($0.output.1) } }
}
