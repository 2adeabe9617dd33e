import FlowCore

/// Layers of flows (S-37).
extension Resolver {
    /// Returns the layers of a flow; none if they are invalid, or it has none.
    func layers(of flow: DraftFlow, _ children: Children?) -> [Layer] {
        guard let item = flow.keys["layers"] else {
            if children == .layers, let children = flow.keys["children"] {
                diagnostics.error(
                    children.location,
                    "\(flow.declared.subject) has to name its layers, the lowest first: layers = [\"NAME\", …]")
            }
            return []
        }
        if let children, children != .layers {
            diagnostics.error(
                item.location, "'layers' is for children = \"layers\", and this flow has \"\(children.rawValue)\"")
        }
        guard
            let items = item.list(diagnostics, "a list of layers: names, or tables { name = \"NAME\", covers = false }")
        else { return [] }
        if items.isEmpty {
            diagnostics.error(item.location, "the list is empty; it has to name the layers, the lowest first")
        }
        var layers: [Layer] = []
        for item in items {
            guard let layer = layer(item) else { continue }
            if layers.contains(where: { $0.name == layer.name }) {
                diagnostics.error(item.location, "the layer '\(layer.name)' is given twice")
            } else {
                layers.append(layer)
            }
        }
        return layers.count == items.count ? layers : []
    }

    private func layer(_ item: Item) -> Layer? {
        if case .string = item.value { return layerName(item).map { Layer($0) } }
        let what = "the name of a layer, or a table: { name = \"NAME\", covers = false }"
        guard let table = item.section(diagnostics, what) else { return nil }
        let isClean = table.checkKeys(diagnostics, of: "a layer", ["name", "covers"])
        if isClean, table["name"] == nil {
            diagnostics.error(table.location, "a layer has to have a name: name = \"NAME\"")
        }
        let covers = table["covers"]?.bool(diagnostics)
        return table["name"].flatMap { layerName($0) }.map { Layer($0, covers: covers ?? true) }
    }

    private func layerName(_ item: Item) -> String? {
        guard let name = item.string(diagnostics, "the name of a layer") else { return nil }
        guard Names.isPresentableName(name) else {
            diagnostics.error(
                item.location, "\(Text.quoted(name)) can't be the name of a layer: \(Names.presentableNameRule)")
            return nil
        }
        return name
    }

    /// Reports children of layers that do not say what happens when they are empty: one that goes uncovers what is below it
    /// (S-36).
    func checkEmptiness(_ definitions: Definitions) {
        var known: Set<Int> = []
        for flow in definitions.flows where flow.children == .layers {
            for case .child(let child) in flow.contributors {
                guard case .flow(let id) = child.presentable, known.insert(id.index).inserted,
                    let draft = draft.flows[definitions[id].name], draft.keys["whenEmpty"] == nil
                else { continue }
                diagnostics.error(
                    draft.declared.location,
                    "\(draft.declared.subject) stands in a layer of flow '\(flow.name)', so it has to say whether it stays "
                        + "when it is empty: whenEmpty = \"stay\" or \"go\"")
            }
        }
    }

    // MARK: Warnings

    /// Warns about layers in which no child stands, and about flows in upper layers that any client could dismiss. A
    /// navigator can contribute any flow.
    func warnOfLayers(_ definitions: Definitions) {
        var isUpper: Set<String> = []
        for flow in definitions.flows where flow.children == .layers && flow.navigator == nil {
            guard let lowest = flow.layers.first?.name else { continue }
            var used: Set<String> = []
            for case .child(let child) in flow.contributors {
                let layer = child.layer ?? lowest
                used.insert(layer)
                if layer != lowest, case .flow(let id) = child.presentable,
                    isUpper.insert(definitions[id].name).inserted
                {
                    warnOfDismissal(definitions[id].name, layer, flow)
                }
            }
            let list = draft.flows[flow.name]?.keys["layers"]?.items
            for (index, layer) in flow.layers.enumerated() where !used.contains(layer.name) {
                guard let list, index < list.count else { continue }
                diagnostics.warning(
                    list[index].location, "flow '\(flow.name)' contributes nothing to its layer '\(layer.name)'")
            }
        }
    }

    /// Warns about layers above that of a lock of flowbus-lock(1): while that locks, the compositor shows nothing else.
    func warnOfLocks(_ definitions: Definitions) {
        for flow in definitions.flows where flow.children == .layers {
            guard let list = draft.flows[flow.name]?.keys["layers"]?.items else { continue }
            var used: Set<Int> = []
            var lowest: (place: Int, screen: String)?
            for case .child(let child) in flow.contributors {
                let place = flow.layers.firstIndex { $0.name == child.layer } ?? 0
                used.insert(place)
                if case .flow(let id) = child.presentable, place < lowest?.place ?? .max,
                    let screen = lock(in: id, definitions)
                {
                    lowest = (place, screen)
                }
            }
            guard let lowest else { continue }
            for place in used.sorted() where place > lowest.place && place < list.count {
                diagnostics.warning(
                    list[place].location,
                    "the layer '\(flow.layers[place].name)' of flow '\(flow.name)' is above the lock '\(lowest.screen)', and what stands "
                        + "in it is not seen while flowbus-lock has locked the display: a compositor shows nothing beside such a lock"
                )
            }
        }
    }

    /// The first screen of flowbus-lock in a flow, or in one below it.
    private func lock(in flow: FlowID, _ definitions: Definitions) -> String? {
        var known: Set<FlowID> = [flow]
        var waiting = [flow]
        while let next = waiting.popLast() {
            for case .child(let child) in definitions[next].contributors {
                switch child.presentable {
                case .screen(let id):
                    if definitions[id].presenter?.service.name == "org.flowbus.Lock1" { return definitions[id].name }
                case .flow(let id):
                    if known.insert(id).inserted { waiting.append(id) }
                }
            }
        }
        return nil
    }

    /// Warns about flows that stay when they are empty, and then cover others for ever: `onDismissed` would show a screen again.
    func warnOfEmptyCovers(_ definitions: Definitions) {
        guard definitions.flows.contains(where: { $0.whenEmpty == .stay && $0.navigator == nil }) else { return }
        var known: Set<Int> = []
        for parent in definitions.flows where parent.children != .free {
            // Nothing is below the children that the parent begins with.
            let later = parent.rules.filter { $0.step != parent.initial || parent.children == .layers }
            for case .child(let child) in later.flatMap(\.alternatives).flatMap(\.contributors) {
                guard case .flow(let id) = child.presentable, definitions[id].whenEmpty == .stay,
                    definitions[id].navigator == nil, covers(child, parent),
                    let whenEmpty = draft.flows[definitions[id].name]?.keys["whenEmpty"],
                    known.insert(id.index).inserted
                else { continue }
                guard canLoseAll(definitions[id]) else { continue }
                diagnostics.warning(
                    whenEmpty.location,
                    "flow '\(definitions[id].name)' stays when it is empty, and covers the other children of flow "
                        + "'\(parent.name)' for ever then: write whenEmpty = \"again\" or \"go\", or give each of its children an "
                        + "'onDismissed' that shows one again")
            }
        }
    }

    /// Warns about roots that are said to stay when they are empty, though they could begin again (S-48).
    func warnOfEmptyRoots(_ definitions: Definitions) {
        for root in definitions.autostart {
            let flow = definitions[root.flow]
            guard flow.whenEmpty == .stay, flow.navigator == nil, flow.children != .free, canLoseAll(flow),
                let whenEmpty = draft.flows[flow.name]?.keys["whenEmpty"]
            else { continue }
            diagnostics.warning(
                whenEmpty.location,
                "the root '\(flow.name)' stays when it is empty, and shows nothing until somebody emits a step then: leave 'whenEmpty' "
                    + "out, so that it begins again, or give each of its children an 'onDismissed' that shows one again"
            )
        }
    }

    /// Whether a child of a flow can go without a step that shows another one.
    private func canLoseAll(_ flow: FlowDefinition) -> Bool {
        flow.contributors.contains { if case .child(let child) = $0 { child.onDismissed == nil } else { false } }
    }

    private func covers(_ child: ChildTemplate, _ parent: FlowDefinition) -> Bool {
        guard parent.children == .layers else { return true }
        // Nothing is below the lowest layer.
        return parent.layers.dropFirst().first { $0.name == child.layer }?.covers ?? false
    }

    private func warnOfDismissal(_ name: String, _ layer: String, _ parent: FlowDefinition) {
        guard let flow = draft.flows[name] else { return }
        let names = flow.keys["emitters"]?.items?.compactMap(\.text) ?? []
        if names.contains(where: { $0.contains(".") }) { return }
        diagnostics.warning(
            flow.declared.location,
            "\(flow.declared.subject) stands in the layer '\(layer)' of flow '\(parent.name)', and any client can dismiss "
                + "it: 'emitters' has no bus name")
    }
}
