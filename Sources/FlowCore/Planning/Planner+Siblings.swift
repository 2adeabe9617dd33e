// The children that the flow has at a place of the list: they come to the front, are hidden, or go.

// MARK: - Children that come to the front, or are hidden (S-37)

extension Planner {
    static func show(_ name: String, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        let covering = forest[flow].flow?.covering
        let isFlow: Bool? = covering == .tabs ? nil : true
        let place = siblings(of: flow, &plan, forest).last { isNamed($0, name, isFlow: isFlow, in: plan, forest) }
        if let place {
            switch covering {
            case .tabs: plan.adjust(place, .select)
            case .free: plan.adjust(place, .setVisible(true))
            case .layers: liftInLayer(place, flow, &plan, forest)
            case .stack, nil: break
            }
        }
        report(.show, name, place, flow, &plan, forest)
    }

    static func hide(_ name: String, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        let place = siblings(of: flow, &plan, forest).last { isNamed($0, name, isFlow: true, in: plan, forest) }
        if let place { plan.adjust(place, .setVisible(false)) }
        report(.hide, name, place, flow, &plan, forest)
    }

    private static func report(
        _ kind: Contribution.Kind, _ name: String, _ place: Plan.Place?, _ flow: NodeSlot, _ plan: inout Plan,
        _ forest: Forest
    ) {
        let path = place.map { self.path(of: $0, below: flow, in: plan, forest) }
        plan.contributions.append(Contribution(kind: kind, name: name, path: path))
    }

    /// A child becomes visible, and the newest of its layer.
    static func liftInLayer(_ place: Plan.Place, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        plan.adjust(place, .setVisible(true))
        raise(place, flow, &plan, forest)
    }

    static func raise(_ place: Plan.Place, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        let children = siblings(of: flow, &plan, forest)
        guard let index = children.lastIndex(of: place), index != children.count - 1 else { return }
        plan.siblings?.remove(at: index)
        plan.siblings?.append(place)
        plan.adjust(place, .raise)
    }
}

extension Contribution.Kind {
    /// Whether its path is that of a child that was live before, and that a later contributor can remove.
    fileprivate var namesLiveChild: Bool {
        switch self {
        case .pop, .show, .hide: true
        case .screen, .flow, .reuse, .clear, .evict, .current, .parent, .end, .back, .dismiss: false
        }
    }
}

// MARK: - Removed children

extension Planner {
    /// The flow's children at this place of the list.
    static func siblings(of flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) -> [Plan.Place] {
        if let siblings = plan.siblings { return siblings }
        let siblings =
            forest.children(of: flow).map(Plan.Place.live)
            + plan.children.indices.filter { if case .make = plan.children[$0] { true } else { false } }
            .map(Plan.Place.planned)
        plan.siblings = siblings
        return siblings
    }

    /// Removes all children, the newest first.
    static func clear(_ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        dismissNewest(forest.children(of: flow).count, flow, &plan, forest)
        plan.contributions.append(Contribution(kind: .clear, name: ""))
    }

    static func pop(_ target: Pop, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        let children = siblings(of: flow, &plan, forest)
        let name: String
        switch target {
        case .root:
            name = "root"
            dismissNewest(max(0, children.count - 1), flow, &plan, forest)
        case .to(let wanted):
            name = wanted
            let place = children.lastIndex { self.name(of: $0, in: plan, forest) == wanted }
            if let place { dismissNewest(children.count - 1 - place, flow, &plan, forest) }
        }
        let newest = plan.siblings?.last
        plan.contributions.append(
            Contribution(kind: .pop, name: name, path: newest.map { path(of: $0, below: flow, in: plan, forest) }))
    }

    /// Removes the newest child of a name (S-37). The path of one that the list itself has created was never known.
    static func dismiss(_ name: String, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        let children = siblings(of: flow, &plan, forest)
        let index = children.lastIndex { isNamed($0, name, in: plan, forest) }
        var gone: String?
        if let index, case .live(let slot) = children[index] { gone = forest[slot].path }
        if let index { dismissChild(at: index, flow, &plan, forest) }
        plan.contributions.append(Contribution(kind: .dismiss, name: name, path: gone))
    }

    private static func dismissNewest(_ count: Int, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        let children = siblings(of: flow, &plan, forest).count
        for index in (children - count..<children).reversed() { dismissChild(at: index, flow, &plan, forest) }
    }

    private static func dismissChild(at index: Int, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        guard let going = plan.siblings?.remove(at: index) else { return }
        // An earlier contributor may have reported this child as the newest, or as shown or hidden; that contribution has no
        // path any more.
        let gone = path(of: going, below: flow, in: plan, forest)
        for place in plan.contributions.indices where plan.contributions[place].kind.namesLiveChild {
            if plan.contributions[place].path == gone { plan.contributions[place].path = nil }
        }
        plan.dropAdjustments(of: going)
        switch going {
        case .live(let slot):
            plan.going.append(slot)
            plan.ids.remove(forest[slot].id)
            if let reuse = plan.reuse(of: slot) { plan.children[reuse] = .popped }
        case .planned(let index):
            if case .make(let birth, _) = plan.children[index] { plan.ids.remove(birth.id) }
            plan.children[index] = .popped
        }
    }

    private static func name(of place: Plan.Place, in plan: Plan, _ forest: Forest) -> String {
        switch place {
        case .live(let slot): return forest[slot].name
        case .planned(let index):
            guard case .make(let birth, _) = plan.children[index] else { return "" }
            return birth.name
        }
    }

    private static func isFlow(_ place: Plan.Place, in plan: Plan, _ forest: Forest) -> Bool {
        switch place {
        case .live(let slot): return forest[slot].flow != nil
        case .planned(let index):
            guard case .make(let birth, _) = plan.children[index] else { return false }
            return birth.flow != nil
        }
    }

    /// Whether a child has this name; if it matters, also whether it is a flow.
    static func isNamed(
        _ place: Plan.Place, _ name: String, isFlow: Bool? = nil, in plan: Plan, _ forest: Forest
    ) -> Bool {
        guard self.name(of: place, in: plan, forest) == name else { return false }
        return isFlow.map { $0 == self.isFlow(place, in: plan, forest) } ?? true
    }

    static func path(of place: Plan.Place, below flow: NodeSlot, in plan: Plan, _ forest: Forest) -> String {
        switch place {
        case .live(let slot): return forest[slot].path
        case .planned(let index):
            guard case .make(let birth, _) = plan.children[index] else { return "" }
            return birth.path ?? forest.path(of: birth.id, below: flow)
        }
    }
}
