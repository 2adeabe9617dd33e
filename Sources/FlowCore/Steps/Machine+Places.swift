// Where roots stand: on an output, and who is above whom there (S-41). Screens learn that they stand elsewhere (S-52, S-53).

extension Machine {
    /// A root moves to another output, or comes to the front of its own, because a client or a rule says so.
    mutating func move(_ root: NodeSlot, to output: String, for client: Client) {
        showMoved(root, isNew: put(root, on: output, for: client))
    }

    /// The same before visibility is updated. Returns whether the output is another one.
    mutating func put(_ root: NodeSlot, on output: String, for client: Client) -> Bool {
        let isNew = forest[root].output != output
        if isNew { forest.touch(root: root) }
        forest.update(root) { node in
            node.kept.output = output
            if isNew { node.flow?.kept.away = nil }
        }
        raise(root, for: client, isNew: isNew)
        return isNew
    }

    /// Updates visibility after a root has moved.
    mutating func showMoved(_ root: NodeSlot, isNew: Bool = true) {
        forest.updateVisibility(below: nil, changed: [root])
        if isNew { for screen in forest.screensInSight(below: root) { presentAnew(screen) } }
    }

    /// The presenter of a screen is called again, because something else than the arguments is new (S-41, S-52). A program with an action
    /// would only do that again.
    mutating func presentAnew(_ slot: NodeSlot) {
        guard case .service? = forest[slot].presenting?.presenter else { return }
        presentAgain(slot)
    }

    /// A root comes to its output, or is raised there: as high as this client may raise it, which is below the lowest root that takes
    /// no steps from it.
    ///
    /// - Parameter isNew: whether it was not on this output before; else it is never lowered.
    mutating func raise(_ root: NodeSlot, for client: Client, isNew: Bool) {
        let output = forest[root].output
        if output.isEmpty { return }
        let former = forest.roots(on: output)
        var roots = former.filter { $0 != root }
        let place = roots.firstIndex { !mayCover($0, with: root, client) } ?? roots.count
        if !isNew, let present = former.firstIndex(of: root), present >= place { return }
        roots.insert(root, at: place)
        if roots == former { return }
        for higher in roots[place...] { forest.raise(higher) }
    }

    /// Whether a client may put a root above another one. The files may, in the order of their roots.
    private func mayCover(_ lower: NodeSlot, with root: NodeSlot, _ client: Client) -> Bool {
        guard client == .daemon else { return (try? checkEmitter(client, of: lower, waits: false)) != nil }
        guard definitions[definition(of: lower)].isRestricted else { return true }
        guard let own = autostartPlace(of: root), let other = autostartPlace(of: lower) else { return false }
        return other < own
    }
}
