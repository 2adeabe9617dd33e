import BusTestSupport
import FlowBus
import FlowBusClient
import Testing

/// Screens that are shown, covered and closed, and their notifications.
@MainActor
@Suite("Visibility", .fewAtOnce, .serialized, .timeLimit(.minutes(1)))
struct PresenceTests {
    /// Logs the calls it gets.
    private final class Window: Presentable {
        let name = "window"
        let style: String
        let (visible, shows): (any AsyncSequence<Bool, Never>, AsyncStream<Bool>.Continuation)
        let (dismissed, closes): (any AsyncSequence<Void, Never>, AsyncStream<Void>.Continuation)
        let (log, lines) = AsyncStream<String>.makeStream()
        var presents: (Window) -> Void = { _ in }

        init(style: String = "") {
            self.style = style
            let shown = AsyncStream<Bool>.makeStream()
            (visible, shows) = (shown.stream, shown.continuation)
            let closed = AsyncStream<Void>.makeStream()
            (dismissed, closes) = (closed.stream, closed.continuation)
        }

        func present(_ presentation: Presentation) {
            lines.yield("present \(presentation.path)\(presentation.isRepeated ? " again" : "")")
            presents(self)
        }

        func withdraw() { lines.yield("withdraw") }

        func line() async -> String? {
            for await line in log { return line }
            return nil
        }
    }

    @Test(arguments: HostKind.allCases)
    func `S-31: a presentable other than a Screen is presented, shown and closed by its own sequences`(host: HostKind)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let window = Window(style: "modal")
        let stepper = TestStepper(TestStep.two)
        let main = try await fixture.root(Main.self) { step in
            guard case TestStep.one = step else { return .none }
            return .one(flowContributor: .contribute(withNextPresentable: window, withNextStepper: stepper))
        }
        try await fixture.coordinator.emit(TestStep.one, on: main)
        #expect(await window.line() == "present Main/window")
        window.shows.yield(true)
        #expect(await fixture.navigations(2) == ["Main one", "Main two"])
        if let serviceFixture = fixture.serviceFixture {
            #expect(try serviceFixture.service.property("Style", of: "/Main/window", "Presentable") == "modal")
        }
        window.closes.yield(())
        // It closed itself, so it is not withdrawn.
        window.lines.yield("closed")
        while fixture.coordinator.path(of: window) != nil { await Task.yield() }
        window.lines.yield("gone")
        #expect([await window.line(), await window.line()] == ["closed", "gone"])
    }

    @Test(arguments: HostKind.allCases)
    func `actions of a screen while it is presented, including steps, are handled in order`(host: HostKind)
        async throws
    {
        let fixture = try CoordinatorFixture(host)
        let page = BusyScreen()
        let main = try await fixture.root(Main.self) { step in
            if case TestStep.one = step { .one(flowContributor: .contribute(withNext: page)) } else { .none }
        }
        page.presents = { page in
            page.show()
            page.steps.accept(TestStep.two)
            page.hide()
            page.steps.accept(TestStep.three)
            page.show()
            page.steps.accept(TestStep.four)
            page.dismiss()
            page.steps.accept(TestStep.five)
        }
        try await fixture.coordinator.emit(TestStep.one, on: main)
        #expect(await fixture.navigations(3) == ["Main one", "Main two", "Main four"])
        #expect(await fixture.failures(1) == ["Main/busy three hidden"])
        #expect(await fixture.failure()?.step == "five")
        #expect(page.log == ["ready", "present"])
    }

    @Test(arguments: HostKind.allCases)
    func `S-14 S-24: a stack covers, and goes back by dismissing the screen in front`(host: HostKind) async throws {
        enum Stack: Oddity { static var children: Children { .stack } }
        let fixture = try CoordinatorFixture(host)
        let pages = (1...3).map { TestScreen("page\($0)") }
        var next = pages.makeIterator()
        let flow = try await fixture.root(Stack.self) { step in
            guard case TestStep.one = step, let page = next.next() else { return .none }
            return .screen(page)
        }
        for page in pages {
            try await fixture.coordinator.emit(TestStep.one, on: flow)
            page.show()
        }
        #expect(await fixture.verdict(of: TestStep.two, on: pages[1]) == "hidden")
        #expect(await fixture.verdict(of: TestStep.two, on: pages[2]) == "navigated")
        #expect(try await fixture.coordinator.back(on: flow).isNavigated)
        #expect(pages.map(\.withdrawals) == [0, 0, 1])
        #expect(await fixture.verdict(of: TestStep.three, on: pages[1]) == "navigated")
        #expect(try await fixture.coordinator.back(on: flow).isNavigated)
        #expect(try await fixture.coordinator.back(on: flow).verdict == .unhandled)
        #expect(pages.map(\.withdrawals) == [0, 1, 1])
        let log = await fixture.navigations(7)
        #expect(log.suffix(4) == ["Stack two", "Stack back", "Stack three", "Stack back"])
        let error = try await refusal { try await fixture.coordinator.back(on: OddFlow(Deep.self)) }
        #expect(error.code == .unknownObject && error.message.contains("Deep"))
    }

    @Test(arguments: HostKind.allCases)
    func `S-14: of tabs, the one that is shown covers the others`(host: HostKind) async throws {
        enum Tabs: Oddity { static var children: Children { .tabs } }
        let fixture = try CoordinatorFixture(host)
        let (left, right) = (OddFlow(Side.self), OddFlow(Deep.self))
        let flow = try await fixture.root(Tabs.self) { step in
            guard case TestStep.one = step else { return .none }
            return .multiple(
                flowContributors: [left as any Flow, right].map {
                    .contribute(
                        withNextPresentable: $0, withNextStepper: NoneStepper(), allowStepWhenNotPresented: false)
                })
        }
        try await fixture.coordinator.emit(TestStep.one, on: flow)
        #expect(await fixture.verdict(of: TestStep.two, on: right) == "hidden")
        right.root.show()
        #expect(await fixture.verdict(of: TestStep.two, on: right) == "navigated")
        #expect(await fixture.verdict(of: TestStep.two, on: left) == "hidden")
        right.root.dismiss()
        #expect(await fixture.verdict(of: TestStep.two, on: left) == "navigated")
    }

    @Test(arguments: HostKind.allCases)
    func `withdraw is called on presentables that others dismiss, children first`(host: HostKind) async throws {
        let fixture = try CoordinatorFixture(host)
        var log: [String] = []
        let pages = ["a", "b", "c"].map { BusyScreen($0) }
        for page in pages { page.withdraws = { log.append($0.name) } }
        let side = OddFlow(Side.self) { _ in .all(.child(pages[1]), .child(pages[2])) }
        let main = try await fixture.root(Main.self) { step in
            switch step as? TestStep {
            case .one: .all(.child(pages[0]), .child(side, TestStep.one))
            default: .end(forwardToParentFlowWithStep: NoneStep())
            }
        }
        try await fixture.coordinator.emit(TestStep.one, on: main)
        await fixture.ready(side)
        pages[1].dismiss()
        try await fixture.coordinator.emit(TestStep.two, on: main)
        #expect(log == ["c", "a"] && side.withdrawals == 1 && main.withdrawals == 1)
    }
}

/// A screen that acts when it is called.
final class BusyScreen: Screen, Stepper {
    let presence = Presence()
    let steps = PublishRelay<any Step>()
    let name: String
    var presents: (BusyScreen) -> Void = { _ in }
    var withdraws: (BusyScreen) -> Void = { _ in }
    var readies: (BusyScreen) -> Void = { _ in }
    private(set) var log: [String] = []

    init(_ name: String = "busy") { self.name = name }

    func readyToEmitSteps() {
        log.append("ready")
        readies(self)
    }

    func present(_ presentation: Presentation) {
        log.append("present")
        presents(self)
    }

    func withdraw() {
        log.append("withdraw")
        withdraws(self)
    }
}
