import FlowCore
import FlowWire

/// Formats a tree as lines.
struct TreeText {
    let output: Output
    let showsArguments: Bool
    /// The names of owners, by unique name.
    let owners: [String: String]
    let evicted: Set<NodePath>
    /// The numbers of asks that are open or not acknowledged; none are left out.
    let asks: [NodePath: UInt64]
    /// The timers that are shown.
    let timers: [NodePath: [TimerText]]

    private struct Row {
        let lines: String
        let node: LiveNode
        let isCurrent: Bool
        var head: String { node.path.id }
    }

    /// Returns a line for each node, parents first.
    func lines(_ nodes: [LiveNode]) -> [String] {
        let rows = rows(nodes)
        let width = rows.map { $0.lines.count + $0.head.count }.max() ?? 0
        return rows.map { row in
            let padding = String(repeating: " ", count: width - row.lines.count - row.head.count + 2)
            let name = row.node.isPresented ? output.paint(row.head, .bold) : row.head
            return output.paint(row.lines, .dim) + name + padding + marks(row)
        }
    }

    private func rows(_ nodes: [LiveNode]) -> [Row] {
        let (through, branch, last, none) =
            output.hasUnicode ? ("│   ", "├── ", "└── ", "    ") : ("|   ", "|-- ", "`-- ", "    ")
        var children: [NodePath: Int] = [:]
        let paths = Set(nodes.map(\.path))
        for node in nodes { if let parent = node.path.parent { children[parent, default: 0] += 1 } }
        // The prefix of the lines below each node.
        var prefixes: [NodePath: String] = [:]
        var currents: [NodePath: NodePath] = [:]
        var rows: [Row] = []
        for node in nodes {
            currents[node.path] = node.current
            guard let parent = node.path.parent, paths.contains(parent) else {
                prefixes[node.path] = ""
                rows.append(Row(lines: "", node: node, isCurrent: false))
                continue
            }
            let left = children[parent, default: 1] - 1
            children[parent] = left
            let prefix = prefixes[parent] ?? ""
            prefixes[node.path] = prefix + (left > 0 ? through : none)
            rows.append(
                Row(
                    lines: prefix + (left > 0 ? branch : last), node: node,
                    isCurrent: currents[parent] == node.path))
        }
        return rows
    }

    private func marks(_ row: Row) -> String {
        let node = row.node
        var marks = [node.isFlow ? "flow" : "screen"]
        if node.name != node.path.id { marks[0] += " \(node.name)" }
        let state =
            switch (node.isPresented, node.isVisible) {
            case (true, _): output.paint("presented", .green)
            case (false, true): output.paint("visible", .yellow)
            case (false, false): output.paint("hidden", .dim)
            }
        marks.append(state)
        if row.isCurrent { marks.append(output.paint("current", .cyan)) }
        if !node.isReady { marks.append(output.paint("not ready", .red)) }
        if evicted.contains(node.path) { marks.append(output.paint("evicted", .dim)) }
        if let count = asks[node.path] { marks.append(output.paint("\(count) unanswered", .yellow)) }
        if !node.style.isEmpty { marks.append("style \(Names.line(node.style))") }
        if !node.title.isEmpty { marks.append("title '\(Names.line(node.title))'") }
        if !node.waiting.isEmpty { marks.append(output.paint("waiting: \(Names.line(node.waiting))", .red)) }
        if !node.owner.isEmpty {
            marks.append("owner " + node.owner + (owners[node.owner].map { " (\($0))" } ?? ""))
        }
        marks += (timers[node.path] ?? []).map(\.text)
        var text = marks.joined(separator: ", ")
        if showsArguments, !node.arguments.entries.isEmpty { text += "  " + node.arguments.argumentText }
        return text
    }
}

extension LiveNode {
    /// The node as JSON.
    func json(
        isCurrent: Bool, ownerName: String?, isEvicted: Bool, asks: UInt64, timers: [TimerText]?
    ) -> JSON {
        var entries: [(String, JSON)] = [
            ("path", .string(path.text)), ("object", .string(path.objectPath)),
            ("kind", .string(self.isFlow ? "flow" : "screen")), ("name", .string(self.name)),
            ("instance", .number(Int128(self.instance))), ("style", .nonEmpty(self.style)),
            ("visible", .bool(self.isVisible)),
            ("presented", .bool(self.isPresented)), ("current", .bool(isCurrent)),
        ]
        if self.isFlow { entries.append(("ready", .bool(self.isReady))) }
        if !self.isFlow { entries += [("title", .nonEmpty(self.title)), ("evicted", .bool(isEvicted))] }
        entries.append(("waiting", .nonEmpty(self.waiting)))
        entries.append(("unanswered", .number(Int128(asks))))
        entries += [
            ("owner", .nonEmpty(self.owner)), ("ownerName", ownerName.map(JSON.string) ?? .null),
            ("presenter", .nonEmpty(self.presenter)), ("arguments", JSON(arguments)),
        ]
        if self.isFlow, let timers { entries.append(("timers", .array(timers.map(\.json)))) }
        return .object(entries)
    }
}

/// A timer in an answer of GetTimers, `(osst)`.
struct TimerText {
    let flow: NodePath
    private let kind: String
    private let step: String
    /// In µs.
    private let left: UInt64

    init?(_ value: Value) {
        let parts = value.elements
        guard parts.count == 4, let path = parts[0].text, let kind = parts[1].text, let step = parts[2].text,
            let left = parts[3].number, let flow = NodePath(objectPath: path)
        else { return nil }
        self.flow = flow
        (self.kind, self.step, self.left) = (kind, step, left)
    }

    /// Such as `every tick in 1min 30s`.
    var text: String { "\(kind) \(Names.line(step)) in \(timeLeft)" }

    /// Seconds that have begun count, so that a timer whose time is not over never has none.
    private var timeLeft: String {
        let seconds = left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1)
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }
        return words.isEmpty ? "0s" : words.prefix(2).joined(separator: " ")
    }

    var json: JSON {
        .object([("kind", .string(kind)), ("step", .string(step)), ("left", .number(Int128(left)))])
    }
}
