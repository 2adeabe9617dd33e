import FlowCore

/// The keys of the format, by where they stand.
enum Keys {
    static let file = ["version", "steps", "private", "screens", "autostart", "flows"]
    static let screen = ["arguments"]
    static let flow = ["initial", "children", "arguments", "unique", "whenHidden", "announce", "on"]
    static let autostart = ["flow", "id", "arguments", "step", "stepArguments"]
    static let kinds = ["screen", "flow", "none", "end", "current", "parent"]
    static let child = ["id", "arguments", "step", "stepArguments", "style", "whenHidden"]
    static let forward = ["arguments"]
    static let alternative = ["when", "unless"]

    /// Keys that the format has and this version does not act on. They are refused: what looks as if it were in force has
    /// to be so.
    enum Unsupported {
        static let screen = ["presenter", "application", "whenOwnerGone"]
        static let flow = ["idle", "onBack", "emitters", "restore", "guard", "navigator"]
        static let contributor = ["pop", "reuse", "clear", "onDismissed"]
        static let condition = ["alive"]
        static let whenHidden = ["latest", "queue"]
    }

    static func unsupported(_ what: String) -> String {
        "'\(what)' belongs to the format, but this version of flowbusd does not support it yet; leave it out"
    }
}

/// Reads a table key by key, and says which of its keys nobody asked for.
struct TableReader {
    let item: Item
    let report: Report
    private let entries: [String: Item]

    /// A reader; nil, and an error, where the item is no table.
    init?(_ item: Item, of what: String, _ report: Report) {
        guard let table = item.table else {
            report.error(item.place, "\(what) has to be a table, not \(item.kind)")
            return nil
        }
        self.item = item
        self.report = report
        entries = Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.item) })
    }

    var keys: [String] { item.table?.map(\.key) ?? [] }

    subscript(key: String) -> Item? { entries[key] }

    func string(_ key: String) -> String? {
        guard let item = entries[key] else { return nil }
        if let text = item.string { return text }
        report.error(item.place, "'\(key)' has to be a string, not \(item.kind)")
        return nil
    }

    func bool(_ key: String) -> Bool? {
        guard let item = entries[key] else { return nil }
        if case .bool(let flag) = item.content { return flag }
        report.error(item.place, "'\(key)' has to be true or false, not \(item.kind)")
        return nil
    }

    /// One of the values of an enumeration.
    func choice<Choice: CaseIterable & RawRepresentable>(_ key: String, unsupported: [String] = []) -> Choice?
    where Choice.RawValue == String {
        guard let text = string(key), let item = entries[key] else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        if unsupported.contains(text) {
            report.error(item.place, Keys.unsupported(text))
            return nil
        }
        let known = Choice.allCases.map(\.rawValue)
        report.error(
            item.place,
            "'\(Names.shown(text))' is no value of '\(key)': \(list(known))" + Names.suggestion(for: text, among: known)
        )
        return nil
    }

    /// Reports the keys that are not among these.
    func finish(known: [String], unsupported: [String] = []) {
        for key in keys where !known.contains(key) {
            let place = item.place.key(key)
            if unsupported.contains(key) {
                report.error(place, Keys.unsupported(key))
            } else {
                report.error(
                    place,
                    "there is no key '\(Names.shown(key))' here: \(list(known))"
                        + Names.suggestion(for: key, among: known))
            }
        }
    }

    private func list(_ known: [String]) -> String {
        "known are " + known.map { "'\($0)'" }.joined(separator: ", ")
    }
}
