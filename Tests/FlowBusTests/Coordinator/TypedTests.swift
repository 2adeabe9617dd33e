import FlowBus
import Testing

/// Flows that take steps of one type, or of a set of types; and the short spellings of what they contribute.
@MainActor
@Suite("Typed flows", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct TypedTests {
    @Step
    fileprivate enum ShopStep: Equatable {
        case list
        case item(number: Int)
        case closed
    }

    /// One type; `steps` and `adapt` by default.
    private final class ShopFlow: Flow {
        let root = TestScreen("root")
        private(set) var taken: [ShopStep] = []

        func navigate(to step: ShopStep) -> FlowContributors {
            taken.append(step)
            switch step {
            case .list: return .show(TestScreen("list"))
            case .item(let number): return number == 0 ? .forward(ShopStep.list) : .unhandled
            case .closed: return .end(with: TestStep.two)
            }
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-17 a flow of one type takes its steps, and no others`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = ShopFlow()
        try await fixture.begin(flow, with: OneStepper(withSingleStep: ShopStep.list))
        #expect(await fixture.verdict(of: ShopStep.item(number: 0), on: flow) == "navigated")
        #expect(await fixture.verdict(of: ShopStep.item(number: 1), on: flow) == "unhandled")
        #expect(
            await fixture.navigations(3) == [
                "TypedTests_ShopFlow list", "TypedTests_ShopFlow item(number: 0)", "TypedTests_ShopFlow list",
            ])
        #expect(flow.taken == [.list, .item(number: 0), .list, .item(number: 1)])
        let other = try await fixture.root(Main.self)
        #expect(await fixture.verdict(of: TestStep.one, on: flow) == "unhandled")
        #expect(await fixture.verdict(of: ShopStep.list, on: other) == "unhandled")
        #expect(flow.taken.count == 4)
    }

    /// Two types, adapted.
    fileprivate enum BothStep: StepSet {
        case shop(ShopStep)
        case test(TestStep)

        static var steps: [any Step.Type] { [ShopStep.self, TestStep.self] }

        init?(_ step: any Step) {
            switch step {
            case let step as ShopStep: self = .shop(step)
            case let step as TestStep: self = .test(step)
            default: return nil
            }
        }

        var step: any Step {
            switch self {
            case .shop(let step): step
            case .test(let step): step
            }
        }
    }

    private final class BothFlow: Flow {
        let root = TestScreen("root")
        private(set) var taken: [String] = []

        func adapt(step: BothStep) async throws -> BothStep {
            switch step {
            case .test(.two): .shop(.item(number: 2))
            case .test(.three): throw StepRejected()
            default: step
            }
        }

        func navigate(to step: BothStep) -> FlowContributors {
            taken.append("\(step.step)")
            guard case .test(.one) = step else { return .none }
            return [
                .start(ShopFlow(), with: ShopStep.list), .show(TestScreen("page"), with: NoneStepper()),
                .forward(TestStep.four),
                .forwardToParent(TestStep.five),
            ]
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-5 S-8 a flow of a set of types takes and adapts the steps of each`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = BothFlow()
        try await fixture.begin(flow)
        #expect(await fixture.verdict(of: TestStep.one, on: flow) == "navigated")
        #expect(await fixture.verdict(of: TestStep.two, on: flow) == "navigated")
        #expect(await fixture.verdict(of: TestStep.three, on: flow) == "rejected")
        #expect(await fixture.verdict(of: ShopStep.closed, on: flow) == "navigated")
        #expect(flow.taken == ["one", "four", "item(number: 2)", "closed"])
        let first = try #require(await fixture.navigation())
        #expect(
            first.contributions.map { "\($0.kind) \($0.name)" }.sorted() == [
                "current four", "flow TypedTests_ShopFlow", "parent five", "screen page",
            ])
    }

    @Test(arguments: HostKind.allCases)
    func `S-21 the short end of a flow hands a step to its parent`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        var taken: [String] = []
        let shop = ShopFlow()
        let main = try await fixture.root(Main.self) { step in
            taken.append("\(step)")
            guard case TestStep.one = step else { return .none }
            return .start(shop, with: ShopStep.closed)
        }
        #expect(await fixture.verdict(of: TestStep.one, on: main) == "navigated")
        #expect(await fixture.navigations(3) == ["Main one", "Main/TypedTests_ShopFlow closed", "Main two"])
        #expect(taken == ["one", "two"])
    }
}
