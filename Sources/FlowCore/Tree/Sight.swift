// What a person can see and do: the screens in sight, and where Back leads. A compositor, a bar and a switcher follow it (S-10).

/// A screen in sight, as a compositor orders its window (S-38).
public struct StackedScreen: Equatable, Sendable {
    /// Its path.
    public var path: String
    /// Its instance.
    public var instance: UInt64
    /// Whether it is visible, and so presented.
    public var isVisible: Bool
    /// Its owner; nil if it has none.
    public var owner: Client?
    /// Its style; empty if it has none.
    public var style: String
    /// Its title; empty if it has none (S-44).
    public var title: String
    /// What failed, if it waits for its presenter; empty if it does not (S-47).
    public var waiting: String
    /// The layer of the root's child above it; empty if the root has no layers (S-37).
    public var layer: String
    /// The output of its root; empty if that has none (S-41).
    public var output: String
    /// The bus name of the program that shows it and knows nothing of flowbus; empty for others (S-40).
    public var application: String
}

/// What Back at a presentable would do (`PeekBack`, S-39).
public enum BackPreview: Equatable, Sendable {
    /// It dismisses the presentable with this instance, which uncovers the one at this path.
    case dismiss(instance: UInt64, reveals: String)
    /// A flow takes this step.
    case step(String)
    /// Nothing, because it was called on a screen that is not presented.
    case hidden
    /// Nothing, because no flow can go back.
    case unhandled

    /// Its name on the bus.
    public var kind: String {
        switch self {
        case .dismiss: "dismiss"
        case .step: "step"
        case .hidden: "hidden"
        case .unhandled: "unhandled"
        }
    }
}

/// What `StackChanged` and `BackChanged` have reported. No restart restores it: a client reads it anew then.
struct ReportedSight: Sendable {
    /// The highest screens in sight by the output of their roots, from the lowest to the highest. An output without any is left out.
    var stacks: [String: [StackedScreen]] = [:]
    /// What Back would do on each root. One without an entry can't go back.
    var backs: [NodeID: BackPreview] = [:]
}

/// Trees in which something changed since ``Forest/takeTouched()``, so that other screens may be in sight, or Back may lead elsewhere.
struct TouchedTrees: Sendable {
    fileprivate(set) var roots: Set<NodeID> = []
    /// Outputs on which a root is no more.
    fileprivate(set) var outputs: Set<String> = []

    var isEmpty: Bool { roots.isEmpty && outputs.isEmpty }
}

extension Forest {
    /// Notes a change in the tree of a presentable.
    mutating func touch(_ slot: NodeSlot) { touched.roots.insert(id(of: self[slot].root)) }

    /// Notes that a root comes or goes, or leaves its output.
    mutating func touch(root: NodeSlot) {
        touched.outputs.insert(self[root].output)
        touch(root)
        // Rules of other trees may ask whether it is live (S-35).
        if counts != nil { touchAll() }
    }

    /// Notes a change in each tree.
    mutating func touchAll() { touched.roots.formUnion(roots.map { id(of: $0) }) }

    /// Takes the roots of trees in which something changed: those that live, in order, and those that are gone; and all their outputs.
    mutating func takeTouched() -> (live: [NodeSlot], gone: [NodeID], outputs: [String]) {
        defer { touched = TouchedTrees() }
        let live = touched.roots.compactMap { slot(of: $0) }.sorted { self[$0].order < self[$1].order }
        let gone = touched.roots.filter { slot(of: $0) == nil }
        return (live, Array(gone), touched.outputs.union(live.map { self[$0].output }).sorted())
    }

    /// The highest screens in sight of the roots on an output, or of those without one if it is empty: from the lowest to the highest.
    func stack(of output: String, atMost limit: Int) -> [StackedScreen] {
        var found: [NodeSlot] = []
        for root in roots(on: output).reversed() where found.count < limit {
            addScreensInSight(root, to: &found, atMost: limit)
        }
        return found.reversed().map { stacked($0) }
    }

    func stacked(_ slot: NodeSlot) -> StackedScreen {
        let node = self[slot]
        let presenter = node.presenting?.presenter
        return StackedScreen(
            path: node.path, instance: node.instance, isVisible: node.isVisible, owner: node.owner, style: node.style,
            title: node.shownTitle, waiting: node.waiting, layer: layerOfRoot(above: slot),
            output: self[node.root].output,
            application: presenter?.application == nil ? "" : presenter?.service.name ?? "")
    }
}
