@testable import FlowCore

/// Definitions by chance, always right: each argument is optional and of the same type everywhere.
struct RandomSketch {
    static let stepNames = (0..<6).map { "s\($0)" }
    private static let screenNames = (0..<3).map { "p\($0)" }
    static let flowNames = (0..<4).map { "f\($0)" }
    /// A step whose arguments are private.
    static let privateStep = "s5"

    /// Definitions for this seed; with a gap, one step, screen or flow is declared no more.
    static func make(using random: inout Seeded, withGap: Bool = false) -> Sketch {
        var sketch = Sketch()
        let gap = withGap ? Int.random(in: 0..<3, using: &random) : nil
        let steps = gap == 0 ? stepNames.dropLast() : stepNames[...]
        let screens = gap == 1 ? screenNames.dropLast() : screenNames[...]
        let flows = gap == 2 ? flowNames.dropLast() : flowNames[...]
        for name in steps {
            sketch.step(name, ["n": "int64?", "pin": "string?"], isPrivate: name == privateStep)
        }
        for name in screens { sketch.screen(name, ["n": "int64?", "pin": "string?"]) }
        for name in flows {
            let rules = steps.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }.map { step in
                (step, ways(steps, screens, flows, &random))
            }
            sketch.flow(name, rules: rules, steps, &random)
        }
        return sketch
    }

    private static func ways(
        _ steps: ArraySlice<String>, _ screens: ArraySlice<String>, _ flows: ArraySlice<String>, _ random: inout Seeded
    ) -> Sketch.Ways {
        let count = Int.random(in: 1...2, using: &random)
        return .first(
            (0..<count).map { place in
                Sketch.Way(
                    when: place + 1 < count ? [Condition("n", .int64(Int64.random(in: 0..<3, using: &random)))] : [],
                    unless: chance(6, &random) ? [Condition("n", .int64(1))] : [],
                    parts: parts(steps, screens, flows, &random))
            })
    }

    private static func parts(
        _ steps: ArraySlice<String>, _ screens: ArraySlice<String>, _ flows: ArraySlice<String>, _ random: inout Seeded
    ) -> [Sketch.Part] {
        let step = { (random: inout Seeded) in steps.randomElement(using: &random) ?? "" }
        if chance(8, &random) { return [.end(chance(3, &random) ? nil : step(&random), bindings(&random))] }
        return (0..<Int.random(in: 0...3, using: &random)).map { _ in
            let child = Sketch.Child(
                id: chance(12, &random) ? "only" : nil, with: bindings(&random),
                step: chance(2, &random) ? step(&random) : nil, stepWith: bindings(&random),
                whenHidden: chance(5, &random) ? .allow : nil)
            return switch Int.random(in: 0..<10, using: &random) {
            case 0...3: .screen(screens.randomElement(using: &random) ?? "", child)
            case 4...6: .flow(flows.randomElement(using: &random) ?? "", child)
            case 7: .current(step(&random), bindings(&random))
            default: .parent(step(&random), bindings(&random))
            }
        }
    }

    private static func bindings(_ random: inout Seeded) -> [Binding]? {
        let sources: [Binding] = [
            Binding("n", .literal(.int64(Int64.random(in: 0..<3, using: &random)))), Binding("n", .step("n")),
            Binding("n", .flow("n")), Binding("pin", .step("pin")), Binding("pin", .flow("pin")),
        ]
        return chance(2, &random) ? nil : sources.randomElement(using: &random).map { [$0] }
    }

    static func chance(_ odds: Int, _ random: inout Seeded) -> Bool { Int.random(in: 0..<odds, using: &random) == 0 }
}

extension Sketch {
    fileprivate mutating func flow(
        _ name: String, rules: [(String, Ways)], _ steps: ArraySlice<String>, _ random: inout Seeded
    ) {
        flow(
            name, ["n": "int64?", "pin": "string?"],
            initial: RandomSketch.chance(2, &random) ? steps.randomElement(using: &random) : nil,
            children: Children.allCases.randomElement(using: &random) ?? .free,
            isUnique: RandomSketch.chance(5, &random),
            whenHidden: RandomSketch.chance(4, &random) ? .allow : .ignore,
            announces: RandomSketch.chance(3, &random))
        for (step, ways) in rules { addRule(step, ways, to: name) }
    }
}
