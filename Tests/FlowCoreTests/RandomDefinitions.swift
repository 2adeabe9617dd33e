@testable import FlowCore

/// Random definitions that are always valid: each argument is optional and has the same type everywhere.
struct RandomDefinitions {
    static let stepNames = (0..<6).map { "s\($0)" }
    private static let screenNames = (0..<3).map { "p\($0)" }
    static let flowNames = (0..<4).map { "f\($0)" }
    /// Bus names that are emitters of some flows.
    static let emitters = ["org.example.One", "org.example.Two"]
    /// Bus names of guards, navigators and presenters.
    static let services = ["org.example.Guard", "org.example.Navigator", "org.example.Presenter"]
    static let layers = [Layer("low"), Layer("note", covers: false), Layer("high")]
    /// The screens and flows that declare a result.
    static let answering: Set = ["p1", "p2", "f1", "f3"]
    /// The screens and flows that have a key (S-51).
    static let keyed: Set = ["p0", "p1", "f2", "f3"]
    /// A step that evicts screens, too.
    private static let evicting = "s3"
    /// A step whose arguments are private.
    static let privateStep = "s5"

    /// Returns definitions; with a gap, one step, screen or flow is no longer declared. With others, some flows have a
    /// guard or a navigator, some screens a presenter.
    static func make(using random: inout Seeded, withGap: Bool = false, withOthers: Bool = false) -> DefinitionsBuilder
    {
        var builder = DefinitionsBuilder()
        let gap = withGap ? Int.random(in: 0..<3, using: &random) : nil
        let steps = gap == 0 ? stepNames.dropLast() : stepNames[...]
        let screens = gap == 1 ? screenNames.dropLast() : screenNames[...]
        let flows = gap == 2 ? flowNames.dropLast() : flowNames[...]
        for name in steps {
            builder.step(name, ["n": "int64?", "pin": "string?"], isPrivate: name == privateStep)
        }
        for name in screens {
            let isShown = withOthers && chance(2, &random)
            builder.screen(
                name, ["n": "int64?", "pin": "string?"], key: keyed.contains(name) ? ["n"] : [],
                presenter: isShown ? services[2] : nil,
                action: isShown && chance(3, &random) ? "show" : nil,
                whenOwnerGone: withOthers ? WhenOwnerGone.allCases.randomElement(using: &random) ?? .keep : .dismiss,
                keepsAwake: chance(5, &random), evictAfter: isShown && name != "p1" ? 1_000_000 : nil,
                watchdog: isShown ? 2_000_000 : nil,
                result: answering.contains(name) ? ["n": "int64?", "pin": "string?"] : nil,
                context: chance(2, &random) ? ["c"] : [])
        }
        builder.context = [
            .init(
                name: "c", initial: "x", setters: emitters, isPrivate: chance(5, &random),
                changed: chance(3, &random) ? ("s0", "f0") : nil),
            .init(name: "language", initial: "de", setters: emitters),
        ]
        let both = LocalizedText([.init("en", "Page ${n} ${pin}"), .init("de", "Seite ${n} ${pin}")])
        builder.texts = [
            "p0": Texts(title: both), "p2": Texts(title: LocalizedText("Third")), "f1": Texts(title: both),
        ]
        for name in flows {
            let children = Children.allCases.randomElement(using: &random) ?? .free
            let rules = steps.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }.map { step in
                (step, branches(children, steps, screens, flows, answers: answering.contains(name), &random))
            }
            .map { step, branches in (step, withOthers && step == evicting ? branches.evicting : branches) }
            builder.flow(name, children, rules: rules, steps, withOthers: withOthers, &random)
        }
        if withOthers {
            builder.addScreensToEvict()
            builder.outputSetter = emitters[0]
            builder.autostart = [.init(flow: "f0", output: "*t", isPerOutput: true, whenOutputGone: .move)]
        }
        return builder
    }

    private static func branches(
        _ children: Children, _ steps: ArraySlice<String>, _ screens: ArraySlice<String>, _ flows: ArraySlice<String>,
        answers: Bool, _ random: inout Seeded
    ) -> DefinitionsBuilder.Branches {
        let count = Int.random(in: 1...2, using: &random)
        return .first(
            (0..<count).map { place in
                DefinitionsBuilder.Branch(
                    when: place + 1 < count ? [condition(screens + flows, &random)] : [],
                    unless: chance(6, &random) ? [condition(screens + flows, &random)] : [],
                    parts: parts(children, steps, screens, flows, answers: answers, &random))
            })
    }

    private static func condition(_ names: ArraySlice<String>, _ random: inout Seeded) -> Condition {
        chance(3, &random)
            ? .alive(meant(names.randomElement(using: &random) ?? ""))
            : .argument("n", .int64(Int64.random(in: 0..<3, using: &random)))
    }

    /// A name, with a value of its key if it has one (S-51). Drawn numbers would change all other events.
    private static func meant(_ name: String) -> KeyedName {
        guard keyed.contains(name) else { return KeyedName(name) }
        let isFlow = flowNames.contains(name)
        return KeyedName(name, isFlow: isFlow, key: [Binding("n", isFlow ? .literal(.int64(1)) : .step("n"))])
    }

    static func parts(
        _ children: Children, _ steps: ArraySlice<String>, _ screens: ArraySlice<String>, _ flows: ArraySlice<String>,
        answers: Bool = false, _ random: inout Seeded
    ) -> [DefinitionsBuilder.Part] {
        let step = { (random: inout Seeded) in steps.randomElement(using: &random) ?? "" }
        if chance(8, &random) {
            let (last, bindings) = (chance(3, &random) ? nil : step(&random), bindings(&random))
            // A result, if the list has values for it.
            if answers, let bindings { return [.answer(bindings)] }
            return [.end(last, bindings)]
        }
        return (0..<Int.random(in: 0...3, using: &random)).map { _ in
            let isLayered = children == .layers
            let child = DefinitionsBuilder.Child(
                id: chance(12, &random) ? "only" : nil, with: bindings(&random),
                step: chance(2, &random) ? step(&random) : nil, stepWith: bindings(&random),
                whenHidden: chance(2, &random) ? WhenHidden.allCases.randomElement(using: &random) : nil,
                reuses: chance(3, &random), raises: children == .stack && chance(6, &random),
                clears: chance(12, &random),
                layer: isLayered && chance(2, &random) ? layers.randomElement(using: &random)?.name : nil,
                onDismissed: chance(2, &random) ? step(&random) : nil,
                onDismissedWith: bindings(&random, ofDismissal: true))
            return switch Int.random(in: 0..<16, using: &random) {
            case 15: .set([Binding("c", chance(2, &random) ? .step("pin") : .literal(.string("y")))])
            case 0...3 where !isLayered:
                answered(screens.randomElement(using: &random) ?? "", child, children) { .screen($0, $1) }
            case 0...6: answered(flows.randomElement(using: &random) ?? "", child, children) { .flow($0, $1) }
            case 7: .current(step(&random), bindings(&random))
            case 8: .popRoot
            case 9: .pop(meant((screens + flows).randomElement(using: &random) ?? ""))
            case 10: .dismiss(meant((screens + flows).randomElement(using: &random) ?? ""))
            case 11 where children != .stack: .show(meant(flows.randomElement(using: &random) ?? ""))
            case 12 where children == .free || isLayered:
                .hide(meant(flows.randomElement(using: &random) ?? ""))
            default: .parent(step(&random), bindings(&random))
            }
        }
    }

    /// A child with a step for its result, if it can answer and has one for its dismissal.
    private static func answered(
        _ name: String, _ child: DefinitionsBuilder.Child, _ children: Children,
        _ part: (String, DefinitionsBuilder.Child) -> DefinitionsBuilder.Part
    ) -> DefinitionsBuilder.Part {
        var child = child
        // What follows the signals takes a child of a stack that is used again for the newest one.
        if children == .stack, keyed.contains(name) { child.raises = child.reuses }
        if answering.contains(name) {
            child.onResult = child.onDismissed ?? child.step
            child.onResultWith = child.stepWith.map { _ in [Binding("n", .asked("n")), Binding("pin", .result("pin"))] }
        }
        return part(name, child)
    }

    private static func bindings(_ random: inout Seeded, ofDismissal: Bool = false) -> [Binding]? {
        var sources: [Binding] = [
            Binding("n", .literal(.int64(Int64.random(in: 0..<3, using: &random)))), Binding("n", .step("n")),
            Binding("n", .flow("n")), Binding("pin", .step("pin")), Binding("pin", .flow("pin")),
            Binding("pin", .context("c")),
        ]
        if ofDismissal { sources += [Binding("pin", .childName), Binding("pin", .reason)] }
        return chance(2, &random) ? nil : sources.randomElement(using: &random).map { [$0] }
    }

    static func chance(_ odds: Int, _ random: inout Seeded) -> Bool { Int.random(in: 0..<odds, using: &random) == 0 }
}

extension DefinitionsBuilder.Branches {
    /// With `evict` in each list that does not end the flow.
    fileprivate var evicting: Self {
        guard case .first(let branches) = self else { return self }
        return .first(
            branches.map { branch in
                var branch = branch
                let ends = branch.parts.contains {
                    switch $0 {
                    case .end, .answer: true
                    default: false
                    }
                }
                if !ends { branch.parts.append(.evict) }
                return branch
            })
    }
}

extension DefinitionsBuilder {
    fileprivate mutating func flow(
        _ name: String, _ children: Children, rules: [(String, Branches)], _ steps: ArraySlice<String>,
        withOthers: Bool,
        _ random: inout Seeded
    ) {
        let isNavigated = withOthers && RandomDefinitions.chance(4, &random)
        let guarded = withOthers && RandomDefinitions.chance(2, &random) ? some(steps, &random) : nil
        flow(
            name, ["n": "int64?", "pin": "string?"], key: RandomDefinitions.keyed.contains(name) ? ["n"] : [],
            result: RandomDefinitions.answering.contains(name) ? ["n": "int64?", "pin": "string?"] : nil,
            initial: RandomDefinitions.chance(2, &random) ? steps.randomElement(using: &random) : nil,
            children: children, layers: children == .layers ? RandomDefinitions.layers : [],
            isUnique: RandomDefinitions.chance(5, &random),
            whenHidden: WhenHidden.allCases.randomElement(using: &random) ?? .ignore,
            announces: RandomDefinitions.chance(3, &random),
            onBack: RandomDefinitions.chance(4, &random) ? steps.randomElement(using: &random) : nil,
            stages: RandomDefinitions.chance(3, &random) ? idle(steps, &random) : [],
            timers: RandomDefinitions.chance(3, &random) ? timers(steps, &random) : [],
            emitters: (RandomDefinitions.chance(6, &random) ? RandomDefinitions.emitters : [])
                + (withOthers && RandomDefinitions.chance(8, &random) ? ["owner"] : []),
            guarded: guarded.map { (by: RandomDefinitions.services[0], steps: $0) },
            navigated: isNavigated ? (by: RandomDefinitions.services[1], steps: some(steps, &random)) : nil)
        if RandomDefinitions.chance(4, &random) {
            add(
                .init(
                    name: "c", initial: "z", setters: RandomDefinitions.emitters,
                    changed: RandomDefinitions.chance(2, &random) ? ("s0", name) : nil), to: name)
        }
        if isNavigated { return }
        for (step, branches) in rules { addRule(step, branches, to: name) }
    }

    /// A stack of screens that are evicted; those of the other flows seldom have an owner.
    fileprivate mutating func addScreensToEvict() {
        for (name, whenOwnerGone) in ["t0": .keep, "t1": .present] as KeyValuePairs<String, WhenOwnerGone> {
            screen(
                name, ["n": "int64?"], presenter: RandomDefinitions.services[2], whenOwnerGone: whenOwnerGone,
                evictAfter: 1_000_000)
        }
        let again = Child(with: [Binding("n", .literal(.int64(1)))], reuses: true)
        flow(
            "t", initial: "s0", children: .stack, whenHidden: .allow,
            on: [
                "s0": [.screen("t0")], "s1": [.screen("t1")], "s2": [.screen("t0", again)], "s3": [.evict],
                "s4": [.popRoot],
            ])
    }

    private func some(_ steps: ArraySlice<String>, _ random: inout Seeded) -> [String] {
        steps.filter { _ in RandomDefinitions.chance(2, &random) } + steps.prefix(1)
    }

    private func timers(_ steps: ArraySlice<String>, _ random: inout Seeded) -> [Timer] {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            Timer(
                since: RandomDefinitions.chance(2, &random) ? .created : .presented,
                repeats: RandomDefinitions.chance(2, &random),
                time: .fixed(.random(in: 2...9, using: &random) * 10_000_000),
                step: steps.randomElement(using: &random) ?? "",
                whenHidden: WhenHidden.allCases.randomElement(using: &random) ?? .ignore)
        }
    }

    private func idle(_ steps: ArraySlice<String>, _ random: inout Seeded) -> [(after: UInt64, step: String)] {
        var after: UInt64 = 0
        return (0..<Int.random(in: 1...3, using: &random)).map { _ in
            after += UInt64.random(in: 1...5, using: &random) * 10_000_000
            return (after, steps.randomElement(using: &random) ?? "")
        }
    }
}
