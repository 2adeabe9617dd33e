import FlowCore

/// A definition file that could be parsed.
struct Source: Sendable {
    let file: String
    let root: [Toml.Pair]
    let map: SourceMap
}

/// A place in the files: a key, or where one is missed.
struct Location: Hashable, Sendable {
    /// The file, by its place among the sources.
    var source: Int
    var path: [SourceMap.Key]

    func key(_ name: String) -> Location { Location(source: source, path: path + [.name(name)]) }
    func element(_ index: Int) -> Location { Location(source: source, path: path + [.index(index)]) }
}

/// Collects what is wrong, so that all of it is told at once.
final class Diagnostics {
    let sources: [Source]
    private(set) var all: [Diagnostic] = []
    /// How many were found beyond ``most``: who has so many begins with the first ones.
    private(set) var leftOut = 0
    private(set) var hasErrors = false
    /// How many more names may be compared to make suggestions. Files are as large as they like to be; whoever gets
    /// thousands of errors can do without.
    private var comparisons = 1_000_000

    init(_ sources: [Source], _ diagnostics: [Diagnostic] = []) {
        self.sources = sources
        all = diagnostics
        hasErrors = diagnostics.contains { $0.severity == .error }
    }

    /// How many are kept.
    static let most = 10_000

    func error(_ location: Location, _ message: String) { add(.error, location, message) }

    func warning(_ location: Location, _ message: String) { add(.warning, location, message) }

    /// `FILE:LINE` of a spot, to stand in the message about another.
    func position(of location: Location) -> String {
        let source = sources[location.source]
        return source.file + (source.map.nearestLine(of: location.path).map { ":\($0)" } ?? "")
    }

    /// The one that a reader comes to first.
    func first(_ locations: some Sequence<Location>) -> Location? {
        locations.map { location in (location, sources[location.source].map.nearestLine(of: location.path) ?? 0) }.min {
            one, other in
            if one.0.source != other.0.source { return one.0.source < other.0.source }
            if one.1 != other.1 { return one.1 < other.1 }
            return Text.precedes(SourceMap.text(of: one.0.path), SourceMap.text(of: other.0.path))
        }?.0
    }

    /// `; did you mean 'NAME'?`, or nothing. The same whatever order the candidates come in.
    func suggestion(for name: String, among candidates: some Collection<String>) -> String {
        comparisons -= candidates.count
        guard comparisons >= 0 else { return "" }
        return Names.suggestion(for: name, among: candidates.sorted(by: Text.precedes))
    }

    private func add(_ severity: Diagnostic.Severity, _ location: Location, _ message: String) {
        if severity == .error { hasErrors = true }
        guard all.count < Self.most else {
            leftOut += 1
            return
        }
        let source = sources[location.source]
        all.append(
            Diagnostic(
                severity, file: source.file, line: source.map.nearestLine(of: location.path),
                place: SourceMap.text(of: location.path), message: message))
    }
}

/// A value and the place it came from.
struct Item {
    let value: Toml
    let location: Location

    /// The value as a string; another kind is reported.
    func string(_ diagnostics: Diagnostics, _ what: String = "a string") -> String? {
        if case .string(let text) = value { return text }
        return typeMismatch(diagnostics, what)
    }

    /// The value as true or false; another kind is reported.
    func bool(_ diagnostics: Diagnostics) -> Bool? {
        if case .bool(let bool) = value { return bool }
        return typeMismatch(diagnostics, "true or false")
    }

    /// The value as a table; another kind is reported.
    func section(_ diagnostics: Diagnostics, _ what: String = "a table") -> Section? {
        if case .table(let pairs) = value { return Section(pairs, location) }
        return typeMismatch(diagnostics, what)
    }

    /// What a key has, without a word where this is no table.
    subscript(key: String) -> Item? {
        guard case .table(let pairs) = value else { return nil }
        return Section(pairs, location)[key]
    }

    /// The value as a list; another kind is reported.
    func list(_ diagnostics: Diagnostics, _ what: String) -> [Item]? {
        guard case .list(let values) = value else { return typeMismatch(diagnostics, what) }
        return values.enumerated().map { Item(value: $1, location: location.element($0)) }
    }

    /// The value as one of an enumeration's words; another is reported.
    func word<Words: CaseIterable & RawRepresentable<String>>(_ diagnostics: Diagnostics) -> Words? {
        let words = Words.allCases.map(\.rawValue)
        guard let text = string(diagnostics, Text.list(words, "or")) else { return nil }
        if let word = Words(rawValue: text) { return word }
        diagnostics.error(
            location,
            "\(Text.quoted(text)) is not allowed here; it has to be \(Text.list(words, "or"))"
                + diagnostics.suggestion(for: text, among: words))
        return nil
    }

    private func typeMismatch<Kind>(_ diagnostics: Diagnostics, _ what: String) -> Kind? {
        diagnostics.error(location, "this is \(value.kind); it has to be \(what)")
        return nil
    }
}

/// A table and the place it came from.
struct Section {
    private(set) var entries: [(key: String, item: Item)]
    let location: Location

    init(_ pairs: [Toml.Pair], _ location: Location) {
        entries = pairs.map { ($0.key, Item(value: $0.value, location: location.key($0.key))) }
        self.location = location
    }

    subscript(key: String) -> Item? { entries.first { $0.key == key }?.item }

    var keys: [String] { entries.map(\.key) }

    /// Adds a key that stands in another file.
    mutating func add(_ key: String, _ item: Item) { entries.append((key, item)) }

    /// Reports the keys that are not known here; whether there were none. The owner stands in messages: `a screen`.
    @discardableResult
    func checkKeys(_ diagnostics: Diagnostics, of owner: String, _ known: [String]) -> Bool {
        var isClean = true
        for (key, item) in entries where !known.contains(key) {
            isClean = false
            let nearest = diagnostics.suggestion(for: key, among: known)
            let help = nearest.isEmpty ? "; it has the keys \(Text.list(known.sorted(by: Text.precedes)))" : nearest
            diagnostics.error(item.location, "\(owner) has no key \(Text.quoted(key))\(help)")
        }
        return isClean
    }
}
