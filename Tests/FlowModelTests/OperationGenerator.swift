import FlowCore

/// Generates random events for the state of the model.
struct OperationGenerator {
    var random: SplitMix64
    private var graves: [String] = []
    /// The clients on the bus; no name is used twice.
    private var clients = (1...3).map { Client(":1.\($0)") }
    private var lastClient = 3

    /// The definitions before the latest exchange of steppers.
    private var former: Definitions?

    private let isWild: Bool

    init(seed: UInt64, isWild: Bool) {
        random = SplitMix64(seed: seed)
        self.isWild = isWild
    }

    mutating func make(_ model: Model) -> Operation {
        let nodes = model.nodes
        var operation = Operation(kind: kind(model, nodes))
        if random.chance(30) { operation.wait = UInt64(random.below(3_000_000)) }
        if random.chance(2) { operation.wait = UInt64(random.below(70_000_000)) }
        switch operation.kind {
        // Properties change faster than they may emit.
        case .stepperChanged where random.chance(70): operation.wait = UInt64(random.below(150_000))
        default: break
        }
        operation.isLate = random.chance(10)
        return operation
    }

    private mutating func kind(_ model: Model, _ nodes: [ModelNode]) -> Operation.Kind {
        if nodes.isEmpty || (model.roots.count < 4 && random.chance(3)) { return begin(model) }
        // A loop makes hundreds; two of them would be a slow world.
        if nodes.count > (isWild ? 8 : 45), let root = random.element(model.roots) {
            // By a permitted client, if there is one.
            let owners = owners(of: model.definitions.flows[root.definition].emitters, model)
            return .dismiss(target(root), random.element(owners) ?? client())
        }
        guard let node = random.element(nodes) else { return .timer }
        if let (_, waiting) = model.nextChange, random.chance(25) { return early(waiting, model) }
        let many = isWild ? 0 : 30
        let steppers = model.definitions.steppers.isEmpty ? 0 : 250
        let exchanges = steppers == 0 && former == nil ? 0 : 35
        let context =
            model.definitions.context.isEmpty && model.definitions.flows.allSatisfy(\.context.isEmpty) ? 0 : 120
        switch random.weighted([
            440, many, 170, 50, 60, 70, 30, many, 40, 12, 15, 12, 30, 10, 12, 40, steppers, exchanges, context,
            model.definitions.outputSetter == nil ? 0 : 60, 25,
        ]) {
        case 0: return emit(node, model)
        case 1: return emitMany(node, model)
        case 2: return .show(target(random.element(nodes.filter { !$0.isVisible }) ?? node), true, client())
        case 3: return .show(target(node), false, client())
        case 4: return .dismiss(target(node), client())
        case 5: return back(node, model)
        case 6: return begin(model)
        case 7:
            let step = random.element(model.definitions.steps)
            return .navigate(step: step?.name ?? "", fit(step?.parameters ?? []), client())
        case 8: return along(model, nodes)
        case 9:
            return .own(
                random.element(DefinitionGenerator.emitters) ?? "", random.chance(80) ? client() : nil)
        case 10: return .timer
        case 12:
            let place = random.below(clients.count)
            let leaving = clients[place]
            lastClient += 1
            clients[place] = Client(":1.\(lastClient)")
            return .vanish(leaving)
        case 14:
            // Some are no roots, and some names are wrong.
            let root = random.chance(90) ? random.element(model.roots) ?? node : node
            return .move(target(root), to: random.among("left", "right", "", "a b", "gone"), client())
        case 15: return .touch(target(random.element(nodes.filter { model.isPresented($0) }) ?? node), client())
        case 13: return .identify(client(), user: random.chance(70) ? 1_000 : 1_001)
        case 16: return stepper(model)
        case 17: return exchangeSteppers(model)
        case 18: return setContext(node, model)
        case 19: return setOutputs(model)
        case 20: return cancel(node, model)
        default:
            var generator = DefinitionGenerator(seed: random.next(), isWild: isWild)
            return .reload(generator.make())
        }
    }

    /// Other steppers, or those of before: steppers end, begin again, and go on.
    private mutating func exchangeSteppers(_ model: Model) -> Operation.Kind {
        let present = model.definitions
        defer { former = present }
        if let former, random.chance(50) { return .reload(former) }
        var generator = DefinitionGenerator(seed: random.next(), isWild: isWild)
        return .reload(generator.exchangeSteppers(of: present))
    }

    /// Some of the outputs, mostly by who may.
    private mutating func setOutputs(_ model: Model) -> Operation.Kind {
        var names = ["left", "right", "one", "L-1", "L_1"].filter { _ in random.chance(45) }
        if random.chance(20) { names.reverse() }
        if random.chance(3) { names.append(random.among("a b", "", "left")) }
        if random.chance(3) { names = (0..<random.number(15...17)).map { "o\($0 + random.below(2) * 10)" } }
        let setter = owners(of: [model.definitions.outputSetter].compactMap(\.self), model).first
        return .setOutputs(names, random.chance(92) ? setter ?? client() : client())
    }

    /// Values of the context, mostly by one who may.
    private mutating func setContext(_ node: ModelNode, _ model: Model) -> Operation.Kind {
        let flow = random.chance(60) ? node.flow : nil
        var values: Arguments = []
        for name in ["c", "k", "t"] where random.chance(60) {
            let value: Value =
                switch name {
                case "c": .string(random.among("x", "y", "z"))
                case "t": .string(random.element(Model.texts) ?? "")
                default: random.among(.int64(0), .byte(1), .int32(300))
                }
            values.append(Argument(name, random.chance(3) ? .bool(true) : value))
        }
        if random.chance(2) { values.append(Argument("z", .string("wrong"))) }
        let owners = owners(of: DefinitionGenerator.emitters, model)
        return .setContext(
            flow.map { target($0) }, values, random.chance(85) ? random.element(owners) ?? client() : client())
    }

    /// News of a service: a value, that there is none any more, or a signal.
    private mutating func stepper(_ model: Model) -> Operation.Kind {
        let stepper = StepperID(random.below(model.definitions.steppers.count))
        let definition = model.definitions.steppers[stepper.index]
        let name = model.definitions.name(of: stepper)
        if random.chance(4) { return .stepperFailed(name, random.among(.invalidArguments, .limitExceeded)) }
        guard definition.isProperty else {
            return .stepperSignalled(
                name, (0..<random.below(4)).map { place in value(definition) { $0 == .argument(place) } })
        }
        return .stepperChanged(name, random.chance(25) ? .absent : .value(value(definition) { $0 == .value }))
    }

    /// Before a property may emit again: another reload, or the value that a root has already.
    private mutating func early(_ stepper: Int, _ model: Model) -> Operation.Kind {
        if random.chance(30) { return exchangeSteppers(model) }
        let key = Model.stepperKeys(model.definitions)[stepper]
        let known = model.roots.flatMap(\.got).filter { $0.key == key }
        return .stepperChanged(
            model.definitions.name(of: StepperID(stepper)), random.element(known)?.value ?? .absent)
    }

    /// Mostly of the type of the argument that gets it.
    private mutating func value(
        _ stepper: StepperDefinition, _ isMeant: (StepperDefinition.Binding.Source) -> Bool
    ) -> Value {
        let isText = stepper.bindings.first { isMeant($0.source) }.map { $0.name == "t" } ?? random.chance(50)
        if random.chance(4) { return random.among(.bool(true), .int32(300), .string("wrong")) }
        if !isText { return random.among(.byte(1), .int64(2), .int32(0)) }
        return .string(random.chance(2) ? String(repeating: "x", count: Limits.argumentBytes) : random.among("x", "y"))
    }

    private mutating func back(_ node: ModelNode, _ model: Model) -> Operation.Kind {
        let client = client()
        let node = random.chance(50) ? random.element(model.nodes.filter { model.isPresented($0) }) ?? node : node
        let called = random.chance(60) ? node.flow : node
        var goes: Operation.Target?
        if random.chance(20) {
            goes = Operation.Target(path: node.path)
            if case .success(.dismiss(let instance, _)) = model.peekBack(called.instance, client), random.chance(80) {
                goes = model.node(instance).map { Operation.Target(path: $0.path) }
            }
        }
        return .back(
            target(called), goes: goes, token: random.chance(6) ? random.among("one", "two", "") : nil, client)
    }

    /// The owners of bus names that are on the bus: who is gone calls no more.
    private func owners(of names: [String], _ model: Model) -> [Client] {
        names.compactMap { model.owners[$0] }.filter { clients.contains($0) }
    }

    private mutating func client() -> Client { clients[random.below(clients.count)] }

    /// Sometimes a removed one.
    private mutating func target(_ node: ModelNode) -> Operation.Target {
        if random.chance(4), let grave = random.element(graves) { return Operation.Target(path: grave, isGone: true) }
        if graves.count < 40 { graves.append(node.path) }
        return Operation.Target(path: node.path)
    }

    private mutating func fit(_ parameters: [Parameter]) -> Arguments {
        var arguments: Arguments = []
        for parameter in parameters where random.chance(parameter.isOptional ? 60 : 97) {
            let number = random.below(3)
            let value: Value =
                parameter.name == "n"
                ? random.among(.byte(UInt8(number)), .int64(Int64(number)), .int32(random.chance(10) ? 300 : 1))
                : .string(random.among("x", "y"))
            arguments.append(Argument(parameter.name, value))
        }
        if random.chance(2) { arguments.append(Argument(random.among("n", "z"), .string("wrong"))) }
        return arguments
    }

    /// Returns a step, mostly one that the flow has a rule for.
    private mutating func step(for node: ModelNode, _ model: Model) -> StepDeclaration? {
        let rules = model.definitions.flows[node.flow.definition].rules
        if random.chance(88), let rule = random.element(rules) { return model.definitions[rule.step] }
        return random.element(model.definitions.steps)
    }

    private mutating func emit(_ node: ModelNode, _ model: Model) -> Operation.Kind {
        // Most live presentables are hidden; let most steps through the gate.
        var node = node
        if random.chance(60), !model.isPresented(node) { node = node.flow }
        let step = step(for: node, model)
        return .emit(
            target(node), step: step?.name ?? "", fit(step?.parameters ?? []), client(),
            token: random.chance(12) ? random.among("one", "two", "three", "", "ask one", "ask two", "ask three") : nil,
            isStale: random.chance(4) ? random.chance(50) : nil)
    }

    /// Takes a step back, mostly one that waits.
    private mutating func cancel(_ node: ModelNode, _ model: Model) -> Operation.Kind {
        let waiting = model.nodes.flatMap { node in node.deferred.filter { !$0.token.isEmpty }.map { (node, $0) } }
        guard random.chance(85), let (node, step) = random.element(waiting) else {
            return .cancel(target(node), token: random.among("one", "two", "ask one", ""), client())
        }
        let isThere = clients.contains(step.client)
        return .cancel(target(node), token: step.token, isThere && random.chance(90) ? step.client : client())
    }

    private mutating func emitMany(_ node: ModelNode, _ model: Model) -> Operation.Kind {
        // Sometimes more than a presentable can defer.
        let count = random.chance(8) ? random.number(63...67) : random.number(0...4)
        var steps: [(step: String, arguments: Arguments)] = []
        for _ in 0..<count {
            let step = step(for: node, model)
            steps.append((random.chance(3) ? "unknown" : step?.name ?? "", fit(step?.parameters ?? [])))
        }
        return .emitMany(target(node), steps, client())
    }

    private mutating func begin(_ model: Model) -> Operation.Kind {
        if random.chance(5) { return .start }
        guard let flow = random.element(model.definitions.flows) else { return .timer }
        let step = random.chance(25) ? random.element(model.definitions.steps) : nil
        let taken = step ?? flow.initial.map { model.definitions[$0] }
        return .coordinate(
            flow: flow.name, id: random.chance(12) ? random.among("only", "f", "1") : nil, fit(flow.parameters),
            step: step?.name, stepArguments: taken.map { fit($0.parameters) } ?? [], client(),
            token: random.chance(8) ? random.among("one", "two") : nil, output: random.among("", "", "left", "a b"))
    }

    /// Down from a root to some flow, most of the time by the names that there are.
    private mutating func along(_ model: Model, _ nodes: [ModelNode]) -> Operation.Kind {
        var names: [String] = []
        var flow = random.element(nodes)?.flow
        while let it = flow {
            if it.parent == nil || random.chance(80) { names.insert(it.name, at: 0) }
            flow = it.parent
        }
        var root: Operation.Target?
        if random.chance(20), let top = random.element(model.roots) {
            root = target(top)
            if names.count > 1, random.chance(80) { names.removeFirst() }
        }
        if random.chance(15) { names[0] = random.element(model.definitions.flows)?.name ?? "" }
        if random.chance(2) { names = [] }
        return .navigateAlong(
            names.map { name in
                let flow = model.definitions.flow(named: name).map { model.definitions[$0] }
                let key = random.chance(40) ? key(of: flow, in: nodes) : []
                let rule = random.element(flow?.rules ?? []).map { model.definitions[$0.step] }
                guard let rule, random.chance(60) else { return (name, key, nil, []) }
                return (name, key, rule.name, fit(rule.parameters))
            }, below: root, client())
    }

    /// Values of a flow's key: those of a live one, or others (S-51).
    private mutating func key(of flow: FlowDefinition?, in nodes: [ModelNode]) -> Arguments {
        guard let flow, !flow.key.isEmpty else { return random.chance(5) ? fit(flow?.parameters ?? []) : [] }
        let live = random.element(nodes.filter { $0.isFlow && $0.name == flow.name })
        guard let live, random.chance(75) else { return fit(flow.parameters.filter { flow.key.contains($0.name) }) }
        return live.arguments.filter { flow.key.contains($0.name) }.map { Argument($0.name, $0.value) }
    }
}
