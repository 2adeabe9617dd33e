import FlowCore

/// What is reported at the end of an event of the screens in sight, and of Back (S-10).
extension Model {
    /// Compares all outputs and roots with what was reported last.
    func reportSight() {
        var changes: [ObservedEffect] = []
        let outputs = Set(roots.map(\.output)).union(reportedStacks.keys)
        for output in outputs.sorted() {
            let stack = roots.filter { $0.output == output }.flatMap(screensInSight).map { screen in
                "\(screen.path) \(screen.instance) \(screen.isVisible ? "visible" : "hidden") \(layerOfRoot(above: screen)) \(screen.style)"
            }
            let reported = Array(stack.suffix(Limits.reportedStack))
            if reported == reportedStacks[output] ?? [] { continue }
            reportedStacks[output] = reported
            changes.append(.stack(output: output, reported))
        }
        for root in roots {
            let target = try? backTarget(root, nil).target
            let back = target?.preview(definitions) ?? .unhandled
            if back == root.reportedBack { continue }
            root.reportedBack = back
            changes.append(.back(path: root.path, back))
        }
        let end = observed.last?.request == nil ? observed.count : observed.count - 1
        observed.insert(contentsOf: changes, at: end)
    }

    private func layerOfRoot(above screen: ModelNode) -> String {
        var (node, root) = (screen, screen)
        while let parent = root.parent { (node, root) = (root, parent) }
        let layers = definitions.flows[root.definition].layers
        return layers.isEmpty || node === root ? "" : layers[rank(of: node)].name
    }
}
