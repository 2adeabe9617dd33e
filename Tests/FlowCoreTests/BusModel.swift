@testable import FlowCore

/// The objects as a client of the bus knows them, built from the effects only.
struct BusModel {
    private(set) var objects: [String: PresentableState] = [:]
    /// With tabs: the selected instances, the latest last, by the flow's path; no property has all of them.
    private var selected: [String: [UInt64]] = [:]
    /// The order of siblings, by instance: when each was made, or last contributed to its flow again.
    private var orders: [UInt64: Int] = [:]
    private var lastOrder = 0
    private(set) var serial: UInt64 = 0
    /// The time of the requested timer.
    var timer: Instant?
    /// The clients that the shell was asked to watch.
    var watched: Set<Client> = []
    /// Effects that make no sense to a client.
    private(set) var complaints: [String] = []

    /// The covering in flows, by definition.
    var covering: [String: Children] = [:]
    /// The screens in sight by output, and what Back on a root would do.
    private(set) var stacks: [String: [StackedScreen]] = [:]
    private(set) var backs: [String: BackPreview] = [:]

    /// The layers of flows, by definition, and those of presentables, by instance; no property has them.
    var layers: [String: [Layer]] = [:]
    private var standing: [UInt64: String] = [:]
    /// The places of the roots, by instance, and the roots that cover no others; no property has them (S-41).
    private var places: [UInt64: Int] = [:]
    private var uncovering: Set<UInt64> = []

    /// Learns in which layers presentables stand, which tabs were selected, and the order of the roots.
    mutating func follow(_ forest: borrowing Forest) {
        (standing, places, uncovering, selected) = ([:], [:], [], [:])
        for (place, root) in forest.roots.enumerated() {
            places[forest[root].instance] = place
            if forest[root].flow?.covers == false { uncovering.insert(forest[root].instance) }
        }
        for slot in forest.preorder() {
            if !forest[slot].layer.isEmpty { standing[forest[slot].instance] = forest[slot].layer }
            selected[forest[slot].path] = forest[slot].flow?.kept.selected.map(\.instance)
        }
    }

    /// Takes the effects of an event, in the order in which it happened. In the order in which clients learn of them (S-10), who is called
    /// comes first, and the end is the same.
    ///
    /// - Parameter follow: what happens after each of them, with the model as it is then.
    mutating func take(_ effects: [Effect], _ follow: (Effect, BusModel) -> Void = { _, _ in }) {
        var watcher = self
        for effect in effects {
            take(effect)
            follow(effect, self)
        }
        var arranged = effects
        arranged.arrange()
        let calls = arranged.prefix(while: \.isForPresenters).count
        if let late = arranged[calls...].first(where: \.isForPresenters) { complain(late) }
        for effect in arranged[calls...] {
            // It is for the owner alone, who need not follow properties; they may be reported later, with others.
            if case .emitSightChanged = effect { continue }
            watcher.take(effect)
        }
        complaints += watcher.complaints.filter { !complaints.contains($0) }
        if watcher.objects != objects { complaints.append("the order in which clients learn of it ends otherwise") }
    }

    /// Reads what no signal has told, as a client does when it starts, and when the service starts again.
    mutating func readSight(_ machine: borrowing Machine) {
        let forest = machine.forest
        (stacks, backs) = ([:], [:])
        for output in Set(forest.roots.map { forest[$0].output }) {
            stacks[output] = forest.screensInSight(on: "").map { forest.stacked($0) }.filter { $0.output == output }
                .suffix(Limits.reportedStack)
        }
        for root in forest.roots { backs[forest[root].path] = Self.back(on: root, machine) }
    }

    /// What is wrong of what signals have told of the screens in sight, and of Back.
    func complaintsAboutSight(_ machine: borrowing Machine) -> [String] {
        var other = self
        other.readSight(machine)
        let outputs = Set(stacks.keys).union(other.stacks.keys)
        let wrong = outputs.filter { stacks[$0] ?? [] != other.stacks[$0] ?? [] }.map {
            "the stack of '\($0)': \(stacks[$0] ?? []) for \(other.stacks[$0] ?? [])"
        }
        return wrong + other.backs.filter { $1 != backs[$0] ?? .unhandled }.map { "Back on '\($0.key)': \($0.value)" }
    }

    private static func back(on root: NodeSlot, _ machine: borrowing Machine) -> BackPreview {
        guard let target = try? machine.backTarget(from: root, for: nil).target else { return .unhandled }
        return machine.preview(of: target)
    }

    private mutating func take(_ effect: Effect) {
        switch effect {
        case .addPresentable(let state): add(state)
        case .removePresentable(let path, let isFlow): remove(path, isFlow)
        case .changeProperties(let changes): change(changes)
        case .emitNavigationOccurred(let navigation):
            if navigation.serial <= serial || navigation.cause >= navigation.serial { complain(effect) }
            serial = navigation.serial
            if objects[navigation.flow]?.isFlow != true { complain(effect) }
            for (place, it) in navigation.contributions.enumerated() {
                if !isRight(it, before: navigation.contributions[(place + 1)...]) { complain(effect) }
                if let path = it.path { arrange(path, it.kind) }
            }
        case .emitStackChanged(let output, let screens):
            if stacks[output] ?? [] == screens { complain(effect) }
            for screen in screens where objects[screen.path]?.instance != screen.instance { complain(effect) }
            stacks[output] = screens
        case .emitBackChanged(let path, let preview):
            if objects[path]?.isFlow != true || backs[path] ?? .unhandled == preview { complain(effect) }
            backs[path] = preview
        case .emitSightChanged(let path, let isInSight, let owner):
            if objects[path]?.owner != owner.name || objects[path]?.isInSight != isInSight { complain(effect) }
        case .emitNavigationWillOccur(let announcement):
            if objects[announcement.flow]?.isFlow != true { complain(effect) }
        case .emitNavigationFailed(let failure):
            if failure.cause > serial || failure.message.isEmpty { complain(effect) }
        case .startTimer(let time):
            if time == timer { complain(effect) }
            timer = time
        case .present(let it):
            if objects[it.path]?.instance != it.instance || objects[it.flow]?.isFlow != true { complain(effect) }
        case .askAlive(let it):
            if objects[it.path]?.owner != it.client.name || objects[it.path]?.isPresented != true { complain(effect) }
        case .withdraw(let it):
            let isLive = objects[it.path]?.instance == it.instance
            // In these cases it is live, and has another owner, or soon none.
            if isLive != [.replaced, .evicted, .dismissal(.ownerHangs)].contains(it.reason) { complain(effect) }
        case .askGuard(let it), .askNavigator(let it):
            if objects[it.flow]?.isFlow != true { complain(effect) }
        case .watchClient(let client): if !watched.insert(client).inserted { complain(effect) }
        case .emitContextChanged(let it): if objects[it.path]?.owner != it.client.name { complain(effect) }
        case .changeContext, .reply, .fail, .reportUnstarted, .reportUnrestored, .startService, .endProcess,
            .reportTiming,
            .reportDelay,
            .emitStepConcluded,
            .emitAnswered,
            .emitDefinitionsChanged,
            .dropQuestion:
            break
        }
    }

    /// Clears the timer after it fired.
    mutating func takeTimer() { timer = nil }

    /// Returns whether a contribution refers to existing objects; a pop can be followed by another.
    private func isRight(_ contribution: Contribution, before later: ArraySlice<Contribution>) -> Bool {
        let object = contribution.path.flatMap { objects[$0] }
        return switch contribution.kind {
        case .screen, .flow, .reuse: object?.name == contribution.name
        case .show, .hide: contribution.path == nil || object?.name == contribution.name
        case .pop: contribution.path == nil || object != nil || later.contains { $0.kind == .pop }
        case .back: contribution.path != nil && object == nil
        case .clear, .current, .parent, .end, .dismiss, .evict, .set, .move: true
        }
    }

    /// Puts a contributed child in its place among its siblings: those of the same list stand in its order.
    private mutating func arrange(_ path: String, _ kind: Contribution.Kind) {
        switch kind {
        case .screen, .flow: stand(path)
        case .reuse: stand(path)
        case .show:
            if let parent = objects[path]?.parent, covering[objects[parent]?.name ?? ""] == .layers { stand(path) }
        case .clear, .pop, .current, .parent, .end, .back, .hide, .dismiss, .evict, .set, .move: break
        }
    }

    /// A child becomes the newest; one that is reused without a raise is that already, or has siblings that cover nothing.
    private mutating func stand(_ path: String) {
        guard let object = objects[path], let parent = object.parent.flatMap({ objects[$0] }) else { return }
        guard orders[object.instance] == nil || [.stack, .layers].contains(covering[parent.name]) else { return }
        lastOrder += 1
        orders[object.instance] = lastOrder
    }

    private mutating func add(_ state: PresentableState) {
        if objects[state.path] != nil { complain(.addPresentable(state)) }
        if let parent = state.parent, objects[parent]?.isFlow != true { complain(.addPresentable(state)) }
        objects[state.path] = state
        lastOrder += 1
        orders[state.instance] = lastOrder
    }

    /// Removal is newest leaf first, so a removed object has no children and no newer sibling that is removed later.
    private mutating func remove(_ path: String, _ isFlow: Bool) {
        guard let gone = objects.removeValue(forKey: path), gone.isFlow == isFlow,
            !objects.values.contains(where: { $0.parent == path })
        else { return complain(.removePresentable(path: path, isFlow: isFlow)) }
        orders[gone.instance] = nil
        if gone.parent == nil { backs[path] = nil }
    }

    private mutating func change(_ changes: PropertyChanges) {
        guard var object = objects[changes.path] else { return complain(.changeProperties(changes)) }
        for entry in changes.properties.entries {
            // A flow becomes ready once.
            if entry.property == .ready, object.isReady {
                complain(.changeProperties(changes))
            }
            let isKnown = object[entry.property] != nil
            if !isKnown || entry.property.description.change != .emits { complain(.changeProperties(changes)) }
            object[entry.property] = entry.value
        }
        objects[changes.path] = object
    }

    private mutating func complain(_ effect: Effect) { complaints.append(effect.line) }
}

// MARK: - From scratch

extension BusModel {
    private func children(of path: String?) -> [PresentableState] {
        objects.values.filter { $0.parent == path }.sorted(by: precedes)
    }

    private func precedes(_ one: PresentableState, _ other: PresentableState) -> Bool {
        if let place = places[one.instance], let other = places[other.instance] { return place < other }
        return (orders[one.instance] ?? 0) < (orders[other.instance] ?? 0)
    }

    /// All objects, computed from the visible flags, the order of children and the selections only.
    func recomputed() -> [PresentableState] {
        var below: [String: [PresentableState]] = [:]
        for object in objects.values { below[object.parent ?? "", default: []].append(object) }
        var all: [PresentableState] = []
        func visit(_ path: String, _ current: PresentableState?, _ parentIsPresented: Bool) {
            for child in below[path, default: []].sorted(by: precedes) {
                var child = child
                let isInSight =
                    parentIsPresented && !(current.map { covers($0, child) } ?? false) && !isUnderRoot(child, below)
                child.isPresented = child.isVisible && isInSight
                if !child.isFlow { child.isInSight = isInSight }
                let covering = !child.isFlow ? nil : below[child.path].flatMap { currentChild(child, $0) }
                if child.isFlow { child.current = covering?.path }
                all.append(child)
                visit(child.path, covering, child.isPresented)
            }
        }
        visit("", nil, true)
        return all
    }

    /// Whether a higher root on its output that covers others has a screen to show.
    private func isUnderRoot(_ root: PresentableState, _ below: [String: [PresentableState]]) -> Bool {
        guard root.parent == nil, !root.output.isEmpty else { return false }
        return below["", default: []].contains {
            $0.output == root.output && precedes(root, $0) && !uncovering.contains($0.instance)
                && showsSomething($0, below)
        }
    }

    private func showsSomething(_ node: PresentableState, _ below: [String: [PresentableState]]) -> Bool {
        guard node.isFlow, let children = below[node.path] else { return !node.isFlow }
        let current = currentChild(node, children)
        return node.isVisible
            && children.contains { child in
                !(current.map { covers($0, child) } ?? false) && showsSomething(child, below)
            }
    }

    private func currentChild(_ flow: PresentableState, _ children: [PresentableState]) -> PresentableState? {
        switch covering[flow.name] {
        case .stack: children.max(by: precedes)
        case .tabs: children.first { $0.instance == selected[flow.path]?.last }
        case .layers:
            children.filter { $0.isVisible && layers[flow.name]?[rank($0)].covers ?? true }.max { isBelow($0, $1) }
        case .free, nil: nil
        }
    }

    private func covers(_ current: PresentableState, _ child: PresentableState) -> Bool {
        guard current.path != child.path else { return false }
        let isLayered = child.parent.flatMap { objects[$0] }.map { covering[$0.name] == .layers } ?? false
        return !isLayered || isBelow(child, current)
    }

    /// Whether a sibling stands below another one in layers.
    private func isBelow(_ one: PresentableState, _ other: PresentableState) -> Bool {
        rank(one) == rank(other) ? precedes(one, other) : rank(one) < rank(other)
    }

    private func rank(_ child: PresentableState) -> Int {
        let layers = child.parent.flatMap { objects[$0] }.flatMap { self.layers[$0.name] } ?? []
        return layers.firstIndex { $0.name == standing[child.instance] } ?? 0
    }
}

extension PresentableState {
    /// Signals of the context can lag behind it (S-57).
    var withoutContext: PresentableState {
        var state = self
        state.context = []
        return state
    }
}
