import FlowCore

/// Parses a TOML text in one pass: makes the nodes, with their values and lines.
///
/// It does not trust the text: nesting is limited, because it is recursive, and a null character is refused, because no
/// string on the bus can have one.
///
/// Source: TOML 1.1.0, which takes all that TOML 1.0.0 does.
struct TomlParser {
    typealias Problem = TomlSource.Problem
    typealias Node = TomlSource.Node

    let bytes: [UInt8]
    private(set) var nodes = [Node(.name(""), .table, in: 0, 1)]
    /// The first thing that TOML 1.0 does not have; the message is a noun.
    private(set) var newer: Problem?
    var at = 0
    var line = 1
    /// The number of open brackets.
    private var depth = 0
    /// The children by name, of nodes with many.
    private var indices: [[String: Int]] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // Usual texts have less than a node in so many bytes.
        nodes.reserveCapacity(bytes.count / 12)
    }

    /// Parses the text.
    ///
    /// - Throws: the first error; the nodes found until then stay.
    mutating func run() throws(Problem) {
        if let null = bytes.firstIndex(of: 0) { throw Problem(offset: null, message: Self.nullCharacter) }
        var table = 0
        while true {
            try skipBlank(lines: true)
            guard let byte = peek() else { return }
            if byte == UInt8(ascii: "[") {
                table = try header()
            } else {
                try pair(into: table)
            }
            try skipBlank(lines: false)
            guard peek() == nil || peek() == UInt8(ascii: "\n") else { throw unexpected("the end of the line") }
        }
    }

    // MARK: Tables

    /// Parses `[a.b]` or `[[a.b]]`. Returns the node that the following pairs belong to.
    private mutating func header() throws(Problem) -> Int {
        let start = at
        at += 1
        let isList = peek() == UInt8(ascii: "[")
        if isList { at += 1 }
        var node = 0
        var keys = 0
        while true {
            keys += 1
            let key = try nextKey(keys)
            if peek() == UInt8(ascii: ".") {
                at += 1
                node = try table(above: node, key)
                continue
            }
            for _ in 0..<(isList ? 2 : 1) {
                guard peek() == UInt8(ascii: "]") else { throw unexpected("']' after the table's name") }
                at += 1
            }
            return isList ? try element(of: node, key, start) : try table(in: node, key, start)
        }
    }

    /// Returns the table that a header leads through: in a list of tables, the newest.
    private mutating func table(above parent: Int, _ key: NextKey) throws(Problem) -> Int {
        guard let node = child(of: parent, key.name) else { return add(.implicit, key.name, to: parent, line) }
        switch nodes[node].kind {
        case .table, .implicit, .dotted: return node
        case .tables: return nodes[node].last
        case .value, .inline, .list: throw closed(node, key)
        }
    }

    /// Returns the table of a header.
    private mutating func table(in parent: Int, _ key: NextKey, _ start: Int) throws(Problem) -> Int {
        guard let node = child(of: parent, key.name) else { return add(.table, key.name, to: parent, line) }
        switch nodes[node].kind {
        case .implicit:
            // Its keys could stand before, with dots.
            guard !hasValues(node) else { throw twice("the table [\(place(of: node))]", node, start) }
            nodes[node].kind = .table
            nodes[node].line = line
            return node
        case .table, .dotted, .inline: throw twice("the table [\(place(of: node))]", node, start)
        case .value, .list, .tables: throw closed(node, key)
        }
    }

    /// Returns a new table at the end of a list of tables.
    private mutating func element(of parent: Int, _ key: NextKey, _ start: Int) throws(Problem) -> Int {
        guard let list = child(of: parent, key.name) else {
            return addElement(.table, to: add(.tables, key.name, to: parent, line))
        }
        guard nodes[list].kind == .tables else { throw closed(list, key) }
        return addElement(.table, to: list)
    }

    /// Returns whether a table has values, or lists of them.
    private func hasValues(_ node: Int) -> Bool {
        children(of: node).contains { nodes[$0].kind == .value || nodes[$0].kind == .list }
    }

    /// Parses `a.b = value`.
    private mutating func pair(into table: Int) throws(Problem) {
        let start = line
        var parent = table
        var keys = 0
        while true {
            keys += 1
            let key = try nextKey(keys)
            let node = child(of: parent, key.name)
            if peek() == UInt8(ascii: ".") {
                at += 1
                guard let node else {
                    parent = add(.dotted, key.name, to: parent, start)
                    continue
                }
                switch nodes[node].kind {
                case .dotted, .implicit: parent = node
                case .value, .table, .inline, .list, .tables: throw closed(node, key)
                }
                continue
            }
            guard peek() == UInt8(ascii: "=") else { throw unexpected("'=' after the key") }
            if let node { throw twice("the key \(Text.quoted(key.name))", node, key.offset) }
            at += 1
            try skipBlank(lines: false)
            return try value(of: add(.value, key.name, to: parent, start))
        }
    }

    private func closed(_ node: Int, _ key: NextKey) -> Problem {
        let what =
            switch nodes[node].kind {
            case .value: nodes[node].value.kind
            case .table, .implicit, .dotted, .inline: "a table"
            case .list: "a list"
            case .tables: "a list of tables"
            }
        return Problem(
            offset: key.offset,
            message:
                "\(Text.quoted(key.name)) is \(what) already, in line \(nodes[node].line); nothing can be added to it")
    }

    private func twice(_ what: String, _ node: Int, _ offset: Int) -> Problem {
        Problem(offset: offset, message: "\(what) is given twice: here and in line \(nodes[node].line)")
    }

    private func place(of node: Int) -> String {
        var path = [nodes[node].key]
        var node = nodes[node].parent
        while node > 0 {
            path.append(nodes[node].key)
            node = nodes[node].parent
        }
        return TomlSource.text(of: path.reversed().filter { if case .name = $0 { true } else { false } })
    }

    // MARK: Values

    private mutating func value(of node: Int) throws(Problem) {
        switch peek() {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): nodes[node].value = .string(try string())
        case UInt8(ascii: "["):
            nodes[node].kind = .list
            try bracketed(by: UInt8(ascii: "]"), "list") { (parser) throws(Problem) in
                try parser.value(of: parser.addElement(.value, to: node))
            }
        case UInt8(ascii: "{"):
            nodes[node].kind = .inline
            try bracketed(by: UInt8(ascii: "}"), "table") { (parser) throws(Problem) in
                try parser.pair(into: node)
            }
        default: nodes[node].value = try scalar()
        }
    }

    /// Parses the elements of a list, or the pairs of an inline table. Both can go over lines, and end with a comma; a
    /// table of TOML 1.0 can't.
    private mutating func bracketed(
        by end: UInt8, _ noun: String, _ element: (inout TomlParser) throws(Problem) -> Void
    ) throws(Problem) {
        depth += 1
        guard depth <= TomlSource.depthLimit else { throw Problem(offset: at, message: Self.tooDeep) }
        let isTable = noun == "table"
        let first = line
        at += 1
        try skipLines(isTable)
        while peek() != end {
            try element(&self)
            try skipLines(isTable)
            if peek() == end { break }
            guard peek() == UInt8(ascii: ",") else {
                // What follows an end that was forgotten can be far from it.
                let place = line == first ? "" : " of the \(noun) that begins in line \(first)"
                throw unexpected("',' or '\(Unicode.Scalar(end))'" + place)
            }
            let comma = at
            at += 1
            try skipLines(isTable)
            if isTable, peek() == end { needsNewer("a comma at the end of an inline table", at: comma) }
        }
        at += 1
        depth -= 1
    }

    /// Skips spaces, line ends and comments between brackets.
    private mutating func skipLines(_ isInTable: Bool) throws(Problem) {
        let (start, first) = (at, line)
        try skipBlank(lines: true)
        guard isInTable, line > first, newer == nil, let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
            return
        }
        needsNewer("a line end in an inline table", at: end)
    }

    /// Notes that the text has something that TOML 1.0 does not.
    mutating func needsNewer(_ what: String, at offset: Int) {
        if newer == nil { newer = Problem(offset: offset, message: what) }
    }

    // MARK: Nodes

    /// Returns the child of a table.
    private func child(of parent: Int, _ name: String) -> Int? {
        let index = nodes[parent].index
        if index > 0 {
            guard let child = indices[index - 1][name] else { return nil }
            if isNamed(child, name) { return child }
        }
        for child in children(of: parent) where isNamed(child, name) { return child }
        return nil
    }

    /// Returns whether a node has a name, byte by byte. In Swift strings are equal, too, that only look the same.
    private func isNamed(_ node: Int, _ name: String) -> Bool {
        if case .name(name) = nodes[node].key, case .name(let own) = nodes[node].key {
            return own.utf8.elementsEqual(name.utf8)
        }
        return false
    }

    private func children(of parent: Int) -> TomlSource.Children { TomlSource.Children(of: parent, in: nodes) }

    /// Adds a child, which the table does not have, to a table.
    private mutating func add(_ kind: TomlSource.Kind, _ name: String, to parent: Int, _ line: Int) -> Int {
        let node = append(Node(.name(name), kind, in: parent, line))
        let index = nodes[parent].index
        if index > 0 {
            indices[index - 1][name] = node
        } else if nodes[parent].count > 8 {
            var index: [String: Int] = [:]
            for child in children(of: parent) { if case .name(let name) = nodes[child].key { index[name] = child } }
            indices.append(index)
            nodes[parent].index = indices.count
        }
        return node
    }

    /// Adds an element to a list.
    private mutating func addElement(_ kind: TomlSource.Kind, to list: Int) -> Int {
        append(Node(.index(nodes[list].count), kind, in: list, line))
    }

    private mutating func append(_ node: Node) -> Int {
        let place = nodes.count
        nodes.append(node)
        let last = nodes[node.parent].last
        if last > 0 {
            nodes[last].next = place
        } else {
            nodes[node.parent].first = place
        }
        nodes[node.parent].last = place
        nodes[node.parent].count += 1
        return place
    }
}
