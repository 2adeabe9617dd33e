import Foundation

/// The markup of the documentation in XML comments and in tables, as mdoc(7).
///
/// Paragraphs have empty lines between them. An item of a list begins with `- `; where all of a list have a colon, what
/// precedes it is the item's name. Words in backticks are names, `@name` is an argument.
enum Markup {
    /// A paragraph, or a list with its items.
    enum Block: Equatable {
        case paragraph(String)
        case list([String])
    }

    static func blocks(_ lines: [Substring]) -> [Block] {
        var blocks: [Block] = []
        var isOpen = false
        for line in lines {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.isEmpty {
                isOpen = false
            } else if text.hasPrefix("- ") {
                let item = String(text.dropFirst(2))
                if case .list(let items)? = blocks.last {
                    blocks[blocks.count - 1] = .list(items + [item])
                } else {
                    blocks.append(.list([item]))
                }
                isOpen = true
            } else if isOpen, let last = blocks.popLast() {
                blocks.append(last.continued(text))
            } else {
                blocks.append(.paragraph(text))
                isOpen = true
            }
        }
        return blocks
    }

    /// The blocks as mdoc.
    static func mdoc(_ blocks: [Block]) -> [String] {
        var lines: [String] = []
        for (index, block) in blocks.enumerated() {
            switch block {
            case .paragraph(let text):
                if index > 0 { lines.append(".Pp") }
                lines += sentences(text)
            case .list(let items):
                let split = items.map(nameAndText)
                let named = split.compactMap(\.self)
                if named.count == items.count {
                    lines.append(".Bl -tag -width Ds -compact")
                    for item in named { lines += [".It " + head(item.name)] + sentences(item.text) }
                } else {
                    lines.append(".Bl -dash -compact")
                    for item in items { lines += [".It"] + sentences(item) }
                }
                lines.append(".El")
            }
        }
        return lines
    }

    /// A line for each sentence, as mdoc wants it.
    static func sentences(_ text: String) -> [String] {
        let marked = text.replacing(#/([.?!]"?) +(?=[A-Z"`@\/])/#) { "\($0.output.1)\n" }
        return marked.split(separator: "\n").map { inline(String($0)) }
    }

    /// The fonts of a line, and what mdoc would take for a macro escaped.
    static func inline(_ text: String) -> String {
        let own = #/org\.flowbus\.Navigation1\.(?=[A-Z][a-z]+)(?!Error)/#
        let line = text.replacing("\\", with: "\\e")
            .replacing(own, with: "")
            .replacing(#/`([^`]+)`/#) { "\\fB\($0.output.1)\\fR" }
            .replacing(#/@([a-z][A-Za-z]*)/#) { "\\fI\($0.output.1)\\fR" }
        return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }

    /// The head of an item: `"token" s` is the key `token` of the type `s`.
    private static func head(_ name: String) -> String {
        inline(name.replacing(#/"([^"]+)"/#) { "`\($0.output.1)`" })
    }

    private static func nameAndText(_ item: String) -> (name: String, text: String)? {
        guard let colon = item.firstRange(of: ": ") else { return nil }
        return (String(item[..<colon.lowerBound]), String(item[colon.upperBound...]))
    }
}

extension Markup.Block {
    /// The block with another line of it.
    fileprivate func continued(_ line: String) -> Self {
        switch self {
        case .paragraph(let text): .paragraph(text + " " + line)
        case .list(let items): .list(items.dropLast() + [(items.last ?? "") + " " + line])
        }
    }
}
