import FlowCore

/// Generates small random definitions that definition files could contain.
///
/// Triggered steps come later in the list of steps, so that most cascades end; with `isWild` they need not (S-11).
struct DefinitionGenerator {
    static let screenNames = ["a", "b", "c", "d", "e"]
    static let flowNames = ["f", "g", "h", "i", "j"]
    static let emitters = ["org.one", "org.two"]

    var random: SplitMix64
    private let isWild: Bool
    private var steps: [StepDeclaration] = []
    private var screens: [ScreenDeclaration] = []
    /// The flows without their rules, which come last.
    private var flows: [FlowDefinition] = []
    /// Which children of the present flow cover others.
    private var covering = Children.free
    private var layers: [Layer] = []
    /// Whether the context has a time.
    private var hasTime = false
    /// What the present flow answers.
    private var result: [Parameter]?

    init(seed: UInt64, isWild: Bool) {
        random = SplitMix64(seed: seed)
        self.isWild = isWild
    }

    mutating func make() -> Definitions {
        steps = (0..<random.number(3...8)).map { number in
            StepDeclaration(
                "s\(number)", parameters: parameters(), isPrivate: random.chance(12), isInput: random.chance(88))
        }
        screens = Self.screenNames.prefix(random.number(2...5)).map {
            let parameters = parameters()
            return ScreenDeclaration(
                $0, parameters: parameters, key: key(parameters), keepsAwake: random.chance(12),
                result: random.chance(30) ? self.parameters() : nil)
        }
        // After a reload a name can be missing.
        if random.chance(20) { screens.remove(at: random.below(screens.count)) }
        var names = Array(Self.flowNames.prefix(random.number(2...5)))
        if random.chance(20) { names.remove(at: random.below(names.count)) }
        flows = names.map {
            let parameters = parameters()
            return FlowDefinition(
                $0, parameters: parameters, key: key(parameters), result: random.chance(45) ? self.parameters() : nil,
                initial: random.chance(55) ? step(after: -1) : nil)
        }
        let values = random.chance(55) ? context() : []
        hasTime = values.contains { $0.name == "t" }
        flows = flows.indices.map { flow($0) }
        let hasOutputs = random.chance(40)
        let autostart = (0..<random.below(3)).map { _ in
            let flow = random.below(flows.count)
            let initial = flows[flow].initial.map { fit(steps[$0.index].parameters) } ?? []
            let isPerOutput = hasOutputs && random.chance(60)
            let output = isPerOutput ? random.among("*", "L*", "left", "o*") : random.among("", "left")
            return Autostart(
                FlowID(flow), id: random.chance(20) ? "only" : nil, arguments: fit(flows[flow].parameters),
                stepArguments: initial, output: output, isPerOutput: isPerOutput && !flows[flow].isUnique,
                whenOutputGone: random.among(.keep, .move, .move, .end))
        }
        return Definitions(
            steps: steps, screens: screens, flows: flows, autostart: autostart,
            steppers: random.chance(45) ? steppers([]) : [], context: values,
            outputSetter: hasOutputs ? random.element(Self.emitters) : nil)
    }

    /// The same definitions with other steppers, of which some may be the same.
    mutating func exchangeSteppers(of definitions: Definitions) -> Definitions {
        (steps, screens, flows) = (definitions.steps, definitions.screens, definitions.flows)
        let kept = definitions.steppers.reversed().filter { _ in random.chance(75) }
        return Definitions(
            steps: steps, screens: screens, flows: flows, autostart: definitions.autostart,
            steppers: random.chance(50) ? kept : steppers(kept), context: definitions.context,
            outputSetter: definitions.outputSetter)
    }

    // MARK: - Parts

    private mutating func parameters() -> [Parameter] {
        guard random.chance(50) else { return [] }
        var parameters: [Parameter] = []
        if random.chance(60), let type = ValueType(name: random.chance(50) ? "byte" : "int64") {
            parameters.append(Parameter("n", type, isOptional: random.chance(70)))
        }
        if random.chance(60), let type = ValueType(name: "string") {
            parameters.append(Parameter("t", type, isOptional: random.chance(75)))
        }
        return parameters
    }

    /// Returns the key of what has these parameters (S-51). Those with several values are rare otherwise.
    private mutating func key(_ parameters: [Parameter]) -> [String] {
        let isWide = parameters.count > 1
        guard random.chance(isWide ? 90 : 45) else { return [] }
        return parameters.map(\.name).filter { _ in random.chance(isWide ? 90 : 75) }
    }

    /// Returns values for parameters.
    private mutating func fit(_ parameters: [Parameter]) -> Arguments {
        var arguments: Arguments = []
        for parameter in parameters where !parameter.isOptional || random.chance(50) {
            arguments.append(Argument(parameter.name, literal(parameter)))
        }
        return arguments
    }

    private mutating func literal(_ parameter: Parameter) -> Value {
        let number = random.below(3)
        switch parameter.type.signature {
        case "y": return .byte(UInt8(number))
        case "x": return .int64(random.chance(15) ? 300 : Int64(number))
        default: return .string(random.among("x", "y"))
        }
    }

    /// Returns a later step of the list, or sometimes any.
    private mutating func step(after rank: Int) -> StepID? {
        if isWild && random.chance(50) { return StepID(random.below(steps.count)) }
        return rank + 1 < steps.count ? StepID(random.number(rank + 1...steps.count - 1)) : nil
    }

    /// A step that needs no arguments.
    private mutating func bareStep() -> StepID? {
        random.element(steps.indices.filter { steps[$0].parameters.allSatisfy(\.isOptional) }).map(StepID.init)
    }

    /// The values of a context: a text and a number, or one of them. Their steps are taken by one flow, or by the flow that has them.
    private mutating func context(of flow: Int? = nil) -> [ContextDeclaration] {
        var values: [ContextDeclaration] = []
        for (name, word) in [("c", "string"), ("k", "int64"), ("t", "string")] where random.chance(70) {
            guard let type = ValueType(name: word) else { continue }
            let initial: Value =
                switch name {
                case "c": .string(random.among("x", "y"))
                case "t": .string(random.among("2s", "3500ms", "never"))
                default: .int64(Int64(random.below(3)))
                }
            let isPrivate = random.chance(15)
            let step = random.chance(35) ? bareStep() : nil
            let taker = FlowID(flow ?? random.below(flows.count))
            values.append(
                ContextDeclaration(
                    name, type, initial: initial,
                    setters: random.chance(80) ? Array(Self.emitters.prefix(random.number(1...2))) : [],
                    isPrivate: isPrivate, isForDisk: !isPrivate && random.chance(30),
                    changed: step.map { ContextDeclaration.Change($0, on: taker) }))
        }
        return values
    }

    private mutating func flow(_ number: Int) -> FlowDefinition {
        var rules: [Rule] = []
        covering = random.among(.free, .stack, .stack, .tabs, .layers)
        let names = random.chance(50) ? ["low", "high"] : ["low", "middle", "high", "top"]
        layers = covering == .layers ? names.map { Layer($0, covers: random.chance(80)) } : []
        result = flows[number].result
        for rank in steps.indices where random.chance(70) { rules.append(rule(rank)) }
        var idle: [TimedStep] = []
        if random.chance(15) {
            var after: UInt64 = 0
            for _ in 0..<random.weighted([0, 60, 30, 10]) {
                after += UInt64(random.number(1...6)) * 1_000_003
                let whenHidden = random.chance(50) ? WhenHidden.allow : random.among(.ignore, .latest, .queue, .turn)
                let span: Span = hasTime && random.chance(20) ? .context("t") : .fixed(after)
                if let step = bareStep() { idle.append(TimedStep(after: span, step: step, whenHidden: whenHidden)) }
            }
        }
        var timers: [FlowTimer] = []
        if random.chance(20) {
            for _ in 0..<random.weighted([0, 60, 20, 10, 10]) {
                let after: Span =
                    hasTime && random.chance(30) ? .context("t") : .fixed(UInt64(random.number(2...12)) * 500_002)
                let whenHidden: WhenHidden = random.among(.ignore, .ignore, .allow, .latest, .queue, .turn)
                guard let step = bareStep() else { continue }
                timers.append(
                    FlowTimer(
                        since: random.among(.created, .presented), repeats: random.chance(55),
                        TimedStep(after: after, step: step, whenHidden: whenHidden)))
            }
        }
        return FlowDefinition(
            flows[number].name, parameters: flows[number].parameters, key: flows[number].key, result: result,
            isResultPublic: result != nil && random.chance(30), initial: flows[number].initial,
            children: covering, layers: layers, covers: random.chance(80), isUnique: random.chance(20),
            whenHidden: random.among(.ignore, .allow, .latest, .queue, .turn), announces: random.chance(15),
            whenEmpty: random.chance(25) ? random.among(.go, .stay, .again) : nil,
            onBack: random.chance(20) ? bareStep() : nil, idle: idle,
            timers: timers, emitters: random.chance(8) ? Array(Self.emitters.prefix(random.number(1...2))) : [],
            ownersMayEmit: random.chance(4), rules: rules, context: random.chance(20) ? context(of: number) : [])
    }

    // MARK: - Steppers

    /// Returns these and some new ones, all different.
    private mutating func steppers(_ kept: [StepperDefinition]) -> [StepperDefinition] {
        var steppers = kept
        for _ in 0..<random.number(1...3) {
            let stepper = stepper()
            if !steppers.contains(stepper) { steppers.append(stepper) }
        }
        return steppers
    }

    private mutating func stepper() -> StepperDefinition {
        let flow = random.below(flows.count)
        var step = random.below(steps.count)
        if random.chance(80), let rule = random.element(flows[flow].rules) { step = rule.step.index }
        let parameters = steps[step].parameters
        let isProperty = random.chance(60)
        let variable = random.element(parameters)
        var bindings: [StepperDefinition.Binding] = []
        for parameter in parameters where random.chance(parameter.isOptional ? 75 : 97) {
            let isVariable = random.chance(parameter.name == variable?.name ? 85 : 20)
            let source: StepperDefinition.Binding.Source =
                !isVariable ? .literal(literal(parameter)) : isProperty ? .value : .argument(random.below(3))
            bindings.append(StepperDefinition.Binding(parameter.name, source))
        }
        // One of the names may be among the emitters of flows.
        let name = random.among("org.one", "org.three")
        return StepperDefinition(
            FlowID(flow), bus: random.among(.served, .system), name: name, object: .path("/org/three"),
            interface: "org.three.State",
            source: isProperty
                ? .property(random.among("Lid", "Power"), absent: random.chance(60) ? fit(parameters) : nil)
                : .signal("Lock"),
            step: StepID(step), bindings: bindings)
    }

    // MARK: - Rules

    private mutating func rule(_ rank: Int) -> Rule {
        guard random.chance(25) else { return Rule(StepID(rank), contributors(rank)) }
        return Rule(
            StepID(rank),
            (0..<random.number(1...3)).map { _ in
                Alternative(
                    when: random.chance(60) ? conditions(rank) : [], unless: random.chance(35) ? conditions(rank) : [],
                    contributors: contributors(rank))
            })
    }

    private mutating func conditions(_ rank: Int) -> [Condition] {
        var conditions: [Condition] = []
        if random.chance(12) { conditions.append(.context("c", .string(random.among("x", "y")))) }
        if random.chance(6) { conditions.append(.context("k", .int64(Int64(random.below(2))))) }
        if random.chance(6) { conditions.append(.same(.output, .literal(.string(random.among("left", ""))))) }
        if random.chance(50) { conditions.append(.alive(presentable())) }
        if let parameter = random.element(steps[rank].parameters), random.chance(60) {
            let isText = parameter.name == "t"
            let source: Binding.Source =
                isText && random.chance(50)
                ? .output : random.chance(50) ? .flow(parameter.name) : .context(isText ? "c" : "k")
            conditions.append(
                random.chance(75)
                    ? .argument(parameter.name, literal(parameter)) : .same(.step(parameter.name), source))
        }
        return conditions
    }

    /// Returns a screen or a flow, mostly with values of its key if it has one.
    private mutating func presentable() -> KeyedName {
        guard random.chance(60), let screen = random.element(screens) else { return flow() }
        return keyed(screen.name, isFlow: false, screen.parameters, screen.key)
    }

    private mutating func flow() -> KeyedName {
        let flow = flows[random.below(flows.count)]
        return keyed(flow.name, isFlow: true, flow.parameters, flow.key)
    }

    private mutating func keyed(
        _ name: String, isFlow: Bool, _ parameters: [Parameter], _ key: [String]
    ) -> KeyedName {
        guard random.chance(key.isEmpty ? 10 : 75) else { return KeyedName(name) }
        var bindings: [Binding] = []
        for parameter in parameters where key.contains(parameter.name) && random.chance(85) {
            let source: Binding.Source =
                switch random.weighted([40, 50, 10]) {
                case 0: .literal(literal(parameter))
                case 1: .step(parameter.name)
                default: .flow(parameter.name)
                }
            bindings.append(Binding(parameter.name, source))
        }
        return KeyedName(name, isFlow: isFlow, key: bindings)
    }

    private mutating func contributors(_ rank: Int) -> [FlowContributor] {
        if random.chance(12) { return [] }
        if random.chance(result == nil ? 8 : 16) {
            let settings = random.chance(15) ? [set()] : []
            if let result, random.chance(60) { return settings + [.answer(answer(result))] }
            guard random.chance(75), let step = step(after: rank) else { return settings + [.end(nil)] }
            return settings + [.end(StepTemplate(step, arguments: source(steps[step.index].parameters)))]
        }
        return (0..<random.weighted([0, 60, 25, isWild ? 0 : 15])).compactMap { _ in contributor(rank) }
    }

    private mutating func contributor(_ rank: Int) -> FlowContributor? {
        switch random.weighted([
            60, 10, 15, 15, 5, covering == .stack ? 0 : 8, covering == .free || covering == .layers ? 6 : 0, 2, 8, 4,
        ]) {
        case 0: return child(rank)
        case 4: return .dismiss(presentable())
        case 5:
            return .show(covering == .tabs ? presentable() : flow())
        case 6: return .hide(flow())
        case 7: return .evict
        case 8: return set()
        case 9:
            return .move(
                random.chance(60)
                    ? .literal(.string(random.among("left", "right", "")))
                    : random.among(.step("t"), .context("c"), .output))
        case 1: return .pop(random.chance(40) ? .root : .to(presentable()))
        case let way:
            return step(after: rank).map { step in
                let template = StepTemplate(step, arguments: source(steps[step.index].parameters))
                return way == 2 ? .current(template) : .parent(template)
            }
        }
    }

    /// Values of the context; there may be none of these.
    private mutating func set() -> FlowContributor {
        let isText = random.chance(60)
        let isTime = isText && hasTime && random.chance(30)
        let value: Value =
            isText
            ? .string(isTime ? random.among("2s", "3500ms", "never", "x") : random.among("x", "y"))
            : .int64(Int64(random.below(3)))
        let name = isText ? "t" : "n"
        let source: Binding.Source = random.chance(60) ? .literal(value) : random.chance(70) ? .step(name) : .flow(name)
        return .set([Binding(isTime ? "t" : isText ? "c" : "k", source)])
    }

    private mutating func child(_ rank: Int) -> FlowContributor? {
        var presentable: ChildTemplate.Presentable?
        var parameters: [Parameter] = []
        var answered: [Parameter]?
        var initial: StepID?
        if random.chance(42) || covering == .layers {
            let number = random.below(flows.count)
            initial = flows[number].initial
            let isEndless = !isWild && (initial.map { $0.index <= rank } ?? false)
            if isEndless { initial = step(after: rank) }
            if !isEndless || initial != nil {
                presentable = .flow(FlowID(number))
                (parameters, answered) = (flows[number].parameters, flows[number].result)
                if !isEndless { initial = random.chance(20) ? step(after: rank) : nil }
            }
        }
        if presentable == nil, covering == .layers { return nil }
        if presentable == nil, !screens.isEmpty {
            let number = random.below(screens.count)
            presentable = .screen(ScreenID(number))
            (parameters, answered) = (screens[number].parameters, screens[number].result)
            initial = random.chance(35) ? step(after: rank) : nil
        }
        // In layers, so that live children move (S-52).
        let reuses = random.chance(covering == .layers ? 70 : 22)
        let onDismissed = random.chance(25) ? random.element(steps.indices.map(StepID.init)) : nil
        let onResult =
            answered == nil || random.chance(30) ? nil : random.element(steps.indices.map(StepID.init))
        return .child(
            ChildTemplate(
                presentable ?? .screen(ScreenID(0)), id: random.chance(10) ? random.among("only", "x", "1") : nil,
                arguments: source(parameters), step: initial,
                stepArguments: initial.map { source(steps[$0.index].parameters) } ?? .inherited,
                style: random.chance(12) ? random.among("modal", "corner", "") : nil,
                whenHidden: random.chance(40) ? random.among(.ignore, .allow, .latest, .queue, .turn) : nil,
                reuses: reuses, raises: reuses && covering == .stack && random.chance(50), clears: random.chance(7),
                layer: random.chance(65) ? random.element(layers)?.name : nil,
                onDismissed: onDismissed.map {
                    StepTemplate($0, arguments: source(steps[$0.index].parameters, isDismissal: true))
                },
                onResult: onResult.map {
                    StepTemplate($0, arguments: source(steps[$0.index].parameters, isAnswer: true))
                }))
    }

    /// The values with which a flow ends; they always stand in the rule.
    private mutating func answer(_ result: [Parameter]) -> ArgumentSource {
        let source = source(result)
        return source == .inherited ? .given(fit(result).map { Binding($0.name, .literal($0.value)) }) : source
    }

    private mutating func source(
        _ parameters: [Parameter], isDismissal: Bool = false, isAnswer: Bool = false
    ) -> ArgumentSource {
        if random.chance(parameters.contains { !$0.isOptional } ? 25 : 55) { return .inherited }
        var bindings: [Binding] = []
        for parameter in parameters where random.chance(parameter.isOptional ? 60 : 96) {
            let source: Binding.Source =
                switch random.weighted([
                    60, 25, 10, isDismissal && parameter.name == "t" ? 40 : 0, isAnswer ? 60 : 0, isAnswer ? 40 : 0,
                    isAnswer && parameter.name == "t" ? 20 : 0,
                ]) {
                case 0: .literal(literal(parameter))
                case 1: .step(parameter.name)
                case 2: random.chance(70) ? .flow(parameter.name) : .context(parameter.name == "t" ? "c" : "k")
                case 4: .result(parameter.name)
                case 5: .asked(parameter.name)
                case 6: .childName
                default: random.among(.childName, .reason, .error)
                }
            bindings.append(Binding(parameter.name, source))
        }
        return .given(bindings)
    }
}
