import FlowCore

/// A definition file that was parsed.
struct ParsedFile: Sendable {
    let file: String
    let toml: TomlSource

    /// That the file needs a version of TOML that other programs may not read, if it does.
    var notes: [Diagnostic] {
        [toml.newer].compactMap(\.self).map { newer in
            Diagnostic(
                .note, file: file, line: newer.line, column: newer.column,
                message: "the file needs TOML 1.1, first for \(newer.message); many programs read only TOML 1.0, among "
                    + "them taplo 0.9, by which editors check files, and Python up to 3.14")
        }
    }
}

/// A location in the files: a key, or the table that lacks one.
struct Location: Hashable, Sendable {
    /// The index of the file among the sources.
    let source: Int
    /// The node of the file.
    let node: Int
    /// The rest of the path, from the node on, which need not be in the file.
    var rest: [TomlSource.Key] = []

    func key(_ name: String) -> Location { Location(source: source, node: node, rest: rest + [.name(name)]) }
}

/// Collects errors and warnings, so that all of them are reported together.
final class Diagnostics {
    let sources: [ParsedFile]
    private(set) var all: [Diagnostic] = []
    /// The number of diagnostics beyond ``most``, which are not kept.
    private(set) var leftOut = 0
    private(set) var hasErrors = false

    init(_ sources: [ParsedFile], _ diagnostics: [Diagnostic] = []) {
        self.sources = sources
        all = diagnostics
        hasErrors = diagnostics.contains { $0.severity == .error }
    }

    /// The maximum number of diagnostics.
    static let most = 10_000

    func error(_ location: Location, _ message: String) { add(.error, location, message) }

    func warning(_ location: Location, _ message: String) { add(.warning, location, message) }

    /// The `FILE:LINE` of a location, for a message about another one.
    func position(of location: Location) -> String {
        sources[location.source].file + (line(of: location).map { ":\($0)" } ?? "")
    }

    /// The table and key of a location, in the notation of a file.
    func place(of location: Location) -> String { TomlSource.text(of: path(of: location)) }

    /// The table around a location, in the notation of a file.
    func table(around location: Location) -> String { TomlSource.text(of: path(of: location).dropLast()) }

    private func path(of location: Location) -> [TomlSource.Key] {
        sources[location.source].toml.path(to: location.node) + location.rest
    }

    private func line(of location: Location) -> Int? {
        sources[location.source].toml.nearestLine(of: location.rest, from: location.node)
    }

    /// The first of several locations, in reading order.
    func first(_ locations: some Sequence<Location>) -> Location? {
        locations.map { location in (location, line(of: location) ?? 0) }.min {
            one, other in
            if one.0.source != other.0.source { return one.0.source < other.0.source }
            if one.1 != other.1 { return one.1 < other.1 }
            return Text.precedes(place(of: one.0), place(of: other.0))
        }?.0
    }

    /// Returns `; did you mean 'NAME'?`, or nothing, among a few words. Of many names, ``SimilarNames`` are made once.
    func suggestion(for name: String, among words: some Sequence<String>) -> String {
        suggestion(for: name, among: SimilarNames(words))
    }

    /// Returns `; did you mean 'NAME'?`, or nothing. For what is not kept, nothing is searched.
    func suggestion(for name: String, among names: @autoclosure () -> SimilarNames) -> String {
        all.count < Self.most ? names().suggestion(for: name) : ""
    }

    private func add(_ severity: Diagnostic.Severity, _ location: Location, _ message: String) {
        if severity == .error { hasErrors = true }
        guard all.count < Self.most else {
            leftOut += 1
            return
        }
        all.append(
            Diagnostic(
                severity, file: sources[location.source].file, line: line(of: location), place: place(of: location),
                message: message))
    }
}

/// A value with its location, at a node.
struct Item {
    private let toml: TomlSource
    let location: Location

    init(_ toml: TomlSource, _ location: Location) {
        self.toml = toml
        self.location = location
    }

    private var kind: TomlSource.Kind { toml.nodes[location.node].kind }

    /// The value.
    var value: Toml { toml.value(of: location.node) }

    /// The value, if it is a table.
    var table: Section? { kind.isTable ? Section(toml, location) : nil }

    /// Returns the value as a string; reports any other kind.
    func string(_ diagnostics: Diagnostics, _ what: @autoclosure () -> String = "a string") -> String? {
        if let text { return text }
        return typeMismatch(diagnostics, what())
    }

    /// Returns the value as a Boolean; reports any other kind.
    func bool(_ diagnostics: Diagnostics) -> Bool? {
        if case .bool(let bool) = value { return bool }
        return typeMismatch(diagnostics, "true or false")
    }

    /// Returns the value as a table; reports any other kind.
    func section(_ diagnostics: Diagnostics, _ what: @autoclosure () -> String = "a table") -> Section? {
        table ?? typeMismatch(diagnostics, what())
    }

    /// The value of a key; nil, without a report, if this is no table.
    subscript(key: String) -> Item? { table?[key] }

    /// The value, if it is a string.
    var text: String? { if case .string(let text) = toml.nodes[location.node].value { text } else { nil } }

    /// The items of a list; nil, without a report, if this is none.
    var items: [Item]? {
        guard kind.isList else { return nil }
        return toml.children(of: location.node).map { Item(toml, Location(source: location.source, node: $0)) }
    }

    /// Returns the value as a list; reports any other kind.
    func list(_ diagnostics: Diagnostics, _ what: String) -> [Item]? {
        items ?? typeMismatch(diagnostics, what)
    }

    /// Returns the value as a case of an enumeration; reports any other value.
    func word<Words: CaseIterable & RawRepresentable<String>>(_ diagnostics: Diagnostics) -> Words? {
        if let text, let word = Words(rawValue: text) { return word }
        let words = Words.allCases.map(\.rawValue)
        guard let text = string(diagnostics, Text.list(words, "or")) else { return nil }
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

/// A table with its location.
struct Section {
    let location: Location
    /// nil if the table is empty, or is not there.
    private let toml: TomlSource?
    /// Keys that stand elsewhere.
    private var others: [(key: String, item: Item)] = []

    /// The table at a node.
    init(_ toml: TomlSource, _ location: Location) {
        self.toml = toml
        self.location = location
    }

    /// An empty table.
    init(empty location: Location) {
        toml = nil
        self.location = location
    }

    /// The number of keys.
    var count: Int { (toml?.nodes[location.node].count ?? 0) + others.count }

    var keys: [String] {
        var keys: [String] = []
        keys.reserveCapacity(count)
        forEach { key, _ in keys.append(key) }
        return keys
    }

    /// The keys and their values, in the order of the file.
    var entries: [(key: String, item: Item)] {
        var entries: [(key: String, item: Item)] = []
        entries.reserveCapacity(count)
        forEach { key, item in entries.append((key: key, item: item())) }
        return entries
    }

    subscript(key: String) -> Item? {
        if let toml, let node = toml.child(of: location.node, key) {
            return Item(toml, Location(source: location.source, node: node))
        }
        return others.first { $0.key == key }?.item
    }

    /// Returns whether the table has a key.
    func has(_ key: String) -> Bool {
        toml?.child(of: location.node, key) != nil || others.contains { $0.key == key }
    }

    /// Adds a key from another file.
    mutating func add(_ key: String, _ item: Item) { others.append((key, item)) }

    /// Visits the keys and their values, in the order of the file.
    func forEach(_ body: (String, () -> Item) -> Void) {
        if let toml {
            var child = toml.nodes[location.node].first
            while child > 0 {
                if case .name(let key) = toml.nodes[child].key {
                    body(key) { Item(toml, Location(source: location.source, node: child)) }
                }
                child = toml.nodes[child].next
            }
        }
        for (key, item) in others { body(key) { item } }
    }

    /// Reports unknown keys. Returns whether there were none. The owner is a noun for messages: `a screen`.
    @discardableResult
    func checkKeys(_ diagnostics: Diagnostics, of owner: String, _ known: [String]) -> Bool {
        var isClean = true
        forEach { key, _ in if !known.contains(key) { isClean = false } }
        if isClean { return true }
        for (key, item) in entries where !known.contains(key) {
            let nearest = diagnostics.suggestion(for: key, among: known)
            let help = nearest.isEmpty ? "; it has the keys \(Text.list(known.sorted(by: Text.precedes)))" : nearest
            diagnostics.error(item.location, "\(owner) has no key \(Text.quoted(key))\(help)")
        }
        return false
    }

    /// Returns whether the file of this table has a known version of the format; reports any other.
    func hasKnownVersion(_ diagnostics: Diagnostics) -> Bool {
        guard let version = self["version"] else {
            diagnostics.error(location, "the file has no version; 'version = 1' has to precede all tables")
            return true
        }
        guard version.value != .integer(1) else { return true }
        if case .integer(let number) = version.value {
            diagnostics.error(version.location, "version '\(number)' of the format is not known; it has to be 1")
            return false
        }
        diagnostics.error(version.location, "this is \(version.value.kind); it has to be the integer 1")
        return true
    }
}
