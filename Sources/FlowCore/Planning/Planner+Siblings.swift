// The children that the flow has at a place of the list: they come to the front, are hidden, or go.

// MARK: - Children that come to the front, or are hidden (S-37)

extension Planner {
    static func show(_ sought: Sought, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        let covering = forest[flow].flow?.covering
        let place = siblings(of: flow, &plan, forest).last {
            isMeant($0, sought, in: plan, forest) && (covering == .tabs || isFlow($0, in: plan, forest))
        }
        if let place {
            switch covering {
            case .tabs: plan.adjust(place, .select)
            case .free: plan.adjust(place, .setVisible(true))
            case .layers: liftInLayer(place, flow, &plan, forest)
            case .stack, nil: break
            }
        }
        report(.show, sought, path: place.map { path(of: $0, below: flow, in: plan, forest) }, in: &plan)
    }

    static func hide(_ sought: Sought, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        let place = siblings(of: flow, &plan, forest).last {
            isMeant($0, sought, in: plan, forest) && isFlow($0, in: plan, forest)
        }
        if let place { plan.adjust(place, .setVisible(false)) }
        report(.hide, sought, path: place.map { path(of: $0, below: flow, in: plan, forest) }, in: &plan)
    }

    private static func report(_ kind: Contribution.Kind, _ sought: Sought, path: String?, in plan: inout Plan) {
        plan.contributions.append(
            Contribution(kind: kind, name: sought.name, path: path, arguments: sought.values.broadcastable))
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
        case .screen, .flow, .reuse, .clear, .evict, .set, .move, .current, .parent, .end, .back, .dismiss: false
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

    /// Removes all children but the oldest.
    static func popToOldest(_ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        dismissNewest(max(0, siblings(of: flow, &plan, forest).count - 1), flow, &plan, forest)
        reportPop(to: Sought(name: "root"), flow, &plan, forest)
    }

    /// Removes the children that are newer than one.
    static func pop(to sought: Sought, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        let children = siblings(of: flow, &plan, forest)
        let place = children.lastIndex { isMeant($0, sought, in: plan, forest) }
        if let place { dismissNewest(children.count - 1 - place, flow, &plan, forest) }
        reportPop(to: sought, flow, &plan, forest)
    }

    private static func reportPop(to sought: Sought, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        let newest = plan.siblings?.last
        report(.pop, sought, path: newest.map { path(of: $0, below: flow, in: plan, forest) }, in: &plan)
    }

    /// Removes the newest child of a name (S-37). The path of one that the list itself has created was never known.
    static func dismiss(_ sought: Sought, _ flow: NodeSlot, _ plan: inout Plan, _ forest: Forest) {
        let children = siblings(of: flow, &plan, forest)
        let index = children.lastIndex { isMeant($0, sought, in: plan, forest) }
        var gone: String?
        if let index, case .live(let slot) = children[index] { gone = forest[slot].path }
        if let index { dismissChild(at: index, flow, &plan, forest) }
        report(.dismiss, sought, path: gone, in: &plan)
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

    private static func isFlow(_ place: Plan.Place, in plan: Plan, _ forest: Forest) -> Bool {
        switch place {
        case .live(let slot): return forest[slot].flow != nil
        case .planned(let index):
            guard case .make(let birth, _) = plan.children[index] else { return false }
            return birth.flow != nil
        }
    }

    /// Whether a child is meant by a name.
    static func isMeant(_ place: Plan.Place, _ sought: Sought, in plan: Plan, _ forest: Forest) -> Bool {
        switch place {
        case .live(let slot): return forest.isMeant(slot, sought)
        case .planned(let index):
            guard case .make(let birth, _) = plan.children[index] else { return false }
            return sought.means(birth.name, isFlow: birth.flow != nil, birth.arguments)
        }
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
