import FlowCore

// Output for Mermaid, as GitHub renders it in a fenced block. Texts are quoted, with special characters as entity
// codes.
// https://mermaid.js.org/syntax/flowchart.html

extension FlowGraph {
    /// The graph as a flowchart of Mermaid.
    public var mermaid: String {
        var lines = ["flowchart LR"]
        if !undefinedPaths.isEmpty {
            lines.append(
                "    undefinedPaths[\"\(Self.text("live, but not defined here: " + undefinedPaths.joined(separator: ", ")))\"]"
            )
        }
        if hasAutostart { lines.append("    \(Self.autostartNode)([\"flowbusd starts\"])") }
        for stepper in steppers {
            lines.append("    \(stepper.id)[/\"\(Self.label(Self.text(stepper.name), stepper.notes))\"/]")
        }
        for box in boxes { lines += mermaid(box) }
        for edge in edges { lines.append("    " + mermaid(edge)) }
        lines += [
            "    classDef screen fill:#e4edf9,stroke:#5b6673,color:#000",
            "    classDef live fill:#e4edf9,stroke:#2e7d32,stroke-width:2px,color:#000",
            "    classDef presented fill:#a5d6a7,stroke:#2e7d32,stroke-width:3px,color:#000",
            "    classDef guarded fill:#fff3d6,stroke:#5b6673,color:#000",
            "    classDef unruled stroke-dasharray:4 3",
            "    classDef point fill:#000,stroke:#000,color:#fff",
        ]
        for box in boxes {
            switch box.mark {
            case .none: break
            case .live: lines.append("    style \(box.id) stroke:#2e7d32")
            case .presented: lines.append("    style \(box.id) stroke:#2e7d32,stroke-width:3px")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func mermaid(_ box: Box) -> [String] {
        let title = Self.label("<b>\(Self.text(box.name + box.mark.times))</b>", box.notes)
        var lines = ["    subgraph \(box.id)[\"\(title)\"]"]
        lines.append("        \(Self.initialNode(box.id))((\" \")):::point")
        if let timers = box.timers { lines.append("        \(Self.timersNode(box.id))[/\"\(Self.text(timers))\"/]") }
        if box.hasBack { lines.append("        \(Self.backNode(box.id))[/\"Back\"/]") }
        for step in box.steps {
            let style = step.hasRule ? (step.isGuarded ? ":::guarded" : "") : ":::unruled"
            lines.append("        \(step.id)([\"\(Self.label(Self.text(step.name), step.notes))\"])\(style)")
        }
        for screen in box.screens {
            let style =
                switch screen.mark {
                case .none: "screen"
                case .live: "live"
                case .presented: "presented"
                }
            let name = Self.text(screen.name + screen.mark.times)
            lines.append("        \(screen.id)[\"\(Self.label(name, screen.notes))\"]:::\(style)")
        }
        if box.hasEnd { lines.append("        \(Self.endNode(box.id))(((\" \"))):::point") }
        return lines + ["    end"]
    }

    private func mermaid(_ edge: Edge) -> String {
        let arrow =
            switch edge.kind {
            case .initial, .autostart, .end: "==>"
            case .opens: "-->"
            case .current, .parent, .dismissed, .result, .back, .timer, .stepper: "-.->"
            }
        let label = edge.label.isEmpty ? "" : "|\"\(Self.text(edge.label))\"|"
        return "\(edge.fromBox ?? edge.from) \(arrow)\(label) \(edge.toBox ?? edge.to)"
    }

    private static func label(_ name: String, _ notes: [String]) -> String {
        name + notes.map { "<br/><small>\(text($0))</small>" }.joined()
    }

    /// Escapes a text for quotes: characters that are special in Mermaid, Markdown or HTML are written as their
    /// numbers.
    private static func text(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            let isPlain =
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || " ,.:=_/-()×".unicodeScalars.contains(scalar)
            if isPlain { escaped.unicodeScalars.append(scalar) } else { escaped += "#\(scalar.value);" }
        }
        return escaped
    }
}
