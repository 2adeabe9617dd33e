/// The steps that presentables with `whenHidden = "turn"` let through, one at a time, as long as their cascades are under way (S-16).
struct StepsInTurn: Sendable {
    /// The presentables, by the origin of the step that has its turn there.
    private var places: [UInt64: [NodeID]] = [:]
    /// Origins whose cascade may have ended.
    private var due: Set<UInt64> = []

    var isEmpty: Bool { places.isEmpty }
    var hasDue: Bool { !due.isEmpty }

    /// A step has its turn at a presentable.
    mutating func begin(_ origin: UInt64, at node: NodeID) {
        places[origin, default: []].append(node)
        due.insert(origin)
    }

    /// A step has ended; it may have been the last one of its cascade.
    mutating func stepEnded(_ origin: UInt64) {
        if places[origin] != nil { due.insert(origin) }
    }

    /// Takes the origins whose cascade may have ended, in order.
    mutating func takeDue() -> [UInt64] {
        defer { due = [] }
        return due.sorted()
    }

    /// The presentables where a step of this origin has its turn.
    func nodes(of origin: UInt64) -> [NodeID] { places[origin] ?? [] }

    mutating func end(_ origin: UInt64) { places[origin] = nil }
}
