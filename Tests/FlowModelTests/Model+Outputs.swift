import FlowCore

/// Roots that come and go with outputs (S-53).
extension Model {
    /// Those that count as there.
    var presentOutputs: [String] { outputs + missing.map(\.name) }

    func root(of node: ModelNode) -> ModelNode { node.parent.map(root) ?? node }

    /// The setter lists the outputs.
    func setOutputs(_ names: [String], _ client: Client) -> Reply {
        guard let setter = definitions.outputSetter, owners[setter] == client else {
            return .failure(FlowError(.accessDenied))
        }
        guard names.count <= 16 else { return .failure(FlowError(.limitExceeded)) }
        guard names.allSatisfy({ !$0.isEmpty && isOutput($0) }), Set(names).count == names.count else {
            return .failure(FlowError(.invalidArguments))
        }
        if names.isEmpty { return .success(.done) }
        let new = names.filter { !presentOutputs.contains($0) }
        let stoodOn = roots.filter { !$0.output.isEmpty && whenOutputGone($0) != .keep }.map(\.output)
        missing.removeAll { names.contains($0.name) }
        for name in outputs + stoodOn where !names.contains(name) && !missing.contains(where: { $0.name == name }) {
            missing.append((name, now + 10_000_000))
        }
        outputs = names
        endOutputs(by: now)
        for name in new {
            for root in roots where root.away?.output == name { goBack(root) }
            for root in definitions.autostart where root.isPerOutput || root.whenOutputGone == .end {
                if root.isMeant(name) { startRoot(root, on: name) }
            }
        }
        finish()
        return .success(.done)
    }

    /// What was missing until then is gone; and so is what has been missing longest, if there would be too many.
    func endOutputs(by due: UInt64) {
        let surplus = max(0, outputs.count + missing.count - 16)
        let gone = missing.prefix(surplus) + missing.dropFirst(surplus).filter { $0.due <= due }
        missing.removeAll { it in gone.contains { $0.name == it.name } }
        for output in gone.map(\.name) {
            for root in roots where root.output == output && root.isLive {
                switch whenOutputGone(root) {
                case .keep: break
                case .move: moveAway(root)
                case .end:
                    var lost: [ModelStep] = []
                    _ = newOrigin()
                    remove(root, .dismissed, &lost)
                    reportChanges()
                    reportLost(lost)
                    release()
                    finish()
                }
            }
        }
    }

    /// Behind all roots that are on the first output, but for those from the same one.
    private func moveAway(_ root: ModelNode) {
        guard let target = outputs.first else { return }
        let home = root.away ?? (root.output, root.order)
        let others = roots.filter { $0.output == target && $0.away?.output != home.output }
        (root.away, root.output) = (home, target)
        for other in others.drop(while: { $0.order > root.order }) where roots.last !== other {
            roots.removeAll { $0 === other }
            roots.append(other)
            instances += 1
            other.order = instances
        }
        reportChanges()
        release()
    }

    private func goBack(_ root: ModelNode) {
        guard let home = root.away else { return }
        (root.output, root.order, root.away) = (home.output, home.order, nil)
        roots.sort { $0.order < $1.order }
        reportChanges()
        release()
    }

    func startRoot(_ root: Autostart, on output: String) {
        let id = definitions.id(of: root, on: root.isPerOutput ? output : nil)
        if roots.contains(where: { $0.id == id && $0.definition == root.flow.index }) { return }
        start(root, id: root.isPerOutput ? id : root.id, on: output)
    }

    /// The entry of the files that a root is, the most exact first.
    func autostart(of root: ModelNode) -> Int? {
        let all = definitions.autostart
        func isNamed(_ place: Int) -> Bool { all[place].id ?? definitions[all[place].flow].name == root.id }
        let home = root.away?.output ?? root.output
        let places = all.indices.filter { place in
            guard all[place].flow.index == root.definition else { return false }
            let name = all[place].id ?? definitions[all[place].flow].name
            if all[place].isPerOutput { return root.client == .daemon && root.id.hasPrefix(name + "_") }
            return isNamed(place) || (root.client == .daemon && all[place].id == nil)
        }
        return places.first(where: isNamed) ?? places.first { all[$0].isMeant(home) } ?? places.first
    }

    private func whenOutputGone(_ root: ModelNode) -> WhenOutputGone {
        autostart(of: root).map { definitions.autostart[$0].whenOutputGone } ?? .keep
    }
}

extension Autostart {
    /// Whether it is for an output of this name. The model's patterns end with a star, or have none.
    func isMeant(_ name: String) -> Bool {
        guard isPerOutput, output.hasSuffix("*") else { return output == name }
        return name.hasPrefix(output.dropLast())
    }
}

extension Value {
    /// The text of a string.
    var text: String { if case .string(let text) = self { text } else { "" } }
}
