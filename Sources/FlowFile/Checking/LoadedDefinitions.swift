public import FlowCore

/// Definitions that were read from files, and are right.
public struct LoadedDefinitions: Sendable {
    /// The definitions.
    public let definitions: Definitions
    /// What is odd about them, in the order of files and lines.
    public let warnings: [Diagnostic]
    /// The files they were read from, in order.
    public let files: [String]

    /// Parses and checks texts that were read; the report has what went wrong so far.
    static func check(_ texts: [(name: String, text: String)], _ report: Report) -> LoadResult {
        var draft = Draft(report)
        var isWhole = !report.hasErrors
        for (name, text) in texts {
            do throws(Diagnostic) {
                draft.add(try Item.parse(text, in: SourceFile(name: name, text: text)))
            } catch {
                report.add(error)
                isWhole = false
            }
        }
        // What a file that can't be read declares is missing everywhere else: that would be said once for each use.
        guard isWhole else { return .failure(report.diagnostics.sorted()) }
        let definitions = Checker(draft, report).definitions()
        let diagnostics = report.diagnostics.sorted()
        guard !report.hasErrors else { return .failure(diagnostics) }
        return .success(
            LoadedDefinitions(definitions: definitions, warnings: diagnostics, files: texts.map(\.name)))
    }
}
