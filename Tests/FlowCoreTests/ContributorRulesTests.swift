import FlowCore
import Testing

@Suite("Rules for contributors")
struct ContributorRulesTests {
    private let rules: ContributorRules

    init() throws {
        let item = Parameter("item", try #require(ValueType(name: "int32")))
        rules = ContributorRules(
            Definitions(
                steps: [StepDeclaration("go", parameters: [item]), StepDeclaration("stop")],
                screens: [ScreenDeclaration("detail", parameters: [item])],
                flows: [FlowDefinition("shop", initial: StepID(0))]))
    }

    @Test func `S-18 each kind becomes a contributor, and none becomes nothing`() throws {
        let options: NamedContributor.Options = [.arguments: .arguments([Argument("item", .byte(3))])]
        let given = ArgumentSource.given([Binding("item", .literal(.int32(3)))])
        #expect(
            try rules.contributors([
                NamedContributor(.screen, "detail", options), NamedContributor(.flow, "shop"),
                NamedContributor(.current, "go", options), NamedContributor(.parent, "stop"),
                NamedContributor(.pop, "root"), NamedContributor(.none),
            ]) == [
                .child(ChildTemplate(.screen(ScreenID(0)), arguments: given)), .child(ChildTemplate(.flow(FlowID(0)))),
                .current(StepTemplate(StepID(0), arguments: given)), .parent(StepTemplate(StepID(1))), .pop(.root),
            ])
        #expect(try rules.contributors([NamedContributor(.end)]) == [.end(nil)])
    }

    @Test func `S-21 an end can't be combined`() {
        let kinds: [NamedContributor.Kind] = [.end, .none]
        #expect(ContributorRules.problem(together: kinds) != nil)
        #expect(ContributorRules.problem(together: [.end]) == nil)
        #expect(ContributorRules.problem(together: [.pop, .screen]) == nil)
        #expect(throws: FlowError.self) { try rules.contributors(kinds.map { NamedContributor($0) }) }
    }

    @Test func `an error names the invalid contributor`() throws {
        let error = #expect(throws: FlowError.self) {
            try rules.contributors([NamedContributor(.none), NamedContributor(.screen, "details")])
        }
        #expect(error?.code == .navigatorFailed)
        #expect(error?.message.hasPrefix("contributor 2, 'screen' 'details': ") == true)
        #expect(error?.message.contains("'detail'") == true)
    }

    @Test func `texts that break a rule have a problem`() {
        #expect(ContributorRules.problem(style: String(repeating: "x", count: Limits.styleLength)) == nil)
        #expect(ContributorRules.problem(style: String(repeating: "x", count: Limits.styleLength + 1)) != nil)
        #expect(ContributorRules.problem(id: "a") == nil)
        #expect(ContributorRules.problem(id: "a/b") != nil)
        #expect(throws: FlowError.self) { try ContributorRules.kind(named: "screan") }
    }
}
