import FlowCore

/// Makes the boxes and edges of definitions.
struct GraphBuilder {
    typealias Edge = FlowGraph.Edge

    private let definitions: Definitions
    private let options: FlowGraph.Options
    /// The indexes of the shown flows, in order, and the index of each box.
    private let shown: [Int]
    private let places: [Int: Int]
    /// The flows that can contribute each flow.
    private let parents: [Int: [Int]]
    private(set) var boxes: [FlowGraph.Box] = []
    private(set) var steppers: [FlowGraph.Stepper] = []
    private(set) var edges: [Edge] = []
    private var known: Set<Edge> = []

    init(_ definitions: Definitions, _ options: FlowGraph.Options) {
        self.definitions = definitions
        self.options = options
        let children = definitions.flows.map { flow in
            Set(flow.children(of: definitions)).sorted()
        }
        var parents: [Int: [Int]] = [:]
        for (flow, children) in children.enumerated() {
            for child in children { parents[child, default: []].append(flow) }
        }
        self.parents = parents
        shown = Self.reachable(from: options.root, definitions, children)
        places = Dictionary(uniqueKeysWithValues: shown.enumerated().map { ($1, $0) })
    }

    /// Returns the sorted indexes of a flow and of all flows that it leads to; all flows for nil.
    private static func reachable(
        from root: String?, _ definitions: Definitions, _ children: [[Int]]
    ) -> [Int] {
        guard let root else { return Array(definitions.flows.indices) }
        var ahead = definitions.flow(named: root).map { [$0.index] } ?? []
        var found = Set(ahead)
        while let flow = ahead.popLast() {
            for child in children[flow] where found.insert(child).inserted { ahead.append(child) }
        }
        return found.sorted()
    }

    mutating func build() {
        for (place, flow) in shown.enumerated() {
            boxes.append(box("f\(place + 1)", definitions.flows[flow]))
        }
        for flow in shown { addSteps(of: flow) }
        for flow in shown { addEdges(of: flow) }
        for root in definitions.autostart {
            guard let box = places[root.flow.index].map({ boxes[$0] }) else { continue }
            let target = root.step.map { step($0, of: root.flow.index) }
            add(
                Edge(
                    kind: .autostart, from: FlowGraph.autostartNode,
                    to: target ?? FlowGraph.initialNode(box.id), label: Self.text(root),
                    toBox: target == nil ? box.id : nil))
        }
        for stepper in definitions.steppers { add(stepper) }
    }

    /// Several steppers can have the same property or signal.
    private mutating func add(_ stepper: StepperDefinition) {
        guard places[stepper.flow.index] != nil else { return }
        let notes = [stepper.bus == .served ? stepper.name : "\(stepper.name), \(stepper.bus.rawValue) bus"]
        var source = FlowGraph.Stepper(id: "p\(steppers.count + 1)", name: stepper.member, notes: notes)
        if let known = steppers.first(where: { $0.name == source.name && $0.notes == notes }) {
            source = known
        } else {
            steppers.append(source)
        }
        add(Edge(kind: .stepper, from: source.id, to: step(stepper.step, of: stepper.flow.index)))
    }

    // MARK: Boxes

    private func box(_ id: String, _ flow: FlowDefinition) -> FlowGraph.Box {
        var notes = Self.title(flow.texts)
        switch flow.children {
        case .free: break
        case .stack: notes.append("stack: the newest in front")
        case .tabs: notes.append("tabs: the selected one in front")
        case .layers:
            let layers = flow.layers.map { $0.covers ? $0.name : "\($0.name) (covers nothing)" }
            notes.append("layers, the lowest first: \(layers.joined(separator: ", "))")
        }
        if flow.isUnique { notes.append("unique") }
        if !flow.key.isEmpty { notes.append("key: \(flow.key.joined(separator: ", "))") }
        if let `guard` = flow.guard { notes.append("guard: \(`guard`.service.name)") }
        if let navigator = flow.navigator { notes.append("navigator: \(navigator.service.name)") }
        let emitters = flow.emitters + (flow.ownersMayEmit ? ["owner"] : [])
        if !emitters.isEmpty { notes.append("emitters: \(emitters.joined(separator: ", "))") }
        return FlowGraph.Box(
            id: id, name: flow.name, notes: notes, hasBack: flow.onBack != nil,
            timers: timers(of: flow))
    }

    /// Its timers as a line; nil if it has none.
    private func timers(of flow: FlowDefinition) -> String? {
        func text(_ span: Span) -> String {
            switch span {
            case .fixed(let time): Self.text(microseconds: time)
            case .context(let name): "$context.\(name)"
            }
        }
        let idle = flow.idle.isEmpty ? [] : ["idle " + flow.idle.map { text($0.after) }.joined(separator: ", ")]
        let others = flow.timers.map { timer in
            (timer.repeats ? "every " : "after ") + timer.steps.map { text($0.after) }.joined()
                + (timer.since == .presented ? " since presented" : "")
        }
        return idle.isEmpty && others.isEmpty ? nil : (idle + others).joined(separator: ", ")
    }

    private mutating func addSteps(of flow: Int) {
        let definition = definitions.flows[flow]
        let steps = definition.navigator.map { Array($0.steps) } ?? definition.rules.map(\.step)
        for step in steps.sorted(by: { $0.index < $1.index }) { _ = self.step(step, of: flow, hasRule: true) }
    }

    /// Returns the node of a step in a flow. A new node means that the flow has no rule for the step.
    private mutating func step(_ step: StepID, of flow: Int, hasRule: Bool = false) -> String {
        guard let place = places[flow] else { return "" }
        let name = definitions[step].name
        if let known = boxes[place].steps.first(where: { $0.name == name }) { return known.id }
        let id = "\(boxes[place].id)s\(boxes[place].steps.count + 1)"
        let `guard` = definitions.flows[flow].guard
        boxes[place].steps.append(
            FlowGraph.Step(
                id: id, name: name, notes: Self.title(definitions[step].texts) + (hasRule ? [] : ["no rule"]),
                isGuarded: `guard`.map { $0.steps?.contains(step) ?? true } ?? false, hasRule: hasRule))
        return id
    }

    private mutating func note(_ line: String, at step: String, of flow: Int) {
        guard let place = places[flow], let index = boxes[place].steps.firstIndex(where: { $0.id == step }) else {
            return
        }
        boxes[place].steps[index].notes.append(line)
    }

    /// Returns the node of a screen in a flow.
    private mutating func screen(_ screen: ScreenID, of flow: Int) -> String {
        guard let place = places[flow] else { return "" }
        let declaration = definitions[screen]
        if let known = boxes[place].screens.first(where: { $0.name == declaration.name }) { return known.id }
        let id = "\(boxes[place].id)p\(boxes[place].screens.count + 1)"
        let presenter = options.showsPresenters ? declaration.presenter?.service.name : nil
        let key = declaration.key.isEmpty ? nil : "key: \(declaration.key.joined(separator: ", "))"
        boxes[place].screens.append(
            FlowGraph.Screen(
                id: id, name: declaration.name,
                notes: Self.title(declaration.texts) + [key, presenter].compactMap(\.self)))
        return id
    }

    // MARK: Edges

    private mutating func add(_ edge: Edge) {
        if known.insert(edge).inserted { edges.append(edge) }
    }

    private mutating func addEdges(of flow: Int) {
        guard let box = places[flow].map({ boxes[$0].id }) else { return }
        let definition = definitions.flows[flow]
        if let initial = definition.initial {
            add(Edge(kind: .initial, from: FlowGraph.initialNode(box), to: step(initial, of: flow)))
        }
        if let onBack = definition.onBack {
            add(Edge(kind: .back, from: FlowGraph.backNode(box), to: step(onBack, of: flow)))
        }
        for timed in definition.idle + definition.timers.flatMap(\.steps) {
            add(Edge(kind: .timer, from: FlowGraph.timersNode(box), to: step(timed.step, of: flow)))
        }
        if definition.navigator != nil { return }
        for rule in definition.rules {
            let from = step(rule.step, of: flow)
            for (index, alternative) in rule.alternatives.enumerated() {
                // A single alternative shows its condition itself.
                let condition = text(alternative, of: rule.step)
                var label = rule.alternatives.count > 1 ? "\(index + 1): \(condition.isEmpty ? "else" : condition)" : ""
                if rule.alternatives.count == 1, !condition.isEmpty { note(condition, at: from, of: flow) }
                if alternative.contributors.isEmpty {
                    note(label.isEmpty ? "nothing" : "\(label): nothing", at: from, of: flow)
                }
                for contributor in alternative.contributors {
                    add(contributor, from, &label, flow)
                }
            }
        }
    }

    private mutating func add(_ contributor: FlowContributor, _ from: String, _ label: inout String, _ flow: Int) {
        let prefix = label.isEmpty ? "" : "\(label): "
        switch contributor {
        case .child(let template): add(template, from, label, flow)
        case .pop(let pop):
            let what =
                switch pop {
                case .to(let name): "pop to \(Self.text(name))"
                case .root: "pop to the oldest"
                }
            note(prefix + what, at: from, of: flow)
        case .show(let name): note(prefix + "show \(Self.text(name))", at: from, of: flow)
        case .hide(let name): note(prefix + "hide \(Self.text(name))", at: from, of: flow)
        case .dismiss(let name): note(prefix + "dismiss \(Self.text(name))", at: from, of: flow)
        case .set(let bindings):
            note(prefix + "set " + bindings.map(\.name).joined(separator: ", "), at: from, of: flow)
        case .move(let output): note(prefix + "move to \(Self.text(output))", at: from, of: flow)
        case .evict: note(prefix + "evict", at: from, of: flow)
        case .current(let template):
            add(Edge(kind: .current, from: from, to: step(template.step, of: flow), label: label))
        case .parent(let template): addToParents(of: flow, template.step, .parent, from, label)
        case .end(let template): addToParents(of: flow, template?.step, .end, from, label)
        case .answer: addToParents(of: flow, nil, .end, from, label.isEmpty ? "result" : "\(label), result")
        }
    }

    /// Adds edges to a step of each possible parent; to the flow's own end if there is none.
    private mutating func addToParents(
        of flow: Int, _ target: StepID?, _ kind: Edge.Kind, _ from: String, _ label: String
    ) {
        let label = [label, kind == .end ? "end" : "to the parent"].filter { !$0.isEmpty }.joined(separator: ", ")
        let parents = (parents[flow] ?? []).filter { places[$0] != nil }
        if let target, !parents.isEmpty {
            for parent in parents { add(Edge(kind: kind, from: from, to: step(target, of: parent), label: label)) }
        } else if let place = places[flow] {
            boxes[place].hasEnd = true
            let name = target.map { ": \(definitions[$0].name)" } ?? ""
            add(Edge(kind: kind, from: from, to: FlowGraph.endNode(boxes[place].id), label: label + name))
        }
    }

    private mutating func add(_ template: ChildTemplate, _ from: String, _ label: String, _ flow: Int) {
        var words = label.isEmpty ? [] : [label]
        if template.clears { words.append("clear") }
        if template.reuses { words.append(template.raises ? "reuse, raise" : "reuse") }
        if let layer = template.layer { words.append("layer \(layer)") }
        if let style = template.style, !style.isEmpty { words.append(Names.escaped(style)) }
        let label = words.joined(separator: ", ")
        var child: (node: String, box: String?)
        switch template.presentable {
        case .screen(let id):
            child = (screen(id, of: flow), nil)
            add(Edge(kind: .opens, from: from, to: child.node, label: label))
            if let initial = template.step {
                add(Edge(kind: .current, from: child.node, to: step(initial, of: flow), label: "when shown"))
            }
        case .flow(let id):
            guard let box = places[id.index].map({ boxes[$0].id }) else { return }
            child = (FlowGraph.initialNode(box), box)
            // Notes an initial step other than the flow's own.
            if let initial = template.step, initial != definitions[id].initial {
                add(Edge(kind: .opens, from: from, to: step(initial, of: id.index), label: label))
            } else {
                add(Edge(kind: .opens, from: from, to: child.node, label: label, toBox: box))
            }
        }
        if let onDismissed = template.onDismissed {
            add(
                Edge(
                    kind: .dismissed, from: child.node, to: step(onDismissed.step, of: flow), label: "dismissed",
                    fromBox: child.box))
        }
        if let onResult = template.onResult {
            add(
                Edge(
                    kind: .result, from: child.node, to: step(onResult.step, of: flow),
                    label: "result: \(definitions[onResult.step].name)", fromBox: child.box))
        }
    }

    // MARK: Words

    /// The title in English, or in the first language.
    private static func title(_ texts: Texts) -> [String] {
        texts.title.map { text in
            let version = text.versions.first { $0.language == "en" } ?? text.versions.first
            return ["“\(Names.escaped(version?.text ?? ""))”"]
        } ?? []
    }

    private func text(_ alternative: Alternative, of step: StepID) -> String {
        [("when", alternative.when), ("unless", alternative.unless)].filter { !$0.1.isEmpty }.map { word, conditions in
            "\(word) " + conditions.map { text($0, of: step) }.joined(separator: " and ")
        }.joined(separator: ", ")
    }

    /// A picture is passed on, so the values of a private step stay out of it; those that the service returns are blank
    /// anyway.
    private func text(_ condition: Condition, of step: StepID) -> String {
        switch condition {
        case .argument(let name, let value):
            "\(name) = " + (definitions[step].isPrivate ? "(private)" : Names.escaped(value.description))
        case .alive(let name): "\(Self.text(name)) is live"
        case .same(.step(let name), let other): "\(name) = \(Self.text(other))"
        case .same(let one, let other): "\(Self.text(one).dropFirst()) = \(Self.text(other))"
        case .context(let name, let value):
            "context.\(name) = "
                + (definitions.isPrivateContext(name) ? "(private)" : Names.escaped(value.description))
        }
    }

    /// The id of a root, and for which outputs it is.
    private static func text(_ root: Autostart) -> String {
        var words = root.id.map { [Names.escaped($0)] } ?? []
        if root.isPerOutput { words.append("each output \(Names.escaped(root.output))") }
        if root.whenOutputGone != .keep { words.append("\(root.whenOutputGone.rawValue) with it") }
        return words.joined(separator: ", ")
    }

    private static func text(_ source: Binding.Source) -> String {
        if case .literal(let value) = source { return Names.escaped(value.description) }
        return source.reference ?? ""
    }

    /// A name, and the arguments of its key by which one of several is meant (S-51).
    private static func text(_ name: KeyedName) -> String {
        name.key.isEmpty ? name.name : "\(name.name) [\(name.key.map(\.name).joined(separator: ", "))]"
    }

    private static func text(microseconds: UInt64) -> String {
        if microseconds % 60_000_000 == 0 { return "\(microseconds / 60_000_000) min" }
        if microseconds % 1_000_000 == 0 { return "\(microseconds / 1_000_000) s" }
        return microseconds % 1_000 == 0 ? "\(microseconds / 1_000) ms" : "\(microseconds) µs"
    }
}

extension FlowDefinition {
    /// The indexes of the flows that its rules can contribute.
    fileprivate func children(of definitions: Definitions) -> [Int] {
        rules.flatMap(\.alternatives).flatMap(\.contributors).compactMap { contributor in
            guard case .child(let template) = contributor, case .flow(let id) = template.presentable else { return nil }
            return id.index
        }
    }
}
