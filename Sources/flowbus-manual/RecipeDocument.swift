import Foundation

/// The recipes of `examples/recipes`, for the document that has them by what people ask.
///
/// A recipe is a folder with `flows.toml` and `tour`. The first line of `flows.toml` is a comment with the heading under which the recipe
/// stands, and the question: `# TV: How does Back close the controls first?`. The comment goes on with the answer.
struct RecipeDocument {
    private struct Recipe {
        let name: String
        let heading: String
        let question: String
        /// Paragraphs.
        let answer: [String]
        let definitions: [String]
        let tour: [String]
    }

    private let recipes: [Recipe]
    /// The links to the rules, by their numbers.
    private let rules: [String: String]

    /// Reads all recipes of the repository that has a folder of interfaces.
    init(besides interfaces: String) throws(ManualError) {
        let top = interfaces + "/.."
        let folder = top + "/examples/recipes"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var recipes: [Recipe] = []
        for name in names.sorted() { recipes.append(try Self.recipe(name, in: folder)) }
        if recipes.isEmpty { throw ManualError("there are no recipes in '\(folder)'") }
        self.recipes = recipes.sorted { ($0.heading, $0.question) < ($1.heading, $1.question) }
        var rules: [String: String] = [:]
        for document in ["semantics.md", "durability.md"] {
            for match in try Self.text(of: "\(top)/docs/\(document)").matches(of: #/\n### (([SD]-[0-9]+) [^\n]*)/#) {
                rules[String(match.output.2)] = "\(document)#\(Self.anchor(String(match.output.1)))"
            }
        }
        self.rules = rules
    }

    /// The questions, with links to their answers.
    var questions: [String] {
        headings.flatMap { heading in
            ["", "**\(heading)**", ""]
                + recipes.filter { $0.heading == heading }.map { "- [\($0.question)](#\(Self.anchor($0.question)))" }
        } + [""]
    }

    /// The answers, with definitions and tours.
    var answers: [String] {
        headings.flatMap { heading in
            ["", "## \(heading)"] + recipes.filter { $0.heading == heading }.flatMap(section(of:))
        } + [""]
    }

    private var headings: [String] { Set(recipes.map(\.heading)).sorted() }

    private func section(of recipe: Recipe) -> [String] {
        ["", "### \(recipe.question)", ""] + recipe.answer.flatMap { [linked($0), ""] }
            + ["[examples/recipes/\(recipe.name)](../examples/recipes/\(recipe.name)/flows.toml)", ""]
            + ["```toml"] + recipe.definitions + ["```", "", "```console"] + recipe.tour + ["```"]
    }

    /// A text whose rules are links.
    private func linked(_ text: String) -> String {
        text.replacing(#/[SD]-[0-9]+/#) { match in
            rules[String(match.output)].map { "[\(match.output)](\($0))" } ?? String(match.output)
        }
    }

    /// The anchor that a heading gets where Markdown is shown.
    private static func anchor(_ heading: String) -> String {
        String(
            heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.map {
                $0 == " " ? "-" : $0
            })
    }

    private static func recipe(_ name: String, in folder: String) throws(ManualError) -> Recipe {
        let file = "\(folder)/\(name)/flows.toml"
        let lines = try lines(of: file)
        let comment = lines.prefix { $0.hasPrefix("#") }.map { String($0.dropFirst(2)) }
        let parts = comment.first?.split(separator: ": ", maxSplits: 1).map(String.init) ?? []
        guard parts.count == 2, parts[1].hasSuffix("?"), comment.count > 2, comment[1].isEmpty else {
            throw ManualError("\(file):1: '# HEADING: QUESTION?' is expected here, an empty comment, and the answer")
        }
        return Recipe(
            name: name, heading: parts[0], question: parts[1],
            answer: comment.dropFirst(2).split(separator: "").map { $0.joined(separator: " ") },
            definitions: Array(lines.dropFirst(comment.count)), tour: try Self.lines(of: "\(folder)/\(name)/tour"))
    }

    private static func lines(of file: String) throws(ManualError) -> [String] {
        try text(of: file).trimmingCharacters(in: .newlines).components(separatedBy: "\n")
    }

    private static func text(of file: String) throws(ManualError) -> String {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw ManualError("'\(file)' can't be read")
        }
        return text
    }
}
