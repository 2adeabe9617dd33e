import FlowCore

/// The tables of the code, in Markdown and in mdoc(7).
enum Tables {
    static func limits(_ rows: [LimitRow], _ heads: [String], isPage: Bool) -> [String] {
        guard isPage else {
            return [row(heads), "|" + String(repeating: "---|", count: heads.count)]
                + rows.map { row([$0.subject] + $0.values) }
        }
        let items = rows.flatMap { limit in
            let values =
                limit.values.count == 2
                ? "\(limit.values[0]) for a client, \(limit.values[1]) in total" : limit.values.joined(separator: ", ")
            return [".It " + Markup.inline(withoutRules(limit.subject)), Markup.inline(values)]
        }
        return [".Bl -tag -width Ds -compact"] + items + [".El"]
    }

    static func errors(isPage: Bool) -> [String] {
        let codes = FlowError.Code.allCases
        guard isPage else {
            return [row(["error", "when"]), "|---|---|"] + codes.map { row(["`\($0.rawValue)`", $0.summary]) }
        }
        return [".Bl -tag -width Ds -compact"]
            + codes.filter { $0 != .accessDenied }.flatMap { code in
                [".It Er \(code.rawValue)"] + Markup.sentences(withoutRules(code.summary))
            } + [".El"]
    }

    private static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    /// The numbers of rules are for the documents, which have the rules.
    private static func withoutRules(_ text: String) -> String { text.replacing(#/ \([SD]-[0-9]+\)/#, with: "") }
}
