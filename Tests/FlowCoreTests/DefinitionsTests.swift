import Testing

@testable import FlowCore

@Suite("Definitions")
struct DefinitionsTests {
    private let definitions: Definitions

    init() {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["pick": [.screen("detail")], "about": [.flow("info")]])
        definitions = builder.definitions
    }

    @Test func `names are found at their indexes`() {
        for (place, step) in definitions.steps.enumerated() {
            #expect(definitions.step(named: step.name) == StepID(place))
            #expect(definitions[StepID(place)].name == step.name)
        }
        #expect(definitions.flow(named: "info").map { definitions[$0].name } == "info")
        #expect(definitions.screen(named: "detail").map { definitions[$0].name } == "detail")
        #expect(definitions.step(named: "detail") == nil)
        #expect(definitions.flow(named: "detail") == nil)
    }

    @Test func `S-3 an undeclared step is refused, with the nearest name`() {
        #expect(
            definitions.unknownStep("abuot")
                == FlowError(.unknownStep, "no definition declares a step 'abuot'; did you mean 'about'?"))
        #expect(
            definitions.unknownStep("a b")
                == FlowError(.unknownStep, "'a b' can't be the name of a step: \(Names.stepNameRule)"))
    }

    @Test func `a flow that is not defined is refused, with the nearest`() {
        #expect(
            definitions.unknownFlow("mian")
                == FlowError(.unknownFlow, "no flow 'mian' is defined; did you mean 'main'?"))
    }

    @Test func `a flow finds its rule for each step that it has one for`() throws {
        for count in 0...5 {
            let rules = (0..<count).map { Rule(StepID(2 * $0 + 1), [Alternative(contributors: [])]) }
            let flow = FlowDefinition("main", rules: rules)
            for step in 0...12 {
                #expect(flow.rule(for: StepID(step)) == rules.firstIndex { $0.step == StepID(step) })
            }
        }
    }
}
