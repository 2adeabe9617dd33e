import FlowCore

/// A definition file that could be parsed.
struct Source: Sendable {
    let file: String
    let root: [Toml.Pair]
    let map: SourceMap
}

/// A place in the files: a key, or where one is missed.
struct Spot: Hashable, Sendable {
    /// The file, by its place among the sources.
    var source: Int
    var path: [SourceMap.Key]

    func key(_ name: String) -> Spot { Spot(source: source, path: path + [.name(name)]) }
    func element(_ index: Int) -> Spot { Spot(source: source, path: path + [.index(index)]) }
}

/// Collects what is wrong, so that all of it is told at once.
final class Findings {
    let sources: [Source]
    private(set) var diagnostics: [Diagnostic] = []
    /// How many were found beyond ``most``: who has so many begins with the first ones.
    private(set) var leftOut = 0
    private(set) var hasErrors = false
    /// How many more names may be compared to make suggestions. Files are as large as they like to be; whoever gets
    /// thousands of errors can do without.
    private var comparisons = 1_000_000

    init(_ sources: [Source], _ diagnostics: [Diagnostic] = []) {
        self.sources = sources
        self.diagnostics = diagnostics
        hasErrors = diagnostics.contains { $0.severity == .error }
    }

    /// How many are kept.
    static let most = 10_000

    func error(_ spot: Spot, _ message: String) { add(.error, spot, message) }

    func warning(_ spot: Spot, _ message: String) { add(.warning, spot, message) }

    /// `FILE:LINE` of a spot, to stand in the message about another.
    func position(of spot: Spot) -> String {
        let source = sources[spot.source]
        return source.file + (source.map.nearestLine(of: spot.path).map { ":\($0)" } ?? "")
    }

    /// The one that a reader comes to first.
    func first(_ spots: some Sequence<Spot>) -> Spot? {
        spots.map { spot in (spot, sources[spot.source].map.nearestLine(of: spot.path) ?? 0) }.min { one, other in
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

    private func add(_ severity: Diagnostic.Severity, _ spot: Spot, _ message: String) {
        if severity == .error { hasErrors = true }
        guard diagnostics.count < Self.most else {
            leftOut += 1
            return
        }
        let source = sources[spot.source]
        diagnostics.append(
            Diagnostic(
                severity, file: source.file, line: source.map.nearestLine(of: spot.path),
                place: SourceMap.text(of: spot.path), message: message))
    }
}

/// A value and the place it came from.
struct Item {
    let value: Toml
    let spot: Spot

    /// The value as a string; another kind is reported.
    func string(_ findings: Findings, _ what: String = "a string") -> String? {
        if case .string(let text) = value { return text }
        return misfit(findings, what)
    }

    /// The value as true or false; another kind is reported.
    func bool(_ findings: Findings) -> Bool? {
        if case .bool(let bool) = value { return bool }
        return misfit(findings, "true or false")
    }

    /// The value as a table; another kind is reported.
    func section(_ findings: Findings, _ what: String = "a table") -> Section? {
        if case .table(let pairs) = value { return Section(pairs, spot) }
        return misfit(findings, what)
    }

    /// What a key has, without a word where this is no table.
    subscript(key: String) -> Item? {
        guard case .table(let pairs) = value else { return nil }
        return Section(pairs, spot)[key]
    }

    /// The value as a list; another kind is reported.
    func list(_ findings: Findings, _ what: String) -> [Item]? {
        guard case .list(let values) = value else { return misfit(findings, what) }
        return values.enumerated().map { Item(value: $1, spot: spot.element($0)) }
    }

    /// The value as one of an enumeration's words; another is reported.
    func word<Words: CaseIterable & RawRepresentable<String>>(_ findings: Findings) -> Words? {
        let words = Words.allCases.map(\.rawValue)
        guard let text = string(findings, Text.list(words, "or")) else { return nil }
        if let word = Words(rawValue: text) { return word }
        findings.error(
            spot,
            "\(Text.quoted(text)) is not allowed here; it has to be \(Text.list(words, "or"))"
                + findings.suggestion(for: text, among: words))
        return nil
    }

    private func misfit<Kind>(_ findings: Findings, _ what: String) -> Kind? {
        findings.error(spot, "this is \(value.kind); it has to be \(what)")
        return nil
    }
}

/// A table and the place it came from.
struct Section {
    private(set) var entries: [(key: String, item: Item)]
    let spot: Spot

    init(_ pairs: [Toml.Pair], _ spot: Spot) {
        entries = pairs.map { ($0.key, Item(value: $0.value, spot: spot.key($0.key))) }
        self.spot = spot
    }

    subscript(key: String) -> Item? { entries.first { $0.key == key }?.item }

    var keys: [String] { entries.map(\.key) }

    /// Adds a key that stands in another file.
    mutating func add(_ key: String, _ item: Item) { entries.append((key, item)) }

    /// Reports the keys that are not known here; whether there were none. The owner stands in messages: `a screen`.
    @discardableResult
    func checkKeys(_ findings: Findings, of owner: String, _ known: [String]) -> Bool {
        var isClean = true
        for (key, item) in entries where !known.contains(key) {
            isClean = false
            let nearest = findings.suggestion(for: key, among: known)
            let help = nearest.isEmpty ? "; it has the keys \(Text.list(known.sorted(by: Text.precedes)))" : nearest
            findings.error(item.spot, "\(owner) has no key \(Text.quoted(key))\(help)")
        }
        return isClean
    }
}
