import FlowBus
import FlowBusClient
import Testing

/// What a flow says of its children beyond RxFlow, and the contributors that act on them.
@MainActor
@Suite("Options of children", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct ChildOptionsTests {
    private enum Stacked: Oddity { static var children: Children { .stack } }
    private enum Tabbed: Oddity { static var children: Children { .tabs } }
    private enum Told: Oddity { static var steps: [any Step.Type] { [TestStep.self, ToldStep.self] } }

    @Step
    enum ToldStep { case told(text: String, why: String?) }

    private static func page(
        _ name: String, initialStep: any Step = NoneStep(), _ options: ChildOptions = ChildOptions()
    ) -> FlowContributor {
        .contribute(withNext: TestScreen(name, initialStep: initialStep), options: options)
    }

    /// The contributors that were applied, as `kind path`.
    private func applied(_ fixture: CoordinatorFixture) async throws -> [String] {
        try #require(await fixture.navigation()).contributions.map { "\($0.kind) \($0.path?.text ?? "-")" }
    }

    @Test(arguments: HostKind.allCases)
    func `S-15: steps of a hidden screen wait, all or the latest`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let pages = [TestScreen("all"), TestScreen("last")]
        let flow = try await fixture.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .all(
                .contribute(withNext: pages[0], options: ChildOptions(whenHidden: .queue)),
                .contribute(withNext: pages[1], options: ChildOptions(whenHidden: .latest)))
        }
        try await fixture.coordinator.emit(TestStep.one, on: flow)
        for page in pages {
            for number in 1...2 {
                #expect(await fixture.verdict(of: TestStep.number(number), on: page) == "deferred")
            }
        }
        #expect(await fixture.failures(1) == ["Main number hidden"])
        pages[0].show()
        #expect(await fixture.navigations(3) == ["Main one", "Main number(1)", "Main number(2)"])
        pages[1].show()
        #expect(await fixture.navigations(1) == ["Main number(2)"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-16: a step that waits for its turn is taken back`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let (coordinator, page) = (fixture.coordinator, TestScreen("page"))
        let flow = try await fixture.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .one(
                flowContributor: .contribute(withNext: page, options: ChildOptions(whenHidden: .turn)))
        }
        try await coordinator.emit(TestStep.one, on: flow)
        for (number, token) in ["a", "b", "c"].enumerated() {
            let outcome = try await coordinator.emit(TestStep.number(number), on: page, token: token)
            #expect(outcome.verdict == .deferred)
        }
        for _ in 0..<2 { try await coordinator.cancelStep("b", on: page) }
        #expect(await fixture.failures(1) == ["Main number hidden"])
        #expect(try await coordinator.emit(TestStep.number(1), on: page, token: "b").verdict == .hidden)
        page.show()
        #expect(await fixture.navigations(3) == ["Main one", "Main number(0)", "Main number(2)"])
        // Its turn was there, no call had such a token, and it was emitted elsewhere.
        for (token, presentable) in [("a", page as any Presentable), ("d", page), ("c", flow)] {
            let error = try await refusal { try await coordinator.cancelStep(token, on: presentable) }
            #expect(error.code == .invalidArguments && error.message.contains("'\(token)'"))
            if host == .inProcess {
                #expect(
                    error.message.contains("no step of this program") && error.message.contains("'emit(_:on:token:)'"))
            }
        }
        #expect(
            try await refusal { try await coordinator.cancelStep("a", on: TestScreen("other")) }.code == .unknownObject)
    }

    @Test(arguments: HostKind.allCases)
    func `S-23: a flow learns that a child was closed, and how`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let pages = (0..<3).map { TestScreen("page\($0)") }
        let flow = try await fixture.root(Told.self) { step in
            guard case TestStep.one = step else { return .none }
            let why = DismissalStep("told", arguments: ["text": .string("closed"), "why": .string("$reason")])
            return .all(
                .contribute(withNext: pages[0], options: ChildOptions(onDismissed: "two")),
                // A text of a step is no reference.
                .contribute(
                    withNext: pages[1],
                    options: ChildOptions(onDismissed: .step(ToldStep.told(text: "$reason", why: nil)))),
                .contribute(withNext: pages[2], options: ChildOptions(onDismissed: why)))
        }
        try await fixture.coordinator.emit(TestStep.one, on: flow)
        for page in pages { page.show() }
        for page in pages { page.dismiss() }
        #expect(await fixture.navigations(2) == ["Told one", "Told two"])
        for (text, why) in [("$reason", nil), ("closed", "dismissed")] {
            guard case ToldStep.told(text, why)? = await fixture.navigation()?.step else {
                Issue.record("no step with \(text)")
                continue
            }
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-19 S-37: a live child is used again`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        var made: [TestScreen] = []
        func page(_ name: String, _ reuse: ChildOptions.Reuse) -> FlowContributor {
            made.append(TestScreen(name, initialStep: TestStep.number(made.count)))
            return .contribute(
                withNext: made[made.count - 1], allowStepWhenNotPresented: true, options: ChildOptions(reuse: reuse))
        }
        let flow = try await fixture.root(Stacked.self) { step in
            switch step as? TestStep {
            case .one: .one(flowContributor: page("list", .newest))
            case .two: .one(flowContributor: page("detail", .never))
            case .three: .all(page("list", .raised), page("other", .never))
            default: .none
            }
        }
        var log: [[String]] = []
        for step in [TestStep.one, .one, .two, .three] {
            try await fixture.coordinator.emit(step, on: flow)
            log.append(try await applied(fixture))
            // The initial step is taken each time, also of an object that is not used.
            for _ in 0..<log[log.count - 1].count { _ = await fixture.navigation() }
        }
        #expect(
            log == [
                ["screen Stacked/list"], ["reuse Stacked/list"], ["screen Stacked/detail"],
                ["reuse Stacked/list", "screen Stacked/other"],
            ])
        let paths = made.map(fixture.coordinator.path(of:))
        #expect(paths == ["Stacked/list", nil, "Stacked/detail", nil, "Stacked/other"])
        for _ in 0..<2 { try await fixture.coordinator.back(on: flow) }
        #expect(try await applied(fixture) == ["back Stacked/other"])
        // It stands above the detail now.
        #expect(try await applied(fixture) == ["back Stacked/list"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-19 S-37: children are cleared, popped and dismissed`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = try await fixture.root(Main.self) { step in
            switch step as? TestStep {
            case .one: .all(Self.page("a"), Self.page("b"), Self.page("c"), Self.page("d"))
            case .two: .one(flowContributor: .pop(to: "c"))
            case .three: .one(flowContributor: .dismissChild(TestScreen("b")))
            case .four: .one(flowContributor: .popToRoot)
            case .five: .one(flowContributor: Self.page("e", ChildOptions(clears: true)))
            default: .one(flowContributor: .pop(to: "f"))
            }
        }
        var log: [[String]] = []
        for step in [TestStep.one, .two, .three, .four, .five] {
            try await fixture.coordinator.emit(step, on: flow)
            log.append(try await applied(fixture))
        }
        #expect(log[1] == ["pop Main/c"] && log[2] == ["dismiss Main/b"] && log[3] == ["pop Main/a"])
        #expect(log[4].last == "screen Main/e" && log[4].first?.hasPrefix("clear") == true)
        let typo = try await refusal { try await fixture.coordinator.emit(TestStep.six, on: flow) }
        #expect(typo.code == .navigatorFailed && typo.message.contains("no definition declares a screen or flow"))
    }

    @Test(arguments: HostKind.allCases)
    func `S-37: tabs are selected, and flows hidden and shown`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flows = (OddFlow(Side.self), OddFlow(Deep.self))
        let tabs = try await fixture.root(Tabbed.self) { step in
            switch step as? TestStep {
            case .one: .all(.child(flows.0), .child(flows.1))
            default: .one(flowContributor: .showChild(flows.0))
            }
        }
        for step in [TestStep.one, .two] { try await fixture.coordinator.emit(step, on: tabs) }
        _ = await fixture.navigation()
        #expect(try await applied(fixture) == ["show Tabbed/Side"])
        let inner = OddFlow(Stacked.self)
        let free = try await fixture.root(Main.self) { step in
            switch step as? TestStep {
            case .one: .child(inner)
            case .two: .one(flowContributor: .hideChild(inner))
            default: .one(flowContributor: .showChild(named: "Stacked"))
            }
        }
        for step in [TestStep.one, .two, .three] { try await fixture.coordinator.emit(step, on: free) }
        _ = await fixture.navigation()
        #expect(try await applied(fixture) == ["hide Main/Stacked"])
        #expect(try await applied(fixture) == ["show Main/Stacked"])
        // In tabs nothing is hidden.
        let wrong = OddFlow(Tabbed.self) { _ in .one(flowContributor: .hideChild(named: "Side")) }
        try await fixture.begin(wrong)
        let error = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: wrong) }
        #expect(error.code == .navigatorFailed && error.message.contains("'hide' is for children"))
    }

    @Test(arguments: HostKind.allCases)
    func `S-51: screens of one name are told apart by a key`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        var made: [TestScreen] = []
        func page(_ uri: String, _ reuse: ChildOptions.Reuse = .raised) -> FlowContributor {
            made.append(TestScreen("page"))
            return .contribute(
                withNext: made[made.count - 1], options: ChildOptions(reuse: reuse, key: ["uri": .string(uri)]))
        }
        let flow = try await fixture.root(Stacked.self) { step in
            switch step as? TestStep {
            case .one: .all(page("a"), page("b"))
            case .two: .one(flowContributor: page("a"))
            default: .one(flowContributor: .dismissChild(named: "page", key: ["uri": .string("b")]))
            }
        }
        var log: [[String]] = []
        for step in [TestStep.one, .two, .three] {
            try await fixture.coordinator.emit(step, on: flow)
            log.append(try await applied(fixture))
        }
        #expect(
            log == [
                ["screen Stacked/page", "screen Stacked/page_2"], ["reuse Stacked/page"], ["dismiss Stacked/page_2"],
            ])
        #expect(made.map(fixture.coordinator.path(of:)) == ["Stacked/page", nil, nil])
    }

    @Test func `S-51: a key has the same names and types for all screens of a name, and is for screens`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let inner = OddFlow(Main.self) { _ in .none }
        let flow = try await fixture.root(Stacked.self) { step in
            switch step as? TestStep {
            case .one: .one(flowContributor: Self.page("page", ChildOptions(key: ["uri": .string("a")])))
            case .two: .one(flowContributor: Self.page("page", ChildOptions(key: ["uri": .int64(1)])))
            default:
                .one(
                    flowContributor: .contribute(
                        withNextPresentable: inner, withNextStepper: NoneStepper(),
                        options: ChildOptions(key: ["uri": .string("a")])))
            }
        }
        try await fixture.coordinator.emit(TestStep.one, on: flow)
        for (step, text) in [(TestStep.two, "has another key, or one with other types"), (.three, "it is for screens")]
        {
            let error = try await refusal { try await fixture.coordinator.emit(step, on: flow) }
            #expect(error.message.contains(text), "\(error)")
        }
    }

    // MARK: Layers

    /// A flow with a lock above its apps.
    private final class Device: Flow {
        static let steps: [any Step.Type] = [TestStep.self]
        static let children = Children.layers
        static let layers: [Layer] = ["apps", Layer("banner", covers: false), "lock"]
        let root = TestScreen("device")
        let apps = OddFlow(Side.self)
        let lock = OddFlow(Deep.self)

        func navigate(to step: any Step) -> FlowContributors {
            switch step as? TestStep {
            case .one: .child(apps)
            case .two: .one(flowContributor: layered("lock"))
            case .three: .one(flowContributor: .hideChild(lock))
            case .five:
                .one(flowContributor: .contribute(withNext: TestScreen("page"), options: ChildOptions(layer: "apps")))
            default: .one(flowContributor: layered("attic"))
            }
        }

        private func layered(_ layer: String) -> FlowContributor {
            .contribute(
                withNextPresentable: lock, withNextStepper: NoneStepper(), allowStepWhenNotPresented: false,
                options: ChildOptions(layer: layer))
        }
    }

    @Test func `S-37: in one process a flow has layers`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let device = Device()
        try await fixture.begin(device)
        for step in [TestStep.one, .two] { try await fixture.coordinator.emit(step, on: device) }
        // Back does not reach what the lock covers.
        #expect(try await fixture.coordinator.back(on: device).verdict == .unhandled)
        try await fixture.coordinator.emit(TestStep.three, on: device)
        #expect(try await applied(fixture) == ["flow ChildOptionsTests_Device/Side"])
        #expect(try await applied(fixture) == ["flow ChildOptionsTests_Device/Deep"])
        #expect(try await applied(fixture) == ["hide ChildOptionsTests_Device/Deep"])
        let error = try await refusal { try await fixture.coordinator.emit(TestStep.four, on: device) }
        #expect(error.message.contains("this flow has no layer 'attic'; it has 'apps', 'banner' and 'lock'"))
    }

    /// A flow with layers that do not fit its children.
    private class Mistaken: Flow {
        static let steps: [any Step.Type] = [TestStep.self]
        class var children: Children { .free }
        class var layers: [Layer] { ["apps"] }
        let root = TestScreen("mistaken")

        func navigate(to step: any Step) -> FlowContributors { .none }
    }

    private final class Unlayered: Mistaken {
        override class var children: Children { .layers }
        override class var layers: [Layer] { [] }
    }

    @Test func `S-37: layers and children have to fit`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let expected = [
            "has layers, but its children are '.free'; declare 'static let children = Children.layers'",
            "has children in layers, but no layers; declare 'static let layers: [Layer]', the lowest first",
        ]
        for (flow, message) in zip([Mistaken(), Unlayered()], expected) {
            let error = try await refusal {
                try await fixture.coordinator.coordinate(flow: flow, with: NoneStepper())
            }
            #expect(error.code == .invalidArguments && error.message.hasSuffix(message), "\(error)")
        }
    }

    @Test func `S-37: only flows stand in layers`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let device = Device()
        try await fixture.begin(device)
        let error = try await refusal { try await fixture.coordinator.emit(TestStep.five, on: device) }
        #expect(
            error.code == .navigatorFailed
                && error.message.contains("children of layers are flows; put the screen into a flow"), "\(error)")
    }

    @Test func `S-37: a layer is for a flow with layers`() async throws {
        let fixture = try CoordinatorFixture(.inProcess)
        let flow = try await fixture.root(Main.self) { _ in
            .one(
                flowContributor: .contribute(
                    withNextPresentable: OddFlow(Side.self), withNextStepper: NoneStepper(),
                    allowStepWhenNotPresented: false, options: ChildOptions(layer: "apps")))
        }
        let error = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: flow) }
        #expect(
            error.code == .navigatorFailed
                && error.message.contains("'layer' is for children '.layers', and this flow has '.free'"), "\(error)")
    }

    @Test(arguments: HostKind.allCases)
    func `S-19: a dismissal has to name a step of the flow`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        let flow = try await fixture.root(Main.self) { step in
            switch step as? TestStep {
            case .one: .one(flowContributor: Self.page("a", ChildOptions(onDismissed: "nowhere")))
            default:
                .one(
                    flowContributor: Self.page(
                        "b", ChildOptions(onDismissed: DismissalStep("number", arguments: ["x": 1]))))
            }
        }
        let unknown = try await refusal { try await fixture.coordinator.emit(TestStep.one, on: flow) }
        #expect(unknown.code == .navigatorFailed && unknown.message.contains("'nowhere'"), "\(unknown)")
        let wrong = try await refusal { try await fixture.coordinator.emit(TestStep.two, on: flow) }
        #expect(wrong.code == .navigatorFailed && wrong.message.contains("'x'"), "\(wrong)")
    }

    @Test func `S-32: on the bus a flow has none`() async throws {
        let fixture = try CoordinatorFixture(.onTheBus)
        let error = try await refusal {
            try await fixture.coordinator.coordinate(flow: Device(), with: NoneStepper())
        }
        #expect(error.code == .notSupported && error.message.contains("definition file"))
    }
}
