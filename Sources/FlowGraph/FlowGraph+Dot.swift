import FlowCore

// Output for Graphviz, `dot -Tsvg`. Labels are HTML-like, because they contain lines in small print; so their text is
// escaped as HTML.
// https://graphviz.org/doc/info/lang.html, https://graphviz.org/doc/info/shapes.html#html

extension FlowGraph {
    /// The graph in the language of Graphviz.
    public var dot: String {
        var lines = [
            "digraph flows {",
            "    graph [rankdir=LR, compound=true, nodesep=0.15, ranksep=0.55, fontname=\"Helvetica,sans-serif\",",
            "        fontsize=13, labeljust=l, style=rounded, color=\"#9aa4b1\", bgcolor=white, tooltip=\"flows\"]",
            "    node [fontname=\"Helvetica,sans-serif\", fontsize=11, height=0.3, margin=\"0.12,0.05\", color=\"#5b6673\"]",
            "    edge [fontname=\"Helvetica,sans-serif\", fontsize=9, color=\"#5b6673\", fontcolor=\"#44505c\", arrowsize=0.7]",
        ]
        if !undefinedPaths.isEmpty {
            let names = undefinedPaths.map { Names.escaped($0) }.joined(separator: ", ")
            lines.append("    label=<\(Self.html("live, but not defined here: \(names)"))>")
        }
        if hasAutostart {
            lines.append("    \(Self.autostartNode) [label=\"flowbusd\\nstarts\", shape=plaintext, fontsize=9]")
        }
        for stepper in steppers {
            lines.append(
                "    \(stepper.id) [label=<\(Self.label(stepper.name, stepper.notes))>, shape=plaintext, fontsize=9]")
        }
        for box in boxes { lines += dot(box) }
        for edge in edges { lines.append(dot(edge)) }
        // Steps without an incoming edge inside their box form one column with the initial step.
        let led = Set(edges.lazy.filter { $0.kind.staysInside }.map(\.to))
        for box in boxes {
            for step in box.steps where !led.contains(step.id) {
                lines.append("    \(Self.initialNode(box.id)) -> \(step.id) [style=invis]")
            }
        }
        return lines.joined(separator: "\n") + "\n}\n"
    }

    private func dot(_ box: Box) -> [String] {
        let notes = box.notes.map { "<BR ALIGN=\"LEFT\"/><FONT POINT-SIZE=\"9\">\(Self.html($0))</FONT>" }.joined()
        let name = Self.html(box.name + box.mark.times)
        var lines = [
            "    subgraph cluster_\(box.id) {",
            "        label=<<B>\(name)</B>\(notes)<BR ALIGN=\"LEFT\"/>>",
        ]
        switch box.mark {
        case .none: break
        case .live: lines.append("        color=\"#2e7d32\"")
        case .presented: lines.append("        color=\"#2e7d32\"; penwidth=2; bgcolor=\"#f3faf3\"")
        }
        lines.append(
            "        \(Self.initialNode(box.id)) [label=\"\", shape=circle, style=filled, fillcolor=black, width=0.11, height=0.11]"
        )
        if let timers = box.timers {
            lines.append(
                "        \(Self.timersNode(box.id)) [label=<\(Self.html(timers))>, shape=plaintext, fontsize=9]")
        }
        if box.hasBack {
            lines.append("        \(Self.backNode(box.id)) [label=\"Back\", shape=plaintext, fontsize=9]")
        }
        for step in box.steps {
            var style = step.hasRule ? "rounded" : "rounded,dashed"
            if step.isGuarded { style += ",filled" }
            let fill = step.isGuarded ? ", fillcolor=\"#fff3d6\"" : ""
            lines.append(
                "        \(step.id) [label=<\(Self.label(step.name, step.notes))>, shape=box, style=\"\(style)\"\(fill)]"
            )
        }
        for screen in box.screens {
            let look =
                switch screen.mark {
                case .none: "style=filled, fillcolor=\"#e4edf9\""
                case .live: "style=filled, fillcolor=\"#e4edf9\", color=\"#2e7d32\", penwidth=1.6"
                case .presented: "style=filled, fillcolor=\"#a5d6a7\", color=\"#2e7d32\", penwidth=2"
                }
            let name = screen.name + screen.mark.times
            lines.append("        \(screen.id) [label=<\(Self.label(name, screen.notes))>, shape=box, \(look)]")
        }
        if box.hasEnd {
            lines.append(
                "        \(Self.endNode(box.id)) [label=\"\", shape=doublecircle, style=filled, fillcolor=black, width=0.09, "
                    + "height=0.09]")
        }
        return lines + ["    }"]
    }

    private func dot(_ edge: Edge) -> String {
        var attributes: [String] = []
        if !edge.label.isEmpty { attributes.append("label=<\(Self.html(edge.label))>") }
        if let box = edge.fromBox { attributes.append("ltail=cluster_\(box)") }
        if let box = edge.toBox { attributes.append("lhead=cluster_\(box)") }
        switch edge.kind {
        case .initial, .autostart: attributes.append("penwidth=1.6")
        case .opens: break
        case .current: attributes.append("style=dashed")
        case .parent:
            attributes.append("style=dashed, color=\"#1a5fb4\", fontcolor=\"#1a5fb4\"")
            if !isOwnEnd(edge) { attributes.append("constraint=false") }
        case .end:
            attributes.append("color=\"#a51d2d\", fontcolor=\"#a51d2d\"")
            // An edge to another box would rotate the layout.
            if !isOwnEnd(edge) { attributes.append("constraint=false") }
        case .dismissed: attributes.append("style=dotted, color=\"#a51d2d\", fontcolor=\"#a51d2d\", constraint=false")
        case .result: attributes.append("style=dashed, color=\"#26734d\", fontcolor=\"#26734d\", constraint=false")
        case .back, .timer, .stepper: attributes.append("style=dotted")
        }
        return "    \(edge.from) -> \(edge.to)" + (attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]")
    }

    private func isOwnEnd(_ edge: Edge) -> Bool { boxes.contains { Self.endNode($0.id) == edge.to } }

    /// Returns a label: a name, and lines in small print below it.
    private static func label(_ name: String, _ notes: [String]) -> String {
        html(name) + notes.map { "<BR/><FONT POINT-SIZE=\"8\">\(html($0))</FONT>" }.joined()
    }

    /// Escapes a text for an HTML-like label.
    private static func html(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension FlowGraph.Edge.Kind {
    /// Whether edges of this kind lead to a step of the same box.
    fileprivate var staysInside: Bool {
        switch self {
        case .initial, .current, .back, .timer: true
        case .autostart, .stepper, .opens, .parent, .end, .dismissed, .result: false
        }
    }
}
